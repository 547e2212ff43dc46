/* approach.c - see approach.h. */
#include "jump/approach.h"

#include "base/wide.h"
#include "linalg/linalg.h"
#include "mixture/tuning.h"

#include <string.h>

enum {
    LOOKS_MOST = 100
}; /* iterations of a climb, in lengths of the present look: it ends even where log pi still rises */

uint64_t approach_settling(size_t dim) { return affine_steps(tuning.approach.settle, dim); }

/* The most that the axes and the climb took from random starts in Gaussians of 1 to 100 dimensions. A curved density
 * takes more: 964 evaluations in 8 dimensions (flower), 1481 in 10 (funnel). */
uint64_t approach_evaluations(size_t dim) { return 100 + (30 + (uint64_t)dim) * dim; }

/* The walk before the first cycle has some 100 d steps, about ten independent draws, from which d^2 / 2 correlations
 * cannot be estimated. In many dimensions it learns variances only (in the room of `direction`, which is free by
 * then), and moves a window of coordinates that begins at a random one: on a product of equal densities a step that
 * moves fewer coordinates, each further, is as efficient as one that moves all (Neal and Roberts, 2006). So a step
 * costs O(d) instead of O(d^2). */
static bool   is_large(size_t dim) { return dim > tuning.approach.correlated; }
static size_t moved_at_once(size_t dim) { return is_large(dim) ? tuning.approach.window : dim; }
static bool   is_windowed(const jump_state *s) { return is_large(s->settle.now.dim) && !s->climb.shape_known; }

/* The search along the next axis. */
static void begin_axis(jump_state *s) {
    double *direction = block_at(s, s->direction);
    memset(direction, 0, s->settle.now.dim * sizeof *direction);
    direction[s->axis] = 1.0;
    s->search =
        (scale_search){.log_density = s->settle.now.log_density, .high = HUGE_VAL, .distance = 1.0, .factor = 4.0};
}

void approach_begin(jump_state *s) {
    s->settle.nu = s->settle.nu_start = step_size_optimal(moved_at_once(s->settle.now.dim));
    s->settle.gain = (gain){(double)NAN, (double)NAN};
    s->settling = approach_settling(s->settle.now.dim);
    begin_axis(s);
}

/* The report of an evaluation before settling, which is no iteration: so all chains have the same number of
 * iterations, and of draws, at the end of a cycle. */
static void prepare(jump_state *s, ckam_step *out) {
    const current *now = &s->settle.now;
    *out = (ckam_step){.x = now_x(&s->settle.now), .log_density = now->log_density, .phase = CKAM_PHASE_SCALE};
}

static void tell_axis(jump_state *s, double log_density, ckam_step *out) {
    size_t  dim = s->settle.now.dim;
    double *factor = block_at(s, s->settle.factor), length;
    prepare(s, out);
    ckam_status status = scale_tell(&s->search, log_density, &length, NULL);
    if (!status && length == 0.0) return;
    factor[s->axis * dim + s->axis] = status ? 0.0 : length; /* 0: flat, or isolated */
    if (++s->axis < dim) {
        begin_axis(s);
        return;
    }
    double most = 0.0, least = HUGE_VAL;
    for (size_t k = 0; k < dim; k++) most = fmax(most, factor[k * dim + k]);
    for (size_t k = 0; k < dim; k++) {
        if (factor[k * dim + k] == 0.0) factor[k * dim + k] = most > 0.0 ? most : s->length;
        least = fmin(least, factor[k * dim + k]);
    }
    s->settle.floor = 1e-10 * least;
    for (size_t k = 0; k < dim; k++) block_at(s, s->direction)[k] = factor[k * dim + k] * factor[k * dim + k];
    s->stage = STAGE_CLIMB;
    s->climb.length = s->climb.left = affine_steps(tuning.look.steps, dim);
    s->climb.previous = s->settle.now.log_density;
}

/* -- A quadratic fitted to the evaluations ------------------------------------------------------------------------ */

