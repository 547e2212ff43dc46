/* test_models.c - the built-in densities against textbook versions, numerical integrals and each other.
 *
 * Each fixture has the settings once as a spec and once as numbers, for an obvious version in long double. */
#include "models.h"

#include <stdbool.h>
#include <string.h>

#define PI_LONG 3.141592653589793238462643383279502884L

typedef struct fixture fixture;
struct fixture {
    const char *spec;
    long double (*log_density)(const fixture *f, const long double *x);
    size_t      dim;
    long double p[4];
};

/* -- The densities as a textbook writes them --------------------------------------------------------------- */

static long double log_normal(long double x, long double mean, long double variance) {
    return -0.5L * logl(2.0L * PI_LONG * variance) - 0.5L * (x - mean) * (x - mean) / variance;
}

static long double log_standard(size_t from, size_t dim, const long double *x) {
    long double sum = 0.0L;
    for (size_t k = from; k < dim; k++) sum += log_normal(x[k], 0.0L, 1.0L);
    return sum;
}

static long double log_add(long double a, long double b) {
    return fmaxl(a, b) + log1pl(expl(fminl(a, b) - fmaxl(a, b)));
}

static long double bimodal(const fixture *f, const long double *x) {
    long double a = 0.0L, b = 0.0L;
    for (size_t k = 0; k < f->dim; k++) {
        long double centre = k == 0 ? f->p[0] / 2.0L : 0.0L;
        a += log_normal(x[k], -centre, 0.5L);
        b += log_normal(x[k], centre, 2.0L);
    }
    return log_add(a, b) - logl(2.0L);
}

static long double mixture5(const fixture *f, const long double *x) {
    long double sum = log_normal(x[0], 0.0L, 1.0L) + log_normal(x[1], 0.0L, 1.0L);
    (void)f;
    for (int i = 2; i <= 5; i++) {
        long double centre = 2.5L * (i - 1), variance = sqrtl(i);
        sum = log_add(sum, log_normal(x[0], centre, variance) + log_normal(x[1], centre, variance));
    }
    return sum - logl(5.0L);
}

static long double grid(const fixture *f, const long double *x) {
    long double sum = 0.0L;
    for (size_t k = 0; k < f->dim; k++) {
        long double one = log_normal(x[k], -30.0L, 15.0L);
        for (int j = -1; j <= 2; j++) one = log_add(one, log_normal(x[k], 15.0L * j, 15.0L));
        sum += one - logl(5.0L);
    }
    return sum;
}

/* Q_jk of the reflection that takes e_1 to the diagonal, and the variance along axis k. */
static long double reflection(const fixture *f, size_t j, size_t k) {
    long double d = (long double)f->dim, v_j = (j == 0) - 1.0L / sqrtl(d), v_k = (k == 0) - 1.0L / sqrtl(d);
    return (j == k) - (f->dim > 1 ? 2.0L * v_j * v_k / (2.0L - 2.0L / sqrtl(d)) : 0.0L);
}

static long double axis_variance(const fixture *f, size_t k) {
    return f->dim > 1 ? powl(f->p[0], -(long double)k / (long double)(f->dim - 1)) : 1.0L;
}

static long double gaussian(const fixture *f, const long double *x) {
    long double sum = 0.0L;
    for (size_t k = 0; k < f->dim; k++) {
        long double y = 0.0L;
        for (size_t j = 0; j < f->dim; j++) y += reflection(f, k, j) * x[j];
        sum += log_normal(y, 0.0L, axis_variance(f, k));
    }
    return sum;
}

static long double banana(const fixture *f, const long double *x) {
    long double b = f->p[0], v = f->p[1], first = x[0];
    return log_normal(first, 0.0L, v) + log_normal(x[1], b * (first * first - v), 1.0L) + log_standard(2, f->dim, x);
}

static long double funnel(const fixture *f, const long double *x) {
    long double scale = f->p[0], sum = log_normal(x[0], 0.0L, scale * scale);
    for (size_t k = 1; k < f->dim; k++) sum += log_normal(x[k], 0.0L, expl(x[0]));
    return sum;
}

static long double ridge(const fixture *f, long double theta, long double r) {
    long double away = r - f->p[0] - f->p[1] * cosl(f->p[2] * theta);
    return -away * away / (2.0L * f->p[3] * f->p[3]);
}

