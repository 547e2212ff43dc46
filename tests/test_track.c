/* test_track.c - chains tracked: bins, modes and records against chains that are driven by hand. */
#include "failure.h"

#include "experiment/experiment.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const size_t first_two[2] = {0, 1};

static void make_truth(truth *t, const char *model) {
    ckam_error   error;
    const size_t pair[2] = {1, strcmp(model, "grid32") != 0 ? 0 : 6};
    assert_int_equal(truth_create(t, model, 100, 50, pair, &error), CKAM_OK);
}

/* -- The truth ---------------------------------------------------------------------------------------------------- */

static double sum(size_t n, const double *x) {
    double total = 0.0;
    for (size_t i = 0; i < n; i++) total += x[i];
    return total;
}

static void probabilities_sum_to_one(void **unused) {
    (void)unused;
    static const char *const models[] = {"bimodal", "mixture5", "grid32", "bimodal:dim=5"};
    for (size_t m = 0; m < 4; m++) {
        truth t;
        make_truth(&t, models[m]);
        for (size_t k = 0; k < t.dim; k++) assert_close(sum(t.bins, t.marginal + k * t.bins), 1.0, 1e-12);
        assert_close(sum(t.side * t.side, t.joint), 1.0, 1e-12);
        truth_free(&t);
    }
}

/* The joint histogram has its columns along the first coordinate of the pair: one that is exchanged is transposed. */
static void a_column_is_the_first_coordinate(void **unused) {
    (void)unused;
    truth      a, b;
    ckam_error error;
    make_truth(&a, "bimodal"); /* coordinates 2 and 1 */
    assert_int_equal(truth_create(&b, "bimodal", 100, 50, first_two, &error), CKAM_OK);
    for (size_t i = 0; i < 50; i++)
        for (size_t j = 0; j < 50; j++) assert_close(a.joint[i * 50 + j], b.joint[j * 50 + i], 1e-15);
    double left = 0.0; /* half of the mass is in the columns left of 0 */
    for (size_t i = 0; i < 50; i++)
        for (size_t j = 0; j < 50; j++)
            if (b.low[0] + b.range[0] * ((double)j + 0.5) / 50.0 < 0.0) left += b.joint[i * 50 + j];
    assert_close(left, 0.5, 1e-6);
    truth_free(&a);
    truth_free(&b);
}

static void the_nearest_centre_is_the_mode(void **unused) {
    (void)unused;
    truth  t;
    double grid[32] = {0}, point[2] = {-0.1, 5.0};
    make_truth(&t, "bimodal");
    assert_int_equal(t.modes, 2);
    assert_int_equal(truth_mode(&t, point), 0);
    point[0] = 0.1;
    assert_int_equal(truth_mode(&t, point), 1);
    truth_free(&t);
    make_truth(&t, "mixture5");
    assert_int_equal(t.modes, 5);
    for (size_t i = 0; i < 5; i++) {
        point[0] = point[1] = 2.5 * (double)i + 0.3;
        assert_int_equal(truth_mode(&t, point), i);
    }
    truth_free(&t);
    make_truth(&t, "grid32"); /* of 5^32 the five values of the first coordinate */
    assert_int_equal(t.modes, 5);
    for (size_t i = 0; i < 5; i++) {
        grid[0] = 15.0 * ((double)i - 2.0) + 7.0;
        assert_close(t.centre[2 * truth_mode(&t, grid)], 15.0 * ((double)i - 2.0), 0.0);
    }
    truth_free(&t);
}

static void bad_truths_are_refused(void **unused) {
    (void)unused;
    truth        t;
    ckam_error   error;
    const size_t same[2] = {1, 1}, beyond[2] = {0, 2};
    assert_failure(truth_create(&t, "bimodal", 10, 10, same, &error), CKAM_ERROR_OPTION, &error, "bimodal", "2");
    truth_free(&t);
    assert_failure(truth_create(&t, "bimodal", 10, 10, beyond, &error), CKAM_ERROR_OPTION, &error, "3");
    truth_free(&t);
    assert_failure(truth_create(&t, "ring", 10, 10, first_two, &error), CKAM_ERROR_OPTION, &error, "ring", "boxes");
    truth_free(&t);
    assert_failure(truth_create(&t, "bimodel", 10, 10, first_two, &error), CKAM_ERROR_OPTION, &error, "bimodal");
    truth_free(&t);
}

