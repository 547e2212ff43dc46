/* textbook.c - see textbook.h. Plain loops, in the order in which they run through memory. */
#include "textbook.h"

#include "rng/rng.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

/* -- Bessel functions --------------------------------------------------------------------------------------------- */

/* K_0 and K_1 by their power series; psi are the digamma functions of k + 1 and k + 2. */
static void series(double x, double k01[2]) {
    double q = 0.25 * x * x, log_half = log(0.5 * x), psi = -0.57721566490153286061, term = 1.0;
    k01[0] = psi - log_half;
    k01[1] = 1.0 / x + 0.5 * x * (log_half - psi - 0.5);
    for (int i = 1; term > DBL_EPSILON / 8.0; i++) {
        const double k = i;
        term *= q / (k * k);
        psi += 1.0 / k;
        k01[0] += term * (psi - log_half);
        k01[1] += term * 0.5 * x / (k + 1.0) * (log_half - psi - 0.5 / (k + 1.0));
    }
}

/* The same for large x, to 13 digits: Temme's continued fraction for K_1 / K_0 in Steed's form, which gives the sum for
 * K_0 on the way. */
static void fraction(double x, double k01[2]) {
    double b = 2.0 * (1.0 + x), d = 1.0 / b, h = d, delta = d;
    double before = 0.0, now = 1.0, c = 0.25, a = -c, q = c, sum = 1.0 + q * delta, part = sum;
    for (int i = 1; fabs(part) > 1e-13 * fabs(sum); i++) {
        a -= 2.0 * i;
        c *= -a / (i + 1.0);
        double next = (before - b * now) / a;
        before = now;
        now = next;
        q += c * next;
        b += 2.0;
        d = 1.0 / (b + a * d);
        delta *= b * d - 1.0;
        h += delta;
        part = q * delta;
        sum += part;
    }
    k01[0] = sqrt(pi / (2.0 * x)) * exp(-x) / sum;
    k01[1] = k01[0] * (x + 0.5 - 0.25 * h) / x;
}

/* About as fast, over the distances that occur here, as what C++, Boost, GSL and R have for real orders. */
double textbook_bessel(int n, double x) {
    double k[2];
    if (x < 2.0)
        series(x, k);
    else
        fraction(x, k);
    if (n == 0) return k[0];
    for (int m = 1; m < n; m++) { /* K_(m+1) = K_(m-1) + 2 m / x K_m */
        double next = k[0] + 2.0 * m / x * k[1];
        k[0] = k[1];
        k[1] = next;
    }
    return k[1];
}

/* -- The law of a proposal ---------------------------------------------------------------------------------------- */

enum { PAST = 3000, ROOM = 20000 }; /* states: at the start; at the most, after which the oldest is replaced */

struct textbook {
    const ckam_target *target;
    textbook_plan      plan;
    double             bracket; /* Gamma(v - 1) 2^(v - 2) */
    double             value;
    rng                r;
    uint64_t           steps, seen;
    uint64_t          *index;
    double            *history, *z, *x, *y, *u, *kept;
    double            *columns, *m, *h, *mh, *c; /* M^T; M: dim x n; H: n x n; M H; C: dim x dim */
};

/* out := 2 grad k(x, z), the gradient in x. */
static void gradient(const textbook *b, const double *z, const double *x, double *out) {
    const double v = TEXTBOOK_ORDER, l2 = b->plan.length * b->plan.length;
    double       square = 0.0;
    for (size_t k = 0; k < b->target->dim; k++) square += (x[k] - z[k]) * (x[k] - z[k]);
    double t = sqrt(2.0 * v * square / l2);
    double phi = t > 0.0 ? pow(t, v - 1.0) * textbook_bessel(TEXTBOOK_ORDER - 1, t) / b->bracket : 1.0;
    double slope = v / (l2 * (v - 1.0)) * phi;
    for (size_t k = 0; k < b->target->dim; k++) out[k] = 2.0 * slope * (z[k] - x[k]);
}

/* out := A B, A of rows x inner, B of inner x columns; all matrices are row by row. */
static void multiply(size_t rows, size_t inner, size_t columns, const double *restrict a, const double *restrict b,
                     double *restrict out) {
    memset(out, 0, rows * columns * sizeof *out);
    for (size_t i = 0; i < rows; i++)
        for (size_t k = 0; k < inner; k++)
            for (size_t j = 0; j < columns; j++) out[i * columns + j] += a[i * inner + k] * b[k * columns + j];
}

/* A = L L^T; L takes the place of A's lower triangle. */
static void factor(size_t dim, double *a) {
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j <= i; j++) {
            double rest = a[i * dim + j];
            for (size_t k = 0; k < j; k++) rest -= a[i * dim + k] * a[j * dim + k];
            a[i * dim + j] = i == j ? sqrt(rest) : rest / a[j * dim + j];
        }
}

