/* test_run_faults.c - a run survives the refusal of any of its allocations: it says so, or does without, and goes on later.
 *
 * The sampler is one whose chains are pooled, which also wants memory. That nothing leaks is seen when this runs under the
 * address sanitizer. */
#include "refusal.h"
#include "run_support.h"

#include <stdio.h>
#include <stdlib.h>

/* -- Attempts ----------------------------------------------------------------------------------------------------- */

static ckam_plan *plan;

static int make_plan(void **unused) {
    if (enter_temporary(unused)) return 1;
    plan = plan_with(PAIRS("model", "gaussian:dim=2", "sampler", "jump:warmup=5", "seed", "4", "chains", "2", "draws",
                           "30", "save-warmup", "true", "threads", "2", "overwrite", "true", "until", "ess=1000", "out",
                           "run"));
    plan_change(plan, PAIRS("format", "csv"));
    return 0;
}

static int free_plan(void **unused) {
    refusal_end();
    ckam_plan_free(plan);
    return leave_temporary(unused);
}

/* All that a program does with a run; *left is what is to be freed. */
static ckam_status go_through(bool first, ckam_run **run, ckam_error *error) {
    ckam_status status =
        first ? ckam_run_create(run, plan, NULL, error) : ckam_run_resume(run, plan, "run", NULL, error);
    if (!status) status = ckam_run_go(*run, NULL, NULL, error);
    return status;
}

static void assert_refusal(ckam_status status, const ckam_error *error, unsigned number) {
    if (status && status != CKAM_ERROR_MEMORY) print_error("allocation %u: %s\n", number, error->message);
    if (status) assert_failure(status, CKAM_ERROR_MEMORY, error, "no memory");
}

static void a_run_survives_every_refusal(void **unused) {
    (void)unused;
    ckam_run *run;
    unsigned  number = 1, errors = 0;
    plan_change(plan, PAIRS("out", "straight"));
    assert_int_equal(go_through(true, &run, NULL), CKAM_OK);
    ckam_run_free(run);
    plan_change(plan, PAIRS("out", "run"));
    for (bool over = false; !over; number++) {
        ckam_error error = {.message = ""};
        run = NULL;
        remove_tree("run");
        refusal_begin(number);
        ckam_status status = go_through(true, &run, &error);
        over = !refusal_end();
        ckam_run_free(run);
        assert_refusal(status, &error, number);
        errors += status != CKAM_OK;
        if (is_there("run/run.json")) {
            assert_int_equal(go_and_free(run_again("run", NULL, NULL)), CKAM_OK);
            assert_same_rows("straight", "run", 2, true);
        }
    }
    assert_true(number > 50 && errors > 40);
}

static void a_resumed_run_survives_every_refusal(void **unused) {
    (void)unused;
    ckam_run  *run;
    ckam_plan *opened;
    unsigned   number = 1, errors = 0;
    remove_tree("run");
    plan_change(plan, PAIRS("draws", "20"));
    assert_int_equal(go_through(true, &run, NULL), CKAM_OK);
    ckam_run_free(run);
    assert_int_equal(ckam_plan_open(&opened, "run", NULL), CKAM_OK);
    ckam_plan_free(plan);
    plan = opened;
    for (bool over = false; !over; number++) {
        ckam_error error = {.message = ""};
        run = NULL;
        refusal_begin(number);
        ckam_status status = go_through(false, &run, &error);
        over = !refusal_end();
        ckam_run_free(run);
        assert_refusal(status, &error, number);
        errors += status != CKAM_OK;
        assert_int_equal(count_rows("run/chain_2.csv"), 20);
    }
    assert_true(number > 50 && errors > 40);
    assert_int_equal(go_and_free(run_again("run", PAIRS("draws", "30"), NULL)), CKAM_OK);
    assert_int_equal(count_rows("run/chain_2.csv"), 30);
}

/* Plans and files of plans. */
static void a_plan_survives_every_refusal(void **unused) {
    (void)unused;
    for (unsigned number = 1;; number++) {
        ckam_plan *opened = (ckam_plan *)(void *)&opened;
        ckam_error error = {.message = ""};
        refusal_begin(number);
        ckam_status status = ckam_plan_open(&opened, "run", &error);
        bool        over = !refusal_end();
        assert_refusal(status, &error, number);
        assert_true((status == CKAM_OK) == (opened != NULL));
        ckam_plan_free(opened);
        if (over) break;
        assert_int_equal(status, CKAM_ERROR_MEMORY);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_survives_every_refusal),
        cmocka_unit_test(a_resumed_run_survives_every_refusal),
        cmocka_unit_test(a_plan_survives_every_refusal),
    };
    return cmocka_run_group_tests_name("run faults", tests, make_plan, free_plan);
}
