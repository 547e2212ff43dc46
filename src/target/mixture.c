/* mixture.c - the models bimodal and mixture5: n equally weighted Gaussians N(mu_i, s_i^2 I).
 *
 * log pi(x) = log sum_i exp(c_i - |x - mu_i|^2 / (2 s_i^2)), c_i = -log n - (d/2) log(2 pi s_i^2). */
#include "target/model.h"
#include "target/quadrature.h"

enum { BIMODAL_COUNT = 2, MIXTURE5_COUNT = 5, COMPONENTS_MOST = 5 };

typedef struct mixture_options {
    uint64_t dim;
    double   separation;
} mixture_options;

const ckam_option bimodal_model_options[] = {
    MODEL_DIM(1, 10000, 2),
    MODEL_REAL(mixture_options, separation, 16, "distance of the two centres", .low = 0, .high = 1e6), OPTION_END};
const ckam_option mixture5_model_options[] = {OPTION_END};

/* The cache: the number of components, then of each c_i, 1 / (2 s_i^2), s_i and the dim numbers of mu_i. */
enum { CONSTANT, RATE, SD, CENTRE };

static size_t count(const ckam_model *m) { return (size_t)m->cache[0]; }

static double *component(const ckam_model *m, size_t i) { return m->cache + 1 + i * (CENTRE + m->target.dim); }

/* Its centre is left at the origin. */
static void set_component(ckam_model *m, size_t total, size_t i, double variance) {
    double *c = component(m, i);
    m->cache[0] = (double)total;
    c[CONSTANT] = -log((double)total) - (double)m->target.dim * (0.5 * log(variance) + HALF_LOG_TWO_PI);
    c[RATE] = 0.5 / variance;
    c[SD] = sqrt(variance);
}

static void bimodal_prepare(ckam_model *m) {
    const mixture_options *o = m->options;
    set_component(m, BIMODAL_COUNT, 0, 0.5);
    set_component(m, BIMODAL_COUNT, 1, 2.0);
    component(m, 0)[CENTRE] = -0.5 * o->separation;
    component(m, 1)[CENTRE] = 0.5 * o->separation;
}

static void mixture5_prepare(ckam_model *m) {
    for (size_t i = 0; i < MIXTURE5_COUNT; i++) {
        set_component(m, MIXTURE5_COUNT, i, sqrt((double)(i + 1)));
        component(m, i)[CENTRE] = component(m, i)[CENTRE + 1] = 2.5 * (double)i;
    }
}

/* A term this much smaller than the largest, in logarithms, is lost in rounding: exp(-40) = 4e-18. */
#define NEGLIGIBLE (-40.0)

static int log_density(void *context, const double *x, double *value) {
    const ckam_model *m = context;
    const size_t      dim = m->target.dim, n = count(m);
    double terms[COMPONENTS_MOST], largest = -HUGE_VAL, sum = 1.0; /* of all terms, in units of the largest */
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        const double *c = component(m, i);
        double        square = 0.0;
        for (size_t k = 0; k < dim; k++) square += (x[k] - c[CENTRE + k]) * (x[k] - c[CENTRE + k]);
        terms[i] = c[CONSTANT] - c[RATE] * square;
        if (terms[i] > largest) {
            largest = terms[i];
            best = i;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (i != best && !(terms[i] - largest < NEGLIGIBLE)) sum += exp(terms[i] - largest);
    *value = largest + log(sum);
    return CKAM_OK;
}

static double bimodal_start(const ckam_model *m, size_t k) { return component(m, 0)[CENTRE + k]; }

static double mean(const ckam_model *m, size_t k) {
    double sum = 0.0;
    for (size_t i = 0; i < count(m); i++) sum += component(m, i)[CENTRE + k];
    return sum / (double)count(m);
}

/* Within the components and between them. */
static double covariance(const ckam_model *m, size_t j, size_t k) {
    double sum = 0.0, mean_j = mean(m, j), mean_k = mean(m, k);
    for (size_t i = 0; i < count(m); i++) {
        const double *c = component(m, i);
        sum += (c[CENTRE + j] - mean_j) * (c[CENTRE + k] - mean_k);
        if (j == k) sum += c[SD] * c[SD];
    }
    return sum / (double)count(m);
}

static double modes(const ckam_model *m) { return m->cache[0]; }

static double mode(const ckam_model *m, size_t index, double *centre) {
    for (size_t k = 0; k < m->target.dim; k++) centre[k] = component(m, index)[CENTRE + k];
    return 1.0 / m->cache[0];
}

static void draw(const ckam_model *m, rng *r, double *x) {
    const double *c = component(m, (size_t)rng_below(r, count(m)));
    rng_normals(r, m->target.dim, x);
    for (size_t k = 0; k < m->target.dim; k++) x[k] = c[CENTRE + k] + c[SD] * x[k];
}

static double probability(const ckam_model *m, size_t k, double low, double high) {
    double sum = 0.0;
    for (size_t i = 0; i < count(m); i++) {
        const double *c = component(m, i);
        sum += normal_probability(c[CENTRE + k], c[SD], low, high);
    }
    return sum / (double)count(m);
}

/* The coordinates of one component are independent. */
static double box(const ckam_model *m, const double *low, const double *high) {
    double sum = 0.0;
    for (size_t i = 0; i < count(m); i++) {
        const double *c = component(m, i);
        double        product = 1.0;
        for (size_t k = 0; k < m->target.dim; k++) product *= normal_probability(c[CENTRE + k], c[SD], low[k], high[k]);
        sum += product;
    }
    return sum / (double)count(m);
}

const model_type bimodal_model = {.options_size = sizeof(mixture_options),
                                  .cache_size = 1 + BIMODAL_COUNT * CENTRE,
                                  .cache_by_dim = BIMODAL_COUNT,
                                  .prepare = bimodal_prepare,
                                  .log_density = log_density,
                                  .start = bimodal_start,
                                  .mean = mean,
                                  .covariance = covariance,
                                  .modes = modes,
                                  .mode = mode,
                                  .draw = draw,
                                  .probability = probability,
                                  .box = box};

const model_type mixture5_model = {.options_size = sizeof(mixture_options),
                                   .dim = 2,
                                   .cache_size = 1 + MIXTURE5_COUNT * CENTRE,
                                   .cache_by_dim = MIXTURE5_COUNT,
                                   .prepare = mixture5_prepare,
                                   .log_density = log_density,
                                   .mean = mean,
                                   .covariance = covariance,
                                   .modes = modes,
                                   .mode = mode,
                                   .draw = draw,
                                   .probability = probability,
                                   .box = box};
