/* test_divergence.c - the distance of a histogram from exact probabilities: closed forms, its expected value, and which
 * samplers it prefers. */
#include "models.h"

#include "diag/divergence.h"
#include "rng/rng.h"

#include <stdlib.h>

/* -- Closed forms ---------------------------------------------------------------------------------------------------- */

enum { FINE = 2000 };
#define HUGE_TOTAL ((uint64_t)1 << 60)

/* The probability of bin i of N(mean, sd^2): FINE bins from -12 to 12, the outer ones without end. */
static double fine_bin(double mean, double sd, size_t i) {
    const double width = 24.0 / FINE, low = (-12.0 + width * (double)i - mean) / sd, high = low + width / sd;
    if (i == 0) return normal_tail(-high);
    if (i == FINE - 1) return normal_tail(low);
    return low > 0.0 ? normal_tail(low) - normal_tail(high) : normal_tail(-high) - normal_tail(-low);
}

/* From N(0, 1) to a histogram of N(mean, sd^2) with so many draws that a count is as good as a probability. */
static divergence of_normals(double mean, double sd) {
    static double   p[FINE];
    static uint64_t count[FINE];
    uint64_t        total = 0;
    for (size_t i = 0; i < FINE; i++) {
        p[i] = fine_bin(0.0, 1.0, i);
        count[i] = (uint64_t)(fine_bin(mean, sd, i) * (double)HUGE_TOTAL);
        total += count[i];
    }
    return divergence_of(FINE, p, count, total);
}

/* KL(p|q) + KL(q|p) of N(0, 1) and N(m, s^2) is (s^2 + 1/s^2 - 2 + m^2 (1 + 1/s^2)) / 2, so m^2 where s = 1. Bins of
 * width h see a share of about h^2 / 12 less, here 1e-5; what lies beyond the counts, below 1e-18, adds nothing. */
static void shifts_and_scales_are_the_closed_form(void **state) {
    static const double cases[][2] = {{0.3, 1}, {-1, 1}, {2, 1}, {0, 1.5}, {0, 0.7}, {1, 0.8}, {-0.5, 1.3}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const double     m2 = cases[i][0] * cases[i][0], s2 = cases[i][1] * cases[i][1];
        const double     exact = 0.5 * (s2 + 1.0 / s2 - 2.0 + m2 * (1.0 + 1.0 / s2));
        const divergence d = of_normals(cases[i][0], cases[i][1]);
        assert_relative(d.paper, exact, 1e-4);
        assert_relative(d.jeffreys, exact, 1e-4);
        if (s2 == 1.0) assert_relative(exact, m2, 1e-15);
    }
}

static void equal_sides_have_none(void **state) {
    const double   p[4] = {0.125, 0.5, 0.25, 0.125};
    const uint64_t count[4] = {1000, 4000, 2000, 1000}, large[4] = {1ull << 60, 1ull << 62, 1ull << 61, 1ull << 60};
    (void)state;
    assert_true(divergence_of(4, p, count, 8000).paper == 0.0);
    assert_true(divergence_of(4, p, count, 8000).jeffreys == 0.0);
    assert_close(divergence_of(4, p, large, 1ull << 63).paper, 0.0, 1e-15);
    assert_close(divergence_of(4, p, large, 1ull << 63).jeffreys, 0.0, 1e-15);
    assert_less(divergence_of(4, p, large, UINT64_MAX).paper, 1.0); /* half is missing: a number all the same */
}

/* By hand: p = (1/2, 1/4, 1/4, 0), 4 draws of which 3, 0, 0, 1. Skipping leaves (1/2 - 3/4) log(2/3). With half a draw
 * added to 2, 1, 1, 0 and to 3, 0, 0, 1, all over 6: */
static void a_small_case_by_hand(void **state) {
    const double     p[4] = {0.5, 0.25, 0.25, 0.0};
    const uint64_t   count[4] = {3, 0, 0, 1};
    const divergence d = divergence_of(4, p, count, 4);
    (void)state;
    assert_relative(d.paper, 0.25 * log(1.5), 1e-14);
    assert_relative(d.jeffreys, (log(3.5 / 2.5) + 2.0 * log(3.0) + log(3.0)) / 6.0, 1e-14);
}

