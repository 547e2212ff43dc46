/* test_comm.c - a run that several processes carry out: the same draws, the same end and the same failures for all.
 *
 * The processes are threads here (comm_support.h). Also run under the thread sanitizer. Calls of fdatasync(), malloc() and calloc()
 * come here (-Wl,--wrap), so that the disk of one rank can be full, and its memory, too. */
#include "comm_support.h"

#include <errno.h>

enum { CHAINS = 5 };

/* -- Settings ----------------------------------------------------------------------------------------------------- */

static ckam_model *model;

static int make_model(void **unused) { return enter_temporary(unused) || ckam_model_create(&model, "bimodal", NULL); }

static int free_model(void **unused) {
    ckam_model_free(model);
    return leave_temporary(unused);
}

#define COMMON                                                                                                         \
    "model", "bimodal", "seed", "6", "chains", "5", "format", "csv", "overwrite", "true", "save-warmup", "true"

/* Sampler, draws, rule. The last one has a rule. */
static const char *const samplers[][3] = {{"rw:warmup=50", "700", "never"},
                                          {"ckam:cycle-length=60,subsample=20", "300", "never"},
                                          {"jump:warmup=30", "1500", "never"},
                                          {"jump:warmup=30", "auto", "ess=400"}};
enum { JUMP = 2, SAMPLERS, WITH_RULE = SAMPLERS };

static const char *const *pairs_of(size_t sampler, const char *out) {
    static const char *pairs[32];
    const char *const  list[] = {
         COMMON, "sampler", samplers[sampler][0], "draws", samplers[sampler][1], "until", samplers[sampler][2],
         "out",  out};
    memcpy(pairs, list, sizeof list);
    pairs[sizeof list / sizeof *list] = NULL;
    return pairs;
}

/* At evaluation `at` of one rank. */
static void play_trick(table *t, size_t r, trick what, uint64_t at) {
    for (size_t i = 0; i < t->size; i++) {
        rank *own = &t->rank[i];
        own->trick = (tricky){.inner = *ckam_model_target(model), .at = i == r ? at : 0, .trick = what};
        own->target = tricky_target(&own->trick);
        own->has_target = true;
    }
}

/* -- Draws -------------------------------------------------------------------------------------------------------- */

/* The comments above the rows, without the moment. */
static void assert_same_top(const char *one, const char *other) {
    char  *a = slurp(one, NULL), *b = slurp(other, NULL);
    size_t from = (size_t)(strstr(a, "# num_samples") - a), size = (size_t)(strstr(a, "# seed") - a) - from;
    if (strncmp(a + from, strstr(b, "# num_samples"), size) != 0)
        print_error("%s:\n%.*s\n%s:\n%s\n", one, (int)size, a + from, other, strstr(b, "# num_samples"));
    assert_int_equal(strncmp(a + from, strstr(b, "# num_samples"), size), 0);
    free(a);
    free(b);
}

static void draws_do_not_depend_on_the_number_of_ranks(void **unused) {
    (void)unused;
    static const size_t sizes[] = {1, 2, 3, 5, 7}; /* also more than there are chains */
    for (size_t s = 0; s < SAMPLERS; s++) {
        run_to_end(pairs_of(s, "alone"), NULL);
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            table *t = assemble(sizes[i], NULL, pairs_of(s, "ranks"));
            for (size_t r = 0; i % 2 && r < sizes[i]; r++)
                plan_change(t->rank[r].plan, PAIRS("checkpoint-every", "0", "threads", r % 2 ? "1" : "2"));
            end_with(t, CKAM_OK, "draws");
            dismiss(t);
            assert_same_rows("alone", "ranks", CHAINS, true);
            for (size_t c = 1; c <= CHAINS; c++)
                assert_same_top(text_of("alone/chain_%zu.csv", c), text_of("ranks/chain_%zu.csv", c));
        }
    }
}

