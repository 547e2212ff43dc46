/* run_pairs.c - parameters against each other: below the diagonal how many draws are where, above it draws by chain. */
#include "report/run_parts.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 48, LINE_CELLS = 128, DOTS_MOST = 600 };

/* The draws of one parameter and where they lie. */
typedef struct side {
    double    *values;
    value_grid grid;
} side;

static double side_high(const side *s) { return s->grid.low + s->grid.width * (double)s->grid.cells; }

static ckam_status side_read(side *s, const run_facts *facts, size_t column, size_t points, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  total = shape->chains * shape->rows;
    const double           *values;
    ckam_status             status = ckam_draws_column(facts->draws, column, &values, error);
    if (status) return status;
    memcpy(s->values, values, total * sizeof *s->values);
    return grid_of(shape, s->values, points < LINE_CELLS ? points : LINE_CELLS, &s->grid, error);
}

/* A cell without a draw is NaN, and nothing is drawn there. */
static void add_cells(figure *f, panel *p, const side *x, const side *y, size_t total) {
    mark *m = x->grid.cells && y->grid.cells ? panel_cells(f, p, CELLS, CELLS) : NULL;
    if (!m) return;
    m->x0 = x->grid.low;
    m->y0 = y->grid.low;
    m->width = (side_high(x) - x->grid.low) / CELLS;
    m->height = (side_high(y) - y->grid.low) / CELLS;
    for (size_t i = 0; i < total; i++) {
        double column = (x->values[i] - m->x0) / m->width, row = (y->values[i] - m->y0) / m->height;
        if (column >= 0.0 && column < CELLS && row >= 0.0 && row < CELLS)
            m->z[(size_t)row * CELLS + (size_t)column] += 1.0;
    }
    for (size_t i = 0; i < (size_t)CELLS * CELLS; i++)
        if (m->z[i] == 0.0) m->z[i] = (double)NAN;
}

static void add_dots(figure *f, panel *p, const side *x, const side *y, const ckam_draws_shape *shape, size_t points) {
    size_t most = DOTS_MOST / shape->chains + 1, shown = points < most ? points : most;
    char   name[CHAIN_NAME];
    if (shown > shape->rows) shown = shape->rows;
    for (size_t chain = 0; chain < shape->chains; chain++) {
        mark *m = panel_mark(f, p, MARK_DOTS, chain_name(chain, name), (int)chain, shown);
        for (size_t i = 0; m && i < shown; i++) {
            size_t at = chain * shape->rows + run_pick(shape->rows, shown, i);
            m->x[i] = x->values[at];
            m->y[i] = y->values[at];
        }
    }
}

static void set_limits(axis *a, const side *s) {
    if (!s->grid.cells) return;
    a->low = s->grid.low;
    a->high = side_high(s);
}

/* Row i and column j of the figure. Names stand at its left and lower edge, and over the diagonal. */
static ckam_status add_panel(const run_facts *facts, const size_t *columns, const side *sides, size_t count, size_t i,
                             size_t j, size_t points, figure *f, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    const char *across = ckam_draws_name(facts->draws, columns[j]), *up = ckam_draws_name(facts->draws, columns[i]);
    panel      *p =
        figure_panel(f, i * count + j, i == j ? up : "", i + 1 == count ? across : "", j == 0 && i > 0 ? up : "");
    ckam_status status = CKAM_OK;
    if (i == j)
        status = density_lines(facts, columns[j], sides[j].values, &sides[j].grid, f, p, error);
    else if (i > j)
        add_cells(f, p, sides + j, sides + i, shape->chains * shape->rows);
    else
        add_dots(f, p, sides + j, sides + i, shape, points);
    set_limits(&p->x, sides + j);
    if (i != j) set_limits(&p->y, sides + i);
    return status;
}

ckam_status run_pair(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                     size_t points, figure **out, ckam_error *error) {
    side sides[PAIR_MOST] = {{0}};
    if (count > PAIR_MOST)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "%zu parameters are too many for pairs; name %d at most", count,
                         PAIR_MOST);
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  total = shape->chains * shape->rows;
    figure                 *f = figure_create(kind->name, kind->title, kind->caption, count * count);
    double                 *values = malloc((count * total + 1) * sizeof *values);
    ckam_status             status = CKAM_OK;
    if (!f || !values) {
        figure_free(f);
        free(values);
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a figure of %zu draws", total);
    }
    f->across = count;
    f->small = true;
    for (size_t k = 0; k < count; k++) sides[k].values = values + k * total;
    for (size_t k = 0; k < count && !status; k++) status = side_read(sides + k, facts, columns[k], points, error);
    for (size_t k = 0; k < count * count && !status; k++)
        status = add_panel(facts, columns, sides, count, k / count, k % count, points, f, error);
    free(values);
    return run_end(status, f, out, error);
}