/* Where both sides are histograms of equally many draws, neither is the exact one. */
static void sides_can_be_exchanged(void **state) {
    const uint64_t a[6] = {10, 0, 30, 5, 54, 1}, b[6] = {20, 7, 0, 45, 28, 0};
    double         p[6], q[6];
    (void)state;
    for (size_t i = 0; i < 6; i++) {
        p[i] = (double)a[i] / 100.0;
        q[i] = (double)b[i] / 100.0;
    }
    const divergence one = divergence_of(6, p, b, 100), other = divergence_of(6, q, a, 100);
    assert_relative(one.jeffreys, other.jeffreys, 1e-14);
    assert_relative(one.paper, other.paper, 1e-14);
    assert_less(one.paper, one.jeffreys); /* which skips nothing */
}

static void bad_and_extreme_input(void **state) {
    const double   p[3] = {0.5, 0.0, 0.5}, tiny[3] = {1.0, 5e-324, 0.0}, bad[3] = {0.5, 0.5, (double)NAN};
    const uint64_t none[3] = {0, 0, 0}, off[3] = {0, 7, 0}, some[3] = {3, 4, 0};
    (void)state;
    assert_true(isnan(divergence_of(3, p, none, 0).paper) && isnan(divergence_of(3, p, none, 0).jeffreys));
    assert_true(isnan(divergence_of(0, p, none, 0).paper));
    assert_true(isnan(divergence_of(3, bad, some, 7).paper) && isnan(divergence_of(3, bad, some, 7).jeffreys));
    assert_true(divergence_of(3, p, off, 7).paper == 0.0); /* all draws where none should be: nothing is left to see */
    assert_less(1.0, divergence_of(3, p, off, 7).jeffreys);
    assert_true(isfinite(divergence_of(3, tiny, off, 7).paper) && isfinite(divergence_of(3, tiny, off, 7).jeffreys));
}

/* -- Expected value -------------------------------------------------------------------------------------------------- */

enum { BINS = 50, TOTAL = 100000, REPEATS = 200 };

/* The mean of REPEATS histograms, whose bins have probabilities 1 / BINS but for a wave of that height. */
static divergence mean_of_draws(double wave) {
    double     p[BINS], below[BINS], sum = 0.0;
    divergence mean = {0.0, 0.0};
    rng        r;
    rng_init(&r, 8, 0);
    for (size_t i = 0; i < BINS; i++) {
        p[i] = 1.0 / BINS;
        below[i] = sum += (1.0 + wave * sin(6.283185307179586 * (double)i / BINS)) / BINS;
    }
    for (int n = 0; n < REPEATS; n++) {
        uint64_t count[BINS] = {0};
        for (int i = 0; i < TOTAL; i++) {
            const double u = rng_uniform(&r);
            size_t       k = (size_t)(u * BINS); /* within a bin of the right one */
            while (k > 0 && u <= below[k - 1]) k--;
            while (k + 1 < BINS && u > below[k]) k++;
            count[k]++;
        }
        const divergence d = divergence_of(BINS, p, count, TOTAL);
        mean.paper += d.paper / REPEATS;
        mean.jeffreys += d.jeffreys / REPEATS;
    }
    return mean;
}

/* To first order the divergence times the number of draws is Pearson's statistic, chi-square with BINS - 1 degrees of
 * freedom: the mean of 200 has the relative standard error sqrt(2 / (49 * 200)) = 1.43 %; what is left out, of the order
 * 1 / (draws in a bin), is 0.05 %. The limit is 5 standard errors, 7.2 %: false alarms 6e-7. The twin is a wave of 2 %,
 * which adds 0.02^2 / 2 = 2e-4 to 4.9e-4. */
