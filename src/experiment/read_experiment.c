/* read_experiment.c - an experiment from its directory: experiment.json, and the run files that it names. */
#define _DEFAULT_SOURCE /* realpath(). NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "base/error.h"
#include "experiment/experiment.h"
#include "run/init.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EVALS_MOST 1e15
enum { BINS = 100, SIDE = 50, EVALS = 1000000, SEEDS = 5 };

/* -- Members of objects ------------------------------------------------------------------------------------------- */

static const char *type_name(json_type type) {
    switch (type) {
    case JSON_STRING:
        return "a text";
    case JSON_ARRAY:
        return "a list";
    case JSON_OBJECT:
        return "an object";
    case JSON_INTEGER:
        return "a whole number";
    default:
        return "a number";
    }
}

/* JSON_REAL stands for any number. */
static bool has_type(const json_t *value, json_type type) {
    return type == JSON_REAL ? json_is_number(value) : json_typeof(value) == type;
}

ckam_status member(const experiment *e, const json_t *object, const char *key, json_type kind, bool needed,
                   json_t **value, ckam_error *error) {
    *value = json_object_get(object, key);
    if (!*value && !needed) return CKAM_OK;
    if (!*value)
        return fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: '%s' is missing, %s", e->path, key,
                         type_name(kind));
    if (has_type(*value, kind)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: '%s' must be %s", e->path, key,
                     type_name(kind));
}

ckam_status members_check(const experiment *e, json_t *object, const char *const *known, ckam_error *error) {
    const char *key;
    json_t     *value;
    json_object_foreach(object, key, value) {
        const char *const *name = known;
        while (*name && strcmp(*name, key) != 0) name++;
        if (*name) continue;
        const char *near = ckam_nearest_name(known, sizeof *known, key);
        return fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: there is no '%.40s'%s%s%s", e->path, key,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return CKAM_OK;
}

/* A positive whole number, or `initial` where the key is missing. */
static ckam_status count_member(const experiment *e, const json_t *object, const char *key, double initial, double most,
                                double *count, ckam_error *error) {
    json_t     *value;
    ckam_status status = member(e, object, key, JSON_REAL, false, &value, error);
    if (status) return status;
    *count = value ? json_number_value(value) : initial;
    if (*count >= 1.0 && *count <= most && *count == floor(*count)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_FORMAT,
                     "%.100s/experiment.json: '%s' is %g; a whole number from 1 to %g is wanted", e->path, key, *count,
                     most);
}

static ckam_status text_member(const experiment *e, const json_t *object, const char *key, const char **text,
                               ckam_error *error) {
    json_t     *value;
    ckam_status status = member(e, object, key, JSON_STRING, !*text, &value, error);
    if (!status && value) *text = json_string_value(value);
    return status;
}

/* -- Runs --------------------------------------------------------------------------------------------------------- */

ckam_status run_find(const experiment *e, const char *name, size_t *index, ckam_error *error) {
    for (size_t i = 0; i < e->runs; i++)
        if (!strcmp(e->run[i].name, name)) {
            *index = i;
            return CKAM_OK;
        }
    return fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: there is no run '%.40s'; 'runs' lists them",
                     e->path, name);
}

/* Refuses settings in a run file that the experiment decides: they would have no effect. */
static ckam_status check_plan(const ckam_plan *plan, const char *path, ckam_error *error) {
    static const char *const ours[] = {"thin",  "chains", "draws",  "evals",       "time-limit",
                                       "until", "out",    "format", "save-warmup", NULL};
    ckam_plan               *initial;
    ckam_status              status = ckam_plan_create(&initial, error);
    for (size_t i = 0; ours[i] && !status; i++) {
        char set[OPTION_TEXT], unset[OPTION_TEXT];
        ckam_plan_get(plan, ours[i], set, sizeof set, NULL);
        ckam_plan_get(initial, ours[i], unset, sizeof unset, NULL);
        if (strcmp(set, unset) != 0)
            status = fail_with(error, CKAM_ERROR_FORMAT,
                               "%.120s sets '%s' to %.30s; an experiment decides that itself: take it out", path,
                               ours[i], set);
    }
    ckam_plan_free(initial);
    return status;
}

