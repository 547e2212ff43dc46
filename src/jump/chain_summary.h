/* chain_summary.h - what a chain of jump brings to the end of a cycle, so that all can learn from it.
 *
 * Chains of one process are looked at where they are. A chain of another process comes as bytes, which say the same: what is
 * learned does not depend on where chains are. The more chains there are, the fewer rows each of them brings. */
#ifndef CKAM_JUMP_CHAIN_SUMMARY_H
#define CKAM_JUMP_CHAIN_SUMMARY_H

#include "jump/jump.h"

/* The plan and the memory of a group of chains: components 0 .. count-1 of q, and the retired ones. */
typedef struct group_memory {
    const jump_plan *plan;
    size_t           count, retired;
    uint64_t         last_mode;
    double           log_z, degrees;
    const component *at;
    const double    *mean, *factor;
} group_memory;

typedef struct chain_summary {
    size_t            components;
    const jump_tally *tally;         /* of so many components; what follows in `at` is not to be looked at */
    const double     *mean, *factor; /* where the chain has settled; looked at after that stage */
    double            step;
    size_t            candidates;
    const candidate  *candidate; /* that searches of the chain found */
    const double     *candidate_mean, *candidate_factor;
    row_block         rows;
    group_memory      memory; /* where groups join: that of the first chain of each; else no plan */
} chain_summary;

/* At the end of a cycle: iterations so far, and whether split and merge are tried. */
uint64_t jump_iterations(const jump_state *s);
bool     jump_tries_structure(const jump_state *s);
/* Whether the two groups of chains, separate so far, share one memory from here on: after half of the warm-up. */
bool jump_groups_join(const jump_state *s);

/* Borrowed from the chain number `index` of `total`. */
chain_summary chain_summary_of(jump_state *s, size_t index, size_t total);
/* As bytes; returns how many. bytes == NULL: only that. */
size_t chain_summary_pack(const chain_summary *summary, const jump_state *s, void *bytes);
/* Borrowed from the bytes, which are aligned as a double; `s`: any chain of the pool that is there. */
chain_summary chain_summary_unpack(const jump_state *s, void *bytes);

#endif
