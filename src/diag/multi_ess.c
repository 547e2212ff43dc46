/* multi_ess.c - ESS of several quantities together: diag_multi_ess() of diag.h.
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

/* Below this share of a quantity's variance, what the quantities before it leave unexplained is rounding. */
#define LEAST_SHARE 1e-12

/* The mean of `count` rows, from the first of them on: exact where all are equal. */
static void mean_row(const double *rows, size_t count, size_t dim, double *restrict mean) {
    memset(mean, 0, dim * sizeof *mean);
    for (size_t i = 1; i < count; i++)
        for (size_t k = 0; k < dim; k++) mean[k] += rows[i * dim + k] - rows[k];
    for (size_t k = 0; k < dim; k++) mean[k] = rows[k] + mean[k] / (double)count;
}

double multi_ess_log_det(size_t dim, uint64_t count, double *scatter, double *variance) {
    for (size_t k = 0; k < dim; k++) variance[k] = scatter[k * dim + k];
    if (chol_factor(dim, scatter) > 0) return (double)NAN;
    for (size_t k = 0; k < dim; k++) {
        const double pivot = scatter[k * dim + k];
        if (pivot * pivot < LEAST_SHARE * variance[k]) return (double)NAN;
    }
    return chol_log_det(dim, scatter) - (double)dim * log((double)(count - 1));
}

/* log det of the covariance of `count` rows, as multi_ess_log_det() gives it. work: dim * (dim + 3). */
static double log_det_covariance(const double *rows, size_t count, size_t dim, double *work) {
    double *mean = work, *away = mean + dim, *variance = away + dim, *scatter = variance + dim;
    mean_row(rows, count, dim, mean);
    memset(scatter, 0, dim * dim * sizeof *scatter);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < dim; k++) away[k] = rows[i * dim + k] - mean[k];
        for (size_t k = 0; k < dim; k++) vec_axpy(dim - k, away[k], away + k, scatter + k * dim + k);
    }
    return multi_ess_log_det(dim, count, scatter, variance);
}

/* Rows that do not fill a batch at the end of a chain are left out. */
static void batch_rows(const double *matrix, size_t chains, size_t rows, size_t dim, size_t length, double *batches) {
    for (size_t chain = 0; chain < chains; chain++)
        for (size_t start = 0; start + length <= rows; start += length, batches += dim)
            mean_row(matrix + (chain * rows + start) * dim, length, dim, batches);
}

ckam_status diag_multi_ess(const double *matrix, size_t chains, size_t rows, size_t dim, double *ess,
                           ckam_error *error) {
    const size_t length = (size_t)sqrt((double)rows), count = length > 0 ? chains * (rows / length) : 0;
    size_t       end = 0;
    *ess = (double)NAN;
    if (dim == 0 || count <= dim) return CKAM_OK;
    const size_t batches = block_take(&end, count, dim), work = block_take(&end, dim, dim + 3);
    double      *room = end < SIZE_MAX ? calloc(1, end) : NULL;
    if (!room)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the joint ESS of %zu parameters", dim);
    batch_rows(matrix, chains, rows, dim, length, block_at(room, batches));
    const double lambda = log_det_covariance(matrix, chains * rows, dim, block_at(room, work));
    const double sigma = log_det_covariance(block_at(room, batches), count, dim, block_at(room, work)) +
                         (double)dim * log((double)length);
    free(room);
    *ess = (double)(chains * rows) * exp((lambda - sigma) / (double)dim);
    return CKAM_OK;
}
