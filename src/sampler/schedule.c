/* schedule.c - see schedule.h. */
#include "sampler/schedule.h"

#include "base/fastmath.h"

#include <float.h>

gain gain_make(const settings *options) { return (gain){options->adapt_gain, options->adapt_decay}; }

/* (1+t)^-decay. */
static double power(double t, double decay) { return exp_fast(-decay * log_fast(1.0 + t)); }

double gain_step_size(const gain *g, uint64_t t) {
    if (!isnan(g->constant)) return g->constant;
    return power((double)t, isnan(g->decay) ? 0.75 : g->decay);
}

double gain_moments(const gain *g, uint64_t t, size_t dim) {
    if (!isnan(g->constant)) return g->constant;
    return isnan(g->decay) ? 2.0 / (double)(t + 2 + 10 * dim) : power((double)t, g->decay);
}

noise noise_make(double start, double end, double decay, double horizon) {
    double growth = fmin(expm1((log(start) - log(end)) / decay), DBL_MAX);
    return (noise){.start = start, .rate = growth / horizon, .decay = decay};
}

double noise_at(const noise *n, double t) { return n->start * power(n->rate * t, n->decay); }

double step_size_adapt(double nu, double start, double eta, double alpha, double target_accept) {
    double next = nu * exp_fast(eta * (alpha - target_accept));
    return fmin(fmax(next, start * 1e-100), start * 1e100);
}

double step_size_optimal(size_t dim) { return 2.38 / sqrt((double)dim); }

/* (cos(pi t / length) + 1) / 2 = 1 - sin(h)^2 with h = pi t / (2 length), and in the second half, where h is that of
 * the rest of the way, sin(h)^2: h is at most pi/4, and Taylor's polynomial of degree 15 errs by less than rounding
 * does. */
double cosine_at(uint64_t t, uint64_t length) {
    const double half_pi = 1.57079632679489661923;
    const bool   late = t > length - t;
    double       h = half_pi * (double)(late ? length - t : t) / (double)length, z = h * h, z2 = z * z;
    double       low = (1.0 - z * (1.0 / 6.0)) + z2 * (1.0 / 120.0 - z * (1.0 / 5040.0));
    double high = (1.0 / 362880.0 - z * (1.0 / 39916800.0)) + z2 * (1.0 / 6227020800.0 - z * (1.0 / 1307674368000.0));
    double sine = h * (low + z2 * z2 * high);
    return late ? sine * sine : 1.0 - sine * sine;
}
