/* test_run_figures.c - the figures of a run against something that does not share their code: exact densities, plain
 * loops, closed forms; and draws of which nothing can be said.
 *
 * All draws are independent unless a test says otherwise; seeds are fixed. */
#include "made_figures.h"

enum { POINTS = 128 };

static void the_lists_have_the_same_kinds(void **unused) {
    (void)unused;
    const ckam_plot_kind *plot = ckam_plot_list();
    for (const figure_kind *kind = figure_kinds; kind->name; kind++, plot++) {
        assert_string_equal(plot->name, kind->name);
        assert_true(strlen(plot->summary) > 10 && strlen(kind->caption) > 20 && kind->make);
    }
    assert_null(plot->name);
}

/* -- Density ------------------------------------------------------------------------------------------------------ */

/* The L2 distance of each chain's line from the exact one, the largest; every line has the integral 1, and the exact
 * one that of the model between the ends. */
static double density_error(const ckam_model *model, ckam_draws *draws, size_t chains) {
    run_facts   facts = {.draws = draws, .model = model};
    size_t      first = ckam_draws_shape_of(draws)->first;
    figure     *f = figure_of(&facts, "density", 1, first, POINTS);
    const mark *exact = find_mark(f, 0, MARK_LINE, chains);
    double      width = exact->x[1] - exact->x[0], worst = 0.0, total = 0.0;
    assert_int_equal(exact->count, POINTS);
    assert_true(exact->dashed);
    for (size_t i = 0; i < POINTS; i++) total += exact->y[i] * width;
    assert_close(total, ckam_model_probability(model, 0, exact->x[0] - width / 2.0, exact->x[POINTS - 1] + width / 2.0),
                 1e-9);
    for (size_t chain = 0; chain < chains; chain++) {
        const mark *line = find_mark(f, 0, MARK_LINE, chain);
        double      square = 0.0, sum = 0.0;
        for (size_t i = 0; i < POINTS; i++) {
            square += (line->y[i] - exact->y[i]) * (line->y[i] - exact->y[i]) * width;
            sum += line->y[i] * width;
        }
        assert_close(sum, 1.0, 1e-5); /* but for the ends of the kernel */
        worst = fmax(worst, sqrt(square));
    }
    figure_free(f);
    return worst;
}

/* The squared error is a sum over about range / (3 h), more than 15, independent places, of the mean
 * 1 / (2 sqrt(pi) n h) + bias^2, whose root is 0.017 for gaussian, 0.016 for bimodal and 0.008 for grid32. The limits
 * are 2.3 times that and more: that a sum of 15 squares is 5 times its mean has a probability below 1e-8. The twin
 * smears: its draws have noise of about one standard deviation of a mode added, as such a bandwidth would. */
