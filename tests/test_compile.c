/* test_compile.c - models in C: compiled, kept, compiled again when something has changed; and what is refused. */
#include "compile_support.h"

#include "target/engine.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static char *compiled(const char *source) {
    char       *path = NULL;
    ckam_error  error = {.message = ""};
    ckam_status status = compile_file(source, &path, &error);
    if (status) print_error("%s: %s\n", source, error.message);
    assert_int_equal(status, CKAM_OK);
    assert_non_null(path);
    assert_int_equal(path[0], '/');
    return path;
}

static double value(const char *source) { return value_of(compiled(source), &(double){2.0}, NULL, 0); }

static void make_model(const char *path, const char *result) {
    spill_text(path, text_of("#include <ckam/model.h>\ndouble log_density(const double *x) { return %s; }\n", result));
}

static void refuse(const char *source, ckam_status expected, const char *piece, const char *other) {
    char        mark, *path = &mark;
    ckam_error  error = {.message = ""};
    int         kept = hush();
    ckam_status status = compile_file(source, &path, &error);
    assert_int_equal(compile_file(source, &path, NULL), expected);
    speak(kept);
    assert_failure(status, expected, &error, piece, other);
    assert_null(path);
    assert_int_equal(count_files("cache", ".so") + count_files("cache", ".list"), 0);
}

/* -- Files ------------------------------------------------------------------------------------------------------------ */

static void a_model_is_compiled(void **unused) {
    (void)unused;
    struct stat about;
    make_model("model.c", "-0.5 * x[0] * x[0] + lgamma(3.0)");
    umask(0);
    char *path = compiled("model.c");
    umask(022);
    assert_int_equal(stat(path, &about), 0);
    assert_int_equal(about.st_mode & 0077, 0);
    assert_close(value_of(path, &(double){3.0}, NULL, 0), -4.5 + log(2.0), 1e-14);
    assert_int_equal(stat("cache", &about), 0);
    assert_int_equal(about.st_mode & 0777, 0700);
    assert_int_equal(stat("cache/include/ckam/model.h", &about), 0);
    assert_int_equal(about.st_mode & 0022, 0);
    assert_int_equal(count_files("cache", ""), 3); /* the object, its list, include: nothing else is left */
}

static void it_is_compiled_once(void **unused) {
    (void)unused;
    make_model("model.c", "x[0]");
    char *path = compiled("model.c"), *again = compiled("model.c");
    assert_string_equal(path, again);
    assert_int_equal(runs(), 1);
    assert_int_equal(utimensat(AT_FDCWD, "model.c", NULL, 0), 0); /* another time, the same text */
    free(compiled("model.c"));
    assert_int_equal(runs(), 1);
    free(path);
    free(again);
}

static void a_change_compiles_it_again(void **unused) {
    (void)unused;
    make_model("model.c", "1.0");
    assert_close(value("model.c"), 1.0, 0);
    make_model("model.c", "2.0"); /* as long as before, and in the same moment */
    assert_close(value("model.c"), 2.0, 0);
    assert_int_equal(runs(), 2);
    setenv("CFLAGS", " -O0  -DUNUSED ", 1);
    assert_close(value("model.c"), 2.0, 0);
    assert_int_equal(runs(), 3);
    assert_close(value("model.c"), 2.0, 0);
    assert_int_equal(runs(), 3);
    unsetenv("CFLAGS");
    assert_close(value("model.c"), 2.0, 0); /* that one is still there */
    assert_int_equal(runs(), 3);
    setenv("CC", text_of("%s/compiler -DUNUSED", home), 1);
    assert_close(value("model.c"), 2.0, 0);
    assert_int_equal(runs(), 4);
    edit_text("compiler", "exec", "exec env"); /* another compiler of the same name */
    assert_close(value("model.c"), 2.0, 0);
    assert_int_equal(runs(), 5);
}

