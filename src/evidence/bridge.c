/* bridge.c - see evidence.h: the proposal q, a mixture of t distributions fitted to one half of the draws, and log Z by
 * bridge sampling between the other half and draws of q.
 *
 * X.-L. Meng and W. H. Wong (1996), Statistica Sinica 6, 831-860; the error by S. Fruehwirth-Schnatter (2004),
 * Econometrics Journal 7, 143-167. */
#include "base/error.h"
#include "diag/diag.h"
#include "evidence/evidence.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>

enum { TURNS_LEAST = 3, TURNS_MOST = 10 };
#define BIMODALITY_LEAST 0.6

typedef struct half_of {
    const split_draws *split;
    size_t             half;
} half_of;

static row_block block_of(void *context, size_t index) {
    const half_of *h = context;
    return (row_block){split_draws_block(h->split, h->half, index), h->split->rows, h->split->dim + ROW_HEAD};
}

/* -- Where the fit starts ----------------------------------------------------------------------------------------- */

/* A slab of the half: the draws on one side of a border in a coordinate. */
typedef struct slab {
    const split_draws *split;
    size_t             half, axis;
    double             border;
    bool               above;
} slab;

/* The next draw of the slab from *i on, which goes behind it; NULL after the last. */
static const double *next(const slab *p, size_t *i) {
    const split_draws *s = p->split;
    while (*i < s->chains * s->rows) {
        const double *row = split_draws_block(s, p->half, *i / s->rows) + *i % s->rows * (s->dim + ROW_HEAD) + ROW_HEAD;
        ++*i;
        if ((row[p->axis] > p->border) == p->above) return row;
    }
    return NULL;
}

static size_t size_of(const slab *p) {
    size_t size = 0, i = 0;
    while (next(p, &i)) size++;
    return size;
}

/* Sarle's bimodality coefficient of coordinate p->axis, (skewness^2 + 1) / kurtosis: 1 for two points of any weights, 5/9
 * for a uniform and 1/3 for a normal distribution. *middle := mean + sd * skewness / 2, the midpoint of two such points. */
static double bimodality(const slab *p, double *middle) {
    const double  n = (double)size_of(p);
    const double *x;
    double        mean = 0.0, second = 0.0, third = 0.0, fourth = 0.0;
    for (size_t i = 0; (x = next(p, &i));) mean += x[p->axis] / n;
    for (size_t i = 0; (x = next(p, &i));) {
        const double d = x[p->axis] - mean;
        second += d * d / n;
        third += d * d * d / n;
        fourth += d * d * d * d / n;
    }
    const double skewness = third / (second * sqrt(second));
    *middle = mean + 0.5 * skewness * sqrt(second);
    return (skewness * skewness + 1.0) * second * second / fourth;
}

/* Adds a component with mean and covariance of a slab. The diagonal is inflated, as if by dim + 1 further draws, so that the
 * matrix is positive definite; 1e-10 is added for coordinates that are constant in the slab. */
static void add_component(mixture *m, const slab *p) {
    const size_t  dim = m->dim, j = mixture_add(m);
    const double  n = (double)size_of(p);
    const double *x;
    double       *mean = mixture_mean(m, j), *factor = mixture_factor(m, j), *dx = block_at(m, m->work);
    for (size_t i = 0; (x = next(p, &i));) vec_axpy(dim, 1.0 / n, x, mean);
    for (size_t i = 0; (x = next(p, &i));) {
        for (size_t k = 0; k < dim; k++) dx[k] = x[k] - mean[k];
        for (size_t k = 0; k < dim; k++) vec_axpy(dim - k, dx[k] / n, dx + k, factor + k * dim + k);
    }
    for (size_t k = 0; k < dim; k++)
        factor[k * dim + k] = 1e-10 + factor[k * dim + k] * (1.0 + ((double)dim + 1.0) / n);
    chol_factor(dim, factor);
    mixture_prepare(m, j);
    m->at[j].weight = n;
    m->at[j].reached = true;
}

/* Starts with one component, or with two where some coordinate is bimodal. In many dimensions the refit would not split
 * along a single coordinate: it tries only directions that mix many of them. */
static void begin(mixture *m, const split_draws *s, size_t half) {
    const slab whole = {.split = s, .half = half, .border = HUGE_VAL};
    slab       low = whole, high = {.split = s, .half = half, .above = true};
    double     most = BIMODALITY_LEAST, middle;
    for (slab p = whole; p.axis < s->dim; p.axis++) {
        const double here = bimodality(&p, &middle);
        if (!(here > most)) continue;
        most = here;
        low.axis = high.axis = p.axis;
        low.border = high.border = middle;
    }
    const size_t below = size_of(&low), total = s->chains * s->rows, enough = 2 * (s->dim + 1);
    if (below >= enough && total - below >= enough) {
        add_component(m, &low);
        add_component(m, &high);
    } else {
        add_component(m, &whole);
    }
    mixture_normalise(m);
}

