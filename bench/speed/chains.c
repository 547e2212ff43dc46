/* chains.c - see chains.h. */
#include "chains.h"

#include <stdlib.h>
#include <string.h>

struct chain_work {
    ckam_chain *chain;
    size_t      dim;
    double     *kept;
};

ckam_model *model_of(const char *spec) {
    ckam_model *model;
    ckam_error  error;
    if (ckam_model_create(&model, spec, &error)) stop(error.message);
    return model;
}

/* What any user of the library does: a step, and its point is kept. */
static void go(void *context, size_t steps) {
    chain_work *w = context;
    ckam_step   step;
    for (size_t i = 0; i < steps; i++) {
        if (ckam_chain_step(w->chain, &step)) stop(ckam_chain_error(w->chain)->message);
        memcpy(w->kept, step.x, w->dim * sizeof *w->kept);
    }
}

chain_work *chain_work_create(const ckam_target *target, const char *spec, const double *start, size_t before) {
    ckam_options *options;
    ckam_error    error;
    chain_work   *w = take(sizeof *w);
    w->dim = target->dim;
    w->kept = take(w->dim * sizeof *w->kept);
    if (ckam_options_create(&options, spec, &error)) stop(error.message);
    ckam_setup setup = {.target = target, .options = options, .start = start, .seed = 1, .horizon = 1000000};
    if (ckam_chain_create(&w->chain, &setup, &error)) stop(error.message);
    ckam_options_free(options);
    go(w, before);
    return w;
}

void chain_work_free(chain_work *w) {
    ckam_chain_free(w->chain);
    free(w->kept);
    free(w);
}

work chain_work_of(chain_work *w) { return (work){go, w}; }
