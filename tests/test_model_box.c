/* test_model_box.c - exact probabilities of boxes: a distribution, with the right marginals, and that of exact draws. */
#include "models.h"

#include <stdbool.h>
#include <string.h>

/* -- Boxes in two of the coordinates; the others are whole lines ----------------------------------------------------- */

/* bins * bins boxes, cut at equal distances from low to high, the outer ones without end. */
typedef struct plane {
    const char *spec;
    size_t      first, second; /* the coordinates that are cut */
    size_t      bins;
    double      low, high;
} plane;

static const plane planes[] = {{"bimodal", 0, 1, 50, -14, 14},        {"mixture5", 0, 1, 50, -4, 16},
                               {"mixture5", 1, 0, 7, -4, 16},         {"grid32", 1, 6, 50, -45, 45},
                               {"grid32:dim=37", 36, 2, 11, -45, 45}, {"bimodal:dim=7,separation=4", 0, 6, 20, -6, 6}};
enum { PLANES = sizeof planes / sizeof *planes };

/* The edge before bin i. */
static double edge(const plane *p, size_t i) {
    if (i == 0 || i == p->bins) return i == 0 ? -HUGE_VAL : HUGE_VAL;
    return p->low + (p->high - p->low) * (double)(i - 1) / (double)(p->bins - 2);
}

static size_t bin_of(const plane *p, double x) {
    size_t i = 0;
    while (x > edge(p, i + 1)) i++;
    return i;
}

static double cell(const ckam_model *m, const plane *p, size_t i, size_t j) {
    double low[DIM_MOST], high[DIM_MOST];
    for (size_t k = 0; k < DIM_MOST; k++) {
        low[k] = -HUGE_VAL;
        high[k] = HUGE_VAL;
    }
    low[p->first] = edge(p, i);
    high[p->first] = edge(p, i + 1);
    low[p->second] = edge(p, j);
    high[p->second] = edge(p, j + 1);
    return ckam_model_box(m, low, high);
}

/* -- Exactness ------------------------------------------------------------------------------------------------------- */

static void boxes_sum_to_one(void **state) {
    (void)state;
    for (size_t n = 0; n < PLANES; n++) {
        const plane *p = planes + n;
        ckam_model  *m = model_of(p->spec);
        double       sum = 0.0;
        for (size_t i = 0; i < p->bins; i++)
            for (size_t j = 0; j < p->bins; j++) {
                const double here = cell(m, p, i, j);
                assert_true(here >= 0.0 && here < 1.0);
                sum += here;
            }
        assert_close(sum, 1.0, 1e-12);
        ckam_model_free(m);
    }
}

static void marginals_are_those_of_a_coordinate(void **state) {
    (void)state;
    for (size_t n = 0; n < PLANES; n++) {
        const plane *p = planes + n;
        ckam_model  *m = model_of(p->spec);
        for (size_t i = 0; i < p->bins; i++) {
            double low[DIM_MOST], high[DIM_MOST], sum = 0.0;
            for (size_t k = 0; k < DIM_MOST; k++) {
                low[k] = k == p->first ? edge(p, i) : -HUGE_VAL;
                high[k] = k == p->first ? edge(p, i + 1) : HUGE_VAL;
            }
            const double exact = ckam_model_probability(m, p->first, edge(p, i), edge(p, i + 1));
            assert_close(ckam_model_box(m, low, high), exact, 1e-14);
            for (size_t j = 0; j < p->bins; j++) sum += cell(m, p, i, j);
            assert_close(sum, exact, 1e-14);
        }
        ckam_model_free(m);
    }
}

/* P(low < X <= high), X ~ N(mean, variance), from the tail that is nearer. */
static double normal(double mean, double variance, double low, double high) {
    const double a = (low - mean) / sqrt(variance), b = (high - mean) / sqrt(variance);
    return a > 0.0 ? normal_tail(a) - normal_tail(b) : normal_tail(-b) - normal_tail(-a);
}

/* Written out by hand; also far from all mass, where every digit must still be right. */
static void boxes_are_as_in_the_textbook(void **state) {
    static const double boxes[][4] = {{-9, -7.5, -1, 0.5}, {6, 9, -2, 1},      {-1, 1, -1, 1},
                                      {20, 21, 10, 11},    {-20, -19, -9, -7}, {2, 7, 3, 6}};
    (void)state;
    ckam_model *two = model_of("bimodal"), *five = model_of("mixture5"), *grid = model_of("grid32:dim=2");
    for (size_t n = 0; n < sizeof boxes / sizeof *boxes; n++) {
        const double *x = boxes[n], low[2] = {x[0], x[2]}, high[2] = {x[1], x[3]};
        double        mixture = 0.0, side[2] = {0.0, 0.0};
        assert_relative(ckam_model_box(two, low, high),
                        0.5 * normal(-8, 0.5, x[0], x[1]) * normal(0, 0.5, x[2], x[3]) +
                            0.5 * normal(8, 2, x[0], x[1]) * normal(0, 2, x[2], x[3]),
                        1e-12);
        for (int i = 0; i < 5; i++) {
            mixture += normal(2.5 * i, sqrt(i + 1), x[0], x[1]) * normal(2.5 * i, sqrt(i + 1), x[2], x[3]) / 5;
            for (int k = 0; k < 2; k++) side[k] += normal(15 * (i - 2), 15, low[k], high[k]) / 5;
        }
        assert_relative(ckam_model_box(five, low, high), mixture, 1e-12);
        assert_relative(ckam_model_box(grid, low, high), side[0] * side[1], 1e-12);
    }
    ckam_model_free(two);
    ckam_model_free(five);
    ckam_model_free(grid);
}

