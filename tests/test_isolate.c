/* test_isolate.c - models in processes of their own: the same values, and misbehaviour that harms nobody. */
#include "isolated.h"

#include <fcntl.h>
#include <pthread.h>

/* -- Values ------------------------------------------------------------------------------------------------------- */

static void assert_same_bits(const double *a, const double *b, size_t count) {
    assert_memory_equal(a, b, count * sizeof *a);
}

static void values_are_those_of_the_model(void **unused) {
    (void)unused;
    stage  s;
    int    closed = 0;
    size_t number = 4;
    void  *handle = &number;
    char   why[ENGINE_WHY] = "";
    begin(&s, DIM, DERIVED, LONG);
    engine *plain = misbehaving_open(DIM, DERIVED, &closed);
    for (int k = 0; k < 1000; k++) {
        double x[DIM] = {k % 50 == 7 ? DEED_NAN : 0.7, 0.1 * k, -1e5 / (k + 1)}, expected = 0.0, value = -1.0;
        double out[DERIVED], out_expected[DERIVED];
        plain->type->evaluate(plain, handle, x, &expected, why);
        assert_int_equal(s.e->type->evaluate(s.e, s.handle, x, &value, why), ENGINE_VALUE);
        assert_same_bits(&value, &expected, 1);
        plain->type->derive(plain, handle, x, out_expected, why);
        assert_int_equal(s.e->type->derive(s.e, s.handle, x, out, why), ENGINE_VALUE);
        assert_same_bits(out, out_expected, DERIVED);
    }
    assert_true(want(&s, DEED_INFINITE, ENGINE_VALUE, "") == HUGE_VAL);
    plain->type->close(plain);
    finish(&s);
}

static void the_engine_looks_like_the_model(void **unused) {
    (void)unused;
    static char  first[] = "first", *names[] = {first};
    static param one = {.lower = 1.0, .upper = 2.0};
    int          closed = 0;
    engine      *e = misbehaving_open(1, 1, &closed);
    assert_non_null(e);
    e->derived_names = names;
    e->params = (params){.count = 1, .at = &one};
    assert_int_equal(engine_isolate(&e, LONG, NULL), CKAM_OK);
    assert_int_equal(e->dim, 1);
    assert_int_equal(e->derived, 1);
    assert_string_equal(e->derived_names[0], "first");
    assert_int_equal(e->params.count, 1);
    assert_true(e->params.at[0].upper == 2.0);
    assert_true(e->threads);
    assert_true(e->random);
    double u = 0.0;
    char   why[ENGINE_WHY] = "";
    assert_int_equal(e->type->unconstrain(e, (const double[]){7.0}, &u, why), ENGINE_VALUE);
    assert_true(u == log(7.0));
    assert_int_equal(e->type->unconstrain(e, (const double[]){0.5}, &u, why), ENGINE_REJECT);
    assert_string_equal(why, "below 1");
    e->type->close(e);
    assert_int_equal(closed, 1);

    engine_type bare = {.evaluate = misbehaving_evaluate, .close = misbehaving_close};
    e = misbehaving_open(1, 0, &closed);
    assert_non_null(e);
    e->type = &bare;
    assert_int_equal(engine_isolate(&e, LONG, NULL), CKAM_OK);
    assert_null(e->type->derive);
    assert_null(e->type->unconstrain);
    void *handle = NULL;
    assert_int_equal(e->type->attach(e, 0, &handle, NULL), CKAM_OK);
    assert_int_equal(e->type->evaluate(e, handle, (const double[]){0.5}, &u, why), ENGINE_VALUE);
    assert_true(u == sin(0.5));
    e->type->detach(e, handle);
    e->type->close(e);
    assert_no_children();
}

static void points_may_be_long(void **unused) {
    (void)unused;
    enum { MOST = PARAMS_MOST };
    stage   s;
    char    why[ENGINE_WHY] = "";
    double *x = calloc(MOST, sizeof *x), *out = calloc(MOST, sizeof *out), sum = 0.0, value = -1.0;
    assert_true(x && out);
    begin(&s, MOST, MOST, LONG);
    for (int k = 1; k < MOST; k++) x[k] = 1e-3 * k;
    for (int k = 0; k < MOST; k++) sum += sin(x[k]);
    assert_int_equal(s.e->type->evaluate(s.e, s.handle, x, &value, why), ENGINE_VALUE);
    assert_same_bits(&value, &sum, 1);
    assert_int_equal(s.e->type->derive(s.e, s.handle, x, out, why), ENGINE_VALUE);
    for (int k = 0; k < MOST; k++) assert_true(out[k] == cos(x[k]) + k);
    finish(&s);
    free(x);
    free(out);
}

