/* run_chain.c - one chain of a run with its files: advanced by a thread, some iterations at a time. */
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
/* Numbers in all stores of a run, at most; rows in one store, usually; and at least, which R-hat and ESS need. */
enum { STORE_NUMBERS = 1 << 20, STORE_ROWS = 2000, STORE_LEAST = 128 };

static uint64_t limit(uint64_t setting) { return setting ? setting : UINT64_MAX; } /* auto: none */

/* With files the store serves the stop rule; without, it has all draws that are kept. */
static size_t store_rows(const ckam_run *run) {
    size_t chains = (size_t)run->plan->run.chains, most = STORE_NUMBERS / run->columns / chains, rows = STORE_ROWS;
    double wanted = isnan(run->until.ess) ? 0.0 : 4.0 * run->until.ess / (double)chains; /* enough to show that many */
    if (wanted > (double)rows) rows = wanted < (double)most ? (size_t)wanted : most;
    if (rows > most || !run->format.csv) rows = most;
    if (rows < STORE_LEAST) rows = STORE_LEAST;
    return (rows + 1) / 2 * 2;
}

/* The draws in memory can hardly show an ESS of more than half of their number. */
static ckam_status check_until(const ckam_run *run, const store *s, ckam_error *error) {
    double most = floor(0.5 * (double)s->most * (double)run->plan->run.chains);
    if (!(run->until.ess > most)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_OPTION,
                     "until: ess=%g is more than can be judged while a run goes on; with %llu chains of %zu parameters "
                     "it must be <= %.0f; use --draws, and look at the summary",
                     run->until.ess, (unsigned long long)run->plan->run.chains, run->values, most);
}

ckam_status run_chain_open(ckam_run *run, size_t index, const double *start, ckam_error *error) {
    run_chain          *c = &run->chains[index];
    const run_settings *plan = &run->plan->run;
    ckam_setup          setup = {.target = &c->target,
                                 .options = run->plan->sampler,
                                 .start = start,
                                 .seed = plan->seed,
                                 .chain = index,
                                 .horizon = plan->horizon,
                                 .pooled = true,
                                 .chains = plan->chains,
                                 .unseen = plan->unseen};
    c->draws.file = c->warmup.file = -1;
    c->batch = BATCH_FIRST;
    c->target = run->target;
    ckam_status status = run->source ? model_attach(run->source, index, &c->handle, &c->target, error) : CKAM_OK;
    if (!status) status = ckam_chain_create(&c->chain, &setup, error);
    if (status) return status;
    c->row = calloc(run->columns, sizeof *c->row);
    if (!c->row || !store_create(&c->store, run->columns, store_rows(run)))
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu chains", (size_t)plan->chains);
    run->stores[index] = &c->store;
    run_chain_report(run, c);
    return check_until(run, &c->store, error);
}

ckam_status run_chain_open_remote(ckam_run *run, size_t index, ckam_error *error) {
    run->stores[index] = &run->chains[index].store;
    if (store_create(&run->chains[index].store, run->columns, store_rows(run))) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu chains", (size_t)run->plan->run.chains);
}

void run_chain_close(run_chain *c) {
    csv_close(&c->draws);
    csv_close(&c->warmup);
    store_free(&c->store);
    ckam_chain_free(c->chain);
    model_detach(c->handle);
    free(c->row);
}

ckam_status run_chain_make_files(ckam_run *run, size_t index, ckam_error *error) {
    run_chain *c = &run->chains[index];
    csv_about  about = {.model = run_model_name(run),
                        .sampler = run->plan->run.sampler,
                        .started = run->started,
                        .samples = run->plan->run.draws * run->plan->run.thin,
                        .warmup = run->warmup,
                        .thin = run->plan->run.thin,
                        .seed = run->plan->run.seed,
                        .chain = index + 1};
    char       path[FILE_PATH];
    char      *top = csv_top(&about, run->columns, (const char *const *)run->names, &c->kept.samples_at);
    if (!top) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the header of a file");
    c->kept.top = strlen(top);
    draws_path(".", index, false, sizeof path, path);
    ckam_status status = csv_create(&c->draws, &run->place.folder, path, top, &run->gate, error);
    if (!status && run->plan->run.save_warmup) {
        draws_path(".", index, true, sizeof path, path);
        status = csv_create(&c->warmup, &run->place.folder, path, top, &run->gate, error);
    }
    free(top);
    return status;
}

/* -- Going on ----------------------------------------------------------------------------------------------------- */

bool run_chain_is_ready(const ckam_run *run, const run_chain *c) {
    return !c->done && !c->waits && !c->status && c->kept.draws < run->goal;
}

uint64_t run_chain_rows_most(const ckam_run *run, uint64_t spent) {
    uint64_t wanted = limit(run->plan->run.draws);
    if (spent <= wanted) return wanted;
    return spent < 2 * wanted ? 2 * wanted - spent : 0;
}

