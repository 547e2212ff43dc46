/* test_radial_velocity.c - the example whose answer is not published: the posterior of radial_velocity by quadrature.
 *
 * Given period and jitter the model is linear in a, b and offset, which are integrated exactly. Two dimensions are
 * left. */
#include "run_support.h"

#include "target/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FOLDER CKAM_TEST_EXAMPLES "/radial_velocity/"

enum { COUNT = 14, LINEAR = 3 };

/* As in data.json: the test make_data shows that they belong together. */
static const double t[COUNT] = {-3.852, -2.922, -1.937, 0.139,  1.05,  3.012,  4.229,
                                66.003, 67.067, 69.07,  70.198, 71.21, 73.044, 74.079};
static const double velocity[COUNT] = {-7.65,  -11.22, -5.34, 13.29,  -0.72,  -7.11, 10.78,
                                       -12.91, 2.99,   12.65, -12.71, -10.71, 14.82, 16.39};
static const double error_of[COUNT] = {5.5, 4.7, 5.5, 4.7, 4.7, 5.1, 5.5, 4.6, 4.7, 4.0, 4.3, 4.9, 5.1, 5.2};

static const double prior_sd = 30.0, pi = 3.14159265358979323846;

/* What is known of (a, b, offset) at a period and a jitter: normal, with this mean and covariance. */
typedef struct linear {
    double mean[LINEAR], covariance[LINEAR][LINEAR];
    double log_determinant; /* of the covariance */
    double log_marginal;    /* log density of period and jitter, up to a constant */
} linear;

/* The inverse of a symmetric 3 x 3 matrix by cofactors; returns the determinant. */
static double invert(double m[LINEAR][LINEAR], double inverse[LINEAR][LINEAR]) {
    for (int i = 0; i < LINEAR; i++)
        for (int j = 0; j < LINEAR; j++) {
            const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
            inverse[j][i] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        }
    const double determinant = m[0][0] * inverse[0][0] + m[0][1] * inverse[1][0] + m[0][2] * inverse[2][0];
    for (int i = 0; i < LINEAR; i++)
        for (int j = 0; j < LINEAR; j++) inverse[i][j] /= determinant;
    return determinant;
}

/* `wave`: cos, sin and 1 at each time, for the period. */
static linear solve(double wave[COUNT][LINEAR], double period, double jitter) {
    linear l = {.mean = {0}};
    double precision[LINEAR][LINEAR] = {{0}}, right[LINEAR] = {0}, log_prior_jitter = log(jitter / 2.0) / 0.5;
    for (int k = 0; k < LINEAR; k++) precision[k][k] = 1.0 / (prior_sd * prior_sd);
    l.log_marginal = -log(period) - log(jitter) - 0.5 * log_prior_jitter * log_prior_jitter;
    for (int i = 0; i < COUNT; i++) {
        const double weight = 1.0 / (error_of[i] * error_of[i] + jitter * jitter);
        l.log_marginal += 0.5 * (log(weight) - weight * velocity[i] * velocity[i]);
        for (int j = 0; j < LINEAR; j++) {
            right[j] += weight * wave[i][j] * velocity[i];
            for (int k = 0; k < LINEAR; k++) precision[j][k] += weight * wave[i][j] * wave[i][k];
        }
    }
    l.log_determinant = -log(invert(precision, l.covariance));
    for (int j = 0; j < LINEAR; j++)
        for (int k = 0; k < LINEAR; k++) {
            l.mean[j] += l.covariance[j][k] * right[k];
            l.log_marginal += 0.5 * right[j] * l.covariance[j][k] * right[k];
        }
    l.log_marginal += 0.5 * l.log_determinant;
    return l;
}

static void make_wave(double period, double wave[COUNT][LINEAR]) {
    for (int i = 0; i < COUNT; i++) {
        wave[i][0] = cos(2.0 * pi * t[i] / period);
        wave[i][1] = sin(2.0 * pi * t[i] / period);
        wave[i][2] = 1.0;
    }
}

/* At all points, but for one constant: log_density = log marginal of (period, jitter) + log density of (a, b, offset)
 * given these. */
