/* crowd.h - pooled chains of jump in one process, and what each brings to the end of a cycle. */
#ifndef CKAM_BENCH_CROWD_H
#define CKAM_BENCH_CROWD_H

#include "chain/chain.h"
#include "jump/chain_summary.h"

typedef struct crowd {
    ckam_chain **chain;
    size_t       count;
} crowd;

/* Seed 1; `spec` is that of the sampler; `start` that of all chains, NULL: random. */
crowd crowd_create(const ckam_target *target, const char *spec, const double *start, size_t count, uint64_t horizon);
void  crowd_free(crowd *c);
/* To the end of a cycle; then the chains learn from each other. */
void crowd_go(crowd *c);
void crowd_pool(crowd *c);

jump_state *crowd_state(const crowd *c, size_t index);
explorer   *crowd_explorer(const crowd *c, size_t index);
/* Components of the memory. */
size_t crowd_components(const crowd *c);
/* What a chain brings, in bytes, by the formula. */
size_t crowd_summary_bytes(const crowd *c, size_t index);

#endif
