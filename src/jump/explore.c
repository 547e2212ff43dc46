/* explore.c - see explore.h. */
#include "jump/explore.h"

#include "base/fastmath.h"
#include "linalg/linalg.h"
#include "mixture/quadratic.h"
#include "sampler/schedule.h"

#include <string.h>

enum { WALKER_BYTES = 8 << 20 };

static size_t walkers_for(size_t dim) {
    size_t fit = WALKER_BYTES / sizeof(double) / dim / dim;
    return fit < 1 ? 1 : fit > WALKERS_MOST ? WALKERS_MOST : fit;
}

/* Points for a fit; 0: none is made. */
static size_t fit_points(size_t dim) { return dim <= tuning.fit.dimensions ? quadratic_points(dim) : 0; }

static size_t layout(explorer *e, size_t dim) {
    size_t end = sizeof *e, count = walkers_for(dim);
    e->dim = dim;
    e->walkers = count;
    e->x = block_take(&end, count, dim);
    e->mean = block_take(&end, count, dim);
    e->factor = block_take(&end, count * dim, dim);
    e->centre = block_take(&end, dim, 1);
    e->spread = block_take(&end, dim, dim);
    e->u = block_take(&end, dim, 1);
    e->v = block_take(&end, dim, 1);
    e->moving = block_take(&end, dim, 1);
    e->origin = block_take(&end, dim, 1);
    e->frame = block_take(&end, dim, dim);
    e->point_mean = block_take(&end, dim, 1);
    e->scatter = block_take(&end, dim, dim);
    e->rows = block_take(&end, fit_points(dim), dim + QUADRATIC_HEAD);
    e->fit = block_take(&end, fit_points(dim) ? quadratic_work(dim) + dim + dim * dim : 0, 1);
    e->candidate_mean = block_take(&end, CANDIDATES_MOST, dim);
    e->candidate_factor = block_take(&end, CANDIDATES_MOST * dim, dim);
    return end;
}

size_t explore_size(size_t dim) { return layout(&(explorer){0}, dim); }

/* -- Walkers ------------------------------------------------------------------------------------------------------ */

static double *walker_x(explorer *e, size_t k) { return block_at(e, e->x) + k * e->dim; }
static double *walker_mean(explorer *e, size_t k) { return block_at(e, e->mean) + k * e->dim; }
static double *walker_factor(explorer *e, size_t k) { return block_at(e, e->factor) + k * e->dim * e->dim; }

void explore_begin(explorer *e, size_t dim, const double *x, double log_density, bool random) {
    layout(e, dim);
    e->random = random;
    for (size_t k = 0; k < e->walkers; k++) {
        double fraction = e->walkers > 1 ? (double)k / (double)(e->walkers - 1) : 0.5;
        double inverse_temperature =
            tuning.walkers.coldest * pow(tuning.walkers.hottest / tuning.walkers.coldest, fraction);
        e->at[k] = (walker){.inverse_temperature = inverse_temperature, .log_density = log_density, .step = 1.0};
        memcpy(walker_x(e, k), x, dim * sizeof *x);
        memcpy(walker_mean(e, k), x, dim * sizeof *x);
    }
}

void explore_shape(explorer *e, mixture *m, size_t i) {
    for (size_t k = 0; k < e->walkers; k++)
        for (size_t n = 0; n < e->dim * e->dim; n++)
            walker_factor(e, k)[n] = mixture_factor(m, i)[n] / sqrt(e->at[k].inverse_temperature);
}

/* centre, spread := mean and covariance factor of the mixture, those of q0. */
static void update_reference(explorer *e, mixture *m) {
    size_t  dim = e->dim;
    double *centre = block_at(e, e->centre), *spread = block_at(e, e->spread), *deviation = block_at(e, e->v);
    memcpy(centre, mixture_mean(m, 0), dim * sizeof *centre);
    memcpy(spread, mixture_factor(m, 0), dim * dim * sizeof *spread);
    if (m->count == 1) return;
    memset(centre, 0, dim * sizeof *centre);
    memset(spread, 0, dim * dim * sizeof *spread);
    for (size_t j = 0; j < m->count; j++) vec_axpy(dim, m->at[j].weight, mixture_mean(m, j), centre);
    for (size_t j = 0; j < m->count; j++) {
        const double *l = mixture_factor(m, j);
        for (size_t k = 0; k < dim; k++)
            for (size_t i = k; i < dim; i++)
                vec_axpy(dim - i, m->at[j].weight * l[k * dim + i], l + k * dim + i, spread + i * dim + i);
        for (size_t k = 0; k < dim; k++) deviation[k] = mixture_mean(m, j)[k] - centre[k];
        sym_add(dim, m->at[j].weight, deviation, spread);
    }
    if (chol_factor(dim, spread)) memcpy(spread, mixture_factor(m, 0), dim * dim * sizeof *spread);
}

