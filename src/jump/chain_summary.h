/* chain_summary.h - the summary of one chain of jump at the end of a cycle, for pooled adaptation (adapt.c).
 *
 * The summary of a chain in this process points into its state, that of a chain in another process into the bytes it
 * sent. Both have the same values, so adaptation does not depend on how chains are distributed. The more chains, the
 * fewer rows each of them contributes. */
#ifndef CKAM_JUMP_CHAIN_SUMMARY_H
#define CKAM_JUMP_CHAIN_SUMMARY_H

#include "jump/jump.h"

/* The plan and the mixture of a group of chains: components 0 .. count-1 of q, and the retired ones. */
typedef struct group_mixture {
    const jump_plan *plan;
    size_t           count, retired;
    uint64_t         last_mode;
    double           log_z, degrees;
    const component *at;
    const double    *mean, *factor;
} group_mixture;

typedef struct chain_summary {
    size_t            components;
    const jump_tally *tally;         /* its `at` has so many components, and is not valid beyond */
    const double     *mean, *factor; /* of the walk before the first cycle; used at its end only */
    double            step;
    size_t            candidates;
    const candidate  *candidate; /* that searches of the chain found */
    const double     *candidate_mean, *candidate_factor;
    row_block         rows;
    group_mixture     mixture; /* where groups join, from the first chain of each; else its plan is NULL */
} chain_summary;

/* At the end of a cycle: iterations so far, and whether split and merge are tried. */
uint64_t jump_iterations(const jump_state *s);
bool     jump_tries_structure(const jump_state *s);
/* Whether the two groups of chains, separate so far, share one mixture from here on: after half of the warm-up. */
bool jump_groups_join(const jump_state *s);

/* Of chain number `index` of `total`; points into its state. */
chain_summary chain_summary_of(jump_state *s, size_t index, size_t total);
/* Packs a summary and returns the number of bytes; bytes == NULL: only that. */
size_t chain_summary_pack(const chain_summary *summary, const jump_state *s, void *bytes);
/* Points into the bytes, which are aligned as a double. s: any chain of the pool in this process. */
chain_summary chain_summary_unpack(const jump_state *s, void *bytes);

#endif
