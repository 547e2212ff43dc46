/* test_program.c - programs as models: values, what they say of themselves, workers, derived numbers, the examples. */
#include "held_clock.h"
#include "program_support.h"

#include "base/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- Values ------------------------------------------------------------------------------------------------------- */

#define ECHO "while read -r x y; do echo \"$x\"; done"

static void points_arrive_to_the_last_bit(void **unused) {
    (void)unused;
    static const double numbers[] = {0.0, -0.0, 0.1, -1.0 / 3.0, 1e22, 5e-324, 1.7976931348623157e308, -123456789.125};
    engine             *e = opened_shell(ECHO, "x, y");
    assert_int_equal(e->dim, 2);
    assert_int_equal(e->params.count, 2);
    assert_int_equal(e->derived, 0);
    assert_true(e->threads);
    assert_false(e->random);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        double x[] = {numbers[i], 7.5}, value = value_at(e, x);
        assert_memory_equal(&value, &numbers[i], sizeof value);
    }
    closed(e);
    e = opened_shell("while read -r x y; do echo \"$y\"; done", "x, y");
    assert_true(value_at(e, (const double[]){3.0, -0.625}) == -0.625);
    closed(e);
}

static void all_kinds_of_numbers_are_read(void **unused) {
    (void)unused;
    static const struct {
        const char *text;
        double      value;
    } cases[] = {{"-2.5", -2.5},      {"+1e3", 1000.0},         {"  \t-0.125  ", -0.125}, {"-7.25\\r", -7.25},
                 {".5", 0.5},         {"-1E-2", -0.01},         {"inf", HUGE_VAL},        {"-inf", -HUGE_VAL},
                 {"-Inf", -HUGE_VAL}, {"-Infinity", -HUGE_VAL}, {"INFINITY", HUGE_VAL},   {"-1e400", -HUGE_VAL}};
    static const char *const not_numbers[] = {"nan", "NaN", "-nan"};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        engine *e = opened_shell(text_of("while read -r x; do printf '%%b\\n' '%s'; done", cases[i].text), "x");
        assert_true(value_at(e, (const double[]){1.0}) == cases[i].value);
        closed(e);
    }
    for (size_t i = 0; i < 3; i++) {
        engine *e = opened_shell(text_of("while read -r x; do echo %s; done", not_numbers[i]), "x");
        assert_true(isnan(value_at(e, (const double[]){1.0})));
        closed(e);
    }
}

static void the_environment_says_what_is_wanted(void **unused) {
    (void)unused;
    assert_int_equal(setenv("CKAM_WORKER", "99", 1), 0); /* of a program that runs ckam itself */
    assert_int_equal(setenv("CKAM_DIM", "99", 1), 0);
    engine *e = opened_shell("while read -r x; do case \"$CKAM_DIM $CKAM_PARAMS $CKAM_WORKER\" in\n"
                             "'3 a,theta.1,theta.2 1') echo 1;; *) echo 0;; esac; done",
                             "a > 0, theta[2]");
    assert_true(value_at(e, (const double[]){1.0, 2.0, 3.0}) == 1.0);
    closed(e);
    e = opened_shell("echo 'ckam 1 params x'; while read -r x; do echo \"${CKAM_DIM-0.5}\"; done", NULL);
    assert_true(value_at(e, (const double[]){1.0}) == 0.5);
    closed(e);
    unsetenv("CKAM_WORKER");
    unsetenv("CKAM_DIM");
}

/* -- What a program says of itself -------------------------------------------------------------------------------- */

static void a_program_may_say_its_parameters(void **unused) {
    (void)unused;
    engine                  *e = opened_shell("echo 'ckam 1 params mu, tau > 0, theta[2] ; derived a, b[2]'\n"
                                                               "while read -r mu tau one two; do echo \"$tau $mu $one $two\"; done",
                                              NULL);
    static const char *const names[] = {"mu", "tau", "theta.1", "theta.2"}, *const derived[] = {"a", "b.1", "b.2"};
    assert_int_equal(e->dim, 4);
    assert_int_equal(e->params.count, 4);
    assert_int_equal(e->derived, 3);
    for (size_t k = 0; k < 4; k++) assert_string_equal(e->params.at[k].name, names[k]);
    for (size_t k = 0; k < 3; k++) assert_string_equal(e->derived_names[k], derived[k]);
    assert_true(e->params.at[1].lower == 0.0 && e->params.at[1].upper == HUGE_VAL);
    assert_true(e->params.at[0].lower == -HUGE_VAL);
    double x[] = {1.5, 2.5, 3.5, 4.5}, out[3];
    char   why[ENGINE_WHY];
    void  *handle = attached(e);
    assert_true(value_at(e, x) == 2.5);
    assert_int_equal(e->type->derive(e, handle, x, out, why), ENGINE_VALUE);
    assert_true(out[0] == 1.5 && out[1] == 3.5 && out[2] == 4.5);
    e->type->detach(e, handle);
    closed(e);
}

