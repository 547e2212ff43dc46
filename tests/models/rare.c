/* rare.c - dies in a small part of the space only, so that a run goes on. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"x", NULL};

double log_density(const double *x) {
    volatile double *volatile nowhere = NULL; /* the compiler must not see it coming */
    if (x[0] > 2.5) *nowhere = x[0];
    return -0.5 * x[0] * x[0];
}
