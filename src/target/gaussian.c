/* gaussian.c - the model gaussian: N(0, Q D Q), D diagonal, from 1 down to 1 / condition in equal ratios.
 *
 * Q = I - beta v v^T with v = e_1 - (1,...,1) / sqrt(d), beta = 2 / |v|^2 = 1 / (1 - 1 / sqrt(d)), is the reflection
 * that takes e_1 to the diagonal: the longest axis is (1,...,1), and every coordinate is correlated. */
#include "target/model.h"
#include "target/quadrature.h"

typedef struct gaussian_options {
    uint64_t dim;
    double   condition;
} gaussian_options;

const ckam_option gaussian_model_options[] = {
    MODEL_DIM(1, 10000, 2),
    MODEL_REAL(gaussian_options, condition, 1, "ratio of the largest variance to the smallest", .low = 1, .high = 1e12),
    OPTION_END};

/* The cache: log density at 0, beta, 1 / sqrt(d), v^T D v, and the dim inverse variances. */
enum { CONSTANT, BETA, SLOPE, MIDDLE, PRECISION };

static double axis(const ckam_model *m, size_t k) { return (k == 0) - m->cache[SLOPE]; } /* v_k */

static void prepare(ckam_model *m) {
    const gaussian_options *o = m->options;
    const size_t            dim = m->target.dim;
    double                 *c = m->cache;
    c[SLOPE] = 1.0 / sqrt((double)dim);
    c[BETA] = dim > 1 ? 1.0 / (1.0 - c[SLOPE]) : 0.0; /* one dimension: v = 0 */
    for (size_t k = 0; k < dim; k++) {
        double log_precision = dim > 1 ? log(o->condition) * (double)k / (double)(dim - 1) : 0.0;
        c[PRECISION + k] = exp(log_precision);
        c[MIDDLE] += axis(m, k) * axis(m, k) / c[PRECISION + k];
        c[CONSTANT] += 0.5 * log_precision - HALF_LOG_TWO_PI;
    }
}

/* beta v^T x: Qx = x - v times this. */
static double reflection(const ckam_model *m, const double *x) {
    double sum = 0.0;
    for (size_t k = 0; k < m->target.dim; k++) sum += x[k];
    return m->cache[BETA] * (x[0] - m->cache[SLOPE] * sum);
}

static int log_density(void *context, const double *x, double *value) {
    const ckam_model *m = context;
    const double     *precision = m->cache + PRECISION;
    double            along = reflection(m, x), shift = along * m->cache[SLOPE];
    double            first = x[0] + shift - along, square = first * first * precision[0];
    for (size_t k = 1; k < m->target.dim; k++) square += (x[k] + shift) * (x[k] + shift) * precision[k];
    *value = m->cache[CONSTANT] - 0.5 * square;
    return CKAM_OK;
}

static double start(const ckam_model *m, size_t k) {
    (void)m, (void)k;
    return 1.0;
}

/* (Q D Q)_jk */
static double covariance(const ckam_model *m, size_t j, size_t k) {
    const double *precision = m->cache + PRECISION, beta = m->cache[BETA];
    double        outer = beta * axis(m, j) * axis(m, k);
    double        value = outer * (beta * m->cache[MIDDLE] - 1.0 / precision[j] - 1.0 / precision[k]);
    return j == k ? value + 1.0 / precision[k] : value;
}

static double mode(const ckam_model *m, size_t index, double *centre) {
    (void)index;
    for (size_t k = 0; k < m->target.dim; k++) centre[k] = 0.0;
    return 1.0;
}

static void draw(const ckam_model *m, rng *r, double *x) {
    const size_t dim = m->target.dim;
    rng_normals(r, dim, x);
    for (size_t k = 0; k < dim; k++) x[k] /= sqrt(m->cache[PRECISION + k]);
    double along = reflection(m, x);
    for (size_t k = 0; k < dim; k++) x[k] -= along * axis(m, k);
}

static double probability(const ckam_model *m, size_t k, double low, double high) {
    return normal_probability(0.0, sqrt(covariance(m, k, k)), low, high);
}

const model_type gaussian_model = {.options_size = sizeof(gaussian_options),
                                   .cache_size = PRECISION,
                                   .cache_by_dim = 1,
                                   .prepare = prepare,
                                   .log_density = log_density,
                                   .start = start,
                                   .covariance = covariance,
                                   .mode = mode,
                                   .draw = draw,
                                   .probability = probability};
