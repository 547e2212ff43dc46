/* support.h - what the tests share: assertions on doubles, statistics with known false-alarm rates.
 *
 * cmocka's own float assertion casts to float, so doubles are compared here. Include this header alone. */
#ifndef CKAM_TESTS_SUPPORT_H
#define CKAM_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* |a - b| <= tolerance * max(1, |b|). NaN fails. */
#define assert_close(a, b, tolerance) check_close((a), (b), (tolerance), 1.0, #a, __FILE__, __LINE__)
/* |a - b| <= tolerance * |b|. NaN fails. */
#define assert_relative(a, b, tolerance) check_close((a), (b), (tolerance), 0.0, #a, __FILE__, __LINE__)
/* a < b, showing both. NaN fails. */
#define assert_less(a, b) check_less((a), (b), #a " < " #b, __FILE__, __LINE__)

void check_close(double a, double b, double tolerance, double least, const char *what, const char *file,
                 int line);
void check_less(double a, double b, const char *what, const char *file, int line);

/* -- Statistics: each p-value is right under its hypothesis (asymptotically), so alpha is the false-alarm rate. */

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
