/* run_page.c - the page of a run: its blocks in order, and how much of the draws there is room for.
 *
 * A page is to stay below 5 MB. A number takes about 7 bytes, so figures and pairs have room for so many. */
#include "report/run_page.h"

#include "base/error.h"
#include "report/run_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIGURE_NUMBERS = 400000,
    PAIR_NUMBERS = 100000,
    PAIR_ROWS = 1500,
    PAIR_PARAMETERS = 200,
    DENSITY_POINTS = 128,
    RANK_NUMBERS = 64, /* of a chain: 20 bars of three numbers, and what is expected */
    TRACE_LEAST = 100,
    TRACE_MOST = 1000,
    STORY_POINTS = 1000,
    KINDS_MOST = 8
};

/* What is shown of the draws. */
typedef struct room {
    size_t             trace, other;     /* points of a line: of a trace; of means and autocorrelations */
    size_t             figures;          /* parameters that have them */
    size_t             pairs, pair_rows; /* parameters and draws of the pair plot */
    size_t             kinds;            /* of figures by parameter */
    const figure_kind *kind[KINDS_MOST];
} room;

/* Numbers that the figures of a parameter take, with traces of so many points. Where draws are left out, traces and
 * autocorrelations say which are shown. */
static size_t cost(const ckam_draws_shape *shape, size_t trace) {
    size_t places = shape->rows > trace ? trace + trace / 4 : 0;
    return DENSITY_POINTS + shape->chains * (DENSITY_POINTS + RANK_NUMBERS + trace + trace / 2 + places);
}

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* First lines get fewer points, then fewer parameters get lines. */
static room share_room(const run_scene *scene) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(scene->draws);
    room                    r = {.trace = TRACE_MOST};
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

/* -- Figures ------------------------------------------------------------------------------------------------------ */

/* All that is made of the columns, which are read in their order. */
typedef struct pictures {
    figure     **figures; /* kind by kind */
    double      *values;  /* of the pair plot */
    uint32_t    *chain;
    const char **names;
} pictures;

static void pictures_free(pictures *p, const room *r) {
    for (size_t i = 0; p->figures && i < r->kinds * r->figures; i++) figure_free(p->figures[i]);
    free(p->figures);
    free(p->values);
    free(p->chain);
    free(p->names);
}

/* The draw of all chains that is row i of the pair plot. */
static size_t pair_place(const ckam_draws_shape *shape, const room *r, size_t i) {
    return run_pick(shape->chains * shape->rows, r->pair_rows, i);
}

static bool pictures_create(pictures *p, const run_scene *scene, const room *r) {
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

static size_t points_of(const room *r, const figure_kind *kind) {
    return kind->make == run_density ? DENSITY_POINTS : kind->make == run_trace ? r->trace : r->other;
}

/* The figures of parameter k, and its draws for the pair plot. */
static ckam_status take_column(pictures *p, const run_scene *scene, const run_facts *facts, const room *r, size_t k,
                               ckam_error *error) {
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
            run_say(figures[0], "%.*s", (int)length, sentence);
            sentence += length + (end != NULL);
        }
    return !figures[0]->failed;
}

/* -- Blocks ------------------------------------------------------------------------------------------------------- */

/* What there was no room for, and how to see it. */
static void explain(const run_scene *scene, const room *r, document *d) {
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

static void add_pairs(const run_scene *scene, const room *r, const pictures *p, document *d) {
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
typedef struct story {
    figure    *steps, *modes;
    ckam_error unseen; /* why the steps could not be shown; its status is CKAM_OK where they could */
} story;

/* Without such a figure the page is as good: only a want of memory fails, any other reason is in *unseen. */
static ckam_status make_one(const run_facts *facts, figure_maker *make, figure **out, ckam_error *unseen,
                            ckam_error *error) {
    const figure_kind *kind = figure_kinds;
    while (kind->make != make) kind++;
    ckam_status status = make(facts, kind, 0, NULL, STORY_POINTS, out, unseen);
    return status == CKAM_ERROR_MEMORY ? fail_with(error, status, "%s", unseen->message) : CKAM_OK;
}

/* Before the parameters: the columns stand before theirs. A sampler that names no modes needs no excuse. */
static ckam_status story_make(story *s, const run_facts *facts, ckam_error *error) {
    ckam_error  unnamed;
    ckam_status status = CKAM_OK;
    if (steps_are_there(facts)) status = make_one(facts, run_steps, &s->steps, &s->unseen, error);
    if (!status && modes_are_there(facts)) status = make_one(facts, run_modes, &s->modes, &unnamed, error);
    return status;
}

static void add_story(const story *s, document *d) {
    if (s->steps || s->modes) document_heading(d, "The sampler");
    if (s->steps) document_figure(d, s->steps);
    if (s->modes) document_figure(d, s->modes);
}

static void add_all(const run_scene *scene, const room *r, const pictures *p, const story *s, document *d) {
    document_heading(d, "Findings");
    record_findings(scene, d);
    if (s->unseen.status) document_finding(d, CKAM_NOTE, s->unseen.message, "The figure of the steps is left out.");
    tables_findings(scene, d);
    document_heading(d, "Summary");
    tables_summary(scene, d);
    tables_modes(scene, d);
    document_heading(d, "Each parameter");
    explain(scene, r, d);
    for (size_t i = 0; i < r->kinds; i++) document_figures(d, r->figures, p->figures + i * r->figures);
    add_pairs(scene, r, p, d);
    add_story(s, d);
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
    run_facts   facts = {.draws = scene->draws, .model = scene->model, .directory = scene->directory};
    room        r = share_room(scene);
    pictures    p;
    story       s = {.unseen = {.status = CKAM_OK}};
    ckam_status status = CKAM_OK;
    begin(scene, d);
    if (!pictures_create(&p, scene, &r))
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the figures of %zu parameters", r.figures);
    if (!status) status = story_make(&s, &facts, error);
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
