/* linalg_reference.h - slow, obvious linear algebra in long double, for test_linalg.c and test_lowrank.c.
 *
 * Column-major, as in linalg.h. Include it behind support.h. */
#ifndef CKAM_TESTS_LINALG_REFERENCE_H
#define CKAM_TESTS_LINALG_REFERENCE_H

#include "rng/rng.h"

#include <math.h>
#include <stdlib.h>

static inline void *take(size_t count, size_t size) {
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

/* Without rounding. */
static inline long double product(double a, double b) { return (long double)a * (long double)b; }

static inline double *doubles(size_t count) { return take(count, sizeof(double)); }

static inline rng numbers(uint64_t seed) {
    rng r;
    rng_init(&r, seed, 0);
    rng_at(&r, 0, RNG_STEP);
    return r;
}

/* l := Cholesky factor of a, textbook, lower triangle, column-major. */
static inline void slow_factor(size_t dim, const long double *a, long double *l) {
    for (size_t j = 0; j < dim; j++)
        for (size_t i = j; i < dim; i++) {
            long double sum = a[j * dim + i];
            for (size_t k = 0; k < j; k++) sum -= l[k * dim + i] * l[k * dim + j];
            l[j * dim + i] = i == j ? sqrtl(sum) : sum / l[j * dim + j];
        }
}

/* a := gamma^2 I + nu^2 G G^T, dense. */
static inline void slow_covariance(size_t dim, size_t rank, const double *g, size_t stride, double gamma, double nu,
                                   long double *a) {
    for (size_t j = 0; j < dim; j++)
        for (size_t i = 0; i < dim; i++) {
            long double sum = 0;
            for (size_t k = 0; k < rank; k++) sum += product(g[i * stride + k], g[j * stride + k]);
            a[j * dim + i] = sum * product(nu, nu) + (i == j ? product(gamma, gamma) : 0);
        }
}

#endif
