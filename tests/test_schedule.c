/* test_schedule.c - gains, noise and step sizes against the formulas of the specification, in long double. */
#include "sampler/schedule.h"
#include "support.h"

#include <float.h>

/* gamma_t = a (b+t)^-decay with rho = (end/start)^(1/decay), b = horizon rho / (1-rho), a = start b^decay. */
static double written_noise(double start, double end, double decay, double horizon, double t) {
    long double rho = powl((long double)end / (long double)start, 1.0L / (long double)decay);
    long double b = (long double)horizon * rho / (1.0L - rho), a = (long double)start * powl(b, (long double)decay);
    return (double)(a * powl(b + (long double)t, -(long double)decay));
}

static void noise_falls_as_written(void **unused) {
    (void)unused;
    static const double starts[] = {1e-5, 1.0, 4.0}, parts[] = {0.999, 0.25, 1e-3, 1e-9};
    static const double decays[] = {0.1, 0.55, 1.0, 3.0, 10.0}, horizons[] = {1.0, 7.0, 1000.0, 1e7};
    for (size_t i = 0; i < 3 * 4 * 5 * 4; i++) {
        double start = starts[i % 3], end = start * parts[i / 3 % 4], decay = decays[i / 12 % 5];
        double horizon = horizons[i / 60];
        noise  n = noise_make(start, end, decay, horizon);
        assert_true(noise_at(&n, 0.0) == start);
        assert_relative(noise_at(&n, horizon), end, 1e-13);
        for (double t = 0.0; t <= 2.0 * horizon; t += 0.25 * horizon)
            assert_relative(noise_at(&n, t), written_noise(start, end, decay, horizon, t), 1e-12);
    }
}

static void noise_without_an_end_of_its_own_is_constant(void **unused) {
    (void)unused;
    static const double decays[] = {1e-300, 0.55, 10.0};
    for (size_t i = 0; i < 3; i++) {
        noise n = noise_make(0.7, 0.7, decays[i], 1000.0);
        for (double t = 0.0; t < 1e15; t = 10.0 * t + 1.0) assert_true(noise_at(&n, t) == 0.7);
    }
}

/* Where 1 - rho is little more than rounding. */
static void noise_that_hardly_falls_is_between_its_ends(void **unused) {
    (void)unused;
    const double start = 0.7, ends[] = {nextafter(start, 0.0), start * (1.0 - 1e-15), start * (1.0 - 1e-12)};
    for (size_t i = 0; i < 3; i++)
        for (double decay = 0.01; decay <= 10.0; decay *= 10.0) {
            noise n = noise_make(start, ends[i], decay, 1000.0);
            assert_true(noise_at(&n, 0.0) == start);
            for (double t = 0.0; t <= 1000.0; t += 100.0) {
                assert_true(noise_at(&n, t) <= start);
                assert_close(noise_at(&n, t), start + (ends[i] - start) * t / 1000.0, 2e-15);
            }
        }
}

/* Ratios and decays whose (start/end)^(1/decay) is no number: never NaN, never above the start, never rising. */
static void noise_is_a_number_for_every_setting(void **unused) {
    (void)unused;
    static const double starts[] = {DBL_MIN, 1.0, LENGTH_MOST}, parts[] = {1.0, 0.5, 1e-100, 1e-300};
    static const double decays[] = {DBL_MIN, 1e-10, 1e-3, 0.55, 10.0}, horizons[] = {1.0, 1000.0, 1.8e19};
    for (size_t i = 0; i < 3 * 4 * 5 * 3; i++) {
        double start = starts[i % 3], end = fmax(start * parts[i / 3 % 4], DBL_TRUE_MIN), horizon = horizons[i / 60];
        noise  n = noise_make(start, end, decays[i / 12 % 5], horizon);
        double before = noise_at(&n, 0.0);
        assert_true(before == start);
        for (double t = 0.25; t < 1e20; t *= 2.0) {
            double now = noise_at(&n, t);
            assert_true(now >= 0.0 && now <= before * (1.0 + 1e-14));
            before = now;
        }
    }
}

