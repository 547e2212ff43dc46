/* chatty.c - prints at each evaluation. */
#include <ckam/model.h>

#include <stdio.h>

const char *const ckam_parameters[] = {"x", NULL};

double log_density(const double *x) {
    printf("at %g\n", x[0]);
    return -0.5 * x[0] * x[0];
}
