/* unseen.c - see unseen.h. */
#include "diag/unseen.h"

#include <math.h>

#define LEVEL 0.05 /* chance that the bound is too low */

double unseen_probability(uint64_t once, uint64_t searches) {
    return searches ? fmin((double)once / (double)searches, 1.0) : (double)NAN;
}

/* P(X <= k) for X ~ binomial(n, p), 0 < p < 1. */
static double binomial_below(double k, double n, double p) {
    double sum = 0.0;
    for (double i = 0.0; i <= k; i += 1.0)
        sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) + (n - i) * log1p(-p));
    return sum;
}

double unseen_bound(uint64_t once, uint64_t searches) {
    double k = (double)once, n = (double)searches, low = 0.0, high = 1.0;
    if (once >= searches) return 1.0;
    if (!once) return -expm1(log(LEVEL) / n);
    for (int i = 0; i < 60; i++) {
        double p = 0.5 * (low + high);
        if (binomial_below(k, n, p) > LEVEL)
            low = p;
        else
            high = p;
    }
    return high;
}

double unseen_modes(uint64_t once, uint64_t twice, uint64_t searches) {
    double f1 = (double)once, f2 = (double)twice, n = (double)searches;
    return searches ? (n - 1.0) / n * f1 * fmax(f1 - 1.0, 0.0) / (2.0 * (f2 + 1.0)) : 0.0;
}

double unseen_by_groups(uint64_t first, uint64_t second, uint64_t common, uint64_t known) {
    if (!first || !second) return 0.0;
    double all = ((double)first + 1.0) * ((double)second + 1.0) / ((double)common + 1.0) - 1.0;
    return fmax(all - (double)known, 0.0);
}
