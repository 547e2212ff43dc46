/* approach.h - jump before its first cycle: from the start of a chain to a mode whose shape is known well enough to begin with.
 *
 *     AXES    the length of log pi along each axis at the start
 *     CLIMB   an adaptive walk, in looks that become longer, until the density rises no more. Up to 50 dimensions a quadratic is fitted to what was
 *             evaluated, from 51 to 200 to the values on a lattice: where it explains log pi, its Gaussian is the shape
 *     SETTLE  the same walk for a fixed number of iterations, which are warm-up; its second half is kept for the first fit
 * Only SETTLE counts as iterations: their number is the same for all chains, however long their ways were. */
#ifndef CKAM_JUMP_APPROACH_H
#define CKAM_JUMP_APPROACH_H

#include "jump/jump.h"

/* Iterations of SETTLE. */
uint64_t approach_settling(size_t dim);
/* Evaluations before them, where the density is easy. */
uint64_t approach_evaluations(size_t dim);

void          approach_begin(jump_state *s);
const double *approach_ask(jump_state *s, rng *r);
void          approach_tell(jump_state *s, rng *r, double log_density, ckam_step *out);

#endif
