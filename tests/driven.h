/* driven.h - a chain run iteration by iteration, each one taken apart: what was there, what was proposed, with which
 * random numbers, and what became of it. For tests that repeat a sampler's arithmetic. Include it behind support.h. */
#ifndef CKAM_TESTS_DRIVEN_H
#define CKAM_TESTS_DRIVEN_H

#include "chain/chain.h"

#include <math.h>
#include <string.h>

enum { DRIVEN_DIM = 3 }; /* the most dimensions */

typedef struct driven {
    ckam_target target;
    ckam_chain *chain;
    void       *state; /* the sampler's */
    uint64_t    seed, number;
} driven;

typedef struct iteration {
    double    x[DRIVEN_DIM], y[DRIVEN_DIM]; /* the state before, the proposal */
    double    log_x, log_y;                 /* log densities there */
    rng       numbers;                      /* at the start of the iteration's stream */
    ckam_step step;
} iteration;

/* A chain whose sampler is about to propose for the first time: start and scale are behind it. */
static inline driven driven_begin(const ckam_target *target, const char *spec, const double *start, uint64_t seed,
                                  uint64_t horizon) {
    driven        d = {.target = *target, .seed = seed, .number = 2};
    ckam_options *options;
    ckam_step     step;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_setup setup = {
        .target = target, .options = options, .start = start, .seed = d.seed, .chain = d.number, .horizon = horizon};
    assert_int_equal(ckam_chain_create(&d.chain, &setup, NULL), CKAM_OK);
    ckam_options_free(options);
    do assert_int_equal(ckam_chain_step(d.chain, &step), CKAM_OK);
    while (d.chain->state->phase != CKAM_PHASE_SAMPLE);
    d.state = (char *)d.chain->state + d.chain->state->sampler;
    return d;
}

static inline void driven_end(driven *d) { ckam_chain_free(d->chain); }

/* Proposes. */
static inline iteration driven_ask(driven *d) {
    iteration     i = {.log_y = (double)NAN};
    current      *now = d->state;
    size_t        bytes = now->dim * sizeof(double);
    const double *y;
    assert_true(now->dim <= DRIVEN_DIM);
    memcpy(i.x, now_x(now), bytes);
    i.log_x = now->log_density;
    rng_init(&i.numbers, d->seed, d->number);
    rng_at(&i.numbers, now->counts.iterations, RNG_STEP);
    assert_int_equal(ckam_chain_ask(d->chain, &y), CKAM_OK);
    memcpy(i.y, y, bytes);
    assert_int_equal(d->target.log_density(d->target.context, y, &i.log_y), CKAM_OK);
    return i;
}

/* Decides. */
static inline void driven_tell(driven *d, iteration *i) {
    assert_int_equal(ckam_chain_tell(d->chain, i->log_y, &i->step), CKAM_OK);
}

static inline iteration driven_step(driven *d) {
    iteration i = driven_ask(d);
    driven_tell(d, &i);
    return i;
}

/* alpha = min(1, pi(y) q(x|y) / (pi(x) q(y|x))), log_ratio_q the logarithm of the q; the uniform number behind those of
 * the proposal, `numbers`, accepts; and the state is y or x. */
static inline void check_decision(const iteration *i, size_t dim, double log_ratio_q, rng numbers) {
    double alpha = exp(fmin(0.0, i->log_y - i->log_x + log_ratio_q));
    assert_close(i->step.accept, alpha, 1e-9);
    assert_int_equal(i->step.accepted, rng_uniform(&numbers) < i->step.accept);
    assert_memory_equal(i->step.x, i->step.accepted ? i->y : i->x, dim * sizeof(double));
    assert_true(i->step.log_density == (i->step.accepted ? i->log_y : i->log_x));
}

#endif
