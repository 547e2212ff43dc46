/* test_review.c - reviews of draws: the same numbers as their parts, and a finding for everything that is wrong. */
#include "failure.h"
#include "made_draws.h"

#include "diag/findings.h"

#include <stdio.h>

static ckam_review *review_of(const made *m) {
    ckam_review *review = NULL;
    ckam_error   error = {.message = ""};
    ckam_draws  *draws = made_draws(m);
    if (ckam_review_create(&review, draws, &error)) fail_msg("%s", error.message);
    ckam_draws_free(draws); /* nothing is borrowed from them */
    return review;
}

/* Every finding is whole: ended text and advice, problems before notes. */
static void check_findings(const ckam_finding *finding, size_t count) {
    assert_in_range(count, 0, FINDINGS_MOST);
    for (size_t i = 0; i < count; i++) {
        size_t text = strnlen(finding[i].text, sizeof finding[i].text), advice;
        advice = strnlen(finding[i].advice, sizeof finding[i].advice);
        assert_in_range(text, 20, sizeof finding[i].text - 2);
        assert_in_range(advice, 20, sizeof finding[i].advice - 2);
        assert_int_equal(finding[i].text[text - 1], '.');
        assert_null(strpbrk(finding[i].text, "{}")); /* every value is filled in */
        assert_null(strpbrk(finding[i].advice, "{}"));
        if (i > 0) assert_true(finding[i - 1].severity >= finding[i].severity);
    }
}

/* The finding whose text holds `piece`, or NULL. */
static const ckam_finding *find_in(const ckam_finding *finding, size_t count, const char *piece) {
    check_findings(finding, count);
    for (size_t i = 0; i < count; i++)
        if (strstr(finding[i].text, piece)) return finding + i;
    return NULL;
}

static void assert_found(const ckam_review *r, ckam_severity severity, const char *piece, const char *number,
                         const char *advice) {
    const ckam_finding *f = find_in(r->finding, r->findings, piece);
    if (f && f->severity == severity && strstr(f->text, number) && strstr(f->advice, advice)) return;
    for (size_t i = 0; i < r->findings; i++) print_error("- %s\n  %s\n", r->finding[i].text, r->finding[i].advice);
    fail_msg("no finding has '%s' with '%s' and the advice '%s'", piece, number, advice);
}

/* -- Numbers ------------------------------------------------------------------------------------------------------- */

/* Compares with ckam_summarise() on each column; a clean set has nothing to say. Effective sizes of independent draws
 * are near their number: 5 standard errors of about 5 % each, false alarms 6e-7. */
static void a_clean_set(void **state) {
    (void)state;
    made         m = made_model("gaussian:dim=3", 4, 1000, 0.0, 1);
    ckam_review *r = review_of(&m);
    double      *column = calloc(4000, sizeof *column);
    ckam_summary s;
    assert_int_equal(r->chains, 4);
    assert_int_equal(r->rows, 1000);
    assert_int_equal(r->parameters, 3);
    assert_int_equal(r->stride, 1);
    for (size_t k = 0; k < 3; k++) {
        char name[8];
        snprintf(name, sizeof name, "x.%zu", k + 1);
        assert_string_equal(r->names[k], name);
        for (size_t i = 0; i < 4000; i++) column[i] = made_at(&m, i)[k];
        assert_int_equal(ckam_summarise(column, 4, 1000, &s, NULL), CKAM_OK);
        assert_memory_equal(&s, r->summary + k, sizeof s);
    }
    assert_int_equal(ckam_summarise(m.log_density, 4, 1000, &s, NULL), CKAM_OK);
    assert_memory_equal(&s, &r->log_density, sizeof s);
    assert_relative(r->multi_ess, 4000.0, 0.25);
    assert_int_equal(r->modes, 1);
    assert_close(r->mode[0].weight, 1.0, 0.0);
    assert_int_equal(r->findings, 0);
    ckam_review_free(r);
    ckam_review_free(NULL);
    free(column);
    made_free(&m);
}

