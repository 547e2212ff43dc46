/* crew.c - see crew.h. */
#include "run/crew.h"

#include "base/error.h"
#include "chain/chain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is told of a lane. */
typedef struct lane_news {
    bool                still; /* then also: */
    struct lane_kept    kept;
    ckam_chain_progress shown;
    ckam_counts         counts;
    uint64_t            faults, nans, outside;
} lane_news;

/* Room for what is said. */
struct crew_talk {
    size_t    *sizes; /* a number a process */
    void      *board; /* what they have said last */
    lane_news *news;  /* of the own lanes, and behind them, in the first process, of all */
    double    *stores, *all_stores;
    char      *mine, *all; /* offers */
    size_t     room;       /* for offers, in bytes */
};

/* The first rank that has no room to talk, or the number of ranks. What is told is on the stack: that rank has nothing else. */
static size_t find_silent(const ckam_crew *crew, bool has_room) {
    size_t sizes[crew->size], first = 0;
    bool   all[crew->size];
    for (size_t r = 0; r < crew->size; r++) sizes[r] = sizeof has_room;
    crew->gather(crew->context, &has_room, sizes, all, true);
    while (first < crew->size && all[first]) first++;
    return first;
}

ckam_status crew_begin(ckam_run *run, const ckam_crew *crew, ckam_error *error) {
    if (!crew || crew->size < 2)
        return run ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a run");
    if (crew->rank >= crew->size || !crew->neighbours || !crew->gather)
        return fail_with(
            error, CKAM_ERROR_ARGUMENT,
            "the crew has the rank %zu of %zu, %zu neighbours and %s function to gather; ranks count from 0, and "
            "a process is its own neighbour",
            crew->rank, crew->size, crew->neighbours, crew->gather ? "a" : "no");
    struct crew_talk *talk = run ? calloc(1, sizeof *talk) : NULL;
    if (run) run->talk = talk;
    if (talk) talk->sizes = calloc(crew->size, sizeof *talk->sizes);
    if (talk) talk->board = malloc(crew->size * CREW_MOST + CREW_TEXT);
    size_t silent = find_silent(crew, talk && talk->sizes && talk->board);
    if (!run || silent < crew->size)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a run of %zu processes (rank %zu)",
                         crew->size, silent);
    run->crew = crew;
    return CKAM_OK;
}

ckam_status crew_deal(ckam_run *run, ckam_error *error) {
    size_t rank = run->crew ? run->crew->rank : 0;
    run->first = crew_first(run, rank);
    run->last = crew_first(run, rank + 1);
    if (!run->crew) return CKAM_OK;
    size_t lanes = run->last - run->first + (crew_is_first(run) ? (size_t)run->plan->run.chains : 0);
    run->talk->news = calloc(lanes + 1, sizeof *run->talk->news);
    if (run->talk->news) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to follow %zu chains", lanes);
}

void crew_end(ckam_run *run) {
    struct crew_talk *t = run->talk;
    if (!t) return;
    free(t->sizes);
    free(t->board);
    free(t->news);
    free(t->stores);
    free(t->all_stores);
    free(t->mine);
    free(t->all);
    free(t);
}

size_t crew_size(const ckam_run *run) { return run->crew ? run->crew->size : 1; }

bool crew_is_first(const ckam_run *run) { return !run->crew || run->crew->rank == 0; }

/* The first ranks have one more where they do not come out even. */
size_t crew_first(const ckam_run *run, size_t rank) {
    size_t chains = (size_t)run->plan->run.chains, size = crew_size(run), more = chains % size;
    return rank * (chains / size) + (rank < more ? rank : more);
}

/* -- Telling each other ------------------------------------------------------------------------------------------- */

/* As many bytes of each rank as run->talk->sizes says. */
static void gather(ckam_run *run, const void *mine, void *all, bool everywhere) {
    run->crew->gather(run->crew->context, mine, run->talk->sizes, all, everywhere);
}

const void *crew_share(ckam_run *run, const void *mine, size_t size) {
    if (!run->crew) return mine;
    for (size_t r = 0; r < run->crew->size; r++) run->talk->sizes[r] = size;
    gather(run, mine, run->talk->board, true);
    return run->talk->board;
}

