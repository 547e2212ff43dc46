/* am.c - adaptive Metropolis (Haario and others 2001; Andrieu and Thoms 2008, algorithm 2):
 * y ~ N(x, nu^2 Sigma), nu fixed, mu and Sigma the running mean and covariance of the chain. */
#include "sampler/adaptive.h"

const ckam_option am_sampler_options[] = {SETTING_STEP_SIZE, SETTING_ADAPT_DECAY, SETTING_ADAPT_GAIN, SETTING_WARMUP,
                                          OPTION_END};

static void am_tell(void *state, rng *r, double log_density, ckam_step *out) {
    adaptive_state *s = state;
    decide(&s->now, r, log_density, 0.0, out);
    adaptive_learn(s, adaptive_gain(s), out->x);
    out->step_size = s->nu;
}

const sampler am_sampler = {.options_size = sizeof(settings),
                            .wants_scale = adaptive_wants_scale,
                            .size = adaptive_size,
                            .touched = adaptive_touched,
                            .begin = adaptive_begin,
                            .ask = adaptive_ask,
                            .tell = am_tell};
