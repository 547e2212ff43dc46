/* run_density.c - marginal densities by chain, and the exact one.
 *
 * Draws are counted in cells, eight to each that is shown, and smoothed by a normal kernel. All chains share cells and
 * bandwidth: what differs between their lines differs between their draws. */
#include "report/run_parts.h"

#include "base/error.h"
#include "diag/diag.h"

#include <math.h>
#include <stdlib.h>

enum { FINE = 8, CELLS_MOST = 512 };

/* -- Where the values lie ----------------------------------------------------------------------------------------- */

/* A tail that would leave less than half of the picture for 99.8 % of the draws is cut off. */
static void set_range(const double *sorted, size_t count, value_grid *grid, double *high) {
    size_t cut = count / 1000;
    double low = sorted[0], middle = sorted[count - 1 - cut] - sorted[cut];
    *high = sorted[count - 1];
    grid->trimmed = middle > 0.0 && !(*high - low <= 2.0 * middle);
    if (grid->trimmed) {
        low = fmax(low, sorted[cut] - 0.25 * middle);
        *high = fmin(*high, sorted[count - 1 - cut] + 0.25 * middle);
    }
    grid->low = low;
}

/* The standard deviation of a normal whose densest 5 % are as long as the densest 5 % here. It does not grow with the
 * distance of modes, but for K equal ones it is K times that of one. */
static double local_scale(const double *sorted, size_t count) {
    const double normal = 0.12541; /* 2 z, Phi(z) = 0.525 */
    size_t       span = count / 20 < 10 ? 10 : count / 20;
    double       shortest = HUGE_VAL;
    if (span >= count) return (sorted[count - 1] - sorted[0]) / 4.0;
    for (size_t i = 0; i + span < count; i++) shortest = fmin(shortest, sorted[i + span] - sorted[i]);
    return shortest / normal * 0.05 * (double)count / (double)span;
}

/* Repeated values, those of rejected proposals, say nothing new. */
static double moves_of_a_chain(const ckam_draws_shape *shape, const double *values) {
    size_t moves = shape->chains;
    for (size_t i = 1; i < shape->chains * shape->rows; i++) moves += values[i] != values[i - 1];
    return (double)moves / (double)shape->chains;
}

/* Half of the normal rule, 1.06 sd n^(-1/5), with the local scale in place of the sd: the sd of all draws would grow
 * with the distance of the modes, and smear them. Measured with exact draws, 10,000 a chain: the L2 error of gaussian
 * is 1.2 times the least that a normal kernel can have; the peaks of bimodal come out within 1 %, those of the five
 * modes of grid32 6 % low (1,000 a chain: 6 % and 10 % low). */
static double bandwidth(const ckam_draws_shape *shape, const double *values, const double *sorted, size_t count) {
    return 0.5 * local_scale(sorted, count) * pow(moves_of_a_chain(shape, values), -0.2);
}

static void set_grid(const ckam_draws_shape *shape, const double *values, const double *sorted, size_t count,
                     size_t cells, value_grid *grid) {
    double high, around = sorted[0] == 0.0 ? 0.5 : 0.05 * fabs(sorted[0]);
    set_range(sorted, count, grid, &high);
    if (!isfinite(high - grid->low)) return; /* there is no room for them on an axis */
    if (high - grid->low > 0.0) {
        grid->bandwidth = fmin(bandwidth(shape, values, sorted, count), (high - grid->low) / 8.0);
        around = fmax(3.0 * grid->bandwidth, 0.5 * (high - grid->low) / (double)cells);
    }
    grid->low -= around;
    high += around;
    grid->trimmed = grid->trimmed && (sorted[0] < grid->low || sorted[count - 1] > high);
    grid->cells = cells < CELLS_MOST ? cells : CELLS_MOST;
    grid->width = (high - grid->low) / (double)grid->cells;
    /* At the ends of what numbers can be: a density is a share by a width, and must not overflow. */
    if (!(grid->width > 1e-300) || !isfinite(grid->width)) grid->cells = 0;
}

ckam_status grid_of(const ckam_draws_shape *shape, const double *values, size_t cells, value_grid *grid,
                    ckam_error *error) {
    size_t  total = shape->chains * shape->rows, count = 0;
    double *sorted = malloc((total + 1) * sizeof *sorted);
    *grid = (value_grid){0};
    if (!sorted) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu draws", total);
    for (size_t i = 0; i < total; i++)
        if (isfinite(values[i])) sorted[count++] = values[i];
    diag_sort(sorted, count);
    if (count && cells) set_grid(shape, values, sorted, count, cells, grid);
    free(sorted);
    return CKAM_OK;
}