/* So many that not every row of a chain is used for what is learned, and it matters which. */
static void many_chains_bring_a_part_of_their_rows(void **unused) {
    (void)unused;
    const char *const *most =
        PAIRS("sampler", "jump:warmup=30", "chains", "40", "draws", "900", "save-warmup", "false");
    ckam_plan *plan = plan_with(pairs_of(JUMP, "alone"));
    ckam_run  *run;
    plan_change(plan, most);
    assert_int_equal(ckam_run_create(&run, plan, NULL, NULL), CKAM_OK);
    assert_int_equal(go_and_free(run), CKAM_OK);
    ckam_plan_free(plan);
    table *t = assemble(3, NULL, pairs_of(JUMP, "ranks"));
    for (size_t r = 0; r < t->size; r++) plan_change(t->rank[r].plan, most);
    end_with(t, CKAM_OK, "draws");
    dismiss(t);
    assert_same_rows("alone", "ranks", 40, false);
}

/* All chains have as many rows. */
static void assert_even(const char *directory) {
    size_t rows = count_rows(text_of("%s/chain_1.csv", directory));
    for (size_t c = 2; c <= CHAINS; c++) assert_int_equal(count_rows(text_of("%s/chain_%zu.csv", directory, c)), rows);
}

/* -- Rules -------------------------------------------------------------------------------------------------------- */

