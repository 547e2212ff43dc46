/* test_run.c - runs from beginning to end: the same rows for any number of threads, and those of the chains themselves.
 *
 * Stopping and going on is in test_resume.c, the rules that end a run in test_run_rules.c. */
#include "run_support.h"

#include "draws/csv.h"
#include "draws/netcdf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OWN = 5 }; /* lp__, accept_stat__, stepsize__, cycle__, phase__ */

static const char *const samplers[] = {"rw:warmup=30",
                                       "am:warmup=30",
                                       "rbam:warmup=30",
                                       "gam:warmup=30",
                                       "kam:warmup=30,subsample=20",
                                       "ckam:cycle-length=40,subsample=20",
                                       "jump:warmup=30"};
/* The last one learns from other chains: test_run_pool.c has it by hand. */
enum { SAMPLERS = sizeof samplers / sizeof *samplers, ALONE = SAMPLERS - 1 };

static void the_list_of_samplers_is_complete(void **unused) {
    (void)unused;
    size_t count = 0;
    for (const ckam_entry *entry = ckam_sampler_list(); entry->name; entry++) count++;
    assert_int_equal(count, SAMPLERS);
}

/* -- Threads ------------------------------------------------------------------------------------------------------ */

static void threads_do_not_matter(void **unused) {
    (void)unused;
    static const char *const models[] = {"bimodal", "gaussian:dim=40"};
    static const char *const threads[] = {"1", "2", "8"};
    for (size_t m = 0; m < 2; m++)
        for (size_t s = 0; s < SAMPLERS; s++) {
            for (size_t t = 0; t < 3; t++)
                run_to_end(PAIRS("model", models[m], "sampler", samplers[s], "seed", "5", "chains", "5", "draws", "60",
                                 "threads", threads[t], "out", text_of("threads-%s", threads[t]), "overwrite", "true",
                                 "format", "csv"),
                           NULL);
            assert_int_equal(count_rows("threads-1/chain_5.csv"), 60);
            assert_same_rows("threads-1", "threads-2", 5, false);
            assert_same_rows("threads-1", "threads-8", 5, false);
        }
}

/* -- The slow version: the chains one after the other, by hand ---------------------------------------------------- */

/* Compares the next row of a file with a step; false at the end of the file. */
static bool next_is(csv_reader *reader, const ckam_step *step, size_t dim) {
    size_t all[64];
    double row[64];
    for (size_t k = 0; k < OWN + dim; k++) all[k] = k;
    if (csv_next(reader, OWN + dim, all, row, NULL) != CKAM_OK) return false;
    const double own[OWN] = {step->log_density, step->accept, step->step_size, (double)step->cycle, step->phase};
    assert_memory_equal(row, own, sizeof own);
    assert_memory_equal(row + OWN, step->x, dim * sizeof *row);
    return true;
}

static csv_reader *open_rows(const char *path, size_t columns) {
    csv_reader *reader;
    assert_int_equal(csv_open(&reader, NULL, path, NULL), CKAM_OK);
    assert_int_equal(csv_columns(reader), columns);
    return reader;
}

/* One chain of a run by hand: every step is in its file, or rightly in none. Returns its draws. Of a chain that has more
 * than `rows` draws, because the others have fewer evaluations to spare, the file has only the first of them. */
static uint64_t check_chain(const ckam_setup *setup, const char *out, uint64_t thin, uint64_t draws, uint64_t evals,
                            uint64_t rows) {
    size_t      dim = setup->target->dim;
    ckam_chain *chain;
    ckam_step   step;
    csv_reader *file = open_rows(text_of("%s/chain_%d.csv", out, (int)setup->chain + 1), OWN + dim);
    csv_reader *warm = open_rows(text_of("%s/chain_%d_warmup.csv", out, (int)setup->chain + 1), OWN + dim);
    assert_int_equal(ckam_chain_create(&chain, setup, NULL), CKAM_OK);
    uint64_t seen = 0, kept = 0;
    for (uint64_t evaluation = 0; kept < draws && evaluation < evals; evaluation++) {
        assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
        if (step.phase == CKAM_PHASE_START || step.phase == CKAM_PHASE_SCALE) continue;
        if (!step.draw)
            assert_true(next_is(warm, &step, dim));
        else if (seen++ % thin == 0 && ++kept <= rows)
            assert_true(next_is(file, &step, dim));
    }
    assert_false(next_is(file, &step, dim) || next_is(warm, &step, dim)); /* there is no more */
    csv_free(file);
    csv_free(warm);
    ckam_chain_free(chain);
    return kept;
}

