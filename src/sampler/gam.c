/* gam.c - adaptive Metropolis with a global adaptive scale (Andrieu and Thoms 2008, algorithm 4): as am, and
 * log nu^2 += eta_t (alpha - alpha*). */
#include "sampler/adaptive.h"

const ckam_option gam_sampler_options[] = {SETTING_STEP_SIZE,  SETTING_TARGET_ACCEPT, SETTING_ADAPT_DECAY,
                                           SETTING_ADAPT_GAIN, SETTING_WARMUP,        OPTION_END};

static void gam_tell(void *state, rng *r, double log_density, ckam_step *out) {
    adaptive_state *s = state;
    double          eta = gain_step_size(&s->gain, s->now.counts.iterations);
    out->step_size = s->nu;
    double alpha = decide(&s->now, r, log_density, 0.0, out);
    s->nu = step_size_adapt(s->nu, s->nu_start, 0.5 * eta, alpha, s->target_accept); /* nu, not nu^2: half */
    adaptive_learn(s, adaptive_gain(s), out->x);
}

const sampler gam_sampler = {.options_size = sizeof(settings),
                             .wants_scale = adaptive_wants_scale,
                             .size = adaptive_size,
                             .touched = adaptive_touched,
                             .begin = adaptive_begin,
                             .ask = adaptive_ask,
                             .tell = gam_tell};
