/* run_steps.c - step size and acceptance over the iterations, with the cycles shaded.
 *
 * With the warm-up saved, what a chain did is in two files; rows are taken from both in the order of the iterations.
 * Else there are only the draws. However many rows there are, they are gathered into a few blocks as they come. */
#include "report/run_parts.h"

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "draws/csv.h"
#include "draws/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { ACCEPT, SIZE, CYCLE, PHASE, NEEDED };
static const char *const needed[NEEDED] = {"accept_stat__", "stepsize__", "cycle__", "phase__"};

/* All cycles are shown if there are not more than CYCLES_ALL, else the first ones. */
enum { CYCLES_ALL = 30, CYCLES_FIRST = 10, CHAINS_SHOWN = 4, SPANS_MOST = 64, BLOCKS = 500, BLOCK_ROWS = 20 };

/* -- Gathering ---------------------------------------------------------------------------------------------------- */

/* Blocks of `width` rows each, at most `room` of them: when there is no room for another, each joins its neighbour. */
typedef struct track {
    size_t   room;
    uint64_t width, rows;                /* rows so far */
    double   last;                       /* where the last row is */
    double  *at, *size, *accept, *count; /* of the first row; of the first row; sum; rows */
} track;

static bool track_create(track *t, size_t room, uint64_t width) {
    *t = (track){.room = (room + 3) / 2 * 2, .width = width};
    t->at = calloc(4 * t->room, sizeof *t->at);
    if (!t->at) return false;
    t->size = t->at + t->room;
    t->accept = t->size + t->room;
    t->count = t->accept + t->room;
    return true;
}

static size_t track_blocks(const track *t) { return (size_t)((t->rows + t->width - 1) / t->width); }

static void track_halve(track *t) {
    for (size_t i = 0; i < t->room; i++) {
        bool   here = i < t->room / 2;
        size_t from = 2 * i;
        t->at[i] = here ? t->at[from] : 0.0;
        t->size[i] = here ? t->size[from] : 0.0;
        t->accept[i] = here ? t->accept[from] + t->accept[from + 1] : 0.0;
        t->count[i] = here ? t->count[from] + t->count[from + 1] : 0.0;
    }
    t->width *= 2;
}

static void track_add(track *t, double at, double size, double accept) {
    if (t->rows / t->width == t->room) track_halve(t);
    size_t i = (size_t)(t->rows++ / t->width);
    if (t->count[i] == 0.0) {
        t->at[i] = at;
        t->size[i] = size;
    }
    t->accept[i] += accept;
    t->count[i] += 1.0;
    t->last = at;
}

/* The middle of a block. */
static double track_middle(const track *t, size_t i) {
    return 0.5 * (t->at[i] + (i + 1 < track_blocks(t) ? t->at[i + 1] - 1.0 : t->last));
}

/* What is gathered of one chain. */
typedef struct story {
    track  fine, coarse; /* for step sizes; for acceptance, which needs means of many rows */
    bool   saved;        /* exploration is there */
    double end;          /* the first cycle that is not shown */
    size_t spans;        /* ground that is shaded: exploration, or every second cycle */
    bool   open;         /* the last one goes on */
    double low[SPANS_MOST], high[SPANS_MOST];
} story;

static void story_add(story *s, double at, const double *row) {
    bool shaded = s->saved ? row[PHASE] == CKAM_PHASE_EXPLORE : fmod(row[CYCLE], 2.0) != 0.0;
    track_add(&s->fine, at, row[SIZE] > 0.0 ? row[SIZE] : (double)NAN, row[ACCEPT]);
    track_add(&s->coarse, at, 0.0, row[ACCEPT]);
    if (shaded && !s->open && s->spans < SPANS_MOST) {
        s->low[s->spans++] = at;
        s->open = true;
    }
    if (s->open) s->high[s->spans - 1] = at;
    s->open = s->open && shaded;
}

/* -- From two files ----------------------------------------------------------------------------------------------- */

/* One of the files, at its next row. */
typedef struct source {
    csv_reader *reader;
    size_t      wanted[NEEDED];
    double      row[NEEDED];
    bool        there;
} source;

static ckam_status source_next(source *s, ckam_error *error) {
    ckam_status status = csv_next(s->reader, NEEDED, s->wanted, s->row, error);
    s->there = !status;
    return status == CKAM_STOP ? CKAM_OK : status;
}

static ckam_status source_open(source *s, const char *path, ckam_error *error) {
    ckam_status status = csv_open(&s->reader, NULL, path, error);
    if (status) {
        s->reader = NULL;
        return status;
    }
    size_t found = 0;
    for (size_t k = 0; k < csv_columns(s->reader) && found < NEEDED; k++)
        if (!strcmp(csv_name(s->reader, k), needed[found])) s->wanted[found++] = k;
    if (found < NEEDED)
        return fail_with(error, CKAM_ERROR_FORMAT, "%.120s has no column %s where it should", path, needed[found]);
    return source_next(s, error);
}

