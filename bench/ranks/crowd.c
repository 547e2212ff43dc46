/* crowd.c - see crowd.h. The formula is written here a second time, on purpose: it is held against what is sent. */
#include "crowd.h"

#include "measure.h"

#include <math.h>
#include <stdlib.h>

crowd crowd_create(const ckam_target *target, const char *spec, const double *start, size_t count, uint64_t horizon) {
    crowd         c = {take(count * sizeof(ckam_chain *)), count};
    ckam_options *options;
    ckam_error    error;
    ckam_setup    setup = {
           .target = target, .start = start, .seed = 1, .horizon = horizon, .pooled = true, .chains = count};
    if (ckam_options_create(&options, spec, &error)) stop(error.message);
    setup.options = options;
    for (; setup.chain < count; setup.chain++)
        if (ckam_chain_create(&c.chain[setup.chain], &setup, &error)) stop(error.message);
    ckam_options_free(options);
    return c;
}

void crowd_free(crowd *c) {
    for (size_t i = 0; i < c->count; i++) ckam_chain_free(c->chain[i]);
    free(c->chain);
}

void crowd_go(crowd *c) {
    ckam_step step;
    for (size_t i = 0; i < c->count; i++)
        while (!ckam_chain_waits(c->chain[i]))
            if (ckam_chain_step(c->chain[i], &step)) stop(ckam_chain_error(c->chain[i])->message);
}

void crowd_pool(crowd *c) {
    ckam_error error;
    if (ckam_chain_pool(c->chain, c->count, &error)) stop(error.message);
}

jump_state *crowd_state(const crowd *c, size_t index) {
    chain_state *s = c->chain[index]->state;
    return (jump_state *)(void *)block_at(s, s->sampler);
}

explorer *crowd_explorer(const crowd *c, size_t index) {
    jump_state *s = crowd_state(c, index);
    return jump_explorer(s);
}

size_t crowd_components(const crowd *c) {
    jump_state *s = crowd_state(c, 0);
    return jump_mixture(s)->count;
}

/* At most so many rows of all chains together. */
static double rows_most(double dim, double components, bool structure) {
    double each = 64.0 * components * (1.0 + dim + dim * (dim + 1.0) / 2.0);
    return structure || each > 4096.0 ? 4096.0 : each < 1024.0 ? 1024.0 : each;
}

static size_t rows_of(const crowd *c, size_t index) {
    jump_state *s = crowd_state(c, index);
    size_t      had = s->history.count, count = 0;
    size_t most = (size_t)rows_most((double)s->settle.now.dim, (double)crowd_components(c), jump_tries_structure(s));
    if (jump_iterations(s) < s->settle.now.warmup) had -= had / 2; /* the later half of them */
    size_t every = c->count * had / (most + 1) + 1;
    if (every > had)
        return fmod((double)index * 0.61803398874989485, 1.0) * (double)every < (double)had; /* one, or none */
    for (size_t i = 0; i < had; i++) count += (i + index) % every == 0;
    return count;
}

size_t crowd_summary_bytes(const crowd *c, size_t index) {
    const jump_state *s = crowd_state(c, index);
    size_t            d = s->settle.now.dim, numbers = 3 + 12 + 6 * crowd_components(c);
    if (s->stage == STAGE_SETTLE) numbers += d + d * d;
    numbers += crowd_explorer(c, index)->candidates * (2 + d + d * d) + rows_of(c, index) * (d + 2);
    return 8 * numbers + 8; /* its size stands before it */
}
