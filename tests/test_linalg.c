/* test_linalg.c - vectors, Cholesky factors and blocked products, against slow versions in long double. */
#include "support.h"

#include "linalg/blocked.h"
#include "linalg/linalg.h"
#include "linalg_reference.h"

#include <string.h>

enum { LARGEST = 200, ROOM = LARGEST * LARGEST };

/* -- References ------------------------------------------------------------------------------------------------- */

/* a := weight a + sign v v^T, lower triangle. */
static void slow_update(size_t dim, long double *a, long double weight, const double *v, long double sign) {
    for (size_t j = 0; j < dim; j++)
        for (size_t i = j; i < dim; i++) a[j * dim + i] = a[j * dim + i] * weight + sign * product(v[i], v[j]);
}

/* The largest |l - factor(a)| relative to the largest entry of the factor. */
static double factor_error(size_t dim, const double *l, const long double *a) {
    long double *exact = take(dim * dim, sizeof *exact), worst = 0, norm = 0;
    slow_factor(dim, a, exact);
    for (size_t j = 0; j < dim; j++)
        for (size_t i = j; i < dim; i++) {
            const long double off = fabsl(exact[j * dim + i] - (long double)l[j * dim + i]);
            norm = fmaxl(norm, fabsl(exact[j * dim + i]));
            if (!(off <= worst)) worst = off;
        }
    free(exact);
    return (double)(worst / norm);
}

/* A well-conditioned matrix (eigenvalues from 1 to about 5), and its double copy with NaN above the diagonal, which
 * nothing may read. */
static void random_matrix(rng *r, size_t dim, long double *a, double *copy) {
    double *g = doubles(dim * dim);
    rng_normals(r, dim * dim, g);
    slow_covariance(dim, dim, g, dim, 1, 1 / sqrt((double)dim), a);
    for (size_t j = 0; j < dim; j++)
        for (size_t i = 0; i < dim; i++) {
            copy[j * dim + i] = i < j ? (double)NAN : (double)a[j * dim + i];
            a[j * dim + i] = (long double)copy[j * dim + i];
        }
    free(g);
}

static const size_t dims[] = {1, 2, 3, 4, 5, 31, 32, 33, 64, 99, 100, 101, 128, 129, LARGEST};
enum { DIMS = sizeof dims / sizeof *dims };

/* -- Vectors ---------------------------------------------------------------------------------------------------- */

static void test_vec(void **state) {
    (void)state;
    rng    r = numbers(1);
    double a[40], b[40], y[40];
    for (size_t n = 0; n <= 40; n++) {
        long double sum = 0;
        rng_normals(&r, n, a);
        rng_normals(&r, n, b);
        memcpy(y, b, n * sizeof *y);
        vec_axpy(n, -1.5, a, y);
        for (size_t i = 0; i < n; i++) {
            sum += product(a[i], b[i]);
            assert_close(y[i], b[i] - 1.5 * a[i], 1e-15);
        }
        assert_close(vec_dot(n, a, b), (double)sum, 1e-14);
    }
}

/* The bits of a sum may not depend on where the vectors lie. */
static void test_dot_ignores_alignment(void **state) {
    (void)state;
    rng    r = numbers(2);
    double a[120], b[120];
    rng_normals(&r, 100, a);
    rng_normals(&r, 100, b);
    const double here = vec_dot(100, a, b);
    for (size_t shift = 1; shift < 8; shift++) {
        memmove(a + shift, a + shift - 1, 100 * sizeof *a);
        assert_true(here == vec_dot(100, a + shift, b));
    }
}

/* -- Cholesky --------------------------------------------------------------------------------------------------- */

static void test_factor(void **state) {
    (void)state;
    rng          r = numbers(3);
    double      *l = doubles(ROOM);
    long double *a = take(ROOM, sizeof *a);
    for (size_t d = 0; d < DIMS; d++) {
        const size_t dim = dims[d];
        long double  log_det = 0;
        random_matrix(&r, dim, a, l);
        assert_int_equal(chol_factor(dim, l), 0);
        assert_less(factor_error(dim, l, a), 1e-14);
        for (size_t k = 0; k < dim; k++) log_det += 2 * logl((long double)l[k * dim + k]);
        assert_close(chol_log_det(dim, l), (double)log_det, 1e-14);
    }
    free(l);
    free(a);
}

