/* fuzz.h - what the fuzz targets share: demands, texts, files in a folder of their own.
 *
 * A target is a function that takes any bytes. It must not crash, hang or leak, and it demands what a reader promises: what is
 * refused has a sentence that fits, what is accepted means the same when it is written and read again. */
#ifndef CKAM_TESTS_FUZZ_H
#define CKAM_TESTS_FUZZ_H

#include "ckam.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* libFuzzer's, and replay.c's. Returns 0, or -1 for an input that is not worth keeping. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define DEMAND(condition)                                                                                              \
    do                                                                                                                 \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                    \
            abort();                                                                                                   \
        }                                                                                                              \
    while (0)

/* The bytes as text, up to the first 0, in memory of exactly its length; yours to free. */
static inline char *text_of(const uint8_t *bytes, size_t size) {
    const uint8_t *end = size ? memchr(bytes, 0, size) : NULL;
    size_t         length = end ? (size_t)(end - bytes) : size;
    char          *text = malloc(length + 1);
    DEMAND(text);
    if (length) memcpy(text, bytes, length);
    text[length] = 0;
    return text;
}

/* A sentence of at most `room` bytes with its final 0: there is one, it is not cut off, and a terminal can show it. */
static inline void demand_sentence(const char *text, size_t room) {
    size_t length = strnlen(text, room);
    DEMAND(length > 0);
    DEMAND(length < room - 1);
    for (size_t i = 0; i < length; i++) DEMAND((unsigned char)text[i] >= ' ' && text[i] != 127);
}

static inline void demand_error(ckam_status status, const ckam_error *error) {
    DEMAND(status < 0);
    DEMAND(error->status == status);
    demand_sentence(error->message, sizeof error->message);
}

static inline bool same_number(double a, double b) { return !memcmp(&a, &b, sizeof a) || (isnan(a) && isnan(b)); }

/* -- Files -------------------------------------------------------------------------------------------------------- */

/* The folder is made at the first call. It goes with the folder that TMPDIR names: replay.c and scripts/fuzz remove that. */
static inline const char *folder(void) {
    static char path[200];
    const char *parent = getenv("TMPDIR");
    if (*path) return path;
    snprintf(path, sizeof path, "%s/ckam-fuzz-XXXXXX", parent ? parent : "/tmp");
    DEMAND(mkdtemp(path));
    return path;
}

/* The path of a file there; good until the next call. */
static inline const char *in_folder(const char *name) {
    static char path[300];
    snprintf(path, sizeof path, "%s/%s", folder(), name);
    return path;
}

/* Makes the file; returns its path. */
static inline const char *put_file(const char *name, const void *bytes, size_t size) {
    const char *path = in_folder(name);
    FILE       *file = fopen(path, "w");
    DEMAND(file);
    DEMAND(fwrite(bytes, 1, size, file) == size);
    DEMAND(!fclose(file));
    return path;
}

#endif
