/* halves.c - see evidence.h. */
#include "base/error.h"
#include "draws/draws.h"
#include "evidence/evidence.h"
#include "target/source.h"
#include "target/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_LEAST = 20, CHECKED = 8 };

void halves_free(halves *s) {
    free(s->row);
    free(s->centre);
}

double *halves_block(const halves *s, size_t half, size_t chain) {
    return s->row + (chain * HALVES + half) * s->rows * (s->dim + ROW_HEAD);
}

static size_t count_of(const halves *s) { return s->chains * HALVES * s->rows; }

/* -- Reading ------------------------------------------------------------------------------------------------------ */

typedef struct reading {
    halves *halves;
    size_t  first, density; /* columns: the first parameter; lp__, or `first` where there is none */
} reading;

static void keep(void *context, size_t chain, size_t row, const double *values) {
    const reading *r = context;
    const halves  *s = r->halves;
    const size_t   index = row / s->every, half = index >= s->second;
    if (row % s->every || index - half * s->second >= s->rows) return;
    double *place = halves_block(s, half, chain) + (index - half * s->second) * (s->dim + ROW_HEAD);
    place[ROW_LOG_DENSITY] = s->known ? values[r->density] : 0.0;
    memcpy(place + ROW_HEAD, values + r->first, s->dim * sizeof *values);
}

/* How many rows are used, and whether they are enough. One in GAP in the middle of a chain is left out, so that what is
 * fitted to one half does not know the beginning of the other. */
static ckam_status choose_rows(halves *s, const ckam_draws_shape *shape, ckam_error *error) {
    enum { GAP = 20 };
    const size_t parameters = shape->columns - shape->first, total = shape->chains * shape->rows;
    if (parameters != s->dim)
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "the draws have %zu parameters and the target has %zu; give the target that was sampled",
                         parameters, s->dim);
    if (shape->rows < ROWS_LEAST || total < 4 * s->dim)
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "there are %zu chains of %zu draws of %zu parameters; the evidence needs %d draws of a chain "
                         "and 4 of a parameter, and better 100 of both",
                         shape->chains, shape->rows, parameters, ROWS_LEAST);
    s->chains = shape->chains;
    s->every = (total - 1) / BRIDGED_MOST + 1;
    if (shape->rows / s->every < ROWS_LEAST) s->every = shape->rows / ROWS_LEAST;
    const size_t used = shape->rows / s->every;
    s->rows = (used - used / GAP) / HALVES;
    s->second = used - s->rows;
    return CKAM_OK;
}

static size_t chain_of(const halves *s, size_t i) { return i / (HALVES * s->rows) + 1; }
static size_t draw_of(const halves *s, size_t i) {
    const size_t index = i % (HALVES * s->rows);
    return (index < s->rows ? index : index - s->rows + s->second) * s->every + 1;
}

static ckam_status check_finite(const halves *s, const ckam_target *target, const ckam_draws *draws,
                                ckam_error *error) {
    const size_t count = count_of(s);
    char         name[GIVEN_NAME];
    for (size_t i = 0; i < count; i++) {
        const double *row = s->row + i * (s->dim + ROW_HEAD);
        if (!isfinite(row[ROW_LOG_DENSITY]))
            return fail_with(error, CKAM_ERROR_ARGUMENT,
                             "lp__ is %g in draw %zu of chain %zu, where no chain can be; leave out such rows",
                             row[ROW_LOG_DENSITY], draw_of(s, i), chain_of(s, i));
        for (size_t k = 0; k < s->dim; k++) {
            if (isfinite(row[ROW_HEAD + k])) continue;
            given_name(target, draws, k, name);
            return fail_with(error, CKAM_ERROR_ARGUMENT, "%s is %g in draw %zu of chain %zu; leave out such rows", name,
                             row[ROW_HEAD + k], draw_of(s, i), chain_of(s, i));
        }
    }
    return CKAM_OK;
}

/* -- Log densities ------------------------------------------------------------------------------------------------ */

/* Where the log density of a draw, `is`, is not the one of the target, `value`: is it the rounding of its parameters? */
static ckam_status doubt(halves *s, const ckam_target *target, const ckam_draws *draws, const double *x, double is,
                         double value, ckam_error *error) {
    char        point[GIVEN_POINT], given[48] = "";
    double      range = 0.0;
    ckam_status status = CKAM_OK;
    if (isfinite(value)) status = given_range(target, x, value, &range, &s->evaluations, error);
    if (status || fabs(value - is) <= range) return status;
    status = given_point(target, draws, x, point, error);
    if (status) return status;
    model_handle *handle;
    if (source_of(target, &handle) && model_handle_faults(handle))
        return fail_with(
            error, CKAM_ERROR_ARGUMENT,
            "the model crashed or did not answer at %s, where it did before; a program runs in the present "
            "folder: go to where the run began",
            point);
    if (s->known) snprintf(given, sizeof given, " lp__ is %.12g and", is);
    return fail_with(error, CKAM_ERROR_ARGUMENT,
                     "the draws are not of this target: at %s%s the target gives %.12g; give the one that was sampled",
                     point, given, value);
}

