/* grid.c - the model grid32: each coordinate is one of five equal N(mu_j, s^2), mu_j = h j, j = -2 .. 2.
 *
 * With h = s^2 (= 15) the terms are exp(-(x - h j)^2 / (2 h)) = exp(-x^2 / (2 h)) exp(j x) exp(-h j^2 / 2), so
 * with the outermost taken out and u = exp(-|x|) the sum of a coordinate needs one exponential:
 * exp(-(|x| - 2 h)^2 / (2 h)) P(u), P(u) = 1 + e^(3h/2) u + e^(2h) u^2 + e^(3h/2) u^3 + u^4, all positive. */
#include "base/fastmath.h"
#include "base/wide.h"
#include "target/model.h"
#include "target/quadrature.h"

#define SPACING 15.0
enum { CENTRES = 5, BLOCK = 16 };

typedef struct grid_options {
    uint64_t dim;
} grid_options;

/* 5^440 is still a double. */
const ckam_option grid32_model_options[] = {MODEL_DIM(1, 440, 32), OPTION_END};

/* The cache: the constant of the log density and the two coefficients of P. */
enum { CONSTANT, INNER, MIDDLE, CACHE_SIZE };

static void prepare(ckam_model *m) {
    double one = -log((double)CENTRES) - 0.5 * log(SPACING) - HALF_LOG_TWO_PI;
    m->cache[CONSTANT] = (double)m->target.dim * one;
    m->cache[INNER] = exp(1.5 * SPACING);
    m->cache[MIDDLE] = exp(2.0 * SPACING);
}

WIDE static int log_density(void *context, const double *x, double *value) {
    const ckam_model *m = context;
    const double      inner = m->cache[INNER], middle = m->cache[MIDDLE];
    double            square = 0.0, logs = 0.0;
    for (size_t left = m->target.dim, n; left; left -= n, x += n) {
        double u[BLOCK], product = 1.0; /* of at most 16 P < 2^44 */
        n = left < BLOCK ? left : BLOCK;
        for (size_t k = 0; k < n; k++) u[k] = exp_fast(-fabs(x[k]));
        for (size_t k = 0; k < n; k++) {
            double beyond = fabs(x[k]) - 2.0 * SPACING;
            square += beyond * beyond;
            product *= 1.0 + u[k] * (inner + u[k] * (middle + u[k] * (inner + u[k])));
        }
        logs += log(product);
    }
    *value = m->cache[CONSTANT] + logs - square * (0.5 / SPACING);
    return CKAM_OK;
}

static double covariance(const ckam_model *m, size_t j, size_t k) {
    (void)m;
    return j == k ? SPACING + 2.0 * SPACING * SPACING : 0.0; /* the mean of j^2 is 2 */
}

static double modes(const ckam_model *m) { return pow(CENTRES, (double)m->target.dim); }

/* The digits of the index in base five, the first coordinate changing fastest. */
static double mode(const ckam_model *m, size_t index, double *centre) {
    for (size_t k = 0; k < m->target.dim; k++, index /= CENTRES)
        centre[k] = SPACING * ((double)(index % CENTRES) - 2.0);
    return 1.0 / modes(m);
}

static void draw(const ckam_model *m, rng *r, double *x) {
    rng_normals(r, m->target.dim, x);
    for (size_t k = 0; k < m->target.dim; k++)
        x[k] = sqrt(SPACING) * x[k] + SPACING * ((double)rng_below(r, CENTRES) - 2.0);
}

static double probability(const ckam_model *m, size_t k, double low, double high) {
    double sum = 0.0;
    (void)m, (void)k;
    for (int j = -2; j <= 2; j++) sum += normal_probability(SPACING * j, sqrt(SPACING), low, high);
    return sum / CENTRES;
}

static double box(const ckam_model *m, const double *low, const double *high) {
    double product = 1.0;
    for (size_t k = 0; k < m->target.dim; k++) product *= probability(m, k, low[k], high[k]);
    return product;
}

const model_type grid32_model = {.options_size = sizeof(grid_options),
                                 .cache_size = CACHE_SIZE,
                                 .prepare = prepare,
                                 .log_density = log_density,
                                 .covariance = covariance,
                                 .modes = modes,
                                 .mode = mode,
                                 .draw = draw,
                                 .probability = probability,
                                 .box = box};
