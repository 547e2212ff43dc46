/* instructions.c - steps of one chain, for scripts/instructions to count their instructions under callgrind.
 *
 * Usage: instructions SAMPLER MODEL BEFORE STEPS. Only what counted() does is counted: what comes before it is set-up
 * and BEFORE steps. Without arguments it prints what built it, as the kept counts depend on that. */
#include "ckam.h"

#include <gnu/libc-version.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn static void stop(const char *message) {
    fprintf(stderr, "instructions: %s\n", message);
    exit(2);
}

static void go(ckam_chain *chain, unsigned long steps) {
    ckam_step step;
    for (unsigned long i = 0; i < steps; i++)
        if (ckam_chain_step(chain, &step)) stop(ckam_chain_error(chain)->message);
}

/* Callgrind finds it by its name. */
__attribute__((noinline)) void counted(ckam_chain *chain, unsigned long steps);
void                           counted(ckam_chain *chain, unsigned long steps) { go(chain, steps); }

int main(int count, char **words) {
    ckam_model   *model;
    ckam_options *options;
    ckam_chain   *chain;
    ckam_error    error;
    if (count == 1) {
        printf("compiler %s, libc %s\n", __VERSION__, gnu_get_libc_version());
        return 0;
    }
    if (count != 5) stop("usage: instructions SAMPLER MODEL BEFORE STEPS");
    if (ckam_model_create(&model, words[2], &error) || ckam_options_create(&options, words[1], &error))
        stop(error.message);
    double *start = calloc(ckam_model_target(model)->dim, sizeof *start);
    if (!start) stop("no memory");
    ckam_model_start(model, start);
    ckam_setup setup = {
        .target = ckam_model_target(model), .options = options, .start = start, .seed = 1, .horizon = 1000000};
    if (ckam_chain_create(&chain, &setup, &error)) stop(error.message);
    go(chain, strtoul(words[3], NULL, 10));
    counted(chain, strtoul(words[4], NULL, 10));
    ckam_chain_free(chain);
    ckam_options_free(options);
    ckam_model_free(model);
    free(start);
    return 0;
}
