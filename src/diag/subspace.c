/* subspace.c - see subspace.h.
 *
 * Points are whitened by W, the scatter of the normalised differences of near points. Then the directions are kept in which
 * any two points differ most: groups that are separated are far apart in them, in many dimensions too. */
#include "diag/subspace.h"

#include "base/error.h"
#include "diag/diag.h"
#include "diag/neighbours.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    WHITEN_DIM = 64, /* beyond, W is diagonal */
    WHITEN_TIMES = 2,
    NEAR = 5,       /* neighbours of a point that count as near */
    ITERATIONS = 15 /* for the directions */
};
#define SCALE_SHARE 0.02 /* of the points, in the shortest interval that measures the scale of a coordinate */

typedef struct work {
    size_t    count, dim, stride;
    double   *points; /* count rows of stride numbers */
    cloud     cloud;  /* where W is not diagonal: the same */
    double   *column, *next, *scale;
    double   *within, *basis, *square; /* only where W is not diagonal: W, the rows of the whitening map, distances */
    uint32_t *index;
} work;

/* Length of the shortest interval with a share of the values, which are sorted. Where so many are equal the share is
 * doubled; 0 where all are. Unlike the standard deviation it does not grow with the distance of groups. */
static double shortest(size_t count, const double *sorted) {
    double least = 0.0;
    for (size_t in = (size_t)(SCALE_SHARE * (double)count) + 10; least <= 0.0; in *= 2) {
        if (in > count) in = count;
        least = HUGE_VAL;
        for (size_t i = 0; i + in <= count; i++) least = fmin(least, sorted[i + in - 1] - sorted[i]);
        if (in == count) break;
    }
    return least;
}

/* Centre and scale of each coordinate, taken out of the points. A coordinate that does not vary becomes 0. */
static void standardise(work *w, double *centre) {
    for (size_t k = 0; k < w->dim; k++) {
        for (size_t i = 0; i < w->count; i++) w->column[i] = w->points[i * w->stride + k];
        diag_sort(w->column, w->count);
        centre[k] = w->column[w->count / 2];
        double length = shortest(w->count, w->column);
        w->scale[k] = length > 0.0 ? 1.0 / length : 0.0;
        if (!isfinite(w->scale[k])) w->scale[k] = 0.0;
        for (size_t i = 0; i < w->count; i++) {
            double *x = w->points + i * w->stride + k;
            *x = (*x - centre[k]) * w->scale[k];
        }
    }
}

/* W += u u^T / |u|^2 for the difference u of two points, normalised so that no outlier dominates. False where the points are
 * equal or their distance overflows. */
static bool add_pair(const work *w, const double *a, const double *b) {
    double square = point_distance(w->stride, a, b), *u = w->column;
    if (!(square > 0.0 && square < DBL_MAX)) return false;
    for (size_t k = 0; k < w->dim; k++) u[k] = a[k] - b[k];
    for (size_t k = 0; k < w->dim; k++) vec_axpy(w->dim - k, u[k] / square, u + k, w->within + k * w->dim + k);
    return true;
}

/* W in the present coordinates, from near points. Off its diagonal it is shrunk, because it has few points a dimension;
 * that also gives it a factor where coordinates depend on each other. */
static void measure_within(work *w) {
    const size_t dim = w->dim;
    const double keep = fmax(0.0, 1.0 - 4.0 * (double)dim / (double)w->count);
    double       pairs = 0.0;
    memset(w->within, 0, dim * dim * sizeof *w->within);
    cloud_fill(&w->cloud, w->points);
    neighbours_find(&w->cloud, NEAR, w->index, w->square);
    for (size_t i = 0; i < w->count * NEAR; i++)
        if (add_pair(w, w->points + i / NEAR * w->stride, w->points + w->index[i] * w->stride)) pairs += 1.0;
    for (size_t k = 0; k < dim; k++) {
        double *column = w->within + k * dim;
        for (size_t j = k; j < dim; j++) column[j] *= (j == k ? 1.0 : keep) * (double)dim / pairs;
        if (!(column[k] > 0.0)) column[k] = 1.0; /* near points do not differ */
    }
}

