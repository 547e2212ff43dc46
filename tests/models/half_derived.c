/* half_derived.c - names of derived quantities, but nothing that computes them. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"x", NULL};
const char *const ckam_derived[] = {"square", NULL};

double log_density(const double *x) { return -0.5 * x[0] * x[0]; }
