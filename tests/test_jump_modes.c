/* test_jump_modes.c - what jump remembers: densities, draws, maps and choices of its mixture, room, and the numbers of modes.
 *
 * Statistical comparisons have the limit 1e-6 each; there are fewer than 30, so a right program fails once in 30,000
 * seeds. Seeds are fixed. */
#include "base/fastmath.h"
#include "support.h"

#include "memory_of_modes.h"

static const double limit = 1e-6, pi = 3.14159265358979323846;

/* log t(x; mean, L L^T) as a textbook has it, the distance by forward substitution. */
static double slow_log_t(size_t dim, double nu, const double *mean, const double *l, const double *x) {
    double z[16], square = 0.0, log_det = 0.0, d = (double)dim;
    for (size_t i = 0; i < dim; i++) {
        z[i] = x[i] - mean[i];
        for (size_t k = 0; k < i; k++) z[i] -= l[k * dim + i] * z[k];
        z[i] /= l[i * dim + i];
        square += z[i] * z[i];
        log_det += log(l[i * dim + i]);
    }
    return lgamma(0.5 * (nu + d)) - lgamma(0.5 * nu) - 0.5 * d * log(nu * pi) - log_det -
           0.5 * (nu + d) * log1p(square / nu);
}

/* Two components in `dim` dimensions, of the weights 0.3 and 0.7. */
static mixture *two_components(size_t dim, double degrees, double *factors) {
    mixture *m = memory_make(dim);
    double   mean[16];
    for (size_t j = 0; j < 2; j++) {
        for (size_t k = 0; k < dim; k++) mean[k] = (double)j * 3.0 - 0.25 * (double)k;
        make_triangle(dim, 7 + j, factors + j * dim * dim);
        memory_add(m, mean, factors + j * dim * dim, 0.0, 1.0);
    }
    m->at[0].weight = 0.3;
    m->at[1].weight = 0.7;
    mixture_normalise(m);
    mixture_set_degrees(m, degrees);
    return m;
}

static void the_density_is_that_of_t(void **unused) {
    (void)unused;
    static const size_t dims[] = {1, 2, 5, 16};
    static const double degrees[] = {3, 5, 7, 10, 15, 25, 50, 100};
    double              factors[2 * 256], each[2], x[16];
    rng                 r;
    rng_init(&r, 3, 0);
    for (size_t a = 0; a < 4; a++)
        for (size_t b = 0; b < 8; b++) {
            size_t   dim = dims[a];
            mixture *m = two_components(dim, degrees[b], factors);
            for (int turn = 0; turn < 20; turn++) {
                double slow[2], t_weight;
                for (size_t k = 0; k < dim; k++) x[k] = 2.0 + 4.0 * rng_normal(&r);
                double log_q = mixture_log_density(m, x, each);
                for (size_t j = 0; j < 2; j++) {
                    slow[j] = slow_log_t(dim, degrees[b], mixture_mean(m, j), factors + j * dim * dim, x);
                    assert_close(each[j], slow[j], 1e-11);
                }
                assert_close(log_q, log(0.3 * exp(slow[0]) + 0.7 * exp(slow[1])), 1e-11);
                double square = mixture_distance(m, 1, x);
                assert_close(mixture_log_t(m, 1, square, &t_weight), slow[1], 1e-11);
                assert_relative(t_weight, (degrees[b] + (double)dim) / (degrees[b] + square), 1e-12);
            }
            free(m);
        }
}

/* Components 0, 30, 60, ... standard deviations from each other, and others in between that overlap: whichever is
 * looked at first, log q has the same bits as the sum over all, and a component that matters its log t. */
