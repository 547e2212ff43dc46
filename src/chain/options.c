/* options.c - the settings of a sampler, as users see them. */
#include "chain/chain.h"

#include "base/spec.h"

#include <stdlib.h>
#include <string.h>

ckam_status ckam_options_create(ckam_options **options, const char *spec, ckam_error *error) {
    size_t index;
    if (!options) return fail_with(error, CKAM_ERROR_ARGUMENT, "the place for the options is NULL");
    *options = NULL;
    ckam_status status = spec_find(ckam_sampler_list(), "sampler", spec, &index, error);
    if (status) return status;
    ckam_options *o = calloc(1, sizeof *o);
    if (o) {
        o->sampler = sampler_registry[index];
        o->entry = ckam_sampler_list() + index;
        o->values = calloc(1, o->sampler->options_size);
    }
    if (!o || !o->values) {
        ckam_options_free(o);
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the options of '%s'", spec);
    }
    status = spec_read(o->entry, spec, o->values, error);
    if (status)
        ckam_options_free(o);
    else
        *options = o;
    return status;
}

void ckam_options_free(ckam_options *options) {
    if (!options) return;
    free(options->values);
    free(options);
}

ckam_status ckam_options_set(ckam_options *options, const char *name, const char *value, ckam_error *error) {
    return options_set(options->entry->options, options->values, options->entry->name, name, value, error);
}

ckam_status ckam_options_set_number(ckam_options *options, const char *name, double value, ckam_error *error) {
    return options_set_number(options->entry->options, options->values, options->entry->name, name, value, error);
}

ckam_status ckam_options_get(const ckam_options *options, const char *name, char *text, size_t size,
                             ckam_error *error) {
    return options_get(options->entry->options, options->values, options->entry->name, name, text, size, error);
}

const char *ckam_options_sampler(const ckam_options *options) { return options->entry->name; }

const char *options_difference(const ckam_options *ours, const void *theirs, char ours_text[OPTION_ROOM],
                               char theirs_text[OPTION_ROOM]) {
    const ckam_option *table = ours->entry->options;
    for (const ckam_option *option = table; option->name; option++) {
        options_get(table, ours->values, ours->entry->name, option->name, ours_text, OPTION_ROOM, NULL);
        options_get(table, theirs, ours->entry->name, option->name, theirs_text, OPTION_ROOM, NULL);
        if (strcmp(ours_text, theirs_text) != 0) return option->name;
    }
    return NULL;
}