static ckam_status read_plan(const experiment *e, run_entry *run, const char *file, const char *model,
                             ckam_error *error) {
    char path[FILE_PATH];
    if (snprintf(path, sizeof path, "%s/%s", e->path, file) >= (int)sizeof path)
        return fail_with(error, CKAM_ERROR_INPUT, "the path %.60s... is too long", e->path);
    ckam_status status = ckam_plan_create(&run->plan, error);
    if (!status) status = ckam_plan_read(run->plan, path, NULL, error);
    if (status) return status;
    if (strcmp(run->plan->run.model, model) != 0)
        return fail_with(error, CKAM_ERROR_FORMAT, "%.120s: the model is '%.40s', and that of the experiment '%.40s'",
                         path, run->plan->run.model, model);
    status = check_plan(run->plan, path, error);
    if (status) return status;
    return init_read(run->plan->run.init, 1, e->truth.dim, &run->start, error);
}

/* Names become file names and cells of a CSV file. */
static ckam_status check_name(const experiment *e, const char *name, ckam_error *error) {
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_");
    if (*name && !name[length] && length < 64) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_FORMAT,
                     "%.100s/experiment.json: the name '%.40s' must have letters, digits, '-' and '_' only, at most 63",
                     e->path, name);
}

/* "exact" needs no file: it is independent draws from the model. */
static ckam_status read_run(experiment *e, json_t *entry, const ckam_experiment_setup *setup, const char *model,
                            double evals, double seeds, ckam_error *error) {
    static const char *const known[] = {"name", "label", "file", "times", "seeds", NULL};
    run_entry               *run = e->run + e->runs;
    json_t                  *times;
    char                     initial[128];
    size_t                   same;
    if (!json_is_object(entry))
        return fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: 'runs' has objects only", e->path);
    ckam_status status = members_check(e, entry, known, error);
    if (!status) status = text_member(e, entry, "name", &run->name, error);
    if (!status) status = check_name(e, run->name, error);
    if (!status && !run_find(e, run->name, &same, NULL))
        status = fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: two runs have the name '%s'", e->path,
                           run->name);
    if (!status) status = member(e, entry, "times", JSON_REAL, false, &times, error);
    if (status) return status;
    e->runs++; /* from here on it is freed with the others */
    snprintf(initial, sizeof initial, "%s.json", run->name);
    const char *file = initial;
    double      factor = times ? json_number_value(times) : 1.0, own_seeds;
    run->label = run->name;
    status = text_member(e, entry, "label", &run->label, error);
    if (!status) status = text_member(e, entry, "file", &file, error);
    if (!status) status = count_member(e, entry, "seeds", seeds, SEEDS_MOST, &own_seeds, error);
    if (status) return status;
    if (!(factor > 0.0 && factor <= 1e6))
        return fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: 'times' of '%s' is %g; above 0 is wanted",
                         e->path, run->name, factor);
    if (evals * factor > EVALS_MOST)
        return fail_with(error, CKAM_ERROR_OPTION, "'%s' would have %g evaluations; at most %g are possible", run->name,
                         evals * factor, EVALS_MOST);
    run->evals = (uint64_t)ceil(evals * factor);
    run->seconds = setup->seconds * factor;
    run->seeds = (uint64_t)fmin(own_seeds, seeds);
    if (strcmp(run->name, "exact") != 0) status = read_plan(e, run, file, model, error);
    run->track = calloc(run->seeds, sizeof *run->track);
    if (!run->track) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %g chains", own_seeds);
    for (uint64_t s = 0; s < run->seeds; s++) run->track[s].seed = s + 1;
    return status;
}

static ckam_status read_runs(experiment *e, const ckam_experiment_setup *setup, const char *model, ckam_error *error) {
    json_t     *runs;
    double      evals, seeds;
    ckam_status status = member(e, e->file, "runs", JSON_ARRAY, true, &runs, error);
    if (!status) status = count_member(e, e->file, "evals", EVALS, EVALS_MOST, &evals, error);
    if (!status) status = count_member(e, e->file, "seeds", SEEDS, SEEDS_MOST, &seeds, error);
    if (status) return status;
    if (setup->evals) evals = (double)setup->evals;
    if (setup->seeds) seeds = (double)setup->seeds;
    e->run = calloc(json_array_size(runs) + 1, sizeof *e->run);
    if (!e->run) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the runs");
    for (size_t i = 0; i < json_array_size(runs) && !status; i++)
        status = read_run(e, json_array_get(runs, i), setup, model, evals, seeds, error);
    if (!status && !e->runs)
        status = fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: 'runs' is empty", e->path);
    return status;
}

/* -- The whole ---------------------------------------------------------------------------------------------------- */

static ckam_status read_pair(const experiment *e, size_t pair[2], ckam_error *error) {
    json_t     *list;
    ckam_status status = member(e, e->file, "coordinates", JSON_ARRAY, false, &list, error);
    for (size_t i = 0; i < 2; i++) {
        pair[i] = i;
        if (status || !list) continue;
        json_int_t number = json_integer_value(json_array_get(list, i));
        if (number < 1 || json_array_size(list) != 2)
            status = fail_with(error, CKAM_ERROR_FORMAT,
                               "%.100s/experiment.json: 'coordinates' must be two whole numbers from 1 on", e->path);
        pair[i] = number > 0 ? (size_t)number - 1 : 0;
    }
    return status;
}

