/* blocked.h - the two operations of cubic cost where matrices are large, for chol.c and lowrank.c. */
#ifndef CKAM_LINALG_BLOCKED_H
#define CKAM_LINALG_BLOCKED_H

#include <float.h>
#include <stdbool.h>
#include <stddef.h>

/* Of a Cholesky factor. NaN and infinity are no pivots. */
static inline bool is_pivot(double value) { return value > 0 && value <= DBL_MAX; }

/* As chol_factor(). */
size_t blocked_factor(size_t dim, double *a);
/* The lower triangle of A A^T. A is order x inner; row i, column k is a[i * row_step + k * column_step], and
 * one of the steps is 1. */
void blocked_product(size_t order, size_t inner, const double *a, size_t row_step, size_t column_step, double *product);

#endif
