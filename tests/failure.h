/* failure.h - what every failure must look like: its status, and one whole sentence with the pieces that help.
 *
 * For the tests of bad input. Includes support.h. */
#ifndef CKAM_TESTS_FAILURE_H
#define CKAM_TESTS_FAILURE_H

#include "support.h"

#include "ckam.h"

#include <string.h>

/* assert_failure(call(..., &error), CKAM_ERROR_OPTION, &error, "explore", "1.5"): any number of pieces, at least one. */
#define assert_failure(status, expected, error, ...)                                                                   \
    check_failure(status, expected, error, (const char *const[]){__VA_ARGS__, NULL}, __FILE__, __LINE__)

/* `pieces` is ended by NULL. */
static inline void check_failure(ckam_status status, ckam_status expected, const ckam_error *error,
                                 const char *const *pieces, const char *file, int line) {
    const char *message = error->message;
    size_t      length = strnlen(message, sizeof error->message);
    bool        sentence = length > 0 && length + 1 < sizeof error->message && !strpbrk(message, "\n\r");
    while (*pieces && strstr(message, *pieces)) pieces++;
    if (status == expected && error->status == expected && sentence && !*pieces) return;
    print_error("%s, expected %s, with the message \"%s\"; it lacks: %s\n", ckam_status_name(status),
                ckam_status_name(expected), message, *pieces ? *pieces : "nothing");
    _fail(file, line);
}

#endif
