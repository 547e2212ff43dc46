/* test_profile.c - what log pi is around the components of jump's memory, from draws and their log pi: against closed forms. Nothing here
 * is compared within a standard error: where log pi has the shape of a profile a fit is exact but for rounding. */
#include "support.h"

#include "base/box.h"
#include "memory_of_modes.h"
#include "mixture/profile.h"

enum { DIM = 4, ROWS = 400 };

/* A Gaussian (freedom HUGE_VAL) or a t distribution around `mean`, with the factor l; its peak is 3. */
typedef struct density {
    double mean[DIM], l[DIM * DIM], freedom;
} density;

static density make_density(double freedom) {
    density a = {.mean = {10.0, -200.0, 0.0, 3e-3}, .freedom = freedom};
    make_triangle(DIM, 5, a.l);
    for (size_t k = 0; k < DIM; k++) /* coordinates in different units */
        for (size_t i = k; i < DIM; i++) a.l[k * DIM + i] *= (const double[DIM]){1.0, 100.0, 1e-2, 1e-3}[i];
    return a;
}

/* x := mean + distance L n / |n|. Returns log pi there. */
static double put(const density *a, rng *r, double distance, double *x) {
    double n[DIM], square = 0.0;
    for (size_t k = 0; k < DIM; k++) {
        n[k] = rng_normal(r);
        square += n[k] * n[k];
    }
    memcpy(x, a->mean, sizeof a->mean);
    for (size_t k = 0; k < DIM; k++)
        for (size_t i = k; i < DIM; i++) x[i] += distance / sqrt(square) * n[k] * a->l[k * DIM + i];
    square = distance * distance;
    return 3.0 - 0.5 * (a->freedom < HUGE_VAL ? (a->freedom + DIM) * log1p(square / a->freedom) : square);
}

static row_block block_of(void *context, size_t index) {
    (void)index;
    return (row_block){context, ROWS, DIM + ROW_HEAD};
}

/* The factor of the component := scale l. */
static void put_factor(mixture *m, double scale, const double *l) {
    for (size_t k = 0; k < (size_t)DIM * DIM; k++) mixture_factor(m, 0)[k] = scale * l[k];
    mixture_prepare(m, 0);
}

/* A memory of one component with a covariance that is 10 % too large, and its profile from ROWS points within 3 standard deviations. bend: is added to log pi. */
static mixture *learn(const density *a, double bend) {
    static double points[ROWS * (DIM + ROW_HEAD)];
    mixture      *m = memory_make(DIM);
    rows          data = {points, 1, DIM, block_of, 1};
    double        wide[DIM * DIM];
    rng           r;
    rng_init(&r, 17, 0);
    for (size_t k = 0; k < (size_t)DIM * DIM; k++) wide[k] = sqrt(1.1) * a->l[k];
    memory_add(m, a->mean, wide, 0.0, 1.0);
    m->at[0].rows = ROWS;
    for (size_t i = 0; i < ROWS; i++) {
        double *row = points + i * (DIM + ROW_HEAD), distance = 3.0 * rng_uniform(&r);
        row[ROW_OWNER] = 0.0;
        row[ROW_LOG_DENSITY] = put(a, &r, distance, row + ROW_HEAD);
        row[ROW_LOG_DENSITY] += bend * sin(4.0 * (row[ROW_HEAD] - a->mean[0]));
    }
    profiles_learn(m, &data, 1.0, true);
    return m;
}

/* The largest error of log pi, relative to its fall from the peak, at points 30 standard deviations away. */
static double error_far_out(mixture *m, const density *a) {
    double worst = 0.0, x[DIM], peak;
    rng    r;
    rng_init(&r, 18, 0);
    for (int i = 0; i < 100; i++) {
        double        value = put(a, &r, 30.0, x);
        profile_point at = mixture_profile_point(m, x);
        worst = fmax(worst, fabs(mixture_predict(m, 0, &at, &peak) - value) / (3.0 - value));
    }
    return worst;
}

static void far_tails_are_predicted(void **unused) {
    (void)unused;
    static const double freedom[] = {HUGE_VAL, 50.0, 10.0, 5.0, 3.0};
    for (size_t i = 0; i < sizeof freedom / sizeof *freedom; i++) {
        density  a = make_density(freedom[i]);
        mixture *m = learn(&a, 0.0);
        assert_true(m->at[0].profile_degrees == freedom[i]);
        assert_less(error_far_out(m, &a), 1e-6);
        assert_close(m->at[0].profile_peak, 3.0, 1e-6);
        assert_less(m->at[0].profile_error, 1e-6);
        m->at[0].profile_degrees = 0.0; /* the twin: the component as it was, a little too wide */
        put_factor(m, sqrt(1.1), a.l);
        m->log_z = 3.0 - m->at[0].log_weight - m->at[0].log_constant;
        assert_less(0.05, error_far_out(m, &a));
        free(m);
    }
}

