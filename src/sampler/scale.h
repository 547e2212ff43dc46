/* scale.h - the length scale of a density around a point, found by evaluating it: for options that are auto.
 *
 * Along one random direction from the start the distance is found at which the log density has fallen by 1. It is
 * found to 10 digits, so that a density whose coordinates are all stretched gives the same chain, stretched. Asked and
 * told like a sampler; about 10 evaluations for a smooth density. */
#ifndef CKAM_SAMPLER_SCALE_H
#define CKAM_SAMPLER_SCALE_H

#include "ckam.h"
#include "rng/rng.h"

typedef struct scale_search {
    double log_density; /* at the start */
    double low, high;   /* distances with a fall below and above 1; 0 and INFINITY while unknown */
    double fall_low, fall_high;
    double distance, factor; /* the next one to try; how far apart two tries are while bracketing */
    int    side, tries;      /* which end moved last (-1, 1); evaluations so far */
} scale_search;

/* direction := dim normals, of length 1. */
void scale_begin(scale_search *s, rng *r, size_t dim, double *direction, double log_density);
/* y := x + distance * direction. */
void scale_ask(const scale_search *s, size_t dim, const double *x, const double *direction, double *y);
/* CKAM_OK and *length > 0 when found (the standard deviation of a coordinate, were the density an isotropic Gaussian
 * with its mode at the start), CKAM_OK and *length = 0 to go on, or CKAM_ERROR_SCALE. */
ckam_status scale_tell(scale_search *s, double log_density, double *length, ckam_error *error);

#endif
