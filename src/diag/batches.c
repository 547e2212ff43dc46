/* batches.c - see batches.h.
 *
 * Everything is taken relative to the first row: sums of values that are large and close together keep their digits. */
#include "diag/batches.h"

#include "base/block.h"
#include "diag/multi_ess.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 8192 }; /* even: they are merged two by two */

/* Mean and scatter of rows that come one by one (Welford); of the scatter the lower triangle. */
typedef struct moments {
    uint64_t count;
    double  *mean, *scatter;
} moments;

struct batches {
    size_t   dim;
    uint64_t length; /* rows in a group */
    size_t   groups; /* full ones; the one being filled stands behind them */
    uint64_t filled; /* rows in that one */
    moments  rows;
    moments  means;                      /* of batches; made anew on request */
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

batches *batches_create(size_t dim) {
    size_t       end = sizeof(batches);
    const size_t vectors = block_take(&end, 5, dim), scatters = block_take(&end, 2 * dim, dim),
                 sums = block_take(&end, GROUPS, dim);
    batches *b = end < SIZE_MAX ? calloc(1, end) : NULL;
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

void batches_free(batches *b) { free(b); }

/* Adds the groups pairwise. Group i goes where group 2 i was or before it, so nothing unread is overwritten. */
static void merge(batches *b) {
    const size_t dim = b->dim;
    for (size_t i = 0; i < GROUPS / 2; i++)
        for (size_t k = 0; k < dim; k++)
            b->sums[i * dim + k] = b->sums[2 * i * dim + k] + b->sums[(2 * i + 1) * dim + k];
    b->groups = GROUPS / 2;
    b->length *= 2;
}

void batches_add(batches *b, const double *x) {
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
static void measure_means(batches *b, size_t count, size_t joined) {
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

double batches_multi_ess(batches *b) {
    const size_t   dim = b->dim;
    const uint64_t rows = b->rows.count, root = (uint64_t)sqrt((double)rows);
    const size_t   nearest = (size_t)((root + b->length / 2) / b->length), joined = nearest > 0 ? nearest : 1;
    const size_t   count = b->groups / joined;
    if (dim == 0 || count <= dim) return (double)NAN;
    double *scatter = b->means.scatter; /* for the rows first, because the determinant uses it up */
    memcpy(scatter, b->rows.scatter, dim * dim * sizeof *scatter);
    const double lambda = multi_ess_log_det(dim, rows, scatter, b->spare);
    measure_means(b, count, joined);
    const double sigma =
        multi_ess_log_det(dim, count, scatter, b->spare) + (double)dim * log((double)joined * (double)b->length);
    return (double)rows * exp((lambda - sigma) / (double)dim);
}
