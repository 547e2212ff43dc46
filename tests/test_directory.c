/* test_directory.c - the directory of a run: its name, whom it is refused to, what may be removed from it. */
#include "run_support.h"

#include "run/directory.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void refuse_to_make(const char *out, bool overwrite, const char *piece) {
    run_directory d;
    ckam_error    error = {.message = ""};
    assert_failure(directory_make(&d, out, "bimodal", overwrite, &error), CKAM_ERROR_OUTPUT, &error, piece);
    assert_int_equal(d.lock, -1);
}

/* Makes a directory and leaves it again. */
static void make(const char *out, bool overwrite) {
    run_directory d;
    ckam_error    error = {.message = ""};
    ckam_status   status = directory_make(&d, out, "bimodal", overwrite, &error);
    if (status) print_error("%s\n", error.message);
    assert_int_equal(status, CKAM_OK);
    assert_true(d.lock >= 0);
    directory_leave(&d);
    assert_int_equal(d.lock, -1);
    directory_leave(&d);
}

/* -- Names -------------------------------------------------------------------------------------------------------- */

static void directories_are_numbered(void **unused) {
    (void)unused;
    static const struct {
        const char *model, *path;
    } cases[] = {{"bimodal", "ckam-run-bimodal-1"},
                 {"bimodal:dim=32,separation=20", "ckam-run-bimodal-2"},
                 {"gaussian", "ckam-run-gaussian-1"},
                 {"bimodal", "ckam-run-bimodal-3"},
                 {"/some/where/schools.so", "ckam-run-schools-1"},
                 {"models/schools.stan:x=1", "ckam-run-schools-2"},
                 {"", "ckam-run-model-1"},
                 {":dim=2", "ckam-run-model-2"},
                 {"..", "ckam-run-model-3"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_directory d;
        assert_int_equal(directory_make(&d, "auto", cases[i].model, false, NULL), CKAM_OK);
        assert_string_equal(d.folder.path, cases[i].path);
        assert_true(is_there(text_of("%s/checkpoint", d.folder.path)));
        directory_leave(&d);
    }
    rmdir("ckam-run-gaussian-1/checkpoint");
    remove_tree("ckam-run-bimodal-2"); /* a gap is filled */
    run_directory d;
    assert_int_equal(directory_make(&d, "auto", "bimodal", false, NULL), CKAM_OK);
    assert_string_equal(d.folder.path, "ckam-run-bimodal-2");
    directory_leave(&d);
    spill_text("ckam-run-banana-1", "a file");
    assert_int_equal(directory_make(&d, "auto", "banana", true, NULL), CKAM_OK);
    assert_string_equal(d.folder.path, "ckam-run-banana-2");
    directory_leave(&d);
}

static void a_long_model_has_a_name_too(void **unused) {
    (void)unused;
    run_directory d;
    char          model[2000];
    memset(model, 'm', sizeof model - 1);
    model[sizeof model - 1] = 0;
    assert_int_equal(directory_make(&d, "auto", model, false, NULL), CKAM_OK);
    assert_true(strlen(d.folder.path) < 100);
    directory_leave(&d);
}

static void a_directory_is_made_where_it_is_wanted(void **unused) {
    (void)unused;
    make("plain", false);
    make("slashes///", false);
    assert_true(is_there("slashes/checkpoint"));
    make("plain/inner", false);
}

/* -- Refusals ----------------------------------------------------------------------------------------------------- */

static void what_is_there_is_not_touched(void **unused) {
    (void)unused;
    make("there", false);
    refuse_to_make("there", false, "there already");
    refuse_to_make("./there///", false, "there already");
    spill_text("a-file", "precious");
    refuse_to_make("a-file", false, "there already");
    refuse_to_make("a-file", true, "Not a directory");
    assert_true(is_there("a-file"));
    refuse_to_make("no/such/parent", false, "No such file");
    refuse_to_make("", false, "is empty");
}

/* Everything that a run can leave behind. */
static void furnish(const char *out) {
    static const char *const files[] = {"run.json",    "run.json.new",     "chain_1.csv",         "chain_12.csv",
                                        "draws.nc",    "draws.nc.new",     "chain_1_warmup.csv",  "summary.csv",
                                        "report.html", "checkpoint/state", "checkpoint/state.new"};
    make(out, false);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) spill_text(text_of("%s/%s", out, files[i]), "{}");
}

