/* profile.c - see profile.h. */
#include "mixture/profile.h"

#include "base/box.h"
#include "mixture/em.h"
#include "mixture/quadratic.h"

#include <string.h>

#define EXACT 1e-6 /* share of the variance of log pi that a profile leaves: no other needs to be tried */

/* Rows of component j, evenly, at most quadratic_points() of them; returns how many. *top: the highest log pi among
 * them. */
static size_t gather(const fit *f, size_t j, double *out, double *top) {
    size_t dim = f->m->dim, most = quadratic_points(dim), count = 0;
    double stride = fmax(f->m->at[j].rows / (double)most, 1.0), *row;
    walk   w = {0};
    *top = -HUGE_VAL;
    for (size_t i = 0; count < most && (row = em_row(f, &w, (double)j)); i++) {
        if ((double)i < stride * (double)count) continue;
        double       *to = out + count++ * (dim + QUADRATIC_HEAD);
        profile_point at = mixture_profile_point(f->m, row + ROW_HEAD);
        to[QUADRATIC_VALUE] = row[ROW_LOG_DENSITY] - at.log_slope;
        memcpy(to + QUADRATIC_HEAD, at.position, dim * sizeof *to);
        *top = fmax(*top, to[QUADRATIC_VALUE]);
    }
    return count;
}

/* The share of the variance of log pi over the rows of component j that the profile in the trial place leaves. */
static double unexplained(const fit *f, size_t j) {
    mixture *m = f->m;
    walk     w = {0};
    double   n = 0.0, sum = 0.0, square = 0.0, left = 0.0, peak, *row;
    while ((row = em_row(f, &w, (double)j))) {
        profile_point at = mixture_profile_point(m, row + ROW_HEAD);
        double        error = row[ROW_LOG_DENSITY] - mixture_predict(m, m->capacity, &at, &peak);
        double        fall = row[ROW_LOG_DENSITY] - peak;
        n += 1.0;
        sum += fall;
        square += fall * fall;
        left += error * error;
    }
    return left / (square - sum * sum / n);
}

/* Fits the profile of component j with these degrees of freedom, into the trial component; returns the share of the
 * variance it leaves, 1 if there is none. */
static double fit_profile(const fit *f, size_t j, double degrees) {
    mixture   *m = f->m;
    component *trial = &m->at[m->capacity];
    size_t     dim = m->dim, width = dim + QUADRATIC_HEAD;
    double    *room = block_at(m, m->sums),
           *work = room + quadratic_points(dim) * width; /* sums, which the fit is done with */
    double    top, order = degrees + (double)dim;
    quadratic q = {.mean = mixture_centre(m, m->capacity), .factor = mixture_profile(m, m->capacity)};
    size_t    count = gather(f, j, room, &top);
    bool      tail = degrees < HUGE_VAL;
    for (size_t i = 0; i < count && tail; i++)
        room[i * width + QUADRATIC_VALUE] = -exp(-2.0 * (room[i * width + QUADRATIC_VALUE] - top) / order);
    if (count < quadratic_points(dim) || quadratic_fit(dim, count, room, work, &q) != QUADRATIC_FULL) return 1.0;
    if (tail && !(q.peak < 0.0)) return 1.0;
    trial->profile_degrees = degrees;
    trial->profile_peak = tail ? top - 0.5 * order * log(-q.peak) : q.peak;
    for (size_t k = 0; k < dim * dim && tail; k++) /* the quadratic is peak - u^2 / 2 = peak (1 + distance / degrees) */
        q.factor[k] *= sqrt(-2.0 * q.peak / degrees);
    return unexplained(f, j);
}

static void keep_trial(mixture *m, size_t j, double left) {
    m->at[j].profile_degrees = m->at[m->capacity].profile_degrees;
    m->at[j].profile_peak = m->at[m->capacity].profile_peak;
    m->at[j].profile_error = sqrt(left);
    memcpy(mixture_centre(m, j), mixture_centre(m, m->capacity), m->dim * sizeof(double));
    memcpy(mixture_profile(m, j), mixture_profile(m, m->capacity), m->dim * m->dim * sizeof(double));
}

/* The best of the profiles. The share they leave has one minimum over the degrees of freedom: beyond it no others
 * are tried. */
static void learn(const fit *f, size_t j, bool all) {
    enum { CHOICES = sizeof tuning.memory.degrees / sizeof *tuning.memory.degrees };
    mixture *m = f->m;
    double   before = m->at[j].profile_degrees, best = tuning.fit.unexplained;
    m->at[j].profile_degrees = 0.0;
    for (size_t k = 0; k <= CHOICES && best > EXACT; k++) { /* from a Gaussian on to fewer and fewer */
        double degrees = k ? tuning.memory.degrees[CHOICES - k] : HUGE_VAL;
        if (before > 0.0 && !all && degrees != before) continue;
        double left = fit_profile(f, j, degrees);
        if (!(left < best)) {
            if (mixture_has_tail(&m->at[j])) return;
        } else if (k || left < tuning.fit.gaussian_unexplained) {
            best = left;
            keep_trial(m, j, left);
        }
    }
}

/* How well q approximates pi over some rows. */
typedef struct nearness {
    double variance;   /* of log pi - log q; the lower, the more independent jumps are accepted */
    double likelihood; /* the sum of log q */
} nearness;

