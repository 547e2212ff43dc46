/* flower.c - the models flower and ring: a ridge of width s at the distance R(theta) from the origin.
 *
 * In polar coordinates of the first two, pi is proportional to exp(-(r - R(theta))^2 / (2 s^2)) with respect to
 * r dr dtheta, R(theta) = r0 + A cos(omega theta); the other coordinates are N(0, 1). The ring is A = omega = 0. */
#include "target/model.h"
#include "target/quadrature.h"

typedef struct flower_options {
    uint64_t dim;
    double   r0, amplitude, sigma;
    uint64_t omega;
} flower_options;

#define RADIUS_RANGE .low = 0, .high = 100
const ckam_option flower_model_options[] = {
    MODEL_DIM(2, 10000, 8),
    MODEL_REAL(flower_options, r0, 10, "mean distance of the ridge from the origin", RADIUS_RANGE),
    MODEL_REAL(flower_options, amplitude, 6, "A, how far the petals reach out and in", RADIUS_RANGE),
    {.name = "omega",
     .help = "number of petals",
     .type = CKAM_COUNT,
     .low = 1,
     .high = 20,
     .initial = 6,
     .offset = offsetof(flower_options, omega)},
    MODEL_REAL(flower_options, sigma, 1, "width of the ridge", .low = 0.1, .high = 100),
    OPTION_END};
const ckam_option ring_model_options[] = {
    MODEL_DIM(2, 10000, 2),
    MODEL_REAL_AS("radius", flower_options, r0, 5, "distance of the ridge from the origin", RADIUS_RANGE),
    MODEL_REAL_AS("width", flower_options, sigma, 0.5, "width of the ridge", .low = 0.01, .high = 100), OPTION_END};

/* The cache: the constant of the log density, 1 / (2 s^2), the integral over the plane, the largest integral along
 * a ray, and the moments of the first two coordinates. */
enum { CONSTANT, RATE, NORMALISER, MOST, MEAN, VARIANCE_1, VARIANCE_2, CACHE_SIZE };

static double ridge(const flower_options *o, double theta) {
    return o->r0 + o->amplitude * cos((double)o->omega * theta);
}

/* The integral of r exp(-(r - R)^2 / (2 s^2)) over (low, high], low >= 0. */
static double radial_mass(double ridge_radius, double sigma, double low, double high) {
    double a = (low - ridge_radius) / sigma, b = (high - ridge_radius) / sigma;
    double edges = exp(-0.5 * a * a) - exp(-0.5 * b * b);
    double inside = sqrt(2.0 * PI) * normal_probability(ridge_radius, sigma, low, high);
    return fmax(0.0, sigma * (sigma * edges + ridge_radius * inside));
}

/* Moments by the trapezoid rule in theta, which converges exponentially because everything is periodic, from
 * M_n = integral of r^n exp(-(r - R)^2 / (2 s^2)): M_(n+1) = R M_n + n s^2 M_(n-1) for n >= 1. */
static void prepare(ckam_model *m) {
    const flower_options *o = m->options;
    double                variance = o->sigma * o->sigma, *c = m->cache, sum[3] = {0}, first = 0.0;
    /* a few nodes for each width s that R(theta) passes through on its way */
    size_t n = 64 + (size_t)o->omega * (32 + (size_t)(32.0 * o->amplitude / o->sigma));
    for (size_t j = 0; j < n; j++) {
        double theta = 2.0 * PI * (double)j / (double)n, radius = ridge(o, theta);
        double m1 = radial_mass(radius, o->sigma, 0.0, HUGE_VAL);
        double m0 = o->sigma * sqrt(2.0 * PI) * normal_probability(radius, o->sigma, 0.0, HUGE_VAL);
        double m2 = radius * m1 + variance * m0, m3 = radius * m2 + 2.0 * variance * m1;
        sum[0] += m1;
        first += m2 * cos(theta);
        sum[1] += m3 * cos(theta) * cos(theta);
        sum[2] += m3 * sin(theta) * sin(theta);
    }
    c[NORMALISER] = sum[0] * 2.0 * PI / (double)n;
    c[CONSTANT] = -log(c[NORMALISER]) - (double)(m->target.dim - 2) * HALF_LOG_TWO_PI;
    c[RATE] = 0.5 / variance;
    c[MOST] = radial_mass(o->r0 + o->amplitude, o->sigma, 0.0, HUGE_VAL);
    c[MEAN] = o->omega == 1 ? first / sum[0] : 0.0; /* otherwise a rotation by 2 pi / omega changes nothing */
    c[VARIANCE_1] = sum[1] / sum[0] - c[MEAN] * c[MEAN];
    c[VARIANCE_2] = sum[2] / sum[0];
}

