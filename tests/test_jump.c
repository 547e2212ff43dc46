/* test_jump.c - jump as a whole: units, pooling, room, pruning, cycles, a search that ends, warm-up, odd densities, snapshots. */
#include "failure.h"

#include "chain/chain.h"
#include "jump/jump.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* -- Chains ------------------------------------------------------------------------------------------------------- */

static jump_state *state_of(ckam_chain *chain) { return (void *)((char *)chain->state + chain->state->sampler); }

static mixture *memory_of(ckam_chain *chain) { return jump_mixture(state_of(chain)); }

static double unseen; /* 1: the warm-up is not prolonged */

static ckam_chain *make_chain(const ckam_target *target, const char *spec, const double *start, uint64_t number,
                              uint64_t horizon, bool pooled) {
    ckam_options *options;
    ckam_chain   *chain;
    assert_int_equal(ckam_options_create(&options, spec, NULL), CKAM_OK);
    ckam_setup setup = {.target = target,
                        .options = options,
                        .start = start,
                        .seed = 5,
                        .chain = number,
                        .horizon = horizon,
                        .pooled = pooled,
                        .unseen = unseen};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    ckam_options_free(options);
    return chain;
}

static ckam_step step_of(ckam_chain *chain) {
    ckam_step step;
    assert_int_equal(ckam_chain_step(chain, &step), CKAM_OK);
    return step;
}

/* Up to the end of a cycle, or of settling. */
static void run_to_wait(ckam_chain *chain) {
    do step_of(chain);
    while (!ckam_chain_waits(chain));
}

/* -- Targets: round Gaussians of equal mass on the diagonal, in units of their own --------------------------------- */

enum { DIM = 2 };

typedef struct round_target {
    int    count;
    double centre[3], deviation[3], unit[DIM];
    bool   holes; /* not defined between the modes, in every way there is */
} round_target;

static int mixture_density(void *context, const double *x, double *value) {
    const round_target *m = context;
    double              each[3], most = -HUGE_VAL, sum = 0.0, u = x[0] / m->unit[0], v = x[1] / m->unit[1];
    if (m->holes && fabs(u + v) < 6.0) {
        *value = v < 0.0 ? (double)NAN : -HUGE_VAL;
        return u < 0.0 ? CKAM_REJECT : CKAM_OK;
    }
    for (int j = 0; j < m->count; j++) {
        double a = (u - m->centre[j]) / m->deviation[j], b = (v - m->centre[j]) / m->deviation[j];
        each[j] = -0.5 * (a * a + b * b) - 2.0 * log(m->deviation[j]);
        most = fmax(most, each[j]);
    }
    for (int j = 0; j < m->count; j++) sum += exp(each[j] - most);
    *value = most + log(sum);
    return CKAM_OK;
}

static ckam_target target_of(round_target *m) {
    return (ckam_target){.dim = DIM, .log_density = mixture_density, .context = m};
}

static const round_target two = {2, {-6, 6}, {0.7, 1.4}, {1, 1}, false};
static const round_target shifted = {2, {0, 12}, {0.7, 1.4}, {1, 1}, false};
static const round_target three = {3, {-20, 0, 20}, {0.5, 1, 3}, {1, 1}, false};

/* -- Units -------------------------------------------------------------------------------------------------------- */

/* The next iteration of the sampler; what comes before it takes other numbers of evaluations in other units. */
static ckam_step next_iteration(ckam_chain *chain) {
    ckam_step step;
    do step = step_of(chain);
    while (step.phase == CKAM_PHASE_START || step.phase == CKAM_PHASE_SCALE);
    return step;
}

