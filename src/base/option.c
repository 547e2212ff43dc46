/* option.c - see option.h. */
#include "base/option.h"

#include "base/error.h"
#include "base/number.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 128 }; /* room for a name or a value as text */

/* A number of any type but text. A word of 64 bits has its own way, and comes here only with its default. */
static void store(const ckam_option *option, void *values, double number) {
    char *place = (char *)values + option->offset;
    if (option->type == CKAM_COUNT || option->type == CKAM_WORD)
        *(uint64_t *)(void *)place = isnan(number) ? COUNT_AUTO : (uint64_t)number;
    else if (option->type == CKAM_CHOICE)
        *(int *)(void *)place = (int)number;
    else
        *(double *)(void *)place = number;
}

/* The values may come from a snapshot, where nothing is aligned. */
static double load(const ckam_option *option, const void *values) {
    const char *place = (const char *)values + option->offset;
    double      real;
    uint64_t    count;
    int         word;
    if (option->type == CKAM_COUNT) {
        memcpy(&count, place, sizeof count);
        return option->has_auto && count == COUNT_AUTO ? OPTION_AUTO : (double)count;
    }
    if (option->type == CKAM_CHOICE) {
        memcpy(&word, place, sizeof word);
        return word;
    }
    memcpy(&real, place, sizeof real);
    return real;
}

void options_default(const ckam_option *table, void *values) {
    for (const ckam_option *option = table; option->name; option++)
        if (option->type == CKAM_TEXT)
            snprintf((char *)values + option->offset, OPTION_TEXT, "%s", option->words[0]);
        else
            store(option, values, option->initial);
}

