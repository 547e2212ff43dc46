/* test_late.c - a mode that is found after the draws began: they become warm-up, in files that are whole whenever the run is stopped or
 * killed, and the draws that are left have the right weights. */
#include "chain/chain.h"
#include "run_support.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHAINS = 4 };

/* So short that the narrow mode of bimodal in 8 dimensions is found after the draws began in about one run of three. */
#define SHORT_WARMUP "jump:warmup=1500"

/* -- Weights ------------------------------------------------------------------------------------------------------ */

/* The share of draws in the narrow mode of bimodal, at -8. */
static double share_left(const double *draws, size_t count, size_t dim) {
    size_t left = 0;
    for (size_t i = 0; i < count; i++) left += draws[i * dim] < 0.0;
    return (double)left / (double)count;
}

/* As ckam_sample() does it, but for the rule: nothing is discarded. */
static double share_without_the_rule(const ckam_target *target, uint64_t seed, size_t draws) {
    ckam_chain   *chain[CHAINS];
    ckam_options *options;
    ckam_step     step;
    size_t        left = 0, count = 0;
    assert_int_equal(ckam_options_create(&options, SHORT_WARMUP, NULL), CKAM_OK);
    ckam_setup setup = {
        .target = target, .options = options, .seed = seed, .horizon = draws, .pooled = true, .chains = CHAINS};
    for (setup.chain = 0; setup.chain < CHAINS; setup.chain++)
        assert_int_equal(ckam_chain_create(&chain[setup.chain], &setup, NULL), CKAM_OK);
    while (count < draws) {
        size_t begun = count;
        for (size_t c = 0; c < CHAINS; c++)
            for (count = begun; count < draws && !ckam_chain_waits(chain[c]);) {
                assert_int_equal(ckam_chain_step(chain[c], &step), CKAM_OK);
                count += step.draw;
                left += step.draw && step.x[0] < 0.0;
            }
        if (count < draws) assert_int_equal(ckam_chain_pool(chain, CHAINS, NULL), CKAM_OK);
    }
    for (size_t c = 0; c < CHAINS; c++) ckam_chain_free(chain[c]);
    ckam_options_free(options);
    return (double)left / (double)(CHAINS * draws);
}

/* The ESS is above 100,000 where both modes are known, so the standard error is below 0.0016: 0.01 is more than 6 of them. */
static void weights_are_right_whenever_a_mode_is_found(void **unused) {
    (void)unused;
    enum { DIM = 8, DRAWS = 100000, SEEDS = 20 };
    ckam_model *model;
    double     *draws = calloc((size_t)CHAINS * DRAWS * DIM, sizeof *draws);
    assert_non_null(draws);
    assert_int_equal(ckam_model_create(&model, "bimodal:dim=8", NULL), CKAM_OK);
    const ckam_target *target = ckam_model_target(model);
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        assert_int_equal(ckam_sample(target, "jump", NULL, seed, CHAINS, DRAWS, draws, NULL), CKAM_OK);
        assert_close(share_left(draws, (size_t)CHAINS * DRAWS, DIM), 0.5, 0.01);
    }
    ckam_model_free(model);
    free(draws);
}

/* In 16 dimensions, where the search takes longer: without the rule the draws before the find count. The ESS is above 10,000, so 0.03 is 6 standard
 * errors. */
static void without_the_rule_weights_are_wrong(void **unused) {
    (void)unused;
    enum { DIM = 16, DRAWS = 10000, SEED = 12 };
    ckam_model *model;
    double     *draws = calloc((size_t)CHAINS * DRAWS * DIM, sizeof *draws);
    assert_non_null(draws);
    assert_int_equal(ckam_model_create(&model, "bimodal:dim=16", NULL), CKAM_OK);
    const ckam_target *target = ckam_model_target(model);
    assert_int_equal(ckam_sample(target, SHORT_WARMUP, NULL, SEED, CHAINS, DRAWS, draws, NULL), CKAM_OK);
    assert_close(share_left(draws, (size_t)CHAINS * DRAWS, DIM), 0.5, 0.03);
    assert_less(share_without_the_rule(target, SEED, DRAWS), 0.45);
    ckam_model_free(model);
    free(draws);
}

/* -- Files -------------------------------------------------------------------------------------------------------- */