void crew_tell(ckam_run *run, void *bytes, size_t size) {
    if (!run->crew) return;
    memset(run->talk->sizes, 0, run->crew->size * sizeof *run->talk->sizes);
    run->talk->sizes[0] = size;
    gather(run, bytes, run->talk->board, true);
    memcpy(bytes, run->talk->board, size);
}

uint64_t crew_most(ckam_run *run, uint64_t mine) {
    const uint64_t *all = crew_share(run, &mine, sizeof mine);
    uint64_t        most = 0;
    for (size_t r = 0; r < crew_size(run); r++) most = all[r] > most ? all[r] : most;
    return most;
}

uint64_t crew_least(ckam_run *run, uint64_t mine) { return UINT64_MAX - crew_most(run, UINT64_MAX - mine); }

/* What failed in the same way everywhere is no matter of a rank. */
static bool is_common(const ckam_run *run, const ckam_error *all) {
    for (size_t r = 0; r < run->crew->size; r++)
        if (all[r].status != all[0].status || strcmp(all[r].message, all[0].message) != 0) return false;
    return true;
}

ckam_status crew_agree(ckam_run *run, ckam_status status, ckam_error *error) {
    ckam_error mine = {status, ""};
    if (!run->crew) return status;
    _Static_assert(sizeof mine <= CREW_MOST, "a message is told at once");
    if (status && error) memcpy(mine.message, error->message, sizeof mine.message);
    const ckam_error *all = crew_share(run, &mine, sizeof mine);
    if (is_common(run, all)) return status;
    size_t first = 0; /* that failed, or else that stopped */
    while (first < run->crew->size && all[first].status >= 0) first++;
    if (first == run->crew->size)
        for (first = 0; !all[first].status;) first++;
    return fail_with(error, all[first].status, "%.*s (rank %zu)", (int)sizeof mine.message - 16, all[first].message,
                     first);
}

/* -- Chains ------------------------------------------------------------------------------------------------------- */

static size_t within(size_t x, size_t low, size_t high) { return x < low ? low : x > high ? high : x; }

const void *crew_collect(ckam_run *run, const void *mine, size_t size, size_t from, size_t to, void *all) {
    if (!run->crew) return mine;
    for (size_t r = 0; r < run->crew->size; r++) {
        size_t first = within(from, crew_first(run, r), crew_first(run, r + 1));
        run->talk->sizes[r] = (within(to, first, crew_first(run, r + 1)) - first) * size;
    }
    gather(run, mine, all, false);
    return all;
}

void crew_report(ckam_run *run) {
    size_t own = run->last - run->first;
    if (!run->crew) return;
    lane_news *mine = run->talk->news, *all = mine + own;
    pthread_mutex_lock(&run->lock);
    for (size_t i = 0; i < own; i++) {
        const lane *l = &run->lanes[run->first + i];
        mine[i] = (lane_news){.still = !l->busy,
                              .shown = l->shown,
                              .counts = l->counts,
                              .faults = l->faults,
                              .nans = l->nans,
                              .outside = l->outside};
        if (!l->busy) mine[i].kept = l->kept;
    }
    pthread_mutex_unlock(&run->lock);
    crew_collect(run, mine, sizeof *mine, 0, (size_t)run->plan->run.chains, crew_is_first(run) ? all : NULL);
    for (size_t i = run->last; crew_is_first(run) && i < run->plan->run.chains; i++) {
        lane *l = &run->lanes[i];
        if (all[i].still) l->kept = all[i].kept;
        l->shown = all[i].shown;
        l->counts = all[i].counts;
        l->faults = all[i].faults;
        l->nans = all[i].nans;
        l->outside = all[i].outside;
        l->evaluations = all[i].counts.evaluations;
    }
}

/* What each process says in the next gathering, from their own sizes. */
static size_t agree_on_sizes(ckam_run *run, size_t mine) {
    const size_t *all = crew_share(run, &mine, sizeof mine);
    size_t        total = 0;
    for (size_t r = 0; r < run->crew->size; r++) total += run->talk->sizes[r] = all[r];
    return total;
}

/* -- Stores ------------------------------------------------------------------------------------------------------- */

