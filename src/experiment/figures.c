/* figures.c - the figures that experiment.json names, one function per kind.
 *
 * docs/reproduction.md has the keys of each kind. */
#include "base/error.h"
#include "experiment/experiment.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The members of an entry that all kinds share. */
typedef struct entry {
    const experiment *experiment;
    json_t           *json;
    const char       *name, *title, *caption;
    size_t            runs;
    const run_entry **run;
    int              *colour;
    ckam_error       *error;
} entry;

static ckam_status no_memory(const entry *e) {
    return fail_with(e->error, CKAM_ERROR_MEMORY, "there is no memory for the figure '%.60s'", e->name);
}

static ckam_status finish(const entry *e, figure *f, figure **out) {
    if (f && !f->failed) {
        *out = f;
        return CKAM_OK;
    }
    figure_free(f);
    return no_memory(e);
}

static figure *begin(const entry *e, size_t panels) { return figure_create(e->name, e->title, e->caption, panels); }

/* Exact values are drawn in black; they and the reference of independent draws are dashed. */
static bool is_exact(const run_entry *run) { return !run->plan; }

/* -- Densities ---------------------------------------------------------------------------------------------------- */

static void name_coordinate(size_t k, char text[32]) { snprintf(text, 32, "x.%zu", k + 1); }

/* The density in each of the bins; the outer ones count as wide as the inner ones. */
static void add_cells(figure *f, size_t index, const truth *t, const char *title, const double *probability,
                      const uint64_t *count, uint64_t total) {
    char across[32], up[32];
    name_coordinate(t->pair[0], across);
    name_coordinate(t->pair[1], up);
    panel *p = figure_panel(f, index, title, across, up);
    p->equal = true;
    if (!probability && !total) return;
    mark *m = panel_cells(f, p, t->side, t->side);
    if (!m) return;
    m->x0 = t->low[t->pair[0]];
    m->y0 = t->low[t->pair[1]];
    m->width = t->range[t->pair[0]] / (double)t->side;
    m->height = t->range[t->pair[1]] / (double)t->side;
    for (size_t i = 0; i < t->side * t->side; i++) {
        double share = probability ? probability[i] : (double)count[i] / (double)total;
        m->z[i] = share / (m->width * m->height);
    }
}

static ckam_status make_truth(const entry *e, figure **out) {
    const truth *t = &e->experiment->truth;
    figure      *f = begin(e, 1);
    if (f) add_cells(f, 0, t, "", t->joint, NULL, 0);
    return finish(e, f, out);
}

/* Of the first seed only, as in a single run. */
static ckam_status make_samples(const entry *e, figure **out) {
    figure *f = begin(e, e->runs);
    if (!f) return no_memory(e);
    f->across = e->runs % 4 ? 3 : 4;
    for (size_t i = 0; i < e->runs; i++) {
        const track *from = e->run[i]->track;
        add_cells(f, i, &e->experiment->truth, e->run[i]->label, NULL, from->joint, from->done ? from->draws : 0);
    }
    return finish(e, f, out);
}

/* A histogram as an outline. */
static void add_outline(figure *f, panel *p, const truth *t, const char *name, int colour, bool dashed,
                        const uint64_t *count, uint64_t total) {
    mark *m = panel_mark(f, p, MARK_LINE, name, colour, t->bins);
    if (!m) return;
    double width = t->range[0] / (double)t->bins;
    m->dashed = dashed;
    for (size_t i = 0; i < t->bins; i++) {
        double share = count ? (double)count[i] / (double)total : t->marginal[i];
        m->x[i] = t->low[0] + width * ((double)i + 0.5);
        m->y[i] = share / width;
    }
}

/* One panel per run: one line per seed, and the exact density. */
static ckam_status make_marginal(const entry *e, figure **out) {
    const truth *t = &e->experiment->truth;
    figure      *f = begin(e, e->runs);
    if (!f) return no_memory(e);
    f->across = e->runs % 4 ? 3 : 4;
    f->small = true;
    for (size_t i = 0; i < e->runs; i++) {
        const run_entry *run = e->run[i];
        panel           *p = figure_panel(f, i, run->label, "x.1", "density");
        for (uint64_t s = 0; s < run->seeds; s++) {
            const track *from = run->track + s;
            if (from->done && from->draws)
                add_outline(f, p, t, s ? NULL : "drawn, a line a seed", 0, false, from->marginal, from->draws);
        }
        add_outline(f, p, t, "exact", COLOUR_INK, true, NULL, 1);
    }
    return finish(e, f, out);
}

/* -- Curves ------------------------------------------------------------------------------------------------------- */

