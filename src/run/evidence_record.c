/* evidence_record.c - ckam_evidence_write(): an estimate of log Z beside the draws that it is of.
 *
 * evidence.json, run.json and draws.nc are each replaced as a whole, under the lock of the run. A run that is resumed removes the
 * first and makes the others anew, so that none of them outlives the draws. */
#include "base/error.h"
#include "draws/netcdf.h"
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* To 15 digits, which is how run.json looks best; null where there is none, for JSON has no NaN. */
static json_t *number_json(double x) {
    char text[40];
    snprintf(text, sizeof text, "%.15g", x); /* and back, both in the caller's locale */
    return isfinite(x) ? json_real(strtod(text, NULL)) : json_null();
}

/* Its own warning and the problems of the draws and the run; NULL for want of memory. */
static json_t *warnings_json(const ckam_evidence *e, const ckam_finding *found, size_t count, bool *trusted) {
    json_t *list = json_array();
    bool    whole = list, own = !e->trusted;
    *trusted = e->trusted;
    for (size_t i = 0; i < count; i++) {
        if (found[i].severity != CKAM_PROBLEM) continue;
        *trusted = false;
        own &= !e->doubted;
        whole = whole && !json_array_append_new(list, json_string(found[i].text));
    }
    if (own) whole = whole && !json_array_append_new(list, json_string(e->warning));
    if (whole) return list;
    json_decref(list);
    return NULL;
}

static json_t *estimate_json(const ckam_evidence *e, uint64_t seed, uint64_t draws, const ckam_finding *found,
                             size_t count, bool *trusted) {
    json_t *warnings = warnings_json(e, found, count, trusted);
    if (!warnings) return NULL;
    return json_pack("{s:s, s:o, s:o, s:b, s:o, s:o, s:o, s:I, s:o, s:o, s:o}", "ckam", CKAM_VERSION, "log_z",
                     number_json(e->log_z), "se", number_json(e->se), "trusted", *trusted, "warnings", warnings, "ess",
                     number_json(e->ess), "overlap", number_json(e->overlap), "components", (json_int_t)e->components,
                     "evaluations", plan_json_word(e->evaluations), "draws", plan_json_word(draws), "seed",
                     plan_json_word(seed));
}

static ckam_status write_json(const run_directory *d, const char *name, const json_t *json, ckam_error *error) {
    size_t  length;
    json_t *again = NULL;
    char   *text = record_text(json, 15, &length);
    if (text) again = json_loadb(text, length, 0, NULL);
    if (text && !json_equal(again, json)) { /* 15 digits are not enough */
        free(text);
        text = record_text(json, 17, &length);
    }
    json_decref(again);
    if (!text) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %s", name);
    ckam_status status = file_replace(&d->folder, name, text, length, error);
    free(text);
    return status;
}

/* Whether the run has these draws, as far as it says: while it was estimated another process may have gone on with it. */
static bool has_draws(const json_t *record, uint64_t draws) {
    const json_t *all = json_object_get(json_object_get(record, "counts"), "draws");
    uint64_t      least = UINT64_MAX;
    if (!json_is_string(json_object_get(record, "ended"))) return true;
    for (size_t i = 0; i < json_array_size(all); i++) {
        const uint64_t one = (uint64_t)json_integer_value(json_array_get(all, i));
        least = one < least ? one : least;
    }
    return least == UINT64_MAX || least == draws;
}

static ckam_status read_record(const run_directory *d, uint64_t draws, json_t **record, ckam_error *error) {
    char       *bytes, shown[FILE_SHOWN];
    size_t      size;
    ckam_status status = file_read_record(&d->folder, "run.json", &bytes, &size, error);
    if (status) return status;
    *record = json_loadb(bytes, size, 0, NULL);
    free(bytes);
    if (!json_is_object(*record))
        return fail_with(error, CKAM_ERROR_FORMAT, "%s cannot be read as JSON",
                         file_show(&d->folder, "run.json", shown));
    if (has_draws(*record, draws)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_ORDER, "the run in %s has gone on meanwhile; estimate it again",
                     file_show(&d->folder, ".", shown));
}

static ckam_status add_to_draws(const run_directory *d, const ckam_evidence *e, bool trusted, ckam_error *error) {
    const netcdf_note notes[] = {
        {"log_evidence", e->log_z}, {"log_evidence_se", e->se}, {"log_evidence_trusted", trusted ? 1.0 : 0.0}};
    return netcdf_annotate(&d->folder, "draws.nc", notes, sizeof notes / sizeof *notes, error);
}

ckam_status ckam_evidence_write(const char *directory, const ckam_evidence *evidence, uint64_t seed, uint64_t draws,
                                const ckam_finding *found, size_t count, ckam_error *error) {
    run_directory d;
    bool          trusted = false;
    if (!directory || !evidence || (!found && count > 0))
        return fail_with(error, CKAM_ERROR_ARGUMENT, "the directory, the evidence or the findings are NULL");
    ckam_status status = directory_take(&d, directory, error);
    if (status) return status;
    json_t *record = NULL, *json = NULL;
    status = read_record(&d, draws, &record, error);
    if (!status) {
        json = estimate_json(evidence, seed, draws, found, count, &trusted);
        if (!json || json_object_set(record, "evidence", json))
            status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for evidence.json");
    }
    if (!status) status = write_json(&d, "evidence.json", json, error);
    if (!status) status = write_json(&d, "run.json", record, error);
    if (!status) status = add_to_draws(&d, evidence, trusted, error);
    json_decref(json);
    json_decref(record);
    directory_leave(&d);
    return status;
}