/* In a cycle exploration comes first; what is warm-up comes before what is a draw. */
static bool warmup_is_next(const source *warmup, const source *draws) {
    if (!warmup->there || !draws->there) return warmup->there;
    if (warmup->row[CYCLE] != draws->row[CYCLE]) return warmup->row[CYCLE] < draws->row[CYCLE];
    return warmup->row[PHASE] <= draws->row[PHASE];
}

/* Of the draws only every thin-th iteration is in the files, of the warm-up each. */
static ckam_status merge(story *s, source *warmup, source *draws, ckam_error *error) {
    const char *setting = csv_setting(draws->reader, "thin");
    double      thin = 1.0, before = 0.0, drawn = 0.0;
    ckam_status status = CKAM_OK;
    if (!setting || !number_read(setting, &thin) || !(thin >= 1.0)) thin = 1.0;
    while (!status && (warmup->there || draws->there)) {
        bool    first = warmup_is_next(warmup, draws);
        source *next = first ? warmup : draws;
        if (next->row[CYCLE] >= s->end) break;
        double at = before + drawn * thin;
        story_add(s, at, next->row);
        if (s->open && s->saved) s->high[s->spans - 1] = at + 1.0;
        *(first ? &before : &drawn) += 1.0;
        status = source_next(next, error);
    }
    return status;
}

static ckam_status read_files(story *s, const char *directory, size_t chain, ckam_error *error) {
    char        path[FILE_PATH];
    source      warmup = {0}, draws = {0};
    ckam_status status;
    draws_path(directory, chain, true, sizeof path, path);
    status = source_open(&warmup, path, error);
    draws_path(directory, chain, false, sizeof path, path);
    if (!status) status = source_open(&draws, path, error);
    if (!status) status = merge(s, &warmup, &draws, error);
    csv_free(warmup.reader);
    csv_free(draws.reader);
    return status;
}

/* -- From the draws ----------------------------------------------------------------------------------------------- */

/* The columns by name; the number of columns where there is none of that name. */
static void find_columns(const ckam_draws *draws, size_t column[NEEDED]) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    for (int i = 0; i < NEEDED; i++)
        for (column[i] = 0; column[i] < shape->columns; column[i]++)
            if (!strcmp(ckam_draws_name(draws, column[i]), needed[i])) break;
}

bool steps_are_there(const run_facts *facts) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  column[NEEDED];
    find_columns(facts->draws, column);
    return shape->rows && column[SIZE] < shape->columns && column[ACCEPT] < shape->columns;
}

/* values[i * rows + row], of the first chains, for acceptance, size and cycle. */
static ckam_status read_columns(const run_facts *facts, size_t total, double *values, ckam_error *error) {
    size_t      column[NEEDED], columns = ckam_draws_shape_of(facts->draws)->columns;
    ckam_status status = CKAM_OK;
    find_columns(facts->draws, column);
    if (column[SIZE] == columns || column[ACCEPT] == columns)
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "the draws have no column %s: the sampler that made them did not record its steps",
                         needed[column[SIZE] == columns ? SIZE : ACCEPT]);
    for (size_t i = ACCEPT; i <= CYCLE && !status; i++) {
        const double *from;
        if (column[i] == columns) continue; /* no cycles: 0 */
        status = ckam_draws_column(facts->draws, column[i], &from, error);
        if (!status) memcpy(values + i * total, from, total * sizeof *values);
    }
    return status;
}

static void take_columns(story *s, const ckam_draws_shape *shape, size_t chain, size_t total, const double *values) {
    for (size_t row = 0; row < shape->rows; row++) {
        size_t       i = chain * shape->rows + row;
        const double one[NEEDED] = {[ACCEPT] = values[i],
                                    [SIZE] = values[SIZE * total + i],
                                    [CYCLE] = values[CYCLE * total + i],
                                    [PHASE] = CKAM_PHASE_SAMPLE};
        if (!(one[CYCLE] < s->end)) break;
        story_add(s, run_draw(shape, row), one);
    }
}

/* -- The figure --------------------------------------------------------------------------------------------------- */

static void add_spans(figure *f, panel *p, const story *s) {
    mark *m =
        s->spans ? panel_mark(f, p, MARK_SPANS, s->saved ? "exploration" : "every second cycle", COLOUR_MUTED, s->spans)
                 : NULL;
    for (size_t i = 0; m && i < s->spans; i++) {
        m->low[i] = s->low[i];
        m->high[i] = s->high[i];
    }
}

