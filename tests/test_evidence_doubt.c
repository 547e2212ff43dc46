/* test_evidence_doubt.c - the evidence where it cannot be given, or not be trusted; and the bridge by itself. */
#include "failure.h"
#include "made_draws.h"
#include "refusal.h"

#include "evidence/evidence.h"

/* -- The bridge --------------------------------------------------------------------------------------------------- */

/* pi = N(0, 1) times e^5, q = N(1, 1): l = log pi - log q = 5.5 - x. */
static bridge gaussians(size_t count, double *at_target, double *at_q, uint64_t seed) {
    rng r;
    rng_init(&r, seed, 0);
    for (size_t i = 0; i < count; i++) at_target[i] = 5.5 - rng_normal(&r);
    for (size_t i = 0; i < count; i++) at_q[i] = 5.5 - (1.0 + rng_normal(&r));
    return (bridge){.chains = 4, .rows = count / 4, .count = count, .at_target = at_target, .at_q = at_q};
}

/* Meng and Wong's iteration, as they have it, with a share s of the draws from pi. */
static double iterate(const bridge *b, double s) {
    double ratio = exp(5.0);
    for (int turn = 0; turn < 500; turn++) {
        double above = 0.0, below = 0.0;
        for (size_t i = 0; i < b->count; i++) {
            above += exp(b->at_q[i]) / (s * exp(b->at_q[i]) + (1.0 - s) * ratio);
            below += 1.0 / (s * exp(b->at_target[i]) + (1.0 - s) * ratio);
        }
        ratio = above / below;
    }
    return log(ratio);
}

/* The overlap, the integral of 2 pi q / (pi + q), by the trapezoid rule. With it the variance of the optimal bridge
 * between independent draws, n on each side, is 2 / n (1 / overlap - 1) (Meng and Wong 1996). The overlap has a
 * standard error of 0.003 here, the variance one of 2 %. */
static void the_bridge_is_the_optimal_one(void **state) {
    enum { COUNT = 20000 };
    double *values = calloc((size_t)2 * COUNT, sizeof *values), overlap = 0.0;
    (void)state;
    assert_non_null(values);
    for (int i = -900; i < 1000; i++) {
        double x = 0.01 * i, p = exp(-0.5 * x * x) / sqrt(2.0 * 3.14159265358979323846), q = p * exp(x - 0.5);
        overlap += 0.01 * 2.0 * p * q / (p + q);
    }
    bridge b = gaussians(COUNT, values, values + COUNT, 1);
    assert_int_equal(bridge_solve(&b, NULL), CKAM_OK);
    assert_close(b.log_z, iterate(&b, b.ess / (b.ess + COUNT)), 1e-7); /* its share is that of an ESS before the last */
    assert_less(fabs(b.log_z - 5.0), 5.0 * sqrt(b.target_variance + b.q_variance));
    assert_close(b.overlap, overlap, 0.015);
    assert_relative(b.target_variance + b.q_variance, 2.0 / COUNT * (1.0 / overlap - 1.0), 0.1);
    free(values);
}

/* The same distribution on both sides, and two that do not meet. */
static void the_ends_of_the_bridge(void **state) {
    double values[400];
    (void)state;
    for (size_t i = 0; i < 400; i++) values[i] = 1234.5;
    bridge b = {.chains = 2, .rows = 100, .count = 200, .at_target = values, .at_q = values + 200};
    assert_int_equal(bridge_solve(&b, NULL), CKAM_OK);
    assert_close(b.log_z, 1234.5, 1e-14);
    assert_close(b.overlap, 1.0, 1e-12);
    assert_close(b.target_variance + b.q_variance, 0.0, 1e-20);
    assert_close(b.ess, 200.0, 0.0);
    for (size_t i = 200; i < 400; i++) values[i] = -HUGE_VAL;
    assert_int_equal(bridge_solve(&b, NULL), CKAM_OK);
    assert_true(isnan(b.q_variance));
    assert_close(b.overlap, 0.0, 1e-100);
}

/* -- Warnings ----------------------------------------------------------------------------------------------------- */

static ckam_evidence evidence_of(const made *m, const char *spec) {
    ckam_model   *model = model_of(spec);
    ckam_draws   *draws = made_draws(m);
    ckam_evidence e;
    ckam_error    error = {.message = ""};
    if (ckam_evidence_estimate(draws, ckam_model_target(model), 1, &e, &error)) fail_msg("%s", error.message);
    ckam_draws_free(draws);
    ckam_model_free(model);
    return e;
}