/* -- Chains ------------------------------------------------------------------------------------------------------- */

static void track_to_the_end(const truth *t, const run_entry *run, track *out) {
    atomic_bool          stop = false;
    atomic_uint_fast64_t evaluations = 0;
    ckam_error           error = {0};
    assert_int_equal(track_run(t, run, out, &stop, &evaluations, &error), CKAM_OK);
    out->done = true; /* as experiment.c does, under its lock */
    if (run->seconds == 0.0) assert_int_equal(evaluations, run->evals);
}

/* Independent draws fall into bins as the probabilities say: chi-square with 99 degrees of freedom in each of two
 * dimensions, false alarms 2e-6. The twin holds them against the bins of the other coordinate. */
static void exact_draws_fill_bins_as_they_should(void **unused) {
    (void)unused;
    truth     t;
    track     out = {.seed = 3};
    run_entry run = {.name = "exact", .evals = 200000};
    make_truth(&t, "bimodal");
    track_to_the_end(&t, &run, &out);
    for (size_t k = 0; k < 2; k++) {
        double chi[2] = {0.0, 0.0};
        for (size_t i = 0; i < t.bins; i++)
            for (size_t twin = 0; twin < 2; twin++) {
                double expected = t.marginal[(twin ? 1 - k : k) * t.bins + i] * 200000.0;
                double away = (double)out.marginal[k * t.bins + i] - expected;
                chi[twin] += away * away / fmax(expected, 1e-3);
            }
        assert_less(1e-6, chi_square_tail(chi[0], 99.0));
        assert_less(chi_square_tail(chi[1], 99.0), 1e-6);
    }
    /* (bins - 1) / N for bins that are all filled; here many of 2500 are empty or nearly so. */
    const record *last = out.record + out.records - 1;
    assert_less(last->value[KL_JEFFREYS], 2500.0 / 200000.0);
    assert_less(1000.0 / 200000.0, last->value[KL_JEFFREYS]);
    assert_relative(last->value[MULTI_ESS], 200000.0, 0.2); /* some 450 batches, so 5 % each way */
    assert_close(last->value[MODE_CHANGES], 100000.0, 5.0 * sqrt(50000.0) / 100000.0);
    track_free(&out);
    truth_free(&t);
}

static void make_run(run_entry *run, const char *sampler, uint64_t evals) {
    static double start[2] = {-8.0, 0.0};
    ckam_error    error;
    *run = (run_entry){.name = "test", .evals = evals};
    run->start = start;
    assert_int_equal(ckam_plan_create(&run->plan, &error), CKAM_OK);
    assert_int_equal(ckam_plan_set(run->plan, "sampler", sampler, &error), CKAM_OK);
}

#define CYCLES "ckam:step-size=11.3288,adapt-decay=2,noise=4,noise-end=1,kernel-scale=2,subsample=50,warmup=500"

