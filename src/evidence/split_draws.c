/* split_draws.c - see evidence.h: reads and checks the draws, and standardises them. */
#include "base/error.h"
#include "base/number.h"
#include "draws/draws.h"
#include "evidence/evidence.h"
#include "target/source.h"
#include "target/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_LEAST = 20, CHECKED = 8 };

void split_draws_free(split_draws *s) {
    free(s->row);
    free(s->centre);
}

double *split_draws_block(const split_draws *s, size_t half, size_t chain) {
    return s->row + (chain * HALVES + half) * s->rows * (s->dim + ROW_HEAD);
}

static size_t count_of(const split_draws *s) { return s->chains * HALVES * s->rows; }

/* -- Reading ------------------------------------------------------------------------------------------------------ */

typedef struct reading {
    split_draws *split;
    size_t       first, density; /* columns: the first parameter; lp__, or `first` where there is none */
} reading;

static void keep(void *context, size_t chain, size_t row, const double *values) {
    const reading     *r = context;
    const split_draws *s = r->split;
    const size_t       index = row / s->every, half = index >= s->second;
    if (row % s->every || index - half * s->second >= s->rows) return;
    double *place = split_draws_block(s, half, chain) + (index - half * s->second) * (s->dim + ROW_HEAD);
    place[ROW_LOG_DENSITY] = s->known ? values[r->density] : 0.0;
    memcpy(place + ROW_HEAD, values + r->first, s->dim * sizeof *values);
}

/* Chooses which rows are used, and refuses too few. One row in GAP, in the middle of a chain, is left out: next to the cut
 * the two halves are correlated. */
static ckam_status choose_rows(split_draws *s, const ckam_draws_shape *shape, ckam_error *error) {
    enum { GAP = 20 };
    const size_t parameters = shape->columns - shape->first, total = shape->chains * shape->rows;
    if (parameters != s->dim)
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "the draws have %zu parameters and the target has %zu; give the target that was sampled",
                         parameters, s->dim);
    if (shape->rows < ROWS_LEAST || total < 4 * s->dim)
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "there are %zu chains of %zu draws of %zu parameters; the evidence needs %d draws per chain "
                         "and 4 per parameter, and better 100 of either",
                         shape->chains, shape->rows, parameters, ROWS_LEAST);
    s->chains = shape->chains;
    s->every = (total - 1) / BRIDGED_MOST + 1;
    if (shape->rows / s->every < ROWS_LEAST) s->every = shape->rows / ROWS_LEAST;
    const size_t used = shape->rows / s->every;
    s->rows = (used - used / GAP) / HALVES;
    s->second = used - s->rows;
    return CKAM_OK;
}

static size_t chain_of(const split_draws *s, size_t i) { return i / (HALVES * s->rows) + 1; }
static size_t draw_of(const split_draws *s, size_t i) {
    const size_t index = i % (HALVES * s->rows);
    return (index < s->rows ? index : index - s->rows + s->second) * s->every + 1;
}

static ckam_status check_finite(const split_draws *s, const ckam_target *target, const ckam_draws *draws,
                                ckam_error *error) {
    const size_t count = count_of(s);
    char         name[USER_PARAMETER_NAME];
    for (size_t i = 0; i < count; i++) {
        const double *row = s->row + i * (s->dim + ROW_HEAD);
        if (!isfinite(row[ROW_LOG_DENSITY]))
            return fail_with(error, CKAM_ERROR_ARGUMENT,
                             "lp__ is %g in draw %zu of chain %zu, where no chain can be; leave out such rows",
                             row[ROW_LOG_DENSITY], draw_of(s, i), chain_of(s, i));
        for (size_t k = 0; k < s->dim; k++) {
            if (isfinite(row[ROW_HEAD + k])) continue;
            user_parameter_name(target, draws, k, name);
            return fail_with(error, CKAM_ERROR_ARGUMENT, "%s is %g in draw %zu of chain %zu; leave out such rows", name,
                             row[ROW_HEAD + k], draw_of(s, i), chain_of(s, i));
        }
    }
    return CKAM_OK;
}

/* -- Parameters as the user has them ------------------------------------------------------------------------------ */

/* The coordinates u of a user's model are unconstrained. Messages and the check against lp__ need its parameters, which lie
 * within their bounds. */

/* Of parameter k. `s` is NULL where the target is no user's model: then draws have the same coordinates as it. */
static const char *name_of(const source *s, const ckam_draws *draws, size_t k) {
    return s ? source_names(s)[k] : ckam_draws_name(draws, ckam_draws_shape_of(draws)->first + k);
}

