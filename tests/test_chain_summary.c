/* test_chain_summary.c - what a chain of jump brings to the end of a cycle, as bytes: what is learned from them is what is learned from
 * the chains themselves, and the rows of many chains are thinned as is said. */
#include "support.h"

#include "chain/chain.h"
#include "jump/chain_summary.h"

#include <stdlib.h>
#include <string.h>

enum { DIM = 2, CHAINS_MOST = 60 };

/* -- Chains ------------------------------------------------------------------------------------------------------- */

typedef struct crowd {
    size_t      count;
    ckam_chain *chain[CHAINS_MOST];
} crowd;

static ckam_model *model;

static int make_model(void **unused) {
    (void)unused;
    return ckam_model_create(&model, "bimodal", NULL);
}

static int free_model(void **unused) {
    (void)unused;
    ckam_model_free(model);
    return 0;
}

/* All start in one mode: the other one is for scouts to find. */
static void gather_crowd(crowd *c, size_t count) {
    const double  start[DIM] = {-8.0, 0.5};
    ckam_options *options;
    assert_int_equal(ckam_options_create(&options, "jump:warmup=2000", NULL), CKAM_OK);
    c->count = count;
    for (size_t i = 0; i < count; i++) {
        ckam_setup setup = {.target = ckam_model_target(model),
                            .options = options,
                            .start = start,
                            .seed = 7,
                            .chain = i,
                            .horizon = 5000,
                            .pooled = true};
        assert_int_equal(ckam_chain_create(&c->chain[i], &setup, NULL), CKAM_OK);
    }
    ckam_options_free(options);
}

static void leave(crowd *c) {
    for (size_t i = 0; i < c->count; i++) ckam_chain_free(c->chain[i]);
}

static void to_end_of_cycle(crowd *c) {
    ckam_step step;
    for (size_t i = 0; i < c->count; i++)
        while (!ckam_chain_waits(c->chain[i])) assert_int_equal(ckam_chain_step(c->chain[i], &step), CKAM_OK);
}

static jump_state *state_of(const ckam_chain *chain) {
    return (jump_state *)(void *)((char *)chain->state + chain->state->sampler);
}

/* All that a chain is, without what is made anew where it is used: owners of rows, places of components that are not in use or on trial,
 * and what is computed from factors. Yours to free. */
static char *copy_of(const ckam_chain *chain) {
    jump_state *s = state_of(chain);
    size_t      rows_at = (size_t)((const char *)block_at(s, s->rows) - (const char *)chain->state);
    size_t      modes_at = (size_t)((const char *)block_at(s, s->mixture) - (const char *)chain->state);
    char       *copy = aligned_alloc(BLOCK_ALIGNMENT, (chain->size / BLOCK_ALIGNMENT + 1) * BLOCK_ALIGNMENT);
    assert_non_null(copy);
    memcpy(copy, chain->state, chain->size);
    for (size_t i = 0; i < s->history.capacity; i++)
        memset(copy + rows_at + (i * s->history.dim + ROW_OWNER) * sizeof(double), 0, sizeof(double));
    mixture *m = (mixture *)(void *)(copy + modes_at);
    size_t   used = m->count + m->retired, unused = m->capacity + 2 - used;
    char    *spread = (char *)block_at(m, m->spread);
    memset(&m->at[used], 0, unused * sizeof m->at[0]);
    memset(mixture_mean(m, used), 0, unused * DIM * sizeof(double));
    memset(mixture_factor(m, used), 0, unused * DIM * DIM * sizeof(double));
    memset(spread, 0, mixture_size(DIM) - (size_t)(spread - (char *)m));
    return copy;
}

static bool are_same(const ckam_chain *one, const ckam_chain *other) {
    char *a = copy_of(one), *b = copy_of(other);
    bool  same = one->size == other->size && !memcmp(a, b, one->size);
    free(a);
    free(b);
    return same;
}

