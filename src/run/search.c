/* search.c - the state of the search for modes over all chains; discards draws made before a mode was found.
 *
 * Draws made without a mode are not draws from the target. So when a mode that carries weight is found after they began, they become
 * warm-up, and drawing begins anew. The files are consistent whenever the process is killed: rows are copied to the warm-up file
 * first, then the checkpoint counts them as gone, then they are cut off; what is in the files beyond the checkpoint is cut off when
 * the run goes on. */
#include "base/error.h"
#include "base/unseen.h"
#include "chain/chain.h"
#include "draws/draws.h"
#include "run/comm.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 16, NAME = 64 };

/* The search as the chains of one rank report it. */
typedef struct report {
    search_counts counts; /* of its first chain; recent, unvisited, draws and late of all */
    uint64_t      stuck;  /* chains that have no draws, or could make none after a restart */
} report;

static bool can_restart(const ckam_run *run, const run_chain *c) {
    bool evaluates = !run->plan->run.evals || c->evaluations < run->plan->run.evals;
    return c->kept.draws && evaluates && run_chain_rows_most(run, run_chain_spent(run, c)) > 0;
}

static report own_report(const ckam_run *run) {
    report r = {0};
    for (size_t i = run->first; i < run->last; i++) {
        search_counts c;
        if (!chain_search(run->chains[i].chain, &c)) continue;
        if (i == run->first) {
            r.counts = c;
        } else {
            r.counts.recent += c.recent;
            r.counts.recent_evaluations += c.recent_evaluations;
            r.counts.draws += c.draws;
            r.counts.late += c.late;
            r.counts.unvisited_share = fmax(r.counts.unvisited_share, c.unvisited_share);
        }
        r.stuck += !can_restart(run, &run->chains[i]);
    }
    return r;
}

void search_update(ckam_run *run) {
    _Static_assert(sizeof(report) <= COMM_ALLGATHER_MOST, "one allgather carries a report");
    const report  own = own_report(run), *all = comm_allgather(run, &own, sizeof own);
    search_counts c = all[0].counts;
    uint64_t      stuck = all[0].stuck;
    for (size_t r = 1; r < comm_size(run); r++) {
        c.recent += all[r].counts.recent;
        c.recent_evaluations += all[r].counts.recent_evaluations;
        c.draws += all[r].counts.draws;
        c.late += all[r].counts.late;
        c.unvisited_share = fmax(c.unvisited_share, all[r].counts.unvisited_share);
        stuck += all[r].stuck;
    }
    const uint64_t searches = c.searches + c.recent;
    run->search = (ckam_search){.searches = searches,
                                .evaluations = c.evaluations + c.recent_evaluations,
                                .modes = c.modes,
                                .once = c.once,
                                .twice = c.twice,
                                .probability = unseen_probability(c.once, searches),
                                .bound = unseen_bound(c.once, c.twice, searches),
                                .unseen = fmax(unseen_modes(c.once, c.twice, searches),
                                               unseen_by_groups(c.group[0], c.group[1], c.common, c.modes)),
                                .group = {c.group[0], c.group[1]},
                                .common = c.common,
                                .unvisited_share = c.unvisited_share,
                                .late_share = c.draws ? (double)c.late / (double)c.draws : 0.0,
                                .restarts = run->chains[0].kept.restarts,
                                .discarded = run->chains[0].kept.discarded};
    run->late = search_is_late(c.draws, c.late);
    run->stuck = stuck;
}

bool search_restarts(const ckam_run *run) { return run->late && !run->stuck; }

/* -- Discarding --------------------------------------------------------------------------------------------------- */

/* Appends the rows of a chain to its warm-up file. */
static ckam_status copy_rows(ckam_run *run, size_t index, ckam_error *error) {
    run_chain *c = &run->chains[index];
    char       name[NAME], block[BLOCK], shown[FILE_SHOWN];
    draws_path(".", index, false, sizeof name, name);
    int         file = openat(run->place.folder.file, name, O_RDONLY | O_CLOEXEC);
    ckam_status status = CKAM_OK;
    for (uint64_t at = c->kept.top; !status && at < c->draws.length;) {
        size_t  size = c->draws.length - at < BLOCK ? (size_t)(c->draws.length - at) : BLOCK;
        ssize_t count = file < 0 ? -1 : pread(file, block, size, (off_t)at);
        status = count > 0 ? csv_add(&c->warmup, block, (size_t)count, error)
                           : fail_with(error, CKAM_ERROR_INPUT, "cannot read %s again: %s",
                                       file_show(&run->place.folder, name, shown), strerror(errno));
        at += count > 0 ? (uint64_t)count : 0;
    }
    if (file >= 0) close(file);
    return status;
}

static void forget_draws(ckam_run *run, run_chain *c) {
    struct chain_kept *k = &c->kept;
    k->spent = run_chain_spent(run, c);
    k->discarded += k->draws;
    k->restarts++;
    k->warmup_rows += c->warmup.file >= 0 ? k->draws : 0;
    k->draws = k->seen = 0;
    k->warmup += k->sampling;
    k->sampling = 0.0;
    store_clear(&c->store);
    chain_restart(c->chain);
    run_chain_report(run, c);
}

ckam_status search_discard(ckam_run *run, ckam_error *error) {
    ckam_status status = CKAM_OK;
    for (size_t i = run->first; i < run->last && run->format.csv && !status; i++) {
        run_chain *c = &run->chains[i];
        status = csv_flush(&c->draws, error);
        if (!status && c->warmup.file >= 0) status = copy_rows(run, i, error);
    }
    status = comm_agree(run, status, error);
    if (status) return status;
    for (size_t i = run->first; i < run->last; i++) forget_draws(run, &run->chains[i]);
    if (!run->format.csv) return CKAM_OK;
    status = checkpoint_save(run, error);
    for (size_t i = run->first; i < run->last && !status; i++)
        status = csv_cut(&run->chains[i].draws, run->chains[i].kept.top, error);
    return comm_agree(run, status, error);
}

/* -- run.json ----------------------------------------------------------------------------------------------------- */

json_t *search_json(const ckam_search *s) {
    if (!s->searches) return NULL;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:[o, o], s:o, s:f, s:f, s:o, s:o}", "searches",
                     plan_json_word(s->searches), "evaluations", plan_json_word(s->evaluations), "modes",
                     plan_json_word(s->modes), "met_once", plan_json_word(s->once), "met_twice",
                     plan_json_word(s->twice), "unseen_probability", s->probability, "unseen_bound", s->bound,
                     "unseen_modes", s->unseen, "modes_by_group", plan_json_word(s->group[0]),
                     plan_json_word(s->group[1]), "common_modes", plan_json_word(s->common), "unvisited_share",
                     s->unvisited_share, "late_share", s->late_share, "restarts", plan_json_word(s->restarts),
                     "discarded", plan_json_word(s->discarded));
}

void ckam_run_search(const ckam_run *run, ckam_search *search) {
    pthread_mutex_lock(run->guard);
    *search = run->search;
    pthread_mutex_unlock(run->guard);
}
