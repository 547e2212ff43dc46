/* compile_support.h - what the tests of compiling share: a folder, a compiler that writes down each of its runs, objects called.
 *
 * Includes run_support.h. */
#ifndef CKAM_TESTS_COMPILE_SUPPORT_H
#define CKAM_TESTS_COMPILE_SUPPORT_H

#include "run_support.h"

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char home[256], before[4096]; /* the folder of all tests, and where we came from */

/* Not in memory, as other tests are: nothing may be run from there on some machines. */
static inline int enter(void **unused) {
    (void)unused;
    const char *base = getenv("TMPDIR");
    snprintf(home, sizeof home, "%s/ckam-test-XXXXXX", base && *base ? base : "/tmp");
    return !getcwd(before, sizeof before) || !mkdtemp(home) || chdir(home);
}

static inline int leave(void **unused) {
    (void)unused;
    int failed = chdir(before);
    remove_tree(home);
    return failed;
}

static inline void write_program(const char *path, const char *text) {
    spill_text(path, text);
    assert_int_equal(chmod(path, 0700), 0);
}

/* Each test begins with an empty cache, and a compiler that has not run. */
static inline int begin(void **unused) {
    (void)unused;
    remove_tree("cache");
    remove_tree("runs");
    remove_tree("helper.h");
    write_program("compiler", "#!/bin/sh\necho run >> runs\nexec cc \"$@\"\n");
    setenv("CC", text_of("%s/compiler", home), 1);
    setenv("CKAM_CACHE", text_of("%s/cache", home), 1);
    static const char *const others[] = {"CFLAGS", "CPATH", "C_INCLUDE_PATH", "LIBRARY_PATH"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) unsetenv(others[i]);
    return 0;
}

static inline size_t runs(void) {
    if (!is_there("runs")) return 0;
    char  *text = slurp("runs", NULL);
    size_t count = strlen(text) / strlen("run\n");
    free(text);
    return count;
}

/* Entries of a directory whose names end so; "" for all. */
static inline size_t count_files(const char *path, const char *ending) {
    DIR                 *folder = opendir(path);
    const struct dirent *entry;
    size_t               count = 0;
    while (folder && (entry = readdir(folder))) {
        size_t length = strlen(entry->d_name), tail = strlen(ending);
        count += entry->d_name[0] != '.' && length >= tail && !strcmp(entry->d_name + length - tail, ending);
    }
    if (folder) closedir(folder);
    return count;
}

/* -- Calls ------------------------------------------------------------------------------------------------------------ */

typedef double density(const double *x);

/* The value of an object's log_density at x; the list of its parameters, with blanks between them, if wanted. */
static inline double value_of(char *path, const double *x, char *list, size_t size) {
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!object) print_error("%s\n", dlerror());
    assert_non_null(object);
    density *f;
    void    *symbol = dlsym(object, "log_density");
    assert_non_null(symbol);
    memcpy(&f, &symbol, sizeof f);
    double             value = f(x);
    const char *const *names = dlsym(object, "ckam_parameters");
    size_t             used = 0;
    if (list) list[0] = 0;
    for (; list && names && *names; names++)
        used += (size_t)snprintf(list + used, size - used, "%s%s", used ? "; " : "", *names);
    if (object) dlclose(object);
    free(path);
    return value;
}

/* What goes to stderr goes to the file "said". */
static inline int hush(void) {
    int kept = dup(STDERR_FILENO), file = open("said", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(kept >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    close(file);
    return kept;
}

static inline void speak(int kept) {
    assert_true(dup2(kept, STDERR_FILENO) >= 0);
    close(kept);
}

static inline void assert_said(const char *piece) {
    char *said = slurp("said", NULL);
    if (!strstr(said, piece)) print_error("'%s' is not in what was said: %s\n", piece, said);
    assert_non_null(strstr(said, piece));
    free(said);
}

#endif
