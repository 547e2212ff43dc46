/* test_ticks.c - ticks are where they should be, and their labels say where that is. */
#include "support.h"

#include "base/number.h"
#include "report/ticks.h"
#include "rng/rng.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The ticks with labels of t into `large`. */
static void keep_labelled(const ticks *t, ticks *large) {
    large->count = 0;
    for (size_t i = 0; i < t->count; i++)
        if (t->label[i][0]) {
            large->at[large->count] = t->at[i];
            memcpy(large->label[large->count++], t->label[i], TICK_TEXT);
        }
}

/* What holds for every axis. */
static void check_ticks(const ticks *t, double low, double high) {
    for (size_t i = 0; i < t->count; i++) {
        double read;
        assert_true(t->at[i] >= low && t->at[i] <= high);
        if (i > 0) assert_less(t->at[i - 1], t->at[i]);
        if (!t->label[i][0]) continue;
        assert_true(number_read(t->label[i], &read));
        assert_true(read == t->at[i]);
    }
}

/* 1, 2 or 5 times a power of ten. */
static bool is_round(double step) {
    double rest = step / pow(10.0, floor(log10(step) + 1e-6));
    return fabs(rest - 1.0) < 1e-4 || fabs(rest - 2.0) < 1e-4 || fabs(rest - 5.0) < 1e-4;
}

static void linear_ticks_go_in_even_round_steps(void **unused) {
    (void)unused;
    rng   r;
    ticks t;
    rng_init(&r, 1, 0);
    for (int i = 0; i < 20000; i++) {
        double low = (rng_uniform(&r) - 0.5) * pow(10.0, 20.0 * (rng_uniform(&r) - 0.5));
        double high = low + (fabs(low) + 1e-12) * pow(10.0, 10.0 * (rng_uniform(&r) - 0.7));
        size_t wanted = 2 + (size_t)(6.0 * rng_uniform(&r));
        ticks_make(&t, low, high, false, wanted);
        check_ticks(&t, low, high);
        assert_true(t.count >= 2 && (double)t.count <= fmax(1.6 * (double)wanted + 1.0, 6.0));
        double step = t.at[1] - t.at[0], rounding = 4.0 * DBL_EPSILON * fmax(fabs(low), fabs(high));
        assert_true(is_round(step) || rounding > 1e-5 * step);
        for (size_t k = 1; k < t.count; k++) assert_true(fabs(t.at[k] - t.at[k - 1] - step) <= rounding + 1e-12 * step);
        assert_less(t.at[0] - step, low);
        assert_less(high, t.at[t.count - 1] + step);
        for (size_t k = 0; k < t.count; k++) assert_true(t.label[k][0] != 0);
    }
}

static void logarithmic_ticks_are_powers_of_ten_where_there_are_two(void **unused) {
    (void)unused;
    rng   r;
    ticks t, large;
    rng_init(&r, 2, 0);
    for (int i = 0; i < 20000; i++) {
        double low = pow(10.0, 40.0 * (rng_uniform(&r) - 0.5)), decades = pow(10.0, 3.0 * rng_uniform(&r) - 2.0);
        double high = low * pow(10.0, decades), first;
        size_t wanted = 2 + (size_t)(6.0 * rng_uniform(&r));
        ticks_make(&t, low, high, true, wanted);
        check_ticks(&t, low, high);
        keep_labelled(&t, &large);
        assert_true(large.count >= 2 && (double)large.count <= fmax(1.6 * (double)wanted + 1.0, 6.0));
        if (decades < 2.0) continue;
        first = log10(large.at[1] / large.at[0]);
        for (size_t k = 0; k < large.count; k++) {
            assert_close(log10(large.at[k]), round(log10(large.at[k])), 1e-12);
            if (k > 0) assert_close(log10(large.at[k] / large.at[k - 1]), first, 1e-9);
        }
    }
}

