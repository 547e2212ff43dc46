/* drift.c - an algorithm that a developer adds: this file, and one line in samplers.def.
 *
 * A random walk that leans: y ~ N(x + nu c (1,...,1), nu^2 I). With u = y - x its proposals have
 * log q(x|y) - log q(y|x) = (|u - nu c 1|^2 - |u + nu c 1|^2) / (2 nu^2) = -2 c sum_k u_k / nu. */
#include "sampler/sampler.h"
#include "sampler/schedule.h"

typedef struct drift_settings {
    settings shared; /* first */
    double   drift;
} drift_settings;

const ckam_option drift_sampler_options[] = {SETTING_STEP_SIZE,
                                             SETTING_WARMUP,
                                             {.name = "drift",
                                              .type = CKAM_REAL,
                                              .low = -1,
                                              .high = 1,
                                              .initial = 0.25,
                                              .help = "c, how far a proposal leans, in steps",
                                              .offset = offsetof(drift_settings, drift)},
                                             OPTION_END};

typedef struct drift_state {
    current now;
    double  nu, drift;
} drift_state;

static bool drift_wants_scale(const settings *options) { return isnan(options->step_size); }

static size_t drift_layout(drift_state *s, const blueprint *plan) {
    size_t end = sizeof *s;
    current_layout(&s->now, plan->dim, &end);
    return end;
}

static size_t drift_size(const blueprint *plan) { return drift_layout(&(drift_state){0}, plan); }

static void drift_begin(void *state, const blueprint *plan, const double *x, double log_density, double length) {
    drift_state          *s = state;
    const drift_settings *o = (const drift_settings *)(const void *)plan->settings;
    drift_layout(s, plan);
    current_begin(&s->now, o->shared.warmup, x, log_density);
    s->nu = drift_wants_scale(&o->shared) ? step_size_optimal(plan->dim) * length : o->shared.step_size;
    s->drift = o->drift;
}

static const double *drift_ask(void *state, rng *r) {
    drift_state *s = state;
    double      *x = now_x(&s->now), *y = now_y(&s->now);
    rng_normals(r, s->now.dim, y);
    for (size_t k = 0; k < s->now.dim; k++) y[k] = x[k] + s->nu * (s->drift + y[k]);
    return y;
}

static void drift_tell(void *state, rng *r, double log_density, ckam_step *out) {
    drift_state *s = state;
    double      *x = now_x(&s->now), *y = now_y(&s->now), sum = 0.0;
    for (size_t k = 0; k < s->now.dim; k++) sum += y[k] - x[k];
    decide(&s->now, r, log_density, -2.0 * s->drift * sum / s->nu, out);
    out->step_size = s->nu;
}

const sampler drift_sampler = {.options_size = sizeof(drift_settings),
                               .wants_scale = drift_wants_scale,
                               .size = drift_size,
                               .begin = drift_begin,
                               .ask = drift_ask,
                               .tell = drift_tell};
