/* folder.h - a folder for the files of a test, under $TMPDIR or /tmp, removed afterwards; and whole files as text.
 *
 * folder_begin() and folder_end() are cmocka's group setup and teardown. */
#ifndef CKAM_TESTS_FOLDER_H
#define CKAM_TESTS_FOLDER_H

#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[200];

static inline int folder_begin(void **unused) {
    (void)unused;
    const char *parent = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/ckam-test-XXXXXX", parent ? parent : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

/* The path of a file there; good for the next 8 calls. */
static inline const char *in_folder(const char *name) {
    static char     paths[8][512];
    static unsigned next;
    char           *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* Files only: no test makes folders in it. */
static inline void folder_clear(void) {
    DIR                 *opened = opendir(folder);
    const struct dirent *entry;
    while (opened && (entry = readdir(opened)))
        if (entry->d_name[0] != '.') unlink(in_folder(entry->d_name));
    if (opened) closedir(opened);
}

static inline int folder_end(void **unused) {
    (void)unused;
    folder_clear();
    return rmdir(folder);
}

static inline void write_bytes(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static inline void write_text(const char *path, const char *text) { write_bytes(path, text, strlen(text)); }

/* The whole file, with a 0 behind it; yours to free. */
static inline char *read_text(const char *path, size_t *size) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = 0;
    assert_int_equal(fclose(file), 0);
    return text;
}

#endif
