/* target.h - a random target whose answers are known: a mixture that its seed determines.
 *
 * What is random, and in which range:
 *
 *     dimension            1 to 5 in half of the targets, 6 to 20 in the others
 *     components           1 to 12 up to 5 dimensions, 1 to 8 up to 10, 1 to 5 above
 *     weights              0.03 or more
 *     volumes              product of a component's sds: log-uniform, within a factor of 1000
 *     condition number     of a component's covariance: 1 in 3 of 10 targets, else up to 1e6; the axes are random (Haar)
 *     distance             of a component to the one that it is placed beside: 4 to 100 sd, log-uniform; to all others at least 4.
 *                          'sd' is the larger one of the two components along the line between their centres
 *     overall scale        root mean square sd of the mixture over all coordinates: 0.5 to 50, log-uniform
 *     overall location     the mean of the mixture: normal, with the overall scale as its sd, in every coordinate
 *     units                of coordinates: 1 in half of the targets, else 1e-3 to 1e3, log-uniform
 *
 * Starts are uniform on [-2, 2] in every coordinate. With the overall scale and location as above they are within the mixture, or at
 * some of its sds; with units they may be far outside, as they are in the program trust. In a box the units do not matter to starts. */
#ifndef CKAM_BENCH_BATTERY_TARGET_H
#define CKAM_BENCH_BATTERY_TARGET_H

#include "default_run.h"

/* GAUSS, STUDENT (3 to 10 degrees of freedom), BENT: Gaussians with a parabolic twist in a plane of their own axes. RING: rings in a
 * plane of their own axes, or shells, beside Gaussians. BOX: Gaussians in a box; some of its sides cut a component. */
typedef enum family { GAUSS, STUDENT, BENT, RING, BOX, FAMILIES } family;
extern const char *const family_word[FAMILIES];

typedef struct random_target {
    density *density; /* log_z is 0; in a box it is that of the mixture within the bounds */
    mapping  map;     /* its units */
    family   family;
    size_t   components;
    double   condition; /* the largest one */
    bool     has_units;
} random_target;

/* What kind of target a seed has is known without the costs of its answers. */
void random_target_peek(uint64_t seed, family *f, size_t *dim);
void random_target_create(random_target *t, uint64_t seed);
void random_target_free(random_target *t);

/* How easily the component that is hardest to find is met by chance: of draws of the other components, heated to between 10 and 3000 times their variances
 * (log-uniform), the share at which it is the largest term of the mixture. Elsewhere log pi says nothing of it, whatever the method. 1 where there
 * is one component; to about 1e-5. */
double random_target_reach(const random_target *t, uint64_t seed);

/* Whether a target is as promised. */
typedef struct target_check {
    double nearest_least,
        nearest_most;    /* of the distances of components to the nearest other one; infinite if there is one */
    double volume_ratio; /* of the largest component to the smallest one */
    double rarest;       /* the least share of an event */
    double own_least;    /* the least share of a component's mass that is in its own region */
    double integral, integral_se; /* over exp(log_z), by importance sampling; NaN in more than 4 dimensions */
    double share_error;           /* the largest difference of a share to that of importance sampling */
} target_check;

void random_target_check(const random_target *t, uint64_t seed, target_check *check);

#endif
