/* plan_json.c - plans as JSON: run files that a user writes, and the one that a run leaves behind. */
#include "run/plan.h"

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- Reading ------------------------------------------------------------------------------------------------------ */

/* Appends a value that is no list as text; false if it has no such form or room. */
static bool append(const json_t *value, char *text, size_t size) {
    size_t used = strlen(text);
    char  *place = text + used;
    size_t room = size - used;
    if (json_is_string(value)) return (size_t)snprintf(place, room, "%s", json_string_value(value)) < room;
    if (json_is_boolean(value)) return (size_t)snprintf(place, room, json_is_true(value) ? "true" : "false") < room;
    if (json_is_integer(value))
        return (size_t)snprintf(place, room, "%" JSON_INTEGER_FORMAT, json_integer_value(value)) < room;
    if (!json_is_real(value) || room < NUMBER_TEXT) return false;
    number_write(json_real_value(value), place, room);
    return true;
}

/* A list of numbers, or of one such list a chain, with commas between. */
static bool append_list(const json_t *list, char *text, size_t size) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *element = json_array_get(list, i);
        bool          nested = json_is_array(element);
        for (size_t k = 0; k < (nested ? json_array_size(element) : 1); k++) {
            size_t length = strlen(text);
            if (length && length + 1 < size) memcpy(text + length, ",", 2);
            if (!append(nested ? json_array_get(element, k) : element, text, size)) return false;
        }
    }
    return true;
}

static ckam_status set_key(ckam_plan *plan, const char *path, const char *key, const json_t *value, ckam_error *error) {
    char       text[OPTION_TEXT] = "";
    ckam_error inner;
    if (json_is_null(value)) return CKAM_OK;
    if (!(json_is_array(value) ? append_list(value, text, sizeof text) : append(value, text, sizeof text)))
        return fail_with(
            error, CKAM_ERROR_OPTION,
            "%.100s: the value of '%.40s' must be a number, a text, true, false or a list of numbers, of at "
            "most %d bytes",
            path, key, OPTION_TEXT - 1);
    ckam_status status = ckam_plan_set(plan, key, text, &inner);
    return status ? fail_with(error, status, "%.100s: %s", path, inner.message) : CKAM_OK;
}

/* The sampler comes first, the given one or that of the object: other keys may be its options. `skip` is a key that is
 * left out, or NULL. */
static ckam_status set_all(ckam_plan *plan, const char *path, json_t *object, const char *sampler, const char *skip,
                           ckam_error *error) {
    const char *key;
    json_t     *value = json_object_get(object, "sampler");
    ckam_status status = sampler ? ckam_plan_set(plan, "sampler", sampler, error)
                         : value ? set_key(plan, path, "sampler", value, error)
                                 : CKAM_OK;
    json_object_foreach(object, key, value) {
        if (status) break;
        if (!strcmp(key, "sampler") || (skip && !strcmp(key, skip))) continue;
        status = set_key(plan, path, key, value, error);
    }
    return status;
}

typedef ckam_status reader(const open_directory *in, const char *path, char **bytes, size_t *size, ckam_error *error);

static ckam_status load(const open_directory *in, const char *name, reader *read, json_t **object, ckam_error *error) {
    char         path[FILE_SHOWN], *bytes;
    size_t       size;
    json_error_t why;
    ckam_status  status = read(in, name, &bytes, &size, error);
    file_show(in, name, path);
    *object = NULL;
    if (status) return status;
    *object = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &why);
    free(bytes);
    if (!*object)
        return fail_with(error, CKAM_ERROR_FORMAT, "%.100s, line %d, column %d: %.100s", path, why.line, why.column,
                         why.text);
    if (json_is_object(*object)) return CKAM_OK;
    json_decref(*object);
    *object = NULL;
    return fail_with(error, CKAM_ERROR_FORMAT, "%.100s: a JSON object is wanted, as in {\"model\": \"bimodal\"}", path);
}

