/* blas.c - the only file that knows OpenBLAS: two operations, and making the library ready.
 *
 * It is loaded when it is needed first: that takes 4 ms and starts threads. Its functions are the one thing that is kept
 * for the whole process; they are written once, before anybody may call them. */
#include "linalg/blas.h"

#include "base/error.h"
#include "base/library.h"
#include "linalg/linalg.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>

/* LAPACK's factorisation, which OpenBLAS carries but its header does not declare. The last argument is the length
 * of `uplo`, which Fortran passes behind the others. */
typedef void factorisation(const char *uplo, const blasint *n, double *a, const blasint *lda, blasint *info,
                           size_t uplo_length);

typedef struct functions {
    factorisation                        *dpotrf;
    __typeof__(cblas_dsyrk)              *dsyrk;
    __typeof__(openblas_get_parallel)    *get_parallel;
    __typeof__(openblas_get_config)      *get_config;
    __typeof__(openblas_get_num_threads) *get_num_threads;
    __typeof__(openblas_set_num_threads) *set_num_threads;
} functions;

static const library_function table[] = {
    LIBRARY_FUNCTION(functions, dpotrf, "dpotrf_"),
    LIBRARY_FUNCTION(functions, dsyrk, "cblas_dsyrk"),
    LIBRARY_FUNCTION(functions, get_parallel, "openblas_get_parallel"),
    LIBRARY_FUNCTION(functions, get_config, "openblas_get_config"),
    LIBRARY_FUNCTION(functions, get_num_threads, "openblas_get_num_threads"),
    LIBRARY_FUNCTION(functions, set_num_threads, "openblas_set_num_threads"),
};

static functions blas;

ckam_status blas_load(const char *file, size_t order, ckam_error *error) {
    functions found;
    if (!library_load(file, sizeof table / sizeof *table, table, &found))
        return fail_with(error, CKAM_ERROR_BLAS,
                         "order %zu needs OpenBLAS, which cannot be loaded (%.120s); install the Debian package "
                         "libopenblas0-pthread",
                         order, dlerror());
    if (found.get_parallel() == 0)
        return fail_with(error, CKAM_ERROR_BLAS,
                         "order %zu needs OpenBLAS, and the one loaded (%.60s) is the serial build, which is wrong "
                         "under threads; install the Debian package libopenblas0-pthread",
                         order, found.get_config());
    blas = found;
    return CKAM_OK;
}

/* Chains run in parallel, so a matrix product must not: more threads would only wait for each other. The count is
 * a setting of the whole process and is touched only when it differs. */
ckam_status linalg_prepare(size_t order, ckam_error *error) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    if (order < LINALG_BLAS_DIM) return CKAM_OK;
    pthread_mutex_lock(&lock);
    const ckam_status status = blas.dpotrf ? CKAM_OK : blas_load(CKAM_OPENBLAS_FILE, order, error);
    if (!status && blas.get_num_threads() != 1) blas.set_num_threads(1);
    pthread_mutex_unlock(&lock);
    return status;
}

size_t blas_factor(size_t dim, double *a) {
    const blasint n = (blasint)dim;
    blasint       info = 0;
    blas.dpotrf("L", &n, a, &n, &info, 1);
    return (size_t)info;
}

/* G row-major is G^T column-major. */
void blas_shape(size_t dim, size_t rank, const double *g, size_t stride, double *shape) {
    const bool    dual = lowrank_is_dual(dim, rank);
    const blasint order = (blasint)lowrank_order(dim, rank), inner = (blasint)(dual ? dim : rank);
    blas.dsyrk(CblasColMajor, CblasLower, dual ? CblasNoTrans : CblasTrans, order, inner, 1.0, g, (blasint)stride, 0.0,
               shape, order);
}
