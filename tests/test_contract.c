/* test_contract.c - what ckam.h promises whatever is asked: NULL where nothing was made, a reason for every stop, refusals in
 * place of damage. */
#include "failure.h"

static int normal(void *context, const double *x, double *value) {
    (void)context;
    *value = -0.5 * x[0] * x[0];
    return CKAM_OK;
}

static const ckam_target line = {.dim = 1, .log_density = normal};

/* -- Nothing made ------------------------------------------------------------------------------------------------- */

/* Any address will do: it must not be looked at. */
#define SOMETHING(type) ((type *)(void *)&(char){0})

static void what_fails_leaves_null(void **state) {
    (void)state;
    const char *const one[] = {"nowhere", NULL}, *const none[] = {NULL};
    ckam_draws      *draws = SOMETHING(ckam_draws);
    ckam_plan       *plan = SOMETHING(ckam_plan);
    ckam_run        *run = SOMETHING(ckam_run);
    ckam_posterior  *posterior = SOMETHING(ckam_posterior);
    ckam_experiment *experiment = SOMETHING(ckam_experiment);
    const double     value = 0.0;
    assert_int_equal(ckam_draws_open(&draws, one, 0, NULL), CKAM_ERROR_ARGUMENT);
    assert_null(draws);
    draws = SOMETHING(ckam_draws);
    assert_int_equal(ckam_draws_open(&draws, none, 1, NULL), CKAM_ERROR_ARGUMENT);
    assert_null(draws);
    draws = SOMETHING(ckam_draws);
    assert_int_equal(ckam_draws_create(&draws, 1, 1, 0, NULL, &value, NULL, NULL), CKAM_ERROR_ARGUMENT);
    assert_null(draws);
    assert_int_equal(ckam_plan_open(&plan, NULL, NULL), CKAM_ERROR_ARGUMENT);
    assert_null(plan);
    assert_int_equal(ckam_run_create(&run, NULL, NULL, NULL), CKAM_ERROR_ARGUMENT);
    assert_null(run);
    run = SOMETHING(ckam_run);
    assert_int_equal(ckam_run_resume(&run, NULL, "nowhere", NULL, NULL), CKAM_ERROR_ARGUMENT);
    assert_null(run);
    assert_int_equal(ckam_posterior_open(&posterior, NULL, NULL, NULL), CKAM_ERROR_ARGUMENT);
    assert_null(posterior);
    const ckam_experiment_setup negative = {.seconds = -1.0};
    assert_int_equal(ckam_experiment_create(&experiment, one, 1, &negative, "out", NULL), CKAM_ERROR_ARGUMENT);
    assert_null(experiment);
}

/* -- Chains that learn together ----------------------------------------------------------------------------------- */

static ckam_chain *pooled(const char *spec, uint64_t number) {
    ckam_options *options;
    ckam_chain   *chain;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    const ckam_setup setup = {.target = &line, .options = options, .seed = 3, .chain = number, .pooled = true};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    ckam_options_free(options);
    return chain;
}

static void step_until_it_waits(ckam_chain *chain) {
    ckam_step step;
    while (!ckam_chain_waits(chain)) assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
}

static void only_what_is_alike_is_pooled(void **state) {
    (void)state;
    static const char *const cases[][2] = {{"jump:pool-every=3", "pool-every of chain 2 is 3, and 2 of the first"},
                                           {"jump:pool-every=2,target-accept=0.3", "target-accept of chain 2 is 0.3"}};
    ckam_error               error;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_chain *both[] = {pooled("jump:pool-every=2", 0), pooled(cases[i][0], 1)};
        for (int c = 0; c < 2; c++) step_until_it_waits(both[c]);
        assert_failure(ckam_chain_pool(both, 2, &error), CKAM_ERROR_ARGUMENT, &error, cases[i][1]);
        for (int c = 0; c < 2; c++) assert_true(ckam_chain_waits(both[c]));
        for (int c = 0; c < 2; c++) ckam_chain_free(both[c]);
    }
}

static void a_chain_is_pooled_once_and_at_its_cycle(void **state) {
    (void)state;
    ckam_chain *one = pooled("jump", 0), *two = pooled("jump", 1);
    ckam_error  error;
    step_until_it_waits(one);
    step_until_it_waits(two);
    assert_failure(ckam_chain_pool((ckam_chain *[]){one, two, one}, 3, &error), CKAM_ERROR_ARGUMENT, &error,
                   "chains 1 and 3 are the same");
    assert_int_equal(ckam_chain_pool(&one, 1, NULL), CKAM_OK);
    step_until_it_waits(one);
    assert_failure(ckam_chain_pool((ckam_chain *[]){one, two}, 2, &error), CKAM_ERROR_ORDER, &error,
                   "chain 2 waits after", "the same cycle");
    assert_int_equal(ckam_chain_pool(&two, 1, NULL), CKAM_OK);
    step_until_it_waits(two);
    assert_int_equal(ckam_chain_pool((ckam_chain *[]){one, two}, 2, NULL), CKAM_OK);
    ckam_chain_free(one);
    ckam_chain_free(two);
}

