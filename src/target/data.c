/* data.c - see data.h. */
#include "target/data.h"

#include "base/error.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    char   *key;
    double *numbers;
    size_t  count;
} entry;

typedef struct store {
    ckam_data data; /* first: what the model sees */
    size_t    count;
    entry    *entries;
} store;

static const double *numbers(const ckam_data *data, const char *key, size_t *count) {
    const store *s = (const store *)data;
    for (size_t i = 0; i < s->count; i++)
        if (!strcmp(s->entries[i].key, key)) {
            if (count) *count = s->entries[i].count;
            return s->entries[i].numbers;
        }
    if (count) *count = 0;
    return NULL;
}

static bool is_number(const json_t *value, double *number) {
    bool truth = json_is_boolean(value);
    *number = truth ? json_is_true(value) : json_number_value(value);
    return truth || json_is_number(value);
}

/* The numbers in a value, row by row; `out` may be NULL, to count them. False: there is something else in it, or lists in lists
 * in lists beyond what anybody means. */
static bool flatten(const json_t *value, double *out, size_t *count) {
    enum { DEPTH = 16 };
    const json_t *lists[DEPTH];
    size_t        next[DEPTH] = {0}, depth = 0;
    double        number;
    for (*count = 0;;) {
        if (is_number(value, &number)) {
            if (out) out[*count] = number;
            ++*count;
        } else if (json_is_array(value) && depth < DEPTH) {
            lists[depth] = value;
            next[depth++] = 0;
        } else {
            return false;
        }
        while (depth && next[depth - 1] == json_array_size(lists[depth - 1])) depth--;
        if (!depth) return true;
        value = json_array_get(lists[depth - 1], next[depth - 1]++);
    }
}

/* False: no memory. */
static bool add(store *s, const char *key, const json_t *value) {
    entry *e = &s->entries[s->count];
    if (!flatten(value, NULL, &e->count)) return true;
    e->key = strdup(key);
    e->numbers = malloc((e->count ? e->count : 1) * sizeof *e->numbers);
    s->count++;
    return e->key && e->numbers && flatten(value, e->numbers, &e->count);
}

static bool add_all(store *s, json_t *object) {
    const char *key;
    json_t     *value;
    s->entries = calloc(json_object_size(object) + 1, sizeof *s->entries);
    if (!s->entries) return false;
    json_object_foreach(object, key, value) {
        if (!add(s, key, value)) return false;
    }
    return true;
}

/* All numbers are read as doubles, so that a long whole number is none too long. */
static ckam_status parse(const char *text, json_t **object, ckam_error *error) {
    json_error_t problem;
    *object = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL, &problem);
    if (!*object)
        return fail_with(error, CKAM_ERROR_FORMAT, "the file of --data is not JSON: line %d: %.160s", problem.line,
                         problem.text);
    if (json_is_object(*object)) return CKAM_OK;
    json_decref(*object);
    return fail_with(error, CKAM_ERROR_FORMAT, "the file of --data must hold an object, as in {\"y\": [1.5, 2]}");
}

ckam_status data_create(ckam_data **data, const char *text, ckam_error *error) {
    json_t     *object = NULL;
    ckam_status status = text ? parse(text, &object, error) : CKAM_OK;
    store      *s = status ? NULL : calloc(1, sizeof *s);
    *data = NULL;
    if (status) return status;
    if (s) s->data.numbers = numbers;
    if (s && add_all(s, object))
        *data = &s->data;
    else
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the data");
    json_decref(object);
    if (s && status) data_free(&s->data);
    return status;
}

void data_free(ckam_data *data) {
    store *s = (store *)data;
    if (!s) return;
    for (size_t i = 0; i < s->count; i++) {
        free(s->entries[i].key);
        free(s->entries[i].numbers);
    }
    free(s->entries);
    free(s);
}
