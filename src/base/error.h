/* error.h - filling the sentence of a failure.
 *
 * Called by every layer, where the failure is noticed: what was wrong, with the value, and what would be right. */
#ifndef CKAM_BASE_ERROR_H
#define CKAM_BASE_ERROR_H

#include "ckam.h"

/* Fills *error (NULL accepted) and returns `status`, so that a caller can `return fail_with(...)`. */
ckam_status fail_with(ckam_error *error, ckam_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The entry of a NULL-ended list whose name is nearest to `name`, for "did you mean"; NULL when none is near.
 * `stride` is the size of an entry, whose first member is its name. */
const char *nearest_name(const void *list, size_t stride, const char *name);

#endif