static void enter(explorer *e, explore_stage stage);

void explore_cycle(explorer *e, mixture *m) {
    update_reference(e, m);
    e->candidates = 0;
    e->ended_in = SIZE_MAX;
    if (e->stage == EXPLORE_PEAK)
        enter(e, EXPLORE_CLIMB); /* its fit was in the trial component, which adaptation uses: another round */
    if (e->stage == EXPLORE_SLOPE) enter(e, e->after); /* components have other indices now */
}

/* log q0, but for a constant. */
static double log_reference(explorer *e, double inverse_temperature, const double *x) {
    double *deviation = block_at(e, e->v);
    for (size_t k = 0; k < e->dim; k++) deviation[k] = x[k] - block_at(e, e->centre)[k];
    tri_solve(e->dim, block_at(e, e->spread), deviation);
    return -0.5 * vec_dot(e->dim, deviation, deviation) * inverse_temperature;
}

/* The proposal of the walker whose turn it is, also into `origin`; its normals are in u. */
static void ask_walker(explorer *e, rng *r, double *y) {
    walker *w = &e->at[e->from];
    double *n = block_at(e, e->u), size = w->step * step_size_optimal(e->dim);
    e->drawn = !w->steps_next;
    rng_normals(r, e->dim, n);
    memcpy(y, e->drawn ? walker_mean(e, e->from) : walker_x(e, e->from), e->dim * sizeof *y);
    tri_multiply_add(e->dim, walker_factor(e, e->from), e->drawn ? 1.0 : size, n, y);
    memcpy(block_at(e, e->origin), y, e->dim * sizeof *y);
}

/* log of the density of a walker's draws at x, but for a constant. */
static double log_drawn(explorer *e, size_t k, const double *x) {
    double *deviation = block_at(e, e->v);
    for (size_t i = 0; i < e->dim; i++) deviation[i] = x[i] - walker_mean(e, k)[i];
    tri_solve(e->dim, walker_factor(e, k), deviation);
    return -0.5 * vec_dot(e->dim, deviation, deviation);
}

static void learn_walker(explorer *e, size_t k) {
    walker *w = &e->at[k];
    double *mean = walker_mean(e, k), *x = walker_x(e, k), *deviation = block_at(e, e->v);
    double  rate = gain_moments(&(gain){(double)NAN, (double)NAN}, w->steps, e->dim);
    for (size_t i = 0; i < e->dim; i++) deviation[i] = sqrt(rate) * (x[i] - mean[i]);
    for (size_t i = 0; i < e->dim; i++) mean[i] += rate * (x[i] - mean[i]);
    chol_update(e->dim, walker_factor(e, k), sqrt(1.0 - rate), deviation);
}

static void         start_search(explorer *e, const mixture *m);
static bool         is_explained(explorer *e, mixture *m, const double *x, double log_density);
static explore_news end(explorer *e, explore_news news);

/* log of the Metropolis-Hastings ratio for the proposal y of walker k. */
static double log_ratio(explorer *e, size_t k, const double *y, double log_density) {
    const walker *w = &e->at[k];
    const double *n = block_at(e, e->u), *x = walker_x(e, k);
    if (!(log_density > -HUGE_VAL)) return -HUGE_VAL;
    double ratio = w->inverse_temperature * (log_density - w->log_density) +
                   log_reference(e, w->inverse_temperature, y) - log_reference(e, w->inverse_temperature, x);
    return e->drawn ? ratio + log_drawn(e, k, x) + 0.5 * vec_dot(e->dim, n, n) : ratio;
}

/* A search from walker k's proposal, which is in `origin`: it has ended already if the point is explained. */
static explore_news search_from(explorer *e, const mixture *m, size_t k, double log_density, bool explained) {
    e->start = 0;
    if (explained) return end(e, EXPLORE_ENDED);
    e->log_density = log_density;
    e->inverse_temperature = e->at[k].inverse_temperature;
    memcpy(block_at(e, e->frame), walker_factor(e, k), e->dim * e->dim * sizeof(double));
    start_search(e, m);
    return EXPLORE_GOES_ON;
}

