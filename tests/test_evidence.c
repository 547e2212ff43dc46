/* test_evidence.c - log Z of densities whose integral is known, its standard error, and when it is not to be trusted.
 *
 * The built-in models are normalised: log Z = 0. */
#include "made_draws.h"

static ckam_evidence evidence_of(const made *m, const ckam_target *target, uint64_t seed) {
    ckam_evidence e;
    ckam_error    error = {.message = ""};
    ckam_draws   *draws = made_draws(m);
    if (ckam_evidence_estimate(draws, target, seed, &e, &error)) fail_msg("%s", error.message);
    ckam_draws_free(draws);
    size_t length = strnlen(e.warning, sizeof e.warning);
    assert_true(e.trusted == (length == 0) && length + 1 < sizeof e.warning);
    assert_true(e.trusted || e.warning[length - 1] == '.');
    return e;
}

static ckam_evidence evidence_of_model(const made *m, const char *spec, uint64_t seed) {
    ckam_model   *model = model_of(spec);
    ckam_evidence e = evidence_of(m, ckam_model_target(model), seed);
    ckam_model_free(model);
    return e;
}

/* That an estimate is trusted is a rule of the product: halves that differ by less than 4 standard errors, which 6e-5 of the
 * right ones do not. One of 16 may be doubted; two by chance, 5e-7. Not counted is what the review says of the draws: so few have an
 * R-hat above 1.01 now and then, or an ESS below 100 a chain. */
static int doubted;

/* Within 5.5 standard errors of `truth`: false alarms 4e-8. */
static void assert_right(const char *what, const ckam_evidence *e, double truth) {
    double error = fabs(e->log_z - truth);
    doubted += !e->trusted && !e->doubted;
    if (doubted < 2 && error < 5.5 * e->se && e->se > 0.0 && e->overlap > 0.0 && e->overlap <= 1.0 + 1e-12) return;
    fail_msg("%s: log Z is %g +- %g, not %g; overlap %g; %s", what, e->log_z, e->se, truth, e->overlap, e->warning);
}

/* -- The truth ---------------------------------------------------------------------------------------------------- */

/* About 10 estimates: a false alarm in 1500. The sets of 125 draws are small enough to show a q that has seen the draws
 * it is bridged with: at dim = 8 it would be off by 0.1. */
static void exact_draws_of_models(void **state) {
    static const struct {
        const char *spec;
        size_t      chains, rows;
        double      hold, most;
    } cases[] = {{"gaussian:dim=2", 4, 500, 0.0, 0.05}, {"gaussian:dim=8", 4, 500, 0.5, 0.05},
                 {"gaussian:dim=8", 4, 125, 0.0, 0.05}, {"gaussian:dim=32,condition=1000", 4, 500, 0.0, 1.0},
                 {"bimodal:dim=2", 4, 500, 0.5, 0.05},  {"bimodal:dim=8", 1, 2000, 0.0, 0.05},
                 {"bimodal:dim=32", 4, 1000, 0.0, 1.0}, {"ring", 4, 500, 0.0, 0.05},
                 {"banana:dim=4", 4, 500, 0.0, 0.05},   {"gaussian:dim=1", 2, 10500, 0.0, 0.05}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made          m = made_model(cases[i].spec, cases[i].chains, cases[i].rows, cases[i].hold, 1);
        ckam_evidence e = evidence_of_model(&m, cases[i].spec, 1);
        assert_right(cases[i].spec, &e, 0.0);
        assert_less(fabs(e.log_z), cases[i].most);
        assert_in_range(e.evaluations, m.chains * m.rows > 20000 ? 9000 : m.chains * m.rows * 9 / 10, 20000);
        if (!strncmp(cases[i].spec, "bimodal", 7)) assert_int_equal(e.components, 2);
        made_free(&m);
    }
}

/* What is evaluated, made from another target of 3 dimensions: x in other units, and a factor. */
typedef struct changed {
    const ckam_target *inner;
    double             unit[3], constant;
} changed;

static int changed_density(void *context, const double *x, double *value) {
    const changed *c = context;
    const double   point[3] = {x[0] / c->unit[0], x[1] / c->unit[1], x[2] / c->unit[2]};
    int            status = c->inner->log_density(c->inner->context, point, value);
    *value += c->constant - log(c->unit[0]) - log(c->unit[1]) - log(c->unit[2]);
    return status;
}

