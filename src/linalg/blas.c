/* blas.c - the only file that knows OpenBLAS: two operations, and making the library ready. */
#include "linalg/blas.h"

#include "base/error.h"
#include "linalg/linalg.h"

#include <cblas.h>

/* LAPACK's factorisation, which OpenBLAS carries but its header does not declare. The last argument is the length
 * of `uplo`, which Fortran passes behind the others. */
void dpotrf_(const char *uplo, const blasint *n, double *a, const blasint *lda, blasint *info, size_t uplo_length);

/* Chains run in parallel, so a matrix product must not: more threads would only wait for each other. The count is
 * a setting of the whole process and is touched only when it differs. */
ckam_status linalg_prepare(size_t order, ckam_error *error) {
    if (order < LINALG_BLAS_DIM) return CKAM_OK;
    if (openblas_get_parallel() == 0)
        return fail_with(error, CKAM_ERROR_BLAS,
                         "order %zu needs OpenBLAS, and the one loaded (%.60s) is the serial build, which is wrong "
                         "under threads; install the Debian package libopenblas0-pthread",
                         order, openblas_get_config());
    if (openblas_get_num_threads() != 1) openblas_set_num_threads(1);
    return CKAM_OK;
}

size_t blas_factor(size_t dim, double *a) {
    const blasint n = (blasint)dim;
    blasint       info = 0;
    dpotrf_("L", &n, a, &n, &info, 1);
    return (size_t)info;
}

/* G row-major is G^T column-major. */
void blas_shape(size_t dim, size_t rank, const double *g, size_t stride, double *shape) {
    const bool    dual = lowrank_is_dual(dim, rank);
    const blasint order = (blasint)lowrank_order(dim, rank), inner = (blasint)(dual ? dim : rank);
    cblas_dsyrk(CblasColMajor, CblasLower, dual ? CblasNoTrans : CblasTrans, order, inner, 1.0, g, (blasint)stride, 0.0,
                shape, order);
}
