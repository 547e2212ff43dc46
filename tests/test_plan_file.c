/* test_plan_file.c - plans as JSON: files that users write, and the one that a run leaves behind. */
#include "run_support.h"

#include "run/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static void get(const ckam_plan *plan, const char *name, char text[OPTION_TEXT]) {
    assert_int_equal(ckam_plan_get(plan, name, text, OPTION_TEXT, NULL), CKAM_OK);
}

static void assert_setting(const ckam_plan *plan, const char *name, const char *expected) {
    char text[OPTION_TEXT];
    get(plan, name, text);
    if (strcmp(text, expected) != 0) print_error("%s is '%s', expected '%s'\n", name, text, expected);
    assert_string_equal(text, expected);
}

static const ckam_option *options_of(const char *sampler) {
    const ckam_entry *entry = ckam_sampler_list();
    while (strcmp(entry->name, sampler) != 0) entry++;
    return entry->options;
}

/* Every setting of two plans, but for those in `except`, has the same text. */
static void assert_equal_plans(const ckam_plan *one, const ckam_plan *other, const char *const *except) {
    char a[OPTION_TEXT], b[OPTION_TEXT];
    get(one, "sampler", a);
    assert_setting(other, "sampler", a);
    const ckam_option *const lists[] = {ckam_plan_list(), options_of(a)};
    for (int list = 0; list < 2; list++)
        for (const ckam_option *o = lists[list]; o->name; o++) {
            const char *const *skipped = except;
            while (*skipped && strcmp(*skipped, o->name) != 0) skipped++;
            if (*skipped) continue;
            get(one, o->name, a);
            get(other, o->name, b);
            if (strcmp(a, b) != 0) print_error("%s: '%s' and '%s'\n", o->name, a, b);
            assert_string_equal(a, b);
        }
}

/* -- Files that users write --------------------------------------------------------------------------------------- */

static ckam_plan *read_plan(const char *text) {
    ckam_plan *plan = plan_with(NULL);
    ckam_error error = {.message = ""};
    spill_text("plan.json", text);
    ckam_status status = ckam_plan_read(plan, "plan.json", NULL, &error);
    if (status) print_error("%s: %s\n", text, error.message);
    assert_int_equal(status, CKAM_OK);
    return plan;
}

