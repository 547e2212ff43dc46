/* diag.h - statistics of chains: values[chain * rows + row] of one quantity.
 *
 * The definitions are those of R's package posterior; NaN stands for its NA. `work` is room that the caller has from
 * diag_work_create(). */
#ifndef CKAM_DIAG_DIAG_H
#define CKAM_DIAG_DIAG_H

#include "ckam.h"

/* Different from posterior (1.4.0) on purpose:
 * - A NaN anywhere makes all numbers NaN. posterior ignores one in the middle row of an odd number for ess_bulk.
 * - Units do not matter. posterior treats values as equal that differ by less than 2.2e-16.
 * - Below 4 rows R-hat, ESS and mcse_mean are NaN. posterior mistakes chains for rows at 2 and 3 rows.
 * - R-hat is that of the ranks alone where all values are equally far from the median: two chains that stand still in two
 *   places, or as many values 0 as 1. posterior has NA there, if rounding does not make the distances differ.
 * - R-hat is infinite where all chains stand still, not all in one place. posterior has rounding there, some 1e15.
 * The same as in posterior, if unexpected: ess_tail is NaN where 5 % or more of all values are equal to the greatest.
 * Infinite values leave R-hat and ess_bulk, which look at ranks alone, as long as the median is finite. */

typedef struct diag_work diag_work;

/* Work space for any number of calls of the same shape: for 2^20 values 34 bytes per value with one chain, 21 with 4 chains;
 * NULL without memory, and from 2^32 values on. Of the other functions only diag_multi_ess() allocates. */
diag_work *diag_work_create(size_t chains, size_t rows);
void       diag_work_free(diag_work *work);

void diag_summary(diag_work *work, const double *values, ckam_summary *summary);
/* Standard error of the mean: sd / sqrt(ESS of the mean). */
double diag_mcse_mean(diag_work *work, const double *values);
/* Only R-hat and the smaller of ess_bulk and ess_tail, for stop rules. */
void diag_convergence(diag_work *work, const double *values, double *rhat, double *ess);

/* ESS of `dim` quantities together (Vats, Flegal and Jones 2019): N (|Lambda| / |Sigma|)^(1/dim), where Lambda is the
 * covariance of the draws and Sigma that of batch means, in batches of floor(sqrt(rows)), times their length.
 * matrix[(chain * rows + row) * dim + k]. NaN where a determinant is 0 (a quantity is constant, or to 12 digits a linear
 * function of others), where a value is not finite, and where there are not more batches than quantities. */
ckam_status diag_multi_ess(const double *matrix, size_t chains, size_t rows, size_t dim, double *ess,
                           ckam_error *error);

/* Sorts numbers; NaN come last. */
void diag_sort(double *values, size_t count);

#endif