static void without_log_density_it_is_nan(void **state) {
    (void)state;
    made m = made_model("gaussian:dim=2", 2, 500, 0.0, 1);
    free(m.log_density);
    m.log_density = NULL;
    ckam_review *r = review_of(&m);
    assert_true(isnan(r->log_density.mean) && isnan(r->log_density.ess_bulk));
    assert_int_equal(r->findings, 0);
    ckam_review_free(r);
    made_free(&m);
}

/* 8 numbers a row, 2^18 rows: thinned for multi_ess, whose value is then that of a quarter or less of the rows. */
static void multi_ess_is_thinned(void **state) {
    (void)state;
    made         m = made_model("gaussian:dim=8", 2, 150000, 0.0, 1);
    ckam_review *r = review_of(&m);
    assert_relative(r->multi_ess, 100000.0, 0.1);
    ckam_review_free(r);
    made_free(&m);
}

/* -- Findings ------------------------------------------------------------------------------------------------------ */

static void chains_that_disagree(void **state) {
    (void)state;
    made m = made_model("gaussian:dim=2", 4, 500, 0.0, 1);
    for (size_t i = 500; i < 1000; i++) made_at(&m, i)[1] += 1.0;
    ckam_review *r = review_of(&m);
    assert_found(r, CKAM_PROBLEM, "R-hat is above 1.01", "1 of 2 parameters; the worst is x.2 with 1.", "--draws");
    ckam_review_free(r);
    made_free(&m);
}

/* x_t = 0.98 x_{t-1} + noise has one effective draw in (1 + 0.98) / (1 - 0.98) = 99: of 4 x 2000 about 80, so that 5
 * times as many, 4 x 10,000, would do. Within a factor of 2. */
static void few_effective_draws(void **state) {
    (void)state;
    made m = made_room(4, 2000, 2, 3);
    for (size_t i = 0; i < 8000; i++) {
        double *x = made_at(&m, i), z = rng_normal(&m.random);
        x[0] = i % 2000 ? 0.98 * made_at(&m, i - 1)[0] + sqrt(1.0 - 0.98 * 0.98) * z : z;
        x[1] = rng_normal(&m.random);
    }
    ckam_review        *r = review_of(&m);
    const ckam_finding *f = find_in(r->finding, r->findings, "effective sample size");
    assert_found(r, CKAM_PROBLEM, "effective sample size", "1 of 2 parameters; the worst is x.1 with", "--draws=");
    double draws = strtod(strstr(f->advice, "--draws=") + 8, NULL);
    assert_in_range((size_t)draws, 5000, 20000);
    ckam_review_free(r);
    made_free(&m);
}

/* `cross` of 4 chains of 500 rows go to the other side and back every `period` rows. */
static made made_sides(size_t crossing, size_t period, uint64_t seed) {
    made m = made_room(4, 500, 2, seed);
    for (size_t i = 0; i < 2000; i++) {
        size_t chain = i / 500, row = i % 500;
        int    side = chain < crossing ? row / period % 2 == 1 : chain % 2 == 1;
        rng_normals(&m.random, 2, made_at(&m, i));
        made_at(&m, i)[0] += side ? 20.0 : 0.0;
    }
    return m;
}

static void modes_that_are_not_left(void **state) {
    (void)state;
    made         m = made_sides(0, 1, 1);
    ckam_review *r = review_of(&m);
    assert_int_equal(r->modes, 2);
    assert_found(r, CKAM_PROBLEM, "no chain went from one to another", "chains 1 and 3 in mode",
                 "where the chains began");
    assert_found(r, CKAM_PROBLEM, "no chain went from one to another", "chains 2 and 4 in mode", "--sampler=jump");
    ckam_review_free(r);
    made_free(&m);
}

static void modes_that_are_seldom_left(void **state) {
    (void)state;
    made         m = made_sides(2, 100, 1); /* 2 chains cross 4 times */
    ckam_review *r = review_of(&m);
    assert_int_equal(r->crossings, 8);
    assert_found(r, CKAM_PROBLEM, "went from one to another only 8 times", "2 modes", "10 crossings");
    ckam_review_free(r);
    made_free(&m);
    m = made_sides(4, 5, 1); /* often: nothing to say of modes */
    r = review_of(&m);
    assert_int_equal(r->crossings, 4 * 99);
    assert_null(find_in(r->finding, r->findings, "modes"));
    ckam_review_free(r);
    made_free(&m);
}

