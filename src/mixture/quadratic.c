/* quadratic.c - see quadratic.h. */
#include "mixture/quadratic.h"

#include "linalg/linalg.h"
#include "mixture/tuning.h"

#include <math.h>
#include <string.h>

enum { TURNS_MOST = 200, HALVINGS = 40 };
#define TOLERANCE 1e-9 /* of the gradient of the sum of squares, relative to its first value */
#define FLATTEST  1e-8 /* curvature in the frame of the points that may be rounding */

/* A quadratic in u: constant + slope.u + (u.A u - tr A) / sqrt(2), whose terms are orthogonal if u ~ N(0, I). A:
 * lower triangle. */
typedef struct terms {
    double  constant;
    double *slope, *bend;
} terms;

size_t quadratic_points(size_t dim) { return (dim + 1) * (dim + 2); }
size_t quadratic_work(size_t dim) { return 4 * (dim + dim * dim) + quadratic_points(dim); }

static double *row_at(double *rows, size_t dim, size_t i) { return rows + i * (dim + QUADRATIC_HEAD); }

/* -- Weights and frame -------------------------------------------------------------------------------------------- */

/* The median of how far the values lie below the greatest one. */
static double median_fall(size_t dim, size_t count, double *rows, double top) {
    double low = 0.0, high = 0.0;
    for (size_t i = 0; i < count; i++) high = fmax(high, top - row_at(rows, dim, i)[QUADRATIC_VALUE]);
    for (int iteration = 0; iteration < HALVINGS; iteration++) {
        double middle = 0.5 * (low + high);
        size_t below = 0;
        for (size_t i = 0; i < count; i++) below += top - row_at(rows, dim, i)[QUADRATIC_VALUE] <= middle;
        if (2 * below < count)
            low = middle;
        else
            high = middle;
    }
    return high;
}

/* Weights m / (m + f), f the fall from the highest point, *top, and m the median of such falls: a quadratic need not
 * hold far below. They are scaled to a mean square of 1. The values become weighted falls; returns their variance. */
static double weigh(size_t dim, size_t count, double *rows, double *top) {
    double n = (double)count, sum = 0.0, mean = 0.0, square = 0.0;
    *top = -HUGE_VAL;
    for (size_t i = 0; i < count; i++) *top = fmax(*top, row_at(rows, dim, i)[QUADRATIC_VALUE]);
    double middle = median_fall(dim, count, rows, *top);
    for (size_t i = 0; i < count; i++) {
        double *row = row_at(rows, dim, i), fall = *top - row[QUADRATIC_VALUE];
        row[QUADRATIC_WEIGHT] = middle > 0.0 ? middle / (middle + fall) : 1.0;
        sum += row[QUADRATIC_WEIGHT] * row[QUADRATIC_WEIGHT];
    }
    for (size_t i = 0; i < count; i++) {
        double *row = row_at(rows, dim, i), *weight = row + QUADRATIC_WEIGHT;
        *weight *= sqrt(n / sum);
        row[QUADRATIC_VALUE] = *weight * (row[QUADRATIC_VALUE] - *top);
        mean += *weight * row[QUADRATIC_VALUE] / n;
        square += row[QUADRATIC_VALUE] * row[QUADRATIC_VALUE] / n;
    }
    return square - mean * mean;
}

/* Points become u = G^-1 (x - centre), G G^T their weighted covariance. */
static bool whiten(size_t dim, size_t count, double *rows, double *centre, double *frame) {
    double n = (double)count;
    memset(centre, 0, dim * sizeof *centre);
    memset(frame, 0, dim * dim * sizeof *frame);
    for (size_t i = 0; i < count; i++) {
        const double *row = row_at(rows, dim, i);
        vec_axpy(dim, row[QUADRATIC_WEIGHT] * row[QUADRATIC_WEIGHT] / n, row + QUADRATIC_HEAD, centre);
    }
    for (size_t i = 0; i < count; i++) {
        double *row = row_at(rows, dim, i);
        vec_axpy(dim, -1.0, centre, row + QUADRATIC_HEAD);
        sym_add(dim, row[QUADRATIC_WEIGHT] * row[QUADRATIC_WEIGHT] / n, row + QUADRATIC_HEAD, frame);
    }
    if (chol_factor(dim, frame)) return false;
    for (size_t i = 0; i < count; i++) tri_solve(dim, frame, row_at(rows, dim, i) + QUADRATIC_HEAD);
    return true;
}