static void what_is_far_is_left_out(void **unused) {
    (void)unused;
    enum { DIM = 20, COUNT = 6, TURNS = 300 };
    mixture *m = memory_make(DIM);
    double   factor[DIM * DIM], mean[DIM] = {0}, x[DIM], each[COUNT], slow[COUNT];
    rng      r;
    int      far = 0;
    rng_init(&r, 8, 0);
    for (size_t j = 0; j < COUNT; j++) {
        mean[j % 2 ? 15 : 3] += j % 2 ? 2.0 : 30.0;
        make_triangle(DIM, j, factor);
        memory_add(m, mean, factor, 0.0, 1.0);
        m->at[j].weight = 1.0 + (double)j;
    }
    mixture_normalise(m);
    for (int turn = 0; turn < TURNS; turn++) {
        double most = -HUGE_VAL, sum = 0.0;
        mixture_draw(m, &r, (size_t)turn % COUNT, x);
        for (size_t j = 0; j < COUNT; j++) {
            slow[j] = mixture_log_t(m, j, mixture_distance(m, j, x), NULL);
            most = fmax(most, slow[j] + m->at[j].log_weight);
        }
        for (size_t j = 0; j < COUNT; j++) sum += exp_fast(slow[j] + m->at[j].log_weight - most);
        assert_true(mixture_log_density(m, x, each) == most + log_fast(sum));
        for (size_t j = 0; j < COUNT; j++) assert_true(each[j] == slow[j]);
        for (size_t near = 0; near < COUNT; near++) {
            assert_true(mixture_log_density_near(m, x, near, each) == most + log_fast(sum));
            for (size_t j = 0; j < COUNT; j++) {
                if (each[j] == slow[j]) continue;
                assert_true(j != near && each[j] > slow[j] && each[j] + m->at[j].log_weight <= most - 50.0 + 1e-9);
                far++;
            }
        }
    }
    assert_true(far > TURNS);
    free(m);
}

/* x = 2 tan(angle): the tails, too. The sum over equal steps of a smooth function that is 0 at both ends is exact to more
 * than 1e-8 here. */
static void the_density_integrates_to_one(void **unused) {
    (void)unused;
    static const double degrees[] = {3, 7, 100};
    enum { STEPS = 20000 };
    double factors[2], each[2];
    for (size_t b = 0; b < 3; b++) {
        mixture *m = two_components(1, degrees[b], factors);
        double   sum = 0.0;
        for (int i = 1; i < STEPS; i++) {
            double angle = pi * ((double)i / STEPS - 0.5), x = 2.0 * tan(angle);
            sum += exp(mixture_log_density(m, &x, each)) * 2.0 / (cos(angle) * cos(angle));
        }
        assert_close(sum * pi / STEPS, 1.0, 1e-8);
        free(m);
    }
}

/* Far away nothing overflows to NaN, and where a component has all of the density so has its label. */
static void far_away_is_defined(void **unused) {
    (void)unused;
    double              factors[2], each[2];
    mixture            *m = two_components(1, 5.0, factors);
    static const double places[] = {1e10, -1e100, 1e160, -1e300, DBL_MAX};
    for (int i = 0; i < 5; i++) assert_true(isfinite(mixture_log_density(m, &places[i], each)));
    free(m);
}

/* -- Draws -------------------------------------------------------------------------------------------------------- */

/* The distribution function of t with a whole number of degrees, in closed form. */
static double t_below(double t, int degrees) {
    double angle = atan(t / sqrt((double)degrees)), s = sin(angle), c2 = cos(angle) * cos(angle), sum = 0.0;
    double term = degrees % 2 ? cos(angle) : 1.0;
    for (int k = degrees % 2 ? 3 : 2; k <= degrees; k += 2) {
        sum += term;
        term *= c2 * (double)(k - 1) / (double)k;
    }
    return degrees % 2 ? 0.5 + (angle + s * sum) / pi : 0.5 + 0.5 * s * sum;
}

static double p_of_draws(int degrees, int judged_as) {
    enum { N = 100000 };
    double  *u = malloc(N * sizeof *u), factors[2];
    mixture *m = two_components(1, degrees, factors);
    rng      r;
    assert_non_null(u);
    rng_init(&r, 21, 0);
    for (size_t i = 0; i < N; i++) {
        double y;
        mixture_draw(m, &r, 1, &y);
        u[i] = t_below((y - 3.0) / factors[1], judged_as);
    }
    double p = ks_uniform(N, u);
    free(u);
    free(m);
    return p;
}

static void draws_have_the_law(void **unused) {
    (void)unused;
    assert_close(t_below(1.0, 3), 0.80449889052211, 1e-12); /* tables */
    assert_close(t_below(2.0, 4), 0.94194173824159, 1e-12);
    assert_less(limit, p_of_draws(3, 3));
    assert_less(limit, p_of_draws(7, 7));
    assert_less(limit, p_of_draws(100, 100));
    assert_less(p_of_draws(3, 4), limit); /* twins */
    assert_less(p_of_draws(7, 15), limit);
}

