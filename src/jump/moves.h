/* moves.h - the moves of jump's sampling phase and their ratios: all that its exactness rests on.
 *
 * q(x) = sum_i w_i t_i(x) is the mixture, which does not change within a cycle. The chain samples pi(x) rho_i(x),
 * rho_i(x) = w_i t_i(x) / q(x), over x and a label i; its marginal is pi. In each iteration:
 *     the label is drawn from rho(x), Gibbs, at no evaluation; then one of
 *     LOCAL        y = x + h c L_i z, z normal, c = 1 or a random factor below: symmetric
 *     AFFINE       j ~ w without i, y = mu_j + L_j L_i^-1 (x - mu_i): deterministic, with the ratio of volumes
 *     INDEPENDENT  y ~ q
 *     CARRY        like AFFINE, but from a random component i ~ w, whatever the label is
 * log_ratio() has the ratio of each but for pi(y) / pi(x). docs/samplers/jump.md has the formulas. */
#ifndef CKAM_JUMP_MOVES_H
#define CKAM_JUMP_MOVES_H

#include "jump/jump.h"

const double *moves_ask(jump_state *s, rng *r);
void          moves_tell(jump_state *s, rng *r, double log_density, ckam_step *out);

#endif
