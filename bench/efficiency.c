/* efficiency.c - how many effective draws each sampler gets from an evaluation, with its defaults, on models of known
 * answer.
 *
 * A row a sampler, a column a model: effective draws per 100,000 evaluations, that of the worst coordinate (batch
 * means), after the warm-up; then the time of a step on the first and last model. Prints the table of docs/samplers. */
#include "ckam.h"
#include "statistics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WARMUP = 20000, EVALUATIONS = 200000 };

static const char *const samplers[] = {"rw",
                                       "am",
                                       "rbam",
                                       "gam",
                                       "gam:adapt-decay=0.75",
                                       "kam:kernel=linear",
                                       "kam:kernel=gaussian",
                                       "kam:kernel=matern",
                                       "ckam:kernel=linear",
                                       "ckam:kernel=gaussian",
                                       "ckam:kernel=matern",
                                       "ckam:covariance=global",
                                       "jump"};
static const char *const models[] = {
    "gaussian:dim=2", "mixture5", "ring",   "gaussian:dim=10", "gaussian:dim=10,condition=100",
    "banana",         "flower",   "grid32", "gaussian:dim=50"};
enum { SAMPLERS = sizeof samplers / sizeof *samplers, MODELS = sizeof models / sizeof *models };

typedef struct outcome {
    double effective, seconds;
} outcome;

static void stop(const char *message) {
    fprintf(stderr, "efficiency: %s\n", message);
    exit(1);
}

static outcome measure(const ckam_model *model, const char *spec) {
    ckam_options *options;
    ckam_chain   *chain;
    ckam_error    error;
    ckam_step     step = {0};
    size_t        dim = ckam_model_target(model)->dim, count = 0;
    double       *x = malloc(EVALUATIONS * dim * sizeof *x), *covariance = malloc(dim * dim * sizeof *covariance);
    if (!x || !covariance) stop("no memory");
    ckam_model_covariance(model, covariance);
    if (ckam_options_create(&options, spec, &error)) stop(error.message);
    ckam_setup setup = {
        .target = ckam_model_target(model), .options = options, .seed = 1, .horizon = WARMUP + EVALUATIONS};
    if (ckam_chain_create(&chain, &setup, &error)) stop(error.message);
    for (int i = 0; i < WARMUP; i++) ckam_chain_step(chain, &step);
    clock_t start = clock();
    for (int i = 0; i < EVALUATIONS; i++) {
        if (ckam_chain_step(chain, &step)) stop(ckam_chain_error(chain)->message);
        for (size_t k = 0; step.draw && k < dim; k++) x[count * dim + k] = step.x[k];
        count += step.draw;
    }
    outcome o = {HUGE_VAL, (double)(clock() - start) / CLOCKS_PER_SEC / EVALUATIONS};
    for (size_t k = 0; k < dim; k++) {
        double mean, deviation;
        batch_means(count, x + k, dim, &mean, &deviation);
        o.effective = fmin(o.effective, covariance[k * dim + k] / (deviation * deviation) * 1e5 / EVALUATIONS);
    }
    ckam_chain_free(chain);
    ckam_options_free(options);
    free(covariance);
    free(x);
    return o;
}

int main(void) {
    printf("effective draws of the worst coordinate per 100,000 evaluations; us a step on the first and the "
           "last model\n\n");
    for (int m = 0; m < MODELS; m++) printf("  (%d) %s%s", m + 1, models[m], m % 4 == 3 ? "\n" : "");
    printf("\n\n%-24s", "");
    for (int m = 0; m < MODELS; m++) printf("    (%d)", m + 1);
    printf("  us (1)  us (%d)\n", MODELS);
    for (int s = 0; s < SAMPLERS; s++) {
        outcome o[MODELS];
        printf("%-24s", samplers[s]);
        for (int m = 0; m < MODELS; m++) {
            ckam_model *model;
            if (ckam_model_create(&model, models[m], NULL)) stop(models[m]);
            o[m] = measure(model, samplers[s]);
            printf(" %6.0f", o[m].effective);
            fflush(stdout);
            ckam_model_free(model);
        }
        printf("  %6.2f  %6.2f\n", 1e6 * o[0].seconds, 1e6 * o[MODELS - 1].seconds);
    }
    return 0;
}
