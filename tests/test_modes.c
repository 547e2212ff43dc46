/* test_modes.c - modes found in draws of densities whose modes are known: how many, weights and errors, visits.
 *
 * Seeds are fixed. How often the number of modes is wrong was measured, not computed: docs/diagnostics.md has it. The
 * comments say which change of the method makes a test fail. */
#include "made_draws.h"

#include "diag/cluster.h"
#include "diag/find_modes.h"
#include "diag/subspace.h"

#include <stdio.h>

static mode_table modes_of(const made *m) {
    mode_table  table;
    ckam_error  error = {.message = ""};
    ckam_draws *draws = made_draws(m);
    if (find_modes(&table, draws, &error)) fail_msg("%s", error.message);
    ckam_draws_free(draws);
    return table;
}

static size_t count_modes(made m) {
    mode_table table = modes_of(&m);
    size_t     count = table.count;
    mode_table_free(&table);
    made_free(&m);
    return count;
}

static void assert_modes(const char *what, made m, size_t expected) {
    size_t count = count_modes(m);
    if (count != expected) fail_msg("%s: %zu modes, expected %zu", what, count, expected);
}

/* -- One mode ------------------------------------------------------------------------------------------------------ */

static const char *const connected[] = {"gaussian:dim=1",
                                        "gaussian:dim=2,condition=100",
                                        "gaussian:dim=10,condition=100",
                                        "gaussian:dim=50,condition=100",
                                        "gaussian:dim=200",
                                        "mixture5",
                                        "banana",
                                        "funnel",
                                        "ring",
                                        "flower",
                                        "grid32",
                                        "grid32:dim=2"};
enum { CONNECTED = sizeof connected / sizeof *connected };

/* Power: with PROMINENCE 0, or with k = 3, it fails. */
static void what_is_connected_is_one_mode(void **state) {
    (void)state;
    for (size_t i = 0; i < CONNECTED; i++) {
        assert_modes(connected[i], made_model(connected[i], 4, 300, 0.0, 1), 1);
        assert_modes(connected[i], made_model(connected[i], 4, 500, 0.7, 2), 1);
        assert_modes(connected[i], made_model(connected[i], 4, 100, 0.5, 3), 1);
    }
}

/* Student's t with `freedom` degrees in dim dimensions; 1 is Cauchy's. */
static made made_t(size_t dim, int freedom, size_t rows, uint64_t seed) {
    made m = made_room(4, rows, dim, seed);
    for (size_t i = 0; i < 4 * rows; i++) {
        double square = 0.0;
        rng_normals(&m.random, dim, made_at(&m, i));
        for (int j = 0; j < freedom; j++) {
            double z = rng_normal(&m.random);
            square += z * z;
        }
        for (size_t k = 0; k < dim; k++) made_at(&m, i)[k] /= sqrt(square / freedom);
    }
    return m;
}

static void heavy_tails_are_one_mode(void **state) {
    (void)state;
    for (size_t dim = 1; dim <= 25; dim *= 5)
        for (int freedom = 1; freedom <= 3; freedom += 2) {
            assert_modes("t", made_t(dim, freedom, 300, 4), 1);
            assert_modes("t", made_t(dim, freedom, 100, 5), 1);
        }
}

/* Chains of samplers, also short ones and such as have hardly moved. ckam leaves heaps at the end of every cycle, where
 * its steps are short. Power: without cluster_thin() (MOVE 0) some of these are several modes. */
static void slow_chains_are_not_modes(void **state) {
    (void)state;
    static const char *const samplers[] = {"gam", "ckam", "rw"};
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; i++) {
        assert_modes(samplers[i], made_chains("gaussian:dim=2", samplers[i], 4, 1000, 1), 1);
        assert_modes(samplers[i], made_chains("mixture5", samplers[i], 4, 1000, 1), 1);
        assert_modes(samplers[i], made_chains("gaussian:dim=10", samplers[i], 4, 1000, 1), 1);
        assert_modes(samplers[i], made_chains("ring", samplers[i], 4, 1000, 1), 1);
        assert_modes(samplers[i], made_chains("gaussian:dim=2", samplers[i], 4, 100, 1), 1);
        assert_modes(samplers[i], made_chains("banana", samplers[i], 4, 100, 1), 1);
    }
    assert_modes("gam", made_chains("gaussian:dim=50", "gam", 4, 1000, 1), 1);
}

/* A random walk of each chain from its own start: nothing holds the chains where they are. Power: without cluster_join_slow()
 * (SLOW 2) they are four modes. */
static made made_walks(uint64_t seed) {
    made m = made_room(4, 500, 3, seed);
    for (size_t i = 0; i < 2000; i++) {
        double z[3];
        rng_normals(&m.random, 3, z);
        for (size_t k = 0; k < 3; k++) made_at(&m, i)[k] = i % 500 ? made_at(&m, i - 1)[k] + 0.1 * z[k] : 20.0 * z[k];
    }
    return m;
}

