/* parameter_figures.c - the figures of parameters: marginal density, trace, running mean, autocorrelation and ranks of one;
 * pairs of several. See run_figures.h. */
#include "report/run_figures.h"

#include "base/error.h"
#include "diag/diag.h"
#include "diag/fft.h"
#include "diag/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Draws are counted in cells, eight to each that is shown, and smoothed by a normal kernel. All chains share cells and
 * bandwidth: what differs between their lines differs between their draws. */
enum { FINE = 8, CELLS_MOST = 512 };

/* -- Density: where the values lie -------------------------------------------------------------------------------- */

/* The range of the values of a column, in cells. */
typedef struct value_grid {
    double low, width; /* of the range; of a cell */
    size_t cells;      /* 0: nothing finite */
    double bandwidth;
    bool   trimmed; /* some values lie outside */
} value_grid;

/* Cuts off a tail that would leave less than half of the range for 99.8 % of the draws. */
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

/* The mean number of moves per chain: repeated values, from rejections, do not count. */
static double moves_of_a_chain(const ckam_draws_shape *shape, const double *values) {
    size_t moves = shape->chains;
    for (size_t i = 1; i < shape->chains * shape->rows; i++) moves += values[i] != values[i - 1];
    return (double)moves / (double)shape->chains;
}

/* Half of the normal rule, 1.06 sd n^(-1/5), with the local scale in place of the sd: the sd of all draws would grow
 * with the distance of the modes, and smear them. Measured with exact draws, 10,000 per chain: the L2 error of gaussian
 * is 1.2 times the least that a normal kernel can have; the peaks of bimodal come out within 1 %, those of the five
 * modes of grid32 6 % low (1,000 per chain: 6 % and 10 % low). */
static double bandwidth(const ckam_draws_shape *shape, const double *values, const double *sorted, size_t count) {
    return 0.5 * local_scale(sorted, count) * pow(moves_of_a_chain(shape, values), -0.2);
}

static void set_grid(const ckam_draws_shape *shape, const double *values, const double *sorted, size_t count,
                     size_t cells, value_grid *grid) {
    double high, around = sorted[0] == 0.0 ? 0.5 : 0.05 * fabs(sorted[0]);
    set_range(sorted, count, grid, &high);
    if (!isfinite(high - grid->low)) return; /* the range overflows: no axis can show it */
    if (high - grid->low > 0.0) {
        grid->bandwidth = fmin(bandwidth(shape, values, sorted, count), (high - grid->low) / 8.0);
        around = fmax(3.0 * grid->bandwidth, 0.5 * (high - grid->low) / (double)cells);
    }
    grid->low -= around;
    high += around;
    grid->trimmed = grid->trimmed && (sorted[0] < grid->low || sorted[count - 1] > high);
    grid->cells = cells < CELLS_MOST ? cells : CELLS_MOST;
    grid->width = (high - grid->low) / (double)grid->cells;
    /* A density is a share divided by a width, and must not overflow. */
    if (!(grid->width > 1e-300) || !isfinite(grid->width)) grid->cells = 0;
}

static ckam_status grid_of(const ckam_draws_shape *shape, const double *values, size_t cells, value_grid *grid,
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

/* -- Density: lines ----------------------------------------------------------------------------------------------- */

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

/* The mass that the kernel moves beyond the ends is dropped: it is negligible, or trimmed on purpose. */
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

/* A line through the middles of the cells, y still to be filled in. */
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
    caption_add(f, "Dashed, where it is known: the exact density.");
    for (size_t i = 0; i < grid->cells; i++) {
        double low = grid->low + grid->width * (double)i;
        m->y[i] = ckam_model_probability(facts->model, column - first, low, low + grid->width) / grid->width;
    }
}

/* Adds one line per chain, and the exact density where it is known; the caption says what there is beside the lines. */
static ckam_status density_lines(const run_facts *facts, size_t column, const double *values, const value_grid *grid,
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
    if (grid->cells && grid->trimmed) caption_add(f, "Draws that are far out, at most 0.2 %%, lie outside.");
    p->y.low = 0.0;
    return CKAM_OK;
}

