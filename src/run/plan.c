/* plan.c - what to run: one table of settings, from which flags, keys of JSON files and help are made. */
#include "run/plan.h"

#include "base/character.h"
#include "base/error.h"
#include "base/number.h"
#include "draws/netcdf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#define RUN(field) .offset = offsetof(run_settings, field)
#define TEXT(...)                                                                                                      \
    .type = CKAM_TEXT, .words = (const char *const[]) { __VA_ARGS__, NULL }
#define COUNT(from, to) .type = CKAM_COUNT, .low = (from), .high = (to)

static const char *const flag_words[] = {"false", "true", NULL};
static const char *const progress_words[] = {"auto", "bar", "plain", "json", "none", NULL};

static const ckam_option table[] = {
    {.name = "model",
     TEXT(""),
     .help = "what is sampled: a name, with options after a colon, or a file, model.c or model.so",
     RUN(model)},
    {.name = "log-density", TEXT(""), .help = "or this: one line of C, with --params", RUN(log_density)},
    {.name = "program", TEXT(""), .help = "or a command that answers a line of numbers with one", RUN(program)},
    {.name = "params",
     TEXT(""),
     .help = "names of its parameters, with bounds: 'x, s > 0, 0 < p < 1, v[3]'",
     RUN(params)},
    {.name = "bounds", TEXT(""), .help = "a file of such declarations, for a model without bounds", RUN(bounds)},
    {.name = "data", TEXT(""), .help = "a JSON file for the model", RUN(data)},
    {.name = "workers",
     COUNT(1, 10000),
     .has_auto = true,
     .initial = OPTION_AUTO,
     .help = "processes of the program; auto: one a processor, at most one a chain",
     RUN(workers)},
    {.name = "timeout",
     .type = CKAM_REAL,
     .open_low = true,
     .low = 0,
     .high = 1e9,
     .initial = 600,
     .help = "most time for an evaluation by a process, in seconds or as 10m",
     RUN(timeout)},
    {.name = "isolate",
     .type = CKAM_CHOICE,
     .words = flag_words,
     .help = "evaluate in processes of their own, which may crash",
     RUN(isolate)},
    {.name = "sampler", TEXT("jump"), .help = "the sampler, with options after a colon", RUN(sampler)},
    {.name = "chains", COUNT(1, 100000), .initial = 4, .help = "number of chains", RUN(chains)},
    {.name = "threads",
     COUNT(1, 10000),
     .has_auto = true,
     .initial = OPTION_AUTO,
     .help = "threads that chains are dealt to; auto: one a processor that this process may use",
     RUN(threads)},
    {.name = "seed", .type = CKAM_WORD, .help = "same seed, same draws (default: drawn, and shown)", RUN(seed)},
    {.name = "draws",
     COUNT(1, COUNT_MOST),
     .has_auto = true,
     .initial = OPTION_AUTO,
     .help = "draws kept of each chain; auto: 10000, or what evals, time-limit or until allow",
     RUN(draws)},
    {.name = "thin", COUNT(1, COUNT_MOST), .initial = 1, .help = "keep one draw in so many", RUN(thin)},
    {.name = "evals",
     COUNT(1, COUNT_MOST),
     .has_auto = true,
     .initial = OPTION_AUTO,
     .help = "most evaluations of the density, of each chain; too few for one draw are refused",
     RUN(evals)},
    {.name = "time-limit",
     .type = CKAM_REAL,
     .has_auto = true,
     .open_low = true,
     .low = 0,
     .high = 1e9,
     .initial = OPTION_AUTO,
     .help = "most time, in seconds or as 10m or 2h",
     RUN(time_limit)},
    {.name = "until",
     TEXT("never"),
     .help = "stop when converged: rhat=1.01,ess=400 for the worst parameter",
     RUN(until)},
    {.name = "unseen",
     .type = CKAM_REAL,
     .open_low = true,
     .low = 0,
     .high = 1,
     .initial = 1.5e-4,
     .help = "jump: a problem if one more search may find an unseen mode with a probability above this (95 % bound); "
             "half of "
             "it where there are several modes, less above 10 dimensions",
     RUN(unseen)},
    {.name = "init", TEXT("random"), .help = "starts: numbers, a file of numbers, or random on [-2,2]", RUN(init)},
    {.name = "out", TEXT("auto"), .help = "directory to make; auto: ckam-run-MODEL-N", RUN(out)},
    {.name = "overwrite",
     .type = CKAM_CHOICE,
     .words = flag_words,
     .help = "replace a run that is in the directory",
     RUN(overwrite)},
    {.name = "format",
     .type = CKAM_TEXT,
     .words = netcdf_default_format,
     .help = "files of draws: csv, netcdf (with csv) or none",
     RUN(format)},
    {.name = "save-warmup",
     .type = CKAM_CHOICE,
     .words = flag_words,
     .help = "also keep what is not a draw, in chain_N_warmup.csv",
     RUN(save_warmup)},
    {.name = "checkpoint-every",
     .type = CKAM_REAL,
     .low = 0,
     .high = 1e9,
     .initial = 30,
     .help = "seconds between checkpoints",
     RUN(checkpoint_every)},
    {.name = "horizon",
     COUNT(1, COUNT_MOST),
     .has_auto = true,
     .initial = OPTION_AUTO,
     .help = "iterations that kam's schedules and jump's warm-up go by; auto: from draws, evals, until, time-limit",
     RUN(horizon)},
    {.name = "progress",
     .type = CKAM_CHOICE,
     .words = progress_words,
     .help = "how the command shows progress",
     RUN(progress)},
    OPTION_END};

