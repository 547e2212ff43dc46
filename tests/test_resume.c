/* test_resume.c - a run that was stopped, broken off or killed, and goes on, has the rows of one that was not. */
#include "run_support.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Evaluations at which something happens: pseudo-random, the same in every run of the test. */
static uint64_t chance(uint64_t most) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return 1 + state % most;
}

static ckam_model *model;

static int make_model(void **unused) {
    return enter_temporary(unused) || ckam_model_create(&model, "gaussian:dim=2", NULL);
}

static int free_model(void **unused) {
    ckam_model_free(model);
    return leave_temporary(unused);
}

/* -- Stopped ------------------------------------------------------------------------------------------------------ */

typedef struct scene {
    const char *sampler, *draws, *thin, *save_warmup, *until, *threads;
} scene;

static const char *const *pairs_of(const scene *s, const char *out) {
    static const char *pairs[32];
    const char *const  list[] = {"model",  "own",    "sampler", s->sampler, "seed",        "6",
                                 "chains", "3",      "draws",   s->draws,   "thin",        s->thin,
                                 "until",  s->until, "threads", s->threads, "save-warmup", s->save_warmup,
                                 "out",    out,      "format",  "csv",      "overwrite",   "true"};
    memcpy(pairs, list, sizeof list);
    pairs[sizeof list / sizeof *list] = NULL;
    return pairs;
}

/* Goes on until the end, stopped at evaluation `at` of each session while that is not 0. Returns the sessions. */
static int sessions_to_end(const scene *s, const char *out, uint64_t (*next)(void)) {
    for (int session = 1;; session++) {
        tricky      t = {.inner = *ckam_model_target(model), .at = next(), .trick = TRICK_STOP_RUN};
        ckam_target target = tricky_target(&t);
        t.run = session == 1 ? run_with(pairs_of(s, out), &target) : run_again(out, NULL, &target);
        ckam_status status = ckam_run_go(t.run, NULL, NULL, NULL);
        assert_string_equal(ckam_run_reason(t.run), status == CKAM_STOP         ? "interrupted"
                                                    : strcmp(s->until, "never") ? "until"
                                                                                : "draws");
        ckam_run_free(t.run);
        if (status == CKAM_OK) return session;
        assert_int_equal(status, CKAM_STOP);
    }
}

static uint64_t never(void) { return 0; }
static uint64_t soon(void) { return 4 + chance(250); } /* a resumed run looks at the density 3 times before it goes */
static uint64_t later(void) { return 4 + chance(1000); }

static void check_interrupted(const scene *s) {
    bool warmup = !strcmp(s->save_warmup, "true");
    int  sessions = 0;
    assert_int_equal(sessions_to_end(s, "straight", never), 1);
    for (int i = 0; i < 3; i++) {
        sessions += sessions_to_end(s, "broken", i == 0 ? soon : later);
        assert_same_rows("straight", "broken", 3, warmup);
    }
    assert_true(sessions > 5); /* it was really stopped now and then */
}

static void a_stopped_run_goes_on(void **unused) {
    (void)unused;
    static const scene scenes[] = {
        {"rw:warmup=30", "300", "1", "false", "never", "1"},
        {"am:warmup=30", "150", "3", "true", "never", "2"},
        {"rbam:warmup=200", "200", "2", "false", "never", "2"},
        {"gam:warmup=30", "300", "1", "true", "never", "2"},
        {"kam:warmup=30,subsample=20", "200", "2", "true", "never", "1"},
        {"ckam:cycle-length=40,subsample=20", "250", "1", "true", "never", "2"},
        {"ckam:cycle-length=50,transition=delayed-rejection,subsample=10", "100", "3", "false", "never", "1"},
        {"jump:warmup=30", "700", "1", "true", "never", "2"}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) check_interrupted(&scenes[i]);
}

/* The rule looks at the same rows, so it ends at the same one. */
static void a_run_until_converged_goes_on(void **unused) {
    (void)unused;
    static const scene scenes[] = {{"gam:warmup=50", "auto", "1", "false", "ess=40", "2"},
                                   {"gam:warmup=50", "auto", "2", "true", "rhat=1.2", "1"},
                                   {"ckam:cycle-length=60,subsample=10", "auto", "1", "false", "ess=25", "2"},
                                   {"jump:warmup=30", "auto", "2", "true", "ess=200", "2"}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) check_interrupted(&scenes[i]);
}

