/* bad_names.c - a declaration that is none. */
#include <ckam/model.h>

const char *const ckam_parameters[] = {"mu", "tau >= 0", NULL};

double log_density(const double *x) { return -0.5 * x[0] * x[0]; }
