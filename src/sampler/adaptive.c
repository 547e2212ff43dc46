/* adaptive.c - the samplers am, rbam and gam: adaptive Metropolis (Haario and others 2001; Andrieu and Thoms 2008),
 * y ~ N(x, nu^2 Sigma).
 *
 * They differ in what mu and Sigma, and nu, learn from: that is, in their tell. */
#include "sampler/adaptive.h"

#include "linalg/linalg.h"

#include <string.h>

/* The diagonal of L stays above this fraction of its initial value: under a constant Robbins-Monro gain a long run
 * of rejections shrinks Sigma geometrically, and a factor that has reached 0 never recovers. */
#define DIAGONAL_FLOOR 1e-10

static bool adaptive_wants_scale(const settings *options) { return isnan(options->step_size); }

static size_t layout(adaptive_state *s, const blueprint *plan) {
    size_t end = sizeof *s;
    current_layout(&s->now, plan->dim, &end);
    s->mean = block_take(&end, plan->dim, 1);
    s->factor = block_take(&end, plan->dim, plan->dim);
    s->work = block_take(&end, plan->dim, 1);
    return end;
}

static size_t adaptive_size(const blueprint *plan) { return layout(&(adaptive_state){0}, plan); }

/* Without the pages above the diagonal of L. */
static double adaptive_touched(const blueprint *plan) {
    const double longer = fmax(0.0, (double)plan->dim - 512.0); /* than a page of memory */
    return (double)adaptive_size(plan) - 0.5 * sizeof(double) * longer * longer;
}

static void adaptive_begin(void *state, const blueprint *plan, const double *x, double log_density, double length) {
    adaptive_state *s = state;
    const settings *o = plan->settings;
    size_t          dim = plan->dim;
    bool            is_auto = adaptive_wants_scale(o);
    double          deviation = is_auto ? length : 1.0;
    layout(s, plan);
    current_begin(&s->now, o->warmup, x, log_density);
    memcpy(block_at(s, s->mean), x, dim * sizeof *x);
    for (size_t k = 0; k < dim; k++) block_at(s, s->factor)[k * dim + k] = deviation;
    s->floor = DIAGONAL_FLOOR * deviation;
    s->nu = s->nu_start = is_auto ? step_size_optimal(dim) : o->step_size;
    s->target_accept = o->target_accept;
    s->gain = gain_make(o);
}

const double *adaptive_ask(void *state, rng *r) {
    adaptive_state *s = state;
    size_t          dim = s->now.dim;
    double         *y = now_y(&s->now), *normals = block_at(s, s->work);
    rng_normals(r, dim, normals);
    memcpy(y, now_x(&s->now), dim * sizeof *y);
    tri_multiply_add(dim, block_at(s, s->factor), s->nu, normals, y);
    return y;
}

/* eta of this iteration for mu and Sigma; below 1, as a gain of 1 would leave a singular Sigma for good. */
static double moments_gain(const adaptive_state *s) {
    return gain_moments(&s->gain, s->now.counts.iterations, s->now.dim);
}

/* Sigma := scale^2 Sigma + weight (point - mu)(point - mu)^T. */
static void learn_covariance(adaptive_state *s, double scale, double weight, const double *point) {
    size_t  dim = s->now.dim;
    double *tau = block_at(s, s->work), *mean = block_at(s, s->mean), root = sqrt(weight);
    for (size_t k = 0; k < dim; k++) tau[k] = root * (point[k] - mean[k]);
    chol_update(dim, block_at(s, s->factor), scale, tau);
}

/* Keeps the diagonal of L above the floor; counted. */
static void keep_definite(adaptive_state *s) {
    double *factor = block_at(s, s->factor);
    size_t  dim = s->now.dim;
    for (size_t k = 0; k < dim; k++)
        if (factor[k * dim + k] < s->floor) {
            factor[k * dim + k] = s->floor;
            s->now.counts.floored++;
        }
}

