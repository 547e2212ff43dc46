/* plus_infinity.c - a pole: +infinity beyond 1. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"x", NULL};

double log_density(const double *x) { return x[0] > 1.0 ? HUGE_VAL : -0.5 * x[0] * x[0]; }
