/* client.c - a user's program: draws from a normal density and looks at the mean. Built by run.sh against an
 * installed ckam. */
#include <ckam.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIM = 2, CHAINS = 2, DRAWS = 5000, WIDE = 40 };

static int log_density(void *context, const double *x, double *value) {
    const double *centre = context;
    *value = 0.0;
    for (int k = 0; k < DIM; k++) *value -= 0.5 * (x[k] - centre[k]) * (x[k] - centre[k]);
    return CKAM_OK;
}

/* Large enough for matrices in blocks. */
static int wide_density(void *context, const double *x, double *value) {
    (void)context;
    *value = 0.0;
    for (int k = 0; k < WIDE; k++) *value -= 0.5 * x[k] * x[k];
    return CKAM_OK;
}

int main(void) {
    static double     draws[CHAINS * DRAWS * DIM];
    double            centre[DIM] = {1.0, -1.0}, mean = 0.0;
    const ckam_target target = {.dim = DIM, .log_density = log_density, .context = centre};
    const ckam_target wide = {.dim = WIDE, .log_density = wide_density};
    ckam_error        error;

    if (strcmp(ckam_version(), CKAM_VERSION) != 0) {
        fprintf(stderr, "header %s, library %s\n", CKAM_VERSION, ckam_version());
        return 1;
    }
    if (ckam_sample(&wide, "kam", NULL, 1, 1, 100, draws, &error) != CKAM_OK ||
        ckam_sample(&target, "rw", NULL, 1, CHAINS, DRAWS, draws, &error) != CKAM_OK) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    for (size_t i = 0; i < CHAINS * DRAWS; i++) mean += draws[i * DIM] / (CHAINS * DRAWS);
    /* With an autocorrelation time below 20 the standard error is below 0.05: 0.4 is eight of them. */
    return fabs(mean - centre[0]) < 0.4 ? 0 : 1;
}