/* nu / (nu - 2) L L^T. The fourth moment of t with 25 degrees is 3 + 6/21 times the square of its variance, and
 * E x_i^2 x_j^2 is at most that, so a covariance has a standard error of at most sqrt(2.29 / n) of the two deviations: 6
 * numbers within 5.5 of them, false alarms below 3e-7. */
static void draws_have_the_covariance(void **unused) {
    (void)unused;
    enum { DIM = 3, N = 200000 };
    double   factors[2 * DIM * DIM], sum[DIM] = {0}, product[DIM][DIM] = {{0}}, truth[DIM][DIM], y[DIM];
    mixture *m = two_components(DIM, 25.0, factors);
    rng      r;
    rng_init(&r, 22, 0);
    for (size_t i = 0; i < N; i++) {
        mixture_draw(m, &r, 1, y);
        for (size_t k = 0; k < DIM; k++) {
            sum[k] += y[k] -= mixture_mean(m, 1)[k];
            for (size_t j = 0; j <= k; j++) product[k][j] += y[k] * y[j];
        }
    }
    for (size_t k = 0; k < DIM; k++)
        for (size_t j = 0; j <= k; j++) {
            truth[k][j] = 0.0;
            for (size_t c = 0; c <= j; c++)
                truth[k][j] += 25.0 / 23.0 * factors[9 + c * DIM + k] * factors[9 + c * DIM + j];
        }
    for (size_t k = 0; k < DIM; k++) {
        assert_less(fabs(sum[k] / N), 5.5 * sqrt(truth[k][k] / N));
        for (size_t j = 0; j <= k; j++)
            assert_less(fabs(product[k][j] / N - truth[k][j]), 5.5 * sqrt(2.29 * truth[k][k] * truth[j][j] / N));
    }
    free(m);
}

/* -- Maps --------------------------------------------------------------------------------------------------------- */

static void the_map_is_affine_and_goes_back(void **unused) {
    (void)unused;
    enum { DIM = 4 };
    double   factors[2 * DIM * DIM], x[DIM], y[DIM], back[DIM], u[DIM];
    mixture *m = two_components(DIM, 25.0, factors);
    rng      r;
    rng_init(&r, 5, 0);
    for (int turn = 0; turn < 100; turn++) {
        for (size_t k = 0; k < DIM; k++) x[k] = 10.0 * rng_normal(&r);
        mixture_map(m, 0, 1, x, y);
        for (size_t i = 0; i < DIM; i++) { /* u = L_0^-1 (x - mu_0) by substitution */
            u[i] = x[i] - mixture_mean(m, 0)[i];
            for (size_t k = 0; k < i; k++) u[i] -= factors[k * DIM + i] * u[k];
            u[i] /= factors[i * DIM + i];
        }
        for (size_t i = 0; i < DIM; i++) {
            double slow = mixture_mean(m, 1)[i];
            for (size_t k = 0; k <= i; k++) slow += factors[(size_t)DIM * DIM + k * DIM + i] * u[k];
            assert_close(y[i], slow, 1e-11);
        }
        mixture_map(m, 1, 0, y, back);
        for (size_t k = 0; k < DIM; k++) assert_close(back[k], x[k], 1e-11);
    }
    assert_close(m->at[0].log_det, log(factors[0] * factors[5] * factors[10] * factors[15]), 1e-12);
    free(m);
}

/* -- Choices ------------------------------------------------------------------------------------------------------ */

enum { COMPONENTS = 4, TURNS = 100000 };

static mixture *four_components(void) {
    static const double weight[COMPONENTS] = {0.1, 0.2, 0.3, 0.4};
    mixture            *m = memory_make(1);
    for (size_t j = 0; j < COMPONENTS; j++) {
        double mean = 2.0 * (double)j;
        memory_add(m, &mean, NULL, 1.0, 1.0);
    }
    for (size_t j = 0; j < COMPONENTS; j++) m->at[j].weight = weight[j];
    mixture_normalise(m);
    return m;
}

/* p-value of how often each was chosen. What is expected never may not happen at all. */
static double p_of_counts(const double *counts, const double *expected) {
    double statistic = 0.0, freedom = -1.0;
    for (size_t j = 0; j < COMPONENTS; j++) {
        if (expected[j] == 0.0 && counts[j] > 0.0) return 0.0;
        if (expected[j] == 0.0) continue;
        double mean = TURNS * expected[j];
        statistic += (counts[j] - mean) * (counts[j] - mean) / mean;
        freedom += 1.0;
    }
    return chi_square_tail(statistic, freedom);
}