static ckam_status find(const ckam_option *table, const char *owner, const char *name, const ckam_option **found,
                        ckam_error *error) {
    if (!name) return fail_with(error, CKAM_ERROR_ARGUMENT, "the name of an option of %s is NULL", owner);
    for (*found = table; (*found)->name; ++*found)
        if (!strcmp((*found)->name, name)) return CKAM_OK;
    const char *near = ckam_nearest_name(table, sizeof *table, name);
    return fail_with(error, CKAM_ERROR_OPTION, "%s has no option '%.40s'%s%s%s", owner, name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

void ckam_option_range(const ckam_option *option, char *text, size_t size) {
    const char *or_auto = option->has_auto ? ", or auto" : "";
    if (option->type == CKAM_CHOICE) {
        size_t used = 0;
        if (size) text[0] = 0;
        for (size_t i = 0; option->words[i] && used < size; i++) {
            const char *before = i == 0 ? "" : option->words[i + 1] ? ", " : " or ";
            used += (size_t)snprintf(text + used, size - used, "%s%s", before, option->words[i]);
        }
        return;
    }
    if (option->type == CKAM_WORD || option->type == CKAM_TEXT) {
        if (option->type == CKAM_WORD)
            snprintf(text, size, "a whole number >= 0 and < 2^64%s", or_auto);
        else
            snprintf(text, size, "a text of less than %d bytes", OPTION_TEXT);
        return;
    }
    const char *what = option->type == CKAM_COUNT ? "a whole number" : "a number";
    const char *low = option->open_low ? ">" : ">=", *high = option->open_high ? "<" : "<=";
    if (isinf(option->high))
        snprintf(text, size, "%s %s %.10g%s", what, low, option->low, or_auto);
    else if (option->high == COUNT_MOST)
        snprintf(text, size, "%s %s %.10g and %s 2^53%s", what, low, option->low, high, or_auto);
    else
        snprintf(text, size, "%s %s %.10g and %s %.10g%s", what, low, option->low, high, option->high, or_auto);
}

static ckam_status refuse(const ckam_option *option, const char *owner, const char *text, ckam_error *error) {
    char range[TEXT];
    ckam_option_range(option, range, sizeof range);
    return fail_with(error, CKAM_ERROR_OPTION, "%s%s%s is '%.40s'; it must be %s", owner, *owner ? ": " : "",
                     option->name, text, range);
}

/* Whether a number is in the option's range. NaN is in none. */
static bool in_range(const ckam_option *option, double number) {
    if (!(option->open_low ? number > option->low : number >= option->low)) return false;
    if (!(option->open_high ? number < option->high : number <= option->high)) return false;
    if (isinf(number)) return false;
    return option->type == CKAM_REAL || number == floor(number);
}

ckam_status options_set_number(const ckam_option *table, void *values, const char *owner, const char *name,
                               double number, ckam_error *error) {
    const ckam_option *option;
    ckam_status        status = find(table, owner, name, &option, error);
    if (status) return status;
    if (option->type == CKAM_CHOICE || option->type == CKAM_TEXT || !in_range(option, number)) {
        char text[TEXT];
        number_write(number, text, sizeof text);
        return refuse(option, owner, text, error);
    }
    store(option, values, number);
    return CKAM_OK;
}

/* A word of 64 bits, exactly. */
static ckam_status set_word(const ckam_option *option, void *values, const char *owner, const char *text,
                            ckam_error *error) {
    char *end;
    errno = 0;
    uint64_t word = strtoull(text, &end, 10);
    if (errno || !isdigit((unsigned char)*text) || *end) return refuse(option, owner, text, error);
    memcpy((char *)values + option->offset, &word, sizeof word);
    return CKAM_OK;
}

static ckam_status set_text(const ckam_option *option, void *values, const char *owner, const char *text,
                            ckam_error *error) {
    if (strlen(text) >= OPTION_TEXT) return refuse(option, owner, text, error);
    memcpy((char *)values + option->offset, text, strlen(text) + 1);
    return CKAM_OK;
}

ckam_status options_set(const ckam_option *table, void *values, const char *owner, const char *name, const char *text,
                        ckam_error *error) {
    const ckam_option *option;
    ckam_status        status = find(table, owner, name, &option, error);
    if (status) return status;
    if (!text) return fail_with(error, CKAM_ERROR_ARGUMENT, "the value of %s's option %s is NULL", owner, name);
    if (option->type == CKAM_CHOICE) {
        for (int i = 0; option->words[i]; i++)
            if (!strcmp(option->words[i], text)) {
                store(option, values, i);
                return CKAM_OK;
            }
        return refuse(option, owner, text, error);
    }
    if (option->has_auto && !strcmp(text, "auto")) {
        store(option, values, OPTION_AUTO);
        return CKAM_OK;
    }
    if (option->type == CKAM_WORD) return set_word(option, values, owner, text, error);
    if (option->type == CKAM_TEXT) return set_text(option, values, owner, text, error);
    double number;
    if (!number_read(text, &number) || !in_range(option, number)) return refuse(option, owner, text, error);
    store(option, values, number);
    return CKAM_OK;
}

/* The index may come from a snapshot, too. */
static const char *word_of(const ckam_option *option, double index) {
    for (size_t i = 0; option->words[i]; i++)
        if ((double)i == index) return option->words[i];
    return "no word of its list";
}

ckam_status options_get(const ckam_option *table, const void *values, const char *owner, const char *name, char *text,
                        size_t size, ckam_error *error) {
    const ckam_option *option;
    ckam_status        status = find(table, owner, name, &option, error);
    if (status) return status;
    const char *place = (const char *)values + option->offset;
    uint64_t    word;
    if (option->type == CKAM_TEXT) {
        snprintf(text, size, "%s", place);
        return CKAM_OK;
    }
    if (option->type == CKAM_WORD) {
        memcpy(&word, place, sizeof word);
        snprintf(text, size, "%" PRIu64, word);
        return CKAM_OK;
    }
    double number = load(option, values);
    if (option->type == CKAM_CHOICE)
        snprintf(text, size, "%s", word_of(option, number));
    else if (isnan(number))
        snprintf(text, size, "auto");
    else
        number_write(number, text, size);
    return CKAM_OK;
}

ckam_status options_parse(const ckam_option *table, void *values, const char *owner, const char *list,
                          ckam_error *error) {
    while (*list) {
        char   name[TEXT], *value;
        size_t length = strcspn(list, ",");
        if (length >= sizeof name)
            return fail_with(error, CKAM_ERROR_OPTION, "%s: '%.40s...' is too long for an option", owner, list);
        memcpy(name, list, length);
        name[length] = 0;
        value = strchr(name, '=');
        if (!value) return fail_with(error, CKAM_ERROR_OPTION, "%s: '%s' is not of the form option=value", owner, name);
        *value++ = 0;
        ckam_status status = options_set(table, values, owner, name, value, error);
        if (status) return status;
        list += length;
        if (*list == ',' && !*++list)
            return fail_with(error, CKAM_ERROR_OPTION, "%s: the list of options ends in a comma", owner);
    }
    return CKAM_OK;
}
