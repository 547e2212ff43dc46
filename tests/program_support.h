/* program_support.h - what the tests of programs share: small programs in files, opened, asked, and looked after. For groups with
 * enter_temporary(). Includes run_support.h. */
#ifndef CKAM_TESTS_PROGRAM_SUPPORT_H
#define CKAM_TESTS_PROGRAM_SUPPORT_H

#include "run_support.h"

#include "target/engine.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PLENTY 600.0 /* seconds: a limit that no right program meets */

/* Opens a command; `declared` is --params, or NULL. */
static inline ckam_status open_program(engine **e, const char *command, const char *declared, size_t workers,
                                       double timeout, ckam_error *error) {
    params p = {0};
    if (declared) assert_int_equal(params_read(&p, declared, "--params", true, NULL), CKAM_OK);
    program_setup setup = {
        .command = command, .declared = declared ? &p : NULL, .workers = workers, .timeout = timeout};
    ckam_status status = program_open(e, &setup, error);
    params_free(&p);
    return status;
}

static inline engine *opened_with(const char *command, const char *declared, size_t workers, double timeout) {
    engine    *e = NULL;
    ckam_error error = {.message = ""};
    if (open_program(&e, command, declared, workers, timeout, &error)) print_error("%s\n", error.message);
    assert_non_null(e);
    return e;
}

static inline engine *opened(const char *command, const char *declared) {
    return opened_with(command, declared, 1, PLENTY);
}

/* The same for a text in shell. The last one is replaced. */
static inline engine *opened_shell(const char *text, const char *declared) {
    spill_text("program.sh", text);
    return opened("exec sh program.sh", declared);
}

static inline void closed(engine *e) { e->type->close(e); }

static inline void *attached(engine *e) {
    void *handle = NULL;
    assert_int_equal(e->type->attach(e, 0, &handle, NULL), CKAM_OK);
    return handle;
}

/* One evaluation in a handle of its own. */
static inline engine_answer asked(engine *e, const double *x, double *value, char *why) {
    void *handle = attached(e);
    why[0] = 0;
    engine_answer answer = e->type->evaluate(e, handle, x, value, why);
    e->type->detach(e, handle);
    return answer;
}

/* That must be a number. */
static inline double value_at(engine *e, const double *x) {
    char          why[ENGINE_WHY];
    double        value = -1.0;
    engine_answer answer = asked(e, x, &value, why);
    if (answer != ENGINE_VALUE) print_error("%s\n", why);
    assert_int_equal(answer, ENGINE_VALUE);
    return value;
}

/* That must be something else, with this piece in its sentence. */
#define assert_answer(e, x, expected, piece) check_answer(e, x, expected, piece, __FILE__, __LINE__)
static inline void check_answer(engine *e, double x, engine_answer expected, const char *piece, const char *file,
                                int line) {
    char          why[ENGINE_WHY];
    double        value, point[] = {x, 0.0};
    engine_answer answer = asked(e, point, &value, why);
    if (answer == expected && strstr(why, piece)) return;
    print_error("answer %d, expected %d, with \"%s\"; it lacks: %s\n", (int)answer, (int)expected, why, piece);
    _fail(file, line);
}

static inline void pause_shortly(void) { nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL); }

/* The process whose number is in a file is gone, or will be: what is ended by a signal ends a bit later, and what lost its parent is
 * a zombie until someone else cares. */
static inline void assert_gone(const char *path) {
    char *text = slurp(path, NULL);
    long  pid = strtol(text, NULL, 10);
    bool  gone = false;
    free(text);
    assert_true(pid > 1);
    while (!gone) {
        FILE *about = fopen(text_of("/proc/%ld/stat", pid), "r");
        char  state = 'Z';
        gone = !about || fscanf(about, "%*d (%*[^)]) %c", &state) != 1 || state == 'Z';
        if (about) (void)fclose(about);
        if (!gone) pause_shortly();
    }
}

/* And reaped by us. */
static inline void assert_reaped(const char *path) {
    char *text = slurp(path, NULL);
    pid_t pid = (pid_t)strtol(text, NULL, 10);
    free(text);
    assert_true(pid > 1);
    assert_int_equal(kill(pid, 0), -1);
    assert_int_equal(errno, ESRCH);
}

#endif
