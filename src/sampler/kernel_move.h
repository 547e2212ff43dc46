/* kernel_move.h - jump's local move for curved modes: KAM's proposal with a subsample that is fixed for the cycle.
 *
 * It works in the coordinates of a component, u = L^-1 (x - mu): v ~ N(u, C(u)), C from the kernel gradients at past draws
 * of that component. C differs from place to place, so a Hastings ratio belongs to it. */
#ifndef CKAM_SAMPLER_KERNEL_MOVE_H
#define CKAM_SAMPLER_KERNEL_MOVE_H

#include "sampler/kernel_proposal.h"
#include "sampler/modes.h"

typedef struct kernel_move {
    kernel_proposal proposal;
    law             laws[2];        /* at u and at v */
    size_t          u, v;           /* offsets: dim numbers */
    size_t          points;         /* offset: `most` past draws of each component, as u */
    size_t          loaded;         /* the component whose points are in the proposal; MODES_MOST: none */
    uint64_t        of[MODES_MOST]; /* how many points it has */
    double          step;           /* of the component that is loaded */
} kernel_move;

void kernel_move_layout(kernel_move *k, size_t dim, const settings *options, size_t *end);
void kernel_move_begin(kernel_move *k, const settings *options);
/* Forgets all points. */
void kernel_move_clear(kernel_move *k);
/* A past draw x of component j; those for which there is no room are left out. */
void kernel_move_add(kernel_move *k, void *base, modes *m, size_t j, const double *x);
/* The points of another one. */
void kernel_move_share(kernel_move *to, void *base, const kernel_move *from, const void *from_base);
/* Whether component j has enough points for a move. */
bool kernel_move_is_ready(const kernel_move *k, size_t j);
/* y := a proposal from x, which belongs to component j. */
void kernel_move_ask(kernel_move *k, void *base, modes *m, size_t j, rng *r, const double *x, double *y);
/* log q(x|y) - log q(y|x) of the last proposal. */
double kernel_move_ratio(kernel_move *k, void *base);

#endif