static void random_walks_are_not_modes(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 5; seed++) assert_modes("walks", made_walks(seed), 1);
}

/* -- Two modes ----------------------------------------------------------------------------------------------------- */

/* bimodal, each row in the mode that `side` says: 0 is at -8 in the first coordinate, narrow, 1 at 8, wide. */
static made made_sides(size_t dim, size_t chains, size_t rows, uint64_t seed, int (*side)(rng *, size_t, size_t)) {
    made m = made_room(chains, rows, dim, seed);
    for (size_t i = 0; i < chains * rows; i++) {
        int    where = side(&m.random, i / rows, i % rows);
        double sd = where ? sqrt(2.0) : sqrt(0.5);
        rng_normals(&m.random, dim, made_at(&m, i));
        for (size_t k = 0; k < dim; k++) made_at(&m, i)[k] *= sd;
        made_at(&m, i)[0] += where ? 8.0 : -8.0;
    }
    return m;
}

static int side_of_chain(rng *r, size_t chain, size_t row) {
    (void)r;
    (void)row;
    return chain % 2 == 1;
}
static int side_seldom(rng *r, size_t chain, size_t row) {
    (void)chain;
    (void)row;
    return rng_uniform(r) < 0.03;
}
static int side_once(rng *r, size_t chain, size_t row) { /* one stay of one chain: 3 % of all */
    (void)r;
    return chain == 2 && row >= 100 && row < 136;
}
static int side_even(rng *r, size_t chain, size_t row) {
    (void)chain;
    (void)row;
    return rng_uniform(r) < 0.5;
}

static void two_modes_are_two(void **state) {
    (void)state;
    int (*const sides[])(rng *, size_t, size_t) = {side_of_chain, side_seldom, side_once, side_even};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++)
        for (size_t dim = 1; dim <= 64; dim *= 4) {
            made m = made_sides(dim, 4, 300, dim, sides[i]);
            assert_modes("bimodal", m, 2);
        }
    assert_modes("short", made_sides(2, 4, 100, 1, side_of_chain), 2);
    assert_modes("short", made_sides(32, 4, 100, 1, side_of_chain), 2);
    assert_modes("held", made_model("bimodal", 4, 1000, 0.7, 1), 2);
    assert_modes("held", made_model("bimodal:dim=32", 4, 1000, 0.7, 1), 2);
    assert_modes("many dimensions", made_model("bimodal:dim=300", 4, 500, 0.0, 1), 2);
    assert_modes("crossing", made_chains("bimodal", "rw:step-size=4", 4, 1000, 1), 2);
    assert_modes("crossing", made_chains("bimodal:separation=8", "gam", 4, 1000, 1), 2);
}

/* A few draws on the way from one mode to the other. */
static void a_valley_with_some_draws_is_a_valley(void **state) {
    (void)state;
    made m = made_sides(2, 4, 1000, 7, side_even);
    for (size_t i = 0; i < 4000; i += 50) made_at(&m, i)[0] = 16.0 * rng_uniform(&m.random) - 8.0;
    assert_modes("valley", m, 2);
}

/* Two modes in a narrow direction of a strongly correlated density; two that interlock; a curve; a coordinate that is
 * the sum of two others. Power: with D = 8 the curve is several modes. */
static void shapes_that_are_hard(void **state) {
    (void)state;
    made ridges = made_room(4, 1000, 10, 1), moons = made_room(4, 1000, 2, 2);
    for (size_t i = 0; i < 4000; i++) {
        double *x = made_at(&ridges, i), shared = 10.0 * rng_normal(&ridges.random), angle;
        int     side = rng_uniform(&ridges.random) < 0.5;
        rng_normals(&ridges.random, 10, x);
        for (size_t k = 0; k < 10; k++) x[k] += shared;
        x[0] += side ? 7.0 : 0.0;
        x[1] -= side ? 7.0 : 0.0;
        x = made_at(&moons, i);
        angle = acos(-1.0) * rng_uniform(&moons.random);
        side = rng_uniform(&moons.random) < 0.5;
        x[0] = (side ? cos(angle) : 1.0 - cos(angle)) + 0.08 * rng_normal(&moons.random);
        x[1] = (side ? sin(angle) : 0.5 - sin(angle)) + 0.08 * rng_normal(&moons.random);
    }
    made curve = made_room(4, 300, 8, 3), dependent = made_sides(3, 4, 300, 4, side_even);
    for (size_t i = 0; i < 1200; i++) { /* a thin curve through 8 dimensions: the distances show one */
        double t = 6.0 * rng_uniform(&curve.random), *x = made_at(&curve, i);
        for (size_t k = 0; k < 8; k++) x[k] = sin(0.5 * (double)k * t + (double)k) + 1e-4 * rng_normal(&curve.random);
        x = made_at(&dependent, i);
        x[2] = x[0] + x[1];
    }
    assert_modes("curve", curve, 1);
    assert_modes("dependent", dependent, 2);
    assert_modes("ridges", ridges, 2);
    assert_modes("moons", moons, 2);
}

