/* test_lag.c - answers that belong to other points: found after any number too many, and told from random ones. */
#include "support.h"

#include "target/lag.h"

#include <math.h>
#include <string.h>

/* A process in memory: it answers `lag` questions late. */
typedef struct process {
    double (*density)(double x, size_t asked);
    size_t lag, asked;
    double late[64]; /* answers that are under way, the oldest first */
    size_t fails_at; /* with a fault; 0: never */
} process;

static engine_answer answer(void *context, const double *x, double *value, char *why) {
    process *p = context;
    (void)why;
    if (++p->asked == p->fails_at) return ENGINE_FAULT;
    p->late[p->lag] = p->density(*x, p->asked);
    *value = p->late[0];
    memmove(p->late, p->late + 1, p->lag * sizeof *p->late);
    return isnan(*value) ? ENGINE_REJECT : ENGINE_VALUE;
}

/* So many extra answers, and they stay under way. */
static void add_answers(process *p, size_t count) {
    for (size_t i = 0; i < count; i++) p->late[p->lag++] = -100.0 - (double)i;
}

/* -- Densities ---------------------------------------------------------------------------------------------------- */

static double smooth(double x, size_t asked) {
    (void)asked;
    return -0.5 * x * x;
}

static double box(double x, size_t asked) {
    (void)asked;
    return fabs(x) < 5.0 ? 0.0 : (double)NAN;
}

static double flat(double x, size_t asked) {
    (void)x;
    (void)asked;
    return 0.0;
}

static double random_values(double x, size_t asked) { return -0.5 * x * x + sin(1000.0 * (double)(asked * asked)); }
static double last_digits(double x, size_t asked) { return (-0.5 * x * x - 3.0) * (1.0 + 1e-13 * (double)(asked % 3)); }
static double warm_start(double x, size_t asked) { return -0.5 * x * x + 1e-5 * exp(-0.1 * (double)asked); }

/* -- Chains of questions ------------------------------------------------------------------------------------------ */

typedef struct outcome {
    lag_finding found;
    size_t      after; /* answers after the extra ones; SIZE_MAX: never */
    size_t      questions;
} outcome;

/* As program.c does it: a check before the question, where one is due. The extra answers come after `fault` answers. */
static outcome drive(process *p, size_t fault, size_t extra, size_t count) {
    outcome   o = {.after = SIZE_MAX};
    lag_check c;
    assert_true(lag_begin(&c, 1));
    for (size_t i = 0; i < count && o.after == SIZE_MAX; i++) {
        double x = 10.0 * sin((double)(i * i)), value = 0.0;
        if (i == fault) add_answers(p, extra);
        if (lag_is_due(&c)) {
            assert_int_equal(lag_verify(&c, answer, p, &o.found, NULL), ENGINE_VALUE);
            if (o.found.kind != LAG_NONE) o.after = i - fault;
        }
        engine_answer got = answer(p, &x, &value, NULL);
        lag_note(&c, &x, got == ENGINE_REJECT ? (double)NAN : value);
    }
    o.questions = p->asked;
    lag_end(&c);
    return o;
}

static void right_answers_are_confirmed(void **unused) {
    (void)unused;
    double (*const densities[])(double, size_t) = {smooth, box, flat, last_digits};
    for (size_t k = 0; k < sizeof densities / sizeof *densities; k++) {
        process p = {.density = densities[k]};
        outcome o = drive(&p, 0, 0, 6400);
        assert_int_equal(o.found.kind, LAG_NONE);
        assert_int_equal(o.after, SIZE_MAX);
        assert_true(o.questions <= 6400 + (densities[k] == smooth ? 1 : 2) * (6400 / LAG_EVERY + 6));
        assert_true(o.questions >= 6400 + 6400 / LAG_EVERY);
    }
}