/* The labels, one after the other; small ticks are nothing. */
static void assert_labels(double low, double high, bool logarithmic, size_t wanted, const char *expected) {
    ticks t;
    char  text[2048] = "";
    ticks_make(&t, low, high, logarithmic, wanted);
    check_ticks(&t, low, high);
    for (size_t i = 0; i < t.count; i++) {
        if (text[0] && t.label[i][0]) strcat(text, " ");
        strcat(text, t.label[i]);
    }
    assert_string_equal(text, expected);
}

static void labels_are_short(void **unused) {
    (void)unused;
    assert_labels(0.0, 1.0, false, 5, "0.0 0.2 0.4 0.6 0.8 1.0");
    assert_labels(-10.0, 10.0, false, 4, "-10 -5 0 5 10");
    assert_labels(0.0, 99999.0, false, 5, "0 20000 40000 60000 80000");
    assert_labels(0.0, 1e6, false, 5, "0 2e5 4e5 6e5 8e5 1e6");
    assert_labels(0.0, 2e7, false, 4, "0 5e6 1e7 1.5e7 2e7");
    assert_labels(0.0, 4.2e-4, false, 4, "0.0000 0.0001 0.0002 0.0003 0.0004");
    assert_labels(0.0, 3e-7, false, 3, "0 1e-7 2e-7 3e-7");
    assert_labels(1000000.0, 1000010.0, false, 5, "1000000 1000002 1000004 1000006 1000008 1000010");
    assert_labels(-0.31, -0.09, false, 2, "-0.3 -0.2 -0.1");
    assert_labels(9e-4, 11.0, true, 6, "1e-3 0.01 0.1 1 10");
    assert_labels(100.0, 1e6, true, 6, "100 1000 1e4 1e5 1e6");
    assert_labels(1e-12, 1.0, true, 4, "1e-12 1e-8 1e-4 1");
    assert_labels(3.0, 60.0, true, 4, "5 10 20 50");
    assert_labels(2.1e5, 2.9e5, true, 4, "220000 240000 260000 280000");
}

static void small_ticks_stand_between_powers_of_ten(void **unused) {
    (void)unused;
    ticks t;
    ticks_make(&t, 0.5, 200.0, true, 4);
    assert_int_equal(t.count, 5 + 9 + 9 + 2); /* 0.5 ... 0.9, 1 ... 9, 10 ... 90, 100 200 */
    assert_close(t.at[0], 0.5, 0.0);
    assert_close(t.at[t.count - 1], 200.0, 0.0);
    assert_string_equal(t.label[0], "");
    assert_string_equal(t.label[5], "1");
}

static void extreme_ranges_have_two_ticks(void **unused) {
    (void)unused;
    const double ranges[][2] = {{-DBL_MAX, DBL_MAX},      {0.0, DBL_MAX},    {0.0, 0x1p-1074}, {1.0, 1.0 + DBL_EPSILON},
                                {-1e300, 1e300},          {1e17, 1e17 + 16}, {0.0, 1e-300},    {0x1p-1074, DBL_MAX},
                                {DBL_MAX / 2.0, DBL_MAX}, {1e-310, 2e-310}};
    ticks        t, large;
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
        for (int logarithmic = 0; logarithmic <= (ranges[i][0] > 0.0); logarithmic++) {
            ticks_make(&t, ranges[i][0], ranges[i][1], logarithmic, 5);
            check_ticks(&t, ranges[i][0], ranges[i][1]);
            keep_labelled(&t, &large);
            assert_true(large.count >= 2 && large.count <= 9);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_ticks_go_in_even_round_steps),
        cmocka_unit_test(logarithmic_ticks_are_powers_of_ten_where_there_are_two), cmocka_unit_test(labels_are_short),
        cmocka_unit_test(small_ticks_stand_between_powers_of_ten), cmocka_unit_test(extreme_ranges_have_two_ticks)};
    return cmocka_run_group_tests_name("ticks", tests, NULL, NULL);
}
