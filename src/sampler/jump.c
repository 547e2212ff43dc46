/* jump.c - finds modes, remembers them, jumps between them, and stays exact. docs/samplers/jump.md has the formulas.
 *
 * Before the first cycle: the scale of each axis, then an adaptive walk that climbs to a mode and settles there. A cycle searches for new
 * modes, which does not move the chain, then samples with moves that leave pi invariant; what they are made from stays
 * as it is until the cycle ends. There jump_pool() (pool.c) learns from all chains. */
#include "sampler/jump.h"

#include "base/wide.h"
#include "linalg/linalg.h"

#include <string.h>

const ckam_option jump_sampler_options[] = {SETTING_TARGET_ACCEPT, SETTING_POOL_EVERY, SETTING_WARMUP_AUTO, OPTION_END};

#define SHORTEST 0.01 /* of the factors of short steps */
#define STUCK    20   /* rejections in a row after which a chain is stuck */

enum { ROWS_MOST = 4096, ROWS_LEAST = 64, FEW = 4, BYTES_MOST = 32 << 20 };
enum { MODES_LEAST = 16 };
#define MODES_BYTES                                                                                                    \
    4e9 /* of the memories of all chains together, as long as each has room for MODES_LEAST components */
enum { LOOK_BASE = 10, LOOK_DIM = 5, STRETCH_MOST = 8, STRETCH_WINDOWED = 2, CLIMB_MOST = 100 }; /* of the climb */
enum { CORRELATED_MOST = 50 }; /* dimensions up to which the walk before the first cycle learns correlations */
enum { WINDOW = 32 };          /* coordinates that it moves at a time above that */
enum { WARMUP_LEAST = 1000 };
enum { LEAPS = 2, CHECKS = 16 }; /* draws of a fitted Gaussian that are tried; by which a lattice is checked */
enum { LATTICE_MOST = 200 };     /* dimensions up to which log pi is evaluated on a lattice */
#define TYPICAL 3.0              /* standard deviations of log pi around its mean under a Gaussian */

static modes    *memory(jump_state *s) { return (modes *)(void *)block_at(s, s->modes); }
static explorer *exploring(jump_state *s) { return (explorer *)(void *)block_at(s, s->explorer); }

/* Always: a density without a scale is refused, as by other samplers. */
static bool jump_wants_scale(const settings *options) {
    (void)options;
    return true;
}

/* The walk before the first cycle has some 100 d steps, about ten independent draws, which say next to nothing of d^2 / 2 correlations. In
 * many dimensions it learns variances only (in the room of the direction, which is not needed any more), and moves a window of
 * coordinates that begins at a random one: on a product of equal densities a step that moves fewer coordinates, each further, is as
 * efficient as one that moves all (Neal and Roberts, 2006). So a step costs O(d) instead of O(d^2). */
static bool   is_large(size_t dim) { return dim > CORRELATED_MOST; }
static size_t moved_at_once(size_t dim) { return is_large(dim) ? WINDOW : dim; }
static bool   is_windowed(const jump_state *s) { return is_large(s->settle.now.dim) && !s->climb.known; }

static size_t rows_capacity(size_t dim) {
    size_t fit = dim < BYTES_MOST ? BYTES_MOST / sizeof(double) / (dim + ROW_HEAD) : 0;
    if (fit > ROWS_MOST) fit = ROWS_MOST;
    return fit < 2 ? 2 : fit / 2 * 2;
}

/* Of many chains each keeps a part: all together as many rows as FEW chains would, and each enough for a fit. */
static size_t rows_kept(const blueprint *plan) {
    size_t room = rows_capacity(plan->dim);
    if (plan->chains <= FEW) return room;
    size_t part = (size_t)(FEW * (uint64_t)ROWS_MOST / plan->chains) / 2 * 2;
    if (part < ROWS_LEAST) part = ROWS_LEAST;
    return part < room ? part : room;
}