static void the_density_is_the_one_that_is_integrated(void **unused) {
    (void)unused;
    static const double points[][5] = {{5.3, 13, -6, 2, 2},   {5.3, 15, -9, 0.5, 2},  {4.91, 10, 3, -4, 0.5},
                                       {5.717, 0, 0, 0, 4.5}, {9.9, -20, 14, 11, 30}, {3.01, 1, 2, 3, 0.01}};
    engine             *e = NULL;
    ckam_error          error = {.message = ""};
    char               *data = slurp(FOLDER "data.json", NULL), why[ENGINE_WHY];
    double              first = 0.0, amplitude;
    if (shared_open(&e, CKAM_TEST_MODELS "/radial_velocity.so", NULL, data, &error)) fail_msg("%s", error.message);
    free(data);
    assert_int_equal(e->dim, 5);
    for (size_t p = 0; p < sizeof points / sizeof *points; p++) {
        const double *x = points[p];
        double        wave[COUNT][LINEAR], inverse[LINEAR][LINEAR], value;
        make_wave(x[0], wave);
        linear l = solve(wave, x[0], x[4]);
        double sum = l.log_marginal - 0.5 * l.log_determinant;
        invert(l.covariance, inverse);
        for (int j = 0; j < LINEAR; j++)
            for (int k = 0; k < LINEAR; k++)
                sum -= 0.5 * (x[1 + j] - l.mean[j]) * inverse[j][k] * (x[1 + k] - l.mean[k]);
        assert_int_equal(e->type->evaluate(e, NULL, x, &value, why), ENGINE_VALUE);
        if (p == 0) first = value - sum;
        assert_close(value - sum, first, 1e-9);
    }
    assert_int_equal(e->type->derive(e, NULL, (const double[]){5, 3, -4, 0, 1}, &amplitude, why), ENGINE_VALUE);
    assert_close(amplitude, 5.0, 1e-15);
    e->type->close(e);
}

typedef struct window {
    double low, high, expected, sum;
} window;

/* The moments of a, b, offset and jitter, in the order of reference.csv. */
enum { KNOWN = 4 };

typedef struct totals {
    double weight, first[KNOWN], second[KNOWN];
} totals;

static void count_in(totals *all, const linear *l, double jitter, double weight) {
    all->weight += weight;
    for (int k = 0; k < KNOWN; k++) {
        const double mean = k < LINEAR ? l->mean[k] : jitter, variance = k < LINEAR ? l->covariance[k][k] : 0.0;
        all->first[k] += weight * mean;
        all->second[k] += weight * (mean * mean + variance);
    }
}

/* Midpoints, equally spaced in 1 / period and in log jitter: d period = period^2 d(1 / period). All is smooth and
 * vanishes at the ends of jitter, so 60 points are exact there to many digits. */
static void integrate(window *windows, size_t count, totals *all) {
    enum { PERIODS = 4000, JITTERS = 60 };
    const double shift = -60.0; /* of logarithms, near the greatest: no exp() is too large or 0 where it matters */
    for (int i = 0; i < PERIODS; i++) {
        const double period = 1.0 / (0.1 + (1.0 / 3.0 - 0.1) * (i + 0.5) / PERIODS), before = all->weight;
        double       wave[COUNT][LINEAR];
        make_wave(period, wave);
        for (int j = 0; j < JITTERS; j++) {
            const double jitter = 2.0 * exp(-3.5 + 7.0 * (j + 0.5) / JITTERS);
            const linear l = solve(wave, period, jitter);
            count_in(all, &l, jitter, exp(l.log_marginal - shift) * period * period * jitter);
        }
        for (size_t w = 0; w < count; w++)
            if (period > windows[w].low && period < windows[w].high) windows[w].sum += all->weight - before;
    }
}

/* The rows of a table of numbers behind its head; the first column may be a name. */
static size_t read_rows(const char *path, double *to, size_t columns, size_t room) {
    char  *text = slurp(path, NULL), *rest = NULL;
    size_t rows = 0;
    assert_non_null(strtok_r(text, "\n", &rest));
    for (char *line; rows < room && (line = strtok_r(NULL, "\n", &rest)); rows++) {
        if (!strchr("0123456789", *line)) line += strcspn(line, ",") + 1;
        for (size_t k = 0; k < columns; k++) {
            to[rows * columns + k] = strtod(line, &line);
            if (*line == ',') line++;
        }
    }
    free(text);
    return rows;
}

static void the_known_answer_is_right(void **unused) {
    (void)unused;
    double modes[3][3] = {{0}}, reference[KNOWN][4] = {{0}};
    window windows[3];
    totals all = {.weight = 0.0};
    assert_int_equal(read_rows(FOLDER "modes.csv", modes[0], 3, 3), 3);
    assert_int_equal(read_rows(FOLDER "reference.csv", reference[0], 4, KNOWN), KNOWN);
    for (int w = 0; w < 3; w++) windows[w] = (window){modes[w][0], modes[w][1], modes[w][2], 0.0};
    integrate(windows, 3, &all);
    for (int w = 0; w < 3; w++) assert_close(windows[w].sum / all.weight, windows[w].expected, 1e-6);
    for (int k = 0; k < KNOWN; k++) {
        const double mean = all.first[k] / all.weight;
        assert_close(mean, reference[k][0], 1e-6);
        assert_close(sqrt(all.second[k] / all.weight - mean * mean), reference[k][2], 1e-6);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_density_is_the_one_that_is_integrated),
                                       cmocka_unit_test(the_known_answer_is_right)};
    return cmocka_run_group_tests_name("radial_velocity", tests, NULL, NULL);
}
