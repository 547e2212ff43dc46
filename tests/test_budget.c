/* test_budget.c - limits of a run, and the warm-up that is planned from them: there are draws, or the limit is refused. */
#include "run_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* CKAM_ERROR_OPTION with the least that would do; 0 where the run may begin. */
static uint64_t least_by_refusal(const char *model, const char *sampler, uint64_t evals) {
    ckam_plan *plan =
        plan_with(PAIRS("model", model, "sampler", sampler, "evals", text_of("%d", (int)evals), "format", "none"));
    ckam_run   *run;
    ckam_error  error = {.message = ""};
    ckam_status status = ckam_run_create(&run, plan, NULL, &error);
    ckam_plan_free(plan);
    ckam_run_free(run);
    if (!status) return 0;
    assert_failure(status, CKAM_ERROR_OPTION, &error, text_of("evals is %d", (int)evals), "use --evals=");
    return strtoull(strstr(error.message, "--evals=") + strlen("--evals="), NULL, 10);
}

/* Rows of each chain that the review has: with many chains and without files, a thinning. */
static size_t draws_of(const char *const *pairs, ckam_counts *total) {
    ckam_run   *run = run_with(pairs, NULL);
    ckam_counts counts;
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    ckam_run_counts(run, &counts);
    size_t rows = ckam_run_review(run) ? ckam_run_review(run)->rows : 0;
    assert_int_equal(!rows, *ckam_run_shortfall(run) != 0);
    if (total) *total = counts;
    ckam_run_free(run);
    return rows;
}

static void the_least_budget_gives_a_draw(void **unused) {
    (void)unused;
    static const char *const models[] = {"gaussian:dim=1", "bimodal", "gaussian:dim=10"};
    static const char *const more[] = {"jump:warmup=1", "jump:warmup=900",  "jump:warmup=2500",
                                       "gam:warmup=0",  "ckam:warmup=2500", "jump:pool-every=3,warmup=20"};
    const char              *samplers[32];
    size_t                   count = 0;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) samplers[count++] = entry->name;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) samplers[count++] = more[i];
    for (size_t s = 0; s < count; s++)
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            uint64_t least = least_by_refusal(models[m], samplers[s], 1);
            assert_true(least > 1);
            assert_int_equal(least_by_refusal(models[m], samplers[s], least - 1), least);
            assert_int_equal(least_by_refusal(models[m], samplers[s], least), 0);
            for (int seed = 1; seed <= 3; seed++) {
                size_t rows = draws_of(PAIRS("model", models[m], "sampler", samplers[s], "seed", text_of("%d", seed),
                                             "evals", text_of("%d", (int)least), "format", "none"),
                                       NULL);
                if (!rows) print_error("%s on %s, seed %d, %d\n", samplers[s], models[m], seed, (int)least);
                assert_true(rows >= 1);
            }
        }
}

/* Draws begin in the first half of the evaluations, but for what a climb takes that is longer than that of a Gaussian. */
static void half_of_a_budget_is_left_for_draws(void **unused) {
    (void)unused;
    static const char *const models[] = {"bimodal", "gaussian:dim=5", "mixture5"};
    static const uint64_t    budgets[] = {5000, 10000, 20000, 50000};
    static const char *const chains[] = {"1", "4", "9"};
    for (size_t m = 0; m < 3; m++)
        for (size_t b = 0; b < sizeof budgets / sizeof *budgets; b++) {
            ckam_counts counts;
            const char *number = chains[(m + b) % 3];
            draws_of(PAIRS("model", models[m], "evals", text_of("%d", (int)budgets[b]), "chains", number, "unseen",
                           "1e-9", "format", "none"),
                     &counts);
            uint64_t rows = counts.draws / strtoull(number, NULL, 10);
            if (4 * rows < budgets[b]) print_error("%s, %d: %d\n", models[m], (int)budgets[b], (int)rows);
            assert_true(4 * rows >= budgets[b]); /* after the warm-up a quarter of the iterations searches for modes */
        }
}

/* Where the climb takes what was left for draws the run says so, with a budget that does. */
static void a_long_climb_is_explained(void **unused) {
    (void)unused;
    ckam_run *run = run_with(PAIRS("model", "flower", "evals", "2426", "out", "climbed", "format", "csv"), NULL);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_null(ckam_run_review(run));
    const char *text = ckam_run_shortfall(run), *advice = strstr(text, "--evals=");
    assert_non_null(strstr(text, "had no draw when its evaluations were used up"));
    assert_non_null(advice);
    char *record = slurp("climbed/run.json", NULL);
    assert_non_null(strstr(record, text));
    free(record);
    uint64_t enough = strtoull(advice + strlen("--evals="), NULL, 10);
    ckam_run_free(run);
    assert_true(draws_of(PAIRS("model", "flower", "evals", text_of("%d", (int)enough), "format", "none"), NULL) > 0);
    assert_int_equal(go_and_free(run_again("climbed", PAIRS("evals", text_of("%d", (int)enough)), NULL)), CKAM_OK);
    assert_true(count_rows("climbed/chain_1.csv") > 0);
}

/* The warm-up is that of the draws that the goal takes, not of those after which it is given up. Draws of the banana are less
 * independent. */
static void a_goal_costs_what_its_draws_do(void **unused) {
    (void)unused;
    static const struct {
        const char *model;
        uint64_t    times;
    } cases[] = {{"bimodal", 2}, {"gaussian:dim=10", 2}, {"banana", 10}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int seed = 1; seed <= 3; seed++) {
            ckam_counts       goal, draws;
            const char *const number = text_of("%d", seed), *const model = cases[i].model;
            draws_of(PAIRS("model", model, "seed", number, "format", "none", "until", "ess=400"), &goal);
            draws_of(PAIRS("model", model, "seed", number, "format", "none", "draws", "400"), &draws);
            if (goal.evaluations > cases[i].times * draws.evaluations)
                print_error("%s: %d, %d\n", model, (int)goal.evaluations, (int)draws.evaluations);
            assert_true(goal.evaluations <= cases[i].times * draws.evaluations);
        }
}

static int slow(void *context, const double *x, double *value) {
    (void)context;
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    *value = -0.5 * (x[0] * x[0] + x[1] * x[1]);
    return CKAM_OK;
}

/* 3000 evaluations of each chain: half of the warm-up that 10,000 draws would have. */
static void a_time_limit_leaves_time_for_draws(void **unused) {
    (void)unused;
    ckam_target target = {.dim = 2, .log_density = slow};
    ckam_run   *run = run_with(PAIRS("time-limit", "5", "threads", "4", "format", "none"), &target);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_string_equal(ckam_run_reason(run), "time-limit");
    assert_non_null(ckam_run_review(run));
    assert_string_equal(ckam_run_shortfall(run), "");
    ckam_run_free(run);
    run = run_with(PAIRS("time-limit", "0.5", "threads", "4", "format", "none"), &target);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_null(ckam_run_review(run));
    assert_non_null(strstr(ckam_run_shortfall(run), "had no draw when the time was up"));
    assert_non_null(strstr(ckam_run_shortfall(run), "allow --time-limit="));
    ckam_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_budget_gives_a_draw),      cmocka_unit_test(half_of_a_budget_is_left_for_draws),
        cmocka_unit_test(a_long_climb_is_explained),          cmocka_unit_test(a_goal_costs_what_its_draws_do),
        cmocka_unit_test(a_time_limit_leaves_time_for_draws),
    };
    return cmocka_run_group_tests_name("budget", tests, enter_temporary, leave_temporary);
}
