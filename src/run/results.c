/* results.c - what a run gives to its caller, while it runs and afterwards: counts, draws, warnings. */
#include "base/error.h"
#include "draws/draws.h"
#include "run/comm.h"

#include <stdio.h>
#include <stdlib.h>

const char *run_model_name(const ckam_run *run) {
    const source_request request = plan_source(run->plan);
    return run->source ? source_name(&request) : run->plan->run.model;
}

void run_warn(ckam_run *run, const double values[2]) {
    snprintf(
        run->warning, sizeof run->warning,
        "the model gives different values for the same point, %.17g and then %.17g; a sampler needs a density: fix "
        "the seed of what is random in it, or give noise an explicit parameter",
        values[0], values[1]);
}

const char        *ckam_run_directory(const ckam_run *run) { return run->place.folder.path; }
const char        *ckam_run_reason(const ckam_run *run) { return run->reason; }
const ckam_review *ckam_run_review(const ckam_run *run) { return run->review; }
const char        *ckam_run_warning(const ckam_run *run) { return run->warning; }
const char        *ckam_run_shortfall(const ckam_run *run) { return run->shortfall; }

/* The sampler counts points outside of the bounds as undefined; for the user they are not points of the model, so they are subtracted. */
void ckam_run_counts(const ckam_run *run, ckam_counts *counts) {
    uint64_t outside = run->outside;
    *counts = (ckam_counts){0};
    pthread_mutex_lock(run->guard); /* a watcher may ask while chains go on */
    for (size_t i = 0; i < run->plan->run.chains; i++) {
        const ckam_counts *own = &run->chains[i].counts;
        counts->evaluations += own->evaluations;
        counts->iterations += own->iterations;
        counts->draws += run->chains[i].kept.seen;
        counts->accepted += own->accepted;
        counts->undefined += own->undefined;
        outside += run->chains[i].outside;
        counts->floored += own->floored;
        counts->factorisations += own->factorisations;
        counts->scouts += own->scouts;
        counts->runaways += own->runaways;
        if (own->modes > counts->modes)
            counts->modes = own->modes; /* modes are pooled: the chain that knows most knows all */
    }
    counts->undefined -= outside < counts->undefined ? outside : counts->undefined;
    pthread_mutex_unlock(run->guard);
}

ckam_status ckam_run_draws(const ckam_run *run, ckam_draws **draws, ckam_error *error) {
    *draws = NULL;
    if (!comm_is_root(run))
        return fail_with(error, CKAM_ERROR_ORDER,
                         "the draws of all chains are with the process of rank 0; this one has rank %zu",
                         run->comm->rank);
    size_t      chains = (size_t)run->plan->run.chains, dim = run->values, first = run->own;
    double     *gathered = calloc(chains * run->stores[0]->most, run->columns * sizeof *gathered);
    double     *values = calloc(chains * run->stores[0]->most, dim * sizeof *values);
    ckam_status status = CKAM_OK;
    if (!gathered || !values) {
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the draws");
    } else {
        size_t rows = store_gather(run->stores, chains, gathered), count = chains * rows;
        for (size_t k = 0; k < dim; k++)
            for (size_t i = 0; i < count; i++) values[i * dim + k] = gathered[(first + k) * count + i];
        status = ckam_draws_create(draws, chains, rows, dim, (const char *const *)run->names + first, values,
                                   gathered + COLUMN_LOG_DENSITY * count, error);
    }
    free(gathered);
    free(values);
    return status;
}