static void components_are_chosen_by_weight(void **unused) {
    (void)unused;
    mixture *m = four_components();
    rng      r;
    rng_init(&r, 31, 0);
    for (size_t without = 0; without <= COMPONENTS; without++) {
        double counts[COMPONENTS] = {0}, expected[COMPONENTS], left = 0.0;
        for (size_t j = 0; j < COMPONENTS; j++) left += expected[j] = j == without ? 0.0 : m->at[j].weight;
        for (size_t j = 0; j < COMPONENTS; j++) expected[j] /= left;
        for (int i = 0; i < TURNS; i++) counts[mixture_choose(m, &r, without)] += 1.0;
        assert_less(limit, p_of_counts(counts, expected));
        if (without == COMPONENTS) assert_less(p_of_counts((double[]){25000, 25000, 25000, 25000}, expected), limit);
    }
    free(m);
}

static void labels_follow_their_part_of_the_density(void **unused) {
    (void)unused;
    mixture *m = four_components();
    rng      r;
    rng_init(&r, 32, 0);
    for (int place = 0; place < 5; place++) {
        double counts[COMPONENTS] = {0}, expected[COMPONENTS], each[COMPONENTS], q = 0.0, one = 1.0;
        double x = -1.0 + 2.2 * place;
        for (size_t j = 0; j < COMPONENTS; j++)
            q += expected[j] = m->at[j].weight * exp(slow_log_t(1, 25.0, mixture_mean(m, j), &one, &x));
        for (size_t j = 0; j < COMPONENTS; j++) expected[j] /= q;
        double log_q = mixture_log_density(m, &x, each);
        for (int i = 0; i < TURNS; i++) counts[mixture_label(m, &r, each, log_q)] += 1.0;
        assert_less(limit, p_of_counts(counts, expected));
        for (size_t j = 0; j < COMPONENTS; j++) expected[j] = m->at[j].weight; /* twin: w, whatever x is */
        assert_less(p_of_counts(counts, expected), limit);
    }
    free(m);
}

/* -- Room --------------------------------------------------------------------------------------------------------- */

static void the_capacity_keeps_to_its_memory(void **unused) {
    (void)unused;
    assert_int_equal(mixture_capacity(1), MODES_MOST);
    assert_int_equal(mixture_capacity(32), MODES_MOST);
    for (size_t dim = 1; dim < 3000; dim = dim * 3 / 2 + 1) {
        size_t capacity = mixture_capacity(dim);
        assert_true(capacity >= 4 && capacity <= MODES_MOST);
        assert_true(capacity == 4 || capacity * dim * dim * sizeof(double) <= 8u << 20);
        size_t squares = 2 * dim * dim + dim * (dim + 1) / 2; /* factor and sums; the inverse is a triangle */
        assert_true(mixture_size(dim) > capacity * squares * sizeof(double));
    }
    assert_true(mixture_size((size_t)1 << 40) == SIZE_MAX);
}

/* A component is known by its mean. */
static size_t add_named(mixture *m, double name) { return memory_add(m, &name, NULL, 0.1 + fabs(name), 1.0); }

static void check_place(mixture *m, size_t j, double name) {
    double x = name + 1.0;
    assert_true(mixture_mean(m, j)[0] == name);
    assert_true(mixture_factor(m, j)[0] == 0.1 + fabs(name));
    assert_close(mixture_distance(m, j, &x), 1.0 / ((0.1 + fabs(name)) * (0.1 + fabs(name))), 1e-12);
    assert_close(m->at[j].log_det, log(0.1 + fabs(name)), 1e-12);
}

static void components_come_and_go(void **unused) {
    (void)unused;
    mixture *m = memory_make(1);
    for (int name = 0; name < 5; name++) assert_int_equal(add_named(m, name), name);
    mixture_remove(m, 1, true);  /* 0 2 3 4 | 1 */
    mixture_remove(m, 2, true);  /* 0 2 4 | 1 3 */
    mixture_remove(m, 0, false); /* 2 4 | 1 3 */
    assert_int_equal(m->count, 2);
    assert_int_equal(m->retired, 2);
    static const double first[] = {2, 4, 1, 3}, second[] = {2, 4, 9, 1, 3};
    for (size_t j = 0; j < 4; j++) check_place(m, j, first[j]);
    assert_int_equal(add_named(m, 9.0), 2);
    assert_int_equal(m->retired, 2);
    for (size_t j = 0; j < 5; j++) check_place(m, j, second[j]);
    free(m);
}

