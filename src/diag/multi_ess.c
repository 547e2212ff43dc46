/* multi_ess.c - multivariate ESS by batch means: diag_multi_ess() of diag.h for stored rows, multi_ess.h for a running chain.
 *
 * D. Vats, J. M. Flegal and G. L. Jones (2019), Multivariate output analysis for Markov chain Monte Carlo, Biometrika 106,
 * 321-337. Batches of several chains are pooled. */
#include "diag/multi_ess.h"

#include "base/block.h"
#include "base/error.h"
#include "diag/diag.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A residual variance below this share of the variance, given the quantities before, is rounding error. */
#define LEAST_SHARE 1e-12

/* The mean of `count` rows, from the first of them on: exact where all are equal. */
static void mean_row(const double *rows, size_t count, size_t dim, double *restrict mean) {
    memset(mean, 0, dim * sizeof *mean);
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < dim; k++) mean[k] += rows[i * dim + k] - rows[k];
    for (size_t k = 0; k < dim; k++) mean[k] = rows[k] + mean[k] / (double)count;
}

/* log det of scatter / (count - 1), count > 1. `scatter` is the sum of (x - mean) (x - mean)^T over `count` rows, its
 * lower triangle by columns, and is overwritten. NaN where the determinant is 0 (to 12 digits a quantity is a linear
 * function of others) or not finite. variance: room for dim numbers. */
static double log_det(size_t dim, uint64_t count, double *scatter, double *variance) {
    for (size_t k = 0; k < dim; k++) variance[k] = scatter[k * dim + k];
    if (chol_factor(dim, scatter) > 0) return (double)NAN;
    for (size_t k = 0; k < dim; k++) {
        const double pivot = scatter[k * dim + k];
        if (pivot * pivot < LEAST_SHARE * variance[k]) return (double)NAN;
    }
    return chol_log_det(dim, scatter) - (double)dim * log((double)(count - 1));
}

/* log det of the covariance of `count` rows, as log_det() gives it. work: dim * (dim + 3). */
static double log_det_covariance(const double *rows, size_t count, size_t dim, double *work) {
    double *mean = work, *away = mean + dim, *variance = away + dim, *scatter = variance + dim;
    mean_row(rows, count, dim, mean);
    memset(scatter, 0, dim * dim * sizeof *scatter);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < dim; k++) away[k] = rows[i * dim + k] - mean[k];
        for (size_t k = 0; k < dim; k++) vec_axpy(dim - k, away[k], away + k, scatter + k * dim + k);
    }
    return log_det(dim, count, scatter, variance);
}

/* Rows that do not fill a batch at the end of a chain are left out. */
static void batch_rows(const double *matrix, size_t chains, size_t rows, size_t dim, size_t length, double *means) {
    for (size_t chain = 0; chain < chains; chain++)
        for (size_t start = 0; start + length <= rows; start += length, means += dim)
            mean_row(matrix + (chain * rows + start) * dim, length, dim, means);
}

ckam_status diag_multi_ess(const double *matrix, size_t chains, size_t rows, size_t dim, double *ess,
                           ckam_error *error) {
    const size_t length = (size_t)sqrt((double)rows), count = length > 0 ? chains * (rows / length) : 0;
    size_t       end = 0;
    *ess = (double)NAN;
    if (dim == 0 || count <= dim) return CKAM_OK;
    const size_t means = block_take(&end, count, dim), work = block_take(&end, dim, dim + 3);
    double      *room = end < SIZE_MAX ? calloc(1, end) : NULL;
    if (!room)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the joint ESS of %zu parameters", dim);
    batch_rows(matrix, chains, rows, dim, length, block_at(room, means));
    const double lambda = log_det_covariance(matrix, chains * rows, dim, block_at(room, work));
    const double sigma =
        log_det_covariance(block_at(room, means), count, dim, block_at(room, work)) + (double)dim * log((double)length);
    free(room);
    *ess = (double)(chains * rows) * exp((lambda - sigma) / (double)dim);
    return CKAM_OK;
}

/* -- A running chain ---------------------------------------------------------------------------------------------- */

/* Sums are of differences from the first row: values that are large and close together keep their digits. */

enum { GROUPS = 8192 }; /* even, because they are merged in pairs */

/* Mean and scatter of rows that come one by one (Welford); of the scatter the lower triangle. */
typedef struct moments {
    uint64_t count;
    double  *mean, *scatter;
} moments;

