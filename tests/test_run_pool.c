/* test_run_pool.c - chains that learn from each other (jump): the draws of a run depend on neither threads nor stops.
 *
 * The slow version is by hand: all chains to the end of a cycle, pooled in their order, and so on. Also run under the
 * thread sanitizer. */
#include "run_support.h"

#include "base/clock.h"
#include "draws/csv.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MODEL   "bimodal"
#define SAMPLER "jump:warmup=30"
enum { CHAINS = 3, DIM = 2, OWN = 7, DRAWS = 1500, ENDS_MOST = 16 };

/* -- By hand ------------------------------------------------------------------------------------------------------ */

typedef struct story {
    double   row[CHAINS][DRAWS][OWN + DIM]; /* as in the files */
    uint64_t draws[CHAINS], evaluations[CHAINS];
    size_t   ends; /* of cycles, the first where chains have settled ... */
    uint64_t end_draws[ENDS_MOST], end_evaluations[ENDS_MOST][CHAINS];
} story;

static ckam_chain *create(const ckam_target *target, const char *spec, uint64_t number, const double *start,
                          bool pooled) {
    ckam_chain   *chain;
    ckam_options *options;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_setup setup = {.target = target,
                        .options = options,
                        .start = start,
                        .seed = 7,
                        .chain = number,
                        .horizon = 5000,
                        .pooled = pooled,
                        .chains = pooled ? CHAINS : 1};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    ckam_options_free(options);
    return chain;
}

static void keep(story *s, size_t c, const ckam_step *step) {
    if (!step->draw) return;
    double *row = s->row[c][s->draws[c]++];
    memcpy(row,
           (double[OWN]){step->log_density, step->accept, step->step_size, (double)step->cycle, step->phase,
                         (double)step->mode, (double)step->move},
           OWN * sizeof *row);
    memcpy(row + OWN, step->x, DIM * sizeof *row);
}

/* Until it waits, or has all draws. */
static void advance(story *s, size_t c, ckam_chain *chain) {
    ckam_step step;
    while (s->draws[c] < DRAWS && !ckam_chain_waits(chain)) {
        assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
        s->evaluations[c]++;
        keep(s, c, &step);
    }
}

/* order: that in which chains are pooled. */
static void play(story *s, const size_t *order) {
    ckam_model *model;
    ckam_chain *chain[CHAINS], *pool[CHAINS];
    assert_int_equal(ckam_model_create(&model, MODEL, NULL), CKAM_OK);
    for (size_t c = 0; c < CHAINS; c++) chain[c] = create(ckam_model_target(model), SAMPLER, c, NULL, true);
    for (size_t c = 0; c < CHAINS; c++) pool[c] = chain[order[c]];
    memset(s, 0, sizeof *s);
    while (s->draws[0] < DRAWS) {
        for (size_t c = 0; c < CHAINS; c++) advance(s, c, chain[c]);
        for (size_t c = 1; c < CHAINS; c++) assert_int_equal(s->draws[c], s->draws[0]); /* what a run relies on */
        if (s->draws[0] == DRAWS) break;
        assert_true(s->ends < ENDS_MOST);
        s->end_draws[s->ends] = s->draws[0];
        memcpy(s->end_evaluations[s->ends++], s->evaluations, sizeof s->evaluations);
        if (ckam_chain_found_late(chain, CHAINS)) memset(s->draws, 0, sizeof s->draws);
        assert_int_equal(ckam_chain_pool(pool, CHAINS, NULL), CKAM_OK);
    }
    for (size_t c = 0; c < CHAINS; c++) ckam_chain_free(chain[c]);
    ckam_model_free(model);
}

static story in_order, other_order;

static int play_both(void **unused) {
    play(&in_order, (const size_t[]){0, 1, 2});
    play(&other_order, (const size_t[]){2, 0, 1});
    return enter_temporary(unused);
}