/* The factor of C = gamma^2 I + nu^2 M H M^T at x. */
static void law(textbook *b, const double *z, const double *x) {
    size_t dim = b->target->dim, n = b->plan.n;
    double nu2 = b->plan.nu * b->plan.nu, gamma2 = b->plan.gamma * b->plan.gamma;
    for (size_t i = 0; i < n; i++) {
        gradient(b, z + i * dim, x, b->columns + i * dim);
        for (size_t k = 0; k < dim; k++) b->m[k * n + i] = b->columns[i * dim + k];
    }
    multiply(dim, n, n, b->m, b->h, b->mh);
    multiply(dim, n, dim, b->mh, b->columns, b->c);
    for (size_t i = 0; i < dim; i++)
        for (size_t j = 0; j < dim; j++) b->c[i * dim + j] = nu2 * b->c[i * dim + j] + (i == j ? gamma2 : 0.0);
    factor(dim, b->c);
}

/* log N(y; x, L L^T). */
static double log_gaussian(const textbook *b, const double *x, const double *y) {
    size_t dim = b->target->dim;
    double square = 0.0, log_det = 0.0;
    for (size_t i = 0; i < dim; i++) {
        double rest = y[i] - x[i];
        for (size_t k = 0; k < i; k++) rest -= b->c[i * dim + k] * b->u[k];
        b->u[i] = rest / b->c[i * dim + i];
        square += b->u[i] * b->u[i];
        log_det += 2.0 * log(b->c[i * dim + i]);
    }
    return -0.5 * (square + log_det + (double)dim * log(2.0 * pi));
}

double textbook_log_q(textbook *b, const double *z, const double *x, const double *y) {
    law(b, z, x);
    return log_gaussian(b, x, y);
}

/* -- The chain ---------------------------------------------------------------------------------------------------- */

static void remember(textbook *b, const double *x) {
    size_t dim = b->target->dim;
    memcpy(b->history + b->seen++ % ROOM * dim, x, dim * sizeof *x);
}

/* z := n states of the past, without replacement. */
static void subsample(textbook *b) {
    size_t dim = b->target->dim;
    rng_subset(&b->r, b->seen < ROOM ? b->seen : ROOM, b->plan.n, b->index);
    for (size_t i = 0; i < b->plan.n; i++) memcpy(b->z + i * dim, b->history + b->index[i] * dim, dim * sizeof *b->z);
}

/* y ~ N(x, C(x)); the result is log q(y|x). */
static double propose(textbook *b) {
    size_t dim = b->target->dim;
    law(b, b->z, b->x);
    rng_normals(&b->r, dim, b->u);
    for (size_t i = 0; i < dim; i++) {
        b->y[i] = b->x[i];
        for (size_t k = 0; k <= i; k++) b->y[i] += b->c[i * dim + k] * b->u[k];
    }
    return log_gaussian(b, b->x, b->y);
}

static void step(textbook *b) {
    double value;
    rng_at(&b->r, ++b->steps, RNG_STEP);
    if (b->plan.refresh) subsample(b);
    double forward = propose(b);
    b->target->log_density(b->target->context, b->y, &value);
    double backward = textbook_log_q(b, b->z, b->y, b->x);
    double alpha = fmin(1.0, exp(value - b->value + backward - forward));
    if (rng_uniform(&b->r) < alpha) {
        double *old = b->x;
        b->x = b->y;
        b->y = old;
        b->value = value;
    }
    b->plan.nu *= exp(pow((double)(PAST + b->steps), -0.75) * (alpha - 0.234));
    remember(b, b->x);
    memcpy(b->kept, b->x, b->target->dim * sizeof *b->kept);
}

static void go(void *context, size_t steps) {
    for (size_t i = 0; i < steps; i++) step(context);
}

work textbook_work(textbook *b) { return (work){go, b}; }

textbook *textbook_create(const ckam_model *model, textbook_plan plan) {
    textbook *b = take(sizeof *b);
    b->target = ckam_model_target(model);
    b->plan = plan;
    b->bracket = tgamma(TEXTBOOK_ORDER - 1.0) * pow(2.0, TEXTBOOK_ORDER - 2.0);
    size_t dim = b->target->dim, n = plan.n, point = dim * sizeof(double);
    b->index = take(n * sizeof *b->index);
    b->history = take(ROOM * point);
    b->z = take(n * point);
    b->x = take(point);
    b->y = take(point);
    b->u = take(point);
    b->kept = take(point);
    b->columns = take(n * point);
    b->m = take(n * point);
    b->mh = take(n * point);
    b->h = take(n * n * sizeof *b->h);
    b->c = take(dim * point);
    for (size_t i = 0; i < n * n; i++) b->h[i] = (i % (n + 1) == 0) - 1.0 / (double)n;
    rng_init(&b->r, 1, 2);
    for (size_t i = 0; i < PAST; i++) {
        ckam_model_draw(model, 1, i, b->x);
        remember(b, b->x);
    }
    subsample(b);
    b->target->log_density(b->target->context, b->x, &b->value);
    return b;
}

void textbook_free(textbook *b) {
    double *const rooms[] = {b->history, b->z, b->x, b->y, b->u, b->kept, b->columns, b->m, b->h, b->mh, b->c};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) free(rooms[i]);
    free(b->index);
    free(b);
}
