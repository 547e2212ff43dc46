/* kam.c - kernel adaptive Metropolis (Sejdinovic and others 2014; the paper's Algorithm 1): one kernel walk whose
 * schedules span the planned iterations. */
#include "sampler/kernel_walk.h"

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

/* The history has so many states as there are iterations. */
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
