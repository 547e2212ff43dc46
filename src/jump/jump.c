/* jump.c - finds modes, remembers them, jumps between them, and stays exact. docs/samplers/jump.md has the formulas.
 *
 * Before the first cycle: the scale of each axis, then an adaptive walk that climbs to a mode and settles there. A
 * cycle searches for new modes, which does not move the chain, then samples with moves that leave pi invariant; what
 * they are made from stays as it is until the cycle ends. There jump_pool() (adapt.c) adapts them from all chains. */
#include "jump/approach.h"
#include "jump/moves.h"
#include "mixture/tuning.h"

#include <string.h>

const ckam_option jump_sampler_options[] = {SETTING_TARGET_ACCEPT, SETTING_POOL_EVERY, SETTING_WARMUP_AUTO, OPTION_END};

enum { ROWS_LEAST = 64, FEW = 4, BYTES_MOST = 32 << 20 };
enum { MODES_LEAST = 16 };
#define MODES_BYTES                                                                                                    \
    4e9 /* of the memories of all chains together, as long as each has room for MODES_LEAST components */

/* Always: a density without a scale is refused, as by other samplers. */
static bool jump_wants_scale(const settings *options) {
    (void)options;
    return true;
}

size_t jump_rows_capacity(size_t dim) {
    size_t fit = dim < BYTES_MOST ? BYTES_MOST / sizeof(double) / (dim + ROW_HEAD) : 0;
    if (fit > tuning.memory.rows) fit = tuning.memory.rows;
    return fit < 2 ? 2 : fit / 2 * 2;
}

/* Of many chains each keeps a share: all together as many rows as FEW chains would, and each enough for a fit. */
static size_t rows_kept(const blueprint *plan) {
    size_t room = jump_rows_capacity(plan->dim);
    if (plan->chains <= FEW) return room;
    size_t share = (size_t)(FEW * (uint64_t)tuning.memory.rows / plan->chains) / 2 * 2;
    if (share < ROWS_LEAST) share = ROWS_LEAST;
    return share < room ? share : room;
}

/* How many components each of many chains may remember. One takes dim^2 numbers for its factor, and somewhat more
 * for its panels. */
static size_t modes_kept(const blueprint *plan) {
    size_t room = mixture_capacity(plan->dim);
    double dim = (double)plan->dim, each = sizeof(double) * 2.2 * dim * dim;
    double share = fmax(MODES_BYTES / each / fmax((double)plan->chains, 1.0), MODES_LEAST);
    return share < (double)room ? (size_t)share : room;
}

static size_t take_block(size_t *end, size_t size) {
    if (size == SIZE_MAX) return *end = SIZE_MAX;
    return block_take(end, size / sizeof(double) + 1, 1);
}

static size_t layout(jump_state *s, const blueprint *plan) {
    size_t end = sizeof *s, dim = plan->dim, capacity = mixture_capacity(dim);
    current_layout(&s->settle.now, dim, &end);
    s->settle.mean = block_take(&end, dim, 1);
    s->settle.factor = block_take(&end, dim, dim);
    s->settle.work = block_take(&end, dim, 1);
    s->direction = block_take(&end, dim, 1);
    s->at_x = block_take(&end, capacity, 1);
    s->at_y = block_take(&end, capacity, 1);
    s->mixture = take_block(&end, mixture_size(dim));
    s->explorer = take_block(&end, explore_size(dim));
    s->rows = block_take(&end, jump_rows_capacity(dim), dim + ROW_HEAD);
    return end;
}

static size_t jump_size(const blueprint *plan) { return layout(&(jump_state){0}, plan); }

/* With one component; measured (docs/architecture.md, Memory). */
static double jump_touched(const blueprint *plan) {
    double dim = (double)plan->dim;
    return sizeof(double) * dim * (16.2 * dim + (double)rows_kept(plan)) + 65536.0;
}

/* Where the search is not saturated by then the warm-up becomes longer (adapt.c). Settling is a part of it. */
static uint64_t jump_warmup(const blueprint *plan) {
    uint64_t length = affine_steps(tuning.warmup.steps, plan->dim), least = approach_settling(plan->dim);
    uint64_t most = (uint64_t)(tuning.warmup.of_horizon * (double)plan->horizon);
    if (length > most) length = most;
    if (least < tuning.warmup.least) least = tuning.warmup.least;
    return length < least ? least : length;
}

uint64_t jump_cycle_length(size_t dim, uint64_t cycle) {
    return (uint64_t)(affine_at(tuning.cycle.steps, (double)dim) * (1.0 + tuning.cycle.growth * (double)cycle));
}

/* The worst case: a search that is never saturated prolongs the warm-up as far as it may, and takes its largest
 * share of each cycle. */