/* Every draw begins a search, a step only where it leads from an explained point to one that is not. */
static explore_news tell_walker(explorer *e, mixture *m, rng *r, double log_density) {
    size_t  k = e->from;
    walker *w = &e->at[k];
    double *y = block_at(e, e->origin), ratio = log_ratio(e, k, y, log_density);
    double  alpha = ratio >= 0.0 ? 1.0 : ratio > -HUGE_VAL ? exp_fast(ratio) : 0.0;
    e->ended_in = SIZE_MAX;
    bool exists = log_density > -HUGE_VAL, explained = exists && is_explained(e, m, y, log_density);
    bool searches = exists && (e->drawn || (!explained && w->explained)), accepted = rng_uniform(r) < alpha;
    if (accepted) {
        memcpy(walker_x(e, k), y, e->dim * sizeof *y);
        w->log_density = log_density;
        w->explained = explained;
    }
    w->steps++;
    w->steps_next = e->drawn && !accepted;
    if (!e->drawn) w->step *= exp((alpha - tuning.walkers.accept) * pow((double)w->steps, -tuning.walkers.decay));
    learn_walker(e, k);
    return searches ? search_from(e, m, k, log_density, explained) : EXPLORE_GOES_ON;
}

/* -- A search ----------------------------------------------------------------------------------------------------- */

/* Iterations of a stage, at most. */
static uint64_t duration(const explorer *e) {
    uint64_t d = e->dim, k = e->moving_count;
    switch (e->stage) {
    case EXPLORE_TEMPERED:
        return affine_steps(tuning.look.steps, k);
    case EXPLORE_CLIMB: /* until there are points enough for a fit */
        k = affine_steps(tuning.climb.steps, d);
        return fit_points(d) > k ? fit_points(d) : k;
    case EXPLORE_PEAK:
        return 1;
    case EXPLORE_LOOK:
        return affine_steps(tuning.look.steps, d);
    default:
        return tuning.look.learn * affine_steps(tuning.look.steps, d);
    }
}

static void move_all(explorer *e) {
    for (size_t k = 0; k < e->dim; k++) block_at(e, e->moving)[k] = 1.0;
    e->moving_count = e->dim;
}

static void enter(explorer *e, explore_stage stage) {
    e->stage = stage;
    e->t = 0;
    e->kept = 0;
    if (stage < EXPLORE_LOOK) return;
    move_all(e);
    e->count = e->mean_log_density = 0.0;
    memset(block_at(e, e->point_mean), 0, e->dim * sizeof(double));
    memset(block_at(e, e->scatter), 0, e->dim * e->dim * sizeof(double));
}

/* At first d^-1/2 standard deviations, in units of the optimal step of a random walk. */
static double climb_step(void) { return 1.0 / step_size_optimal(1); }

static void start_climb(explorer *e) {
    memset(block_at(e, e->u), 0, e->dim * sizeof(double));
    move_all(e);
    e->step = climb_step();
    e->previous = (double)NAN;
    e->rounds = e->refused = 0;
    e->ended_in = SIZE_MAX;
    enter(e, EXPLORE_CLIMB);
}

/* Whether slopes are tried towards component j: only where it has draws enough for a profile but no accurate one,
 * and where no other mode is known, because a slope that begins between several modes may pass by one that is
 * missing. */
static bool has_slope(const mixture *m, size_t j) {
    const component *c = &m->at[j];
    if (m->dim <= tuning.fit.dimensions && c->rows < (double)quadratic_points(m->dim)) return false;
    for (size_t k = 0; k < m->count; k++)
        if (m->at[k].mode != c->mode) return false;
    return !mixture_has_profile(c) || c->profile_error > tuning.known.profile_error;
}

/* A slope from the point of the search, or else the stage `after` at once. */
static void try_slope(explorer *e, const mixture *m, explore_stage after) {
    e->after = after;
    e->slope_value = e->log_density;
    enter(e, e->dominant < m->count && has_slope(m, e->dominant) ? EXPLORE_SLOPE : after);
}

static void start_search(explorer *e, const mixture *m) {
    start_climb(e);
    try_slope(e, m, EXPLORE_CLIMB);
}

