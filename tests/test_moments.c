/* test_moments.c - while they adapt, gam, kam and ckam get the mean right: within 6.5 Monte Carlo standard errors.
 *
 * Seeds are fixed. Were they drawn, 6.5 standard errors of 46 batches (Student's t) would raise a false alarm at 6e-8: 192
 * coordinates, 1.1e-5 in all. */
#include "support.h"

#include "ckam.h"

#include <math.h>
#include <stdlib.h>

static const char *const samplers[] = {"gam:warmup=20000", "kam:warmup=20000", "ckam:warmup=20000"};
/* The draws of each sampler. A batch is longer than the autocorrelation time, which in 50 dimensions is 2000 for ckam. */
static const struct {
    const char *model;
    size_t      draws[3];
} cases[] = {{"gaussian:dim=2", {100000, 100000, 100000}},
             {"gaussian:dim=10", {100000, 100000, 100000}},
             {"gaussian:dim=50", {400000, 100000, 400000}},
             {"mixture5", {200000, 200000, 200000}}};

static void check_mean(const char *spec, const char *sampler, size_t draws) {
    ckam_model *model;
    ckam_error  error;
    assert_int_equal(ckam_model_create(&model, spec, NULL), CKAM_OK);
    size_t  dim = ckam_model_target(model)->dim;
    double *exact = malloc(dim * sizeof *exact), *covariance = malloc(dim * dim * sizeof *covariance);
    double *x = malloc(draws * dim * sizeof *x);
    assert_true(exact && covariance && x);
    ckam_model_mean(model, exact);
    ckam_model_covariance(model, covariance);
    assert_int_equal(ckam_sample(ckam_model_target(model), sampler, NULL, 2026, 1, draws, x, &error), CKAM_OK);
    double worst = 0.0, widest = 0.0; /* a chain that hardly moves has errors so wide that nothing is off by 4 */
    for (size_t k = 0; k < dim; k++) {
        double mean, deviation;
        batch_means(draws, x + k, dim, &mean, &deviation);
        double off = fabs(mean - exact[k]) / deviation;
        if (!(off <= worst)) worst = off; /* NaN, too */
        widest = fmax(widest, deviation / sqrt(covariance[k * dim + k]));
    }
    if (!(worst < 6.5)) print_error("%s on %s:\n", sampler, spec);
    assert_less(worst, 6.5);
    assert_less(widest, 0.15);
    free(exact);
    free(covariance);
    free(x);
    ckam_model_free(model);
}

static void means_are_right(void **unused) {
    (void)unused;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t s = 0; s < sizeof samplers / sizeof *samplers; s++)
            check_mean(cases[c].model, samplers[s], cases[c].draws[s]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(means_are_right)};
    return cmocka_run_group_tests_name("moments", tests, NULL, NULL);
}