/* -- Least squares, by conjugate gradients ------------------------------------------------------------------------ */

static double value_of(size_t dim, const terms *t, const double *u) {
    double sum = t->constant + vec_dot(dim, t->slope, u), bend = 0.0;
    for (size_t k = 0; k < dim; k++) {
        const double *column = t->bend + k * dim + k;
        bend += u[k] * (2.0 * vec_dot(dim - k, column, u + k) - column[0] * u[k]) - column[0];
    }
    return sum + sqrt(0.5) * bend;
}

static void add_features(size_t dim, double weight, const double *u, terms *t) {
    t->constant += weight;
    vec_axpy(dim, weight, u, t->slope);
    sym_add(dim, sqrt(0.5) * weight, u, t->bend);
    for (size_t k = 0; k < dim; k++) t->bend[k * dim + k] -= sqrt(0.5) * weight;
}

static void clear(size_t dim, terms *t) {
    t->constant = 0.0;
    memset(t->slope, 0, dim * sizeof(double));
    memset(t->bend, 0, dim * dim * sizeof(double));
}

static double square_of(size_t dim, const terms *t) {
    double sum = t->constant * t->constant + vec_dot(dim, t->slope, t->slope);
    for (size_t k = 0; k < dim; k++) {
        const double *column = t->bend + k * dim + k;
        sum += 2.0 * vec_dot(dim - k, column, column) - column[0] * column[0];
    }
    return sum;
}

/* to := to * keep + scale * from. */
static void combine(size_t dim, terms *to, double keep, double scale, const terms *from) {
    to->constant = keep * to->constant + scale * from->constant;
    for (size_t k = 0; k < dim; k++) {
        to->slope[k] = keep * to->slope[k] + scale * from->slope[k];
        for (size_t i = k; i < dim; i++)
            to->bend[k * dim + i] = keep * to->bend[k * dim + i] + scale * from->bend[k * dim + i];
    }
}

/* CGLS: fit := the least squares solution. The values become weighted residuals; returns their mean square. change:
 * one number per row. */
static double solve(size_t dim, size_t count, double *rows, terms *fit, terms *gradient, terms *along, double *change) {
    double first = 0.0, before = 0.0, step = 0.0, left = 0.0;
    clear(dim, fit);
    clear(dim, along);
    memset(change, 0, count * sizeof *change);
    for (int iteration = 0; iteration < TURNS_MOST; iteration++) {
        double curvature = 0.0;
        clear(dim, gradient);
        left = 0.0;
        for (size_t i = 0; i < count; i++) {
            double *row = row_at(rows, dim, i);
            row[QUADRATIC_VALUE] -= step * change[i];
            left += row[QUADRATIC_VALUE] * row[QUADRATIC_VALUE];
            add_features(dim, row[QUADRATIC_VALUE] * row[QUADRATIC_WEIGHT], row + QUADRATIC_HEAD, gradient);
        }
        double square = square_of(dim, gradient);
        if (!iteration) first = square;
        if (!(square > TOLERANCE * TOLERANCE * first)) break;
        combine(dim, along, iteration ? square / before : 0.0, 1.0, gradient);
        before = square;
        for (size_t i = 0; i < count; i++) {
            const double *row = row_at(rows, dim, i);
            change[i] = row[QUADRATIC_WEIGHT] * value_of(dim, along, row + QUADRATIC_HEAD);
            curvature += change[i] * change[i];
        }
        if (!(curvature > 0.0)) break;
        step = square / curvature;
        combine(dim, fit, 1.0, step, along);
    }
    return left / (double)count;
}

/* -- The Gaussian ------------------------------------------------------------------------------------------------- */

/* Mean and factor of the Gaussian, from the fit in the frame of the points. Curvatures below `unsure` are raised to
 * it: no axis becomes longer than the standard errors of the fit allow. `a`, `b`: room. */
