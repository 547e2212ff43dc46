/* kam.h - kernel adaptive Metropolis as a walk that can be started afresh: the paper's Algorithm 1.
 *
 * kam is one such walk; ckam starts one at each cycle. It holds the history, the subsample z, the step size nu,
 * the noise gamma and the iteration t, and makes one Metropolis-Hastings step in two halves. */
#ifndef CKAM_SAMPLER_KAM_H
#define CKAM_SAMPLER_KAM_H

#include "sampler/history.h"
#include "sampler/kernel_proposal.h"
#include "sampler/sampler.h"
#include "sampler/schedule.h"

typedef struct kernel_walk {
    current         now; /* first: the state begins here */
    kernel_proposal proposal;
    proposal_at     proposals[PROPOSALS];
    int             here; /* the proposal at x; the one at y is proposals[!here] */
    history         history;
    size_t          rows; /* offset of the history's states */
    size_t          capacity;
    uint64_t        t;     /* since the walk was started */
    double          nu;    /* of the next proposal */
    double          scale; /* nu in its unit: what is adapted */
    double          scale_start;
    double          optimal; /* 2.38 / sqrt(dim) */
    double          gamma;
    double          length;    /* of the density: at the start, then the spread of z when the last walk ended */
    double          half_life; /* of the chance to redraw z, in iterations */
    double          target_accept;
    bool            auto_step, auto_noise;
    gain            gain;
    noise           noise;
} kernel_walk;

bool        kernel_walk_wants_scale(const settings *options);
ckam_status kernel_walk_check(const blueprint *plan, ckam_error *error);
/* Lays out what follows the walk in the block: the first `proposals` of its proposals, a history of at most `needed`
 * states. */
void kernel_walk_layout(kernel_walk *w, const blueprint *plan, size_t proposals, uint64_t needed, size_t *end);
/* horizon: of the schedules, in iterations. */
void kernel_walk_begin(kernel_walk *w, const blueprint *plan, double horizon, const double *x, double log_density,
                       double length);
/* t = 0, z empty, nu as at the start, history = {x}. */
void kernel_walk_restart(kernel_walk *w);
/* nu from what is adapted and its unit. */
double kernel_walk_nu(const kernel_walk *w);
/* The proposal at x for the present z and gamma, measured if it is not, factored for this nu. */
proposal_at *kernel_walk_proposal_at(kernel_walk *w, double nu);
/* Draws y. */
const double *kernel_walk_ask(void *walk, rng *r);
/* Decides, adapts nu, extends the history, advances t. */
void kernel_walk_tell(void *walk, rng *r, double log_density, ckam_step *out);

#endif