/* -- Against exact draws --------------------------------------------------------------------------------------------- */

enum { DRAWS = 100000, CELLS_MOST = 400 };

/* What a cell of the plane would hold if the two coordinates were independent. */
static double independent(const ckam_model *m, const plane *p, size_t i, size_t j) {
    return ckam_model_probability(m, p->first, edge(p, i), edge(p, i + 1)) *
           ckam_model_probability(m, p->second, edge(p, j), edge(p, j + 1));
}

/* p-value of a chi-square test of draws of `spec` against the boxes of p->spec. Neighbours are joined until 10 are
 * expected. */
static double chi_square_p(const char *spec, const plane *p,
                           double (*probability)(const ckam_model *, const plane *, size_t, size_t)) {
    ckam_model *m = model_of(spec), *boxes = model_of(p->spec);
    double      observed[CELLS_MOST] = {0}, x[DIM_MOST], statistic = 0.0, expected = 0.0, seen = 0.0, left = DRAWS;
    size_t      cells = 0;
    assert_in_range(p->bins * p->bins, 1, CELLS_MOST);
    for (uint64_t n = 0; n < DRAWS; n++) {
        ckam_model_draw(m, 5, n, x);
        observed[bin_of(p, x[p->first]) * p->bins + bin_of(p, x[p->second])] += 1.0;
    }
    for (size_t n = 0; n < p->bins * p->bins; n++) {
        const double here = DRAWS * probability(boxes, p, n / p->bins, n % p->bins);
        expected += here;
        seen += observed[n];
        left -= here;
        if ((expected < 10.0 || left < 10.0) && n + 1 < p->bins * p->bins) continue;
        statistic += (seen - expected) * (seen - expected) / expected;
        expected = seen = 0.0;
        cells++;
    }
    ckam_model_free(m);
    ckam_model_free(boxes);
    return chi_square_tail(statistic, (double)(cells - 1));
}

static const plane cut[] = {{"bimodal", 0, 1, 16, -12, 12},
                            {"mixture5", 0, 1, 16, -4, 16},
                            {"grid32", 1, 6, 16, -45, 45},
                            {"bimodal:dim=7,separation=4", 0, 6, 16, -6, 6}};

/* False alarms: 4 p-values below 1e-7 each, 4e-7 in all. */
static void draws_have_the_probabilities_of_boxes(void **state) {
    (void)state;
    for (size_t n = 0; n < sizeof cut / sizeof *cut; n++) assert_less(1e-7, chi_square_p(cut[n].spec, cut + n, cell));
}

/* Twins that must fail: coordinates taken for independent, which they are in grid32 alone, and draws of other models. */
static void wrong_boxes_are_found(void **state) {
    (void)state;
    assert_less(chi_square_p(cut[0].spec, cut, independent), 1e-7);
    assert_less(chi_square_p(cut[1].spec, cut + 1, independent), 1e-7);
    assert_less(chi_square_p(cut[3].spec, cut + 3, independent), 1e-7);
    assert_less(1e-7, chi_square_p(cut[2].spec, cut + 2, independent));
    assert_less(chi_square_p("bimodal:separation=15.9", cut, cell), 1e-7);
    assert_less(chi_square_p("bimodal:separation=15.9", cut + 1, cell), 1e-7);
    assert_less(chi_square_p("bimodal:dim=32", cut + 2, cell), 1e-7);
}

/* -- Edges ----------------------------------------------------------------------------------------------------------- */

static bool knows_boxes(const char *name) {
    return !strcmp(name, "bimodal") || !strcmp(name, "mixture5") || !strcmp(name, "grid32");
}

static void whole_empty_and_bad_boxes(void **state) {
    (void)state;
    for (const ckam_entry *e = ckam_model_list(); e->name; e++) {
        ckam_model  *m = model_of(e->name);
        const size_t dim = ckam_model_target(m)->dim;
        double       low[DIM_MOST], high[DIM_MOST];
        for (size_t k = 0; k < dim; k++) {
            low[k] = -HUGE_VAL;
            high[k] = HUGE_VAL;
        }
        const double whole = ckam_model_box(m, low, high);
        assert_true(knows_boxes(e->name) ? whole == 1.0 : isnan(whole));
        for (size_t k = 0; k < dim; k++) {
            low[k] = high[k] = 1.0;
            assert_true(ckam_model_box(m, low, high) == 0.0);
            low[k] = 2.0;
            assert_true(ckam_model_box(m, low, high) == 0.0);
            low[(k + 1) % dim] = (double)NAN; /* even beside an empty side */
            assert_true(isnan(ckam_model_box(m, low, high)));
            low[(k + 1) % dim] = -HUGE_VAL;
            high[k] = (double)NAN;
            assert_true(isnan(ckam_model_box(m, low, high)));
            low[k] = high[k] = HUGE_VAL;
            assert_true(ckam_model_box(m, low, high) == 0.0);
            low[k] = -HUGE_VAL;
        }
        ckam_model_free(m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_sum_to_one),
        cmocka_unit_test(marginals_are_those_of_a_coordinate),
        cmocka_unit_test(boxes_are_as_in_the_textbook),
        cmocka_unit_test(draws_have_the_probabilities_of_boxes),
        cmocka_unit_test(wrong_boxes_are_found),
        cmocka_unit_test(whole_empty_and_bad_boxes),
    };
    return cmocka_run_group_tests_name("model boxes", tests, NULL, NULL);
}
