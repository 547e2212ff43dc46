/* run_page.c - the page of a run: its blocks in order, and how much of the draws there is room for.
 *
 * A page stays below 5 MB. A number takes about 7 bytes, which bounds the numbers in figures and in the pair plot. */
#include "report/run_page.h"

#include "base/character.h"
#include "base/error.h"
#include "base/file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* -- Room --------------------------------------------------------------------------------------------------------- */

enum {
    FIGURE_NUMBERS = 400000,
    PAIR_NUMBERS = 100000,
    PAIR_ROWS = 1500,
    PAIR_PARAMETERS = 200,
    DENSITY_POINTS = 128,
    RANK_NUMBERS = 64, /* per chain: 20 bars of three numbers, and the expected band */
    TRACE_LEAST = 100,
    TRACE_MOST = 1000,
    SAMPLER_POINTS = 1000,
    KINDS_MOST = 8
};

/* What is shown of the draws. */
typedef struct page_room {
    size_t             trace, other;     /* points of a line: of a trace; of means and autocorrelations */
    size_t             figures;          /* parameters that have them */
    size_t             pairs, pair_rows; /* parameters and draws of the pair plot */
    size_t             kinds;            /* of figures by parameter */
    const figure_kind *kind[KINDS_MOST];
} page_room;

/* How many numbers the figures of a parameter take, with `trace` points per trace. Where draws are left out, traces and
 * autocorrelations also have the places of those that are shown. */
static size_t cost(const ckam_draws_shape *shape, size_t trace) {
    size_t places = shape->rows > trace ? trace + trace / 4 : 0;
    return DENSITY_POINTS + shape->chains * (DENSITY_POINTS + RANK_NUMBERS + trace + trace / 2 + places);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* Reduces the points of each line first, then the number of parameters with lines. */
static page_room share_room(const run_scene *scene) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(scene->draws);
    page_room               r = {.trace = TRACE_MOST};
    while (r.trace > TRACE_LEAST && scene->count * cost(shape, r.trace) > FIGURE_NUMBERS) r.trace -= 10;
    r.other = r.trace / 4;
    r.figures = smaller(scene->count, FIGURE_NUMBERS / cost(shape, r.trace));
    if (r.figures == 0) r.figures = 1;
    r.pairs = smaller(scene->count, PAIR_PARAMETERS);
    r.pair_rows = smaller(smaller(PAIR_ROWS, PAIR_NUMBERS / (r.pairs + 1)), shape->chains * shape->rows);
    for (const figure_kind *k = figure_kinds; k->name && r.kinds < KINDS_MOST; k++)
        if (k->by_parameter) r.kind[r.kinds++] = k;
    return r;
}

/* -- Run ---------------------------------------------------------------------------------------------------------- */

/* What run.json and the directory of a run say: title, counts, times, settings, files. */

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