static void assert_warned(const ckam_evidence *e, const char *what, const char *advice) {
    size_t length = strnlen(e->warning, sizeof e->warning);
    if (!e->trusted && length > 20 && length + 1 < sizeof e->warning && e->warning[length - 1] == '.' &&
        strstr(e->warning, what) && strstr(e->warning, advice))
        return;
    fail_msg("the warning is '%s'; '%s' and '%s' are expected", e->warning, what, advice);
}

/* Exact draws of bimodal, in each chain those of one side only. */
static void modes_between_which_no_chain_goes(void **state) {
    ckam_model *model = model_of("bimodal");
    uint64_t    index = 0;
    (void)state;
    made m = made_room(4, 200, 2, 1);
    for (size_t i = 0; i < 800; i++) do {
            ckam_model_draw(model, 1, index++, made_at(&m, i));
        } while ((made_at(&m, i)[0] > 0.0) != (i / 200 % 2 > 0));
    ckam_evidence e = evidence_of(&m, "bimodal");
    assert_warned(&e, "gather in 2 modes, and the chains went from one to another 0 times", "jump");
    made_free(&m);
    ckam_model_free(model);
}

static void chains_that_disagree(void **state) {
    (void)state;
    made m = made_model("gaussian:dim=2", 4, 300, 0.0, 1);
    free(m.log_density);
    m.log_density = NULL;
    for (size_t i = 300; i < 600; i++) made_at(&m, i)[1] = fabs(made_at(&m, i)[1]);
    ckam_evidence e = evidence_of(&m, "gaussian:dim=2");
    assert_warned(&e, "R-hat of x.2 is 1.", "Run longer");
    made_free(&m);
}

/* As many effective draws as draws: 95, and 450 in 100 dimensions. */
static void few_effective_draws(void **state) {
    (void)state;
    made          m = made_model("gaussian:dim=1", 1, 95, 0.0, 1);
    ckam_evidence e = evidence_of(&m, "gaussian:dim=1");
    assert_warned(&e, "effective sample size is", "below 100");
    made_free(&m);
    m = made_model("gaussian:dim=100", 1, 450, 0.0, 1);
    e = evidence_of(&m, "gaussian:dim=100");
    assert_warned(&e, "effective sample size is", "below 5 per parameter, 500 in all");
    made_free(&m);
}

/* What two halves and their sum may look like; on draws of which nothing is wrong. */
static void what_came_out(void **state) {
    const double        nan = (double)NAN;
    const ckam_target   target = {.dim = 2};
    split_draws         s = {.chains = 4, .rows = 142, .dim = 2};
    made                m = made_model("gaussian:dim=2", 4, 300, 0.0, 1);
    ckam_draws         *draws = made_draws(&m);
    const ckam_evidence good = {.log_z = 0.0, .se = 0.1, .ess = 1000, .overlap = 0.5};
    bridge              half[HALVES] = {{.log_z = 0.27, .target_variance = 0.005, .q_variance = 0.005},
                                        {.log_z = -0.27, .target_variance = 0.005, .q_variance = 0.005}};
    ckam_evidence       e = good;
    (void)state;
    assert_int_equal(evidence_warning(&e, half, &s, &target, draws, NULL), CKAM_OK); /* 3.8 standard errors apart */
    assert_true(e.trusted && !*e.warning);
    half[0].log_z = 0.3;
    assert_int_equal(evidence_warning(&e, half, &s, &target, draws, NULL), CKAM_OK);
    assert_warned(&e, "give 0.3 and -0.27, which is 4.0 standard errors apart", "Draw more");
    half[0].log_z = -0.27;
    e = good;
    e.overlap = 0.04;
    assert_int_equal(evidence_warning(&e, half, &s, &target, draws, NULL), CKAM_OK);
    assert_warned(&e, "is 0.04; below 0.05", "Draw more");
    e = good;
    e.se = nan;
    assert_int_equal(evidence_warning(&e, half, &s, &target, draws, NULL), CKAM_OK);
    assert_warned(&e, "overlap", "Draw more");
    e = good;
    e.se = 0.6;
    assert_int_equal(evidence_warning(&e, half, &s, &target, draws, NULL), CKAM_OK);
    assert_warned(&e, "standard error is 0.6, and above 0.5", "Draw more");
    e = good;
    e.ess = 99;
    assert_int_equal(evidence_warning(&e, half, &s, &target, draws, NULL), CKAM_OK);
    assert_warned(&e, "effective sample size is 99, below 100", "Draw more");
    ckam_draws_free(draws);
    made_free(&m);
}