static uint64_t jump_first_draw(const blueprint *plan) {
    const bool     grows = plan->may_extend_warmup;
    const uint64_t planned = grows ? jump_warmup(plan) : plan->settings->warmup;
    uint64_t       iterations = approach_settling(plan->dim), warmup = planned, cycle = 0, length;
    const uint64_t before = approach_evaluations(plan->dim), longest = planned + plan->horizon;
    if (iterations > warmup) return before + iterations + 1;
    for (;; iterations += length) {
        length = jump_cycle_length(plan->dim, cycle++);
        if (grows && iterations < longest && iterations + length > warmup) warmup = iterations + length;
        if (iterations + length > warmup) break;
    }
    const double search_share = iterations < planned ? tuning.search.warmup : tuning.search.prolonged;
    uint64_t     sampled = iterations + length - (uint64_t)(search_share * (double)length);
    return before + (warmup < sampled ? warmup : iterations + length) + 1;
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
    s->plan.separate = plan->chains > 1;
    s->plan.planned = s->plan.warmup = o->warmup;
    s->plan.longest = o->warmup + (plan->may_extend_warmup ? plan->horizon : 0);
    s->plan.unseen = plan->unseen;
    mixture_begin(jump_mixture(s), plan->dim, plan->boxed);
    jump_mixture(s)->capacity = modes_kept(plan);
    explore_begin(jump_explorer(s), plan->dim, x, log_density, plan->random_start);
    history_restart(&s->history, plan->dim + ROW_HEAD, rows_kept(plan));
    approach_begin(s);
}

void jump_remember(jump_state *s, const double *x, double log_density) {
    double *row = history_next(&s->history, block_at(s, s->rows));
    if (!row) return;
    row[ROW_LOG_DENSITY] = log_density;
    row[ROW_OWNER] = 0.0;
    memcpy(row + ROW_HEAD, x, s->settle.now.dim * sizeof *x);
}

/* -- Exploration -------------------------------------------------------------------------------------------------- */

static void stay(jump_state *s, ckam_step *out) {
    current *now = &s->settle.now;
    now->counts.iterations++;
    *out = (ckam_step){.x = now_x(now), .log_density = now->log_density, .phase = CKAM_PHASE_EXPLORE};
}

static const double *ask_explorer(jump_state *s, rng *r) {
    double *y = now_y(&s->settle.now);
    explore_ask(jump_explorer(s), jump_mixture(s), r, y);
    return y;
}

/* A search that ends in the mode it began in does not count for that mode: it says nothing of how easily others find
 * it. */
static void count_search(jump_state *s, explore_news news) {
    const explorer *e = jump_explorer(s);
    s->tally.searches += 1.0;
    if (e->ended_in != SIZE_MAX && jump_mixture(s)->at[e->ended_in].mode != e->start)
        s->tally.at[e->ended_in].search_hits += 1.0;
    s->settle.now.counts.scouts++;
    if (news == EXPLORE_RAN_AWAY) s->settle.now.counts.runaways++;
}

static void tell_explorer(jump_state *s, rng *r, double log_density, ckam_step *out) {
    stay(s, out);
    if (!(log_density > -HUGE_VAL)) s->settle.now.counts.undefined++;
    out->step_size = jump_explorer(s)->step;
    explore_news news = explore_tell(jump_explorer(s), jump_mixture(s), r, log_density);
    if (news != EXPLORE_GOES_ON) count_search(s, news);
}

/* Draws begin anew: every present component is known from their beginning. */
static void jump_restart(void *state) {
    mixture *m = jump_mixture(state);
    for (size_t j = 0; j < m->count; j++) m->at[j].established = true;
}

/* -- The sampler -------------------------------------------------------------------------------------------------- */

static const double *jump_ask(void *state, rng *r) {
    jump_state *s = state;
    if (s->stage < STAGE_EXPLORE) return approach_ask(s, r);
    return s->stage == STAGE_EXPLORE ? ask_explorer(s, r) : moves_ask(s, r);
}

static void jump_tell(void *state, rng *r, double log_density, ckam_step *out) {
    jump_state *s = state;
    if (s->stage < STAGE_EXPLORE) {
        approach_tell(s, r, log_density, out);
        return;
    }
    if (s->stage == STAGE_EXPLORE)
        tell_explorer(s, r, log_density, out);
    else
        moves_tell(s, r, log_density, out);
    out->cycle = s->plan.cycle;
    if (!s->plan.cycle && !s->t)
        jump_restart(s); /* settling gives no draws, also where the warm-up ends before it does */
    s->t++;
    if (s->t == s->plan.length - s->plan.explore) s->stage = STAGE_EXPLORE;
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
    const mixture    *m = (const mixture *)(const void *)block_at_const(s, s->mixture);
    const uint64_t    sampled = s->plan.length - s->plan.explore;
    *counts = (search_counts){.searches = (uint64_t)s->plan.searches,
                              .evaluations = (uint64_t)s->plan.search_evaluations,
                              .recent = (uint64_t)s->tally.searches,
                              .recent_evaluations = s->t > sampled ? s->t - sampled : 0,
                              .group = {s->plan.group_modes[0], s->plan.group_modes[1]},
                              .common = s->plan.common_modes};
    modes_tally tally = mixture_search_hits(m);
    counts->modes = tally.modes;
    counts->once = tally.once;
    counts->twice = tally.twice;
    for (size_t j = 0; j < m->count; j++) {
        uint64_t visits = (uint64_t)s->tally.at[j].visits;
        counts->draws += visits;
        if (!mixture_is_established(m, j)) counts->late += visits;
        if (!m->at[j].reached && !visits) count_unvisited(counts, m->at[j].odds);
    }
    const explorer *e = (const explorer *)(const void *)block_at_const(s, s->explorer);
    for (size_t k = 0; k < e->candidates; k++)
        count_unvisited(counts, exp(fmin(e->candidate[k].mass - m->log_z, 700.0)));
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
                              .summarise = jump_summarise,
                              .pool = jump_pool,
                              .search = jump_search,
                              .restart = jump_restart};