const ckam_option *ckam_plan_list(void) { return table; }

/* -- Life --------------------------------------------------------------------------------------------------------- */

/* 32 bits are enough to tell runs apart, and short enough to be typed again. */
static uint64_t random_seed(void) {
    uint32_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed) seed = (uint32_t)time(NULL);
    return seed;
}

ckam_status ckam_plan_create(ckam_plan **plan, ckam_error *error) {
    if (!plan) return fail_with(error, CKAM_ERROR_ARGUMENT, "the place for the plan is NULL");
    ckam_plan *p = *plan = calloc(1, sizeof *p);
    if (!p) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a plan");
    options_default(table, &p->run);
    p->run.seed = random_seed();
    ckam_status status = ckam_options_create(&p->sampler, p->run.sampler, error);
    if (!status) return CKAM_OK;
    ckam_plan_free(p);
    *plan = NULL;
    return status;
}

void ckam_plan_free(ckam_plan *plan) {
    if (!plan) return;
    ckam_options_free(plan->sampler);
    free(plan);
}

/* -- Setting ------------------------------------------------------------------------------------------------------ */

static const ckam_option *find(const ckam_option *list, const char *name) {
    for (; list->name; list++)
        if (!strcmp(list->name, name)) return list;
    return NULL;
}

static const ckam_option *sampler_table(const char *name) {
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++)
        if (!strcmp(entry->name, name)) return entry->options;
    return table; /* not reached: every plan has a sampler */
}

static ckam_status set_sampler(ckam_plan *plan, const char *spec, ckam_error *error) {
    ckam_options *options;
    ckam_status   status = ckam_options_create(&options, spec, error);
    if (status) return status;
    ckam_options_free(plan->sampler);
    plan->sampler = options;
    snprintf(plan->run.sampler, sizeof plan->run.sampler, "%s", ckam_options_sampler(options));
    return CKAM_OK;
}

/* "90s", "10m" or "2h" to seconds as text; others stay as they are, for the table to judge. */
static const char *to_seconds(const char *value, char *text, size_t size) {
    static const struct {
        char   letter;
        double seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    size_t length = strlen(value);
    double number;
    if (length < 2 || length >= size) return value;
    snprintf(text, size, "%s", value);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (value[length - 1] != units[i].letter) continue;
        text[length - 1] = 0;
        if (!number_read(text, &number)) return value;
        number_write(number * units[i].seconds, text, size);
        return text;
    }
    return value;
}

/* Texts go into JSON and into comments of files. */
static bool is_plain(const char *text) {
    json_t *json = json_string(text); /* NULL where it is not UTF-8 */
    json_decref(json);
    return json && !text[character_until_control(text)];
}

