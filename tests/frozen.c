/* frozen.c - see frozen.h. */
#include "frozen.h"

#include "sampler/adaptive.h"
#include "sampler/kernel_walk.h"
#include "support.h"

#include <string.h>

frozen frozen_make(const char *model, const char *spec, uint64_t iterations) {
    frozen      f = {0};
    ckam_step   step;
    ckam_counts counts = {0};
    assert_int_equal(ckam_model_create(&f.model, model, NULL), CKAM_OK);
    assert_int_equal(ckam_options_create(&f.options, spec, NULL), CKAM_OK);
    double start[64];
    ckam_model_start(f.model, start);
    ckam_setup setup = {.target = ckam_model_target(f.model), .options = f.options, .start = start, .seed = 11};
    assert_int_equal(ckam_chain_create(&f.chain, &setup, NULL), CKAM_OK);
    while (counts.iterations < iterations) {
        assert_int_equal(ckam_chain_step(f.chain, &step), CKAM_OK);
        ckam_chain_counts(f.chain, &counts);
    }
    const char *name = ckam_options_sampler(f.options);
    f.kernel_walk = !strcmp(name, "kam") || !strcmp(name, "ckam");
    f.state = (char *)f.chain->state + f.chain->state->sampler;
    if (f.kernel_walk) {
        kernel_walk *w = f.state;
        w->gain.constant = 0.0;
        w->half_life = 1e-300;
        w->auto_noise = false;
        w->noise = (noise){.start = w->gamma};
        f.t = w->t;
    } else if (f.chain->options.sampler->ask == adaptive_ask) {
        ((adaptive_state *)f.state)->gain.constant = 0.0;
    }
    return f;
}

void frozen_free(frozen *f) {
    ckam_chain_free(f->chain);
    ckam_options_free(f->options);
    ckam_model_free(f->model);
}

void frozen_put(frozen *f, const double *x) {
    const ckam_target *target = ckam_model_target(f->model);
    current           *now = f->state;
    memcpy(now_x(now), x, target->dim * sizeof *x);
    assert_int_equal(target->log_density(target->context, x, &now->log_density), CKAM_OK);
    now->moved = true;
}

void frozen_step(frozen *f, rng *r, uint64_t iteration, bool hastings) {
    const ckam_target *target = ckam_model_target(f->model);
    const sampler     *s = f->chain->options.sampler;
    ckam_step          out;
    double             log_density;
    if (f->kernel_walk) ((kernel_walk *)f->state)->t = f->t;
    rng_at(r, iteration, RNG_STEP);
    assert_int_equal(target->log_density(target->context, s->ask(f->state, r), &log_density), CKAM_OK);
    if (hastings)
        s->tell(f->state, r, log_density, &out);
    else
        decide(f->state, r, log_density, 0.0, &out);
}