static void densities_are_near_the_exact_ones(void **unused) {
    (void)unused;
    static const struct {
        const char *spec;
        double      limit, noise;
    } cases[] = {{"gaussian:dim=2", 0.04, 1.0}, {"bimodal", 0.04, 1.0}, {"grid32", 0.02, 5.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made        m = made_model(cases[i].spec, 3, 10000, 0.0, 11 + i);
        ckam_model *model = model_of(cases[i].spec);
        ckam_draws *draws = made_draws(&m);
        assert_less(density_error(model, draws, 3), cases[i].limit);
        ckam_draws_free(draws);
        for (size_t k = 0; k < 3 * 10000; k++) made_at(&m, k)[0] += cases[i].noise * rng_normal(&m.random);
        draws = made_draws(&m);
        assert_less(cases[i].limit, density_error(model, draws, 3));
        ckam_draws_free(draws);
        ckam_model_free(model);
        made_free(&m);
    }
}

/* One value of a thousand lies a million away: the others still have most of the picture. */
static void a_far_tail_is_cut_off(void **unused) {
    (void)unused;
    made m = made_model("gaussian:dim=1", 2, 5000, 0.0, 3);
    m.x[17] = 1e6;
    m.x[18] = -1e9;
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    figure     *f = figure_of(&facts, "density", 1, 1, POINTS);
    const mark *line = find_mark(f, 0, MARK_LINE, 0);
    assert_less(line->x[POINTS - 1] - line->x[0], 15.0);
    assert_less(4.0, line->x[POINTS - 1] - line->x[0]);
    assert_non_null(strstr(f->caption, "0.2 %, lie outside."));
    figure_free(f);
    f = figure_of(&facts, "pair", 2, 0, POINTS);
    assert_non_null(strstr(f->caption, "0.2 %, lie outside."));
    figure_free(f);
    f = figure_of(&facts, "density", 1, 0, POINTS); /* lp__, whose draws are near each other */
    assert_null(strstr(f->caption, "outside"));
    figure_free(f);
    ckam_draws_free(draws);
    made_free(&m);
}

/* The caption speaks of exact lines where there are some: of parameters, not of the log density. */
static void captions_name_exact_lines_that_are_there(void **unused) {
    (void)unused;
    ckam_model *model = model_of("gaussian:dim=1");
    made        m = made_model("gaussian:dim=1", 1, 50, 0.0, 1);
    ckam_draws *draws = made_draws(&m);
    for (size_t i = 0; i < 6; i++) {
        run_facts   facts = {.draws = draws, .model = i < 4 ? model : NULL};
        figure     *f = figure_of(&facts, i % 2 ? "mean" : "density", 1, i / 2 == 0 ? 0 : 1, POINTS);
        const char *said = strstr(f->caption, "Dashed");
        assert_int_equal(said != NULL, i / 2 == 1);
        assert_int_equal(f->panel[0].mark[f->panel[0].marks - 1].dashed, i / 2 == 1);
        if (said) assert_null(strstr(said + 1, "Dashed"));
        figure_free(f);
    }
    ckam_draws_free(draws);
    ckam_model_free(model);
    made_free(&m);
}

/* -- Lines -------------------------------------------------------------------------------------------------------- */

static void traces_are_the_draws(void **unused) {
    (void)unused;
    made        m = made_model("gaussian:dim=2", 2, 1000, 0.0, 1);
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    figure     *whole = figure_of(&facts, "trace", 1, 2, 1000), *thinned = figure_of(&facts, "trace", 1, 2, 300);
    for (size_t chain = 0; chain < 2; chain++) {
        const mark *a = find_mark(whole, 0, MARK_LINE, chain), *b = find_mark(thinned, 0, MARK_LINE, chain);
        assert_int_equal(a->count, 1000);
        assert_int_equal(b->count, 250);
        for (size_t i = 0; i < 1000; i++) {
            assert_true(a->y[i] == made_at(&m, chain * 1000 + i)[1] && a->x[i] == (double)(i + 1));
        }
        for (size_t i = 0; i < 250; i++) { /* one of each four */
            assert_in_range((size_t)b->x[i] - 1, 4 * i, 4 * i + 3);
            assert_true(b->y[i] == a->y[(size_t)b->x[i] - 1]);
            assert_true(b->x[i] == find_mark(thinned, 0, MARK_LINE, 0)->x[i]);
        }
    }
    assert_null(strstr(whole->caption, "shown"));
    assert_non_null(strstr(thinned->caption, "About one draw in 4 is shown."));
    figure_free(whole);
    figure_free(thinned);
    ckam_draws_free(draws);
    made_free(&m);
}

enum { CYCLE = 600 };

/* How many places of a cycle are among these numbers, each a place or more than a cycle on. */
static size_t count_places(const double *numbers, size_t count) {
    bool   seen[CYCLE] = {false};
    size_t found = 0;
    for (size_t i = 0; i < count; i++) seen[(size_t)numbers[i] % CYCLE] = true;
    for (size_t i = 0; i < CYCLE; i++) found += seen[i];
    return found;
}

/* Cycles of 600 draws, and as many points as there are cycles: they show places all over the cycle. 100 places at random
 * are 92 different ones, with a standard deviation below 3; of 24, 23.5 and below 1. */
static void thinning_does_not_keep_step_with_cycles(void **unused) {
    (void)unused;
    enum { ROWS = 100 * CYCLE, LAGS = 24 };
    double offsets[LAGS];
    made   m = made_room(2, ROWS, 2, 1);
    for (size_t i = 0; i < 2 * ROWS; i++) {
        made_at(&m, i)[0] = (double)(i % CYCLE);
        made_at(&m, i)[1] = (double)(i % ROWS); /* so that its autocorrelation lasts */
    }
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    figure     *trace = figure_of(&facts, "trace", 1, 0, 100), *pair = figure_of(&facts, "pair", 2, 0, 100);
    figure     *lags = figure_of(&facts, "autocorrelation", 1, 1, LAGS + 1);
    const mark *line = find_mark(trace, 0, MARK_LINE, 1), *dots = find_mark(pair, 1, MARK_DOTS, 1);
    const mark *correlations = find_mark(lags, 0, MARK_LINE, 0);
    assert_int_equal(line->count, 100);
    assert_int_equal(dots->count, 100);
    assert_in_range(count_places(line->y, 100), 75, 100);
    assert_in_range(count_places(dots->y, 100), 75, 100);
    assert_non_null(strstr(trace->caption, "About one draw in 600 is shown."));
    assert_int_equal(correlations->count, LAGS);
    assert_true(correlations->x[0] == 0.0 && correlations->y[0] == 1.0);
    for (size_t i = 0; i < LAGS; i++) offsets[i] = correlations->x[i] - floor((double)i * (ROWS / 4 + 1) / LAGS);
    assert_in_range(count_places(offsets, LAGS), 18, LAGS);
    figure_free(trace);
    figure_free(pair);
    figure_free(lags);
    ckam_draws_free(draws);
    made_free(&m);
}

static void running_means_are_those_of_a_plain_loop(void **unused) {
    (void)unused;
    ckam_model *model = model_of("mixture5");
    made        m = made_model("mixture5", 2, 1003, 0.0, 1);
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws, .model = model};
    double      exact[2];
    figure     *f = figure_of(&facts, "mean", 1, 1, 100);
    for (size_t chain = 0; chain < 2; chain++) {
        const mark *line = find_mark(f, 0, MARK_LINE, chain);
        assert_in_range(line->count, 50, 100);
        assert_close(line->x[line->count - 1], 1003.0, 0.0);
        for (size_t i = 0; i < line->count; i++) {
            double sum = 0.0;
            for (size_t row = 0; row < (size_t)line->x[i]; row++) sum += made_at(&m, chain * 1003 + row)[0];
            assert_relative(line->y[i], sum / line->x[i], 1e-12);
        }
    }
    ckam_model_mean(model, exact);
    assert_true(fabs(exact[0]) > 1.0 && find_mark(f, 0, MARK_RULE, 0)->y[0] == exact[0]);
    assert_true(find_mark(f, 0, MARK_RULE, 0)->dashed);
    figure_free(f);
    ckam_draws_free(draws);
    ckam_model_free(model);
    made_free(&m);
}

