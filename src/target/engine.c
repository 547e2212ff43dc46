/* engine.c - see engine.h. */
#include "target/engine.h"

#include "base/error.h"

#include <stdlib.h>
#include <string.h>

void engine_clean(engine *e) {
    for (size_t k = 0; e->derived_names && k < e->derived; k++) free(e->derived_names[k]);
    free(e->derived_names);
    params_free(&e->params);
}

ckam_status engine_name_derived(engine *e, const params *p, ckam_error *error) {
    e->derived = p->count;
    e->derived_names = calloc(p->count ? p->count : 1, sizeof *e->derived_names);
    for (size_t k = 0; e->derived_names && k < p->count; k++) {
        e->derived_names[k] = strdup(p->at[k].name);
        if (!e->derived_names[k]) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the names");
    }
    return e->derived_names ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the names");
}
