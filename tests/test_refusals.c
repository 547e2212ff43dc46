/* test_refusals.c - what users say about their models that cannot be, and draws that are not those of the model. */
#include "failure.h"
#include "folder.h"

#include "target/protocol.h"
#include "target/source.h"

#include <math.h>

#define STAN  CKAM_TEST_STAN "/faithful.so"
#define PLAIN CKAM_TEST_MODELS "/plain.so"

static void models_are_refused(void **unused) {
    (void)unused;
    const char *zero = in_folder("zero"), *object = in_folder("object");
    write_bytes(zero, "{}\0{}", 5);
    write_text(object, "{\"N\": 0, \"y\": [], \"plain\": 1}");
    const struct {
        source_request request;
        ckam_status    status;
        const char    *pieces[2];
    } cases[] = {
        {{.program = "cat", .data = object}, CKAM_ERROR_OPTION, {"--data", "a program"}},
        {{.log_density = "x", .params = "x", .data = object}, CKAM_ERROR_OPTION, {"--data", "--log-density"}},
        {{.model = PLAIN, .params = "x", .data = zero}, CKAM_ERROR_FORMAT, {"/zero", "0 byte"}},
        {{.model = PLAIN, .params = "x", .bounds = zero}, CKAM_ERROR_FORMAT, {"/zero", "0 byte"}},
        {{.model = STAN, .params = "x", .data = object}, CKAM_ERROR_OPTION, {"--params", "names its own"}},
        {{.model = STAN, .data = object, .bounds = object}, CKAM_ERROR_OPTION, {"--bounds", "has its own"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        source_request r = cases[i].request;
        source        *s = NULL;
        ckam_error     error;
        const char   **texts[] = {&r.model, &r.log_density, &r.program, &r.params, &r.data, &r.bounds};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
            if (!*texts[k]) *texts[k] = "";
        r.workers = 1;
        r.timeout = HUGE_VAL;
        assert_failure(source_open(&s, &r, &error), cases[i].status, &error, cases[i].pieces[0], cases[i].pieces[1]);
        assert_null(s);
    }
}

/* Draws of one parameter for a model of two, and draws without log densities. */
static void other_peoples_draws_are_refused(void **unused) {
    (void)unused;
    const double    numbers[] = {0.5, 1.5, -0.5, 1.0};
    ckam_plan      *plan;
    ckam_posterior *posterior;
    ckam_draws     *draws;
    ckam_error      error;
    assert_int_equal(ckam_plan_create(&plan, NULL), CKAM_OK);
    assert_int_equal(ckam_plan_set(plan, "model", PLAIN, NULL), CKAM_OK);
    assert_int_equal(ckam_plan_set(plan, "params", "x, y", NULL), CKAM_OK);

    assert_int_equal(ckam_draws_create(&draws, 1, 4, 1, NULL, numbers, numbers, NULL), CKAM_OK);
    assert_failure(ckam_posterior_open(&posterior, plan, draws, &error), CKAM_ERROR_ARGUMENT, &error, "1 parameters",
                   "the model 2");
    ckam_draws_free(draws);

    assert_int_equal(ckam_draws_create(&draws, 1, 2, 2, NULL, numbers, NULL, NULL), CKAM_OK);
    assert_failure(ckam_posterior_open(&posterior, plan, draws, &error), CKAM_ERROR_ARGUMENT, &error, "lp__");
    ckam_draws_free(draws);
    ckam_plan_free(plan);
}

static void long_paths_are_refused(void **unused) {
    (void)unused;
    char             path[5000];
    const char      *directory = path;
    ckam_plan       *plan;
    ckam_experiment *experiment;
    ckam_error       error;
    memset(path, 'a', sizeof path - 1);
    path[sizeof path - 1] = 0;
    assert_failure(ckam_plan_open(&plan, path, &error), CKAM_ERROR_INPUT, &error, "aaa...", "too long");
    assert_null(plan);
    assert_failure(
        ckam_experiment_create(&experiment, &directory, 1, &(ckam_experiment_setup){0}, in_folder("out"), &error),
        CKAM_ERROR_INPUT, &error, "aaa...", "too long");
    assert_null(experiment);
}

static void a_greeting_is_text(void **unused) {
    (void)unused;
    greeting   g;
    ckam_error error;
    assert_failure(greeting_read(&g, "params a\0b", 10, &error), CKAM_ERROR_FORMAT, &error, "first line", "0 byte");
    greeting_free(&g);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models_are_refused),
                                       cmocka_unit_test(other_peoples_draws_are_refused),
                                       cmocka_unit_test(long_paths_are_refused), cmocka_unit_test(a_greeting_is_text)};
    return cmocka_run_group_tests_name("refusals", tests, folder_begin, folder_end);
}
