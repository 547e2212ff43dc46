/* profile.c - see profile.h. */
#include "mixture/profile.h"

#include "mixture/em.h"
#include "mixture/quadratic.h"

#include <string.h>

#define EXACT 1e-6 /* part of the variance of log pi that a profile leaves: there is no need to try others */

/* Rows of component j, evenly, at most quadratic_points() of them; returns how many. *top: the highest log pi among them. */
static size_t gather(const fit *f, size_t j, double *out, double *top) {
    size_t dim = f->m->dim, most = quadratic_points(dim), count = 0;
    double stride = fmax(f->m->at[j].rows / (double)most, 1.0), *row;
    walk   w = {0};
    *top = -HUGE_VAL;
    for (size_t i = 0; count < most && (row = em_row(f, &w, (double)j)); i++) {
        if ((double)i < stride * (double)count) continue;
        double *to = out + count++ * (dim + QUADRATIC_HEAD);
        sight   at = mixture_sight(f->m, row + ROW_HEAD);
        to[QUADRATIC_VALUE] = row[ROW_LOG_DENSITY] - at.log_slope;
        memcpy(to + QUADRATIC_HEAD, at.position, dim * sizeof *to);
        *top = fmax(*top, to[QUADRATIC_VALUE]);
    }
    return count;
}

/* The part of the variance of log pi over the rows of component j that the profile in the trial place leaves. */
static double unexplained(const fit *f, size_t j) {
    mixture *m = f->m;
    walk     w = {0};
    double   n = 0.0, sum = 0.0, square = 0.0, left = 0.0, peak, *row;
    while ((row = em_row(f, &w, (double)j))) {
        sight  at = mixture_sight(m, row + ROW_HEAD);
        double error = row[ROW_LOG_DENSITY] - mixture_predict(m, m->capacity, &at, &peak);
        double fall = row[ROW_LOG_DENSITY] - peak;
        n += 1.0;
        sum += fall;
        square += fall * fall;
        left += error * error;
    }
    return left / (square - sum * sum / n);
}

/* The profile of component j with so many degrees of freedom, into the trial place; returns what it leaves unexplained, 1 if there is none. */
static double fit_profile(const fit *f, size_t j, double freedom) {
    mixture   *m = f->m;
    component *trial = &m->at[m->capacity];
    size_t     dim = m->dim, width = dim + QUADRATIC_HEAD;
    double    *room = block_at(m, m->share),
           *work = room + quadratic_points(dim) * width; /* sums, which the fit is done with */
    double    top, order = freedom + (double)dim;
    quadratic q = {.mean = mixture_centre(m, m->capacity), .factor = mixture_profile(m, m->capacity)};
    size_t    count = gather(f, j, room, &top);
    bool      tail = freedom < HUGE_VAL;
    for (size_t i = 0; i < count && tail; i++)
        room[i * width + QUADRATIC_VALUE] = -exp(-2.0 * (room[i * width + QUADRATIC_VALUE] - top) / order);
    if (count < quadratic_points(dim) || quadratic_fit(dim, count, room, work, &q) != QUADRATIC_FULL) return 1.0;
    if (tail && !(q.peak < 0.0)) return 1.0;
    trial->freedom = freedom;
    trial->peak = tail ? top - 0.5 * order * log(-q.peak) : q.peak;
    for (size_t k = 0; k < dim * dim && tail; k++) /* the quadratic is peak - u^2 / 2 = peak (1 + distance / freedom) */
        q.factor[k] *= sqrt(-2.0 * q.peak / freedom);
    return unexplained(f, j);
}

static void keep_trial(mixture *m, size_t j, double left) {
    m->at[j].freedom = m->at[m->capacity].freedom;
    m->at[j].peak = m->at[m->capacity].peak;
    m->at[j].doubt = sqrt(left);
    memcpy(mixture_centre(m, j), mixture_centre(m, m->capacity), m->dim * sizeof(double));
    memcpy(mixture_profile(m, j), mixture_profile(m, m->capacity), m->dim * m->dim * sizeof(double));
}

/* The best of the profiles. What they leave has one minimum over the degrees of freedom: beyond it no others are tried. */
static void learn(const fit *f, size_t j, bool all) {
    enum { CHOICES = sizeof tuning.memory.degrees / sizeof *tuning.memory.degrees };
    mixture *m = f->m;
    double   before = m->at[j].freedom, best = tuning.fit.unexplained;
    m->at[j].freedom = 0.0;
    for (size_t k = 0; k <= CHOICES && best > EXACT; k++) { /* from a Gaussian on to fewer and fewer */
        double freedom = k ? tuning.memory.degrees[CHOICES - k] : HUGE_VAL;
        if (before > 0.0 && !all && freedom != before) continue;
        double left = fit_profile(f, j, freedom);
        if (!(left < best)) {
            if (mixture_has_tail(&m->at[j])) return;
        } else if (k || left < tuning.fit.gaussian_unexplained) {
            best = left;
            keep_trial(m, j, left);
        }
    }
}

void profiles_learn(mixture *m, const rows *data, bool all) {
    const fit f = {.m = m, .data = data, .every = data->every};
    if (m->dim > tuning.fit.dimensions) return;
    for (size_t j = 0; j < m->count; j++)
        if (m->at[j].rows >= (double)quadratic_points(m->dim)) learn(&f, j, all);
}