/* Whitens, with W = L L^T: x := L^-1 x, for the points and for the rows of the map. */
static void whiten(work *w) {
    for (size_t k = 0; k < w->dim; k++) w->basis[k * w->dim + k] = 1.0;
    for (int time = 0; time < WHITEN_TIMES; time++) {
        measure_within(w);
        if (chol_factor(w->dim, w->within)) return;
        for (size_t i = 0; i < w->count; i++) tri_solve(w->dim, w->within, w->points + i * w->stride);
        for (size_t k = 0; k < w->dim; k++) tri_solve(w->dim, w->within, w->basis + k * w->dim);
    }
}

/* Orthonormal columns; one that depends on the others becomes 0. v is row-major. */
static void orthonormalise(size_t dim, size_t rank, double *v) {
    for (size_t c = 0; c < rank; c++) {
        double before = 0.0, length = 0.0;
        for (size_t k = 0; k < dim; k++) before += v[k * SUBSPACE_DIM + c] * v[k * SUBSPACE_DIM + c];
        for (size_t b = 0; b < c; b++) {
            double dot = 0.0;
            for (size_t k = 0; k < dim; k++) dot += v[k * SUBSPACE_DIM + b] * v[k * SUBSPACE_DIM + c];
            for (size_t k = 0; k < dim; k++) v[k * SUBSPACE_DIM + c] -= dot * v[k * SUBSPACE_DIM + b];
        }
        for (size_t k = 0; k < dim; k++) length += v[k * SUBSPACE_DIM + c] * v[k * SUBSPACE_DIM + c];
        double factor = length > 1e-20 * before ? 1.0 / sqrt(length) : 0.0;
        for (size_t k = 0; k < dim; k++) v[k * SUBSPACE_DIM + c] *= factor;
    }
}

/* out += u u^T v / |u|^2 for the difference u of two points. */
static void add_product(const work *w, const double *a, const double *b, const double *v, double *out) {
    double square = point_distance(w->stride, a, b), dot[SUBSPACE_DIM] = {0};
    if (!(square > 0.0 && square < DBL_MAX)) return;
    for (size_t k = 0; k < w->dim; k++)
        for (size_t c = 0; c < SUBSPACE_DIM; c++) dot[c] += (a[k] - b[k]) * v[k * SUBSPACE_DIM + c];
    for (size_t c = 0; c < SUBSPACE_DIM; c++) dot[c] /= square;
    for (size_t k = 0; k < w->dim; k++)
        for (size_t c = 0; c < SUBSPACE_DIM; c++) out[k * SUBSPACE_DIM + c] += (a[k] - b[k]) * dot[c];
}

/* A point that is likely to be far: of another chain, or of another part of the same one. */
static const double *far_point(const work *w, size_t i, size_t which) {
    static const double shift[] = {0.5, 0.309};
    return w->points + (i + (size_t)(shift[which] * (double)w->count)) % w->count * w->stride;
}

/* The first eigenvectors of sum u u^T / |u|^2 over pairs of points, by orthogonal iteration. */
static void find_directions(const work *w, size_t rank, double *v, double *next) {
    const size_t bytes = w->dim * SUBSPACE_DIM * sizeof *v;
    memset(v, 0, bytes);
    for (size_t k = 0; k < w->dim; k++) /* a start that is orthogonal to no direction */
        for (size_t c = 0; c < rank; c++)
            v[k * SUBSPACE_DIM + c] = w->dim == rank ? k == c : cos((double)(k * (c + 1)));
    for (int time = 0; time < ITERATIONS && w->dim > rank; time++) {
        orthonormalise(w->dim, rank, v);
        memset(next, 0, bytes);
        for (size_t i = 0; i < w->count; i++)
            for (size_t which = 0; which < 2; which++)
                add_product(w, w->points + i * w->stride, far_point(w, i, which), v, next);
        memcpy(v, next, bytes);
    }
    orthonormalise(w->dim, rank, v);
}

