/* test_calibration.c - simulation-based calibration (Talts and others 2018): theta from the prior, data from theta, draws of
 * the posterior; then the rank of theta among the draws is uniform. 200 replications, with CKAM_SOAK set 1000.
 *
 * False alarms: 32 chi-square p-values below 1e-7; counted exactly, 200 ranks in 10 bins go there with 2.4e-7, 7.7e-6 in all.
 * Draws are taken for independent; thinned ones nearly are: nearly_independent() has what that is worth. */
#include "frozen.h"
#include "simulated.h"
#include "support.h"

#include "jump/jump.h"

#include <stdlib.h>
#include <string.h>

enum { DRAWS = 99, BINS = 10, SHORT = 200, LONG = 1000, QUANTITIES = 6 };
static const double limit = 1e-7;

typedef struct model {
    size_t            dim, quantities; /* what is ranked: the parameters, and functions of them */
    ckam_log_density *log_density;
    void (*prior)(const simulated *, rng *, double *);
    void (*data)(simulated *, rng *, const double *);
    double (*more)(const simulated *, const double *, size_t);
    double apart;
} model;

static double line_more(const simulated *s, const double *theta, size_t k) {
    simulated copy = *s; /* a context is not const */
    double    value;
    line_log_density(&copy, theta, &value);
    return k == 0 ? line_length(theta) : value;
}

/* How far it is from the centre that its sign stands for. */
static double fold_more(const simulated *s, const double *theta, size_t k) {
    (void)k;
    return fabs(theta[0]) - s->apart;
}

#define FOLD 1, 2, fold_log_density, fold_prior, fold_data, fold_more
static const model line = {SIMULATED_MOST, SIMULATED_MOST + 2, line_log_density, line_prior, line_data, line_more, 0.0};
static const model near_fold = {FOLD, 1.5}, far_fold = {FOLD, 4.0}, lost_fold = {FOLD, 16.0};

/* DRAWS draws of the posterior, thinned, into `out`. */
typedef void drawer(const ckam_target *target, const char *spec, size_t thin, uint64_t seed, double *out);

static void draw(const ckam_target *target, const char *spec, size_t thin, uint64_t seed, double *out) {
    size_t     size = target->dim * sizeof *out;
    double    *all = malloc(DRAWS * thin * size);
    ckam_error error = {0};
    assert_non_null(all);
    if (ckam_sample(target, spec, NULL, seed, 1, DRAWS * thin, all, &error)) fail_msg("%s", error.message);
    for (size_t i = 0; i < DRAWS; i++) memcpy(out + i * target->dim, all + (i * thin + thin - 1) * target->dim, size);
    free(all);
}

/* jump with its memory held fast, all moves alike; with and without the ratio. */
static void draw_frozen(const ckam_target *target, const char *spec, size_t thin, uint64_t seed, double *out,
                        bool hastings) {
    double start[SIMULATED_MOST] = {0.5, 0.5, 0.5, 0.5};
    frozen f = frozen_on(target, start, spec, 6000);
    rng    r;
    rng_init(&r, seed, 0);
    for (int k = 0; k < MOVES; k++) ((jump_state *)f.state)->plan.share[k] = 1.0 / MOVES;
    frozen_put(&f, start);
    for (uint64_t i = 0; i < (DRAWS + 1) * thin; i++) {
        frozen_step(&f, &r, i, hastings);
        if (!hastings) frozen_put(&f, memcpy(start, now_x(f.state), target->dim * sizeof *start));
        if (i >= thin && i % thin == 0)
            memcpy(out + (i / thin - 1) * target->dim, now_x(f.state), target->dim * sizeof *out);
    }
    frozen_free(&f);
}

static void draw_held(const ckam_target *target, const char *spec, size_t thin, uint64_t seed, double *out) {
    draw_frozen(target, spec, thin, seed, out, true);
}

static void draw_without_ratio(const ckam_target *target, const char *spec, size_t thin, uint64_t seed, double *out) {
    draw_frozen(target, spec, thin, seed, out, false);
}

typedef struct outcome {
    double least; /* p-value, over what is ranked */
    double lag;   /* the largest mean autocorrelation of neighbours among the thinned draws */
} outcome;

static double quantity(const model *m, const simulated *s, const double *theta, size_t q) {
    return q < m->dim ? theta[q] : m->more(s, theta, q - m->dim);
}

/* The autocorrelation of neighbours. */
static double neighbours(const double *value) {
    double mean = 0.0, all = 0.0, pairs = 0.0;
    for (size_t i = 0; i < DRAWS; i++) mean += value[i] / DRAWS;
    for (size_t i = 0; i < DRAWS; i++) all += square(value[i] - mean);
    for (size_t i = 1; i < DRAWS; i++) pairs += (value[i] - mean) * (value[i - 1] - mean);
    return all > 0.0 ? pairs / all : 1.0;
}

