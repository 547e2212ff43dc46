/* run_lines.c - trace, running mean and autocorrelation of a parameter, a line a chain. */
#include "report/run_parts.h"

#include "base/error.h"
#include "diag/fft.h"

#include <math.h>
#include <stdlib.h>

/* Fills the line of one chain from its values. */
typedef void line_filler(const ckam_draws_shape *shape, const double *values, mark *m);

/* *f := a figure with a line a chain; `label` is that of x. */
static ckam_status begin_lines(const run_facts *facts, const figure_kind *kind, size_t column, size_t points,
                               const char *label, line_filler *fill, figure **f, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    const double           *values;
    char                    name[CHAIN_NAME];
    ckam_status             status = run_begin(facts, kind, column, 1, f, &values, error);
    if (status) return status;
    panel *p = figure_panel(*f, 0, "", label, (*f)->parameter);
    for (size_t chain = 0; chain < shape->chains; chain++) {
        mark *m = panel_mark(*f, p, MARK_LINE, chain_name(chain, name), (int)chain,
                             shape->rows / run_step(shape->rows, points));
        if (m) fill(shape, values + chain * shape->rows, m);
    }
    return CKAM_OK;
}

/* -- Trace -------------------------------------------------------------------------------------------------------- */

static void fill_trace(const ckam_draws_shape *shape, const double *values, mark *m) {
    for (size_t i = 0; i < m->count; i++) {
        size_t row = run_pick(shape->rows, m->count, i);
        m->x[i] = run_draw(shape, row);
        m->y[i] = values[row];
    }
}

ckam_status run_trace(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                      size_t points, figure **out, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(facts->draws);
    unsigned long long      every = run_step(shape->rows, points) * shape->stride;
    figure                 *f;
    (void)count;
    ckam_status status = begin_lines(facts, kind, columns[0], points, "draw", fill_trace, &f, error);
    if (status) return status;
    if (every > 1) run_say(f, "About one draw in %llu is shown.", every);
    return run_end(CKAM_OK, f, out, error);
}

/* -- Running mean ------------------------------------------------------------------------------------------------- */

/* In equal steps, so that the last one is the mean of all. */
static void fill_means(const ckam_draws_shape *shape, const double *values, mark *m) {
    double sum = 0.0;
    size_t row = 0;
    for (size_t i = 0; i < m->count; i++) {
        size_t end = shape->rows - (m->count - 1 - i) * (shape->rows / m->count);
        for (; row < end; row++) sum += values[row];
        m->x[i] = run_draw(shape, row - 1);
        m->y[i] = sum / (double)row;
    }
}

ckam_status run_mean(const run_facts *facts, const figure_kind *kind, size_t count, const size_t *columns,
                     size_t points, figure **out, ckam_error *error) {
    figure *f;
    (void)count;
    ckam_status status = begin_lines(facts, kind, columns[0], points, "draws so far", fill_means, &f, error);
    if (status) return status;
    double exact = run_exact_mean(facts, columns[0], f);
    mark  *rule = isfinite(exact) ? panel_mark(f, f->panel, MARK_RULE, "exact", COLOUR_INK, 1) : NULL;
    if (rule) {
        rule->dashed = true;
        rule->y[0] = exact;
        run_say(f, "Dashed, where it is known: the exact mean.");
    }
    return run_end(CKAM_OK, f, out, error);
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

/* correlation[lag] for lag < lags, with zeros behind the series, so that its end does not meet its beginning. NaN where
 * the series is constant or has a value that is not finite. */
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

/* Twice the lag at which the slowest chain has forgotten, and 20 at least: what comes later is noise. */
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
    size_t last = lags_to_show(shape->chains, lags, correlation), shown = last / run_step(last, points);
    char   name[CHAIN_NAME];
    mark  *rule = panel_mark(f, p, MARK_RULE, NULL, COLOUR_MUTED, 1);
    if (rule) rule->y[0] = 0.0;
    for (size_t chain = 0; chain < shape->chains; chain++) {
        mark *m = panel_mark(f, p, MARK_LINE, chain_name(chain, name), (int)chain, shown);
        for (size_t i = 0; m && i < m->count; i++) {
            size_t lag = run_pick(last, shown, i);
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
    ckam_status status = run_begin(facts, kind, columns[0], 1, &f, &values, error);
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
    return run_end(status, f, out, error);
}
