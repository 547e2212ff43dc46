/* test_store.c - the draws that a run keeps in memory: which ones, and gathered while they come. */
#include "support.h"

#include "run/store.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 3 };

/* Column k of draw i, so that a value tells where it comes from. */
static double value_of(uint64_t index, size_t column) { return (double)index + 0.25 * (double)column; }

/* Draw number `index` with the values of draw `first` + index. */
static void add_from(store *s, uint64_t first, uint64_t index) {
    double row[COLUMNS];
    for (size_t k = 0; k < COLUMNS; k++) row[k] = value_of(first + index, k);
    store_add(s, index, row);
}

static void add(store *s, uint64_t index) { add_from(s, 0, index); }

/* The definition: the least power of 2 with which `count` draws fit, and every stride-th of them. */
static uint64_t stride_for(uint64_t count, size_t most) {
    uint64_t stride = 1;
    while ((count + stride - 1) / stride > most) stride *= 2;
    return stride;
}

static void check(const store *s, uint64_t count, size_t most) {
    uint64_t stride = stride_for(count, most);
    assert_int_equal(s->stride, stride);
    assert_int_equal(s->rows, (count + stride - 1) / stride);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t k = 0; k < COLUMNS; k++) assert_true(s->values[i * COLUMNS + k] == value_of(i * stride, k));
}

static void what_is_kept_depends_on_the_number_alone(void **unused) {
    (void)unused;
    static const size_t rooms[] = {2, 4, 10, 128};
    for (size_t r = 0; r < sizeof rooms / sizeof *rooms; r++) {
        store s;
        assert_true(store_create(&s, COLUMNS, rooms[r]));
        for (uint64_t n = 0; n < 1000; n++) {
            add(&s, n);
            check(&s, n + 1, rooms[r]);
        }
        store_free(&s);
    }
}

/* Draws that it would not keep need not be handed over: so a run fills it again from a file. */
static void the_rest_may_be_left_out(void **unused) {
    (void)unused;
    store s;
    assert_true(store_create(&s, COLUMNS, 10));
    for (uint64_t n = 0; n < 12345; n += s.stride - n % s.stride) add(&s, n);
    check(&s, 12345, 10);
    store_free(&s);
}

static void check_gather(const uint64_t *counts, size_t stores, size_t most) {
    store    s[4], *list[4];
    uint64_t stride = 1;
    size_t   rows = SIZE_MAX;
    for (size_t i = 0; i < stores; i++) {
        list[i] = &s[i];
        assert_true(store_create(&s[i], COLUMNS, most));
        for (uint64_t n = 0; n < counts[i]; n++) add_from(&s[i], 1000000 * i, n);
        if (stride_for(counts[i], most) > stride) stride = stride_for(counts[i], most);
    }
    for (size_t i = 0; i < stores; i++)
        if ((counts[i] + stride - 1) / stride < rows) rows = (size_t)((counts[i] + stride - 1) / stride);
    double *values = calloc(stores * most * COLUMNS, sizeof *values);
    assert_non_null(values);
    assert_int_equal(store_gather(list, stores, values), rows);
    for (size_t k = 0; k < COLUMNS; k++)
        for (size_t i = 0; i < stores; i++)
            for (size_t row = 0; row < rows; row++)
                assert_true(values[(k * stores + i) * rows + row] == value_of(row * stride + 1000000 * i, k));
    free(values);
    for (size_t i = 0; i < stores; i++) store_free(&s[i]);
}

static void stores_are_gathered_at_their_common_stride(void **unused) {
    (void)unused;
    static const uint64_t counts[][4] = {{5, 5, 5, 5},    {5, 7, 6, 8},       {8, 9, 16, 17},   {1000, 3, 8, 100},
                                         {0, 10, 20, 30}, {999, 1, 500, 250}, {64, 64, 64, 65}, {1, 1, 1, 1}};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t stores = 1; stores <= 4; stores++) check_gather(counts[c], stores, 8);
}

/* A copy elsewhere, which held something else before, is the store. Copies may stand one behind the other. */
static void a_store_is_packed_and_unpacked(void **unused) {
    (void)unused;
    static const uint64_t counts[] = {0, 1, 7, 8, 9, 1000, 3};
    enum { STORES = sizeof counts / sizeof *counts, ROOM = 8 };
    store   original[STORES], copy;
    double *numbers = NULL;
    size_t  used = 0, read = 0;
    assert_true(store_create(&copy, COLUMNS, ROOM));
    for (size_t i = 0; i < STORES; i++) {
        assert_true(store_create(&original[i], COLUMNS, ROOM));
        for (uint64_t n = 0; n < counts[i]; n++) add(&original[i], n);
        numbers = realloc(numbers, (used + store_packed_most(&original[i])) * sizeof *numbers);
        assert_non_null(numbers);
        size_t size = store_pack(&original[i], numbers + used);
        assert_true(size <= store_packed_most(&original[i]));
        used += size;
    }
    for (size_t i = 0; i < STORES; i++) {
        read += store_unpack(&copy, numbers + read);
        check(&copy, counts[i], ROOM);
        store_free(&original[i]);
    }
    assert_int_equal(read, used);
    free(numbers);
    store_free(&copy);
}

/* -- Two threads -------------------------------------------------------------------------------------------------- */

enum { DRAWS = 200000, MOST = 64 };

static atomic_bool written;

static void *write_all(void *argument) {
    store **list = argument;
    for (uint64_t n = 0; n < DRAWS; n++)
        for (size_t i = 0; i < 2; i++) add(list[i], n);
    atomic_store(&written, true);
    return NULL;
}

/* Whatever the moment: rows are whole, evenly spaced, and never go back. */
static void one_adds_while_another_gathers(void **unused) {
    (void)unused;
    store     s[2], *list[2] = {&s[0], &s[1]};
    pthread_t writer;
    double    values[2 * MOST * COLUMNS], last = -1.0;
    for (size_t i = 0; i < 2; i++) assert_true(store_create(&s[i], COLUMNS, MOST));
    atomic_store(&written, false);
    assert_int_equal(pthread_create(&writer, NULL, write_all, list), 0);
    size_t looks = 0;
    for (bool over = false; !over; looks++) {
        over = atomic_load(&written);
        size_t rows = store_gather(list, 2, values);
        double stride = rows > 1 ? values[1] : 1.0;
        for (size_t k = 0; k < COLUMNS; k++)
            for (size_t i = 0; i < 2; i++)
                for (size_t row = 0; row < rows; row++)
                    assert_true(values[(k * 2 + i) * rows + row] == stride * (double)row + 0.25 * (double)k);
        double reach = rows ? stride * (double)rows : 0.0; /* the first draw that is not in it */
        assert_true(reach >= last);
        last = reach;
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_true(looks >= 1);
    check(&s[0], DRAWS, MOST);
    check(&s[1], DRAWS, MOST);
    for (size_t i = 0; i < 2; i++) store_free(&s[i]);
}

static void an_unused_store_is_freed(void **unused) {
    (void)unused;
    store s;
    memset(&s, 0, sizeof s);
    store_free(&s);
    assert_true(store_create(&s, 1, 2));
    store_free(&s);
    store_free(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_kept_depends_on_the_number_alone),
                                       cmocka_unit_test(the_rest_may_be_left_out),
                                       cmocka_unit_test(stores_are_gathered_at_their_common_stride),
                                       cmocka_unit_test(a_store_is_packed_and_unpacked),
                                       cmocka_unit_test(one_adds_while_another_gathers),
                                       cmocka_unit_test(an_unused_store_is_freed)};
    return cmocka_run_group_tests_name("store", tests, NULL, NULL);
}
