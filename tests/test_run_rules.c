/* test_run_rules.c - what ends a run: draws, evaluations, time, convergence; and what it writes about itself then. */
#include "run_support.h"

#include "base/clock.h"
#include "draws/netcdf.h"
#include "run/run.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Creates and goes; the run is the caller's. */
static ckam_run *gone(const char *const *pairs, const ckam_target *target) {
    ckam_run   *run = run_with(pairs, target);
    ckam_error  error = {.message = ""};
    ckam_status status = ckam_run_go(run, NULL, NULL, &error);
    if (status) print_error("%s: %s\n", ckam_status_name(status), error.message);
    assert_int_equal(status, CKAM_OK);
    return run;
}

static json_t *record_of(const char *out) {
    json_t *json = json_load_file(text_of("%s/run.json", out), 0, NULL);
    assert_non_null(json);
    return json;
}

/* -- Evaluations and time ----------------------------------------------------------------------------------------- */

static void evaluations_are_counted_exactly(void **unused) {
    (void)unused;
    static const char *const caps[] = {"1986", "1987", "2137"}; /* 1986 is the least that jump takes */
    ckam_model              *model;
    assert_int_equal(ckam_model_create(&model, "bimodal", NULL), CKAM_OK);
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++)
        for (size_t i = 0; i < sizeof caps / sizeof *caps; i++) {
            tricky      t = {.inner = *ckam_model_target(model)};
            ckam_target target = tricky_target(&t);
            ckam_counts counts;
            ckam_run *run = gone(PAIRS("sampler", entry->name, "evals", caps[i], "chains", "3", "format", "csv", "out",
                                       "capped", "overwrite", "true", "seed", "4"),
                                 &target);
            uint64_t  cap = strtoull(caps[i], NULL, 10);
            assert_string_equal(ckam_run_reason(run), "evals");
            ckam_run_counts(run, &counts);
            assert_int_equal(counts.evaluations, 3 * cap);
            assert_int_equal(atomic_load(&t.calls), 3 * cap);
            assert_true((ckam_run_review(run) != NULL) == (counts.draws > 0));
            ckam_run_free(run);
            json_t *json = record_of("capped");
            assert_int_equal(json_integer_value(json_object_get(json_object_get(json, "counts"), "evaluations")),
                             3 * cap);
            json_decref(json);
        }
    ckam_model_free(model);
}

/* Whichever of two rules comes first. */
static void the_first_rule_ends_a_run(void **unused) {
    (void)unused;
    ckam_run *run = gone(
        PAIRS("model", "ring", "sampler", "gam:warmup=10", "draws", "50", "evals", "5000", "format", "none"), NULL);
    assert_string_equal(ckam_run_reason(run), "draws");
    assert_int_equal(ckam_run_review(run)->rows, 50);
    ckam_run_free(run);
    run = gone(PAIRS("model", "ring", "sampler", "gam:warmup=10", "draws", "5000", "evals", "80", "format", "none"),
               NULL);
    assert_string_equal(ckam_run_reason(run), "evals");
    assert_true(ckam_run_review(run)->rows < 70);
    ckam_run_free(run);
}

static void time_ends_a_run(void **unused) {
    (void)unused;
    double    start = clock_seconds();
    ckam_run *run = gone(PAIRS("model", "bimodal", "sampler", "gam", "time-limit", "2", "format", "none"), NULL);
    double    time = clock_seconds() - start;
    assert_string_equal(ckam_run_reason(run), "time-limit");
    /* how much longer is a matter of what else the machine has to do, and so is the end that is foreseen */
    assert_less(0.1, time);
    ckam_counts counts;
    ckam_run_counts(run, &counts);
    assert_true(counts.draws > 0);
    ckam_run_free(run);
    run = gone(PAIRS("model", "bimodal", "sampler", "gam", "time-limit", "1h", "draws", "20", "format", "none"), NULL);
    assert_string_equal(ckam_run_reason(run), "draws");
    ckam_run_free(run);
}

/* The limit is for the start and the end, too: where these need all of it nothing is drawn, and the run says so. The others have a
 * limit that is far away, and end by their draws. */
