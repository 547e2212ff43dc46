/* test_resident.c - memory that was written to is never said to be empty. */
#include "support.h"

#include "base/resident.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE = 24 << 20, STEP = 512 };

static char *take(void) {
    char *bytes = calloc(1, SIZE); /* so large that it comes fresh from the system */
    assert_non_null(bytes);
    return bytes;
}

/* Walks through it, and returns how many pieces may hold something; those that were written to are among them. */
static size_t walk(const char *bytes, const bool *written) {
    resident_pages r;
    size_t         held = 0;
    resident_begin(&r, SIZE);
    for (size_t i = 0; i < SIZE / STEP; i++) {
        bool may = resident_at(&r, bytes + i * STEP, STEP);
        if (written[i]) assert_true(may);
        held += may;
    }
    resident_end(&r);
    return held;
}

static void what_was_written_is_seen(void **unused) {
    (void)unused;
    char *bytes = take();
    bool *written = calloc(SIZE / STEP, sizeof *written);
    assert_non_null(written);
    size_t before = walk(bytes, written);
    for (size_t i = 0; i < SIZE / STEP; i += 1 + i / 3) { /* some, also the first and the last byte of a piece */
        bytes[i * STEP + (i % 2 ? STEP - 1 : 0)] = 1;
        written[i] = true;
    }
    size_t after = walk(bytes, written);
    assert_true(before <= after && after <= SIZE / STEP);
    for (size_t i = 0; i < SIZE / STEP; i++) {
        bytes[i * STEP] = 1;
        written[i] = true;
    }
    assert_int_equal(walk(bytes, written), SIZE / STEP);
    free(written);
    free(bytes);
}

/* Backwards, and in jumps: it looks again. */
static void the_order_does_not_matter(void **unused) {
    (void)unused;
    char          *bytes = take();
    resident_pages r;
    for (size_t i = 0; i < SIZE; i += SIZE / 7) bytes[i] = 1;
    resident_begin(&r, SIZE);
    for (size_t i = SIZE; i-- > 0;)
        if (bytes[i]) assert_true(resident_at(&r, bytes + i, 1));
    for (size_t i = 0; i < 7; i++) assert_true(resident_at(&r, bytes + (i * 3 % 7) * (SIZE / 7), 1));
    resident_end(&r);
    free(bytes);
}

static void of_little_memory_nothing_is_asked(void **unused) {
    (void)unused;
    char           byte = 0;
    resident_pages r;
    resident_begin(&r, sizeof byte);
    assert_true(r.file < 0 && resident_at(&r, &byte, 1));
    resident_end(&r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_written_is_seen),
                                       cmocka_unit_test(the_order_does_not_matter),
                                       cmocka_unit_test(of_little_memory_nothing_is_asked)};
    return cmocka_run_group_tests_name("resident", tests, NULL, NULL);
}
