/* run_findings.c - findings that run.json supports (failures, rejected points, the search for modes), and all findings of a run. */
#include "base/character.h"
#include "base/error.h"
#include "base/file.h"
#include "diag/findings.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAN_MOST 0.02 /* of the evaluations */

_Static_assert(CKAM_FINDINGS >= CKAM_INCIDENTS + FINDINGS_MOST, "room for all");

static ckam_finding *add(ckam_finding *found, size_t *count, ckam_severity severity) {
    ckam_finding *f = &found[(*count)++];
    memset(f, 0, sizeof *f);
    f->severity = severity;
    return f;
}

static json_int_t counted(const json_t *json, const char *what) {
    return json_integer_value(json_object_get(json_object_get(json, "counts"), what));
}

/* A density that is NaN in many places is not 0 there: it could not be computed. */
static void add_nans(const json_t *json, ckam_finding *found, size_t *count) {
    const json_int_t nans = counted(json, "nan"), evaluations = counted(json, "evaluations");
    if (nans <= 0 || (double)nans <= NAN_MOST * (double)evaluations) return;
    ckam_finding *f = add(found, count, CKAM_PROBLEM);
    snprintf(f->text, sizeof f->text,
             "The log density was NaN at %.2g %% of the points (%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
             "), which were rejected as if the density were 0 there: that part of it may be missing from the draws.",
             100.0 * (double)nans / (double)evaluations, nans, evaluations);
    snprintf(
        f->advice, sizeof f->advice,
        "Look for log or sqrt of a negative number, 0/0 and infinity - infinity in the model. Where the density is 0, "
        "return -INFINITY, or declare bounds (--params 's > 0').");
}

/* How many, and the first of them in words, where the model has given some. */
static void add_rejects(const json_t *json, const json_t *rejected, ckam_finding *found, size_t *count) {
    const char *point = json_string_value(json_object_get(rejected, "point"));
    json_int_t  undefined = counted(json, "undefined");
    if (undefined <= 0 && !point) return;
    ckam_finding *f = add(found, count, CKAM_NOTE);
    int           used = undefined > 0 ? snprintf(f->text, sizeof f->text,
                                                  "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT
                                                  " points had no value and were rejected",
                                                  undefined, counted(json, "evaluations"))
                                       : snprintf(f->text, sizeof f->text, "Points had no value before the chains began");
    if (point)
        used += snprintf(f->text + used, sizeof f->text - (size_t)used,
                         "; the first, of chain %" JSON_INTEGER_FORMAT ": %.120s",
                         json_integer_value(json_object_get(rejected, "chain")), point);
    snprintf(f->text + used, sizeof f->text - (size_t)used, ".");
    snprintf(f->advice, sizeof f->advice,
             "Where the density is 0 there that is right; declare bounds to spare these evaluations.");
}

static void add_runaways(const json_t *json, ckam_finding *found, size_t *count) {
    if (counted(json, "runaways") <= 0) return;
    ckam_finding *f = add(found, count, CKAM_NOTE);
    snprintf(f->text, sizeof f->text,
             "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " searches for modes were stopped far outside.",
             counted(json, "runaways"), counted(json, "scouts"));
    snprintf(f->advice, sizeof f->advice, "The density has heavy tails, or no finite integral: check it.");
}

static void add_floored(const json_t *json, ckam_finding *found, size_t *count) {
    const json_int_t floored = counted(json, "floored");
    if (floored <= 0) return;
    ckam_finding *f = add(found, count, CKAM_NOTE);
    snprintf(f->text, sizeof f->text, "The covariance was kept from degenerating %" JSON_INTEGER_FORMAT " time%s.",
             floored, floored > 1 ? "s" : "");
    snprintf(f->advice, sizeof f->advice,
             "The gain may be too large: gain-decay or gain in --sampler make it smaller.");
}

/* A run that ended with an error has fewer draws than it was asked for. */
static void add_failure(const json_t *json, ckam_finding *found, size_t *count) {
    const char *stopped = json_string_value(json_object_get(json, "stopped"));
    const char *message = json_string_value(json_object_get(json, "message"));
    if (!stopped || strcmp(stopped, "error") != 0) return;
    ckam_finding *f = add(found, count, CKAM_PROBLEM);
    snprintf(f->text, sizeof f->text, "The run ended with an error: %.210s.",
             message ? message : "it is not known which");
    snprintf(f->advice, sizeof f->advice, "Mend that; then `ckam resume` goes on where there were draws.");
}

static void add_warning(const json_t *json, ckam_finding *found, size_t *count) {
    const char *warning = json_string_value(json_object_get(json, "warning"));
    if (!warning) return;
    ckam_finding *f = add(found, count, CKAM_PROBLEM);
    snprintf(f->text, sizeof f->text, "%.247s", warning);
    snprintf(f->advice, sizeof f->advice, "Fix the seed of what is random in it; then run again.");
}