/* For what stores may come to hold; it is used as far as they do. */
static bool take_store_room(ckam_run *run) {
    struct crew_talk *t = run->talk;
    size_t            each = run->last > run->first ? store_packed_most(&run->lanes[run->first].store) : 1;
    t->stores = malloc((run->last - run->first + 1) * each * sizeof *t->stores);
    t->all_stores = crew_is_first(run) ? malloc((size_t)run->plan->run.chains * each * sizeof *t->stores) : NULL;
    return t->stores && (t->all_stores || !crew_is_first(run));
}

/* The stores of the others are copies, which only this changes. */
ckam_status crew_stores(ckam_run *run, ckam_error *error) {
    struct crew_talk *t = run->talk;
    size_t            count = 0;
    if (!run->crew) return CKAM_OK;
    if (!t->stores) {
        ckam_status status = take_store_room(run) ? CKAM_OK : CKAM_ERROR_MEMORY;
        if (status) fail_with(error, status, "there is no memory to follow %zu processes", run->crew->size);
        status = crew_agree(run, status, error);
        if (status) { /* the next time all try again */
            free(t->stores);
            free(t->all_stores);
            t->stores = t->all_stores = NULL;
            return status;
        }
    }
    for (size_t i = run->first; i < run->last; i++) count += store_pack(&run->lanes[i].store, t->stores + count);
    agree_on_sizes(run, count * sizeof *t->stores);
    gather(run, t->stores, t->all_stores, false);
    if (!crew_is_first(run)) return CKAM_OK;
    count = t->sizes[0] / sizeof *t->stores;
    for (size_t i = run->last; i < run->plan->run.chains; i++)
        count += store_unpack(&run->lanes[i].store, t->all_stores + count);
    return CKAM_OK;
}

/* -- Pooling ------------------------------------------------------------------------------------------------------ */

/* Room for the offers, in all processes at the same time. */
static ckam_status reserve(ckam_run *run, size_t mine, ckam_error *error) {
    struct crew_talk *t = run->talk;
    size_t            total = agree_on_sizes(run, mine);
    if (total <= t->room) return CKAM_OK;
    free(t->mine);
    free(t->all);
    t->mine = malloc(total);
    t->all = malloc(total);
    t->room = total;
    ckam_status status = t->mine && t->all ? CKAM_OK : CKAM_ERROR_MEMORY;
    if (status) fail_with(error, status, "there is no memory for %zu bytes that the chains tell each other", total);
    status = crew_agree(run, status, error);
    if (status) t->room = 0;
    agree_on_sizes(run, mine); /* they were for that */
    return status;
}

/* An offer with its size before it. */
static size_t offer(const ckam_run *run, size_t index, char *place) {
    size_t size = chain_summarise(run->lanes[index].chain, index, (size_t)run->plan->run.chains,
                                  place ? place + sizeof size : NULL);
    if (place) memcpy(place, &size, sizeof size);
    return size + sizeof size;
}

static ckam_status learn(ckam_run *run, ckam_chain *const *own, ckam_error *error) {
    size_t chains = (size_t)run->plan->run.chains, size;
    void **offers = malloc(chains * sizeof *offers);
    char  *place = run->talk->all;
    if (!offers) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to pool %zu chains", chains);
    for (size_t i = 0; i < chains; i++) {
        memcpy(&size, place, sizeof size);
        offers[i] = place + sizeof size;
        place += sizeof size + size;
    }
    ckam_status status = chain_learn(own, run->last - run->first, offers, chains, error);
    free(offers);
    return status;
}

ckam_status crew_pool(ckam_run *run, ckam_chain *const *own, ckam_error *error) {
    double begun = clock_seconds();
    size_t size = 0;
    if (!run->crew) return ckam_chain_pool(own, run->last, error);
    for (size_t i = run->first; i < run->last; i++) size += offer(run, i, NULL);
    ckam_status status = reserve(run, size, error);
    if (status) return status;
    size = 0;
    for (size_t i = run->first; i < run->last; i++) size += offer(run, i, run->talk->mine + size);
    gather(run, run->talk->mine, run->talk->all, true);
    run->cost.pools++;
    for (size_t r = 0; r < run->crew->size; r++) run->cost.bytes += run->talk->sizes[r];
    run->cost.seconds += clock_seconds() - begun;
    return run->first < run->last ? learn(run, own, error) : CKAM_OK;
}