static void a_file_sets_what_it_names(void **unused) {
    (void)unused;
    ckam_plan *plan = read_plan("{\"model\": \"bimodal:dim=3\", \"warmup\": 500, \"sampler\": \"gam\", \"chains\": 2,\n"
                                " \"draws\": 1e3, \"seed\": 9223372036854775807, \"overwrite\": true, \"thin\": null,\n"
                                " \"save-warmup\": false, \"time-limit\": \"10m\", \"init\": [1, -2.5, 0.125],\n"
                                " \"target-accept\": 0.30000000000000004, \"threads\": \"auto\"}\n");
    static const char *const expected[][2] = {{"model", "bimodal:dim=3"}, {"sampler", "gam"},
                                              {"warmup", "500"},          {"chains", "2"},
                                              {"draws", "1000"},          {"seed", "9223372036854775807"},
                                              {"overwrite", "true"},      {"thin", "1"},
                                              {"save-warmup", "false"},   {"time-limit", "600"},
                                              {"init", "1,-2.5,0.125"},   {"target-accept", "0.30000000000000004"},
                                              {"threads", "auto"},        {"until", "never"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        assert_setting(plan, expected[i][0], expected[i][1]);
    ckam_plan_free(plan);
    plan = read_plan("{}");
    assert_setting(plan, "sampler", "jump");
    ckam_plan_free(plan);
    plan =
        read_plan("{\"sampler\": \"kam:noise=0.2\", \"seed\": \"18446744073709551615\", \"init\": [[1, 2], [3, 4]]}");
    assert_setting(plan, "noise", "0.2");
    assert_setting(plan, "seed", "18446744073709551615");
    assert_setting(plan, "init", "1,2,3,4");
    ckam_plan_free(plan);
    plan = read_plan("{\"noise\": 0.25, \"init\": \"file.txt\", \"sampler\": \"kam\"}"); /* the order does not matter */
    assert_setting(plan, "noise", "0.25");
    assert_setting(plan, "init", "file.txt");
    ckam_plan_free(plan);
}

/* What is not named stays as it was. */
static void a_file_adds_to_a_plan(void **unused) {
    (void)unused;
    ckam_plan *plan = plan_with(PAIRS("sampler", "kam", "noise", "0.5", "chains", "7"));
    spill_text("plan.json", "{\"draws\": 50}");
    assert_int_equal(ckam_plan_read(plan, "plan.json", NULL, NULL), CKAM_OK);
    assert_setting(plan, "draws", "50");
    assert_setting(plan, "chains", "7");
    assert_setting(plan, "noise", "0.5");
    ckam_plan_free(plan);
}

static void bad_files_are_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        ckam_status status;
        const char *piece;
    } cases[] = {{"", CKAM_ERROR_FORMAT, "line 1"},
                 {"{", CKAM_ERROR_FORMAT, "line 1, column 1"},
                 {"{\"draws\": 5,\n\"chains\" 4}", CKAM_ERROR_FORMAT, "line 2, column 10"},
                 {"{\"draws\": 5}\nx", CKAM_ERROR_FORMAT, "line 2, column 1"},
                 {"{\"draws\": 5,}", CKAM_ERROR_FORMAT, "line 1"},
                 {"{draws: 5}", CKAM_ERROR_FORMAT, "line 1, column 6"},
                 {"{\"draws\": 05}", CKAM_ERROR_FORMAT, "line 1"},
                 {"{\"draws\": NaN}", CKAM_ERROR_FORMAT, "line 1"},
                 {"{\"draws\": 5, \"draws\": 6}", CKAM_ERROR_FORMAT, "duplicate"},
                 {"{\"seed\": 18446744073709551615}", CKAM_ERROR_FORMAT, "too big integer"},
                 {"{\"time-limit\": 1e999}", CKAM_ERROR_FORMAT, "line 1"},
                 {"{\"out\": \"\xff\"}", CKAM_ERROR_FORMAT, "line 1"},
                 {"{\"out\": \"a\\u0000b\"}", CKAM_ERROR_FORMAT, "line 1"},
                 {"{\"out\": \"a", CKAM_ERROR_FORMAT, "line 1"},
                 {"[]", CKAM_ERROR_FORMAT, "a JSON object is wanted"},
                 {"5", CKAM_ERROR_FORMAT, "line 1"},
                 {"null", CKAM_ERROR_FORMAT, "line 1"},
                 {"{\"drws\": 5}", CKAM_ERROR_OPTION, "did you mean 'draws'?"},
                 {"{\"config\": {\"draws\": 5}}", CKAM_ERROR_OPTION, "config"},
                 {"{\"draws\": true}", CKAM_ERROR_OPTION, "draws is 'true'"},
                 {"{\"draws\": \"many\"}", CKAM_ERROR_OPTION, "draws is 'many'"},
                 {"{\"draws\": 0}", CKAM_ERROR_OPTION, "draws is '0'"},
                 {"{\"draws\": 2.5}", CKAM_ERROR_OPTION, "draws is '2.5'"},
                 {"{\"draws\": []}", CKAM_ERROR_OPTION, "draws is ''"},
                 {"{\"draws\": {\"of\": 5}}", CKAM_ERROR_OPTION, "'draws' must be a number"},
                 {"{\"init\": [1, {}]}", CKAM_ERROR_OPTION, "'init' must be"},
                 {"{\"init\": [1, null]}", CKAM_ERROR_OPTION, "'init' must be"},
                 {"{\"seed\": -1}", CKAM_ERROR_OPTION, "seed is '-1'"},
                 {"{\"seed\": 1.5}", CKAM_ERROR_OPTION, "seed is '1.5'"},
                 {"{\"seed\": \"18446744073709551616\"}", CKAM_ERROR_OPTION, "seed is '18446744073709551616'"},
                 {"{\"overwrite\": 1}", CKAM_ERROR_OPTION, "overwrite is '1'"},
                 {"{\"sampler\": \"kamm\"}", CKAM_ERROR_OPTION, "did you mean 'kam'?"},
                 {"{\"sampler\": \"gam\", \"noise\": 1}", CKAM_ERROR_OPTION, "not of gam"},
                 {"{\"sampler\": 5}", CKAM_ERROR_OPTION, "5"},
                 {"{\"target-accept\": 2}", CKAM_ERROR_OPTION, "target-accept is '2'"},
                 {"{\"until\": \"ess=x\"}", CKAM_ERROR_OPTION, "until is 'ess=x'"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_plan *plan = plan_with(NULL);
        ckam_error error = {.message = ""};
        spill_text("plan.json", cases[i].text);
        ckam_status status = ckam_plan_read(plan, "plan.json", NULL, &error);
        if (status != cases[i].status) print_error("%s\n", cases[i].text);
        assert_failure(status, cases[i].status, &error, "plan.json", cases[i].piece);
        assert_int_equal(ckam_plan_read(plan, "plan.json", NULL, NULL), cases[i].status);
        ckam_plan_free(plan);
    }
}

static void files_that_cannot_be_read_are_named(void **unused) {
    (void)unused;
    ckam_plan *plan = plan_with(NULL);
    ckam_error error;
    assert_failure(ckam_plan_read(plan, "none.json", NULL, &error), CKAM_ERROR_INPUT, &error, "none.json",
                   "No such file");
    assert_failure(ckam_plan_read(plan, ".", NULL, &error), CKAM_ERROR_INPUT, &error, "directory");
    ckam_plan_free(plan);
    assert_failure(ckam_plan_open(&plan, "nowhere", &error), CKAM_ERROR_INPUT, &error, "nowhere",
                   "not the directory of a run");
    assert_null(plan);
    assert_failure(ckam_plan_open(&plan, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_plan_open(NULL, "nowhere", &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
}

/* A list that does not fit into a setting is refused, not cut. */
static void long_lists_are_refused(void **unused) {
    (void)unused;
    FILE *file = fopen("plan.json", "w");
    assert_non_null(file);
    fputs("{\"init\": [0.125", file);
    for (int i = 0; i < 2000; i++) fputs(", 0.125", file);
    fputs("]}", file);
    (void)fclose(file);
    ckam_plan *plan = plan_with(NULL);
    ckam_error error;
    assert_failure(ckam_plan_read(plan, "plan.json", NULL, &error), CKAM_ERROR_OPTION, &error, "init", "4095 bytes");
    assert_setting(plan, "init", "random");
    ckam_plan_free(plan);
}

/* -- run.json ----------------------------------------------------------------------------------------------------- */

/* What a run fills in where it was auto. */
static const char *const filled[] = {"out", "threads", "draws", "horizon", NULL};
static const char *const nothing[] = {NULL};

static void a_plan_comes_back_from_its_run(void **unused) {
    (void)unused;
    static const char *const seeds[] = {"0", "9007199254740993", "9223372036854775807", "9223372036854775808",
                                        "18446744073709551615"};
    static const char *const samplers[] = {
        "ckam:explore=0.30000000000000004,noise=0.1,cycle-length=77",
        "kam:noise=0.1,noise-end=0.05,kernel=gaussian,kernel-scale=1e-100,subsample=10",
        "gam:target-accept=0.1,warmup=999000",
        "rw:step-size=1e100",
        "am:adapt-gain=0",
        "rbam:step-size=2.2250738585072014e-308"};
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++) {
        const char *seed = seeds[i % (sizeof seeds / sizeof *seeds)];
        ckam_plan *plan = plan_with(PAIRS("model", "bimodal:dim=3", "sampler", samplers[i], "seed", seed, "out", "back",
                                          "overwrite", "true", "until", "rhat=1.01", "init", "0.1,-2,3e5", "draws",
                                          "9007199254740992", "thin", "3", "evals", "1000000", "time-limit", "0.1",
                                          "threads", "3", "horizon", "77", "save-warmup", "true", "progress", "json",
                                          "checkpoint-every", "0.30000000000000004", "format", "csv", "chains", "2"));
        ckam_run  *run;
        ckam_error error = {.message = ""};
        if (ckam_run_create(&run, plan, NULL, &error)) fail_msg("%s: %s", samplers[i], error.message);
        assert_string_equal(ckam_run_directory(run), "back");
        ckam_plan *again;
        assert_int_equal(ckam_plan_open(&again, "back", NULL), CKAM_OK);
        assert_equal_plans(plan, again, nothing);
        ckam_run_free(run);
        ckam_plan_free(again);
        ckam_plan_free(plan);
    }
}

static void what_was_auto_is_filled_in(void **unused) {
    (void)unused;
    ckam_plan *again, *plan = plan_with(PAIRS("model", "banana", "sampler", "gam", "format", "csv", "thin", "2"));
    ckam_run  *run;
    assert_int_equal(ckam_run_create(&run, plan, NULL, NULL), CKAM_OK);
    assert_int_equal(ckam_plan_open(&again, ckam_run_directory(run), NULL), CKAM_OK);
    assert_equal_plans(plan, again, filled);
    assert_setting(again, "out", "ckam-run-banana-1");
    assert_setting(again, "draws", "10000");
    assert_setting(again, "horizon", "21000"); /* warmup 1000 and 2 * 10000 */
    char threads[OPTION_TEXT];
    get(again, "threads", threads);
    assert_true(strtol(threads, NULL, 10) >= 1);
    ckam_run_free(run);
    ckam_plan_free(again);
    ckam_plan_free(plan);
}

/* A run's own file serves as a plan for another one: all but the directory. */
static void a_run_is_repeated_from_its_file(void **unused) {
    (void)unused;
    ckam_run  *run = run_with(PAIRS("model", "banana", "sampler", "kam:noise=0.2", "out", "first", "format", "csv",
                                    "seed", "18446744073709551615", "draws", "30"),
                              NULL);
    ckam_plan *again = plan_with(NULL), *before;
    ckam_run_free(run);
    assert_int_equal(ckam_plan_open(&before, "first", NULL), CKAM_OK);
    assert_int_equal(ckam_plan_read(again, "first/run.json", NULL, NULL), CKAM_OK);
    assert_setting(again, "out", "auto");
    assert_equal_plans(before, again, (const char *const[]){"out", NULL});
    plan_change(again, PAIRS("out", "mine"));
    assert_int_equal(ckam_plan_read(again, "first/run.json", NULL, NULL), CKAM_OK);
    assert_setting(again, "out", "mine");
    ckam_plan_free(before);
    ckam_plan_free(again);
}

static void a_directory_with_a_strange_file_is_refused(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        ckam_status status;
        const char *piece;
    } cases[] = {{"{\"draws\": 5}", CKAM_ERROR_FORMAT, "not written by ckam"},
                 {"{\"config\": 5}", CKAM_ERROR_FORMAT, "not written by ckam"},
                 {"{\"ckam\": \"0.1.0\", \"config\": {\"drws\": 5}}", CKAM_ERROR_OPTION, "drws"},
                 {"{\"ckam\": ", CKAM_ERROR_FORMAT, "line 1"},
                 {"", CKAM_ERROR_FORMAT, "line 1"}};
    mkdir("strange", 0777);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_plan *plan = (ckam_plan *)(void *)&plan;
        ckam_error error;
        spill_text("strange/run.json", cases[i].text);
        assert_failure(ckam_plan_open(&plan, "strange", &error), cases[i].status, &error, "strange/run.json",
                       cases[i].piece);
        assert_null(plan);
        assert_int_equal(ckam_plan_open(&plan, "strange", NULL), cases[i].status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_sets_what_it_names),
        cmocka_unit_test(a_file_adds_to_a_plan),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
        cmocka_unit_test(long_lists_are_refused),
        cmocka_unit_test(a_plan_comes_back_from_its_run),
        cmocka_unit_test(what_was_auto_is_filled_in),
        cmocka_unit_test(a_run_is_repeated_from_its_file),
        cmocka_unit_test(a_directory_with_a_strange_file_is_refused),
    };
    return cmocka_run_group_tests_name("plan file", tests, enter_temporary, leave_temporary);
}
