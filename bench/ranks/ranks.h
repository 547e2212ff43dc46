/* ranks.h - the parts of this program: what a run over several processes costs. */
#ifndef CKAM_BENCH_RANKS_H
#define CKAM_BENCH_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What mpirun ckam-mpi has written to run.json. */
typedef struct account {
    double   seconds, evaluations;
    uint64_t pools, bytes;
    double   pooling; /* seconds in which summaries are exchanged */
} account;

/* Whether there is an mpirun, and a ckam-mpi beside this program's folder; says so if not. */
bool job_possible(void);
/* A run with so many ranks of one thread each, seed 1, with these further arguments of `ckam sample`. */
account job_run(size_t ranks, const char *arguments);

/* What the network and the model are taken to be: see the head of forecast.c. */
typedef struct assumptions {
    double latency, bandwidth, nap, spread;
} assumptions;

/* The parts; false: a bar is missed, or bytes are not those of the formula. */
bool show_scaling(void);
bool show_bytes(void);
void show_forecast(const assumptions *assumed);

#endif