static void an_included_file_counts(void **unused) {
    (void)unused;
    static const char source[] = "#include \"helper.h\"\ndouble log_density(const double *x) { return VALUE * *x; }\n";
    spill_text("helper.h", "#define VALUE 1.0\n");
    spill_text("model.c", source);
    assert_close(value("model.c"), 2.0, 0);
    assert_close(value("model.c"), 2.0, 0);
    assert_int_equal(runs(), 1);
    spill_text("helper.h", "#define VALUE 3.0\n");
    assert_close(value("model.c"), 6.0, 0);
    assert_int_equal(runs(), 2);
    /* The same name and text elsewhere include another file. */
    unsetenv("CC");
    assert_close(value("model.c"), 6.0, 0);
    assert_int_equal(mkdir("other", 0700), 0);
    spill_text("other/helper.h", "#define VALUE 5.0\n");
    spill_text("other/model.c", source);
    assert_int_equal(chdir("other"), 0);
    assert_close(value("model.c"), 10.0, 0);
    assert_int_equal(chdir(".."), 0);
    assert_close(value("other/model.c"), 10.0, 0);
    /* And without the file it is an error, not the old object. */
    assert_int_equal(unlink("other/helper.h"), 0);
    ckam_error error = {.message = ""};
    char      *path;
    int        kept = hush();
    assert_int_equal(compile_file("other/model.c", &path, &error), CKAM_ERROR_FORMAT);
    speak(kept);
    assert_said("helper.h");
    remove_tree("other");
}

/* Blanks and what make has a meaning for, in names that the compiler writes into a rule. */
static void strange_names_are_kept_track_of(void **unused) {
    (void)unused;
    static const char *const names[] = {"a b", "a#b", "a$b", "-c", "@file", "ends in  ", "\303\244'\"&;"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *source = text_of("%s.c", names[i]), *header = text_of("%s.h", names[i]);
        spill_text(header, "#define VALUE 1.0\n");
        if (strchr(header, '"')) assert_int_equal(rename(header, "plain.h"), 0);
        spill_text(source, text_of("#include \"%s\"\ndouble log_density(const double *x) { return VALUE * *x; }\n",
                                   strchr(header, '"') ? "plain.h" : header));
        assert_close(value(source), 2.0, 0);
        assert_close(value(source), 2.0, 0);
        assert_int_equal(runs(), i + 1);
    }
    spill_text("a b.h", "#define VALUE 4.0\n");
    assert_close(value("a b.c"), 8.0, 0);
}

/* The compiler has read the old file; what is there when it ends is the new one. */
static void a_file_that_changes_meanwhile_counts_as_changed(void **unused) {
    (void)unused;
    spill_text("helper.h", "#define VALUE 1.0\n");
    spill_text("model.c", "#include \"helper.h\"\ndouble log_density(const double *x) { return VALUE * *x; }\n");
    write_program("compiler", "#!/bin/sh\necho run >> runs\ncc \"$@\"\n"
                              "if test -e new.h; then sleep 0.02; mv new.h helper.h; fi\n");
    spill_text("new.h", "#define VALUE 7.0\n");
    assert_close(value("model.c"), 2.0, 0);
    assert_close(value("model.c"), 14.0, 0);
    assert_close(value("model.c"), 14.0, 0);
    assert_int_equal(runs(), 2);
}

static void a_damaged_cache_is_mended(void **unused) {
    (void)unused;
    make_model("model.c", "x[0]");
    char *path = compiled("model.c");
    spill_text(path, ""); /* as after a crash of the machine */
    assert_close(value("model.c"), 2.0, 0);
    assert_int_equal(runs(), 2);
    assert_int_equal(unlink(path), 0);
    assert_close(value("model.c"), 2.0, 0);
    assert_int_equal(runs(), 3);
    assert_int_equal(chmod(path, 0666), 0); /* somebody may have written to it */
    assert_close(value("model.c"), 2.0, 0);
    assert_int_equal(runs(), 4);
    free(path);
    edit_text("cache/include/ckam/model.h", "<math.h>", "<nath.h>");
    make_model("model.c", "x[0] + 1.0");
    assert_close(value("model.c"), 3.0, 0);
    size_t size;
    char  *header = slurp("cache/include/ckam/model.h", &size);
    spill("cache/include/ckam/model.h", header, size - 10); /* without its #endif */
    free(header);
    make_model("model.c", "x[0] + 2.0");
    assert_close(value("model.c"), 4.0, 0);
}

