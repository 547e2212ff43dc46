/* test_history.c - the states that are kept: all of them, then every second, fourth, ... of the whole past. */
#include "sampler/history.h"
#include "support.h"

#include <string.h>

enum { DIM = 2, CAPACITY_MOST = 64 };

typedef struct store {
    history history;
    double  rows[CAPACITY_MOST * DIM];
} store;

static store empty(size_t capacity) {
    store s = {.rows = {0.0}};
    history_restart(&s.history, DIM, capacity);
    return s;
}

/* The i-th state of a chain that stays for two iterations at every third place. */
static void state(uint64_t i, double *x) {
    x[0] = (double)(i - (i % 3 == 2));
    x[1] = -0.5 * x[0];
}

static void offer(store *s, uint64_t i) {
    double x[DIM];
    state(i, x);
    history_add(&s->history, s->rows, x);
}

/* The rows are states 0, stride, 2 stride, ..., `count` of them. */
static void assert_holds(const store *s, size_t count, uint64_t stride) {
    assert_int_equal(s->history.count, count);
    assert_int_equal(s->history.stride, stride);
    for (size_t i = 0; i < count; i++) {
        double x[DIM];
        state(i * stride, x);
        assert_memory_equal(s->rows + i * DIM, x, sizeof x);
    }
}

static void every_state_is_kept_until_it_is_full(void **unused) {
    (void)unused;
    store s = empty(10);
    assert_holds(&s, 0, 1);
    for (uint64_t i = 0; i < 10; i++) {
        offer(&s, i);
        assert_holds(&s, i + 1, 1);
    }
}

static void when_full_every_second_state_is_dropped(void **unused) {
    (void)unused;
    store s = empty(10);
    for (uint64_t i = 0; i < 11; i++) offer(&s, i);
    assert_holds(&s, 6, 2); /* 0, 2, 4, 6, 8 and the one that came in, 10 */
    offer(&s, 11);
    assert_holds(&s, 6, 2);
    offer(&s, 12);
    assert_holds(&s, 7, 2);
    for (uint64_t i = 13; i < 20; i++) offer(&s, i);
    assert_holds(&s, 10, 2);
    offer(&s, 20);
    assert_holds(&s, 6, 4);
}

/* The stride is the least power of 2 with which what was seen fits. */
static void what_is_left_is_an_even_thinning(void **unused) {
    (void)unused;
    for (size_t capacity = 2; capacity <= CAPACITY_MOST; capacity += 2) {
        store    s = empty(capacity);
        uint64_t stride = 1;
        for (uint64_t i = 0; i < 3000; i++) {
            offer(&s, i);
            if (i / stride + 1 > capacity) stride *= 2;
            assert_int_equal(s.history.seen, i + 1);
            assert_holds(&s, i / stride + 1, stride);
        }
        assert_true(stride >= 32);
    }
}

static void a_restart_forgets(void **unused) {
    (void)unused;
    store s = empty(4);
    for (uint64_t i = 0; i < 100; i++) offer(&s, i);
    history_restart(&s.history, DIM, 4);
    for (uint64_t i = 0; i < 4; i++) offer(&s, i);
    assert_holds(&s, 4, 1);
}

/* 32 MiB are 4,194,304 numbers. */
static void capacities_are_as_documented(void **unused) {
    (void)unused;
    static const struct {
        size_t   dim;
        uint64_t subsample, needed;
        size_t   capacity;
    } cases[] = {{1, 50, UINT64_MAX, 20000},
                 {2, 50, UINT64_MAX, 20000},
                 {209, 200, UINT64_MAX, 20000},
                 {210, 200, UINT64_MAX, 19972},
                 {213, 200, UINT64_MAX, 19692} /* 19,691 fit */,
                 {1000, 200, UINT64_MAX, 4194},
                 {10000, 200, UINT64_MAX, 420} /* 419 fit */,
                 {1000000, 200, UINT64_MAX, 400},
                 {SIZE_MAX, 200, UINT64_MAX, 400},
                 {(size_t)1 << 61, 1, UINT64_MAX, 2},
                 {2, 10000, UINT64_MAX, 20000},
                 {4194304, 10000, UINT64_MAX, 20000},
                 {2, 50, 401, 402},
                 {2, 50, 402, 402},
                 {2, 50, 2, 2},
                 {2, 50, 21, 22},
                 {SIZE_MAX, 200, 21, 22},
                 {2, 50, 20001, 20000},
                 {2, 50, 19999, 20000},
                 {1000, 200, 4193, 4194}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(history_capacity(cases[i].dim, cases[i].subsample, cases[i].needed), cases[i].capacity);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_state_is_kept_until_it_is_full),
        cmocka_unit_test(when_full_every_second_state_is_dropped), cmocka_unit_test(what_is_left_is_an_even_thinning),
        cmocka_unit_test(a_restart_forgets), cmocka_unit_test(capacities_are_as_documented)};
    return cmocka_run_group_tests_name("history", tests, NULL, NULL);
}