/* Of component j, or over all rows with -1. */
static nearness measure(fit *f, double j) {
    walk     w = {0};
    nearness sum = {0};
    double   n = 0.0, mean = 0.0, *row;
    while ((row = em_row(f, &w, j))) {
        double log_q = em_log_density(f, row), ratio = row[ROW_LOG_DENSITY] - log_q, apart = ratio - mean;
        sum.likelihood += log_q;
        mean += apart / ++n;
        sum.variance += apart * (ratio - mean);
    }
    sum.variance /= n;
    return sum;
}

/* Whether q is nearer to pi with so many parameters from log pi instead of from the draws. Parameters fitted to the
 * draws have a higher likelihood, by half a chi-squared variable with that many degrees of freedom. If by more, pi
 * has that shape only where the draws are: beyond a bound, say, it is 0. */
static bool is_nearer(const fit *f, nearness before, nearness after, double parameters) {
    const double most = 0.5 * (parameters + tuning.sure * sqrt(2.0 * parameters));
    return after.variance < before.variance && (before.likelihood - after.likelihood) * f->ess_fraction < most;
}

/* Gives component j the centre and the shape of its profile, in a box to first order around the centre. False if
 * that is outside of the box. */
static bool put_profile(mixture *m, size_t j) {
    const size_t dim = m->dim;
    double      *mean = mixture_mean(m, j), *factor = mixture_factor(m, j);
    memcpy(mean, mixture_centre(m, j), dim * sizeof *mean);
    memcpy(factor, mixture_profile(m, j), dim * dim * sizeof *factor);
    for (size_t i = 0; i < dim && m->has_box; i++) {
        double log_slope;
        if (block_at(m, m->boxed)[i] == 0.0) continue;
        if (!(mean[i] > 0.0 && mean[i] < 1.0)) return false;
        mean[i] = box_coordinate(log(mean[i] / (1.0 - mean[i])));
        box_distance(mean[i], &log_slope);
        for (size_t k = 0; k <= i; k++) factor[k * dim + i] *= exp(-log_slope);
    }
    mixture_prepare(m, j);
    return true;
}

/* The same, but only if q is then nearer to pi: moments of n draws have sampling errors, those of an exact profile
 * have none. */
static bool adopt(fit *f, size_t j) {
    const size_t   spare = f->m->capacity;
    const nearness before = measure(f, (double)j);
    const double   d = (double)f->m->dim;
    mixture_copy(f->m, spare, j);
    if (put_profile(f->m, j) && is_nearer(f, before, measure(f, (double)j), d + 0.5 * d * (d + 1.0))) return true;
    mixture_copy(f->m, j, spare);
    return false;
}

/* The log of the integral of exp(profile). */
static double log_mass(mixture *m, size_t j) {
    const double pi = 3.14159265358979323846, d = (double)m->dim;
    double       sum = m->at[j].profile_peak;
    sum -= mixture_has_tail(&m->at[j]) ? mixture_log_constant(m->at[j].profile_degrees, d) : -0.5 * d * log(2.0 * pi);
    for (size_t k = 0; k < m->dim; k++) sum += log(mixture_profile(m, j)[k * m->dim + k]);
    return sum;
}

/* Sets the weights of the components that adopted their profiles by the masses of these, with the same sum, but only
 * if q is then nearer to pi: counts of draws have sampling errors, too. */
static void share_weight(fit *f, const bool *adopted, size_t count) {
    mixture       *m = f->m;
    const nearness before = measure(f, -1.0);
    double         mass[MODES_MOST] = {0.0}, kept[MODES_MOST] = {0.0}, top = -HUGE_VAL, weight = 0.0, sum = 0.0;
    for (size_t j = 0; j < m->count; j++) {
        kept[j] = m->at[j].weight;
        mass[j] = adopted[j] ? log_mass(m, j) : -HUGE_VAL;
        top = fmax(top, mass[j]);
    }
    for (size_t j = 0; j < m->count; j++) {
        mass[j] = adopted[j] ? exp(mass[j] - top) : 0.0;
        weight += adopted[j] ? m->at[j].weight : 0.0;
        sum += mass[j];
    }
    for (size_t j = 0; j < m->count; j++)
        if (adopted[j]) m->at[j].weight = weight * mass[j] / sum;
    mixture_normalise(m);
    if (is_nearer(f, before, measure(f, -1.0), (double)count - 1.0)) return;
    for (size_t j = 0; j < m->count; j++) m->at[j].weight = kept[j];
    mixture_normalise(m);
}

void profiles_learn(mixture *m, const rows *data, double ess_fraction, bool all) {
    fit    f = {.m = m, .data = data, .every = data->every, .ess_fraction = ess_fraction};
    bool   adopted[MODES_MOST] = {false};
    size_t count = 0;
    if (m->dim > tuning.fit.dimensions) return;
    for (size_t j = 0; j < m->count; j++)
        if (m->at[j].rows >= (double)quadratic_points(m->dim)) learn(&f, j, all);
    for (size_t j = 0; j < m->count; j++) {
        if (m->at[j].rows < (double)quadratic_points(m->dim)) continue;
        m->at[j].confirmed = adopted[j] = mixture_has_profile(&m->at[j]) && adopt(&f, j);
        count += adopted[j];
    }
    if (count > 1) share_weight(&f, adopted, count);
}
