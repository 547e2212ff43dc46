/* test_ckam.c - the cycle of cKAM: what restarts when, what is drawn, how the step size falls. */
#include "chain/chain.h"
#include "sampler/kernel_walk.h"
#include "support.h"

#include <math.h>
#include <string.h>

enum { LENGTH = 50, EXPLORE = 20, CYCLES = 6 };
#define SPEC "ckam:cycle-length=50,explore=0.4,warmup=0,subsample=10"

typedef struct run {
    ckam_model   *model;
    ckam_options *options;
    ckam_chain   *chain;
    kernel_walk  *walk;
} run;

/* A chain at the beginning of its first cycle. */
static run begin(const char *spec) {
    run       r;
    double    start[2] = {-8.0, 0.0};
    ckam_step step;
    assert_int_equal(ckam_model_create(&r.model, "bimodal", NULL), CKAM_OK);
    assert_int_equal(ckam_options_create(&r.options, spec, NULL), CKAM_OK);
    ckam_setup setup = {.target = ckam_model_target(r.model), .options = r.options, .start = start, .seed = 4};
    assert_int_equal(ckam_chain_create(&r.chain, &setup, NULL), CKAM_OK);
    do assert_int_equal(ckam_chain_step(r.chain, &step), CKAM_OK);
    while (r.chain->state->phase != CKAM_PHASE_SAMPLE);
    r.walk = (kernel_walk *)(void *)((char *)r.chain->state + r.chain->state->sampler);
    return r;
}

static void end(run *r) {
    ckam_chain_free(r->chain);
    ckam_options_free(r->options);
    ckam_model_free(r->model);
}

static ckam_step next(run *r) {
    ckam_step step;
    assert_int_equal(ckam_chain_step(r->chain, &step), CKAM_OK);
    return step;
}

/* History, nu, z and t are as at the start of the first cycle, but for where the chain is. */
static void assert_restarted(const run *r, double scale_start) {
    const kernel_walk *w = r->walk;
    const double      *row = block_at_const(w, w->rows), *x = block_at_const(w, w->now.x);
    assert_int_equal(w->t, 0);
    assert_int_equal(w->proposal.n, 0);
    assert_int_equal(w->history.count, 1);
    assert_int_equal(w->history.seen, 1);
    assert_memory_equal(row, x, 2 * sizeof *x);
    assert_true(w->scale == scale_start);
}

static void check_restarts(const char *spec) {
    run    r = begin(spec);
    double scale_start = r.walk->scale_start;
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        assert_restarted(&r, scale_start);
        for (uint64_t t = 0; t < LENGTH; t++) {
            assert_int_equal(r.walk->t, t);
            ckam_step step = next(&r);
            assert_int_equal(step.cycle, cycle);
            assert_int_equal(step.phase, t < EXPLORE ? CKAM_PHASE_EXPLORE : CKAM_PHASE_SAMPLE);
            assert_int_equal(step.draw, t >= EXPLORE);
            if (t < EXPLORE) assert_int_equal(r.walk->history.count, t + 2);
        }
    }
    end(&r);
}

static void everything_restarts_at_each_cycle(void **unused) {
    (void)unused;
    check_restarts(SPEC);
    check_restarts(SPEC ",step-size=3.3658,noise=4,noise-end=1,kernel-scale=2");
    check_restarts(SPEC ",transition=delayed-rejection");
}

/* z is drawn from the states of this cycle alone: each of its members is one of them. */
static void the_subsample_is_of_this_cycle(void **unused) {
    (void)unused;
    run    r = begin(SPEC);
    double seen[EXPLORE + 1][2];
    for (int t = 0; t < 2 * LENGTH; t++) next(&r);
    memcpy(seen[0], block_at(r.walk, r.walk->now.x), sizeof seen[0]);
    for (int t = 0; t < EXPLORE; t++) {
        memcpy(seen[t + 1], next(&r).x, sizeof seen[0]);
        const kernel_proposal *p = &r.walk->proposal;
        const double          *z = block_at_const(r.walk, p->z), *centre = block_at_const(r.walk, p->centre);
        assert_true(p->n >= 1 && p->n <= 10 && p->n <= (size_t)t + 1);
        for (size_t i = 0; i < p->n; i++) {
            bool found = false;
            for (int s = 0; s <= t; s++)
                found |= fabs(z[i] + centre[0] - seen[s][0]) + fabs(z[p->stride + i] + centre[1] - seen[s][1]) <
                         1e-12;
            assert_true(found);
        }
    }
    end(&r);
}

