/* test_lowrank.c - the Gaussian 'scaled identity plus low rank' against dense matrices in long double. */
#include "support.h"

#include "linalg/linalg.h"
#include "linalg_reference.h"

#include <string.h>

/* log N(u; 0, a). */
static long double slow_log_density(size_t dim, const long double *a, const double *u) {
    long double *l = take(dim * dim, sizeof *l), *x = take(dim, sizeof *x), sum = 0;
    slow_factor(dim, a, l);
    for (size_t i = 0; i < dim; i++) {
        x[i] = (long double)u[i];
        for (size_t k = 0; k < i; k++) x[i] -= l[k * dim + i] * x[k];
        x[i] /= l[i * dim + i];
        sum += x[i] * x[i] + 2 * logl(l[i * dim + i]) + logl(2 * acosl(-1.0L));
    }
    free(l);
    free(x);
    return -sum / 2;
}

enum { UNTOUCHED = 77 };

/* One case: G, its factor, and room for a point. */
typedef struct gaussian {
    lowrank c;
    size_t  stride;
    double *g, *shape, *factor, *u, *gtu, *work, *n1, *n2;
} gaussian;

static gaussian make_gaussian(rng *r, size_t dim, size_t rank) {
    const size_t order = lowrank_order(dim, rank), stride = rank + 3;
    gaussian     x = {.c = {.dim = dim, .rank = rank}, .stride = stride};
    x.g = doubles(dim * stride);
    x.shape = doubles(order * order);
    x.factor = doubles(order * order);
    x.u = doubles(dim);
    x.gtu = doubles(rank);
    x.work = doubles(order);
    x.n1 = doubles(dim);
    x.n2 = doubles(rank);
    for (size_t i = 0; i < dim * stride; i++) x.g[i] = i % stride < rank ? rng_normal(r) : (double)NAN;
    for (size_t i = 0; i < order * order; i++) { /* nobody may read these, nor write above the diagonal */
        x.shape[i] = i % order < i / order ? UNTOUCHED : (double)NAN;
        x.factor[i] = (double)NAN;
    }
    lowrank_shape(dim, rank, x.g, stride, x.shape);
    return x;
}

static void free_gaussian(gaussian *x) {
    double *all[] = {x->g, x->shape, x->factor, x->u, x->gtu, x->work, x->n1, x->n2};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* A draw from dim normals, and when dual rank more: L n1, or gamma n1 + nu G n2. */
static void draw(gaussian *x, rng *r) {
    rng_normals(r, x->c.dim, x->n1);
    rng_normals(r, x->c.rank, x->n2);
    memset(x->u, 0, x->c.dim * sizeof *x->u);
    if (!lowrank_is_dual(x->c.dim, x->c.rank)) {
        tri_multiply_add(x->c.dim, x->factor, 1.0, x->n1, x->u);
        return;
    }
    for (size_t k = 0; k < x->c.dim; k++)
        x->u[k] = x->c.gamma * x->n1[k] + x->c.nu * vec_dot(x->c.rank, x->g + k * x->stride, x->n2);
}

static double log_density(gaussian *x) {
    memset(x->gtu, 0, x->c.rank * sizeof *x->gtu);
    for (size_t k = 0; k < x->c.dim; k++) vec_axpy(x->c.rank, x->u[k], x->g + k * x->stride, x->gtu);
    return lowrank_log_density(&x->c, x->factor, x->u, x->gtu, x->work);
}

static double slow_value(const gaussian *x, double gamma, double nu) {
    const size_t dim = x->c.dim;
    long double *a = take(dim * dim, sizeof *a);
    slow_covariance(dim, x->c.rank, x->g, x->stride, gamma, nu, a);
    const double value = (double)slow_log_density(dim, a, x->u);
    free(a);
    return value;
}

static const size_t low_dims[] = {1, 2, 5, 32, 200}, low_ranks[] = {1, 2, 30, 31, 100};

/* Calls check() for every pair of the two lists. */
static void for_each_size(uint64_t seed, void (*check)(gaussian *x, rng *r)) {
    rng r = numbers(seed);
    for (size_t i = 0; i < sizeof low_dims / sizeof *low_dims; i++)
        for (size_t j = 0; j < sizeof low_ranks / sizeof *low_ranks; j++) {
            gaussian x = make_gaussian(&r, low_dims[i], low_ranks[j]);
            check(&x, &r);
            free_gaussian(&x);
        }
}

static void check_shape(gaussian *x, rng *r) {
    (void)r;
    const bool   dual = x->c.dim > x->c.rank;
    const size_t order = dual ? x->c.rank : x->c.dim, inner = dual ? x->c.dim : x->c.rank;
    const size_t along = dual ? 1 : x->stride, across = dual ? x->stride : 1;
    for (size_t j = 0; j < order; j++)
        for (size_t i = 0; i < order; i++) {
            long double sum = 0;
            for (size_t k = 0; k < inner; k++)
                sum += product(x->g[i * along + k * across], x->g[j * along + k * across]);
            if (i >= j)
                assert_close(x->shape[j * order + i], (double)sum, 1e-13);
            else
                assert_true(x->shape[j * order + i] == UNTOUCHED);
        }
}

static void test_shape(void **state) {
    (void)state;
    for_each_size(9, check_shape);
}

/* At a draw from C, where the density matters, and at a point that has nothing to do with it. */
static void check_density(gaussian *x, rng *r) {
    const double settings[][2] = {{1, 1}, {4, 1e-3}, {0.05, 1}, {200, 5}, {1e-6, 3e-6}, {1, 0}};
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        const double gamma = settings[s][0], nu = settings[s][1];
        lowrank_factor(&x->c, gamma, nu, x->shape, x->factor);
        assert_true(x->c.gamma == gamma && x->c.nu == nu);
        draw(x, r);
        assert_close(log_density(x), slow_value(x, gamma, nu), 1e-10);
        rng_normals(r, x->c.dim, x->u);
        assert_close(log_density(x), slow_value(x, gamma, nu), 1e-10);
    }
}

