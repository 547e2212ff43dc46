/* test_shapes.c - shapes that jump must learn: quadratics fitted to evaluations, and Gaussians that are badly conditioned, in any
 * coordinates, from random starts. Seeds are fixed. */
#include "support.h"

#include "ckam.h"
#include "linalg/linalg.h"
#include "mixture/quadratic.h"
#include "rng/rng.h"

#include <math.h>
#include <stdlib.h>

/* -- The fit ------------------------------------------------------------------------------------------------------ */

enum { DIM = 6 };

typedef struct made {
    double  rows[(DIM + 1) * (DIM + 2) * (DIM + QUADRATIC_HEAD)];
    double  mean[DIM], factor[DIM * DIM];
    double *work;
} made;

/* Points around `from`, far from the peak at 1, 2, ...; standard deviations of the Gaussian from 1 to 1e-2. sign: of the curvature along
 * the first axis. */
static quadratic_result fit(made *m, quadratic *q, double sign, double noise) {
    rng r;
    rng_init(&r, 3, 0);
    for (size_t i = 0; i < quadratic_points(DIM); i++) {
        double *row = m->rows + i * (DIM + QUADRATIC_HEAD), *x = row + QUADRATIC_HEAD;
        rng_normals(&r, DIM, x);
        row[QUADRATIC_VALUE] = noise * rng_normal(&r);
        for (size_t k = 0; k < DIM; k++) {
            double precision = pow(10.0, 0.8 * (double)k), from = x[k] - (double)k - 1.0;
            row[QUADRATIC_VALUE] -= 0.5 * (k ? 1.0 : sign) * precision * from * from;
        }
    }
    *q = (quadratic){.mean = m->mean, .factor = m->factor};
    m->work = calloc(quadratic_work(DIM), sizeof(double));
    assert_non_null(m->work);
    quadratic_result result = quadratic_fit(DIM, quadratic_points(DIM), m->rows, m->work, q);
    free(m->work);
    return result;
}

static void a_quadratic_is_found(void **unused) {
    (void)unused;
    made      m;
    quadratic q;
    assert_int_equal(fit(&m, &q, 1.0, 0.0), QUADRATIC_FULL);
    assert_close(q.peak, 0.0, 1e-3);
    assert_less(q.unexplained, 1e-12);
    for (size_t k = 0; k < DIM; k++) {
        assert_close(m.mean[k], (double)k + 1.0, 1e-4);
        assert_close(m.factor[k * DIM + k] * pow(10.0, 0.4 * (double)k), 1.0, 1e-4);
    }
}

/* Where the density rises to both sides there is no length; where there is noise a curvature below it is not known. */
static void what_is_not_known_is_said(void **unused) {
    (void)unused;
    made      m;
    quadratic q;
    assert_int_equal(fit(&m, &q, -1.0, 0.0), QUADRATIC_PARTLY);
    assert_int_equal(fit(&m, &q, 0.0, 1.0), QUADRATIC_PARTLY);
    for (size_t k = 1; k < DIM; k++) assert_true(m.factor[k * DIM + k] > 0.0 && isfinite(m.mean[k]));
    for (size_t i = 0; i < quadratic_points(DIM); i++) /* in a plane */
        for (size_t k = 0; k < DIM; k++)
            m.rows[i * (DIM + QUADRATIC_HEAD) + QUADRATIC_HEAD + k] = k < 2 ? (double)(i * k) : 0.0;
    double work[4 * (DIM + DIM * DIM) + (DIM + 1) * (DIM + 2)];
    assert_int_equal(quadratic_fit(DIM, quadratic_points(DIM), m.rows, work, &q), QUADRATIC_NONE);
}

/* -- Gaussians ---------------------------------------------------------------------------------------------------- */

enum { CHAINS = 4, DRAWS = 10000, DIM_MOST = 20 };

typedef struct gaussian {
    size_t dim;
    double axes[DIM_MOST * DIM_MOST], precision[DIM_MOST]; /* axes in rows */
} gaussian;

static double along(const gaussian *g, size_t k, const double *x) { return vec_dot(g->dim, g->axes + k * g->dim, x); }

static int gaussian_density(void *context, const double *x, double *value) {
    const gaussian *g = context;
    *value = 0.0;
    for (size_t k = 0; k < g->dim; k++) *value -= 0.5 * g->precision[k] * along(g, k, x) * along(g, k, x);
    return CKAM_OK;
}

/* In a random rotation, with variances from 1 to 1 / condition; or along the axes, with units from 1e-3 to 1e3 (condition 0). */
static gaussian make_gaussian(size_t dim, double condition, uint64_t seed) {
    gaussian g = {.dim = dim};
    rng      r;
    rng_init(&r, seed, 7);
    for (size_t k = 0; k < dim; k++) {
        double *axis = g.axes + k * dim;
        g.precision[k] = pow(condition > 0.0 ? condition : 1e12, (double)k / (double)(dim - 1));
        if (condition > 0.0) {
            rng_normals(&r, dim, axis);
            for (size_t i = 0; i < k; i++) vec_axpy(dim, -vec_dot(dim, axis, g.axes + i * dim), g.axes + i * dim, axis);
        } else {
            g.precision[k] *= 1e-6;
            axis[k] = 1.0;
        }
        double norm = sqrt(vec_dot(dim, axis, axis));
        for (size_t i = 0; i < dim; i++) axis[i] /= norm;
    }
    return g;
}

/* R-hat and ESS along the Gaussian's own axes. The medians over other seeds are 19,000 (d = 10) and 13,500 (d = 20), R-hat 1.0003 and
 * 1.0006. */
static void check_gaussian(size_t dim, double condition, uint64_t seed) {
    gaussian    g = make_gaussian(dim, condition, seed);
    ckam_target target = {.dim = dim, .log_density = gaussian_density, .context = &g};
    double     *draws = calloc((size_t)CHAINS * DRAWS * dim, sizeof *draws), *one = calloc(CHAINS * DRAWS, sizeof *one);
    assert_true(draws && one);
    assert_int_equal(ckam_sample(&target, "jump", NULL, seed, CHAINS, DRAWS, draws, NULL), CKAM_OK);
    for (size_t k = 0; k < dim; k++) {
        ckam_summary summary;
        for (size_t i = 0; i < CHAINS * DRAWS; i++) one[i] = along(&g, k, draws + i * dim) * sqrt(g.precision[k]);
        assert_int_equal(ckam_summarise(one, CHAINS, DRAWS, &summary, NULL), CKAM_OK);
        assert_less(summary.rhat, 1.01);
        assert_less(5000.0, summary.ess_bulk);
        assert_close(summary.sd, 1.0, 0.05); /* 7 standard errors of 10,000 draws */
    }
    free(draws);
    free(one);
}

static void badly_conditioned_gaussians_are_easy(void **unused) {
    (void)unused;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        check_gaussian(2, 1e8, seed); /* a narrow ridge */
        check_gaussian(10, 1e4, seed);
        check_gaussian(10, 1e6, seed);
        check_gaussian(10, 0.0, seed);
        check_gaussian(20, 1e6, seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_quadratic_is_found),
                                       cmocka_unit_test(what_is_not_known_is_said),
                                       cmocka_unit_test(badly_conditioned_gaussians_are_easy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