/* Before anything was evaluated, and when all is done. */
static void the_ends_are_no_exception(void **unused) {
    (void)unused;
    const scene s = {"gam:warmup=30", "100", "1", "false", "never", "2"};
    ckam_target target = *ckam_model_target(model);
    sessions_to_end(&s, "straight", never);
    ckam_run *run = run_with(pairs_of(&s, "broken"), &target);
    ckam_run_stop(run);
    assert_int_equal(go_and_free(run), CKAM_STOP);
    assert_int_equal(count_rows("broken/chain_1.csv"), 0);
    run = run_again("broken", NULL, &target);
    ckam_run_free(run); /* taken up and left again */
    assert_int_equal(go_and_free(run_again("broken", NULL, &target)), CKAM_OK);
    assert_same_rows("straight", "broken", 3, false);
    assert_int_equal(go_and_free(run_again("broken", NULL, &target)), CKAM_OK); /* nothing left to do */
    assert_same_rows("straight", "broken", 3, false);
    char *one = slurp("straight/summary.csv", NULL), *other = slurp("broken/summary.csv", NULL);
    assert_string_equal(one, other);
    free(one);
    free(other);
    run = run_with(pairs_of(&s, "left"), &target);
    ckam_run_free(run); /* created, and never gone */
    assert_int_equal(go_and_free(run_again("left", NULL, &target)), CKAM_OK);
    assert_same_rows("straight", "left", 3, false);
}

/* -- More of it --------------------------------------------------------------------------------------------------- */

static void draws_may_be_raised(void **unused) {
    (void)unused;
    static const char *const specs[] = {"gam:warmup=20", "ckam:cycle-length=40,subsample=20",
                                        "kam:warmup=20,subsample=20", "jump:warmup=20"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        scene      s = {specs[i], "300", "2", "true", "never", "2"};
        ckam_plan *plan = plan_with(pairs_of(&s, "straight"));
        ckam_run  *run;
        plan_change(plan, PAIRS("model", "bimodal", "horizon", "1000")); /* the schedules of kam span it */
        assert_int_equal(ckam_run_create(&run, plan, NULL, NULL), CKAM_OK);
        assert_int_equal(go_and_free(run), CKAM_OK);
        plan_change(plan, PAIRS("draws", "100", "out", "raised"));
        assert_int_equal(ckam_run_create(&run, plan, NULL, NULL), CKAM_OK);
        assert_int_equal(go_and_free(run), CKAM_OK);
        ckam_plan_free(plan);
        assert_int_equal(count_rows("raised/chain_2.csv"), 100);
        assert_int_equal(go_and_free(run_again("raised", PAIRS("draws", "299", "threads", "1"), NULL)), CKAM_OK);
        assert_int_equal(count_rows("raised/chain_2.csv"), 299);
        assert_int_equal(go_and_free(run_again("raised", PAIRS("draws", "300", "checkpoint-every", "0"), NULL)),
                         CKAM_OK);
        assert_same_rows("straight", "raised", 3, true);
        char *text = slurp("raised/chain_3.csv", NULL);
        assert_non_null(strstr(text, "# num_samples = 600 "));
        free(text);
    }
}

static void evaluations_may_be_raised(void **unused) {
    (void)unused;
    ckam_counts counts;
    run_to_end(PAIRS("model", "bimodal", "sampler", "gam:warmup=20", "evals", "500", "horizon", "500", "seed", "6",
                     "out", "straight", "overwrite", "true", "format", "csv"),
               NULL);
    run_to_end(PAIRS("model", "bimodal", "sampler", "gam:warmup=20", "evals", "42", "horizon", "500", "seed", "6",
                     "out", "capped", "format", "csv"),
               NULL);
    ckam_run *run = run_again("capped", PAIRS("evals", "200"), NULL);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    ckam_run_counts(run, &counts);
    assert_int_equal(counts.evaluations, 4 * 200);
    ckam_run_free(run);
    assert_int_equal(go_and_free(run_again("capped", PAIRS("evals", "500"), NULL)), CKAM_OK);
    assert_same_rows("straight", "capped", 4, false);
}