uint64_t run_chain_spent(const ckam_run *run, const run_chain *c) {
    uint64_t wanted = limit(run->plan->run.draws);
    return c->kept.spent + (c->kept.draws < wanted ? c->kept.draws : wanted);
}

/* Rows up to which the chain advances; without a limit while a cycle is to be completed. */
static uint64_t rows_wanted(const ckam_run *run, const run_chain *c) {
    return run->extends ? UINT64_MAX : run_chain_rows_most(run, c->kept.spent);
}

static bool is_done(const ckam_run *run, const run_chain *c) {
    return c->kept.draws >= rows_wanted(run, c) || c->evaluations >= limit(run->plan->run.evals);
}

void run_chain_report(const ckam_run *run, run_chain *c) {
    ckam_chain_counts(c->chain, &c->counts);
    if (c->handle) c->faults = model_handle_faults(c->handle);
    if (c->handle) c->outside = model_handle_outside(c->handle);
    c->nans = c->chain->nans;
    c->done = is_done(run, c);
    c->warmup_length = chain_warmup(c->chain);
    c->waits = ckam_chain_waits(c->chain);
    c->shown.draws = c->kept.draws;
    c->shown.discarded = c->kept.discarded;
    c->shown.evaluations = c->evaluations;
    c->shown.accept = c->counts.iterations ? (double)c->counts.accepted / (double)c->counts.iterations : (double)NAN;
    c->shown.step_size = c->last.step_size;
    c->shown.phase = c->last.phase;
    c->shown.cycle = c->last.cycle;
    c->shown.modes = c->counts.modes;
    c->shown.done = c->done;
}

/* Writes a step to the chain's files; a draw also goes to the store. */
static ckam_status write_step(const ckam_run *run, run_chain *c, const ckam_step *step) {
    bool keep = step->draw && c->kept.seen++ % run->plan->run.thin == 0;
    if (!keep && (c->warmup.file < 0 || step->draw || step->phase < CKAM_PHASE_EXPLORE)) return CKAM_OK;
    c->row[COLUMN_LOG_DENSITY] = step->log_density;
    c->row[COLUMN_ACCEPT] = step->accept;
    c->row[COLUMN_STEP_SIZE] = step->step_size;
    c->row[COLUMN_CYCLE] = (double)step->cycle;
    c->row[COLUMN_PHASE] = step->phase;
    if (run->own == COLUMNS_OWN_MOST) {
        c->row[COLUMN_MODE] = (double)step->mode;
        c->row[COLUMN_MOVE] = (double)step->move;
    }
    if (c->handle) {
        ckam_status status = model_handle_row(c->handle, step->x, c->row + run->own, &c->error);
        if (status) return status;
    } else {
        memcpy(c->row + run->own, step->x, run->target.dim * sizeof *step->x);
    }
    if (!keep) {
        c->kept.warmup_rows++;
        return csv_row(&c->warmup, run->columns, c->row, &c->error);
    }
    store_add(&c->store, c->kept.draws++, c->row);
    return run->format.csv ? csv_row(&c->draws, run->columns, c->row, &c->error) : CKAM_OK;
}

static ckam_status advance(ckam_run *run, run_chain *c, ckam_step *step) {
    uint64_t most = rows_wanted(run, c), goal = run->goal < most ? run->goal : most;
    uint64_t last = limit(run->plan->run.evals);
    for (size_t i = 0; i < c->batch && c->kept.draws < goal && c->evaluations < last; i++) {
        if (atomic_load_explicit(&run->halt, memory_order_relaxed) || ckam_chain_waits(c->chain)) break;
        ckam_status status = ckam_chain_step(c->chain, step);
        if (status) {
            const ckam_error *deeper = c->handle ? model_handle_failure(c->handle) : NULL;
            c->error = deeper ? *deeper : *ckam_chain_error(c->chain);
            return c->error.status;
        }
        c->evaluations++;
        status = write_step(run, c, step);
        c->lost = status != CKAM_OK;
        if (status) return status;
    }
    return CKAM_OK;
}

void run_chain_advance(ckam_run *run, run_chain *c) {
    double  *seconds = c->kept.seen ? &c->kept.sampling : &c->kept.warmup, start = clock_seconds();
    uint64_t before = c->evaluations;
    c->status = advance(run, c, &c->last);
    double time = clock_seconds() - start;
    bool   whole =
        c->evaluations - before == c->batch; /* a batch that was cut short does not measure the time of a whole one */
    double round = ROUND_SECONDS * (double)run->plan->run.threads / (double)(run->last - run->first);
    double wanted = fmin(BATCH_SECONDS, round);
    *seconds += time;
    if (whole && time < wanted / 2.0 && c->batch < BATCH_MOST) c->batch *= 2;
    if (time > wanted * 2.0 && c->batch > 1) c->batch /= 2;
}
