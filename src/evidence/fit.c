/* fit.c - see evidence.h: q, a mixture of t distributions, fitted as the sampler jump fits its memory. */
#include "evidence/evidence.h"
#include "linalg/linalg.h"

#include <math.h>
#include <stdlib.h>

enum { TURNS_LEAST = 3, TURNS_MOST = 10 };
#define CLUMPING_LEAST 0.6

typedef struct half_of {
    const halves *halves;
    size_t        half;
} half_of;

static row_block block_of(void *context, size_t index) {
    const half_of *h = context;
    return (row_block){halves_block(h->halves, h->half, index), h->halves->rows, h->halves->dim + ROW_HEAD};
}

/* -- Where the fit starts ----------------------------------------------------------------------------------------- */

/* A part of the half: the draws on one side of a border in a coordinate. */
typedef struct part {
    const halves *halves;
    size_t        half, axis;
    double        border;
    bool          above;
} part;

/* The next draw of the part from *i on, which goes behind it; NULL after the last. */
static const double *next(const part *p, size_t *i) {
    const halves *s = p->halves;
    while (*i < s->chains * s->rows) {
        const double *row = halves_block(s, p->half, *i / s->rows) + *i % s->rows * (s->dim + ROW_HEAD) + ROW_HEAD;
        ++*i;
        if ((row[p->axis] > p->border) == p->above) return row;
    }
    return NULL;
}

static size_t size_of(const part *p) {
    size_t size = 0, i = 0;
    while (next(p, &i)) size++;
    return size;
}

/* Sarle's coefficient of coordinate p->axis, (skewness^2 + 1) / kurtosis: 1 where the draws gather at two points, whatever
 * they weigh, 1/3 for a normal and 5/9 for a uniform distribution. The middle between two such points is half the
 * skewness, in standard deviations from the mean: it goes to *middle. */
static double clumping(const part *p, double *middle) {
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

/* A component from mean and covariance of a part. More on the diagonal, as if dim + 1 draws had said so, keeps it positive
 * definite, and the trifle that is added does where a coordinate stood still. */
static void add_component(mixture *m, const part *p) {
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

/* One component; or two, where the draws gather on both sides of a border in some coordinate. In many dimensions the fit
 * would not see that by itself: it tries the directions in which many coordinates agree. */
static void begin(mixture *m, const halves *s, size_t half) {
    const part whole = {.halves = s, .half = half, .border = HUGE_VAL};
    part       low = whole, high = {.halves = s, .half = half, .above = true};
    double     most = CLUMPING_LEAST, middle;
    for (part p = whole; p.axis < s->dim; p.axis++) {
        const double here = clumping(&p, &middle);
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

mixture *fit_create(const halves *s, size_t half) {
    half_of      context = {s, half};
    rows         data = {&context, s->chains, s->dim, block_of, 1};
    const size_t size = mixture_size(s->dim);
    mixture     *m = size < SIZE_MAX ? calloc(1, size) : NULL;
    if (!m) return NULL;
    mixture_begin(m, s->dim, NULL);
    begin(m, s, half);
    for (int turn = 1; turn <= TURNS_MOST; turn++) {
        const size_t count = m->count;
        const double degrees = m->degrees;
        mixture_refit(m, &data, true);
        if (turn >= TURNS_LEAST && m->count == count && m->degrees == degrees) break;
    }
    return m;
}