/* Gauss-Legendre on [-1, 1]. */
enum { NODES = 5 };
static const double node[NODES] = {-0.9061798459386640, -0.5384693101056831, 0, 0.5384693101056831, 0.9061798459386640};
static const double weight[NODES] = {0.2369268850561891, 0.4786286704993665, 0.5688888888888889, 0.4786286704993665,
                                     0.2369268850561891};

/* The normaliser, by five nodes on each of 300 pieces in r and the rectangle rule in theta. */
static long double flower_log_normaliser(const fixture *f) {
    enum { ANGLES = 300, PIECES = 300 };
    long double half = (f->p[0] + f->p[1] + 10.0L * f->p[3]) / (2 * PIECES), sum = 0.0L;
    for (int i = 0; i < ANGLES * PIECES * NODES; i++) {
        int         angle = i / (PIECES * NODES), piece = i / NODES % PIECES;
        long double r = half * (2 * piece + 1 + (long double)node[i % NODES]);
        sum += (long double)weight[i % NODES] * r * expl(ridge(f, 2.0L * PI_LONG * angle / ANGLES, r));
    }
    return logl(sum * half * 2.0L * PI_LONG / ANGLES);
}

static long double flower(const fixture *f, const long double *x) {
    long double r = sqrtl(x[0] * x[0] + x[1] * x[1]);
    return ridge(f, atan2l(x[1], x[0]), r) + log_standard(2, f->dim, x);
}

static const fixture fixtures[] = {
    {"bimodal", bimodal, 2, {16}},
    {"bimodal:dim=1,separation=3", bimodal, 1, {3}},
    {"bimodal:separation=0,dim=7", bimodal, 7, {0}},
    {"mixture5", mixture5, 2, {0}},
    {"grid32", grid, 32, {0}},
    {"grid32:dim=2", grid, 2, {0}},
    {"grid32:dim=37", grid, 37, {0}},
    {"gaussian", gaussian, 2, {1}},
    {"gaussian:condition=100", gaussian, 2, {100}},
    {"gaussian:dim=5,condition=1000", gaussian, 5, {1000}},
    {"gaussian:dim=1,condition=10", gaussian, 1, {10}},
    {"banana", banana, 8, {0.03L, 100}},
    {"banana:dim=2,bananicity=0.1", banana, 2, {0.1L, 100}},
    {"banana:dim=3,bananicity=0,variance=4", banana, 3, {0, 4}},
    {"flower", flower, 8, {10, 6, 6, 1}},
    {"flower:dim=2,omega=1", flower, 2, {10, 6, 1, 1}},
    {"flower:dim=2,r0=3,amplitude=4,omega=5,sigma=0.5", flower, 2, {3, 4, 5, 0.5L}},
    {"funnel", funnel, 10, {3}},
    {"funnel:dim=2,scale=1", funnel, 2, {1}},
    {"ring", flower, 2, {5, 0, 0, 0.5L}},
    {"ring:dim=4,radius=1,width=2", flower, 4, {1, 0, 0, 2}},
};
/* The obvious version at a point of doubles. */
static double textbook(const fixture *f, const double *x) {
    long double point[DIM_MOST];
    for (size_t k = 0; k < f->dim; k++) point[k] = (long double)x[k];
    return (double)f->log_density(f, point);
}

enum { FIXTURES = sizeof fixtures / sizeof *fixtures };

/* -- What each density is ---------------------------------------------------------------------------------- */

static void every_model_has_fixtures(void **state) {
    (void)state;
    for (const ckam_entry *e = ckam_model_list(); e->name; e++) {
        size_t plain = 0, all = 0;
        for (size_t i = 0; i < FIXTURES; i++) {
            plain += !strcmp(fixtures[i].spec, e->name);
            all += !strncmp(fixtures[i].spec, e->name, strlen(e->name));
        }
        if (plain != 1 || (all < 2 && e->options->name)) fail_msg("%s has %zu fixtures", e->name, all);
        assert_true(strlen(e->summary) > 10);
        for (const ckam_option *o = e->options; o->name; o++) assert_true(strlen(o->help) > 5);
    }
}

/* At exact draws, and far from them. */
static void densities_are_as_in_the_textbook(void **state) {
    (void)state;
    for (size_t i = 0; i < FIXTURES; i++) {
        const fixture *f = &fixtures[i];
        ckam_model    *m = model_of(f->spec);
        double         constant = f->log_density == flower ? (double)flower_log_normaliser(f) : 0.0;
        double         x[DIM_MOST];
        assert_int_equal(ckam_model_target(m)->dim, f->dim);
        for (uint64_t j = 0; j < 300; j++) {
            ckam_model_draw(m, 1, j, x);
            for (size_t k = 0; k < f->dim; k++) x[k] *= j % 3 == 2 ? 4.0 : 1.0;
            assert_close(log_density(m, x), textbook(f, x) - constant, 1e-12);
        }
        ckam_model_free(m);
    }
}

