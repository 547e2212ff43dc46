/* test_isolate_end.c - isolated models: processes that are killed, and nothing that is left behind. */
#include "isolated.h"
#include "refusal.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/prctl.h>

static void many_faults_leave_nothing(void **unused) {
    (void)unused;
    stage s;
    pid_t list[MANY];
    begin(&s, DIM, DERIVED, LONG);
    pid_t  server = only_child_of(getpid());
    double files = misbehaving_files();
    for (int k = 0; k < 50; k++) want(&s, k % 2 ? DEED_SEGFAULT : DEED_EXIT, ENGINE_FAULT, "the model");
    assert_int_equal(children_of(server, list), 0);
    assert_true(want(&s, DEED_CHAIN, ENGINE_VALUE, "") == 4.0); /* of the same chain */
    assert_int_equal(children_of(server, list), 1);
    assert_true(misbehaving_files() == files);
    finish(&s);
}

/* A process that the model has started ends with the worker. */
static void what_a_model_starts_ends_with_it(void **unused) {
    (void)unused;
    stage s;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    begin(&s, DIM, DERIVED, LONG);
    pid_t child = (pid_t)want(&s, DEED_FORK, ENGINE_VALUE, "");
    assert_int_equal(kill(child, 0), 0);
    s.e->type->detach(s.e, s.handle);
    s.handle = NULL;
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(WTERMSIG(status), SIGKILL);
    finish(&s);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

/* -- Processes that are killed ------------------------------------------------------------------------------------ */

static void a_worker_may_be_killed(void **unused) {
    (void)unused;
    stage s;
    begin(&s, DIM, DERIVED, LONG);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(kill((pid_t)want(&s, DEED_SELF, ENGINE_VALUE, ""), SIGKILL), 0);
        want(&s, DEED_SUM, ENGINE_FAULT, "the model died of signal 9 (Killed)");
    }
    want(&s, DEED_SUM, ENGINE_VALUE, "");
    finish(&s);
}

/* Until no child is left, of our own or of those that have died. */
static void assert_all_end(void) {
    double end = clock_seconds() + LONG;
    while (waitpid(-1, NULL, WNOHANG) >= 0) {
        assert_less(clock_seconds(), end);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_no_children();
}

static void without_a_server_it_stops(void **unused) {
    (void)unused;
    stage s;
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    begin(&s, DIM, DERIVED, LONG);
    pid_t worker = (pid_t)want(&s, DEED_SELF, ENGINE_VALUE, "");
    assert_int_equal(kill(only_child_of(getpid()), SIGKILL), 0);
    double end = clock_seconds() + LONG;
    while (waitpid(worker, NULL, WNOHANG) != worker) assert_less(clock_seconds(), end); /* it dies with the server */
    want(&s, DEED_SUM, ENGINE_STOP, "has died");
    want(&s, DEED_SUM, ENGINE_STOP, "has died");
    ckam_error error = {.message = ""};
    void      *handle = NULL;
    assert_failure(s.e->type->attach(s.e, 1, &handle, &error), CKAM_ERROR_TARGET, &error, "has died");
    assert_null(handle);
    finish(&s);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

static void *loop(void *argument) {
    want(argument, DEED_LOOP, ENGINE_VALUE, "");
    return NULL;
}

/* A parent with a worker that loops and one that waits; both have started a process. */
static _Noreturn void act_as_parent(int ready) {
    stage     looping, idle;
    pthread_t thread;
    begin(&looping, DIM, DERIVED, HUGE_VAL);
    idle = looping;
    if (looping.e->type->attach(looping.e, 5, &idle.handle, NULL)) _exit(1);
    want(&looping, DEED_FORK, ENGINE_VALUE, "");
    want(&idle, DEED_FORK, ENGINE_VALUE, "");
    if (pthread_create(&thread, NULL, loop, &looping) || write(ready, "r", 1) != 1) _exit(2);
    for (;;) pause();
}

static void nothing_outlives_the_parent(void **unused) {
    (void)unused;
    int   way[2];
    char  byte;
    pid_t list[MANY];
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
    assert_int_equal(pipe(way), 0);
    pid_t parent = fork();
    if (!parent) act_as_parent(way[1]);
    close(way[1]);
    assert_int_equal(read(way[0], &byte, 1), 1);
    assert_int_equal(children_of(only_child_of(parent), list), 2);
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_all_end();
    close(way[0]);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0), 0);
}