/* Evaluated points, behind the rows that a chain keeps while it settles; NULL where there is no room, above 50
 * dimensions. */
static double *points(jump_state *s) {
    size_t dim = s->settle.now.dim, room = jump_rows_capacity(dim), wanted = quadratic_points(dim);
    if (wanted + s->settling / 2 + 1 > room) return NULL;
    return block_at(s, s->rows) + (room - wanted) * (dim + ROW_HEAD);
}

/* Fits a quadratic when there are enough points; its Gaussian becomes the proposal of the walk if it explains them.
 * Returns whether log pi at the chain is that of a draw of this Gaussian. */
static bool fit_points(jump_state *s) {
    adaptive_state *a = &s->settle;
    size_t          dim = a->now.dim;
    double          d = (double)dim,
           *work = block_at(jump_mixture(s), jump_mixture(s)->sums); /* not in use before the first cycle */
    quadratic q = {.mean = work + quadratic_work(dim)};
    q.factor = q.mean + dim;
    if (!s->climb.points || s->climb.points < quadratic_points(dim)) return false;
    quadratic_result result = quadratic_fit(dim, s->climb.points, points(s), work, &q);
    bool             good = result != QUADRATIC_NONE && q.unexplained < tuning.fit.unexplained;
    s->climb.points = 0;
    s->climb.shape_known = good && result == QUADRATIC_FULL;
    if (!good || (s->stage == STAGE_SETTLE && !s->climb.shape_known)) return false;
    memcpy(block_at(s, a->mean), q.mean, dim * sizeof *q.mean);
    memcpy(block_at(s, a->factor), q.factor, dim * dim * sizeof *q.factor);
    a->nu = a->nu_start;
    s->climb.gaussian_draws = s->stage == STAGE_CLIMB ? tuning.approach.gaussian_draws : 0;
    return s->climb.shape_known && a->now.log_density > q.peak - 0.5 * d - tuning.sure * sqrt(0.5 * d);
}

/* The evaluated proposal becomes a point of the next fit. */
static void keep_point(jump_state *s, double log_density) {
    size_t  dim = s->settle.now.dim;
    double *room = points(s);
    if (!room || !(log_density > -HUGE_VAL)) return;
    double *row = room + s->climb.points++ * (dim + QUADRATIC_HEAD);
    row[QUADRATIC_VALUE] = log_density;
    memcpy(row + QUADRATIC_HEAD, now_y(&s->settle.now), dim * sizeof *row);
}

static const double *ask_walk(jump_state *s, rng *r) {
    adaptive_state *a = &s->settle;
    size_t          dim = a->now.dim, window = tuning.approach.window;
    double         *y = now_y(&a->now), *normals = block_at(s, a->work), *variance = block_at(s, s->direction);
    if (!is_windowed(s)) return adaptive_ask(s, r);
    size_t from = (size_t)(rng_uniform(r) * (double)dim);
    rng_normals(r, window, normals);
    memcpy(y, now_x(&a->now), dim * sizeof *y);
    for (size_t i = 0; i < window; i++) {
        size_t k = from + i < dim ? from + i : from + i - dim;
        y[k] += a->nu * sqrt(variance[k]) * normals[i];
    }
    return y;
}

WIDE static void learn_variances(size_t dim, double eta, double least, const double *restrict x, double *restrict mean,
                                 double *restrict variance) {
    for (size_t k = 0; k < dim; k++) {
        const double deviation = x[k] - mean[k], value = (1.0 - eta) * variance[k] + eta * deviation * deviation;
        variance[k] = value < least ? least : value;
        mean[k] += eta * deviation;
    }
}

static void learn_shape(jump_state *s, double eta, const double *x) {
    adaptive_state *a = &s->settle;
    double          least = a->floor * a->floor;
    if (is_windowed(s))
        learn_variances(a->now.dim, eta, least, x, block_at(s, a->mean), block_at(s, s->direction));
    else
        adaptive_learn(a, eta, x);
}

