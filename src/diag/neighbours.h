/* neighbours.h - distances between points, and the nearest neighbours of every one of them, by comparing all pairs.
 *
 * For find_modes.c and what it calls. */
#ifndef CKAM_DIAG_NEIGHBOURS_H
#define CKAM_DIAG_NEIGHBOURS_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* -- Two points --------------------------------------------------------------------------------------------------- */

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

/* -- One point and many ------------------------------------------------------------------------------------------- */

/* Points stored by coordinate (structure of arrays), so that the distances to all of them are long vector loops. */
typedef struct cloud {
    size_t        count, dim, room; /* room: of a plane, count or a bit more */
    const double *rows;             /* the points as they were given, rows of point_stride(dim) numbers: borrowed */
    double       *planes;           /* coordinate k of point i: planes[k * room + i] */
    double       *square, *bound;   /* room numbers each: the distances that were asked for last; for callers */
} cloud;

/* False: no memory. cloud_free() accepts a cloud after that, or a zeroed one. */
bool cloud_create(cloud *c, size_t count, size_t dim);
void cloud_free(cloud *c);
/* Copies the points from these rows; to be called again when they have changed. */
void cloud_fill(cloud *c, const double *rows);

/* The squared distances of x, a row, to the points 0 .. before-1, as in point_distance() but for the order of the sums. They
 * are there until the next call. */
const double *cloud_distances(const cloud *c, const double *x, size_t before);
/* After cloud_distances(): the next point from `from` on whose squared distance to x is below its c->bound or below `own`;
 * `before` or more where there is none. */
size_t cloud_next(const cloud *c, size_t from, size_t before, double own);
/* The point that is nearest to x; the first of several. */
size_t cloud_nearest(const cloud *c, const double *x);

/* -- Neighbours --------------------------------------------------------------------------------------------------- */

/* Puts a point into the sorted list of the k nearest; it must be nearer than the last of them. */
void neighbours_insert(size_t k, uint32_t *index, double *square, uint32_t who, double distance);

/* index[i * k + j] and square[i * k + j]: the j-th nearest other point of i, and its squared distance; k < count. */
void neighbours_find(const cloud *c, size_t k, uint32_t *index, double *square);

#endif
