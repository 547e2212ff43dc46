/* matern.c - see matern.h.
 *
 * Building: with w for the variable of integration, and the square completed,
 *     t^m K_m(t) = 1/2 int exp(m w - (e^w + t^2 e^-w) / 2) dw = e^-t / 2 int exp(m w - (e^(w/2) - t e^(-w/2))^2 / 2) dw
 * over the real line. The trapezoid rule converges exponentially on it, and nothing in it cancels or overflows. */
#include "kernel/matern.h"

#include "base/fastmath.h"
#include "base/wide.h"

#include <math.h>

enum {
    NODES = MATERN_TERMS,
    OCTAVE_PIECES = 1 << MATERN_PIECE_BITS,
    OCTAVE_NODES = OCTAVE_PIECES * NODES,
    FRACTION_BITS = 52 - MATERN_PIECE_BITS
};
#define LOW_ROOT 0x1p-16 /* the t of the low end: 2^(MATERN_LOW / 2) */

/* -- Evaluation --------------------------------------------------------------------------------------------*/

/* Below the table, with q = t^2 / 4 and q0 its value at the low end,
 *     phi = 1 + q / (1 - m) - X (1 + q / (1 + m)),    X = X0 (q / q0)^m,
 * plus terms of order q^2 (< 1e-20). X0 is Gamma(1 - m) / Gamma(1 + m) q0^m, but it is taken from the table, so that
 * the two meet and the poles at whole m do no harm. Stored is 1 - X0, which keeps its digits
 * for m -> 0, where phi is of the order of m. At m = 1 the terms in q become q log q: a neighbour of 1 serves. */
static double regular_order(double m) { return fabs(m - 1.0) < 1e-5 ? 1.0 + 1e-5 : m; }

static double phi_below(const matern_table *table, double t) {
    double m = regular_order(table->order), q = 0.25 * t * t, x0 = 1.0 - table->rest;
    double fall = expm1(2.0 * m * log(t / LOW_ROOT)); /* X / X0 - 1; -1 at t = 0 */
    return (table->rest - x0 * fall) + q * (1.0 / (1.0 - m) - x0 * (1.0 + fall) / (1.0 + m));
}

static double log_outside(const matern_table *table, double s) {
    if (s < LOW_ROOT * LOW_ROOT) return log(phi_below(table, sqrt(s)));
    return s > 1.0 ? -1024.0 : s; /* above the table phi underflows; NaN stays NaN */
}

/* log phi(sqrt(s)). The exponent and the upper bits of the fraction of s are the number of the piece, the other
 * bits the place in it. */
static inline double log_phi(const matern_table *table, double s) {
    const uint64_t low = (uint64_t)(1023 + MATERN_LOW) << MATERN_PIECE_BITS, one = 0x3ff0000000000000,
                   fraction = 0x000fffffffffffff;
    uint64_t bits = bits_of(s), piece = (bits >> FRACTION_BITS) - low;
    if (piece >= MATERN_PIECES) return log_outside(table, s);
    const double *c = table->coefficient[piece];
    double        x = double_of(((bits << MATERN_PIECE_BITS) & fraction) | one) - 1.5;
    double        x2 = x * x, x4 = x2 * x2;
    return ((c[0] + x * c[1]) + x2 * (c[2] + x * c[3])) +
           x4 * (((c[4] + x * c[5]) + x2 * (c[6] + x * c[7])) + x4 * c[8]);
}

double matern_phi(const matern_table *table, double t) {
    return t < LOW_ROOT ? phi_below(table, t) : exp_bounded(log_phi(table, t * t));
}

WIDE static void phis(const matern_table *table, size_t n, double scale, const double *r2, double factor,
                      double *value) {
    for (size_t i = 0; i < n; i++) value[i] = log_phi(table, scale * r2[i]);
    for (size_t i = 0; i < n; i++) value[i] = factor * exp_bounded(value[i]);
}

void matern_phis(const matern_table *table, size_t n, double scale, const double *r2, double factor, double *value) {
    phis(table, n, scale, r2, factor, value);
}

/* -- Building ----------------------------------------------------------------------------------------------*/

static double exponent(double m, double t, double w) { return m * w - 0.5 * (exp(w) + t * t * exp(-w)); }

/* A w on one side of the integrand's peak where it has fallen by e^-40 = 4e-18. */
static double edge(double m, double t, double step) {
    double w = log(m + hypot(m, t)), peak = exponent(m, t, w);
    do w += step;
    while (exponent(m, t, w) > peak - 40.0);
    return w;
}

/* Not inline: gcc would unroll the loop over w into this one, and then not vectorise it. */
WIDE __attribute__((noinline)) static void add_terms(const double t[OCTAVE_NODES], double constant, double up,
                                                     double down, double sum[OCTAVE_NODES]) {
    for (size_t i = 0; i < OCTAVE_NODES; i++) {
        double d = up - t[i] * down;
        sum[i] += exp_bounded(constant - 0.5 * d * d);
    }
}

