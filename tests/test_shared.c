/* test_shared.c - models in shared objects: what they give, and each way in which one can be wrong. */
#include "run_support.h"

#include "refusal.h"
#include "target/engine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MODEL(name) CKAM_TEST_MODELS "/" name ".so"

static engine *open_good(const char *path, const char *declared, const char *data) {
    engine     *e = NULL;
    params      p = {0};
    ckam_error  error = {.message = ""};
    ckam_status status = declared ? params_read(&p, declared, "--params", true, &error) : CKAM_OK;
    if (!status) status = shared_open(&e, path, declared ? &p : NULL, data, &error);
    params_free(&p); /* what is declared may go */
    if (status) print_error("%s: %s\n", path, error.message);
    assert_int_equal(status, CKAM_OK);
    assert_true(e->threads);
    assert_true(!e->random);
    assert_int_equal(e->dim, e->params.count);
    return e;
}

static void refuse(const char *path, const char *declared, const char *data, ckam_status expected, const char *piece) {
    engine    *e = (engine *)&e;
    params     p = {0};
    ckam_error error = {.message = ""};
    if (declared) assert_int_equal(params_read(&p, declared, "--params", true, &error), CKAM_OK);
    ckam_status status = shared_open(&e, path, declared ? &p : NULL, data, &error);
    assert_failure(status, expected, &error, piece);
    assert_null(e);
    assert_int_equal(shared_open(&e, path, declared ? &p : NULL, data, NULL), expected);
    params_free(&p);
}

static double value_at(engine *e, const double *x) {
    double value = (double)NAN;
    char   why[ENGINE_WHY] = "untouched";
    assert_int_equal(e->type->evaluate(e, NULL, x, &value, why), ENGINE_VALUE);
    return value;
}

static void a_model_gives_all_it_has(void **unused) {
    (void)unused;
    engine      *e = open_good(MODEL("good"), NULL, NULL);
    const double x[] = {0.5, 2.0}, log_2 = log(2.0), prior = -0.125 - 0.5 * log_2 * log_2 - log_2;
    double       derived[3];
    char         why[ENGINE_WHY];
    assert_int_equal(e->dim, 2);
    assert_string_equal(e->params.at[0].name, "mu");
    assert_string_equal(e->params.at[1].name, "tau");
    assert_true(e->params.at[0].lower == -HUGE_VAL && e->params.at[1].lower == 0.0);
    assert_int_equal(e->derived, 3);
    assert_string_equal(e->derived_names[0], "ratio");
    assert_string_equal(e->derived_names[2], "both.2");
    assert_close(value_at(e, x), prior, 1e-15);
    assert_int_equal(e->type->derive(e, NULL, x, derived, why), ENGINE_VALUE);
    assert_true(derived[0] == 0.25 && derived[1] == 2.5 && derived[2] == 1.0);
    e->type->close(e);
    e = open_good(MODEL("good"), NULL, "{\"y\": [1.5, -0.5]}");
    assert_close(value_at(e, x), prior - 0.5 * (1.0 + 1.0) / 4.0 - 2.0 * log_2, 1e-15);
    e->type->close(e);
}

static void the_least_is_a_function_and_names(void **unused) {
    (void)unused;
    engine *e = open_good(MODEL("plain"), "x, y > 1", NULL);
    assert_int_equal(e->dim, 2);
    assert_int_equal(e->derived, 0);
    assert_string_equal(e->params.at[1].name, "y");
    assert_true(e->params.at[1].lower == 1.0);
    assert_close(value_at(e, (const double[]){1.0, 2.0}), -1.0, 1e-15);
    e->type->close(e);
    refuse(MODEL("plain"), NULL, NULL, CKAM_ERROR_OPTION, "--params 'mu, tau > 0'");
    refuse(MODEL("plain"), NULL, NULL, CKAM_ERROR_OPTION,
           "const char *const ckam_parameters[] = {\"mu\", \"tau > 0\", NULL};");
}

static void two_lists_must_agree(void **unused) {
    (void)unused;
    engine *e = open_good(MODEL("good"), "mu, tau", NULL);
    assert_true(e->params.at[1].lower == 0.0); /* the model's */
    e->type->close(e);
    e = open_good(MODEL("good"), "mu < 9, tau > 1", NULL);
    assert_true(e->params.at[0].upper == 9.0 && e->params.at[1].lower == 1.0);
    e->type->close(e);
    refuse(MODEL("good"), "mu, sigma", NULL, CKAM_ERROR_OPTION, "number 2 is sigma in --params and tau in the model");
    refuse(MODEL("good"), "mu", NULL, CKAM_ERROR_OPTION, "there are 1 numbers in --params and 2 in the model");
    refuse(MODEL("good"), "mu, tau < -1", NULL, CKAM_ERROR_OPTION, "the bounds of tau");
}

