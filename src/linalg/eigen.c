/* eigen.c - eigenvalues and eigenvectors of symmetric matrices by Jacobi's rotations. */
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

enum { SWEEPS_MOST = 30 };

/* x, y := c x - s y, s x + c y, of dim numbers each, so far apart. */
static void rotate(size_t dim, double c, double s, size_t apart, double *x, double *y) {
    for (size_t k = 0; k < dim * apart; k += apart) {
        const double before = x[k];
        x[k] = c * before - s * y[k];
        y[k] = s * before + c * y[k];
    }
}

/* The rotation that makes a_pq zero. */
static void annihilate(size_t dim, double *a, double *v, size_t p, size_t q) {
    double apq = a[p * dim + q];
    if (apq == 0.0) return;
    double half = (a[q * dim + q] - a[p * dim + p]) / (2.0 * apq);
    double t = (half >= 0.0 ? 1.0 : -1.0) / (fabs(half) + sqrt(half * half + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    rotate(dim, c, s, 1, a + p * dim, a + q * dim);
    rotate(dim, c, s, dim, a + p, a + q);
    rotate(dim, c, s, 1, v + p * dim, v + q * dim);
}

/* Whether what is off the diagonal is lost in rounding. */
static bool is_diagonal(size_t dim, const double *a) {
    double off = 0.0, all = 0.0;
    for (size_t p = 0; p < dim; p++)
        for (size_t q = 0; q < dim; q++) {
            const double square = a[p * dim + q] * a[p * dim + q];
            all += square;
            if (p != q) off += square;
        }
    return !(off > 1e-30 * all);
}

void sym_eigen(size_t dim, double *a, double *v) {
    memset(v, 0, dim * dim * sizeof *v);
    for (size_t k = 0; k < dim; k++) v[k * dim + k] = 1.0;
    for (int sweep = 0; sweep < SWEEPS_MOST && !is_diagonal(dim, a); sweep++)
        for (size_t p = 0; p < dim; p++)
            for (size_t q = p + 1; q < dim; q++) annihilate(dim, a, v, p, q);
}