/* How many components each of many chains may remember. One takes dim^2 numbers for its factor, and somewhat more for its panels. */
static size_t modes_kept(const blueprint *plan) {
    size_t room = modes_capacity(plan->dim);
    double dim = (double)plan->dim, each = sizeof(double) * 2.2 * dim * dim;
    double part = fmax(MODES_BYTES / each / fmax((double)plan->chains, 1.0), MODES_LEAST);
    return part < (double)room ? (size_t)part : room;
}

static size_t take_block(size_t *end, size_t size) {
    if (size == SIZE_MAX) return *end = SIZE_MAX;
    return block_take(end, size / sizeof(double) + 1, 1);
}

static size_t layout(jump_state *s, const blueprint *plan) {
    size_t end = sizeof *s, dim = plan->dim, capacity = modes_capacity(dim);
    current_layout(&s->settle.now, dim, &end);
    s->settle.mean = block_take(&end, dim, 1);
    s->settle.factor = block_take(&end, dim, dim);
    s->settle.work = block_take(&end, dim, 1);
    s->direction = block_take(&end, dim, 1);
    s->at_x = block_take(&end, capacity, 1);
    s->at_y = block_take(&end, capacity, 1);
    s->modes = take_block(&end, modes_size(dim));
    s->explorer = take_block(&end, explore_size(dim));
    s->rows = block_take(&end, rows_capacity(dim), dim + ROW_HEAD);
    return end;
}

static size_t jump_size(const blueprint *plan) { return layout(&(jump_state){0}, plan); }

/* With one component; measured (docs/architecture.md, Memory). */
static double jump_touched(const blueprint *plan) {
    double dim = (double)plan->dim;
    return sizeof(double) * dim * (16.2 * dim + (double)rows_kept(plan)) + 65536.0;
}

static uint64_t settling_length(size_t dim) { return 300 + 50 * (uint64_t)dim; }

/* Where the search is not saturated by then the warm-up becomes longer (pool.c). Settling is a part of it. */
static uint64_t jump_warmup(const blueprint *plan) {
    uint64_t length = 2000 + 250 * (uint64_t)plan->dim, half = plan->horizon / 2, least = settling_length(plan->dim);
    if (length > half) length = half;
    if (least < WARMUP_LEAST) least = WARMUP_LEAST;
    return length < least ? least : length;
}

/* (base + dim * d)(1 + growth * its number). */
#define CYCLE_BASE   500.0
#define CYCLE_DIM    100.0
#define CYCLE_GROWTH 0.25

uint64_t jump_cycle_length(size_t dim, uint64_t cycle) {
    return (uint64_t)((CYCLE_BASE + CYCLE_DIM * (double)dim) * (1.0 + CYCLE_GROWTH * (double)cycle));
}

/* The longest search of a cycle after the warm-up. */
static uint64_t search_after_warmup(size_t dim, uint64_t cycle, uint64_t pool_every) {
    return jump_cycle_length(dim, cycle) * pool_every / 4;
}

/* The most that the axes and the climb take from random starts in a Gaussian of 1 to 100 dimensions. A bent density takes more:
 * 964 evaluations in 8 dimensions (flower), 1481 in 10 (funnel). */
static uint64_t easy_climb(uint64_t dim) { return 100 + (30 + dim) * dim; }

/* With a search that is never saturated: it prolongs the warm-up as far as it may, and takes the largest part of cycles. */
static uint64_t jump_first_draw(const blueprint *plan) {
    const bool     grows = plan->may_extend_warmup;
    const uint64_t planned = grows ? jump_warmup(plan) : plan->settings->warmup;
    uint64_t       past = settling_length(plan->dim), warmup = planned, cycle = 0, length;
    const uint64_t before = easy_climb(plan->dim), longest = planned + plan->horizon;
    if (past > warmup) return before + past + search_after_warmup(plan->dim, 0, plan->settings->pool_every) + 1;
    for (;; past += length) {
        length = jump_cycle_length(plan->dim, cycle++);
        if (grows && past < longest && past + length > warmup) warmup = past + length;
        if (past + length > warmup) break;
    }
    uint64_t explored = past + (past < planned ? length / 2 : length * 4 / 5);
    return before + (warmup > explored ? warmup : explored) + 1;
}