static void check_by_hand(const char *model_spec, const char *spec, uint64_t thin, uint64_t draws, uint64_t evals,
                          bool start) {
    ckam_model   *model;
    ckam_options *options;
    const double  point[] = {0.5, -1.25};
    char          warmup[32] = "0";
    assert_int_equal(ckam_model_create(&model, model_spec, NULL), CKAM_OK);
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_options_get(options, "warmup", warmup, sizeof warmup, NULL);
    const char *cap = evals < UINT64_MAX ? text_of("%d", (int)evals) : "auto";
    run_to_end(PAIRS("model", model_spec, "sampler", spec, "seed", "18446744073709551615", "chains", "3", "thin",
                     text_of("%d", (int)thin), "draws", text_of("%d", (int)draws), "evals", cap, "out", "by-hand",
                     "overwrite", "true", "format", "csv", "save-warmup", "true", "init",
                     start ? "0.5,-1.25" : "random"),
               NULL);
    ckam_setup setup = {.target = ckam_model_target(model),
                        .options = options,
                        .start = start ? point : NULL,
                        .seed = UINT64_MAX,
                        .horizon = strtoull(warmup, NULL, 10) + draws * thin};
    uint64_t   least = UINT64_MAX, rows = count_rows("by-hand/chain_1.csv");
    for (; setup.chain < 3; setup.chain++) {
        uint64_t own = check_chain(&setup, "by-hand", thin, draws, evals, rows);
        if (own < least) least = own;
    }
    assert_int_equal(rows, least);
    ckam_options_free(options);
    ckam_model_free(model);
}

static void rows_are_those_of_the_chains(void **unused) {
    (void)unused;
    for (size_t s = 0; s < ALONE; s++) {
        check_by_hand("bimodal", samplers[s], 1, 100, UINT64_MAX, false);
        check_by_hand("bimodal", samplers[s], 3, 40, UINT64_MAX, true);
        check_by_hand("banana", samplers[s], 2, 1000, 1200, false);
    }
    check_by_hand("banana", "gam:warmup=0", 1, 7, UINT64_MAX, false);
    check_by_hand("banana", "gam:warmup=0", 50, 1, UINT64_MAX, false);
}

/* -- Sizes -------------------------------------------------------------------------------------------------------- */

static void one_draw_of_one_chain_is_a_run(void **unused) {
    (void)unused;
    ckam_run *run = run_with(
        PAIRS("model", "ring", "sampler", "gam:warmup=0", "chains", "1", "draws", "1", "threads", "64", "out", "one"),
        NULL);
    ckam_error error = {.message = ""};
    if (ckam_run_go(run, NULL, NULL, &error)) print_error("%s\n", error.message);
    assert_string_equal(ckam_run_reason(run), "draws");
    assert_non_null(ckam_run_review(run));
    assert_int_equal(ckam_run_review(run)->rows, 1);
    ckam_run_free(run);
    assert_int_equal(count_rows("one/chain_1.csv"), 1);
    assert_true(is_there("one/draws.nc") == !netcdf_check(NULL) && is_there("one/summary.csv"));
}

static void a_hundred_chains_are_a_run(void **unused) {
    (void)unused;
    run_to_end(PAIRS("model", "gaussian:dim=1", "sampler", "gam:warmup=5", "chains", "100", "draws", "10", "threads",
                     "8", "out", "hundred", "seed", "3", "format", "csv"),
               NULL);
    run_to_end(PAIRS("model", "gaussian:dim=1", "sampler", "gam:warmup=5", "chains", "100", "draws", "10", "threads",
                     "1", "out", "hundred-again", "seed", "3", "format", "csv"),
               NULL);
    assert_same_rows("hundred", "hundred-again", 100, false);
    char *first = slurp_rows("hundred/chain_1.csv"), *last = slurp_rows("hundred/chain_100.csv");
    assert_string_not_equal(first, last);
    free(first);
    free(last);
}

/* -- Without files ------------------------------------------------------------------------------------------------ */