/* How many of the first rows of a chain's file are those of the story. */
static size_t rows_in_common(const char *directory, size_t c, const story *s) {
    csv_reader *reader;
    size_t      all[OWN + DIM], count = 0;
    double      row[OWN + DIM];
    for (size_t k = 0; k < OWN + DIM; k++) all[k] = k;
    assert_int_equal(csv_open(&reader, NULL, text_of("%s/chain_%zu.csv", directory, c + 1), NULL), CKAM_OK);
    assert_int_equal(csv_columns(reader), OWN + DIM);
    assert_string_equal(csv_name(reader, 5), "mode__");
    assert_string_equal(csv_name(reader, 6), "move__");
    for (bool same = true; count < DRAWS && csv_next(reader, OWN + DIM, all, row, NULL) == CKAM_OK; count++) {
        for (size_t k = 0; k < OWN + DIM; k++) same = same && row[k] == s->row[c][count][k];
        if (!same) break;
    }
    csv_free(reader);
    return count;
}

/* -- Runs --------------------------------------------------------------------------------------------------------- */

/* The run of the story, with these settings besides. */
static ckam_run *begin(const char *out, const char *const *changes, const ckam_target *target) {
    ckam_plan *plan = plan_with(PAIRS("model", MODEL, "sampler", SAMPLER, "seed", "7", "chains", "3", "horizon", "5000",
                                      "format", "csv", "save-warmup", "true", "overwrite", "true", "out", out));
    ckam_run  *run;
    plan_change(plan, changes);
    assert_int_equal(ckam_run_create(&run, plan, target, NULL), CKAM_OK);
    ckam_plan_free(plan);
    return run;
}

static void go(const char *out, const char *const *changes) {
    assert_int_equal(go_and_free(begin(out, changes, NULL)), CKAM_OK);
}

/* Goes on, and says why it stopped. */
static void go_on(const char *out, const char *const *changes, const char *reason) {
    ckam_run *run = run_again(out, changes, NULL);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_string_equal(ckam_run_reason(run), reason);
    ckam_run_free(run);
}

/* Chains that were pooled in another order, as in that of their arrival, would be others. */
static void a_run_pools_in_the_order_of_its_chains(void **unused) {
    (void)unused;
    assert_true(in_order.ends >= 3 && in_order.draws[0] == DRAWS);
    go("run", PAIRS("draws", "1500", "threads", "2"));
    for (size_t c = 0; c < CHAINS; c++) {
        assert_int_equal(rows_in_common("run", c, &in_order), DRAWS);
        assert_true(rows_in_common("run", c, &other_order) < DRAWS);
    }
}

static void threads_do_not_matter(void **unused) {
    (void)unused;
    go("one", PAIRS("draws", "1500", "threads", "1"));
    go("two", PAIRS("draws", "1500", "threads", "2", "checkpoint-every", "0"));
    go("four", PAIRS("draws", "1500", "threads", "4"));
    assert_same_rows("one", "two", CHAINS, true);
    assert_same_rows("one", "four", CHAINS, true);
}

static void one_call_is_the_run(void **unused) {
    (void)unused;
    ckam_model *model;
    double     *out = calloc((size_t)CHAINS * DRAWS * DIM, sizeof *out);
    assert_non_null(out);
    assert_int_equal(ckam_model_create(&model, MODEL, NULL), CKAM_OK);
    assert_int_equal(ckam_sample(ckam_model_target(model), SAMPLER, NULL, 7, CHAINS, DRAWS, out, NULL), CKAM_OK);
    for (size_t c = 0; c < CHAINS; c++)
        for (size_t i = 0; i < DRAWS; i++)
            assert_memory_equal(out + (c * DRAWS + i) * DIM, in_order.row[c][i] + OWN, DIM * sizeof *out);
    free(out);
    ckam_model_free(model);
}

/* -- Ends of runs at and around the ends of cycles ---------------------------------------------------------------- */

static uint64_t least_of(const uint64_t *numbers) {
    uint64_t least = numbers[0];
    for (size_t c = 1; c < CHAINS; c++)
        if (numbers[c] < least) least = numbers[c];
    return least;
}