/* -- Lines -------------------------------------------------------------------------------------------------------- */

/* counts[i] := the share of the finite values in each fine cell; NaN where there are none. */
static void count_values(const value_grid *grid, const double *values, size_t rows, double *counts) {
    size_t fine = FINE * grid->cells, finite = 0;
    double scale = FINE / grid->width;
    for (size_t i = 0; i < fine; i++) counts[i] = 0.0;
    for (size_t i = 0; i < rows; i++) {
        double at = (values[i] - grid->low) * scale;
        finite += isfinite(values[i]) != 0;
        if (at >= 0.0 && at < (double)fine) counts[(size_t)at] += 1.0;
    }
    for (size_t i = 0; i < fine; i++) counts[i] /= (double)finite;
}

/* What lies beyond the ends is lost: there is nothing to speak of, or it was trimmed on purpose. */
static void smooth(const value_grid *grid, const double *counts, double *smoothed) {
    size_t fine = FINE * grid->cells;
    double sd = grid->bandwidth * FINE / grid->width, sum = 0.5;
    size_t reach = sd > 0.3 ? (size_t)ceil(4.0 * sd) : 0;
    if (reach >= fine) reach = fine - 1;
    for (size_t k = 1; k <= reach; k++) sum += exp(-0.5 * (double)(k * k) / (sd * sd));
    for (size_t i = 0; i < fine; i++) smoothed[i] = counts[i] * 0.5 / sum;
    for (size_t k = 1; k <= reach; k++) {
        double weight = exp(-0.5 * (double)(k * k) / (sd * sd)) * 0.5 / sum;
        for (size_t i = 0; i + k < fine; i++) {
            smoothed[i] += weight * counts[i + k];
            smoothed[i + k] += weight * counts[i];
        }
    }
}

/* The density at the middle of a cell is its share of the draws by its width. */
static mark *add_line(const value_grid *grid, figure *f, panel *p, const char *name, int colour) {
    mark *m = panel_mark(f, p, MARK_LINE, name, colour, grid->cells);
    for (size_t i = 0; m && i < grid->cells; i++) m->x[i] = grid->low + grid->width * ((double)i + 0.5);
    return m;
}

static void add_exact(const run_facts *facts, size_t column, const value_grid *grid, figure *f, panel *p) {
    size_t first = ckam_draws_shape_of(facts->draws)->first;
    if (!facts->model || column < first || column - first >= ckam_model_target(facts->model)->dim) return;
    mark *m = add_line(grid, f, p, "exact", COLOUR_INK);
    if (!m) return;
    m->dashed = true;
    run_say(f, "Dashed, where it is known: the exact density.");
    for (size_t i = 0; i < grid->cells; i++) {
        double low = grid->low + grid->width * (double)i;
        m->y[i] = ckam_model_probability(facts->model, column - first, low, low + grid->width) / grid->width;
    }
}

ckam_status density_lines(const run_facts *facts, size_t column, const double *values, const value_grid *grid,
                          figure *f, panel *p, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  fine = FINE * grid->cells;
    double                 *counts = malloc((2 * fine + 1) * sizeof *counts);
    char                    name[CHAIN_NAME];
    if (!counts) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a density");
    for (size_t chain = 0; chain < shape->chains && grid->cells; chain++) {
        mark *m = add_line(grid, f, p, chain_name(chain, name), (int)chain);
        if (!m) break;
        count_values(grid, values + chain * shape->rows, shape->rows, counts);
        smooth(grid, counts, counts + fine);
        for (size_t i = 0; i < fine; i++) m->y[i / FINE] += counts[fine + i] / grid->width;
    }
    free(counts);
    if (grid->cells) add_exact(facts, column, grid, f, p);
    if (grid->cells && grid->trimmed) run_say(f, "Draws that are far out, at most 0.2 %%, lie outside.");
    p->y.low = 0.0;
    return CKAM_OK;
}

ckam_status run_density(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                        size_t points, figure **out, ckam_error *error) {
    const double *values;
    value_grid    grid;
    (void)count;
    figure     *f;
    ckam_status status = run_begin(facts, kind, columns[0], 1, &f, &values, error);
    if (status) return status;
    panel *p = figure_panel(f, 0, "", f->parameter, "density");
    status = grid_of(ckam_draws_shape_of(facts->draws), values, points, &grid, error);
    if (!status) status = density_lines(facts, columns[0], values, &grid, f, p, error);
    return run_end(status, f, out, error);
}
