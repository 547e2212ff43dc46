/* test_model_draws.c - exact draws of the built-in densities against their probabilities, moments and densities. */
#include "models.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char *const specs[] = {"bimodal",
                                    "bimodal:dim=1,separation=3",
                                    "bimodal:separation=0,dim=7",
                                    "mixture5",
                                    "grid32",
                                    "grid32:dim=2",
                                    "gaussian",
                                    "gaussian:condition=100",
                                    "gaussian:dim=5,condition=1000",
                                    "banana",
                                    "banana:dim=2,bananicity=0.1",
                                    "banana:dim=3,bananicity=0,variance=4",
                                    "flower",
                                    "flower:dim=2,omega=1",
                                    "flower:dim=2,r0=3,amplitude=4,omega=5,sigma=0.5",
                                    "funnel",
                                    "funnel:dim=2,scale=1",
                                    "ring",
                                    "ring:dim=4,radius=1,width=2"};
enum { SPECS = sizeof specs / sizeof *specs };

/* Whether its tails are too heavy for the sample covariance. */
static bool is_heavy(const char *spec) { return !strncmp(spec, "funnel", 6); }

static double *numbers(size_t n) {
    double *a = calloc(n, sizeof *a);
    assert_non_null(a);
    return a;
}

static double *draws_of(const ckam_model *m, size_t n, uint64_t seed) {
    size_t  dim = ckam_model_target(m)->dim;
    double *draws = numbers(n * dim);
    for (size_t i = 0; i < n; i++) ckam_model_draw(m, seed, i, draws + i * dim);
    return draws;
}

static void every_model_is_here(void **state) {
    (void)state;
    for (const ckam_entry *e = ckam_model_list(); e->name; e++) {
        size_t found = 0;
        for (size_t i = 0; i < SPECS; i++) found += !strcmp(specs[i], e->name);
        assert_int_equal(found, 1);
    }
}

enum { DRAWS = 100000, BINS = 40 };

/* p-value of a chi-square test of coordinate k of n draws against the probabilities of `m`: 40 bins of equal
 * width and the two tails, neighbours joined until 10 are expected. */
static double chi_square_p(const ckam_model *m, size_t n, const double *draws, size_t dim, size_t k, double low,
                           double high) {
    double counts[BINS + 2] = {0}, expected[BINS + 2] = {0}, observed[BINS + 2] = {0}, statistic = 0.0;
    double width = (high - low) / BINS, left = (double)n;
    size_t cells = 0;
    for (size_t i = 0; i < n; i++) {
        double place = ceil((draws[i * dim + k] - low) / width);
        counts[(size_t)fmin(fmax(place, 0.0), BINS + 1)] += 1.0;
    }
    for (int b = 0; b <= BINS + 1; b++) {
        double from = b == 0 ? -(double)INFINITY : low + width * (b - 1);
        double to = b == BINS + 1 ? (double)INFINITY : low + width * b;
        double here = (double)n * ckam_model_probability(m, k, from, to);
        expected[cells] += here;
        observed[cells] += counts[b];
        left -= here;
        if (expected[cells] >= 10.0 && left >= 10.0) cells++; /* what is left fills another cell */
    }
    for (size_t c = 0; c <= cells; c++)
        statistic += (observed[c] - expected[c]) * (observed[c] - expected[c]) / expected[c];
    return chi_square_tail(statistic, (double)cells);
}

/* False alarms: alpha is 1e-6 for the whole test, shared by at most 100 p-values. */
static void draws_have_the_probabilities(void **state) {
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        ckam_model *m = model_of(specs[i]);
        size_t      dim = ckam_model_target(m)->dim;
        size_t      n = dim > 16 ? DRAWS / 10 : DRAWS;
        double     *draws = draws_of(m, n, 3), mean[DIM_MOST], covariance[DIM_MOST * DIM_MOST];
        ckam_model_mean(m, mean);
        ckam_model_covariance(m, covariance);
        for (size_t k = 0; k < dim; k += k < 2 ? 1 : dim / 3) {
            double spread = is_heavy(specs[i]) ? 4.0 : 3.0 * sqrt(covariance[k * dim + k]);
            assert_less(1e-8, chi_square_p(m, n, draws, dim, k, mean[k] - spread, mean[k] + spread));
        }
        free(draws);
        ckam_model_free(m);
    }
}

/* The twin that must fail: draws of one setting against the probabilities of another. */
static void wrong_draws_are_found(void **state) {
    static const char *const pairs[][2] = {{"bimodal", "bimodal:separation=15.9"},
                                           {"gaussian:condition=100", "gaussian:condition=4"},
                                           {"banana:bananicity=0.1", "banana:bananicity=0.095"},
                                           {"flower", "flower:omega=5"},
                                           {"flower", "flower:sigma=1.3"},
                                           {"funnel", "funnel:scale=2.9"},
                                           {"ring", "ring:width=0.55"},
                                           {"mixture5", "bimodal"},
                                           {"grid32:dim=2", "gaussian"}};
    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        ckam_model *right = model_of(pairs[i][0]), *wrong = model_of(pairs[i][1]);
        size_t      dim = ckam_model_target(right)->dim;
        double     *draws = draws_of(right, DRAWS, 4), least = 1.0;
        for (size_t k = 0; k < 2; k++) least = fmin(least, chi_square_p(wrong, DRAWS, draws, dim, k, -20.0, 20.0));
        assert_less(least, 1e-8);
        free(draws);
        ckam_model_free(right);
        ckam_model_free(wrong);
    }
}

