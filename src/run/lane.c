/* lane.c - one chain of a run with its files: advanced by a thread, some iterations at a time. */
#include "base/error.h"
#include "chain/chain.h"
#include "draws/draws.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

/* A batch should take about this long: rarely enough to cost nothing, often enough to share the threads fairly ... */
#define BATCH_SECONDS 0.005
/* ... and a batch of every chain no longer than this: a run that is stopped should have chains of about the same length. */
#define ROUND_SECONDS 1.0
enum { BATCH_FIRST = 16, BATCH_MOST = 1 << 20 };
/* Numbers that all stores of a run may hold, rows that one should hold, and those that make a diagnosis possible. */
enum { STORE_NUMBERS = 1 << 20, STORE_ROWS = 2000, STORE_LEAST = 128 };

static uint64_t limit(uint64_t setting) { return setting ? setting : UINT64_MAX; } /* auto: none */

/* Where draws go to files, the store serves the stop rule; where not, it is all that will be left of them. */
static size_t store_rows(const ckam_run *run) {
    size_t chains = (size_t)run->plan->run.chains, most = STORE_NUMBERS / run->columns / chains, rows = STORE_ROWS;
    double wanted = isnan(run->until.ess) ? 0.0 : 4.0 * run->until.ess / (double)chains; /* enough to show that many */
    if (wanted > (double)rows) rows = wanted < (double)most ? (size_t)wanted : most;
    if (rows > most || !run->format.csv) rows = most;
    if (rows < STORE_LEAST) rows = STORE_LEAST;
    return (rows + 1) / 2 * 2;
}

/* An ESS of more than half of the draws that are kept in memory would never be seen there. */
static ckam_status check_until(const ckam_run *run, const store *s, ckam_error *error) {
    double most = floor(0.5 * (double)s->most * (double)run->plan->run.chains);
    if (!(run->until.ess > most)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_OPTION,
                     "until: ess=%g is more than can be judged while a run goes on; with %llu chains of %zu parameters "
                     "it must be <= %.0f; use --draws, and look at the summary",
                     run->until.ess, (unsigned long long)run->plan->run.chains, run->values, most);
}

ckam_status lane_open(ckam_run *run, size_t index, const double *start, ckam_error *error) {
    lane               *l = &run->lanes[index];
    const run_settings *plan = &run->plan->run;
    ckam_setup          setup = {.target = &l->target,
                                 .options = run->plan->sampler,
                                 .start = start,
                                 .seed = plan->seed,
                                 .chain = index,
                                 .horizon = plan->horizon,
                                 .pooled = true,
                                 .chains = plan->chains,
                                 .unseen = plan->unseen};
    l->draws.file = l->warmup.file = -1;
    l->batch = BATCH_FIRST;
    l->target = run->target;
    ckam_status status = run->source ? source_sit(run->source, index, &l->seat, &l->target, error) : CKAM_OK;
    if (!status) status = ckam_chain_create(&l->chain, &setup, error);
    if (status) return status;
    l->row = calloc(run->columns, sizeof *l->row);
    if (!l->row || !store_create(&l->store, run->columns, store_rows(run)))
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu chains", (size_t)plan->chains);
    run->stores[index] = &l->store;
    lane_report(run, l);
    return check_until(run, &l->store, error);
}

ckam_status lane_know(ckam_run *run, size_t index, ckam_error *error) {
    run->stores[index] = &run->lanes[index].store;
    if (store_create(&run->lanes[index].store, run->columns, store_rows(run))) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu chains", (size_t)run->plan->run.chains);
}

void lane_close(lane *l) {
    csv_close(&l->draws);
    csv_close(&l->warmup);
    store_free(&l->store);
    ckam_chain_free(l->chain);
    seat_leave(l->seat);
    free(l->row);
}

ckam_status lane_make_files(ckam_run *run, size_t index, ckam_error *error) {
    lane     *l = &run->lanes[index];
    csv_about about = {.model = run_model_name(run),
                       .sampler = run->plan->run.sampler,
                       .started = run->started,
                       .samples = run->plan->run.draws * run->plan->run.thin,
                       .warmup = run->warmup,
                       .thin = run->plan->run.thin,
                       .seed = run->plan->run.seed,
                       .chain = index + 1};
    char      path[FILE_PATH];
    char     *top = csv_top(&about, run->columns, (const char *const *)run->names, &l->kept.samples_at);
    if (!top) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the header of a file");
    l->kept.top = strlen(top);
    draws_path(".", index, false, sizeof path, path);
    ckam_status status = csv_create(&l->draws, &run->place.folder, path, top, &run->gate, error);
    if (!status && run->plan->run.save_warmup) {
        draws_path(".", index, true, sizeof path, path);
        status = csv_create(&l->warmup, &run->place.folder, path, top, &run->gate, error);
    }
    free(top);
    return status;
}

/* -- Going on ----------------------------------------------------------------------------------------------------- */

bool lane_is_ready(const ckam_run *run, const lane *l) {
    return !l->done && !l->waits && !l->status && l->kept.draws < run->goal;
}

