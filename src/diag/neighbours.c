/* neighbours.c - see neighbours.h. */
#include "diag/neighbours.h"

#include "base/wide.h"

#include <math.h>
#include <stdlib.h>

enum { BLOCK = 8 }; /* points that are looked at together */

/* -- One point and many ------------------------------------------------------------------------------------------- */

bool cloud_create(cloud *c, size_t count, size_t dim) {
    *c = (cloud){.count = count, .dim = dim, .room = (count + BLOCK - 1) / BLOCK * BLOCK};
    const size_t planes = (dim + 1) / 2 * 2; /* they are taken in pairs */
    c->planes = calloc(c->room * (planes + 2) + 1, sizeof *c->planes);
    if (!c->planes) return false;
    c->square = c->planes + c->room * planes;
    c->bound = c->square + c->room;
    return true;
}

void cloud_free(cloud *c) {
    free(c->planes);
    *c = (cloud){0};
}

void cloud_fill(cloud *c, const double *rows) {
    const size_t stride = point_stride(c->dim);
    c->rows = rows;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < c->dim; k++) c->planes[k * c->room + i] = rows[i * stride + k];
}

/* out[i] := or += the squares of two coordinates. */
static inline void add_squares(size_t count, const double *restrict p, const double *restrict q, const double x[2],
                               bool first, double *restrict out) {
#pragma omp        simd
    for (size_t i = 0; i < count; i++) {
               double both = (p[i] - x[0]) * (p[i] - x[0]) + (q[i] - x[1]) * (q[i] - x[1]);
               out[i] = first ? both : out[i] + both;
    }
}

WIDE static void distances(size_t dim, size_t room, size_t count, const double *restrict planes,
                           const double *restrict x, double *restrict out) {
    add_squares(count, planes, planes + room, x, true, out);
    for (size_t k = 2; k < dim; k += 2)
        add_squares(count, planes + k * room, planes + (k + 1) * room, x + k, false, out);
#pragma omp simd
    for (size_t i = 0; i < count; i++) out[i] = out[i] < DBL_MAX ? out[i] : DBL_MAX;
}

const double *cloud_distances(const cloud *c, const double *x, size_t before) {
    distances(c->dim, c->room, (before + BLOCK - 1) / BLOCK * BLOCK, c->planes, x, c->square);
    return c->square;
}

/* Where the first block is that has one below its bound or `own`. */
WIDE static size_t first_block(size_t from, size_t before, const double *restrict square, const double *restrict bound,
                               double own) {
    for (; from < before; from += BLOCK) {
        int64_t near = 0;
        for (size_t i = 0; i < BLOCK; i++)
            near |= (int64_t)(square[from + i] < own) | (int64_t)(square[from + i] < bound[from + i]);
        if (near) break;
    }
    return from;
}

size_t cloud_next(const cloud *c, size_t from, size_t before, double own) {
    for (; from < before; from++) {
        if (from % BLOCK == 0) from = first_block(from, before, c->square, c->bound, own);
        if (from < before && (c->square[from] < own || c->square[from] < c->bound[from])) break;
    }
    return from;
}

WIDE static double least(size_t count, const double *values) {
    double lowest[BLOCK], all = HUGE_VAL;
    size_t i = 0;
    for (size_t k = 0; k < BLOCK; k++) lowest[k] = HUGE_VAL;
    for (; i + BLOCK <= count; i += BLOCK) {
#pragma omp simd
        for (size_t k = 0; k < BLOCK; k++) lowest[k] = values[i + k] < lowest[k] ? values[i + k] : lowest[k];
    }
    for (size_t k = 0; k < BLOCK; k++) all = fmin(all, lowest[k]);
    for (; i < count; i++) all = fmin(all, values[i]);
    return all;
}

size_t cloud_nearest(const cloud *c, const double *x) {
    const double *square = cloud_distances(c, x, c->count), nearest = least(c->count, square);
    size_t        i = 0;
    while (square[i] != nearest) i++;
    return i;
}

/* -- Neighbours --------------------------------------------------------------------------------------------------- */

void neighbours_insert(size_t k, uint32_t *index, double *square, uint32_t who, double distance) {
    size_t j = k - 1;
    for (; j > 0 && distance < square[j - 1]; j--) {
        square[j] = square[j - 1];
        index[j] = index[j - 1];
    }
    square[j] = distance;
    index[j] = who;
}

/* The bound of a point is the distance to the last of its neighbours so far. */
void neighbours_find(const cloud *c, size_t k, uint32_t *index, double *square) {
    const size_t stride = point_stride(c->dim), last = k - 1;
    for (size_t i = 0; i < c->count * k; i++) square[i] = HUGE_VAL;
    for (size_t i = 0; i < c->count; i++) {
        const double *distance = cloud_distances(c, c->rows + i * stride, i);
        c->bound[i] = HUGE_VAL;
        for (size_t j = 0; (j = cloud_next(c, j, i, c->bound[i])) < i; j++) {
            if (distance[j] < c->bound[i])
                neighbours_insert(k, index + i * k, square + i * k, (uint32_t)j, distance[j]);
            if (distance[j] < c->bound[j])
                neighbours_insert(k, index + j * k, square + j * k, (uint32_t)i, distance[j]);
            c->bound[i] = square[i * k + last];
            c->bound[j] = square[j * k + last];
        }
    }
}