ckam_status run_density(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                        size_t points, figure **out, ckam_error *error) {
    const double *values;
    value_grid    grid;
    (void)count;
    figure     *f;
    ckam_status status = figure_begin(facts, kind, columns[0], 1, &f, &values, error);
    if (status) return status;
    panel *p = figure_panel(f, 0, "", f->parameter, "density");
    status = grid_of(ckam_draws_shape_of(facts->draws), values, points, &grid, error);
    if (!status) status = density_lines(facts, columns[0], values, &grid, f, p, error);
    return figure_end(status, f, out, error);
}

/* -- Lines: trace, running mean and autocorrelation --------------------------------------------------------------- */

/* Fills the line of one chain from its values. */
typedef void line_filler(const ckam_draws_shape *shape, const double *values, mark *m);

/* *f := a figure with one line per chain; `label` is that of x. */
static ckam_status begin_lines(const run_facts *facts, const figure_kind *kind, size_t column, size_t points,
                               const char *label, line_filler *fill, figure **f, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    const double           *values;
    char                    name[CHAIN_NAME];
    ckam_status             status = figure_begin(facts, kind, column, 1, f, &values, error);
    if (status) return status;
    panel *p = figure_panel(*f, 0, "", label, (*f)->parameter);
    for (size_t chain = 0; chain < shape->chains; chain++) {
        mark *m = panel_mark(*f, p, MARK_LINE, chain_name(chain, name), (int)chain,
                             shape->rows / thinning(shape->rows, points));
        if (m) fill(shape, values + chain * shape->rows, m);
    }
    return CKAM_OK;
}

/* -- Trace -------------------------------------------------------------------------------------------------------- */

static void fill_trace(const ckam_draws_shape *shape, const double *values, mark *m) {
    for (size_t i = 0; i < m->count; i++) {
        size_t row = row_of_block(shape->rows, m->count, i);
        m->x[i] = draw_number(shape, row);
        m->y[i] = values[row];
    }
}

ckam_status run_trace(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                      size_t points, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    unsigned long long      every = thinning(shape->rows, points) * shape->stride;
    figure                 *f;
    (void)count;
    ckam_status status = begin_lines(facts, kind, columns[0], points, "draw", fill_trace, &f, error);
    if (status) return status;
    if (every > 1) caption_add(f, "About one draw in %llu is shown.", every);
    return figure_end(CKAM_OK, f, out, error);
}

/* -- Running mean ------------------------------------------------------------------------------------------------- */

/* In equal steps, so that the last one is the mean of all. */
static void fill_means(const ckam_draws_shape *shape, const double *values, mark *m) {
    double sum = 0.0;
    size_t row = 0;
    for (size_t i = 0; i < m->count; i++) {
        size_t end = shape->rows - (m->count - 1 - i) * (shape->rows / m->count);
        for (; row < end; row++) sum += values[row];
        m->x[i] = draw_number(shape, row - 1);
        m->y[i] = sum / (double)row;
    }
}

/* Of the built-in model, where the column is one of its parameters; else NaN. A want of memory is noted in f. */
static double exact_mean(const run_facts *facts, size_t column, figure *f) {
    size_t first = ckam_draws_shape_of(facts->draws)->first;
    size_t dim = facts->model ? ckam_model_target(facts->model)->dim : 0;
    if (column < first || column - first >= dim) return (double)NAN;
    double *mean = malloc(dim * sizeof *mean), exact = (double)NAN;
    if (mean) {
        ckam_model_mean(facts->model, mean);
        exact = mean[column - first];
    } else
        f->failed = true;
    free(mean);
    return exact;
}