/* The number of the first bad minor, for each place that the inline loops and dpotrf treat differently. */
static void test_factor_reports(void **state) {
    (void)state;
    const double bad[] = {-1, 0, (double)NAN, (double)INFINITY};
    double      *a = doubles(ROOM);
    for (size_t d = 0; d < DIMS; d++)
        for (size_t k = 0; k < dims[d]; k += 1 + dims[d] / 7)
            for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
                const size_t dim = dims[d];
                memset(a, 0, dim * dim * sizeof *a);
                for (size_t i = 0; i < dim; i++) a[i * dim + i] = i == k ? bad[b] : 1;
                assert_int_equal(chol_factor(dim, a), k + 1);
            }
    for (size_t d = 1; d < DIMS; d++) { /* below the diagonal a NaN spoils the minor of its row */
        const size_t dim = dims[d];
        memset(a, 0, dim * dim * sizeof *a);
        for (size_t i = 0; i < dim; i++) a[i * dim + i] = 1;
        a[dim - 1] = (double)NAN;
        assert_int_equal(chol_factor(dim, a), dim);
        memset(a, 0, dim * dim * sizeof *a);
        assert_int_equal(chol_factor(dim, a), 1);
    }
    free(a);
}

static void test_update(void **state) {
    (void)state;
    rng          r = numbers(4);
    double      *l = doubles(ROOM), v[LARGEST];
    long double *a = take(ROOM, sizeof *a);
    for (size_t d = 0; d < DIMS; d++)
        for (int scaled = 0; scaled < 2; scaled++) {
            const size_t dim = dims[d];
            const double scale = scaled ? 0.9 : 1;
            random_matrix(&r, dim, a, l);
            assert_int_equal(chol_factor(dim, l), 0);
            rng_normals(&r, dim, v);
            slow_update(dim, a, product(scale, scale), v, 1);
            chol_update(dim, l, scale, v);
            assert_less(factor_error(dim, l, a), 1e-14);
        }
    free(l);
    free(a);
}

/* A tiny factor and a vector that dwarfs it: here a method that divides by l first loses all digits. */
static void test_update_of_a_tiny_factor(void **state) {
    (void)state;
    double      l[9] = {1e-9, 1, -1, 0, 1e-9, 1, 0, 0, 1e-9}, v[3] = {1, 2, 3};
    long double a[9];
    for (size_t j = 0; j < 3; j++)
        for (size_t i = j; i < 3; i++) {
            a[j * 3 + i] = 0;
            for (size_t k = 0; k <= j; k++) a[j * 3 + i] += product(l[k * 3 + i], l[k * 3 + j]);
        }
    slow_update(3, a, 1, v, 1);
    chol_update(3, l, 1, v);
    assert_less(factor_error(3, l, a), 1e-14);
}

static void test_downdate(void **state) {
    (void)state;
    rng          r = numbers(5);
    double      *l = doubles(ROOM), *before = doubles(ROOM), v[LARGEST], copy[LARGEST], work[LARGEST];
    long double *a = take(ROOM, sizeof *a);
    for (size_t d = 0; d < DIMS; d++) {
        const size_t dim = dims[d];
        random_matrix(&r, dim, a, l);
        assert_int_equal(chol_factor(dim, l), 0);
        memcpy(before, l, dim * dim * sizeof *l);
        rng_normals(&r, dim, v);
        memcpy(copy, v, dim * sizeof *v);
        chol_update(dim, l, 1, v); /* up and down again is where it was */
        memcpy(v, copy, dim * sizeof *v);
        assert_true(chol_downdate(dim, l, v, work));
        assert_less(factor_error(dim, l, a), 1e-12);

        for (size_t i = 0; i < dim; i++) v[i] = copy[i] / sqrt(2 * vec_dot(dim, copy, copy)); /* p.p <= 1/2 */
        slow_update(dim, a, 1, v, -1);
        memcpy(l, before, dim * dim * sizeof *l);
        assert_true(chol_downdate(dim, l, v, work));
        assert_less(factor_error(dim, l, a), 1e-13);
    }
    free(l);
    free(before);
    free(a);
}

