/* models.c - what it costs that a model is the user's: the built-in bimodal beside the same density in models/bimodal.c.
 *
 * The same seeds and as many evaluations, by turns; CPU time, of which the median of the ratios counts: it should not be above 1.1.
 * Run it where bench/models is, or name the file. */
#include "ckam.h"
#include "target/source.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REPEATS = 15, EVALUATIONS = 1000000, POINTS = 1000 };

static void stop(const char *message) {
    fprintf(stderr, "models: %s\n", message);
    exit(1);
}

static double seconds(const ckam_target *target, const char *spec, uint64_t seed) {
    ckam_options *options;
    ckam_chain   *chain;
    ckam_error    error;
    ckam_step     step;
    if (ckam_options_create(&options, spec, &error)) stop(error.message);
    ckam_setup setup = {.target = target, .options = options, .seed = seed, .horizon = EVALUATIONS};
    if (ckam_chain_create(&chain, &setup, &error)) stop(error.message);
    clock_t start = clock();
    for (int i = 0; i < EVALUATIONS; i++)
        if (ckam_chain_step(chain, &step)) stop(ckam_chain_error(chain)->message);
    double taken = (double)(clock() - start) / CLOCKS_PER_SEC;
    ckam_chain_free(chain);
    ckam_options_free(options);
    return taken;
}

/* A comparison of two densities would say nothing. */
static void check_same(const ckam_model *model, const ckam_target *own) {
    const ckam_target *built_in = ckam_model_target(model);
    if (own->dim != 2 || built_in->dim != 2) stop("the models have not 2 dimensions");
    for (uint64_t i = 0; i < POINTS; i++) {
        double x[2], a = 0.0, b = 0.0;
        ckam_model_draw(model, 1, i, x);
        x[0] *= (double)(i % 3); /* also between the modes, and outside */
        if (built_in->log_density(built_in->context, x, &a) || own->log_density(own->context, x, &b))
            stop("a density was not computed");
        if (!(fabs(a - b) <= 1e-12 * fmax(1.0, fabs(a)))) stop("the two densities are not the same");
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values) {
    qsort(values, REPEATS, sizeof *values, by_value);
    return values[REPEATS / 2];
}

static void compare(const char *spec, const ckam_target *built_in, const ckam_target *own) {
    double ratio[REPEATS], inside[REPEATS], outside[REPEATS];
    for (int i = 0; i < REPEATS; i++) {
        uint64_t seed = (uint64_t)i + 1;
        bool     first = i % 2;
        if (first) outside[i] = seconds(own, spec, seed);
        inside[i] = seconds(built_in, spec, seed);
        if (!first) outside[i] = seconds(own, spec, seed);
        ratio[i] = outside[i] / inside[i];
    }
    double middle = median(ratio);
    printf("%-8s %10.1f %10.1f   %6.3f   (%.3f to %.3f)\n", spec, 1e9 / EVALUATIONS * median(inside),
           1e9 / EVALUATIONS * median(outside), middle, ratio[0], ratio[REPEATS - 1]);
    fflush(stdout);
}

int main(int count, char **words) {
    ckam_model    *model;
    source        *s = NULL;
    model_handle  *place = NULL;
    ckam_target    own;
    ckam_error     error;
    source_request request = {.model = count > 1 ? words[1] : "bench/models/bimodal.c",
                              .log_density = "",
                              .program = "",
                              .params = "",
                              .data = "",
                              .bounds = "",
                              .timeout = HUGE_VAL};
    if (ckam_model_create(&model, "bimodal", &error) || source_open(&s, &request, &error) ||
        model_attach(s, 0, &place, &own, &error))
        stop(error.message);
    check_same(model, &own);
    printf("bimodal, one chain, %d evaluations; ns of CPU time each, medians of %d\n", EVALUATIONS, REPEATS);
    printf("sampler    built-in    model.c    ratio   (range)\n");
    compare("rw", ckam_model_target(model), &own);
    compare("jump", ckam_model_target(model), &own);
    model_detach(place);
    source_close(s);
    ckam_model_free(model);
    return 0;
}
