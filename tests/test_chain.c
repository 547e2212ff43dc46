/* test_chain.c - one chain as its users see it: counted evaluations, ask and tell, seeds, units. */
#include "failure.h"

#include "ckam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIM = 3, STEPS = 3000 };

/* A correlated, curved density that counts its evaluations and lives in units of its own. */
typedef struct density {
    double   unit;
    uint64_t evaluations;
} density;

static int curved(void *context, const double *x, double *value) {
    density *d = context;
    double   a = x[0] / d->unit, b = x[1] / d->unit, c = x[2] / d->unit;
    d->evaluations++;
    *value = -0.5 * (a * a + 4.0 * (b - 0.5 * a * a) * (b - 0.5 * a * a) + 2.0 * (c - 0.7 * b) * (c - 0.7 * b));
    return CKAM_OK;
}

static ckam_chain *create(const ckam_target *target, const char *spec, const double *start, uint64_t seed,
                          uint64_t number) {
    ckam_options *options;
    ckam_chain   *chain;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_setup setup = {
        .target = target, .options = options, .start = start, .seed = seed, .chain = number, .horizon = STEPS};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    ckam_options_free(options);
    return chain;
}

/* Several cycles, a subsample on both sides of the dimension. */
static const char *const specs[] = {"rw",
                                    "am",
                                    "rbam",
                                    "gam",
                                    "kam:subsample=20",
                                    "kam:kernel=gaussian,subsample=2",
                                    "kam:kernel=linear,refresh-half-life=10",
                                    "ckam:cycle-length=200",
                                    "ckam:cycle-length=200,covariance=global",
                                    "ckam:cycle-length=100,transition=delayed-rejection",
                                    "jump",
                                    "ckam:cycle-length=300,step-size=2,noise=2,noise-end=0.5,kernel-scale=1"};
enum { SPECS = sizeof specs / sizeof *specs };

static void one_evaluation_an_iteration(void **unused) {
    (void)unused;
    for (int s = 0; s < SPECS; s++) {
        density     d = {.unit = 1.0};
        ckam_target target = {.dim = DIM, .log_density = curved, .context = &d};
        ckam_chain *chain = create(&target, specs[s], NULL, 1, 0);
        ckam_counts counts;
        uint64_t    draws = 0, accepted = 0;
        for (uint64_t i = 1; i <= STEPS; i++) {
            ckam_step step;
            double    again;
            assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
            assert_int_equal(d.evaluations, i);
            draws += step.draw;
            accepted += step.accepted;
            assert_true(step.accept >= 0.0 && step.accept <= 1.0);
            curved(&d, step.x, &again); /* the log density is that of the state */
            d.evaluations--;
            assert_true(again == step.log_density);
        }
        ckam_chain_counts(chain, &counts);
        assert_int_equal(counts.evaluations, STEPS);
        bool climbs = !strcmp(specs[s], "jump");                          /* it has a way to a mode, too */
        assert_in_range(STEPS - counts.iterations, 1, climbs ? 600 : 60); /* the start, and the search of the scale */
        assert_int_equal(counts.draws, draws);
        assert_int_equal(counts.accepted, accepted);
        assert_int_equal(counts.undefined, 0);
        ckam_chain_free(chain);
    }
}

/* The same as steps, though each point is asked twice. */
static void ask_and_tell_are_a_step(void **unused) {
    (void)unused;
    for (int s = 0; s < SPECS; s++) {
        density     d = {.unit = 1.0};
        ckam_target target = {.dim = DIM, .log_density = curved, .context = &d}, silent = {.dim = DIM};
        ckam_chain *stepped = create(&target, specs[s], NULL, 9, 2), *asked = create(&silent, specs[s], NULL, 9, 2);
        for (int i = 0; i < 500; i++) {
            ckam_step     a, b;
            const double *point, *again;
            double        value;
            assert_int_equal(ckam_chain_step(stepped, &a), CKAM_OK);
            assert_int_equal(ckam_chain_ask(asked, &point), CKAM_OK);
            assert_int_equal(ckam_chain_ask(asked, &again), CKAM_OK);
            assert_ptr_equal(point, again);
            curved(&d, point, &value);
            assert_int_equal(ckam_chain_tell(asked, value, &b), CKAM_OK);
            assert_memory_equal(a.x, b.x, DIM * sizeof *a.x);
            assert_int_equal(a.draw, b.draw);
        }
        ckam_chain_free(stepped);
        ckam_chain_free(asked);
    }
}

