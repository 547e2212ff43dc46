/* comm.c - see comm.h. */
#include "run/comm.h"

#include "base/error.h"
#include "chain/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What a rank reports of one chain. */
typedef struct chain_report {
    bool                still; /* then also: */
    struct chain_kept   kept;
    ckam_chain_progress shown;
    ckam_counts         counts;
    uint64_t            faults, nans, outside;
} chain_report;

/* Send and receive buffers. */
struct comm_buffers {
    size_t       *sizes;    /* one per rank */
    void         *received; /* of the last allgather or broadcast */
    chain_report *reports;  /* of the own chains; on rank 0 followed by those of all chains */
    double       *stores, *all_stores;
    char         *mine, *all; /* summaries */
    size_t        room;       /* for summaries, in bytes */
};

/* The first rank that could not allocate its buffers, or the number of ranks. Uses the stack: that rank has nothing else. */
static size_t find_rank_without_memory(const ckam_comm *comm, bool is_allocated) {
    size_t sizes[comm->size], first = 0;
    bool   all[comm->size];
    for (size_t r = 0; r < comm->size; r++) sizes[r] = sizeof is_allocated;
    comm->gather(comm->context, &is_allocated, sizes, all, true);
    while (first < comm->size && all[first]) first++;
    return first;
}

ckam_status comm_begin(ckam_run *run, const ckam_comm *comm, ckam_error *error) {
    if (!comm || comm->size < 2)
        return run ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a run");
    if (comm->rank >= comm->size || !comm->neighbours || !comm->gather)
        return fail_with(
            error, CKAM_ERROR_ARGUMENT,
            "the communicator has rank %zu of %zu, %zu neighbours and %s function to gather; ranks count from 0, and "
            "a process is its own neighbour",
            comm->rank, comm->size, comm->neighbours, comm->gather ? "a" : "no");
    struct comm_buffers *buffers = run ? calloc(1, sizeof *buffers) : NULL;
    if (run) run->buffers = buffers;
    if (buffers) buffers->sizes = calloc(comm->size, sizeof *buffers->sizes);
    if (buffers) buffers->received = malloc(comm->size * COMM_ALLGATHER_MOST + COMM_BROADCAST_MOST);
    size_t failed = find_rank_without_memory(comm, buffers && buffers->sizes && buffers->received);
    if (!run || failed < comm->size)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a run of %zu processes (rank %zu)",
                         comm->size, failed);
    run->comm = comm;
    return CKAM_OK;
}

ckam_status comm_assign_chains(ckam_run *run, ckam_error *error) {
    size_t rank = run->comm ? run->comm->rank : 0;
    run->first = comm_first_chain(run, rank);
    run->last = comm_first_chain(run, rank + 1);
    if (!run->comm) return CKAM_OK;
    size_t count = run->last - run->first + (comm_is_root(run) ? (size_t)run->plan->run.chains : 0);
    run->buffers->reports = calloc(count + 1, sizeof *run->buffers->reports);
    if (run->buffers->reports) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to follow %zu chains", count);
}

void comm_end(ckam_run *run) {
    struct comm_buffers *t = run->buffers;
    if (!t) return;
    free(t->sizes);
    free(t->received);
    free(t->reports);
    free(t->stores);
    free(t->all_stores);
    free(t->mine);
    free(t->all);
    free(t);
}

size_t comm_size(const ckam_run *run) { return run->comm ? run->comm->size : 1; }

bool comm_is_root(const ckam_run *run) { return !run->comm || run->comm->rank == 0; }

/* The first ranks have one more where the number of ranks does not divide that of chains. */
size_t comm_first_chain(const ckam_run *run, size_t rank) {
    size_t chains = (size_t)run->plan->run.chains, size = comm_size(run), more = chains % size;
    return rank * (chains / size) + (rank < more ? rank : more);
}

/* -- Collective operations ---------------------------------------------------------------------------------------- */

/* Gathers run->buffers->sizes[r] bytes of each rank r. */
static void gather(ckam_run *run, const void *mine, void *all, bool everywhere) {
    run->comm->gather(run->comm->context, mine, run->buffers->sizes, all, everywhere);
}

const void *comm_allgather(ckam_run *run, const void *mine, size_t size) {
    if (!run->comm) return mine;
    for (size_t r = 0; r < run->comm->size; r++) run->buffers->sizes[r] = size;
    gather(run, mine, run->buffers->received, true);
    return run->buffers->received;
}