static uint64_t most_of(const uint64_t *numbers) {
    uint64_t most = numbers[0];
    for (size_t c = 1; c < CHAINS; c++)
        if (numbers[c] > most) most = numbers[c];
    return most;
}

/* Chains come to the end of a cycle after different numbers of evaluations: some are there, others have used up theirs. */
static void evaluations_may_be_raised(void **unused) {
    (void)unused;
    const uint64_t *third = in_order.end_evaluations[2];
    const uint64_t  limits[] = {least_of(third), most_of(third) - 1, most_of(third), most_of(third) + 1,
                                most_of(third) + 100};
    char            most[24];
    snprintf(most, sizeof most, "%d", (int)most_of(third) + 300);
    assert_true(least_of(third) < most_of(third)); /* the starts and the scales took different numbers */
    go("straight", PAIRS("evals", most));
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        go("raised", PAIRS("evals", text_of("%d", (int)limits[i]), "threads", i % 2 ? "1" : "2"));
        if (i == 1) go_on("raised", PAIRS("evals", text_of("%d", (int)limits[i] + 1)), "evals");
        if (i == 2) go_on("raised", NULL, "evals"); /* it has nothing to do */
        go_on("raised", PAIRS("evals", most), "evals");
        assert_same_rows("straight", "raised", CHAINS, true);
    }
}

static uint64_t evaluations_of_a_run(uint64_t limit) {
    ckam_run   *run = begin("limited", PAIRS("evals", text_of("%d", (int)limit)), NULL);
    ckam_counts counts;
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_string_equal(ckam_run_reason(run), "evals");
    ckam_run_counts(run, &counts);
    ckam_run_free(run);
    return counts.evaluations;
}

/* Chains that have evaluations left wait for the one that has not; but if its last one is the end of the cycle, they go on. */
static void no_chain_goes_on_alone(void **unused) {
    (void)unused;
    const uint64_t *ends = in_order.end_evaluations[1];
    uint64_t        limit = most_of(ends) - 1, expected = 0;
    for (size_t c = 0; c < CHAINS; c++) expected += ends[c] < limit ? ends[c] : limit;
    assert_true(expected < CHAINS * limit);
    assert_int_equal(evaluations_of_a_run(limit), expected);
    assert_int_equal(evaluations_of_a_run(limit + 1), CHAINS * (limit + 1));
}

static void draws_may_be_raised(void **unused) {
    (void)unused;
    go("straight", PAIRS("draws", "1500"));
    for (int more = -1; more <= 1; more++) {
        go("raised", PAIRS("draws", text_of("%d", (int)in_order.end_draws[1] + more), "threads", "2"));
        go_on("raised", PAIRS("draws", "1500"), "draws");
        assert_same_rows("straight", "raised", CHAINS, true);
    }
}

/* Stopped at evaluation `at` of all chains together, also while some of them wait. */
static void a_stopped_run_goes_on(void **unused) {
    (void)unused;
    ckam_model *model;
    assert_int_equal(ckam_model_create(&model, MODEL, NULL), CKAM_OK);
    go("straight", PAIRS("draws", "1500"));
    uint64_t all = 0;
    for (size_t c = 0; c < CHAINS; c++) all += in_order.end_evaluations[1][c];
    for (int i = -2; i <= 2; i++) {
        tricky      t = {.inner = *ckam_model_target(model),
                         .at = (uint64_t)((int64_t)all + 3 * (int64_t)i),
                         .trick = TRICK_STOP_RUN};
        ckam_target target = tricky_target(&t);
        t.run = begin("stopped", PAIRS("draws", "1500", "threads", i % 2 ? "3" : "2"), &target);
        assert_int_equal(ckam_run_go(t.run, NULL, NULL, NULL), CKAM_STOP);
        assert_string_equal(ckam_run_reason(t.run), "interrupted");
        ckam_run_free(t.run);
        go_on("stopped", NULL, "draws");
        assert_same_rows("straight", "stopped", CHAINS, true);
    }
    ckam_model_free(model);
}

