/* finish.c - what is written when a run has stopped: the ends of the files, draws.nc, summary.csv and run.json. */
#include "base/character.h"
#include "base/error.h"
#include "base/number.h"
#include "draws/draws.h"
#include "draws/netcdf.h"
#include "run/comm.h"

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* -- run.json ----------------------------------------------------------------------------------------------------- */

/* 15 digits if all settings read back as the same numbers, so that 0.234 is written as 0.234; else 17. */
static size_t digits_needed(const ckam_plan *plan) {
    json_t     *config = plan_json(plan), *value;
    const char *key;
    size_t      digits = config ? 15 : 17;
    char        text[40];
    json_object_foreach(config, key, value) {
        if (!json_is_real(value)) continue;
        snprintf(text, sizeof text, "%.15g", json_real_value(value)); /* and back, both in the caller's locale */
        if (strtod(text, NULL) != json_real_value(value)) digits = 17;
    }
    json_decref(config);
    return digits;
}

/* NULL if a value is missing, for which there was no memory. */
static json_t *whole(json_t *list, size_t count) {
    if (json_array_size(list) == count) return list;
    json_decref(list);
    return NULL;
}

static json_t *names_json(const ckam_run *run) {
    json_t *list = json_array();
    for (size_t k = 0; k < run->values; k++) json_array_append_new(list, json_string(run->names[run->own + k]));
    return whole(list, run->values);
}

static json_t *counts_json(const ckam_run *run) {
    ckam_counts sum;
    uint64_t    faults = run->faults, nans = run->nans, outside = run->outside;
    json_t     *draws = json_array();
    ckam_run_counts(run, &sum);
    for (size_t i = 0; i < run->plan->run.chains; i++) {
        faults += run->chains[i].faults;
        nans += run->chains[i].nans;
        outside += run->chains[i].outside;
    }
    for (size_t i = 0; i < run->plan->run.chains; i++)
        json_array_append_new(draws, plan_json_word(run->chains[i].kept.draws));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "evaluations",
                     plan_json_word(sum.evaluations), "outside", plan_json_word(outside), "iterations",
                     plan_json_word(sum.iterations), "accepted", plan_json_word(sum.accepted), "undefined",
                     plan_json_word(sum.undefined), "nan", plan_json_word(nans), "faults", plan_json_word(faults),
                     "floored", plan_json_word(sum.floored), "scouts", plan_json_word(sum.scouts), "runaways",
                     plan_json_word(sum.runaways), "draws", whole(draws, (size_t)run->plan->run.chains));
}

/* The first point that was rejected, of the first chain that has one: once known, for good. */
static void find_rejected(ckam_run *run) {
    struct rejected {
        uint64_t chain; /* from 1; 0: none */
        char     point[COMM_ALLGATHER_MOST - sizeof(uint64_t)];
    } own = {0};
    for (size_t i = run->first; run->source && !own.chain && i < run->last; i++) {
        const char *first = model_handle_first_reject(run->chains[i].handle);
        if (!*first) continue;
        own.chain = i + 1;
        snprintf(own.point, sizeof own.point, "%s", first);
        character_mend(own.point);
    }
    const struct rejected *all = comm_allgather(run, &own, sizeof own);
    for (size_t r = 0; r < comm_size(run) && !run->rejected; r++)
        if (all[r].chain)
            run->rejected = json_pack("{s:I, s:s}", "chain", (json_int_t)all[r].chain, "point", all[r].point);
}

/* The cost of communication between ranks; NULL for one process. */
static json_t *comm_json(const ckam_run *run) {
    if (!run->comm) return NULL;
    return json_pack("{s:I, s:o, s:o, s:f}", "count", (json_int_t)run->comm->size, "pools",
                     plan_json_word(run->cost.pools), "bytes", plan_json_word(run->cost.bytes), "seconds",
                     run->cost.seconds);
}

/* What was estimated before the first evaluation, and what this process has used, in bytes. */
static json_t *memory_json(const ckam_run *run) {
    return json_pack("{s:I, s:I, s:I}", "estimate", (json_int_t)run->memory, "available",
                     (json_int_t)fmin(run->memory_available, 9e18), "peak", (json_int_t)finish_memory());
}

/* Through a stream, which remembers its failures: jansson forgets some of them, and
 * its text then lacks a piece. */
char *record_text(const json_t *json, size_t digits, size_t *length) {
    char *text = NULL;
    FILE *stream = json ? open_memstream(&text, length) : NULL;
    if (!stream) return NULL;
    bool failed = json_dumpf(json, stream, JSON_INDENT(2) | JSON_REAL_PRECISION(digits)) != 0;
    failed |= fputc('\n', stream) == EOF || fflush(stream) || ferror(stream);
    failed |= fclose(stream) != 0;
    if (!failed) return text;
    free(text);
    return NULL;
}

