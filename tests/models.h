/* models.h - what the tests of built-in densities share. */
#ifndef CKAM_TESTS_MODELS_H
#define CKAM_TESTS_MODELS_H

#include "support.h"

#include "ckam.h"

#include <math.h>

enum { DIM_MOST = 40 };

static inline ckam_model *model_of(const char *spec) {
    ckam_model *m = NULL;
    ckam_error  error = {.message = ""};
    if (ckam_model_create(&m, spec, &error)) fail_msg("%s: %s", spec, error.message);
    return m;
}

static inline double log_density(const ckam_model *m, const double *x) {
    const ckam_target *t = ckam_model_target(m);
    double             value = (double)NAN;
    assert_int_equal(t->log_density(t->context, x, &value), CKAM_OK);
    return value;
}

#endif
