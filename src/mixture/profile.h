/* profile.h - what log pi itself is around the components of a memory: a Gaussian, or a t distribution, up to a constant.
 *
 * A covariance of n draws is off by about sqrt(d / n), which at 30 standard deviations says nothing of log pi any more. But the draws come with
 * their log pi: where that is a quadratic, a regression gives it exactly. Of a t distribution with f degrees of freedom exp(-2 log pi / (f + d)) is a
 * quadratic, too. So a profile predicts log pi far out in the tails, and a point at which log pi is higher belongs to something that is not known.
 * Affine-equivariant, as quadratic.h is. */
#ifndef CKAM_MIXTURE_PROFILE_H
#define CKAM_MIXTURE_PROFILE_H

#include "mixture/refit.h"

/* Profiles of all components that own enough of the rows of the last mixture_refit(), where one explains log pi over them; the others have none. A component takes the
 * centre and the shape of its profile if that brings q nearer to pi. ess_fraction: as mixture_refit() returns it. all: every number
 * of degrees of freedom is tried, else for a component that has a profile only its own. Up to tuning.fit.dimensions. */
void profiles_learn(mixture *m, const rows *data, double ess_fraction, bool all);

#endif