static ckam_status write_record(ckam_run *run, double seconds, bool ended, const char *message, ckam_error *error) {
    char now[CLOCK_TEXT], said[sizeof error->message];
    snprintf(said, sizeof said, "%s", message ? message : "");
    character_mend(said);
    clock_text(now);
    json_t *json = json_pack(
        "{s:s, s:s, s:o, s:I, s:o, s:s, s:s?, s:f, s:s?, s:s?, s:s?, s:O?, s:o?, s:o?, s:o, s:o}", "ckam", CKAM_VERSION,
        "command", run->plan->command, "config", plan_json(run->plan), "dim", (json_int_t)run->target.dim, "parameters",
        names_json(run), "started", run->started, "ended", ended ? now : NULL, "seconds",
        round(1000.0 * (run->seconds + seconds)) / 1000.0, "stopped", *run->reason ? run->reason : NULL, "message",
        message ? said : NULL, "warning", *run->warning ? run->warning : NULL, "rejected", run->rejected, "ranks",
        comm_json(run), "search", search_json(&run->search), "memory", memory_json(run), "counts", counts_json(run));
    size_t length;
    char  *text = record_text(json, digits_needed(run->plan), &length);
    json_decref(json);
    if (!text) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for run.json");
    file_aside  aside;
    ckam_status status = file_begin(&aside, &run->place.folder, "run.json", error);
    aside.unsynced = !run->settled;
    if (!status) status = file_add(&aside, text, length, error);
    if (!status) status = file_commit(&aside, error);
    free(text);
    return status;
}

ckam_status finish_record(ckam_run *run, double seconds, bool ended, const char *message, ckam_error *error) {
    find_rejected(run);
    comm_gather_progress(run);
    ckam_status status = comm_is_root(run) ? write_record(run, seconds, ended, message, error) : CKAM_OK;
    return comm_agree(run, status, error);
}

/* -- summary.csv -------------------------------------------------------------------------------------------------- */

static char *put_row(char *place, const char *name, const ckam_summary *s) {
    const double numbers[] = {s->mean, s->mcse_mean, s->sd,   s->median,   s->mad,
                              s->q5,   s->q95,       s->rhat, s->ess_bulk, s->ess_tail};
    place += sprintf(place, "%s", name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        *place++ = ',';
        place += number_put(numbers[i], place);
    }
    *place++ = '\n';
    return place;
}

static ckam_status write_summary(const ckam_run *run, ckam_error *error) {
    static const char top[] = "variable,mean,mcse_mean,sd,median,mad,q5,q95,rhat,ess_bulk,ess_tail\n";
    const size_t      row = (size_t)11 * NUMBER_TEXT;
    size_t            size = sizeof top + row + sizeof "lp__";
    for (size_t k = 0; k < run->review->parameters; k++) size += strlen(run->review->names[k]) + row;
    char *text = malloc(size), *place = text;
    if (!text) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the summary");
    place += sprintf(place, "%s", top);
    place = put_row(place, "lp__", &run->review->log_density);
    for (size_t k = 0; k < run->review->parameters; k++)
        place = put_row(place, run->review->names[k], &run->review->summary[k]);
    ckam_status status = file_replace(&run->place.folder, "summary.csv", text, (size_t)(place - text), error);
    free(text);
    return status;
}

/* -- The end ------------------------------------------------------------------------------------------------------ */

/* The number of samples, as Stan counts them, is known only now. */
static ckam_status end_file(csv_writer *w, const struct chain_kept *kept, uint64_t samples, uint64_t warmup,
                            ckam_error *error) {
    ckam_status status = csv_tail(w, kept->warmup, kept->sampling, error);
    if (!status) status = csv_patch(w, kept->samples_at, samples, warmup, error);
    return status ? status : csv_flush(w, error);
}

static ckam_status end_files(ckam_run *run, ckam_error *error) {
    uint64_t    least = 0;
    ckam_status status = checkpoint_sync(run, error);
    if (!status) status = equal_rows_set_aside(run, &least, error);
    if (!status) status = checkpoint_write(run, error);
    for (size_t i = run->first; i < run->last && !status; i++) {
        run_chain     *c = &run->chains[i];
        const uint64_t thin = run->plan->run.thin, warmup = c->warmup_length + c->kept.discarded * thin;
        status = equal_rows_truncate(run, i, error);
        if (!status) status = end_file(&c->draws, &c->kept, least * thin, warmup, error);
        if (!status && c->warmup.file >= 0)
            status = end_file(&c->warmup, &c->kept, c->kept.warmup_rows * thin, warmup, error);
        csv_close(&c->draws);
        csv_close(&c->warmup);
    }
    return comm_agree(run, status, error);
}