static void overwrite_removes_the_files_of_a_run(void **unused) {
    (void)unused;
    furnish("old");
    make("old", true);
    static const char *const gone[] = {"run.json",    "chain_1.csv", "chain_12.csv",     "chain_1_warmup.csv",
                                       "draws.nc",    "summary.csv", "checkpoint/state", "checkpoint/state.new",
                                       "run.json.new"};
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) assert_false(is_there(text_of("old/%s", gone[i])));
    assert_true(is_there("old/checkpoint"));
    make("not-there-yet", true);
    mkdir("empty", 0777);
    make("empty", true);
}

static void overwrite_spares_what_is_not_a_runs(void **unused) {
    (void)unused;
    static const char *const foreign[] = {
        "thesis.tex", ".hidden", "chain_1.csv.bak", "run.json~", "checkpoint/notes", "chain_data.csv", "data/"};
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        const char *out = text_of("spared-%zu", i), *path = text_of("%s/%s", out, foreign[i]);
        furnish(out);
        if (strchr(foreign[i], '/') && !strchr(foreign[i], '/')[1])
            mkdir(path, 0777);
        else
            spill_text(path, "mine");
        refuse_to_make(out, true, "not of a run");
        assert_true(is_there(path) && is_there(text_of("%s/run.json", out)));
        assert_true(is_there(text_of("%s/chain_1.csv", out)) && is_there(text_of("%s/checkpoint/state", out)));
    }
}

/* Files that happen to have the names of ours do not make a run. */
static void overwrite_spares_what_is_no_run(void **unused) {
    (void)unused;
    mkdir("results", 0777);
    spill_text("results/summary.csv", "a,b\n1,2\n");
    spill_text("results/chain_1.csv", "lp__,x\n1,2\n");
    refuse_to_make("results", true, "not");
    assert_true(is_there("results/summary.csv") && is_there("results/chain_1.csv"));
}

/* -- Taking ------------------------------------------------------------------------------------------------------- */

static void what_is_no_run_is_not_taken(void **unused) {
    (void)unused;
    run_directory d;
    ckam_error    error;
    mkdir("nothing", 0777);
    spill_text("file", "x");
    mkdir("odd", 0777);
    spill_text("odd/checkpoint", "a file");
    static const char *const bad[] = {"nothing", "file", "odd", "missing", ""};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_failure(directory_take(&d, bad[i], &error), CKAM_ERROR_INPUT, &error, bad[i],
                       "not the directory of a run");
        assert_int_equal(d.lock, -1);
    }
    char path[FILE_PATH + 1];
    memset(path, 'x', FILE_PATH);
    path[FILE_PATH] = 0;
    assert_failure(directory_take(&d, path, &error), CKAM_ERROR_INPUT, &error, "too long");
    assert_false(is_there("nothing/checkpoint"));
}

/* -- The lock ----------------------------------------------------------------------------------------------------- */

/* Another process that holds a directory until it is told to end. */
typedef struct holder {
    pid_t process;
    int   ends[2];
} holder;

static void hold(holder *h, const char *path) {
    int ready[2];
    assert_int_equal(pipe(h->ends), 0);
    assert_int_equal(pipe(ready), 0);
    h->process = fork();
    assert_true(h->process >= 0);
    if (h->process == 0) {
        run_directory d;
        char          byte;
        close(h->ends[1]);
        if (directory_take(&d, path, NULL) || write(ready[1], "!", 1) != 1) _exit(1);
        while (read(h->ends[0], &byte, 1) < 0 && errno == EINTR) continue;
        _exit(0);
    }
    char byte;
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    close(h->ends[0]);
}