static outcome calibrate(const model *m, const char *spec, size_t thin, double factor, drawer *drawn) {
    size_t  replications = getenv("CKAM_SOAK") ? LONG : SHORT;
    double  count[QUANTITIES][BINS] = {{0}}, lag[QUANTITIES] = {0}, theta[SIMULATED_MOST], value[DRAWS];
    double  draws[DRAWS * SIMULATED_MOST], expected = (double)replications / BINS;
    outcome o = {.least = 1.0};
    for (uint64_t n = 0; n < replications; n++) {
        simulated   s = {.factor = factor, .apart = m->apart};
        ckam_target target = {.dim = m->dim, .log_density = m->log_density, .context = &s};
        rng         r;
        rng_init(&r, 2026, n);
        rng_at(&r, 0, RNG_EXACT);
        m->prior(&s, &r, theta);
        m->data(&s, &r, theta);
        drawn(&target, spec, thin, n + 1, draws);
        for (size_t q = 0; q < m->quantities; q++) {
            double truth = quantity(m, &s, theta, q);
            size_t rank = 0;
            for (size_t i = 0; i < DRAWS; i++) {
                value[i] = quantity(m, &s, draws + i * m->dim, q);
                rank += value[i] < truth;
            }
            count[q][rank * BINS / (DRAWS + 1)] += 1.0;
            lag[q] += neighbours(value) / (double)replications;
        }
    }
    for (size_t q = 0; q < m->quantities; q++) {
        double statistic = 0.0;
        for (size_t b = 0; b < BINS; b++) statistic += square(count[q][b] - expected) / expected;
        o.least = fmin(o.least, chi_square_tail(statistic, BINS - 1));
        o.lag = fmax(o.lag, lag[q]);
    }
    return o;
}

/* The rank is uniform if the truth and the draws are exchangeable, which draws that depend on each other are not quite: N draws
 * that are worth M widen the variance of the rank, 1/12 of (N+1)^2, by (1/M - 1/N)/6. With an autocorrelation c of
 * neighbours M is about N (1 - c) / (1 + c); c = 0.1 is 0.4 %, which 1000 replications do not see (4.5 % is a standard error). */
static void nearly_independent(const outcome *o) { assert_less(o->lag, 0.1); }

static void right(const model *m, const char *spec, size_t thin, drawer *drawn) {
    outcome o = calibrate(m, spec, thin, 1.0, drawn);
    if (!(o.least > limit)) print_error("%s:\n", spec);
    assert_less(limit, o.least);
    nearly_independent(&o);
}

/* One draw a cycle of ckam, as steps become short in each: neighbours within a cycle resemble each other. */
#define GAM  "gam:warmup=2000"
#define CKAM "ckam:covariance=global,cycle-length=300,warmup=1800"
#define JUMP "jump:warmup=3000"
enum { THIN_GAM = 60, THIN_CKAM = 180, THIN_JUMP = 15 };

static void gam_is_calibrated(void **unused) {
    (void)unused;
    right(&line, GAM, THIN_GAM, draw);
    right(&near_fold, GAM, THIN_GAM, draw);
}

static void ckam_is_calibrated(void **unused) {
    (void)unused;
    right(&line, CKAM, THIN_CKAM, draw);
    right(&near_fold, CKAM, THIN_CKAM, draw);
}

static void jump_is_calibrated(void **unused) {
    (void)unused;
    right(&line, JUMP, THIN_JUMP, draw);
    right(&near_fold, JUMP, THIN_JUMP, draw);
    right(&far_fold, JUMP, THIN_JUMP, draw);
}

/* -- Twins: what must be noticed ---------------------------------------------------------------------------------- */

static void a_prior_twice_as_wide_is_noticed(void **unused) {
    (void)unused;
    assert_less(calibrate(&line, GAM, THIN_GAM, 2.0, draw).least, limit);
    assert_less(calibrate(&line, JUMP, THIN_JUMP, 2.0, draw).least, limit);
}

/* Modes 60 standard deviations apart: gam stays where it began. */
static void a_mode_that_is_missed_is_noticed(void **unused) {
    (void)unused;
    assert_less(calibrate(&lost_fold, GAM, THIN_GAM, 1.0, draw).least, limit);
}

static void jump_without_its_ratio_is_noticed(void **unused) {
    (void)unused;
    right(&line, JUMP, THIN_JUMP, draw_held);
    assert_less(calibrate(&line, JUMP, THIN_JUMP, 1.0, draw_without_ratio).least, limit);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gam_is_calibrated),
                                       cmocka_unit_test(ckam_is_calibrated),
                                       cmocka_unit_test(jump_is_calibrated),
                                       cmocka_unit_test(a_prior_twice_as_wide_is_noticed),
                                       cmocka_unit_test(a_mode_that_is_missed_is_noticed),
                                       cmocka_unit_test(jump_without_its_ratio_is_noticed)};
    return cmocka_run_group_tests_name("calibration", tests, NULL, NULL);
}
