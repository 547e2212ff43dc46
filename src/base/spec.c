/* spec.c - see spec.h. */
#include "base/spec.h"

#include "base/error.h"
#include "base/option.h"

#include <stdio.h>
#include <string.h>

static ckam_status unknown(const ckam_entry *list, const char *kind, const char *name, ckam_error *error) {
    char        all[160] = "";
    size_t      used = 0;
    const char *near = ckam_nearest_name(list, sizeof *list, name);
    if (near) return fail_with(error, CKAM_ERROR_OPTION, "there is no %s '%s'; did you mean '%s'?", kind, name, near);
    for (; list->name && used < sizeof all; list++)
        used += (size_t)snprintf(all + used, sizeof all - used, " %s", list->name);
    return fail_with(error, CKAM_ERROR_OPTION, "there is no %s '%s'; there are%s", kind, name, all);
}

ckam_status spec_find(const ckam_entry *list, const char *kind, const char *spec, size_t *index, ckam_error *error) {
    char name[40];
    if (!spec) return fail_with(error, CKAM_ERROR_ARGUMENT, "the name of the %s is NULL", kind);
    size_t length = strcspn(spec, ":");
    for (*index = 0; list[*index].name; ++*index)
        if (strlen(list[*index].name) == length && !memcmp(list[*index].name, spec, length)) return CKAM_OK;
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name), spec);
    return unknown(list, kind, name, error);
}

ckam_status spec_read(const ckam_entry *entry, const char *spec, void *values, ckam_error *error) {
    const char *list = spec + strlen(entry->name);
    options_default(entry->options, values);
    if (!*list) return CKAM_OK;
    if (!*++list) return fail_with(error, CKAM_ERROR_OPTION, "no option follows the colon of '%s'", spec);
    return options_parse(entry->options, values, entry->name, list, error);
}