static ckam_status check_figure_name(const experiment *e, size_t index, const char *name, ckam_error *error) {
    for (size_t i = 0; i < index; i++) {
        const json_t *other = json_object_get(json_array_get(e->figures, i), "name");
        if (!strcmp(json_string_value(other), name))
            return fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: two figures have the name '%.40s'",
                             e->path, name);
    }
    return check_name(e, name, error);
}

/* Makes every figure once while there are no results, so that errors in its entry are reported before long work. */
static ckam_status try_figures(experiment *e, ckam_error *error) {
    json_t     *entry;
    size_t      i;
    ckam_status status = member(e, e->file, "figures", JSON_ARRAY, true, &e->figures, error);
    if (status) return status;
    json_array_foreach(e->figures, i, entry) {
        figure *f = NULL;
        status = experiment_figure(e, entry, &f, error);
        if (!status) status = check_figure_name(e, i, f->name, error);
        figure_free(f);
        if (status) return status;
    }
    return CKAM_OK;
}

static ckam_status load(experiment *e, ckam_error *error) {
    char         path[FILE_PATH + 32], *bytes;
    size_t       size;
    json_error_t why;
    snprintf(path, sizeof path, "%s/experiment.json", e->path);
    ckam_status status = file_read(NULL, path, &bytes, &size, error);
    if (status) return status;
    e->file = json_loadb(bytes, size, JSON_REJECT_DUPLICATES, &why);
    free(bytes);
    if (json_is_object(e->file)) return CKAM_OK;
    if (e->file) return fail_with(error, CKAM_ERROR_FORMAT, "%.120s: a JSON object is wanted", path);
    return fail_with(error, CKAM_ERROR_FORMAT, "%.120s, line %d, column %d: %.80s", path, why.line, why.column,
                     why.text);
}

/* By the last part of its path, also where that is "." */
static ckam_status name_experiment(experiment *e, ckam_error *error) {
    char *whole = realpath(e->path, NULL), *last = whole ? strrchr(whole, '/') + 1 : NULL;
    snprintf(e->name, sizeof e->name, "%s", last ? last : "");
    bool fits = last && strlen(last) < sizeof e->name && !check_name(e, last, NULL);
    free(whole);
    if (fits) return CKAM_OK;
    return fail_with(
        error, CKAM_ERROR_INPUT,
        "the directory %.120s names the experiment, and may have letters, digits, '-' and '_' only; call it "
        "otherwise",
        e->path);
}

ckam_status experiment_read(experiment *e, const char *directory, const ckam_experiment_setup *setup,
                            ckam_error *error) {
    static const char *const known[] = {"title", "about", "model",       "evals",   "seeds", "bins",
                                        "side",  "runs",  "coordinates", "figures", NULL};
    const char              *model = NULL;
    double                   bins, side;
    size_t                   pair[2], length = strlen(directory);
    while (length > 1 && directory[length - 1] == '/') length--;
    if ((size_t)snprintf(e->path, sizeof e->path, "%.*s", (int)length, directory) >= sizeof e->path)
        return fail_with(error, CKAM_ERROR_INPUT, "the path %.60s... is too long", directory);
    ckam_status status = load(e, error);
    if (!status) status = name_experiment(e, error);
    if (!status) status = members_check(e, e->file, known, error);
    if (!status) status = text_member(e, e->file, "title", &e->title, error);
    if (!status) status = text_member(e, e->file, "about", &e->about, error);
    if (!status) status = text_member(e, e->file, "model", &model, error);
    if (!status) status = count_member(e, e->file, "bins", BINS, 10000, &bins, error);
    if (!status) status = count_member(e, e->file, "side", SIDE, 1000, &side, error);
    if (!status) status = read_pair(e, pair, error);
    if (!status) status = truth_create(&e->truth, model, (size_t)bins, (size_t)side, pair, error);
    if (!status) status = read_runs(e, setup, model, error);
    return status ? status : try_figures(e, error);
}

void experiment_close(experiment *e) {
    for (size_t i = 0; i < e->runs; i++) {
        run_entry *run = e->run + i;
        for (uint64_t s = 0; run->track && s < run->seeds; s++) track_free(run->track + s);
        free(run->track);
        free(run->start);
        ckam_plan_free(run->plan);
    }
    free(e->run);
    truth_free(&e->truth);
    json_decref(e->file);
}