/* x_i = phi x_(i-1) + noise has the correlation phi^k. That of n = 40,000 values has a standard error below
 * sqrt((1 + phi^2) / (1 - phi^2) / n) = 0.016 (Bartlett); 6 of them, 0.096, at 60 lags: below 2.4e-7 in all. The twin has
 * another phi. */
static void autocorrelations_of_a_known_series(void **unused) {
    (void)unused;
    enum { ROWS = 40000 };
    const double phi[2] = {0.9, 0.8};
    made         m = made_room(2, ROWS, 1, 5);
    for (size_t i = 0; i < 2 * ROWS; i++)
        m.x[i] = (i % ROWS ? phi[i / ROWS] * m.x[i - 1] : 0.0) + rng_normal(&m.random);
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    figure *f = figure_of(&facts, "autocorrelation", 1, 0, 500), *few = figure_of(&facts, "autocorrelation", 1, 0, 10);
    const mark *slow = find_mark(f, 0, MARK_LINE, 0), *fast = find_mark(f, 0, MARK_LINE, 1);
    double      twin = 0.0;
    assert_in_range(slow->count, 40, 500);
    for (size_t k = 0; k < slow->count; k++) {
        assert_close(slow->x[k], (double)k, 0.0);
        assert_close(slow->y[k], pow(phi[0], (double)k), 0.096);
        assert_close(fast->y[k], pow(phi[1], (double)k), 0.096);
        twin = fmax(twin, fabs(fast->y[k] - pow(phi[0], (double)k)));
    }
    assert_less(0.096, twin);
    assert_close(slow->y[0], 1.0, 1e-12);
    const mark *thinned = find_mark(few, 0, MARK_LINE, 0);
    assert_in_range(thinned->count, 2, 10);
    for (size_t i = 0; i < thinned->count; i++) assert_close(thinned->y[i], slow->y[(size_t)thinned->x[i]], 0.0);
    figure_free(f);
    figure_free(few);
    ckam_draws_free(draws);
    made_free(&m);
}

