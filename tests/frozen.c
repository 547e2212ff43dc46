/* frozen.c - see frozen.h. */
#include "frozen.h"

#include "jump/jump.h"
#include "sampler/kam.h"
#include "support.h"

#include <string.h>

/* What the sampler has learned stays as it is from here on. */
static void freeze(frozen *f) {
    if (f->kernel_walk) {
        kernel_walk *w = f->state;
        w->gain.constant = 0.0;
        w->half_life = 1e-300;
        w->auto_noise = false;
        w->noise = (noise){.start = w->gamma};
        f->t = w->t;
    } else if (f->jump) { /* a cycle without an end, and without scouts */
        jump_state *s = f->state;
        assert_true(s->stage >= STAGE_EXPLORE);
        s->stage = STAGE_SAMPLE;
        s->waits = false;
        s->plan.length = UINT64_MAX;
    } else if (f->chain->options.sampler->ask == adaptive_ask) {
        ((adaptive_state *)f->state)->gain.constant = 0.0;
    }
}

frozen frozen_on(const ckam_target *target, const double *start, const char *spec, uint64_t iterations) {
    frozen      f = {.target = target};
    ckam_step   step;
    ckam_counts counts = {0};
    assert_int_equal(ckam_options_create(&f.options, spec, NULL), CKAM_OK);
    ckam_setup setup = {.target = target, .options = f.options, .start = start, .seed = 11};
    assert_int_equal(ckam_chain_create(&f.chain, &setup, NULL), CKAM_OK);
    while (counts.iterations < iterations) {
        assert_int_equal(ckam_chain_step(f.chain, &step), CKAM_OK);
        ckam_chain_counts(f.chain, &counts);
    }
    const char *name = ckam_options_sampler(f.options);
    f.kernel_walk = !strcmp(name, "kam") || !strcmp(name, "ckam");
    f.jump = !strcmp(name, "jump");
    f.state = (char *)f.chain->state + f.chain->state->sampler;
    freeze(&f);
    return f;
}

frozen frozen_make(const char *model, const char *spec, uint64_t iterations) {
    ckam_model *made;
    double      start[64];
    assert_int_equal(ckam_model_create(&made, model, NULL), CKAM_OK);
    ckam_model_start(made, start);
    frozen f = frozen_on(ckam_model_target(made), start, spec, iterations);
    f.model = made;
    return f;
}

void frozen_free(frozen *f) {
    ckam_chain_free(f->chain);
    ckam_options_free(f->options);
    ckam_model_free(f->model);
}

void frozen_put(frozen *f, const double *x) {
    current *now = f->state;
    memcpy(now_x(now), x, now->dim * sizeof *x);
    assert_int_equal(f->target->log_density(f->target->context, x, &now->log_density), CKAM_OK);
    now->moved = true;
    if (!f->jump) return;
    jump_state *s = f->state;
    s->log_q_x = mixture_log_density(jump_mixture(s), x, block_at(s, s->at_x));
}

void frozen_step(frozen *f, rng *r, uint64_t iteration, bool hastings) {
    const ckam_target *target = f->target;
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