void ckam_plan_comm(ckam_plan *plan, const ckam_comm *comm) { plan->comm = comm; }

void ckam_plan_notice(ckam_plan *plan, ckam_notice *notice, void *context) {
    plan->notice = notice;
    plan->context = context;
}

void ckam_plan_command(ckam_plan *plan, const char *command) {
    snprintf(plan->command, sizeof plan->command, "%s", command);
    for (char *c = plan->command; *c && !is_plain(plan->command); c++)
        if (iscntrl((unsigned char)*c) || (unsigned char)*c > 126) *c = '?';
}

/* What has no place in this plan: another sampler's, or misspelt. */
static ckam_status unknown(const ckam_plan *plan, const char *name, ckam_error *error) {
    const char *ours = ckam_options_sampler(plan->sampler), *near = ckam_nearest_name(table, sizeof *table, name);
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++)
        if (find(entry->options, name))
            return fail_with(error, CKAM_ERROR_OPTION, "%s is an option of the sampler %s, not of %s", name,
                             entry->name, ours);
    if (!near) near = ckam_nearest_name(sampler_table(ours), sizeof(ckam_option), name);
    return fail_with(error, CKAM_ERROR_OPTION, "there is no setting '%.40s'%s%s%s", name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

ckam_status ckam_plan_set(ckam_plan *plan, const char *name, const char *value, ckam_error *error) {
    char        seconds[64];
    until_rule  rule;
    plan_format format;
    ckam_status status = CKAM_OK;
    if (!name || !value)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "the name or the value of a setting of the plan is NULL");
    if (find(sampler_table(plan->run.sampler), name)) return ckam_options_set(plan->sampler, name, value, error);
    if (!find(table, name)) return unknown(plan, name, error);
    if (!strcmp(name, "sampler")) return set_sampler(plan, value, error);
    if (!is_plain(value))
        return fail_with(error, CKAM_ERROR_OPTION, "the value of %s is not plain text in UTF-8", name);
    if (!strcmp(name, "time-limit") || !strcmp(name, "checkpoint-every") || !strcmp(name, "timeout"))
        value = to_seconds(value, seconds, sizeof seconds);
    if (!strcmp(name, "until")) status = plan_until(value, &rule, error);
    if (!strcmp(name, "format")) {
        status = plan_formats(value, &format, error);
        value = format.netcdf ? "csv,netcdf" : value;
    }
    return status ? status : options_set(table, &plan->run, "", name, value, error);
}

ckam_status ckam_plan_get(const ckam_plan *plan, const char *name, char *text, size_t size, ckam_error *error) {
    if (!name) return fail_with(error, CKAM_ERROR_ARGUMENT, "the name of a setting of the plan is NULL");
    if (find(sampler_table(plan->run.sampler), name)) return ckam_options_get(plan->sampler, name, text, size, error);
    if (!find(table, name)) return unknown(plan, name, error);
    return options_get(table, &plan->run, "", name, text, size, error);
}

/* -- Texts with a meaning ----------------------------------------------------------------------------------------- */

static ckam_status refuse_until(const char *text, ckam_error *error) {
    return fail_with(error, CKAM_ERROR_OPTION,
                     "until is '%.60s'; it must be never, or rhat=R with R > 1, ess=N with 0 < N <= 1e7, or both with "
                     "a comma",
                     text);
}

ckam_status plan_until(const char *text, until_rule *rule, ckam_error *error) {
    char room[128], *item = room, *comma;
    *rule = (until_rule){(double)NAN, (double)NAN};
    if (!strcmp(text, "never")) return CKAM_OK;
    if (strlen(text) >= sizeof room) return refuse_until(text, error);
    memcpy(room, text, strlen(text) + 1);
    for (; item; item = comma) {
        comma = strchr(item, ',');
        if (comma) *comma++ = 0;
        item += strspn(item, " ");
        double  number;
        bool    rhat = !strncmp(item, "rhat=", 5), ess = !strncmp(item, "ess=", 4);
        double *place = rhat ? &rule->rhat : &rule->ess;
        if ((!rhat && !ess) || !number_read(item + (rhat ? 5 : 4), &number) || !(number > rhat) || number > 1e7 ||
            !isnan(*place))
            return refuse_until(text, error);
        *place = number;
    }
    return CKAM_OK;
}