static const char *const against_names[] = {"time", "evaluations", NULL};
static const char *const against_labels[] = {"seconds of sampling", "evaluations"};

static void add_curve(figure *f, panel *p, const entry *e, size_t index, int which, int against) {
    const run_entry *run = e->run[index];
    size_t           count = seeds_records(run);
    mark            *band = run->seeds > 1 ? panel_mark(f, p, MARK_BAND, NULL, e->colour[index], count) : NULL;
    for (size_t i = 0; band && i < count; i++) {
        spread y = seeds_spread(run, i, which);
        band->x[i] = seeds_spread(run, i, against).middle;
        band->low[i] = y.low;
        band->high[i] = y.high;
    }
    mark *line = panel_mark(f, p, MARK_LINE, run->label, e->colour[index], count);
    for (size_t i = 0; line && i < count; i++) {
        line->x[i] = seeds_spread(run, i, against).middle;
        line->y[i] = seeds_spread(run, i, which).middle;
    }
    if (line) line->dashed = is_exact(run);
}

static int find_word(const char *const *list, const char *word) {
    for (int i = 0; list[i]; i++)
        if (!strcmp(list[i], word)) return i;
    return -1;
}

static int find_measure(const char *word) {
    for (int i = 0; i < MEASURES; i++)
        if (!strcmp(measure_table[i].name, word)) return i;
    return -1;
}

static ckam_status bad_word(const entry *e, const char *key, const json_t *value, const char *allowed) {
    return fail_with(e->error, CKAM_ERROR_FORMAT, "%.80s/experiment.json, figure '%.40s': %s is '%.30s'; %s",
                     e->experiment->path, e->name, key, json_string_value(value) ? json_string_value(value) : "",
                     allowed);
}

static ckam_status bad_measure(const entry *e, const json_t *value) {
    return bad_word(e, "a measure", value,
                    "there are kl-jeffreys, kl-paper, marginal-jeffreys, marginal-paper, multi-ess, mode-changes");
}

static ckam_status add_curves(const entry *e, figure *f, size_t index, const json_t *by, const json_t *what) {
    int x = json_is_string(by) ? find_word(against_names, json_string_value(by)) : -1;
    int which = json_is_string(what) ? find_measure(json_string_value(what)) : -1;
    if (x < 0) return bad_word(e, "against", by, "there are time and evaluations");
    if (which < 0) return bad_measure(e, what);
    panel *p = figure_panel(f, index, "", against_labels[x], measure_table[which].label);
    p->x.logarithmic = true;
    p->y.logarithmic = measure_table[which].logarithmic;
    for (size_t r = 0; r < e->runs; r++) add_curve(f, p, e, r, which, x ? OF_EVALUATIONS : OF_SECONDS);
    return CKAM_OK;
}

/* A panel for each measure, against each of time and evaluations. */
static ckam_status make_curves(const entry *e, figure **out) {
    json_t     *measures, *against;
    ckam_status status = member(e->experiment, e->json, "measures", JSON_ARRAY, true, &measures, e->error);
    if (!status) status = member(e->experiment, e->json, "against", JSON_ARRAY, true, &against, e->error);
    if (status) return status;
    size_t across = json_array_size(against), down = json_array_size(measures);
    if (!across || !down)
        return fail_with(e->error, CKAM_ERROR_FORMAT, "%.80s/experiment.json, figure '%.40s': '%s' is empty",
                         e->experiment->path, e->name, across ? "measures" : "against");
    figure *f = begin(e, across * down);
    if (!f) return no_memory(e);
    f->across = across;
    for (size_t i = 0; i < across * down && !status; i++)
        status = add_curves(e, f, i, json_array_get(against, i % across), json_array_get(measures, i / across));
    if (!status) return finish(e, f, out);
    figure_free(f);
    return status;
}

/* -- Where runs ended --------------------------------------------------------------------------------------------- */

/* Share of a mode with two standard errors, or a measure with its range. */
static ckam_status add_end(const entry *e, mark *m, size_t i, int which, size_t mode) {
    const run_entry *run = e->run[i];
    double           share, mcse;
    m->x[i] = (double)i;
    if (which >= 0) {
        spread s = seeds_spread(run, LAST_RECORD, which);
        m->y[i] = s.middle;
        m->low[i] = s.low;
        m->high[i] = s.high;
    }
    if (which >= 0) return CKAM_OK;
    ckam_status status = seeds_mode_share(&e->experiment->truth, run, mode, &share, &mcse, e->error);
    m->y[i] = share;
    m->low[i] = share - 2.0 * mcse;
    m->high[i] = share + 2.0 * mcse;
    return status;
}