static void add_faults(const json_t *json, ckam_finding *found, size_t *count) {
    const json_int_t faults = counted(json, "faults");
    if (faults <= 0) return;
    ckam_finding *f = add(found, count, CKAM_PROBLEM);
    snprintf(f->text, sizeof f->text,
             "The model crashed or took too long at %" JSON_INTEGER_FORMAT
             " points, which were rejected as if the density were 0 there.",
             faults);
    snprintf(f->advice, sizeof f->advice, "The points are in model-failures.log of the run's directory.");
}

/* While a run goes on its draws are not all there. */
static void add_unfinished(const json_t *json, ckam_finding *found, size_t *count) {
    if (!json_is_object(json_object_get(json, "config")) || json_is_string(json_object_get(json, "ended"))) return;
    ckam_finding *f = add(found, count, CKAM_NOTE);
    snprintf(f->text, sizeof f->text, "The run has not ended, or it was killed: these are the draws so far.");
    snprintf(f->advice, sizeof f->advice, "`ckam resume` goes on with a run that was killed.");
}

static uint64_t word(const json_t *json, const char *key) {
    return (uint64_t)json_integer_value(json_object_get(json, key));
}

static double number(const json_t *json, const char *key) { return json_number_value(json_object_get(json, key)); }

static ckam_search read_search(const json_t *json) {
    const json_t *groups = json_object_get(json, "modes_by_group");
    ckam_search   s = {.searches = word(json, "searches"),
                       .evaluations = word(json, "evaluations"),
                       .modes = word(json, "modes"),
                       .once = word(json, "met_once"),
                       .twice = word(json, "met_twice"),
                       .probability = number(json, "unseen_probability"),
                       .bound = number(json, "unseen_bound"),
                       .unseen = number(json, "unseen_modes"),
                       .common = word(json, "common_modes"),
                       .unvisited_share = number(json, "unvisited_share"),
                       .late_share = number(json, "late_share"),
                       .restarts = word(json, "restarts"),
                       .discarded = word(json, "discarded")};
    for (size_t i = 0; i < 2; i++) s.group[i] = (uint64_t)json_integer_value(json_array_get(groups, i));
    return s;
}

static void add_search(const json_t *json, ckam_finding *found, size_t *count) {
    const ckam_search search = read_search(json_object_get(json, "search"));
    const json_t     *allowed = json_object_get(json_object_get(json, "config"), "unseen");
    const json_int_t  dim = json_integer_value(json_object_get(json, "dim"));
    *count += ckam_search_findings(&search, json_is_number(allowed) ? json_number_value(allowed) : 1.0,
                                   dim > 0 ? (size_t)dim : 0, found + *count);
}

/* Problems first, but for those of the search. */
static size_t read(const json_t *json, ckam_finding *found) {
    size_t count = 0;
    add_failure(json, found, &count);
    add_warning(json, found, &count);
    add_faults(json, found, &count);
    add_nans(json, found, &count);
    add_search(json, found, &count);
    add_unfinished(json, found, &count);
    add_rejects(json, json_object_get(json, "rejected"), found, &count);
    add_floored(json, found, &count);
    add_runaways(json, found, &count);
    for (size_t i = 0; i < count; i++) {
        error_show(found[i].text);
        character_mend(found[i].text); /* a character may have been cut */
    }
    return count;
}

/* Fails only for want of memory: a run.json that is not there, or is none, says nothing. */
static ckam_status find_incidents(const char *directory, ckam_finding *found, size_t *count, ckam_error *error) {
    char         path[FILE_PATH], *bytes;
    size_t       size;
    json_error_t why = {.text = ""};
    *count = 0;
    if (!directory || snprintf(path, sizeof path, "%s/run.json", directory) >= (int)sizeof path) return CKAM_OK;
    ckam_status status = file_read_record(NULL, path, &bytes, &size, error);
    if (status) return status == CKAM_ERROR_MEMORY ? status : CKAM_OK;
    json_t *json = json_loadb(bytes, size, 0, &why);
    free(bytes);
    if (json) *count = read(json, found);
    if (!json && json_error_code(&why) == json_error_out_of_memory)
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to read %.120s", path);
    json_decref(json);
    return status;
}

size_t ckam_run_incidents(const char *directory, ckam_finding found[CKAM_INCIDENTS]) {
    size_t count;
    find_incidents(directory, found, &count, NULL);
    return count;
}

/* Appends those of one severity. */
static size_t append(ckam_finding *found, size_t count, const ckam_finding *more, size_t all, ckam_severity severity) {
    for (size_t i = 0; i < all; i++)
        if (more[i].severity == severity) found[count++] = more[i];
    return count;
}

ckam_status ckam_run_findings(const char *directory, const ckam_review *review, ckam_finding found[CKAM_FINDINGS],
                              size_t *count, ckam_error *error) {
    static const ckam_severity order[] = {CKAM_PROBLEM, CKAM_NOTE};
    ckam_finding               incident[CKAM_INCIDENTS];
    size_t                     incidents;
    *count = 0;
    ckam_status status = find_incidents(directory, incident, &incidents, error);
    if (status) return status;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        *count = append(found, *count, incident, incidents, order[i]);
        if (review) *count = append(found, *count, review->finding, review->findings, order[i]);
    }
    return CKAM_OK;
}