static void start_and_end_count_as_time(void **unused) {
    (void)unused;
    static const struct {
        double startup, files_cost;
        bool   ends;
    } cases[] = {
        {0.0, 0.0, false}, {900.0, 0.0, false}, {1200.0, 0.0, true}, {600.0, 600.0, true}, {0.0, 300.0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_run *run =
            run_with(PAIRS("model", "bimodal", "sampler", "rw", "time-limit", "1000", "draws",
                           cases[i].ends ? "5000000" : "2000", "out", "timed", "overwrite", "true", "format", "csv"),
                     NULL);
        run->startup = cases[i].startup;
        run->files_cost = cases[i].files_cost;
        assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
        assert_string_equal(ckam_run_reason(run), cases[i].ends ? "time-limit" : "draws");
        assert_int_equal(strstr(ckam_run_warning(run), "cannot be kept") != NULL, cases[i].ends);
        ckam_run_free(run);
    }
}

/* Holds up the thread that looks at the clock, as a busy machine may. */
static void hold_up(void *unused, const ckam_progress *p) {
    (void)unused, (void)p;
    nanosleep(&(struct timespec){.tv_nsec = 400000000}, NULL);
}

/* Start and end take next to nothing: that the limit is passed is no reason to ask for fewer draws. */
static void late_look_at_the_clock_warns_of_nothing(void **unused) {
    (void)unused;
    ckam_run *run = run_with(
        PAIRS("model", "bimodal", "sampler", "rw", "time-limit", "0.3", "thin", "1000000", "format", "none"), NULL);
    run->startup = 0.0;
    assert_int_equal(ckam_run_go(run, hold_up, NULL, NULL), CKAM_OK);
    assert_string_equal(ckam_run_reason(run), "time-limit");
    assert_string_equal(ckam_run_warning(run), "");
    ckam_run_free(run);
}

/* -- Until -------------------------------------------------------------------------------------------------------- */

/* Worst R-hat and least ESS of the first `rows` rows in a directory, by ckam_summarise(). */
static void judge(const char *out, size_t chains, size_t rows, double *rhat, double *ess) {
    ckam_draws *draws;
    double     *cut = calloc(chains * rows, sizeof *cut);
    assert_non_null(cut);
    assert_int_equal(ckam_draws_open(&draws, PAIRS(out), 1, NULL), CKAM_OK);
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    assert_true(shape->chains == chains && shape->rows >= rows && shape->stride == 1);
    *rhat = 0.0;
    *ess = HUGE_VAL;
    for (size_t k = shape->first; k < shape->columns; k++) {
        const double *values;
        ckam_summary  s;
        assert_int_equal(ckam_draws_column(draws, k, &values, NULL), CKAM_OK);
        for (size_t i = 0; i < chains; i++) memcpy(cut + i * rows, values + i * shape->rows, rows * sizeof *cut);
        assert_int_equal(ckam_summarise(cut, chains, rows, &s, NULL), CKAM_OK);
        *rhat = fmax(*rhat, s.rhat);
        *ess = fmin(*ess, fmin(s.ess_bulk, s.ess_tail));
    }
    ckam_draws_free(draws);
    free(cut);
}

/* The run stopped at the first of the fixed numbers of draws where the rule holds, by an independent judgement. */
static void check_until(const char *sampler, const char *rule, double rhat_most, double ess_least) {
    for (int threads = 1; threads <= 3; threads++) {
        ckam_run *run = gone(PAIRS("model", "gaussian:dim=3", "sampler", sampler, "until", rule, "chains", "3",
                                   "format", "csv", "threads", text_of("%d", threads), "out",
                                   text_of("until-%d", threads), "seed", "11", "overwrite", "true"),
                             NULL);
        assert_string_equal(ckam_run_reason(run), "until");
        ckam_run_free(run);
    }
    assert_same_rows("until-1", "until-2", 3, false);
    assert_same_rows("until-1", "until-3", 3, false);
    size_t rows = count_rows("until-1/chain_1.csv");
    assert_int_equal(rows, count_rows("until-1/chain_3.csv"));
    size_t looks = 0;
    for (size_t goal = 100; goal <= rows; goal += goal / 10, looks++) {
        double rhat, ess;
        judge("until-1", 3, goal, &rhat, &ess);
        bool met = rhat <= rhat_most && ess >= ess_least;
        if (met != (goal == rows)) print_error("%s: %s at %zu of %zu rows\n", sampler, rule, goal, rows);
        assert_true(met == (goal == rows));
    }
    assert_true(looks >= 2); /* or the rule was too easy to show anything */
}

static void convergence_ends_a_run_at_the_same_row(void **unused) {
    (void)unused;
    check_until("gam:warmup=50", "rhat=1.05", 1.05, 0.0);
    check_until("gam:warmup=50", "ess=60", HUGE_VAL, 60.0);
    check_until("rw:warmup=20", "rhat=1.1,ess=30", 1.1, 30.0);
    check_until("ckam:cycle-length=60,subsample=20", "rhat=1.1", 1.1, 0.0);
}

/* The twin: what cannot be had is not had, and the run goes on to its other rule. */
/* The ESS that a rule wants must fit into the draws that are kept in memory, which are bounded. */
static void a_rule_that_cannot_be_judged_is_refused(void **unused) {
    (void)unused;
    ckam_plan *plan = plan_with(PAIRS("model", "gaussian:dim=100", "until", "ess=100000", "out", "refused"));
    ckam_run  *run;
    ckam_error error;
    assert_failure(ckam_run_create(&run, plan, NULL, &error), CKAM_ERROR_OPTION, &error, "ess=100000",
                   "100 parameters");
    assert_false(is_there("refused"));
    ckam_plan_free(plan);
}

static void a_rule_that_cannot_be_met_does_not_end_a_run(void **unused) {
    (void)unused;
    static const char *const rules[] = {"rhat=1.0000001", "ess=50000", "rhat=1.5,ess=50000", "rhat=1.0000001,ess=1"};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        ckam_run *run = gone(PAIRS("model", "gaussian:dim=3", "sampler", "gam:warmup=50", "until", rules[i], "draws",
                                   "777", "format", "none", "seed", "11", "chains", "3"),
                             NULL);
        assert_string_equal(ckam_run_reason(run), "draws");
        assert_int_equal(ckam_run_review(run)->rows, 777);
        ckam_run_free(run);
    }
}

