/* peer.h - other people's samplers, each in a process that is asked in lines and answers with raw doubles.
 *
 * They are started once. Each times its own sampling by its own clock, so neither its start nor what it writes counts. */
#ifndef CKAM_BENCH_PEER_H
#define CKAM_BENCH_PEER_H

#include "score.h"

#include <stdint.h>

typedef struct peer peer;

/* emcee under Debian's Python; mcmc::metrop under R. stop() where a package is missing. */
peer *peer_emcee(void);
peer *peer_metrop(void);
void  peer_close(peer *p);

/* The log density, up to a constant, as the peer's script has it. */
double peer_density(peer *p, const char *target, size_t dim, const double *x);
/* Runs the sampler. `how` is the word that its script has for its settings. sample_free() the result. */
sample peer_run(peer *p, const char *target, const char *how, uint64_t seed, uint64_t evaluations, size_t dim,
                const double *start);

#endif
