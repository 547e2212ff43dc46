/* quadrature.h - probabilities and expectations under a normal distribution, for the built-in densities. */
#ifndef CKAM_TARGET_QUADRATURE_H
#define CKAM_TARGET_QUADRATURE_H

/* P(low < X <= high), X ~ N(mean, sd^2), low <= high: to full relative precision in both tails. */
double normal_probability(double mean, double sd, double low, double high);

/* E f(Z), Z ~ N(0, 1), by the trapezoid rule. Its nodes and weights do not depend on f, so that what is
 * monotone in f is monotone in the result. For an f that is analytic the error falls exponentially in 1 / step. */
typedef double expectation_of(const void *context, double z);
double         normal_expectation(expectation_of *f, const void *context, double step);

#endif