/* 40 modes on a line: about as many as are given. Three are three. Power: with W left diagonal (WHITEN_TIMES 0) the line
 * is one mode, because its length makes the distances along it small. */
static void many_modes(void **state) {
    (void)state;
    made m = made_room(4, 2000, 2, 1), three = made_room(2, 1000, 3, 1);
    for (size_t i = 0; i < 8000; i++) {
        rng_normals(&m.random, 2, made_at(&m, i));
        made_at(&m, i)[0] += 30.0 * (double)rng_below(&m.random, 40);
    }
    for (size_t i = 0; i < 2000; i++) {
        rng_normals(&three.random, 3, made_at(&three, i));
        made_at(&three, i)[i % 3] += 25.0;
    }
    assert_in_range(count_modes(m), CLUSTER_MOST / 2, CLUSTER_MOST);
    assert_modes("three", three, 3);
}

/* -- The table ----------------------------------------------------------------------------------------------------- */

/* Against the sides that the rows were put on. 10,000 rows a mode: 5 standard errors. */
static void the_table_counts_rows(void **state) {
    (void)state;
    enum { CHAINS = 4, ROWS = 5000 };
    made       m = made_sides(3, CHAINS, ROWS, 3, side_even);
    mode_table t = modes_of(&m);
    uint64_t   visits[2][CHAINS] = {{0}}, crossings = 0, rows[2] = {0};
    assert_int_equal(t.count, 2);
    for (size_t i = 0; i < (size_t)CHAINS * ROWS; i++) {
        int side = made_at(&m, i)[0] > 0.0;
        visits[side][i / ROWS]++;
        rows[side]++;
        crossings += i % ROWS && side != (made_at(&m, i - 1)[0] > 0.0);
    }
    assert_int_equal(t.crossings, crossings);
    assert_less(t.mode[1].weight, t.mode[0].weight);
    for (size_t j = 0; j < 2; j++) {
        const ckam_mode *mode = t.mode + j;
        int              side = mode->centre[0] > 0.0;
        double           sd = side ? sqrt(2.0) : sqrt(0.5), error = 5.0 * sd / sqrt((double)rows[side]);
        assert_close(mode->weight, (double)rows[side] / (CHAINS * ROWS), 1e-12);
        assert_close(mode->centre[0], side ? 8.0 : -8.0, error);
        for (size_t k = 0; k < 3; k++) assert_close(mode->spread[k], sd, error);
        for (size_t c = 0; c < CHAINS; c++) assert_int_equal(mode->visits[c], visits[side][c]);
    }
    mode_table_free(&t);
    made_free(&m);
}

static void one_mode_has_all(void **state) {
    (void)state;
    made       m = made_model("gaussian:dim=3", 3, 2000, 0.0, 1);
    mode_table t = modes_of(&m);
    assert_int_equal(t.count, 1);
    assert_int_equal(t.crossings, 0);
    assert_close(t.mode[0].weight, 1.0, 0.0);
    assert_close(t.mode[0].mcse, 0.0, 0.0);
    for (size_t k = 0; k < 3; k++) {
        assert_close(t.mode[0].centre[k], 0.0, 5.0 / sqrt(6000.0));
        assert_close(t.mode[0].spread[k], 1.0, 5.0 / sqrt(12000.0));
        assert_int_equal(t.mode[0].visits[k], 2000);
    }
    mode_table_free(&t);
    made_free(&m);
}

/* Powers of two change no digit: everything is the same to the bit. 1e-6 and 1e6 round, and so may not: but no row
 * changes its mode. */
static void units_do_not_matter(void **state) {
    (void)state;
    static const double units[][3] = {{0x1p-20, 1.0, 0x1p20}, {1e-6, 1e6, 1.0}, {1.0, 1e-150, 1e150}};
    made                m = made_sides(3, 4, 200, 5, side_even);
    mode_table          t = modes_of(&m);
    assert_int_equal(t.count, 2);
    for (size_t u = 0; u < 3; u++) {
        made copy = made_room(4, 200, 3, 0);
        for (size_t i = 0; i < 2400; i++) copy.x[i] = m.x[i] * units[u][i % 3];
        mode_table other = modes_of(&copy);
        assert_int_equal(other.count, 2);
        assert_int_equal(other.crossings, t.crossings);
        for (size_t j = 0; j < 2; j++) {
            assert_close(other.mode[j].weight, t.mode[j].weight, 0.0);
            for (size_t k = 0; k < 3; k++)
                assert_relative(other.mode[j].centre[k], t.mode[j].centre[k] * units[u][k], 1e-12);
            for (size_t c = 0; c < 4; c++) assert_int_equal(other.mode[j].visits[c], t.mode[j].visits[c]);
        }
        mode_table_free(&other);
        made_free(&copy);
    }
    mode_table_free(&t);
    made_free(&m);
}