/* The chain waits for the first mixture, which is made from a factor and a step size for all coordinates. */
static void end_walk(jump_state *s) {
    adaptive_state *a = &s->settle;
    size_t          dim = a->now.dim;
    s->waits = true;
    if (!is_windowed(s)) return;
    for (size_t k = 0; k < dim; k++) block_at(s, a->factor)[k * dim + k] = sqrt(block_at(s, s->direction)[k]);
    a->nu *= step_size_optimal(dim) / a->nu_start;
}

/* A step of gam, with the Robbins-Monro gains of step `age`. */
static void walk(jump_state *s, rng *r, uint64_t age, double log_density, ckam_step *out) {
    adaptive_state *a = &s->settle;
    double          alpha = decide(&a->now, r, log_density, 0.0, out);
    out->step_size = a->nu;
    out->phase = CKAM_PHASE_EXPLORE;
    out->draw = false;
    a->nu = step_size_adapt(a->nu, a->nu_start, gain_step_size(&a->gain, age), alpha, a->target_accept);
    if (!s->climb.shape_known) learn_shape(s, gain_moments(&a->gain, age, a->now.dim), out->x);
    s->t++;
}

/* Whether the mean of log pi has stopped rising from look to look: after a look without a rise longer ones have to
 * confirm it. */
static bool has_stopped_rising(jump_state *s) {
    double d = (double)s->settle.now.dim, mean = s->climb.sum / (double)s->climb.length;
    bool   rises = mean > s->climb.previous + tuning.look.rise.base + tuning.look.rise.slope * sqrt(d);
    size_t dim = s->settle.now.dim;
    size_t longest = is_large(dim) ? tuning.approach.longest_windowed : tuning.approach.longest;
    bool   is_longest = s->climb.length >= longest * affine_steps(tuning.look.steps, dim);
    if (!rises && is_longest) return true;
    if (!rises) s->climb.length *= 2;
    s->climb.previous = mean;
    s->climb.sum = 0.0;
    s->climb.left = s->climb.length;
    return s->t >= LOOKS_MOST * s->climb.length;
}

/* A draw of the fitted Gaussian, which may be far away, at higher density as a rule. */
static const double *ask_gaussian(jump_state *s, rng *r) {
    current *now = &s->settle.now;
    double  *y = now_y(now), *z = block_at(s, s->settle.work);
    rng_normals(r, now->dim, z);
    memcpy(y, block_at(s, s->settle.mean), now->dim * sizeof *y);
    tri_multiply_add(now->dim, block_at(s, s->settle.factor), 1.0, z, y);
    return y;
}

static void begin_settling(jump_state *s) {
    s->stage = STAGE_SETTLE;
    s->t = 0;
}

/* -- A quadratic through the values on a lattice, above 50 dimensions --------------------------------------------- */

/* At first about the conditional standard deviation of coordinate k given the others: the step of a walk that moves
 * one coordinate. */
static double lattice_step(jump_state *s, size_t k) {
    return s->settle.nu / s->settle.nu_start * sqrt(block_at(s, s->direction)[k]);
}

/* Steps for which the second difference of a quadratic is 1, so that rounding errors count little. */
static void scale_lattice(jump_state *s) {
    size_t        dim = s->settle.now.dim;
    const double *less = block_at(s, s->settle.work), *values = block_at(s, s->settle.factor);
    for (size_t k = 0; k < dim; k++) {
        double fall = fabs(2.0 * s->settle.now.log_density - values[k * dim + k] - less[k]);
        double step = lattice_step(s, k) * fmin(fmax(1.0 / sqrt(fall), 1e-3), 1e3);
        block_at(s, s->direction)[k] = step * step;
    }
    s->settle.nu = s->settle.nu_start;
}

/* Row i >= j of column j is a step along the axes i and j, once where they are the same; row dim is a step back
 * along j. */