static void what_does_not_compile_is_refused(void **unused) {
    (void)unused;
    spill_text("model.c", "double log_density(const double *x) { return nonsense(; }\n");
    refuse("model.c", CKAM_ERROR_FORMAT, "model.c does not compile", text_of("-I%s/cache/include model.c", home));
    assert_said("model.c:1:");
    assert_said("nonsense");
    assert_int_equal(count_files("cache", ""), 1); /* include */
    assert_int_equal(runs(), 2);                   /* a failure is not kept */
    const char *deep = text_of("%0200d.c", 1);
    assert_int_equal(rename("model.c", deep), 0);
    refuse(deep, CKAM_ERROR_FORMAT, "00000 does not compile", "see the compiler's message");
}

static void what_is_no_source_is_refused(void **unused) {
    (void)unused;
    refuse("nowhere.c", CKAM_ERROR_INPUT, "cannot read nowhere.c", "No such file");
    refuse(".", CKAM_ERROR_INPUT, "cannot compile .", "not a file");
    assert_int_equal(mkfifo("pipe.c", 0600), 0);
    refuse("pipe.c", CKAM_ERROR_INPUT, "pipe.c", "not a file");
    spill("bytes.c", "int x;\0int y;", 13);
    refuse("bytes.c", CKAM_ERROR_FORMAT, "bytes.c is not a text", "byte 7 is 0");
    assert_int_equal(runs(), 0);
}

/* -- Compilers --------------------------------------------------------------------------------------------------------- */

static void the_compiler_is_found(void **unused) {
    (void)unused;
    const char *path = getenv("PATH") ? getenv("PATH") : "/usr/bin:/bin";
    make_model("model.c", "VALUE * x[0]");
    setenv("CC", "compiler\t-DVALUE=3.0 ", 1);
    setenv("PATH", text_of("/nowhere:%s:%s", home, path), 1);
    assert_close(value("model.c"), 6.0, 0);
    setenv("PATH", text_of("%s:", path), 1); /* an empty entry is the directory we are in */
    setenv("CC", "compiler -DVALUE=4.0", 1);
    assert_close(value("model.c"), 8.0, 0);
    setenv("PATH", path, 1);
    setenv("CC", "./compiler", 1);
    setenv("CFLAGS", "-DVALUE=1.0 -UVALUE\n-DVALUE=5.0", 1);
    assert_close(value("model.c"), 10.0, 0);
    assert_int_equal(runs(), 3);
    setenv("CC", "  ", 1); /* as if it were not set */
    assert_close(value("model.c"), 10.0, 0);
    unsetenv("CC");
    assert_close(value("model.c"), 10.0, 0);
    assert_int_equal(runs(), 3);
}

static void no_compiler_is_refused(void **unused) {
    (void)unused;
    make_model("model.c", "x[0]");
    static const char *const none[] = {"no-such-compiler -O2", "/no/such/compiler", "./model.c", "."};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        setenv("CC", none[i], 1);
        refuse("model.c", CKAM_ERROR_INPUT, "was not found; install gcc or clang", "set CC");
    }
    write_program("compiler", "this is no program");
    setenv("CC", "./compiler", 1);
    refuse("model.c", CKAM_ERROR_INPUT, "cannot run the compiler ./compiler", "xec");
    setenv("CC", "true", 1);
    refuse("model.c", CKAM_ERROR_INPUT, "has made no object", "CC");
    write_program("compiler", "#!/bin/sh\nkill -9 $$\n");
    setenv("CC", "./compiler", 1);
    refuse("model.c", CKAM_ERROR_INPUT, "ended by signal 9", "compiler");
}