/* A series that ends far from where it began: the sum over pairs of draws, and no pair of its end and its beginning. */
static void autocorrelations_do_not_wrap_around(void **unused) {
    (void)unused;
    enum { ROWS = 64 };
    made m = made_room(1, ROWS, 1, 1);
    for (size_t i = 0; i < ROWS; i++) m.x[i] = (double)(i * i);
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    figure     *f = figure_of(&facts, "autocorrelation", 1, 0, 500);
    const mark *line = find_mark(f, 0, MARK_LINE, 0);
    double      mean = 0.0, sum[ROWS] = {0};
    for (size_t i = 0; i < ROWS; i++) mean += m.x[i] / ROWS;
    for (size_t lag = 0; lag < line->count; lag++)
        for (size_t i = 0; i + lag < ROWS; i++) sum[lag] += (m.x[i] - mean) * (m.x[i + lag] - mean);
    assert_int_equal(line->count, ROWS / 4 + 1);
    for (size_t lag = 0; lag < line->count; lag++) assert_close(line->y[lag], sum[lag] / sum[0], 1e-12);
    figure_free(f);
    ckam_draws_free(draws);
    made_free(&m);
}

/* Of more draws than are used, the lag is still in draws. */
static void lags_count_all_draws(void **unused) {
    (void)unused;
    enum { ROWS = 1 << 20 };
    made m = made_room(2, ROWS, 1, 5);
    for (size_t i = 0; i < (size_t)2 * ROWS; i++) m.x[i] = (i % ROWS ? 0.97 * m.x[i - 1] : 0.0) + rng_normal(&m.random);
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    double      stride = (double)ckam_draws_shape_of(draws)->stride;
    figure     *f = figure_of(&facts, "autocorrelation", 1, 0, 500), *trace = figure_of(&facts, "trace", 1, 0, 1000);
    const mark *line = find_mark(f, 0, MARK_LINE, 0), *values = find_mark(trace, 0, MARK_LINE, 0);
    assert_true(stride > 1.0);
    for (size_t i = 0; i < line->count; i++) {
        assert_close(line->x[i], stride * (double)i, 0.0);
        assert_close(line->y[i], pow(0.97, line->x[i]), 0.05); /* 5 standard errors of below 0.008 */
    }
    for (size_t i = 0; i < values->count; i++) assert_true(values->y[i] == m.x[(size_t)values->x[i] - 1]);
    figure_free(f);
    figure_free(trace);
    ckam_draws_free(draws);
    made_free(&m);
}

/* -- Ranks -------------------------------------------------------------------------------------------------------- */

enum { BINS = 20 };

/* The chi-square statistic of the bars of all panels against what the rule says. */
static double rank_statistic(const made *m, double *total) {
    ckam_draws *draws = made_draws(m);
    run_facts   facts = {.draws = draws};
    figure     *f = figure_of(&facts, "rank", 1, 0, POINTS);
    double      statistic = 0.0;
    *total = 0.0;
    assert_int_equal(f->panels, m->chains);
    for (size_t chain = 0; chain < m->chains; chain++) {
        const mark *bars = find_mark(f, chain, MARK_BARS, 0), *band = find_mark(f, chain, MARK_BAND, 0);
        double      expected = find_mark(f, chain, MARK_RULE, 0)->y[0];
        assert_close(expected, (double)m->rows / BINS, 1e-9);
        assert_close(band->high[0] - expected, 2.0 * sqrt((double)m->rows * 0.05 * 0.95), 1e-9);
        for (size_t bin = 0; bin < BINS; bin++) {
            statistic += (bars->y[bin] - expected) * (bars->y[bin] - expected) / expected;
            *total += bars->y[bin];
        }
    }
    figure_free(f);
    ckam_draws_free(draws);
    return statistic;
}

/* The columns of the table of chains and bins have fixed sums too: (chains - 1) (bins - 1) degrees of freedom, 57 here.
 * False alarms: 1e-6. The twin: one chain is shifted by a tenth of a standard deviation. */
static void ranks_of_independent_draws_are_level(void **unused) {
    (void)unused;
    double total;
    made   m = made_model("gaussian:dim=1", 4, 10000, 0.0, 2);
    free(m.log_density);
    m.log_density = NULL;
    assert_less(1e-6, chi_square_tail(rank_statistic(&m, &total), 57.0));
    assert_close(total, 40000.0, 1e-9);
    for (size_t i = 0; i < 10000; i++) m.x[i] += 0.1;
    assert_less(chi_square_tail(rank_statistic(&m, &total), 57.0), 1e-6);
    made_free(&m);
}