void comm_broadcast(ckam_run *run, void *bytes, size_t size) {
    if (!run->comm) return;
    memset(run->buffers->sizes, 0, run->comm->size * sizeof *run->buffers->sizes);
    run->buffers->sizes[0] = size;
    gather(run, bytes, run->buffers->received, true);
    memcpy(bytes, run->buffers->received, size);
}

uint64_t comm_max(ckam_run *run, uint64_t mine) {
    const uint64_t *all = comm_allgather(run, &mine, sizeof mine);
    uint64_t        most = 0;
    for (size_t r = 0; r < comm_size(run); r++) most = all[r] > most ? all[r] : most;
    return most;
}

uint64_t comm_min(ckam_run *run, uint64_t mine) { return UINT64_MAX - comm_max(run, UINT64_MAX - mine); }

/* A failure that is the same on all ranks is reported without a rank. */
static bool is_same_everywhere(const ckam_run *run, const ckam_error *all) {
    for (size_t r = 0; r < run->comm->size; r++)
        if (all[r].status != all[0].status || strcmp(all[r].message, all[0].message) != 0) return false;
    return true;
}

ckam_status comm_agree(ckam_run *run, ckam_status status, ckam_error *error) {
    ckam_error mine = {status, ""};
    if (!run->comm) return status;
    _Static_assert(sizeof mine <= COMM_ALLGATHER_MOST, "one allgather carries a message");
    if (status && error) memcpy(mine.message, error->message, sizeof mine.message);
    const ckam_error *all = comm_allgather(run, &mine, sizeof mine);
    if (is_same_everywhere(run, all)) return status;
    size_t first = 0; /* that failed, or else that stopped */
    while (first < run->comm->size && all[first].status >= 0) first++;
    if (first == run->comm->size)
        for (first = 0; !all[first].status;) first++;
    return fail_with(error, all[first].status, "%.*s (rank %zu)", (int)sizeof mine.message - 16, all[first].message,
                     first);
}

/* -- Chains ------------------------------------------------------------------------------------------------------- */

static size_t within(size_t x, size_t low, size_t high) { return x < low ? low : x > high ? high : x; }

const void *comm_gather_chains(ckam_run *run, const void *mine, size_t size, size_t from, size_t to, void *all) {
    if (!run->comm) return mine;
    for (size_t r = 0; r < run->comm->size; r++) {
        size_t first = within(from, comm_first_chain(run, r), comm_first_chain(run, r + 1));
        run->buffers->sizes[r] = (within(to, first, comm_first_chain(run, r + 1)) - first) * size;
    }
    gather(run, mine, all, false);
    return all;
}

void comm_gather_progress(ckam_run *run) {
    size_t own = run->last - run->first;
    if (!run->comm) return;
    chain_report *mine = run->buffers->reports, *all = mine + own;
    pthread_mutex_lock(&run->lock);
    for (size_t i = 0; i < own; i++) {
        const run_chain *c = &run->chains[run->first + i];
        mine[i] = (chain_report){.still = !c->busy,
                                 .shown = c->shown,
                                 .counts = c->counts,
                                 .faults = c->faults,
                                 .nans = c->nans,
                                 .outside = c->outside};
        if (!c->busy) mine[i].kept = c->kept;
    }
    pthread_mutex_unlock(&run->lock);
    comm_gather_chains(run, mine, sizeof *mine, 0, (size_t)run->plan->run.chains, comm_is_root(run) ? all : NULL);
    for (size_t i = run->last; comm_is_root(run) && i < run->plan->run.chains; i++) {
        run_chain *c = &run->chains[i];
        if (all[i].still) c->kept = all[i].kept;
        c->shown = all[i].shown;
        c->counts = all[i].counts;
        c->faults = all[i].faults;
        c->nans = all[i].nans;
        c->outside = all[i].outside;
        c->evaluations = all[i].counts.evaluations;
    }
}

/* Sets the sizes of the next gather from what each rank will send; returns their sum. */
static size_t allgather_sizes(ckam_run *run, size_t mine) {
    const size_t *all = comm_allgather(run, &mine, sizeof mine);
    size_t        total = 0;
    for (size_t r = 0; r < run->comm->size; r++) total += run->buffers->sizes[r] = all[r];
    return total;
}

/* -- Stores ------------------------------------------------------------------------------------------------------- */