/* -- What a model does wrong -------------------------------------------------------------------------------------- */

static const struct {
    deed        what;
    const char *why;
} deaths[] = {{DEED_SEGFAULT, "the model died of signal 11 (Segmentation fault)"},
              {DEED_OVERFLOW, "the model died of signal 11 (Segmentation fault)"},
              {DEED_ABORT, "the model died of signal 6 (Aborted)"},
              {DEED_EXIT, "the model called exit with status 3"},
              {DEED_EXIT_AT_ONCE, "the model called exit with status 0"},
              {DEED_GARBAGE, "the model wrote into the socket"},
              {DEED_CLOSE, "the model died of signal 9 (Killed)"},
              {DEED_FORK_AND_DIE, "the model died of signal 11 (Segmentation fault)"}};

static void handler_of_the_parent(int signal_number) {
    (void)signal_number;
    _exit(77);
}

static void deaths_are_faults(void **unused) {
    (void)unused;
    stage  s;
    double out[DERIVED];
    char   why[ENGINE_WHY];
    void (*before)(int) = signal(SIGSEGV, handler_of_the_parent);
    begin(&s, DIM, DERIVED, HUGE_VAL);
    signal(SIGSEGV, before);
    double sum = want(&s, DEED_SUM, ENGINE_VALUE, "");
    for (size_t k = 0; k < sizeof deaths / sizeof *deaths; k++) {
        double process = want(&s, DEED_SELF, ENGINE_VALUE, "");
        want(&s, deaths[k].what, ENGINE_FAULT, deaths[k].why);
        assert_true(want(&s, DEED_SELF, ENGINE_VALUE, "") != process);
        assert_true(want(&s, DEED_SUM, ENGINE_VALUE, "") == sum);
    }
    assert_int_equal(s.e->type->derive(s.e, s.handle, (const double[]){DEED_ABORT, 0, 0}, out, why), ENGINE_FAULT);
    assert_string_equal(why, "the model died of signal 6 (Aborted)");
    assert_int_equal(s.e->type->derive(s.e, s.handle, (const double[]){DEED_SUM, 0, 0}, out, why), ENGINE_VALUE);
    assert_true(out[2] == 3.0);
    finish(&s);
}

/* 0.2 seconds may be too short for anything on a busy machine: then it is tried again. */
static void endless_loops_are_ended(void **unused) {
    (void)unused;
    stage  s;
    double x[DIM] = {DEED_SUM}, value, end = clock_seconds() + LONG;
    char   why[ENGINE_WHY];
    begin(&s, DIM, DERIVED, 0.2);
    for (int k = 0; k < 3; k++) {
        engine_answer answer = ENGINE_FAULT;
        want(&s, DEED_LOOP, ENGINE_FAULT, "the model took longer than 0.2 s");
        while (answer == ENGINE_FAULT && clock_seconds() < end)
            answer = s.e->type->evaluate(s.e, s.handle, x, &value, why);
        assert_int_equal(answer, ENGINE_VALUE);
    }
    want(&s, DEED_LOOP, ENGINE_FAULT, "the model took longer than 0.2 s");
    finish(&s);
}

static void other_answers_pass(void **unused) {
    (void)unused;
    stage s;
    begin(&s, DIM, DERIVED, LONG);
    double process = want(&s, DEED_SELF, ENGINE_VALUE, "");
    want(&s, DEED_REJECT, ENGINE_REJECT, "a reject");
    want(&s, DEED_FAULT, ENGINE_FAULT, "a fault");
    want(&s, DEED_STOP, ENGINE_STOP, "ssssssssss");
    double out[DERIVED];
    char   why[ENGINE_WHY] = "";
    assert_int_equal(s.e->type->derive(s.e, s.handle, (const double[]){DEED_SUM, 0, 0}, out, why), ENGINE_VALUE);
    assert_int_equal(s.e->type->derive(s.e, s.handle, (const double[]){DEED_REJECT, 0, 0}, out, why), ENGINE_REJECT);
    assert_string_equal(why, "no draw");
    assert_true(out[0] == cos(DEED_REJECT)); /* the rest was not computed, and is not that of the row before */
    for (int k = 1; k < DERIVED; k++) assert_true(isnan(out[k]));
    assert_true(want(&s, DEED_SELF, ENGINE_VALUE, "") == process);
    finish(&s);
}

