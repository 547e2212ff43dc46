/* settings.h - the options of the samplers, each described once.
 *
 * A sampler's table lists those it has. A sampler with options of its own begins its struct with `settings`. */
#ifndef CKAM_SAMPLER_SETTINGS_H
#define CKAM_SAMPLER_SETTINGS_H

#include "base/option.h"

typedef struct settings {
    double   step_size, target_accept, adapt_decay, adapt_gain;
    double   kernel_scale, kernel_order;
    double   noise, noise_end, noise_decay;
    double   refresh_half_life, explore;
    uint64_t subsample, cycle_length, pool_every, warmup;
    int      kernel, transition, covariance;
} settings;

enum transition { TRANSITION_PLAIN, TRANSITION_DELAYED };
enum covariance { COVARIANCE_KERNEL, COVARIANCE_GLOBAL };
extern const char *const transition_words[], *const covariance_words[]; /* in sampler.c */

/* Step sizes and noise stay below this: their squares are numbers. */
#define LENGTH_MOST 1e100

#define SETTING(field) .offset = offsetof(settings, field)
#define SETTING_STEP_SIZE                                                                                              \
    {                                                                                                                  \
        .name = "step-size", .type = CKAM_REAL, .has_auto = true, .open_low = true, .low = 0, .high = LENGTH_MOST,     \
        .initial = OPTION_AUTO, .help = "nu, the size of a step (where it adapts: at the start)", SETTING(step_size)   \
    }
#define SETTING_TARGET_ACCEPT                                                                                          \
    {                                                                                                                  \
        .name = "target-accept", .type = CKAM_REAL, .open_low = true, .open_high = true, .low = 0, .high = 1,          \
        .initial = 0.234, .help = "alpha*, the acceptance that the step size is adapted to", SETTING(target_accept)    \
    }
#define SETTING_ADAPT_DECAY                                                                                            \
    {                                                                                                                  \
        .name = "adapt-decay", .type = CKAM_REAL, .has_auto = true, .open_low = true, .low = 0, .high = 10,            \
        .initial = OPTION_AUTO, .help = "eps: the gain of adaptation is (1+t)^-eps; auto: 0.75 for the step size",     \
        SETTING(adapt_decay)                                                                                           \
    }
#define SETTING_ADAPT_GAIN                                                                                             \
    {                                                                                                                  \
        .name = "adapt-gain", .type = CKAM_REAL, .has_auto = true, .open_high = true, .low = 0, .high = 1,             \
        .initial = OPTION_AUTO, .help = "eta: a constant gain instead; 0 does not adapt; auto: see adapt-decay",       \
        SETTING(adapt_gain)                                                                                            \
    }
#define SETTING_SUBSAMPLE                                                                                              \
    {                                                                                                                  \
        .name = "subsample", .type = CKAM_COUNT, .has_auto = true, .low = 1, .high = 10000, .initial = OPTION_AUTO,    \
        .help = "n, how many past states shape a proposal; auto: 4 dim, from 50 to 200", SETTING(subsample)            \
    }
#define SETTING_KERNEL                                                                                                 \
    {                                                                                                                  \
        .name = "kernel", .type = CKAM_CHOICE, .words = kernel_words, .initial = KERNEL_MATERN,                        \
        .help = "kernel whose gradients shape a proposal", SETTING(kernel)                                             \
    }
#define SETTING_KERNEL_SCALE                                                                                           \
    {                                                                                                                  \
        .name = "kernel-scale", .type = CKAM_REAL, .has_auto = true, .low = 1e-150, .high = 1e150,                     \
        .initial = OPTION_AUTO, .help = "l, length scale of the kernel; auto: median distance in the subsample",       \
        SETTING(kernel_scale)                                                                                          \
    }
#define SETTING_KERNEL_ORDER                                                                                           \
    {                                                                                                                  \
        .name = "kernel-order", .type = CKAM_REAL, .open_low = true, .low = 1, .high = KERNEL_ORDER_MAX, .initial = 4, \
        .help = "v, order of the matern kernel", SETTING(kernel_order)                                                 \
    }