static const double *ask_lattice(jump_state *s) {
    current *now = &s->settle.now;
    size_t   i = s->climb.row, j = s->climb.column;
    double  *y = now_y(now);
    memcpy(y, now_x(now), now->dim * sizeof *y);
    y[j] += (i == now->dim ? -1.0 : 1.0) * lattice_step(s, j);
    if (i != now->dim && i != j) y[i] += lattice_step(s, i);
    return y;
}

/* The walk goes on with the Gaussian of the lattice if it is good, or else with the lattice's steps as standard
 * deviations. */
static void trust_lattice(jump_state *s, bool good) {
    adaptive_state *a = &s->settle;
    size_t          dim = a->now.dim;
    s->climb.shape_known = good;
    a->nu = a->nu_start = step_size_optimal(good ? dim : moved_at_once(dim));
    if (good) return;
    memset(block_at(s, a->factor), 0, dim * dim * sizeof(double)); /* values of log pi were there */
    memcpy(block_at(s, a->mean), now_x(&a->now), dim * sizeof(double));
}

static void fit_lattice(jump_state *s) {
    adaptive_state *a = &s->settle;
    size_t          dim = a->now.dim;
    double         *work = block_at(jump_mixture(s), jump_mixture(s)->sums), *h = work + quadratic_work(dim);
    quadratic       q = {.mean = h + dim, .factor = h + 2 * dim};
    for (size_t k = 0; k < dim; k++) h[k] = lattice_step(s, k);
    quadratic_result result = quadratic_through(dim, now_x(&a->now), a->now.log_density, h, block_at(s, a->work),
                                                block_at(s, a->factor), work, &q);
    trust_lattice(s, result == QUADRATIC_FULL);
    if (!s->climb.shape_known) return;
    memcpy(block_at(s, a->mean), q.mean, dim * sizeof *q.mean);
    memcpy(block_at(s, a->factor), q.factor, dim * dim * sizeof *q.factor);
    s->climb.peak = q.peak;
    s->climb.gaussian_draws = tuning.approach.lattice_draws;
}

/* The next point; in the first pass only steps forward and back along each axis. */
static void advance_lattice(jump_state *s) {
    size_t dim = s->settle.now.dim;
    bool   back = s->climb.row == dim;
    s->climb.row = s->climb.lattice == 1 ? dim : s->climb.row + 1;
    if (!back) return;
    s->climb.row = ++s->climb.column;
}

static void tell_lattice(jump_state *s, double log_density) {
    size_t dim = s->settle.now.dim, i = s->climb.row, j = s->climb.column;
    *(i == dim ? block_at(s, s->settle.work) + j : block_at(s, s->settle.factor) + j * dim + i) = log_density;
    bool border = !(log_density > -HUGE_VAL); /* of the support: no quadratic */
    advance_lattice(s);
    if (s->climb.column < dim && !border) return;
    s->climb.row = s->climb.column = 0;
    s->climb.lattice = border || s->climb.lattice == 2 ? 0 : 2;
    if (border)
        trust_lattice(s, false);
    else if (s->climb.lattice)
        scale_lattice(s);
    else
        fit_lattice(s);
    if (!s->climb.lattice && !s->climb.shape_known) begin_settling(s);
}

/* Compares log pi at a draw of the Gaussian, whose normals z are in `work`, with peak - |z|^2 / 2. */
static void check_lattice(jump_state *s, double log_density) {
    const double *z = block_at(s, s->settle.work), d = (double)s->settle.now.dim;
    double        error = log_density - s->climb.peak + 0.5 * vec_dot(s->settle.now.dim, z, z);
    s->climb.squared_error += error * error;
    if (s->climb.gaussian_draws > 0) return;
    if (!(s->climb.squared_error < tuning.approach.lattice_draws * tuning.fit.unexplained * 0.5 * d))
        trust_lattice(s, false);
    begin_settling(s);
}

