/* test_jump_exact.c - each move of jump, its memory held fast, keeps exact draws of the target in law; so does the mixture.
 *
 * DRAWS independent exact draws make some steps each; then every coordinate, through the exact distribution function, must
 * be uniform, the log densities must be those of other exact draws (both Kolmogorov-Smirnov), and the mass of a mode the
 * exact one. All comparisons together have a false-alarm rate below 2e-6. Seeds are fixed. A move that lacks a term of
 * its ratio must be rejected by the same comparisons. */
#include "frozen.h"
#include "support.h"

#include "jump/jump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 5000, STEPS = 4, STEPS_TWIN = 20, DIM_MOST = 8 };

/* The terms of the ratios, to leave one out. */
enum { RHO = 1, CHOICE = 2, VOLUME = 4, INDEPENDENT = 8, MIXTURE = MOVES };

/* -- Three modes of different width ------------------------------------------------------------------------------- */

enum { THREE = 3, THREE_DIM = 2 };
static const double three_centre[THREE] = {-20, 0, 20}, three_sd[THREE] = {0.5, 1, 3},
                    three_mass[THREE] = {0.25, 0.25, 0.5};

static int three_log_density(void *context, const double *x, double *value) {
    (void)context;
    double each[THREE], most = -HUGE_VAL, sum = 0.0;
    for (int j = 0; j < THREE; j++) {
        double u = (x[0] - three_centre[j]) / three_sd[j], v = (x[1] - three_centre[j]) / three_sd[j];
        each[j] = log(three_mass[j]) - 2.0 * log(three_sd[j]) - 0.5 * (u * u + v * v);
        most = fmax(most, each[j]);
    }
    for (int j = 0; j < THREE; j++) sum += exp(each[j] - most);
    *value = most + log(sum);
    return CKAM_OK;
}

static void three_draw(uint64_t seed, uint64_t index, double *x) {
    rng r;
    rng_init(&r, seed, 1000);
    rng_at(&r, index, RNG_EXACT);
    double u = rng_uniform(&r);
    int    j = u < 0.25 ? 0 : u < 0.5 ? 1 : 2;
    for (int k = 0; k < THREE_DIM; k++) x[k] = three_centre[j] + three_sd[j] * rng_normal(&r);
}

static double three_below(double x) {
    double sum = 0.0;
    for (int j = 0; j < THREE; j++) sum += three_mass[j] * normal_tail((three_centre[j] - x) / three_sd[j]);
    return sum;
}

static const ckam_target three_target = {.dim = THREE_DIM, .log_density = three_log_density};

/* -- Targets, and what is exact about them ------------------------------------------------------------------------ */

static void draw_exact(const frozen *f, uint64_t seed, uint64_t index, double *x) {
    if (f->model)
        ckam_model_draw(f->model, seed, index, x);
    else
        three_draw(seed, index, x);
}

static double below(const frozen *f, size_t k, double x) {
    return f->model ? ckam_model_probability(f->model, k, -HUGE_VAL, x) : three_below(x);
}

static mixture *memory(const frozen *f) {
    jump_state *s = f->state;
    return jump_mixture(s);
}

static void only(frozen *f, int move) {
    jump_state *s = f->state;
    for (int k = 0; k < MOVES; k++) s->plan.share[k] = move == MIXTURE ? 1.0 / MOVES : k == move ? 1.0 : 0.0;
}