/* The search along the next axis. */
static void begin_axis(jump_state *s) {
    double *direction = block_at(s, s->direction);
    memset(direction, 0, s->settle.now.dim * sizeof *direction);
    direction[s->axis] = 1.0;
    s->search =
        (scale_search){.log_density = s->settle.now.log_density, .high = HUGE_VAL, .distance = 1.0, .factor = 4.0};
}

static void jump_begin(void *state, const blueprint *plan, const double *x, double log_density, double length) {
    jump_state     *s = state;
    const settings *o = plan->settings;
    s->length = length;
    layout(s, plan);
    current_begin(&s->settle.now, o->warmup, x, log_density);
    memcpy(block_at(s, s->settle.mean), x, plan->dim * sizeof *x);
    s->settle.target_accept = o->target_accept;
    s->plan.pool_every = o->pool_every;
    s->plan.apart = plan->chains > 1;
    s->plan.planned = s->plan.warmup = o->warmup;
    s->plan.longest = o->warmup + (plan->may_extend_warmup ? plan->horizon : 0);
    s->plan.unseen = plan->unseen;
    s->settle.nu = s->settle.nu_start = step_size_optimal(moved_at_once(plan->dim));
    s->settle.gain = (gain){(double)NAN, (double)NAN};
    s->settling = settling_length(plan->dim);
    modes_begin(memory(s), plan->dim, plan->boxed);
    memory(s)->capacity = modes_kept(plan);
    explore_begin(exploring(s), plan->dim, x, log_density, plan->random_start);
    history_restart(&s->history, plan->dim + ROW_HEAD, rows_kept(plan));
    begin_axis(s);
}

/* -- Before the first cycle --------------------------------------------------------------------------------------- */

static void stay(jump_state *s, ckam_step *out) {
    current *now = &s->settle.now;
    now->counts.iterations++;
    *out = (ckam_step){.x = now_x(now), .log_density = now->log_density, .phase = CKAM_PHASE_EXPLORE};
}

/* Before settling nothing is an iteration: their number, and with it that of draws, is the same for all chains at the end
 * of a cycle, however long their ways were. */
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
    s->climb.length = s->climb.left = LOOK_BASE + LOOK_DIM * dim;
    s->climb.before = s->settle.now.log_density;
}

/* -- A quadratic fitted to what was evaluated --------------------------------------------------------------------- */

/* Behind the rows that a chain keeps while it settles; NULL where there is no room for them, above 50 dimensions. */
static double *points(jump_state *s) {
    size_t dim = s->settle.now.dim, room = rows_capacity(dim), wanted = quadratic_points(dim);
    if (wanted + s->settling / 2 + 1 > room) return NULL;
    return block_at(s, s->rows) + (room - wanted) * (dim + ROW_HEAD);
}

/* When there are enough points: the Gaussian that they speak for becomes the proposal of the walk, if it explains them. Whether the
 * chain is where draws of that Gaussian are. */
static bool fit_points(jump_state *s) {
    adaptive_state *a = &s->settle;
    size_t          dim = a->now.dim;
    double    d = (double)dim, *work = block_at(memory(s), memory(s)->share); /* not in use before the first cycle */
    quadratic q = {.mean = work + quadratic_work(dim)};
    q.factor = q.mean + dim;
    if (!s->climb.points || s->climb.points < quadratic_points(dim)) return false;
    quadratic_result result = quadratic_fit(dim, s->climb.points, points(s), work, &q);
    bool             good = result != QUADRATIC_NONE && q.unexplained < QUADRATIC_UNEXPLAINED;
    s->climb.points = 0;
    s->climb.known = good && result == QUADRATIC_FULL;
    if (!good || (s->stage == STAGE_SETTLE && !s->climb.known)) return false;
    memcpy(block_at(s, a->mean), q.mean, dim * sizeof *q.mean);
    memcpy(block_at(s, a->factor), q.factor, dim * dim * sizeof *q.factor);
    a->nu = a->nu_start;
    s->climb.leaps = s->stage == STAGE_CLIMB ? LEAPS : 0;
    return s->climb.known && a->now.log_density > q.peak - 0.5 * d - TYPICAL * sqrt(0.5 * d);
}

