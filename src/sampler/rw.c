/* rw.c - random-walk Metropolis: y ~ N(x, nu^2 I). The baseline, and the pattern for the others. */
#include "sampler/sampler.h"
#include "sampler/schedule.h"

const ckam_option rw_sampler_options[] = {SETTING_STEP_SIZE, SETTING_WARMUP, OPTION_END};

typedef struct rw_state {
    current now;
    double  nu;
} rw_state;

static bool rw_wants_scale(const settings *options) { return isnan(options->step_size); }

static size_t rw_layout(rw_state *s, const blueprint *plan) {
    size_t end = sizeof *s;
    current_layout(&s->now, plan->dim, &end);
    return end;
}

static size_t rw_size(const blueprint *plan) { return rw_layout(&(rw_state){0}, plan); }

static void rw_begin(void *state, const blueprint *plan, const double *x, double log_density, double length) {
    rw_state *s = state;
    rw_layout(s, plan);
    current_begin(&s->now, plan->settings->warmup, x, log_density);
    s->nu = rw_wants_scale(plan->settings) ? step_size_optimal(plan->dim) * length : plan->settings->step_size;
}

static const double *rw_ask(void *state, rng *r) {
    rw_state *s = state;
    double   *x = now_x(&s->now), *y = now_y(&s->now);
    rng_normals(r, s->now.dim, y);
    for (size_t k = 0; k < s->now.dim; k++) y[k] = x[k] + s->nu * y[k];
    return y;
}

static void rw_tell(void *state, rng *r, double log_density, ckam_step *out) {
    rw_state *s = state;
    decide(&s->now, r, log_density, 0.0, out); /* symmetric: q(x|y) = q(y|x) */
    out->step_size = s->nu;
}

const sampler rw_sampler = {.options_size = sizeof(settings),
                            .wants_scale = rw_wants_scale,
                            .size = rw_size,
                            .begin = rw_begin,
                            .ask = rw_ask,
                            .tell = rw_tell};