static ckam_status make_ends(const entry *e, figure **out) {
    json_t     *what, *mode_value, *truth_value;
    ckam_status status = member(e->experiment, e->json, "measure", JSON_STRING, true, &what, e->error);
    if (!status) status = member(e->experiment, e->json, "mode", JSON_INTEGER, false, &mode_value, e->error);
    if (!status) status = member(e->experiment, e->json, "truth", JSON_REAL, false, &truth_value, e->error);
    if (status) return status;
    bool   is_share = !strcmp(json_string_value(what), "share");
    int    which = is_share ? -1 : find_measure(json_string_value(what));
    size_t mode = mode_value ? (size_t)json_integer_value(mode_value) - 1 : 0;
    if (!is_share && which < 0) return bad_measure(e, what);
    if (mode >= e->experiment->truth.modes)
        return fail_with(e->error, CKAM_ERROR_FORMAT, "%.80s/experiment.json, figure '%.40s': there are modes 1 to %zu",
                         e->experiment->path, e->name, e->experiment->truth.modes);
    figure      *f = begin(e, 1);
    const char **labels = calloc(e->runs + 1, sizeof *labels);
    if (!f || !labels) {
        figure_free(f);
        free(labels);
        return no_memory(e);
    }
    for (size_t i = 0; i < e->runs; i++) labels[i] = e->run[i]->label;
    panel *p = figure_panel(f, 0, "", "", is_share ? "share of the draws" : measure_table[which].label);
    axis_names(f, &p->x, e->runs, labels);
    free(labels);
    if (truth_value) {
        mark *rule = panel_mark(f, p, MARK_RULE, "exact", COLOUR_INK, 1);
        if (rule) rule->y[0] = json_number_value(truth_value);
        if (rule) rule->dashed = true;
    }
    mark *m = panel_mark(f, p, MARK_DOTS,
                         is_share ? "share, with two standard errors" : "median and range of the seeds", 0, e->runs);
    for (size_t i = 0; m && i < e->runs && !status; i++) status = add_end(e, m, i, which, mode);
    if (!status) return finish(e, f, out);
    figure_free(f);
    return status;
}

/* -- Step sizes --------------------------------------------------------------------------------------------------- */

static void add_steps(figure *f, panel *p, const run_entry *run, int colour) {
    const track *t = run->track;
    size_t       spans = 0, at = 0;
    for (size_t i = 0; i < t->steps; i++) spans += t->explores[i] && (i == 0 || !t->explores[i - 1]);
    mark *ground = spans ? panel_mark(f, p, MARK_SPANS, "exploration", COLOUR_MUTED, spans) : NULL;
    for (size_t i = 0; ground && i < t->steps; i++) {
        if (!t->explores[i]) continue;
        if (i == 0 || !t->explores[i - 1]) ground->low[at++] = (double)i;
        ground->high[at - 1] = (double)(i + 1);
    }
    /* Every second one is enough for a picture. */
    mark *line = panel_mark(f, p, MARK_LINE, NULL, colour, t->steps / 2);
    for (size_t i = 0; line && i < t->steps / 2; i++) {
        line->x[i] = (double)(2 * i);
        line->y[i] = t->step_size[2 * i];
    }
}

static ckam_status make_steps(const entry *e, figure **out) {
    figure *f = begin(e, e->runs);
    if (!f) return no_memory(e);
    f->across = e->runs < 2 ? e->runs : 2;
    for (size_t i = 0; i < e->runs; i++) {
        panel *p = figure_panel(f, i, e->run[i]->label, "iteration", "step size");
        p->y.logarithmic = true;
        add_steps(f, p, e->run[i], e->colour[i]);
    }
    return finish(e, f, out);
}

/* -- Entries ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    ckam_status (*make)(const entry *e, figure **out);
    const char *keys[4]; /* of its own */
    bool        runs;
} kinds[] = {{"truth", make_truth, {NULL}, false},
             {"samples", make_samples, {NULL}, true},
             {"marginal", make_marginal, {NULL}, true},
             {"curves", make_curves, {"measures", "against"}, true},
             {"ends", make_ends, {"measure", "mode", "truth"}, true},
             {"steps", make_steps, {NULL}, true}};
enum { KINDS = sizeof kinds / sizeof *kinds };