#define SETTING_NOISE                                                                                                  \
    {                                                                                                                  \
        .name = "noise", .type = CKAM_REAL, .has_auto = true, .open_low = true, .low = 0, .high = LENGTH_MOST,         \
        .initial = OPTION_AUTO, .help = "gamma, isotropic part of a proposal, at the start of the horizon or cycle",   \
        SETTING(noise)                                                                                                 \
    }
#define SETTING_NOISE_END                                                                                              \
    {                                                                                                                  \
        .name = "noise-end", .type = CKAM_REAL, .has_auto = true, .open_low = true, .low = 0, .high = LENGTH_MOST,     \
        .initial = OPTION_AUTO, .help = "gamma at the end; auto: as at the start", SETTING(noise_end)                  \
    }
#define SETTING_NOISE_DECAY                                                                                            \
    {                                                                                                                  \
        .name = "noise-decay", .type = CKAM_REAL, .open_low = true, .low = 0, .high = 10, .initial = 0.55,             \
        .help = "how gamma falls: gamma_t = a (b+t)^-decay", SETTING(noise_decay)                                      \
    }
#define SETTING_REFRESH_HALF_LIFE                                                                                      \
    {                                                                                                                  \
        .name = "refresh-half-life", .type = CKAM_REAL, .open_low = true, .low = 0, .high = 1000, .initial = 0.2,      \
        .help = "half-life of the chance to redraw the subsample, as a fraction of the horizon or cycle",              \
        SETTING(refresh_half_life)                                                                                     \
    }
#define SETTING_CYCLE_LENGTH                                                                                           \
    {                                                                                                                  \
        .name = "cycle-length", .type = CKAM_COUNT, .low = 2, .high = COUNT_MOST, .initial = 1000,                     \
        .help = "L, iterations in a cycle", SETTING(cycle_length)                                                      \
    }
#define SETTING_POOL_EVERY                                                                                             \
    {                                                                                                                  \
        .name = "pool-every", .type = CKAM_COUNT, .low = 1, .high = 1000, .initial = 1,                                \
        .help = "how many times longer cycles are after the warm-up: chains learn from each other more rarely",        \
        SETTING(pool_every)                                                                                            \
    }
#define SETTING_EXPLORE                                                                                                \
    {                                                                                                                  \
        .name = "explore", .type = CKAM_REAL, .open_low = true, .open_high = true, .low = 0, .high = 1,                \
        .initial = 0.4, .help = "beta, part of a cycle that explores", SETTING(explore)                                \
    }
#define SETTING_TRANSITION                                                                                             \
    {                                                                                                                  \
        .name = "transition", .type = CKAM_CHOICE, .words = transition_words, .initial = TRANSITION_PLAIN,             \
        .help = "first step of a cycle's sampling phase", SETTING(transition)                                          \
    }
#define SETTING_COVARIANCE                                                                                             \
    {                                                                                                                  \
        .name = "covariance", .type = CKAM_CHOICE, .words = covariance_words, .initial = COVARIANCE_KERNEL,            \
        .help = "what shapes proposals: kernel gradients, or the covariance of all past draws", SETTING(covariance)    \
    }
#define SETTING_WARMUP                                                                                                 \
    {                                                                                                                  \
        .name = "warmup", .type = CKAM_COUNT, .low = 0, .high = COUNT_MOST, .initial = 1000,                           \
        .help = "iterations at the start that give no draws", SETTING(warmup)                                          \
    }
#define SETTING_WARMUP_AUTO                                                                                            \
    {                                                                                                                  \
        .name = "warmup", .type = CKAM_COUNT, .has_auto = true, .low = 1, .high = COUNT_MOST, .initial = OPTION_AUTO,  \
        .help = "iterations at the start that give no draws; auto: 2000 + 250 dim, at most half of the horizon, and "  \
                "longer while the search for modes goes on",                                                           \
        SETTING(warmup)                                                                                                \
    }

#endif
