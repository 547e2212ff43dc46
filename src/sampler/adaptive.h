/* adaptive.h - what am, rbam and gam share: a learned mean and covariance, kept as its Cholesky factor.
 *
 * y ~ N(x, nu^2 Sigma). They differ in how they learn, that is, in their tell. */
#ifndef CKAM_SAMPLER_ADAPTIVE_H
#define CKAM_SAMPLER_ADAPTIVE_H

#include "sampler/sampler.h"
#include "sampler/schedule.h"

typedef struct adaptive_state {
    current now;
    size_t  mean, factor, work; /* offsets: mu; L with L L^T = Sigma; dim numbers */
    double  nu, nu_start, target_accept;
    gain    gain;
    double  floor; /* of the diagonal of L */
} adaptive_state;

bool          adaptive_wants_scale(const settings *options);
size_t        adaptive_size(const blueprint *plan);
double        adaptive_touched(const blueprint *plan); /* without the pages above the diagonal of L */
void          adaptive_begin(void *state, const blueprint *plan, const double *x, double log_density, double length);
const double *adaptive_ask(void *state, rng *r);

/* eta of this iteration for mu and Sigma. t counts from 1: a gain of 1 would leave a singular Sigma for good. */
double adaptive_gain(const adaptive_state *s);
/* With tau = x - mu and the old mu: Sigma := (1 - eta) Sigma + eta tau tau^T; then mu += eta tau. */
void adaptive_learn(adaptive_state *s, double eta, const double *x);
/* Sigma := scale^2 Sigma + weight (point - mu)(point - mu)^T, the part of it that rbam needs alone. */
void adaptive_learn_covariance(adaptive_state *s, double scale, double weight, const double *point);
/* Keeps L's diagonal above the floor (after learning); counted. */
void adaptive_keep_definite(adaptive_state *s);

#endif