static void spaces_and_ends_of_lines_do_not_matter(void **unused) {
    (void)unused;
    engine *e =
        opened_shell("printf 'ckam  1\\tparams x,y>0;derived d\\r\\n'; while read -r x y; do echo 1 2; done", NULL);
    assert_int_equal(e->dim, 2);
    assert_int_equal(e->derived, 1);
    assert_true(value_at(e, (const double[]){1.0, 2.0}) == 1.0);
    closed(e);
}

/* With --params a program may greet or not, and is asked before anybody knows. */
static void a_greeting_may_agree_with_params(void **unused) {
    (void)unused;
    const char *text = "echo 'ckam 1 params x, y > 0'; while read -r x y; do echo \"$y\"; done";
    engine     *e = opened_shell(text, "x, y > 0");
    assert_true(value_at(e, (const double[]){1.0, 2.5}) == 2.5);
    assert_true(value_at(e, (const double[]){1.0, 3.5}) == 3.5);
    closed(e);
    e = opened_shell(text, "x > -9, y > 1"); /* bounds of --params take their place */
    assert_true(e->params.at[0].lower == -9.0 && e->params.at[1].lower == 1.0);
    assert_true(value_at(e, (const double[]){1.0, 2.5}) == 2.5);
    closed(e);
}

/* -- Several workers ---------------------------------------------------------------------------------------------- */

typedef struct caller {
    engine       *e;
    double        x[2], value;
    size_t        wrong, rounds;
    engine_answer answer;
    char          why[ENGINE_WHY];
} caller;

static void *call_once(void *of) {
    caller *c = of;
    c->answer = asked(c->e, c->x, &c->value, c->why);
    return NULL;
}

/* An evaluation ends only when two have begun, in different workers. */
#define RENDEZVOUS                                                                                                     \
    "while read -r x; do : >began.$CKAM_WORKER\n"                                                                      \
    "while [ ! -e began.1 ] || [ ! -e began.2 ]; do sleep 0.005; done; echo $CKAM_WORKER; done"

static void two_workers_are_busy_at_once(void **unused) {
    (void)unused;
    caller    c[2] = {{.rounds = 0}};
    pthread_t thread[2];
    spill_text("program.sh", RENDEZVOUS);
    engine *e = opened_with("sh program.sh", "x", 2, PLENTY);
    for (int i = 0; i < 2; i++) c[i].e = e;
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&thread[i], NULL, call_once, &c[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < 2; i++) assert_int_equal(c[i].answer, ENGINE_VALUE);
    assert_true(c[0].value + c[1].value == 3.0);
    closed(e);
    unlink("began.1");
    unlink("began.2");
}

static void one_worker_is_not_two(void **unused) {
    (void)unused;
    spill_text("program.sh", RENDEZVOUS);
    engine *e = opened_with("sh program.sh", "x", 1, 0.3);
    assert_answer(e, 1.0, ENGINE_FAULT, "took longer than 0.3 s");
    closed(e);
    unlink("began.1");
}

static void *call_often(void *of) {
    caller *c = of;
    void   *handle = attached(c->e);
    for (size_t i = 0; i < c->rounds; i++) {
        c->x[1] = (double)i;
        c->wrong += c->e->type->evaluate(c->e, handle, c->x, &c->value, c->why) != ENGINE_VALUE ||
                    c->value != 1000.0 * c->x[0] + c->x[1];
    }
    c->e->type->detach(c->e, handle);
    return NULL;
}

static void answers_go_to_who_asked(void **unused) {
    (void)unused;
    enum { HANDLES = 5, ROUNDS = 100 };
    caller    c[HANDLES];
    pthread_t thread[HANDLES];
    spill_text("program.sh", "while read -r x y; do echo $((1000 * x + y)); done");
    engine *e = opened_with("sh program.sh", "x, y", 3, PLENTY);
    for (int i = 0; i < HANDLES; i++) c[i] = (caller){.e = e, .x = {i}, .rounds = ROUNDS};
    for (int i = 0; i < HANDLES; i++) assert_int_equal(pthread_create(&thread[i], NULL, call_often, &c[i]), 0);
    for (int i = 0; i < HANDLES; i++) pthread_join(thread[i], NULL);
    for (int i = 0; i < HANDLES; i++) assert_int_equal(c[i].wrong, 0);
    closed(e);
}

