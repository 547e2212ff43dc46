/* test_ckam.c - the cycle of cKAM: what restarts when, what is proposed and drawn, how the step size falls. */
#include "support.h"

#include "driven.h"
#include "sampler/kam.h"
#include "textbook.h"

enum { DIM = 2, LENGTH = 50, EXPLORE = 20, CYCLES = 6 };
#define SPEC "ckam:cycle-length=50,explore=0.4,warmup=0,subsample=10"

typedef struct run {
    ckam_model  *model;
    driven       on;
    kernel_walk *walk;
} run;

/* A chain at the beginning of its first cycle. */
static run begin(const char *spec) {
    run    r;
    double start[DIM] = {-8.0, 0.0};
    assert_int_equal(ckam_model_create(&r.model, "bimodal", NULL), CKAM_OK);
    r.on = driven_begin(ckam_model_target(r.model), spec, start, 4, 0);
    r.walk = r.on.state;
    return r;
}

static void end(run *r) {
    driven_end(&r->on);
    ckam_model_free(r->model);
}

static ckam_step next(run *r) { return driven_step(&r->on).step; }

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
                found |= fabs(z[i] + centre[0] - seen[s][0]) + fabs(z[p->stride + i] + centre[1] - seen[s][1]) < 1e-12;
            assert_true(found);
        }
    }
    end(&r);
}

/* gamma_t = a (b+t)^-decay with the cycle as its horizon: from 4 at t = 0 it would be 1 at t = L. */
static void the_noise_falls_in_each_cycle(void **unused) {
    (void)unused;
    run          r = begin(SPEC ",noise=4,noise-end=1");
    const double rho = pow(0.25, 1.0 / 0.55), b = LENGTH * rho / (1.0 - rho), a = 4.0 * pow(b, 0.55);
    for (int cycle = 0; cycle < CYCLES; cycle++)
        for (int t = 0; t < LENGTH; t++) {
            next(&r);
            assert_relative(r.walk->gamma, a * pow(b + (t < EXPLORE ? t : EXPLORE - 1), -0.55), 1e-12);
        }
    end(&r);
}

/* What a walk knows of the density's length is the spread of the z before it; after a cycle without a move, which has
 * no spread, the length falls as nu did. */