/* nu_t = nu_0 / 2 (cos(pi t / L) + 1), nu_0 = 2 nu_exp / (cos(beta pi) + 1), nu_exp after the last adaptation. */
static void the_step_size_falls_along_the_cosine(void **unused) {
    (void)unused;
    run          r = begin(SPEC ",step-size=2,noise=1,kernel-scale=2");
    const double pi = acos(-1.0);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        double nu_explored = 2.0;
        for (uint64_t t = 0; t < EXPLORE; t++) {
            ckam_step step = next(&r);
            assert_relative(step.step_size, nu_explored, 1e-12);
            nu_explored *= exp(pow(1.0 + (double)t, -0.75) * (step.accept - 0.234));
        }
        double nu0 = 2.0 * nu_explored / (cos(0.4 * pi) + 1.0);
        for (uint64_t t = EXPLORE; t < LENGTH; t++) {
            ckam_step step = next(&r);
            if (t == EXPLORE) assert_relative(step.step_size, nu_explored, 1e-12);
            assert_relative(step.step_size, nu0 / 2.0 * (cos(pi * (double)t / LENGTH) + 1.0), 1e-11);
        }
    }
    end(&r);
}

static void sigma_is_factored_once_a_cycle(void **unused) {
    (void)unused;
    run         r = begin(SPEC);
    ckam_counts counts;
    for (uint64_t i = 0; i < (uint64_t)CYCLES * LENGTH; i++) {
        next(&r);
        ckam_chain_counts(r.chain, &counts);
        assert_int_equal(counts.factorisations, (i + 1 + LENGTH - EXPLORE) / LENGTH);
    }
    end(&r);
}

/* Sigma's law while it samples is C = gamma^2 I + nu_exp^2 G G^T at the state of the transition, and does not change. */
static void sigma_stays_for_the_phase(void **unused) {
    (void)unused;
    run    r = begin(SPEC ",step-size=2,noise=1,kernel-scale=2");
    double factor[4];
    for (int t = 0; t < EXPLORE; t++) next(&r);
    const law *sigma = &r.walk->laws[LAW_SIGMA];
    assert_relative(sigma->gaussian.gamma, r.walk->gamma, 1e-15);
    assert_relative(sigma->gaussian.nu, r.walk->scale, 1e-15);
    for (int k = 0; k < 2; k++)
        assert_close(block_at_const(r.walk, sigma->place)[k] +
                         block_at_const(r.walk, r.walk->proposal.centre)[k],
                     now_x(&r.walk->now)[k], 1e-13);
    memcpy(factor, block_at_const(r.walk, sigma->factor), sizeof factor);
    for (int t = EXPLORE; t < LENGTH; t++) {
        next(&r);
        assert_memory_equal(factor, block_at_const(r.walk, sigma->factor), sizeof factor);
    }
    end(&r);
}

static void warmup_gives_no_draws(void **unused) {
    (void)unused;
    run         r = begin("ckam:cycle-length=50,explore=0.4,warmup=75");
    ckam_counts counts;
    for (int t = 0; t < 2 * LENGTH; t++) assert_int_equal(next(&r).draw, t >= 75);
    ckam_chain_counts(r.chain, &counts);
    assert_int_equal(counts.draws, 25);
    end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_restarts_at_each_cycle),
                                       cmocka_unit_test(the_subsample_is_of_this_cycle),
                                       cmocka_unit_test(the_step_size_falls_along_the_cosine),
                                       cmocka_unit_test(sigma_is_factored_once_a_cycle),
                                       cmocka_unit_test(sigma_stays_for_the_phase),
                                       cmocka_unit_test(warmup_gives_no_draws)};
    return cmocka_run_group_tests_name("ckam", tests, NULL, NULL);
}