/* -- Summaries ---------------------------------------------------------------------------------------------------- */

/* Summary `index` of `total`, in a place of just its size. */
static void *pack(ckam_chain *chain, size_t index, size_t total) {
    size_t size = chain_summarise(chain, index, total, NULL);
    void  *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(chain_summarise(chain, index, total, bytes), size);
    return bytes;
}

/* As of the chains of a crowd, one after the other and again from the first, `total` in all. */
static void **pack_all(const crowd *c, size_t total) {
    void **summaries = calloc(total, sizeof *summaries);
    assert_non_null(summaries);
    for (size_t i = 0; i < total; i++) summaries[i] = pack(c->chain[i % c->count], i, total);
    return summaries;
}

static void free_all(void **summaries, size_t total) {
    for (size_t i = 0; i < total; i++) free(summaries[i]);
    free(summaries);
}

/* Processes with up to `share` chains each, that know nothing of each other but the summaries. */
static void learn_apart(const crowd *c, size_t share) {
    void ***summaries = calloc(c->count, sizeof *summaries);
    assert_non_null(summaries);
    for (size_t from = 0; from < c->count; from += share) summaries[from] = pack_all(c, c->count);
    for (size_t from = 0; from < c->count; from += share) {
        size_t own = from + share < c->count ? share : c->count - from;
        assert_int_equal(chain_learn(c->chain + from, own, summaries[from], c->count, NULL), CKAM_OK);
        free_all(summaries[from], c->count);
    }
    free(summaries);
}

/* What chains bring at the end of a cycle, in all. */
typedef struct brought {
    size_t     found, rows, all_rows;
    jump_stage stage;
} brought;

static brought look(const crowd *c) {
    brought b = {.stage = state_of(c->chain[0])->stage};
    for (size_t i = 0; i < c->count; i++) {
        const chain_summary summary = chain_summary_of(state_of(c->chain[i]), i, c->count);
        b.found += summary.candidates;
        b.rows += summary.rows.count;
        b.all_rows += state_of(c->chain[i])->history.count;
    }
    return b;
}

static void check_cycles(size_t count, size_t share, int cycles, brought *sum) {
    crowd together, apart;
    gather_crowd(&together, count);
    gather_crowd(&apart, count);
    for (int cycle = 0; cycle < cycles; cycle++) {
        to_end_of_cycle(&together);
        to_end_of_cycle(&apart);
        brought b = look(&apart);
        assert_true((b.stage == STAGE_SETTLE) == (cycle == 0));
        sum->found += b.found;
        sum->rows += b.rows;
        sum->all_rows += b.all_rows;
        assert_int_equal(ckam_chain_pool(together.chain, count, NULL), CKAM_OK);
        learn_apart(&apart, share);
        for (size_t i = 0; i < count; i++) assert_true(are_same(together.chain[i], apart.chain[i]));
    }
    leave(&together);
    leave(&apart);
}

static void chains_learn_from_offers_what_they_learn_from_each_other(void **unused) {
    (void)unused;
    for (size_t share = 1; share <= 4; share++) {
        brought sum = {0};
        check_cycles(4, share, 6, &sum);
        assert_true(sum.found > 0 && sum.rows > 0);
    }
}

static void many_chains_learn_from_a_part_of_their_rows(void **unused) {
    (void)unused;
    brought sum = {0};
    check_cycles(CHAINS_MOST, 25, 4, &sum);
    assert_true(sum.rows < sum.all_rows / 3 && sum.found > 0);
}