static void add_chain(figure *f, const story *s, size_t chain, bool spans) {
    char   name[CHAIN_NAME];
    panel *sizes = f->panel, *accepts = f->panel + 1;
    if (spans) {
        add_spans(f, sizes, s);
        add_spans(f, accepts, s);
    }
    mark *line = panel_mark(f, sizes, MARK_LINE, chain_name(chain, name), (int)chain, track_blocks(&s->fine));
    for (size_t i = 0; line && i < line->count; i++) {
        line->x[i] = s->fine.at[i];
        line->y[i] = s->fine.size[i];
    }
    line = panel_mark(f, accepts, MARK_LINE, name, (int)chain, track_blocks(&s->coarse));
    for (size_t i = 0; line && i < line->count; i++) {
        line->x[i] = track_middle(&s->coarse, i);
        line->y[i] = s->coarse.accept[i] / s->coarse.count[i];
    }
}

/* One chain, from the files if its warm-up is there. */
static ckam_status add_story(const run_facts *facts, story *s, size_t chain, size_t points, const double *values,
                             figure *f, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  blocks = points < BLOCKS ? points : BLOCKS;
    ckam_status             status = CKAM_OK;
    s->spans = 0;
    s->open = false;
    bool room = track_create(&s->fine, points, 1);
    if (track_create(&s->coarse, blocks, BLOCK_ROWS) && room) {
        if (s->saved)
            status = read_files(s, facts->directory, chain, error);
        else
            take_columns(s, shape, chain, shape->chains * shape->rows, values);
        if (!status) add_chain(f, s, chain, chain == 0);
    } else
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the steps of a chain");
    free(s->fine.at);
    free(s->coarse.at);
    return status;
}

/* What the caption has to say beside. */
static void explain(figure *f, const story *s, double cycles) {
    if (cycles > CYCLES_ALL)
        run_say(f, "The first %d of %.0f cycles of chain 1.", CYCLES_FIRST, cycles);
    else if (cycles > 1.0)
        run_say(f, "All %.0f cycles of chain 1.", cycles);
    if (cycles > 1.0 && !s->saved)
        run_say(f, "Only draws are in the files, no exploration; `ckam sample --save-warmup` keeps it.");
    run_say(f, "Acceptance is the mean of %llu %s.", (unsigned long long)s->coarse.width,
            s->saved ? "iterations that are in the files" : "draws");
}

/* Whether the file of a chain's warm-up is there. */
static bool has_warmup(const run_facts *facts, size_t chain) {
    char        path[FILE_PATH];
    struct stat about;
    if (!facts->directory) return false;
    draws_path(facts->directory, chain, true, sizeof path, path);
    return !stat(path, &about) && S_ISREG(about.st_mode);
}

static ckam_status tell(const run_facts *facts, size_t points, const double *values, figure *f, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  total = shape->chains * shape->rows;
    const double           *cycle = values + CYCLE * total;
    story                   s = {.end = HUGE_VAL, .saved = has_warmup(facts, 0)};
    double                  from = s.saved ? 0.0 : cycle[0], cycles = cycle[shape->rows - 1] - from + 1.0;
    size_t                  shown = cycles > 1.0 ? 1 : shape->chains < CHAINS_SHOWN ? shape->chains : CHAINS_SHOWN;
    for (size_t chain = 1; chain < shown; chain++) s.saved = s.saved && has_warmup(facts, chain);
    if (cycles > CYCLES_ALL) s.end = from + CYCLES_FIRST;
    figure_panel(f, 0, "", s.saved ? "iteration" : "draw", "step size")->y.logarithmic = true;
    panel *accepts = figure_panel(f, 1, "", s.saved ? "iteration" : "draw", "accepted, as a share");
    accepts->y.low = 0.0;
    accepts->y.high = 1.0;
    ckam_status status = CKAM_OK;
    for (size_t chain = 0; chain < shown && !status; chain++)
        status = add_story(facts, &s, chain, points, values, f, error);
    explain(f, &s, cycles);
    return status;
}

ckam_status run_steps(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                      size_t points, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  total = shape->chains * shape->rows;
    (void)count, (void)columns;
    if (total == 0) return fail_with(error, CKAM_ERROR_FORMAT, "there are no draws, so there are no steps to show");
    figure     *f = figure_create(kind->name, kind->title, kind->caption, 2);
    double     *values = calloc(NEEDED * total, sizeof *values);
    ckam_status status = f && values ? read_columns(facts, total, values, error)
                                     : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the steps");
    if (!status) status = tell(facts, points, values, f, error);
    free(values);
    return run_end(status, f, out, error);
}
