/* sampler_figures.c - the figures of the sampler: step size and acceptance over the iterations, modes and moves. See
 * run_figures.h.
 *
 * With the warm-up saved, what a chain did is in two files; rows are taken from both in the order of the iterations.
 * Otherwise there are only the draws. However many rows there are, they are gathered into at most 1000 blocks as they come.
 * Modes and moves need a sampler that records them (mode__, move__), such as jump. */
#include "report/run_figures.h"

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "draws/csv.h"
#include "draws/draws.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Finds columns by name: column[i] is that of names[i], or the number of columns where there is none. */
static void find_columns(const ckam_draws *draws, size_t count, const char *const *names, size_t *column) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    for (size_t i = 0; i < count; i++)
        for (column[i] = 0; column[i] < shape->columns; column[i]++)
            if (!strcmp(ckam_draws_name(draws, column[i]), names[i])) break;
}

/* -- Steps -------------------------------------------------------------------------------------------------------- */

enum { ACCEPT, SIZE, CYCLE, PHASE, STEP_COLUMNS };
static const char *const step_columns[STEP_COLUMNS] = {"accept_stat__", "stepsize__", "cycle__", "phase__"};

/* All cycles are shown if there are at most CYCLES_ALL, else the first CYCLES_FIRST. */
enum { CYCLES_ALL = 30, CYCLES_FIRST = 10, STEP_CHAINS = 4, SPANS_MOST = 64, ACCEPT_BLOCKS = 500, BLOCK_ROWS = 20 };

/* -- Steps: gathering --------------------------------------------------------------------------------------------- */

/* Blocks of `width` rows each, at most `room` of them: when there is no room for another, pairs of blocks are merged. */
typedef struct row_blocks {
    size_t   room;
    uint64_t width, rows;                /* rows so far */
    double   last;                       /* where the last row is */
    double  *at, *size, *accept, *count; /* of the first row; of the first row; sum; rows */
} row_blocks;

static bool blocks_create(row_blocks *t, size_t room, uint64_t width) {
    *t = (row_blocks){.room = (room + 3) / 2 * 2, .width = width};
    t->at = calloc(4 * t->room, sizeof *t->at);
    if (!t->at) return false;
    t->size = t->at + t->room;
    t->accept = t->size + t->room;
    t->count = t->accept + t->room;
    return true;
}

static size_t blocks_count(const row_blocks *t) { return (size_t)((t->rows + t->width - 1) / t->width); }