/* A constant is added to log Z, and units do not matter; but for rounding, which a large constant makes larger. */
static void constants_and_units(void **state) {
    static const double units[2][3] = {{1.0, 1.0, 1.0}, {1e-6, 1e6, 3.0}}, constants[] = {0.0, 1000.0, -1e7};
    (void)state;
    ckam_model   *model = model_of("bimodal:dim=3");
    made          m = made_model("bimodal:dim=3", 2, 500, 0.5, 1);
    ckam_evidence plain = evidence_of(&m, ckam_model_target(model), 1);
    for (int i = 0; i < 6; i++) {
        const double *unit = units[i % 2];
        changed       c = {
                  .inner = ckam_model_target(model), .unit = {unit[0], unit[1], unit[2]}, .constant = constants[i / 2]};
        ckam_target target = {.dim = 3, .log_density = changed_density, .context = &c};
        made        other = made_model("bimodal:dim=3", 2, 500, 0.5, 1);
        for (size_t row = 0; row < 1000; row++) {
            for (size_t k = 0; k < 3; k++) made_at(&other, row)[k] *= unit[k];
            changed_density(&c, made_at(&other, row), other.log_density + row);
        }
        ckam_evidence e = evidence_of(&other, &target, 1);
        assert_close(e.log_z - c.constant, plain.log_z, 1e-7);
        assert_close(e.se, plain.se, 1e-7);
        made_free(&other);
    }
    made_free(&m);
    ckam_model_free(model);
}

/* 25 Gaussians on a grid: spacing 10, sd 1. */
static int grid_density(void *context, const double *x, double *value) {
    (void)context;
    *value = -log(2.0 * 3.14159265358979323846);
    for (int k = 0; k < 2; k++) {
        double sum = 0.0;
        for (int j = -2; j <= 2; j++) sum += 0.2 * exp(-0.5 * (x[k] - 10.0 * j) * (x[k] - 10.0 * j));
        *value += log(sum);
    }
    return CKAM_OK;
}

static void a_grid_of_gaussians(void **state) {
    const ckam_target target = {.dim = 2, .log_density = grid_density};
    (void)state;
    made m = made_room(4, 1000, 2, 1);
    m.log_density = calloc(4000, sizeof *m.log_density);
    for (size_t i = 0; i < 4000; i++)
        for (int k = 0; k < 2; k++)
            made_at(&m, i)[k] = rng_normal(&m.random) + 10.0 * ((double)rng_below(&m.random, 5) - 2.0);
    for (size_t i = 0; i < 4000; i++) grid_density(NULL, made_at(&m, i), m.log_density + i);
    ckam_evidence e = evidence_of(&m, &target, 1);
    assert_right("25 gaussians", &e, 0.0);
    assert_less(fabs(e.log_z), 0.05);
    assert_true(e.components >= 23 && e.components <= 25); /* two near ones may be one */
    made_free(&m);
}

/* exp(-x - y) where both are positive, 0 elsewhere: q goes where there is nothing. */
static int corner_density(void *context, const double *x, double *value) {
    (void)context;
    *value = -x[0] - x[1];
    return x[0] > 0.0 && x[1] > 0.0 ? CKAM_OK : CKAM_REJECT;
}

/* Without lp__ the target is evaluated at every draw, and gives the same. */
static void a_density_with_an_edge_and_draws_without_densities(void **state) {
    const ckam_target target = {.dim = 2, .log_density = corner_density};
    (void)state;
    made m = made_room(4, 200, 2, 2);
    m.log_density = calloc(800, sizeof *m.log_density);
    for (size_t i = 0; i < 800; i++) {
        for (int k = 0; k < 2; k++) made_at(&m, i)[k] = -log(rng_uniform(&m.random));
        corner_density(NULL, made_at(&m, i), m.log_density + i);
    }
    ckam_evidence with = evidence_of(&m, &target, 1);
    free(m.log_density);
    m.log_density = NULL;
    ckam_evidence without = evidence_of(&m, &target, 1);
    assert_right("corner", &with, 0.0);
    assert_close(without.log_z, with.log_z, 0.0);
    assert_close(without.se, with.se, 0.0);
    assert_int_equal(with.evaluations, 760 + 8);
    assert_int_equal(without.evaluations, 760 + 760);
    made_free(&m);
}