/* The lengths of the axes are found to 1e-10, and from there on the same happens. */
static void units_do_not_matter(void **unused) {
    (void)unused;
    static const double        units[2][DIM] = {{0x1p20, 0x1p-20}, {1e6, 1e-6}};
    static const round_target *mixtures[2] = {&shifted, &three};
    for (int u = 0; u < 2; u++)
        for (int which = 0; which < 2; which++) {
            round_target plain = *mixtures[which], scaled = plain;
            ckam_target  target = target_of(&plain), other = target_of(&scaled);
            double       start[DIM] = {0.0, 0.0};
            uint64_t     modes_seen = 0;
            memcpy(scaled.unit, units[u], sizeof scaled.unit);
            ckam_chain *a = make_chain(&target, "jump", start, 0, 20000, false);
            ckam_chain *b = make_chain(&other, "jump", start, 0, 20000, false);
            for (int i = 0; i < 10000; i++) {
                ckam_step x = next_iteration(a), y = next_iteration(b);
                assert_true(x.mode == y.mode && x.move == y.move && x.accepted == y.accepted && x.draw == y.draw);
                modes_seen = x.mode > modes_seen ? x.mode : modes_seen;
                for (int k = 0; k < DIM; k++) assert_close(y.x[k] / scaled.unit[k], x.x[k], 1e-7);
            }
            assert_true(modes_seen >= 2);
            ckam_chain_free(a);
            ckam_chain_free(b);
        }
}

/* -- Pooling ------------------------------------------------------------------------------------------------------ */

static void chains_share_what_they_know(void **unused) {
    (void)unused;
    round_target plain = two;
    ckam_target  target = target_of(&plain);
    ckam_chain  *chains[3];
    ckam_error   error;
    ckam_step    step;
    for (uint64_t c = 0; c < 3; c++) {
        double start[DIM] = {c ? 6.0 : -6.0, c ? 6.0 : -6.0};
        chains[c] = make_chain(&target, "jump", start, c, 20000, true);
        run_to_wait(chains[c]);
        assert_int_equal(ckam_chain_step(chains[c], &step), CKAM_ERROR_ORDER);
    }
    assert_int_equal(ckam_chain_pool(chains, 3, &error), CKAM_OK);
    for (int c = 0; c < 3; c++) {
        ckam_counts counts;
        ckam_chain_counts(chains[c], &counts);
        assert_int_equal(counts.modes, 2);
        assert_int_equal(memory_of(chains[c])->count, 2);
        mixture *one = memory_of(chains[c]), *other = memory_of(chains[0]);
        assert_memory_equal(one, other, sizeof *one);
        assert_memory_equal(mixture_mean(one, 0), mixture_mean(other, 0), 2 * DIM * sizeof(double));
        assert_memory_equal(mixture_factor(one, 0), mixture_factor(other, 0), 2 * DIM * DIM * sizeof(double));
        for (size_t j = 0; j < 2; j++) {
            double u[DIM], v[DIM];
            mixture_standardise(one, j, (double[DIM]){1.0}, u);
            mixture_standardise(other, j, (double[DIM]){1.0}, v);
            assert_memory_equal(u, v, sizeof u);
        }
        assert_memory_equal(&state_of(chains[c])->plan, &state_of(chains[0])->plan, sizeof(jump_plan));
        assert_false(ckam_chain_waits(chains[c]));
    }
    for (int cycle = 0; cycle < 4; cycle++) {
        uint64_t iterations[3];
        for (int c = 0; c < 3; c++) {
            ckam_counts counts;
            run_to_wait(chains[c]);
            ckam_chain_counts(chains[c], &counts);
            iterations[c] = counts.iterations;
            assert_int_equal(iterations[c], iterations[0]);
        }
        assert_int_equal(ckam_chain_pool(chains, 3, &error), CKAM_OK);
        assert_int_equal(state_of(chains[2])->plan.cycle, cycle + 1);
    }
    for (int c = 0; c < 3; c++) ckam_chain_free(chains[c]);
}

/* -- Room, pruning, shares ---------------------------------------------------------------------------------------- */

static void the_memory_stays_within_its_room(void **unused) {
    (void)unused;
    for (int dim = 2; dim <= 8; dim += 2) {
        ckam_model *model;
        char        spec[32];
        double      start[8];
        snprintf(spec, sizeof spec, "grid32:dim=%d", dim);
        assert_int_equal(ckam_model_create(&model, spec, NULL), CKAM_OK);
        ckam_model_start(model, start);
        ckam_chain *chain = make_chain(ckam_model_target(model), "jump", start, 0, 30000, false);
        for (int i = 0; i < 15000; i++) {
            ckam_step step = step_of(chain);
            for (int k = 0; k < dim; k++) assert_true(isfinite(step.x[k]));
            mixture *m = memory_of(chain);
            if (chain->state->phase == CKAM_PHASE_SAMPLE) assert_true(m->count + m->retired <= m->capacity);
        }
        ckam_chain_free(chain);
        ckam_model_free(model);
    }
}

