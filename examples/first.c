/* first.c - sample your own density: a curved one in two dimensions, 4 chains from random starts. */
#include <ckam.h>
#include <stdio.h>

static int log_density(void *context, const double *x, double *value) {
    (void)context;
    double bend = x[1] - x[0] * x[0];
    *value = -0.5 * (x[0] * x[0] + 4.0 * bend * bend);
    return CKAM_OK;
}

int main(void) {
    static double draws[4][10000][2];
    ckam_target   target = {.dim = 2, .log_density = log_density};
    ckam_error    error;
    if (ckam_sample(&target, "ckam", NULL, 1, 4, 10000, &draws[0][0][0], &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    double mean[2] = {0.0, 0.0};
    for (int i = 0; i < 40000; i++)
        for (int k = 0; k < 2; k++) mean[k] += (&draws[0][0][0])[2 * i + k] / 40000.0;
    printf("mean %.2f %.2f (exact: 0 and 1)\n", mean[0], mean[1]);
    return 0;
}
