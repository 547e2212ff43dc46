/* incidents.c - what a run has noticed about its model, from its run.json. */
#include "base/error.h"
#include "base/file.h"
#include "run/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static ckam_finding *add(ckam_finding *found, size_t *count, ckam_severity severity) {
    ckam_finding *f = &found[(*count)++];
    memset(f, 0, sizeof *f);
    f->severity = severity;
    return f;
}

static json_int_t counted(const json_t *json, const char *what) {
    return json_integer_value(json_object_get(json_object_get(json, "counts"), what));
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
                                       : snprintf(f->text, sizeof f->text, "points had no value before the chains began");
    if (point)
        snprintf(f->text + used, sizeof f->text - (size_t)used,
                 "; the first, of chain %" JSON_INTEGER_FORMAT ": %.120s",
                 json_integer_value(json_object_get(rejected, "chain")), point);
    snprintf(f->advice, sizeof f->advice,
             "Where the density is 0 there that is right; declare bounds to spare these evaluations.");
}

static void add_runaways(const json_t *json, ckam_finding *found, size_t *count) {
    if (counted(json, "runaways") <= 0) return;
    ckam_finding *f = add(found, count, CKAM_NOTE);
    snprintf(f->text, sizeof f->text,
             "%" JSON_INTEGER_FORMAT " of %" JSON_INTEGER_FORMAT " searches for modes were stopped far outside",
             counted(json, "runaways"), counted(json, "scouts"));
    snprintf(f->advice, sizeof f->advice, "The density has heavy tails, or no finite integral: check it.");
}

/* A run that ended with an error has fewer draws than it was asked for. */
static void add_failure(const json_t *json, ckam_finding *found, size_t *count) {
    const char *stopped = json_string_value(json_object_get(json, "stopped"));
    const char *message = json_string_value(json_object_get(json, "message"));
    if (!stopped || strcmp(stopped, "error") != 0) return;
    ckam_finding *f = add(found, count, CKAM_PROBLEM);
    snprintf(f->text, sizeof f->text, "the run ended with an error: %.210s",
             message ? message : "it is not known which");
    snprintf(f->advice, sizeof f->advice, "Mend that; then `ckam resume` goes on where there were draws.");
}

static size_t read(const json_t *json, ckam_finding *found) {
    const char *warning = json_string_value(json_object_get(json, "warning"));
    json_int_t  faults = counted(json, "faults");
    size_t      count = 0;
    add_failure(json, found, &count);
    if (warning) {
        ckam_finding *f = add(found, &count, CKAM_PROBLEM);
        snprintf(f->text, sizeof f->text, "%.247s", warning);
        snprintf(f->advice, sizeof f->advice, "Fix the seed of what is random in it; then run again.");
    }
    if (faults > 0) {
        ckam_finding *f = add(found, &count, CKAM_PROBLEM);
        snprintf(f->text, sizeof f->text,
                 "the model crashed or took too long at %" JSON_INTEGER_FORMAT
                 " points, which were rejected as if the density were 0 there",
                 faults);
        snprintf(f->advice, sizeof f->advice, "The points are in model-failures.log of the run's directory.");
    }
    add_rejects(json, json_object_get(json, "rejected"), found, &count);
    add_runaways(json, found, &count);
    for (size_t i = 0; i < count; i++) error_show(found[i].text);
    return count;
}

size_t ckam_run_incidents(const char *directory, ckam_finding found[CKAM_INCIDENTS]) {
    char   path[FILE_PATH], *bytes;
    size_t size, count = 0;
    if (!directory || snprintf(path, sizeof path, "%s/run.json", directory) >= (int)sizeof path) return 0;
    if (file_read_record(NULL, path, &bytes, &size, NULL)) return 0;
    json_t *json = json_loadb(bytes, size, 0, NULL);
    if (json) count = read(json, found);
    json_decref(json);
    free(bytes);
    return count;
}