static quadratic_result conclude(size_t dim, const terms *fit, double unsure, const double *centre, const double *frame,
                                 terms *a, terms *b, quadratic *out) {
    double          *curvature = a->bend, *axes = b->bend, *mean = a->slope, *image = b->slope;
    quadratic_result result = QUADRATIC_FULL;
    for (size_t k = 0; k < dim; k++) {
        out->peak -= sqrt(0.5) * fit->bend[k * dim + k];
        for (size_t i = k; i < dim; i++)
            curvature[k * dim + i] = curvature[i * dim + k] = -sqrt(2.0) * fit->bend[k * dim + i];
    }
    sym_eigen(dim, curvature, axes);
    memset(mean, 0, dim * sizeof *mean);
    memset(out->factor, 0, dim * dim * sizeof *out->factor);
    for (size_t k = 0; k < dim; k++) {
        const double *axis = axes + k * dim, bend = fmax(curvature[k * dim + k], unsure);
        const double  slope = vec_dot(dim, axis, fit->slope), length = 1.0 / sqrt(bend);
        double        to = slope / bend;
        if (curvature[k * dim + k] < unsure) { /* no peak along this axis: uphill, by at most one standard deviation */
            result = QUADRATIC_PARTLY;
            to = fmin(fmax(to, -length), length);
        }
        out->peak += to * (slope - 0.5 * bend * to);
        vec_axpy(dim, to, axis, mean);
        memset(image, 0, dim * sizeof *image);
        tri_multiply_add(dim, frame, length, axis, image);
        sym_add(dim, 1.0, image, out->factor);
    }
    memcpy(out->mean, centre, dim * sizeof *mean);
    tri_multiply_add(dim, frame, 1.0, mean, out->mean);
    return chol_factor(dim, out->factor) ? QUADRATIC_NONE : result;
}

static terms take_terms(size_t dim, double **work) {
    terms t = {0.0, *work, *work + dim};
    *work += dim + dim * dim;
    return t;
}

quadratic_result quadratic_fit(size_t dim, size_t count, double *rows, double *work, quadratic *out) {
    terms   fit = take_terms(dim, &work), a = take_terms(dim, &work), b = take_terms(dim, &work);
    terms   frame = take_terms(dim, &work);
    double *centre = frame.slope, top, variance = weigh(dim, count, rows, &top);
    if (!whiten(dim, count, rows, centre, frame.bend)) return QUADRATIC_NONE;
    /* with twice as many points as parameters the residual variance is twice their mean square */
    double left = 2.0 * solve(dim, count, rows, &fit, &a, &b, work);
    if (!isfinite(left) || !isfinite(square_of(dim, &fit))) return QUADRATIC_NONE;
    out->unexplained = left / variance;
    out->peak = top + fit.constant;
    double error = sqrt(2.0 * left / (double)count); /* of a curvature */
    double unsure = fmax(tuning.significant * error, FLATTEST);
    return conclude(dim, &fit, unsure, centre, frame.bend, &a, &b, out);
}

quadratic_result quadratic_through(size_t dim, const double *x, double at_x, const double *h, const double *less,
                                   const double *values, double *work, quadratic *out) {
    terms fit = take_terms(dim, &work), a = take_terms(dim, &work), b = take_terms(dim, &work);
    terms frame = take_terms(dim, &work);
    memset(frame.bend, 0, dim * dim * sizeof *frame.bend);
    out->peak = at_x;
    for (size_t j = 0; j < dim;
         j++) { /* in u = (x' - x) / h; terms.bend has half of second differences, times sqrt(2) */
        const double *column = values + j * dim, plus = column[j];
        frame.bend[j * dim + j] = h[j];
        fit.slope[j] = 0.5 * (plus - less[j]);
        fit.bend[j * dim + j] = sqrt(0.5) * (plus - 2.0 * at_x + less[j]);
        out->peak += sqrt(0.5) * fit.bend[j * dim + j]; /* tr A: terms.constant is that of u = 0 without it */
        for (size_t i = j + 1; i < dim; i++)
            fit.bend[j * dim + i] = sqrt(0.5) * (column[i] - plus - values[i * dim + i] + at_x);
    }
    if (!isfinite(square_of(dim, &fit))) return QUADRATIC_NONE;
    return conclude(dim, &fit, FLATTEST, x, frame.bend, &a, &b, out);
}