ckam_status run_mean(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                     size_t points, figure **out, ckam_error *error) {
    figure *f;
    (void)count;
    ckam_status status = begin_lines(facts, kind, columns[0], points, "draws so far", fill_means, &f, error);
    if (status) return status;
    double exact = exact_mean(facts, columns[0], f);
    mark  *rule = isfinite(exact) ? panel_mark(f, f->panel, MARK_RULE, "exact", COLOUR_INK, 1) : NULL;
    if (rule) {
        rule->dashed = true;
        rule->y[0] = exact;
        caption_add(f, "Dashed, where it is known: the exact mean.");
    }
    return figure_end(CKAM_OK, f, out, error);
}

/* -- Autocorrelation ---------------------------------------------------------------------------------------------- */

/* Room for the transforms of one chain after the other. */
typedef struct spectra {
    size_t  size;
    double *table, *re, *im;
} spectra;

static bool spectra_create(spectra *s, size_t rows) {
    s->size = fft_size(2 * rows);
    size_t roots = fft_table_count(s->size);
    s->table = s->size ? malloc((roots + 2 * s->size) * sizeof *s->table) : NULL;
    if (!s->table) return false;
    s->re = s->table + roots;
    s->im = s->re + s->size;
    fft_table_fill(s->size, s->table);
    return true;
}

/* correlation[lag] for lag < lags. The series is padded with zeros, so that the transform does not wrap around. NaN where the
 * series is constant or has a value that is not finite. */
static void correlate(spectra *s, const double *values, size_t rows, size_t lags, double *correlation) {
    double mean = 0.0;
    for (size_t i = 0; i < rows; i++) mean += values[i] / (double)rows;
    for (size_t i = 0; i < s->size; i++) {
        s->re[i] = i < rows ? values[i] - mean : 0.0;
        s->im[i] = 0.0;
    }
    fft_forward(s->size, s->table, s->re, s->im);
    for (size_t i = 0; i < s->size; i++) {
        s->re[i] = s->re[i] * s->re[i] + s->im[i] * s->im[i];
        s->im[i] = 0.0;
    }
    fft_backward(s->size, s->table, s->re, s->im);
    bool still = true;
    for (size_t i = 1; i < rows; i++) still = still && values[i] == values[0];
    for (size_t lag = 0; lag < lags; lag++) correlation[lag] = still ? (double)NAN : s->re[lag] / s->re[0];
}

/* Twice the lag at which the correlation of the slowest chain falls below 0.05, and at least 20: the rest is noise. */
static size_t lags_to_show(size_t chains, size_t lags, const double *correlation) {
    size_t most = 20;
    for (size_t chain = 0; chain < chains; chain++) {
        size_t lag = 0;
        while (lag < lags && correlation[chain * lags + lag] >= 0.05) lag++;
        if (2 * lag > most) most = 2 * lag;
    }
    return most < lags ? most : lags;
}

static void add_correlations(const ckam_draws_shape *shape, size_t lags, const double *correlation, size_t points,
                             figure *f, panel *p) {
    size_t last = lags_to_show(shape->chains, lags, correlation), shown = last / thinning(last, points);
    char   name[CHAIN_NAME];
    mark  *rule = panel_mark(f, p, MARK_RULE, NULL, COLOUR_MUTED, 1);
    if (rule) rule->y[0] = 0.0;
    for (size_t chain = 0; chain < shape->chains; chain++) {
        mark *m = panel_mark(f, p, MARK_LINE, chain_name(chain, name), (int)chain, shown);
        for (size_t i = 0; m && i < m->count; i++) {
            size_t lag = row_of_block(last, shown, i);
            m->x[i] = (double)lag * (double)shape->stride;
            m->y[i] = correlation[chain * lags + lag];
        }
    }
}

