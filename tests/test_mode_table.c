/* test_mode_table.c - the table of modes: moves into each, cycles, weights and their errors for chains that jump, and what
 * the names that a sampler gives its modes (mode__) are good for.
 *
 * Seeds are fixed. docs/diagnostics.md has how often modes are found. */
#include "made_files.h"

#include "diag/find_modes.h"

enum { CHAINS = 4, GRID = 25 };

static const made_column no_columns[] = {{.name = NULL}};

static mode_table table_of(const made *m, const made_column *columns) {
    mode_table  table;
    ckam_error  error = {.message = ""};
    ckam_draws *draws = columns ? made_opened(m, columns) : made_draws(m);
    if (find_modes(&table, draws, &error)) fail_msg("%s", error.message);
    ckam_draws_free(draws);
    return table;
}

static size_t count_modes(const made *m, const made_column *columns) {
    mode_table table = table_of(m, columns);
    size_t     count = table.count;
    mode_table_free(&table);
    return count;
}

/* -- Densities ----------------------------------------------------------------------------------------------------- */

/* Draws row by row: where[i] is the mode of row i, from 0. A chain goes on in its mode with probability `stick`, else the
 * mode is drawn by weight; then a point is drawn anew. */
typedef struct density {
    size_t dim, modes;
    double (*weight)(size_t mode);
    void (*place)(size_t mode, double *x); /* from standard normals */
} density;

static double weight_grid(size_t mode) {
    (void)mode;
    return 1.0 / GRID;
}
static double weight_rare(size_t mode) { return mode ? 0.01 : 0.99; }

static void place_grid(size_t mode, double *x) {
    const size_t row = mode / 5;
    x[0] += 10.0 * (double)(mode % 5);
    x[1] += 10.0 * (double)row;
}
static void place_pair(size_t mode, double *x) { x[0] += mode ? 10.0 : 0.0; }

static const density grid = {2, GRID, weight_grid, place_grid};
static const density rare = {2, 2, weight_rare, place_pair}, rare_of_ten = {10, 2, weight_rare, place_pair};

static size_t draw_mode(const density *d, rng *r) {
    double u = rng_uniform(r);
    size_t mode = 0;
    while (mode + 1 < d->modes && (u -= d->weight(mode)) > 0.0) mode++;
    return mode;
}

static made made_jumps(const density *d, size_t rows, double stick, uint64_t seed, double *where) {
    made   m = made_room(CHAINS, rows, d->dim, seed);
    size_t mode = 0;
    for (size_t i = 0; i < CHAINS * rows; i++) {
        if (i % rows == 0 || rng_uniform(&m.random) >= stick) mode = draw_mode(d, &m.random);
        rng_normals(&m.random, d->dim, made_at(&m, i));
        d->place(mode, made_at(&m, i));
        if (where) where[i] = (double)(mode + 1);
    }
    return m;
}

/* -- Moves and cycles ---------------------------------------------------------------------------------------------- */

/* Against plain loops over the modes that the rows were drawn from. Mode j begins to be visited at row 100 j. */
static void moves_and_cycles_are_counted(void **state) {
    (void)state;
    enum { MODES = 3, ROWS = 1000, CYCLE = 50 };
    made     m = made_room(CHAINS, ROWS, 2, 1);
    double  *cycle = made_values(&m);
    uint64_t arrivals[MODES] = {0}, found[MODES] = {UINT64_MAX, UINT64_MAX, UINT64_MAX}, sum = 0;
    size_t   before = 0;
    for (size_t i = 0; i < (size_t)CHAINS * ROWS; i++) {
        size_t row = i % ROWS, mode = rng_below(&m.random, 1 + (row < 200 ? row / 100 : 2));
        rng_normals(&m.random, 2, made_at(&m, i));
        made_at(&m, i)[0] += 20.0 * (double)mode;
        const size_t now = 3 + row / CYCLE;
        cycle[i] = (double)now;
        if ((uint64_t)cycle[i] < found[mode]) found[mode] = (uint64_t)cycle[i];
        arrivals[mode] += row > 0 && mode != before;
        before = mode;
    }
    mode_table t = table_of(&m, (const made_column[]){{"cycle__", cycle}, {.name = NULL}});
    mode_table bare = table_of(&m, no_columns);
    assert_int_equal(t.count, MODES);
    for (size_t j = 0; j < MODES; j++) {
        size_t mode = (size_t)lround(t.mode[j].centre[0] / 20.0);
        assert_int_equal(t.mode[j].arrivals, arrivals[mode]);
        assert_int_equal(t.mode[j].found, found[mode]);
        assert_int_equal(bare.mode[j].found, 0); /* no cycles */
        sum += t.mode[j].arrivals;
    }
    assert_true(found[0] == 3 && found[1] == 5 && found[2] == 7);
    assert_int_equal(t.crossings, sum);
    mode_table_free(&t);
    mode_table_free(&bare);
    free(cycle);
    made_free(&m);
}