/* The mean of n numbers is within 6 standard errors of `expected` (false alarms 2e-9). */
static void assert_mean(size_t n, const double *values, double expected, const char *what) {
    double sum = 0.0, square = 0.0;
    for (size_t i = 0; i < n; i++) sum += values[i] - expected;
    sum /= (double)n;
    for (size_t i = 0; i < n; i++) square += (values[i] - expected - sum) * (values[i] - expected - sum);
    double error = sqrt(square) / (double)n;
    if (!(fabs(sum) <= 6.0 * error + 1e-12)) fail_msg("%s: off by %g, standard error %g", what, sum, error);
}

/* Mean and covariance, and E pi(x + e) / pi(x) = 1 for a small shift e along one coordinate, which ties the draws to
 * the density in all dimensions at once. About 300 means: false alarms 6e-7.
 * The funnel's other coordinates have no useful variance: it is shifted in the first alone. */
static void draws_have_the_moments(void **state) {
    double *values = numbers(DRAWS);
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        ckam_model *m = model_of(specs[i]);
        size_t      dim = ckam_model_target(m)->dim;
        size_t      n = dim > 16 ? DRAWS / 10 : DRAWS / 2;
        double     *draws = draws_of(m, n, 5), mean[DIM_MOST], covariance[DIM_MOST * DIM_MOST];
        ckam_model_mean(m, mean);
        ckam_model_covariance(m, covariance);
        for (size_t k = 0; k < dim && k < 4 && !is_heavy(specs[i]); k++) {
            for (size_t j = 0; j < n; j++) values[j] = draws[j * dim + k];
            assert_mean(n, values, mean[k], specs[i]);
            for (size_t l = 0; l <= k; l++) {
                for (size_t j = 0; j < n; j++)
                    values[j] = (draws[j * dim + k] - mean[k]) * (draws[j * dim + l] - mean[l]);
                assert_mean(n, values, covariance[k * dim + l], specs[i]);
            }
        }
        for (size_t k = 0; k < (is_heavy(specs[i]) || dim == 1 ? 1 : 2); k++) {
            for (size_t j = 0; j < n; j++) {
                double *x = draws + j * dim, here = x[k], before = log_density(m, x);
                x[k] += 0.05;
                values[j] = exp(log_density(m, x) - before);
                x[k] = here;
            }
            assert_mean(n, values, 1.0, specs[i]);
        }
        free(draws);
        ckam_model_free(m);
    }
    free(values);
}

/* For the funnel, whose moments no sample finds, functions that are bounded. */
static void funnel_draws_are_normal_given_the_first(void **state) {
    ckam_model *m = model_of("funnel");
    double     *draws = draws_of(m, DRAWS, 6), *values = numbers(DRAWS);
    (void)state;
    for (size_t k = 1; k < 10; k++) {
        for (size_t i = 0; i < DRAWS; i++) { /* with the sign of v, or a wrong power of exp(v) would cancel */
            double v = draws[i * 10], inside = fabs(draws[i * 10 + k]) <= exp(v / 2.0) ? 1.0 : 0.0;
            values[i] = (inside - 1.0 + 2.0 * normal_tail(1.0)) * copysign(1.0, v);
        }
        assert_mean(DRAWS, values, 0.0, "within one deviation");
        for (size_t i = 0; i < DRAWS; i++) values[i] = tanh(draws[i * 10 + k]) * tanh(draws[i * 10 + k % 9 + 1]);
        assert_mean(DRAWS, values, 0.0, "signs of two");
    }
    double covariance[100];
    ckam_model_covariance(m, covariance);
    assert_close(covariance[0], 9.0, 1e-15);
    assert_relative(covariance[11], exp(4.5), 1e-15);
    free(values);
    free(draws);
    ckam_model_free(m);
}

static void draws_depend_on_seed_and_index_alone(void **state) {
    (void)state;
    for (size_t i = 0; i < SPECS; i++) {
        ckam_model *m = model_of(specs[i]), *again = model_of(specs[i]);
        size_t      size = ckam_model_target(m)->dim * sizeof(double);
        double      x[DIM_MOST], y[DIM_MOST];
        ckam_model_draw(m, 7, 1000, x);
        ckam_model_draw(again, 7, 1001, y);
        assert_memory_not_equal(x, y, size);
        ckam_model_draw(again, 7, 1000, y);
        assert_memory_equal(x, y, size);
        ckam_model_draw(m, 8, 1000, y);
        assert_memory_not_equal(x, y, size);
        ckam_model_free(m);
        ckam_model_free(again);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_is_here),
        cmocka_unit_test(draws_have_the_probabilities),
        cmocka_unit_test(wrong_draws_are_found),
        cmocka_unit_test(draws_have_the_moments),
        cmocka_unit_test(funnel_draws_are_normal_given_the_first),
        cmocka_unit_test(draws_depend_on_seed_and_index_alone),
    };
    return cmocka_run_group_tests_name("model_draws", tests, NULL, NULL);
}
