/* sample.c - ckam_sample(): chains one after the other, their draws in an array.
 *
 * Chains with pooled adaptation (jump) advance in step, from the end of a cycle to the next. */
#include "chain/chain.h"
#include "target/target.h"

#include <math.h>
#include <stdlib.h>

/* One chain: its draws, and those that were discarded. */
typedef struct progress {
    size_t count, discarded;
} progress;

/* Until the chain has its draws, or waits for others; with `to_the_end`, until it waits. */
static ckam_status advance(ckam_chain *chain, size_t dim, size_t draws, bool to_the_end, progress *p, double *out,
                           ckam_error *error) {
    size_t      most = p->discarded <= draws ? draws : 2 * draws - p->discarded;
    ckam_status status = CKAM_OK;
    ckam_step   step;
    while (!status && (p->count < most || to_the_end) && !ckam_chain_waits(chain)) {
        status = ckam_chain_step(chain, &step);
        if (status && error) *error = *ckam_chain_error(chain);
        if (status || !step.draw || p->count >= most) continue;
        for (size_t k = 0; k < dim; k++) out[p->count * dim + k] = step.x[k];
        p->count++;
    }
    return status;
}

/* At the end of a cycle all chains have the same number of draws, so either all of them wait or none needs to. */
static ckam_status advance_to(ckam_chain *const *chain, size_t chains, size_t dim, size_t draws, bool to_the_end,
                              progress *p, double *out, ckam_error *error) {
    ckam_status status = CKAM_OK;
    for (size_t c = 0; c < chains && !status; c++)
        status = advance(chain[c], dim, draws, to_the_end, &p[c], out + c * draws * dim, error);
    return status;
}

/* The draws so far were made before a mode was known. */
static void discard(size_t chains, size_t dim, size_t draws, progress *p, double *out) {
    for (size_t c = 0; c < chains; c++) {
        p[c].discarded += p[c].count;
        for (size_t k = 0; k < p[c].count * dim; k++) out[c * draws * dim + k] = (double)NAN;
        p[c].count = 0;
    }
}

static ckam_status advance_all(ckam_chain *const *chain, size_t chains, size_t dim, size_t draws, progress *p,
                               double *out, ckam_error *error) {
    ckam_status status = CKAM_OK;
    for (bool over = false; !status && !over;) {
        status = advance_to(chain, chains, dim, draws, false, p, out, error);
        bool waits = ckam_chain_waits(chain[0]);
        if (!status && !waits && chain_draws_are_late(chain, chains)) /* it is decided at the end of the cycle */
            status = advance_to(chain, chains, dim, draws, true, p, out, error);
        if (status) break;
        waits = ckam_chain_waits(chain[0]);
        if (waits && p[0].count && p[0].discarded + p[0].count < 2 * draws && ckam_chain_found_late(chain, chains))
            discard(chains, dim, draws, p, out);
        over = p[0].count >= draws || p[0].discarded + p[0].count >= 2 * draws;
        if (!over) status = ckam_chain_pool(chain, chains, error);
    }
    if (!status && p[0].count < draws)
        return fail_with(
            error, CKAM_LATE,
            "modes were found until %zu draws of each chain had been discarded; %zu are left of %zu: ask for "
            "more draws",
            p[0].discarded, p[0].count, draws);
    return status;
}

/* The chains from setup->chain on, together. */
static ckam_status run_chains(const ckam_setup *setup, size_t chains, size_t draws, double *out, ckam_error *error) {
    ckam_chain **chain = calloc(chains, sizeof(ckam_chain *));
    progress    *count = calloc(chains, sizeof *count);
    ckam_setup   each = *setup;
    ckam_status  status = CKAM_OK;
    if (!chain || !count) {
        free(chain);
        free(count);
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu chains", chains);
    }
    for (size_t c = 0; c < chains && !status; c++) {
        each.chain = setup->chain + c;
        status = ckam_chain_create(&chain[c], &each, error);
    }
    if (!status) status = advance_all(chain, chains, setup->target->dim, draws, count, out, error);
    for (size_t c = 0; c < chains; c++) ckam_chain_free(chain[c]);
    free(chain);
    free(count);
    return status;
}

ckam_status ckam_sample(const ckam_target *target, const char *spec, const double *start, uint64_t seed, size_t chains,
                        size_t draws, double *out, ckam_error *error) {
    ckam_options *options = NULL;
    if (!target || !out) return fail_with(error, CKAM_ERROR_ARGUMENT, "the target or the place for the draws is NULL");
    size_t      numbers;
    ckam_status status = target_check(target, error);
    if (!status && (__builtin_mul_overflow(chains, draws, &numbers) ||
                    __builtin_mul_overflow(numbers, target->dim, &numbers) || numbers > SIZE_MAX / sizeof *out))
        status = fail_with(error, CKAM_ERROR_ARGUMENT, "%zu chains of %zu draws are more numbers than can be counted",
                           chains, draws);
    if (status) return status;
    for (size_t i = 0; i < numbers; i++) out[i] = (double)NAN;
    status = ckam_options_create(&options, spec, error);
    size_t together = !status && options->sampler->waits ? chains : 1;
    for (size_t c = 0; !status && c < chains; c += together) {
        ckam_setup setup = {.target = target, .options = options, .start = start, .seed = seed, .chain = c};
        setup.horizon = options->values->warmup + draws;
        setup.pooled = true;
        setup.chains = together;
        status = run_chains(&setup, together, draws, out + c * draws * target->dim, error);
    }
    ckam_options_free(options);
    return status;
}