static void record_title(const run_scene *scene, text_buffer *title, text_buffer *subtitle) {
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

static void record_findings(const run_scene *scene, document *d) {
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

static void record_blocks(const run_scene *scene, document *d) {
    document_heading(d, scene->record ? "Run" : "Files");
    if (scene->record) {
        add_run(scene, d);
        add_settings(scene, d);
    }
    add_files(scene, d);
}

enum { ROWS_MOST = 1000, CHAINS_MOST = 8, PLACES_MOST = 4, ARRIVALS_LEAST = 10, EXACT_MOST = 2048 };

/* -- Findings ----------------------------------------------------------------------------------------------------- */

static void tables_findings(const run_scene *scene, document *d) {
    ckam_finding found[CKAM_FINDINGS];
    size_t       count;
    if (ckam_run_findings(scene->directory, scene->review, found, &count, NULL)) d->text.failed = true;
    for (size_t i = 0; i < count; i++) document_finding(d, found[i].severity, found[i].text, found[i].advice);
    if (!count || found[0].severity != CKAM_PROBLEM) document_paragraph(d, "The draws show no problem.");
}

/* -- Parameters --------------------------------------------------------------------------------------------------- */

/* Exact mean and standard deviation of each parameter; mean is NULL where the model does not have them. */
typedef struct exact {
    double *mean, *sd;
} exact;

/* Not for more than EXACT_MOST parameters: the covariance would be too large. A want of memory is noted in the document. */
static exact exact_create(const ckam_model *model, document *d) {
    size_t dim = model ? ckam_model_target(model)->dim : 0;
    exact  e = {NULL, NULL};
    if (dim == 0 || dim > EXACT_MOST) return e;
    double *covariance = malloc(dim * dim * sizeof *covariance);
    e.mean = covariance ? malloc(2 * dim * sizeof *e.mean) : NULL;
    if (e.mean) {
        e.sd = e.mean + dim;
        ckam_model_mean(model, e.mean);
        ckam_model_covariance(model, covariance);
        for (size_t k = 0; k < dim; k++) e.sd[k] = sqrt(covariance[k * dim + k]);
    } else
        d->text.failed = true;
    free(covariance);
    return e;
}

/* JSON has no infinity, which R-hat may be. */
static void add_cell(document *d, double x, bool flagged) {
    if (isinf(x))
        document_cell_text(d, x > 0.0 ? "infinite" : "-infinite", flagged);
    else
        document_cell_number(d, x, flagged);
}

static void add_summary(document *d, const char *name, const ckam_summary *s, size_t chains, bool known, double mean,
                        double sd) {
    double enough = 100.0 * (double)chains;
    document_row(d);
    document_cell_text(d, name, false);
    add_cell(d, s->mean, fabs(s->mean - mean) > 4.0 * s->mcse_mean);
    add_cell(d, s->mcse_mean, false);
    if (known) add_cell(d, mean, false);
    add_cell(d, s->sd, false);
    if (known) add_cell(d, sd, false);
    add_cell(d, s->q5, false);
    add_cell(d, s->median, false);
    add_cell(d, s->q95, false);
    add_cell(d, s->rhat, s->rhat > 1.01);
    add_cell(d, s->ess_bulk, s->ess_bulk < enough);
    add_cell(d, s->ess_tail, s->ess_tail < enough);
}

static void add_rows(const run_scene *scene, document *d, const exact *e, size_t rows) {
    const ckam_review *review = scene->review;
    const double       none = (double)NAN;
    size_t             first = ckam_draws_shape_of(scene->draws)->first;
    if (!isnan(review->log_density.mean))
        add_summary(d, "lp__", &review->log_density, review->chains, e->mean, none, none);
    for (size_t i = 0; i < rows; i++) {
        if (scene->columns[i] < first) continue; /* lp__ is there already */
        size_t k = scene->columns[i] - first;
        add_summary(d, review->names[k], review->summary + k, review->chains, e->mean, e->mean ? e->mean[k] : none,
                    e->mean ? e->sd[k] : none);
    }
}

static void tables_summary(const run_scene *scene, document *d) {
    static const char *const labels[] = {"variable", "mean", "mcse", "sd",       "5%",
                                         "50%",      "95%",  "rhat", "ess_bulk", "ess_tail"};
    static const char *const exact_labels[] = {"variable", "mean", "mcse", "exact mean", "sd",       "exact sd",
                                               "5%",       "50%",  "95%",  "rhat",       "ess_bulk", "ess_tail"};
    size_t                   rows = scene->count < ROWS_MOST ? scene->count : ROWS_MOST;
    exact                    e = exact_create(scene->model, d);
    text_buffer              caption = {0};
    text_string(&caption,
                "mcse is the standard error of the mean. R-hat below 1.01 and effective sample sizes above 100 "
                "a chain are good; others are marked.");
    if (e.mean) text_string(&caption, " A mean is marked that is more than 4 standard errors from the exact one.");
    if (rows < scene->count)
        text_format(&caption, " The first %zu of %zu parameters; summary.csv and `ckam summary --all` have all.", rows,
                    scene->count);
    document_table(d, "summary", "Summary", caption.bytes, e.mean ? 12 : 10, e.mean ? exact_labels : labels);
    add_rows(scene, d, &e, rows);
    document_table_end(d);
    if (caption.failed) d->text.failed = true;
    text_free(&caption);
    free(e.mean);
}

/* -- Modes -------------------------------------------------------------------------------------------------------- */

/* The parameters whose place in each mode is shown: the first ones that are shown at all. */
typedef struct places {
    size_t count, parameter[PLACES_MOST];
} places;

static places places_of(const run_scene *scene) {
    size_t first = ckam_draws_shape_of(scene->draws)->first;
    places p = {0};
    for (size_t i = 0; i < scene->count && p.count < PLACES_MOST; i++)
        if (scene->columns[i] >= first) p.parameter[p.count++] = scene->columns[i] - first;
    return p;
}

static void add_shares(const ckam_review *review, const ckam_mode *mode, document *d) {
    double least = HUGE_VAL, most = 0.0;
    for (size_t c = 0; c < review->chains; c++) {
        double share = (double)mode->visits[c] / (double)review->rows;
        least = fmin(least, share);
        most = fmax(most, share);
        if (review->chains <= CHAINS_MOST) document_cell_number(d, share, false);
    }
    if (review->chains <= CHAINS_MOST) return;
    document_cell_number(d, least, false);
    document_cell_number(d, most, false);
}

/* How many bytes of a name there is room for: whole characters. */
static int fitting(const char *name, size_t room) {
    size_t used = 0;
    while (name[used]) {
        size_t length = character_length(name + used), end = used + (length ? length : 1);
        if (end > room) break;
        used = end;
    }
    return (int)used;
}

/* Whether to show the cycle of each mode's first draw: not without cycles, nor where all modes have the first. */
static bool has_cycles(const ckam_review *review) {
    for (size_t m = 0; m < review->modes; m++)
        if (review->mode[m].found > 0) return true;
    return false;
}

static void begin_modes(const run_scene *scene, const places *p, document *d) {
    const ckam_review *review = scene->review;
    enum { LABELS = 5 + CHAINS_MOST + 2 * PLACES_MOST, LABEL = 128 };
    char        text[LABELS][LABEL], caption[512];
    const char *labels[LABELS];
    size_t      count = 0;
    snprintf(text[count++], LABEL, "mode");
    snprintf(text[count++], LABEL, "weight");
    snprintf(text[count++], LABEL, "mcse");
    snprintf(text[count++], LABEL, "moves into");
    if (has_cycles(review)) snprintf(text[count++], LABEL, "found in cycle");
    for (size_t i = 0; i < p->count; i++) {
        const char *name = review->names[p->parameter[i]];
        snprintf(text[count++], LABEL, "%.*s", fitting(name, 100), name);
        snprintf(text[count++], LABEL, "sd of %.*s", fitting(name, 100), name);
    }
    for (size_t c = 0; c < review->chains && review->chains <= CHAINS_MOST; c++)
        snprintf(text[count++], LABEL, "chain %zu", c + 1);
    if (review->chains > CHAINS_MOST) {
        snprintf(text[count++], LABEL, "least of a chain");
        snprintf(text[count++], LABEL, "most of a chain");
    }
    for (size_t i = 0; i < count; i++) labels[i] = text[i];
    snprintf(caption, sizeof caption,
             "%" PRIu64 " move%s between modes. weight: the share of all draws, and mcse its standard error; both are "
             "marked where fewer than %d moves led into the mode. Then%s where it is: centre and standard deviation%s; "
             "and its share of each chain's draws.",
             review->crossings, plural(review->crossings), ARRIVALS_LEAST,
             has_cycles(review) ? " the cycle of its first draw, and" : "",
             p->count < review->parameters ? ", for the first parameters" : "");
    document_table(d, "modes", "Modes", caption, count, labels);
}

static void tables_modes(const run_scene *scene, document *d) {
    const ckam_review *review = scene->review;
    places             p = places_of(scene);
    if (review->modes == 1) document_paragraph(d, "1 mode found. A mode that no chain visited cannot appear here.");
    if (review->modes < 2) return;
    begin_modes(scene, &p, d);
    for (size_t m = 0; m < review->modes; m++) {
        const ckam_mode *mode = review->mode + m;
        document_row(d);
        document_cell_number(d, (double)(m + 1), false);
        document_cell_number(d, mode->weight, mode->arrivals < ARRIVALS_LEAST);
        document_cell_number(d, mode->mcse, mode->arrivals < ARRIVALS_LEAST);
        document_cell_number(d, (double)mode->arrivals, false);
        if (has_cycles(review)) document_cell_number(d, (double)mode->found, false);
        for (size_t i = 0; i < p.count; i++) {
            document_cell_number(d, mode->centre[p.parameter[i]], false);
            document_cell_number(d, mode->spread[p.parameter[i]], false);
        }
        add_shares(review, mode, d);
    }
    document_table_end(d);
}

/* -- Figures ------------------------------------------------------------------------------------------------------ */

/* All that is made from the columns, which are read in their order. */
typedef struct pictures {
    figure     **figures; /* kind by kind */
    double      *values;  /* of the pair plot */
    uint32_t    *chain;
    const char **names;
} pictures;

static void pictures_free(pictures *p, const page_room *r) {
    for (size_t i = 0; p->figures && i < r->kinds * r->figures; i++) figure_free(p->figures[i]);
    free(p->figures);
    free(p->values);
    free(p->chain);
    free(p->names);
}

/* The draw of all chains that is row i of the pair plot. */
static size_t pair_place(const ckam_draws_shape *shape, const page_room *r, size_t i) {
    return row_of_block(shape->chains * shape->rows, r->pair_rows, i);
}

static bool pictures_create(pictures *p, const run_scene *scene, const page_room *r) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(scene->draws);
    *p = (pictures){.figures = calloc(r->kinds * r->figures + 1, sizeof(figure *)),
                    .values = calloc(r->pairs * r->pair_rows + 1, sizeof *p->values),
                    .chain = calloc(r->pair_rows + 1, sizeof *p->chain),
                    .names = calloc(r->pairs + 1, sizeof *p->names)};
    if (!p->figures || !p->values || !p->chain || !p->names) return false;
    for (size_t i = 0; i < r->pair_rows; i++) p->chain[i] = (uint32_t)(pair_place(shape, r, i) / shape->rows);
    for (size_t k = 0; k < r->pairs; k++) p->names[k] = ckam_draws_name(scene->draws, scene->columns[k]);
    return true;
}

static size_t points_of(const page_room *r, const figure_kind *kind) {
    return kind->make == run_density ? DENSITY_POINTS : kind->make == run_trace ? r->trace : r->other;
}

/* The figures of parameter k, and its draws for the pair plot. */
static ckam_status take_column(pictures *p, const run_scene *scene, const run_facts *facts, const page_room *r,
                               size_t k, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(scene->draws);
    ckam_status             status = CKAM_OK;
    const double           *values;
    for (size_t i = 0; i < r->kinds && k < r->figures && !status; i++)
        status = r->kind[i]->make(facts, r->kind[i], 1, scene->columns + k, points_of(r, r->kind[i]),
                                  p->figures + i * r->figures + k, error);
    if (status || k >= r->pairs) return status;
    status = ckam_draws_column(scene->draws, scene->columns[k], &values, error);
    for (size_t i = 0; i < r->pair_rows && !status; i++)
        p->values[k * r->pair_rows + i] = values[pair_place(shape, r, i)];
    return status;
}

/* One caption stands for the figures of all parameters: it has every sentence that one of them has. false: no memory. */
static bool share_caption(size_t count, figure *const *figures) {
    for (size_t i = 1; i < count; i++)
        for (const char *sentence = figures[i]->caption; *sentence;) {
            const char *end = strstr(sentence, ". ");
            size_t      length = end ? (size_t)(end - sentence) + 1 : strlen(sentence);
            caption_add(figures[0], "%.*s", (int)length, sentence);
            sentence += length + (end != NULL);
        }
    return !figures[0]->failed;
}

/* -- Blocks ------------------------------------------------------------------------------------------------------- */

/* Says what was left out for want of room, and how to see it. */
static void explain_room(const run_scene *scene, const page_room *r, document *d) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(scene->draws);
    text_buffer             t = {0};
    if (shape->stride > 1)
        text_format(&t, "Of the %" PRIu64 " draws of a chain one in %" PRIu64 " is used on this page. ",
                    shape->shortest, shape->stride);
    if (r->figures < scene->count)
        text_format(
            &t,
            "There is room for the figures of %zu of the %zu parameters; `ckam report --params NAME,NAME` shows "
            "those that you name. ",
            r->figures, scene->count);
    if (shape->rows > r->trace)
        text_format(&t, "Traces are thinned to at most %zu points, means and autocorrelations to %zu. ", r->trace,
                    r->other);
    if (t.length) document_paragraph(d, t.bytes);
    if (t.failed) d->text.failed = true;
    text_free(&t);
}

