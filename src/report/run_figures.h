/* run_figures.h - the figures of a run: what its draws look like. A kind of figure is one row of a table and one function.
 *
 * For run_page.c, and for `ckam plot` by run_report.c. */
#ifndef CKAM_REPORT_RUN_FIGURES_H
#define CKAM_REPORT_RUN_FIGURES_H

#include "report/figure.h"

/* What the figures are made from. */
typedef struct run_facts {
    ckam_draws       *draws;
    const ckam_model *model;     /* built-in: exact densities and means are shown, too; else NULL */
    const char       *directory; /* of the run, for the files of its warm-up; NULL where the draws came as files */
} run_facts;

struct figure_kind;
/* *out is yours. `columns` are columns of the draws; `points` bounds how many points a line gets. */
typedef ckam_status figure_maker(const run_facts *facts, const struct figure_kind *kind, size_t count,
                                 const size_t *columns, size_t points, figure **out, ckam_error *error);

typedef struct figure_kind {
    const char   *name, *title, *caption;
    bool          by_parameter; /* one figure for each parameter; else one for `count` parameters together */
    figure_maker *make;
} figure_kind;

/* density, trace, rank, mean, autocorrelation, pair, steps, modes; the last row has no name. */
extern const figure_kind figure_kinds[];

/* -- What the figures share --------------------------------------------------------------------------------------- */

/* One function for each kind: of parameter_figures.c and sampler_figures.c. */
figure_maker run_density, run_trace, run_rank, run_mean, run_autocorrelation, run_pair, run_steps, run_modes;

enum { CHAIN_NAME = 32, PAIR_MOST = 6 };
/* "chain 3", for the chain 2 from 0; returns `text`. */
const char *chain_name(size_t chain, char text[CHAIN_NAME]);

/* *f := a figure of a kind about one column; *values := its draws. */
ckam_status figure_begin(const run_facts *facts, const figure_kind *kind, size_t column, size_t panels, figure **f,
                         const double **values, ckam_error *error);
/* Adds a sentence to the caption, unless it is there already. On a page the figures of all parameters share one caption,
 * with the sentences of each: a sentence must not be wrong for the parameters that did not add it. */
void caption_add(figure *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* *out := the figure, if `status` is CKAM_OK and nothing is missing in it; else frees it. Returns the failure. */
ckam_status figure_end(ckam_status status, figure *f, figure **out, ckam_error *error);
/* The k of "every k-th row" that leaves a line at most `points` rows. */
size_t thinning(size_t rows, size_t points);
/* The row that represents block i, where `rows` rows are divided into `count` <= rows blocks; 0 for block 0. Its place
 * within the block varies: every k-th row could be the same place of every cycle, and hide the rest of it. */
size_t row_of_block(size_t rows, size_t count, size_t i);
/* The number of a row among the draws of its chain, from 1 on. */
double draw_number(const ckam_draws_shape *shape, size_t row);

/* Whether the draws have the columns of run_steps(), of run_modes(). */
bool has_steps(const run_facts *facts);
bool has_modes(const run_facts *facts);

#endif
