/* test_trust.c - right, warned, silent: how bench/trust judges a run, on draws that are made up. */
#include "support.h"

#include "score.h"

#include "rng/rng.h"

#include <math.h>
#include <stdlib.h>

enum { CHAINS = 4, ROWS = 10000, ALL = CHAINS * ROWS };

/* Two events, the second where the first is not. Each chain draws the first with a probability of its own, and repeats each
 * draw in `repeats` rows. */
static bool *make_hits(const double p[CHAINS], size_t repeats) {
    bool *hit = calloc((size_t)2 * ALL, sizeof *hit), now = false;
    rng   r;
    assert_non_null(hit);
    rng_init(&r, 1, 0);
    for (size_t i = 0; i < ALL; i++) {
        if (i % repeats == 0) now = rng_uniform(&r) < p[i / ROWS];
        hit[i] = now;
        hit[ALL + i] = !now;
    }
    return hit;
}

static verdict judge_two(const double p[CHAINS], double truth, size_t problems) {
    const double exact[2] = {truth, 1.0 - truth};
    double       worst;
    bool        *hit = make_hits(p, 1);
    verdict      v = judge(2, exact, hit, CHAINS, ROWS, problems, &worst);
    free(hit);
    return v;
}

static void right_shares_are_right_whatever_is_said(void **unused) {
    (void)unused;
    const double p[CHAINS] = {0.3, 0.3, 0.3, 0.3};
    assert_int_equal(judge_two(p, 0.3, 0), RIGHT);
    assert_int_equal(judge_two(p, 0.3, 2), RIGHT);
}

static void wrong_shares_are_silent_unless_a_problem_is_said(void **unused) {
    (void)unused;
    const double p[CHAINS] = {0.3, 0.3, 0.3, 0.3};
    assert_int_equal(judge_two(p, 0.35, 0), SILENT);
    assert_int_equal(judge_two(p, 0.35, 1), WARNED);
}

/* Three chains in one mode and one in the other: MCSE 0.25, and 4 of them would excuse any share. */
static void chains_that_disagree_are_not_right(void **unused) {
    (void)unused;
    const double p[CHAINS] = {1.0, 1.0, 1.0, 0.0};
    bool        *hit = make_hits(p, 1);
    share        found = share_of(hit, CHAINS, ROWS);
    free(hit);
    assert_close(found.value, 0.75, 1e-12);
    assert_close(found.mcse, 0.25, 1e-12);
    assert_int_equal(judge_two(p, 0.5, 0), SILENT);
    assert_int_equal(judge_two(p, 0.5, 1), WARNED);
    assert_int_equal(judge_two(p, 0.66, 0), RIGHT); /* more than 0.03, within 4 MCSE and 0.1 */
}

/* 0.025 is within 0.03 of nothing at all. */
static void a_missed_mode_is_not_right(void **unused) {
    (void)unused;
    const double none[CHAINS] = {0.0, 0.0, 0.0, 0.0}, few[CHAINS] = {0.02, 0.02, 0.02, 0.02};
    assert_int_equal(judge_two(none, 0.025, 0), SILENT);
    assert_int_equal(judge_two(few, 0.025, 0), RIGHT);
    assert_int_equal(judge_two(none, 0.005, 0), RIGHT);
}

/* Rows that repeat a draw 100 times: the variance of the mean is 100 times as large. The estimate has at least 3 degrees of
 * freedom and is the larger of two; a factor of 2.5 is missed by one in 10^4 right programs. */
static void mcse_counts_repeated_rows_once(void **unused) {
    (void)unused;
    const double p[CHAINS] = {0.3, 0.3, 0.3, 0.3};
    for (size_t repeats = 1; repeats <= 100; repeats *= 100) {
        bool  *hit = make_hits(p, repeats);
        double exact = sqrt(0.3 * 0.7 * (double)repeats / ALL), mcse = share_of(hit, CHAINS, ROWS).mcse;
        free(hit);
        assert_less(0.6 * exact, mcse);
        assert_less(mcse, 2.5 * exact);
    }
}

static void evidence_is_judged_by_its_error(void **unused) {
    (void)unused;
    assert_int_equal(judge_evidence(0.04, 0.001, false), RIGHT);
    assert_int_equal(judge_evidence(-0.3, 0.1, true), RIGHT);
    assert_int_equal(judge_evidence(-0.3, 0.01, false), SILENT);
    assert_int_equal(judge_evidence(-0.3, 0.01, true), WARNED);
    assert_int_equal(judge_evidence((double)NAN, 0.01, false), SILENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(right_shares_are_right_whatever_is_said),
                                       cmocka_unit_test(wrong_shares_are_silent_unless_a_problem_is_said),
                                       cmocka_unit_test(chains_that_disagree_are_not_right),
                                       cmocka_unit_test(a_missed_mode_is_not_right),
                                       cmocka_unit_test(mcse_counts_repeated_rows_once),
                                       cmocka_unit_test(evidence_is_judged_by_its_error)};
    return cmocka_run_group_tests_name("trust", tests, NULL, NULL);
}