/* Compares log densities that came with the draws with those of the target, at some of them; else makes them all. */
static ckam_status settle(halves *s, const ckam_target *target, const ckam_draws *draws, ckam_error *error) {
    const size_t count = count_of(s), step = s->known ? count / CHECKED : 1;
    ckam_status  status = CKAM_OK;
    for (size_t i = 0; i < count && !status; i += step) {
        double *row = s->row + i * (s->dim + ROW_HEAD), *is = row + ROW_LOG_DENSITY, value;
        status = target_evaluate(target, row + ROW_HEAD, &value, NULL, error);
        if (status) return status;
        s->evaluations++;
        if (!s->known) *is = value;
        if (!(fabs(value - *is) <= 1e-8 * fmax(1.0, fabs(*is))))
            status = doubt(s, target, draws, row + ROW_HEAD, *is, value, error);
    }
    return status;
}

ckam_status halves_evaluate(halves *s, const ckam_target *target, const double *z, double *value, ckam_error *error) {
    for (size_t k = 0; k < s->dim; k++) s->point[k] = s->centre[k] + s->spread[k] * z[k];
    ckam_status status = target_evaluate(target, s->point, value, NULL, error);
    s->evaluations++;
    if (!status) *value += s->log_volume;
    return status;
}

/* -- Units -------------------------------------------------------------------------------------------------------- */

/* Counts the draws at `end`, the least or the largest x of coordinate k. A chain does not come back to a number unless there
 * are hardly others: then draws that were apart, as their log densities are, have been rounded to the same place, most often
 * the one next to a bound, and what should be nearer to the bound is nowhere. By chance draws meet there as well, but hardly
 * three. A jump that leads back to a draw brings its log density, too, but for rounding. */
static void pile_up(halves *s, size_t k, double end) {
    enum { VISITS_LEAST = 3 };
    const size_t count = count_of(s);
    size_t       visits = 0, at = 0;
    double       last = (double)NAN;
    bool         was = false;
    for (size_t i = 0; i < count; i++) {
        const double *row = s->row + i * (s->dim + ROW_HEAD);
        const bool    is = row[ROW_HEAD + k] == end;
        const bool    back = fabs(row[ROW_LOG_DENSITY] - last) <= 1e-9 * fmax(1.0, fabs(last));
        if (is && !was && !back) visits++;
        if (is) last = row[ROW_LOG_DENSITY];
        at += is;
        was = is;
    }
    if (visits < VISITS_LEAST || at <= s->piled) return;
    s->piled = at;
    s->pile = k;
}

/* Centre and spread of coordinate k, and z in place of x. In units of the range no square overflows or vanishes. */
static ckam_status standardise(halves *s, size_t k, const char *name, const char *scale, ckam_error *error) {
    const size_t count = count_of(s), stride = s->dim + ROW_HEAD;
    double      *value = s->row + ROW_HEAD + k, least = HUGE_VAL, most = -HUGE_VAL, mean = 0.0, square = 0.0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, value[i * stride]);
        most = fmax(most, value[i * stride]);
    }
    const double range = most - least;
    if (!(range > 0.0 && range < HUGE_VAL))
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "%s goes from %g to %g%s in the draws; the evidence is of parameters that move, so "
                         "leave it out of target and draws",
                         name, least, most, scale);
    pile_up(s, k, least);
    pile_up(s, k, most);
    for (size_t i = 0; i < count; i++) mean += (value[i * stride] - least) / range / (double)count;
    for (size_t i = 0; i < count; i++) {
        const double d = (value[i * stride] - least) / range - mean;
        square += d * d / (double)count;
    }
    s->centre[k] = least + range * mean;
    s->spread[k] = range * sqrt(square);
    for (size_t i = 0; i < count; i++) value[i * stride] = (value[i * stride] - s->centre[k]) / s->spread[k];
    s->log_volume += log(s->spread[k]);
    return CKAM_OK;
}

static ckam_status change_units(halves *s, const ckam_target *target, const ckam_draws *draws, ckam_error *error) {
    const size_t  count = count_of(s);
    char          name[GIVEN_NAME];
    model_handle *handle;
    const char   *scale = source_of(target, &handle) ? " (unconstrained)" : "";
    for (size_t k = 0; k < s->dim; k++) {
        given_name(target, draws, k, name);
        ckam_status status = standardise(s, k, name, scale, error);
        if (status) return status;
    }
    for (size_t i = 0; i < count; i++) s->row[i * (s->dim + ROW_HEAD) + ROW_LOG_DENSITY] += s->log_volume;
    return CKAM_OK;
}

ckam_status halves_create(halves *s, ckam_draws *draws, const ckam_target *target, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    const size_t            dim = target->dim;
    reading                 r = {.halves = s, .first = shape->first};
    *s = (halves){.dim = dim};
    while (r.density < r.first && strcmp(ckam_draws_name(draws, r.density), "lp__") != 0) r.density++;
    s->known = r.density < r.first;
    ckam_status status = choose_rows(s, shape, error);
    if (status) return status;
    s->row = calloc(count_of(s), (dim + ROW_HEAD) * sizeof *s->row);
    s->centre = calloc(dim, 3 * sizeof *s->centre);
    if (s->row && s->centre) {
        s->spread = s->centre + dim;
        s->point = s->spread + dim;
        status = draws_scan(draws, keep, &r, error);
    } else {
        status =
            fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu draws of %zu parameters", count_of(s), dim);
    }
    if (!status) status = check_finite(s, target, draws, error);
    if (!status) status = settle(s, target, draws, error);
    if (!status) status = change_units(s, target, draws, error);
    if (status) halves_free(s);
    return status;
}