/* One mode is found in the first cycle that there is; a cycle that is no number counts as 0. */
static void cycles_of_one_mode(void **state) {
    (void)state;
    made    m = made_model("gaussian:dim=2", 2, 200, 0.0, 1);
    double *cycle = made_values(&m);
    for (size_t time = 0; time < 2; time++) {
        for (size_t i = 0; i < 400; i++) cycle[i] = i % 200 < 50 ? 7.0 : 8.0;
        if (time == 1) cycle[300] = (double)NAN;
        mode_table t = table_of(&m, (const made_column[]){{"cycle__", cycle}, {.name = NULL}});
        assert_int_equal(t.count, 1);
        assert_int_equal(t.mode[0].found, time == 0 ? 7 : 0);
        assert_int_equal(t.mode[0].arrivals, 0);
        mode_table_free(&t);
    }
    free(cycle);
    made_free(&m);
}

/* -- Weights of chains that jump ----------------------------------------------------------------------------------- */

/* Sums over the modes of a grid: squares of (weight - 1/25) / error, with the error of the table and with that of
 * independent draws. */
static void add_scores(double stick, uint64_t seed, double *own, double *naive) {
    enum { ROWS = 2500 };
    const double error = sqrt(1.0 / GRID * (1.0 - 1.0 / GRID) / (CHAINS * ROWS));
    made         m = made_jumps(&grid, ROWS, stick, seed, NULL);
    mode_table   t = table_of(&m, NULL);
    bool         seen[GRID] = {false};
    assert_int_equal(t.count, GRID);
    for (size_t j = 0; j < GRID; j++) {
        const ckam_mode *mode = t.mode + j;
        double           away = mode->weight - 1.0 / GRID;
        seen[lround(mode->centre[0] / 10.0) + 5 * lround(mode->centre[1] / 10.0)] = true;
        *own += away * away / (mode->mcse * mode->mcse);
        *naive += away * away / (error * error);
    }
    for (size_t j = 0; j < GRID; j++) assert_true(seen[j]);
    mode_table_free(&t);
    made_free(&m);
}

/* 6 seeds, 24 of 25 weights of each are free: the mean of 150 squares has the expectation 1 (but for the errors of the
 * errors, 5 % here) and the standard error sqrt(2 / 144) = 0.12. 5 of them and 0.05. The twin: chains that stay twice in
 * three times, for which 1 + 2 (2/3) / (1 - 2/3) = 5 times the variance of independent draws is right. */
static void errors_of_weights_are_honest(void **state) {
    (void)state;
    enum { SEEDS = 6 };
    for (size_t time = 0; time < 2; time++) {
        double own = 0.0, naive = 0.0, count = (double)SEEDS * GRID;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) add_scores(time == 0 ? 0.0 : 2.0 / 3.0, seed, &own, &naive);
        assert_close(own / count, 1.0, 0.65);
        if (time == 1) assert_less(3.0, naive / count);
    }
}

/* -- Names --------------------------------------------------------------------------------------------------------- */

/* A mode with 1 % of the weight is found by its name. Without names (the twin) half the time and more
 * it is missed. */
static void rare_modes_are_found_by_name(void **state) {
    (void)state;
    enum { ROWS = 2500 };
    static const density *const densities[] = {&rare, &rare_of_ten};
    double                     *where = calloc((size_t)CHAINS * ROWS, sizeof *where);
    size_t                      missed = 0;
    for (uint64_t seed = 1; seed <= 2; seed++)
        for (size_t i = 0; i < 2; i++) {
            made       m = made_jumps(densities[i], ROWS, 0.0, seed, where);
            mode_table t = table_of(&m, (const made_column[]){{"mode__", where}, {.name = NULL}});
            double     rows = 0.0;
            for (size_t k = 0; k < (size_t)CHAINS * ROWS; k++) rows += where[k] > 1.0;
            assert_int_equal(t.count, 2);
            assert_close(t.mode[1].centre[0], 10.0, 0.5);
            assert_close(t.mode[1].weight, rows / (CHAINS * ROWS), 1e-12);
            mode_table_free(&t);
            missed += count_modes(&m, NULL) == 1;
            made_free(&m);
        }
    assert_in_range(missed, 2, 4);
    free(where);
}

/* Where the name is that of few visits, in which a slow chain may have made it, it is not believed: 9 stays are too few,
 * 12 are enough. */
