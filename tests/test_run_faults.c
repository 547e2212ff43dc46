/* test_run_faults.c - a run survives the refusal of any of its allocations: it says so, or does without, and goes on later.
 *
 * Linked so that the library's calls of malloc and its relatives come here (-Wl,--wrap). What the C library and jansson
 * allocate for themselves does not. That nothing leaks is seen when this runs under the address sanitizer. */
#include "run_support.h"

#include <stdio.h>
#include <stdlib.h>

static atomic_bool on;
static atomic_uint calls;
static unsigned    refused; /* the call that gets no memory; 0: none */

static void meter_start(unsigned number) {
    atomic_store(&calls, 0);
    refused = number;
    atomic_store(&on, true);
}

/* Whether it came to that. */
static bool meter_stop(void) {
    atomic_store(&on, false);
    return refused && atomic_load(&calls) >= refused;
}

static bool grant(void) { return !atomic_load(&on) || atomic_fetch_add(&calls, 1) + 1 != refused; }

void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
char *__real_strdup(const char *text);
char *__wrap_strdup(const char *text);

void *__wrap_malloc(size_t size) { return grant() ? __real_malloc(size) : NULL; }
void *__wrap_calloc(size_t count, size_t size) { return grant() ? __real_calloc(count, size) : NULL; }
void *__wrap_realloc(void *block, size_t size) { return grant() ? __real_realloc(block, size) : NULL; }
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return grant() ? __real_aligned_alloc(alignment, size) : NULL;
}
char *__wrap_strdup(const char *text) { return grant() ? __real_strdup(text) : NULL; }

/* -- Attempts ----------------------------------------------------------------------------------------------------- */

static ckam_plan *plan;

static int make_plan(void **unused) {
    if (enter_temporary(unused)) return 1;
    plan =
        plan_with(PAIRS("model", "gaussian:dim=2", "sampler", "gam:warmup=5", "seed", "4", "chains", "2", "draws", "30",
                        "save-warmup", "true", "threads", "2", "overwrite", "true", "until", "ess=1000", "out", "run"));
    plan_change(plan, PAIRS("format", "csv"));
    return 0;
}

static int free_plan(void **unused) {
    meter_stop();
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
        meter_start(number);
        ckam_status status = go_through(true, &run, &error);
        over = !meter_stop();
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
        meter_start(number);
        ckam_status status = go_through(false, &run, &error);
        over = !meter_stop();
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
        meter_start(number);
        ckam_status status = ckam_plan_open(&opened, "run", &error);
        bool        over = !meter_stop();
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