void user_parameter_name(const ckam_target *target, const ckam_draws *draws, size_t k, char *text) {
    model_handle *handle;
    const source *s = source_of(target, &handle);
    if (s && source_given(s) != target->dim)
        snprintf(text, USER_PARAMETER_NAME, "unconstrained coordinate %zu", k + 1);
    else
        snprintf(text, USER_PARAMETER_NAME, "%.60s", name_of(s, draws, k));
}

/* A block that is yours to free: `more` numbers behind the row of the parameters at u. */
static ckam_status row_at(source *s, model_handle *handle, const double *u, size_t more, double **row,
                          ckam_error *error) {
    *row = calloc(source_columns(s) + more, sizeof **row);
    if (!*row)
        return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a row of %zu numbers", source_columns(s));
    ckam_error  why; /* model_handle_row() needs one */
    ckam_status status = model_handle_row(handle, u, *row, &why);
    if (!status) return CKAM_OK;
    free(*row);
    return fail_with(error, status, "%s", why.message);
}

static void write_point(const source *s, const ckam_draws *draws, const double *x, size_t count, char *text) {
    static const char more[] = ", ...";
    size_t            used = 0;
    for (size_t k = 0; k < count; k++) {
        char   number[NUMBER_TEXT], one[USER_POINT_TEXT]; /* one parameter always fits */
        size_t room = USER_POINT_TEXT - used - (k + 1 < count ? sizeof more - 1 : 0);
        number_write(x[k], number, sizeof number);
        size_t length = (size_t)snprintf(one, sizeof one, "%s%.40s = %s", k ? ", " : "", name_of(s, draws, k), number);
        if (length >= room) {
            memcpy(text + used, more, sizeof more);
            return;
        }
        memcpy(text + used, one, length + 1);
        used += length;
    }
}

ckam_status user_point_text(const ckam_target *target, const ckam_draws *draws, const double *u, char *text,
                            ckam_error *error) {
    model_handle *handle;
    source       *s = source_of(target, &handle);
    double       *row = NULL;
    ckam_status   status = s ? row_at(s, handle, u, 0, &row, error) : CKAM_OK;
    if (status) return status;
    write_point(s, draws, s ? row : u, s ? source_given(s) : target->dim, text);
    free(row);
    return CKAM_OK;
}

/* -- Rounding ----------------------------------------------------------------------------------------------------- */

/* *most := the larger of the changes of the log density at 2/5 of the way from u to `next`, and at `next`, where one
 * parameter is a unit in its last place further. At 2/5 the parameters still round to the same numbers, so only
 * log |dx/du| has changed; at the end the density has changed, too, and the two changes may cancel. */
static ckam_status change(const ckam_target *target, const double *u, const double *next, double *point, double value,
                          double *most, ckam_error *error) {
    static const double parts[] = {0.4, 1.0};
    ckam_status         status = CKAM_OK;
    for (size_t i = 0; i < 2 && !status; i++) {
        double there;
        for (size_t k = 0; k < target->dim; k++) point[k] = u[k] + parts[i] * (next[k] - u[k]);
        status = target_evaluate(target, point, &there, NULL, error);
        if (!status) *most = fmax(*most, fabs(there - value));
    }
    return status;
}

/* Let j and p be the changes of log |dx/du| and of the log density over one unit in the last place: 2/5 |j| and |j + p| are
 * measured. The draw was rounded by up to half a unit, and u may have come out as that of the neighbouring number: the
 * difference is up to |j| / 2 + |p|, at most 4.75 times the larger measurement. */
static const double safety = 5.0;

ckam_status rounding_range(const ckam_target *target, const double *u, double value, double *range,
                           uint64_t *evaluations, ckam_error *error) {
    model_handle *handle;
    source       *s = source_of(target, &handle);
    double       *x;
    *range = 0.0;
    if (!s) return CKAM_OK;
    ckam_status status = row_at(s, handle, u, 2 * target->dim, &x, error);
    if (status) return status;
    double    *next = x + source_columns(s), *point = next + target->dim;
    const bool known = !source_unconstrain(s, x, next, NULL); /* where it cannot, moving tells nothing */
    for (size_t i = 0; i < 2 * source_given(s) && known && !status; i++) {
        const size_t k = i / 2;
        const double was = x[k];
        double       most = 0.0;
        if (source_given(s) == target->dim && !source_is_bounded(s, k)) continue; /* x is u, and so not rounded */
        x[k] = nextafter(was, i % 2 ? HUGE_VAL : -HUGE_VAL);
        if (source_unconstrain(s, x, next, NULL)) {
            most = HUGE_VAL;
        } else {
            status = change(target, u, next, point, value, &most, error);
            *evaluations += 2;
        }
        x[k] = was;
        *range += safety * most;
    }
    free(x);
    return status;
}

