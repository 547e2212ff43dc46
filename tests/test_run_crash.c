/* test_run_crash.c - a run that ends at any of its writes goes on to the same rows; and what is on the disk when.
 *
 * Linked so that the library's calls of pwrite, ftruncate, renameat, fsync, fdatasync and unlinkat come here (-Wl,--wrap). One after
 * the other is the last thing that a process does; a write may be cut in half. */
#include "run_support.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- The end ------------------------------------------------------------------------------------------------------ */

static atomic_uint calls;
static unsigned    last; /* the call at which this process ends; 0: none */
static bool        half; /* after half of a write */

/* Only a write can be done by half. */
enum { NO_WRITE = 9 };

static bool is_last(bool is_write) {
    if (!last || atomic_fetch_add(&calls, 1) + 1 != last) return false;
    if (half && !is_write) _exit(NO_WRITE);
    return true;
}

static void end(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* What was synced, and what was renamed, in its order: names without the folder, one behind the other. */
static char   story[4096];
static size_t told;
static bool   listening;

static void tell(const char *verb, const char *path) {
    const char *slash = strrchr(path, '/');
    told += (size_t)snprintf(story + told, sizeof story - told, "%s %s\n", verb, slash ? slash + 1 : path);
    assert_true(told < sizeof story);
}

static void tell_sync(int file) {
    char    link[64], path[4096];
    ssize_t length;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    length = readlink(link, path, sizeof path - 1);
    assert_true(length > 0);
    path[length] = 0;
    tell("sync", path);
}

ssize_t __real_pwrite(int file, const void *bytes, size_t size, off_t offset);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset);
int     __real_ftruncate(int file, off_t length);
int     __wrap_ftruncate(int file, off_t length);
int     __real_renameat(int here, const char *from, int there, const char *to);
int     __wrap_renameat(int here, const char *from, int there, const char *to);
int     __real_fsync(int file);
int     __wrap_fsync(int file);
int     __real_fdatasync(int file);
int     __wrap_fdatasync(int file);
int     __real_unlinkat(int directory, const char *path, int flags);
int     __wrap_unlinkat(int directory, const char *path, int flags);

ssize_t __wrap_pwrite(int file, const void *bytes, size_t size, off_t offset) {
    if (!is_last(true)) return __real_pwrite(file, bytes, size, offset);
    if (half) __real_pwrite(file, bytes, size / 2, offset);
    end();
    return -1;
}

int __wrap_ftruncate(int file, off_t length) {
    if (is_last(false)) end();
    return __real_ftruncate(file, length);
}

int __wrap_renameat(int here, const char *from, int there, const char *to) {
    if (is_last(false)) end();
    if (listening) tell("rename", to);
    return __real_renameat(here, from, there, to);
}

int __wrap_fsync(int file) {
    if (is_last(false)) end();
    if (listening) tell_sync(file);
    return __real_fsync(file);
}

int __wrap_fdatasync(int file) {
    if (is_last(false)) end();
    if (listening) tell_sync(file);
    return __real_fdatasync(file);
}

int __wrap_unlinkat(int directory, const char *path, int flags) {
    if (is_last(false)) end();
    return __real_unlinkat(directory, path, flags);
}

/* -- The run ------------------------------------------------------------------------------------------------------ */

enum { CHAINS = 2 };
static ckam_model *model;

static ckam_run *begin(const char *out, const ckam_target *target) {
    return run_with(PAIRS("model", "own", "sampler", "gam:warmup=10", "seed", "4", "chains", "2", "draws", "80", "thin",
                          "2", "out", out, "format", "csv", "save-warmup", "true", "threads", "1", "overwrite", "true"),
                    target);
}

