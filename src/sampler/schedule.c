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

double cosine_at(uint64_t t, uint64_t length) {
    const double pi = 3.14159265358979323846;
    return 0.5 * (cos(pi * (double)t / (double)length) + 1.0);
}