/* The least ESS, bulk or tail, of the first `draws` draws. */
static double ess_after(size_t draws) {
    static double values[CHAINS * DRAWS];
    double        least = HUGE_VAL;
    for (size_t k = OWN; k < OWN + DIM; k++) {
        ckam_summary summary;
        for (size_t i = 0; i < CHAINS * draws; i++) values[i] = in_order.row[i / draws][i % draws][k];
        assert_int_equal(ckam_summarise(values, CHAINS, draws, &summary, NULL), CKAM_OK);
        least = fmin(least, fmin(summary.ess_bulk, summary.ess_tail));
    }
    return least;
}

/* A run looks at 100 draws, and at a tenth more each time, and not where a cycle ends in between. The rule here is one
 * that is met for the first time behind such an end. */
static void a_run_ends_when_it_has_converged(void **unused) {
    (void)unused;
    char   rule[32];
    size_t goal = 100;
    double before = 0.0;
    for (; goal <= in_order.end_draws[1] || ess_after(goal) <= before + 0.1; goal += goal / 10)
        before = fmax(before, ess_after(goal));
    assert_true(goal < DRAWS);
    snprintf(rule, sizeof rule, "ess=%.1f", floor(10.0 * ess_after(goal)) / 10.0);
    assert_less(before, strtod(rule + 4, NULL));
    ckam_run *run = begin("until-1", PAIRS("until", rule, "threads", "1"), NULL);
    assert_int_equal(ckam_run_go(run, NULL, NULL, NULL), CKAM_OK);
    assert_string_equal(ckam_run_reason(run), "until");
    ckam_run_free(run);
    go("until-3", PAIRS("until", rule, "threads", "3", "checkpoint-every", "0"));
    assert_same_rows("until-1", "until-3", CHAINS, true);
    assert_int_equal(count_rows("until-1/chain_1.csv"), goal);
    assert_int_equal(rows_in_common("until-1", 1, &in_order), goal);
    go_on("until-1", PAIRS("until", "never", "draws", "1500"), "draws");
    assert_int_equal(rows_in_common("until-1", 1, &in_order), DRAWS);
}

/* -- Time --------------------------------------------------------------------------------------------------------- */

/* When the chains stopped, and where. */
static void see_the_end(void *context, const ckam_progress *p) {
    double *end = context;
    if (!p->writing) return;
    end[0] = p->elapsed;
    end[1] = (double)p->chain[0].cycle;
}

/* A wait of a tenth of a second becomes one of a minute: whoever is not woken, but waits for the next look at the clock, is late. */
static atomic_bool patient;
static atomic_uint late;
int __real_pthread_cond_timedwait(pthread_cond_t *changed, pthread_mutex_t *lock, const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *changed, pthread_mutex_t *lock, const struct timespec *until);
int __wrap_pthread_cond_timedwait(pthread_cond_t *changed, pthread_mutex_t *lock, const struct timespec *until) {
    struct timespec end = *until;
    bool            longer = atomic_load(&patient);
    if (longer) end.tv_sec += 60;
    int status = __real_pthread_cond_timedwait(changed, lock, &end);
    if (status && longer) atomic_fetch_add(&late, 1);
    if (status) atomic_store(&patient, false); /* once is enough */
    return status;
}

static void nobody_sleeps_at_the_end_of_a_cycle(void **unused) {
    (void)unused;
    double    end[2] = {0};
    ckam_run *run = begin("quick", PAIRS("draws", "10000", "threads", "2", "save-warmup", "false"), NULL);
    atomic_store(&patient, true);
    assert_int_equal(ckam_run_go(run, see_the_end, end, NULL), CKAM_OK);
    atomic_store(&patient, false);
    assert_true(end[1] >= 8.0);
    assert_int_equal(atomic_load(&late), 0);
    ckam_run_free(run);
}

/* A density that sleeps, and how often it did so while another thread did, too. */
typedef struct sleepers {
    atomic_int  inside;
    atomic_uint all, together;
} sleepers;