/* The least value of a coordinate (in the last turn the largest) in 5 rows. A row that stands there 5 times is one draw; a
 * coordinate that stays is that of a sampler that moves one at a time; but 5 draws that have met there were rounded. */
static void values_that_come_again(void **state) {
    ckam_model *model = model_of("gaussian:dim=2");
    (void)state;
    for (int kind = 0; kind < 4; kind++) {
        made m = made_model("gaussian:dim=2", 2, 500, 0.0, 1);
        for (size_t i = 0; i < 5; i++) {
            const size_t row = kind == 1 ? 50 + i : 50 + 20 * i;
            made_at(&m, row)[0] = kind == 3 ? 4.0 : -4.0;
            if (kind == 0) made_at(&m, row)[1] = 0.5;
            m.log_density[row] = log_density(model, made_at(&m, row));
        }
        ckam_evidence e = evidence_of(&m, "gaussian:dim=2");
        if (kind >= 2)
            assert_warned(&e, "5 of 948 draws have the same value at one end of x.1: ", "Use the distance");
        else
            assert_true(e.trusted && !*e.warning);
        made_free(&m);
    }
    ckam_model_free(model);
}

/* A first half that stood still in a coordinate: no crash, no trust. */
static void a_half_that_stands_still(void **state) {
    (void)state;
    made m = made_model("gaussian:dim=3", 2, 200, 0.0, 1);
    free(m.log_density);
    m.log_density = NULL;
    for (size_t i = 0; i < 400; i++)
        if (i % 200 < 110) made_at(&m, i)[1] = 0.25;
    ckam_evidence e = evidence_of(&m, "gaussian:dim=3");
    assert_false(e.trusted);
    made_free(&m);
}

/* -- Refusals ----------------------------------------------------------------------------------------------------- */

/* A standard normal that ends with `code`, or +infinity, at its `left`-th evaluation. */
typedef struct fickle {
    uint64_t left;
    int      code;
} fickle;

static int fickle_density(void *context, const double *x, double *value) {
    fickle *f = context;
    *value = -0.5 * (x[0] * x[0] + x[1] * x[1]) - log(2.0 * 3.14159265358979323846);
    if (!f->left || --f->left) return CKAM_OK;
    *value = HUGE_VAL;
    return f->code;
}

static ckam_status estimate(const made *m, const ckam_target *target, ckam_error *error) {
    ckam_evidence e;
    ckam_draws   *draws = made_draws(m);
    ckam_status   status = ckam_evidence_estimate(draws, target, 1, &e, error);
    ckam_draws_free(draws);
    return status;
}

static void what_the_target_does(void **state) {
    static const struct {
        int         code;
        ckam_status status;
        const char *text;
    } ends[] = {{CKAM_OK, CKAM_ERROR_INFINITE, "+infinity"},
                {CKAM_STOP, CKAM_STOP, "stop"},
                {-77, CKAM_ERROR_TARGET, "returned -77"},
                {0, CKAM_OK, NULL}};
    (void)state;
    made       m = made_model("gaussian:dim=2", 2, 100, 0.0, 1);
    ckam_error error;
    for (size_t i = 0; ends[i].text; i++)
        for (uint64_t left = 1; left < 200; left += 40) { /* among the checks, in the first half, in the second */
            fickle      f = {left, ends[i].code};
            ckam_target target = {.dim = 2, .log_density = fickle_density, .context = &f};
            assert_failure(estimate(&m, &target, &error), ends[i].status, &error, ends[i].text);
        }
    made_free(&m);
}

static void draws_of_another_target(void **state) {
    fickle            f = {0, 0};
    const ckam_target target = {.dim = 2, .log_density = fickle_density, .context = &f};
    ckam_error        error;
    (void)state;
    made m = made_model("gaussian:dim=2", 2, 100, 0.0, 1);
    assert_int_equal(estimate(&m, &target, &error), CKAM_OK);
    for (size_t i = 55; i < 100; i++) m.log_density[i] += 1e-6; /* the second half of one chain, by a trifle */
    assert_failure(estimate(&m, &target, &error), CKAM_ERROR_ARGUMENT, &error, "not of this target", "lp__ is -");
    made_free(&m);
    m = made_model("bimodal", 2, 100, 0.0, 1);
    assert_failure(estimate(&m, &target, &error), CKAM_ERROR_ARGUMENT, &error, "not of this target",
                   "the target gives");
    made_free(&m);
    m = made_model("gaussian:dim=3", 2, 100, 0.0, 1);
    assert_failure(estimate(&m, &target, &error), CKAM_ERROR_ARGUMENT, &error, "3 parameters", "the target has 2");
    made_free(&m);
}