/* The proposal that was evaluated is a point of the fit. */
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
    size_t          dim = a->now.dim;
    double         *y = now_y(&a->now), *normals = block_at(s, a->work), *variance = block_at(s, s->direction);
    if (!is_windowed(s)) return adaptive_ask(s, r);
    size_t from = (size_t)(rng_uniform(r) * (double)dim);
    rng_normals(r, WINDOW, normals);
    memcpy(y, now_x(&a->now), dim * sizeof *y);
    for (size_t i = 0; i < WINDOW; i++) {
        size_t k = from + i < dim ? from + i : from + i - dim;
        y[k] += a->nu * sqrt(variance[k]) * normals[i];
    }
    return y;
}

WIDE static void learn_variances(size_t dim, double eta, double least, const double *restrict x, double *restrict mean,
                                 double *restrict variance) {
    for (size_t k = 0; k < dim; k++) {
        const double apart = x[k] - mean[k], value = (1.0 - eta) * variance[k] + eta * apart * apart;
        variance[k] = value < least ? least : value;
        mean[k] += eta * apart;
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

/* The chain waits for the first memory, which is made of a factor and of a step size for all coordinates. */
static void end_walk(jump_state *s) {
    adaptive_state *a = &s->settle;
    size_t          dim = a->now.dim;
    s->waits = true;
    if (!is_windowed(s)) return;
    for (size_t k = 0; k < dim; k++) block_at(s, a->factor)[k * dim + k] = sqrt(block_at(s, s->direction)[k]);
    a->nu *= step_size_optimal(dim) / a->nu_start;
}

/* A step of gam, whose gains are those of step `age`. */
static void walk(jump_state *s, rng *r, uint64_t age, double log_density, ckam_step *out) {
    adaptive_state *a = &s->settle;
    double          alpha = decide(&a->now, r, log_density, 0.0, out);
    out->step_size = a->nu;
    out->phase = CKAM_PHASE_EXPLORE;
    out->draw = false;
    a->nu = step_size_adapt(a->nu, a->nu_start, gain_step_size(&a->gain, age), alpha, a->target_accept);
    if (!s->climb.known) learn_shape(s, gain_moments(&a->gain, age, a->now.dim), out->x);
    s->t++;
}

/* Whether the density rises no more: looks that seem to say so are followed by longer ones. */
static bool is_up(jump_state *s) {
    double d = (double)s->settle.now.dim, level = s->climb.level / (double)s->climb.length;
    bool   rises = level > s->climb.before + 1.0 + 0.5 * sqrt(d);
    size_t dim = s->settle.now.dim, stretch = is_large(dim) ? STRETCH_WINDOWED : STRETCH_MOST;
    bool   longest = s->climb.length >= stretch * (LOOK_BASE + LOOK_DIM * dim);
    if (!rises && longest) return true;
    if (!rises) s->climb.length *= 2;
    s->climb.before = level;
    s->climb.level = 0.0;
    s->climb.left = s->climb.length;
    return s->t >= CLIMB_MOST * s->climb.length;
}

/* A draw of the fitted Gaussian, which may be far away: uphill, as a rule. */
static const double *ask_leap(jump_state *s, rng *r) {
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

/* At first about a standard deviation of coordinate k given the others: what the walk's steps would be if it moved one coordinate. */
static double lattice_step(jump_state *s, size_t k) {
    return s->settle.nu / s->settle.nu_start * sqrt(block_at(s, s->direction)[k]);
}

/* Steps whose second difference is 1, if log pi is a quadratic: so roundings count as little as they can. */
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

/* Row i >= j of column j is a step along the axes i and j, once where they are the same; row dim is a step back along j. */
static const double *ask_lattice(jump_state *s) {
    current *now = &s->settle.now;
    size_t   i = s->climb.row, j = s->climb.column;
    double  *y = now_y(now);
    memcpy(y, now_x(now), now->dim * sizeof *y);
    y[j] += (i == now->dim ? -1.0 : 1.0) * lattice_step(s, j);
    if (i != now->dim && i != j) y[i] += lattice_step(s, i);
    return y;
}

/* The walk goes on with the Gaussian, or else with the steps of the lattice as standard deviations. */
static void trust_lattice(jump_state *s, bool good) {
    adaptive_state *a = &s->settle;
    size_t          dim = a->now.dim;
    s->climb.known = good;
    a->nu = a->nu_start = step_size_optimal(good ? dim : moved_at_once(dim));
    if (good) return;
    memset(block_at(s, a->factor), 0, dim * dim * sizeof(double)); /* values of log pi were there */
    memcpy(block_at(s, a->mean), now_x(&a->now), dim * sizeof(double));
}

static void fit_lattice(jump_state *s) {
    adaptive_state *a = &s->settle;
    size_t          dim = a->now.dim;
    double         *work = block_at(memory(s), memory(s)->share), *h = work + quadratic_work(dim);
    quadratic       q = {.mean = h + dim, .factor = h + 2 * dim};
    for (size_t k = 0; k < dim; k++) h[k] = lattice_step(s, k);
    quadratic_result result = quadratic_through(dim, now_x(&a->now), a->now.log_density, h, block_at(s, a->work),
                                                block_at(s, a->factor), work, &q);
    trust_lattice(s, result == QUADRATIC_FULL);
    if (!s->climb.known) return;
    memcpy(block_at(s, a->mean), q.mean, dim * sizeof *q.mean);
    memcpy(block_at(s, a->factor), q.factor, dim * dim * sizeof *q.factor);
    s->climb.peak = q.peak;
    s->climb.leaps = CHECKS;
}

/* The next point: the first time only steps forth and back along each axis. */
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
    bool border = !(log_density > -HUGE_VAL); /* there is no quadratic */
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
    if (!s->climb.lattice && !s->climb.known) begin_settling(s);
}

/* A draw of the Gaussian was tried, whose normals are in `work`: log pi there should be peak - |z|^2 / 2. */
static void check_lattice(jump_state *s, double log_density) {
    const double *z = block_at(s, s->settle.work), d = (double)s->settle.now.dim;
    double        error = log_density - s->climb.peak + 0.5 * vec_dot(s->settle.now.dim, z, z);
    s->climb.error += error * error;
    if (s->climb.leaps > 0) return;
    if (!(s->climb.error < CHECKS * QUADRATIC_UNEXPLAINED * 0.5 * d)) trust_lattice(s, false);
    begin_settling(s);
}

static void tell_climbing(jump_state *s, rng *r, double log_density, ckam_step *out) {
    current    *now = &s->settle.now;
    ckam_counts before = now->counts;
    bool        up = false;
    keep_point(s, log_density);
    if (s->climb.lattice) {
        tell_lattice(s, log_density);
    } else if (s->climb.leaps > 0) {
        decide(now, r, log_density, 0.0, out);
        s->climb.leaps--;
        s->t++;
        if (is_large(now->dim)) check_lattice(s, log_density);
    } else {
        walk(s, r, s->climb.length - s->climb.left, log_density, out); /* every look learns anew: the way turns */
        s->climb.level += now->log_density;
        up = --s->climb.left == 0 && is_up(s);
    }
    now->counts = before; /* no iteration */
    if (up && is_large(now->dim) && now->dim <= LATTICE_MOST)
        s->climb.lattice = 1;
    else if (fit_points(s) || up)
        begin_settling(s);
    prepare(s, out);
}

static void remember(jump_state *s, const double *x, double log_density) {
    double *row = history_next(&s->history, block_at(s, s->rows));
    if (!row) return;
    row[ROW_LOG_DENSITY] = log_density;
    row[ROW_OWNER] = 0.0;
    memcpy(row + ROW_HEAD, x, s->settle.now.dim * sizeof *x);
}

/* Every second step is a draw of the Gaussian that was checked: a walk would need some d steps for one independent draw, and d of these
 * to place a component. */
static bool settles_by_draws(const jump_state *s) { return is_large(s->settle.now.dim) && s->climb.known && s->t % 2; }

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

/* Successive states of a walk in many dimensions are nearly the same: 100 of them say as much as all 25 d, and the first fit, O(d^2) for
 * each, takes less time. */
static size_t settled_stride(const jump_state *s) { return is_windowed(s) ? s->settle.now.dim / 4 : 1; }

static void tell_settling(jump_state *s, rng *r, double log_density, ckam_step *out) {
    bool second_half = s->t >= s->settling / 2;
    if (!s->climb.known) keep_point(s, log_density);
    if (settles_by_draws(s))
        tell_draw(s, r, log_density, out);
    else
        walk(s, r, s->t, log_density, out);
    fit_points(s);
    if (second_half && s->t % settled_stride(s) == 0) remember(s, out->x, out->log_density);
    if (s->t == s->settling) end_walk(s);
}

/* -- Exploration -------------------------------------------------------------------------------------------------- */

static const double *ask_explorer(jump_state *s, rng *r) {
    double *y = now_y(&s->settle.now);
    explore_ask(exploring(s), memory(s), r, y);
    return y;
}

/* A search that returns to where it began says nothing of how easily that mode is found. */
static void count_search(jump_state *s, explore_news news) {
    const explorer *e = exploring(s);
    s->tally.searches += 1.0;
    if (e->home != SIZE_MAX && memory(s)->at[e->home].mode != e->start) s->tally.at[e->home].met += 1.0;
    s->settle.now.counts.scouts++;
    if (news == EXPLORE_RAN_AWAY) s->settle.now.counts.runaways++;
}

static void tell_explorer(jump_state *s, rng *r, double log_density, ckam_step *out) {
    stay(s, out);
    if (!(log_density > -HUGE_VAL)) s->settle.now.counts.undefined++;
    out->step_size = exploring(s)->step;
    explore_news news = explore_tell(exploring(s), memory(s), r, log_density);
    if (news != EXPLORE_GOES_ON) count_search(s, news);
}

/* -- Sampling ----------------------------------------------------------------------------------------------------- */

static jump_move choose_move(const jump_state *s, rng *r) {
    double u = rng_uniform(r);
    for (int move = 0; move < MOVES; move++) {
        u -= s->plan.share[move];
        if (u < 0.0 && s->plan.share[move] > 0.0) return (jump_move)move;
    }
    return MOVE_LOCAL;
}

static const double *ask_sampling(jump_state *s, rng *r) {
    current *now = &s->settle.now;
    modes   *m = memory(s);
    double  *y = now_y(now), *z = block_at(s, s->settle.work);
    s->label = modes_label(m, r, block_at(s, s->at_x), s->log_q_x); /* Gibbs: costs no evaluation */
    s->move = choose_move(s, r);
    s->source = s->target = s->label;
    switch (s->move) {
    case MOVE_CARRY:
        s->source = modes_choose(m, r, m->count);
        /* fall through */
    case MOVE_AFFINE:
        s->target = modes_choose(m, r, s->source);
        modes_map(m, s->source, s->target, now_x(now), y);
        break;
    case MOVE_INDEPENDENT:
        s->target = modes_choose(m, r, m->count);
        modes_draw(m, r, s->target, y);
        break;
    default:
        rng_normals(r, now->dim, z);
        s->short_step = rng_uniform(r) < s->plan.brief ? pow(SHORTEST, rng_uniform(r)) : 1.0;
        modes_shift(m, s->label, s->short_step * m->at[s->label].step, z, now_x(now), y);
    }
    return y;
}

/* log of the ratio of all but pi, for the augmented target pi(x) rho_i(x), rho_i(x) = w_i t_i(x) / q(x). */
static double log_ratio(jump_state *s) {
    modes           *m = memory(s);
    const component *from = &m->at[s->source], *to = &m->at[s->target];
    const double    *at_x = block_at(s, s->at_x), *at_y = block_at(s, s->at_y);
    double           rho_x = from->log_weight + at_x[s->source] - s->log_q_x,
           rho_y = to->log_weight + at_y[s->target] - s->log_q_y;
    if (s->move == MOVE_LOCAL) return rho_y - rho_x;
    if (s->move == MOVE_INDEPENDENT) return s->log_q_x - s->log_q_y;
    if (s->move == MOVE_CARRY) return log1p(-from->weight) - log1p(-to->weight) + to->log_det - from->log_det;
    /* target ~ w without the label: w_i / (1 - w_j) against w_j / (1 - w_i); and the volumes */
    double choice = from->log_weight - log1p(-to->weight) - to->log_weight + log1p(-from->weight);
    return rho_y - rho_x + choice + to->log_det - from->log_det;
}

/* What the step would be worth: its squared length in the coordinates of the mode, with 1 for that of an independent draw. An
 * affine jump counts as one. */
static double worth(jump_state *s) {
    modes        *m = memory(s);
    current      *now = &s->settle.now;
    double       *z = block_at(s, s->settle.work), twice = 2.0 * (double)now->dim;
    const double *x = now_x(now), *y = now_y(now), *mean = modes_mean(m, s->label);
    double        scale = s->short_step * m->at[s->label].step;
    if (s->move == MOVE_AFFINE || s->move == MOVE_INDEPENDENT) return 1.0;
    if (s->move == MOVE_LOCAL) return scale * scale * vec_dot(now->dim, z, z) / twice; /* z as it was drawn */
    for (size_t k = 0; k < now->dim; k++) z[k] = mean[k] + (y[k] - x[k]);
    return fmin(modes_distance_within(m, s->label, z, twice) / twice, 1.0);
}

static void tally(jump_state *s, double alpha, double value) {
    jump_tally *t = &s->tally;
    t->move[s->move].tried += 1.0;
    t->move[s->move].gain += value;
    if (s->move == MOVE_LOCAL && s->short_step < 1.0) return; /* the step size is that of the long ones */
    if (s->move == MOVE_LOCAL) {
        t->at[s->label].local += 1.0;
        t->at[s->label].accept += alpha;
    } else if (s->move != MOVE_CARRY) {
        t->at[s->target].tried += 1.0;
        t->at[s->target].reached += alpha;
    }
}

static void tell_sampling(jump_state *s, rng *r, double log_density, ckam_step *out) {
    current *now = &s->settle.now;
    modes   *m = memory(s);
    double   ratio = 0.0, value = 0.0;
    if (log_density > -HUGE_VAL) {
        s->log_q_y = modes_log_density_near(m, now_y(now), s->target, block_at(s, s->at_y));
        ratio = log_ratio(s);
        value = worth(s);
    }
    double alpha = decide(now, r, log_density, ratio, out);
    tally(s, alpha, alpha > 0.0 ? alpha * value : 0.0);
    s->rejected = out->accepted ? 0 : s->rejected + 1;
    if (s->rejected > STUCK) s->tally.stuck += 1.0;
    if (out->accepted) {
        size_t at = s->at_x;
        s->at_x = s->at_y;
        s->at_y = at;
        s->log_q_x = s->log_q_y;
        s->label = s->move == MOVE_CARRY ? modes_label(m, r, block_at(s, s->at_x), s->log_q_x) : s->target;
    }
    s->tally.at[s->label].visits += 1.0;
    out->step_size = m->at[s->label].step;
    out->mode = m->at[s->label].mode;
    out->move = s->move + 1;
    remember(s, out->x, out->log_density);
}

/* All that is known is known before the draws that come next. */
static void jump_restart(void *state) {
    modes *m = memory(state);
    for (size_t j = 0; j < m->count; j++) m->at[j].established = true;
}

/* -- The sampler -------------------------------------------------------------------------------------------------- */

static const double *jump_ask(void *state, rng *r) {
    jump_state *s = state;
    current    *now = &s->settle.now;
    switch (s->stage) {
    case STAGE_CLIMB:
        rng_at(r, s->t, RNG_CLIMB);
        if (s->climb.lattice) return ask_lattice(s);
        return s->climb.leaps > 0 ? ask_leap(s, r) : ask_walk(s, r);
    case STAGE_AXES:
        scale_ask(&s->search, now->dim, now_x(now), block_at(s, s->direction), now_y(now));
        return now_y(now);
    case STAGE_SETTLE:
        return settles_by_draws(s) ? ask_leap(s, r) : ask_walk(s, r);
    case STAGE_EXPLORE:
        return ask_explorer(s, r);
    default:
        return ask_sampling(s, r);
    }
}

static void jump_tell(void *state, rng *r, double log_density, ckam_step *out) {
    jump_state *s = state;
    if (s->stage == STAGE_AXES) {
        tell_axis(s, log_density, out);
        return;
    }
    if (s->stage == STAGE_CLIMB) {
        tell_climbing(s, r, log_density, out);
        return;
    }
    if (s->stage == STAGE_SETTLE) {
        tell_settling(s, r, log_density, out);
        return;
    }
    if (s->stage == STAGE_EXPLORE)
        tell_explorer(s, r, log_density, out);
    else
        tell_sampling(s, r, log_density, out);
    out->cycle = s->plan.cycle;
    if (!s->plan.cycle && !s->t)
        jump_restart(s); /* settling gives no draws, also where the warm-up ends before it does */
    s->t++;
    if (s->t == s->plan.explore) s->stage = STAGE_SAMPLE;
    if (s->t == s->plan.length) s->waits = true;
}

static bool jump_waits(const void *state) { return ((const jump_state *)state)->waits; }

/* -- How the search went ------------------------------------------------------------------------------------------ */

static void count_unvisited(search_counts *counts, double odds) {
    counts->unvisited++;
    counts->unvisited_share = fmax(counts->unvisited_share, odds / (1.0 + odds));
}

static void jump_search(const void *state, search_counts *counts) {
    const jump_state *s = state;
    const modes      *m = (const modes *)(const void *)block_at_const(s, s->modes);
    *counts = (search_counts){.searches = (uint64_t)s->plan.searches,
                              .recent = (uint64_t)s->tally.searches,
                              .group = {s->plan.group[0], s->plan.group[1]},
                              .common = s->plan.common,
                              .ahead = search_after_warmup(m->dim, s->plan.cycle + 1, s->plan.pool_every)};
    modes_tally tally = modes_met(m);
    counts->modes = tally.modes;
    counts->once = tally.once;
    counts->twice = tally.twice;
    for (size_t j = 0; j < m->count; j++) {
        uint64_t visits = (uint64_t)s->tally.at[j].visits;
        counts->draws += visits;
        if (!modes_is_established(m, j)) counts->late += visits;
        if (!m->at[j].reached && !visits) count_unvisited(counts, m->at[j].odds);
    }
    const explorer *e = (const explorer *)(const void *)block_at_const(s, s->explorer);
    for (size_t k = 0; k < e->found; k++) count_unvisited(counts, exp(fmin(e->places[k].mass - m->level, 700.0)));
}

const sampler jump_sampler = {.options_size = sizeof(settings),
                              .wants_scale = jump_wants_scale,
                              .warmup = jump_warmup,
                              .first_draw = jump_first_draw,
                              .size = jump_size,
                              .touched = jump_touched,
                              .begin = jump_begin,
                              .ask = jump_ask,
                              .tell = jump_tell,
                              .waits = jump_waits,
                              .offer = jump_offers,
                              .pool = jump_pool,
                              .search = jump_search,
                              .restart = jump_restart};
