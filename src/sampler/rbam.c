/* rbam.c - Rao-Blackwellised adaptive Metropolis (Andrieu and Thoms 2008, algorithm 3): mu and Sigma learn from
 * the proposal and the state before it, weighted by alpha and 1 - alpha, instead of from the decision. */
#include "sampler/adaptive.h"

const ckam_option rbam_sampler_options[] = {SETTING_STEP_SIZE, SETTING_ADAPT_DECAY, SETTING_ADAPT_GAIN, SETTING_WARMUP,
                                            OPTION_END};

static void rbam_tell(void *state, rng *r, double log_density, ckam_step *out) {
    adaptive_state *s = state;
    const double   *before = now_x(&s->now), *proposal = now_y(&s->now); /* stay in place when decide() swaps */
    double         *mean = block_at(s, s->mean);
    double          alpha = decide(&s->now, r, log_density, 0.0, out), eta = adaptive_gain(s);
    adaptive_learn_covariance(s, sqrt(1.0 - eta), eta * alpha, proposal);
    adaptive_learn_covariance(s, 1.0, eta * (1.0 - alpha), before);
    for (size_t k = 0; k < s->now.dim; k++)
        mean[k] += eta * (alpha * (proposal[k] - mean[k]) + (1.0 - alpha) * (before[k] - mean[k]));
    adaptive_keep_definite(s);
    out->step_size = s->nu;
}

const sampler rbam_sampler = {.options_size = sizeof(settings),
                              .wants_scale = adaptive_wants_scale,
                              .size = adaptive_size,
                              .touched = adaptive_touched,
                              .begin = adaptive_begin,
                              .ask = adaptive_ask,
                              .tell = rbam_tell};