static void blocks_halve(row_blocks *t) {
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

static void blocks_add(row_blocks *t, double at, double size, double accept) {
    if (t->rows / t->width == t->room) blocks_halve(t);
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
static double blocks_middle(const row_blocks *t, size_t i) {
    return 0.5 * (t->at[i] + (i + 1 < blocks_count(t) ? t->at[i + 1] - 1.0 : t->last));
}

/* What is gathered from one chain. */
typedef struct step_history {
    row_blocks fine, coarse; /* for step sizes; for acceptance, which needs means of many rows */
    bool       saved;        /* the file of the warm-up, with the exploration, exists */
    double     end;          /* the first cycle that is not shown */
    size_t     spans;        /* how many parts are shaded: exploration, or every second cycle */
    bool       open;         /* the last one continues */
    double     low[SPANS_MOST], high[SPANS_MOST];
} step_history;

static void history_add(step_history *s, double at, const double *row) {
    bool shaded = s->saved ? row[PHASE] == CKAM_PHASE_EXPLORE : fmod(row[CYCLE], 2.0) != 0.0;
    blocks_add(&s->fine, at, row[SIZE] > 0.0 ? row[SIZE] : (double)NAN, row[ACCEPT]);
    blocks_add(&s->coarse, at, 0.0, row[ACCEPT]);
    if (shaded && !s->open && s->spans < SPANS_MOST) {
        s->low[s->spans++] = at;
        s->open = true;
    }
    if (s->open) s->high[s->spans - 1] = at;
    s->open = s->open && shaded;
}

/* -- Steps: from two files ---------------------------------------------------------------------------------------- */

/* One of the files, at its next row. */
typedef struct row_file {
    csv_reader *reader;
    size_t      wanted[STEP_COLUMNS];
    double      row[STEP_COLUMNS];
    bool        there;
} row_file;

static ckam_status row_file_next(row_file *s, ckam_error *error) {
    ckam_status status = csv_next(s->reader, STEP_COLUMNS, s->wanted, s->row, error);
    s->there = !status;
    return status == CKAM_STOP ? CKAM_OK : status;
}

static ckam_status row_file_open(row_file *s, const char *path, ckam_error *error) {
    ckam_status status = csv_open(&s->reader, NULL, path, error);
    if (status) {
        s->reader = NULL;
        return status;
    }
    size_t found = 0;
    for (size_t k = 0; k < csv_columns(s->reader) && found < STEP_COLUMNS; k++)
        if (!strcmp(csv_name(s->reader, k), step_columns[found])) s->wanted[found++] = k;
    if (found < STEP_COLUMNS)
        return fail_with(error, CKAM_ERROR_FORMAT, "%.120s has no column %s where it should", path,
                         step_columns[found]);
    return row_file_next(s, error);
}

/* In a cycle exploration comes first; warm-up rows come before draws. */
static bool warmup_is_next(const row_file *warmup, const row_file *draws) {
    if (!warmup->there || !draws->there) return warmup->there;
    if (warmup->row[CYCLE] != draws->row[CYCLE]) return warmup->row[CYCLE] < draws->row[CYCLE];
    return warmup->row[PHASE] <= draws->row[PHASE];
}

/* The files have every thin-th iteration of the draws, but all of the warm-up. */
static ckam_status merge(step_history *s, row_file *warmup, row_file *draws, ckam_error *error) {
    const char *setting = csv_setting(draws->reader, "thin");
    double      thin = 1.0, before = 0.0, drawn = 0.0;
    ckam_status status = CKAM_OK;
    if (!setting || !number_read(setting, &thin) || !(thin >= 1.0)) thin = 1.0;
    while (!status && (warmup->there || draws->there)) {
        bool      first = warmup_is_next(warmup, draws);
        row_file *next = first ? warmup : draws;
        if (next->row[CYCLE] >= s->end) break;
        double at = before + drawn * thin;
        history_add(s, at, next->row);
        if (s->open && s->saved) s->high[s->spans - 1] = at + 1.0;
        *(first ? &before : &drawn) += 1.0;
        status = row_file_next(next, error);
    }
    return status;
}

static ckam_status read_files(step_history *s, const char *directory, size_t chain, ckam_error *error) {
    char        path[FILE_PATH];
    row_file    warmup = {0}, draws = {0};
    ckam_status status;
    draws_path(directory, chain, true, sizeof path, path);
    status = row_file_open(&warmup, path, error);
    draws_path(directory, chain, false, sizeof path, path);
    if (!status) status = row_file_open(&draws, path, error);
    if (!status) status = merge(s, &warmup, &draws, error);
    csv_free(warmup.reader);
    csv_free(draws.reader);
    return status;
}

/* -- Steps: from the draws ---------------------------------------------------------------------------------------- */

bool has_steps(const run_facts *facts) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  column[STEP_COLUMNS];
    find_columns(facts->draws, STEP_COLUMNS, step_columns, column);
    return shape->rows && column[SIZE] < shape->columns && column[ACCEPT] < shape->columns;
}

/* values[i * rows + row], of the first chains, for acceptance, size and cycle. */
static ckam_status read_step_columns(const run_facts *facts, size_t total, double *values, ckam_error *error) {
    size_t      column[STEP_COLUMNS], columns = ckam_draws_shape_of(facts->draws)->columns;
    ckam_status status = CKAM_OK;
    find_columns(facts->draws, STEP_COLUMNS, step_columns, column);
    if (column[SIZE] == columns || column[ACCEPT] == columns)
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "the draws have no column %s: the sampler that made them did not record its steps",
                         step_columns[column[SIZE] == columns ? SIZE : ACCEPT]);
    for (size_t i = ACCEPT; i <= CYCLE && !status; i++) {
        const double *from;
        if (column[i] == columns) continue; /* no cycles: 0 */
        status = ckam_draws_column(facts->draws, column[i], &from, error);
        if (!status) memcpy(values + i * total, from, total * sizeof *values);
    }
    return status;
}

