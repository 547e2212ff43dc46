/* approach.h - jump before its first cycle: from the start of a chain to a mode, with a first covariance there.
 *
 *     AXES    the length scale of log pi along each axis at the start
 *     CLIMB   an adaptive random walk in batches ('looks') that become longer, until the mean of log pi stops
 *             rising. Up to 50 dimensions a quadratic is fitted to all evaluations, from 51 to 200 to values on a
 *             lattice: where it explains log pi, its Gaussian is the proposal
 *     SETTLE  the same walk for a fixed number of iterations, which are warm-up; its second half is kept for the
 *             first fit
 * Only SETTLE counts as iterations, so their number is the same for all chains, however long their climbs were. */
#ifndef CKAM_JUMP_APPROACH_H
#define CKAM_JUMP_APPROACH_H

#include "jump/jump.h"

/* Iterations of SETTLE. */
uint64_t approach_settling(size_t dim);
/* Evaluations before them, of an easy density. */
uint64_t approach_evaluations(size_t dim);

void          approach_begin(jump_state *s);
const double *approach_ask(jump_state *s, rng *r);
void          approach_tell(jump_state *s, rng *r, double log_density, ckam_step *out);

#endif
