/* ours.c - see ours.h. */
#include "ours.h"

#include "measure.h"

#include <stdlib.h>
#include <string.h>

enum { BATCH = 4096 };

static ckam_chain *make_chain(const ckam_target *target, const char *spec, uint64_t seed, uint64_t horizon,
                              const double *start) {
    ckam_options *options;
    ckam_chain   *chain;
    ckam_error    error;
    if (ckam_options_create(&options, spec, &error)) stop(error.message);
    ckam_setup setup = {.target = target, .options = options, .start = start, .seed = seed, .horizon = horizon};
    if (ckam_chain_create(&chain, &setup, &error)) stop(error.message);
    ckam_options_free(options);
    return chain;
}

/* Makes so many steps and puts the draws among them one after the other into x; how many there were. */
static size_t go(ckam_chain *chain, size_t dim, uint64_t steps, double *x) {
    ckam_step step;
    size_t    draws = 0;
    for (; steps; steps--) {
        if (ckam_chain_step(chain, &step)) stop(ckam_chain_error(chain)->message);
        if (step.draw) memcpy(x + draws++ * dim, step.x, dim * sizeof *x);
    }
    return draws;
}

sample ours_run(const ckam_target *target, const char *spec, uint64_t seed, uint64_t evaluations, const double *start) {
    sample s = {.chains = 1, .dim = target->dim, .evaluations = (double)evaluations};
    s.x = take(evaluations * s.dim * sizeof *s.x);
    double      begun = wall_seconds();
    ckam_chain *chain = make_chain(target, spec, seed, evaluations, start);
    s.rows = go(chain, s.dim, evaluations, s.x);
    s.seconds = wall_seconds() - begun;
    ckam_chain_free(chain);
    return s;
}

/* Millions of draws: they are counted batch by batch, while the clock stands, and not kept. */
double ours_run_for(double seconds, const ckam_target *target, const char *spec, uint64_t seed, uint64_t horizon,
                    const double *start, histogram *h) {
    double      begun = wall_seconds(), *x = take(BATCH * target->dim * sizeof *x);
    ckam_chain *chain = make_chain(target, spec, seed, horizon, start);
    double      used = wall_seconds() - begun;
    while (used < seconds) {
        begun = wall_seconds();
        size_t draws = go(chain, target->dim, BATCH, x);
        used += wall_seconds() - begun;
        histogram_add(h, draws, x);
    }
    ckam_counts counts;
    ckam_chain_counts(chain, &counts);
    ckam_chain_free(chain);
    free(x);
    return (double)counts.evaluations / used;
}