/* A component takes the centre and the shape of its profile where these are nearer to log pi at its draws. */
static void components_take_the_shape_of_log_pi(void **unused) {
    (void)unused;
    density  a = make_density(HUGE_VAL);
    mixture *m = learn(&a, 0.0), *wild = learn(&a, 5.0);
    assert_true(m->at[0].confirmed);
    assert_false(wild->at[0].confirmed); /* it has no profile */
    for (size_t k = 0; k < DIM; k++) {
        assert_close(mixture_mean(m, 0)[k], a.mean[k], 1e-6 * a.l[k * DIM + k]);
        for (size_t i = k; i < DIM; i++) {
            double l = a.l[k * DIM + i], unit = 1e-6 * a.l[i * DIM + i];
            assert_close(mixture_factor(m, 0)[k * DIM + i], l, unit);
            assert_close(mixture_factor(wild, 0)[k * DIM + i], sqrt(1.1) * l, unit);
        }
    }
    free(m);
    free(wild);
}

static row_block block_of_two(void *context, size_t index) {
    (void)index;
    return (row_block){context, (size_t)2 * ROWS, DIM + ROW_HEAD};
}

/* The weight of the first of two Gaussians with masses of 0.3 and 0.7, each with ROWS points of its own, of which that part counts: counts of draws say one half. */
static double weight_learned(double part) {
    static double       points[2 * ROWS * (DIM + ROW_HEAD)];
    static const double mass[] = {0.3, 0.7};
    mixture            *m = memory_make(DIM);
    rows                data = {points, 1, DIM, block_of_two, 1};
    density             a[] = {make_density(HUGE_VAL), make_density(HUGE_VAL)};
    rng                 r;
    rng_init(&r, 20, 0);
    a[1].mean[0] += 100.0 * a[1].l[0];
    for (size_t j = 0; j < 2; j++) {
        double wide[DIM * DIM];
        for (size_t k = 0; k < (size_t)DIM * DIM; k++) wide[k] = sqrt(1.1) * a[j].l[k];
        memory_add(m, a[j].mean, wide, 0.0, 1.0);
        m->at[j].rows = ROWS;
        for (size_t i = 0; i < ROWS; i++) {
            double *row = points + (j * ROWS + i) * (DIM + ROW_HEAD), distance = 3.0 * rng_uniform(&r);
            row[ROW_OWNER] = (double)j;
            row[ROW_LOG_DENSITY] = put(&a[j], &r, distance, row + ROW_HEAD) + log(mass[j]);
        }
    }
    profiles_learn(m, &data, part, true);
    double weight = m->at[0].weight;
    free(m);
    return weight;
}

/* Counts of chains that hardly change the mode say little; those of independent draws contradict the masses. */
static void masses_share_the_weight(void **unused) {
    (void)unused;
    assert_close(weight_learned(0.01), 0.3, 1e-6);
    assert_close(weight_learned(1.0), 0.5, 1e-12);
}

/* Beyond a wall the density is 0, which a Gaussian profile does not know: where most of its mass is there the component keeps the moments of its draws. */
static void a_wall_is_not_in_a_profile(void **unused) {
    (void)unused;
    static double points[ROWS * (DIM + ROW_HEAD)];
    mixture      *m = memory_make(DIM);
    rows          data = {points, 1, DIM, block_of, 1};
    double        centre[DIM] = {3.3},
           factor[DIM * DIM] = {0.25}; /* x_1 > 3, of a standard normal density; the moments of that */
    rng r;
    rng_init(&r, 21, 0);
    for (size_t k = 1; k < DIM; k++) factor[k * DIM + k] = 1.0;
    memory_add(m, centre, factor, 0.0, 1.0);
    m->at[0].rows = ROWS;
    for (size_t i = 0; i < ROWS; i++) {
        double *row = points + i * (DIM + ROW_HEAD), *x = row + ROW_HEAD;
        rng_normals(&r, DIM, x);
        x[0] = 3.0 - log(rng_uniform(&r)) / 3.3;
        row[ROW_OWNER] = 0.0;
        row[ROW_LOG_DENSITY] = 0.0;
        for (size_t k = 0; k < DIM; k++) row[ROW_LOG_DENSITY] -= 0.5 * x[k] * x[k];
    }
    profiles_learn(m, &data, 1.0, true);
    assert_true(mixture_has_profile(&m->at[0])); /* the profile is exact: N(0, I) */
    assert_close(mixture_centre(m, 0)[0], 0.0, 1e-6);
    assert_close(mixture_mean(m, 0)[0], 3.3, 1e-12);
    assert_false(m->at[0].confirmed);
    free(m);
}

