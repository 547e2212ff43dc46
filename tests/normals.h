/* normals.h - arrays of numbers for the tests of diagnostics; yours to free. Includes support.h. */
#ifndef CKAM_TESTS_NORMALS_H
#define CKAM_TESTS_NORMALS_H

#include "support.h"

#include "rng/rng.h"

#include <stdlib.h>

static inline double *numbers(size_t count) {
    double *room = malloc((count + 1) * sizeof *room);
    assert_non_null(room);
    return room;
}

static inline double *normals(size_t count, uint64_t seed) {
    rng r;
    rng_init(&r, seed, 0);
    double *values = numbers(count);
    rng_normals(&r, count, values);
    return values;
}

#endif