static void a_mode_of_one_chain(void **state) {
    (void)state;
    made m = made_room(4, 500, 2, 1);
    for (size_t i = 0; i < 2000; i++) {
        rng_normals(&m.random, 2, made_at(&m, i));
        if (i / 500 == 2 && i % 20 < 10) made_at(&m, i)[0] += 20.0;
    }
    ckam_review *r = review_of(&m);
    assert_found(r, CKAM_PROBLEM, "visited by chain 3 only", "Mode 2, with 0.125", "missed it");
    ckam_review_free(r);
    made_free(&m);
}

static void values_that_are_not_finite(void **state) {
    (void)state;
    made m = made_model("gaussian:dim=3", 4, 100, 0.0, 1);
    made_at(&m, 17)[1] = (double)NAN;
    made_at(&m, 18)[2] = HUGE_VAL;
    made_at(&m, 19)[2] = HUGE_VAL;
    ckam_review *r = review_of(&m);
    assert_found(r, CKAM_PROBLEM, "not finite",
                 "2 of 3 parameters have values that are not finite (3 in all; the first is x.2)", "Leave those rows");
    assert_int_equal(r->modes, 0);
    assert_true(isnan(r->multi_ess));
    ckam_review_free(r);
    made_free(&m);
}

static void what_does_not_move(void **state) {
    (void)state;
    made m = made_model("gaussian:dim=3", 4, 200, 0.0, 1);
    for (size_t i = 0; i < 800; i++) made_at(&m, i)[0] = 7.0;
    for (size_t i = 600; i < 800; i++) memcpy(made_at(&m, i), made_at(&m, 600), 3 * sizeof *m.x);
    ckam_review *r = review_of(&m);
    assert_found(r, CKAM_PROBLEM, "never moved", "1 of 4 chains never moved (4)", "step-size");
    assert_found(r, CKAM_NOTE, "constant", "1 of 3 parameters are constant (the first is x.1)", "depend");
    ckam_review_free(r);
    made_free(&m);
    m = made_room(2, 50, 2, 1); /* nothing moves at all */
    r = review_of(&m);
    assert_found(r, CKAM_PROBLEM, "never moved", "2 of 2 chains never moved (1 and 2)", "step-size");
    assert_int_equal(r->modes, 0);
    ckam_review_free(r);
    made_free(&m);
}

static void few_rows(void **state) {
    (void)state;
    for (size_t rows = 1; rows <= 8; rows++) {
        made         m = made_model("gaussian:dim=2", 2, rows, 0.0, 1);
        ckam_review *r = review_of(&m);
        if (rows < 4) assert_true(isnan(r->summary[0].rhat) && isnan(r->multi_ess));
        if (rows < 6) {
            assert_found(r, CKAM_PROBLEM, "Rows of a chain", "need 6", "--draws");
            assert_true(isnan(r->summary[0].ess_bulk) && isnan(r->summary[0].mcse_mean));
        } else {
            assert_null(find_in(r->finding, r->findings, "Rows of a chain"));
            assert_false(isnan(r->summary[0].ess_bulk) || isnan(r->summary[0].mcse_mean));
        }
        assert_int_equal(r->modes, 0);
        ckam_review_free(r);
        made_free(&m);
    }
}

/* A density with no finite integral is followed to the ends of all numbers; its quantiles are still numbers. */
static void draws_without_end(void **state) {
    (void)state;
    made m = made_model("gaussian:dim=2", 2, 500, 0.0, 1);
    for (size_t i = 0; i < 1000; i++) made_at(&m, i)[1] = 1.7e308 + 1e306 * made_at(&m, i)[1];
    ckam_review *r = review_of(&m);
    assert_found(r, CKAM_PROBLEM, "beyond 1e150",
                 "1 of 2 parameters have draws beyond 1e150 (the first is x.2, with 1.7", "1/2 is 0");
    assert_true(isfinite(r->summary[1].median));
    ckam_review_free(r);
    made_free(&m);
}