static void draws_that_do_not_do(void **state) {
    fickle            f = {0, 0};
    const ckam_target target = {.dim = 2, .log_density = fickle_density, .context = &f};
    ckam_error        error;
    (void)state;
    made m = made_model("gaussian:dim=2", 2, 100, 0.0, 1);
    made_at(&m, 190)[1] = (double)NAN; /* in the second half of the second chain */
    assert_failure(estimate(&m, &target, &error), CKAM_ERROR_ARGUMENT, &error, "x.2 is nan in draw 91 of chain 2");
    made_at(&m, 190)[1] = 0.0;
    m.log_density[3] = -HUGE_VAL;
    assert_failure(estimate(&m, &target, &error), CKAM_ERROR_ARGUMENT, &error, "lp__ is -inf in draw 4 of chain 1");
    free(m.log_density);
    m.log_density = NULL;
    for (size_t i = 0; i < 200; i++) made_at(&m, i)[0] = 7.0;
    assert_failure(estimate(&m, &target, &error), CKAM_ERROR_ARGUMENT, &error, "x.1 goes from 7 to 7", "leave it out");
    made_free(&m);
    m = made_model("gaussian:dim=2", 3, 19, 0.0, 1);
    assert_failure(estimate(&m, &target, &error), CKAM_ERROR_ARGUMENT, &error, "3 chains of 19 draws", "20 draws");
    made_free(&m);
    m = made_model("gaussian:dim=2", 1, 20, 0.0, 1); /* the fewest */
    assert_int_equal(estimate(&m, &target, &error), CKAM_OK);
    made_free(&m);
    m = made_model("gaussian:dim=30", 5, 23, 0.0, 1);
    const ckam_target wide = {.dim = 30, .log_density = fickle_density, .context = &f};
    assert_failure(estimate(&m, &wide, &error), CKAM_ERROR_ARGUMENT, &error, "5 chains of 23 draws of 30 parameters");
    made_free(&m);
}

static void nothing_to_work_with(void **state) {
    fickle        f = {0, 0};
    ckam_target   target = {.dim = 2, .log_density = fickle_density, .context = &f};
    ckam_evidence e;
    ckam_error    error;
    (void)state;
    made        m = made_model("gaussian:dim=2", 2, 100, 0.0, 1);
    ckam_draws *draws = made_draws(&m);
    assert_failure(ckam_evidence_estimate(NULL, &target, 1, &e, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_evidence_estimate(draws, NULL, 1, &e, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_evidence_estimate(draws, &target, 1, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    target.log_density = NULL;
    assert_failure(ckam_evidence_estimate(draws, &target, 1, &e, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_int_equal(ckam_evidence_estimate(NULL, NULL, 1, NULL, NULL), CKAM_ERROR_ARGUMENT);
    ckam_draws_free(draws);
    made_free(&m);
}

/* Each allocation in its turn. */
static void memory_that_is_refused(void **state) {
    fickle        f = {0, 0};
    ckam_target   target = {.dim = 2, .log_density = fickle_density, .context = &f};
    ckam_evidence e;
    bool          refused = true;
    unsigned      number = 0;
    (void)state;
    made        m = made_model("gaussian:dim=2", 2, 60, 0.0, 1);
    ckam_draws *draws = made_draws(&m);
    while (refused) {
        ckam_error error = {.message = ""};
        refusal_begin(++number);
        ckam_status status = ckam_evidence_estimate(draws, &target, 1, &e, &error);
        refused = refusal_end();
        if (refused)
            assert_failure(status, CKAM_ERROR_MEMORY, &error, "no memory");
        else
            assert_int_equal(status, CKAM_OK);
    }
    assert_in_range(number, 10, 100);
    ckam_draws_free(draws);
    made_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_bridge_is_the_optimal_one),
                                       cmocka_unit_test(the_ends_of_the_bridge),
                                       cmocka_unit_test(modes_between_which_no_chain_goes),
                                       cmocka_unit_test(chains_that_disagree),
                                       cmocka_unit_test(few_effective_draws),
                                       cmocka_unit_test(what_came_out),
                                       cmocka_unit_test(values_that_come_again),
                                       cmocka_unit_test(a_half_that_stands_still),
                                       cmocka_unit_test(what_the_target_does),
                                       cmocka_unit_test(draws_of_another_target),
                                       cmocka_unit_test(draws_that_do_not_do),
                                       cmocka_unit_test(nothing_to_work_with),
                                       cmocka_unit_test(memory_that_is_refused)};
    return cmocka_run_group_tests_name("evidence_doubt", tests, NULL, NULL);
}