ckam_status plan_formats(const char *text, plan_format *format, ckam_error *error) {
    *format = (plan_format){!strcmp(text, "csv") || !strcmp(text, "csv,netcdf") || !strcmp(text, "netcdf,csv") ||
                                !strcmp(text, "netcdf"),
                            strstr(text, "netcdf") != NULL};
    if (format->csv || !strcmp(text, "none")) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_OPTION,
                     "format is '%.60s'; it must be csv, csv,netcdf (netcdf alone means both) or none", text);
}

source_request plan_source(const ckam_plan *plan) {
    const run_settings *r = &plan->run;
    return (source_request){.model = r->model,
                            .log_density = r->log_density,
                            .program = r->program,
                            .params = r->params,
                            .data = r->data,
                            .bounds = r->bounds,
                            .workers = (size_t)r->workers,
                            .timeout = r->timeout,
                            .isolate = r->isolate,
                            .seed = r->seed,
                            .notice = plan->notice,
                            .context = plan->context};
}

/* -- Two plans ---------------------------------------------------------------------------------------------------- */

ckam_status plan_copy(ckam_plan **copy, const ckam_plan *plan, ckam_error *error) {
    ckam_status status = ckam_plan_create(copy, error);
    if (status) return status;
    status = set_sampler(*copy, plan->run.sampler, error);
    char text[64];
    for (const ckam_option *o = sampler_table(plan->run.sampler); !status && o->name; o++) {
        status = ckam_options_get(plan->sampler, o->name, text, sizeof text, error);
        if (!status) status = ckam_options_set((*copy)->sampler, o->name, text, error);
    }
    (*copy)->run = plan->run;
    memcpy((*copy)->command, plan->command, sizeof plan->command);
    (*copy)->comm = plan->comm;
    ckam_plan_notice(*copy, plan->notice, plan->context);
    if (!status) return CKAM_OK;
    ckam_plan_free(*copy);
    *copy = NULL;
    return status;
}

static bool differs(const ckam_plan *a, const ckam_plan *b, const char *name) {
    char ours[OPTION_TEXT], theirs[OPTION_TEXT];
    ckam_plan_get(a, name, ours, sizeof ours, NULL);
    ckam_plan_get(b, name, theirs, sizeof theirs, NULL);
    return strcmp(ours, theirs) != 0;
}

ckam_status plan_compare(const ckam_plan *ours, const ckam_plan *theirs, ckam_error *error) {
    static const char *const free_to_change[] = {"draws",   "evals",     "time-limit", "until",    "threads",
                                                 "out",     "overwrite", "format",     "progress", "checkpoint-every",
                                                 "workers", "timeout",   "isolate",    "unseen",   NULL};
    const ckam_option *const lists[] = {table, sampler_table(ours->run.sampler)};
    char                     a[OPTION_TEXT], b[OPTION_TEXT];
    for (int i = 0; i < 2; i++)
        for (const ckam_option *o = lists[i]; o->name; o++) {
            const char *const *may = free_to_change;
            while (*may && strcmp(*may, o->name) != 0) may++;
            if (*may) continue;
            if (!differs(ours, theirs, o->name)) continue;
            ckam_plan_get(ours, o->name, a, sizeof a, NULL);
            ckam_plan_get(theirs, o->name, b, sizeof b, NULL);
            return fail_with(error, CKAM_ERROR_OPTION,
                             "%s is %.40s, that of the run is %.40s: a run goes on with what it began with; begin a "
                             "new one",
                             o->name, a, b);
        }
    return CKAM_OK;
}

bool plan_has_new_rule(const ckam_plan *ours, const ckam_plan *before) {
    return !differs(ours, before, "draws") &&
           (differs(ours, before, "evals") || differs(ours, before, "time-limit") || differs(ours, before, "until"));
}