/* value[i] = log(phi(t[i]) e^t[i]) for nodes of one octave of s, in ascending order of t.
 * With steps of h the rule's relative error is 2 |Gamma(m + 2 pi i / h)| / Gamma(m) for small t and
 * 2 exp(-2 (pi / h)^2 / t) for large t: with this h at most 3e-15 (at m = 6), and mostly far less. */
static void integrate(double m, const double t[OCTAVE_NODES], double value[OCTAVE_NODES]) {
    double first = t[0], last = t[OCTAVE_NODES - 1];
    double step = fmin(0.2, 0.5 / sqrt(hypot(m, last)));
    double left = edge(m, first, -0.5), right = edge(m, last, 0.5);
    double norm = log(tgamma(m)) + m * log(2.0) - log(step);
    double sum[OCTAVE_NODES] = {0};
    size_t count = (size_t)((right - left) / step) + 1;
    for (size_t j = 0; j < count; j++) {
        double w = left + (double)j * step, constant = m * w - norm;
        add_terms(t, constant, exp(0.5 * w), exp(-0.5 * w), sum);
    }
    for (size_t i = 0; i < OCTAVE_NODES; i++) value[i] = log(sum[i]);
}

/* Interpolation in Chebyshev's nodes of x in [-1/2, 1/2], by way of Chebyshev's polynomials T_k(2x). */
typedef struct basis {
    double node[NODES];
    double project[NODES][NODES]; /* values at the nodes to factors of T_k */
    double expand[NODES][NODES];  /* [k][i]: coefficient of x^i in T_k(2x) */
} basis;

static void basis_init(basis *b) {
    const double pi = acos(-1.0);
    *b = (basis){.expand = {{1.0}, {0.0, 2.0}}};
    for (size_t j = 0; j < NODES; j++) {
        double angle = pi * ((double)(NODES - j) - 0.5) / NODES;
        b->node[j] = 0.5 * cos(angle);
        for (size_t k = 0; k < NODES; k++) b->project[k][j] = (k ? 2.0 : 1.0) / NODES * cos((double)k * angle);
    }
    for (size_t k = 2; k < NODES; k++) /* T_k(2x) = 4x T_(k-1)(2x) - T_(k-2)(2x) */
        for (size_t i = 0; i <= k; i++)
            b->expand[k][i] = (i ? 4.0 * b->expand[k - 1][i - 1] : 0.0) - b->expand[k - 2][i];
}

/* The polynomial of log phi on one piece. The middle value is taken off first: the rounding of the rest is then
 * that of small numbers, although log phi itself reaches -745. */
static void fit(const basis *b, const double t[NODES], const double value[NODES], double coefficient[MATERN_TERMS]) {
    const size_t middle = NODES / 2;
    for (size_t i = 0; i < MATERN_TERMS; i++) coefficient[i] = 0.0;
    for (size_t k = 0; k < NODES; k++) {
        double factor = 0.0;
        for (size_t j = 0; j < NODES; j++)
            factor += b->project[k][j] * ((value[j] - value[middle]) - (t[j] - t[middle]));
        for (size_t i = 0; i <= k; i++) coefficient[i] += factor * b->expand[k][i];
    }
    coefficient[0] += value[middle] - t[middle];
}

/* The pieces of the octave of s that begins at `start`. */
static void build_octave(const basis *b, double m, double start, double coefficient[][MATERN_TERMS]) {
    double t[OCTAVE_NODES], value[OCTAVE_NODES];
    for (size_t k = 0; k < OCTAVE_PIECES; k++)
        for (size_t j = 0; j < NODES; j++)
            t[k * NODES + j] = sqrt(start * (1.0 + ((double)k + 0.5 + b->node[j]) / OCTAVE_PIECES));
    integrate(m, t, value);
    for (size_t k = 0; k < OCTAVE_PIECES; k++) fit(b, t + k * NODES, value + k * NODES, coefficient[k]);
}

void matern_table_init(matern_table *table, double order) {
    basis b;
    basis_init(&b);
    table->order = order;
    for (size_t i = 0; i < MATERN_PIECES; i += OCTAVE_PIECES) {
        int octave = MATERN_LOW + (int)(i / OCTAVE_PIECES);
        build_octave(&b, order, ldexp(1.0, octave), table->coefficient + i);
    }
    double m = regular_order(order), q0 = 0.25 * LOW_ROOT * LOW_ROOT, a = q0 / (1.0 + m);
    table->rest = (matern_phi(table, LOW_ROOT) - q0 / (1.0 - m) + a) / (1.0 + a);
}