static void a_run_ends_when_it_has_converged(void **unused) {
    (void)unused;
    static const char *const rules[][2] = {{"gam:warmup=50", "ess=60"}, {"jump:warmup=30", "ess=300"}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        for (size_t size = 1; size <= 3; size++) {
            table *t = assemble(size, NULL, PAIRS(COMMON, "out", size > 1 ? "ranks" : "alone"));
            for (size_t r = 0; r < size; r++)
                plan_change(t->rank[r].plan,
                            PAIRS("model", "gaussian:dim=2", "sampler", rules[i][0], "until", rules[i][1]));
            end_with(t, CKAM_OK, "until");
            dismiss(t);
            assert_same_rows("alone", size > 1 ? "ranks" : "alone", CHAINS, true);
        }
    comm_to_end(3, "ranks", PAIRS("until", "never", "draws", "2000"), "draws"); /* and on from there */
    comm_to_end(1, "alone", PAIRS("until", "never", "draws", "2000"), "draws");
    assert_same_rows("alone", "ranks", CHAINS, true);
}

static void evaluations_are_limited(void **unused) {
    (void)unused;
    for (size_t size = 1; size <= 4; size++) {
        const char *out[2] = {size > 1 ? "ranks" : "short", size > 1 ? "ranks" : "long"};
        for (int i = 0; i < 1 + (size == 1); i++)
            comm_to_end(size, NULL, PAIRS(COMMON, "sampler", "jump:warmup=30", "evals", "1000", "out", out[i]),
                        "evals");
        assert_same_rows("short", out[0], CHAINS, true);
        comm_to_end(5 - size, out[1], PAIRS("evals", "2500"), "evals");
        assert_same_rows("long", out[1], CHAINS, true);
    }
}

/* A rule that is new lifts what all chains have used up. */
static void a_new_rule_lifts_what_is_used_up(void **unused) {
    (void)unused;
    for (size_t size = 1; size <= 3; size += 2) {
        const char *out = size > 1 ? "ranks" : "alone";
        comm_to_end(size, NULL,
                    PAIRS(COMMON, "model", "gaussian:dim=2", "sampler", "gam:warmup=50", "draws", "100", "out", out),
                    "draws");
        comm_to_end(size, out, PAIRS("until", "ess=100"), "until");
    }
    assert_true(count_rows("alone/chain_1.csv") > 100);
    assert_same_rows("alone", "ranks", CHAINS, true);
}

static atomic_uint others; /* evaluations of the other rank */

static int counted(void *context, const double *x, double *value) {
    atomic_fetch_add(&others, 1);
    return ckam_model_target(model)->log_density(context, x, value);
}

/* After the two chains at least of the other rank, and slower. */
static int slowly(void *context, const double *x, double *value) {
    do nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    while (atomic_load(&others) < 2 * 150);
    return ckam_model_target(model)->log_density(context, x, value);
}

/* As long as one chain has not, nothing is lifted, also for ranks whose chains have. */
static void what_is_used_up_by_some_is_not_lifted(void **unused) {
    (void)unused;
    table *t = assemble(2, NULL, PAIRS(COMMON, "sampler", "gam:warmup=50", "draws", "100", "out", "ranks"));
    play_trick(t, 1, TRICK_STOP_RUN, 100);
    t->rank[0].trick.inner.log_density = counted;
    t->rank[1].trick.inner.log_density = slowly; /* the other one is done by then */
    end_with(t, CKAM_STOP, "interrupted");
    dismiss(t);
    t = assemble(2, "ranks", PAIRS("until", "ess=2000"));
    end_with(t, CKAM_OK, "draws");
    ckam_counts counts;
    ckam_run_counts(t->rank[0].run, &counts);
    assert_int_equal(counts.draws, CHAINS * 100);
    dismiss(t);
}

/* Chains that do not stop by themselves, on ranks with different numbers of them. */
static void time_is_up_for_all(void **unused) {
    (void)unused;
    comm_to_end(3, NULL,
                PAIRS(COMMON, "sampler", "jump:warmup=3000", "time-limit", "0.3", "horizon", "5000", "out", "ranks"),
                "time-limit");
    assert_even("ranks");
    /* Enough that a mode that was found late lets the draws begin anew in both runs: without a number of draws they always may. */
    const char *draws = text_of("%zu", count_rows("ranks/chain_1.csv") + 5000);
    run_to_end(PAIRS(COMMON, "sampler", "jump:warmup=3000", "draws", draws, "horizon", "5000", "out", "alone"), NULL);
    comm_to_end(2, "ranks", PAIRS("time-limit", "auto", "draws", draws), "draws");
    assert_same_rows("alone", "ranks", CHAINS, true);
}

/* -- Ends --------------------------------------------------------------------------------------------------------- */

static uint64_t chance(uint64_t most) {
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return 1 + state % most;
}

/* One rank is told to stop, each time another of another number, until the run is at its end. */
static void one_that_is_stopped_stops_all(void **unused) {
    (void)unused;
    static const size_t sizes[] = {2, 3, 1, 5, 2, 7};
    size_t              stops = 0;
    for (size_t s = 0; s <= WITH_RULE; s++) {
        const char *reason = s == WITH_RULE ? "until" : "draws";
        run_to_end(pairs_of(s, "alone"), NULL);
        for (size_t i = 0; i < 20; i++) {
            size_t size = sizes[i % 6], owners = size < CHAINS ? size : CHAINS;
            table *t = assemble(size, i ? "ranks" : NULL, i ? NULL : pairs_of(s, "ranks"));
            play_trick(t, chance(owners) - 1, TRICK_STOP_RUN, i < 12 ? 6 + chance(250) : 0);
            ckam_status status = go(t);
            assert_string_equal(ckam_run_reason(t->rank[0].run), status ? "interrupted" : reason);
            dismiss(t);
            if (!status) break;
            assert_int_equal(status, CKAM_STOP);
            stops++;
            assert_even("ranks");
        }
        assert_same_rows("alone", "ranks", CHAINS, true);
    }
    assert_true(stops > 8);
}

/* Also one that has no chains. */
static void one_without_chains_may_stop_all(void **unused) {
    (void)unused;
    run_to_end(pairs_of(JUMP, "alone"), NULL);
    table *t = assemble(7, NULL, pairs_of(JUMP, "ranks"));
    t->rank[6].is_stopped = true;
    end_with(t, CKAM_STOP, "interrupted");
    dismiss(t);
    assert_int_equal(count_rows("ranks/chain_5.csv"), 0);
    comm_to_end(6, "ranks", NULL, "draws");
    assert_same_rows("alone", "ranks", CHAINS, true);
}

static void check_failure_of(trick what, size_t size, size_t r, ckam_status expected, const char *piece) {
    char   named[32];
    table *t = assemble(size, NULL, pairs_of(JUMP, "ranks"));
    snprintf(named, sizeof named, "(rank %zu)", r);
    play_trick(t, r, what, 100 + chance(1000));
    ckam_status status = go(t);
    const rank *first = &t->rank[0];
    assert_int_equal(status, expected);
    assert_string_equal(ckam_run_reason(first->run), expected < 0 ? "error" : "target");
    if (expected > 0)
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(t->rank[i].error.status, expected);
            assert_non_null(strstr(t->rank[i].error.message, named));
        }
    if (expected < 0) {
        assert_failure(status, expected, &first->error, "chain ", piece, named);
        edit_text("ranks/run.json", first->error.message, "as said"); /* it is there */
    }
    dismiss(t);
    comm_to_end(2, "ranks", NULL, "draws");
    assert_same_rows("alone", "ranks", CHAINS, true);
}

