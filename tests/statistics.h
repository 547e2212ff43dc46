/* statistics.h - tests with known false-alarm rates, and the error of a mean; for tests and benchmarks.
 *
 * Each p-value is right under its hypothesis (asymptotically), so alpha is the false-alarm rate. A NaN in a
 * sample makes it 0. */
#ifndef CKAM_TESTS_STATISTICS_H
#define CKAM_TESTS_STATISTICS_H

#include <stddef.h>

/* Two-sided p-value of the two-sample Kolmogorov-Smirnov test; sorts both arrays in place. */
double ks_two_sample(size_t n, double *a, size_t m, double *b);
/* p-value of the one-sample Kolmogorov-Smirnov test against the uniform distribution on (0, 1); sorts in place. */
double ks_uniform(size_t n, double *u);
/* Upper tail of the chi-square distribution: p-value of a statistic with `freedom` degrees of freedom. */
double chi_square_tail(double statistic, double freedom);
/* Upper tail of the standard normal distribution. */
double normal_tail(double z);
/* Mean of a series and its Monte Carlo standard error by batch means: about n^(1/3) batches, long against the memory
 * of a chain in 50 dimensions. */
void batch_means(size_t n, const double *series, size_t stride, double *mean, double *error);

#endif
