/* run_support.c - see run_support.h. */
#include "run_support.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char temporary[256], before[4096];

int enter_temporary(void **unused) {
    (void)unused;
    const char *base = getenv("TMPDIR");
    const char *memory =
        access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm"; /* runs sync a lot: on a busy disk that is slow */
    snprintf(temporary, sizeof temporary, "%s/ckam-test-XXXXXX", base && *base ? base : memory);
    return !getcwd(before, sizeof before) || !mkdtemp(temporary) || chdir(temporary);
}

int leave_temporary(void **unused) {
    (void)unused;
    int failed = chdir(before);
    remove_tree(temporary);
    return failed;
}

/* Removes the files of a directory; at the first entry that is a directory goes down, at the end up. */
void remove_tree(const char *path) {
    char   here[4096];
    size_t top = (size_t)snprintf(here, sizeof here, "%s", path);
    for (int steps = 0; steps < 10000; steps++) { /* what cannot be removed stays */
        DIR           *folder = opendir(here);
        struct dirent *entry;
        bool           down = false;
        while (folder && !down && (entry = readdir(folder))) {
            size_t length = strlen(here);
            if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
            snprintf(here + length, sizeof here - length, "/%s", entry->d_name);
            down = unlink(here) != 0;
            if (!down) here[length] = 0;
        }
        if (folder) closedir(folder);
        if (down) continue;
        (void)remove(here);
        if (strlen(here) <= top) return;
        *strrchr(here, '/') = 0;
    }
}

/* -- Plans and runs ----------------------------------------------------------------------------------------------- */

static void check(ckam_status status, const ckam_error *error) {
    if (status < 0) print_error("%s: %s\n", ckam_status_name(status), error->message);
    assert_true(status >= 0);
}

void plan_change(ckam_plan *plan, const char *const *pairs) {
    ckam_error error;
    for (; pairs && pairs[0]; pairs += 2) check(ckam_plan_set(plan, pairs[0], pairs[1], &error), &error);
}

ckam_plan *plan_with(const char *const *pairs) {
    ckam_plan *plan;
    ckam_error error;
    check(ckam_plan_create(&plan, &error), &error);
    check(ckam_plan_set(plan, "seed", "1", &error), &error); /* it would be another one every time */
    plan_change(plan, pairs);
    return plan;
}

ckam_run *run_with(const char *const *pairs, const ckam_target *target) {
    ckam_run  *run;
    ckam_error error;
    ckam_plan *plan = plan_with(pairs);
    check(ckam_run_create(&run, plan, target, &error), &error);
    ckam_plan_free(plan);
    return run;
}

ckam_status try_again(ckam_run **run, const char *directory, const char *const *changes, const ckam_target *target,
                      ckam_error *error) {
    ckam_plan  *plan;
    ckam_status status = ckam_plan_open(&plan, directory, error);
    *run = NULL;
    if (status) return status;
    plan_change(plan, changes);
    status = ckam_run_resume(run, plan, directory, target, error);
    ckam_plan_free(plan);
    return status;
}

ckam_run *run_again(const char *directory, const char *const *changes, const ckam_target *target) {
    ckam_run  *run;
    ckam_error error;
    check(try_again(&run, directory, changes, target, &error), &error);
    return run;
}

ckam_status go_and_free(ckam_run *run) {
    ckam_error  error;
    ckam_status status = ckam_run_go(run, NULL, NULL, &error);
    check(status, &error);
    ckam_run_free(run);
    return status;
}

void run_to_end(const char *const *pairs, const ckam_target *target) {
    assert_int_equal(go_and_free(run_with(pairs, target)), CKAM_OK);
}

/* -- Files -------------------------------------------------------------------------------------------------------- */

const char *text_of(const char *format, ...) {
    static char   ring[32][512];
    static size_t next;
    char         *text = ring[next++ % 32];
    va_list       arguments;
    va_start(arguments, format);
    int length = vsnprintf(text, sizeof ring[0], format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof ring[0]);
    return text;
}

bool is_there(const char *path) { return access(path, F_OK) == 0; }

char *slurp(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) print_error("%s cannot be read\n", path);
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long length = ftell(file);
    assert_true(length >= 0);
    char *bytes = malloc((size_t)length + 1);
    assert_non_null(bytes);
    rewind(file);
    assert_int_equal(fread(bytes, 1, (size_t)length, file), length);
    (void)fclose(file);
    bytes[length] = 0;
    if (size) *size = (size_t)length;
    return bytes;
}

void spill(const char *path, const void *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

void spill_text(const char *path, const char *text) { spill(path, text, strlen(text)); }

void edit_text(const char *path, const char *old, const char *new) {
    char *text = slurp(path, NULL), *place = strstr(text, old);
    if (!place) print_error("%s has no '%s'\n", path, old);
    assert_non_null(place);
    size_t size = strlen(text) + strlen(new) + 1;
    char  *changed = malloc(size);
    assert_non_null(changed);
    snprintf(changed, size, "%.*s%s%s", (int)(place - text), text, new, place + strlen(old));
    spill_text(path, changed);
    free(changed);
    free(text);
}

char *slurp_rows(const char *path) {
    char *text = slurp(path, NULL), *to = text;
    for (const char *line = text; *line;) {
        size_t length = strcspn(line, "\n");
        length += line[length] == '\n';
        if (*line != '#') {
            memmove(to, line, length);
            to += length;
        }
        line += length;
    }
    *to = 0;
    return text;
}

size_t count_rows(const char *path) {
    char  *rows = slurp_rows(path);
    size_t count = 0;
    for (const char *c = rows; *c; c++) count += *c == '\n';
    free(rows);
    return count ? count - 1 : 0; /* less the header */
}

static void assert_same_file(const char *one, const char *other) {
    char *a = slurp_rows(one), *b = slurp_rows(other);
    if (strcmp(a, b) != 0) {
        size_t place = 0, line = 1;
        for (; a[place] == b[place]; place++) line += a[place] == '\n';
        print_error("%s and %s differ in line %zu (comments not counted): '%.60s' and '%.60s'\n", one, other, line,
                    a + place, b + place);
        fail();
    }
    free(a);
    free(b);
}

void assert_same_rows(const char *one, const char *other, size_t chains, bool warmup) {
    for (size_t i = 1; i <= chains; i++)
        for (int kind = 0; kind <= warmup; kind++) {
            const char *end = kind ? "_warmup" : "";
            assert_same_file(text_of("%s/chain_%zu%s.csv", one, i, end), text_of("%s/chain_%zu%s.csv", other, i, end));
        }
}

/* -- Targets ------------------------------------------------------------------------------------------------------ */

static int evaluate(void *context, const double *x, double *value) {
    tricky *t = context;
    bool    now = atomic_fetch_add(&t->calls, 1) + 1 == t->at;
    int     code = t->inner.log_density(t->inner.context, x, value);
    *value += t->shift;
    if (!now) return code;
    switch (t->trick) {
    case TRICK_STOP_RUN:
        ckam_run_stop(t->run);
        return code;
    case TRICK_STOP:
        return CKAM_STOP;
    case TRICK_INFINITE:
        *value = HUGE_VAL;
        return CKAM_OK;
    case TRICK_CODE:
        return 77;
    case TRICK_KILL:
        raise(SIGKILL);
        return code;
    default:
        return code;
    }
}

ckam_target tricky_target(tricky *t) {
    ckam_target target = t->inner;
    target.log_density = evaluate;
    target.context = t;
    return target;
}