static void a_name_needs_visits(void **state) {
    (void)state;
    enum { ROWS = 10000, STAY = 12 };
    for (size_t stays = 9; stays <= 12; stays += 3) {
        const size_t period = ROWS / stays;
        made         m = made_room(1, ROWS, 2, 1);
        double      *where = made_values(&m);
        for (size_t i = 0; i < ROWS; i++) {
            bool there = i / period < stays && i % period >= 100 && i % period < 100 + STAY;
            rng_normals(&m.random, 2, made_at(&m, i));
            made_at(&m, i)[0] += there ? 10.0 : 0.0;
            where[i] = there ? 2.0 : 1.0;
        }
        assert_int_equal(count_modes(&m, (const made_column[]){{"mode__", where}, {.name = NULL}}), stays < 10 ? 1 : 2);
        free(where);
        made_free(&m);
    }
}

/* Names by a rule that has nothing to do with modes. */
static double name_tail(const double *x, rng *r) {
    (void)r;
    return x[0] > 2.3 ? 2.0 : 1.0;
}
static double name_patch(const double *x, rng *r) { /* in the midst of others */
    (void)r;
    return fabs(x[0] - 0.5) < 0.15 && fabs(x[1] - 0.5) < 0.3 ? 2.0 : 1.0;
}
static double name_half(const double *x, rng *r) {
    (void)r;
    return x[0] > 0.0 ? 1.0 : 2.0;
}
static double name_chance(const double *x, rng *r) {
    (void)x;
    return rng_uniform(r) < 0.02 ? 2.0 : 1.0;
}
static double name_many(const double *x, rng *r) {
    (void)r;
    return 1.0 + floor(fabs(x[0]) * 20.0);
}
static double name_none(const double *x, rng *r) {
    return rng_uniform(r) < 0.5 ? (double)NAN : x[0] > 0.0 ? -1e300 : 1e300;
}

static void wrong_names_make_no_modes(void **state) {
    (void)state;
    static const char *const specs[] = {"gaussian:dim=2", "gaussian:dim=10", "banana", "funnel", "ring"};
    double (*const rules[])(const double *, rng *) = {name_tail,   name_patch, name_half,
                                                      name_chance, name_many,  name_none};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        made    m = made_model(specs[i], CHAINS, 600, 0.5, 1);
        double *where = made_values(&m);
        for (size_t rule = 0; rule < sizeof rules / sizeof *rules; rule++) {
            for (size_t k = 0; k < CHAINS * m.rows; k++) where[k] = rules[rule](made_at(&m, k), &m.random);
            size_t count = count_modes(&m, (const made_column[]){{"mode__", where}, {.name = NULL}});
            if (count != 1) fail_msg("%s, rule %zu: %zu modes", specs[i], rule, count);
        }
        free(where);
        made_free(&m);
    }
}

/* Names that are wrong for a while, or too wide: the first quarter of the rows has the name 1 everywhere, and then one
 * name stands for five modes. The modes are still those of the draws, and each row is where it belongs. */
static void wide_names_hide_no_modes(void **state) {
    (void)state;
    enum { ROWS = 2500 };
    double  *where = calloc((size_t)CHAINS * ROWS, sizeof *where);
    made     m = made_jumps(&grid, ROWS, 0.0, 4, where);
    uint64_t rows[GRID] = {0};
    for (size_t i = 0; i < (size_t)CHAINS * ROWS; i++) {
        rows[(size_t)where[i] - 1]++;
        if (i % ROWS < ROWS / 4 || where[i] <= 5.0) where[i] = 1.0;
    }
    mode_table t = table_of(&m, (const made_column[]){{"mode__", where}, {.name = NULL}});
    assert_int_equal(t.count, GRID);
    for (size_t j = 0; j < GRID; j++) {
        size_t mode = (size_t)(lround(t.mode[j].centre[0] / 10.0) + 5 * lround(t.mode[j].centre[1] / 10.0));
        assert_close(t.mode[j].weight * CHAINS * ROWS, (double)rows[mode], 1e-6);
    }
    mode_table_free(&t);
    free(where);
    made_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moves_and_cycles_are_counted), cmocka_unit_test(cycles_of_one_mode),
        cmocka_unit_test(errors_of_weights_are_honest), cmocka_unit_test(rare_modes_are_found_by_name),
        cmocka_unit_test(a_name_needs_visits),          cmocka_unit_test(wrong_names_make_no_modes),
        cmocka_unit_test(wide_names_hide_no_modes)};
    return cmocka_run_group_tests_name("mode table", tests, enter_temporary, leave_temporary);
}
