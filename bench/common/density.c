/* density.c - see density.h. */
#include "density.h"

#include "measure.h"
#include "rng/rng.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOG_TWO_PI 1.83787706640934548356
#define PI         3.14159265358979323846
enum { EXACT_DRAWS = 1000000, STRATIFIED_DRAWS = 400000, AXIS_DRAWS = 20000 };

static double between(rng *r, double low, double high) { return low + (high - low) * rng_uniform(r); }
static double log_between(rng *r, double low, double high) { return exp(between(r, log(low), log(high))); }

static double log_sum(size_t count, const double *each) {
    double most = -HUGE_VAL, sum = DBL_MIN; /* not 0 for the analysers */
    for (size_t j = 0; j < count; j++) most = fmax(most, each[j]);
    for (size_t j = 0; j < count; j++) sum += exp(each[j] - most);
    return most + log(sum);
}

/* -- Mixtures ------------------------------------------------------------------------------------------------------ */

/* log of weight times density of component j. */
static double component(const density *d, size_t j, const double *z) {
    const known_mixture *m = &d->mix;
    double               square = 0.0;
    for (size_t k = 0; k < d->dim; k++) {
        double u = (z[k] - m->mean[j][k]) / m->sd[j][k];
        square += u * u;
    }
    if (m->freedom == 0.0) return m->constant[j] - 0.5 * square;
    return m->constant[j] - 0.5 * (m->freedom + (double)d->dim) * log1p(square / m->freedom);
}

static int mixture_density(void *context, const double *z, double *value) {
    const density *d = context;
    double         each[COMPONENTS_MOST];
    for (size_t j = 0; j < d->mix.count; j++) each[j] = component(d, j, z);
    *value = log_sum(d->mix.count, each);
    return isfinite(*value) ? CKAM_OK : CKAM_REJECT;
}

static size_t mixture_owner(const density *d, const double *z) {
    size_t owner = 0;
    double most = -HUGE_VAL;
    for (size_t j = 0; j < d->mix.count; j++) {
        double each = component(d, j, z);
        if (each > most) {
            most = each;
            owner = j;
        }
    }
    return owner;
}

static void component_draw(const density *d, size_t j, rng *r, double *z) {
    double chi_square = 0.0, stretch = 1.0;
    for (int i = 0; i < (int)d->mix.freedom; i++) {
        double u = rng_normal(r);
        chi_square += u * u;
    }
    if (d->mix.freedom > 0.0) stretch = sqrt(d->mix.freedom / chi_square);
    for (size_t k = 0; k < d->dim; k++) z[k] = d->mix.mean[j][k] + stretch * d->mix.sd[j][k] * rng_normal(r);
}

/* A component at the origin with the same sd in all coordinates; both may be changed before mixture_finish(). */
static void add(density *d, double weight, double sd) {
    size_t j = d->mix.count++;
    d->mix.weight[j] = weight;
    for (size_t k = 0; k < d->dim; k++) d->mix.sd[j][k] = sd;
}

static void mixture_constants(density *d) {
    known_mixture *m = &d->mix;
    double         sum = 0.0, dim = (double)d->dim, nu = m->freedom;
    for (size_t j = 0; j < m->count; j++) sum += m->weight[j];
    for (size_t j = 0; j < m->count; j++) {
        m->weight[j] /= sum;
        m->constant[j] = log(m->weight[j]);
        m->constant[j] +=
            nu > 0.0 ? lgamma(0.5 * (nu + dim)) - lgamma(0.5 * nu) - 0.5 * dim * log(nu * PI) : -0.5 * dim * LOG_TWO_PI;
        for (size_t k = 0; k < d->dim; k++) m->constant[j] -= log(m->sd[j][k]);
    }
}

