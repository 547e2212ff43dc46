/* test_touched.c - what is said of memory that nobody wrote to is right, byte by byte, wherever it begins. */
#include "support.h"

#include "base/touched.h"

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
    touched t;
    size_t  held = 0;
    touched_begin(&t, SIZE);
    for (size_t i = 0; i < SIZE / STEP; i++) {
        bool may = touched_at(&t, bytes + i * STEP, STEP);
        if (written[i]) assert_true(may);
        held += may;
    }
    touched_end(&t);
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
    char   *bytes = take();
    touched t;
    for (size_t i = 0; i < SIZE; i += SIZE / 7) bytes[i] = 1;
    touched_begin(&t, SIZE);
    for (size_t i = SIZE; i-- > 0;)
        if (bytes[i]) assert_true(touched_at(&t, bytes + i, 1));
    for (size_t i = 0; i < 7; i++) assert_true(touched_at(&t, bytes + (i * 3 % 7) * (SIZE / 7), 1));
    touched_end(&t);
    free(bytes);
}

static void of_little_memory_nothing_is_asked(void **unused) {
    (void)unused;
    char    byte = 0;
    touched t;
    touched_begin(&t, sizeof byte);
    assert_true(t.file < 0 && touched_at(&t, &byte, 1));
    touched_end(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_was_written_is_seen),
                                       cmocka_unit_test(the_order_does_not_matter),
                                       cmocka_unit_test(of_little_memory_nothing_is_asked)};
    return cmocka_run_group_tests_name("touched", tests, NULL, NULL);
}