static void take_draws(step_history *s, const ckam_draws_shape *shape, size_t chain, size_t total,
                       const double *values) {
    for (size_t row = 0; row < shape->rows; row++) {
        size_t       i = chain * shape->rows + row;
        const double one[STEP_COLUMNS] = {[ACCEPT] = values[i],
                                          [SIZE] = values[SIZE * total + i],
                                          [CYCLE] = values[CYCLE * total + i],
                                          [PHASE] = CKAM_PHASE_SAMPLE};
        if (!(one[CYCLE] < s->end)) break;
        history_add(s, draw_number(shape, row), one);
    }
}

/* -- Steps: the figure -------------------------------------------------------------------------------------------- */

static void add_spans(figure *f, panel *p, const step_history *s) {
    mark *m =
        s->spans ? panel_mark(f, p, MARK_SPANS, s->saved ? "exploration" : "every second cycle", COLOUR_MUTED, s->spans)
                 : NULL;
    for (size_t i = 0; m && i < s->spans; i++) {
        m->low[i] = s->low[i];
        m->high[i] = s->high[i];
    }
}

static void add_step_lines(figure *f, const step_history *s, size_t chain, bool spans) {
    char   name[CHAIN_NAME];
    panel *sizes = f->panel, *accepts = f->panel + 1;
    if (spans) {
        add_spans(f, sizes, s);
        add_spans(f, accepts, s);
    }
    mark *line = panel_mark(f, sizes, MARK_LINE, chain_name(chain, name), (int)chain, blocks_count(&s->fine));
    for (size_t i = 0; line && i < line->count; i++) {
        line->x[i] = s->fine.at[i];
        line->y[i] = s->fine.size[i];
    }
    line = panel_mark(f, accepts, MARK_LINE, name, (int)chain, blocks_count(&s->coarse));
    for (size_t i = 0; line && i < line->count; i++) {
        line->x[i] = blocks_middle(&s->coarse, i);
        line->y[i] = s->coarse.accept[i] / s->coarse.count[i];
    }
}

/* One chain, from the files if its warm-up is there. */
static ckam_status add_history(const run_facts *facts, step_history *s, size_t chain, size_t points,
                               const double *values, figure *f, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  blocks = points < ACCEPT_BLOCKS ? points : ACCEPT_BLOCKS;
    ckam_status             status = CKAM_OK;
    s->spans = 0;
    s->open = false;
    bool room = blocks_create(&s->fine, points, 1);
    if (blocks_create(&s->coarse, blocks, BLOCK_ROWS) && room) {
        if (s->saved)
            status = read_files(s, facts->directory, chain, error);
        else
            take_draws(s, shape, chain, shape->chains * shape->rows, values);
        if (!status) add_step_lines(f, s, chain, chain == 0);
    } else
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the steps of a chain");
    free(s->fine.at);
    free(s->coarse.at);
    return status;
}

