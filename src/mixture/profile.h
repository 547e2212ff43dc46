/* profile.h - profiles of components: the Gaussian or t distribution that log pi itself is there, up to a constant,
 * by regression.
 *
 * The covariance of n draws has a relative error of about sqrt(d / n), so 30 standard deviations out it predicts
 * nothing. But log pi is known at each draw: where it is a quadratic, a regression gives it exactly; and for a t
 * distribution with f degrees of freedom exp(-2 log pi / (f + d)) is a quadratic. So a profile predicts log pi far
 * out in the tails, and a point where log pi is higher belongs to an unknown mode. Affine-equivariant, as
 * quadratic.h is. */
#ifndef CKAM_MIXTURE_PROFILE_H
#define CKAM_MIXTURE_PROFILE_H

#include "mixture/refit.h"

/* Profiles of all components that own enough of the rows of the last mixture_refit(), where one explains log pi over
 * them; the others have none. A component takes the centre and the shape of its profile if that brings q nearer to
 * pi. ess_fraction: as mixture_refit() returns it. all: every number of degrees of freedom is tried, else for a
 * component that has a profile only its own. Up to tuning.fit.dimensions. */
void profiles_learn(mixture *m, const rows *data, double ess_fraction, bool all);

#endif