static bool reserve(work *w, subspace *s, bool whole) {
    const size_t dim = w->dim, matrix = whole ? dim * dim : 0, pairs = whole ? w->count * NEAR : 0;
    s->centre = malloc(dim * (1 + SUBSPACE_DIM) * sizeof *s->centre);
    w->column =
        calloc((w->count > dim ? w->count : dim) + dim * (1 + SUBSPACE_DIM) + 2 * matrix + pairs, sizeof *w->column);
    w->index = malloc((pairs + 1) * sizeof *w->index);
    if (!s->centre || !w->column || !w->index || (whole && !cloud_create(&w->cloud, w->count, dim))) return false;
    s->map = s->centre + dim;
    w->next = w->column + (w->count > dim ? w->count : dim);
    w->scale = w->next + dim * SUBSPACE_DIM;
    w->within = w->scale + dim;
    w->basis = w->within + matrix;
    w->square = w->basis + matrix;
    return true;
}

/* The map to the directions, back in the units of the points. */
static void finish_map(const work *w, subspace *s, bool whole) {
    double *row = w->next;
    for (size_t k = 0; k < w->dim; k++) {
        memcpy(row, s->map + k * SUBSPACE_DIM, SUBSPACE_DIM * sizeof *row);
        if (whole) {
            memset(row, 0, SUBSPACE_DIM * sizeof *row);
            for (size_t j = 0; j < w->dim; j++)
                vec_axpy(SUBSPACE_DIM, w->basis[k * w->dim + j], s->map + j * SUBSPACE_DIM, row);
        }
        row += SUBSPACE_DIM;
    }
    for (size_t k = 0; k < w->dim; k++)
        for (size_t c = 0; c < SUBSPACE_DIM; c++)
            s->map[k * SUBSPACE_DIM + c] = w->scale[k] * w->next[k * SUBSPACE_DIM + c];
}

static void find(work *w, subspace *s, bool whole, double *out) {
    standardise(w, s->centre);
    if (whole) whiten(w);
    find_directions(w, s->rank, s->map, w->next);
    memset(out, 0, w->count * SUBSPACE_DIM * sizeof *out);
    for (size_t i = 0; i < w->count; i++)
        for (size_t k = 0; k < w->dim; k++)
            vec_axpy(SUBSPACE_DIM, w->points[i * w->stride + k], s->map + k * SUBSPACE_DIM, out + i * SUBSPACE_DIM);
    finish_map(w, s, whole);
}

ckam_status subspace_find(subspace *s, size_t count, size_t dim, double *points, double *out, ckam_error *error) {
    const bool  whole = dim > 1 && dim <= WHITEN_DIM && count > NEAR;
    work        w = {.count = count, .dim = dim, .stride = point_stride(dim)};
    ckam_status status = CKAM_OK;
    w.points = points;
    *s = (subspace){.dim = dim, .rank = dim < SUBSPACE_DIM ? dim : SUBSPACE_DIM};
    if (reserve(&w, s, whole))
        find(&w, s, whole, out);
    else {
        subspace_free(s);
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to look for modes in %zu dimensions", dim);
    }
    cloud_free(&w.cloud);
    free(w.column);
    free(w.index);
    return status;
}

void subspace_free(subspace *s) {
    free(s->centre);
    s->centre = s->map = NULL;
}

void subspace_map(const subspace *s, const double *point, double *out) {
    memset(out, 0, SUBSPACE_DIM * sizeof *out);
    for (size_t k = 0; k < s->dim; k++) vec_axpy(SUBSPACE_DIM, point[k] - s->centre[k], s->map + k * SUBSPACE_DIM, out);
}
