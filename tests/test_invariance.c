/* test_invariance.c - each sampler, its adaptation frozen, keeps exact draws of the target in law.
 *
 * 10,000 independent exact draws make STEPS steps each; then every coordinate, through the target's exact distribution
 * function, must be uniform (Kolmogorov-Smirnov). All comparisons share a false-alarm rate of 2e-6; seeds are fixed,
 * so a failure means a change. The same test must reject KAM without its Hastings ratio, and pass the identity. */
#include "frozen.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>

enum { DRAWS = 10000, STEPS = 5, STEPS_TWIN = 50, DIM_MOST = 8 };

/* Samplers in the state that an adaptive run leaves them in, after so many iterations; explicit sizes where the
 * proposals are to reach far and be asymmetric. ckam's cycles are 1000 long and explore for 400. */
#define WIDE "step-size=3,noise=1,kernel-scale=3"
static const struct {
    const char *spec;
    uint64_t    iterations;
} samplers[] = {{"rw", 10},
                {"rw:step-size=3.873", 10},
                {"am", 2000},
                {"rbam", 2000},
                {"gam", 2000},
                {"kam", 2000},
                {"kam:kernel=linear," WIDE, 500},
                {"kam:kernel=gaussian," WIDE, 500},
                {"kam:kernel=matern,kernel-order=2.5,subsample=30," WIDE, 500},
                {"kam:kernel=gaussian,subsample=4," WIDE, 500}, /* fewer than banana's dimensions: the dual side */
                {"ckam", 200},                                  /* explores */
                {"ckam", 1700},                                 /* samples  */
                {"ckam:covariance=global", 1200},
                {"ckam:transition=delayed-rejection,kernel=gaussian," WIDE, 400}, /* at the transition */
                {"ckam:transition=delayed-rejection,subsample=4," WIDE, 400}};
static const char *const models[] = {"bimodal", "mixture5", "banana"};
enum { SAMPLERS = sizeof samplers / sizeof *samplers, MODELS = 3, COORDINATES = 2 + 2 + 8 };

static const double alpha = 2e-6 / (SAMPLERS * COORDINATES);

/* The smallest p-value over the coordinates after `steps` steps of each draw. */
static double smallest_p(frozen *f, int steps, bool hastings) {
    size_t  dim = ckam_model_target(f->model)->dim;
    double *u = malloc(DRAWS * dim * sizeof *u), x[DIM_MOST], least = 1.0;
    rng     r;
    assert_non_null(u);
    rng_init(&r, 5, 0);
    for (uint64_t i = 0; i < DRAWS; i++) {
        ckam_model_draw(f->model, 17, i, x);
        frozen_put(f, x);
        for (uint64_t k = 0; k < (uint64_t)steps; k++) frozen_step(f, &r, i * STEPS_TWIN + k, hastings);
        for (size_t k = 0; k < dim; k++)
            u[k * DRAWS + i] = ckam_model_probability(f->model, k, -HUGE_VAL, now_x(f->state)[k]);
    }
    for (size_t k = 0; k < dim; k++) least = fmin(least, ks_uniform(DRAWS, u + k * DRAWS));
    free(u);
    return least;
}

static void every_sampler_keeps_every_target(void **unused) {
    (void)unused;
    for (int s = 0; s < SAMPLERS; s++)
        for (int m = 0; m < MODELS; m++) {
            frozen f = frozen_make(models[m], samplers[s].spec, samplers[s].iterations);
            double p = smallest_p(&f, STEPS, true);
            if (!(p > alpha)) print_error("%s on %s:\n", samplers[s].spec, models[m]);
            assert_less(alpha, p);
            frozen_free(&f);
        }
}

static void the_identity_passes(void **unused) {
    (void)unused;
    for (int m = 0; m < MODELS; m++) {
        frozen f = frozen_make(models[m], "rw", 1);
        assert_less(alpha, smallest_p(&f, 0, true));
        frozen_free(&f);
    }
}

/* More steps, so that the draws come near the wrong law, and proposals whose size changes within a mode. */
static void kam_without_its_hastings_ratio_is_rejected(void **unused) {
    (void)unused;
    static const char *const specs[MODELS] = {"kam:kernel=gaussian,kernel-scale=1,step-size=3,noise=0.2,adapt-gain=0",
                                              "kam:kernel=gaussian,kernel-scale=1,step-size=3,noise=0.2,adapt-gain=0",
                                              "kam:kernel=gaussian,kernel-scale=2,step-size=2,noise=0.5,adapt-gain=0"};
    for (int m = 0; m < MODELS; m++) {
        frozen f = frozen_make(models[m], specs[m], 500);
        assert_less(smallest_p(&f, STEPS_TWIN, false), alpha);
        assert_less(alpha, smallest_p(&f, STEPS_TWIN, true));
        frozen_free(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_sampler_keeps_every_target),
                                       cmocka_unit_test(the_identity_passes),
                                       cmocka_unit_test(kam_without_its_hastings_ratio_is_rejected)};
    return cmocka_run_group_tests_name("invariance", tests, NULL, NULL);
}