static void workers_start_when_they_are_needed(void **unused) {
    (void)unused;
    spill_text("program.sh", ": >started.$CKAM_WORKER; " ECHO);
    engine *e = opened_with("sh program.sh", "x, y", 4, PLENTY);
    for (int i = 0; i < 5; i++) value_at(e, (const double[]){1.0, 2.0});
    closed(e);
    assert_true(is_there("started.1"));
    assert_false(is_there("started.2"));
}

/* -- Derived numbers, and large ones ------------------------------------------------------------------------------ */

static size_t calls_made(void) {
    char  *text = slurp("calls", NULL);
    size_t count = strlen(text);
    free(text);
    return count;
}

static void derived_numbers_come_with_the_evaluation(void **unused) {
    (void)unused;
    static const double a[] = {1.0}, b[] = {2.0}, c[] = {3.0};
    double              value, out = 0.0;
    char                why[ENGINE_WHY];
    engine             *e = opened_shell(": >calls; echo 'ckam 1 params x; derived d'\n"
                                                     "while read -r x; do printf . >>calls; echo \"-$x 10$x\"; done",
                                         NULL);
    void               *handle = attached(e);
#define DERIVE(at, expected, calls)                                                                                    \
    assert_int_equal(e->type->derive(e, handle, at, &out, why), ENGINE_VALUE);                                         \
    assert_true(out == (expected));                                                                                    \
    assert_int_equal(calls_made(), calls)
    assert_int_equal(e->type->evaluate(e, handle, a, &value, why), ENGINE_VALUE);
    DERIVE(a, 101.0, 1); /* accepted */
    assert_int_equal(e->type->evaluate(e, handle, b, &value, why), ENGINE_VALUE);
    DERIVE(a, 101.0, 2); /* b was not */
    DERIVE(a, 101.0, 2);
    assert_int_equal(e->type->evaluate(e, handle, c, &value, why), ENGINE_VALUE);
    DERIVE(a, 101.0, 4); /* and b was asked again after 2 answers (lag.h) */
    DERIVE(c, 103.0, 4);
    DERIVE(b, 102.0, 5); /* nowhere */
    DERIVE(b, 102.0, 5);
    e->type->detach(e, handle);
    handle = attached(e);
    DERIVE(a, 101.0, 6); /* a handle that is new, as after a run was taken up again */
    e->type->detach(e, handle);
    closed(e);
}

enum { LARGE = 10000, HUGE_DIM = 100000 };

static void fill_point(double *x, size_t count) {
    for (size_t k = 0; k < count; k++) x[k] = sin((double)k) / 3.0;
}

static void lines_larger_than_a_pipe(void **unused) {
    (void)unused;
    static double x[LARGE], out[LARGE];
    char          why[ENGINE_WHY];
    engine       *e = opened_shell(text_of("echo 'ckam 1 params x[%d]; derived y[%d]'\n"
                                                 "while read -r line; do echo \"0 $line\"; done",
                                           LARGE, LARGE),
                                   NULL);
    void         *handle = attached(e);
    fill_point(x, LARGE);
    assert_int_equal(e->type->derive(e, handle, x, out, why), ENGINE_VALUE);
    assert_memory_equal(x, out, sizeof x);
    e->type->detach(e, handle);
    closed(e);
}

/* cat writes while it reads: 800,000 bytes each way, and pipes hold 65,536. */
static void both_may_write_at_once(void **unused) {
    (void)unused;
    static double x[HUGE_DIM], out[HUGE_DIM - 1];
    char          why[ENGINE_WHY];
    engine       *e =
        opened(text_of("echo 'ckam 1 params x[%d]; derived y[%d]; binary'; exec cat", HUGE_DIM, HUGE_DIM - 1), NULL);
    void *handle = attached(e);
    fill_point(x, HUGE_DIM);
    x[0] = -4.75;
    for (int i = 0; i < 3; i++) {
        x[1] = i;
        assert_true(value_at(e, x) == -4.75);
        assert_int_equal(e->type->derive(e, handle, x, out, why), ENGINE_VALUE);
        assert_memory_equal(x + 1, out, sizeof out);
    }
    e->type->detach(e, handle);
    closed(e);
}

/* Names that no environment holds. */
static void many_names_are_no_obstacle(void **unused) {
    (void)unused;
    static double x[2 * LARGE];
    engine       *e = opened_shell("while read -r x; do echo \"$CKAM_DIM\"; done", text_of("theta[%d]", 2 * LARGE));
    assert_true(value_at(e, x) == 2 * LARGE);
    closed(e);
}

/* -- Processes ---------------------------------------------------------------------------------------------------- */