/* A memory that is learned, or one that is far from the truth and whose components overlap: no memory may spoil the law. */
static frozen make(int which) {
    static const char *const names[] = {"bimodal", "banana"};
    double                   start[THREE_DIM] = {0.0, 0.0};
    frozen f = which < 2 ? frozen_make(names[which], "jump", 40000) : frozen_on(&three_target, start, "jump", 20000);
    if (which < 3) return f;
    static const double mean[4][2] = {{-19, -20}, {1, -1}, {15, 17}, {21, 19}}, weight[4] = {0.1, 0.2, 0.3, 0.4};
    static const double factor[4][4] = {{0.8, 0.1, 0, 0.6}, {0.7, -0.3, 0, 1.2}, {6, 2, 0, 4}, {2, 1, 0, 2.5}};
    mixture            *m = memory(&f);
    while (m->count < 4) mixture_add(m);
    while (m->count > 4) mixture_remove(m, m->count - 1, false);
    for (size_t j = 0; j < 4; j++) {
        memcpy(mixture_mean(m, j), mean[j], sizeof mean[j]);
        memcpy(mixture_factor(m, j), factor[j], sizeof factor[j]);
        m->at[j].weight = weight[j];
        m->at[j].step = j == 2 ? 0.1 : 2.0; /* very different where they overlap */
        mixture_prepare(m, j);
    }
    mixture_normalise(m);
    mixture_set_degrees(m, 5.0);
    return f;
}
enum { TARGETS = 4 };

/* -- Steps -------------------------------------------------------------------------------------------------------- */

/* The log of the ratio of all but pi for the proposal that is out, without the terms in `without`. */
static double log_ratio(frozen *f, int without) {
    jump_state      *s = f->state;
    mixture         *m = memory(f);
    double           at_y[MODES_MOST], log_q_y = mixture_log_density(m, now_y(f->state), at_y), sum = 0.0;
    const component *from = &m->at[s->source], *to = &m->at[s->target];
    double           rho_x = from->weight * exp(block_at(s, s->at_x)[s->source] - s->log_q_x);
    double           rho_y = to->weight * exp(at_y[s->target] - log_q_y);
    if (s->move == MOVE_INDEPENDENT) return without & INDEPENDENT ? 0.0 : s->log_q_x - log_q_y;
    if (s->move == MOVE_CARRY) { /* the pair is chosen with w_from w_to / (1 - w_from), whatever x is */
        if (!(without & CHOICE)) sum += log(1.0 - from->weight) - log(1.0 - to->weight);
        return without & VOLUME ? sum : sum + to->log_det - from->log_det;
    }
    if (!(without & RHO)) sum += log(rho_y) - log(rho_x);
    if (s->move == MOVE_AFFINE && !(without & CHOICE)) /* chosen with w_to / (1 - w_from), and back */
        sum += log(from->weight / (1.0 - to->weight)) - log(to->weight / (1.0 - from->weight));
    if (s->move == MOVE_AFFINE && !(without & VOLUME)) sum += to->log_det - from->log_det;
    return sum;
}

typedef struct outcome {
    double least;                         /* p-value, over all comparisons */
    double tried[MOVES], accepted[MOVES]; /* proposals */
} outcome;

/* One step of jump itself, or, with terms left out, of one that decides wrongly. */
static void step(frozen *f, rng *r, uint64_t iteration, int without, outcome *o) {
    jump_state    *s = f->state;
    const sampler *table = f->chain->options.sampler;
    ckam_step      out;
    double         log_density, before = s->settle.now.log_density;
    rng_at(r, iteration, RNG_STEP);
    assert_int_equal(f->target->log_density(f->target->context, table->ask(s, r), &log_density), CKAM_OK);
    double    ratio = log_ratio(f, without);
    jump_move move = s->move;
    if (without) {
        decide(&s->settle.now, r, log_density, ratio, &out);
        if (out.accepted) s->log_q_x = mixture_log_density(memory(f), out.x, block_at(s, s->at_x));
    } else {
        table->tell(s, r, log_density, &out);
        assert_close(out.accept, exp(fmin(0.0, log_density - before + ratio)), 1e-8);
        assert_int_equal(out.move, move + 1);
    }
    o->tried[move] += 1.0;
    o->accepted[move] += out.accepted;
}

/* p-value of the number of draws in a place of probability `mass`; the normal approximation. */
static double p_of_mass(double count, double mass) {
    return 2.0 * normal_tail(fabs(count - DRAWS * mass) / sqrt(DRAWS * mass * (1.0 - mass)));
}

