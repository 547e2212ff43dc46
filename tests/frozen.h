/* frozen.h - a sampler taken out of its chain, its adaptation stopped: for tests of one transition kernel.
 *
 * The sampler is run on its target first, so that what it has learned is realistic; then gains are set to 0, the
 * subsample is kept and time stands still. What is left must leave the target invariant. */
#ifndef CKAM_TESTS_FROZEN_H
#define CKAM_TESTS_FROZEN_H

#include "chain/chain.h"

typedef struct frozen {
    ckam_model        *model; /* NULL: the target is the caller's */
    const ckam_target *target;
    ckam_options      *options;
    ckam_chain        *chain;
    void              *state; /* the sampler's */
    bool               kernel_walk, jump;
    uint64_t           t; /* where its time stands still */
} frozen;

/* Runs `spec` on `model` for `iterations` of the sampler, then freezes it. */
frozen frozen_make(const char *model, const char *spec, uint64_t iterations);
/* The same on any target. */
frozen frozen_on(const ckam_target *target, const double *start, const char *spec, uint64_t iterations);
void   frozen_free(frozen *f);
/* Puts the state at x. jump: after a change of its memory, too. */
void frozen_put(frozen *f, const double *x);
/* One step with the random numbers of `iteration`. With hastings = false the ratio of the proposal densities is left
 * out, which is wrong for proposals that are not symmetric. */
void frozen_step(frozen *f, rng *r, uint64_t iteration, bool hastings);

#endif