static void exact_draws_have_the_expected_value(void **state) {
    (void)state;
    const double     expected = (BINS - 1.0) / TOTAL;
    const divergence right = mean_of_draws(0.0), wrong = mean_of_draws(0.02);
    assert_relative(right.paper, expected, 0.072);
    assert_relative(right.jeffreys, expected, 0.072);
    assert_less(1.072 * expected, wrong.paper);
    assert_less(1.072 * expected, wrong.jeffreys);
    assert_relative(wrong.jeffreys, expected + 2e-4, 0.2);
}

/* -- What it prefers ------------------------------------------------------------------------------------------------- */

/* bimodal's boxes, and a histogram of exact draws of which a stated share is right of 0. */
enum { SIDE = 40, DRAWS = 100000 };

static double plane_edge(size_t i) {
    if (i == 0 || i == SIDE) return i == 0 ? -HUGE_VAL : HUGE_VAL;
    return -14.0 + 28.0 * (double)(i - 1) / (SIDE - 2);
}

static size_t plane_bin(double x) {
    size_t i = 0;
    while (x > plane_edge(i + 1)) i++;
    return i;
}

/* rows: SIDE for boxes, 1 for the first coordinate alone. */
static divergence of_share(const ckam_model *m, size_t rows, int right) {
    static double p[SIDE * SIDE];
    uint64_t      count[SIDE * SIDE] = {0};
    int           wanted[2] = {DRAWS - right, right};
    for (size_t i = 0; i < SIDE; i++)
        for (size_t j = 0; j < rows; j++) {
            const double low[2] = {plane_edge(i), rows > 1 ? plane_edge(j) : -HUGE_VAL};
            const double high[2] = {plane_edge(i + 1), rows > 1 ? plane_edge(j + 1) : HUGE_VAL};
            p[i * rows + j] = ckam_model_box(m, low, high);
        }
    for (uint64_t n = 0; wanted[0] + wanted[1] > 0; n++) {
        double x[2];
        ckam_model_draw(m, 9, n, x);
        if (wanted[x[0] > 0.0] == 0) continue;
        wanted[x[0] > 0.0]--;
        count[plane_bin(x[0]) * rows + (rows > 1 ? plane_bin(x[1]) : 0)]++;
    }
    return divergence_of(SIDE * rows, p, count, DRAWS);
}

/* Stuck in the left mode q is 2 p in half of the bins, and the others are skipped: (log 2) / 2 = 0.347. With 11 % on the
 * right nothing is skipped but the far tails: 0.39 log(0.89 / 0.11) = 0.815. So the paper's version prefers the worse
 * sampler. Noise is of second order: bins / draws, 0.016 for the boxes; the limits are 0.02 and more away from it. */
static void a_stuck_sampler_is_the_worst_by_jeffreys_alone(void **state) {
    (void)state;
    ckam_model *m = model_of("bimodal");
    for (size_t rows = 1; rows <= SIDE; rows += SIDE - 1) {
        const divergence stuck = of_share(m, rows, 0), rare = of_share(m, rows, 11000), half = of_share(m, rows, 50000);
        assert_close(stuck.paper, 0.5 * log(2.0), 0.04);
        assert_close(rare.paper, 0.39 * log(0.89 / 0.11), 0.04);
        assert_less(2.0 * stuck.paper, rare.paper);
        assert_less(3.0 * rare.jeffreys, stuck.jeffreys);
        assert_close(rare.jeffreys, rare.paper, 0.04);
        assert_less(half.paper, 0.02);
        assert_less(half.jeffreys, 0.02);
    }
    ckam_model_free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shifts_and_scales_are_the_closed_form),
        cmocka_unit_test(equal_sides_have_none),
        cmocka_unit_test(a_small_case_by_hand),
        cmocka_unit_test(sides_can_be_exchanged),
        cmocka_unit_test(bad_and_extreme_input),
        cmocka_unit_test(exact_draws_have_the_expected_value),
        cmocka_unit_test(a_stuck_sampler_is_the_worst_by_jeffreys_alone),
    };
    return cmocka_run_group_tests_name("divergence", tests, NULL, NULL);
}
