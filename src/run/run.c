/* run.c - a run is created from a plan, or taken up again from its directory. */
#include "run/comm.h"

#include "base/error.h"
#include "base/processors.h"
#include "chain/chain.h"
#include "draws/draws.h"
#include "draws/netcdf.h"
#include "run/init.h"
#include "target/target.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -- Filling in --------------------------------------------------------------------------------------------------- */

static void resolve(ckam_run *run) {
    run_settings *plan = &run->plan->run;
    bool          has_until = strcmp(plan->until, "never") != 0;
    uint64_t      parallel = processors_for(run->comm ? run->comm->neighbours : 1), own = run->last - run->first;
    if (*plan->program && !plan->workers) plan->workers = parallel < own ? parallel : own ? own : 1;
    /* A thread waits while a worker computes. */
    if (!plan->threads) plan->threads = *plan->program && plan->workers > parallel ? plan->workers : parallel;
    if (!plan->draws && !plan->evals && isnan(plan->time_limit)) plan->draws = has_until ? DRAWS_UNTIL : DRAWS_DEFAULT;
    plan_until(plan->until, &run->until, NULL);
    plan_formats(plan->format, &run->format, NULL);
}

/* A user's model. A setting of one has no meaning for others. */
static ckam_status open_source(ckam_run *run, const source_request *request, ckam_error *error) {
    ckam_status status = source_open(&run->source, request, error);
    if (status) return status;
    run->target = (ckam_target){.dim = source_dim(run->source), .names = source_names(run->source)};
    run->values = source_columns(run->source);
    return CKAM_OK;
}

/* `model` is built in, or "" where the target is the caller's. */
static ckam_status refuse_alien(const source_request *r, const char *model, ckam_error *error) {
    const struct {
        const char *name, *value;
    } alien[] = {{"params", r->params}, {"data", r->data}, {"bounds", r->bounds}};
    for (size_t i = 0; i < sizeof alien / sizeof *alien; i++)
        if (*alien[i].value)
            return fail_with(error, CKAM_ERROR_OPTION,
                             "--%s is for models of your own: a file, --log-density or --program; %s%.80s%s is none",
                             alien[i].name, *model ? "'" : "", *model ? model : "a target of the caller's",
                             *model ? "'" : "");
    return CKAM_OK;
}

static ckam_status find_target(ckam_run *run, const ckam_target *target, ckam_error *error) {
    const char          *model = run->plan->run.model;
    const source_request request = plan_source(run->plan);
    if (!target && source_is_wanted(&request)) return open_source(run, &request, error);
    if (!target && !*model)
        return fail_with(error, CKAM_ERROR_OPTION,
                         "the plan has no model; `ckam list models` shows what there is; a density that is in a C "
                         "program is handed over by that program");
    if (refuse_alien(&request, target ? "" : model, error)) return CKAM_ERROR_OPTION;
    ckam_status status = target ? target_check(target, error) : ckam_model_create(&run->model, model, error);
    if (status) return status;
    run->target = target ? *target : *ckam_model_target(run->model);
    run->values = run->target.dim;
    if (!run->target.log_density)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "the target has no log_density; a run cannot ask for it");
    return CKAM_OK;
}

