/* quadratic.h - a quadratic fitted to evaluations of a log density, by least squares or through the values on a
 * lattice, and its Gaussian.
 *
 * All evaluated points count, also those that a walk rejected, whatever their distribution: where log pi is a
 * quadratic, 1 + d + d (d+1)/2 of them determine it, however slowly the walk moves. The fit is affine-equivariant:
 * coordinates are whitened by the points' own covariance. */
#ifndef CKAM_MIXTURE_QUADRATIC_H
#define CKAM_MIXTURE_QUADRATIC_H

#include <stdbool.h>
#include <stddef.h>

/* A row is the log density (finite), a number that is used here, and the point. */
enum { QUADRATIC_VALUE, QUADRATIC_WEIGHT, QUADRATIC_HEAD };

typedef enum quadratic_result {
    QUADRATIC_NONE, /* the points do not span the space, or numbers overflow */
    QUADRATIC_PARTLY, /* along one or more axes the curvature is not significantly negative: the length there is the longest
                         that the standard errors of the fit allow */
    QUADRATIC_FULL
} quadratic_result;

/* How many points a fit takes: twice its parameters. */
size_t quadratic_points(size_t dim);
/* Numbers of `work`. */
size_t quadratic_work(size_t dim);
typedef struct quadratic {
    double *mean,
        *factor; /* of the Gaussian: dim numbers, dim^2 of which the lower triangle is filled; room of the caller */
    double peak; /* the log density at the mean, by the fit */
    double unexplained; /* share of the variance of the log density over the points that the fit leaves */
} quadratic;

/* At most quadratic_points() rows, which are overwritten. */
quadratic_result quadratic_fit(size_t dim, size_t count, double *rows, double *work, quadratic *out);

/* Interpolates values on a lattice around x, with steps h along the axes: `at_x`, column j of `values` from the
 * diagonal on at x + h_j e_j and, below it, x + h_i e_i + h_j e_j, and less[j] at x - h_j e_j. Second differences
 * and no least squares: exact where log pi is a quadratic, with half as many values. How well it predicts log pi
 * elsewhere is for the caller to check. */
quadratic_result quadratic_through(size_t dim, const double *x, double at_x, const double *h, const double *less,
                                   const double *values, double *work, quadratic *out);

#endif
