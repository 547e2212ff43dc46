/* components.c - see components.h. */
#include "components.h"

#include <math.h>

#define LOG_TWO_PI 1.83787706640934548356
#define PI         3.14159265358979323846

/* -- Making -------------------------------------------------------------------------------------------------------- */

/* Columns of a Gaussian matrix, made orthonormal one after the other: Haar's distribution. */
static void random_rotation(rng *r, size_t dim, double q[DIM_MOST][DIM_MOST]) {
    for (size_t k = 0; k < dim; k++) {
        for (size_t j = 0; j < dim; j++) q[j][k] = rng_normal(r);
        for (size_t i = 0; i <= k; i++) {
            double product = 0.0;
            for (size_t j = 0; j < dim; j++) product += q[j][i] * q[j][k];
            for (size_t j = 0; j < dim; j++) q[j][k] = i < k ? q[j][k] - product * q[j][i] : q[j][k] / sqrt(product);
        }
    }
}

void component_axes(component *c, size_t dim, rng *r, double log_volume, double condition) {
    double log_sd[DIM_MOST], mean = 0.0;
    for (size_t k = 0; k < dim; k++) {
        double part = k == 0 ? 0.0 : k == 1 ? 1.0 : rng_uniform(r);
        log_sd[k] = part * 0.5 * log(condition);
    }
    for (size_t k = dim; k > 1; k--) { /* in random order: planes of twists and rings are those of any two axes */
        size_t other = rng_below(r, k);
        double kept = log_sd[k - 1];
        log_sd[k - 1] = log_sd[other];
        log_sd[other] = kept;
    }
    for (size_t k = 0; k < dim; k++) mean += log_sd[k] / (double)dim;
    random_rotation(r, dim, c->frame);
    for (size_t k = 0; k < dim; k++) {
        double sd = exp(log_sd[k] - mean + log_volume / (double)dim);
        for (size_t j = 0; j < dim; j++) {
            c->whitening[k][j] = c->frame[j][k] / sd;
            c->frame[j][k] *= sd;
        }
    }
    c->log_volume = log_volume;
    c->condition = dim > 1 ? condition : 1.0;
}

/* log of r^(n-1) exp(-(r-1)^2 / (2 width^2)), the radial density of a sphere. */
static double log_radial(double radius, size_t n, double width) {
    double off = (radius - 1.0) / width;
    return (double)(n - 1) * log(radius) - 0.5 * off * off;
}

static double radial_mode(size_t n, double width) {
    return 0.5 * (1.0 + sqrt(1.0 + 4.0 * (double)(n - 1) * width * width));
}

/* The integral of the radial density and its second moment by the trapezoidal rule: both ends are beyond 12 sd, or 0. */
static void finish_sphere(component *c, size_t dim) {
    enum { NODES = 4000 };
    const size_t n = c->span;
    double       mode = radial_mode(n, c->width), top = log_radial(mode, n, c->width), sum = 0.0, squares = 0.0;
    double       low = fmax(0.0, mode - 14.0 * c->width), step = (mode + 14.0 * c->width - low) / NODES;
    for (int i = 1; i < NODES; i++) {
        double radius = low + i * step, height = exp(log_radial(radius, n, c->width) - top);
        sum += height * step;
        squares += height * step * radius * radius;
    }
    double half = 0.5 * (double)n, factor = sqrt((double)n / (squares / sum));
    c->constant = -(log(2.0) + half * log(PI) - lgamma(half) + top + log(sum)) - (double)n * log(factor);
    c->constant -= 0.5 * (double)(dim - n) * LOG_TWO_PI;
    c->radius = factor;
    c->width *= factor;
}

void component_finish(component *c, size_t dim) {
    double d = (double)dim, nu = c->freedom;
    c->constant = -0.5 * d * LOG_TWO_PI;
    if (c->shape == T) c->constant = lgamma(0.5 * (nu + d)) - lgamma(0.5 * nu) - 0.5 * d * log(nu * PI);
    if (c->shape == SPHERE) finish_sphere(c, dim);
}