/* Two states that change with probability p and q: the share of the second has the variance
 * w (1 - w) / N * (1 + c) / (1 - c), c = 1 - p - q. The mean of 8 ratios of estimated to true standard errors; one of them
 * varies by about 4 %, so 8 % are 5 standard errors of the mean. Twin: the error for independent draws is smaller by a
 * factor of 3.6. */
static void the_error_of_a_weight_is_right(void **state) {
    (void)state;
    enum { CHAINS = 4, ROWS = 2000, TIMES = 8 };
    const double p = 0.08, q = 0.06, w = p / (p + q), c = 1.0 - p - q, n = CHAINS * ROWS;
    const double independent = sqrt(w * (1.0 - w) / n), exact = independent * sqrt((1.0 + c) / (1.0 - c));
    double       ratio = 0.0;
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
        made m = made_room(CHAINS, ROWS, 1, seed);
        int  side = 0;
        for (size_t i = 0; i < (size_t)n; i++) {
            double u = rng_uniform(&m.random);
            side = i % ROWS ? (side ? u >= q : u < p) : u < w;
            m.x[i] = rng_normal(&m.random) + (side ? 20.0 : 0.0);
        }
        mode_table t = modes_of(&m);
        assert_int_equal(t.count, 2);
        assert_close(t.mode[0].mcse, t.mode[1].mcse, 1e-12);
        ratio += t.mode[0].mcse / exact / TIMES;
        mode_table_free(&t);
        made_free(&m);
    }
    assert_close(ratio, 1.0, 0.08);
    assert_less(independent, 0.3 * exact);
}

/* -- What cannot be tried ------------------------------------------------------------------------------------------ */

static void degenerate_draws(void **state) {
    (void)state;
    made few = made_room(4, 7, 2, 1), equal = made_room(4, 500, 2, 1), bad = made_model("bimodal", 4, 500, 0.0, 1);
    made constant = made_sides(3, 4, 500, 1, side_even), steps = made_room(4, 500, 2, 1);
    made dice = made_room(2, 2000, 1, 1),
         grid = made_room(2, 2000, 2, 1); /* more equal peaks than there may be modes */
    for (size_t i = 0; i < 28; i++) rng_normals(&few.random, 2, made_at(&few, i));
    bad.x[1234] = (double)NAN;
    for (size_t i = 0; i < 2000; i++) {
        made_at(&constant, i)[1] = 3.0;
        steps.x[2 * i] = (double)rng_below(&steps.random, 100); /* whole numbers */
        steps.x[2 * i + 1] = (double)rng_below(&steps.random, 2);
    }
    for (size_t i = 0; i < 4000; i++) {
        dice.x[i] = (double)rng_below(&dice.random, 60);
        grid.x[2 * i] = (double)rng_below(&grid.random, 10);
        grid.x[2 * i + 1] = (double)rng_below(&grid.random, 10);
    }
    assert_in_range(count_modes(dice), 1, CLUSTER_MOST);
    assert_in_range(count_modes(grid), 1, CLUSTER_MOST);
    assert_modes("few", few, 0);
    assert_modes("equal", equal, 0);
    assert_modes("not a number", bad, 0);
    assert_modes("constant", constant, 2);
    size_t count = count_modes(steps);
    assert_in_range(count, 1, CLUSTER_MOST);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_connected_is_one_mode),
                                       cmocka_unit_test(heavy_tails_are_one_mode),
                                       cmocka_unit_test(slow_chains_are_not_modes),
                                       cmocka_unit_test(random_walks_are_not_modes),
                                       cmocka_unit_test(two_modes_are_two),
                                       cmocka_unit_test(a_valley_with_some_draws_is_a_valley),
                                       cmocka_unit_test(shapes_that_are_hard),
                                       cmocka_unit_test(many_modes),
                                       cmocka_unit_test(the_table_counts_rows),
                                       cmocka_unit_test(one_mode_has_all),
                                       cmocka_unit_test(units_do_not_matter),
                                       cmocka_unit_test(the_error_of_a_weight_is_right),
                                       cmocka_unit_test(degenerate_draws)};
    return cmocka_run_group_tests_name("modes", tests, NULL, NULL);
}
