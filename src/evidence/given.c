/* given.c - see evidence.h: the parameters of a user's model, within their bounds, behind the coordinates u of its target. */
#include "base/error.h"
#include "base/number.h"
#include "evidence/evidence.h"
#include "target/source.h"
#include "target/target.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of parameter k. `s` is NULL where the target is no user's model: then draws have the same coordinates as it. */
static const char *name_of(const source *s, const ckam_draws *draws, size_t k) {
    return s ? source_names(s)[k] : ckam_draws_name(draws, ckam_draws_shape_of(draws)->first + k);
}

void given_name(const ckam_target *target, const ckam_draws *draws, size_t k, char *text) {
    model_handle *handle;
    const source *s = source_of(target, &handle);
    if (s && source_given(s) != target->dim)
        snprintf(text, GIVEN_NAME, "unconstrained coordinate %zu", k + 1);
    else
        snprintf(text, GIVEN_NAME, "%.60s", name_of(s, draws, k));
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

/* -- In words ----------------------------------------------------------------------------------------------------- */

static void write_point(const source *s, const ckam_draws *draws, const double *x, size_t count, char *text) {
    static const char more[] = ", ...";
    size_t            used = 0;
    for (size_t k = 0; k < count; k++) {
        char   number[NUMBER_TEXT], one[GIVEN_POINT]; /* which is room for one in any case */
        size_t room = GIVEN_POINT - used - (k + 1 < count ? sizeof more - 1 : 0);
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

ckam_status given_point(const ckam_target *target, const ckam_draws *draws, const double *u, char *text,
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

/* The larger change of the log density on the way from u to `next`, which belongs to parameters of which one is a unit in
 * its last place further. At 2/5 of the way the parameters round to what they are and log |dx/du| alone has changed; at
 * the end so has the density, and the two changes may cancel. */
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

/* With j and p the changes of log |dx/du| and of the density over a unit in the last place, 2/5 |j| and |j + p| are known.
 * The draw was rounded by up to half a unit, and u may belong to the neighbour of what it comes from: |j| / 2 + |p|, which
 * is at most 4.75 times the larger one of the two. */
static const double times = 5.0;

ckam_status given_range(const ckam_target *target, const double *u, double value, double *range, uint64_t *evaluations,
                        ckam_error *error) {
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
        *range += times * most;
    }
    free(x);
    return status;
}