/* v = t L e_k / |.| has p.p = t^2: just below 1 works, just above 1 is refused and nothing is touched. */
static void test_downdate_limit(void **state) {
    (void)state;
    rng          r = numbers(6);
    double      *l = doubles(ROOM), *before = doubles(ROOM);
    double       v[LARGEST], work[LARGEST];
    long double *a = take(ROOM, sizeof *a);
    for (size_t d = 0; d < DIMS; d++) {
        const size_t dim = dims[d], bytes = dim * dim * sizeof *l;
        random_matrix(&r, dim, a, l);
        assert_int_equal(chol_factor(dim, l), 0);
        memcpy(before, l, bytes);
        for (size_t i = 0; i < dim; i++) v[i] = (1 + 1e-9) * l[i];
        assert_false(chol_downdate(dim, l, v, work));
        v[0] = (double)NAN;
        assert_false(chol_downdate(dim, l, v, work));
        assert_memory_equal(l, before, bytes);
        for (size_t i = 0; i < dim; i++) v[i] = (1 - 1e-9) * l[i];
        assert_true(chol_downdate(dim, l, v, work));
        assert_relative(l[0], before[0] * sqrt(2e-9), 1e-6);
    }
    free(l);
    free(before);
    free(a);
}

/* What an adaptive sampler does: Sigma := (1 - eta) Sigma + eta tau tau^T, 100,000 times, with scales from 1 to 1000. */
static void adapt(double constant) {
    enum { DIM = 32, STEPS = 100000 };
    rng         r = numbers(7);
    double      l[DIM * DIM] = {0}, tau[DIM];
    long double a[DIM * DIM] = {0};
    for (size_t i = 0; i < DIM; i++) l[i * DIM + i] = 1, a[i * DIM + i] = 1;
    for (size_t t = 1; t <= STEPS; t++) {
        const double eta = constant > 0 ? constant : pow(1 + (double)t, -0.75);
        rng_normals(&r, DIM, tau);
        for (size_t i = 0; i < DIM; i++) {
            tau[i] *= sqrt(eta) * pow(1000, (double)i / (DIM - 1));
            if (i > 0) tau[i] += 0.5 * tau[i - 1];
        }
        slow_update(DIM, a, 1 - (long double)eta, tau, 1);
        chol_update(DIM, l, sqrt(1 - eta), tau);
    }
    assert_less(factor_error(DIM, l, a), 1e-10);
    print_message("    factor after %d updates: relative error %.1e\n", STEPS, factor_error(DIM, l, a));
}

static void test_many_updates(void **state) {
    (void)state;
    adapt(0);
    adapt(0.01);
}

static void test_triangle(void **state) {
    (void)state;
    rng          r = numbers(8);
    double      *l = doubles(ROOM), v[LARGEST], out[LARGEST];
    long double *a = take(ROOM, sizeof *a);
    for (size_t d = 0; d < DIMS; d++) {
        const size_t dim = dims[d];
        random_matrix(&r, dim, a, l);
        assert_int_equal(chol_factor(dim, l), 0);
        rng_normals(&r, dim, v);
        for (size_t i = 0; i < dim; i++) out[i] = (double)i;
        tri_multiply_add(dim, l, -2, v, out);
        for (size_t i = 0; i < dim; i++) {
            long double sum = (long double)i;
            for (size_t k = 0; k <= i; k++) sum -= 2 * product(l[k * dim + i], v[k]);
            assert_close(out[i], (double)sum, 1e-14);
            out[i] = (double)(((long double)i - sum) / 2); /* L v */
        }
        tri_solve(dim, l, out);
        for (size_t i = 0; i < dim; i++) assert_close(out[i], v[i], 1e-13);
        for (size_t zeros = 0; zeros < dim && zeros < 9; zeros++) { /* the same bits */
            for (size_t i = 0; i < dim; i++) out[i] = v[i] = i < zeros ? 0.0 : (double)i - 3.3;
            tri_solve(dim, l, out);
            tri_solve_from(dim, l, zeros, v);
            assert_memory_equal(out, v, dim * sizeof *v);
        }
    }
    free(l);
    free(a);
}

/* The same sums one number at a time, in the order that is promised: equal to the last bit, so it does not matter whether the
 * compiler or the processor took several at once. */