/* -- What a worker has -------------------------------------------------------------------------------------------- */

static void a_worker_has_nothing_of_the_parent(void **unused) {
    (void)unused;
    stage s;
    int   files[5];
    for (int k = 0; k < 5; k++) assert_true((files[k] = open("/proc/self/stat", O_RDONLY)) >= 0);
    void (*before)(int) = signal(SIGTERM, handler_of_the_parent);
    struct rlimit core, large;
    assert_int_equal(getrlimit(RLIMIT_CORE, &core), 0);
    large = (struct rlimit){.rlim_cur = core.rlim_max, .rlim_max = core.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_CORE, &large), 0);
    begin(&s, DIM, DERIVED, LONG);
    assert_int_equal(setrlimit(RLIMIT_CORE, &core), 0);
    signal(SIGTERM, before);
    assert_true(want(&s, DEED_FILES, ENGINE_VALUE, "") == 4.0); /* 0, 1, 2 and the socket */
    assert_true(want(&s, DEED_SIGNALS, ENGINE_VALUE, "") == 0.0);
    assert_true(want(&s, DEED_CORE, ENGINE_VALUE, "") == 0.0);
    assert_true(want(&s, DEED_CHAIN, ENGINE_VALUE, "") == 4.0);
    finish(&s);
    for (int k = 0; k < 5; k++) close(files[k]);
}

static void handler_at_exit(void) { printf("handler\n"); }

/* In a program whose stdin, stdout and stderr are files. */
static int print_and_exit(void) {
    stage s;
    if (!freopen("in", "r", stdin) || !freopen("out", "w", stdout) || !freopen("err", "w", stderr)) return 1;
    atexit(handler_at_exit);
    printf("before\n");
    begin(&s, DIM, DERIVED, LONG);
    printf("after\n");
    want(&s, DEED_PRINT, ENGINE_VALUE, "");
    want(&s, DEED_EXIT, ENGINE_FAULT, "status 3");
    want(&s, DEED_PRINT, ENGINE_VALUE, "");
    bool empty = want(&s, DEED_READ, ENGINE_VALUE, "") == 0.0;
    finish(&s);
    return !empty;
}

static void assert_succeeds(int (*program)(void)) {
    int status = -1;
    (void)fflush(NULL);
    pid_t pid = fork();
    if (!pid) exit(program());
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}

static void assert_file_holds(const char *path, const char *expected) {
    char  text[1000];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t length = fread(text, 1, sizeof text - 1, file);
    (void)fclose(file);
    text[length] = '\0';
    assert_string_equal(text, expected);
}

static void what_a_model_prints_goes_to_stderr(void **unused) {
    (void)unused;
    spill_text("in", "not for the model");
    assert_succeeds(print_and_exit);
    assert_file_holds("out", "before\nafter\nhandler\n"); /* each once: nothing is flushed or called in a worker */
    assert_file_holds("err", "the model prints\nthe model prints\n");
}

/* The sockets get the numbers of stdin, stdout and stderr. */
static int without_stdio(void) {
    stage s;
    for (int k = 0; k < 3; k++) close(k);
    begin(&s, DIM, DERIVED, LONG);
    bool good = want(&s, DEED_PRINT, ENGINE_VALUE, "") == sin(DEED_PRINT) + sin(0.25) + sin(-3.0);
    good = good && want(&s, DEED_FILES, ENGINE_VALUE, "") == 4.0 && want(&s, DEED_READ, ENGINE_VALUE, "") == 0.0;
    want(&s, DEED_EXIT, ENGINE_FAULT, "status 3");
    good = good && want(&s, DEED_FILES, ENGINE_VALUE, "") == 4.0;
    finish(&s);
    return !good;
}

static void a_parent_may_have_no_stdio(void **unused) {
    (void)unused;
    assert_succeeds(without_stdio);
}

/* -- Handles -------------------------------------------------------------------------------------------------------- */

typedef struct job {
    engine *e;
    size_t  chain;
    bool    faulty; /* every other evaluation is a fault */
    int     wrong;
} job;