/* It reads nothing of ours, and what it prints does not mix with our results. */
static void the_compiler_is_kept_apart(void **unused) {
    (void)unused;
    make_model("model.c", "x[0]");
    write_program("compiler", "#!/bin/sh\necho to stdout\necho to stderr >&2\ncat\nexec cc \"$@\"\n");
    spill_text("in", "ours\n");
    spill_text("out", "");
    int in = dup(STDIN_FILENO), out = dup(STDOUT_FILENO), kept = hush();
    int from = open("in", O_RDONLY), to = open("out", O_WRONLY);
    assert_true(dup2(from, STDIN_FILENO) >= 0 && dup2(to, STDOUT_FILENO) >= 0);
    char       *path;
    ckam_status status = compile_file("model.c", &path, NULL);
    assert_true(dup2(in, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0);
    for (int i = 0; i < 4; i++) close((const int[]){in, out, from, to}[i]);
    speak(kept);
    assert_int_equal(status, CKAM_OK);
    free(path);
    char *printed = slurp("out", NULL), *said = slurp("said", NULL);
    assert_string_equal(printed, "");
    assert_string_equal(said, "to stdout\nto stderr\n");
    free(printed);
    free(said);
}

static unsigned long long signal_set(const char *status, const char *name) {
    const char *line = strstr(status, name);
    assert_non_null(line);
    return strtoull(line + strlen(name), NULL, 16);
}

/* A program that does not care for its children gets no outcome of them. The compiler is not to take after it. */
static void ignored_children_do_no_harm(void **unused) {
    (void)unused;
    const unsigned long long bit = 1ULL << (SIGCHLD - 1);
    sigset_t                 block, old;
    sigemptyset(&block);
    sigaddset(&block, SIGCHLD);
    sigprocmask(SIG_BLOCK, &block, &old);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, usual;
    sigaction(SIGCHLD, &ignore, &usual);
    make_model("model.c", "x[0]");
    double right = value("model.c");
    begin(NULL);
    setenv("CC", "cat /proc/self/status --", 1); /* a compiler that prints the state of its process, and fails */
    refuse("model.c", CKAM_ERROR_INPUT, "has made no object", "failed");
    sigaction(SIGCHLD, &usual, NULL);
    sigprocmask(SIG_SETMASK, &old, NULL);
    assert_close(right, 2.0, 0);
    char *said = slurp("said", NULL);
    assert_false(signal_set(said, "SigBlk:") & bit);
    assert_false(signal_set(said, "SigIgn:") & bit);
    free(said);
}

/* -- The directory ------------------------------------------------------------------------------------------------------ */

static void the_directory_is_chosen(void **unused) {
    (void)unused;
    const char *old_home = getenv("HOME"), *old_cache = getenv("XDG_CACHE_HOME"), *old_base = getenv("TMPDIR");
    make_model("model.c", "x[0]");
    setenv("CKAM_CACHE", "cache/one/two/", 1);
    free(compiled("model.c"));
    assert_int_equal(count_files("cache/one/two", ".so"), 1);
    setenv("CKAM_CACHE", "", 1);
    setenv("XDG_CACHE_HOME", text_of("%s/cache/three", home), 1);
    free(compiled("model.c"));
    assert_int_equal(count_files("cache/three/ckam", ".so"), 1);
    setenv("XDG_CACHE_HOME", "relative", 1); /* not valid, says its specification */
    setenv("HOME", text_of("%s/cache/four", home), 1);
    free(compiled("model.c"));
    assert_int_equal(count_files("cache/four/.cache/ckam", ".so"), 1);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    setenv("TMPDIR", text_of("%s/cache", home), 1);
    free(compiled("model.c"));
    assert_int_equal(count_files(text_of("cache/ckam-%u", (unsigned)geteuid()), ".so"), 1);
    assert_int_equal(runs(), 4);
    if (old_home) setenv("HOME", old_home, 1);
    if (old_cache) setenv("XDG_CACHE_HOME", old_cache, 1);
    if (old_base)
        setenv("TMPDIR", old_base, 1);
    else
        unsetenv("TMPDIR");
}

static void an_unsafe_directory_is_refused(void **unused) {
    (void)unused;
    make_model("model.c", "x[0]");
    assert_int_equal(mkdir("cache", 0700), 0);
    static const mode_t bad[] = {0777, 0770, 0702, 01777};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(chmod("cache", bad[i]), 0);
        refuse("model.c", CKAM_ERROR_OUTPUT, "others can write to", "CKAM_CACHE");
    }
    assert_int_equal(chmod("cache", 0755), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown("cache", 65534, 65534), 0);
        refuse("model.c", CKAM_ERROR_OUTPUT, "another user", "CKAM_CACHE");
        assert_int_equal(chown("cache", 0, 0), 0);
        assert_int_equal(symlink("cache", "link"), 0);
        assert_int_equal(lchown("link", 65534, 65534), 0);
        setenv("CKAM_CACHE", "link", 1);
        refuse("model.c", CKAM_ERROR_OUTPUT, "another user", "link");
    }
    assert_int_equal(runs(), 0);
    setenv("CKAM_CACHE", "model.c", 1);
    refuse("model.c", CKAM_ERROR_OUTPUT, "model.c", "is not a directory");
    setenv("CKAM_CACHE", "model.c/cache", 1);
    refuse("model.c", CKAM_ERROR_OUTPUT, "cannot make", "Not a directory");
    char *long_name = malloc(20001);
    assert_non_null(long_name);
    memset(long_name, 'x', 20000);
    long_name[20000] = 0;
    setenv("CKAM_CACHE", long_name, 1);
    refuse("model.c", CKAM_ERROR_OUTPUT, "xxx", "too long");
    free(long_name);
    begin(NULL);
    assert_close(value("model.c"), 2.0, 0);
}