/* A mode where there is none, as a search would report it, and with the greatest mass. */
static void report_mode(ckam_chain *chain, double place) {
    jump_state *s = state_of(chain);
    explorer   *e = jump_explorer(s);
    double     *mean = block_at(e, e->candidate_mean), *factor = block_at(e, e->candidate_factor);
    memset(factor, 0, sizeof *factor * DIM * DIM);
    for (size_t k = 0; k < DIM; k++) {
        mean[k] = place;
        factor[k * DIM + k] = 1.0;
    }
    e->candidate[0] = (candidate){.mass = 100.0, .search_hits = 1.0};
    e->candidates = 1;
}

static void a_place_that_leads_nowhere_is_retired(void **unused) {
    (void)unused;
    round_target one = {1, {0}, {1}, {1, 1}, false};
    ckam_target  target = target_of(&one);
    double       start[DIM] = {0.0, 0.0};
    ckam_chain  *chain = make_chain(&target, "jump", start, 0, 100000, true);
    mixture     *m;
    run_to_wait(chain);
    assert_int_equal(ckam_chain_pool(&chain, 1, NULL), CKAM_OK);
    m = memory_of(chain);
    assert_int_equal(m->count, 1);
    report_mode(chain, 50.0);
    run_to_wait(chain);
    assert_int_equal(ckam_chain_pool(&chain, 1, NULL), CKAM_OK);
    assert_int_equal(m->count, 2);
    assert_true(m->at[1].weight > 0.04 && !m->at[1].reached);
    assert_int_equal(state_of(chain)->plan.modes, 1); /* one that no draw has reached does not count */
    for (int cycle = 0; cycle < 3; cycle++) {
        run_to_wait(chain);
        assert_int_equal(ckam_chain_pool(&chain, 1, NULL), CKAM_OK);
    }
    assert_int_equal(m->count, 1);
    assert_int_equal(m->retired, 1);
    assert_true(mixture_mean(m, 1)[0] == 50.0);
    report_mode(chain, 50.5); /* again: it is known */
    run_to_wait(chain);
    assert_int_equal(ckam_chain_pool(&chain, 1, NULL), CKAM_OK);
    assert_int_equal(m->count, 1);
    ckam_chain_free(chain);
}

static void shares_are_a_mixture(void **unused) {
    (void)unused;
    round_target kinds[2] = {two, {1, {0}, {1}, {1, 1}, false}};
    for (int kind = 0; kind < 2; kind++) {
        ckam_target target = target_of(&kinds[kind]);
        double      start[DIM] = {kinds[kind].centre[0], kinds[kind].centre[0]};
        ckam_chain *chain = make_chain(&target, "jump", start, 0, 100000, true);
        for (int cycle = 0; cycle < 12; cycle++) {
            run_to_wait(chain);
            assert_int_equal(ckam_chain_pool(&chain, 1, NULL), CKAM_OK);
            const jump_plan *p = &state_of(chain)->plan;
            double           sum = 0.0;
            for (int k = 0; k < MOVES; k++) sum += p->share[k];
            assert_close(sum, 1.0, 1e-12);
            assert_true(p->share[MOVE_LOCAL] >= 0.01);
            assert_true(p->share[MOVE_INDEPENDENT] >= 0.0099);
            if (memory_of(chain)->count == 1)
                assert_true(p->share[MOVE_AFFINE] == 0.0 && p->share[MOVE_CARRY] == 0.0);
            else
                assert_true(p->share[MOVE_AFFINE] >= 0.0099 && p->share[MOVE_CARRY] >= 0.0099);
            assert_true(p->explore <= p->length);
        }
        ckam_chain_free(chain);
    }
}

/* -- Cycles ------------------------------------------------------------------------------------------------------- */

