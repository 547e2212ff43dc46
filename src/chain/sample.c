/* sample.c - ckam_sample(): chains one after the other, their draws in an array. */
#include "chain/options.h"

#include <math.h>

static ckam_status run_chain(const ckam_setup *setup, size_t draws, double *out, ckam_error *error) {
    size_t      dim = setup->target->dim, count = 0;
    ckam_chain *chain = NULL;
    ckam_step   step;
    ckam_status status = ckam_chain_create(&chain, setup, error);
    while (!status && count < draws) {
        status = ckam_chain_step(chain, &step);
        if (status && error) *error = *ckam_chain_error(chain);
        if (status || !step.draw) continue;
        for (size_t k = 0; k < dim; k++) out[count * dim + k] = step.x[k];
        count++;
    }
    ckam_chain_free(chain);
    return status;
}

ckam_status ckam_sample(const ckam_target *target, const char *spec, const double *start, uint64_t seed, size_t chains,
                        size_t draws, double *out, ckam_error *error) {
    ckam_options *options = NULL;
    if (!target || !out) return fail_with(error, CKAM_ERROR_ARGUMENT, "the target or the place for the draws is NULL");
    for (size_t i = 0; i < chains * draws * target->dim; i++) out[i] = (double)NAN;
    ckam_status status = ckam_options_create(&options, spec, error);
    for (size_t c = 0; !status && c < chains; c++) {
        ckam_setup setup = {.target = target, .options = options, .start = start, .seed = seed, .chain = c};
        setup.horizon = options->values->warmup + draws;
        status = run_chain(&setup, draws, out + c * draws * target->dim, error);
    }
    ckam_options_free(options);
    return status;
}