static void release(holder *h) {
    int ended;
    close(h->ends[1]);
    assert_int_equal(waitpid(h->process, &ended, 0), h->process);
    assert_true(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

static void a_second_process_is_refused(void **unused) {
    (void)unused;
    run_directory d;
    ckam_error    error;
    holder        h;
    furnish("held");
    hold(&h, "held");
    assert_failure(directory_take(&d, "held", &error), CKAM_ERROR_OUTPUT, &error, "held",
                   text_of("process %ld", (long)h.process));
    assert_int_equal(d.lock, -1);
    assert_failure(directory_make(&d, "held", "bimodal", true, &error), CKAM_ERROR_OUTPUT, &error, "held", "process");
    assert_true(is_there("held/run.json") && is_there("held/checkpoint/state"));
    release(&h);
    assert_int_equal(directory_take(&d, "held", &error), CKAM_OK);
    directory_leave(&d);
}

/* The lock dies with its process, however that ends. */
static void the_lock_of_a_killed_process_is_gone(void **unused) {
    (void)unused;
    run_directory d;
    holder        h;
    furnish("killed");
    hold(&h, "killed");
    assert_int_equal(kill(h.process, SIGKILL), 0);
    assert_int_equal(waitpid(h.process, NULL, 0), h.process);
    close(h.ends[1]);
    assert_int_equal(directory_take(&d, "killed", NULL), CKAM_OK);
    directory_leave(&d);
}

/* -- Moved -------------------------------------------------------------------------------------------------------- */

static void a_moved_directory_is_discarded_where_it_is(void **unused) {
    (void)unused;
    run_directory d;
    assert_int_equal(directory_make(&d, "goes", "bimodal", false, NULL), CKAM_OK);
    assert_int_equal(rename("goes", "gone"), 0);
    mkdir("goes", 0777); /* of somebody else */
    directory_discard(&d);
    assert_false(is_there("gone"));
    assert_true(is_there("goes"));
}

/* As it was given, as long as that leads there. */
static void the_path_is_where_the_directory_is(void **unused) {
    (void)unused;
    run_directory d;
    char          here[PATH_MAX];
    assert_non_null(getcwd(here, sizeof here));
    mkdir("real", 0777);
    assert_int_equal(symlink("real", "link"), 0);
    assert_int_equal(directory_make(&d, "link", "bimodal", true, NULL), CKAM_OK);
    directory_leave(&d);
    assert_string_equal(d.folder.path, "link");
    assert_int_equal(directory_take(&d, "link", NULL), CKAM_OK);
    assert_int_equal(rename("real", "new place"), 0);
    make("real", false);
    directory_leave(&d);
    assert_string_equal(d.folder.path, text_of("%s/new place", here));
    assert_int_equal(directory_take(&d, "real", NULL), CKAM_OK);
    remove_tree("real");
    make("real", false); /* of somebody else */
    directory_leave(&d);
    assert_string_equal(d.folder.path, "");
}

static void another_process_joins_by_the_mark(void **unused) {
    (void)unused;
    run_directory d, other;
    ckam_error    error;
    assert_int_equal(directory_make(&d, "shared", "bimodal", false, NULL), CKAM_OK);
    memcpy(other.mark, d.mark, sizeof d.mark);
    assert_int_equal(directory_join(&other, "shared", NULL), CKAM_OK);
    assert_string_equal(other.folder.path, "shared");
    directory_leave(&other);
    make("not-shared", false);
    assert_failure(directory_join(&other, "not-shared", &error), CKAM_ERROR_INPUT, &error, "not-shared", "rank 0");
    assert_failure(directory_join(&other, "missing", &error), CKAM_ERROR_INPUT, &error, "missing");
    directory_leave(&d);
    assert_int_equal(directory_take(&d, "shared", NULL), CKAM_OK); /* by the same process, a moment later */
    assert_failure(directory_join(&other, "shared", &error), CKAM_ERROR_INPUT, &error, "shared", "rank 0");
    directory_leave(&d);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(directories_are_numbered),
        cmocka_unit_test(a_long_model_has_a_name_too),
        cmocka_unit_test(a_directory_is_made_where_it_is_wanted),
        cmocka_unit_test(what_is_there_is_not_touched),
        cmocka_unit_test(overwrite_removes_the_files_of_a_run),
        cmocka_unit_test(overwrite_spares_what_is_not_a_runs),
        cmocka_unit_test(overwrite_spares_what_is_no_run),
        cmocka_unit_test(what_is_no_run_is_not_taken),
        cmocka_unit_test(a_second_process_is_refused),
        cmocka_unit_test(the_lock_of_a_killed_process_is_gone),
        cmocka_unit_test(a_moved_directory_is_discarded_where_it_is),
        cmocka_unit_test(the_path_is_where_the_directory_is),
        cmocka_unit_test(another_process_joins_by_the_mark),
    };
    return cmocka_run_group_tests_name("directory", tests, enter_temporary, leave_temporary);
}
