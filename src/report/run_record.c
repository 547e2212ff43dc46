/* run_record.c - what run.json and the directory of a run say: title, counts, times, settings, files. */
#include "report/run_page.h"

#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static json_t *member(const run_scene *scene, const char *object, const char *key) {
    return json_object_get(object ? json_object_get(scene->record, object) : scene->record, key);
}

static const char *text_of(const run_scene *scene, const char *object, const char *key) {
    return json_string_value(member(scene, object, key));
}

/* NaN where it is not a number. */
static double number_of(const run_scene *scene, const char *object, const char *key) {
    json_t *value = member(scene, object, key);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

/* -- Title -------------------------------------------------------------------------------------------------------- */

/* The last part of a path. */
static void add_name(text_buffer *t, const char *path) {
    size_t end = strlen(path), begin;
    while (end > 1 && path[end - 1] == '/') end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';) begin--;
    text_add(t, path + begin, end - begin);
}

/* Seeds of 64 bits are kept as text. */
static void add_value(text_buffer *t, const json_t *value) {
    if (json_is_string(value)) text_string(t, json_string_value(value));
    if (json_is_integer(value)) text_format(t, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

void record_title(const run_scene *scene, text_buffer *title, text_buffer *subtitle) {
    const ckam_draws_shape  *shape = ckam_draws_shape_of(scene->draws);
    static const char *const sources[] = {"model", "log-density", "program"};
    const char              *model = NULL, *sampler = text_of(scene, "config", "sampler");
    for (size_t i = 0; i < sizeof sources / sizeof *sources && (!model || !*model); i++)
        model = text_of(scene, "config", sources[i]);
    if (model && *model && sampler)
        text_format(title, "%s by %s", model, sampler);
    else
        add_name(title, scene->paths[0]);
    if (scene->files > 1) text_format(title, " and %zu more", scene->files - 1);
    text_format(subtitle, "%zu chain%s x %" PRIu64 " draw%s", shape->chains, plural(shape->chains), shape->shortest,
                plural(shape->shortest));
    if (shape->stride > 1) text_format(subtitle, ", of which one in %" PRIu64 " is used here", shape->stride);
    if (!member(scene, "config", "seed")) return;
    text_string(subtitle, ", seed ");
    add_value(subtitle, member(scene, "config", "seed"));
}

/* -- What went wrong ---------------------------------------------------------------------------------------------- */

void record_findings(const run_scene *scene, document *d) {
    if (scene->unread.status)
        document_finding(d, CKAM_NOTE, scene->unread.message, "Settings and counts are left out.");
}

/* -- Tables of two columns ---------------------------------------------------------------------------------------- */

static void begin_table(document *d, const char *name, const char *title, const char *caption) {
    static const char *const labels[] = {"", "value"};
    document_table(d, name, title, caption, 2, labels);
}

static void add_number(document *d, const char *name, double x) {
    if (isnan(x)) return;
    document_row(d);
    document_cell_text(d, name, false);
    document_cell_number(d, x, false);
}

static void add_text(document *d, const char *name, const char *text) {
    if (!text) return;
    document_row(d);
    document_cell_text(d, name, false);
    document_cell_text(d, text, false);
}

/* What it cost, and why it ended. */
static void add_run(const run_scene *scene, document *d) {
    double evaluations = number_of(scene, "counts", "evaluations"), seconds = number_of(scene, NULL, "seconds");
    double proposals = number_of(scene, "counts", "iterations"), accepted = number_of(scene, "counts", "accepted");
    begin_table(d, "run", "The run", "Evaluations of the density and iterations are those of all chains together.");
    add_text(d, "stopped because", ckam_reason_text(text_of(scene, NULL, "stopped")));
    add_number(d, "evaluations", evaluations);
    add_number(d, "iterations", proposals);
    if (proposals > 0.0) add_number(d, "share of the proposals that was accepted", accepted / proposals);
    add_number(d, "seconds", seconds);
    if (seconds > 0.0) add_number(d, "evaluations a second", round(evaluations / seconds));
    if (!isnan(scene->review->multi_ess)) {
        add_number(d, "effective draws of all parameters together", round(scene->review->multi_ess));
        if (evaluations > 0.0)
            add_number(d, "effective draws in 1000 evaluations", 1000.0 * scene->review->multi_ess / evaluations);
    }
    add_text(d, "started", text_of(scene, NULL, "started"));
    add_text(d, "ended", text_of(scene, NULL, "ended"));
    add_text(d, "made by ckam", text_of(scene, NULL, "ckam"));
    add_text(d, "command", text_of(scene, NULL, "command"));
    document_table_end(d);
}

static void add_settings(const run_scene *scene, document *d) {
    const char *key;
    json_t     *value;
    begin_table(d, "settings", "Settings", "As run.json has them; auto: the sampler measures it.");
    json_object_foreach(json_object_get(scene->record, "config"), key, value) {
        if (json_is_boolean(value))
            add_text(d, key, json_is_true(value) ? "true" : "false");
        else if (json_is_number(value))
            add_number(d, key, json_number_value(value));
        else
            add_text(d, key, json_string_value(value));
    }
    document_table_end(d);
}

/* -- Files -------------------------------------------------------------------------------------------------------- */

static void add_file(document *d, const char *path, const char *name, const char *what) {
    struct stat about;
    if (stat(path, &about)) return;
    document_row(d);
    document_cell_text(d, name, false);
    document_cell_number(d, (double)about.st_size, false);
    document_cell_text(d, what, false);
}

static void add_files(const run_scene *scene, document *d) {
    static const char *const labels[] = {"file", "bytes", "what it is"};
    static const char *const files[][2] = {{"run.json", "settings, counts, times"},
                                           {"chain_1.csv", "draws of the first chain, in Stan's CSV format"},
                                           {"chain_1_warmup.csv", "what was not a draw"},
                                           {"draws.nc", "all draws, for ArviZ and xarray"},
                                           {"summary.csv", "the summary of all parameters"},
                                           {"evidence.json", "log Z, as `ckam evidence` has estimated it"}};
    char                     path[FILE_PATH];
    document_table(d, "files", "Files", scene->directory ? scene->directory : "One file a chain.", 3, labels);
    for (size_t i = 0; scene->directory && i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", scene->directory, files[i][0]);
        add_file(d, path, files[i][0], files[i][1]);
    }
    for (size_t i = 0; !scene->directory && i < scene->files; i++)
        add_file(d, scene->paths[i], scene->paths[i], "draws of a chain");
    document_table_end(d);
}

void record_blocks(const run_scene *scene, document *d) {
    document_heading(d, scene->record ? "Run" : "Files");
    if (scene->record) {
        add_run(scene, d);
        add_settings(scene, d);
    }
    add_files(scene, d);
}