static outcome run(frozen *f, int steps, int without) {
    size_t  dim = f->target->dim;
    double *u = malloc(DRAWS * (dim + 2) * sizeof *u), *level = u + DRAWS * dim, *exact = level + DRAWS, x[DIM_MOST];
    double  low = 0.0, high = 0.0;
    outcome o = {.least = 1.0};
    rng     r;
    assert_non_null(u);
    rng_init(&r, 5, 0);
    for (uint64_t i = 0; i < DRAWS; i++) {
        draw_exact(f, 17, i, x);
        frozen_put(f, x);
        for (uint64_t k = 0; k < (uint64_t)steps; k++) step(f, &r, i * STEPS_TWIN + k, without, &o);
        for (size_t k = 0; k < dim; k++) u[k * DRAWS + i] = below(f, k, now_x(f->state)[k]);
        low += u[i] < 0.25;
        high += u[i] < 0.5;
        level[i] = ((current *)f->state)->log_density;
        draw_exact(f, 18, i, x);
        assert_int_equal(f->target->log_density(f->target->context, x, &exact[i]), CKAM_OK);
    }
    for (size_t k = 0; k < dim; k++) o.least = fmin(o.least, ks_uniform(DRAWS, u + k * DRAWS));
    o.least = fmin(o.least, ks_two_sample(DRAWS, level, DRAWS, exact));
    o.least = fmin(o.least, fmin(p_of_mass(low, 0.25), p_of_mass(high, 0.5))); /* modes of bimodal and of the three */
    free(u);
    return o;
}

/* At most 8 + 3 comparisons a target and move, 4 targets, 5 moves. */
static const double alpha = 2e-6 / (11 * TARGETS * (MOVES + 1));

static void every_move_keeps_every_target(void **unused) {
    (void)unused;
    static const char *const names[] = {"local", "affine", "independent", "carry", "mixture"};
    for (int which = 0; which < TARGETS; which++) {
        frozen f = make(which);
        for (int move = 0; move <= MIXTURE; move++) {
            only(&f, move);
            outcome o = run(&f, STEPS, 0);
            if (!(o.least > alpha)) print_error("%s on target %d:\n", names[move], which);
            assert_less(alpha, o.least);
            for (int k = 0; k < MOVES; k++)
                if (move == k) assert_less(0.03 * DRAWS * STEPS, o.accepted[k]);
        }
        frozen_free(&f);
    }
}

/* -- Twins: what must be noticed ---------------------------------------------------------------------------------- */

/* The memory that is far from the truth, more steps; with nothing left out it passes, without a term it does not. */
static void a_ratio_that_lacks_a_term_is_rejected(void **unused) {
    (void)unused;
    static const struct {
        int move, without;
    } twins[] = {{MOVE_LOCAL, RHO},
                 {MOVE_AFFINE, RHO},
                 {MOVE_AFFINE, CHOICE},
                 {MOVE_AFFINE, VOLUME},
                 {MOVE_INDEPENDENT, INDEPENDENT},
                 {MOVE_CARRY, CHOICE},
                 {MOVE_CARRY, VOLUME}};
    frozen f = make(3);
    for (size_t k = 0; k < sizeof twins / sizeof *twins; k++) {
        only(&f, twins[k].move);
        if (k == 0 || twins[k].move != twins[k - 1].move) assert_less(alpha, run(&f, STEPS_TWIN, 0).least);
        outcome o = run(&f, STEPS_TWIN, twins[k].without);
        if (!(o.least < alpha)) print_error("move %d without %d:\n", twins[k].move, twins[k].without);
        assert_less(o.least, alpha);
    }
    frozen_free(&f);
}

static void so_it_is_with_a_memory_that_was_learned(void **unused) {
    (void)unused;
    frozen f = make(0);
    only(&f, MOVE_AFFINE);
    assert_less(run(&f, STEPS, VOLUME).least, alpha);
    only(&f, MOVE_INDEPENDENT);
    assert_less(run(&f, STEPS, INDEPENDENT).least, alpha);
    frozen_free(&f);
}

static void the_identity_passes(void **unused) {
    (void)unused;
    for (int which = 0; which < 3; which++) {
        frozen f = make(which);
        assert_less(alpha, run(&f, 0, 0).least);
        frozen_free(&f);
    }
}

