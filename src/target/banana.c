/* banana.c - the model banana: X ~ N(0, diag(v, 1, ..., 1)), bent to x_2 + b (x_1^2 - v).
 *
 * Bending keeps volumes, so the density is that of X at the point bent back. */
#include "target/model.h"
#include "target/quadrature.h"

typedef struct banana_options {
    uint64_t dim;
    double   bananicity, variance;
} banana_options;

const ckam_option banana_model_options[] = {
    MODEL_DIM(2, 10000, 8), MODEL_REAL(banana_options, bananicity, 0.03, "b, how much it is bent", .low = 0, .high = 1),
    MODEL_REAL(banana_options, variance, 100, "v, variance of the first coordinate", .open_low = true, .high = 1e4),
    OPTION_END};

/* The cache: log density at the mode and 1 / v. */
enum { CONSTANT, PRECISION, CACHE_SIZE };

static void prepare(ckam_model *m) {
    const banana_options *o = m->options;
    m->cache[CONSTANT] = -0.5 * log(o->variance) - (double)m->target.dim * HALF_LOG_TWO_PI;
    m->cache[PRECISION] = 1.0 / o->variance;
}

static int log_density(void *context, const double *x, double *value) {
    const ckam_model     *m = context;
    const banana_options *o = m->options;
    double                straight = x[1] - o->bananicity * (x[0] * x[0] - o->variance);
    double                square = x[0] * x[0] * m->cache[PRECISION] + straight * straight;
    *value = m->cache[CONSTANT] - 0.5 * (square + sum_of_squares(m->target.dim - 2, x + 2));
    return CKAM_OK;
}

static double covariance(const ckam_model *m, size_t j, size_t k) {
    const banana_options *o = m->options;
    double                bend = o->bananicity * o->variance;
    if (j != k) return 0.0; /* E x_1^3 = 0 */
    return k == 0 ? o->variance : k == 1 ? 1.0 + 2.0 * bend * bend : 1.0;
}

static double mode(const ckam_model *m, size_t index, double *centre) {
    const banana_options *o = m->options;
    (void)index;
    for (size_t k = 0; k < m->target.dim; k++) centre[k] = 0.0;
    centre[1] = -o->bananicity * o->variance;
    return 1.0;
}

static void draw(const ckam_model *m, rng *r, double *x) {
    const banana_options *o = m->options;
    rng_normals(r, m->target.dim, x);
    x[0] *= sqrt(o->variance);
    x[1] += o->bananicity * (x[0] * x[0] - o->variance);
}

typedef struct interval {
    double bend, low, high;
} interval;

/* Given x_1 = sqrt(v) z the second coordinate is N(b v (z^2 - 1), 1). */
static double second_given(const void *context, double z) {
    const interval *i = context;
    return normal_probability(i->bend * (z * z - 1.0), 1.0, i->low, i->high);
}

static double probability(const ckam_model *m, size_t k, double low, double high) {
    const banana_options *o = m->options;
    double                bend = o->bananicity * o->variance;
    if (k != 1) return normal_probability(0.0, k == 0 ? sqrt(o->variance) : 1.0, low, high);
    /* With step h the error is about exp(-pi / (h b v)): where the normal's edge at z has slope 2 b v z the trapezoid
     * rule leaves exp(-(2 pi / h)^2 / (2 (2 b v z)^2)), weighted by exp(-z^2 / 2); this is the worst z. */
    return normal_expectation(second_given, &(interval){bend, low, high}, 1.0 / (4.0 + 10.0 * bend));
}

const model_type banana_model = {.options_size = sizeof(banana_options),
                                 .cache_size = CACHE_SIZE,
                                 .prepare = prepare,
                                 .log_density = log_density,
                                 .covariance = covariance,
                                 .mode = mode,
                                 .draw = draw,
                                 .probability = probability};
