/* test_jump_truncation.c - each move of jump, its memory frozen, is exact in 12 and 20 dimensions, where q is truncated.
 *
 * Above 8 dimensions mixture_log_density_near() leaves out terms of q that are below e^-50 of the term of the component
 * that the proposal was made for. With at most 64 components log q is then off by at most 63 e^-50 = 1.2e-20, below
 * rounding. A term that was left out is kept as e^-50 of that term, which is more than it is, so that all labels together
 * have probabilities that are off by 1.2e-20 at most. Both bounds are asserted at every step, and the acceptance
 * probability is compared with the untruncated one.
 *
 * The law: DRAWS exact draws of a mixture of Gaussians make some steps each. Then all coordinates and 3 oblique
 * projections must have their exact distribution functions, log densities those of other exact draws, squared distances
 * from the centre of the mode be chi-squared (all Kolmogorov-Smirnov), and modes have their masses (chi-square). The mode
 * of x is drawn from its exact probabilities, so that the last two are exact where modes overlap, too. All comparisons
 * together have a false-alarm rate of 2e-6. Seeds are fixed. Without a term of its ratio, or with q truncated at e^0, a
 * move must be rejected by the same comparisons. */
#include "frozen.h"
#include "support.h"

#include "jump/jump.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWS = 3000, STEPS = 10, STEPS_MOST = 40, DIM_MOST = 20, MIXTURE = MOVES };
static const size_t dims[] = {12, 20};
enum { DIMS = 2, OBLIQUE = 3, COMPARISONS = 12 + 20 + DIMS * (OBLIQUE + 3) };

/* The identity, each move, and their mixture. */
static const double alpha = 2e-6 / (COMPARISONS * (MOVES + 2));

/* Terms of the ratios, to leave one out; COARSE: q truncated at e^-COARSE_FAR. */
enum { RHO = 1, CHOICE = 2, VOLUME = 4, INDEPENDENT = 8, COARSE = 32 };
#define FAR        50.0 /* as in modes.c */
#define COARSE_FAR 0.0

/* -- The target: modes 0 and 1 overlap, the others are far away ---------------------------------------------------- */

enum { TRUTHS = 4 };
static const double mass[TRUTHS] = {0.2, 0.3, 0.15, 0.35}, width[TRUTHS] = {1.0, 1.0, 0.5, 2.0};

static double centre(size_t j, size_t k) {
    static const double first[TRUTHS][4] = {{0}, {4, 1, 0, 0}, {0, 100, 60, 0}, {0, 0, -40, 10}};
    return k < 4 ? first[j][k] : 0.0;
}

static double deviation(size_t j, size_t k) { return width[j] * (1.0 + 0.3 * (double)(k % 3)); }

static double square_distance(size_t dim, size_t j, const double *x) {
    double sum = 0.0;
    for (size_t k = 0; k < dim; k++) {
        double u = (x[k] - centre(j, k)) / deviation(j, k);
        sum += u * u;
    }
    return sum;
}

/* log of mass times density of each mode, but for a constant; returns that of the sum. */
static double log_parts(size_t dim, const double *x, double *each) {
    double most = -HUGE_VAL, sum = 0.0;
    for (size_t j = 0; j < TRUTHS; j++) {
        each[j] = log(mass[j]) - (double)dim * log(width[j]) - 0.5 * square_distance(dim, j, x);
        most = fmax(most, each[j]);
    }
    for (size_t j = 0; j < TRUTHS; j++) sum += exp(each[j] - most);
    return most + log(sum);
}

static int log_density(void *context, const double *x, double *value) {
    double each[TRUTHS];
    *value = log_parts(*(const size_t *)context, x, each);
    return CKAM_OK;
}

static size_t choose(double u, const double *probability) {
    size_t j = 0;
    while (j + 1 < TRUTHS && (u -= probability[j]) >= 0.0) j++;
    return j;
}

static void draw_exact(size_t dim, uint64_t seed, uint64_t index, double *x) {
    rng r;
    rng_init(&r, seed, 1000);
    rng_at(&r, index, RNG_EXACT);
    size_t j = choose(rng_uniform(&r), mass);
    for (size_t k = 0; k < dim; k++) x[k] = centre(j, k) + deviation(j, k) * rng_normal(&r);
}

/* A coordinate, or an oblique direction: coefficient k of projection p. */
static double direction(size_t dim, size_t p, size_t k) {
    if (p < dim) return p == k;
    return cos((double)((p - dim + 1) * (k + 1)));
}

/* The distribution function of projection p of the target, at that of x. */
static double below(size_t dim, size_t p, const double *x) {
    double sum = 0.0;
    for (size_t j = 0; j < TRUTHS; j++) {
        double away = 0.0, variance = 0.0;
        for (size_t k = 0; k < dim; k++) {
            double a = direction(dim, p, k);
            away += a * (centre(j, k) - x[k]);
            variance += a * a * deviation(j, k) * deviation(j, k);
        }
        sum += mass[j] * normal_tail(away / sqrt(variance));
    }
    return sum;
}

