/* bimodal.c - the built-in model bimodal as a user would write it, with the same steps: for bench/models.c. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"x[2]", NULL};

/* log of half the density of N((centre, 0), variance I) */
static double component(const double *x, double centre, double variance) {
    double square = (x[0] - centre) * (x[0] - centre) + x[1] * x[1];
    return -log(2.0) - log(2.0 * 3.14159265358979323846 * variance) - 0.5 / variance * square;
}

double log_density(const double *x) {
    double left = component(x, -8.0, 0.5), right = component(x, 8.0, 2.0);
    double largest = left > right ? left : right, apart = fabs(left - right);
    double sum = apart > 40.0 ? 1.0 : 1.0 + exp(-apart); /* exp(-40) is lost in rounding */
    return largest + log(sum);
}
