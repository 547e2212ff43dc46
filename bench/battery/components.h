/* components.h - components of random mixtures: densities that are known with their constants, and can be drawn from exactly. */
#ifndef CKAM_BENCH_BATTERY_COMPONENTS_H
#define CKAM_BENCH_BATTERY_COMPONENTS_H

#include "density.h"

typedef enum shape { GAUSSIAN, T, TWISTED, SPHERE } shape;

/* z = centre + frame y, frame = Q diag(sd) with Q orthogonal, and y has one of these densities, of mean 0 and with independent or
 * uncorrelated coordinates:
 *
 *     GAUSSIAN   N(0, I)
 *     T          t distribution with `freedom` degrees of freedom
 *     TWISTED    y_b = v_b + bend (v_a^2 - 1), y_k = v_k else, v ~ N(0, I)
 *     SPHERE     f(y) = exp(-(r - radius)^2 / (2 width^2)) / C of the first `span` coordinates, r their norm; N(0, 1) of the others.
 *                Their variances are 1 */
typedef struct component {
    shape  shape;
    double freedom, bend, radius, width;
    size_t a, b, span;
    double centre[DIM_MOST], frame[DIM_MOST][DIM_MOST], whitening[DIM_MOST][DIM_MOST]; /* whitening frame = I */
    double log_volume;                                                                 /* sum of log sd */
    double constant; /* log of the normalising constant of y's density */
    double condition;
} component;

/* Axes are random; sds have the product exp(log_volume), and squares whose largest ratio is `condition`. */
void component_axes(component *c, size_t dim, rng *r, double log_volume, double condition);
/* The shape; freedom and bend are set before. SPHERE: with radius 1 and `width` set. */
void component_finish(component *c, size_t dim);
void component_scale(component *c, size_t dim, double factor); /* about the origin */
/* Standard deviation along the unit vector u. */
double component_sd(const component *c, size_t dim, const double *u);
double component_log_density(const component *c, size_t dim, const double *z);
void   component_draw_from(const component *c, size_t dim, rng *r, double *z);

#endif
