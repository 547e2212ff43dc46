/* isolated.h - an isolated engine with one handle, asked to misbehave; and the processes that there are. */
#ifndef CKAM_TESTS_ISOLATED_H
#define CKAM_TESTS_ISOLATED_H

#include "misbehaving.h"
#include "run_support.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/wait.h>

enum { DIM = 3, DERIVED = 5, MANY = 64 };
static const double LONG = 200.0; /* seconds that nothing here takes, on any machine */

/* -- What there is ------------------------------------------------------------------------------------------------ */

static inline pid_t parent_of(pid_t pid) {
    char   path[64], text[512] = "";
    FILE  *file = (snprintf(path, sizeof path, "/proc/%d/stat", (int)pid), fopen(path, "r"));
    size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file) (void)fclose(file);
    text[length] = '\0';
    const char *rest = strrchr(text, ')'); /* pid (name) state parent */
    return rest && strlen(rest) > 4 ? (pid_t)strtol(rest + 4, NULL, 10) : -1;
}

/* How many children a process has; those that have ended and were not waited for are among them. */
static inline size_t children_of(pid_t parent, pid_t list[MANY]) {
    DIR   *all = opendir("/proc");
    size_t count = 0;
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all)) && count < MANY;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && parent_of(pid) == parent) list[count++] = pid;
    }
    closedir(all);
    return count;
}

static inline pid_t only_child_of(pid_t parent) {
    pid_t list[MANY] = {0};
    assert_int_equal(children_of(parent, list), 1);
    return list[0];
}

static inline void assert_no_children(void) {
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
}

/* -- An engine and a handle ----------------------------------------------------------------------------------------- */

typedef struct stage {
    engine *e;
    void   *handle;
    int     closed;
} stage;

static inline void begin(stage *s, size_t dim, size_t derived, double timeout) {
    ckam_error error = {.message = ""};
    *s = (stage){.e = misbehaving_open(dim, derived, &s->closed)};
    assert_non_null(s->e);
    assert_int_equal(engine_isolate(&s->e, timeout, &error), CKAM_OK);
    assert_int_equal(s->e->type->attach(s->e, 4, &s->handle, &error), CKAM_OK);
}

static inline void finish(stage *s) {
    s->e->type->detach(s->e, s->handle);
    s->e->type->close(s->e);
    assert_int_equal(s->closed, 1);
    assert_no_children();
}

/* The model does this, with the answer that is expected. Gives the value. */
static inline double want(stage *s, deed what, engine_answer expected, const char *piece) {
    double        x[DIM] = {what, 0.25, -3.0}, value = -1.0;
    char          why[ENGINE_WHY] = "";
    engine_answer answer = s->e->type->evaluate(s->e, s->handle, x, &value, why);
    if (answer != expected || !strstr(why, piece))
        print_error("deed %d: answer %d, \"%s\", for %d, \"%s\"\n", (int)what, (int)answer, why, (int)expected, piece);
    assert_int_equal(answer, expected);
    assert_non_null(strstr(why, piece));
    return value;
}

#endif