/* FNV-1a of some bytes, going on from `hash`. */
static uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size) {
    for (size_t i = 0; i < size; i++) hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

/* All that the moves of a cycle are made from. */
static uint64_t hash_memory(ckam_chain *chain) {
    jump_state *s = state_of(chain);
    mixture    *m = memory_of(chain);
    uint64_t    hash = hash_bytes(14695981039346656037u, m->at, m->count * sizeof *m->at);
    hash = hash_bytes(hash, &m->degrees, sizeof m->degrees);
    hash = hash_bytes(hash, mixture_mean(m, 0), m->count * m->dim * sizeof(double));
    hash = hash_bytes(hash, mixture_factor(m, 0), m->count * m->dim * m->dim * sizeof(double));
    hash = hash_bytes(hash, s->plan.share, sizeof s->plan.share);
    hash = hash_bytes(hash, &s->plan.short_share, sizeof s->plan.short_share);
    return hash;
}

/* Cycle k has B (1 + k/4) iterations, B = 500 + 100 dim, times pool-every after the warm-up. So the moves change at the ends
 * of cycles only, for the k-th time after B (k + k (k - 1) / 8) iterations: docs/samplers/jump.md, 'Why adaptation may go
 * on'. */
static void check_cycles(const char *spec, uint64_t warmup, uint64_t pool_every) {
    enum { N = 80000, BASE = 500 + 100 * DIM, SETTLING = 300 + 50 * DIM };
    round_target plain = two;
    ckam_target  target = target_of(&plain);
    double       start[DIM] = {-6.0, -6.0};
    ckam_chain  *chain = make_chain(&target, spec, start, 0, N, false);
    uint64_t     cycle = 0, end = SETTLING, hash = 0, changes = 0;
    for (uint64_t i = 0; i < N; i++) {
        bool first = i == end; /* of a cycle */
        if (first) {
            cycle += i > SETTLING;
            end += (uint64_t)(BASE * (1.0 + 0.25 * (double)cycle) * (i > warmup ? (double)pool_every : 1.0));
        }
        ckam_step step = next_iteration(chain);
        if (i < SETTLING) continue;
        assert_int_equal(step.cycle, cycle);
        if (i + 1 == end) continue; /* it may have learned by now */
        uint64_t now = hash_memory(chain);
        if (!first) assert_true(now == hash);
        changes += now != hash;
        hash = now;
    }
    assert_true(changes == cycle + 1);
    if (pool_every == 1) {
        double n = (N - SETTLING) / (double)BASE;
        assert_true((double)cycle == floor(0.5 * (sqrt(49.0 + 32.0 * n) - 7.0)));
    }
    ckam_chain_free(chain);
}

static void cycles_grow_without_limit(void **unused) {
    (void)unused;
    check_cycles("jump:warmup=3000", 3000, 1);
    check_cycles("jump:warmup=3000,pool-every=3", 3000, 3);
}

/* -- The search and warm-up ----------------------------------------------------------------------------------------- */

static void the_search_fades_but_never_stops(void **unused) {
    (void)unused;
    unseen = 0.02;
    enum { N = 99000 };
    round_target one = {1, {0}, {1}, {1, 1}, false};
    ckam_target  target = target_of(&one);
    double       start[DIM] = {0.0, 0.0}, explored[3] = {0};
    ckam_chain  *chain = make_chain(&target, "jump", start, 0, N, false);
    ckam_counts  before, after;
    for (int i = 0; i < N; i++) {
        if (i == 2 * N / 3) ckam_chain_counts(chain, &before);
        explored[i / (N / 3)] += next_iteration(chain).phase == CKAM_PHASE_EXPLORE;
    }
    ckam_chain_counts(chain, &after);
    assert_less(0.08 * N / 3, explored[0]);
    assert_less(explored[2], 0.06 * N / 3);
    assert_less(0.0, explored[2]);
    assert_true(after.scouts > before.scouts);
    assert_int_equal(after.modes, 1);
    ckam_chain_free(chain);
    unseen = 0.0;
}

/* Draws begin with the first step of sampling that is not before iteration `warmup`, and miss none after it. */
static void check_warmup(const char *spec, uint64_t horizon, uint64_t warmup) {
    round_target plain = two;
    ckam_target  target = target_of(&plain);
    double       start[DIM] = {-6.0, -6.0};
    ckam_chain  *chain = make_chain(&target, spec, start, 0, horizon, false);
    for (uint64_t i = 0; i < warmup + 3000; i++) {
        ckam_step step = next_iteration(chain);
        assert_int_equal(step.draw, i >= warmup && step.phase == CKAM_PHASE_SAMPLE);
    }
    ckam_chain_free(chain);
}

static void draws_begin_after_the_warm_up(void **unused) {
    (void)unused;
    check_warmup("jump:warmup=1700", 50000, 1700);
    unseen = 1.0;
    check_warmup("jump", 30000, 2500); /* 2000 + 250 dim ... */
    check_warmup("jump", 4000, 2000);  /* ... or half */
    check_warmup("jump", 100, 1000);
    check_warmup("jump:warmup=auto", 100000000, 2500);
    unseen = 0.0;
}

/* Where no number of searches is enough the warm-up grows, but by no more than the horizon and a cycle; a given one never. */
static void a_search_that_goes_on_prolongs_the_warm_up(void **unused) {
    (void)unused;
    enum { HORIZON = 20000, PLANNED = 2500, CYCLE_MOST = 4000 };
    round_target plain = two;
    ckam_target  target = target_of(&plain);
    double       start[DIM] = {-6.0, -6.0};
    unseen = 1e-9;
    ckam_chain *chain = make_chain(&target, "jump", start, 0, HORIZON, false);
    uint64_t    first = 0;
    while (!next_iteration(chain).draw) first++;
    assert_true(first >= PLANNED + HORIZON && first < PLANNED + HORIZON + CYCLE_MOST);
    assert_true(chain_warmup(chain) <= first);
    ckam_chain_free(chain);
    check_warmup("jump:warmup=1700", HORIZON, 1700);
    unseen = 0.0;
}

/* -- Odd densities ------------------------------------------------------------------------------------------------ */

static void holes_do_no_harm(void **unused) {
    (void)unused;
    unseen = 0.02;
    enum { N = 60000 };
    round_target holes = two;
    ckam_target  target = target_of(&holes);
    double       start[DIM] = {-6.0, -6.0}, *series = malloc(N * sizeof *series), mean, error;
    size_t       draws = 0;
    assert_non_null(series);
    holes.holes = true;
    ckam_chain *chain = make_chain(&target, "jump", start, 0, N, false);
    for (int i = 0; i < N; i++) {
        ckam_step step = step_of(chain);
        if (!step.draw) continue;
        assert_true(fabs(step.x[0] + step.x[1]) >= 6.0 && isfinite(step.log_density));
        series[draws++] = step.x[0] > 0.0;
    }
    ckam_counts counts;
    ckam_chain_counts(chain, &counts);
    assert_true(counts.undefined > 0);
    assert_int_equal(counts.modes, 2);
    batch_means(draws, series, 1, &mean, &error); /* what the hole takes from the modes is below 0.1 % */
    assert_less(fabs(mean - 0.5), 6.5 * error + 0.001);
    assert_less(error, 0.02);
    ckam_chain_free(chain);
    free(series);
    unseen = 0.0;
}

static void one_and_a_hundred_dimensions(void **unused) {
    (void)unused;
    unseen = 0.02; /* so the search goes on until the second mode is found */
    static const struct {
        const char *model;
        int         steps;
    } cases[] = {{"bimodal:dim=1", 40000}, {"gaussian:dim=100", 12000}, {"bimodal:dim=32", 12000}};
    for (int c = 0; c < 3; c++) {
        ckam_model *model;
        double      start[100], right = 0.0, draws = 0.0;
        assert_int_equal(ckam_model_create(&model, cases[c].model, NULL), CKAM_OK);
        ckam_model_start(model, start);
        ckam_chain *chain = make_chain(ckam_model_target(model), "jump", start, 0, (uint64_t)cases[c].steps, false);
        for (int i = 0; i < cases[c].steps; i++) {
            ckam_step step = step_of(chain);
            assert_true(isfinite(step.log_density));
            draws += step.draw;
            right += step.draw && step.x[0] > 0.0;
        }
        if (c == 0) assert_close(right / draws, 0.5, 0.1);
        ckam_chain_free(chain);
        ckam_model_free(model);
    }
    unseen = 0.0;
}

static int flat(void *context, const double *x, double *value) {
    (void)context;
    (void)x;
    *value = 0.0;
    return CKAM_OK;
}

static int isolated(void *context, const double *x, double *value) {
    (void)context;
    *value = x[0] == 1.0 && x[1] == 1.0 ? 0.0 : -HUGE_VAL;
    return CKAM_OK;
}

static void densities_without_a_scale_are_refused(void **unused) {
    (void)unused;
    ckam_log_density *kinds[] = {flat, isolated};
    for (int k = 0; k < 2; k++) {
        ckam_target target = {.dim = DIM, .log_density = kinds[k]};
        double      start[DIM] = {1.0, 1.0};
        ckam_chain *chain = make_chain(&target, "jump", start, 0, 1000, false);
        ckam_step   step;
        ckam_status status = CKAM_OK;
        for (int i = 0; i < 1000 && !status; i++) status = ckam_chain_step(chain, &step);
        assert_failure(status, CKAM_ERROR_SCALE, ckam_chain_error(chain), k ? "isolated" : "integral");
        ckam_chain_free(chain);
    }
}

/* -- Snapshots ---------------------------------------------------------------------------------------------------- */

static void check_snapshot(ckam_chain *chain, const ckam_target *target, const double *start, int steps) {
    ckam_chain *other = make_chain(target, "jump", start, 0, 20000, false);
    size_t      size = ckam_chain_snapshot_size(chain);
    void       *bytes = malloc(size), *again;
    assert_non_null(bytes);
    assert_int_equal(ckam_chain_save(chain, bytes, size), CKAM_OK);
    assert_int_equal(ckam_chain_load(other, bytes, size), CKAM_OK);
    for (int i = 0; i < steps; i++) {
        ckam_step a = step_of(chain), b = step_of(other);
        assert_memory_equal(a.x, b.x, DIM * sizeof(double));
        assert_true(a.mode == b.mode && a.move == b.move && a.cycle == b.cycle && a.draw == b.draw);
    }
    free(bytes);
    size = ckam_chain_snapshot_size(chain); /* it has grown */
    bytes = malloc(size);
    again = malloc(size);
    assert_true(bytes && again);
    assert_int_equal(ckam_chain_save(chain, bytes, size), CKAM_OK);
    assert_int_equal(ckam_chain_save(other, again, size), CKAM_OK);
    assert_memory_equal(bytes, again, size);
    assert_int_equal(ckam_chain_load(chain, bytes, size), CKAM_OK);
    ckam_chain_free(other);
    free(bytes);
    free(again);
}

/* Saved in the middle of every stage, and where it waits. */
static void a_snapshot_goes_on_in_every_stage(void **unused) {
    (void)unused;
    round_target plain = two;
    ckam_target  target = target_of(&plain);
    double       start[DIM] = {-9.0, -4.0};
    for (int stage = STAGE_AXES; stage <= STAGE_SAMPLE + 1; stage++) {
        ckam_chain *chain = make_chain(&target, "jump", start, 0, 20000, false);
        jump_state *s = NULL;
        bool        waiting = stage > STAGE_SAMPLE;
        do {
            step_of(chain);
            s = state_of(chain);
        } while (chain->state->phase != CKAM_PHASE_SAMPLE ||
                 !(waiting ? s->waits && s->plan.cycle == 1 : s->stage == (jump_stage)stage));
        for (int i = 0; i < 7 && !waiting; i++) step_of(chain);
        assert_true(waiting || s->stage == (jump_stage)stage);
        check_snapshot(chain, &target, start, 4000);
        ckam_chain_free(chain);
    }
}

/* A walk of `dim` places: x_1 is standard normal, and each x_k is x_{k-1} but for a small step. */
typedef struct ridge {
    size_t dim;
    double step;
} ridge;

static int narrow(void *context, const double *x, double *value) {
    const ridge *r = context;
    *value = -0.5 * x[0] * x[0];
    for (size_t k = 1; k < r->dim; k++) *value -= 0.5 * (x[k] - x[k - 1]) * (x[k] - x[k - 1]) / (r->step * r->step);
    return CKAM_OK;
}

/* Correlations up to 1 - 5e-7, as those of a regression whose data are far from 0. The ESS of x_1 was 41,000 and 38,000 when this
 * was written; with covariances that are always drawn towards 0 it was 6 on the first. */
static void a_narrow_ridge_is_learned(void **unused) {
    (void)unused;
    enum { CHAINS = 4, DRAWS = 20000 };
    static ridge ridges[] = {{2, 0.001}, {10, 0.03}};
    for (size_t i = 0; i < 2; i++) {
        size_t       dim = ridges[i].dim;
        ckam_target  target = {.dim = dim, .log_density = narrow, .context = &ridges[i]};
        double      *out = calloc(CHAINS * DRAWS * dim, sizeof *out), *first = calloc(CHAINS * DRAWS, sizeof *first);
        double       start[10] = {0.0};
        ckam_summary s;
        ckam_error   error = {.message = ""};
        if (ckam_sample(&target, "jump", start, 1, CHAINS, DRAWS, out, &error)) fail_msg("%s", error.message);
        for (size_t k = 0; k < CHAINS * DRAWS; k++) first[k] = out[k * dim];
        assert_int_equal(ckam_summarise(first, CHAINS, DRAWS, &s, NULL), CKAM_OK);
        print_message("%zu dimensions, %g: ESS %.0f, R-hat %.4f, sd %.3f\n", dim, ridges[i].step, s.ess_bulk, s.rhat,
                      s.sd);
        assert_less(1000.0, s.ess_bulk);
        assert_close(s.sd, 1.0, 0.1);
        free(out);
        free(first);
    }
}

static size_t coordinates_moved(size_t dim, const double *x, const double *y) {
    size_t moved = 0;
    for (size_t k = 0; k < dim; k++) moved += x[k] != y[k];
    return moved;
}

/* The cost of the start in many dimensions: O(d) evaluations, in each of which 32 coordinates move, and no product or update of d^2
 * numbers: the factor stays diagonal. 100 states are kept for the first fit, whose cost is O(d^2) for each. */
static void the_start_in_many_dimensions_learns_variances_only(void **unused) {
    (void)unused;
    enum { MANY = 300 };
    ckam_model *model;
    assert_int_equal(ckam_model_create(&model, "gaussian:dim=300", NULL), CKAM_OK);
    ckam_chain *chain = make_chain(ckam_model_target(model), "jump", NULL, 0, 1, true);
    jump_state *s = state_of(chain);
    uint64_t    steps[STAGE_SETTLE + 1] = {0};
    while (chain->state->phase != CKAM_PHASE_SAMPLE) step_of(chain);
    while (!ckam_chain_waits(chain)) {
        const double *y;
        double        value;
        ckam_step     step;
        steps[s->stage]++;
        bool walks = s->stage != STAGE_AXES;
        assert_int_equal(ckam_chain_ask(chain, &y), CKAM_OK);
        if (walks) assert_int_equal(coordinates_moved(MANY, now_x(&s->settle.now), y), 32);
        const ckam_target *target = ckam_model_target(model);
        assert_int_equal(target->log_density(target->context, y, &value), CKAM_OK);
        assert_int_equal(ckam_chain_tell(chain, value, &step), CKAM_OK);
        assert_false(step.draw);
    }
    print_message("lengths %zu, climb %zu, settle %zu evaluations\n", (size_t)steps[STAGE_AXES],
                  (size_t)steps[STAGE_CLIMB], (size_t)steps[STAGE_SETTLE]);
    assert_true(steps[STAGE_AXES] < 20 * MANY && steps[STAGE_CLIMB] < 75 * MANY);
    assert_int_equal(steps[STAGE_SETTLE], 300 + 50 * MANY);
    assert_in_range(s->history.count, 90, 110);
    for (size_t k = 0; k < MANY; k++) {
        const double *column = block_at(s, s->settle.factor) + k * MANY;
        assert_in_range(1e3 * column[k], 400, 2500); /* the standard deviation is 1 */
        for (size_t i = k + 1; i < MANY; i++) assert_true(column[i] == 0.0);
    }
    ckam_chain_free(chain);
    ckam_model_free(model);
}

/* From 51 to 200 dimensions the values on a lattice make the Gaussian, if log pi is a quadratic: d (d+3) / 2 evaluations, and 2 d for
 * the lengths of its steps. A funnel is none, and the walk goes on without it. */
static void a_lattice_finds_the_shape_of_a_gaussian(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        bool        known;
    } cases[] = {{"gaussian:dim=60,condition=1e4", true}, {"funnel:dim=60", false}};
    for (size_t c = 0; c < 2; c++) {
        enum { SIXTY = 60 };
        ckam_model *model;
        assert_int_equal(ckam_model_create(&model, cases[c].name, NULL), CKAM_OK);
        ckam_chain *chain = make_chain(ckam_model_target(model), "jump", NULL, 0, 1, true);
        jump_state *s = state_of(chain);
        size_t      lattice = 0;
        do {
            lattice += chain->state->phase == CKAM_PHASE_SAMPLE && s->climb.lattice;
            step_of(chain);
        } while (!ckam_chain_waits(chain));
        assert_int_equal(s->climb.shape_known, cases[c].known);
        if (cases[c].known) {
            assert_int_equal(lattice, SIXTY * (SIXTY + 3) / 2 + 2 * SIXTY);
            assert_less(s->climb.squared_error, 1e-6);
        }
        for (size_t k = 1; k < SIXTY && !cases[c].known; k++) assert_true(block_at(s, s->settle.factor)[k] == 0.0);
        ckam_chain_free(chain);
        ckam_model_free(model);
    }
}