static void test_density(void **state) {
    (void)state;
    for_each_size(10, check_density);
}

/* Without a difference of large numbers 1e-9 holds at any ratio; with one the header's bound does. */
static void check_steep_density(gaussian *x, rng *r) {
    const double gamma = 1e-4, nu = 1;
    lowrank_factor(&x->c, gamma, nu, x->shape, x->factor);
    assert_true(x->c.gamma == gamma);
    draw(x, r);
    const double exact = slow_value(x, gamma, nu), error = fabs(log_density(x) - exact);
    const double bound = 1e-15 * vec_dot(x->c.dim, x->u, x->u) / (gamma * gamma);
    assert_less(error, 1e-9 * fmax(1, fabs(exact)) + (x->c.dim > x->c.rank ? bound : 0));
}

static void test_steep_density(void **state) {
    (void)state;
    for_each_size(11, check_steep_density);
}

/* A draw L n has log density -|n|^2/2 - log det C/2 - (dim/2) log 2 pi. */
static void check_forward_density(gaussian *x, rng *r) {
    lowrank_factor(&x->c, 0.3, 2, x->shape, x->factor);
    draw(x, r);
    if (x->c.dim > x->c.rank) return;
    const double forward =
        -0.5 * (vec_dot(x->c.dim, x->n1, x->n1) + x->c.log_det + (double)x->c.dim * log(2 * acos(-1)));
    assert_close(log_density(x), forward, 1e-12);
}

static void test_forward_density(void **state) {
    (void)state;
    for_each_size(12, check_forward_density);
}

/* The largest deviation of the covariance of 200,000 draws from C, relative to the standard deviations. */
static double covariance_error(gaussian *x, uint64_t seed, double nu_expected) {
    enum { DRAWS = 200000 };
    const size_t dim = x->c.dim;
    rng          r = numbers(seed);
    double      *sum = doubles(dim * dim), worst = 0;
    long double *exact = take(dim * dim, sizeof *exact);
    for (size_t t = 0; t < DRAWS; t++) {
        draw(x, &r);
        for (size_t j = 0; j < dim; j++) vec_axpy(dim, x->u[j], x->u, sum + j * dim);
    }
    slow_covariance(dim, x->c.rank, x->g, x->stride, x->c.gamma, nu_expected, exact);
    for (size_t j = 0; j < dim; j++)
        for (size_t i = 0; i < dim; i++) {
            const double size = sqrt((double)(exact[j * dim + j] * exact[i * dim + i]));
            worst = fmax(worst, fabs(sum[j * dim + i] / DRAWS - (double)exact[j * dim + i]) / size);
        }
    free(sum);
    free(exact);
    return worst;
}

/* The standard error of an entry is at most sqrt(2 / 200,000) = 0.32 %, so 2 % is 6.3 sigma: a false alarm has
 * probability 16 * 3e-10. Twin: the same draws against nu 5 % larger, some variance 6 % or more off, must fail. */
