/* crew.h - a run that several processes carry out: who has which chains, and what they tell each other.
 *
 * Chains are dealt in blocks, in the order of ranks. A process has the lanes run->first to run->last - 1; the first one also
 * keeps what it was told of the others, in their lanes. All processes come to each of these functions together, or none does; what they
 * decide by is the same for all. A run that is alone is a crew of one, and these functions then exchange nothing. */
#ifndef CKAM_RUN_CREW_H
#define CKAM_RUN_CREW_H

#include "run/run.h"

/* Fills run->crew; or fails in all processes, where one has no memory: `run` is NULL there, or nothing is left to tell others with. */
ckam_status crew_begin(ckam_run *run, const ckam_crew *crew, ckam_error *error);
/* Fills run->first and last, when the plan is known. */
ckam_status crew_deal(ckam_run *run, ckam_error *error);
void        crew_end(ckam_run *run);
size_t      crew_size(const ckam_run *run);
bool        crew_is_first(const ckam_run *run);
/* The first chain of a rank; that of the rank behind the last is the number of chains. */
size_t crew_first(const ckam_run *run, size_t rank);

/* What each process has in `mine`, in the order of ranks; until the next call of a function of this file. */
enum { CREW_MOST = 512 }; /* bytes */
const void *crew_share(ckam_run *run, const void *mine, size_t size);
/* What the first process has, to all. */
enum { CREW_TEXT = 8192 };
void crew_tell(ckam_run *run, void *bytes, size_t size);
/* Of all processes. */
uint64_t crew_least(ckam_run *run, uint64_t mine);
uint64_t crew_most(ckam_run *run, uint64_t mine);
/* The failure of the first process that has one, or what ended it in good order, or CKAM_OK: the same status and message
 * for all. */
ckam_status crew_agree(ckam_run *run, ckam_status status, ckam_error *error);

/* `size` bytes a chain, for the chains from .. to - 1: in `mine` those of this process. The first one gets all of them, in `all`, where
 * there is room, or in `mine` if it is alone; NULL for others, whose `all` is NULL. */
const void *crew_collect(ckam_run *run, const void *mine, size_t size, size_t from, size_t to, void *all);
/* The first process gets to know the lanes of all: kept, shown, counts, faults. */
void crew_report(ckam_run *run);
/* The same for their stores. */
ckam_status crew_stores(ckam_run *run, ckam_error *error);
/* Chains that all wait learn from each other; `own` are those of this process. */
ckam_status crew_pool(ckam_run *run, ckam_chain *const *own, ckam_error *error);

#endif
