/* simulated.h - two models whose parameters and data are drawn, for tests of calibration: theta from its prior, y given
 * theta. `factor` multiplies the prior's variance in the density alone; any but 1 is wrong. Include it behind support.h. */
#ifndef CKAM_TESTS_SIMULATED_H
#define CKAM_TESTS_SIMULATED_H

#include "ckam.h"
#include "rng/rng.h"

#include <math.h>

enum { SIMULATED_MOST = 4 }; /* parameters, and data */

typedef struct simulated {
    double factor;            /* 1 */
    double apart;             /* fold: the prior's centres are at +-apart */
    double y[SIMULATED_MOST]; /* the data */
} simulated;

static inline double square(double x) { return x * x; }

/* -- A line, conjugate: theta_k ~ N(0, s_k^2), y_k ~ N(u_k + u_(k+1) / 2, 3^2), u = theta / s. The data say little, so that
 * the prior matters. -- */

static const double line_deviation[SIMULATED_MOST] = {0.5, 1, 2, 4};

static inline double line_mean(const double *theta, size_t k) {
    size_t next = (k + 1) % SIMULATED_MOST;
    return theta[k] / line_deviation[k] + 0.5 * theta[next] / line_deviation[next];
}

/* The squared length of theta in standard deviations of the prior. */
static inline double line_length(const double *theta) {
    double sum = 0.0;
    for (size_t k = 0; k < SIMULATED_MOST; k++) sum += square(theta[k] / line_deviation[k]);
    return sum;
}

static inline int line_log_density(void *context, const double *theta, double *value) {
    const simulated *s = context;
    *value = -0.5 * line_length(theta) / s->factor;
    for (size_t k = 0; k < SIMULATED_MOST; k++) *value -= 0.5 * square((s->y[k] - line_mean(theta, k)) / 3.0);
    return CKAM_OK;
}

static inline void line_prior(const simulated *s, rng *r, double *theta) {
    (void)s;
    for (size_t k = 0; k < SIMULATED_MOST; k++) theta[k] = line_deviation[k] * rng_normal(r);
}

static inline void line_data(simulated *s, rng *r, const double *theta) {
    for (size_t k = 0; k < SIMULATED_MOST; k++) s->y[k] = line_mean(theta, k) + 3.0 * rng_normal(r);
}

/* -- A fold, bimodal: theta ~ 0.7 N(apart, 0.8^2) + 0.3 N(-apart, 0.8^2), y ~ N(|theta|, 0.7^2). y does not tell the
 * sign. -- */

static inline int fold_log_density(void *context, const double *theta, double *value) {
    const simulated *s = context;
    double           twice = 2.0 * square(0.8) * s->factor, left = square(theta[0] + s->apart) / twice,
           right = square(theta[0] - s->apart) / twice, least = fmin(left, right);
    *value = log(0.3 * exp(least - left) + 0.7 * exp(least - right)) - least;
    *value -= 0.5 * square((s->y[0] - fabs(theta[0])) / 0.7);
    return CKAM_OK;
}

static inline void fold_prior(const simulated *s, rng *r, double *theta) {
    theta[0] = (rng_uniform(r) < 0.7 ? s->apart : -s->apart) + 0.8 * rng_normal(r);
}

static inline void fold_data(simulated *s, rng *r, const double *theta) {
    s->y[0] = fabs(theta[0]) + 0.7 * rng_normal(r);
}

#endif
