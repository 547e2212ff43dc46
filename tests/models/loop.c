/* loop.c - never ends, beyond 1. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"x", NULL};

double log_density(const double *x) {
    volatile int forever = x[0] > 1.0;
    while (forever) continue;
    return -0.5 * x[0] * x[0];
}
