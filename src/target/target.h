/* target.h - the guarded evaluation of what is sampled.
 *
 * The chain evaluates through here and nowhere else, so that NaN, -infinity and +infinity mean the same for
 * every sampler and every kind of target. */
#ifndef CKAM_TARGET_TARGET_H
#define CKAM_TARGET_TARGET_H

#include "ckam.h"

/* Checks dim and names. The function may be missing: then the chain can only be asked and told. */
ckam_status target_check(const ckam_target *target, ckam_error *error);
/* The first coordinates of a point, for messages: "(0.5, -2, 1e+10, ...)"; of a user's model its parameters within their bounds,
 * "mu = 0.5, tau = 2, ...". text has room for POINT_TEXT bytes. */
enum { POINT_TEXT = 160 };
void target_point_text(const ckam_target *target, const double *x, char *text);
/* *value := log density at x, -INFINITY where it is not defined. CKAM_OK, CKAM_STOP or an error. A NaN is counted in *nans,
 * which may be NULL. */
ckam_status target_evaluate(const ckam_target *target, const double *x, double *value, uint64_t *nans,
                            ckam_error *error);
/* What a told value means: NaN becomes -INFINITY, +INFINITY is CKAM_ERROR_INFINITE with the point in words. */
ckam_status target_judge(const ckam_target *target, const double *x, double *value, uint64_t *nans, ckam_error *error);

#endif
