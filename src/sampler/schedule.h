/* schedule.h - how gains, noise and step sizes change with the iteration. */
#ifndef CKAM_SAMPLER_SCHEDULE_H
#define CKAM_SAMPLER_SCHEDULE_H

#include "sampler/settings.h"

/* Gains of adaptation: constant where adapt-gain is a number, else (1+t)^-eps with eps = adapt-decay. Where that is
 * auto the step size has eps = 0.75, and mean and covariance the gain 2 / (t + 2 + 10 dim): their initial values count
 * like 10 dim observations, a transient at iteration s counts like (s/t)^2 later on, and the memory grows with t. */
typedef struct gain {
    double constant, decay; /* NaN where not set */
} gain;
gain   gain_make(const settings *options);
double gain_step_size(const gain *g, uint64_t t);
double gain_moments(const gain *g, uint64_t t, size_t dim);

/* gamma_t = a (b+t)^-decay from `start` at t = 0 to `end` <= start at t = horizon, written as start (1 + rate
 * t)^-decay: 1/b = rate = ((start/end)^(1/decay) - 1) / horizon. */
typedef struct noise {
    double start, rate, decay;
} noise;
noise  noise_make(double start, double end, double decay, double horizon);
double noise_at(const noise *n, double t);

/* A step size that follows the acceptance (Robbins-Monro): log nu += eta (alpha - alpha*), kept within a factor of
 * 1e100 of where it started, so that a chain that is stuck under a constant gain cannot drive it to 0. */
double step_size_adapt(double nu, double start, double eta, double alpha, double target_accept);

/* (cos(pi t / length) + 1) / 2: from 1 at t = 0 to 0 at t = length. */
double cosine_at(uint64_t t, uint64_t length);

/* 2.38 / sqrt(dim): the optimal scale of a random walk relative to the target's (Roberts, Gelman and Gilks). */
double step_size_optimal(size_t dim);

#endif
