/* memory_of_modes.h - a memory of jump made by hand, for its tests. Include it behind support.h. */
#ifndef CKAM_TESTS_MEMORY_OF_MODES_H
#define CKAM_TESTS_MEMORY_OF_MODES_H

#include "mixture/mixture.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* An empty one; free() it. */
static inline mixture *memory_make(size_t dim) {
    size_t   size = (mixture_size(dim) + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    mixture *m = aligned_alloc(BLOCK_ALIGNMENT, size);
    assert_non_null(m);
    memset(m, 0, size);
    mixture_begin(m, dim, NULL);
    return m;
}

/* A component with the factor `factor` (dim^2 numbers, a lower triangle by columns), or, if that is NULL, `deviation`
 * in every coordinate. Weights need not sum to 1. Returns its index. */
static inline size_t memory_add(mixture *m, const double *mean, const double *factor, double deviation, double weight) {
    size_t j = mixture_add(m), dim = m->dim;
    assert_true(j < m->capacity);
    memcpy(mixture_mean(m, j), mean, dim * sizeof *mean);
    memset(mixture_factor(m, j), 0, dim * dim * sizeof *factor);
    if (factor) memcpy(mixture_factor(m, j), factor, dim * dim * sizeof *factor);
    for (size_t k = 0; k < dim && !factor; k++) mixture_factor(m, j)[k * dim + k] = deviation;
    mixture_prepare(m, j);
    m->at[j].weight = weight;
    mixture_normalise(m);
    return j;
}

/* out := a lower triangle with a positive diagonal, of numbers that depend on `seed`. */
static inline void make_triangle(size_t dim, uint64_t seed, double *out) {
    rng r;
    rng_init(&r, seed, 0);
    memset(out, 0, dim * dim * sizeof *out);
    for (size_t k = 0; k < dim; k++)
        for (size_t i = k; i < dim; i++) out[k * dim + i] = i == k ? 0.5 + rng_uniform(&r) : rng_normal(&r) * 0.4;
}

#endif
