/* divergence.c - see divergence.h. */
#include "diag/divergence.h"

#include <math.h>

/* What one bin adds to both directions together; never negative. */
static double term(double p, double q) { return (p - q) * log(p / q); }

divergence divergence_of(size_t bins, const double *probability, const uint64_t *count, uint64_t total) {
    const double n = (double)total, smoothed = n + 0.5 * (double)bins;
    divergence   d = {0.0, 0.0};
    if (total == 0) return (divergence){(double)NAN, (double)NAN};
    for (size_t i = 0; i < bins; i++) {
        const double p = probability[i], seen = (double)count[i];
        if (p != 0.0 && count[i] > 0) d.paper += term(p, seen / n);
        d.jeffreys += term((n * p + 0.5) / smoothed, (seen + 0.5) / smoothed);
    }
    if (isnan(d.jeffreys)) d.paper = (double)NAN; /* the NaN may be in a bin that was skipped */
    return d;
}