/* A rule that is met only where the draws end is met. */
static void the_last_row_counts(void **unused) {
    (void)unused;
    ckam_run *run = gone(PAIRS("model", "gaussian:dim=1", "sampler", "gam:warmup=100", "until", "rhat=3", "draws", "60",
                               "format", "none", "seed", "11", "chains", "2"),
                         NULL);
    assert_string_equal(ckam_run_reason(run), "until");
    ckam_run_free(run);
}

/* -- What is written ---------------------------------------------------------------------------------------------- */

static const char *text_at(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));
    if (!text) print_error("%s is no text\n", key);
    assert_non_null(text);
    return text;
}

/* Every setting and every option of the sampler is a key of config, and there is no other. */
static void run_json_tells_everything(void **unused) {
    (void)unused;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) {
        ckam_plan *plan =
            plan_with(PAIRS("model", "bimodal:dim=2", "sampler", entry->name, "draws", "40", "chains", "2", "seed",
                            "18446744073709551615", "out", "told", "overwrite", "true", "format", "csv"));
        ckam_run *run;
        ckam_plan_command(plan, "ckam sample \"bimodal\" --na\xc3\xafve");
        assert_int_equal(ckam_run_create(&run, plan, NULL, NULL), CKAM_OK);
        json_t *early = record_of("told"); /* already there before it goes, for a run that is killed */
        assert_true(json_is_null(json_object_get(early, "ended")) && json_is_null(json_object_get(early, "stopped")));
        json_decref(early);
        assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
        json_t *json = record_of("told"), *config = json_object_get(json, "config");
        size_t  keys = 0;
        for (const ckam_option *o = ckam_plan_list(); o->name; o++, keys++)
            assert_non_null(json_object_get(config, o->name));
        for (const ckam_option *o = entry->options; o->name; o++, keys++)
            assert_non_null(json_object_get(config, o->name));
        assert_int_equal(json_object_size(config), keys);
        assert_string_equal(text_at(json, "ckam"), CKAM_VERSION);
        assert_string_equal(text_at(json, "command"), "ckam sample \"bimodal\" --na\xc3\xafve");
        assert_string_equal(text_at(json, "stopped"), "draws");
        assert_true(json_is_null(json_object_get(json, "message")));
        assert_int_equal(strlen(text_at(json, "started")), 20);
        assert_true(strcmp(text_at(json, "started"), text_at(json, "ended")) <= 0);
        assert_true(json_is_real(json_object_get(json, "seconds")));
        assert_int_equal(json_integer_value(json_object_get(json, "dim")), 2);
        assert_int_equal(json_array_size(json_object_get(json, "parameters")), 2);
        assert_string_equal(text_at(config, "seed"), "18446744073709551615");
        json_t     *numbers = json_object_get(json, "counts"), *draws = json_object_get(numbers, "draws");
        ckam_counts counts;
        ckam_run_counts(run, &counts);
        assert_int_equal(json_integer_value(json_object_get(numbers, "evaluations")), counts.evaluations);
        assert_int_equal(json_integer_value(json_object_get(numbers, "iterations")), counts.iterations);
        assert_int_equal(json_integer_value(json_object_get(numbers, "accepted")), counts.accepted);
        assert_int_equal(json_integer_value(json_object_get(numbers, "undefined")), counts.undefined);
        assert_int_equal(json_array_size(draws), 2);
        assert_int_equal(json_integer_value(json_array_get(draws, 1)), 40);
        json_decref(json);
        ckam_run_free(run);
        ckam_plan_free(plan);
    }
}