void component_scale(component *c, size_t dim, double factor) {
    c->log_volume += (double)dim * log(factor);
    for (size_t j = 0; j < dim; j++) {
        c->centre[j] *= factor;
        for (size_t k = 0; k < dim; k++) {
            c->frame[j][k] *= factor;
            c->whitening[j][k] /= factor;
        }
    }
}

/* -- Use ----------------------------------------------------------------------------------------------------------- */

double component_sd(const component *c, size_t dim, const double *u) {
    double sum = 0.0;
    for (size_t k = 0; k < dim; k++) {
        double along = 0.0, variance = 1.0;
        for (size_t j = 0; j < dim; j++) along += c->frame[j][k] * u[j];
        if (c->shape == T) variance = c->freedom / (c->freedom - 2.0);
        if (c->shape == TWISTED && k == c->b) variance += 2.0 * c->bend * c->bend;
        sum += variance * along * along;
    }
    return sqrt(sum);
}

double component_log_density(const component *c, size_t dim, const double *z) {
    double y[DIM_MOST], off[DIM_MOST], square = 0.0, radius = 0.0;
    for (size_t j = 0; j < dim; j++) off[j] = z[j] - c->centre[j];
    for (size_t k = 0; k < dim; k++) {
        y[k] = 0.0;
        for (size_t j = 0; j < dim; j++) y[k] += c->whitening[k][j] * off[j];
    }
    if (c->shape == TWISTED) y[c->b] -= c->bend * (y[c->a] * y[c->a] - 1.0);
    if (c->shape == SPHERE) {
        for (size_t k = 0; k < c->span; k++) {
            radius += y[k] * y[k];
            y[k] = 0.0;
        }
        y[0] = (sqrt(radius) - c->radius) / c->width;
    }
    for (size_t k = 0; k < dim; k++) square += y[k] * y[k];
    if (c->shape == T)
        return c->constant - c->log_volume - 0.5 * (c->freedom + (double)dim) * log1p(square / c->freedom);
    return c->constant - c->log_volume - 0.5 * square;
}

/* By rejection: the second derivative of the log density of r is below -1 / width^2, so the normal one with this sd at the mode lies
 * above it. */
static double draw_radius(const component *c, rng *r) {
    double width = c->width / c->radius, mode = radial_mode(c->span, width), top = log_radial(mode, c->span, width);
    for (;;) {
        double u = rng_normal(r), radius = mode + width * u;
        if (radius > 0.0 && log(rng_uniform(r)) < log_radial(radius, c->span, width) - top + 0.5 * u * u)
            return radius * c->radius;
    }
}

void component_draw_from(const component *c, size_t dim, rng *r, double *z) {
    double y[DIM_MOST], stretch = 1.0;
    for (size_t k = 0; k < dim; k++) y[k] = rng_normal(r);
    if (c->shape == T) {
        double chi_square = 0.0;
        for (int i = 0; i < (int)c->freedom; i++) {
            double u = rng_normal(r);
            chi_square += u * u;
        }
        stretch = sqrt(c->freedom / chi_square);
    }
    if (c->shape == TWISTED) y[c->b] += c->bend * (y[c->a] * y[c->a] - 1.0);
    if (c->shape == SPHERE) {
        double norm = 0.0;
        for (size_t k = 0; k < c->span; k++) norm += y[k] * y[k];
        double factor = draw_radius(c, r) / sqrt(norm);
        for (size_t k = 0; k < c->span; k++) y[k] *= factor;
    }
    for (size_t j = 0; j < dim; j++) {
        double sum = 0.0;
        for (size_t k = 0; k < dim; k++) sum += c->frame[j][k] * y[k];
        z[j] = c->centre[j] + stretch * sum;
    }
}