static void add_pairs(const run_scene *scene, const page_room *r, const pictures *p, document *d) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(scene->draws);
    text_buffer             caption = {0};
    if (r->pairs < 2 || r->pair_rows == 0) return;
    text_string(&caption, "Parameters against each other: where the draws gather, and what goes together.");
    if (r->pair_rows < shape->chains * shape->shortest)
        text_format(&caption, " %zu draws, spread evenly over the %zu chain%s, are shown.", r->pair_rows, shape->chains,
                    plural(shape->chains));
    if (r->pairs < scene->count) text_format(&caption, " There is room for the first %zu parameters.", r->pairs);
    if (caption.failed) d->text.failed = true;
    document_pairs(d, "Pairs of parameters", caption.length ? caption.bytes : "", r->pairs, p->names, r->pair_rows,
                   p->values, p->chain);
    text_free(&caption);
}

/* What the sampler did. */
typedef struct sampler_shown {
    figure    *steps, *modes;
    ckam_error unseen; /* why the steps could not be shown; its status is CKAM_OK where they could */
} sampler_shown;

/* The page does without this figure where it cannot be made: the reason goes to *unseen. Only a want of memory fails. */
static ckam_status make_one(const run_facts *facts, figure_maker *make, figure **out, ckam_error *unseen,
                            ckam_error *error) {
    const figure_kind *kind = figure_kinds;
    while (kind->make != make) kind++;
    ckam_status status = make(facts, kind, 0, NULL, SAMPLER_POINTS, out, unseen);
    return status == CKAM_ERROR_MEMORY ? fail_with(error, status, "%s", unseen->message) : CKAM_OK;
}

