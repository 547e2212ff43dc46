/* test_geweke.c - Geweke's joint-distribution test (2004) of samplers whose adaptation is frozen.
 *
 * Chains go from (theta, y) to theta' by steps of the sampler given y, then to y' given theta' exactly. They must keep the
 * joint law: moments of both are compared with those of independent pairs, theta from the prior and y given theta. Within
 * 5.5 standard errors, Student's t with 499 degrees of freedom at worst, 6e-8: 4 samplers by 6 moments, false alarms 1.5e-6. */
#include "frozen.h"
#include "simulated.h"
#include "support.h"

#include "jump/jump.h"

#include <string.h>

enum { CHAINS = 500, TURNS = 400, STEPS = 2, PAIRS = 400000, MOMENTS = 6 };
#define LIMIT 5.5
#define APART 1.5

static void moments(double theta, double y, double *out) {
    const double all[MOMENTS] = {theta, square(theta), y, square(y), theta * y, theta > 0.0 ? 1.0 : 0.0};
    memcpy(out, all, sizeof all);
}

/* Mean and squared standard error of numbers that are independent. */
typedef struct estimate {
    double count, mean, scatter;
} estimate;

static void add(estimate *e, double value) {
    double off = value - e->mean;
    e->count += 1.0;
    e->mean += off / e->count;
    e->scatter += off * (value - e->mean);
}

static double squared_error(const estimate *e) { return e->scatter / (e->count - 1.0) / e->count; }

/* The marginal-conditional simulator: independent pairs. */
static void simulate_pairs(estimate *out) {
    simulated s = {.factor = 1.0, .apart = APART};
    double    theta, each[MOMENTS];
    rng       r;
    rng_init(&r, 31, 0);
    rng_at(&r, 0, RNG_EXACT);
    for (int i = 0; i < PAIRS; i++) {
        fold_prior(&s, &r, &theta);
        fold_data(&s, &r, &theta);
        moments(theta, s.y[0], each);
        for (int k = 0; k < MOMENTS; k++) add(&out[k], each[k]);
    }
}

/* The successive-conditional simulator: the means of a chain are one number each, so what is compared is independent. It
 * starts from a pair, so it has nothing to forget. */
static void simulate_chains(frozen *f, simulated *s, bool hastings, estimate *out) {
    double theta, each[MOMENTS];
    rng    exact, steps;
    rng_init(&steps, 32, 0);
    for (uint64_t c = 0; c < CHAINS; c++) {
        double mean[MOMENTS] = {0};
        rng_init(&exact, 33, c);
        rng_at(&exact, 0, RNG_EXACT);
        fold_prior(s, &exact, &theta);
        for (uint64_t t = 0; t < TURNS; t++) {
            fold_data(s, &exact, &theta);
            for (uint64_t k = 0; k < STEPS; k++) {
                frozen_put(f, &theta);
                frozen_step(f, &steps, (c * TURNS + t) * STEPS + k, hastings);
                theta = now_x(f->state)[0];
            }
            moments(theta, s->y[0], each); /* theta' with the y it was drawn given: of the joint law, too */
            for (int k = 0; k < MOMENTS; k++) mean[k] += each[k] / TURNS;
        }
        for (int k = 0; k < MOMENTS; k++) add(&out[k], mean[k]);
    }
}

/* The largest deviation of a moment in standard errors. `factor` multiplies the variance of the prior in the density. */
static double deviation(const char *spec, uint64_t iterations, double factor, bool hastings) {
    simulated   s = {.factor = factor, .apart = APART, .y = {1.2}};
    ckam_target target = {.dim = 1, .log_density = fold_log_density, .context = &s};
    estimate    pairs[MOMENTS] = {{0}}, chains[MOMENTS] = {{0}};
    double      start = 1.0, worst = 0.0;
    frozen      f = frozen_on(&target, &start, spec, iterations);
    if (f.jump)
        for (int k = 0; k < MOVES; k++) ((jump_state *)f.state)->plan.share[k] = 1.0 / MOVES;
    simulate_pairs(pairs);
    simulate_chains(&f, &s, hastings, chains);
    for (int k = 0; k < MOMENTS; k++) {
        double error = sqrt(squared_error(&pairs[k]) + squared_error(&chains[k]));
        double off = fabs(pairs[k].mean - chains[k].mean) / error;
        if (!(off <= worst)) worst = off; /* NaN, too */
    }
    frozen_free(&f);
    return worst;
}

#define KAM "kam:kernel=gaussian,kernel-scale=1,step-size=3,noise=0.3,adapt-gain=0"

static void samplers_keep_the_joint_law(void **unused) {
    (void)unused;
    assert_less(deviation("rw:step-size=1.5", 10, 1.0, true), LIMIT);
    assert_less(deviation("gam", 2000, 1.0, true), LIMIT);
    assert_less(deviation(KAM, 500, 1.0, true), LIMIT);
    assert_less(deviation("jump", 8000, 1.0, true), LIMIT);
}

static void a_prior_twice_as_wide_is_noticed(void **unused) {
    (void)unused;
    assert_less(LIMIT, deviation("rw:step-size=1.5", 10, 2.0, true));
    assert_less(LIMIT, deviation("jump", 8000, 2.0, true));
}

static void a_ratio_that_is_left_out_is_noticed(void **unused) {
    (void)unused;
    assert_less(LIMIT, deviation(KAM, 500, 1.0, false));
    assert_less(LIMIT, deviation("jump", 8000, 1.0, false));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(samplers_keep_the_joint_law),
                                       cmocka_unit_test(a_prior_twice_as_wide_is_noticed),
                                       cmocka_unit_test(a_ratio_that_is_left_out_is_noticed)};
    return cmocka_run_group_tests_name("geweke", tests, NULL, NULL);
}