void adaptive_learn(adaptive_state *s, double eta, const double *x) {
    double *mean = block_at(s, s->mean);
    learn_covariance(s, sqrt(1.0 - eta), eta, x);
    for (size_t k = 0; k < s->now.dim; k++) mean[k] += eta * (x[k] - mean[k]);
    keep_definite(s);
}

/* -- am ------------------------------------------------------------------------------------------------------------ */

const ckam_option am_sampler_options[] = {SETTING_STEP_SIZE, SETTING_ADAPT_DECAY, SETTING_ADAPT_GAIN, SETTING_WARMUP,
                                          OPTION_END};

/* nu is fixed; mu and Sigma are the running mean and covariance of the chain (algorithm 2). */
static void am_tell(void *state, rng *r, double log_density, ckam_step *out) {
    adaptive_state *s = state;
    decide(&s->now, r, log_density, 0.0, out);
    adaptive_learn(s, moments_gain(s), out->x);
    out->step_size = s->nu;
}

const sampler am_sampler = {.options_size = sizeof(settings),
                            .wants_scale = adaptive_wants_scale,
                            .size = adaptive_size,
                            .touched = adaptive_touched,
                            .begin = adaptive_begin,
                            .ask = adaptive_ask,
                            .tell = am_tell};

/* -- rbam ---------------------------------------------------------------------------------------------------------- */

const ckam_option rbam_sampler_options[] = {SETTING_STEP_SIZE, SETTING_ADAPT_DECAY, SETTING_ADAPT_GAIN, SETTING_WARMUP,
                                            OPTION_END};

/* Rao-Blackwellised adaptation: mu and Sigma learn from the proposal and the state before it, weighted by alpha and
 * 1 - alpha (algorithm 3). */
static void rbam_tell(void *state, rng *r, double log_density, ckam_step *out) {
    adaptive_state *s = state;
    const double   *before = now_x(&s->now), *proposal = now_y(&s->now); /* stay in place when decide() swaps */
    double         *mean = block_at(s, s->mean);
    double          alpha = decide(&s->now, r, log_density, 0.0, out), eta = moments_gain(s);
    learn_covariance(s, sqrt(1.0 - eta), eta * alpha, proposal);
    learn_covariance(s, 1.0, eta * (1.0 - alpha), before);
    for (size_t k = 0; k < s->now.dim; k++)
        mean[k] += eta * (alpha * (proposal[k] - mean[k]) + (1.0 - alpha) * (before[k] - mean[k]));
    keep_definite(s);
    out->step_size = s->nu;
}

const sampler rbam_sampler = {.options_size = sizeof(settings),
                              .wants_scale = adaptive_wants_scale,
                              .size = adaptive_size,
                              .touched = adaptive_touched,
                              .begin = adaptive_begin,
                              .ask = adaptive_ask,
                              .tell = rbam_tell};

/* -- gam ----------------------------------------------------------------------------------------------------------- */

const ckam_option gam_sampler_options[] = {SETTING_STEP_SIZE,  SETTING_TARGET_ACCEPT, SETTING_ADAPT_DECAY,
                                           SETTING_ADAPT_GAIN, SETTING_WARMUP,        OPTION_END};

/* As am, with a global scale that adapts: log nu^2 += eta_t (alpha - alpha*) (algorithm 4). */
static void gam_tell(void *state, rng *r, double log_density, ckam_step *out) {
    adaptive_state *s = state;
    double          eta = gain_step_size(&s->gain, s->now.counts.iterations);
    out->step_size = s->nu;
    double alpha = decide(&s->now, r, log_density, 0.0, out);
    s->nu = step_size_adapt(s->nu, s->nu_start, 0.5 * eta, alpha, s->target_accept); /* nu, not nu^2: half */
    adaptive_learn(s, moments_gain(s), out->x);
}

const sampler gam_sampler = {.options_size = sizeof(settings),
                             .wants_scale = adaptive_wants_scale,
                             .size = adaptive_size,
                             .touched = adaptive_touched,
                             .begin = adaptive_begin,
                             .ask = adaptive_ask,
                             .tell = gam_tell};