/* A short warm-up, so that modes are found late. */
#define SCENE                                                                                                          \
    "model", "bimodal", "sampler", "jump:warmup=20", "seed", "2", "chains", "3", "horizon", "1000", "thin", "2",       \
        "save-warmup", "true", "format", "csv", "overwrite", "true"

static void check_header(const char *path, const char *key, uint64_t value) {
    char *text = slurp(path, NULL);
    assert_non_null(strstr(text, text_of("\n# %s = %-20llu\n", key, (unsigned long long)value)));
    free(text);
}

static void discarded_draws_are_warm_up(void **unused) {
    (void)unused;
    ckam_search search;
    ckam_run   *run = run_with(PAIRS(SCENE, "draws", "2000", "threads", "2", "out", "straight"), NULL);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    ckam_run_search(run, &search);
    ckam_run_free(run);
    assert_true(search.restarts >= 1 && search.discarded >= 1);
    assert_true(search.late_share < 0.01 && search.modes == 2);
    assert_int_equal(count_rows("straight/chain_1.csv"), 2000);
    check_header("straight/chain_1.csv", "num_samples", 4000);
    check_header("straight/chain_1.csv", "num_warmup", 20 + 2 * search.discarded);
    check_header("straight/chain_1_warmup.csv", "num_warmup", 20 + 2 * search.discarded);
    /* The rows of the warm-up file: some that were written there, and those that came to it. */
    assert_true(count_rows("straight/chain_1_warmup.csv") > search.discarded);
    run_to_end(PAIRS(SCENE, "draws", "2000", "threads", "1", "out", "other"), NULL);
    assert_same_rows("straight", "other", 3, true);
}

/* In another process, killed at evaluation `at`; whether it came to that. */
static bool killed(const ckam_target *inner, bool first, uint64_t at) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        tricky      t = {.inner = *inner, .at = at, .trick = TRICK_KILL};
        ckam_target target = tricky_target(&t);
        t.run = first
                    ? run_with(PAIRS(SCENE, "model", "own", "draws", "2000", "checkpoint-every", "0", "out", "broken"),
                               &target)
                    : run_again("broken", NULL, &target);
        _exit(ckam_run_go(t.run, NULL, NULL, NULL) ? 1 : 0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

static void a_run_that_is_killed_goes_on(void **unused) {
    (void)unused;
    ckam_model *model;
    uint64_t    kills = 0;
    assert_int_equal(ckam_model_create(&model, "bimodal", NULL), CKAM_OK);
    while (killed(ckam_model_target(model), !kills, 400 + 37 * kills)) kills++;
    assert_true(kills >= 10);
    assert_same_rows("straight", "broken", 3, true);
    check_header("broken/chain_1.csv", "num_samples", 4000);
    ckam_model_free(model);
}

/* Evaluations that end right behind the find of a mode: no draw is left that counts, and the run says so; with more it goes on. */
static void a_budget_that_is_used_up_is_a_problem(void **unused) {
    (void)unused;
    bool   seen = false;
    double worst = 0.0;
    for (unsigned evals = 800; evals < 10000 && !seen; evals += 50) {
        ckam_search  search;
        ckam_finding found[CKAM_INCIDENTS];
        ckam_run    *run = run_with(PAIRS(SCENE, "evals", text_of("%u", evals), "out", "short"), NULL);
        assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
        ckam_run_search(run, &search);
        ckam_run_free(run);
        worst = fmax(worst, search.late_share);
        if (search.late_share < 0.01) continue;
        size_t count = ckam_run_incidents("short", found);
        for (size_t i = 0; i < count; i++)
            seen = seen || (found[i].severity == CKAM_PROBLEM && !strncmp(found[i].text, "Late modes: ", 12));
        assert_true(seen);
    }
    assert_true(seen);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_right_whenever_a_mode_is_found),
        cmocka_unit_test(without_the_rule_weights_are_wrong),
        cmocka_unit_test(discarded_draws_are_warm_up),
        cmocka_unit_test(a_run_that_is_killed_goes_on),
        cmocka_unit_test(a_budget_that_is_used_up_is_a_problem),
    };
    return cmocka_run_group_tests_name("late", tests, enter_temporary, leave_temporary);
}