/* The density of coordinate k at c, for two dimensions: the trapezoid rule over the other coordinate. */
static double marginal(const ckam_model *m, size_t k, double c) {
    enum { STEPS = 16000 };
    const double end = 160.0, step = 2.0 * end / STEPS;
    double       x[2], sum = 0.0;
    x[k] = c;
    for (int i = 0; i <= STEPS; i++) {
        x[1 - k] = -end + step * i;
        sum += exp(log_density(m, x));
    }
    return sum * step;
}

/* In two dimensions the density integrates to probability(): that is also its normaliser. Five Gauss-Legendre nodes
 * on an interval of 0.2. Near 0 the ridges have a kink, which the integration over the plane would feel. */
static void densities_integrate_to_probabilities(void **state) {
    (void)state;
    for (size_t i = 0; i < FIXTURES; i++) {
        if (fixtures[i].dim != 2) continue;
        ckam_model *m = model_of(fixtures[i].spec);
        double      mean[2], covariance[4];
        ckam_model_mean(m, mean);
        ckam_model_covariance(m, covariance);
        for (uint64_t j = 0; j < 12; j++) {
            double x[2], sum = 0.0;
            size_t k = j % 2;
            ckam_model_draw(m, 2, j, x);
            if (j >= 8) x[k] = mean[k] + 3.0 * (double)(j - 7) * sqrt(covariance[3 * k]); /* the tails */
            if (fixtures[i].log_density == flower && fabs(x[k]) < 1.0) continue;
            for (int n = 0; n < NODES; n++) sum += 0.1 * weight[n] * marginal(m, k, x[k] + 0.1 * node[n]);
            assert_close(ckam_model_probability(m, k, x[k] - 0.1, x[k] + 0.1), sum, 2e-10);
        }
        ckam_model_free(m);
    }
}

/* A ring of radius 0 is a normal distribution; its probabilities come from the same integral as all others. */
static void ring_of_radius_zero_is_normal(void **state) {
    const double edges[] = {-40.0, -6.0, -1.5, -0.3, -1e-5, 0.0, 1e-9, 1e-3, 0.01, 0.7, 2.0, 8.0};
    ckam_model  *m = model_of("ring:radius=0,width=2");
    (void)state;
    for (size_t i = 0; i + 1 < sizeof edges / sizeof *edges; i++)
        for (size_t k = 0; k < 2; k++)
            assert_close(ckam_model_probability(m, k, edges[i], edges[i + 1]),
                         normal_tail(edges[i] / 2.0) - normal_tail(edges[i + 1] / 2.0), 1e-11);
    ckam_model_free(m);
}

static void probabilities_are_a_distribution(void **state) {
    (void)state;
    for (size_t i = 0; i < FIXTURES; i++) {
        ckam_model *m = model_of(fixtures[i].spec);
        for (size_t k = 0; k < fixtures[i].dim && k < 3; k++) {
            double sum = 0.0, below = 0.0, last = -(double)INFINITY;
            for (int j = -11; j <= 11; j++) {
                double edge = 5.5 * j;
                double part = ckam_model_probability(m, k, last, edge);
                double to_here = ckam_model_probability(m, k, -(double)INFINITY, edge);
                assert_true(part >= 0.0 && to_here <= 1.0);
                assert_true(to_here >= below - 1e-15); /* monotone, but for the last bit */
                sum += part;
                below = to_here;
                last = edge;
                assert_close(sum, to_here, 1e-11);
            }
            assert_close(sum + ckam_model_probability(m, k, last, (double)INFINITY), 1.0, 1e-11);
            double far = ckam_model_probability(m, k, 1e5, 1e6), near = ckam_model_probability(m, k, 1e4, 1e6);
            assert_true(far >= 0.0 && near >= far && near < 0.01);
        }
        assert_true(ckam_model_probability(m, 0, -(double)INFINITY, (double)INFINITY) == 1.0);
        assert_true(ckam_model_probability(m, 0, 1.0, 1.0) == 0.0);
        assert_true(ckam_model_probability(m, 0, 2.0, 1.0) == 0.0);
        assert_true(isnan(ckam_model_probability(m, 0, (double)NAN, 1.0)));
        assert_true(isnan(ckam_model_probability(m, fixtures[i].dim, 0.0, 1.0)));
        ckam_model_free(m);
    }
}