uint64_t lane_rows_most(const ckam_run *run, uint64_t spent) {
    uint64_t wanted = limit(run->plan->run.draws);
    if (spent <= wanted) return wanted;
    return spent < 2 * wanted ? 2 * wanted - spent : 0;
}

uint64_t lane_spent(const ckam_run *run, const lane *l) {
    uint64_t wanted = limit(run->plan->run.draws);
    return l->kept.spent + (l->kept.draws < wanted ? l->kept.draws : wanted);
}

/* Rows up to which the chain goes on: beyond what is asked for where a cycle is to be brought to its end. */
static uint64_t rows_wanted(const ckam_run *run, const lane *l) {
    return run->extends ? UINT64_MAX : lane_rows_most(run, l->kept.spent);
}

static bool is_done(const ckam_run *run, const lane *l) {
    return l->kept.draws >= rows_wanted(run, l) || l->evaluations >= limit(run->plan->run.evals);
}

void lane_report(const ckam_run *run, lane *l) {
    ckam_chain_counts(l->chain, &l->counts);
    if (l->seat) l->faults = seat_faults(l->seat);
    if (l->seat) l->outside = seat_outside(l->seat);
    l->nans = l->chain->nans;
    l->done = is_done(run, l);
    l->warmup_length = chain_warmup(l->chain);
    l->waits = ckam_chain_waits(l->chain);
    l->shown.draws = l->kept.draws;
    l->shown.discarded = l->kept.discarded;
    l->shown.evaluations = l->evaluations;
    l->shown.accept = l->counts.iterations ? (double)l->counts.accepted / (double)l->counts.iterations : (double)NAN;
    l->shown.step_size = l->last.step_size;
    l->shown.phase = l->last.phase;
    l->shown.cycle = l->last.cycle;
    l->shown.modes = l->counts.modes;
    l->shown.done = l->done;
}

/* A row of what the sampler said; a draw also goes to the store. */
static ckam_status write_step(const ckam_run *run, lane *l, const ckam_step *step) {
    bool keep = step->draw && l->kept.seen++ % run->plan->run.thin == 0;
    if (!keep && (l->warmup.file < 0 || step->draw || step->phase < CKAM_PHASE_EXPLORE)) return CKAM_OK;
    l->row[COLUMN_LOG_DENSITY] = step->log_density;
    l->row[COLUMN_ACCEPT] = step->accept;
    l->row[COLUMN_STEP_SIZE] = step->step_size;
    l->row[COLUMN_CYCLE] = (double)step->cycle;
    l->row[COLUMN_PHASE] = step->phase;
    if (run->own == COLUMNS_OWN_MOST) {
        l->row[COLUMN_MODE] = (double)step->mode;
        l->row[COLUMN_MOVE] = (double)step->move;
    }
    if (l->seat) {
        ckam_status status = seat_row(l->seat, step->x, l->row + run->own, &l->error);
        if (status) return status;
    } else {
        memcpy(l->row + run->own, step->x, run->target.dim * sizeof *step->x);
    }
    if (!keep) {
        l->kept.warmup_rows++;
        return csv_row(&l->warmup, run->columns, l->row, &l->error);
    }
    store_add(&l->store, l->kept.draws++, l->row);
    return run->format.csv ? csv_row(&l->draws, run->columns, l->row, &l->error) : CKAM_OK;
}

static ckam_status advance(ckam_run *run, lane *l, ckam_step *step) {
    uint64_t most = rows_wanted(run, l), goal = run->goal < most ? run->goal : most;
    uint64_t last = limit(run->plan->run.evals);
    for (size_t i = 0; i < l->batch && l->kept.draws < goal && l->evaluations < last; i++) {
        if (atomic_load_explicit(&run->halt, memory_order_relaxed) || ckam_chain_waits(l->chain)) break;
        ckam_status status = ckam_chain_step(l->chain, step);
        if (status) {
            const ckam_error *deeper = l->seat ? seat_failure(l->seat) : NULL;
            l->error = deeper ? *deeper : *ckam_chain_error(l->chain);
            return l->error.status;
        }
        l->evaluations++;
        status = write_step(run, l, step);
        l->lost = status != CKAM_OK;
        if (status) return status;
    }
    return CKAM_OK;
}

void lane_advance(ckam_run *run, lane *l) {
    double  *seconds = l->kept.seen ? &l->kept.sampling : &l->kept.warmup, start = clock_seconds();
    uint64_t before = l->evaluations;
    l->status = advance(run, l, &l->last);
    double time = clock_seconds() - start;
    bool   whole = l->evaluations - before == l->batch; /* not cut short, which would say nothing about its time */
    double round = ROUND_SECONDS * (double)run->plan->run.threads / (double)(run->last - run->first);
    double wanted = fmin(BATCH_SECONDS, round);
    *seconds += time;
    if (whole && time < wanted / 2.0 && l->batch < BATCH_MOST) l->batch *= 2;
    if (time > wanted * 2.0 && l->batch > 1) l->batch /= 2;
}