static void tell_climbing(jump_state *s, rng *r, double log_density, ckam_step *out) {
    current    *now = &s->settle.now;
    ckam_counts before = now->counts;
    bool        up = false;
    keep_point(s, log_density);
    if (s->climb.lattice) {
        tell_lattice(s, log_density);
    } else if (s->climb.gaussian_draws > 0) {
        decide(now, r, log_density, 0.0, out);
        s->climb.gaussian_draws--;
        s->t++;
        if (is_large(now->dim)) check_lattice(s, log_density);
    } else {
        walk(s, r, s->climb.length - s->climb.left, log_density,
             out); /* every look learns anew, because the direction uphill turns */
        s->climb.sum += now->log_density;
        up = --s->climb.left == 0 && has_stopped_rising(s);
    }
    now->counts = before; /* no iteration */
    if (up && is_large(now->dim) && now->dim <= tuning.approach.lattice)
        s->climb.lattice = 1;
    else if (fit_points(s) || up)
        begin_settling(s);
    prepare(s, out);
}

/* With a Gaussian from a lattice every second step is a draw of it: a random walk needs about d steps per
 * independent draw, and a component needs d of these. */
static bool settles_by_draws(const jump_state *s) {
    return is_large(s->settle.now.dim) && s->climb.shape_known && s->t % 2;
}

static void tell_draw(jump_state *s, rng *r, double log_density, ckam_step *out) {
    current *now = &s->settle.now;
    double  *from = block_at(s, s->direction), *to = block_at(s, s->settle.work);
    for (size_t k = 0; k < now->dim; k++) from[k] = now_x(now)[k] - block_at(s, s->settle.mean)[k];
    tri_solve(now->dim, block_at(s, s->settle.factor), from);
    double log_ratio_q = 0.5 * (vec_dot(now->dim, to, to) - vec_dot(now->dim, from, from));
    decide(now, r, log_density, log_ratio_q, out);
    out->phase = CKAM_PHASE_EXPLORE;
    out->draw = false;
    out->step_size = s->settle.nu;
    s->t++;
}

/* One state in so many is kept for the first fit, which costs O(d^2) per row: successive states in many dimensions
 * are nearly the same, and 100 of them are as good as all 25 d. */
static size_t settled_stride(const jump_state *s) {
    return is_windowed(s) ? s->settle.now.dim / tuning.approach.thinning : 1;
}

static void tell_settling(jump_state *s, rng *r, double log_density, ckam_step *out) {
    bool second_half = s->t >= s->settling / 2;
    if (!s->climb.shape_known) keep_point(s, log_density);
    if (settles_by_draws(s))
        tell_draw(s, r, log_density, out);
    else
        walk(s, r, s->t, log_density, out);
    fit_points(s);
    if (second_half && s->t % settled_stride(s) == 0) jump_remember(s, out->x, out->log_density);
    if (s->t == s->settling) end_walk(s);
}

/* -- ask and tell ------------------------------------------------------------------------------------------------- */

const double *approach_ask(jump_state *s, rng *r) {
    current *now = &s->settle.now;
    if (s->stage == STAGE_AXES) {
        scale_ask(&s->search, now->dim, now_x(now), block_at(s, s->direction), now_y(now));
        return now_y(now);
    }
    if (s->stage == STAGE_SETTLE) return settles_by_draws(s) ? ask_gaussian(s, r) : ask_walk(s, r);
    rng_at(r, s->t, RNG_CLIMB);
    if (s->climb.lattice) return ask_lattice(s);
    return s->climb.gaussian_draws > 0 ? ask_gaussian(s, r) : ask_walk(s, r);
}

void approach_tell(jump_state *s, rng *r, double log_density, ckam_step *out) {
    if (s->stage == STAGE_AXES)
        tell_axis(s, log_density, out);
    else if (s->stage == STAGE_CLIMB)
        tell_climbing(s, r, log_density, out);
    else
        tell_settling(s, r, log_density, out);
}