/* Everything that is kept, computed in the obvious way. */
static void a_chain_is_tracked_step_by_step(void **unused) {
    (void)unused;
    enum { EVALS = 30000 };
    truth       t;
    run_entry   run;
    track       out = {.seed = 7, .step_size = calloc(STEPS_MOST, sizeof(double)), .explores = calloc(STEPS_MOST, 1)};
    ckam_chain *chain;
    ckam_step   step;
    ckam_error  error;
    make_truth(&t, "bimodal");
    make_run(&run, CYCLES, EVALS);
    track_to_the_end(&t, &run, &out);
    ckam_setup setup = {.target = ckam_model_target(t.model),
                        .options = run.plan->sampler,
                        .start = run.start,
                        .seed = 7,
                        .horizon = EVALS};
    assert_int_equal(ckam_chain_create(&chain, &setup, &error), CKAM_OK);
    uint64_t draws = 0, right = 0, changes = 0, counted = 0;
    size_t   next = 0, steps = 0;
    bool     was_right = false;
    for (uint64_t i = 1; i <= EVALS; i++) {
        assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
        if (step.phase >= CKAM_PHASE_EXPLORE && steps < STEPS_MOST) {
            assert_true(out.step_size[steps] == step.step_size);
            assert_int_equal(out.explores[steps++], step.phase == CKAM_PHASE_EXPLORE);
        }
        if (step.draw) {
            changes += draws > 0 && was_right != (step.x[0] > 0.0);
            was_right = step.x[0] > 0.0;
            right += was_right;
            draws++;
        }
        if (next < out.records && i == (uint64_t)out.record[next].evaluations) {
            assert_true(out.record[next].draws == (double)draws);
            if (draws) assert_true(out.record[next].value[MODE_CHANGES] == (double)changes);
            if (!draws) assert_true(isnan(out.record[next].value[KL_PAPER]));
            /* jeffreys says nothing while there are fewer draws than bins */
            assert_int_equal(isnan(out.record[next].value[KL_JEFFREYS]), draws < 2500);
            assert_int_equal(isnan(out.record[next].value[MARGINAL_JEFFREYS]), draws < 100);
            next++;
        }
    }
    assert_int_equal(next, out.records);
    assert_int_equal(steps, out.steps);
    assert_int_equal(out.draws, draws);
    assert_true(changes > 0);
    for (size_t i = 0; i <= out.share_rows && i < SHARE_ROWS; i++) counted += out.share[i * 2 + 1];
    assert_int_equal(counted, right);
    assert_true(out.share_length > 1);
    for (size_t i = 1; i < out.records; i++) assert_true(out.record[i].seconds >= out.record[i - 1].seconds);
    ckam_chain_free(chain);
    ckam_plan_free(run.plan);
    track_free(&out);
    truth_free(&t);
}

/* What the paper's version gets wrong: a chain that stays in its mode looks better than one that visits both. */
static void a_stuck_chain_has_the_larger_divergence(void **unused) {
    (void)unused;
    truth     t;
    run_entry stuck, visits;
    track     a = {.seed = 1}, b = {.seed = 1};
    make_truth(&t, "bimodal");
    make_run(&stuck, "gam:warmup=0", 20000);
    make_run(&visits, CYCLES, 20000);
    track_to_the_end(&t, &stuck, &a);
    track_to_the_end(&t, &visits, &b);
    const record *one = a.record + a.records - 1, *both = b.record + b.records - 1;
    assert_true(one->value[MODE_CHANGES] == 0.0 && both->value[MODE_CHANGES] > 0.0);
    assert_less(both->value[KL_JEFFREYS], one->value[KL_JEFFREYS]);
    assert_less(one->value[KL_PAPER], both->value[KL_PAPER]);
    ckam_plan_free(stuck.plan);
    ckam_plan_free(visits.plan);
    track_free(&a);
    track_free(&b);
    truth_free(&t);
}

static void time_ends_a_chain_too(void **unused) {
    (void)unused;
    truth     t;
    run_entry run;
    track     out = {.seed = 1};
    make_truth(&t, "mixture5");
    make_run(&run, "rw:step-size=1,warmup=0", 1);
    run.seconds = 0.02;
    track_to_the_end(&t, &run, &out);
    const record *last = out.record + out.records - 1;
    assert_less(0.0199, last->seconds);
    assert_less(1000.0, last->evaluations);
    ckam_plan_free(run.plan);
    track_free(&out);
    truth_free(&t);
}

/* -- Several seeds ------------------------------------------------------------------------------------------------ */

static void seeds_become_median_and_range(void **unused) {
    (void)unused;
    record    records[4] = {{.seconds = 3.0}, {.seconds = 1.0}, {.seconds = 10.0}, {.seconds = (double)NAN}};
    track     tracks[4];
    run_entry run = {.seeds = 3, .track = tracks};
    for (size_t i = 0; i < 4; i++) tracks[i] = (track){.done = true, .records = 1, .record = records + i};
    spread s = seeds_spread(&run, 0, OF_SECONDS);
    assert_true(s.middle == 3.0 && s.low == 1.0 && s.high == 10.0 && s.seeds == 3 && s.ended == 3);
    run.seeds = 4; /* what is not known does not count */
    s = seeds_spread(&run, 0, OF_SECONDS);
    assert_true(s.seeds == 3 && s.ended == 4);
    tracks[0].done = false; /* nor what has not ended */
    s = seeds_spread(&run, LAST_RECORD, OF_SECONDS);
    assert_true(s.middle == 5.5 && s.seeds == 2 && s.ended == 3);
    assert_ptr_equal(seeds_first(&run), tracks + 1);
    assert_int_equal(seeds_records(&run), 1);
    for (size_t i = 0; i < 4; i++) tracks[i].done = false;
    assert_null(seeds_first(&run));
    assert_int_equal(seeds_records(&run), 0);
    assert_true(isnan(seeds_spread(&run, 0, OF_SECONDS).middle));
}