/* -- Runs --------------------------------------------------------------------------------------------------------- */

static ckam_plan *plan_of_four(void) {
    ckam_plan *plan;
    assert_int_equal(ckam_plan_create(&plan, NULL), CKAM_OK);
    assert_int_equal(ckam_plan_set(plan, "format", "none", NULL), CKAM_OK);
    assert_int_equal(ckam_plan_set(plan, "draws", "100", NULL), CKAM_OK);
    return plan;
}

static void gather(void *context, const void *bytes, const size_t *sizes, void *all, bool everywhere) {
    (void)context, (void)bytes, (void)sizes, (void)all, (void)everywhere;
    fail();
}

static void an_impossible_communicator_is_refused(void **state) {
    (void)state;
    const ckam_comm comms[] = {{.rank = 3, .size = 2, .neighbours = 1, .gather = gather},
                               {.rank = 2, .size = 2, .neighbours = 1, .gather = gather},
                               {.rank = 0, .size = 2, .neighbours = 0, .gather = gather},
                               {.rank = 0, .size = 2, .neighbours = 1}};
    for (size_t i = 0; i < sizeof comms / sizeof *comms; i++) {
        ckam_plan *plan = plan_of_four();
        ckam_run  *run;
        ckam_error error;
        ckam_plan_comm(plan, &comms[i]);
        assert_failure(ckam_run_create(&run, plan, &line, &error), CKAM_ERROR_ARGUMENT, &error,
                       "the communicator has rank", "neighbour");
        assert_null(run);
        ckam_plan_free(plan);
    }
}

/* What is said of a model is not said of a target in C: it would be left out in silence. */
static void settings_of_models_are_refused_with_a_target(void **state) {
    (void)state;
    static const char *const names[] = {"params", "data", "bounds"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ckam_plan *plan = plan_of_four();
        ckam_run  *run;
        ckam_error error;
        assert_int_equal(ckam_plan_set(plan, names[i], "x", NULL), CKAM_OK);
        assert_failure(ckam_run_create(&run, plan, &line, &error), CKAM_ERROR_OPTION, &error, names[i],
                       "a target of the caller's");
        assert_null(run);
        ckam_plan_free(plan);
    }
}

static void more_draws_than_can_be_counted_are_refused(void **state) {
    (void)state;
    double      out[1] = {7.0};
    ckam_error  error;
    ckam_target endless = line;
    endless.dim = SIZE_MAX;
    assert_failure(ckam_sample(&endless, "rw", NULL, 1, 2, 10, out, &error), CKAM_ERROR_ARGUMENT, &error, "2 chains");
    assert_failure(ckam_sample(&line, "rw", NULL, 1, SIZE_MAX / 4, 5, out, &error), CKAM_ERROR_ARGUMENT, &error,
                   "5 draws");
    assert_true(out[0] == 7.0); /* nothing was written */
}

static void a_stop_has_a_reason(void **state) {
    (void)state;
    ckam_plan *plan = plan_of_four();
    ckam_run  *run;
    ckam_error error = {.message = "before"};
    assert_int_equal(ckam_run_create(&run, plan, &line, NULL), CKAM_OK);
    ckam_run_stop(run);
    assert_failure(ckam_run_go(run, NULL, NULL, &error), CKAM_STOP, &error, "the run was stopped");
    ckam_run_free(run);
    ckam_plan_free(plan);
}

/* -- Texts -------------------------------------------------------------------------------------------------------- */

static void names_of_settings(void **state) {
    (void)state;
    ckam_plan *plan = plan_of_four();
    ckam_error error;
    char       text[8];
    assert_failure(ckam_plan_get(plan, "nix", text, sizeof text, &error), CKAM_ERROR_OPTION, &error, "nix");
    assert_true(error.message[0] != ' ');
    assert_failure(ckam_plan_get(plan, NULL, text, sizeof text, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_plan_read(plan, NULL, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    for (const ckam_option *option = ckam_plan_list(); option->name; option++) ckam_option_range(option, NULL, 0);
    ckam_plan_free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_fails_leaves_null),
                                       cmocka_unit_test(only_what_is_alike_is_pooled),
                                       cmocka_unit_test(a_chain_is_pooled_once_and_at_its_cycle),
                                       cmocka_unit_test(an_impossible_communicator_is_refused),
                                       cmocka_unit_test(settings_of_models_are_refused_with_a_target),
                                       cmocka_unit_test(more_draws_than_can_be_counted_are_refused),
                                       cmocka_unit_test(a_stop_has_a_reason),
                                       cmocka_unit_test(names_of_settings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
