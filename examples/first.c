/* first.c - sample your own density, here a curved one in two dimensions: 4 chains from random starts. */
#include <ckam.h>
#include <stdio.h>

static int log_density(void *context, const double *x, double *value) {
    (void)context;
    double bend = x[1] - 0.5 * x[0] * x[0];
    *value = -0.5 * (x[0] * x[0] + bend * bend);
    return CKAM_OK;
}

int main(void) {
    enum { CHAINS = 4, DRAWS = 20000 };
    static double x[CHAINS * DRAWS][2], sum;
    ckam_target   target = {.dim = 2, .log_density = log_density};
    ckam_error    error;
    if (ckam_sample(&target, "gam", NULL, 1, CHAINS, DRAWS, x[0], &error)) return puts(error.message), 1;
    for (int i = 0; i < CHAINS * DRAWS; i++) sum += x[i][1];
    printf("mean of the second coordinate: %.2f (exact: 0.5)\n", sum / (CHAINS * DRAWS));
    return 0;
}