static ckam_status find_kind(entry *e, size_t *kind) {
    json_t     *value;
    ckam_status status = member(e->experiment, e->json, "kind", JSON_STRING, true, &value, e->error);
    if (status) return status;
    for (*kind = 0; *kind < KINDS; (*kind)++)
        if (!strcmp(kinds[*kind].name, json_string_value(value))) break;
    if (*kind == KINDS) return bad_word(e, "kind", value, "there are truth, samples, marginal, curves, ends, steps");
    const char *known[10] = {"name", "kind", "title", "caption", "runs"};
    for (size_t i = 0; i < 4; i++) known[5 + i] = kinds[*kind].keys[i];
    return members_check(e->experiment, e->json, known, e->error);
}

/* A run has one colour in all figures, as long as no two of a figure would share it. */
static void choose_colours(entry *e) {
    bool clash = false;
    for (size_t i = 0; i < e->runs; i++) {
        e->colour[i] = is_exact(e->run[i]) ? COLOUR_INK : (int)((e->run[i] - e->experiment->run) % COLOURS);
        for (size_t j = 0; j < i; j++) clash = clash || e->colour[i] == e->colour[j];
    }
    for (size_t i = 0; clash && i < e->runs; i++)
        if (!is_exact(e->run[i])) e->colour[i] = (int)(i % COLOURS);
}

static ckam_status find_runs(entry *e) {
    json_t     *list;
    ckam_status status = member(e->experiment, e->json, "runs", JSON_ARRAY, true, &list, e->error);
    if (status) return status;
    for (size_t i = 0; i < json_array_size(list) && !status; i++) {
        size_t      index;
        const char *name = json_string_value(json_array_get(list, i));
        status = run_find(e->experiment, name ? name : "", &index, e->error);
        if (!status) e->run[e->runs++] = e->experiment->run + index;
    }
    choose_colours(e);
    if (!status && !e->runs)
        status = fail_with(e->error, CKAM_ERROR_FORMAT, "%.80s/experiment.json, figure '%.40s': 'runs' is empty",
                           e->experiment->path, e->name);
    return status;
}

static ckam_status read_texts(entry *e) {
    struct {
        const char  *key;
        const char **text;
    } texts[] = {{"name", &e->name}, {"title", &e->title}, {"caption", &e->caption}};
    e->name = "";
    for (size_t i = 0; i < 3; i++) {
        json_t     *value;
        ckam_status status = member(e->experiment, e->json, texts[i].key, JSON_STRING, true, &value, e->error);
        if (status) return status;
        *texts[i].text = json_string_value(value);
    }
    return CKAM_OK;
}

/* "5 seeds, 1000000 evaluations each.", at the end of the caption: what the figure is based on. */
static ckam_status say_size(const entry *e, figure *f) {
    double least = HUGE_VAL, most = 0.0;
    size_t fewest = SIZE_MAX, seeds = 0;
    char   caption[2048], range[64] = "", evaluations[64] = "";
    for (size_t i = 0; i < e->runs; i++) {
        spread s = seeds_spread(e->run[i], LAST_RECORD, OF_EVALUATIONS);
        if (!s.ended) continue;
        least = fmin(least, s.low);
        most = fmax(most, s.high);
        fewest = s.ended < fewest ? s.ended : fewest;
        seeds = s.ended > seeds ? s.ended : seeds;
    }
    if (!seeds) return CKAM_OK;
    if (fewest < seeds) snprintf(range, sizeof range, "%zu to ", fewest);
    if (least < most) snprintf(evaluations, sizeof evaluations, "%.0f to ", least);
    snprintf(caption, sizeof caption, "%s %s%zu %s a run, %s%.0f evaluations each.", f->caption, range, seeds,
             seeds == 1 ? "seed" : "seeds", evaluations, most);
    figure_text(f, &f->caption, caption);
    return f->failed ? no_memory(e) : CKAM_OK;
}

ckam_status experiment_figure(const experiment *from, json_t *json, figure **out, ckam_error *error) {
    entry  e = {.experiment = from, .json = json, .error = error};
    size_t kind = 0;
    *out = NULL;
    if (!json_is_object(json))
        return fail_with(error, CKAM_ERROR_FORMAT, "%.100s/experiment.json: 'figures' has objects only", from->path);
    size_t most = json_array_size(json_object_get(json, "runs")) + 1;
    e.run = calloc(most, sizeof(run_entry *));
    e.colour = calloc(most, sizeof *e.colour);
    ckam_status status = e.run && e.colour ? read_texts(&e) : no_memory(&e);
    if (!status) status = find_kind(&e, &kind);
    if (!status && kinds[kind].runs) status = find_runs(&e);
    if (!status) status = kinds[kind].make(&e, out);
    if (!status) status = say_size(&e, *out);
    free((void *)e.run);
    free(e.colour);
    return status;
}