/* Each chain has 3 x 1 and 1 x 2, so that ranks 1 to 6 are shared by the ones: every chain is level, whatever the
 * order. Then one chain has only twos: it fills the upper half of the ranks, and no more. */
static void equal_draws_share_their_ranks(void **unused) {
    (void)unused;
    double total;
    made   m = made_room(2, 4, 1, 1);
    for (size_t i = 0; i < 8; i++) m.x[i] = i % 4 == 2 ? 2.0 : 1.0;
    assert_close(rank_statistic(&m, &total), 0.0, 1e-12);
    assert_close(total, 8.0, 1e-12);
    for (size_t i = 0; i < 8; i++) m.x[i] = i < 4 ? 1.0 : 2.0;
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    figure     *f = figure_of(&facts, "rank", 1, 0, POINTS);
    for (size_t bin = 0; bin < BINS; bin++) {
        assert_close(find_mark(f, 0, MARK_BARS, 0)->y[bin], bin < 10 ? 0.4 : 0.0, 1e-12);
        assert_close(find_mark(f, 1, MARK_BARS, 0)->y[bin], bin < 10 ? 0.0 : 0.4, 1e-12);
    }
    figure_free(f);
    ckam_draws_free(draws);
    made_free(&m);
}

/* -- Pairs -------------------------------------------------------------------------------------------------------- */

static void pairs_count_every_draw(void **unused) {
    (void)unused;
    made        m = made_model("gaussian:dim=3", 2, 500, 0.0, 4);
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    figure     *f = figure_of(&facts, "pair", 3, 1, 50);
    assert_int_equal(f->panels, 9);
    assert_int_equal(f->across, 3);
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < i; j++) {
            const mark *cells = find_mark(f, 3 * i + j, MARK_CELLS, 0), *dots = find_mark(f, 3 * j + i, MARK_DOTS, 1);
            double      counted = 0.0;
            for (size_t z = 0; z < cells->columns * cells->rows; z++)
                if (isfinite(cells->z[z])) counted += cells->z[z];
            assert_close(counted, 1000.0, 0.0);
            /* one cell by hand: where the first draw is */
            size_t column = (size_t)((made_at(&m, 0)[j] - cells->x0) / cells->width);
            size_t row = (size_t)((made_at(&m, 0)[i] - cells->y0) / cells->height), here = 0;
            for (size_t k = 0; k < 1000; k++)
                here += column == (size_t)((made_at(&m, k)[j] - cells->x0) / cells->width) &&
                        row == (size_t)((made_at(&m, k)[i] - cells->y0) / cells->height);
            assert_close(cells->z[row * cells->columns + column], (double)here, 0.0);
            assert_int_equal(dots->count, 50);
            for (size_t k = 0; k < 50; k++) { /* one of each ten */
                size_t at = 500 + 10 * k, end = at + 10;
                while (at < end && made_at(&m, at)[i] != dots->x[k]) at++;
                assert_true(at < end && dots->y[k] == made_at(&m, at)[j]);
            }
        }
    assert_int_equal(f->panel[4].mark[0].kind, MARK_LINE);
    figure_free(f);
    ckam_draws_free(draws);
    made_free(&m);
    ckam_error   error = {.message = ""};
    const size_t columns[7] = {0};
    assert_failure(kind_of("pair")->make(&facts, kind_of("pair"), 7, columns, 50, &f, &error), CKAM_ERROR_ARGUMENT,
                   &error, "7", "6");
}

/* -- Draws of which nothing can be said ---------------------------------------------------------------------------- */

