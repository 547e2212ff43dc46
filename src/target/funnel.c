/* funnel.c - the model funnel: v ~ N(0, scale^2), then x_2 .. x_d ~ N(0, exp(v)); the point is (v, x_2, ..., x_d). */
#include "target/model.h"
#include "target/quadrature.h"

typedef struct funnel_options {
    uint64_t dim;
    double   scale;
} funnel_options;

const ckam_option funnel_model_options[] = {
    MODEL_DIM(2, 10000, 10),
    MODEL_REAL(funnel_options, scale, 3, "standard deviation of the first coordinate", .open_low = true, .high = 10),
    OPTION_END};

/* The cache: the constant of the log density and 1 / (2 scale^2). */
enum { CONSTANT, RATE, CACHE_SIZE };

static void prepare(ckam_model *m) {
    const funnel_options *o = m->options;
    m->cache[CONSTANT] = -log(o->scale) - (double)m->target.dim * HALF_LOG_TWO_PI;
    m->cache[RATE] = 0.5 / (o->scale * o->scale);
}

static int log_density(void *context, const double *x, double *value) {
    const ckam_model *m = context;
    const size_t      others = m->target.dim - 1;
    double            v = x[0], square = sum_of_squares(others, x + 1);
    double            narrow = square == 0.0 ? 0.0 : exp(-v) * square; /* exp(-v) may be infinite */
    *value = m->cache[CONSTANT] - m->cache[RATE] * v * v - 0.5 * ((double)others * v + narrow);
    return CKAM_OK;
}

static double covariance(const ckam_model *m, size_t j, size_t k) {
    const funnel_options *o = m->options;
    double                variance = o->scale * o->scale;
    if (j != k) return 0.0;
    return k == 0 ? variance : exp(0.5 * variance); /* E exp(v) */
}

/* At x_k = 0 the log density is -v^2 / (2 scale^2) - (d-1) v / 2 and a constant. */
static double mode(const ckam_model *m, size_t index, double *centre) {
    const funnel_options *o = m->options;
    (void)index;
    for (size_t k = 0; k < m->target.dim; k++) centre[k] = 0.0;
    centre[0] = -0.5 * (double)(m->target.dim - 1) * o->scale * o->scale;
    return 1.0;
}

static void draw(const ckam_model *m, rng *r, double *x) {
    const funnel_options *o = m->options;
    rng_normals(r, m->target.dim, x);
    x[0] *= o->scale;
    double width = exp(0.5 * x[0]);
    for (size_t k = 1; k < m->target.dim; k++) x[k] *= width;
}

typedef struct interval {
    double scale, low, high;
} interval;

static double other_given(const void *context, double z) {
    const interval *i = context;
    return normal_probability(0.0, exp(0.5 * i->scale * z), i->low, i->high);
}

static double probability(const ckam_model *m, size_t k, double low, double high) {
    const funnel_options *o = m->options;
    if (k == 0) return normal_probability(0.0, o->scale, low, high);
    /* erfc(t exp(-v/2)) is bounded for |Im v| < pi/2: with step h in v the error is about exp(-pi^2 / h). */
    return normal_expectation(other_given, &(interval){o->scale, low, high}, 0.25 / fmax(1.0, o->scale));
}

const model_type funnel_model = {.options_size = sizeof(funnel_options),
                                 .cache_size = CACHE_SIZE,
                                 .prepare = prepare,
                                 .log_density = log_density,
                                 .covariance = covariance,
                                 .mode = mode,
                                 .draw = draw,
                                 .probability = probability};