static void ask_slope(explorer *e, mixture *m, double *y) {
    const double *from = block_at(e, e->origin), *to = mixture_mean(m, e->dominant);
    const double  fraction = ldexp(1.0, (int)e->t - (int)tuning.climb.slope_points);
    for (size_t k = 0; k < e->dim; k++) y[k] = from[k] + fraction * (to[k] - from[k]);
}

static explore_news tell_slope(explorer *e, double log_density) {
    if (!(log_density >= e->slope_value)) {
        enter(e, e->after);
        return EXPLORE_GOES_ON;
    }
    e->slope_value = log_density;
    if (++e->t < tuning.climb.slope_points) return EXPLORE_GOES_ON;
    e->ended_in = e->dominant;
    return end(e, EXPLORE_ENDED);
}

/* A random subset of k coordinates of the frame, log k uniform. */
static void choose_moving(explorer *e, rng *r) {
    double *moving = block_at(e, e->moving);
    size_t  dim = e->dim, left = (size_t)pow((double)dim, rng_uniform(r));
    e->moving_count = left;
    for (size_t k = 0; k < dim; k++) { /* all subsets of that size are equally likely */
        moving[k] = rng_uniform(r) * (double)(dim - k) < (double)left ? 1.0 : 0.0;
        left -= moving[k] > 0.0;
    }
}

/* A search from the centre of a component, tempered in some coordinates: a narrow mode beside a wide one is found
 * from the centre only. */
static void search_from_centre(explorer *e, mixture *m, rng *r) {
    size_t i = mixture_choose(m, r, m->count);
    memcpy(block_at(e, e->origin), mixture_mean(m, i), e->dim * sizeof(double));
    memcpy(block_at(e, e->frame), mixture_factor(m, i), e->dim * e->dim * sizeof(double));
    start_climb(e);
    e->start = m->at[i].mode;
    e->log_density = -HUGE_VAL; /* not evaluated there: the first step is accepted */
    e->inverse_temperature =
        tuning.walkers.hottest * exp(rng_uniform(r) * log(tuning.walkers.coldest / tuning.walkers.hottest));
    e->step = 1.0;
    choose_moving(e, r);
    enter(e, EXPLORE_TEMPERED);
}

/* A search from a random start, as chains have it. */
static void search_from_start(explorer *e, rng *r, double *y) {
    for (size_t k = 0; k < e->dim; k++) y[k] = 4.0 * rng_uniform(r) - 2.0;
    memcpy(block_at(e, e->origin), y, e->dim * sizeof *y);
}

/* A search from a draw of q0 with larger standard deviations: from outside the known modes. */
static void search_from_spread(explorer *e, rng *r, double *y) {
    double *n = block_at(e, e->u);
    rng_normals(r, e->dim, n);
    memcpy(y, block_at(e, e->centre), e->dim * sizeof *y);
    tri_multiply_add(e->dim, block_at(e, e->spread), tuning.search.spread, n, y);
    memcpy(block_at(e, e->origin), y, e->dim * sizeof *y);
}

/* At the first point of a search that begins at a random start or a draw of q0. */
static explore_news tell_start(explorer *e, mixture *m, double log_density) {
    if (!(log_density > -HUGE_VAL)) return EXPLORE_GOES_ON; /* another start, in the next iteration */
    memcpy(block_at(e, e->frame), block_at(e, e->spread), e->dim * e->dim * sizeof(double));
    e->start = 0;
    e->inverse_temperature = tuning.walkers.hottest;
    e->log_density = log_density;
    e->ended_in = SIZE_MAX;
    if (is_explained(e, m, block_at(e, e->origin), log_density)) return end(e, EXPLORE_ENDED);
    start_search(e, m);
    return EXPLORE_GOES_ON;
}

/* The kind of the next search: the one that has had the fewest evaluations. */
static void choose_kind(explorer *e) {
    double least = HUGE_VAL;
    for (size_t k = 0; k < SEARCH_KINDS; k++) {
        bool none = k == FROM_START ? !e->random : k == FROM_CENTRE ? e->dim == 1 : k < FROM_CENTRE && k >= e->walkers;
        if (none || e->cost[k] >= least) continue;
        least = e->cost[k];
        e->from = k;
    }
}