/* The share of rows of a parameter that are cut to its last number before a bound: 1 in 100 is noticed, where as many come near to
 * it; not so where it is a chain that stands there, a whole number, or one of a parameter that has steps everywhere, and where no
 * other number is near: a jump that leads back, or numbers that are cut to a limit. */
static void draws_at_a_bound(void **state) {
    (void)state;
    const double edge = 1.0 - 0x1p-53;
    for (int kind = 0; kind < 5; kind++) {
        made m = made_model("gaussian:dim=2", 2, 5000, 0.0, 1);
        for (size_t i = 0; i < 10000; i++) {
            double *x = made_at(&m, i);
            x[0] = fmin(0.3 * x[0], 0.9);
            if (kind == 3) x[0] = 0.1 * rint(10.0 * x[0]) + 0.05;
            if (kind < 3 && i % 100 == 8) x[0] = edge - 0x1p-53 * exp2((double)(i / 100 % 30));
            if (kind == 1 ? i >= 4900 && i < 5000 : i % 100 == 7) x[0] = kind == 2 ? 1.0 : edge;
            if (x[0] == 0.9) x[0] -= 1e-6 * (double)i; /* that is another end */
        }
        ckam_review *r = review_of(&m);
        if (kind == 0)
            assert_found(r, CKAM_PROBLEM, "the last number before a bound", "x.1 = 0.99999999999999989 100 times",
                         "distance from the bound");
        else
            assert_null(find_in(r->finding, r->findings, "the last number before a bound"));
        ckam_review_free(r);
        made_free(&m);
    }
}

/* The rows of chain 2 from 1000 on repeat one. */
static made made_stuck(size_t length, double hold, uint64_t seed) {
    made m = made_model("gaussian:dim=2", 4, 2500, hold, seed);
    for (size_t row = 1; row < length; row++) {
        memcpy(made_at(&m, 2500 + 1000 + row), made_at(&m, 3500), 2 * sizeof *m.x);
        m.log_density[3500 + row] = m.log_density[3500];
    }
    return m;
}

/* A chain that keeps its place with probability 0.75 stands still for about 24 rows at most; one that is caught for 185 is named,
 * and one whose parameters stand but not its lp__ is not. False alarms: 1e-4 of a run, 50 runs. */
static void a_chain_that_is_caught(void **state) {
    (void)state;
    made         m = made_stuck(185, 0.75, 1);
    ckam_review *r = review_of(&m);
    assert_found(r, CKAM_PROBLEM, "Chain 2 stood still for 1", "rows, from row", "non-centred");
    ckam_review_free(r);
    for (size_t row = 1; row < 185; row++) m.log_density[3500 + row] += (double)row;
    r = review_of(&m);
    assert_null(find_in(r->finding, r->findings, "stood still"));
    ckam_review_free(r);
    made_free(&m);
    for (uint64_t seed = 1; seed <= 50; seed++) {
        m = made_stuck(seed % 2 ? 1 : 40, 0.75, seed); /* 40 is long, but less than 7 % of the squares of all stays */
        r = review_of(&m);
        assert_null(find_in(r->finding, r->findings, "stood still"));
        ckam_review_free(r);
        made_free(&m);
    }
}

/* Shifted in one chain by half a standard deviation (of chi-square / 2 with 2 degrees of freedom: 1), lp__ has an R-hat of about
 * 1.045; the parameters agree. And a tail of lp__ that moves slowly. */
