/* comm.h - a run over several processes: which rank has which chains, and the collective operations between ranks.
 *
 * Each rank has a block of the chains, run->first to run->last - 1; rank 0 also keeps what the other ranks reported of their chains.
 * Every function that exchanges data is collective: all ranks call it, in the same order, and decide from the same values. Without
 * a communicator (run->comm is NULL) there is one rank, and nothing is exchanged. */
#ifndef CKAM_RUN_COMM_H
#define CKAM_RUN_COMM_H

#include "run/run.h"

/* Fills run->comm. Fails on all ranks if one has no memory; `run` is NULL on a rank that could not allocate it. */
ckam_status comm_begin(ckam_run *run, const ckam_comm *comm, ckam_error *error);
/* Fills run->first and last; the plan is known. */
ckam_status comm_assign_chains(ckam_run *run, ckam_error *error);
void        comm_end(ckam_run *run);
size_t      comm_size(const ckam_run *run);
bool        comm_is_root(const ckam_run *run);
/* The first chain of a rank; comm_first_chain(run, comm_size(run)) is the number of chains. */
size_t comm_first_chain(const ckam_run *run, size_t rank);

/* `mine` of every rank, in the order of ranks; valid until the next call of a function of this file. */
enum { COMM_ALLGATHER_MOST = 512 }; /* bytes */
const void *comm_allgather(ckam_run *run, const void *mine, size_t size);
/* Copies `bytes` of rank 0 to all ranks. */
enum { COMM_BROADCAST_MOST = 8192 };
void comm_broadcast(ckam_run *run, void *bytes, size_t size);
/* Minimum and maximum over the ranks. */
uint64_t comm_min(ckam_run *run, uint64_t mine);
uint64_t comm_max(ckam_run *run, uint64_t mine);
/* The failure of the lowest rank that failed, else the first status that is not CKAM_OK, else CKAM_OK: the same status and message
 * on all ranks. */
ckam_status comm_agree(ckam_run *run, ckam_status status, ckam_error *error);

/* Gathers `size` bytes per chain, for the chains from .. to - 1, on rank 0; `mine` has those of this rank. Returns `all` on rank 0, or
 * `mine` without a communicator; NULL on other ranks, whose `all` is NULL. */
const void *comm_gather_chains(ckam_run *run, const void *mine, size_t size, size_t from, size_t to, void *all);
/* Gathers on rank 0 what the others' chains report: kept, shown, counts, faults. */
void comm_gather_progress(ckam_run *run);
/* The same for their draws in memory. */
ckam_status comm_gather_stores(ckam_run *run, ckam_error *error);
/* Pools the adaptation of all chains, each of which waits at the end of a cycle; `own` are those of this rank. */
ckam_status comm_pool_chains(ckam_run *run, ckam_chain *const *own, ckam_error *error);

#endif