/* A model keeps its data in variables of its own. */
static void two_in_use_have_data_of_their_own(void **unused) {
    (void)unused;
    const double x[] = {0.0, 1.0};
    engine      *one = open_good(MODEL("good"), NULL, "{\"y\": [1]}");
    engine      *two = open_good(MODEL("good"), NULL, "{\"y\": [2]}"),
           *three = open_good(MODEL("good"), NULL, "{\"y\": [3]}");
    assert_close(value_at(one, x), -0.5, 1e-15);
    assert_close(value_at(two, x), -2.0, 1e-15);
    assert_close(value_at(three, x), -4.5, 1e-15);
    two->type->close(two);
    assert_close(value_at(one, x), -0.5, 1e-15);
    one->type->close(one);
    assert_close(value_at(three, x), -4.5, 1e-15);
    three->type->close(three);
}

static void data_goes_to_who_reads_it(void **unused) {
    (void)unused;
    refuse(MODEL("plain"), "x, y", "{}", CKAM_ERROR_OPTION, "no function read_data");
    refuse(MODEL("bad_data"), NULL, NULL, CKAM_ERROR_FORMAT,
           "the model refuses to start without --data: there is no list y");
    refuse(MODEL("bad_data"), NULL, "{}", CKAM_ERROR_FORMAT, "the model refuses its data: there is no list y");
    refuse(MODEL("bad_data"), NULL, "{\"y\": [1, 2]}", CKAM_ERROR_FORMAT, "y must have 3 numbers");
    refuse(MODEL("bad_data"), NULL, "{\"y\": [1, 2", CKAM_ERROR_FORMAT, "the file of --data is not JSON: line 1");
    engine *e = open_good(MODEL("bad_data"), NULL, "{\"y\": [1, 2, 3]}");
    e->type->close(e);
}

static void incomplete_models_are_refused(void **unused) {
    (void)unused;
    refuse(MODEL("no_function"), NULL, NULL, CKAM_ERROR_FORMAT, "no function log_density");
    refuse(MODEL("half_derived"), NULL, NULL, CKAM_ERROR_FORMAT, "the list ckam_derived, but no function derive");
    refuse(MODEL("half_derive"), NULL, NULL, CKAM_ERROR_FORMAT, "a function derive, but no list ckam_derived");
    refuse(MODEL("same_names"), NULL, NULL, CKAM_ERROR_OPTION, "ckam_parameters and ckam_derived: the name 'y'");
    refuse(MODEL("bad_names"), NULL, NULL, CKAM_ERROR_OPTION, "ckam_parameters: 'tau >= 0'");
}

static void files_that_cannot_be_loaded(void **unused) {
    (void)unused;
    bool       is_stan;
    ckam_error error;
    spill_text("text.so", "this is no shared object, though it is long enough to have the head of one, which takes 64");
    spill_text("empty.so", "");
    assert_int_equal(mkdir("folder.so", 0777), 0);
    static const char *const table[][2] = {{"missing.so", "cannot load missing.so: cannot open shared object file"},
                                           {"./missing.so", "cannot load ./missing.so: cannot open"},
                                           {"text.so", "cannot load text.so: invalid ELF header"},
                                           {"empty.so", "cannot load empty.so: file too short"},
                                           {"folder.so", "cannot load folder.so: "},
                                           {"", "cannot load "}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        refuse(table[i][0], NULL, NULL, CKAM_ERROR_INPUT, table[i][1]);
        assert_failure(shared_kind(table[i][0], &is_stan, &error), CKAM_ERROR_INPUT, &error, table[i][1]);
    }
}