/* cos(n theta) = Re((cos theta + i sin theta)^n), by squaring. */
static double cos_multiple(uint64_t n, double cosine, double sine) {
    double re = 1.0, im = 0.0;
    for (; n; n >>= 1) {
        double square = cosine * cosine - sine * sine, keep = re;
        if (n & 1) {
            re = keep * cosine - im * sine;
            im = keep * sine + im * cosine;
        }
        sine = 2.0 * cosine * sine;
        cosine = square;
    }
    return re;
}

static int log_density(void *context, const double *x, double *value) {
    const ckam_model     *m = context;
    const flower_options *o = m->options;
    double                r = sqrt(x[0] * x[0] + x[1] * x[1]), away = r - o->r0;
    if (o->omega) {
        double inverse = 1.0 / r;
        away -= o->amplitude * (r > 0.0 ? cos_multiple(o->omega, x[0] * inverse, x[1] * inverse) : 1.0);
    }
    *value = m->cache[CONSTANT] - m->cache[RATE] * away * away - 0.5 * sum_of_squares(m->target.dim - 2, x + 2);
    return CKAM_OK;
}

static double start(const ckam_model *m, size_t k) { return k == 0 ? ridge(m->options, 0.0) : 0.0; }

static double mean(const ckam_model *m, size_t k) { return k == 0 ? m->cache[MEAN] : 0.0; }

static double covariance(const ckam_model *m, size_t j, size_t k) {
    if (j != k) return 0.0; /* theta and -theta are alike */
    return k == 0 ? m->cache[VARIANCE_1] : k == 1 ? m->cache[VARIANCE_2] : 1.0;
}

/* theta from its marginal, by rejection: its density grows with R(theta), so R = r0 + A bounds it. Then r: with
 * t its mode the density is at most that of N(t, s^2) times a constant, and q exp(1 - q), q = r / t, is the ratio. */
static void draw(const ckam_model *m, rng *r, double *x) {
    const flower_options *o = m->options;
    double                theta, radius, q;
    do {
        theta = 2.0 * PI * rng_uniform(r);
        radius = ridge(o, theta);
    } while (rng_uniform(r) * m->cache[MOST] >= radial_mass(radius, o->sigma, 0.0, HUGE_VAL));
    double peak = 0.5 * (radius + sqrt(radius * radius + 4.0 * o->sigma * o->sigma));
    do {
        q = 1.0 + o->sigma * rng_normal(r) / peak;
    } while (rng_uniform(r) >= q * exp(1.0 - q));
    x[0] = q * peak * cos(theta);
    x[1] = q * peak * sin(theta);
    rng_normals(r, m->target.dim - 2, x + 2);
}

/* The mass where r cos(theta - axis) is in (low, high], low >= 0. With phi = theta - axis + pi/2 in (0, pi) and
 * phi = pi / (1 + exp(-w)) all that happens on the scale r ~ R has about the same width in w, however small low and
 * high are, and the trapezoid rule in w converges exponentially. Its nodes do not depend on low and high. */
static double half_mass(const flower_options *o, double axis, double low, double high) {
    const double end = 28.0; /* beyond it are angles of 2e-12 */
    double       slope = (o->r0 + o->amplitude * (1.0 + (double)o->omega)) / o->sigma, sum = 0.0;
    long         steps = (long)ceil(end * (6.0 + 1.2 * slope));
    double       step = end / (double)steps;
    for (long j = -steps; j <= steps; j++) {
        double w = step * (double)j, e = exp(-fabs(w)), phi = PI * e / (1.0 + e); /* or pi - phi, if smaller */
        double theta = axis + copysign(0.5 * PI - phi, -w), height = sin(phi);
        sum += phi / (1.0 + e) * radial_mass(ridge(o, theta), o->sigma, low / height, high / height);
    }
    return sum * step;
}

static double probability(const ckam_model *m, size_t k, double low, double high) {
    const flower_options *o = m->options;
    if (k >= 2) return normal_probability(0.0, 1.0, low, high);
    double axis = k == 0 ? 0.0 : 0.5 * PI, mass = 0.0;
    if (high > 0.0) mass += half_mass(o, axis, fmax(0.0, low), high);
    if (low < 0.0) mass += half_mass(o, axis + PI, fmax(0.0, -high), -low);
    return mass / m->cache[NORMALISER];
}

#define FLOWER_TABLE                                                                                                   \
    {                                                                                                                  \
        .options_size = sizeof(flower_options), .cache_size = CACHE_SIZE, .prepare = prepare,                          \
        .log_density = log_density, .start = start, .mean = mean, .covariance = covariance, .draw = draw,              \
        .probability = probability                                                                                     \
    }
const model_type flower_model = FLOWER_TABLE;
const model_type ring_model = FLOWER_TABLE;