/* share[e] = sum_j w_j P_j(event e), with exact draws of each component j. Where components are apart, that is w_e. */
static void mixture_shares(density *d) {
    rng    r;
    double z[DIM_MOST];
    bool   hit[EVENTS_MOST];
    size_t each = STRATIFIED_DRAWS / d->mix.count;
    rng_init(&r, 1, 0);
    for (size_t j = 0; j < d->mix.count; j++)
        for (size_t i = 0; i < each; i++) {
            component_draw(d, j, &r, z);
            density_events(d, z, hit);
            for (size_t e = 0; e < d->events; e++) d->share[e] += d->mix.weight[j] * hit[e] / (double)each;
        }
}

/* -- One mode: half-spaces and a ball ------------------------------------------------------------------------------ */

static void exact_draw(const density *d, rng *r, uint64_t index, double *z) {
    if (d->draw)
        d->draw(d, r, z);
    else if (d->model)
        ckam_model_draw(d->model, 1, index, z);
    else
        component_draw(d, 0, r, z);
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Mean and first principal axis of AXIS_DRAWS exact draws, by power iteration. */
static void find_axis(density *d) {
    rng     r;
    double *z = take(AXIS_DRAWS * d->dim * sizeof *z), next[DIM_MOST];
    rng_init(&r, 2, 0);
    for (size_t i = 0; i < AXIS_DRAWS; i++) {
        exact_draw(d, &r, EXACT_DRAWS + i, z + i * d->dim);
        for (size_t k = 0; k < d->dim; k++) d->centre[k] += z[i * d->dim + k] / AXIS_DRAWS;
    }
    for (size_t k = 0; k < d->dim; k++) d->axis[k] = 1.0;
    for (int turn = 0; turn < 50; turn++) {
        double length = 0.0;
        memset(next, 0, sizeof next);
        for (size_t i = 0; i < AXIS_DRAWS; i++) {
            double along = 0.0;
            for (size_t k = 0; k < d->dim; k++) along += d->axis[k] * (z[i * d->dim + k] - d->centre[k]);
            for (size_t k = 0; k < d->dim; k++) next[k] += along * (z[i * d->dim + k] - d->centre[k]);
        }
        for (size_t k = 0; k < d->dim; k++) length += next[k] * next[k];
        for (size_t k = 0; k < d->dim; k++) d->axis[k] = next[k] / sqrt(length);
    }
    free(z);
}

static void project(const density *d, const double *z, double value[3]) {
    value[0] = z[0];
    value[1] = value[2] = 0.0;
    for (size_t k = 0; k < d->dim; k++) {
        value[1] += d->axis[k] * z[k];
        value[2] += (z[k] - d->centre[k]) * (z[k] - d->centre[k]);
    }
}

void density_halves(density *d, size_t draws) {
    rng     r;
    double *all = take(3 * draws * sizeof *all), z[DIM_MOST], value[3];
    find_axis(d);
    rng_init(&r, 3, 0);
    for (size_t i = 0; i < draws; i++) {
        exact_draw(d, &r, i, z);
        project(d, z, value);
        for (size_t e = 0; e < 3; e++) all[e * draws + i] = value[e];
    }
    d->modes = 1;
    d->events = 3;
    for (size_t e = 0; e < 3; e++) {
        qsort(all + e * draws, draws, sizeof *all, by_value);
        d->cut[e] = all[e * draws + draws / 2];
        d->share[e] = 0.5;
    }
    free(all);
}

void density_regions(density *d, size_t count) {
    d->modes = d->events = count;
    for (size_t e = 0; e < count; e++) d->member[e] = (uint64_t)1 << e;
}

static void mixture_finish(density *d) {
    d->log_density = mixture_density;
    mixture_constants(d);
    if (d->mix.count < 2) {
        density_halves(d, EXACT_DRAWS);
        return;
    }
    d->owner = mixture_owner;
    if (!d->events) density_regions(d, d->mix.count);
    mixture_shares(d);
}

void density_events(const density *d, const double *z, bool *hit) {
    double value[3];
    if (d->owner) {
        uint64_t bit = (uint64_t)1 << d->owner(d, z);
        for (size_t e = 0; e < d->events; e++) hit[e] = d->member[e] & bit;
        return;
    }
    project(d, z, value);
    for (size_t e = 0; e < d->events; e++) hit[e] = value[e] < d->cut[e];
}

/* -- The catalogue: mixtures --------------------------------------------------------------------------------------- */

static void two(density *d, double distance, double first_weight, double first_sd, double second_sd) {
    add(d, first_weight, first_sd);
    add(d, 1.0 - first_weight, second_sd);
    d->mix.mean[0][0] = -0.5 * distance;
    d->mix.mean[1][0] = 0.5 * distance;
    mixture_finish(d);
}

static void bimodal(density *d, size_t dim) {
    d->dim = dim;
    two(d, 16.0, 0.5, sqrt(0.5), sqrt(2.0));
}

static void bimodal_diagonal(density *d, size_t dim) {
    d->dim = dim;
    add(d, 0.5, sqrt(0.5));
    add(d, 0.5, sqrt(2.0));
    for (size_t k = 0; k < dim; k++) d->mix.mean[1][k] = -(d->mix.mean[0][k] = -8.0 / sqrt((double)dim));
    mixture_finish(d);
}

static void rare(density *d, size_t dim) {
    d->dim = dim;
    two(d, 10.0, 0.95, 1.0, 1.0);
}

static void volumes(density *d, size_t dim) {
    d->dim = dim;
    two(d, 16.0, 0.5, 0.2, 3.0);
}

static void student(density *d, size_t dim) {
    d->dim = dim;
    d->mix.freedom = 5.0;
    add(d, 1.0, 1.0);
    mixture_finish(d);
}

/* `count` components at places uniform on [-side, side]^dim; weights and widths log-uniform, within ratios. */
static void scattered(density *d, uint64_t seed, size_t count, double side, double weights, double low, double high) {
    rng r;
    rng_init(&r, seed, d->dim);
    for (size_t j = 0; j < count; j++) {
        double weight = log_between(&r, 1.0, weights);
        add(d, weight, log_between(&r, low, high));
        for (size_t k = 0; k < d->dim; k++) d->mix.mean[j][k] = between(&r, -side, side);
    }
    mixture_finish(d);
}

static void ten(density *d, size_t dim) {
    d->dim = dim;
    scattered(d, 10, 10, 20.0, 3.0, 0.3, 3.0);
}

static void five(density *d, size_t dim) {
    d->dim = dim;
    scattered(d, 5, 5, 20.0, 1.0, 0.8, 1.25);
}

static void forty(density *d, size_t dim) {
    d->dim = dim;
    scattered(d, 40, 40, 10.0, 2.0, 0.5, 0.5);
}

static void grid25(density *d, size_t dim) {
    d->dim = dim;
    for (size_t j = 0; j < 25; j++) {
        add(d, 1.0, 1.0);
        d->mix.mean[j][0] = 10.0 * ((double)(j % 5) - 2.0);
        d->mix.mean[j][1] = 10.0 * ((double)(j / 5) - 2.0);
    }
    mixture_finish(d);
}

static void corners(density *d, size_t dim) {
    d->dim = dim;
    for (size_t j = 0; j < 4; j++) {
        add(d, 0.4 - 0.1 * (double)j, 1.0);
        d->mix.mean[j][0] = j & 1 ? 6.0 : -6.0;
        d->mix.mean[j][1] = j & 2 ? 6.0 : -6.0;
    }
    mixture_finish(d);
}

/* Every coordinate is N(0, 0.1^2), the spike, or N(0, 3^2) with equal probability: 2^dim components. Event k: coordinate k
 * is in the spike. */
static void spike_slab(density *d, size_t dim) {
    d->dim = dim;
    for (size_t j = 0; j < (size_t)1 << dim; j++) {
        add(d, 1.0, 3.0);
        for (size_t k = 0; k < dim; k++) {
            if (!(j >> k & 1)) continue;
            d->mix.sd[j][k] = 0.1;
            d->member[k] |= (uint64_t)1 << j;
        }
    }
    d->modes = 1;
    d->events = dim;
    mixture_finish(d);
}

/* Whether component j is 6 sd or more from all before it. */
static bool is_apart(const density *d, size_t j) {
    const known_mixture *m = &d->mix;
    for (size_t i = 0; i < j; i++) {
        double square = 0.0, sd = fmax(m->sd[i][0], m->sd[j][0]);
        for (size_t k = 0; k < d->dim; k++) square += (m->mean[i][k] - m->mean[j][k]) * (m->mean[i][k] - m->mean[j][k]);
        if (square < 36.0 * sd * sd) return false;
    }
    return true;
}

/* d from 1 to 10, 1 to 6 components, Gaussian or t with 5 degrees of freedom, each 6 to 40 sd from an earlier one and at
 * least 6 from all, weights of at least 0.05. */
static void random_mixture(density *d, size_t seed) {
    rng r;
    rng_init(&r, seed, 1000);
    d->dim = 1 + rng_below(&r, 10);
    size_t count = 1 + rng_below(&r, 6);
    d->mix.freedom = rng_below(&r, 2) ? 5.0 : 0.0;
    for (size_t j = 0; j < count; j++) {
        double *mean = d->mix.mean[j];
        add(d, -log(rng_uniform(&r)), log_between(&r, 0.5, 2.0));
        do {
            size_t near = j ? rng_below(&r, j) : 0;
            double length = 0.0, away = j ? log_between(&r, 6.0, 40.0) * d->mix.sd[near][0] : 0.0;
            for (size_t k = 0; k < d->dim; k++) {
                mean[k] = rng_normal(&r);
                length += mean[k] * mean[k];
            }
            for (size_t k = 0; k < d->dim; k++)
                mean[k] = j ? d->mix.mean[near][k] + away * mean[k] / sqrt(length) : 5.0 * mean[k];
        } while (!is_apart(d, j));
    }
    double sum = 0.0;
    for (size_t j = 0; j < count; j++) sum += d->mix.weight[j];
    for (size_t j = 0; j < count; j++) d->mix.weight[j] = 0.05 + (1.0 - 0.05 * (double)count) * d->mix.weight[j] / sum;
    mixture_finish(d);
}

/* -- The catalogue: others ----------------------------------------------------------------------------------------- */

static int model_density(void *context, const double *z, double *value) {
    const density     *d = context;
    const ckam_target *target = ckam_model_target(d->model);
    return target->log_density(target->context, z, value);
}

static void built_in(density *d, const char *spec) {
    ckam_error error;
    if (ckam_model_create(&d->model, spec, &error)) stop(error.message);
    d->dim = ckam_model_target(d->model)->dim;
    d->log_density = model_density;
    density_halves(d, EXACT_DRAWS);
}

static void gaussian(density *d, size_t dim) {
    char spec[32];
    snprintf(spec, sizeof spec, "gaussian:dim=%zu", dim);
    built_in(d, spec);
}

static void condition(density *d, size_t dim) {
    char spec[48];
    snprintf(spec, sizeof spec, "gaussian:dim=%zu,condition=10000", dim);
    built_in(d, spec);
}

static void banana(density *d, size_t dim) {
    (void)dim;
    built_in(d, "banana:dim=2");
}

static void ring(density *d, size_t dim) {
    (void)dim;
    built_in(d, "ring");
}

static void funnel(density *d, size_t dim) {
    char spec[32];
    snprintf(spec, sizeof spec, "funnel:dim=%zu", dim);
    built_in(d, spec);
}

/* Two shells of radius 2 and width 0.1 around -3.5 e1 and 3.5 e1. */
static int shells_density(void *context, const double *z, double *value) {
    const density *d = context;
    double         each[2], rest = 0.0;
    for (size_t k = 1; k < d->dim; k++) rest += z[k] * z[k];
    for (int j = 0; j < 2; j++) {
        double u = z[0] + (j ? -3.5 : 3.5), off = (sqrt(u * u + rest) - 2.0) / 0.1;
        each[j] = -0.5 * off * off - log(0.1) - 0.5 * LOG_TWO_PI;
    }
    *value = log_sum(2, each);
    return isfinite(*value) ? CKAM_OK : CKAM_REJECT;
}

static size_t shells_owner(const density *d, const double *z) {
    (void)d;
    return z[0] > 0.0;
}

static void shells(density *d, size_t dim) {
    /* with the uniform prior on [-6, 6]^dim: Feroz, Hobson and Bridges (2009), to more digits */
    d->log_z = dim == 2 ? -1.7456 : dim == 5 ? -5.6736 : dim == 10 ? -14.5905 : dim == 20 ? -36.0865 : -60.1278;
    d->log_z += (double)dim * log(12.0);
    d->dim = dim;
    d->log_density = shells_density;
    d->owner = shells_owner;
    density_regions(d, 2);
    d->share[0] = d->share[1] = 0.5;
}

/* The same bounds for all coordinates. */
static void set_box(density *d, double lower, double upper) {
    d->bounded = true;
    for (size_t k = 0; k < d->dim; k++) {
        d->lower[k] = lower;
        d->upper[k] = upper;
    }
}

static void shells_box(density *d, size_t dim) {
    shells(d, dim);
    set_box(d, -6.0, 6.0);
}

static int eggbox_density(void *context, const double *z, double *value) {
    (void)context;
    for (int k = 0; k < 2; k++)
        if (!(z[k] >= 0.0 && z[k] <= 10.0 * PI)) return CKAM_REJECT;
    *value = pow(2.0 + cos(0.5 * z[0]) * cos(0.5 * z[1]), 5.0);
    return CKAM_OK;
}

/* Peaks are at 2 pi (i, j), i and j from 0 to 5, i + j even; the nearest one, numbered i * 3 + j / 2. */
static size_t eggbox_owner(const density *d, const double *z) {
    (void)d;
    double x = z[0] / (2.0 * PI), y = z[1] / (2.0 * PI), least = HUGE_VAL;
    size_t owner = 0;
    for (size_t i = 0; i < 6; i++)
        for (size_t j = i % 2; j < 6; j += 2) {
            double square = (x - (double)i) * (x - (double)i) + (y - (double)j) * (y - (double)j);
            if (square >= least) continue;
            least = square;
            owner = i * 3 + j / 2;
        }
    return owner;
}

/* By symmetry a peak at an edge has half the mass of one inside, and one at a corner a quarter. */
static void eggbox(density *d, size_t dim) {
    d->dim = dim;
    d->log_density = eggbox_density;
    d->owner = eggbox_owner;
    density_regions(d, 18);
    for (size_t i = 0; i < 6; i++)
        for (size_t j = i % 2; j < 6; j += 2)
            d->share[i * 3 + j / 2] = (i % 5 ? 1.0 : 0.5) * (j % 5 ? 1.0 : 0.5) / 12.5;
    d->log_z = 235.8559 + 2.0 * log(10.0 * PI);
}

static void eggbox_box(density *d, size_t dim) {
    eggbox(d, dim);
    set_box(d, 0.0, 10.0 * PI);
}

/* Of u with the density exp(u - exp(u)): the logarithm of a gamma variable of shape 1. */
static double log_gamma_density(double x, double centre) {
    double u = 30.0 * (x - centre);
    return log(30.0) + u - exp(u);
}

static double log_normal_density(double x, double centre) {
    double u = 30.0 * (x - centre);
    return log(30.0) - 0.5 * LOG_TWO_PI - 0.5 * u * u;
}

/* Beaujean and Caldwell (2013), on the unit cube: the first coordinate has two log-gamma modes at 1/3 and 2/3, the second two normal
 * ones; up to coordinate (dim + 2) / 2 the others are log-gamma at 2/3, then normal. All scales are 1/30. */
static int log_gamma_problem(void *context, const double *z, double *value) {
    const density *d = context;
    const double   first[2] = {log_gamma_density(z[0], 1.0 / 3.0), log_gamma_density(z[0], 2.0 / 3.0)};
    const double   second[2] = {log_normal_density(z[1], 1.0 / 3.0), log_normal_density(z[1], 2.0 / 3.0)};
    *value = log_sum(2, first) + log_sum(2, second) - 2.0 * log(2.0);
    for (size_t k = 2; k < d->dim; k++)
        *value += 2 * (k + 1) <= d->dim + 2 ? log_gamma_density(z[k], 2.0 / 3.0) : log_normal_density(z[k], 2.0 / 3.0);
    return isfinite(*value) ? CKAM_OK : CKAM_REJECT;
}

/* Events: the first coordinate is below 1/2 or not, and the second. The left tail of the log-gamma mode at 2/3 reaches over 1/2. */
static size_t log_gamma_owner(const density *d, const double *z) {
    (void)d;
    return 2 * (size_t)(z[0] > 0.5) + (size_t)(z[1] > 0.5);
}

static void log_gamma(density *d, size_t dim) {
    double below = 0.5 * (1.0 - exp(-exp(5.0))) + 0.5 * (1.0 - exp(-exp(-5.0)));
    d->dim = dim;
    d->log_density = log_gamma_problem;
    d->owner = log_gamma_owner;
    set_box(d, 0.0, 1.0);
    density_regions(d, 4);
    d->share[0] = d->share[1] = 0.5 * below;
    d->share[2] = d->share[3] = 0.5 * (1.0 - below);
    d->log_z = 0.0; /* what is outside of the cube is less than 1e-4 of it */
}

/* -(1 - x)^2 - 100 (y - x^2)^2 on [-5, 5]^2. */
static int rosenbrock_density(void *context, const double *z, double *value) {
    double u = 1.0 - z[0], v = z[1] - z[0] * z[0];
    (void)context;
    *value = -u * u - 100.0 * v * v;
    return CKAM_OK;
}

static void rosenbrock_draw(const density *d, rng *r, double *z) {
    do {
        z[0] = 1.0 + sqrt(0.5) * rng_normal(r);
        z[1] = z[0] * z[0] + sqrt(0.005) * rng_normal(r);
    } while (!(d->lower[0] < z[0] && z[0] < d->upper[0] && d->lower[1] < z[1] && z[1] < d->upper[1]));
}

/* log Z: the integral over y in closed form, that over x by the trapezoidal rule. Without the bounds it is pi / 10. */
static void rosenbrock(density *d, size_t dim) {
    enum { NODES = 20000 };
    double sum = 0.0, step = 10.0 / NODES;
    d->dim = dim;
    d->log_density = rosenbrock_density;
    d->draw = rosenbrock_draw;
    set_box(d, -5.0, 5.0);
    density_halves(d, EXACT_DRAWS);
    for (int i = 0; i <= NODES; i++) {
        double x = -5.0 + i * step, square = x * x;
        double over_y = 0.05 * sqrt(PI) * (erf(10.0 * (5.0 - square)) - erf(10.0 * (-5.0 - square)));
        sum += step * exp(-(1.0 - x) * (1.0 - x)) * over_y;
    }
    d->log_z = log(sum);
}

/* The posterior of a mixture of three Gaussians: means ~ N(0, 5^2), log standard deviations ~ N(0, 1), and weights
 * ~ Dirichlet(2, 2, 2) as log(w_1 / w_3) and log(w_2 / w_3). It does not change when labels are exchanged. */
static int labels_density(void *context, const double *z, double *value) {
    const density *d = context;
    const double   ratio[3] = {z[6], z[7], 0.0};
    double         each[3], sum = log_sum(3, ratio);
    *value = 0.0;
    for (int j = 0; j < 3; j++) *value += -0.02 * z[j] * z[j] - 0.5 * z[3 + j] * z[3 + j] + 2.0 * (ratio[j] - sum);
    for (size_t i = 0; i < DATA; i++) {
        for (int j = 0; j < 3; j++) {
            double u = (d->data[i] - z[j]) * exp(-z[3 + j]);
            each[j] = ratio[j] - sum - z[3 + j] - 0.5 * u * u;
        }
        *value += log_sum(3, each);
    }
    return isfinite(*value) ? CKAM_OK : CKAM_REJECT;
}

static size_t labels_owner(const density *d, const double *z) {
    (void)d;
    return (size_t)(z[0] < z[1]) * 4 + (size_t)(z[1] < z[2]) * 2 + (size_t)(z[0] < z[2]);
}

static void labels(density *d, size_t dim) {
    static const size_t orders[6] = {0, 2, 3, 4, 5, 7}; /* the six that three numbers can have */
    rng                 r;
    rng_init(&r, 30, 0);
    for (size_t i = 0; i < DATA; i++) d->data[i] = 4.0 * ((double)(i % 3) - 1.0) + 0.7 * rng_normal(&r);
    d->dim = dim;
    d->log_density = labels_density;
    d->owner = labels_owner;
    d->log_z = (double)NAN;
    d->modes = d->events = 6;
    for (size_t e = 0; e < 6; e++) {
        d->member[e] = (uint64_t)1 << orders[e];
        d->share[e] = 1.0 / 6.0;
    }
}

/* Positions of four sensors in the plane from noisy distances among them and to two sensors whose positions are known (Ihler et al.
 * 2005, as set up by Tak, Meng and van Dyk 2018, with data of our own). Two sensors at distance r observe each other with probability
 * exp(-r^2 / (2 0.3^2)); then the observation is N(r, 0.02^2). Priors are N(0, 10^2). Reflection at the line through the two known
 * sensors leaves the likelihood as it is. */
enum { UNKNOWN = 4, SENSORS = 6 };
static const double known_sensor[SENSORS - UNKNOWN][2] = {{0.5, 0.3}, {0.3, 0.7}};
/* 0: not observed */
static const double sensor_distance[UNKNOWN][SENSORS] = {{0.0, 0.203, 0.546, 0.109, 0.064, 0.458},
                                                         {0.0, 0.0, 0.0, 0.302, 0.130, 0.339},
                                                         {0.0, 0.0, 0.0, 0.0, 0.556, 0.0},
                                                         {0.0, 0.0, 0.0, 0.0, 0.197, 0.0}};

static int sensors_density(void *context, const double *z, double *value) {
    (void)context;
    *value = -8.0 * log(10.0) - 4.0 * LOG_TWO_PI;
    for (size_t k = 0; k < 2 * UNKNOWN; k++) *value -= 0.005 * z[k] * z[k];
    for (size_t i = 0; i < UNKNOWN; i++)
        for (size_t j = i + 1; j < SENSORS; j++) {
            const double *other = j < UNKNOWN ? z + 2 * j : known_sensor[j - UNKNOWN];
            double        x = z[2 * i] - other[0], y = z[2 * i + 1] - other[1], part = (x * x + y * y) / 0.18;
            double        off = (sqrt(x * x + y * y) - sensor_distance[i][j]) / 0.02;
            *value += sensor_distance[i][j] > 0.0 ? -part - 0.5 * off * off : log(-expm1(-part));
        }
    return isfinite(*value) ? CKAM_OK : CKAM_REJECT;
}

/* Bit i: the side of the line through the known sensors that sensor i is on. */
static size_t sensors_owner(const density *d, const double *z) {
    const double *a = known_sensor[0], *b = known_sensor[1];
    size_t        sides = 0;
    (void)d;
    for (size_t i = 0; i < UNKNOWN; i++) {
        double x = z[2 * i] - a[0], y = z[2 * i + 1] - a[1];
        if (x * (b[1] - a[1]) > y * (b[0] - a[0])) sides |= (size_t)1 << i;
    }
    return sides;
}

/* Shares and log Z: sequential Monte Carlo from the prior to the posterior, eight runs of 20,000 particles; standard errors are 0.002
 * and 0.012. A reflection has the share of what it reflects but for the prior, which is flat here. Others are below 0.01. */
static void sensors(density *d, size_t dim) {
    static const struct {
        uint64_t sides;
        double   share;
    } known[] = {{0, 0.0175}, {15, 0.0175}, {2, 0.271}, {13, 0.271}, {4, 0.0196}, {11, 0.0196}, {6, 0.172}, {9, 0.172}};
    d->dim = dim;
    d->log_density = sensors_density;
    d->owner = sensors_owner;
    d->log_z = -53.70;
    d->modes = d->events = sizeof known / sizeof *known;
    for (size_t e = 0; e < d->events; e++) {
        d->member[e] = (uint64_t)1 << known[e].sides;
        d->share[e] = known[e].share;
    }
}

/* -- Names --------------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*build)(density *d, size_t dim);
    size_t dim; /* of random: the seed */
} catalogue[] = {{"bimodal:2", bimodal, 2},
                 {"bimodal:4", bimodal, 4},
                 {"bimodal:8", bimodal, 8},
                 {"bimodal:16", bimodal, 16},
                 {"bimodal:32", bimodal, 32},
                 {"bimodal:diagonal", bimodal_diagonal, 8},
                 {"ten", ten, 2},
                 {"five", five, 10},
                 {"shells:2", shells, 2},
                 {"shells:5", shells, 5},
                 {"shells:10", shells, 10},
                 {"shells:20", shells, 20},
                 {"shells:30", shells, 30},
                 {"shells:box:2", shells_box, 2},
                 {"shells:box:10", shells_box, 10},
                 {"eggbox", eggbox, 2},
                 {"eggbox:box", eggbox_box, 2},
                 {"loggamma:2", log_gamma, 2},
                 {"loggamma:5", log_gamma, 5},
                 {"loggamma:10", log_gamma, 10},
                 {"loggamma:20", log_gamma, 20},
                 {"rosenbrock", rosenbrock, 2},
                 {"grid25", grid25, 2},
                 {"forty:2", forty, 2},
                 {"forty:5", forty, 5},
                 {"forty:10", forty, 10},
                 {"labels", labels, 8},
                 {"sensors", sensors, 8},
                 {"rare", rare, 3},
                 {"volumes", volumes, 4},
                 {"corners", corners, 6},
                 {"spike-slab", spike_slab, 5},
                 {"gaussian:2", gaussian, 2},
                 {"gaussian:10", gaussian, 10},
                 {"gaussian:30", gaussian, 30},
                 {"condition", condition, 10},
                 {"student", student, 5},
                 {"banana", banana, 2},
                 {"ring", ring, 2},
                 {"funnel", funnel, 5},
                 {"random:1", random_mixture, 1},
                 {"random:2", random_mixture, 2},
                 {"random:3", random_mixture, 3},
                 {"random:4", random_mixture, 4},
                 {"random:5", random_mixture, 5},
                 {"random:6", random_mixture, 6}};
