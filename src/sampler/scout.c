/* scout.c - see scout.h. */
#include "sampler/scout.h"

#include "base/fastmath.h"
#include "linalg/linalg.h"
#include "sampler/schedule.h"

#include <string.h>

enum { LOOKS_MOST = 20 };
#define COLDEST       0.3 /* b_min is between these, uniform in its logarithm */
#define HOTTEST       3e-4
#define SLOWEST       30.0 /* times 4 + 2 k iterations of cooling, at least 1, likewise */
#define SOME          0.8  /* part of the scouts that are heated in some coordinates only */
#define CENTRE        0.6  /* part of those that start from the centre of a component */
#define TARGET_ACCEPT 0.3
#define STEP_GAIN     0.1
#define NEGLIGIBLE    15.0  /* places with a log mass this much (and d / 2) below that of what is known do not count */
#define FARTHEST      100.0 /* a scout further out than this many standard deviations at b_min has run away */

/* Iterations of a stage. */
static uint64_t duration(const scout *s) {
    uint64_t d = s->dim, k = s->moves;
    switch (s->stage) {
    case SCOUT_HEAT:
        return 10 + 5 * k;
    case SCOUT_COOL:
        return s->cooling;
    case SCOUT_LOOK:
        return 10 + 5 * d;
    default:
        return 100 + 50 * d;
    }
}

static size_t layout(scout *s, size_t dim) {
    size_t end = sizeof *s;
    s->dim = dim;
    s->u = block_take(&end, dim, 1);
    s->v = block_take(&end, dim, 1);
    s->warm = block_take(&end, dim, 1);
    s->origin = block_take(&end, dim, 1);
    s->mean = block_take(&end, dim, 1);
    s->frame = block_take(&end, dim, dim);
    s->scatter = block_take(&end, dim, dim);
    return end;
}

size_t scout_size(size_t dim) { return layout(&(scout){0}, dim); }
void   scout_begin(scout *s, size_t dim) { layout(s, dim); }

static void warm_all(scout *s) {
    for (size_t k = 0; k < s->dim; k++) block_at(s, s->warm)[k] = 1.0;
    s->moves = s->dim;
}

static void enter(scout *s, scout_stage stage) {
    s->stage = stage;
    s->t = 0;
    if (stage < SCOUT_LOOK) return;
    if (s->moves < s->dim) warm_all(s);
    s->count = s->level = 0.0;
    memset(block_at(s, s->mean), 0, s->dim * sizeof(double));
    memset(block_at(s, s->scatter), 0, s->dim * s->dim * sizeof(double));
}

/* Some scouts are heated in all coordinates, most in k of them, log k uniform: in many dimensions what is heated in all
 * gets lost between narrow modes. */
static void choose_warm(scout *s, rng *r) {
    double *warm = block_at(s, s->warm);
    size_t  dim = s->dim, left = dim;
    if (rng_uniform(r) < SOME) left = (size_t)pow((double)dim, rng_uniform(r));
    s->moves = left;
    for (size_t k = 0; k < dim; k++) { /* each of the subsets of that size is as likely */
        warm[k] = rng_uniform(r) * (double)(dim - k) < (double)left ? 1.0 : 0.0;
        left -= warm[k] > 0.0;
    }
}

void scout_start(scout *s, modes *m, size_t i, rng *r, const double *x, double log_density) {
    size_t  dim = s->dim;
    double *u = block_at(s, s->u);
    memcpy(block_at(s, s->origin), modes_mean(m, i), dim * sizeof(double));
    memcpy(block_at(s, s->frame), modes_factor(m, i), dim * dim * sizeof(double));
    modes_standardise(m, i, x, u);
    s->heat = s->hot = HOTTEST * exp(rng_uniform(r) * log(COLDEST / HOTTEST));
    s->log_density = log_density;
    s->step = 1.0;
    s->before = (double)NAN;
    s->looks = 0;
    s->start = m->at[i].mode;
    s->home = SIZE_MAX;
    choose_warm(s, r);
    s->cooling = (uint64_t)((4.0 + 2.0 * (double)s->moves) * exp(rng_uniform(r) * log(SLOWEST)));
    if (s->moves < dim && rng_uniform(r) < CENTRE) { /* beside a wide mode a narrow one is seen from the centre only */
        memset(u, 0, dim * sizeof *u);
        s->log_density = -HUGE_VAL; /* not known there: the first step is accepted */
    }
    enter(s, SCOUT_HEAT);
}

/* y := origin + L u. */
static void place(scout *s, const double *u, double *y) {
    memcpy(y, block_at(s, s->origin), s->dim * sizeof *y);
    tri_multiply_add(s->dim, block_at(s, s->frame), 1.0, u, y);
}

void scout_ask(scout *s, rng *r, double *y) {
    double *u = block_at(s, s->u), *v = block_at(s, s->v), size = s->step * step_size_optimal(s->moves) / sqrt(s->heat);
    const double *warm = block_at(s, s->warm);
    rng_normals(r, s->dim, v);
    for (size_t k = 0; k < s->dim; k++) v[k] = u[k] + size * warm[k] * v[k];
    place(s, v, y);
}

/* Mean and scatter of the places. */
static void learn(scout *s) {
    size_t  dim = s->dim;
    double *mean = block_at(s, s->mean), *scatter = block_at(s, s->scatter), *u = block_at(s, s->u);
    double *delta = block_at(s, s->v);
    s->count += 1.0;
    s->level += (s->log_density - s->level) / s->count;
    for (size_t k = 0; k < dim; k++) delta[k] = u[k] - mean[k];
    for (size_t k = 0; k < dim; k++) {
        mean[k] += delta[k] / s->count;
        vec_axpy(dim - k, delta[k] * (1.0 - 1.0 / s->count), delta + k, scatter + k * dim + k);
    }
}

