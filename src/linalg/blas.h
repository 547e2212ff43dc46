/* blas.h - what is left to OpenBLAS: two operations of cubic cost, where they are large (linalg.h).
 *
 * For chol.c and lowrank.c only. Whatever costs O(dim^2) is faster inline (measured up to order 200, and within a
 * fifth at 512), so nothing else of BLAS is called. linalg_prepare() has to have been called before. */
#ifndef CKAM_LINALG_BLAS_H
#define CKAM_LINALG_BLAS_H

#include <stddef.h>

/* As chol_factor(), but a NaN is not noticed. */
size_t blas_factor(size_t dim, double *a);
/* As lowrank_shape(). */
void blas_shape(size_t dim, size_t rank, const double *g, size_t stride, double *shape);

#endif