static void the_log_density_counts(void **state) {
    (void)state;
    made m = made_model("gaussian:dim=2", 4, 2000, 0.0, 1);
    for (size_t i = 0; i < 2000; i++) m.log_density[i] -= 0.5;
    ckam_review *r = review_of(&m);
    assert_less(1.02, r->log_density.rhat);
    assert_less(r->log_density.rhat, 1.08);
    assert_found(r, CKAM_PROBLEM, "R-hat is above 1.01 for lp__; the worst is lp__, the log density, with 1.0",
                 "tails or regions", "Run longer");
    ckam_review_free(r);
    for (size_t i = 0; i < 8000; i++) m.log_density[i] -= i < 2000 ? -0.5 : 0.0;
    for (size_t i = 0; i < 8000; i++)
        m.log_density[i] -= i % 1000 < 80 ? 30.0 : 0.0; /* for 80 rows, twice in a chain */
    r = review_of(&m);
    assert_found(r, CKAM_PROBLEM, "effective sample size", "for lp__; the worst is lp__, the log density, with",
                 "--draws=");
    ckam_review_free(r);
    m.log_density[17] = HUGE_VAL;
    m.log_density[18] = (double)NAN;
    r = review_of(&m);
    assert_found(r, CKAM_PROBLEM, "lp__, the log density, is not finite in 2 of 8000 rows", "density is 0",
                 "leave those");
    assert_int_equal(r->modes, 1);
    ckam_review_free(r);
    for (size_t i = 0; i < 8000; i++) m.log_density[i] = 1.0;
    r = review_of(&m);
    assert_found(r, CKAM_NOTE, "lp__, the log density, is the same in all rows", "flat", "uniform");
    ckam_review_free(r);
    made_free(&m);
}

/* Above 2^43 the unit in the last place is 0.002, above 2^46 0.016. */
static void a_log_density_without_digits(void **state) {
    static const double constants[] = {0.0, 1e9, -1e12, 0x1.8p43, -0x1.8p46, 1e17};
    (void)state;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        made m = made_model("gaussian:dim=2", 4, 1000, 0.0, 1);
        for (size_t row = 0; row < 4000; row++) m.log_density[row] += constants[i];
        ckam_review *r = review_of(&m);
        if (i < 3)
            assert_null(find_in(r->finding, r->findings, "lost in rounding"));
        else
            assert_found(r, i == 3 ? CKAM_NOTE : CKAM_PROBLEM, "lost in rounding", "lp__", "Subtract a constant");
        ckam_review_free(r);
        made_free(&m);
    }
}

/* `late` of the rows of all chains are in one mode; after that both have the same weight. */
static made made_late(size_t late, double weight, uint64_t seed) {
    made m = made_room(4, 2000, 2, seed);
    for (size_t i = 0; i < 8000; i++) {
        rng_normals(&m.random, 2, made_at(&m, i));
        if (i % 2000 >= late && rng_uniform(&m.random) < weight) made_at(&m, i)[0] += 20.0;
    }
    return m;
}

static void a_mode_that_is_found_late(void **state) {
    (void)state;
    made         m = made_late(1900, 0.5, 1);
    ckam_review *r = review_of(&m);
    assert_int_equal(r->modes, 2);
    assert_found(r, CKAM_PROBLEM, "Mode 2, with 0.02", "no draw in the first 95 % of any chain", "--warmup=3800");
    ckam_review_free(r);
    made_free(&m);
    m = made_late(0, 0.03, 1); /* as small a weight, all the time */
    r = review_of(&m);
    assert_int_equal(r->modes, 2);
    assert_int_equal(r->findings, 0);
    ckam_review_free(r);
    made_free(&m);
}

static void one_chain(void **state) {
    (void)state;
    made         m = made_model("gaussian:dim=2", 1, 2000, 0.0, 1);
    ckam_review *r = review_of(&m);
    assert_found(r, CKAM_NOTE, "one chain", "halves", "--chains=4");
    assert_int_equal(r->findings, 1);
    ckam_review_free(r);
    made_free(&m);
}