/* summary.csv has the numbers of the review, to the last bit. */
static void the_summary_is_the_review(void **unused) {
    (void)unused;
    ckam_run *run = gone(
        PAIRS("model", "bimodal", "sampler", "gam", "draws", "200", "chains", "2", "seed", "2", "out", "summed"), NULL);
    const ckam_review *review = ckam_run_review(run);
    assert_non_null(review);
    char *text = slurp("summed/summary.csv", NULL), *next = NULL, *line = strtok_r(text, "\n", &next);
    assert_string_equal(line, "variable,mean,mcse_mean,sd,median,mad,q5,q95,rhat,ess_bulk,ess_tail");
    for (size_t k = 0; k <= review->parameters; k++) {
        const ckam_summary *s = k ? &review->summary[k - 1] : &review->log_density;
        const double        numbers[] = {s->mean, s->mcse_mean, s->sd,   s->median,   s->mad,
                                         s->q5,   s->q95,       s->rhat, s->ess_bulk, s->ess_tail};
        line = strtok_r(NULL, "\n", &next);
        assert_non_null(line);
        char *comma = strchr(line, ',');
        assert_non_null(comma);
        *comma = 0;
        assert_string_equal(line, k ? review->names[k - 1] : "lp__");
        for (size_t i = 0; i < 10; i++) {
            char  *end;
            double number = strtod(comma + 1, &end);
            assert_true(number == numbers[i] || (isnan(number) && isnan(numbers[i])));
            assert_true(*end == (i < 9 ? ',' : 0));
            comma = end;
        }
    }
    assert_null(strtok_r(NULL, "\n", &next));
    free(text);
    assert_true(is_there("summed/draws.nc") == !netcdf_check(NULL) && !is_there("summed/draws.nc.new") &&
                !is_there("summed/run.json.new"));
    ckam_run_free(run);
}

/* What stands in the head of a file is what happened. */
static void the_head_of_a_file_is_right(void **unused) {
    (void)unused;
    ckam_run_free(gone(PAIRS("model", "bimodal", "sampler", "gam:warmup=10", "draws", "5000", "evals", "100", "thin",
                             "3", "chains", "1", "seed", "77", "out", "headed", "format", "csv", "init", "0,0"),
                       NULL));
    char  *text = slurp("headed/chain_1.csv", NULL), expected[64];
    size_t rows = count_rows("headed/chain_1.csv");
    snprintf(expected, sizeof expected, "\n# num_samples = %-20zu\n", rows * 3);
    static const char *const pieces[] = {"\n# num_warmup = 10                  \n",
                                         "\n# thin = 3\n",
                                         "\n# algorithm = gam\n",
                                         "\n# seed = 77\n",
                                         "\n# id = 1\n",
                                         "\n# model = bimodal\n",
                                         " seconds (Total)\n"};
    assert_non_null(strstr(text, expected));
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) assert_non_null(strstr(text, pieces[i]));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluations_are_counted_exactly),
        cmocka_unit_test(the_first_rule_ends_a_run),
        cmocka_unit_test(time_ends_a_run),
        cmocka_unit_test(start_and_end_count_as_time),
        cmocka_unit_test(late_look_at_the_clock_warns_of_nothing),
        cmocka_unit_test(convergence_ends_a_run_at_the_same_row),
        cmocka_unit_test(a_rule_that_cannot_be_met_does_not_end_a_run),
        cmocka_unit_test(a_rule_that_cannot_be_judged_is_refused),
        cmocka_unit_test(the_last_row_counts),
        cmocka_unit_test(run_json_tells_everything),
        cmocka_unit_test(the_summary_is_the_review),
        cmocka_unit_test(the_head_of_a_file_is_right),
    };
    return cmocka_run_group_tests_name("run rules", tests, enter_temporary, leave_temporary);
}