/* y := origin + F u. */
static void put_point(explorer *e, const double *u, double *y) {
    memcpy(y, block_at(e, e->origin), e->dim * sizeof *y);
    tri_multiply_add(e->dim, block_at(e, e->frame), 1.0, u, y);
}

void explore_ask(explorer *e, mixture *m, rng *r, double *y) {
    if (e->stage == EXPLORE_WALK && e->from == FROM_CENTRE) search_from_centre(e, m, r);
    if (e->stage == EXPLORE_WALK) {
        if (e->from < e->walkers)
            ask_walker(e, r, y);
        else if (e->from == FROM_START)
            search_from_start(e, r, y);
        else
            search_from_spread(e, r, y);
        return;
    }
    if (e->stage == EXPLORE_SLOPE) {
        ask_slope(e, m, y);
        return;
    }
    if (e->stage == EXPLORE_PEAK) {
        memcpy(y, mixture_mean(m, m->capacity), e->dim * sizeof *y);
        return;
    }
    double       *u = block_at(e, e->u), *v = block_at(e, e->v);
    const double *moving = block_at(e, e->moving);
    double        size = e->step * step_size_optimal(e->moving_count) /
                  (e->stage == EXPLORE_TEMPERED ? sqrt(e->inverse_temperature) : 1.0);
    rng_normals(r, e->dim, v);
    for (size_t k = 0; k < e->dim; k++) v[k] = u[k] + size * moving[k] * v[k];
    put_point(e, v, y);
}

/* Welford's update of mean and scatter matrix of the points. */
static void learn(explorer *e) {
    size_t  dim = e->dim;
    double *mean = block_at(e, e->point_mean), *scatter = block_at(e, e->scatter), *u = block_at(e, e->u);
    double *delta = block_at(e, e->v);
    e->count += 1.0;
    e->mean_log_density += (e->log_density - e->mean_log_density) / e->count;
    for (size_t k = 0; k < dim; k++) delta[k] = u[k] - mean[k];
    for (size_t k = 0; k < dim; k++) {
        mean[k] += delta[k] / e->count;
        vec_axpy(dim - k, delta[k] * (1.0 - 1.0 / e->count), delta + k, scatter + k * dim + k);
    }
}

/* factor := frame * l, lower triangles. */
static void to_frame(explorer *e, const double *l, double *factor) {
    size_t  dim = e->dim;
    double *column = block_at(e, e->v);
    memset(factor, 0, dim * dim * sizeof *factor);
    for (size_t k = 0; k < dim; k++) {
        memset(column, 0, dim * sizeof *column);
        memcpy(column + k, l + k * dim + k, (dim - k) * sizeof *column);
        tri_multiply_add(dim, block_at(e, e->frame), 1.0, column, factor + k * dim);
    }
}

/* Mean and covariance factor of the walk, in x. The walk is short, so its covariance is shrunk: it counts as count /
 * (prior d) draws beside d draws of a multiple of I, the square of the adapted step size. */
static void conclude(explorer *e, double *mean, double *factor) {
    size_t  dim = e->dim;
    double *scatter = block_at(e, e->scatter), d = (double)dim;
    double  own = e->count / (tuning.look.prior * d), total = own + d;
    put_point(e, block_at(e, e->point_mean), mean);
    for (size_t k = 0; k < dim * dim; k++) scatter[k] *= own / total / e->count;
    for (size_t k = 0; k < dim; k++) scatter[k * dim + k] += d / total * e->step * e->step;
    if (chol_factor(dim, scatter)) {
        memset(scatter, 0, dim * dim * sizeof *scatter);
        for (size_t k = 0; k < dim; k++) scatter[k * dim + k] = e->step;
    }
    to_frame(e, scatter, factor);
}

static void put_trial(explorer *e, mixture *m) {
    size_t a = m->capacity;
    conclude(e, mixture_mean(m, a), mixture_factor(m, a));
    m->at[a] = (component){.step = 1.0};
    mixture_prepare(m, a);
}

/* Whether log pi has risen since the last round or look by more than its mean varies between looks at one place. */
static bool still_rises(explorer *e, double mean_log_density) {
    double least = e->previous + tuning.look.rise.base + tuning.look.rise.slope * sqrt((double)e->dim);
    e->previous = mean_log_density;
    return ++e->rounds < tuning.climb.attempts && !(mean_log_density < least);
}