static int slow(void *context, const double *x, double *value) {
    sleepers *s = context;
    int       others = atomic_fetch_add(&s->inside, 1);
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL); /* long beside what a sanitizer takes of the processor */
    *value = -0.5 * (x[0] * x[0] + x[1] * x[1]);
    others += atomic_fetch_sub(&s->inside, 1) - 1;
    atomic_fetch_add(&s->all, 1);
    atomic_fetch_add(&s->together, others > 0);
    return CKAM_OK;
}

/* Four chains on two threads, to the end of a cycle and beyond: no thread is idle while there is something to do, which an evaluation
 * would be alone for, and the thread that waits for them does not use the time of the processor. On a busy machine a thread may have
 * to wait for a processor, so not all evaluations have company. */
static void threads_are_kept_busy(void **unused) {
    (void)unused;
    sleepers    s = {0};
    ckam_target target = {.dim = DIM, .log_density = slow, .context = &s};
    double      end[2] = {0};
    ckam_run   *run = run_with(
          PAIRS("sampler", SAMPLER, "seed", "7", "chains", "4", "threads", "2", "evals", "800", "format", "none"),
          &target);
    clock_t begun = clock();
    assert_int_equal(ckam_run_go(run, see_the_end, end, NULL), CKAM_OK);
    double used = (double)(clock() - begun) / CLOCKS_PER_SEC;
    ckam_run_free(run);
    assert_less(0.5 * atomic_load(&s.all), atomic_load(&s.together));
    assert_less(used, 0.25 * end[0]);
}

/* -- Modes -------------------------------------------------------------------------------------------------------- */

static void step_until_it_waits(ckam_chain *chain) {
    ckam_step step;
    while (!ckam_chain_waits(chain)) assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
}

static uint64_t modes_of(const ckam_chain *chain) {
    ckam_counts counts;
    ckam_chain_counts(chain, &counts);
    return counts.modes;
}

/* Two chains that start in two modes: both know both from the end of the first cycle on, but only if they are pooled. */
static void modes_become_known_to_all(void **unused) {
    (void)unused;
    const double starts[2][DIM] = {{-8.0, 0.0}, {8.0, 0.0}};
    ckam_model  *model;
    assert_int_equal(ckam_model_create(&model, MODEL, NULL), CKAM_OK);
    for (int pooled = 0; pooled < 2; pooled++) {
        ckam_chain *chain[2];
        for (size_t c = 0; c < 2; c++) {
            const double *x;
            chain[c] = create(ckam_model_target(model), SAMPLER, c, starts[c], pooled);
            step_until_it_waits(chain[c]);
            assert_int_equal(modes_of(chain[c]), 0);
            if (!pooled) assert_int_equal(ckam_chain_ask(chain[c], &x), CKAM_OK); /* it goes on by itself */
        }
        if (pooled) assert_int_equal(ckam_chain_pool(chain, 2, NULL), CKAM_OK);
        for (size_t c = 0; c < 2; c++) {
            assert_int_equal(modes_of(chain[c]), pooled ? 2 : 1);
            ckam_chain_free(chain[c]);
        }
    }
    ckam_model_free(model);
}

static void see_modes(void *context, const ckam_progress *p) {
    uint64_t *modes = context;
    for (size_t i = 0; p->writing && i < p->chains; i++) modes[i] = p->chain[i].modes;
}

static void a_run_counts_modes(void **unused) {
    (void)unused;
    uint64_t    modes[CHAINS] = {0};
    ckam_counts counts;
    ckam_run   *run = begin("modes", PAIRS("draws", "1000", "init", "-8,0,8,0,-8,1"), NULL);
    assert_int_equal(ckam_run_go(run, see_modes, modes, NULL), CKAM_OK);
    ckam_run_counts(run, &counts);
    assert_int_equal(counts.modes, 2);
    assert_true(counts.scouts > 0);
    for (size_t c = 0; c < CHAINS; c++) assert_int_equal(modes[c], 2);
    ckam_run_free(run);
    run = run_with(PAIRS("model", MODEL, "sampler", "gam", "chains", "3", "draws", "50", "format", "none"), NULL);
    assert_int_equal(ckam_run_go(run, see_modes, modes, NULL), CKAM_OK);
    ckam_run_counts(run, &counts);
    assert_true(counts.modes == 0 && counts.scouts == 0 && modes[0] == 0);
    ckam_run_free(run);
}