/* Settling takes longer than the warm-up that was asked for: what it found is known before the first draw all the same, and no draw is
 * discarded as one from a mode found late. */
static void a_short_warm_up_discards_no_draws(void **unused) {
    (void)unused;
    round_target one = {1, {0}, {1}, {1, 1}, false};
    ckam_target  target = target_of(&one);
    double       start[DIM] = {0.0, 0.0};
    ckam_chain  *chain = make_chain(&target, "jump:warmup=10", start, 0, 100000, true);
    run_to_wait(chain);
    assert_int_equal(ckam_chain_pool(&chain, 1, NULL), CKAM_OK);
    run_to_wait(chain);
    ckam_counts counts;
    ckam_chain_counts(chain, &counts);
    assert_true(counts.draws > 0);
    assert_false(ckam_chain_found_late(&chain, 1));
    ckam_chain_free(chain);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(units_do_not_matter),
                                       cmocka_unit_test(chains_share_what_they_know),
                                       cmocka_unit_test(the_memory_stays_within_its_room),
                                       cmocka_unit_test(a_place_that_leads_nowhere_is_retired),
                                       cmocka_unit_test(shares_are_a_mixture),
                                       cmocka_unit_test(cycles_grow_without_limit),
                                       cmocka_unit_test(the_search_fades_but_never_stops),
                                       cmocka_unit_test(draws_begin_after_the_warm_up),
                                       cmocka_unit_test(a_search_that_goes_on_prolongs_the_warm_up),
                                       cmocka_unit_test(holes_do_no_harm),
                                       cmocka_unit_test(a_narrow_ridge_is_learned),
                                       cmocka_unit_test(the_start_in_many_dimensions_learns_variances_only),
                                       cmocka_unit_test(a_lattice_finds_the_shape_of_a_gaussian),
                                       cmocka_unit_test(a_short_warm_up_discards_no_draws),
                                       cmocka_unit_test(one_and_a_hundred_dimensions),
                                       cmocka_unit_test(densities_without_a_scale_are_refused),
                                       cmocka_unit_test(a_snapshot_goes_on_in_every_stage)};
    return cmocka_run_group_tests_name("jump", tests, NULL, NULL);
}