static void *evaluate_much(void *argument) {
    job   *j = argument;
    stage  s = {.e = j->e};
    double last = -1.0;
    if (s.e->type->attach(s.e, j->chain, &s.handle, NULL)) return j->wrong = 1, NULL;
    for (int k = 0; k < (j->faulty ? 40 : 1000); k++) {
        double        x[DIM] = {0.5, k, 1.0 / (k + 1)}, expected = sin(0.5) + sin(k) + sin(1.0 / (k + 1)), value = -1.0;
        char          why[ENGINE_WHY];
        engine_answer answer = s.e->type->evaluate(s.e, s.handle, x, &value, why);
        j->wrong += answer != ENGINE_VALUE || value != expected;
        x[0] = j->faulty ? DEED_ABORT : DEED_SELF;
        answer = s.e->type->evaluate(s.e, s.handle, x, &value, why);
        if (j->faulty)
            j->wrong += answer != ENGINE_FAULT;
        else /* the same process all the time */
            j->wrong += answer != ENGINE_VALUE || (k && value != last);
        last = value;
    }
    s.e->type->detach(s.e, s.handle);
    return NULL;
}

static void seats_do_not_disturb_each_other(void **unused) {
    (void)unused;
    enum { HANDLES = 4 };
    stage     s;
    pthread_t threads[HANDLES];
    job       jobs[HANDLES];
    begin(&s, DIM, DERIVED, LONG);
    for (size_t k = 0; k < HANDLES; k++) {
        jobs[k] = (job){.e = s.e, .chain = k, .faulty = k % 2};
        assert_int_equal(pthread_create(&threads[k], NULL, evaluate_much, &jobs[k]), 0);
    }
    for (size_t k = 0; k < HANDLES; k++) assert_int_equal(pthread_join(threads[k], NULL), 0);
    for (size_t k = 0; k < HANDLES; k++) assert_int_equal(jobs[k].wrong, 0);
    finish(&s);
}

static void a_seat_may_be_refused(void **unused) {
    (void)unused;
    stage      s;
    void      *handle = &s;
    double     x[DIM] = {DEED_ABORT}, value;
    char       why[ENGINE_WHY] = "";
    ckam_error error = {.message = ""};
    begin(&s, DIM, DERIVED, LONG);
    const engine_type *type = s.e->type;
    spill_text("refused", "");
    assert_failure(type->attach(s.e, CHAIN_REFUSED, &handle, &error), CKAM_ERROR_OPTION, &error,
                   "no handle for chain 101");
    assert_null(handle);
    assert_failure(type->attach(s.e, CHAIN_CRASHED, &handle, &error), CKAM_ERROR_TARGET, &error, "signal 11");
    assert_null(handle);
    unlink("refused");
    assert_int_equal(type->attach(s.e, CHAIN_REFUSED, &handle, &error), CKAM_OK);
    assert_int_equal(type->evaluate(s.e, handle, x, &value, why), ENGINE_FAULT);
    spill_text("refused", "");
    for (int k = 0; k < 2; k++) {
        assert_int_equal(type->evaluate(s.e, handle, x, &value, why), ENGINE_STOP);
        assert_string_equal(why, "no handle for chain 101");
    }
    unlink("refused");
    x[0] = DEED_CHAIN;
    assert_int_equal(type->evaluate(s.e, handle, x, &value, why), ENGINE_VALUE);
    assert_true(value == CHAIN_REFUSED);
    type->detach(s.e, handle);
    finish(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(values_are_those_of_the_model),
                                       cmocka_unit_test(the_engine_looks_like_the_model),
                                       cmocka_unit_test(points_may_be_long),
                                       cmocka_unit_test(deaths_are_faults),
                                       cmocka_unit_test(endless_loops_are_ended),
                                       cmocka_unit_test(other_answers_pass),
                                       cmocka_unit_test(a_worker_has_nothing_of_the_parent),
                                       cmocka_unit_test(what_a_model_prints_goes_to_stderr),
                                       cmocka_unit_test(a_parent_may_have_no_stdio),
                                       cmocka_unit_test(seats_do_not_disturb_each_other),
                                       cmocka_unit_test(a_seat_may_be_refused)};
    return cmocka_run_group_tests_name("isolate", tests, enter_temporary, leave_temporary);
}
