/* eigen.c - eigenvalues and eigenvectors of symmetric matrices by Jacobi's rotations. */
#include "linalg/linalg.h"

#include <math.h>
#include <string.h>

enum { SWEEPS_MOST = 30 };

void sym_eigen(size_t dim, double *a, double *v) {
    memset(v, 0, dim * dim * sizeof *v);
    for (size_t k = 0; k < dim; k++) v[k * dim + k] = 1.0;
    for (int sweep = 0; sweep < SWEEPS_MOST; sweep++) {
        double off = 0.0, all = 0.0;
        for (size_t p = 0; p < dim; p++)
            for (size_t q = 0; q < dim; q++) {
                all += a[p * dim + q] * a[p * dim + q];
                if (p != q) off += a[p * dim + q] * a[p * dim + q];
            }
        if (!(off > 1e-30 * all)) return;
        for (size_t p = 0; p < dim; p++)
            for (size_t q = p + 1; q < dim; q++) {
                double apq = a[p * dim + q];
                if (apq == 0.0) continue;
                double half = (a[q * dim + q] - a[p * dim + p]) / (2.0 * apq);
                double t = (half >= 0.0 ? 1.0 : -1.0) / (fabs(half) + sqrt(half * half + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (size_t k = 0; k < dim; k++) {
                    double x = a[p * dim + k], y = a[q * dim + k];
                    a[p * dim + k] = c * x - s * y;
                    a[q * dim + k] = s * x + c * y;
                }
                for (size_t k = 0; k < dim; k++) {
                    double x = a[k * dim + p], y = a[k * dim + q];
                    a[k * dim + p] = c * x - s * y;
                    a[k * dim + q] = s * x + c * y;
                    x = v[p * dim + k];
                    y = v[q * dim + k];
                    v[p * dim + k] = c * x - s * y;
                    v[q * dim + k] = s * x + c * y;
                }
            }
    }
}