/* The draws in memory are those that the files would have had. */
static void format_none_writes_nothing(void **unused) {
    (void)unused;
    static const char *const pairs[] = {"model", "bimodal", "sampler", "gam:warmup=100", "seed", "9", "chains", "3",
                                        "draws", "50",      "format",  "none",           "thin", "2", NULL};
    ckam_run                *run = run_with(pairs, NULL);
    ckam_draws              *draws, *files;
    assert_string_equal(ckam_run_directory(run), "");
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_false(is_there("none"));
    assert_non_null(ckam_run_review(run));
    assert_int_equal(ckam_run_review(run)->rows, 50);
    assert_int_equal(ckam_run_review(run)->chains, 3);
    assert_int_equal(ckam_run_draws(run, &draws, NULL), CKAM_OK);
    ckam_plan *plan = plan_with(pairs);
    plan_change(plan, PAIRS("format", "csv"));
    plan_change(plan, PAIRS("out", "none"));
    ckam_run *writer;
    assert_int_equal(ckam_run_create(&writer, plan, NULL, NULL), CKAM_OK);
    assert_int_equal(go_and_free(writer), CKAM_OK);
    ckam_plan_free(plan);
    assert_int_equal(ckam_draws_open(&files, PAIRS("none"), 1, NULL), CKAM_OK);
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws), *other = ckam_draws_shape_of(files);
    assert_int_equal(shape->columns, 1 + 2);
    assert_int_equal(shape->rows, 50);
    for (size_t k = 0; k < 3; k++) {
        const double *a, *b;
        size_t        column = k ? other->first + k - 1 : 0;
        assert_string_equal(ckam_draws_name(draws, k), ckam_draws_name(files, column));
        assert_int_equal(ckam_draws_column(draws, k, &a, NULL), CKAM_OK);
        assert_int_equal(ckam_draws_column(files, column, &b, NULL), CKAM_OK);
        assert_memory_equal(a, b, sizeof *a * 3 * 50);
    }
    ckam_draws_free(draws);
    ckam_draws_free(files);
    ckam_run_free(run);
}

/* -- Watching ----------------------------------------------------------------------------------------------------- */

typedef struct watcher {
    size_t        calls;
    ckam_progress last;
    uint64_t      draws;
    bool          done;
} watcher;

static void watch(void *context, const ckam_progress *p) {
    watcher *w = context;
    uint64_t draws = 0;
    assert_true(p->fraction >= 0.0 && p->fraction <= 1.0);
    assert_true(p->elapsed >= w->last.elapsed);
    w->done = true;
    for (size_t i = 0; i < p->chains; i++) {
        draws += p->chain[i].draws;
        w->done &= p->chain[i].done;
        assert_true(p->chain[i].evaluations >= p->chain[i].draws);
    }
    assert_true(draws >= w->draws);
    w->draws = draws;
    w->last = *p;
    w->calls++;
}

static void a_run_is_watched(void **unused) {
    (void)unused;
    watcher   w = {.calls = 0};
    ckam_run *run = run_with(
        PAIRS("model", "bimodal", "sampler", "gam", "chains", "4", "draws", "150000", "format", "none", "seed", "1"),
        NULL);
    assert_int_equal(ckam_run_go(run, watch, &w, NULL), CKAM_OK);
    assert_true(w.calls >= 1);
    assert_int_equal(w.last.chains, 4);
    assert_int_equal(w.draws, 4 * 150000);
    assert_true(w.done);
    assert_close(w.last.fraction, 1.0, 0.0);
    assert_close(w.last.remaining, 0.0, 1e-12);
    assert_true(w.last.draws_per_second > 0.0);
    assert_false(isnan(w.last.rhat) || isnan(w.last.ess));
    ckam_counts counts;
    ckam_run_counts(run, &counts);
    assert_int_equal(counts.draws, 4 * 150000);
    assert_int_equal(counts.iterations, 4 * 151000);
    ckam_run_free(run);
}

/* -- What cannot run ---------------------------------------------------------------------------------------------- */

static int normal(void *context, const double *x, double *value) {
    (void)context;
    *value = -0.5 * (x[0] * x[0] + x[1] * x[1]);
    return CKAM_OK;
}