/* Adds sentences on cycles and means to the caption. */
static void add_captions(figure *f, const step_history *s, double cycles) {
    if (cycles > CYCLES_ALL)
        caption_add(f, "The first %d of %.0f cycles of chain 1.", CYCLES_FIRST, cycles);
    else if (cycles > 1.0)
        caption_add(f, "All %.0f cycles of chain 1.", cycles);
    if (cycles > 1.0 && !s->saved)
        caption_add(f, "Only draws are in the files, no exploration; `ckam sample --save-warmup` keeps it.");
    caption_add(f, "Acceptance is the mean of %llu %s.", (unsigned long long)s->coarse.width,
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

static ckam_status add_chains(const run_facts *facts, size_t points, const double *values, figure *f,
                              ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  total = shape->chains * shape->rows;
    const double           *cycle = values + CYCLE * total;
    step_history            s = {.end = HUGE_VAL, .saved = has_warmup(facts, 0)};
    double                  from = s.saved ? 0.0 : cycle[0], cycles = cycle[shape->rows - 1] - from + 1.0;
    size_t                  shown = cycles > 1.0 ? 1 : shape->chains < STEP_CHAINS ? shape->chains : STEP_CHAINS;
    for (size_t chain = 1; chain < shown; chain++) s.saved = s.saved && has_warmup(facts, chain);
    if (cycles > CYCLES_ALL) s.end = from + CYCLES_FIRST;
    figure_panel(f, 0, "", s.saved ? "iteration" : "draw", "step size")->y.logarithmic = true;
    panel *accepts = figure_panel(f, 1, "", s.saved ? "iteration" : "draw", "accepted, as a share");
    accepts->y.low = 0.0;
    accepts->y.high = 1.0;
    ckam_status status = CKAM_OK;
    for (size_t chain = 0; chain < shown && !status; chain++)
        status = add_history(facts, &s, chain, points, values, f, error);
    add_captions(f, &s, cycles);
    return status;
}

ckam_status run_steps(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                      size_t points, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  total = shape->chains * shape->rows;
    (void)count, (void)columns;
    if (total == 0) return fail_with(error, CKAM_ERROR_FORMAT, "there are no draws, so there are no steps to show");
    figure     *f = figure_create(kind->name, kind->title, kind->caption, 2);
    double     *values = calloc(STEP_COLUMNS * total, sizeof *values);
    ckam_status status = f && values ? read_step_columns(facts, total, values, error)
                                     : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the steps");
    if (!status) status = add_chains(facts, points, values, f, error);
    free(values);
    return figure_end(status, f, out, error);
}

/* -- Modes and moves ---------------------------------------------------------------------------------------------- */

enum { MODE, MOVE, MOVE_ACCEPT, MODE_COLUMNS };
static const char *const mode_columns[MODE_COLUMNS] = {"mode__", "move__", "accept_stat__"};

enum { MODE_CHAINS = 8, NAMES_MOST = 9, MOVES_MOST = 8, LABEL = 32 };
#define BAR 0.36 /* the width of a bar */

bool has_modes(const run_facts *facts) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  column[MODE_COLUMNS];
    find_columns(facts->draws, MODE_COLUMNS, mode_columns, column);
    return shape->rows && column[MODE] < shape->columns;
}

/* values[i] := a copy of the column, with NaN where there is none. */
static ckam_status read_mode_columns(const run_facts *facts, size_t total, double *values, ckam_error *error) {
    size_t      column[MODE_COLUMNS], columns = ckam_draws_shape_of(facts->draws)->columns;
    ckam_status status = CKAM_OK;
    find_columns(facts->draws, MODE_COLUMNS, mode_columns, column);
    for (size_t i = 0; i < MODE_COLUMNS && !status; i++) {
        const double *from;
        for (size_t k = 0; k < total; k++) values[i * total + k] = (double)NAN;
        if (column[i] == columns) continue;
        status = ckam_draws_column(facts->draws, column[i], &from, error);
        if (!status) memcpy(values + i * total, from, total * sizeof *values);
    }
    return status;
}

/* -- Modes -------------------------------------------------------------------------------------------------------- */

/* Whole numbers on the axis. Of few modes they are names: ticks could be fractions. */
static void number_modes(figure *f, panel *p, double most) {
    char        text[NAMES_MOST + 1][LABEL];
    const char *name[NAMES_MOST + 1];
    p->y.low = 0.5;
    p->y.high = most + 0.5;
    if (!(most <= NAMES_MOST)) return;
    for (size_t i = 0; i <= (size_t)most; i++) {
        snprintf(text[i], LABEL, "%zu", i);
        name[i] = text[i];
    }
    axis_names(f, &p->y, (size_t)most + 1, name);
}

static void add_mode_panel(figure *f, const ckam_draws_shape *shape, size_t chain, size_t points, const double *mode,
                           double most) {
    char   name[CHAIN_NAME];
    panel *p = figure_panel(f, chain, chain_name(chain, name), "draw", "mode");
    mark  *dots = panel_mark(f, p, MARK_DOTS, NULL, (int)chain, shape->rows / thinning(shape->rows, points));
    for (size_t i = 0; dots && i < dots->count; i++) {
        size_t row = row_of_block(shape->rows, dots->count, i);
        dots->x[i] = draw_number(shape, row);
        dots->y[i] = mode[chain * shape->rows + row];
    }
    number_modes(f, p, most);
}

/* -- Moves -------------------------------------------------------------------------------------------------------- */

typedef struct move_tally {
    size_t kinds; /* the highest number that was seen */
    double all, count[MOVES_MOST], accept[MOVES_MOST];
} move_tally;

static void count_moves(move_tally *t, size_t total, const double *move, const double *accept) {
    *t = (move_tally){0};
    for (size_t i = 0; i < total; i++) {
        if (!(move[i] >= 1.0 && move[i] <= MOVES_MOST)) continue;
        size_t kind = (size_t)move[i] - 1;
        if (kind >= t->kinds) t->kinds = kind + 1;
        t->all += 1.0;
        t->count[kind] += 1.0;
        t->accept[kind] += accept[i];
    }
}

static void name_moves(figure *f, panel *p, size_t kinds) {
    static const char *const known[] = {"local", "affine", "independent", "carried"};
    char                     text[MOVES_MOST][LABEL];
    const char              *name[MOVES_MOST];
    for (size_t i = 0; i < kinds; i++) {
        snprintf(text[i], LABEL, "move %zu", i + 1);
        name[i] = i < sizeof known / sizeof *known ? known[i] : text[i];
    }
    axis_names(f, &p->x, kinds, name);
}

static void add_moves(figure *f, panel *p, const move_tally *t) {
    mark *share = panel_mark(f, p, MARK_BARS, "share of all moves", COLOUR_MUTED, t->kinds);
    for (size_t i = 0; share && i < t->kinds; i++) {
        share->low[i] = (double)i - BAR;
        share->high[i] = (double)i;
        share->y[i] = t->count[i] / t->all;
    }
    mark *accepted = panel_mark(f, p, MARK_BARS, "accepted", 0, t->kinds);
    for (size_t i = 0; accepted && i < t->kinds; i++) {
        accepted->low[i] = (double)i;
        accepted->high[i] = (double)i + BAR;
        accepted->y[i] = t->count[i] > 0.0 ? t->accept[i] / t->count[i] : (double)NAN;
    }
    name_moves(f, p, t->kinds);
    p->y.low = 0.0;
    p->y.high = 1.0;
}

/* -- Modes: the figure -------------------------------------------------------------------------------------------- */

static ckam_status add_panels(const run_facts *facts, const figure_kind *kind, size_t points, const double *values,
                              figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    const size_t total = shape->chains * shape->rows, shown = shape->chains < MODE_CHAINS ? shape->chains : MODE_CHAINS;
    unsigned long long every = thinning(shape->rows, points) * shape->stride;
    double             most = 0.0;
    move_tally         t;
    for (size_t i = 0; i < total; i++) most = values[i] > most && isfinite(values[i]) ? values[i] : most;
    if (!(most >= 1.0))
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "the draws name no modes (column mode__): the sampler that made them does not; jump does");
    count_moves(&t, total, values + MOVE * total, values + MOVE_ACCEPT * total);
    figure *f = figure_create(kind->name, kind->title, kind->caption, shown + (t.kinds > 0));
    if (!f) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a figure");
    f->small = f->panels > 2;
    f->across = f->panels > 2 ? 2 : 1;
    for (size_t chain = 0; chain < shown; chain++) add_mode_panel(f, shape, chain, points, values, most);
    if (t.kinds) add_moves(f, figure_panel(f, shown, "moves", "", "as a share"), &t);
    if (t.kinds)
        caption_add(f,
                    "Last: how often each kind of move was tried, and which share of its proposals was accepted, over "
                    "all chains.");
    if (shown < shape->chains) caption_add(f, "The first %zu of %zu chains.", shown, shape->chains);
    if (every > 1) caption_add(f, "About one draw in %llu is shown.", every);
    return figure_end(CKAM_OK, f, out, error);
}

ckam_status run_modes(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                      size_t points, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    const size_t            total = shape->chains * shape->rows;
    (void)count, (void)columns;
    double     *values = malloc((MODE_COLUMNS * total + 1) * sizeof *values);
    ckam_status status =
        values ? read_mode_columns(facts, total, values, error)
               : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the modes of %zu draws", total);
    if (!status) status = add_panels(facts, kind, points, values, out, error);
    free(values);
    return status;
}
