/* adaptive.h - a random walk y ~ N(x, nu^2 Sigma) with a learned mean mu and covariance Sigma, kept as its Cholesky
 * factor: for am, rbam and gam, and for the walk of jump before its first cycle. */
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

/* Draws y ~ N(x, nu^2 Sigma). */
const double *adaptive_ask(void *state, rng *r);
/* With tau = x - mu and the old mu: Sigma := (1 - eta) Sigma + eta tau tau^T; then mu += eta tau. */
void adaptive_learn(adaptive_state *s, double eta, const double *x);

#endif
