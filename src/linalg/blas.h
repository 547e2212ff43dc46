/* blas.h - what is left to OpenBLAS: two operations of cubic cost, where they are large (linalg.h).
 *
 * For chol.c and lowrank.c, and a test. Whatever costs O(dim^2) is faster inline (measured up to order 200, and within a
 * fifth at 512), so nothing else of BLAS is called. linalg_prepare() has to have been called before. */
#ifndef CKAM_LINALG_BLAS_H
#define CKAM_LINALG_BLAS_H

#include "ckam.h"

#include <stddef.h>

/* Takes the functions from the library in this file, for linalg_prepare(), which names the order in its messages. One that cannot
 * be loaded, or is the serial build, is refused, and nothing has changed. */
ckam_status blas_load(const char *file, size_t order, ckam_error *error);
/* As chol_factor(), but a NaN is not noticed. */
size_t blas_factor(size_t dim, double *a);
/* As lowrank_shape(). */
void blas_shape(size_t dim, size_t rank, const double *g, size_t stride, double *shape);

#endif