static void one_that_fails_ends_all(void **unused) {
    (void)unused;
    run_to_end(pairs_of(JUMP, "alone"), NULL);
    for (size_t r = 0; r < 3; r++) {
        check_failure_of(TRICK_INFINITE, 3, r, CKAM_ERROR_INFINITE, "+infinity");
        check_failure_of(TRICK_CODE, 3, r, CKAM_ERROR_TARGET, "the target returned ");
        check_failure_of(TRICK_STOP, 3, r, CKAM_STOP, "");
    }
}

/* What is wrong for all alike is no matter of a rank. */
static void what_cannot_begin_begins_for_none(void **unused) {
    (void)unused;
    table *t = assemble(3, NULL, PAIRS(COMMON, "init", "1,2,3", "out", "none"));
    assert_failure(go(t), CKAM_ERROR_OPTION, &t->rank[0].error, "init");
    assert_null(strstr(t->rank[2].error.message, "rank"));
    dismiss(t);
    t = assemble(2, NULL, PAIRS(COMMON, "init", "1,2,3", "out", "none"));
    t->rank[0].is_deaf = true;
    for (size_t r = 0; r < 2; r++) assert_int_equal(pthread_create(&t->rank[r].thread, NULL, run_rank, &t->rank[r]), 0);
    for (size_t r = 0; r < 2; r++) assert_int_equal(pthread_join(t->rank[r].thread, NULL), 0);
    assert_failure(t->rank[1].status, CKAM_ERROR_OPTION, &t->rank[1].error, "init");
    assert_null(strstr(t->rank[1].error.message, "rank"));
    dismiss(t);
    t = assemble(3, NULL, PAIRS(COMMON, "out", "none"));
    plan_change(t->rank[2].plan, PAIRS("model", "", "format", "csv"));
    assert_failure(go(t), CKAM_ERROR_OPTION, &t->rank[0].error, "no model", "(rank 2)");
    dismiss(t);
    assert_false(is_there("none"));
    spill_text("file", "in the way");
    t = assemble(3, NULL, PAIRS(COMMON, "out", "file/run"));
    assert_failure(go(t), CKAM_ERROR_OUTPUT, &t->rank[1].error, "file/run", "(rank 0)");
    dismiss(t);
}

static void a_directory_that_is_in_use_is_left_alone(void **unused) {
    (void)unused;
    ckam_run *run = run_with(pairs_of(JUMP, "ranks"), NULL);
    table    *t = assemble(2, "ranks", NULL);
    assert_failure(go(t), CKAM_ERROR_OUTPUT, &t->rank[1].error, "is running in ranks");
    dismiss(t);
    ckam_run_free(run);
}

/* A model that has changed for one rank only. */
static void a_rank_that_cannot_go_on_keeps_all(void **unused) {
    (void)unused;
    run_to_end(pairs_of(0, "alone"), NULL);
    table *t = assemble(3, NULL, pairs_of(0, "ranks"));
    play_trick(t, 1, TRICK_STOP_RUN, 300);
    end_with(t, CKAM_STOP, "interrupted");
    dismiss(t);
    t = assemble(3, "ranks", NULL);
    play_trick(t, 0, TRICK_NONE, 0);
    t->rank[2].trick.shift = 1.0;
    assert_failure(go(t), CKAM_ERROR_SNAPSHOT, &t->rank[0].error, "model has changed", "chain 5", "(rank 2)");
    dismiss(t);
    comm_to_end(4, "ranks", NULL, "draws");
    assert_same_rows("alone", "ranks", CHAINS, true);
}