ckam_status run_autocorrelation(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                                size_t points, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    size_t                  lags = shape->rows / 4 + (shape->rows > 0);
    const double           *values;
    figure                 *f;
    spectra                 s = {0};
    (void)count;
    ckam_status status = figure_begin(facts, kind, columns[0], 1, &f, &values, error);
    if (status) return status;
    panel  *p = figure_panel(f, 0, "", "lag in draws", "autocorrelation");
    double *correlation = calloc(shape->chains * lags + 1, sizeof *correlation);
    if (!correlation || !spectra_create(&s, shape->rows))
        status =
            fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for autocorrelations of %zu draws", shape->rows);
    for (size_t chain = 0; chain < shape->chains && !status; chain++)
        correlate(&s, values + chain * shape->rows, shape->rows, lags, correlation + chain * lags);
    if (!status) add_correlations(shape, lags, correlation, points, f, p);
    free(correlation);
    free(s.table);
    return figure_end(status, f, out, error);
}

/* -- Ranks: how the ranks of all draws are spread over the chains, a panel for each ------------------------------- */

enum { RANK_BINS = 20, RANK_ACROSS = 4 };

/* How many draws of each chain are in each bin of ranks. */
typedef struct ranking {
    size_t    chains, rows, count; /* count: draws that are numbers */
    double   *sorted;
    uint32_t *order;
    double   *share; /* of the bins, chain by chain */
    double   *equal; /* by chain, among draws of one value */
} ranking;

static bool ranking_create(ranking *r, const ckam_draws_shape *shape, const double *values) {
    size_t total = shape->chains * shape->rows;
    *r = (ranking){.chains = shape->chains, .rows = shape->rows};
    r->sorted = malloc((total + 1) * sizeof *r->sorted);
    r->order = malloc((total + 1) * sizeof *r->order);
    r->share = calloc((RANK_BINS + 1) * shape->chains + 1, sizeof *r->share);
    if (!r->sorted || !r->order || !r->share || total > UINT32_MAX) return false;
    r->equal = r->share + RANK_BINS * shape->chains;
    for (size_t i = 0; i < total; i++) {
        if (isnan(values[i])) continue;
        r->sorted[r->count] = values[i];
        r->order[r->count++] = (uint32_t)i;
    }
    sort_with_order(r->sorted, r->order, r->count);
    return true;
}

static void ranking_free(ranking *r) {
    free(r->sorted);
    free(r->order);
    free(r->share);
}

/* Draws with the ranks from..to-1 are tied: each gets an equal part of all these ranks. */
static void share_ranks(ranking *r, size_t from, size_t to) {
    double width = (double)r->count / RANK_BINS, each = 1.0 / (double)(to - from);
    for (size_t i = from; i < to; i++) r->equal[r->order[i] / r->rows] += each;
    for (size_t bin = (size_t)((double)from / width); bin < RANK_BINS; bin++) {
        double low = fmax((double)from, width * (double)bin), high = fmin((double)to, width * (double)(bin + 1));
        if (width * (double)bin >= (double)to) break;
        for (size_t chain = 0; chain < r->chains && high > low; chain++)
            r->share[chain * RANK_BINS + bin] += r->equal[chain] * (high - low);
    }
    memset(r->equal, 0, r->chains * sizeof *r->equal);
}

static void rank_all(ranking *r) {
    for (size_t from = 0, to; from < r->count; from = to) {
        for (to = from + 1; to < r->count && r->sorted[to] == r->sorted[from];) to++;
        share_ranks(r, from, to);
    }
}

/* What independent draws from one distribution would give: the number in each of the 20 bins is binomial. */
static void add_expected_ranks(figure *f, panel *p, double draws) {
    double expected = draws / RANK_BINS, sd = sqrt(expected * (1.0 - 1.0 / RANK_BINS));
    mark  *band = panel_mark(f, p, MARK_BAND, NULL, COLOUR_MUTED, 2);
    for (size_t i = 0; band && i < 2; i++) {
        band->x[i] = (double)i;
        band->low[i] = fmax(0.0, expected - 2.0 * sd);
        band->high[i] = expected + 2.0 * sd;
    }
    mark *rule = panel_mark(f, p, MARK_RULE, NULL, COLOUR_INK, 1);
    if (rule) rule->y[0] = expected;
}