/* Its own group: what the terminal sends to ours does not reach it. At the end it has time to finish, and what it started goes. */
static void a_worker_ends_with_the_engine(void **unused) {
    (void)unused;
    engine *e =
        opened_shell("echo $$ >leader; sleep 1000 >/dev/null & echo $! >child\n" ECHO "\necho done >finished", "x, y");
    value_at(e, (const double[]){1.0, 2.0});
    char *text = slurp("leader", NULL);
    pid_t leader = (pid_t)strtol(text, NULL, 10);
    free(text);
    assert_int_equal(getpgid(leader), leader);
    assert_true(getpgrp() != leader);
    hold_clock("never"); /* on a busy machine it may take longer to finish than it would be given */
    closed(e);
    hold_clock(NULL);
    assert_true(is_there("finished"));
    assert_reaped("leader");
    assert_gone("child");
}

static void who_does_not_end_is_ended(void **unused) {
    (void)unused;
    engine *e = opened_shell("echo $$ >leader\n" ECHO "\nwhile :; do sleep 1000; done", "x, y");
    value_at(e, (const double[]){1.0, 2.0});
    double start = clock_seconds();
    closed(e);
    assert_less(0.9, clock_seconds() - start);
    assert_reaped("leader");
}

/* A command that was started without standard files. */
static void it_works_without_standard_files(void **unused) {
    (void)unused;
    spill_text("program.sh", ECHO);
    pid_t child = fork();
    if (child == 0) {
        char   why[ENGINE_WHY];
        double value = 0.0;
        close(0);
        close(1);
        engine       *e = opened("sh program.sh", "x, y");
        bool          clear = fcntl(0, F_GETFD) < 0 && fcntl(1, F_GETFD) < 0; /* printing does not go to the worker */
        engine_answer answer = asked(e, (const double[]){6.5, 0.0}, &value, why);
        closed(e);
        _exit(clear && answer == ENGINE_VALUE && value == 6.5 ? 7 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
}

/* -- The examples ------------------------------------------------------------------------------------------------- */

static double correlated(const double *x) {
    return -0.5 * (x[0] * x[0] - 1.6 * x[0] * x[1] + x[1] * x[1]) / (1.0 - 0.64);
}

static void check_example(const char *interpreter, const char *file, const char *declared) {
    static const double points[][2] = {{0.0, 0.0}, {1.0, 2.0}, {-0.1, 1e-3}, {12.5, -1e5}};
    engine             *e = opened(text_of("%s '%s/%s'", interpreter, CKAM_EXAMPLE_PROGRAMS, file), declared);
    void               *handle = attached(e);
    for (size_t i = 0; i < 4; i++) {
        double out[2];
        char   why[ENGINE_WHY];
        assert_close(value_at(e, points[i]), correlated(points[i]), 1e-13);
        if (!e->derived) continue;
        assert_int_equal(e->type->derive(e, handle, points[i], out, why), ENGINE_VALUE);
        assert_true(out[0] == points[i][0] + points[i][1] && out[1] == points[i][0] * points[i][1]);
    }
    e->type->detach(e, handle);
    closed(e);
}

static void the_examples_are_right(void **unused) {
    (void)unused;
    check_example("python3", "density.py", "x, y");
    check_example("python3", "binary.py", NULL);
    check_example("sh", "density.sh", "x, y");
    if (system("command -v Rscript >/dev/null")) /* NOLINT(cert-env33-c) */
        print_message("density.R is not tested: there is no Rscript\n");
    else
        check_example("Rscript", "density.R", "x, y");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(points_arrive_to_the_last_bit),
                                       cmocka_unit_test(all_kinds_of_numbers_are_read),
                                       cmocka_unit_test(the_environment_says_what_is_wanted),
                                       cmocka_unit_test(a_program_may_say_its_parameters),
                                       cmocka_unit_test(spaces_and_ends_of_lines_do_not_matter),
                                       cmocka_unit_test(a_greeting_may_agree_with_params),
                                       cmocka_unit_test(two_workers_are_busy_at_once),
                                       cmocka_unit_test(one_worker_is_not_two),
                                       cmocka_unit_test(answers_go_to_who_asked),
                                       cmocka_unit_test(workers_start_when_they_are_needed),
                                       cmocka_unit_test(derived_numbers_come_with_the_evaluation),
                                       cmocka_unit_test(lines_larger_than_a_pipe),
                                       cmocka_unit_test(both_may_write_at_once),
                                       cmocka_unit_test(many_names_are_no_obstacle),
                                       cmocka_unit_test(a_worker_ends_with_the_engine),
                                       cmocka_unit_test(who_does_not_end_is_ended),
                                       cmocka_unit_test(it_works_without_standard_files),
                                       cmocka_unit_test(the_examples_are_right)};
    return cmocka_run_group_tests_name("program", tests, enter_temporary, leave_temporary);
}
