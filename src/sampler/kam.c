/* kam.c - kernel adaptive Metropolis (Sejdinovic and others 2014; the paper's Algorithm 1): the walk of kam.h, and
 * the sampler kam, which is one such walk with schedules over the planned iterations. */
#include "sampler/kam.h"

/* With step-size = auto nu starts at this fraction of that of the optimal random walk, in units of l^2 / sqrt(n),
 * and with noise = auto gamma is this fraction of the spread of z. Both are tuned: docs/samplers/kam.md. */
#define AUTO_STEP  0.5
#define AUTO_NOISE 0.1

bool kernel_walk_wants_scale(const settings *options) { return isnan(options->noise); }

ckam_status kernel_walk_check(const blueprint *plan, ckam_error *error) {
    const settings *o = plan->settings;
    if (isnan(o->noise) && !isnan(o->noise_end))
        return fail_with(error, CKAM_ERROR_OPTION, "noise-end is %g but noise is auto; give noise a number, too",
                         o->noise_end);
    if (o->noise_end > o->noise)
        return fail_with(error, CKAM_ERROR_OPTION, "noise-end is %g; it must be at most noise, which is %g",
                         o->noise_end, o->noise);
    return CKAM_OK;
}

void kernel_walk_layout(kernel_walk *w, const blueprint *plan, size_t proposals, uint64_t needed, size_t *end) {
    current_layout(&w->now, plan->dim, end);
    kernel_proposal_layout(&w->proposal, proposals, w->proposals, plan->dim, plan->settings, end);
    w->capacity = history_capacity(plan->dim, w->proposal.most, needed);
    w->rows = block_take(end, w->capacity, plan->dim);
}

/* Starts afresh where the chain is. */
static void restart(kernel_walk *w) {
    w->t = 0;
    w->scale = w->scale_start;
    w->proposal.n = w->proposal.states = 0;
    w->proposal.distance = 0.0;
    w->now.moved = true;
    history_restart(&w->history, w->now.dim, w->capacity);
    history_add(&w->history, block_at(w, w->rows), now_x(&w->now));
}

void kernel_walk_begin(kernel_walk *w, const blueprint *plan, double horizon, const double *x, double log_density,
                       double length) {
    const settings *o = plan->settings;
    current_begin(&w->now, o->warmup, x, log_density);
    kernel_proposal_begin(&w->proposal, o);
    w->auto_step = isnan(o->step_size);
    w->auto_noise = isnan(o->noise);
    double start = w->proposal.global ? 1.0 : AUTO_STEP;
    w->optimal = step_size_optimal(plan->dim);
    w->scale_start = w->auto_step ? start * w->optimal : o->step_size;
    w->length = length;
    w->half_life = o->refresh_half_life * horizon;
    w->target_accept = o->target_accept;
    w->gain = gain_make(o);
    if (!w->auto_noise)
        w->noise = noise_make(o->noise, isnan(o->noise_end) ? o->noise : o->noise_end, o->noise_decay, horizon);
    restart(w);
}

void kernel_walk_restart(kernel_walk *w) {
    double spread = kernel_proposal_spread(&w->proposal);
    w->length = spread > 0.0
                    ? spread
                    : w->length * (w->scale / w->scale_start); /* the chain never moved: the length was too large */
    restart(w);
}

/* With probability 2^(-t / half_life) draws z anew from the history. */
static void refresh(kernel_walk *w, const rng *r) {
    rng own = *r;
    rng_at(&own, r->iteration, RNG_SUBSAMPLE);
    if (w->proposal.global || rng_uniform(&own) >= exp2(-(double)w->t / w->half_life)) return;
    kernel_proposal_subsample(&w->proposal, w, &own, w->history.count, block_at(w, w->rows));
    w->now.moved = true;
}

/* gamma = fraction * (nu / initial nu) * (2.38 / sqrt(dim)) * spread: it follows the step size, so that the acceptance
 * governs both. The spread is that of z, but not below the one known before while z is of a short past; the fraction is
 * large while z is small and tells little. */
static double auto_noise(const kernel_walk *w) {
    double spread = kernel_proposal_spread(&w->proposal);
    if (w->history.seen < 10 * w->proposal.most || spread == 0.0) spread = fmax(spread, w->length);
    double fraction = w->proposal.states > 1 ? fmax(AUTO_NOISE, 1.0 / sqrt((double)w->proposal.states)) : 1.0;
    return fraction * (w->scale / w->scale_start) * w->optimal * spread;
}