/* log of the mass of a Gaussian of that covariance: the mean of log pi over its draws is d/2 below the peak. */
static double mass_of(const explorer *e, const component *c) {
    const double pi = 3.14159265358979323846, d = (double)e->dim;
    return e->mean_log_density + 0.5 * d * (1.0 + log(2.0 * pi)) + c->log_det;
}

static explore_news end(explorer *e, explore_news news) {
    e->stage = EXPLORE_WALK;
    choose_kind(e);
    return news;
}

/* Whether log pi at x is the sum of what the components predict, within an error that grows with the distance below
 * the peak, as that of a covariance does. A narrow mode within a wide one is higher, a point between modes lower
 * than predicted. The search then ends in the component that dominates at x. */
static bool is_explained(explorer *e, mixture *m, const double *x, double log_density) {
    double        each[MODES_MOST], most = -HUGE_VAL, top = 0.0, sum = 0.0, d = (double)e->dim;
    size_t        dominant = SIZE_MAX;
    profile_point at = mixture_profile_point(m, x);
    for (size_t j = 0; j < m->count; j++) {
        double peak;
        each[j] = mixture_predict(m, j, &at, &peak);
        if (each[j] <= most) continue;
        most = each[j];
        top = peak;
        dominant = j;
    }
    e->dominant = dominant;
    if (dominant == SIZE_MAX) return false;
    for (size_t j = 0; j < m->count; j++) sum += exp_fast(each[j] - most);
    most += log_fast(sum);
    const component *c = &m->at[dominant];
    double           match = affine_at(tuning.known.error, sqrt(d)), error = fabs(log_density - most);
    double           allowed = match + tuning.known.relative_error * (top - most);
    if (mixture_has_tail(c)) /* far out the tails of all t distributions look alike, so they must fit well */
        allowed = tuning.known.tail_error + c->profile_error * (tuning.sure * sqrt(0.5 * d) + top - most);
    if (!mixture_has_profile(c)) { /* near its centre it may also be predicted as the t distribution that it is in q */
        double distance = mixture_distance(m, dominant, x);
        double student = m->log_z + c->log_weight + mixture_log_t(m, dominant, distance, NULL);
        if (distance < mixture_typical_distance(e->dim) && fabs(log_density - student) < match) allowed = error;
    }
    if (error > allowed) return false;
    e->ended_in = dominant;
    return true;
}

/* Whether x would be a draw of a candidate; counts the search for it. */
static bool is_candidate(explorer *e, const double *x) {
    double *deviation = block_at(e, e->v);
    for (size_t k = 0; k < e->candidates; k++) {
        for (size_t i = 0; i < e->dim; i++) deviation[i] = x[i] - block_at(e, e->candidate_mean)[k * e->dim + i];
        tri_solve(e->dim, block_at(e, e->candidate_factor) + k * e->dim * e->dim, deviation);
        if (vec_dot(e->dim, deviation, deviation) >= mixture_typical_distance(e->dim)) continue;
        e->candidate[k].search_hits += 1.0;
        return true;
    }
    return false;
}

static void keep_candidate(explorer *e, mixture *m, double mass) {
    size_t dim = e->dim, k = e->candidates;
    if (k == CANDIDATES_MOST) return;
    e->candidate[k] = (candidate){mass, 1.0, m->at[m->capacity].confirmed};
    memcpy(block_at(e, e->candidate_mean) + k * dim, mixture_mean(m, m->capacity), dim * sizeof(double));
    memcpy(block_at(e, e->candidate_factor) + k * dim * dim, mixture_factor(m, m->capacity),
           dim * dim * sizeof(double));
    e->candidates++;
}

/* The next stage begins at the present point, in the frame of the trial component. */
static void look_again(explorer *e, mixture *m, explore_stage stage) {
    double *x = block_at(e, e->v);
    put_point(e, block_at(e, e->u), x);
    memcpy(block_at(e, e->origin), x, e->dim * sizeof *x);
    memcpy(block_at(e, e->frame), mixture_factor(m, m->capacity), e->dim * e->dim * sizeof *x);
    memset(block_at(e, e->u), 0, e->dim * sizeof *x);
    e->step = 1.0;
    enter(e, stage);
}