enum { NAMES = sizeof catalogue / sizeof *catalogue };

/* The digits behind "random:"; NULL where the name is another. */
static const char *random_seed(const char *name) {
    static const char prefix[] = "random:";
    const char       *digits = name + sizeof prefix - 1;
    if (strncmp(name, prefix, sizeof prefix - 1) != 0 || !*digits) return NULL;
    return digits[strspn(digits, "0123456789")] ? NULL : digits;
}

density *density_create(const char *name) {
    const char *seed = random_seed(name);
    size_t      i = 0;
    while (i < NAMES && strcmp(catalogue[i].name, name) != 0) i++;
    if (i == NAMES && !seed) return NULL;
    density *d = take(sizeof *d);
    snprintf(d->name, sizeof d->name, "%s", name);
    if (i < NAMES)
        catalogue[i].build(d, catalogue[i].dim);
    else
        random_mixture(d, strtoull(seed, NULL, 10));
    return d;
}

void density_free(density *d) {
    if (!d) return;
    ckam_model_free(d->model);
    free(d->own);
    free(d);
}

const char *density_name(const char *pattern, size_t index) {
    size_t length = strlen(pattern), found = 0;
    for (size_t i = 0; i < NAMES; i++) {
        const char *name = catalogue[i].name;
        bool        same = !strncmp(name, pattern, length) && (!name[length] || name[length] == ':');
        if ((same || !strcmp(pattern, "all")) && found++ == index) return name;
    }
    return !found && index == 0 && random_seed(pattern) ? pattern : NULL;
}
