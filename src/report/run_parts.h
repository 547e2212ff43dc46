/* run_parts.h - what the figures of a run share. For the files run_*.c. */
#ifndef CKAM_REPORT_RUN_PARTS_H
#define CKAM_REPORT_RUN_PARTS_H

#include "report/run_figures.h"

typedef ckam_status figure_maker(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                                 size_t points, figure **out, ckam_error *error);
figure_maker        run_density, run_trace, run_rank, run_mean, run_autocorrelation, run_pair, run_steps, run_modes;

enum { CHAIN_NAME = 32, PAIR_MOST = 6 };
/* "chain 3", for the chain 2 from 0; returns `text`. */
const char *chain_name(size_t chain, char text[CHAIN_NAME]);

/* *f := a figure of a kind about one column; *values := its draws. */
ckam_status run_begin(const run_facts *facts, const figure_kind *kind, size_t column, size_t panels, figure **f,
                      const double **values, ckam_error *error);
/* Adds a sentence to the caption, unless it is there. On a page one caption stands for the figures of all parameters and
 * has the sentences of each: what is true of some is worded so that it is not wrong of the others. */
void run_say(figure *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* *out := the figure, if it is whole and nothing failed; else it is freed. Returns what failed. */
ckam_status run_end(ckam_status status, figure *f, figure **out, ckam_error *error);
/* One row of how many is shown when a line has at most `points`. */
size_t run_step(size_t rows, size_t points);
/* Which row stands for block i, when `rows` rows are parted into `count` blocks, not more; 0 for block 0. It lies at
 * another place in each block: every so many-th row could be the same place of every cycle, and hide all else. */
size_t run_pick(size_t rows, size_t count, size_t i);
/* Where a row stands among the draws of its chain, from 1 on. */
double run_draw(const ckam_draws_shape *shape, size_t row);
/* Of the built-in model, where the column is one of its parameters; NaN else. A want of memory is noted in f. */
double run_exact_mean(const run_facts *facts, size_t column, figure *f);

/* Whether the draws have the columns that run_steps() and run_modes() show. */
bool steps_are_there(const run_facts *facts);
bool modes_are_there(const run_facts *facts);

/* Where the values of a column lie, and in how fine steps that is shown. */
typedef struct value_grid {
    double low, width; /* of all; of a cell */
    size_t cells;      /* 0: nothing finite */
    double bandwidth;
    bool   trimmed; /* some values lie outside */
} value_grid;

ckam_status grid_of(const ckam_draws_shape *shape, const double *values, size_t cells, value_grid *grid,
                    ckam_error *error);
/* A line a chain, and the exact density; says in the caption what there is beside the lines. */
ckam_status density_lines(const run_facts *facts, size_t column, const double *values, const value_grid *grid,
                          figure *f, panel *p, ckam_error *error);

#endif