static void add_rank_panel(figure *f, const ranking *r, size_t chain, double highest) {
    char   name[CHAIN_NAME];
    panel *p = figure_panel(f, chain, chain_name(chain, name), "rank, as a share of all", "draws");
    double draws = 0.0;
    mark  *bars = panel_mark(f, p, MARK_BARS, NULL, (int)chain, RANK_BINS);
    for (size_t bin = 0; bars && bin < RANK_BINS; bin++) {
        bars->low[bin] = (double)bin / RANK_BINS;
        bars->high[bin] = (double)(bin + 1) / RANK_BINS;
        bars->y[bin] = r->share[chain * RANK_BINS + bin];
        draws += bars->y[bin];
    }
    add_expected_ranks(f, p, draws);
    p->x.low = p->y.low = 0.0;
    p->x.high = 1.0;
    if (highest > 0.0) p->y.high = 1.05 * highest;
}

ckam_status run_rank(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                     size_t points, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    const double           *values;
    figure                 *f;
    ranking                 r;
    double                  highest = 0.0;
    (void)count, (void)points;
    ckam_status status = figure_begin(facts, kind, columns[0], shape->chains, &f, &values, error);
    if (status) return status;
    f->small = true;
    f->across = shape->chains < RANK_ACROSS ? shape->chains : RANK_ACROSS;
    if (ranking_create(&r, shape, values)) {
        rank_all(&r);
        for (size_t i = 0; i < shape->chains * RANK_BINS; i++) highest = fmax(highest, r.share[i]);
        for (size_t chain = 0; chain < shape->chains; chain++) add_rank_panel(f, &r, chain, highest);
    } else
        status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the ranks of %zu draws",
                           shape->chains * shape->rows);
    ranking_free(&r);
    return figure_end(status, f, out, error);
}

/* -- Pairs: below the diagonal how many draws are where, above it draws by chain ---------------------------------- */

enum { PAIR_CELLS = 48, LINE_CELLS = 128, DOTS_MOST = 600 };

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
    mark *m = x->grid.cells && y->grid.cells ? panel_cells(f, p, PAIR_CELLS, PAIR_CELLS) : NULL;
    if (!m) return;
    m->x0 = x->grid.low;
    m->y0 = y->grid.low;
    m->width = (side_high(x) - x->grid.low) / PAIR_CELLS;
    m->height = (side_high(y) - y->grid.low) / PAIR_CELLS;
    for (size_t i = 0; i < total; i++) {
        double column = (x->values[i] - m->x0) / m->width, row = (y->values[i] - m->y0) / m->height;
        if (column >= 0.0 && column < PAIR_CELLS && row >= 0.0 && row < PAIR_CELLS)
            m->z[(size_t)row * PAIR_CELLS + (size_t)column] += 1.0;
    }
    for (size_t i = 0; i < (size_t)PAIR_CELLS * PAIR_CELLS; i++)
        if (m->z[i] == 0.0) m->z[i] = (double)NAN;
}

static void add_dots(figure *f, panel *p, const side *x, const side *y, const ckam_draws_shape *shape, size_t points) {
    size_t most = DOTS_MOST / shape->chains + 1, shown = points < most ? points : most;
    char   name[CHAIN_NAME];
    if (shown > shape->rows) shown = shape->rows;
    for (size_t chain = 0; chain < shape->chains; chain++) {
        mark *m = panel_mark(f, p, MARK_DOTS, chain_name(chain, name), (int)chain, shown);
        for (size_t i = 0; m && i < shown; i++) {
            size_t at = chain * shape->rows + row_of_block(shape->rows, shown, i);
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
static ckam_status add_pair_panel(const run_facts *facts, const size_t *columns, const side *sides, size_t count,
                                  size_t i, size_t j, size_t points, figure *f, ckam_error *error) {
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
        status = add_pair_panel(facts, columns, sides, count, k / count, k % count, points, f, error);
    free(values);
    return figure_end(status, f, out, error);
}
