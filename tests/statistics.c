/* statistics.c - see statistics.h. */
#include "statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Kolmogorov's series with Stephens' correction of the sample size. */
static double kolmogorov(double size, double distance) {
    double root = sqrt(size), t = (root + 0.12 + 0.11 / root) * distance, p = 0.0;
    if (t < 0.2) return 1.0; /* the series converges slowly there, and p is 1 to 12 digits */
    for (int k = 1; k <= 100; k++) p += (k % 2 ? 2.0 : -2.0) * exp(-2.0 * k * k * t * t);
    return fmin(1.0, fmax(0.0, p));
}

/* A sample that holds a NaN is of no law: the p-value is 0. */
static bool holds_nan(size_t n, const double *a) {
    for (size_t i = 0; i < n; i++)
        if (isnan(a[i])) return true;
    return false;
}

double ks_uniform(size_t n, double *u) {
    double distance = 0.0, size = (double)n;
    if (holds_nan(n, u)) return 0.0;
    qsort(u, n, sizeof *u, by_value);
    for (size_t i = 0; i < n; i++)
        distance = fmax(distance, fmax((double)(i + 1) / size - u[i], u[i] - (double)i / size));
    return kolmogorov(size, distance);
}

double ks_two_sample(size_t n, double *a, size_t m, double *b) {
    double distance = 0.0;
    size_t i = 0, j = 0;
    if (holds_nan(n, a) || holds_nan(m, b)) return 0.0;
    qsort(a, n, sizeof *a, by_value);
    qsort(b, m, sizeof *b, by_value);
    while (i < n && j < m) {
        double here = fmin(a[i], b[j]);
        while (i < n && a[i] <= here) i++;
        while (j < m && b[j] <= here) j++;
        distance = fmax(distance, fabs((double)i / (double)n - (double)j / (double)m));
    }
    return kolmogorov((double)n * (double)m / (double)(n + m), distance);
}

/* Regularised upper incomplete gamma function Q(a, x): series below a + 1, continued fraction above. */
static double gamma_q(double a, double x) {
    if (x <= 0.0) return 1.0;
    double front = exp(a * log(x) - x - lgamma(a));
    if (x < a + 1.0) {
        double term = 1.0 / a, sum = term;
        for (double k = a + 1.0; term > sum * 1e-17; k += 1.0) sum += term *= x / k;
        return 1.0 - front * sum;
    }
    double b = x + 1.0 - a, c = 1e300, d = 1.0 / b, h = d, change = 0.0;
    for (double k = 1.0; fabs(change - 1.0) > 1e-15; k += 1.0) {
        double an = -k * (k - a);
        b += 2.0;
        d = 1.0 / (an * d + b);
        c = b + an / c;
        h *= change = c * d;
    }
    return front * h;
}

double chi_square_tail(double statistic, double freedom) { return gamma_q(freedom / 2.0, statistic / 2.0); }

double normal_tail(double z) { return 0.5 * erfc(z / sqrt(2.0)); }

void batch_means(size_t n, const double *series, size_t stride, double *mean, double *error) {
    size_t length = (size_t)cbrt((double)n * (double)n), batches = n / length;
    double sum = 0.0, square = 0.0;
    for (size_t b = 0; b < batches; b++) {
        double batch = 0.0;
        for (size_t i = 0; i < length; i++) batch += series[(b * length + i) * stride];
        batch /= (double)length;
        sum += batch;
        square += batch * batch;
    }
    *mean = sum / (double)batches;
    double variance = (square - (double)batches * *mean * *mean) / (double)(batches - 1);
    *error = sqrt(variance / (double)batches);
}