static void refuse(const char *const *pairs, const ckam_target *target, ckam_status expected, const char *piece) {
    ckam_run   *run = (ckam_run *)(void *)&run;
    ckam_error  error = {.message = ""};
    ckam_plan  *plan = plan_with(pairs);
    ckam_status status = ckam_run_create(&run, plan, target, &error);
    assert_failure(status, expected, &error, piece);
    assert_null(run);
    assert_int_equal(ckam_run_create(&run, plan, target, NULL), expected);
    assert_false(is_there("refused")); /* everything is checked before anything is made */
    ckam_plan_free(plan);
}

static void what_cannot_run_is_refused(void **unused) {
    (void)unused;
    static const char *const bad[] = {"a,b", "ok"}, *const same[] = {"b", "b"}, *const good[] = {"beta.1", "beta.2"};
    ckam_target target = {.dim = 2, .log_density = normal};
    ckam_error  error;
    ckam_run   *run;
    refuse(PAIRS("out", "refused"), NULL, CKAM_ERROR_OPTION, "no model");
    refuse(PAIRS("out", "refused", "model", "bimodl"), NULL, CKAM_ERROR_OPTION, "did you mean 'bimodal'?");
    refuse(PAIRS("out", "refused", "model", "bimodal", "init", "1,2,3"), NULL, CKAM_ERROR_OPTION, "init");
    refuse(PAIRS("out", "refused", "model", "bimodal", "init", "no-file"), NULL, CKAM_ERROR_INPUT, "no-file");
    refuse(PAIRS("out", "refused", "model", "bimodal", "sampler", "ckam:explore=1e-9"), NULL, CKAM_ERROR_OPTION,
           "explore");
    refuse(PAIRS("out", "refused"), &(ckam_target){.dim = 0, .log_density = normal}, CKAM_ERROR_ARGUMENT, "dim");
    refuse(PAIRS("out", "refused"), &(ckam_target){.dim = 2}, CKAM_ERROR_ARGUMENT, "log_density");
    target.names = bad;
    refuse(PAIRS("out", "refused"), &target, CKAM_ERROR_ARGUMENT, "a,b");
    char long_name[300] = "";
    memset(long_name, 'a', sizeof long_name - 1);
    const char *const both[] = {long_name, "b"};
    target.names = both;
    if (!netcdf_check(NULL)) /* the limit is that of NetCDF */
        refuse(PAIRS("out", "refused"), &target, CKAM_ERROR_ARGUMENT, "299 letters");
    run = run_with(PAIRS("out", "long", "draws", "5", "sampler", "gam", "format", "csv"), &target); /* the twin */
    ckam_run_free(run);
    target.names = same;
    refuse(PAIRS("out", "refused"), &target, CKAM_ERROR_ARGUMENT, "b");
    refuse(PAIRS("out", "missing/refused", "model", "ring"), NULL, CKAM_ERROR_OUTPUT, "missing/refused");
    ckam_plan *plan = plan_with(NULL);
    assert_failure(ckam_run_create(NULL, plan, &target, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_run_create(&run, NULL, &target, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    assert_failure(ckam_run_resume(&run, plan, NULL, &target, &error), CKAM_ERROR_ARGUMENT, &error, "NULL");
    ckam_plan_free(plan);
    ckam_run_free(NULL);
    target.names = good; /* the twin */
    run = run_with(PAIRS("out", "named", "draws", "5", "sampler", "gam", "format", "csv"), &target);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_failure(ckam_run_go(run, NULL, NULL, &error), CKAM_ERROR_ORDER, &error, "resume");
    ckam_run_free(run);
    char *rows = slurp_rows("named/chain_1.csv");
    assert_int_equal(strncmp(rows, "lp__,accept_stat__,stepsize__,cycle__,phase__,beta.1,beta.2\n", 60), 0);
    free(rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_list_of_samplers_is_complete),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(rows_are_those_of_the_chains),
        cmocka_unit_test(one_draw_of_one_chain_is_a_run),
        cmocka_unit_test(a_hundred_chains_are_a_run),
        cmocka_unit_test(format_none_writes_nothing),
        cmocka_unit_test(a_run_is_watched),
        cmocka_unit_test(what_cannot_run_is_refused),
    };
    return cmocka_run_group_tests_name("run", tests, enter_temporary, leave_temporary);
}