/* More chains than rows that a fit uses. A few chains stand for all of them, at different numbers. */
static void some_of_very_many_chains_bring_no_row(void **unused) {
    (void)unused;
    enum { COUNT = 6, TOTAL = 2000 };
    crowd  here, elsewhere;
    void  *state[TOTAL];
    size_t none = 0, some = 0;
    gather_crowd(&here, COUNT);
    gather_crowd(&elsewhere, COUNT);
    for (int cycle = 0; cycle < 5; cycle++) {
        to_end_of_cycle(&here);
        to_end_of_cycle(&elsewhere);
        for (size_t i = 0; i < TOTAL; i++) {
            state[i] = state_of(here.chain[i % COUNT]);
            size_t count = chain_summary_of(state[i], i, TOTAL).rows.count;
            none += count == 0;
            some += count;
        }
        void **summaries = pack_all(&elsewhere, TOTAL);
        assert_true(jump_pool(state, COUNT, NULL, TOTAL));
        assert_int_equal(chain_learn(elsewhere.chain, COUNT, summaries, TOTAL, NULL), CKAM_OK);
        free_all(summaries, TOTAL);
        for (size_t i = 0; i < COUNT; i++) assert_true(are_same(here.chain[i], elsewhere.chain[i]));
    }
    assert_true(none > 0 && some > 0);
    leave(&here);
    leave(&elsewhere);
}

/* How often `chains` chains of `total` would bring each row. */
static size_t deal(jump_state *s, size_t chains, size_t total, size_t *times) {
    size_t sum = 0;
    memset(times, 0, s->history.count * sizeof *times);
    for (size_t i = 0; i < chains; i++) {
        const row_block block = chain_summary_of(s, i, total).rows;
        sum += block.count;
        for (size_t k = 0; k < block.count; k++)
            times[(size_t)(block.at + k * block.stride - block_at(s, s->rows)) / s->history.dim]++;
    }
    return sum;
}

/* No row is too old. Where each chain brings some, `every` chains in a row bring each row once; where there are none of some, each
 * quarter of the rows is brought as often as the others. Together they are about as many as a fit uses. */
static void check_deal(jump_state *s, size_t total, bool *scarce) {
    size_t count = s->history.count, from = jump_iterations(s) < s->settle.now.warmup ? count / 2 : 0,
           left = count - from;
    size_t most = mixture_rows_used((const mixture *)(const void *)block_at(s, s->mixture), jump_tries_structure(s));
    size_t every = chain_summary_of(s, 0, total).rows.stride / s->history.dim,
           *times = calloc(count + 1, sizeof *times);
    assert_non_null(times);
    assert_true(left > 0 && (every == 1) == (total * left <= most));
    if (every <= left) {
        deal(s, every, total, times);
        for (size_t k = 0; k < count; k++) assert_int_equal(times[k], k >= from);
    }
    double sum = (double)deal(s, total, total, times), quarter[4] = {0};
    for (size_t k = 0; k < from; k++) assert_int_equal(times[k], 0);
    for (size_t k = from; k < count; k++) quarter[(k - from) * 4 / (left + !left)] += (double)times[k];
    if (every > 1) assert_true(sum > 0.45 * (double)most && sum < 1.1 * (double)most);
    for (size_t q = 0; every > left && q < 4; q++) assert_close(quarter[q] / sum, 0.25, 0.04);
    *scarce = *scarce || every > left;
    free(times);
}

static void rows_are_dealt_evenly(void **unused) {
    (void)unused;
    static const size_t totals[] = {1, 2, 10, 100, 1000, 3000, 10000, 50000};
    crowd               c;
    bool                scarce = false;
    gather_crowd(&c, 1);
    for (int cycle = 0; cycle < 6; cycle++) {
        to_end_of_cycle(&c);
        for (size_t t = 0; t < sizeof totals / sizeof *totals; t++)
            check_deal(state_of(c.chain[0]), totals[t], &scarce);
        assert_int_equal(ckam_chain_pool(c.chain, 1, NULL), CKAM_OK);
    }
    assert_true(scarce);
    leave(&c);
}

static ckam_chain *one_of(uint64_t chains, const ckam_model *of, const char *spec) {
    ckam_options *options;
    ckam_chain   *chain;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    const ckam_setup setup = {.target = ckam_model_target(of), .options = options, .seed = 7, .chains = chains};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    ckam_options_free(options);
    return chain;
}