/* Called before the parameters, whose columns come later in the file. A sampler that records no modes gets no finding. */
static ckam_status make_sampler_figures(sampler_shown *s, const run_facts *facts, ckam_error *error) {
    ckam_error  unnamed;
    ckam_status status = CKAM_OK;
    if (has_steps(facts)) status = make_one(facts, run_steps, &s->steps, &s->unseen, error);
    if (!status && has_modes(facts)) status = make_one(facts, run_modes, &s->modes, &unnamed, error);
    return status;
}

static void add_sampler_figures(const sampler_shown *s, document *d) {
    if (s->steps || s->modes) document_heading(d, "The sampler");
    if (s->steps) document_figure(d, s->steps);
    if (s->modes) document_figure(d, s->modes);
}

static void add_all(const run_scene *scene, const page_room *r, const pictures *p, const sampler_shown *s,
                    document *d) {
    document_heading(d, "Findings");
    record_findings(scene, d);
    if (s->unseen.status) document_finding(d, CKAM_NOTE, s->unseen.message, "The figure of the steps is left out.");
    tables_findings(scene, d);
    document_heading(d, "Summary");
    tables_summary(scene, d);
    tables_modes(scene, d);
    document_heading(d, "Each parameter");
    explain_room(scene, r, d);
    for (size_t i = 0; i < r->kinds; i++) document_figures(d, r->figures, p->figures + i * r->figures);
    add_pairs(scene, r, p, d);
    add_sampler_figures(s, d);
    record_blocks(scene, d);
}

