/* error.h - filling the sentence of a failure.
 *
 * Called by every layer, where the failure is noticed: what was wrong, with the value, and what would be right. */
#ifndef CKAM_BASE_ERROR_H
#define CKAM_BASE_ERROR_H

#include "ckam.h"

/* Fills *error (NULL accepted) and gives `status`, so that a caller can `return fail_with(...)`. A macro, so that whoever
 * reads the caller, a person or a tool, sees what it returns. */
#define fail_with(error, status, ...) (error_fill((error), (status), __VA_ARGS__), (ckam_status)(status))

void error_fill(ckam_error *error, ckam_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Puts a question mark for what would harm a terminal: a sentence may quote a file that a stranger wrote. error_fill() does it. */
void error_show(char *text);

/* A path in a sentence: whole up to `most` bytes (at most 120), else "..." and its end, where the name of the file is. To be used as
 * shown_path(path, 80).text in the arguments of fail_with(). */
typedef struct path_text {
    char text[128];
} path_text;
path_text shown_path(const char *path, size_t most);

#endif
