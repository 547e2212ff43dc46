/* target.c - see target.h. */
#include "target/target.h"

#include "base/error.h"
#include "target/source.h"

#include <math.h>
#include <stdio.h>

ckam_status target_check(const ckam_target *target, ckam_error *error) {
    if (!target) return fail_with(error, CKAM_ERROR_ARGUMENT, "the target is NULL");
    if (target->dim < 1) return fail_with(error, CKAM_ERROR_ARGUMENT, "the target's dim is 0; it must be at least 1");
    for (size_t k = 0; target->names && k < target->dim; k++)
        if (!target->names[k])
            return fail_with(error, CKAM_ERROR_ARGUMENT, "the target's name of parameter %zu is NULL", k + 1);
    return CKAM_OK;
}

void target_point_text(const ckam_target *target, const double *x, char *text) {
    enum { SHOWN = 6 }; /* of at most 17 letters each */
    model_handle *handle;
    if (source_of(target, &handle)) {
        model_handle_point(handle, x, POINT_TEXT, text);
        return;
    }
    int used = snprintf(text, POINT_TEXT, "(");
    for (size_t k = 0; k < target->dim && k < SHOWN; k++)
        used += snprintf(text + used, (size_t)(POINT_TEXT - used), "%s%.10g", k ? ", " : "", x[k]);
    snprintf(text + used, (size_t)(POINT_TEXT - used), target->dim > SHOWN ? ", ...)" : ")");
}

/* Refusals are functions of their own: who has room for text on the stack pays for its protection at every call. */
#define COLD __attribute__((cold, noinline))

COLD static ckam_status refuse_infinity(const ckam_target *target, const double *x, ckam_error *error) {
    char point[POINT_TEXT];
    target_point_text(target, x, point);
    return fail_with(error, CKAM_ERROR_INFINITE,
                     "the log density is +infinity at %s; it must be finite, or -infinity where the density is 0",
                     point);
}

COLD static ckam_status refuse_code(const ckam_target *target, int code, const double *x, ckam_error *error) {
    char point[POINT_TEXT];
    target_point_text(target, x, point);
    return fail_with(error, CKAM_ERROR_TARGET,
                     "the target returned %d, which is not CKAM_OK, CKAM_REJECT or CKAM_STOP, at %s", code, point);
}

ckam_status target_judge(const ckam_target *target, const double *x, double *value, uint64_t *nans, ckam_error *error) {
    if (isnan(*value)) {
        *value = -HUGE_VAL;
        if (nans) ++*nans;
    }
    return *value < HUGE_VAL ? CKAM_OK : refuse_infinity(target, x, error);
}

ckam_status target_evaluate(const ckam_target *target, const double *x, double *value, uint64_t *nans,
                            ckam_error *error) {
    const int code = target->log_density(target->context, x, value);
    switch (code) {
    case CKAM_OK:
        return target_judge(target, x, value, nans, error);
    case CKAM_REJECT:
        *value = -HUGE_VAL;
        return CKAM_OK;
    case CKAM_STOP:
        return fail_with(error, CKAM_STOP, "the target asked the run to stop");
    default:
        return refuse_code(target, code, x, error);
    }
}