/* A rule that is new holds in place of the draws that are there; one that is not lets them stand. */
static void a_new_rule_lifts_what_is_used_up(void **unused) {
    (void)unused;
    const char *const *begin = PAIRS("model", "gaussian:dim=2", "sampler", "gam:warmup=50", "draws", "100", "seed", "3",
                                     "out", "lifted", "format", "csv", "overwrite", "true");
    run_to_end(begin, NULL);
    ckam_run *run = run_again("lifted", PAIRS("threads", "1"), NULL);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_string_equal(ckam_run_reason(run), "draws");
    ckam_run_free(run);
    assert_int_equal(count_rows("lifted/chain_1.csv"), 100);
    run = run_again("lifted", PAIRS("until", "ess=200"), NULL);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_string_equal(ckam_run_reason(run), "until");
    ckam_run_free(run);
    assert_true(count_rows("lifted/chain_1.csv") > 100);
    run_to_end(begin, NULL);
    run = run_again("lifted", PAIRS("evals", "400"), NULL); /* more evaluations than 100 draws took */
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_string_equal(ckam_run_reason(run), "evals");
    ckam_run_free(run);
}

static void two_runs_of_a_process_are_kept_apart(void **unused) {
    (void)unused;
    ckam_run  *run = run_with(PAIRS("model", "bimodal", "draws", "10", "out", "shared", "format", "csv"), NULL), *other;
    ckam_error error;
    assert_failure(try_again(&other, "shared", PAIRS("draws", "20"), NULL, &error), CKAM_ERROR_OUTPUT, &error,
                   "is running in shared", "process");
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    other = run_again("shared", PAIRS("draws", "20"), NULL); /* free when the first has gone */
    ckam_run_free(other);
    ckam_run_free(run);
}

/* -- Broken off by the target ------------------------------------------------------------------------------------- */

static void check_broken(trick what, ckam_status expected, const char *reason, const char *piece) {
    const scene s = {"gam:warmup=30", "200", "1", "true", "never", "2"};
    sessions_to_end(&s, "straight", never);
    for (int i = 0; i < 6; i++) {
        ckam_error  error = {.message = ""};
        tricky      t = {.inner = *ckam_model_target(model), .at = 1 + chance(650), .trick = what};
        ckam_target target = tricky_target(&t);
        t.run = run_with(pairs_of(&s, "broken"), &target);
        ckam_status status = ckam_run_go(t.run, NULL, NULL, &error);
        assert_failure(status, expected, &error, "chain ", piece);
        assert_string_equal(ckam_run_reason(t.run), reason);
        ckam_run_free(t.run);
        json_t *json = json_load_file("broken/run.json", 0, NULL);
        assert_string_equal(json_string_value(json_object_get(json, "stopped")), reason);
        const char *message = json_string_value(json_object_get(json, "message"));
        if (status < 0) assert_string_equal(message, error.message);
        json_decref(json);
        assert_int_equal(go_and_free(run_again("broken", NULL, ckam_model_target(model))), CKAM_OK); /* cause gone */
        assert_same_rows("straight", "broken", 3, true);
    }
}

static void a_run_that_its_target_ends_goes_on(void **unused) {
    (void)unused;
    check_broken(TRICK_STOP, CKAM_STOP, "target", "asked the run to stop");
    check_broken(TRICK_INFINITE, CKAM_ERROR_INFINITE, "error", "+infinity");
    check_broken(TRICK_CODE, CKAM_ERROR_TARGET, "error", "the target returned ");
}

static int normal_or_nowhere(void *context, const double *x, double *value) {
    *value = -0.5 * (x[0] * x[0] + x[1] * x[1]);
    return *(const bool *)context ? CKAM_REJECT : CKAM_OK;
}