static void a_full_memory_forgets_the_oldest_retired(void **unused) {
    (void)unused;
    mixture *m = memory_make(1);
    for (size_t j = 0; j < MODES_MOST; j++) add_named(m, (double)j);
    assert_int_equal(mixture_add(m), m->capacity); /* no room */
    assert_int_equal(m->count, MODES_MOST);
    mixture_remove(m, 10, true);
    mixture_remove(m, 20, true); /* the name 21 */
    mixture_remove(m, 30, true); /* 32 */
    assert_int_equal(m->retired, 3);
    assert_int_equal(add_named(m, 100.0), MODES_MOST - 3);
    assert_int_equal(m->retired, 2);
    check_place(m, MODES_MOST - 2, 21.0);
    check_place(m, MODES_MOST - 1, 32.0);
    add_named(m, 101.0);
    add_named(m, 102.0);
    assert_int_equal(m->retired, 0);
    assert_int_equal(mixture_add(m), m->capacity);
    for (size_t j = 0; j < 3; j++) check_place(m, MODES_MOST - 3 + j, 100.0 + (double)j);
    check_place(m, 10, 11.0);
    free(m);
}

/* What is far is new; what is near a component, or nearer still to a place that led nowhere, is not. Units do not matter. */
static void what_is_near_is_known(void **unused) {
    (void)unused;
    static const double units[] = {1e-6, 1.0, 1e6};
    for (int which = 0; which < 3; which++) {
        double   unit = units[which];
        mixture *m = memory_make(1);
        double   trial[] = {1.0 * unit, 3.0 * unit, 5.0 * unit}, zero = 0.0, far = 1e9 * unit;
        memory_add(m, &zero, NULL, unit, 1.0);
        for (int retired = 0; retired < 2; retired++) { /* separation: half the distance; 2 and 1 are the limits */
            bool known[3];
            for (int k = 0; k < 3; k++) {
                memcpy(mixture_mean(m, m->capacity), &trial[k], sizeof(double));
                mixture_factor(m, m->capacity)[0] = unit;
                mixture_prepare(m, m->capacity);
                assert_close(mixture_separation(m, retired ? 1 : 0, m->capacity), 0.5 * trial[k] / unit, 1e-12);
                known[k] = mixture_match(m, m->capacity) < m->count + m->retired;
            }
            assert_true(known[0] && known[1] == !retired && !known[2]);
            if (retired) break;
            memory_add(m, &far, NULL, unit, 1.0);
            mixture_remove(m, 0, true); /* the far one is left, and the first retired */
        }
        free(m);
    }
}

/* -- Numbers ------------------------------------------------------------------------------------------------------ */

static void move_to(mixture *m, size_t j, double mean) {
    mixture_mean(m, j)[0] = mean;
    mixture_prepare(m, j);
}

static const mixture_overlap apart; /* no draw belongs to two */

static size_t add_at(mixture *m, double mean, bool reached) {
    size_t j = memory_add(m, &mean, NULL, 1.0, 1.0);
    m->at[j].reached = reached;
    return j;
}

static void check_numbers(mixture *m, const uint64_t *numbers) {
    for (size_t j = 0; j < m->count; j++) assert_int_equal(m->at[j].mode, numbers[j]);
}

