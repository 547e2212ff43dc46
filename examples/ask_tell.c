/* ask_tell.c - evaluate the density yourself: a chain asks for a point and is told its log density.
 *
 * So a density can be computed anywhere: on a graphics card, by another program, or for many chains in one batch, as
 * here. */
#include <ckam.h>
#include <stdio.h>

enum { CHAINS = 8, DIM = 3, STEPS = 20000 };

/* Stands for what evaluates many points in one go. */
static void log_densities(const double *const points[CHAINS], double values[CHAINS]) {
    for (int c = 0; c < CHAINS; c++) {
        values[c] = 0.0;
        for (int k = 0; k < DIM; k++) values[c] -= 0.5 * (k + 1) * points[c][k] * points[c][k];
    }
}

/* One step of all chains: every point out, one batch, every value back. */
static ckam_status step_all(ckam_chain *chains[CHAINS], ckam_step steps[CHAINS], ckam_error *error) {
    const double *points[CHAINS];
    double        values[CHAINS];
    ckam_status   status = CKAM_OK;
    int           c;
    for (c = 0; c < CHAINS && !status; c++) status = ckam_chain_ask(chains[c], &points[c]);
    if (!status) {
        log_densities(points, values);
        for (c = 0; c < CHAINS && !status; c++) status = ckam_chain_tell(chains[c], values[c], &steps[c]);
    }
    if (status) *error = *ckam_chain_error(chains[c - 1]);
    return status;
}

int main(void) {
    ckam_target   target = {.dim = DIM}; /* no function: it is only asked and told */
    ckam_options *options = NULL;
    ckam_chain   *chains[CHAINS] = {NULL};
    ckam_error    error;
    double        square = 0.0, count = 0.0;
    ckam_status   status = ckam_options_create(&options, "gam:warmup=2000", &error);
    for (unsigned c = 0; c < CHAINS && !status; c++) {
        ckam_setup setup = {.target = &target, .options = options, .seed = 42, .chain = c};
        status = ckam_chain_create(&chains[c], &setup, &error);
    }
    for (int t = 0; t < STEPS && !status; t++) {
        ckam_step steps[CHAINS];
        status = step_all(chains, steps, &error);
        for (int c = 0; c < CHAINS && !status; c++) {
            if (!steps[c].draw) continue;
            square += steps[c].x[2] * steps[c].x[2];
            count += 1.0;
        }
    }
    if (status)
        fprintf(stderr, "%s\n", error.message);
    else
        printf("variance of the last coordinate: %.3f (exact: 0.333)\n", square / count);
    for (int c = 0; c < CHAINS; c++) ckam_chain_free(chains[c]);
    ckam_options_free(options);
    return status != CKAM_OK;
}
