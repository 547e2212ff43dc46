/* run_figures.h - the figures of a run: what its draws look like, one kind a row of a table.
 *
 * For run_page.c and for `ckam plot`. */
#ifndef CKAM_REPORT_RUN_FIGURES_H
#define CKAM_REPORT_RUN_FIGURES_H

#include "report/figure.h"

/* What the figures are made from. */
typedef struct run_facts {
    ckam_draws       *draws;
    const ckam_model *model;     /* built-in, whose truth is shown too; NULL else */
    const char       *directory; /* of the run, for the files of its warm-up; NULL where it is not one */
} run_facts;

typedef struct figure_kind {
    const char *name, *title, *caption;
    bool        by_parameter; /* one figure for each parameter; else one for `count` parameters together */
    /* *out is yours. `columns` are columns of the draws; `points` bounds how many points a line gets. */
    ckam_status (*make)(const run_facts *facts, const struct figure_kind *kind, size_t count, const size_t *columns,
                        size_t points, figure **out, ckam_error *error);
} figure_kind;

/* density, trace, rank, mean, autocorrelation, pair, steps, modes; ended by one without a name. */
extern const figure_kind figure_kinds[];

#endif