static void seeds_and_chains_differ(void **unused) {
    (void)unused;
    density     d = {.unit = 1.0};
    ckam_target target = {.dim = DIM, .log_density = curved, .context = &d};
    double      x[4][100][DIM];
    for (int i = 0; i < 4; i++) {
        ckam_chain *chain = create(&target, "gam", NULL, i == 1 ? 6 : 5, i == 2);
        ckam_step   step;
        for (int t = 0; t < 100; t++) {
            assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
            memcpy(x[i][t], step.x, sizeof x[i][t]);
        }
        ckam_chain_free(chain);
    }
    assert_memory_equal(x[0], x[3], sizeof x[0]);
    assert_memory_not_equal(x[0], x[1], sizeof x[0]);
    assert_memory_not_equal(x[0], x[2], sizeof x[0]);
}

/* The step that ends iteration i of the sampler; the search of the scale may take an evaluation more in other units. */
static ckam_step until(ckam_chain *chain, uint64_t i) {
    ckam_step   step;
    ckam_counts counts;
    do {
        assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
        ckam_chain_counts(chain, &counts);
    } while (counts.iterations < i);
    return step;
}

/* A density in other units gives the same chain, in those units: everything that has a unit is auto. The scale of the start is
 * found to 1e-10, and what differs by that grows along the chain: from 3e-12 after 100 iterations of kam to 3e-7 after 1000
 * (geometric means over chains, measured). */
static void chains_have_no_units(void **unused) {
    (void)unused;
    static const double units[] = {1e-4, 1e4, 7.3e-5};
    for (int s = 0; s + 1 < SPECS; s++)
        for (size_t u = 0; u < 3; u++) {
            density     one = {.unit = 1.0}, other = {.unit = units[u]};
            ckam_target target = {.dim = DIM, .log_density = curved, .context = &one};
            ckam_target stretched = {.dim = DIM, .log_density = curved, .context = &other};
            double      start[DIM] = {0.5, -0.3, 0.1}, far[DIM];
            for (int k = 0; k < DIM; k++) far[k] = start[k] * units[u];
            ckam_chain *a = create(&target, specs[s], start, 3, 0), *b = create(&stretched, specs[s], far, 3, 0);
            for (uint64_t i = 1; i <= 500; i++) {
                ckam_step x = until(a, i), y = until(b, i);
                for (int k = 0; k < DIM; k++) assert_close(y.x[k] / units[u], x.x[k], 1e-6);
            }
            ckam_chain_free(a);
            ckam_chain_free(b);
        }
}

/* A density that has no end: what ask refused cannot be told of. */
static void a_point_out_of_range_is_not_told(void **unused) {
    (void)unused;
    enum { MOST = 1000000 };
    ckam_target   silent = {.dim = 2};
    ckam_chain   *chain = create(&silent, "gam", NULL, 1, 0);
    ckam_step     step;
    const double *x;
    ckam_status   status = CKAM_OK;
    for (int i = 0; i < MOST && !(status = ckam_chain_ask(chain, &x)); i++)
        assert_int_equal(ckam_chain_tell(chain, *x, &step), CKAM_OK);
    assert_failure(status, CKAM_ERROR_RANGE, ckam_chain_error(chain), "coordinate ");
    assert_failure(ckam_chain_tell(chain, 1e308, &step), CKAM_ERROR_RANGE, ckam_chain_error(chain), "coordinate ");
    ckam_chain_free(chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_evaluation_an_iteration), cmocka_unit_test(ask_and_tell_are_a_step),
        cmocka_unit_test(seeds_and_chains_differ), cmocka_unit_test(chains_have_no_units),
        cmocka_unit_test(a_point_out_of_range_is_not_told)};
    return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