static void test_draw(void **state) {
    (void)state;
    const size_t sizes[][2] = {{3, 5}, {3, 3}, {4, 2}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        rng      r = numbers(13 + s);
        gaussian x = make_gaussian(&r, sizes[s][0], sizes[s][1]);
        lowrank_factor(&x.c, 0.7, 1.3, x.shape, x.factor);
        assert_less(covariance_error(&x, 20 + s, 1.3), 0.02);
        assert_less(0.03, covariance_error(&x, 20 + s, 1.3 * 1.05));
        free_gaussian(&x);
    }
}

static void check_below_mode(gaussian *x) {
    const double value = log_density(x), mode = -0.5 * (x->c.log_det + (double)x->c.dim * log(2 * acos(-1)));
    assert_true(isfinite(value));
    assert_less(value, mode + 1e-12 * fabs(mode));
}

/* Huge nu and tiny gamma, with columns that repeat, so that C and K are singular but for gamma: they factor all the
 * same, by a gamma that is raised by a trifle of the whole, and draws have finite densities. */
static void check_degenerate(gaussian *x, rng *r) {
    const double settings[][2] = {{1e-9, 1e3}, {1e-12, 1e12}, {1e-160, 1}, {0, 1}};
    const size_t order = lowrank_order(x->c.dim, x->c.rank);
    for (size_t k = 0; k < x->c.dim; k++)
        for (size_t j = 1; j < x->c.rank; j++) x->g[k * x->stride + j] = x->g[k * x->stride];
    lowrank_shape(x->c.dim, x->c.rank, x->g, x->stride, x->shape);
    for (size_t s = 0; s < sizeof settings / sizeof *settings; s++) {
        double trace = 0;
        lowrank_factor(&x->c, settings[s][0], settings[s][1], x->shape, x->factor);
        for (size_t k = 0; k < order; k++) trace += x->shape[k * order + k] * settings[s][1] * settings[s][1];
        assert_true(x->c.gamma >= settings[s][0]);
        assert_less(x->c.gamma * x->c.gamma, 1e-11 * trace + 2 * settings[s][0] * settings[s][0]);
        assert_true(isfinite(x->c.log_det));
        draw(x, r);
        check_below_mode(x);
        for (size_t k = 0; k < x->c.dim; k++) x->u[k] = 1e-3 * settings[s][1] * x->g[k * x->stride];
        check_below_mode(x); /* all but at the mode, where rounding is the larger part */
    }
}

static void test_degenerate(void **state) {
    (void)state;
    for_each_size(14, check_degenerate);
}

/* G = 0 is an isotropic Gaussian. */
static void check_without_g(gaussian *x, rng *r) {
    const size_t order = lowrank_order(x->c.dim, x->c.rank);
    for (size_t k = 0; k < x->c.dim; k++) memset(x->g + k * x->stride, 0, x->c.rank * sizeof *x->g);
    lowrank_shape(x->c.dim, x->c.rank, x->g, x->stride, x->shape);
    lowrank_factor(&x->c, 2, 5, x->shape, x->factor);
    assert_close(x->c.log_det, (double)x->c.dim * log(4), 1e-13);
    draw(x, r);
    for (size_t k = 0; k < x->c.dim; k++) assert_close(x->u[k], 2 * x->n1[k], 1e-14);
    for (size_t k = 0; k < order; k++) assert_close(x->factor[k * order + k], 2, 1e-15);
}

static void test_without_g(void **state) {
    (void)state;
    for_each_size(15, check_without_g);
}

/* Where there is no C the call ends all the same, and says so by NaN. */
static void check_without_c(gaussian *x, rng *r) {
    (void)r;
    lowrank_factor(&x->c, 0, 0, x->shape, x->factor);
    assert_true(isnan(x->c.log_det));
    x->shape[0] = (double)INFINITY;
    lowrank_factor(&x->c, 1, 1, x->shape, x->factor);
    assert_true(isnan(x->c.log_det) && isnan(log_density(x)));
    x->shape[0] = (double)NAN;
    lowrank_factor(&x->c, 1, 1, x->shape, x->factor);
    assert_true(isnan(x->c.log_det));
}

static void test_without_c(void **state) {
    (void)state;
    for_each_size(16, check_without_c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shape),           cmocka_unit_test(test_density),   cmocka_unit_test(test_steep_density),
        cmocka_unit_test(test_forward_density), cmocka_unit_test(test_draw),      cmocka_unit_test(test_degenerate),
        cmocka_unit_test(test_without_g),       cmocka_unit_test(test_without_c),
    };
    return cmocka_run_group_tests_name("lowrank", tests, NULL, NULL);
}
