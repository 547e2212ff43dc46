/* unseen.c - see unseen.h. */
#include "base/unseen.h"

#include <math.h>

#define LEVEL          0.05  /* chance that the bound is too low */
#define FEW_DIMENSIONS 10.0  /* up to which the shapes of modes leave room for their basins; tuned */
#define SEVERAL        0.5   /* factor of what is allowed where more than one mode is known; tuned */
#define COST_MOST      8.0   /* evaluations of a search, beyond its first, that count; tuned */
#define NORMAL         1.645 /* the quantile of the normal distribution that has it above */

double unseen_probability(uint64_t once, uint64_t searches) {
    return searches ? fmin((double)once / (double)searches, 1.0) : (double)NAN;
}

/* P(X <= k) for X ~ binomial(n, p), 0 < p < 1. */
static double binomial_below(double k, double n, double p) {
    double log_term = n * log1p(-p), sum = exp(log_term);
    for (int i = 1; i <= (int)k; i++) {
        log_term += log((n - i + 1.0) / i * p / (1.0 - p));
        sum += exp(log_term);
    }
    return sum;
}

/* The largest p for which at most k of n has the probability LEVEL. */
static double proportion_bound(double k, double n) {
    enum { MANY = 1000 };
    double low = k / n, high = 1.0;
    if (k == 0.0) return -expm1(log(LEVEL) / n);
    if (k > MANY) return fmin(low + NORMAL * sqrt(low * (1.0 - low) / n), 1.0);
    for (int i = 0; i < 60; i++) {
        double p = 0.5 * (low + high);
        if (binomial_below(k, n, p) > LEVEL)
            low = p;
        else
            high = p;
    }
    return high;
}

double unseen_bound(uint64_t once, uint64_t twice, uint64_t searches) {
    double n = (double)searches;
    if (once >= searches) return 1.0;
    double estimate = (double)once / n, above = proportion_bound((double)once, n) - estimate;
    return fmin(estimate + sqrt(above * above + NORMAL * NORMAL * 2.0 * (double)twice / n / n), 1.0);
}

double unseen_allowed(double setting, uint64_t modes, size_t dim, double cost) {
    const double many = FEW_DIMENSIONS / (double)dim;
    if (setting >= 1.0) return setting;
    if (many < 1.0) return setting * many * many * (modes > 1 ? SEVERAL : 1.0);
    return setting * (modes > 1 ? SEVERAL : fmin(fmax(cost - 1.0, 1.0), COST_MOST));
}

double unseen_modes(uint64_t once, uint64_t twice, uint64_t searches) {
    double f1 = (double)once, f2 = (double)twice, n = (double)searches;
    return searches ? (n - 1.0) / n * f1 * fmax(f1 - 1.0, 0.0) / (2.0 * (f2 + 1.0)) : 0.0;
}

double unseen_by_groups(uint64_t first, uint64_t second, uint64_t common, uint64_t known) {
    if (!first || !second) return 0.0;
    double all = ((double)first + 1.0) * ((double)second + 1.0) / ((double)common + 1.0) - 1.0;
    double met =
        (double)first + (double)second - (double)common; /* later they may have turned out to be parts of one mode */
    return fmax(all - fmax(met, (double)known), 0.0);
}