/* Begun and stopped, taken up and stopped, taken up and brought to its end, with checkpoints all the time. */
static void three_sessions(void) {
    static const uint64_t stops[] = {75, 100, 0}; /* after both chain 1 is ahead of the others */
    for (int session = 1; session <= 3; session++) {
        tricky      t = {.inner = *ckam_model_target(model), .at = stops[session - 1], .trick = TRICK_STOP_RUN};
        ckam_target target = tricky_target(&t);
        t.run = session == 1 ? begin("crashed", &target)
                             : run_again("crashed", PAIRS("checkpoint-every", session == 3 ? "0" : "1000"), &target);
        assert_int_equal(go_and_free(t.run), session < 3 ? CKAM_STOP : CKAM_OK);
    }
}

/* A process does this until its call number `number`; false if that is nothing new. *over: there is no such call. */
static bool crashes(unsigned number, bool halfway, bool *over) {
    int   ended;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        atomic_store(&calls, 0);
        last = number;
        half = halfway;
        three_sessions();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &ended, 0), child);
    *over = WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
    assert_true(*over || WIFSIGNALED(ended) || WEXITSTATUS(ended) == NO_WRITE);
    return WIFSIGNALED(ended) || *over;
}

static void every_call_may_be_the_last(void **unused) {
    (void)unused;
    unsigned number = 1, anew = 0;
    assert_int_equal(go_and_free(begin("straight", ckam_model_target(model))), CKAM_OK);
    for (bool over = false; !over; number++)
        for (int halfway = 0; halfway < 2 && !over; halfway++) {
            remove_tree("crashed");
            if (!crashes(number, halfway, &over)) continue;
            ckam_run  *run;
            ckam_error error = {.message = ""};
            /* run.json comes last: without it the run had not begun. */
            bool begun = is_there("crashed/run.json");
            anew += !begun;
            if (begun && try_again(&run, "crashed", NULL, ckam_model_target(model), &error))
                fail_msg("after call %u%s: %s", number, halfway ? " (half of it)" : "", error.message);
            if (!begun) run = begin("crashed", ckam_model_target(model));
            assert_int_equal(go_and_free(run), CKAM_OK);
            assert_same_rows("straight", "crashed", CHAINS, true);
        }
    assert_true(number > 60 && anew < 40); /* there are that many calls, and most of them are not at the beginning */
}

/* Nothing is lost with a run that has drawn nothing, so it waits for no disk. From then on a state is renamed only when all
 * that it belongs to is there: run.json, the names in the directory, the rows; and the state itself. */
static void a_state_comes_after_what_it_belongs_to(void **unused) {
    (void)unused;
    listening = true;
    told = 0;
    ckam_run *run = begin("ordered", ckam_model_target(model));
    assert_string_equal(story, "rename state\nrename run.json\n");
    told = 0;
    assert_int_equal(go_and_free(run), CKAM_OK);
    assert_string_equal(story, "sync run.json\nsync ordered\n"
                               "sync chain_1.csv\nsync chain_1_warmup.csv\nsync chain_2.csv\nsync chain_2_warmup.csv\n"
                               "sync state.new\nrename state\nsync checkpoint\n"
                               "sync summary.csv.new\nrename summary.csv\nsync ordered\n"
                               "sync run.json.new\nrename run.json\nsync ordered\n");
    told = 0;
    run = run_again("ordered", PAIRS("draws", "100"), ckam_model_target(model));
    assert_string_equal(story, "sync chain_1.csv\nsync chain_1_warmup.csv\nsync chain_2.csv\nsync chain_2_warmup.csv\n"
                               "sync state.new\nrename state\nsync checkpoint\n"
                               "sync run.json.new\nrename run.json\nsync ordered\n");
    listening = false;
    assert_int_equal(go_and_free(run), CKAM_OK);
}

static int make_model(void **unused) {
    return enter_temporary(unused) || ckam_model_create(&model, "gaussian:dim=2", NULL);
}

static int free_model(void **unused) {
    ckam_model_free(model);
    return leave_temporary(unused);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_call_may_be_the_last),
                                       cmocka_unit_test(a_state_comes_after_what_it_belongs_to)};
    return cmocka_run_group_tests_name("run crash", tests, make_model, free_model);
}
