/* run_modes.c - the mode of each draw, a panel a chain, and which moves the sampler made.
 *
 * For draws of a sampler that names modes (mode__) and moves (move__), such as jump. */
#include "report/run_parts.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODE, MOVE, ACCEPT, COLUMNS };
static const char *const names[COLUMNS] = {"mode__", "move__", "accept_stat__"};

enum { CHAINS_SHOWN = 8, NAMES_MOST = 9, MOVES_MOST = 8, LABEL = 32 };
#define BAR 0.36 /* the width of a bar */

/* -- What there is ------------------------------------------------------------------------------------------------ */

/* The columns by name; the number of columns where there is none of that name. */
static void find_columns(const ckam_draws *draws, size_t column[COLUMNS]) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    for (size_t i = 0; i < COLUMNS; i++)
        for (column[i] = 0; column[i] < shape->columns; column[i]++)
            if (!strcmp(ckam_draws_name(draws, column[i]), names[i])) break;
}

bool modes_are_there(const run_facts *facts) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  column[COLUMNS];
    find_columns(facts->draws, column);
    return shape->rows && column[MODE] < shape->columns;
}

/* values[i] := a copy of the column, with NaN where there is none. */
static ckam_status read_columns(const run_facts *facts, size_t total, double *values, ckam_error *error) {
    size_t      column[COLUMNS], columns = ckam_draws_shape_of(facts->draws)->columns;
    ckam_status status = CKAM_OK;
    find_columns(facts->draws, column);
    for (size_t i = 0; i < COLUMNS && !status; i++) {
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

static void add_chain(figure *f, const ckam_draws_shape *shape, size_t chain, size_t points, const double *mode,
                      double most) {
    char   name[CHAIN_NAME];
    panel *p = figure_panel(f, chain, chain_name(chain, name), "draw", "mode");
    mark  *dots = panel_mark(f, p, MARK_DOTS, NULL, (int)chain, shape->rows / run_step(shape->rows, points));
    for (size_t i = 0; dots && i < dots->count; i++) {
        size_t row = run_pick(shape->rows, dots->count, i);
        dots->x[i] = run_draw(shape, row);
        dots->y[i] = mode[chain * shape->rows + row];
    }
    number_modes(f, p, most);
}

/* -- Moves -------------------------------------------------------------------------------------------------------- */

typedef struct tally {
    size_t kinds; /* the highest number that was seen */
    double all, count[MOVES_MOST], accept[MOVES_MOST];
} tally;

static void count_moves(tally *t, size_t total, const double *move, const double *accept) {
    *t = (tally){0};
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

static void add_moves(figure *f, panel *p, const tally *t) {
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

/* -- The figure --------------------------------------------------------------------------------------------------- */

static ckam_status show(const run_facts *facts, const figure_kind *kind, size_t points, const double *values,
                        figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    const size_t            total = shape->chains * shape->rows,
                 shown = shape->chains < CHAINS_SHOWN ? shape->chains : CHAINS_SHOWN;
    unsigned long long every = run_step(shape->rows, points) * shape->stride;
    double             most = 0.0;
    tally              t;
    for (size_t i = 0; i < total; i++) most = values[i] > most && isfinite(values[i]) ? values[i] : most;
    if (!(most >= 1.0))
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "the draws name no modes (column mode__): the sampler that made them does not; jump does");
    count_moves(&t, total, values + MOVE * total, values + ACCEPT * total);
    figure *f = figure_create(kind->name, kind->title, kind->caption, shown + (t.kinds > 0));
    if (!f) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a figure");
    f->small = f->panels > 2;
    f->across = f->panels > 2 ? 2 : 1;
    for (size_t chain = 0; chain < shown; chain++) add_chain(f, shape, chain, points, values, most);
    if (t.kinds) add_moves(f, figure_panel(f, shown, "moves", "", "as a share"), &t);
    if (t.kinds)
        run_say(f, "Last: how often each kind of move was tried, and which share of its proposals was accepted, over "
                   "all chains.");
    if (shown < shape->chains) run_say(f, "The first %zu of %zu chains.", shown, shape->chains);
    if (every > 1) run_say(f, "About one draw in %llu is shown.", every);
    return run_end(CKAM_OK, f, out, error);
}

ckam_status run_modes(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                      size_t points, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    const size_t            total = shape->chains * shape->rows;
    (void)count, (void)columns;
    double     *values = malloc((COLUMNS * total + 1) * sizeof *values);
    ckam_status status =
        values ? read_columns(facts, total, values, error)
               : fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the modes of %zu draws", total);
    if (!status) status = show(facts, kind, points, values, out, error);
    free(values);
    return status;
}