static void a_start_that_is_not_defined_is_an_error(void **unused) {
    (void)unused;
    bool        broken = true;
    ckam_target target = {.dim = 2, .log_density = normal_or_nowhere, .context = &broken};
    for (int given = 0; given < 2; given++) {
        ckam_error error = {.message = ""};
        broken = true;
        ckam_run *run = run_with(PAIRS("sampler", "gam:warmup=5", "draws", "20", "out", "nowhere", "overwrite", "true",
                                       "format", "csv", "init", given ? "1,2" : "random"),
                                 &target);
        assert_failure(ckam_run_go(run, NULL, NULL, &error), CKAM_ERROR_START, &error, "chain ", "start");
        assert_null(ckam_run_review(run));
        ckam_run_free(run);
        assert_int_equal(count_rows("nowhere/chain_1.csv"), 0);
        broken = false;
        assert_int_equal(go_and_free(run_again("nowhere", NULL, &target)), CKAM_OK);
        assert_int_equal(count_rows("nowhere/chain_4.csv"), 20);
    }
}

/* -- Killed ------------------------------------------------------------------------------------------------------- */

typedef struct deadly {
    ckam_target          inner;
    atomic_uint_fast64_t calls;
    uint64_t             at;
} deadly;

static int kill_at(void *context, const double *x, double *value) {
    deadly *d = context;
    if (atomic_fetch_add(&d->calls, 1) + 1 == d->at) kill(getpid(), SIGKILL);
    for (volatile int i = 0; i < 5000; i++) continue; /* slow enough that there is a checkpoint now and then */
    return d->inner.log_density(d->inner.context, x, value);
}

/* Another process begins or goes on, and is killed at evaluation `at`. Returns whether it was. */
static bool killed(const scene *s, const char *out, bool first, uint64_t at) {
    int   ended;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        deadly      d = {.inner = *ckam_model_target(model), .at = at};
        ckam_target target = d.inner;
        ckam_run   *run = NULL;
        ckam_plan  *plan;
        target.log_density = kill_at;
        target.context = &d;
        if (first) {
            plan = plan_with(pairs_of(s, out));
            ckam_plan_set(plan, "checkpoint-every", "0", NULL);
            if (ckam_run_create(&run, plan, &target, NULL)) _exit(2);
        } else if (ckam_plan_open(&plan, out, NULL) || ckam_run_resume(&run, plan, out, &target, NULL)) {
            _exit(3);
        }
        _exit(ckam_run_go(run, NULL, NULL, NULL) == CKAM_OK ? 0 : 4);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    if (WIFEXITED(ended)) assert_int_equal(WEXITSTATUS(ended), 0);
    return WIFSIGNALED(ended);
}

static void a_killed_run_goes_on(void **unused) {
    (void)unused;
    static const scene scenes[] = {{"gam:warmup=30", "4000", "2", "true", "never", "2"},
                                   {"ckam:cycle-length=40,subsample=10", "1500", "1", "true", "never", "1"},
                                   {"jump:warmup=30", "2000", "1", "true", "never", "2"}};
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
        int kills = 0;
        sessions_to_end(&scenes[i], "straight", never);
        for (int round = 0; round < 2; round++) {
            bool first = true;
            for (uint64_t most = 4000; killed(&scenes[i], "broken", first, 10 + chance(most)); most += 1000) {
                first = false; /* it gets there even if no checkpoint is ever made */
                kills++;
            }
            assert_same_rows("straight", "broken", 3, true);
        }
        assert_true(kills >= 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_run_goes_on),
        cmocka_unit_test(a_run_until_converged_goes_on),
        cmocka_unit_test(the_ends_are_no_exception),
        cmocka_unit_test(draws_may_be_raised),
        cmocka_unit_test(evaluations_may_be_raised),
        cmocka_unit_test(a_new_rule_lifts_what_is_used_up),
        cmocka_unit_test(two_runs_of_a_process_are_kept_apart),
        cmocka_unit_test(a_run_that_its_target_ends_goes_on),
        cmocka_unit_test(a_start_that_is_not_defined_is_an_error),
        cmocka_unit_test(a_killed_run_goes_on),
    };
    return cmocka_run_group_tests_name("resume", tests, make_model, free_model);
}
