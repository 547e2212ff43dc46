/* multi_ess.h - what the joint ESS of stored rows (diag_multi_ess()) and of a running chain (batches.h) share. */
#ifndef CKAM_DIAG_MULTI_ESS_H
#define CKAM_DIAG_MULTI_ESS_H

#include <stddef.h>
#include <stdint.h>

/* log det of scatter / (count - 1), count > 1. `scatter` is the sum of (x - mean) (x - mean)^T over `count` rows, its
 * lower triangle by columns, and is used up. NaN where the determinant is 0 (to 12 digits a quantity is a linear function
 * of others) or not finite. variance: room for dim numbers. */
double multi_ess_log_det(size_t dim, uint64_t count, double *scatter, double *variance);

#endif