/* Allocated for full stores; a gather sends only what they hold. */
static bool take_store_room(ckam_run *run) {
    struct comm_buffers *t = run->buffers;
    size_t               each = run->last > run->first ? store_packed_most(&run->chains[run->first].store) : 1;
    t->stores = malloc((run->last - run->first + 1) * each * sizeof *t->stores);
    t->all_stores = comm_is_root(run) ? malloc((size_t)run->plan->run.chains * each * sizeof *t->stores) : NULL;
    return t->stores && (t->all_stores || !comm_is_root(run));
}

/* Rank 0's stores for the chains of other ranks are copies, written only here. */
ckam_status comm_gather_stores(ckam_run *run, ckam_error *error) {
    struct comm_buffers *t = run->buffers;
    size_t               count = 0;
    if (!run->comm) return CKAM_OK;
    if (!t->stores) {
        ckam_status status = take_store_room(run) ? CKAM_OK : CKAM_ERROR_MEMORY;
        if (status) fail_with(error, status, "there is no memory to follow %zu processes", run->comm->size);
        status = comm_agree(run, status, error);
        if (status) { /* the next call tries again on all ranks */
            free(t->stores);
            free(t->all_stores);
            t->stores = t->all_stores = NULL;
            return status;
        }
    }
    for (size_t i = run->first; i < run->last; i++) count += store_pack(&run->chains[i].store, t->stores + count);
    allgather_sizes(run, count * sizeof *t->stores);
    gather(run, t->stores, t->all_stores, false);
    if (!comm_is_root(run)) return CKAM_OK;
    count = t->sizes[0] / sizeof *t->stores;
    for (size_t i = run->last; i < run->plan->run.chains; i++)
        count += store_unpack(&run->chains[i].store, t->all_stores + count);
    return CKAM_OK;
}

/* -- Pooling ------------------------------------------------------------------------------------------------------ */

/* Allocates the buffers for the summaries, on all ranks at the same time. */
static ckam_status reserve(ckam_run *run, size_t mine, ckam_error *error) {
    struct comm_buffers *t = run->buffers;
    size_t               total = allgather_sizes(run, mine);
    if (total <= t->room) return CKAM_OK;
    free(t->mine);
    free(t->all);
    t->mine = malloc(total);
    t->all = malloc(total);
    t->room = total;
    ckam_status status = t->mine && t->all ? CKAM_OK : CKAM_ERROR_MEMORY;
    if (status) fail_with(error, status, "there is no memory for %zu bytes to pool the chains", total);
    status = comm_agree(run, status, error);
    if (status) t->room = 0;
    allgather_sizes(run, mine); /* comm_agree() has set other sizes */
    return status;
}

/* The summary of a chain, with its size before it. */
static size_t summarise(const ckam_run *run, size_t index, char *place) {
    size_t size = chain_summarise(run->chains[index].chain, index, (size_t)run->plan->run.chains,
                                  place ? place + sizeof size : NULL);
    if (place) memcpy(place, &size, sizeof size);
    return size + sizeof size;
}

static ckam_status learn(ckam_run *run, ckam_chain *const *own, ckam_error *error) {
    size_t chains = (size_t)run->plan->run.chains, size;
    void **summaries = malloc(chains * sizeof *summaries);
    char  *place = run->buffers->all;
    if (!summaries) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to pool %zu chains", chains);
    for (size_t i = 0; i < chains; i++) {
        memcpy(&size, place, sizeof size);
        summaries[i] = place + sizeof size;
        place += sizeof size + size;
    }
    ckam_status status = chain_learn(own, run->last - run->first, summaries, chains, error);
    free(summaries);
    return status;
}

ckam_status comm_pool_chains(ckam_run *run, ckam_chain *const *own, ckam_error *error) {
    double begun = clock_seconds();
    size_t size = 0;
    if (!run->comm) return ckam_chain_pool(own, run->last, error);
    for (size_t i = run->first; i < run->last; i++) size += summarise(run, i, NULL);
    ckam_status status = reserve(run, size, error);
    if (status) return status;
    size = 0;
    for (size_t i = run->first; i < run->last; i++) size += summarise(run, i, run->buffers->mine + size);
    gather(run, run->buffers->mine, run->buffers->all, true);
    run->cost.pools++;
    for (size_t r = 0; r < run->comm->size; r++) run->cost.bytes += run->buffers->sizes[r];
    run->cost.seconds += clock_seconds() - begun;
    return run->first < run->last ? learn(run, own, error) : CKAM_OK;
}