/* Correlated draws. Their log densities are not stored by ckam_sample(). */
static void draws_of_samplers(void **state) {
    static const struct {
        const char *spec, *sampler;
        size_t      chains, rows;
    } cases[] = {{"gaussian:dim=2", "gam", 4, 2000},
                 {"gaussian:dim=8", "gam:warmup=10000", 2, 5000},
                 {"bimodal:dim=2", "jump", 4, 5000},
                 {"gaussian:dim=8", "jump", 1, 4000}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made          m = made_chains(cases[i].spec, cases[i].sampler, cases[i].chains, cases[i].rows, 1);
        ckam_evidence e = evidence_of_model(&m, cases[i].spec, 1);
        assert_right(cases[i].sampler, &e, 0.0);
        assert_less(fabs(e.log_z), 0.05);
        made_free(&m);
    }
}

static void the_seed_decides(void **state) {
    (void)state;
    made          m = made_model("gaussian:dim=2", 2, 200, 0.0, 1);
    ckam_evidence a = evidence_of_model(&m, "gaussian:dim=2", 7), b = evidence_of_model(&m, "gaussian:dim=2", 7);
    ckam_evidence c = evidence_of_model(&m, "gaussian:dim=2", 8);
    assert_memory_equal(&a, &b, sizeof a);
    assert_true(a.log_z != c.log_z);
    made_free(&m);
}

/* -- The standard error ------------------------------------------------------------------------------------------- */

/* The rows of each half in another order: what they say is the same, but not that they follow each other. */
static void shuffle(made *m) {
    size_t length = m->rows * 45 / 100;
    for (size_t part = 0; part < 2 * m->chains; part++) {
        size_t first = part / 2 * m->rows + (part % 2 ? m->rows - length : 0);
        for (size_t i = length - 1; i > 0; i--) {
            double *a = made_at(m, first + i), *b = made_at(m, first + rng_below(&m->random, i + 1));
            for (size_t k = 0; k < m->dim; k++) {
                double keep = a[k];
                a[k] = b[k];
                b[k] = keep;
            }
        }
    }
    free(m->log_density);
    m->log_density = NULL;
}

/* Draws of a standard normal in 2 dimensions, each keeping `keep` of the one before it; exact at keep = 0. */
static made made_walk(double keep, size_t draws, uint64_t seed) {
    made m = made_room(2, draws, 2, seed);
    for (size_t i = 0; i < 2 * draws; i++)
        for (size_t k = 0; k < 2; k++) {
            double z = rng_normal(&m.random);
            made_at(&m, i)[k] = i % draws ? keep * made_at(&m, i - 1)[k] + sqrt(1.0 - keep * keep) * z : z;
        }
    return m;
}

enum { SEEDS = 100 };

/* The mean square of log Z / se over seeds, of exact draws of a model, or of a walk, whose rows may be shuffled. */
static double standardised(const char *spec, size_t draws, double keep, bool shuffled) {
    double squares = 0.0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        made m = keep > 0.0 ? made_walk(keep, draws, seed) : made_model(spec, 2, draws, 0.0, seed);
        if (shuffled) shuffle(&m);
        ckam_evidence e = evidence_of_model(&m, spec, seed);
        squares += e.log_z * e.log_z / (e.se * e.se) / SEEDS;
        made_free(&m);
    }
    return squares;
}

/* For errors as large as said the mean square of 100 is above 2 with probability 1e-8 (chi-square, 100 degrees of freedom).
 * evidence.c takes errors that may be correlated for correlated: 0.67 is expected where they are not, and then it is below
 * 0.29 with probability 1e-7. The twin does not know that draws follow each other. */
static void errors_are_as_large_as_said(void **state) {
    (void)state;
    double independent = standardised("gaussian:dim=4", 120, 0.0, false);
    double misfit = standardised("mixture5", 150, 0.0, false);
    double correlated = standardised("gaussian:dim=2", 400, 0.85, false);
    double twin = standardised("gaussian:dim=2", 400, 0.85, true);
    assert_true(0.29 < independent && independent < 2.0);
    assert_true(0.29 < misfit && misfit < 2.0);
    assert_true(0.29 < correlated && correlated < 2.0);
    assert_less(2.0, twin);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(exact_draws_of_models),
                                       cmocka_unit_test(constants_and_units),
                                       cmocka_unit_test(a_grid_of_gaussians),
                                       cmocka_unit_test(a_density_with_an_edge_and_draws_without_densities),
                                       cmocka_unit_test(draws_of_samplers),
                                       cmocka_unit_test(the_seed_decides),
                                       cmocka_unit_test(errors_are_as_large_as_said)};
    return cmocka_run_group_tests_name("evidence", tests, NULL, NULL);
}