/* -- Refusals ----------------------------------------------------------------------------------------------------- */

static int normal(void *context, const double *x, double *value) {
    (void)context;
    *value = -0.5 * x[0] * x[0];
    return CKAM_OK;
}

static void chains_that_cannot_be_pooled_are_refused(void **unused) {
    (void)unused;
    ckam_target   line = {.dim = 1, .log_density = normal}, plane = {.dim = 2, .log_density = normal};
    ckam_chain   *one = create(&line, "jump", 0, NULL, true), *two = create(&line, "jump", 1, NULL, true);
    ckam_chain   *other = create(&plane, "jump", 2, NULL, true), *walk = create(&line, "gam", 3, NULL, true);
    const double *x;
    ckam_step     step;
    ckam_error    error = {.message = ""};
    step_until_it_waits(one);
    step_until_it_waits(other);
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(ckam_chain_step(walk, &step), CKAM_OK);
        assert_false(ckam_chain_waits(walk));
    }
    assert_int_equal(ckam_chain_step(one, &step), CKAM_ERROR_ORDER);
    assert_failure(ckam_chain_ask(one, &x), CKAM_ERROR_ORDER, ckam_chain_error(one), "end of a cycle",
                   "ckam_chain_pool()");
    assert_failure(ckam_chain_pool(NULL, 2, &error), CKAM_ERROR_ARGUMENT, &error, "no chains");
    assert_failure(ckam_chain_pool(&one, 0, &error), CKAM_ERROR_ARGUMENT, &error, "no chains");
    assert_failure(ckam_chain_pool((ckam_chain *[]){one, two}, 2, &error), CKAM_ERROR_ORDER, &error, "chain 2 of 2",
                   "does not wait");
    assert_failure(ckam_chain_pool((ckam_chain *[]){NULL, one}, 2, &error), CKAM_ERROR_ORDER, &error, "chain 1 of 2");
    assert_failure(ckam_chain_pool((ckam_chain *[]){one, walk}, 2, &error), CKAM_ERROR_ORDER, &error, "chain 2 of 2");
    assert_failure(ckam_chain_pool((ckam_chain *[]){one, other}, 2, &error), CKAM_ERROR_ARGUMENT, &error,
                   "another sampler or dimension");
    assert_true(ckam_chain_waits(one) && ckam_chain_waits(other)); /* nothing has happened to them */
    step_until_it_waits(two);
    assert_int_equal(ckam_chain_pool((ckam_chain *[]){one, two}, 2, &error), CKAM_OK);
    assert_false(ckam_chain_waits(one) || ckam_chain_waits(two));
    assert_int_equal(ckam_chain_step(one, &step), CKAM_OK);
    ckam_chain_free(one);
    ckam_chain_free(two);
    ckam_chain_free(other);
    ckam_chain_free(walk);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_pools_in_the_order_of_its_chains),
                                       cmocka_unit_test(threads_do_not_matter),
                                       cmocka_unit_test(one_call_is_the_run),
                                       cmocka_unit_test(evaluations_may_be_raised),
                                       cmocka_unit_test(no_chain_goes_on_alone),
                                       cmocka_unit_test(draws_may_be_raised),
                                       cmocka_unit_test(a_stopped_run_goes_on),
                                       cmocka_unit_test(a_run_ends_when_it_has_converged),
                                       cmocka_unit_test(nobody_sleeps_at_the_end_of_a_cycle),
                                       cmocka_unit_test(threads_are_kept_busy),
                                       cmocka_unit_test(modes_become_known_to_all),
                                       cmocka_unit_test(a_run_counts_modes),
                                       cmocka_unit_test(chains_that_cannot_be_pooled_are_refused)};
    return cmocka_run_group_tests_name("run_pool", tests, play_both, leave_temporary);
}