/* Together they keep what four chains would, as long as each keeps 64; never more than the number that was asked for. */
static void of_many_chains_each_keeps_fewer_rows(void **unused) {
    (void)unused;
    static const struct {
        uint64_t chains;
        size_t   rows;
    } cases[] = {{0, 4096}, {1, 4096}, {4, 4096}, {5, 3276}, {64, 256}, {256, 64}, {1000, 64}, {1u << 31, 64}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_chain *chain = one_of(cases[i].chains, model, "jump:warmup=2000");
        ckam_step   step;
        size_t      most = 0;
        for (int n = 0; n < 20000; n++) {
            assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
            size_t count = state_of(chain)->history.count;
            if (count > most) most = count;
        }
        assert_int_equal(most, cases[i].rows);
        ckam_chain_free(chain);
    }
}

/* The twin: any number of one summary matters, but for the owners of rows. */
static void another_summary_gives_another_memory(void **unused) {
    (void)unused;
    enum { COUNT = 3, PLACES = 30, WIDTH = DIM + ROW_HEAD };
    crowd straight, changed;
    for (size_t place = 0; place < PLACES; place++) {
        gather_crowd(&straight, COUNT);
        gather_crowd(&changed, COUNT);
        to_end_of_cycle(&straight);
        to_end_of_cycle(&changed);
        void  **summaries = pack_all(&changed, COUNT);
        size_t  size = chain_summarise(changed.chain[1], 1, COUNT, NULL) / sizeof(double), back = 1 + 5 * place;
        double *number = (double *)summaries[1] + size - back;
        assert_true(back < WIDTH * chain_summary_of(state_of(changed.chain[1]), 1, COUNT).rows.count);
        *number += 0.25;
        assert_int_equal(ckam_chain_pool(straight.chain, COUNT, NULL), CKAM_OK);
        assert_int_equal(chain_learn(changed.chain, COUNT, summaries, COUNT, NULL), CKAM_OK);
        assert_int_equal(are_same(straight.chain[0], changed.chain[0]), (WIDTH - back % WIDTH) % WIDTH == ROW_OWNER);
        free_all(summaries, COUNT);
        leave(&straight);
        leave(&changed);
    }
}

/* All together take 4 GB for what they remember, or each has room for 16: in 100 dimensions a component is 22,000 numbers. */
static void of_many_chains_each_remembers_fewer_components(void **unused) {
    (void)unused;
    static const struct {
        uint64_t chains;
        size_t   components;
    } cases[] = {{0, 64}, {4, 64}, {355, 64}, {356, 63}, {500, 45}, {1420, 16}, {2000, 16}, {1u << 31, 16}};
    ckam_model *wide;
    assert_int_equal(ckam_model_create(&wide, "gaussian:dim=100", NULL), CKAM_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ckam_chain *chain = one_of(cases[i].chains, wide, "jump");
        ckam_step   step;
        for (int n = 0; n < 100; n++) assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
        jump_state *s = state_of(chain);
        assert_int_equal(((const mixture *)(const void *)block_at(s, s->mixture))->capacity, cases[i].components);
        ckam_chain_free(chain);
    }
    ckam_model_free(wide);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(chains_learn_from_offers_what_they_learn_from_each_other),
                                       cmocka_unit_test(many_chains_learn_from_a_part_of_their_rows),
                                       cmocka_unit_test(some_of_very_many_chains_bring_no_row),
                                       cmocka_unit_test(rows_are_dealt_evenly),
                                       cmocka_unit_test(of_many_chains_each_keeps_fewer_rows),
                                       cmocka_unit_test(of_many_chains_each_remembers_fewer_components),
                                       cmocka_unit_test(another_summary_gives_another_memory)};
    return cmocka_run_group_tests_name("chain_summary", tests, make_model, free_model);
}
