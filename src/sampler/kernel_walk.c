/* kernel_walk.c - see kernel_walk.h. */
#include "sampler/kernel_walk.h"

#include <string.h>

/* With step-size = auto nu starts at this part of the optimal random walk's, in units of l^2 / sqrt(n), and with
 * noise = auto gamma is this part of the spread of z: both measured, docs/samplers/kam.md. */
#define AUTO_STEP  0.5
#define AUTO_NOISE 0.1

bool kernel_walk_wants_scale(const settings *options) { return isnan(options->noise); }

ckam_status kernel_walk_check(const blueprint *plan, ckam_error *error) {
    const settings *o = plan->settings;
    if (isnan(o->noise) && !isnan(o->noise_end))
        return fail_with(error, CKAM_ERROR_OPTION,
                         "noise-end is %g but noise is auto; give noise a number, too", o->noise_end);
    if (o->noise_end > o->noise)
        return fail_with(error, CKAM_ERROR_OPTION, "noise-end is %g; it must be at most noise, which is %g",
                         o->noise_end, o->noise);
    bool global = o->covariance == COVARIANCE_GLOBAL;
    return linalg_prepare(global ? plan->dim : lowrank_order(plan->dim, kernel_proposal_most(o, plan->dim)),
                          error);
}

void kernel_walk_layout(kernel_walk *w, const blueprint *plan, uint64_t needed, size_t *end) {
    current_layout(&w->now, plan->dim, end);
    kernel_proposal_layout(&w->proposal, w->laws, plan->dim, plan->settings, end);
    w->capacity = history_capacity(plan->dim, w->proposal.most, needed);
    w->rows = block_take(end, w->capacity, plan->dim);
    w->mean = block_take(end, plan->dim, 1);
}

/* Welford's update of the spread of all states, whatever walk they belong to. */
static void measure_spread(kernel_walk *w, const double *x) {
    double *mean = block_at(w, w->mean), sum = 0.0;
    w->states += 1.0;
    for (size_t k = 0; k < w->now.dim; k++) {
        double before = x[k] - mean[k];
        mean[k] += before / w->states;
        sum += before * (x[k] - mean[k]);
    }
    w->scatter += sum;
}

void kernel_walk_begin(kernel_walk *w, const blueprint *plan, double horizon, const double *x,
                       double log_density, double length) {
    const settings *o = plan->settings;
    current_begin(&w->now, o->warmup, x, log_density);
    kernel_proposal_begin(&w->proposal, o);
    w->auto_step = isnan(o->step_size);
    w->auto_noise = isnan(o->noise);
    double part = w->proposal.global ? 1.0 : AUTO_STEP;
    w->scale_start = w->auto_step ? part * step_size_optimal(plan->dim) : o->step_size;
    w->length = length;
    w->half_life = o->refresh_half_life * horizon;
    w->target_accept = o->target_accept;
    w->gain = gain_make(o);
    if (!w->auto_noise)
        w->noise = noise_make(o->noise, isnan(o->noise_end) ? o->noise : o->noise_end, o->noise_decay, horizon);
    if (w->auto_noise) measure_spread(w, x);
    kernel_walk_restart(w);
}

void kernel_walk_restart(kernel_walk *w) {
    w->t = 0;
    w->scale = w->scale_start;
    w->proposal.n = 0;
    w->now.moved = true;
    history_restart(&w->history, w->now.dim, w->capacity);
    history_add(&w->history, block_at(w, w->rows), now_x(&w->now));
}

void kernel_walk_global(kernel_walk *w, const double *covariance) {
    kernel_proposal_global(&w->proposal, w, w->laws, covariance);
}

/* With probability 2^(-t / half_life) draws z anew from the history. */
static void refresh(kernel_walk *w, const rng *r) {
    rng own = *r;
    rng_at(&own, r->iteration, RNG_SUBSAMPLE);
    if (w->proposal.global || rng_uniform(&own) >= exp2(-(double)w->t / w->half_life)) return;
    kernel_proposal_subsample(&w->proposal, w, &own, w->history.count, block_at(w, w->rows));
    w->now.moved = true;
}

/* gamma = part * (nu / initial nu) * (2.38 / sqrt(dim)) * spread: it follows the step size, so that the acceptance governs
 * both. The spread is the standard deviation of a coordinate over all states so far, at least the density's length at
 * the start; the part is large while z is small and tells little. */
static double auto_noise(const kernel_walk *w) {
    double spread = sqrt(w->scatter / (w->states * (double)w->now.dim));
    double part = fmax(AUTO_NOISE, 1.0 / sqrt((double)w->proposal.n));
    return part * (w->scale / w->scale_start) * step_size_optimal(w->now.dim) * fmax(w->length, spread);
}

static void set_sizes(kernel_walk *w) {
    w->nu = w->auto_step ? w->scale * kernel_proposal_unit(&w->proposal) : w->scale;
    w->gamma = w->auto_noise ? auto_noise(w) : noise_at(&w->noise, (double)w->t);
}

law *kernel_walk_law(kernel_walk *w, double gamma, double nu) {
    law *at = &w->laws[w->here];
    if (w->now.moved) law_measure(&w->proposal, w, at, now_x(&w->now));
    w->now.moved = false;
    law_factor(w, at, gamma, nu);
    return at;
}

const double *kernel_walk_ask(kernel_walk *w, rng *r) {
    double *y = now_y(&w->now);
    refresh(w, r);
    set_sizes(w);
    law_draw(&w->proposal, w, kernel_walk_law(w, w->gamma, w->nu), r, 1.0, now_x(&w->now), y);
    return y;
}

void kernel_walk_tell(kernel_walk *w, rng *r, double log_density, ckam_step *out) {
    law   *at_x = &w->laws[w->here], *at_y = &w->laws[!w->here];
    double log_ratio_q = 0.0;
    if (log_density > -HUGE_VAL) {
        law_measure(&w->proposal, w, at_y, now_y(&w->now));
        law_factor(w, at_y, w->gamma, w->nu);
        log_ratio_q = law_log_density(&w->proposal, w, at_y, at_y, at_x) -
                      law_log_density(&w->proposal, w, at_x, at_x, at_y);
    }
    double alpha = decide(&w->now, r, log_density, log_ratio_q, out);
    if (out->accepted) {
        w->here = !w->here; /* the law at y has just been measured */
        w->now.moved = false;
    }
    out->step_size = w->nu;
    w->scale =
        step_size_adapt(w->scale, w->scale_start, gain_step_size(&w->gain, w->t), alpha, w->target_accept);
    history_add(&w->history, block_at(w, w->rows), out->x);
    if (w->auto_noise) measure_spread(w, out->x);
    w->t++;
}