double kernel_walk_nu(const kernel_walk *w) {
    return w->auto_step ? w->scale * kernel_proposal_unit(&w->proposal) : w->scale;
}

proposal_at *kernel_walk_proposal_at(kernel_walk *w, double nu) {
    proposal_at *at = &w->proposals[w->here];
    if (w->now.moved) proposal_at_measure(&w->proposal, w, at, now_x(&w->now));
    w->now.moved = false;
    proposal_at_factor(w, at, w->gamma, nu);
    return at;
}

const double *kernel_walk_ask(void *walk, rng *r) {
    kernel_walk *w = walk;
    double      *y = now_y(&w->now);
    refresh(w, r);
    w->nu = kernel_walk_nu(w);
    w->gamma = w->auto_noise ? auto_noise(w) : noise_at(&w->noise, (double)w->t);
    proposal_at_draw(&w->proposal, w, kernel_walk_proposal_at(w, w->nu), r, 1.0, now_x(&w->now), y);
    return y;
}

/* log q(x|y) - log q(y|x); the proposal at y is measured on the way. */
static double log_ratio(kernel_walk *w) {
    proposal_at *at_x = &w->proposals[w->here], *at_y = &w->proposals[!w->here];
    proposal_at_measure(&w->proposal, w, at_y, now_y(&w->now));
    proposal_at_factor(w, at_y, w->gamma, w->nu);
    return proposal_at_log_density(&w->proposal, w, at_y, at_y, at_x) -
           proposal_at_log_density(&w->proposal, w, at_x, at_x, at_y);
}

void kernel_walk_tell(void *walk, rng *r, double log_density, ckam_step *out) {
    kernel_walk *w = walk;
    bool         symmetric = w->proposal.global || !(log_density > -HUGE_VAL); /* or never accepted */
    double       log_ratio_q = symmetric ? 0.0 : log_ratio(w);
    double       alpha = decide(&w->now, r, log_density, log_ratio_q, out);
    if (out->accepted && !symmetric) {
        w->here = !w->here; /* the proposal at y has just been measured */
        w->now.moved = false;
    }
    out->step_size = w->nu;
    w->scale = step_size_adapt(w->scale, w->scale_start, gain_step_size(&w->gain, w->t), alpha, w->target_accept);
    history_add(&w->history, block_at(w, w->rows), out->x);
    w->t++;
}

/* -- kam ----------------------------------------------------------------------------------------------------------- */

const ckam_option kam_sampler_options[] = {
    SETTING_STEP_SIZE,   SETTING_TARGET_ACCEPT,     SETTING_ADAPT_DECAY,  SETTING_ADAPT_GAIN, SETTING_SUBSAMPLE,
    SETTING_KERNEL,      SETTING_KERNEL_SCALE,      SETTING_KERNEL_ORDER, SETTING_NOISE,      SETTING_NOISE_END,
    SETTING_NOISE_DECAY, SETTING_REFRESH_HALF_LIFE, SETTING_WARMUP,       OPTION_END};

static size_t kam_layout(kernel_walk *w, const blueprint *plan, uint64_t states) {
    size_t end = sizeof *w;
    kernel_walk_layout(w, plan, PROPOSAL_BETWEEN, states, &end);
    return end;
}

static size_t kam_size(const blueprint *plan) { return kam_layout(&(kernel_walk){0}, plan, UINT64_MAX); }

/* The history has as many states as there are iterations. */
static double kam_touched(const blueprint *plan) { return (double)kam_layout(&(kernel_walk){0}, plan, plan->horizon); }

static void kam_begin(void *state, const blueprint *plan, const double *x, double log_density, double length) {
    kernel_walk *w = state;
    kam_layout(w, plan, UINT64_MAX);
    kernel_walk_begin(w, plan, (double)plan->horizon, x, log_density, length);
}

const sampler kam_sampler = {.options_size = sizeof(settings),
                             .wants_scale = kernel_walk_wants_scale,
                             .check = kernel_walk_check,
                             .size = kam_size,
                             .touched = kam_touched,
                             .begin = kam_begin,
                             .ask = kernel_walk_ask,
                             .tell = kernel_walk_tell};
