/* test_battery.c - the random targets of bench/battery are what they promise to be. */
#include "support.h"

#include "target.h"

#include <math.h>
#include <string.h>

/* The first seed from `seed` on whose target is of this family, in at most 4 dimensions. */
static uint64_t next_seed(family f, uint64_t seed) {
    family found;
    size_t dim;
    for (;; seed++) {
        random_target_peek(seed, &found, &dim);
        if (found == f && dim <= 4) return seed;
    }
}

/* Importance sampling with 200,000 draws. 5 standard errors are exceeded by one in a million; shares have errors of their own. */
static void integrals_and_shares_are_those_of_the_density(void **unused) {
    (void)unused;
    for (int f = 0; f < FAMILIES; f++) {
        uint64_t seed = 0;
        for (int i = 0; i < 2; i++) {
            random_target t;
            target_check  c;
            seed = next_seed((family)f, seed + 1);
            random_target_create(&t, seed);
            random_target_check(&t, seed, &c);
            assert_less(fabs(c.integral - 1.0), 5.0 * c.integral_se + 0.002);
            assert_less(c.integral_se, 0.02);
            assert_less(c.share_error, 0.02);
            random_target_free(&t);
        }
    }
}

static void targets_are_within_their_ranges(void **unused) {
    (void)unused;
    size_t low = 0, bounded = 0;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        random_target t;
        target_check  c;
        random_target_create(&t, seed);
        random_target_check(&t, seed, &c);
        assert_true(t.density->dim >= 1 && t.density->dim <= 20);
        assert_true(t.components >= 1 && t.components <= 12);
        assert_true(t.condition >= 1.0 && t.condition <= 1e6);
        assert_true(c.nearest_least >= 4.0 && (t.components == 1 || c.nearest_most <= 100.001));
        assert_less(c.volume_ratio, 1000.001);
        assert_less(0.025, c.rarest);
        assert_less(0.9, c.own_least);
        assert_int_equal(t.density->bounded, t.family == BOX);
        low += t.density->dim <= 5;
        bounded += t.density->bounded;
        random_target_free(&t);
    }
    assert_true(low > 4 && low < 26); /* 15 expected, sd 2.7 */
    assert_true(bounded > 0);
}

/* Exact draws of a box are inside of it, and the density of the same seed is the same. */
static void a_seed_is_a_target(void **unused) {
    (void)unused;
    random_target a, b;
    double        z[DIM_MOST], one, other;
    uint64_t      seed = next_seed(BOX, 1);
    rng           r;
    random_target_create(&a, seed);
    random_target_create(&b, seed);
    rng_init(&r, 1, 0);
    for (int i = 0; i < 1000; i++) {
        a.density->draw(a.density, &r, z);
        for (size_t k = 0; k < a.density->dim; k++)
            assert_true(z[k] > a.density->lower[k] && z[k] < a.density->upper[k]);
        assert_int_equal(a.density->log_density(a.density, z, &one), CKAM_OK);
        assert_int_equal(b.density->log_density(b.density, z, &other), CKAM_OK);
        assert_true(one == other);
    }
    assert_memory_equal(a.density->share, b.density->share, sizeof a.density->share);
    assert_memory_equal(&a.map, &b.map, sizeof a.map);
    random_target_free(&a);
    random_target_free(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(integrals_and_shares_are_those_of_the_density),
                                       cmocka_unit_test(targets_are_within_their_ranges),
                                       cmocka_unit_test(a_seed_is_a_target)};
    return cmocka_run_group_tests_name("battery", tests, NULL, NULL);
}