struct running_ess {
    size_t   dim;
    uint64_t length; /* rows in a group */
    size_t   groups; /* complete ones; the one being filled comes after them */
    uint64_t filled; /* rows in that one */
    moments  rows;
    moments  means;                      /* of batches; computed on request */
    double  *first, *sums, *row, *spare; /* sums: one row of dim numbers a group */
};

/* away: room for dim numbers. */
static void add_to_moments(moments *m, size_t dim, const double *restrict x, double *restrict away) {
    const double n = (double)++m->count, weight = (n - 1.0) / n;
    for (size_t k = 0; k < dim; k++) {
        away[k] = x[k] - m->mean[k];
        m->mean[k] += away[k] / n;
    }
    for (size_t k = 0; k < dim; k++) vec_axpy(dim - k, weight * away[k], away + k, m->scatter + k * dim + k);
}

running_ess *running_ess_create(size_t dim) {
    size_t       end = sizeof(running_ess);
    const size_t vectors = block_take(&end, 5, dim), scatters = block_take(&end, 2 * dim, dim),
                 sums = block_take(&end, GROUPS, dim);
    running_ess *b = end < SIZE_MAX ? calloc(1, end) : NULL;
    if (!b) return NULL;
    b->dim = dim;
    b->length = 1;
    b->first = block_at(b, vectors);
    b->row = b->first + dim;
    b->spare = b->row + dim;
    b->rows.mean = b->spare + dim;
    b->means.mean = b->rows.mean + dim;
    b->rows.scatter = block_at(b, scatters);
    b->means.scatter = b->rows.scatter + dim * dim;
    b->sums = block_at(b, sums);
    return b;
}

void running_ess_free(running_ess *b) { free(b); }

/* Adds the groups pairwise. Group i goes where group 2 i was or before it, so nothing unread is overwritten. */
static void merge(running_ess *b) {
    const size_t dim = b->dim;
    for (size_t i = 0; i < GROUPS / 2; i++)
        for (size_t k = 0; k < dim; k++)
            b->sums[i * dim + k] = b->sums[2 * i * dim + k] + b->sums[(2 * i + 1) * dim + k];
    b->groups = GROUPS / 2;
    b->length *= 2;
}

void running_ess_add(running_ess *b, const double *x) {
    const size_t dim = b->dim;
    if (b->rows.count == 0) memcpy(b->first, x, dim * sizeof *x);
    if (b->groups == GROUPS) merge(b);
    double *sum = b->sums + b->groups * dim;
    if (b->filled == 0) memset(sum, 0, dim * sizeof *sum);
    for (size_t k = 0; k < dim; k++) {
        b->row[k] = x[k] - b->first[k];
        sum[k] += b->row[k];
    }
    add_to_moments(&b->rows, dim, b->row, b->spare);
    if (++b->filled < b->length) return;
    b->groups++;
    b->filled = 0;
}

/* Moments of the means of `count` batches of `joined` groups each. */
static void measure_means(running_ess *b, size_t count, size_t joined) {
    const size_t dim = b->dim;
    const double scale = 1.0 / ((double)joined * (double)b->length);
    b->means.count = 0;
    memset(b->means.mean, 0, dim * sizeof(double));
    memset(b->means.scatter, 0, dim * dim * sizeof(double));
    for (size_t i = 0; i < count; i++) {
        const double *sums = b->sums + i * joined * dim;
        memset(b->row, 0, dim * sizeof(double));
        for (size_t j = 0; j < joined; j++) vec_axpy(dim, scale, sums + j * dim, b->row);
        add_to_moments(&b->means, dim, b->row, b->spare);
    }
}

double running_ess_value(running_ess *b) {
    const size_t   dim = b->dim;
    const uint64_t rows = b->rows.count, root = (uint64_t)sqrt((double)rows);
    const size_t   nearest = (size_t)((root + b->length / 2) / b->length), joined = nearest > 0 ? nearest : 1;
    const size_t   count = b->groups / joined;
    if (dim == 0 || count <= dim) return (double)NAN;
    double *scatter = b->means.scatter; /* for the rows first, because the determinant uses it up */
    memcpy(scatter, b->rows.scatter, dim * dim * sizeof *scatter);
    const double lambda = log_det(dim, rows, scatter, b->spare);
    measure_means(b, count, joined);
    const double sigma = log_det(dim, count, scatter, b->spare) + (double)dim * log((double)joined * (double)b->length);
    return (double)rows * exp((lambda - sigma) / (double)dim);
}
