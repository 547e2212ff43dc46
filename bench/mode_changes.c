/* mode_changes.c - how often samplers change modes on the paper's bimodal target, and what mass they find on the right.
 *
 * Prints the table of docs/samplers/ckam.md: rw, and ckam with the paper's settings, with more noise, and with the
 * settings of the authors' scripts. SEEDS runs of EVALUATIONS evaluations each, all from the left mode; figures are
 * per 2,000,000 evaluations, the median with the smallest and largest. The exact mass is 0.5. */
#include "ckam.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { EVALUATIONS = 2000000, SEEDS = 7 };

#define PAPER                                                                                                          \
    "kernel=matern,kernel-order=4,kernel-scale=2,subsample=50,cycle-length=1000,explore=0.4,noise-end=1,"              \
    "warmup=0"
static const struct {
    const char *name, *spec;
} rows[] = {{"rw, nu = sqrt(15)", "rw:step-size=3.872983346207417,warmup=0"},
            {"rw, defaults", "rw:warmup=0"},
            {"ckam, the paper's tables", "ckam:step-size=3.365828278487846,adapt-decay=0.75,noise=4," PAPER},
            {"  the same, noise 8 -> 1", "ckam:step-size=3.365828278487846,adapt-decay=0.75,noise=8," PAPER},
            {"  the same, noise 12 -> 1", "ckam:step-size=3.365828278487846,adapt-decay=0.75,noise=12," PAPER},
            {"ckam, the scripts' settings", "ckam:step-size=11.3288,adapt-decay=2,noise=4," PAPER},
            {"ckam, defaults", "ckam:warmup=0"},
            {"gam, defaults", "gam:warmup=0"},
            {"kam, defaults", "kam:warmup=0"}};

typedef struct outcome {
    double changes, right;
} outcome;

static outcome run(const ckam_model *model, const char *spec, uint64_t seed) {
    ckam_options *options;
    ckam_chain   *chain;
    ckam_error    error;
    ckam_step     step;
    double        start[2], draws = 0.0, right = 0.0, changes = 0.0;
    bool          was_right = false;
    ckam_model_start(model, start);
    if (ckam_options_create(&options, spec, &error)) goto failed;
    ckam_setup setup = {
        .target = ckam_model_target(model), .options = options, .start = start, .seed = seed, .horizon = EVALUATIONS};
    if (ckam_chain_create(&chain, &setup, &error)) goto failed;
    for (int i = 0; i < EVALUATIONS; i++) {
        if (ckam_chain_step(chain, &step)) {
            error = *ckam_chain_error(chain);
            goto failed;
        }
        if (!step.draw) continue;
        bool is_right = step.x[0] > 0.0;
        changes += is_right != was_right;
        right += is_right;
        draws += 1.0;
        was_right = is_right;
    }
    ckam_chain_free(chain);
    ckam_options_free(options);
    return (outcome){changes, right / draws};
failed:
    fprintf(stderr, "mode_changes: %s\n", error.message);
    exit(1);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void) {
    ckam_model *model;
    if (ckam_model_create(&model, "bimodal", NULL)) return 1;
    printf("%-30s %28s %32s\n", "sampler", "mode changes [least, most]", "mass right of 0 [least, most]");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double changes[SEEDS], right[SEEDS];
        for (uint64_t s = 0; s < SEEDS; s++) {
            outcome o = run(model, rows[i].spec, s + 1);
            changes[s] = o.changes;
            right[s] = o.right;
        }
        qsort(changes, SEEDS, sizeof *changes, by_value);
        qsort(right, SEEDS, sizeof *right, by_value);
        printf("%-30s %10.0f [%6.0f, %6.0f]  %12.3f [%.3f, %.3f]\n", rows[i].name, changes[SEEDS / 2], changes[0],
               changes[SEEDS - 1], right[SEEDS / 2], right[0], right[SEEDS - 1]);
        fflush(stdout);
    }
    ckam_model_free(model);
    return 0;
}