/* A run's own run.json serves as a run file too: its settings, but for the directory, which is taken. */
ckam_status ckam_plan_read(ckam_plan *plan, const char *path, const char *sampler, ckam_error *error) {
    json_t *object;
    if (!path) return fail_with(error, CKAM_ERROR_ARGUMENT, "the path of the plan's file is NULL");
    ckam_status status = load(NULL, path, file_read, &object, error);
    if (status) return status;
    json_t *config = json_object_get(object, "config");
    bool    ours = json_object_get(object, "ckam") && json_is_object(config);
    status = set_all(plan, path, ours ? config : object, sampler, ours ? "out" : NULL, error);
    json_decref(object);
    return status;
}

ckam_status plan_open(ckam_plan **plan, const open_directory *in, const char *directory, ckam_error *error) {
    char       name[FILE_PATH], path[FILE_SHOWN];
    json_t    *object;
    ckam_error inner;
    *plan = NULL;
    if (snprintf(name, sizeof name, "%s/run.json", directory) >= (int)sizeof name)
        return fail_with(error, CKAM_ERROR_INPUT, "the path %.60s... is too long", directory);
    ckam_status status = load(in, name, file_read_record, &object, &inner);
    if (status == CKAM_ERROR_INPUT)
        return fail_with(error, status, "%s is not the directory of a run: %.100s", file_show(in, directory, path),
                         inner.message);
    if (status) {
        if (error) *error = inner;
        return status;
    }
    file_show(in, name, path);
    json_t *config = json_object_get(object, "config");
    if (!json_is_object(config))
        status = fail_with(error, CKAM_ERROR_FORMAT, "%.100s has no 'config'; it was not written by ckam", path);
    if (!status) status = ckam_plan_create(plan, error);
    if (!status) status = set_all(*plan, path, config, NULL, NULL, error);
    json_t *command = json_object_get(object, "command");
    if (!status && json_is_string(command)) ckam_plan_command(*plan, json_string_value(command));
    if (status) {
        ckam_plan_free(*plan);
        *plan = NULL;
    }
    json_decref(object);
    return status;
}

ckam_status ckam_plan_open(ckam_plan **plan, const char *directory, ckam_error *error) {
    if (plan) *plan = NULL;
    if (!plan || !directory) return fail_with(error, CKAM_ERROR_ARGUMENT, "the plan's place or directory is NULL");
    return plan_open(plan, NULL, directory, error);
}

/* -- Writing ------------------------------------------------------------------------------------------------------ */

json_t *plan_json_word(uint64_t word) {
    char text[24];
    if (word <= INT64_MAX) return json_integer((json_int_t)word);
    snprintf(text, sizeof text, "%" PRIu64, word);
    return json_string(text);
}

static json_t *value_of(const ckam_plan *plan, const ckam_option *option) {
    char text[OPTION_TEXT];
    ckam_plan_get(plan, option->name, text, sizeof text, NULL);
    double number;
    if (option->type == CKAM_WORD) return plan_json_word(plan->run.seed);
    if (option->type == CKAM_CHOICE && !strcmp(option->words[0], "false")) return json_boolean(!strcmp(text, "true"));
    if (option->type == CKAM_CHOICE || option->type == CKAM_TEXT || !number_read(text, &number))
        return json_string(text); /* an auto too */
    return option->type == CKAM_COUNT ? json_integer((json_int_t)number) : json_real(number);
}

json_t *plan_json(const ckam_plan *plan) {
    const ckam_entry *entry = ckam_sampler_list();
    while (strcmp(entry->name, plan->run.sampler) != 0) entry++;
    json_t                  *object = json_object();
    const ckam_option *const lists[] = {ckam_plan_list(), entry->options};
    for (int i = 0; i < 2; i++)
        for (const ckam_option *o = lists[i]; object && o->name; o++)
            if (json_object_set_new(object, o->name, value_of(plan, o))) {
                json_decref(object);
                object = NULL;
            }
    return object;
}
