/* neighbours.h - the nearest neighbours of every one of some points, by comparing all pairs.
 *
 * For subspace.c and cluster.c. */
#ifndef CKAM_DIAG_NEIGHBOURS_H
#define CKAM_DIAG_NEIGHBOURS_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>

/* Points are rows of `stride` numbers, a multiple of this; what is beyond their dimension is 0. */
enum { POINT_LANES = 8 };

static inline size_t point_stride(size_t dim) { return (dim + POINT_LANES - 1) / POINT_LANES * POINT_LANES; }

/* Squared; what is too large for that, or no number, is DBL_MAX: every point has neighbours, and every gap a nearest one. The
 * lanes are sums of their own, so that the loop is vector code without reordering. */
static inline double point_distance(size_t stride, const double *a, const double *b) {
    double sum[POINT_LANES] = {0};
    for (size_t i = 0; i < stride; i += POINT_LANES)
        for (size_t k = 0; k < POINT_LANES; k++) sum[k] += (a[i + k] - b[i + k]) * (a[i + k] - b[i + k]);
    double all = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
    return all < DBL_MAX ? all : DBL_MAX;
}

/* Puts a point into the sorted list of the k nearest; it must be nearer than the last of them. */
void neighbours_insert(size_t k, uint32_t *index, double *square, uint32_t who, double distance);

/* index[i * k + j] and square[i * k + j]: the j-th nearest other point of i, and its squared distance; k < count. */
void neighbours_find(size_t count, size_t stride, const double *points, size_t k, uint32_t *index, double *square);

#endif