/* A point that was evaluated, in the frame of the search. */
static void keep_point(explorer *e, double log_density) {
    size_t room = fit_points(e->dim);
    if (!room || !(log_density > -HUGE_VAL)) return;
    double *row = block_at(e, e->rows) + e->kept++ % room * (e->dim + QUADRATIC_HEAD);
    row[QUADRATIC_VALUE] = log_density;
    memcpy(row + QUADRATIC_HEAD, block_at(e, e->v), e->dim * sizeof *row);
}

/* The trial component := the Gaussian of a quadratic fitted to the last points of the climb. */
static quadratic_result fit_climb(explorer *e, mixture *m) {
    size_t    dim = e->dim, a = m->capacity, count = fit_points(dim);
    double   *work = block_at(e, e->fit);
    quadratic q = {.mean = work + quadratic_work(dim)};
    q.factor = q.mean + dim;
    if (!count || e->kept < count) return QUADRATIC_NONE;
    quadratic_result result = quadratic_fit(dim, count, block_at(e, e->rows), work, &q);
    if (result == QUADRATIC_NONE) return result;
    put_point(e, q.mean, mixture_mean(m, a));
    to_frame(e, q.factor, mixture_factor(m, a));
    m->at[a] = (component){.step = 1.0};
    mixture_prepare(m, a);
    e->peak = q.peak;
    return q.unexplained < tuning.fit.unexplained ? result : QUADRATIC_PARTLY;
}

/* Another round in the frame of the trial component, or a look where the climb rises no more. */
static explore_news climb_on(explorer *e, mixture *m) {
    bool rises = still_rises(e, e->log_density);
    look_again(e, m, rises ? EXPLORE_CLIMB : EXPLORE_LOOK);
    if (rises)
        e->step = climb_step();
    else
        e->previous = (double)NAN;
    if (is_explained(e, m, block_at(e, e->origin), e->log_density)) return end(e, EXPLORE_ENDED);
    try_slope(e, m, e->stage);
    return EXPLORE_GOES_ON;
}

static explore_news end_climb(explorer *e, mixture *m) {
    double *x = block_at(e, e->point_mean); /* free at the end of a climb */
    put_point(e, block_at(e, e->u), x);
    if (is_candidate(e, x)) return end(e, EXPLORE_ENDED);
    quadratic_result result = fit_climb(e, m);
    if (result == QUADRATIC_PARTLY) return climb_on(e, m);
    enter(e, result == QUADRATIC_FULL ? EXPLORE_PEAK : EXPLORE_LOOK);
    return EXPLORE_GOES_ON;
}

static bool is_negligible(const explorer *e, const mixture *m) {
    const affine below = tuning.known.negligible;
    return !(mass_of(e, &m->at[m->capacity]) >= m->log_z - below.base - below.slope * (double)e->dim);
}

/* The trial component comes from a look, the walk after it or a fit: negligible, known, or a candidate (after a
 * look: to be learned first)? */
static explore_news judge(explorer *e, mixture *m) {
    if (is_negligible(e, m)) return end(e, EXPLORE_ENDED);
    size_t known = mixture_match(m, m->capacity);
    if (known < m->count) e->ended_in = known;
    if (known < m->count + m->retired || is_candidate(e, mixture_mean(m, m->capacity))) return end(e, EXPLORE_ENDED);
    if (e->stage == EXPLORE_LOOK) {
        look_again(e, m, EXPLORE_LEARN);
        return EXPLORE_GOES_ON;
    }
    keep_candidate(e, m, mass_of(e, &m->at[m->capacity]));
    return end(e, EXPLORE_ENDED);
}

static explore_news next_stage(explorer *e, mixture *m) {
    if (e->stage == EXPLORE_TEMPERED) return end(e, EXPLORE_ENDED);
    if (e->stage == EXPLORE_CLIMB) return end_climb(e, m);
    put_trial(e, m);
    if (e->stage == EXPLORE_LOOK && still_rises(e, e->mean_log_density)) {
        look_again(e, m, EXPLORE_LOOK);
        return EXPLORE_GOES_ON;
    }
    bool on_ridge = e->stage == EXPLORE_LOOK && is_negligible(e, m);
    if (on_ridge && e->rounds < tuning.climb.attempts) {
        look_again(e, m, EXPLORE_CLIMB);
        e->step = climb_step();
        return EXPLORE_GOES_ON;
    }
    return judge(e, m);
}

/* Accepts only steps up, and none to an explained point: beside a higher known mode most long steps up lead into its
 * basin of attraction. False where too many in a row did. */