static void seats_end_one_by_one(void **unused) {
    (void)unused;
    int     closed = 0;
    pid_t   list[MANY];
    void   *handles[3];
    engine *e = misbehaving_open(DIM, DERIVED, &closed);
    double  files = misbehaving_files();
    assert_int_equal(engine_isolate(&e, LONG, NULL), CKAM_OK);
    for (size_t k = 0; k < 3; k++) assert_int_equal(e->type->attach(e, k, &handles[k], NULL), CKAM_OK);
    pid_t server = only_child_of(getpid());
    for (size_t k = 3; k-- > 0;) {
        assert_int_equal(children_of(server, list), k + 1);
        e->type->detach(e, handles[k]);
    }
    assert_int_equal(children_of(server, list), 0);
    e->type->close(e);
    assert_int_equal(closed, 1);
    assert_no_children();
    assert_true(misbehaving_files() == files);
}

/* -- Memory that is refused --------------------------------------------------------------------------------------- */

static void refused_memory_is_survived(void **unused) {
    (void)unused;
    bool refused = true;
    for (unsigned number = 1; refused; number++) {
        int        closed = 0;
        engine    *e = misbehaving_open(DIM, DERIVED, &closed);
        void      *handle = NULL;
        ckam_error error = {.message = ""};
        assert_non_null(e);
        refusal_begin(number);
        ckam_status status = engine_isolate(&e, LONG, &error);
        if (!status) status = e->type->attach(e, 1, &handle, &error);
        refused = refusal_end();
        if (refused) assert_failure(status, CKAM_ERROR_MEMORY, &error, "memory");
        assert_true(refused || !status);
        if (handle) e->type->detach(e, handle);
        if (e) e->type->close(e);
        assert_int_equal(closed, 1);
        assert_no_children();
        assert_true(refused || number > 6);
    }
}

/* The count goes on in the server: its first allocation is the fourth, after three of engine_isolate(). */
static void the_server_may_have_no_memory(void **unused) {
    (void)unused;
    int        closed = 0;
    engine    *e = misbehaving_open(DIM, DERIVED, &closed);
    void      *handle = NULL;
    ckam_error error = {.message = ""};
    assert_non_null(e);
    refusal_begin(4);
    assert_int_equal(engine_isolate(&e, LONG, &error), CKAM_OK);
    assert_false(refusal_end());
    ckam_status status = e->type->attach(e, 1, &handle, &error);
    assert_failure(status, CKAM_ERROR_TARGET, &error, "cannot start a process", "memory");
    assert_null(handle);
    assert_int_equal(e->type->attach(e, 1, &handle, &error), CKAM_OK);
    e->type->detach(e, handle);
    e->type->close(e);
    assert_no_children();
}

/* Another program that this process starts must not hold them. */
static void sockets_are_closed_on_exec(void **unused) {
    (void)unused;
    stage s;
    int   kept[2] = {0};
    for (int k = 0; k < 2; k++) {
        for (int file = 0; file < 100; file++) kept[k] += fcntl(file, F_GETFD) == 0;
        if (!k) begin(&s, DIM, DERIVED, LONG);
    }
    assert_int_equal(kept[1], kept[0]);
    finish(&s);
}

/* A parent that has no room for the socket of one more worker. */
static void descriptors_may_run_out(void **unused) {
    (void)unused;
    struct rlimit before, few;
    ckam_error    error = {.message = ""};
    void         *handle = NULL;
    pid_t         list[MANY];
    stage         s;
    begin(&s, DIM, DERIVED, LONG);
    int next = dup(STDOUT_FILENO); /* the number that the socket would get */
    close(next);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    ckam_status status = s.e->type->attach(s.e, 1, &handle, &error);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_failure(status, CKAM_ERROR_TARGET, &error, "Too many open files");
    assert_int_equal(children_of(only_child_of(getpid()), list), 1);
    want(&s, DEED_SUM, ENGINE_VALUE, "");
    finish(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_faults_leave_nothing),   cmocka_unit_test(what_a_model_starts_ends_with_it),
        cmocka_unit_test(a_worker_may_be_killed),      cmocka_unit_test(without_a_server_it_stops),
        cmocka_unit_test(nothing_outlives_the_parent), cmocka_unit_test(seats_end_one_by_one),
        cmocka_unit_test(refused_memory_is_survived),  cmocka_unit_test(the_server_may_have_no_memory),
        cmocka_unit_test(sockets_are_closed_on_exec),  cmocka_unit_test(descriptors_may_run_out)};
    return cmocka_run_group_tests_name("isolate_end", tests, enter_temporary, leave_temporary);
}