static void processes_share_it(void **unused) {
    (void)unused;
    enum { PROCESSES = 6 };
    pid_t child[PROCESSES];
    make_model("model.c", "x[0] * x[0]");
    for (size_t i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i]) continue;
        char *path;
        _exit(compile_file("model.c", &path, NULL) ? 1 : value_of(path, &(double){3.0}, NULL, 0) != 9.0);
    }
    for (size_t i = 0; i < PROCESSES; i++) {
        int outcome;
        assert_int_equal(waitpid(child[i], &outcome, 0), child[i]);
        assert_int_equal(outcome, 0);
    }
    assert_int_equal(count_files("cache", ""), 3);
    size_t so_far = runs();
    assert_close(value("model.c"), 4.0, 0);
    assert_int_equal(runs(), so_far);
}

static void set_age(const char *path, double days) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec -= (time_t)(days * 24 * 60 * 60);
    assert_int_equal(utimensat(AT_FDCWD, path, (const struct timespec[]){now, now}, 0), 0);
}

static void old_objects_go(void **unused) {
    (void)unused;
    static const char *const names[] = {"cache/00112233445566778899aabbccddeeff.so",
                                        "cache/00112233445566778899aabbccddeeff.list",
                                        "cache/0123.so",
                                        "cache/00112233445566778899aabbccddeefg.so",
                                        "cache/00112233445566778899aabbccddeeff.c",
                                        "cache/ffeeddccbbaa99887766554433221100.so"};
    make_model("model.c", "x[0]");
    char *used = compiled("model.c");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        spill_text(names[i], "");
        set_age(names[i], i == 5 ? 89 : 91);
    }
    set_age(used, 91);
    assert_int_equal(mkdir("cache/work.abcdef", 0700), 0);
    spill_text("cache/work.abcdef/left", "");
    assert_int_equal(mkdir("cache/work.ghijkl", 0700), 0);
    set_age("cache/work.abcdef", 1.1);
    set_age("cache/work.ghijkl", 0.9);
    free(compiled("model.c")); /* is used, and is young again */
    make_model("model.c", "x[0] + 1.0");
    free(compiled("model.c"));
    assert_true(is_there(used));
    assert_false(is_there(names[0]) || is_there(names[1]) || is_there("cache/work.abcdef"));
    assert_true(is_there(names[2]) && is_there(names[3]) && is_there(names[4]) && is_there(names[5]));
    assert_true(is_there("cache/work.ghijkl"));
    free(used);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup(a_model_is_compiled, begin),
                                       cmocka_unit_test_setup(it_is_compiled_once, begin),
                                       cmocka_unit_test_setup(a_change_compiles_it_again, begin),
                                       cmocka_unit_test_setup(an_included_file_counts, begin),
                                       cmocka_unit_test_setup(strange_names_are_kept_track_of, begin),
                                       cmocka_unit_test_setup(a_file_that_changes_meanwhile_counts_as_changed, begin),
                                       cmocka_unit_test_setup(a_damaged_cache_is_mended, begin),
                                       cmocka_unit_test_setup(what_does_not_compile_is_refused, begin),
                                       cmocka_unit_test_setup(what_is_no_source_is_refused, begin),
                                       cmocka_unit_test_setup(the_compiler_is_found, begin),
                                       cmocka_unit_test_setup(no_compiler_is_refused, begin),
                                       cmocka_unit_test_setup(the_compiler_is_kept_apart, begin),
                                       cmocka_unit_test_setup(ignored_children_do_no_harm, begin),
                                       cmocka_unit_test_setup(the_directory_is_chosen, begin),
                                       cmocka_unit_test_setup(an_unsafe_directory_is_refused, begin),
                                       cmocka_unit_test_setup(processes_share_it, begin),
                                       cmocka_unit_test_setup(old_objects_go, begin)};
    return cmocka_run_group_tests_name("compile", tests, enter, leave);
}