static void gains_are_as_written(void **unused) {
    (void)unused;
    const double none = (double)NAN;
    const gain   decays = gain_make(&(settings){.adapt_gain = none, .adapt_decay = 0.6});
    const gain   constant = gain_make(&(settings){.adapt_gain = 0.05, .adapt_decay = 0.6});
    const gain   zero = gain_make(&(settings){.adapt_gain = 0.0, .adapt_decay = none});
    const gain   automatic = gain_make(&(settings){.adapt_gain = none, .adapt_decay = none});
    for (uint64_t t = 0; t < UINT64_C(1000000000000); t = 3 * t + 1) {
        double power = (double)powl(1.0L + (long double)t, -0.6L);
        assert_relative(gain_step_size(&decays, t), power, 1e-14);
        assert_relative(gain_moments(&decays, t, 9), power, 1e-14);
        assert_true(gain_step_size(&constant, t) == 0.05 && gain_moments(&constant, t, 9) == 0.05);
        assert_true(gain_step_size(&zero, t) == 0.0 && gain_moments(&zero, t, 9) == 0.0);
        assert_relative(gain_step_size(&automatic, t), (double)powl(1.0L + (long double)t, -0.75L), 1e-14);
        for (size_t dim = 1; dim < 200; dim += 50)
            assert_relative(gain_moments(&automatic, t, dim), 2.0 / ((double)t + 2.0 + 10.0 * (double)dim), 1e-15);
    }
}

static void step_sizes_follow_the_acceptance(void **unused) {
    (void)unused;
    for (double eta = 0.0; eta <= 1.0; eta += 0.125)
        for (double alpha = 0.0; alpha <= 1.0; alpha += 0.25)
            assert_relative(step_size_adapt(3.0, 0.1, eta, alpha, 0.234),
                            (double)(3.0L * expl((long double)eta * ((long double)alpha - 0.234L))), 1e-14);
}

/* Within a factor of 1e100 of the start, and not caught there. */
static void step_sizes_have_limits(void **unused) {
    (void)unused;
    static const double starts[] = {1e-100, 0.3, 1e100};
    for (size_t i = 0; i < 3; i++) {
        double low = starts[i], high = starts[i];
        for (int t = 0; t < 2000; t++) {
            low = step_size_adapt(low, starts[i], 1.0, 0.0, 0.234);
            high = step_size_adapt(high, starts[i], 1.0, 1.0, 0.234);
            assert_true(low >= starts[i] * 1e-100 && high <= starts[i] * 1e100);
        }
        assert_relative(low, starts[i] * 1e-100, 1e-15);
        assert_relative(high, starts[i] * 1e100, 1e-15);
        assert_relative(step_size_adapt(low, starts[i], 1.0, 1.0, 0.5), low * exp(0.5), 1e-14);
        assert_relative(step_size_adapt(high, starts[i], 1.0, 0.0, 0.5), high * exp(-0.5), 1e-14);
    }
}

static void the_cosine_falls_from_1_to_0(void **unused) {
    (void)unused;
    for (uint64_t length = 2; length < 100000; length = 3 * length + 1) {
        assert_true(cosine_at(0, length) == 1.0);
        assert_true(cosine_at(length, length) == 0.0);
        for (uint64_t t = 0; t <= length; t += length / 2) {
            long double angle = acosl(-1.0L) * (long double)t / (long double)length;
            assert_close(cosine_at(t, length), (double)(0.5L * (cosl(angle) + 1.0L)), 1e-15);
        }
    }
    assert_close(cosine_at(1, 2), 0.5, 1e-15);
    assert_close(cosine_at(1, 3), 0.75, 1e-15);
    assert_close(cosine_at(2, 3), 0.25, 1e-15);
}

static void the_optimal_scale_is_that_of_the_literature(void **unused) {
    (void)unused;
    assert_relative(step_size_optimal(1), 2.38, 1e-15);
    assert_relative(step_size_optimal(4), 1.19, 1e-15);
    assert_relative(step_size_optimal(100), 0.238, 1e-15);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(noise_falls_as_written),
                                       cmocka_unit_test(noise_without_an_end_of_its_own_is_constant),
                                       cmocka_unit_test(noise_that_hardly_falls_is_between_its_ends),
                                       cmocka_unit_test(noise_is_a_number_for_every_setting),
                                       cmocka_unit_test(gains_are_as_written),
                                       cmocka_unit_test(step_sizes_follow_the_acceptance),
                                       cmocka_unit_test(step_sizes_have_limits),
                                       cmocka_unit_test(the_cosine_falls_from_1_to_0),
                                       cmocka_unit_test(the_optimal_scale_is_that_of_the_literature)};
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