static void modes_have_numbers_for_life(void **unused) {
    (void)unused;
    mixture *m = memory_make(1);
    add_at(m, 0.0, true);
    add_at(m, 20.0, true);
    add_at(m, 22.0, true); /* 1 apart in the unit of separation: touches the one before */
    add_at(m, 40.0, false);
    assert_int_equal(mixture_number_modes(m, &apart, 3), 2); /* the last has not been reached */
    check_numbers(m, (uint64_t[]){1, 2, 2, 4});
    for (size_t j = 0; j < 4; j++) assert_int_equal(m->at[j].first_cycle, 3);
    assert_int_equal(mixture_number_modes(m, &apart, 4), 2); /* nothing happened */
    check_numbers(m, (uint64_t[]){1, 2, 2, 4});
    m->at[3].reached = true;
    assert_int_equal(mixture_number_modes(m, &apart, 5), 3);
    move_to(m, 2, 60.0); /* parts from the mode 2 */
    assert_int_equal(mixture_number_modes(m, &apart, 6), 4);
    check_numbers(m, (uint64_t[]){1, 2, 5, 4});
    move_to(m, 3, 21.0); /* 4 comes to 2: the lower number stays */
    assert_int_equal(mixture_number_modes(m, &apart, 7), 3);
    check_numbers(m, (uint64_t[]){1, 2, 5, 2});
    mixture_remove(m, 2, false);
    add_at(m, 80.0, true);
    assert_int_equal(mixture_number_modes(m, &apart, 8), 3); /* 5 is not given again */
    check_numbers(m, (uint64_t[]){1, 2, 2, 6});
    assert_int_equal(m->at[3].first_cycle, 8);
    assert_int_equal(m->at[0].first_cycle, 3);
    free(m);
}

/* Draws that belong to both make one mode of components that are far from each other. */
static void shared_draws_unite(void **unused) {
    (void)unused;
    mixture         *m = memory_make(1);
    mixture_overlap *shared = calloc(1, sizeof *shared);
    assert_non_null(shared);
    for (size_t j = 0; j < 3; j++) {
        add_at(m, 20.0 * (double)j, true);
        shared->draws[j] = 1000.0;
    }
    shared->both[2][0] = 15.0;
    shared->both[1][0] = 5.0; /* of 1000: too few */
    assert_int_equal(mixture_number_modes(m, shared, 1), 2);
    check_numbers(m, (uint64_t[]){1, 2, 1});
    shared->both[2][0] = 5.0;
    assert_int_equal(mixture_number_modes(m, shared, 2), 3);
    check_numbers(m, (uint64_t[]){1, 2, 4});
    free(shared);
    free(m);
}

/* A chain of components that touch their neighbours is one mode, in whichever order they stand; without its middle it is
 * two. */
static void touching_is_handed_on(void **unused) {
    (void)unused;
    static const double places[][5] = {{0, 3, 6, 9, 12}, {12, 0, 6, 3, 9}, {0, 6, 12, 9, 3}};
    for (int order = 0; order < 3; order++) {
        mixture *m = memory_make(1);
        size_t   middle = 0;
        for (size_t j = 0; j < 5; j++) {
            add_at(m, places[order][j], true);
            if (places[order][j] == 6.0) middle = j;
        }
        assert_int_equal(mixture_number_modes(m, &apart, 0), 1);
        check_numbers(m, (uint64_t[]){1, 1, 1, 1, 1});
        mixture_remove(m, middle, false);
        assert_int_equal(mixture_number_modes(m, &apart, 1), 2);
        for (size_t i = 0; i < 4; i++)
            for (size_t j = 0; j < 4; j++)
                assert_int_equal(m->at[i].mode == m->at[j].mode,
                                 (mixture_mean(m, i)[0] < 6.0) == (mixture_mean(m, j)[0] < 6.0));
        free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_density_is_that_of_t),
                                       cmocka_unit_test(what_is_far_is_left_out),
                                       cmocka_unit_test(the_density_integrates_to_one),
                                       cmocka_unit_test(far_away_is_defined),
                                       cmocka_unit_test(draws_have_the_law),
                                       cmocka_unit_test(draws_have_the_covariance),
                                       cmocka_unit_test(the_map_is_affine_and_goes_back),
                                       cmocka_unit_test(components_are_chosen_by_weight),
                                       cmocka_unit_test(labels_follow_their_part_of_the_density),
                                       cmocka_unit_test(the_capacity_keeps_to_its_memory),
                                       cmocka_unit_test(components_come_and_go),
                                       cmocka_unit_test(a_full_memory_forgets_the_oldest_retired),
                                       cmocka_unit_test(what_is_near_is_known),
                                       cmocka_unit_test(modes_have_numbers_for_life),
                                       cmocka_unit_test(touching_is_handed_on),
                                       cmocka_unit_test(shared_draws_unite)};
    return cmocka_run_group_tests_name("jump_modes", tests, NULL, NULL);
}