/* A component that was fitted to draws may cover several modes that a search has seen for what they are; one whose shape is that of log pi does not. */
static void a_wide_component_may_hide_narrow_ones(void **unused) {
    (void)unused;
    mixture *m = memory_make(DIM);
    double   centre[DIM] = {0.0};
    memory_add(m, centre, NULL, 10.0, 1.0);
    memory_add(m, centre, NULL, 1.0, 1.0);
    assert_false(mixture_may_hide(m, 0, 1)); /* the narrow one is that of draws, too */
    m->at[1].confirmed = true;
    assert_true(mixture_may_hide(m, 0, 1));
    assert_false(mixture_may_hide(m, 1, 0));
    m->at[0].confirmed = true;
    assert_false(mixture_may_hide(m, 0, 1));
    free(m);
}

/* Other degrees of freedom than there are to choose from. */
static void tails_between_are_near(void **unused) {
    (void)unused;
    density  a = make_density(4.0);
    mixture *m = learn(&a, 0.0);
    assert_true(m->at[0].profile_degrees == 3.0 || m->at[0].profile_degrees == 5.0);
    assert_less(error_far_out(m, &a), 0.1);
    free(m);
}

/* What is no such shape has no profile, or says how far it is off. */
static void other_shapes_have_none(void **unused) {
    (void)unused;
    density  a = make_density(HUGE_VAL);
    mixture *rough = learn(&a, 0.1), *wild = learn(&a, 5.0);
    assert_true(mixture_has_profile(&rough->at[0]));
    assert_less(0.01, rough->at[0].profile_error);
    assert_false(mixture_has_profile(&wild->at[0]));
    free(rough);
    free(wild);
}

/* A component with too few rows keeps what it has. */
static void few_rows_teach_nothing(void **unused) {
    (void)unused;
    density  a = make_density(HUGE_VAL);
    mixture *m = learn(&a, 0.0);
    double   none[1] = {0.0};
    rows     data = {none, 1, DIM, block_of, 1};
    m->at[0].rows = 3.0;
    profiles_learn(m, &data, 1.0, true);
    assert_less(error_far_out(m, &a), 1e-6);
    free(m);
}

static const bool boxed[DIM] = {true, true, false, true};

/* x := a point around the corner of a box, as coordinates have it, `reach` wide. Returns log pi there: a Gaussian in the parameters, partly
 * beyond their bounds. */
static double put_in_corner(rng *r, double reach, double *x) {
    static const double corner[DIM] = {-1.7, 1.6, -5.0, 0.0};
    static const double mean[DIM] = {0.03, 0.9, -5.0, 0.5}, sd[DIM] = {0.05, 0.1, 2.0, 0.3};
    double              value = 0.0, log_slope = 0.0;
    for (size_t k = 0; k < DIM; k++) {
        double place = x[k] = corner[k] + reach * (rng_uniform(r) - 0.5);
        if (boxed[k]) place = x[k] < 0.0 ? box_distance(x[k], &log_slope) : 1.0 - box_distance(x[k], &log_slope);
        value += (boxed[k] ? log_slope : 0.0) - 0.5 * pow((place - mean[k]) / sd[k], 2.0);
    }
    return value;
}

/* The largest error of log pi in the corner, by a memory that knows the box or does not. */
static double error_in_corner(bool knows) {
    static double points[ROWS * (DIM + ROW_HEAD)];
    mixture      *m = memory_make(DIM);
    rows          data = {points, 1, DIM, block_of, 1};
    rng           r;
    double        worst = 0.0, x[DIM] = {0.0}, peak;
    mixture_begin(m, DIM, knows ? boxed : NULL);
    memory_add(m, x, NULL, 1.0, 1.0);
    m->at[0].rows = ROWS;
    rng_init(&r, 19, 0);
    for (size_t i = 0; i < ROWS; i++) {
        double *row = points + i * (DIM + ROW_HEAD);
        row[ROW_OWNER] = 0.0;
        row[ROW_LOG_DENSITY] = put_in_corner(&r, 0.3, row + ROW_HEAD);
    }
    profiles_learn(m, &data, 1.0, true);
    for (int i = 0; i < 100; i++) {
        double        value = put_in_corner(&r, 0.7, x);
        profile_point at = mixture_profile_point(m, x);
        worst = fmax(worst, fabs(mixture_predict(m, 0, &at, &peak) - value));
    }
    free(m);
    return worst;
}

/* Coordinates of boxes are bent near a bound, profiles are not. */
static void boxes_are_seen_as_they_are(void **unused) {
    (void)unused;
    assert_less(error_in_corner(true), 1e-6);
    assert_less(1.0, error_in_corner(false)); /* the twin */
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(far_tails_are_predicted),
                                       cmocka_unit_test(components_take_the_shape_of_log_pi),
                                       cmocka_unit_test(masses_share_the_weight),
                                       cmocka_unit_test(a_wall_is_not_in_a_profile),
                                       cmocka_unit_test(a_wide_component_may_hide_narrow_ones),
                                       cmocka_unit_test(tails_between_are_near),
                                       cmocka_unit_test(other_shapes_have_none),
                                       cmocka_unit_test(boxes_are_seen_as_they_are),
                                       cmocka_unit_test(few_rows_teach_nothing)};
    return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
