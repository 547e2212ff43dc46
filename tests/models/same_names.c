/* same_names.c - what is derived has the name of a parameter. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"x", "y", NULL};
const char *const ckam_derived[] = {"z", "y", NULL};

double log_density(const double *x) { return -0.5 * (x[0] * x[0] + x[1] * x[1]); }
void   derive(const double *x, double *out) { out[0] = x[0], out[1] = x[1]; }