/* -- A full disk -------------------------------------------------------------------------------------------------- */

static size_t full_for = SIZE_MAX; /* the rank, while no rank is at work */
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
int __real_fdatasync(int file);
int __wrap_fdatasync(int file);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

int __wrap_fdatasync(int file) {
    if (this_rank == SIZE_MAX || this_rank != full_for) return __real_fdatasync(file);
    errno = ENOSPC;
    return -1;
}

static void a_full_disk_of_one_ends_all(void **unused) {
    (void)unused;
    run_to_end(pairs_of(JUMP, "alone"), NULL);
    for (int at_end = 0; at_end < 2; at_end++) { /* or at the first checkpoint */
        table *t = assemble(3, NULL, pairs_of(JUMP, "ranks"));
        for (size_t r = 0; r < 3 && !at_end; r++) plan_change(t->rank[r].plan, PAIRS("checkpoint-every", "0"));
        full_for = 1;
        ckam_status status = go(t);
        full_for = SIZE_MAX;
        assert_failure(status, CKAM_ERROR_WRITE, &t->rank[2].error, "ranks/chain_3.csv", strerror(ENOSPC), "(rank 1)");
        assert_string_equal(ckam_run_reason(t->rank[2].run), "error");
        dismiss(t);
        comm_to_end(2, "ranks", NULL, "draws");
        assert_same_rows("alone", "ranks", CHAINS, true);
    }
}

/* -- No memory ---------------------------------------------------------------------------------------------------- */

static _Atomic long refused; /* the number of the allocation of rank 1 that fails; 0: none */
/* NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
void *__real_malloc(size_t size);
void *__real_calloc(size_t number, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t number, size_t size);
/* NOLINTEND(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */

static bool is_refused(void) { return this_rank == 1 && refused > 0 && --refused == 0; }

void *__wrap_malloc(size_t size) { return is_refused() ? NULL : __real_malloc(size); }
void *__wrap_calloc(size_t number, size_t size) { return is_refused() ? NULL : __real_calloc(number, size); }

/* Every allocation with which rank 1 begins a run, the very first one too. */
static void a_rank_without_memory_begins_for_none(void **unused) {
    (void)unused;
    bool fits = false;
    for (long number = 1; !fits; number++) {
        table *t = assemble(2, NULL,
                            PAIRS("model", "bimodal", "sampler", "rw:warmup=0", "chains", "2", "draws", "10", "seed",
                                  "6", "format", "none", "evals", "22"));
        refused = number;
        ckam_status status = go(t);
        fits = refused > 0; /* it had all that it asked for */
        refused = 0;
        for (size_t r = 0; r < 2 && !fits && status; r++)
            assert_failure(t->rank[r].status, CKAM_ERROR_MEMORY, &t->rank[r].error, "memory", "(rank 1)");
        assert_true(!fits || !status);
        assert_true(number > 10 || status == CKAM_ERROR_MEMORY);
        dismiss(t);
    }
}

/* -- The first rank ----------------------------------------------------------------------------------------------- */

typedef struct seen {
    size_t      chains;
    double      fraction;
    uint64_t    draws[CHAINS];
    ckam_counts counts;
} seen;

static void see(void *context, const ckam_progress *p) {
    seen *s = context;
    s->chains = p->chains;
    s->fraction = p->fraction;
    for (size_t c = 0; c < p->chains; c++) s->draws[c] = p->chain[c].draws;
}