/* -- Log densities ------------------------------------------------------------------------------------------------ */

/* The log density of a draw, `is`, differs from that of the target, `value`. Fails unless the rounding of the parameters
 * explains it. */
static ckam_status check_rounding(split_draws *s, const ckam_target *target, const ckam_draws *draws, const double *x,
                                  double is, double value, ckam_error *error) {
    char        point[USER_POINT_TEXT], given[48] = "";
    double      range = 0.0;
    ckam_status status = CKAM_OK;
    if (isfinite(value)) status = rounding_range(target, x, value, &range, &s->evaluations, error);
    if (status || fabs(value - is) <= range) return status;
    status = user_point_text(target, draws, x, point, error);
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

/* Compares CHECKED of the log densities that came with the draws with the target; where none came, evaluates them all. */
static ckam_status check_densities(split_draws *s, const ckam_target *target, const ckam_draws *draws,
                                   ckam_error *error) {
    const size_t count = count_of(s), step = s->known ? count / CHECKED : 1;
    ckam_status  status = CKAM_OK;
    for (size_t i = 0; i < count && !status; i += step) {
        double *row = s->row + i * (s->dim + ROW_HEAD), *is = row + ROW_LOG_DENSITY, value;
        status = target_evaluate(target, row + ROW_HEAD, &value, NULL, error);
        if (status) return status;
        s->evaluations++;
        if (!s->known) *is = value;
        if (!(fabs(value - *is) <= 1e-8 * fmax(1.0, fabs(*is))))
            status = check_rounding(s, target, draws, row + ROW_HEAD, *is, value, error);
    }
    return status;
}

ckam_status split_draws_evaluate(split_draws *s, const ckam_target *target, const double *z, double *value,
                                 ckam_error *error) {
    for (size_t k = 0; k < s->dim; k++) s->point[k] = s->centre[k] + s->spread[k] * z[k];
    ckam_status status = target_evaluate(target, s->point, value, NULL, error);
    s->evaluations++;
    if (!status) *value += s->log_volume;
    return status;
}

/* -- Units -------------------------------------------------------------------------------------------------------- */

/* Counts the draws at `end`, the smallest or largest x of coordinate k. A chain with a density returns to the very same
 * number only where floating-point numbers are too coarse: distinct draws were rounded to one number, usually the last one
 * before a bound, and the density closer to the bound is not represented. Their log densities differ, whereas a jump back
 * to an earlier draw repeats its log density, up to rounding. Three separate visits are not chance. */
static void count_ties(split_draws *s, size_t k, double end) {
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
    if (visits < VISITS_LEAST || at <= s->tied) return;
    s->tied = at;
    s->tied_at = k;
}

/* Centre and spread of coordinate k, and z in place of x. In units of the range no square overflows or vanishes. */
static ckam_status standardise(split_draws *s, size_t k, const char *name, const char *scale, ckam_error *error) {
    const size_t count = count_of(s), stride = s->dim + ROW_HEAD;
    double      *value = s->row + ROW_HEAD + k, least = HUGE_VAL, most = -HUGE_VAL, mean = 0.0, square = 0.0;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, value[i * stride]);
        most = fmax(most, value[i * stride]);
    }
    const double range = most - least;
    if (!(range > 0.0 && range < HUGE_VAL))
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "%s goes from %g to %g%s in the draws; the evidence needs parameters that vary, so leave "
                         "it out of target and draws",
                         name, least, most, scale);
    count_ties(s, k, least);
    count_ties(s, k, most);
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

static ckam_status change_units(split_draws *s, const ckam_target *target, const ckam_draws *draws, ckam_error *error) {
    const size_t  count = count_of(s);
    char          name[USER_PARAMETER_NAME];
    model_handle *handle;
    const char   *scale = source_of(target, &handle) ? " (unconstrained)" : "";
    for (size_t k = 0; k < s->dim; k++) {
        user_parameter_name(target, draws, k, name);
        ckam_status status = standardise(s, k, name, scale, error);
        if (status) return status;
    }
    for (size_t i = 0; i < count; i++) s->row[i * (s->dim + ROW_HEAD) + ROW_LOG_DENSITY] += s->log_volume;
    return CKAM_OK;
}

ckam_status split_draws_create(split_draws *s, ckam_draws *draws, const ckam_target *target, ckam_error *error) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    const size_t            dim = target->dim;
    reading                 r = {.split = s, .first = shape->first};
    *s = (split_draws){.dim = dim};
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
    if (!status) status = check_densities(s, target, draws, error);
    if (!status) status = change_units(s, target, draws, error);
    if (status) split_draws_free(s);
    return status;
}
