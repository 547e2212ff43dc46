/* vec.c - the vector loops that everything above shares.
 *
 * Without -ffast-math a compiler keeps the order of a sum, so the order is chosen here such that it vectorises.
 * It depends on n alone, never on the address or the machine: the same input gives the same bits. */
#include "base/wide.h"
#include "linalg/linalg.h"

/* Eight sums: the add has a latency of 3 to 4 cycles, and two lanes times four of them hide it. */
enum { LANES = 8 };

WIDE static double dot(size_t n, const double *a, const double *b) {
    double sum[LANES] = {0}, rest = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++) sum[k] += a[i + k] * b[i + k];
    for (; i < n; i++) rest += a[i] * b[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) + rest;
}

WIDE static double sum_of(size_t n, const double *a) {
    double sum[LANES] = {0}, rest = 0;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++) sum[k] += a[i + k];
    for (; i < n; i++) rest += a[i];
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7])) + rest;
}

WIDE static void axpy(size_t n, double a, const double *restrict x, double *restrict y) {
    for (size_t i = 0; i < n; i++) y[i] += a * x[i];
}

double vec_dot(size_t n, const double *a, const double *b) { return dot(n, a, b); }
double vec_sum(size_t n, const double *a) { return sum_of(n, a); }
void   vec_axpy(size_t n, double a, const double *x, double *y) { axpy(n, a, x, y); }