static bool has_draws(const ckam_run *run) {
    for (size_t i = 0; i < run->plan->run.chains; i++)
        if (!run->chains[i].kept.draws) return false;
    return true;
}

static ckam_status look_at_draws(ckam_run *run, ckam_error *error) {
    const char *here = ".";
    ckam_draws *draws;
    ckam_status status =
        run->format.csv ? draws_open(&draws, &run->place.folder, &here, 1, error) : ckam_run_draws(run, &draws, error);
    if (status) return status;
    status = ckam_review_create(&run->review, draws, error);
    ckam_draws_free(draws);
#ifdef __GLIBC__
    malloc_trim(0); /* tens of MB were in use; the NetCDF library comes next and wants some of its own */
#endif
    return status;
}

/* What is made from the draws of all chains. */
static ckam_status write_outcome(ckam_run *run, ckam_error *error) {
    char        now[CLOCK_TEXT];
    ckam_status status = look_at_draws(run, error);
    if (!status && run->format.csv) status = write_summary(run, error);
    if (status || !run->format.netcdf) return status;
    clock_text(now);
    const ckam_search *s = &run->search;
    const netcdf_note  notes[] = {{"searches", (double)s->searches},
                                  {"search_modes", (double)s->modes},
                                  {"search_unseen_probability", s->probability},
                                  {"search_unseen_bound", s->bound},
                                  {"search_restarts", (double)s->restarts}};
    return netcdf_write(&run->place.folder, ".", "draws.nc", run_model_name(run), now, notes,
                        s->searches ? sizeof notes / sizeof *notes : 0, error);
}

/* To parse, review and write a number to draws.nc, and to review one that is in memory, in the time that it takes to write
 * a number as text and to read it back: 0.67, measured, and 0.8 to be early rather than late. Bytes of a checkpoint per
 * second, to a disk. */
static const double number_share = 0.8, state_rate = 1.5e8;

double finish_number_seconds(void) {
    enum { NUMBERS = 1024, TURNS = 3 };
    char   text[NUMBER_TEXT];
    double least = HUGE_VAL;
    for (int k = 0; k < TURNS; k++) {
        double begun = clock_processor(), value;
        for (int i = 0; i < NUMBERS; i++) {
            number_write(sin((double)i), text, sizeof text);
            if (!number_read(text, &value)) return (double)NAN;
        }
        least = fmin(least, (clock_processor() - begun) / NUMBERS);
    }
    return number_share * least;
}

double finish_memory(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) ? 0.0 : 1024.0 * (double)usage.ru_maxrss;
}

double finish_seconds(ckam_run *run, double slowdown) {
    double numbers = 0.0, stored = 0.0, buffers = 0.0;
    pthread_mutex_lock(&run->lock);
    for (size_t i = 0; i < run->plan->run.chains; i++) {
        double rows = (double)run->chains[i].shown.draws, most = (double)run->chains[i].store.most;
        numbers += rows * (double)run->columns;
        stored += fmin(rows, most) * (double)run->columns;
        buffers += (double)run->chains[i].draws.room + (double)run->chains[i].warmup.room;
    }
    pthread_mutex_unlock(&run->lock);
    if (!run->format.csv) return slowdown * 2.0 * stored * run->number_seconds;
    double state = fmax(0.0, finish_memory() - run->first_memory - buffers) / state_rate;
    return (numbers > 0.0 ? 2.0 : 1.0) * run->files_cost +
           slowdown * ((numbers + stored) * run->number_seconds + state);
}

/* The files in the order of their worth. */
static ckam_status write_all(ckam_run *run, ckam_error *error) {
    ckam_status status = run->format.csv ? end_files(run, error) : CKAM_OK;
    if (status) return status;
    if (comm_is_root(run) && has_draws(run)) status = write_outcome(run, error);
    return comm_agree(run, status, error);
}

static bool has_lost(ckam_run *run) {
    bool lost = false;
    for (size_t i = run->first; i < run->last; i++) lost = lost || run->chains[i].lost;
    return comm_max(run, lost);
}

ckam_status finish_write(ckam_run *run, double seconds, ckam_status status, ckam_error *error) {
    ckam_error later;
    /* After a failed write the last checkpoint and the rows that it counts on are what there is: nothing more is tried. */
    if (!has_lost(run) && status != CKAM_ERROR_WRITE && status != CKAM_ERROR_OUTPUT) {
        ckam_status ended = write_all(run, &later);
        if (ended && (!status || status == CKAM_STOP)) {
            status = ended;
            *error = later;
            run->reason = "error";
        }
    }
    if (!run->format.csv) return status;
    const char *said = status < 0 ? error->message : *run->shortfall ? run->shortfall : NULL;
    ckam_status recorded = finish_record(run, seconds, true, said, &later);
    if (recorded && (!status || status == CKAM_STOP)) {
        status = recorded;
        *error = later;
    }
    return status;
}