/* The end of a path is shown, where the name is. */
static void long_paths_keep_their_names(void **unused) {
    (void)unused;
    bool       is_stan;
    ckam_error error;
    char       path[200];
    for (size_t i = 0; i < 140; i += 2) memcpy(path + i, "./", 2);
    snprintf(path + 140, sizeof path - 140, "%s", "missing.so");
    assert_failure(shared_kind(path, &is_stan, &error), CKAM_ERROR_INPUT, &error, "cannot load .../",
                   "missing.so: cannot open");
    snprintf(path + 140, sizeof path - 140, "%s", "no.so");
    assert_int_equal(symlink(MODEL("no_function"), "no.so"), 0);
    assert_failure(shared_kind(path, &is_stan, &error), CKAM_ERROR_FORMAT, &error, "/no.so is no model",
                   "as Stan models");
}

/* Without a slash dlopen would look in the system's folders: libm.so.6 is there, but not here. */
static void a_name_alone_is_a_file_here(void **unused) {
    (void)unused;
    refuse("libm.so.6", NULL, NULL, CKAM_ERROR_INPUT, "cannot load libm.so.6: cannot open shared object file");
    assert_int_equal(symlink(MODEL("plain"), "here.so"), 0);
    engine *e = open_good("here.so", "a, b", NULL);
    e->type->close(e);
}

static void kinds_are_told_apart(void **unused) {
    (void)unused;
    bool       is_stan = true;
    ckam_error error;
    assert_int_equal(shared_kind(MODEL("good"), &is_stan, &error), CKAM_OK);
    assert_true(!is_stan);
    assert_int_equal(shared_kind(MODEL("stan_symbol"), &is_stan, &error), CKAM_OK);
    assert_true(is_stan);
    assert_failure(shared_kind(MODEL("no_function"), &is_stan, &error), CKAM_ERROR_FORMAT, &error, "no_function.so",
                   "no function log_density", "bs_model_construct");
}

static void values_are_handed_on_as_they_are(void **unused) {
    (void)unused;
    engine *e = open_good(MODEL("nan"), NULL, NULL);
    assert_true(isnan(value_at(e, (const double[]){-1.0})));
    assert_close(value_at(e, (const double[]){2.0}), -2.0, 1e-15);
    e->type->close(e);
    e = open_good(MODEL("plus_infinity"), NULL, NULL);
    assert_true(value_at(e, (const double[]){2.0}) == HUGE_VAL);
    e->type->close(e);
    e = open_good(MODEL("noisy"), NULL, NULL);
    double first = value_at(e, (const double[]){0.0});
    assert_true(first != value_at(e, (const double[]){0.0}));
    e->type->close(e);
}

static void no_memory_is_no_crash(void **unused) {
    (void)unused;
    unsigned number = 0;
    bool     refused = true;
    params   p;
    assert_int_equal(params_read(&p, "mu, tau", "--params", true, NULL), CKAM_OK);
    while (refused) {
        engine    *e;
        ckam_error error = {.message = ""};
        refusal_begin(++number);
        ckam_status status = shared_open(&e, MODEL("good"), &p, "{\"y\": [1]}", &error);
        refused = refusal_end();
        if (refused) {
            assert_failure(status, CKAM_ERROR_MEMORY, &error, "no memory");
            assert_null(e);
        } else {
            assert_int_equal(status, CKAM_OK);
            e->type->close(e);
        }
    }
    assert_true(number > 15);
    refused = true;
    for (number = 0; refused;) { /* the other way to the parameters */
        engine *e;
        refusal_begin(++number);
        ckam_status status = shared_open(&e, MODEL("plain"), &p, NULL, NULL);
        refused = refusal_end();
        assert_int_equal(status, refused ? CKAM_ERROR_MEMORY : CKAM_OK);
        if (!refused) e->type->close(e);
    }
    assert_true(number > 4);
    params_free(&p);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_model_gives_all_it_has),
                                       cmocka_unit_test(the_least_is_a_function_and_names),
                                       cmocka_unit_test(two_lists_must_agree),
                                       cmocka_unit_test(data_goes_to_who_reads_it),
                                       cmocka_unit_test(two_in_use_have_data_of_their_own),
                                       cmocka_unit_test(incomplete_models_are_refused),
                                       cmocka_unit_test(files_that_cannot_be_loaded),
                                       cmocka_unit_test(long_paths_keep_their_names),
                                       cmocka_unit_test(a_name_alone_is_a_file_here),
                                       cmocka_unit_test(kinds_are_told_apart),
                                       cmocka_unit_test(values_are_handed_on_as_they_are),
                                       cmocka_unit_test(no_memory_is_no_crash)};
    return cmocka_run_group_tests_name("shared", tests, enter_temporary, leave_temporary);
}