static void begin(const run_scene *scene, document *d) {
    text_buffer title = {0}, subtitle = {0};
    record_title(scene, &title, &subtitle);
    document_begin(d, title.length ? title.bytes : "", subtitle.length ? subtitle.bytes : "");
    if (title.failed || subtitle.failed) d->text.failed = true;
    text_free(&title);
    text_free(&subtitle);
}

ckam_status page_fill(const run_scene *scene, document *d, ckam_error *error) {
    run_facts     facts = {.draws = scene->draws, .model = scene->model, .directory = scene->directory};
    page_room     r = share_room(scene);
    pictures      p;
    sampler_shown s = {.unseen = {.status = CKAM_OK}};
    ckam_status   status = CKAM_OK;
    begin(scene, d);
    if (!pictures_create(&p, scene, &r))
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the figures of %zu parameters", r.figures);
    if (!status) status = make_sampler_figures(&s, &facts, error);
    for (size_t k = 0; k < r.figures || k < r.pairs; k++)
        if (!status) status = take_column(&p, scene, &facts, &r, k, error);
    for (size_t i = 0; i < r.kinds && !status; i++)
        if (!share_caption(r.figures, p.figures + i * r.figures))
            status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the captions");
    if (!status) add_all(scene, &r, &p, &s, d);
    figure_free(s.steps);
    figure_free(s.modes);
    pictures_free(&p, &r);
    return status;
}