static bool tell_climb(explorer *e, mixture *m, double log_density) {
    double *x = block_at(e, e->point_mean);
    bool    up = log_density > e->log_density;
    put_point(e, block_at(e, e->v), x);
    if (up && is_explained(e, m, x, log_density)) {
        e->step *= tuning.climb.refused;
        return ++e->refused < tuning.climb.refusals;
    }
    e->step *= up ? tuning.climb.up : tuning.climb.down;
    if (!up) return true;
    e->refused = 0;
    memcpy(block_at(e, e->u), block_at(e, e->v), e->dim * sizeof(double));
    e->log_density = log_density;
    return true;
}

/* From the first tempered point that is not explained the search climbs, in all coordinates. */
static bool leaves_explained(explorer *e, mixture *m, double log_density) {
    double *x = block_at(e, e->point_mean), step = e->step / sqrt(e->inverse_temperature);
    e->ended_in = SIZE_MAX;
    put_point(e, block_at(e, e->v), x);
    if (!(log_density > -HUGE_VAL) || is_explained(e, m, x, log_density)) return false;
    memcpy(block_at(e, e->origin), x, e->dim * sizeof *x);
    e->log_density = log_density;
    start_search(e, m);
    e->step = step;
    return true;
}

static void tell_metropolis(explorer *e, rng *r, double log_density) {
    double inverse_temperature = e->stage == EXPLORE_TEMPERED ? e->inverse_temperature : 1.0;
    double log_ratio = log_density > -HUGE_VAL ? inverse_temperature * (log_density - e->log_density) : -HUGE_VAL;
    double alpha = log_ratio >= 0.0 ? 1.0 : log_ratio > -HUGE_VAL ? exp_fast(log_ratio) : 0.0;
    if (rng_uniform(r) < alpha) {
        memcpy(block_at(e, e->u), block_at(e, e->v), e->dim * sizeof(double));
        e->log_density = log_density;
    }
    e->step *= exp((alpha - tuning.look.accept) * tuning.look.gain / sqrt(1.0 + (double)e->t));
    if (e->stage >= EXPLORE_LOOK) learn(e);
}

/* At the peak of a fit: if log pi is what the fit says there, the Gaussian of the fit is confirmed. */
static explore_news tell_peak(explorer *e, mixture *m, double log_density) {
    const double *peak = mixture_mean(m, m->capacity);
    bool          there = fabs(log_density - e->peak) < affine_at(tuning.known.error, sqrt((double)e->dim));
    m->at[m->capacity].confirmed = there;
    if (there || log_density > e->log_density) {
        memcpy(block_at(e, e->origin), peak, e->dim * sizeof *peak);
        memset(block_at(e, e->u), 0, e->dim * sizeof *peak);
        e->log_density = log_density;
    }
    if (there && is_explained(e, m, peak, log_density)) return end(e, EXPLORE_ENDED);
    e->mean_log_density = e->peak - 0.5 * (double)e->dim;
    return there && !is_negligible(e, m) ? judge(e, m) : climb_on(e, m);
}

explore_news explore_tell(explorer *e, mixture *m, rng *r, double log_density) {
    const double *u = block_at(e, e->u);
    e->cost[e->from] += 1.0;
    if (e->stage == EXPLORE_WALK)
        return e->from >= FROM_START ? tell_start(e, m, log_density) : tell_walker(e, m, r, log_density);
    if (e->stage == EXPLORE_PEAK) return tell_peak(e, m, log_density);
    if (e->stage == EXPLORE_SLOPE) return tell_slope(e, log_density);
    if (e->stage == EXPLORE_TEMPERED && leaves_explained(e, m, log_density)) return EXPLORE_GOES_ON;
    if (e->stage == EXPLORE_CLIMB) {
        keep_point(e, log_density);
        if (!tell_climb(e, m, log_density)) return end(e, EXPLORE_ENDED);
    } else {
        tell_metropolis(e, r, log_density);
    }
    /* A climb may go far, in the frame of a narrow ridge; it ends when log pi rises no more. */
    const double farthest = tuning.known.runaway * tuning.known.runaway * (double)e->dim / e->inverse_temperature;
    if (e->stage != EXPLORE_CLIMB && vec_dot(e->dim, u, u) > farthest) return end(e, EXPLORE_RAN_AWAY);
    return ++e->t < duration(e) ? EXPLORE_GOES_ON : next_stage(e, m);
}