/* -- The memory: of wrong weights, places and shapes; the last component is where the target has no mass ------------ */

enum { COMPONENTS = 10 };
static const struct {
    size_t truth;
    double shift, scale, slant; /* of the mean, in deviations, in the first coordinate; of the factor */
    double weight, step;        /* weights before they are scaled to sum 1 */
} parts[COMPONENTS] = {{0, -0.5, 0.80, 0.1, 0.10, 0.1}, {0, 1.0, 1.25, -0.1, 0.05, 0.9}, {1, 0.3, 0.8, 0.1, 0.10, 0.1},
                       {1, -0.4, 1.2, 0.1, 0.05, 0.9},  {2, 0.2, 1.1, 0.15, 0.60, 1.0},  {3, -0.3, 0.8, 0.1, 0.15, 0.1},
                       {3, 0.3, 1.1, 0.0, 0.05, 0.9},   {3, 0.2, 1.15, 0.0, 0.05, 0.9},  {3, 0.1, 1.12, 0.0, 0.05, 0.9},
                       {0, 50.0, 1.0, 0.0, 0.05, 1.0}};

static mixture *memory(const frozen *f) {
    jump_state *s = f->state;
    return jump_mixture(s);
}

static void fill(mixture *m, size_t j) {
    size_t dim = m->dim, truth = parts[j].truth;
    double optimal = 2.38 / sqrt((double)dim), *mean = mixture_mean(m, j), *factor = mixture_factor(m, j);
    memset(factor, 0, dim * dim * sizeof *factor);
    for (size_t k = 0; k < dim; k++) {
        mean[k] = centre(truth, k) + (k ? 0.1 * cos((double)(j + k)) : parts[j].shift) * deviation(truth, k);
        factor[k * dim + k] = parts[j].scale * deviation(truth, k);
        if (k + 1 < dim) factor[k * dim + k + 1] = parts[j].slant * deviation(truth, k + 1);
    }
    m->at[j].weight = parts[j].weight;
    m->at[j].step = parts[j].step * optimal;
    mixture_prepare(m, j);
}

/* A chain that has just begun to sample, and then gets this memory. */
static frozen make(const ckam_target *target) {
    double   start[DIM_MOST] = {0};
    frozen   f = frozen_on(target, start, "jump", 2000);
    mixture *m = memory(&f);
    while (m->count < COMPONENTS) mixture_add(m);
    while (m->count > COMPONENTS) mixture_remove(m, m->count - 1, false);
    for (size_t j = 0; j < COMPONENTS; j++) fill(m, j);
    mixture_normalise(m);
    mixture_set_degrees(m, target->dim < 16 ? 10.0 : 25.0);
    return f;
}

static void only(frozen *f, int move) {
    jump_state *s = f->state;
    for (int k = 0; k < MOVES; k++) s->plan.share[k] = move == MIXTURE ? 1.0 / MOVES : k == move ? 1.0 : 0.0;
}

/* -- Steps -------------------------------------------------------------------------------------------------------- */

/* log q(y) and log t_j(y), where terms below e^-far of that of `near` are left out, as mixture_log_density_near() does. */
static double truncated(mixture *m, const double *y, size_t near, double far, double *out) {
    double sum = 0.0, most = -HUGE_VAL;
    mixture_log_density(m, y, out);
    const double least = out[near] + m->at[near].log_weight - far;
    for (size_t j = 0; j < m->count; j++) most = fmax(most, out[j] + m->at[j].log_weight);
    for (size_t j = 0; j < m->count; j++) {
        double term = out[j] + m->at[j].log_weight;
        if (term < least)
            out[j] = least - m->at[j].log_weight;
        else
            sum += exp(term - most);
    }
    return most + log(sum);
}

/* log q and log t_j at x and y. */
typedef struct densities {
    double log_q_x, log_q_y, at_x[MODES_MOST], at_y[MODES_MOST];
} densities;

/* The log of the ratio of all but pi for the proposal that is out, without the terms in `without`. */
static double log_ratio(frozen *f, const densities *d, int without) {
    jump_state      *s = f->state;
    const mixture   *m = memory(f);
    const component *from = &m->at[s->source], *to = &m->at[s->target];
    double           rho_x = from->log_weight + d->at_x[s->source] - d->log_q_x, sum = 0.0;
    double           rho_y = to->log_weight + d->at_y[s->target] - d->log_q_y;
    if (s->move == MOVE_INDEPENDENT) return without & INDEPENDENT ? 0.0 : d->log_q_x - d->log_q_y;
    if (s->move == MOVE_CARRY) { /* the pair is chosen with w_from w_to / (1 - w_from), whatever x is */
        if (!(without & CHOICE)) sum += log(1.0 - from->weight) - log(1.0 - to->weight);
        return without & VOLUME ? sum : sum + to->log_det - from->log_det;
    }
    if (!(without & RHO)) sum += rho_y - rho_x;
    if (s->move == MOVE_AFFINE && !(without & CHOICE)) /* chosen with w_to / (1 - w_from), and back */
        sum += log(from->weight / (1.0 - to->weight)) - log(to->weight / (1.0 - from->weight));
    if (s->move == MOVE_AFFINE && !(without & VOLUME)) sum += to->log_det - from->log_det;
    return sum;
}

