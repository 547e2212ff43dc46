/* chain.h - inside a ckam_chain: one flat block with all state that changes, and the constant settings. */
#ifndef CKAM_CHAIN_CHAIN_H
#define CKAM_CHAIN_CHAIN_H

#include "sampler/sampler.h"
#include "sampler/scale.h"

/* options.c: the sampler and the values of its options. */
struct ckam_options {
    const sampler    *sampler;
    const ckam_entry *entry; /* its name and table */
    settings         *values;
};

enum { OPTION_ROOM = 40 };
/* The first option in which values of the same sampler differ, with both as text; NULL if they are the same. */
const char *options_difference(const ckam_options *ours, const void *theirs, char ours_text[OPTION_ROOM],
                               char theirs_text[OPTION_ROOM]);

/* The head of the block; the sampler's state follows it. */
typedef struct chain_state {
    rng          rng;
    uint64_t     evaluations, draws;
    ckam_phase   phase; /* START, SCALE, or SAMPLE for all that the sampler does */
    bool         asked; /* a point was asked and is not yet told */
    bool         random_start;
    uint64_t     tries;       /* of random starts */
    double       log_density; /* at the start */
    scale_search scale;
    size_t       start, point, direction; /* offsets: dim numbers each */
    size_t       sampler;                 /* offset of the sampler's state */
} chain_state;

struct ckam_chain {
    ckam_options options; /* a copy of its own */
    blueprint    plan;
    ckam_target  target;
    bool         pooled;
    size_t       size; /* of the block, in bytes */
    void        *room; /* in which the block is */
    chain_state *state;
    uint64_t     nans; /* evaluations that gave NaN, since the chain was created: no part of a snapshot */
    ckam_error   error;
};

/* The state of the chain and its log density, once it has one; false before that. Borrowed until the next step. */
bool chain_point(const ckam_chain *chain, const double **x, double *log_density);

/* How the search for modes went, and its modes as known from the beginning of the draws; see sampler.h. False for a sampler that has
 * no such search, and before it begins. */
bool chain_search(const ckam_chain *chain, search_counts *counts);
void chain_restart(ckam_chain *chain);
/* Iterations that give no draws: as planned, or as a sampler that prolongs them has decided so far. */
uint64_t chain_warmup(const ckam_chain *chain);
/* Evaluations that a chain needs for its first draw, if its start has a finite density and is easy to leave. */
uint64_t chain_first_draw(const ckam_options *options, size_t dim, uint64_t horizon);
/* Another horizon for a chain that has made no step. */
void chain_set_horizon(ckam_chain *chain, uint64_t horizon);
/* The first half of ckam_chain_found_late(), wherever the chains are in their cycle. */
bool chain_draws_are_late(ckam_chain *const *chains, size_t count);

/* ckam_chain_save() into room that is known to be as large as ckam_chain_snapshot_size() says: looking takes time. */
void chain_pack(const ckam_chain *chain, void *bytes);

/* The two halves of ckam_chain_pool() for chains that wait, in different processes. What a chain brings as number `index` of
 * `total`, as bytes; returns how many (bytes == NULL: only that). Then chains learn from all summaries, each aligned as a double,
 * which are changed; summaries == NULL: from each other. */
size_t      chain_summarise(ckam_chain *chain, size_t index, size_t total, void *bytes);
ckam_status chain_learn(ckam_chain *const *chains, size_t count, void *const *summaries, size_t total,
                        ckam_error *error);

#endif