/* What was learned, in x: mean, and a factor of the covariance. The walk is short, so its own covariance counts as
 * count / (4 d) draws beside d draws of an isotropic one, whose size is what the step size has adapted to. */
static void conclude(scout *s, double *m_mean, double *m_factor) {
    size_t        dim = s->dim;
    const double *frame = block_at(s, s->frame);
    double       *scatter = block_at(s, s->scatter), d = (double)dim;
    double        own = s->count / (4.0 * d), other = d, total = own + other;
    place(s, block_at(s, s->mean), m_mean);
    for (size_t k = 0; k < dim * dim; k++) scatter[k] *= own / total / s->count;
    for (size_t k = 0; k < dim; k++) scatter[k * dim + k] += other / total * s->step * s->step;
    if (chol_factor(dim, scatter)) {
        memset(scatter, 0, dim * dim * sizeof *scatter);
        for (size_t k = 0; k < dim; k++) scatter[k * dim + k] = s->step;
    }
    /* m_factor := frame * scatter, both lower triangles */
    memset(m_factor, 0, dim * dim * sizeof *m_factor);
    for (size_t k = 0; k < dim; k++) {
        double *column = block_at(s, s->v);
        memset(column, 0, dim * sizeof *column);
        memcpy(column + k, scatter + k * dim + k, (dim - k) * sizeof *column);
        tri_multiply_add(dim, frame, 1.0, column, m_factor + k * dim);
    }
}

static void put_trial(scout *s, modes *m) {
    size_t a = m->capacity;
    conclude(s, modes_mean(m, a), modes_factor(m, a));
    m->at[a] = (component){.step = 1.0, .kernel_step = 1.0};
    modes_prepare(m, a);
}

/* The look before is not of the same place if log pi was lower by more than its mean over a look varies. */
static bool still_rises(scout *s) {
    return ++s->looks < LOOKS_MOST && !(s->level < s->before + 1.0 + 0.5 * sqrt((double)s->dim));
}

/* log of the mass of the place, were it a Gaussian: from the mean of log pi there. */
static double mass(const scout *s, const component *place) {
    const double pi = 3.14159265358979323846, d = (double)s->dim;
    return s->level + 0.5 * d * (1.0 + log(2.0 * pi)) + place->log_det;
}

static scout_news end(scout *s, scout_news news) {
    s->stage = SCOUT_IDLE;
    return news;
}

/* Whether the place is among the draws of a component; of several the nearest is its home. */
static bool is_home(scout *s, modes *m) {
    double *x = block_at(s, s->v), least = modes_home_radius(s->dim);
    place(s, block_at(s, s->u), x);
    for (size_t j = 0; j < m->count; j++) {
        double distance = modes_distance(m, j, x);
        if (distance >= least) continue;
        least = distance;
        s->home = j;
    }
    return s->home != SIZE_MAX;
}

static scout_news next_stage(scout *s, modes *m) {
    if (s->stage == SCOUT_COOL && is_home(s, m)) return end(s, SCOUT_KNOWN);
    if (s->stage < SCOUT_LOOK) {
        enter(s, s->stage + 1);
        return SCOUT_GOES_ON;
    }
    if (s->stage == SCOUT_LOOK && still_rises(s)) {
        s->before = s->level;
        enter(s, SCOUT_LOOK);
        return SCOUT_GOES_ON;
    }
    put_trial(s, m);
    s->mass = mass(s, &m->at[m->capacity]);
    if (!(s->mass >= m->level - NEGLIGIBLE - 0.5 * (double)s->dim)) return end(s, SCOUT_KNOWN);
    size_t known = modes_known_as(m, m->capacity);
    if (known < m->count) s->home = known;
    if (known < m->count + m->retired) return end(s, SCOUT_KNOWN);
    if (s->stage == SCOUT_LOOK) {
        enter(s, SCOUT_LEARN);
        return SCOUT_GOES_ON;
    }
    memcpy(scout_mean(s), modes_mean(m, m->capacity), s->dim * sizeof(double));
    memcpy(scout_factor(s), modes_factor(m, m->capacity), s->dim * s->dim * sizeof(double));
    return end(s, SCOUT_FOUND);
}

scout_news scout_tell(scout *s, rng *r, double log_density, modes *m) {
    double *u = block_at(s, s->u), *v = block_at(s, s->v);
    double  log_ratio = log_density > -HUGE_VAL ? s->heat * (log_density - s->log_density) : -HUGE_VAL;
    double  alpha = log_ratio >= 0.0 ? 1.0 : log_ratio > -HUGE_VAL ? exp_fast(log_ratio) : 0.0;
    if (rng_uniform(r) < alpha) {
        memcpy(u, v, s->dim * sizeof *u);
        s->log_density = log_density;
    }
    s->step *= exp_fast(STEP_GAIN * (alpha - TARGET_ACCEPT));
    double limit = FARTHEST * FARTHEST * (double)s->dim / s->hot;
    if (vec_dot(s->dim, u, u) > limit) {
        return end(s, SCOUT_RAN_AWAY);
    }
    if (s->stage == SCOUT_COOL) s->heat *= exp_fast(-log(s->hot) / (double)duration(s));
    if (s->stage >= SCOUT_LOOK) {
        s->heat = 1.0;
        learn(s);
    }
    return ++s->t < duration(s) ? SCOUT_GOES_ON : next_stage(s, m);
}