static void the_first_rank_has_what_concerns_all(void **unused) {
    (void)unused;
    seen s[2] = {0};
    for (size_t i = 0; i < 2; i++) {
        table *t = assemble(i ? 3 : 1, NULL, pairs_of(JUMP, i ? "ranks" : "alone"));
        t->context = &s[i];
        t->rank[0].watch = see;
        end_with(t, CKAM_OK, "draws");
        assert_non_null(ckam_run_review(t->rank[0].run));
        for (size_t r = 1; r < t->size; r++) assert_null(ckam_run_review(t->rank[r].run));
        ckam_run_counts(t->rank[0].run, &s[i].counts);
        dismiss(t);
    }
    assert_int_equal(s[1].counts.draws, s[0].counts.draws);
    assert_memory_equal(&s[1].counts, &s[0].counts, sizeof s[0].counts);
    assert_int_equal(s[1].chains, CHAINS);
    assert_close(s[1].fraction, 1.0, 1e-12);
    for (size_t c = 0; c < CHAINS; c++) assert_int_equal(s[1].draws[c], 1500);
    char *one = slurp("alone/summary.csv", NULL), *other = slurp("ranks/summary.csv", NULL);
    assert_string_equal(one, other);
    free(one);
    free(other);
}

/* The draws are then in the memory of the first. */
static void draws_without_files_are_the_same(void **unused) {
    (void)unused;
    ckam_draws *draws[2];
    for (size_t i = 0; i < 2; i++) {
        table *t = assemble(i ? 3 : 1, NULL,
                            PAIRS("model", "bimodal", "sampler", "jump:warmup=30", "seed", "6", "chains", "5", "draws",
                                  "1500", "format", "none"));
        end_with(t, CKAM_OK, "draws");
        assert_non_null(ckam_run_review(t->rank[0].run));
        assert_int_equal(ckam_run_draws(t->rank[0].run, &draws[i], NULL), CKAM_OK);
        for (size_t r = 1; r < t->size; r++) {
            ckam_error  error;
            ckam_draws *none;
            assert_failure(ckam_run_draws(t->rank[r].run, &none, &error), CKAM_ERROR_ORDER, &error, "rank 0");
            assert_null(none);
        }
        dismiss(t);
    }
    for (size_t k = 0; k < 2; k++) {
        const double *values[2];
        for (size_t i = 0; i < 2; i++) assert_int_equal(ckam_draws_column(draws[i], k, &values[i], NULL), CKAM_OK);
        assert_memory_equal(values[1], values[0], sizeof(double) * CHAINS * 1500);
    }
    for (size_t i = 0; i < 2; i++) {
        const ckam_draws_shape *shape = ckam_draws_shape_of(draws[i]);
        assert_true(shape->chains == CHAINS && shape->rows == 1500);
        ckam_draws_free(draws[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(draws_do_not_depend_on_the_number_of_ranks),
                                       cmocka_unit_test(many_chains_bring_a_part_of_their_rows),
                                       cmocka_unit_test(a_run_ends_when_it_has_converged),
                                       cmocka_unit_test(evaluations_are_limited),
                                       cmocka_unit_test(a_new_rule_lifts_what_is_used_up),
                                       cmocka_unit_test(what_is_used_up_by_some_is_not_lifted),
                                       cmocka_unit_test(time_is_up_for_all),
                                       cmocka_unit_test(one_that_is_stopped_stops_all),
                                       cmocka_unit_test(one_without_chains_may_stop_all),
                                       cmocka_unit_test(one_that_fails_ends_all),
                                       cmocka_unit_test(what_cannot_begin_begins_for_none),
                                       cmocka_unit_test(a_directory_that_is_in_use_is_left_alone),
                                       cmocka_unit_test(a_rank_that_cannot_go_on_keeps_all),
                                       cmocka_unit_test(a_full_disk_of_one_ends_all),
                                       cmocka_unit_test(a_rank_without_memory_begins_for_none),
                                       cmocka_unit_test(the_first_rank_has_what_concerns_all),
                                       cmocka_unit_test(draws_without_files_are_the_same)};
    return cmocka_run_group_tests_name("ranks", tests, make_model, free_model);
}