/* After how many answers, at most: with the first LAG_EVERY of a process sooner. */
static void each_shift_is_found_at_the_next_check(void **unused) {
    (void)unused;
    for (size_t extra = 1; extra <= LAG_MOST; extra++)
        for (size_t fault = 1; fault < 300; fault++) {
            process p = {.density = smooth};
            outcome o = drive(&p, fault, extra, 1000);
            assert_int_equal(o.found.kind, LAG_SHIFTED);
            assert_true(o.found.by == extra || o.found.by == 0);
            assert_true(o.after <= LAG_EVERY && o.after <= fault + 2);
        }
}

/* A density with two values, one of them a reject: most points have the answer of the one before. */
static void a_shift_of_equal_answers_is_found(void **unused) {
    (void)unused;
    for (size_t fault = 20; fault < 300; fault++) {
        process p = {.density = box};
        outcome o = drive(&p, fault, 1, 1000);
        assert_int_equal(o.found.kind, LAG_SHIFTED);
        assert_true(o.after <= LAG_EVERY);
    }
}

static void random_values_are_not_a_shift(void **unused) {
    (void)unused;
    double (*const densities[])(double, size_t) = {random_values, warm_start};
    for (size_t k = 0; k < 2; k++) {
        process p = {.density = densities[k]};
        outcome o = drive(&p, 0, 0, 100);
        assert_int_equal(o.found.kind, LAG_NOISE);
        assert_true(o.found.value[0] != o.found.value[1]);
    }
}

/* -- One process after another ------------------------------------------------------------------------------------- */

/* The answers of a process that has ended are confirmed by the next one, or refuted. */
static void another_process_finds_the_shift_of_the_first(void **unused) {
    (void)unused;
    for (size_t extra = 0; extra < 2; extra++) {
        process     p = {.density = smooth}, second = {.density = smooth};
        lag_finding found;
        lag_check   c;
        assert_true(lag_begin(&c, 1));
        for (size_t i = 0; i < 10; i++) {
            double x = (double)i, value = 0.0;
            if (i == 8) add_answers(&p, extra);
            if (i == 7) assert_int_equal(lag_verify(&c, answer, &p, &found, NULL), ENGINE_VALUE);
            answer(&p, &x, &value, NULL);
            lag_note(&c, &x, value);
        }
        assert_int_equal(c.checked, 7);
        lag_restart(&c);
        assert_true(lag_is_due(&c));
        assert_int_equal(lag_verify(&c, answer, &second, &found, NULL), ENGINE_VALUE);
        assert_int_equal(found.kind, extra ? LAG_SHIFTED : LAG_NONE);
        assert_int_equal(c.checked, extra ? 7 : 10);
        lag_end(&c);
    }
}

/* Wherever it fails in a check, that is handed on, and nothing is confirmed. */
static void faults_end_a_check(void **unused) {
    (void)unused;
    for (size_t late = 1; late < 30; late++) {
        process     p = {.density = smooth};
        lag_finding found;
        lag_check   c;
        assert_true(lag_begin(&c, 1));
        for (size_t i = 0; i < 3; i++) {
            double x = (double)i + 1.0, value = 0.0;
            if (i == 1) add_answers(&p, 1);
            answer(&p, &x, &value, NULL);
            lag_note(&c, &x, value);
        }
        p.fails_at = p.asked + late;
        engine_answer got = lag_verify(&c, answer, &p, &found, NULL);
        assert_true(got == ENGINE_FAULT || (late > LAG_MOST && found.kind == LAG_SHIFTED));
        assert_int_equal(c.checked, 0);
        lag_end(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_answers_are_confirmed),
                                       cmocka_unit_test(each_shift_is_found_at_the_next_check),
                                       cmocka_unit_test(a_shift_of_equal_answers_is_found),
                                       cmocka_unit_test(random_values_are_not_a_shift),
                                       cmocka_unit_test(another_process_finds_the_shift_of_the_first),
                                       cmocka_unit_test(faults_end_a_check)};
    return cmocka_run_group_tests_name("lag", tests, NULL, NULL);
}