mixture *bridge_fit(const split_draws *s, size_t half) {
    half_of      context = {s, half};
    rows         data = {&context, s->chains, s->dim, block_of, 1};
    const size_t size = mixture_size(s->dim);
    mixture     *m = size < SIZE_MAX ? calloc(1, size) : NULL;
    if (!m) return NULL;
    mixture_begin(m, s->dim, NULL);
    begin(m, s, half);
    for (int iteration = 1; iteration <= TURNS_MOST; iteration++) {
        const size_t count = m->count;
        const double degrees = m->degrees;
        mixture_refit(m, &data, true);
        if (iteration >= TURNS_LEAST && m->count == count && m->degrees == degrees) break;
    }
    return m;
}

/* -- The bridge --------------------------------------------------------------------------------------------------- */

/* With l = log pi - log q, shares s + t = 1 of the draws and u = log Z the optimal bridge has
 *     mean over q of 1 / (s + t exp(u - l)) = mean over pi of 1 / (s exp(l - u) + t).
 * The left side falls with u and the right side rises: there is one root. No term leaves [0, 1/s] or [0, 1/t]. */

/* The terms of either side, at the value u. */
static double at_target(double l, double u, double share) { return 1.0 / (share * exp(l - u) + (1.0 - share)); }
static double at_q(double l, double u, double share) { return 1.0 / (share + (1.0 - share) * exp(u - l)); }

/* The left side less the right side. */
static double imbalance(const bridge *b, double u, double share) {
    const size_t n = b->chains * b->rows;
    double       left = 0.0, right = 0.0;
    for (size_t i = 0; i < b->count; i++) left += at_q(b->at_q[i], u, share);
    for (size_t i = 0; i < n; i++) right += at_target(b->at_target[i], u, share);
    return left / (double)b->count - right / (double)n;
}

/* The root: steps from `from` that double until they have passed it, then halves. */
static double root(const bridge *b, double from, double share) {
    double step = imbalance(b, from, share) > 0.0 ? 1.0 : -1.0, low = from, high = from + step;
    while (imbalance(b, high, share) * step > 0.0 && fabs(step) < 1e300) {
        low = high;
        step *= 2.0;
        high += step;
    }
    for (;;) {
        double middle = 0.5 * (low + high);
        if (fabs(high - low) <= 1e-12 || middle == low || middle == high) return middle;
        if (imbalance(b, middle, share) * step > 0.0)
            low = middle;
        else
            high = middle;
    }
}

/* Mean, and variance / mean^2, of n numbers. */
static double moments(const double *value, size_t n, double *relative) {
    double mean = 0.0, squares = 0.0;
    for (size_t i = 0; i < n; i++) mean += value[i] / (double)n;
    for (size_t i = 0; i < n; i++) squares += (value[i] / mean - 1.0) * (value[i] / mean - 1.0);
    *relative = squares / (double)(n - 1);
    return mean;
}

/* Solves with this share, then computes the variances and the ESS of the averaged terms. term: room for count + n numbers. */
static void solve(bridge *b, double from, double share, diag_work *work, double *term) {
    const size_t n = b->chains * b->rows;
    double       relative;
    b->log_z = root(b, from, share);
    for (size_t i = 0; i < b->count; i++) term[i] = at_q(b->at_q[i], b->log_z, share);
    moments(term, b->count, &relative);
    b->q_variance = relative / (double)b->count;
    for (size_t i = 0; i < n; i++) term[i] = at_target(b->at_target[i], b->log_z, share);
    b->overlap = moments(term, n, &relative);
    const double error = diag_mcse_mean(work, term) / b->overlap;
    b->ess = error > 0.0 ? fmin(relative / (error * error), (double)n) : (double)n; /* all equal: as good as can be */
    b->target_variance = relative / b->ess;
}

static double median(double *value, size_t n) {
    diag_sort(value, n);
    return value[n / 2];
}

/* First with equal shares, which gives the overlap; then with the shares that follow from the ESS of the target's draws. */
ckam_status bridge_solve(bridge *b, ckam_error *error) {
    const size_t n = b->chains * b->rows;
    diag_work   *work = diag_work_create(b->chains, b->rows);
    double      *term = malloc((n + b->count) * sizeof *term);
    if (work && term) {
        for (size_t i = 0; i < n; i++) term[i] = b->at_target[i];
        solve(b, median(term, n), 0.5, work, term);
        const double overlap = b->overlap;
        solve(b, b->log_z, b->ess / (b->ess + (double)b->count), work, term);
        b->overlap = overlap;
    }
    ckam_status status =
        work && term ? CKAM_OK
                     : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the evidence of %zu draws", n);
    diag_work_free(work);
    free(term);
    return status;
}
