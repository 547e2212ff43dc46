/* ask_tell.c - evaluate the density yourself: the chain asks for a point and is told its log density.
 *
 * So a density can be computed anywhere: on a graphics card, by another program, in a batch of many chains at once as
 * here. */
#include <ckam.h>
#include <stdio.h>

enum { CHAINS = 8, DIM = 3, STEPS = 20000 };

/* Stands for what evaluates many points in one go. */
static void log_densities(size_t count, const double *const points[], double *values) {
    for (size_t i = 0; i < count; i++) {
        values[i] = 0.0;
        for (int k = 0; k < DIM; k++) values[i] -= 0.5 * (k + 1) * points[i][k] * points[i][k];
    }
}

int main(void) {
    ckam_target   target = {.dim = DIM}; /* no function: it is only asked and told */
    ckam_options *options;
    ckam_chain   *chains[CHAINS];
    ckam_error    error;
    double        sum = 0.0, square = 0.0, count = 0.0;
    if (ckam_options_create(&options, "gam:warmup=2000", &error)) goto failed;
    for (unsigned c = 0; c < CHAINS; c++) {
        ckam_setup setup = {.target = &target, .options = options, .seed = 42, .chain = c};
        if (ckam_chain_create(&chains[c], &setup, &error)) goto failed;
    }
    for (int t = 0; t < STEPS; t++) {
        const double *points[CHAINS];
        double        values[CHAINS];
        for (int c = 0; c < CHAINS; c++) ckam_chain_ask(chains[c], &points[c]);
        log_densities(CHAINS, points, values);
        for (int c = 0; c < CHAINS; c++) {
            ckam_step step;
            if (ckam_chain_tell(chains[c], values[c], &step)) {
                error = *ckam_chain_error(chains[c]);
                goto failed;
            }
            if (!step.draw) continue;
            sum += step.x[2];
            square += step.x[2] * step.x[2];
            count += 1.0;
        }
    }
    printf("last coordinate: mean %.3f (exact: 0), variance %.3f (exact: 0.333)\n", sum / count,
           square / count);
    for (int c = 0; c < CHAINS; c++) ckam_chain_free(chains[c]);
    ckam_options_free(options);
    return 0;
failed:
    fprintf(stderr, "%s\n", error.message);
    return 1;
}
