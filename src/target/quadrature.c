/* quadrature.c - see quadrature.h. */
#include "target/quadrature.h"

#include <math.h>

#define ROOT_HALF        0.70710678118654752440
#define ONE_BY_ROOT_2_PI 0.39894228040143267794

double normal_probability(double mean, double sd, double low, double high) {
    double a = (low - mean) / sd * ROOT_HALF, b = (high - mean) / sd * ROOT_HALF;
    if (a >= 0.0) return 0.5 * (erfc(a) - erfc(b));
    if (b <= 0.0) return 0.5 * (erfc(-b) - erfc(-a));
    return 0.5 * (erf(b) - erf(a));
}

double normal_expectation(expectation_of *f, const void *context, double step) {
    const double end = 8.5; /* beyond it lies 2e-17 */
    double       sum = f(context, 0.0);
    for (long j = 1; (double)j * step <= end; j++) {
        double z = (double)j * step;
        sum += exp(-0.5 * z * z) * (f(context, z) + f(context, -z));
    }
    return sum * step * ONE_BY_ROOT_2_PI;
}