typedef struct outcome {
    double least;           /* p-value, over all comparisons */
    double tried, accepted; /* proposals */
    double left_out;        /* terms of q at accepted proposals */
} outcome;

/* What jump keeps at x against the untruncated densities: log q, and how far the probabilities of labels are off. */
static void check_kept(frozen *f, const double *full, double log_q, outcome *o) {
    jump_state    *s = f->state;
    const mixture *m = memory(f);
    const double  *kept = block_at(s, s->at_x);
    double         off = 0.0;
    assert_relative(s->log_q_x, log_q, 2.3e-16); /* the last bit */
    for (size_t j = 0; j < m->count; j++) {
        if (kept[j] == full[j]) continue;
        assert_true(kept[j] > full[j]);
        off += exp(m->at[j].log_weight + kept[j] - s->log_q_x) - exp(m->at[j].log_weight + full[j] - log_q);
        o->left_out += 1.0;
    }
    assert_true(off <= (COMPONENTS - 1) * exp(-FAR) * 1.000001); /* limits of distances are rounded */
}

/* One step of jump itself, or, with terms left out, of one that decides wrongly. */
static void step(frozen *f, rng *r, uint64_t iteration, int without, outcome *o) {
    jump_state    *s = f->state;
    mixture       *m = memory(f);
    const sampler *table = f->chain->options.sampler;
    ckam_step      out;
    densities      d;
    double         level, before = s->settle.now.log_density;
    rng_at(r, iteration, RNG_STEP);
    const double *y = table->ask(s, r);
    assert_int_equal(f->target->log_density(f->target->context, y, &level), CKAM_OK);
    if (without) {
        d.log_q_x = s->log_q_x;
        memcpy(d.at_x, block_at(s, s->at_x), m->count * sizeof *d.at_x);
        d.log_q_y = truncated(m, y, s->target, without & COARSE ? COARSE_FAR : HUGE_VAL, d.at_y);
        decide(&s->settle.now, r, level, log_ratio(f, &d, without), &out);
        if (out.accepted) {
            s->log_q_x = d.log_q_y;
            memcpy(block_at(s, s->at_x), d.at_y, m->count * sizeof *d.at_y);
        }
    } else {
        d.log_q_x = mixture_log_density(m, now_x(&s->settle.now), d.at_x);
        d.log_q_y = mixture_log_density(m, y, d.at_y);
        double ratio = log_ratio(f, &d, 0);
        table->tell(s, r, level, &out);
        assert_close(out.accept, exp(fmin(0.0, level - before + ratio)), 1e-11); /* logs of 1000, some of them */
        if (out.accepted) check_kept(f, d.at_y, d.log_q_y, o);
    }
    o->tried += 1.0;
    o->accepted += out.accepted;
}

/* p-value of the numbers of draws in the modes. */
static double p_of_masses(const double *count) {
    double statistic = 0.0;
    for (size_t j = 0; j < TRUTHS; j++) {
        double mean = DRAWS * mass[j];
        statistic += (count[j] - mean) * (count[j] - mean) / mean;
    }
    return chi_square_tail(statistic, TRUTHS - 1);
}

static outcome run(frozen *f, int steps, int without) {
    size_t  dim = f->target->dim, projections = dim + OBLIQUE;
    double *u = malloc(DRAWS * (projections + 3) * sizeof *u), *level = u + DRAWS * projections, *exact = level + DRAWS;
    double *radius = exact + DRAWS;
    double  x[DIM_MOST], count[TRUTHS] = {0};
    outcome o = {.least = 1.0};
    rng     r, labels;
    assert_non_null(u);
    rng_init(&r, 5, 0);
    rng_init(&labels, 6, 0);
    for (uint64_t i = 0; i < DRAWS; i++) {
        draw_exact(dim, 17, i, x);
        frozen_put(f, x);
        for (uint64_t k = 0; k < (uint64_t)steps; k++) step(f, &r, i * STEPS_MOST + k, without, &o);
        const double *end = now_x(f->state);
        double        each[TRUTHS], sum = log_parts(dim, end, each);
        for (size_t p = 0; p < projections; p++) u[p * DRAWS + i] = below(dim, p, end);
        for (size_t j = 0; j < TRUTHS; j++) each[j] = exp(each[j] - sum);
        size_t mode = choose(rng_uniform(&labels), each);
        count[mode] += 1.0;
        radius[i] = chi_square_tail(square_distance(dim, mode, end), (double)dim);
        level[i] = ((current *)f->state)->log_density;
        draw_exact(dim, 18, i, x);
        assert_int_equal(f->target->log_density(f->target->context, x, &exact[i]), CKAM_OK);
    }
    for (size_t p = 0; p < projections; p++) o.least = fmin(o.least, ks_uniform(DRAWS, u + p * DRAWS));
    o.least = fmin(o.least, ks_two_sample(DRAWS, level, DRAWS, exact));
    o.least = fmin(o.least, ks_uniform(DRAWS, radius));
    o.least = fmin(o.least, p_of_masses(count));
    free(u);
    return o;
}