/* -- Labels ------------------------------------------------------------------------------------------------------- */

/* ask() draws i ~ rho(x) afresh, whatever the label was. Chi-square with a limit of 1e-6 at each of 3 places; the twin is
 * i ~ w. */
static void the_label_is_drawn_from_rho(void **unused) {
    (void)unused;
    enum { TURNS = 20000 };
    static const double places[3][2] = {{17, 18}, {14, 15}, {20, 20}};
    frozen              f = make(3);
    jump_state         *s = f.state;
    mixture            *m = memory(&f);
    rng                 r;
    rng_init(&r, 9, 0);
    for (int place = 0; place < 3; place++) {
        double counts[4] = {0}, each[MODES_MOST], log_q = mixture_log_density(m, places[place], each), statistic = 0.0;
        double twin = 0.0, freedom = -1.0;
        frozen_put(&f, places[place]);
        for (uint64_t i = 0; i < TURNS; i++) {
            rng_at(&r, i, RNG_STEP);
            f.chain->options.sampler->ask(s, &r);
            counts[s->label] += 1.0;
        }
        for (int j = 0; j < 4; j++) {
            double mean = TURNS * m->at[j].weight * exp(each[j] - log_q), other = TURNS * m->at[j].weight;
            twin += (counts[j] - other) * (counts[j] - other) / other;
            if (mean < 1.0) { /* not there, but for a few */
                assert_less(counts[j], 20.0);
                continue;
            }
            statistic += (counts[j] - mean) * (counts[j] - mean) / mean;
            freedom += 1.0;
        }
        assert_less(1e-6, chi_square_tail(statistic, freedom));
        assert_less(chi_square_tail(twin, 3.0), 1e-6);
    }
    frozen_free(&f);
}

/* -- A long run --------------------------------------------------------------------------------------------------- */

/* Adaptation and all, through the public interface: the mass of the left mode of bimodal in 700,000 iterations, within
 * 6 standard errors (85 batches, so Student's t: false alarms 5e-8), and within 0.01. */
static void a_long_run_has_the_mass(void **unused) {
    (void)unused;
    enum { N = 700000 };
    ckam_model   *model;
    ckam_options *options;
    ckam_chain   *chain;
    ckam_step     out;
    double        start[2], *series = malloc(N * sizeof *series), mean, error;
    size_t        draws = 0;
    assert_non_null(series);
    assert_int_equal(ckam_model_create(&model, "bimodal", NULL), CKAM_OK);
    assert_int_equal(ckam_options_create(&options, "jump", NULL), CKAM_OK);
    ckam_model_start(model, start);
    ckam_setup setup = {.target = ckam_model_target(model),
                        .options = options,
                        .start = start,
                        .seed = 1,
                        .horizon = N,
                        .unseen = 0.02};
    assert_int_equal(ckam_chain_create(&chain, &setup, NULL), CKAM_OK);
    for (size_t i = 0; i < N; i++) {
        assert_int_equal(ckam_chain_step(chain, &out), CKAM_OK);
        if (out.draw) series[draws++] = ckam_model_probability(model, 0, -HUGE_VAL, out.x[0]) < 0.5;
    }
    assert_less(0.9 * N, (double)draws);
    batch_means(draws, series, 1, &mean, &error);
    assert_less(fabs(mean - 0.5), 6.0 * error);
    assert_less(fabs(mean - 0.5), 0.01);
    ckam_chain_free(chain);
    ckam_options_free(options);
    ckam_model_free(model);
    free(series);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_move_keeps_every_target),
                                       cmocka_unit_test(a_ratio_that_lacks_a_term_is_rejected),
                                       cmocka_unit_test(so_it_is_with_a_memory_that_was_learned),
                                       cmocka_unit_test(the_identity_passes),
                                       cmocka_unit_test(the_label_is_drawn_from_rho),
                                       cmocka_unit_test(a_long_run_has_the_mass)};
    return cmocka_run_group_tests_name("jump_exact", tests, NULL, NULL);
}