/* What files can show and an array cannot, and the longest texts: names of 100 letters, numbers of 20 digits. */
static void rules_of_shape(void **state) {
    (void)state;
    char               long_name[101];
    const char        *names[] = {long_name};
    const bool         moved[3] = {false, false, false};
    const uint64_t     visits[3] = {0, 1, 0};
    const double       number = 0.0;
    ckam_mode          modes[50];
    const ckam_summary summary = {.rhat = 1e300, .ess_bulk = 1e-12, .ess_tail = 2.0};
    ckam_review r = {.chains = 3, .rows = 100, .parameters = 1, .names = names, .summary = &summary, .modes = 50};
    r.log_density = (ckam_summary){.rhat = 2e300, .ess_bulk = 1e-12, .ess_tail = 2.0, .median = -1.234e300};
    ckam_draws_shape   shape = {.rows = 100, .stride = 2, .shortest = UINT64_MAX - 1, .longest = UINT64_MAX};
    const review_facts facts = {.review = &r,
                                .shape = &shape,
                                .moved = moved,
                                .constant = 1,
                                .undefined = 1,
                                .undefined_values = UINT64_MAX,
                                .huge = 1,
                                .hugest = -1.7976931348623157e308,
                                .edges = SIZE_MAX,
                                .edge = -1.7976931348623157e308,
                                .edge_rows = SIZE_MAX,
                                .density_undefined = UINT64_MAX,
                                .density_constant = true,
                                .stuck = {SIZE_MAX, 1000000, SIZE_MAX - 1, 0.000123},
                                .doubts = {50, 49, 0.99999, 50, 49, 1.23e-5, 0.99999}};
    ckam_finding       finding[FINDINGS_MOST];
    memset(long_name, 'n', 100);
    long_name[100] = 0;
    for (size_t j = 0; j < 50; j++)
        modes[j] = (ckam_mode){.weight = 1.0, .centre = &number, .spread = &number, .visits = visits, .arrivals = 9};
    r.mode = modes;
    for (uint64_t crossings = 0; crossings < 2; crossings++) {
        r.crossings = crossings;
        size_t count = findings_make(&facts, finding);
        assert_non_null(find_in(finding, count, "only the first 18446744073709551614 of each"));
        assert_non_null(find_in(finding, count, "One row in 2 was used"));
        assert_non_null(find_in(finding, count, "50 modes, the most"));
        assert_non_null(find_in(finding, count, crossings ? "only 1 times" : "no chain went"));
        assert_null(find_in(finding, count, "entered"));
        assert_null(find_in(finding, count, "the error is too small"));
        assert_non_null(find_in(finding, count, "stood still for 18446744073709551615 rows"));
        assert_non_null(find_in(finding, count, "found late"));
        assert_non_null(
            find_in(finding, count, "R-hat is above 1.01 for 1 of 1 parameters and lp__; the worst is lp__"));
    }
    r.crossings = 490; /* enough in all; and the longest of this note */
    modes[0].arrivals = modes[1].arrivals = 10;
    modes[2].weight = 0.000123456;
    size_t count = findings_make(&facts, finding);
    assert_non_null(
        find_in(finding, count, "Mode 3, with 0.000123 +- 0 of the weight, was entered only 9 times; 48 of 50"));
    assert_null(find_in(finding, count, "only 490 times"));
    assert_non_null(find_in(finding, count, "the error is too small"));
    assert_int_equal(find_in(finding, count, "was entered only")->severity, CKAM_NOTE);
    for (size_t j = 0; j < 50; j++) modes[j].mcse = 0.0501234; /* which matters */
    count = findings_make(&facts, finding);
    assert_int_equal(find_in(finding, count, "was entered only")->severity, CKAM_PROBLEM);
    for (size_t j = 0; j < 50; j++) modes[j].arrivals = 10;
    count = findings_make(&facts, finding);
    assert_null(find_in(finding, count, "entered"));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_clean_set),
                                       cmocka_unit_test(without_log_density_it_is_nan),
                                       cmocka_unit_test(multi_ess_is_thinned),
                                       cmocka_unit_test(chains_that_disagree),
                                       cmocka_unit_test(few_effective_draws),
                                       cmocka_unit_test(modes_that_are_not_left),
                                       cmocka_unit_test(modes_that_are_seldom_left),
                                       cmocka_unit_test(a_mode_of_one_chain),
                                       cmocka_unit_test(values_that_are_not_finite),
                                       cmocka_unit_test(what_does_not_move),
                                       cmocka_unit_test(few_rows),
                                       cmocka_unit_test(draws_without_end),
                                       cmocka_unit_test(draws_at_a_bound),
                                       cmocka_unit_test(a_chain_that_is_caught),
                                       cmocka_unit_test(the_log_density_counts),
                                       cmocka_unit_test(a_log_density_without_digits),
                                       cmocka_unit_test(a_mode_that_is_found_late),
                                       cmocka_unit_test(one_chain),
                                       cmocka_unit_test(rules_of_shape)};
    return cmocka_run_group_tests_name("review", tests, NULL, NULL);
}