static ckam_status name_columns(ckam_run *run, ckam_error *error) {
    static const char *const own[COLUMNS_OWN_MOST] = {"lp__",    "accept_stat__", "stepsize__", "cycle__",
                                                      "phase__", "mode__",        "move__"};
    const char *const       *names = run->target.names;
    run->own = run->plan->sampler->sampler->waits ? COLUMNS_OWN_MOST : COLUMN_MODE;
    run->columns = run->own + run->values;
    run->names = calloc(run->columns, sizeof *run->names);
    ckam_status status = run->names ? CKAM_OK : CKAM_ERROR_MEMORY;
    for (size_t k = 0; k < run->columns && !status; k++) {
        size_t parameter = k - run->own;
        bool   named = k >= run->own && names;
        size_t size = named ? strlen(names[parameter]) + 1 : 32;
        run->names[k] = malloc(size);
        if (!run->names[k])
            status = CKAM_ERROR_MEMORY;
        else if (k < run->own)
            snprintf(run->names[k], size, "%s", own[k]);
        else if (named)
            memcpy(run->names[k], names[parameter], size);
        else
            snprintf(run->names[k], size, "x.%zu", parameter + 1);
        if (named && !status) status = csv_check_name(names[parameter], error);
    }
    return status == CKAM_ERROR_MEMORY ? fail_with(error, status, "there is no memory for the names") : status;
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static ckam_status check_names(const ckam_run *run, ckam_error *error) {
    size_t      count = run->columns;
    char      **sorted = calloc(count, sizeof *sorted);
    ckam_status status = sorted ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the names");
    for (size_t k = 0; sorted && k < count; k++) sorted[k] = run->names[k];
    if (sorted) qsort(sorted, count, sizeof *sorted, by_name);
    for (size_t k = 1; k < count && !status; k++)
        if (!strcmp(sorted[k - 1], sorted[k]))
            status = fail_with(error, CKAM_ERROR_ARGUMENT, "two parameters have the name %.80s", sorted[k]);
    for (size_t k = 0; k < count && !status && run->format.netcdf; k++)
        if (strlen(run->names[k]) > NETCDF_NAME_MOST)
            status =
                fail_with(error, CKAM_ERROR_ARGUMENT,
                          "the name %.40s... has %zu letters, and a NetCDF file allows %d; shorten it, or write CSV "
                          "files only: format csv",
                          run->names[k], strlen(run->names[k]), NETCDF_NAME_MOST);
    free(sorted);
    return status;
}

/* Starts as a user gives them are within the bounds; chains walk on the whole space. */
static ckam_status read_starts(ckam_run *run, double **starts, ckam_error *error) {
    size_t      chains = (size_t)run->plan->run.chains, dim = run->target.dim;
    size_t      size = run->source ? source_given(run->source) : dim;
    double     *given;
    ckam_error  inner;
    ckam_status status = init_read(run->plan->run.init, chains, size, &given, error);
    *starts = given;
    if (status || !given || !run->source) return status;
    *starts = calloc(chains, dim * sizeof **starts);
    if (!*starts) status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the starts");
    for (size_t i = 0; i < chains && !status; i++) {
        status = source_unconstrain(run->source, given + i * size, *starts + i * dim, &inner);
        if (status) status = fail_with(error, CKAM_ERROR_OPTION, "init of chain %zu: %.200s", i + 1, inner.message);
    }
    free(given);
    return status;
}

/* A density has one value at a point. Nothing is said of a start that cannot be computed: the chain will say it. Returns the seconds
 * that the second evaluation took, NaN if there was none. */
static double look_twice(ckam_run *run) {
    run_chain    *c = &run->chains[0];
    const double *x;
    double        value[2], begun = 0.0;
    if (ckam_chain_ask(c->chain, &x)) return (double)NAN;
    for (int i = 0; i < 2; i++) {
        begun = clock_seconds();
        if (c->target.log_density(c->target.context, x, &value[i]) || !isfinite(value[i])) return (double)NAN;
    }
    if (value[0] != value[1]) run_warn(run, value);
    return clock_seconds() - begun;
}

static ckam_status open_chains(ckam_run *run, bool resumed, ckam_error *error) {
    size_t  chains = (size_t)run->plan->run.chains, dim = run->target.dim;
    double *starts = NULL;
    run->chains = calloc(chains, sizeof *run->chains);
    run->stores = calloc(chains, sizeof(store *));
    if (!run->chains || !run->stores)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu chains", chains);
    for (size_t i = 0; i < chains; i++) run->chains[i].draws.file = run->chains[i].warmup.file = -1;
    ckam_status status = resumed ? CKAM_OK : read_starts(run, &starts, error);
    for (size_t i = run->first; i < run->last && !status; i++)
        status = run_chain_open(run, i, starts ? starts + i * dim : NULL, error);
    for (size_t i = run->last; comm_is_root(run) && i < chains && !status; i++)
        status = run_chain_open_remote(run, i, error);
    free(starts);
    return status;
}

/* Everything that can be wrong without a file. */
static ckam_status prepare(ckam_run *run, const ckam_target *target, bool resumed, ckam_error *error) {
    resolve(run);
    ckam_status status = run->format.netcdf ? netcdf_check(error) : CKAM_OK;
    if (!status) status = find_target(run, target, error);
    if (!status) status = name_columns(run, error);
    if (!status) status = check_names(run, error);
    if (status) return status;
    if (!run->format.csv && (strcmp(run->plan->run.out, "auto") != 0 || run->plan->run.save_warmup))
        return fail_with(error, CKAM_ERROR_OPTION, "format none writes no files, so '%s' has no meaning; leave it out",
                         run->plan->run.save_warmup ? "save-warmup" : "out");
    budget_plan(run);
    status = resumed ? CKAM_OK : budget_check(run, error);
    if (!status) status = open_chains(run, resumed, error);
    if (!status) status = memory_check(run, error);
    if (status) return status;
    if (run->first < run->last) run->warmup = run->chains[run->first].chain->plan.settings->warmup;
    return comm_is_root(run) ? live_create(&run->live, run, error) : CKAM_OK;
}

static ckam_status begin(ckam_run **run, const ckam_plan *plan, ckam_error *error) {
    pthread_condattr_t monotonic;
    ckam_run          *r = *run = calloc(1, sizeof *r);
    if (!r) {
        comm_begin(NULL, plan->comm, error);
        return CKAM_ERROR_MEMORY;
    }
    r->reason = "";
    r->first_memory = finish_memory();
    if (!isnan(plan->run.time_limit)) r->number_seconds = finish_number_seconds();
    r->startup = clock_seconds();
    r->place.lock = r->place.folder.file = -1;
    pthread_mutex_init(&r->lock, NULL);
    r->guard = &r->lock;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&r->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    ckam_status status = comm_begin(r, plan->comm, error);
    if (!status) {
        status = plan_copy(&r->plan, plan, error);
        if (!status) status = comm_assign_chains(r, error);
        status = comm_agree(r, status, error);
    }
    if (!status) return CKAM_OK;
    ckam_run_free(r);
    *run = NULL;
    return status;
}

void ckam_run_free(ckam_run *run) {
    if (!run) return;
    for (size_t i = 0; run->chains && i < run->plan->run.chains; i++) run_chain_close(&run->chains[i]);
    comm_end(run);
    source_close(run->source);
    json_decref(run->rejected);
    for (size_t k = 0; run->names && k < run->columns; k++) free(run->names[k]);
    live_free(run->live);
    ckam_review_free(run->review);
    ckam_model_free(run->model);
    ckam_plan_free(run->plan);
    directory_leave(&run->place);
    pthread_cond_destroy(&run->changed);
    pthread_mutex_destroy(&run->lock);
    free(run->names);
    free(run->stores);
    free(run->chains);
    free(run);
}

static void log_faults(ckam_run *run) {
    if (run->source) source_log_to(run->source, &run->place.folder, "model-failures.log");
}

/* The first process has made or taken the directory: the others open it. */
static ckam_status join_directory(ckam_run *run, const char *path, ckam_error *error) {
    ckam_status status = CKAM_OK;
    if (!run->comm) return CKAM_OK;
    if (comm_is_root(run))
        (void)fsync(run->place.lock); /* the mark is to be seen on other machines; if not, they say so */
    comm_broadcast(run, run->place.mark, sizeof run->place.mark);
    if (!comm_is_root(run)) status = directory_join(&run->place, path, error);
    return comm_agree(run, status, error);
}

/* -- A new run ---------------------------------------------------------------------------------------------------- */

/* The first process makes the directory. */
static ckam_status make_directory(ckam_run *run, ckam_error *error) {
    run_settings *plan = &run->plan->run;
    ckam_status   status = CKAM_OK;
    if (comm_is_root(run)) status = directory_make(&run->place, plan->out, run_model_name(run), plan->overwrite, error);
    status = comm_agree(run, status, error);
    if (status) return status;
    comm_broadcast(run, run->place.folder.path, sizeof run->place.folder.path);
    snprintf(plan->out, sizeof plan->out, "%.*s", OPTION_TEXT - 1, run->place.folder.path);
    return join_directory(run, plan->out, error);
}

static ckam_status make_files(ckam_run *run, ckam_error *error) {
    ckam_status status = make_directory(run, error);
    if (status) return status;
    double begun = clock_seconds();
    log_faults(run);
    for (size_t i = run->first; i < run->last && !status; i++) status = run_chain_make_files(run, i, error);
    status = comm_agree(run, status, error);
    if (!status) status = checkpoint_begin(run, error);
    run->files_cost = clock_seconds() - begun;
    return status ? status : finish_record(run, 0.0, false, NULL, error);
}

ckam_status ckam_run_create(ckam_run **run, const ckam_plan *plan, const ckam_target *target, ckam_error *error) {
    if (run) *run = NULL;
    if (!run || !plan) return fail_with(error, CKAM_ERROR_ARGUMENT, "the plan or the place for the run is NULL");
    ckam_error local;
    if (!error) error = &local; /* comm_agree() sends it to the other ranks */
    ckam_status status = begin(run, plan, error);
    if (status) return status;
    clock_text((*run)->started);
    comm_broadcast(*run, (*run)->started, sizeof(*run)->started);
    comm_broadcast(*run, &(*run)->plan->run.seed, sizeof(*run)->plan->run.seed); /* it may have been drawn */
    status = prepare(*run, target, false, error);
    status = comm_agree(*run, status, error);
    bool   timed = budget_is_time(plan);
    double seconds = (double)NAN;
    if (!status && (timed || (*run)->source) && comm_is_root(*run)) seconds = look_twice(*run);
    if (!status && timed) budget_plan_time(*run, seconds);
    if (!status && (*run)->format.csv) {
        status = make_files(*run, error);
        if (status && comm_is_root(*run)) directory_discard(&(*run)->place);
    }
    (*run)->startup = clock_seconds() - (*run)->startup;
    if (!status) return CKAM_OK;
    ckam_run_free(*run);
    *run = NULL;
    return status;
}

/* -- A run that goes on ------------------------------------------------------------------------------------------- */

/* When it began, the seconds that it took so far, and what is kept of the model's failures. */
static ckam_status read_record(ckam_run *run, ckam_error *error) {
    char       *bytes;
    size_t      size;
    ckam_status status = file_read_record(&run->place.folder, "run.json", &bytes, &size, error);
    if (status) return status;
    json_t     *json = json_loadb(bytes, size, 0, NULL), *rejected = json_object_get(json, "rejected");
    const char *started = json_string_value(json_object_get(json, "started"));
    const char *warning = json_string_value(json_object_get(json, "warning"));
    snprintf(run->started, sizeof run->started, "%s", started ? started : "");
    snprintf(run->warning, sizeof run->warning, "%s", warning ? warning : "");
    run->seconds = json_number_value(json_object_get(json, "seconds"));
    run->faults = (uint64_t)json_integer_value(json_object_get(json_object_get(json, "counts"), "faults"));
    run->nans = (uint64_t)json_integer_value(json_object_get(json_object_get(json, "counts"), "nan"));
    run->outside = (uint64_t)json_integer_value(json_object_get(json_object_get(json, "counts"), "outside"));
    if (json_is_object(rejected)) run->rejected = json_incref(rejected);
    json_decref(json);
    free(bytes);
    return CKAM_OK;
}

/* Reads the rows of one chain that its store would have kept. */
static ckam_status fill_store(run_chain *c, csv_reader *reader, size_t columns, const size_t *all, ckam_error *error) {
    uint64_t    row = 0, skipped;
    ckam_status status = CKAM_OK;
    while (!status && row < c->kept.draws) {
        status = csv_next(reader, columns, all, c->row, error);
        if (status) break;
        store_add(&c->store, row++, c->row);
        uint64_t next = (row + c->store.stride - 1) / c->store.stride * c->store.stride;
        status = csv_skip(reader, next - row, &skipped, error);
        row = next;
    }
    return status;
}

static ckam_status check_header(const ckam_run *run, const csv_reader *reader, const char *path, ckam_error *error) {
    if (csv_columns(reader) != run->columns)
        return fail_with(error, CKAM_ERROR_FORMAT, "%.120s has %zu columns; %zu are wanted", path, csv_columns(reader),
                         run->columns);
    for (size_t k = 0; k < run->columns; k++)
        if (strcmp(csv_name(reader, k), run->names[k]) != 0)
            return fail_with(error, CKAM_ERROR_FORMAT, "column %zu of %.80s is %.60s; the model has %.60s there", k + 1,
                             path, csv_name(reader, k), run->names[k]);
    return CKAM_OK;
}

/* The rows that are in the files go to the stores again, as if this process had drawn them. */
static ckam_status fill_stores(ckam_run *run, ckam_error *error) {
    size_t      columns = run->columns;
    size_t     *all = calloc(columns, sizeof *all);
    char        name[FILE_PATH], path[FILE_SHOWN];
    ckam_status status = all ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to resume");
    for (size_t k = 0; all && k < columns; k++) all[k] = k;
    for (size_t i = run->first; i < run->last && !status; i++) {
        csv_reader *reader;
        draws_path(".", i, false, sizeof name, name);
        file_show(&run->place.folder, name, path);
        status = csv_open(&reader, &run->place.folder, name, error);
        if (status) break;
        status = check_header(run, reader, path, error);
        if (!status) status = fill_store(&run->chains[i], reader, columns, all, error);
        csv_free(reader);
        if (status == CKAM_STOP)
            status = fail_with(error, CKAM_ERROR_FORMAT, "%.120s has fewer rows than its checkpoint", path);
    }
    free(all);
    return status;
}

/* Until they are written again at the end they would not match the rows. */
static void remove_stale(const ckam_run *run) {
    static const char *const names[] = {"draws.nc", "summary.csv", "evidence.json"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) unlinkat(run->place.folder.file, names[i], 0);
}

/* What a plan has that the run was not begun with. */
typedef struct news {
    bool rule, draws, evals;
} news;

/* A rule that is new holds in place of a number of draws or evaluations that is used up. Fewer than there are cannot be had:
 * the plan says how many there are. (A run that was stopped on its way to the end of a cycle, where its draws begin anew, has more than it
 * was asked for: that number stands.) */
static void lift_limits(ckam_run *run, news new) {
    run_settings *plan = &run->plan->run;
    uint64_t      draws = UINT64_MAX, evaluations = UINT64_MAX;
    for (size_t i = run->first; i < run->last; i++) {
        if (run->chains[i].kept.draws < draws) draws = run->chains[i].kept.draws;
        if (run->chains[i].evaluations < evaluations) evaluations = run->chains[i].evaluations;
    }
    draws = comm_min(run, draws);
    evaluations = comm_min(run, evaluations);
    if (plan->draws && draws >= plan->draws && (new.rule || new.draws)) plan->draws = new.rule ? 0 : draws;
    if (plan->evals && evaluations >= plan->evals) plan->evals = new.rule && !new.evals ? 0 : evaluations;
    resolve(run);
}

/* Whether a run may be resumed with this plan; *new says which rules it adds. */
static ckam_status check_plan(const ckam_run *run, news *new, ckam_error *error) {
    ckam_plan  *before;
    ckam_status status = plan_open(&before, &run->place.folder, ".", error);
    if (status) return status;
    status = plan_compare(run->plan, before, error);
    plan_format format = {.csv = true};
    if (!status) status = plan_formats(run->plan->run.format, &format, error);
    if (!format.csv)
        status = fail_with(error, CKAM_ERROR_OPTION, "a run that goes on writes: format none is not possible");
    *new = (news){.rule = plan_has_new_rule(run->plan, before),
                  .draws = run->plan->run.draws != before->run.draws,
                  .evals = run->plan->run.evals != before->run.evals};
    ckam_plan_free(before);
    return status;
}

/* What needs nothing of the other processes. */
static ckam_status take(ckam_run *run, const char *path, const ckam_target *target, news *new, ckam_error *error) {
    ckam_status status = check_plan(run, new, error);
    if (!status) status = prepare(run, target, true, error);
    if (status) return status;
    snprintf(run->plan->run.out, sizeof run->plan->run.out, "%s", path);
    log_faults(run);
    return read_record(run, error);
}

static ckam_status take_up(ckam_run *run, const char *path, const ckam_target *target, ckam_error *error) {
    news new = {0};
    ckam_status status = comm_is_root(run) ? directory_take(&run->place, path, error) : CKAM_OK;
    status = comm_agree(run, status, error);
    if (!status) status = join_directory(run, path, error);
    if (status) return status;
    status = comm_agree(run, take(run, path, target, &new, error), error);
    if (!status) status = checkpoint_load(run, error);
    if (status) return status;
    status = comm_agree(run, fill_stores(run, error), error);
    if (status) return status;
    lift_limits(run, new);
    for (size_t i = run->first; i < run->last; i++) run_chain_report(run, &run->chains[i]);
    if (comm_is_root(run)) remove_stale(run);
    run->settled = true;
    /* Rows that were put back are part of their files from here on: at the end the place of the rest is used again. */
    status = checkpoint_save(run, error);
    return status ? status : finish_record(run, 0.0, false, NULL, error);
}

ckam_status ckam_run_resume(ckam_run **run, const ckam_plan *plan, const char *path, const ckam_target *target,
                            ckam_error *error) {
    if (run) *run = NULL;
    if (!run || !plan || !path)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "the plan, the directory or the place for the run is NULL");
    ckam_error local;
    if (!error) error = &local; /* comm_agree() sends it to the other ranks */
    ckam_status status = begin(run, plan, error);
    if (status) return status;
    status = take_up(*run, path, target, error);
    (*run)->startup = (*run)->files_cost = clock_seconds() - (*run)->startup;
    if (!status) return CKAM_OK;
    ckam_run_free(*run);
    *run = NULL;
    return status;
}