/* Far out in a tail the probability of an interval is right to many digits, on both sides. */
static void tails_are_exact(void **state) {
    ckam_model *m = model_of("grid32:dim=1");
    double      exact = normal_tail(30.0 / sqrt(15.0)) - normal_tail(31.0 / sqrt(15.0));
    (void)state;
    assert_relative(ckam_model_probability(m, 0, 60.0, 61.0), 0.2 * exact, 1e-12);
    assert_relative(ckam_model_probability(m, 0, -61.0, -60.0), 0.2 * exact, 1e-12);
    ckam_model_free(m);
}

static void gaussian_covariance_is_the_product(void **state) {
    const fixture f = {"gaussian:dim=6,condition=50", gaussian, 6, {50}};
    ckam_model   *m = model_of(f.spec);
    double        covariance[36];
    (void)state;
    ckam_model_covariance(m, covariance);
    for (size_t j = 0; j < 6; j++)
        for (size_t k = 0; k < 6; k++) {
            long double sum = 0.0L;
            for (size_t l = 0; l < 6; l++) sum += reflection(&f, j, l) * axis_variance(&f, l) * reflection(&f, l, k);
            assert_close(covariance[j * 6 + k], (double)sum, 1e-14);
            assert_true(fabs(covariance[j * 6 + k]) > 1e-4); /* every pair is correlated */
        }
    ckam_model_free(m);
}

/* -- Starts and modes -------------------------------------------------------------------------------------- */

static void starts_are_as_stated(void **state) {
    static const struct {
        const char *spec;
        double      x[2];
    } cases[] = {{"bimodal", {-8, 0}}, {"mixture5", {0, 0}}, {"grid32", {0, 0}}, {"gaussian", {1, 1}},
                 {"banana", {0, 0}},   {"flower", {16, 0}},  {"funnel", {0, 0}}, {"ring", {5, 0}}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_model *m = model_of(cases[i].spec);
        double      x[DIM_MOST];
        ckam_model_start(m, x);
        assert_true(x[0] == cases[i].x[0] && x[1] == cases[i].x[1]);
        assert_true(isfinite(log_density(m, x)));
        ckam_model_free(m);
    }
}