/* Every kind gives a figure, without infinite or backward axes, whatever the values are. */
static void try_all(const made *m, const char *const *with_data) {
    ckam_draws *draws = made_draws(m);
    run_facts   facts = {.draws = draws};
    for (const figure_kind *kind = figure_kinds; kind->name; kind++) {
        if (!strcmp(kind->name, "steps") || !strcmp(kind->name, "modes")) continue;
        figure *f = figure_of(&facts, kind->name, kind->by_parameter ? 1 : 2, 0, 50);
        bool    wanted = false;
        for (const char *const *name = with_data; *name; name++) wanted = wanted || !strcmp(*name, kind->name);
        if ((figure_numbers(f) > 0) != wanted) fail_msg("%s: %zu numbers", kind->name, figure_numbers(f));
        for (size_t i = 0; i < f->panels; i++) {
            double low, high;
            for (int vertical = 0; vertical < 2; vertical++)
                if (panel_range(f->panel + i, vertical, &low, &high))
                    assert_true(isfinite(low) && isfinite(high) && low < high);
            for (size_t k = 0; k < f->panel[i].marks; k++) assert_true(f->panel[i].mark[k].count <= 64);
        }
        figure_free(f);
    }
    ckam_draws_free(draws);
}

static void odd_values_break_nothing(void **unused) {
    (void)unused;
    static const char *const all[] = {"density", "trace", "rank", "mean", "autocorrelation", "pair", NULL};
    static const char *const still[] = {"density", "trace", "rank", "mean", "pair", NULL};
    static const char *const broken[] = {"density", "trace", "rank", "pair", NULL};
    static const char *const ranks[] = {"rank", NULL};
    static const char *const extreme[] = {"trace", "rank", "mean", "pair", NULL}; /* no grid, and squares overflow */
    made                     m = made_room(2, 1, 2, 1);
    try_all(&m, still); /* a single row */
    made_free(&m);
    m = made_room(1, 40, 2, 1);
    try_all(&m, still); /* constant, 0 */
    for (size_t i = 0; i < 80; i++) m.x[i] = 1e300;
    try_all(&m, still);
    for (size_t i = 0; i < 80; i++) m.x[i] = (double)NAN;
    try_all(&m, ranks);
    for (size_t i = 0; i < 80; i++) m.x[i] = i % 4 ? (double)i : (double)NAN;
    try_all(&m, broken);
    for (size_t i = 0; i < 80; i++) m.x[i] = i % 3 ? (double)i : HUGE_VAL;
    try_all(&m, broken);
    for (size_t i = 0; i < 80; i++) m.x[i] = i % 4 < 2 ? 1.7e308 : -1.7e308;
    try_all(&m, extreme);
    for (size_t i = 0; i < 80; i++) m.x[i] = i % 4 < 2 ? 5e-324 : 0.0;
    try_all(&m, extreme);
    for (size_t i = 0; i < 80; i++) m.x[i] = 1e15 + (double)(i % 8);
    try_all(&m, all);
    made_free(&m);
}

/* One chain has no number at all: its line is broken, the other's is whole. */
static void a_chain_of_nothing(void **unused) {
    (void)unused;
    made m = made_model("gaussian:dim=1", 2, 400, 0.0, 1);
    for (size_t i = 0; i < 400; i++) m.x[i] = (double)NAN;
    ckam_draws *draws = made_draws(&m);
    run_facts   facts = {.draws = draws};
    figure     *f = figure_of(&facts, "density", 1, 1, POINTS);
    for (size_t i = 0; i < POINTS; i++) {
        assert_true(isnan(find_mark(f, 0, MARK_LINE, 0)->y[i]));
        assert_true(find_mark(f, 0, MARK_LINE, 1)->y[i] >= 0.0);
    }
    figure_free(f);
    ckam_draws_free(draws);
    made_free(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_lists_have_the_same_kinds),
                                       cmocka_unit_test(densities_are_near_the_exact_ones),
                                       cmocka_unit_test(a_far_tail_is_cut_off),
                                       cmocka_unit_test(captions_name_exact_lines_that_are_there),
                                       cmocka_unit_test(traces_are_the_draws),
                                       cmocka_unit_test(thinning_does_not_keep_step_with_cycles),
                                       cmocka_unit_test(running_means_are_those_of_a_plain_loop),
                                       cmocka_unit_test(autocorrelations_of_a_known_series),
                                       cmocka_unit_test(autocorrelations_do_not_wrap_around),
                                       cmocka_unit_test(lags_count_all_draws),
                                       cmocka_unit_test(ranks_of_independent_draws_are_level),
                                       cmocka_unit_test(equal_draws_share_their_ranks),
                                       cmocka_unit_test(pairs_count_every_draw),
                                       cmocka_unit_test(odd_values_break_nothing),
                                       cmocka_unit_test(a_chain_of_nothing)};
    return cmocka_run_group_tests_name("run figures", tests, NULL, NULL);
}