static void test_the_width_does_not_matter(void **state) {
    (void)state;
    rng r;
    rng_init(&r, 5, 0);
    for (int d = 0; d < DIMS; d++) {
        size_t  dim = dims[d];
        double *l = doubles(dim * dim), *v = doubles(dim), *out = doubles(dim), *a = doubles(dim * dim);
        double *panels = doubles(panels_size(dim));
        rng_normals(&r, dim * dim, l);
        rng_normals(&r, dim, v);
        for (size_t j = 0; j < dim; j++) {
            for (size_t i = 0; i < j; i++) l[j * dim + i] = (double)NAN; /* not to be read */
            panels_set_column(dim, panels, j, l + j * dim);
        }
        panels_multiply(dim, panels, v, out);
        memcpy(a, l, dim * dim * sizeof *a);
        sym_add(dim, 0.7, v, a);
        for (size_t i = 0; i < dim; i++) {
            volatile double sum = 0.0, term;
            for (size_t j = 0; j <= i; j++) {
                term = l[j * dim + i] * v[j];
                sum = sum + term;
                term = 0.7 * v[j];
                term = term * v[i];
                assert_true(a[j * dim + i] == l[j * dim + i] + term);
            }
            assert_true(out[i] == sum);
        }
        free(l);
        free(v);
        free(out);
        free(a);
        free(panels);
    }
}

/* So is a product in blocks, whichever way its matrix is stored. */
static void test_the_order_of_a_blocked_product(void **state) {
    (void)state;
    enum { INNER = 100 };
    rng r = numbers(7);
    for (int d = 0; d < DIMS; d++) {
        const size_t order = dims[d];
        double      *a = doubles(order * INNER), *c = doubles(order * order), *turned = doubles(order * INNER);
        double      *same = doubles(order * order);
        rng_normals(&r, order * INNER, a);
        for (size_t i = 0; i < order; i++)
            for (size_t k = 0; k < INNER; k++) turned[k * order + i] = a[i * INNER + k];
        blocked_product(order, INNER, a, INNER, 1, c);
        blocked_product(order, INNER, turned, 1, order, same);
        for (size_t j = 0; j < order; j++)
            for (size_t i = j; i < order; i++) {
                volatile double sum = 0.0, term;
                for (size_t k = 0; k < INNER; k++) {
                    term = a[i * INNER + k] * a[j * INNER + k];
                    sum = sum + term;
                }
                assert_true(c[j * order + i] == sum && same[j * order + i] == sum);
            }
        free(a);
        free(c);
        free(turned);
        free(same);
    }
}

/* |L (x - mean)|^2 to the last bit; with a limit either that or, if it is beyond the limit, what is between the two: here, where
 * the first eight coordinates alone are beyond it, not all of it. */
static void test_a_square_of_panels_may_stop_at_a_limit(void **state) {
    (void)state;
    rng r;
    rng_init(&r, 6, 0);
    for (int d = 0; d < DIMS; d++) {
        size_t  dim = dims[d];
        double *l = doubles(dim * dim), *x = doubles(dim), *mean = doubles(dim), *away = doubles(dim);
        double *out = doubles(dim), *panels = doubles(panels_size(dim));
        rng_normals(&r, dim * dim, l);
        rng_normals(&r, dim, x);
        rng_normals(&r, dim, mean);
        for (size_t j = 0; j < dim; j++) {
            panels_set_column(dim, panels, j, l + j * dim);
            away[j] = x[j] - mean[j];
        }
        panels_multiply(dim, panels, away, out);
        double square = vec_dot(dim, out, out);
        double first = vec_dot(dim < 8 ? dim : 8, out, out);
        assert_true(panels_square(dim, panels, x, mean, HUGE_VAL, away) == square);
        assert_true(panels_square(dim, panels, x, mean, square, away) == square);
        for (int part = 1; part < 10; part++) {
            double limit = 0.1 * part * square, found = panels_square(dim, panels, x, mean, limit, away);
            assert_true(found > limit && found <= square);
        }
        if (dim > 8) assert_true(panels_square(dim, panels, x, mean, 0.5 * first, away) == first);
        free(l);
        free(x);
        free(mean);
        free(away);
        free(out);
        free(panels);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vec),
        cmocka_unit_test(test_dot_ignores_alignment),
        cmocka_unit_test(test_factor),
        cmocka_unit_test(test_factor_reports),
        cmocka_unit_test(test_update),
        cmocka_unit_test(test_update_of_a_tiny_factor),
        cmocka_unit_test(test_downdate),
        cmocka_unit_test(test_downdate_limit),
        cmocka_unit_test(test_many_updates),
        cmocka_unit_test(test_triangle),
        cmocka_unit_test(test_the_width_does_not_matter),
        cmocka_unit_test(test_the_order_of_a_blocked_product),
        cmocka_unit_test(test_a_square_of_panels_may_stop_at_a_limit),
    };
    return cmocka_run_group_tests_name("linalg", tests, NULL, NULL);
}