/* The gradient at a mode is zero; at the centres of components that touch it is small (mixture5's overlap too much). */
static void modes_are_stationary(void **state) {
    static const struct {
        const char *spec;
        double      modes, gradient;
    } cases[] = {{"bimodal", 2, 1e-8},  {"bimodal:dim=5", 2, 1e-8}, {"grid32", 2.3283064365386963e22, 1e-3},
                 {"gaussian", 1, 1e-8}, {"banana", 1, 1e-8},        {"funnel:dim=4,scale=1", 1, 1e-8},
                 {"mixture5", 5, 1e9},  {"flower", 0, 0},           {"ring", 0, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_model *m = model_of(cases[i].spec);
        size_t      dim = ckam_model_target(m)->dim;
        double      centres[8 * DIM_MOST] = {0}, weights[8] = {0};
        assert_relative(ckam_model_modes(m, 0, NULL, NULL), cases[i].modes, 1e-15);
        assert_relative(ckam_model_modes(m, 8, centres, weights), cases[i].modes, 1e-15);
        for (size_t j = 0; j < 8 && (double)j < cases[i].modes; j++) {
            assert_relative(weights[j], 1.0 / cases[i].modes, 1e-15);
            for (size_t k = 0; k < dim; k++) {
                double *x = centres + j * dim, step = 1e-4, here = x[k];
                x[k] = here + step;
                double up = log_density(m, x);
                x[k] = here - step;
                assert_less(fabs(up - log_density(m, x)) / (2.0 * step), cases[i].gradient);
                x[k] = here;
            }
        }
        ckam_model_free(m);
    }
}

static void grid_modes_count_in_base_five(void **state) {
    ckam_model *m = model_of("grid32:dim=3");
    double      centres[9 * 3];
    (void)state;
    assert_true(ckam_model_modes(m, 9, centres, NULL) == 125.0);
    for (size_t i = 0; i < 9; i++) {
        assert_true(centres[i * 3] == 15.0 * ((double)(i % 5) - 2.0));
        assert_true(centres[i * 3 + 1] == (i < 5 ? -30.0 : -15.0));
        assert_true(centres[i * 3 + 2] == -30.0);
    }
    ckam_model_free(m);
}

/* -- Bad input --------------------------------------------------------------------------------------------- */

static void far_points_are_never_plus_infinity(void **state) {
    const double far[] = {1e4, -1e8, 1e155, -1e300, (double)INFINITY};
    (void)state;
    for (size_t i = 0; i < FIXTURES; i++) {
        const fixture *f = &fixtures[i];
        ckam_model    *m = model_of(f->spec);
        double         x[DIM_MOST];
        for (size_t k = 0; k < f->dim; k++)
            for (size_t j = 0; j < sizeof far / sizeof *far; j++) {
                memset(x, 0, sizeof x);
                x[k] = far[j];
                double value = log_density(m, x);
                assert_true(isnan(value) || value < 0.0);
                if (f->log_density == grid && fabs(far[j]) <= 1e8) assert_relative(value, textbook(f, x), 1e-14);
            }
        for (size_t k = 0; k < f->dim; k++) {
            memset(x, 0, sizeof x);
            x[k] = (double)NAN;
            assert_false(isfinite(log_density(m, x)) || log_density(m, x) > 0.0);
        }
        ckam_model_free(m);
    }
}

static void bad_specs_are_refused(void **state) {
    static const struct {
        const char *spec, *says;
        ckam_status status;
    } cases[] = {{NULL, "NULL", CKAM_ERROR_ARGUMENT},
                 {"", "no model ''", CKAM_ERROR_OPTION},
                 {":", "no model ''", CKAM_ERROR_OPTION},
                 {"bimodel", "'bimodal'", CKAM_ERROR_OPTION},
                 {"BANANA", "bimodal mixture5 grid32", CKAM_ERROR_OPTION},
                 {"a-name-that-is-much-longer-than-any-name-of-any-model-could-be", "there are", CKAM_ERROR_OPTION},
                 {"bimodal:", "colon", CKAM_ERROR_OPTION},
                 {"bimodal:dim", "'dim'", CKAM_ERROR_OPTION},
                 {"bimodal:dim=", "dim is ''", CKAM_ERROR_OPTION},
                 {"bimodal:dim=0", "dim is '0'", CKAM_ERROR_OPTION},
                 {"bimodal:dim=2.5", "dim is '2.5'", CKAM_ERROR_OPTION},
                 {"bimodal:dim=1e9", "10000", CKAM_ERROR_OPTION},
                 {"bimodal:separation=-1", "separation is '-1'", CKAM_ERROR_OPTION},
                 {"bimodal:separation=nan", "separation", CKAM_ERROR_OPTION},
                 {"bimodal:seperation=3", "'separation'", CKAM_ERROR_OPTION},
                 {"bimodal:dim=3,", "comma", CKAM_ERROR_OPTION},
                 {"mixture5:dim=2", "no option 'dim'", CKAM_ERROR_OPTION},
                 {"banana:dim=1", "dim is '1'", CKAM_ERROR_OPTION},
                 {"funnel:scale=0", "scale is '0'", CKAM_ERROR_OPTION},
                 {"ring:omega=2", "no option 'omega'", CKAM_ERROR_OPTION}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_model *m = (ckam_model *)&m;
        ckam_error  error = {.status = CKAM_OK, .message = ""};
        assert_int_equal(ckam_model_create(&m, cases[i].spec, &error), cases[i].status);
        assert_int_equal(error.status, cases[i].status);
        assert_null(m);
        if (!strstr(error.message, cases[i].says)) fail_msg("'%s' lacks %s", error.message, cases[i].says);
        assert_int_equal(ckam_model_create(&m, cases[i].spec, NULL), cases[i].status);
    }
    assert_int_equal(ckam_model_create(NULL, "ring", NULL), CKAM_ERROR_ARGUMENT);
    ckam_model_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model_has_fixtures),
        cmocka_unit_test(densities_are_as_in_the_textbook),
        cmocka_unit_test(densities_integrate_to_probabilities),
        cmocka_unit_test(ring_of_radius_zero_is_normal),
        cmocka_unit_test(probabilities_are_a_distribution),
        cmocka_unit_test(tails_are_exact),
        cmocka_unit_test(gaussian_covariance_is_the_product),
        cmocka_unit_test(starts_are_as_stated),
        cmocka_unit_test(modes_are_stationary),
        cmocka_unit_test(grid_modes_count_in_base_five),
        cmocka_unit_test(far_points_are_never_plus_infinity),
        cmocka_unit_test(bad_specs_are_refused),
    };
    return cmocka_run_group_tests_name("models", tests, NULL, NULL);
}