static void lengths_pass_from_cycle_to_cycle(void **unused) {
    (void)unused;
    run    r = begin(SPEC);
    double length = r.walk->length, spread = 0.0, fall = 1.0;
    for (int cycle = 0; cycle < 2 * CYCLES; cycle++) {
        bool stuck = cycle % 2;
        for (int t = 0; t < LENGTH; t++) {
            iteration i = driven_ask(&r.on);
            if (stuck) i.log_y = -HUGE_VAL;
            spread = r.walk->proposal.distance / sqrt(2.0 * DIM);
            driven_tell(&r.on, &i);
            if (t < EXPLORE) fall = r.walk->scale / r.walk->scale_start;
        }
        assert_true(stuck ? spread == 0.0 && fall < 0.5 : spread > 0.0);
        length = stuck ? length * fall : spread;
        assert_relative(r.walk->length, length, 1e-14);
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

/* At the transition, and not in the phase that uses it. */
static void sigma_is_factored_once_a_cycle(void **unused) {
    (void)unused;
    static const char *const specs[] = {SPEC, SPEC ",covariance=global", SPEC ",transition=delayed-rejection"};
    for (size_t s = 0; s < sizeof specs / sizeof *specs; s++) {
        run         r = begin(specs[s]);
        ckam_counts counts;
        for (uint64_t i = 0; i < (uint64_t)CYCLES * LENGTH; i++) {
            next(&r);
            ckam_chain_counts(r.on.chain, &counts);
            assert_int_equal(counts.factorisations, (i + 1 + LENGTH - EXPLORE) / LENGTH);
            assert_int_equal(r.walk->proposals[PROPOSAL_SIGMA].factored, counts.factorisations);
        }
        end(&r);
    }
}

/* The covariance of the proposal while it samples is C = gamma^2 I + nu_exp^2 G G^T at the state of the transition, and does not
 * change. */
static void sigma_stays_for_the_phase(void **unused) {
    (void)unused;
    run    r = begin(SPEC ",step-size=2,noise=1,kernel-scale=2");
    double factor[4];
    for (int t = 0; t < EXPLORE; t++) next(&r);
    const proposal_at *sigma = &r.walk->proposals[PROPOSAL_SIGMA];
    assert_relative(sigma->gaussian.gamma, r.walk->gamma, 1e-15);
    assert_relative(sigma->gaussian.nu, r.walk->scale, 1e-15);
    for (int k = 0; k < 2; k++)
        assert_close(block_at_const(r.walk, sigma->place)[k] + block_at_const(r.walk, r.walk->proposal.centre)[k],
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
    ckam_chain_counts(r.on.chain, &counts);
    assert_int_equal(counts.draws, 25);
    end(&r);
}

/* -- Each step ---------------------------------------------------------------------------------------------------- */

/* The proposal is x + scale L n, L L^T = C, with the next normals of its stream. */
static void assert_proposal(iteration *i, const dense *c, double scale) {
    double normals[DIM], y[DIM];
    rng_normals(&i->numbers, DIM, normals);
    textbook_draw(c, scale, normals, i->x, y);
    for (size_t k = 0; k < DIM; k++) assert_close(i->y[k], y[k], 1e-10);
}

/* While it samples: y = x + (nu_t / nu_exp) L n with L L^T = C at the state of the transition, and plain Metropolis. */
static void check_sampling(const char *spec) {
    run          r = begin(spec);
    const double pi = acos(-1.0);
    for (int cycle = 0; cycle < CYCLES; cycle++) {
        for (int t = 0; t < EXPLORE; t++) next(&r);
        const dense sigma =
            textbook_kernel(&r.walk->proposal, r.walk, now_x(&r.walk->now), r.walk->gamma, kernel_walk_nu(r.walk));
        for (int t = EXPLORE; t < LENGTH; t++) {
            iteration i = driven_ask(&r.on);
            assert_proposal(&i, &sigma, (cos(pi * t / LENGTH) + 1.0) / (cos(pi * EXPLORE / LENGTH) + 1.0));
            driven_tell(&r.on, &i);
            check_decision(&i, DIM, 0.0, i.numbers);
        }
    }
    end(&r);
}

static void sampling_steps_are_as_written(void **unused) {
    (void)unused;
    check_sampling(SPEC);
    check_sampling(SPEC ",step-size=3.3658,noise=4,noise-end=1,kernel-scale=2");
}

/* The transition by delayed rejection: theta' from C(x), theta'' from Sigma around it, accepted with
 * pi(theta'') q(theta'|theta'') q_RW(x|theta') / (pi(x) q(theta'|x) q_RW(theta''|theta')). */
static double check_delayed(run *r) {
    const kernel_proposal *p = &r->walk->proposal;
    const double           gamma = r->walk->gamma, nu = kernel_walk_nu(r->walk);
    double                 normals[DIM], between[DIM], y[DIM];
    const dense            at_x = textbook_kernel(p, r->walk, now_x(&r->walk->now), gamma, nu), *sigma = &at_x;
    iteration              i = driven_ask(&r->on);
    const dense            at_y = textbook_kernel(p, r->walk, i.y, gamma, nu);
    rng_normals(&i.numbers, DIM, normals);
    textbook_draw(&at_x, 1.0, normals, i.x, between);
    rng_normals(&i.numbers, DIM, normals);
    textbook_draw(sigma, 1.0, normals, between, y);
    for (size_t k = 0; k < DIM; k++) assert_close(i.y[k], y[k], 1e-10);
    driven_tell(&r->on, &i);
    check_decision(&i, DIM,
                   textbook_log_density(&at_y, i.y, between) + textbook_log_density(sigma, between, i.x) -
                       textbook_log_density(&at_x, i.x, between) - textbook_log_density(sigma, between, i.y),
                   i.numbers);
    return i.step.accept;
}

static void delayed_rejection_is_as_written(void **unused) {
    (void)unused;
    run r = begin(SPEC ",transition=delayed-rejection");
    int telling = 0;
    for (int cycle = 0; cycle < 300; cycle++) {
        for (int t = 0; t < EXPLORE; t++) next(&r);
        double alpha = check_delayed(&r);
        telling += alpha > 0.01 && alpha < 0.99;
        for (int t = EXPLORE + 1; t < LENGTH; t++) next(&r);
    }
    assert_true(telling >= 20); /* where 1 or 0 would hide a wrong ratio */
    end(&r);
}

/* -- covariance = global ------------------------------------------------------------------------------------------ */

/* gamma^2 I + nu^2 S, S the sample covariance of `count` states: 0 for fewer than two. */
static dense sample_covariance(size_t count, double (*x)[DIM], double gamma, double nu) {
    dense       c = {.d = DIM};
    long double mean[DIM] = {0};
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < DIM; k++) mean[k] += (long double)x[i][k] / (long double)count;
    for (size_t k = 0; k < DIM; k++)
        for (size_t l = 0; l < DIM; l++) {
            for (size_t i = 0; count > 1 && i < count; i++)
                c.c[k * DIM + l] += product(nu, nu) * ((long double)x[i][k] - mean[k]) *
                                    ((long double)x[i][l] - mean[l]) / (long double)(count - 1);
            if (k == l) c.c[k * DIM + l] += product(gamma, gamma);
        }
    return c;
}

/* The shape at the start of each cycle is the covariance of all that was sampled before, and shapes its proposals. */
static void check_global(const char *spec, int length, int explore) {
    enum { ROOM = 1000 };
    static double drawn[ROOM][DIM];
    run           r = begin(spec);
    size_t        count = 0;
    while (count + (size_t)(length - explore) <= ROOM && r.walk->now.counts.iterations < 5000) {
        const double *shape = block_at_const(r.walk, r.walk->proposals[0].shape);
        const dense   all = sample_covariance(count, drawn, 0.0, 1.0);
        size_t        known = count;
        for (size_t k = 0; k < DIM; k++)
            for (size_t l = k; l < DIM; l++) assert_close(shape[k * DIM + l], (double)all.c[k * DIM + l], 1e-10);
        for (int t = 0; t < length; t++) {
            iteration i = driven_ask(&r.on);
            dense     c = sample_covariance(known, drawn, r.walk->gamma, r.walk->nu);
            if (t < explore) assert_proposal(&i, &c, 1.0);
            driven_tell(&r.on, &i);
            if (t < explore)
                check_decision(&i, DIM, 0.0, i.numbers);
            else
                memcpy(drawn[count++], i.step.x, sizeof drawn[0]);
        }
    }
    assert_true(count > 200);
    end(&r);
}

static void the_global_covariance_is_that_of_all_draws(void **unused) {
    (void)unused;
    check_global(SPEC ",covariance=global", LENGTH, EXPLORE);
    check_global("ckam:covariance=global,cycle-length=10,explore=0.9", 10, 9); /* one a cycle: none, one, two, ... */
    check_global(SPEC ",covariance=global,noise=1,step-size=2", LENGTH, EXPLORE);
}

/* -- Lengths ------------------------------------------------------------------------------------------------------ */

/* E = floor(beta L), although 0.29 * 100 and 0.57 * 100 are below 29 and 57 in binary. */
static void exploration_has_a_whole_number_of_iterations(void **unused) {
    (void)unused;
    static const struct {
        const char *spec;
        int         explore;
    } cases[] = {{"ckam:cycle-length=100,explore=0.29", 29},     {"ckam:cycle-length=100,explore=0.57", 57},
                 {"ckam:cycle-length=10000,explore=0.57", 5700}, {"ckam:cycle-length=100,explore=0.299", 29},
                 {"ckam:cycle-length=7,explore=0.5", 3},         {"ckam:cycle-length=3,explore=0.9999999", 2}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        run r = begin(cases[c].spec);
        int explored = 0;
        while (next(&r).phase == CKAM_PHASE_EXPLORE) explored++;
        assert_int_equal(explored, cases[c].explore);
        end(&r);
    }
}

static int tiny(void *context, const double *x, double *value) {
    (void)context;
    *value = -0.5e10 * (x[0] * x[0] + x[1] * x[1]);
    return CKAM_OK;
}

/* 150,000 standard deviations from the mode, where the length that is found is off by as much. */
static void a_start_far_out_is_recovered_from(void **unused) {
    (void)unused;
    enum { WHOLE = 1000, LONG = 400, WAIT = 20 };
    const ckam_target target = {.dim = DIM, .log_density = tiny};
    const double      start[DIM] = {1.5, 0.5};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        driven d = driven_begin(&target, "ckam", start, seed, 0);
        int    accepted = 0;
        for (int i = 0; i < 2 * WAIT * WHOLE; i++) {
            ckam_step step = driven_step(&d).step;
            accepted += i >= WAIT * WHOLE && step.phase == CKAM_PHASE_EXPLORE && step.accepted;
        }
        assert_less(0.1 * LONG * WAIT, accepted);
        driven_end(&d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(everything_restarts_at_each_cycle),
                                       cmocka_unit_test(the_subsample_is_of_this_cycle),
                                       cmocka_unit_test(the_noise_falls_in_each_cycle),
                                       cmocka_unit_test(lengths_pass_from_cycle_to_cycle),
                                       cmocka_unit_test(the_step_size_falls_along_the_cosine),
                                       cmocka_unit_test(sigma_is_factored_once_a_cycle),
                                       cmocka_unit_test(sigma_stays_for_the_phase),
                                       cmocka_unit_test(warmup_gives_no_draws),
                                       cmocka_unit_test(sampling_steps_are_as_written),
                                       cmocka_unit_test(delayed_rejection_is_as_written),
                                       cmocka_unit_test(the_global_covariance_is_that_of_all_draws),
                                       cmocka_unit_test(exploration_has_a_whole_number_of_iterations),
                                       cmocka_unit_test(a_start_far_out_is_recovered_from)};
    return cmocka_run_group_tests_name("ckam", tests, NULL, NULL);
}