static ckam_target target_of(const size_t *dim) {
    return (ckam_target){.dim = *dim, .log_density = log_density, .context = (void *)(uintptr_t)dim};
}

/* -- Tests -------------------------------------------------------------------------------------------------------- */

static const char *const names[] = {"local", "affine", "independent", "carry", "mixture"};

static void every_move_is_exact_above_eight_dimensions(void **unused) {
    (void)unused;
    for (int which = 0; which < DIMS; which++) {
        ckam_target target = target_of(&dims[which]);
        frozen      f = make(&target);
        assert_less(alpha, run(&f, 0, 0).least); /* the identity */
        for (int move = 0; move <= MIXTURE; move++) {
            only(&f, move);
            outcome o = run(&f, STEPS, 0);
            if (!(o.least > alpha)) print_error("%s in %d dimensions:\n", names[move], (int)target.dim);
            assert_less(alpha, o.least);
            assert_less(0.03 * o.tried, o.accepted);
            assert_less(o.accepted, o.left_out); /* at the average accepted proposal more than one term is left out */
        }
        frozen_free(&f);
    }
}

/* With nothing left out every move passes above. A carried move has no q in its ratio. */
static void a_ratio_that_lacks_a_term_is_rejected(void **unused) {
    (void)unused;
    static const struct {
        int move, without, steps;
    } twins[] = {{MOVE_LOCAL, RHO, 40},          {MOVE_AFFINE, RHO, STEPS},    {MOVE_AFFINE, CHOICE, STEPS},
                 {MOVE_AFFINE, VOLUME, STEPS},   {MOVE_AFFINE, COARSE, STEPS}, {MOVE_INDEPENDENT, INDEPENDENT, STEPS},
                 {MOVE_INDEPENDENT, COARSE, 20}, {MOVE_CARRY, CHOICE, 40},     {MOVE_CARRY, VOLUME, STEPS}};
    for (int which = 0; which < DIMS; which++) {
        ckam_target target = target_of(&dims[which]);
        frozen      f = make(&target);
        for (size_t k = 0; k < sizeof twins / sizeof *twins; k++) {
            only(&f, twins[k].move);
            outcome o = run(&f, twins[k].steps, twins[k].without);
            if (!(o.least < alpha))
                print_error("%s without %d in %d:\n", names[twins[k].move], twins[k].without, (int)target.dim);
            assert_less(o.least, alpha);
        }
        frozen_free(&f);
    }
}

/* The twins truncate as jump does, but for the threshold: with that of jump they have its values. */
static void the_twin_truncates_as_jump_does(void **unused) {
    (void)unused;
    for (int which = 0; which < DIMS; which++) {
        ckam_target target = target_of(&dims[which]);
        frozen      f = make(&target);
        mixture    *m = memory(&f);
        int         left_out = 0;
        for (uint64_t i = 0; i < 200; i++) {
            double x[DIM_MOST], own[MODES_MOST], jumps[MODES_MOST], full[MODES_MOST];
            draw_exact(target.dim, 4, i, x);
            double log_q = mixture_log_density(m, x, full);
            for (size_t near = 0; near < COMPONENTS; near++) {
                assert_close(truncated(m, x, near, FAR, own), mixture_log_density_near(m, x, near, jumps), 1e-13);
                assert_relative(mixture_log_density_near(m, x, near, jumps), log_q, 2.3e-16);
                for (size_t j = 0; j < COMPONENTS; j++) {
                    assert_close(own[j], jumps[j], 1e-12);
                    left_out += jumps[j] != full[j];
                }
            }
        }
        assert_true(left_out > 200);
        frozen_free(&f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_move_is_exact_above_eight_dimensions),
                                       cmocka_unit_test(a_ratio_that_lacks_a_term_is_rejected),
                                       cmocka_unit_test(the_twin_truncates_as_jump_does)};
    return cmocka_run_group_tests_name("jump_truncation", tests, NULL, NULL);
}
