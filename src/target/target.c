/* target.c - see target.h. */
#include "target/target.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>

ckam_status target_check(const ckam_target *target, ckam_error *error) {
    if (!target) return fail_with(error, CKAM_ERROR_ARGUMENT, "the target is NULL");
    if (target->dim < 1)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "the target's dim is 0; it must be at least 1");
    for (size_t k = 0; target->names && k < target->dim; k++)
        if (!target->names[k])
            return fail_with(error, CKAM_ERROR_ARGUMENT, "the target's name of parameter %zu is NULL", k + 1);
    return CKAM_OK;
}

/* The first coordinates of a point: "(0.5, -2, 1e+10, ...)". */
static void point_text(size_t dim, const double *x, char *text, size_t size) {
    enum { SHOWN = 6 };
    int used = snprintf(text, size, "(");
    for (size_t k = 0; k < dim && k < SHOWN; k++)
        used += snprintf(text + used, size - (size_t)used, "%s%.10g", k ? ", " : "", x[k]);
    snprintf(text + used, size - (size_t)used, dim > SHOWN ? ", ...)" : ")");
}

ckam_status target_judge(const ckam_target *target, const double *x, double *value, ckam_error *error) {
    if (isnan(*value)) *value = -HUGE_VAL;
    if (*value < HUGE_VAL) return CKAM_OK;
    char point[160];
    point_text(target->dim, x, point, sizeof point);
    return fail_with(
        error, CKAM_ERROR_INFINITE,
        "the log density is +infinity at %s; it must be finite, or -infinity where the density is 0", point);
}

ckam_status target_evaluate(const ckam_target *target, const double *x, double *value, ckam_error *error) {
    switch (target->log_density(target->context, x, value)) {
    case CKAM_OK:
        return target_judge(target, x, value, error);
    case CKAM_REJECT:
        *value = -HUGE_VAL;
        return CKAM_OK;
    case CKAM_STOP:
        return fail_with(error, CKAM_STOP, "the target asked the run to stop");
    default:
        break;
    }
    char point[160];
    point_text(target->dim, x, point, sizeof point);
    return fail_with(error, CKAM_ERROR_TARGET,
                     "the target returned a code that is not CKAM_OK, CKAM_REJECT or CKAM_STOP at %s", point);
}
