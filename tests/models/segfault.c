/* segfault.c - writes where there is no memory, beyond 1. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"x", NULL};

double log_density(const double *x) {
    volatile double *volatile nowhere = NULL; /* the compiler must not see it coming */
    if (x[0] > 1.0) *nowhere = x[0];
    return -0.5 * x[0] * x[0];
}