/* Where time ends chains, curves go as far as all have the same evaluations; an end is each chain's own. */
static void chains_of_different_length_go_together(void **unused) {
    (void)unused;
    record    one[] = {{.evaluations = 100}, {.evaluations = 134}, {.evaluations = 150}};
    record    two[] = {{.evaluations = 100}, {.evaluations = 134}, {.evaluations = 178}, {.evaluations = 500}};
    track     tracks[] = {{.done = true, .records = 3, .record = one}, {.done = true, .records = 4, .record = two}};
    run_entry run = {.seeds = 2, .track = tracks};
    assert_int_equal(seeds_records(&run), 2);
    spread s = seeds_spread(&run, LAST_RECORD, OF_EVALUATIONS);
    assert_true(s.low == 150.0 && s.high == 500.0 && s.middle == 325.0);
}

/* A chain of 1000 draws, all on the right, and one of 100,000, a quarter there. */
static void shares_count_all_draws(void **unused) {
    (void)unused;
    truth      t;
    uint32_t  *right = calloc(2 * SHARE_ROWS, sizeof *right), *mixed = calloc(2 * SHARE_ROWS, sizeof *mixed);
    track      tracks[] = {{.done = true, .draws = 1000, .share = right, .share_rows = 1000, .share_length = 1},
                           {.done = true, .draws = 102400, .share = mixed, .share_rows = 3200, .share_length = 32}};
    run_entry  run = {.seeds = 2, .track = tracks};
    double     share, mcse;
    ckam_error error;
    make_truth(&t, "bimodal");
    for (size_t i = 0; i < 1000; i++) right[2 * i + 1] = 1;
    for (size_t i = 0; i < 3200; i++) mixed[2 * i + (i % 4 == 0)] = 32;
    assert_int_equal(seeds_mode_share(&t, &run, 1, &share, &mcse, &error), CKAM_OK);
    assert_close(share, (1000.0 + 25600.0) / 103400.0, 1e-12);
    assert_true(mcse > 0.0);
    free(right);
    free(mixed);
    truth_free(&t);
}

/* Independent draws have the standard error of a share, sqrt(p (1 - p) / n). */
static void shares_have_their_error(void **unused) {
    (void)unused;
    enum { EVALS = 65536, SEEDS = 4 };
    truth      t;
    track      tracks[SEEDS] = {{.seed = 1}, {.seed = 2}, {.seed = 3}, {.seed = 4}};
    run_entry  run = {.name = "exact", .evals = EVALS, .seeds = SEEDS, .track = tracks};
    double     share, mcse, exact = sqrt(0.25 / (EVALS * SEEDS));
    ckam_error error;
    make_truth(&t, "bimodal");
    for (size_t i = 0; i < SEEDS; i++) track_to_the_end(&t, &run, tracks + i);
    assert_int_equal(seeds_mode_share(&t, &run, 1, &share, &mcse, &error), CKAM_OK);
    assert_relative(mcse, exact, 0.2);
    assert_less(fabs(share - 0.5), 5.0 * exact); /* false alarms 6e-7 */
    for (size_t i = 0; i < SEEDS; i++) track_free(tracks + i);
    truth_free(&t);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(probabilities_sum_to_one),
        cmocka_unit_test(a_column_is_the_first_coordinate),
        cmocka_unit_test(the_nearest_centre_is_the_mode),
        cmocka_unit_test(bad_truths_are_refused),
        cmocka_unit_test(exact_draws_fill_bins_as_they_should),
        cmocka_unit_test(a_chain_is_tracked_step_by_step),
        cmocka_unit_test(a_stuck_chain_has_the_larger_divergence),
        cmocka_unit_test(time_ends_a_chain_too),
        cmocka_unit_test(seeds_become_median_and_range),
        cmocka_unit_test(chains_of_different_length_go_together),
        cmocka_unit_test(shares_count_all_draws),
        cmocka_unit_test(shares_have_their_error),
    };
    return cmocka_run_group_tests_name("track", tests, NULL, NULL);
}
