/* test_run_modes.c - the figure of modes and moves, against the columns that it shows. */
#include "made_figures.h"
#include "made_files.h"

enum { ROWS = 600 };

/* Chains with modes 1 ... `modes`, moves 1 ... 6 and acceptances; the values are yours to free. */
typedef struct told {
    made        m;
    made_column column[4];
} told;

static told tell(size_t chains, size_t modes) {
    told t = {.m = made_room(chains, ROWS, 1, 3),
              .column = {{"accept_stat__", NULL}, {"mode__", NULL}, {"move__", NULL}}};
    for (size_t k = 0; k < 3; k++) t.column[k].values = made_values(&t.m);
    for (size_t i = 0; i < chains * ROWS; i++) {
        double move = 1.0 + (double)rng_below(&t.m.random, 6);
        t.m.x[i] = rng_normal(&t.m.random);
        t.column[0].values[i] = rng_uniform(&t.m.random) / move;
        t.column[1].values[i] = i % ROWS == 7 ? (double)modes : 1.0 + (double)rng_below(&t.m.random, modes);
        t.column[2].values[i] = move;
    }
    return t;
}

static void forget(told *t) {
    for (size_t k = 0; k < 3; k++) free(t->column[k].values);
    made_free(&t->m);
}

static void dots_are_the_modes(void **unused) {
    (void)unused;
    told        t = tell(2, 3);
    ckam_draws *draws = made_opened(&t.m, t.column);
    run_facts   facts = {.draws = draws};
    figure     *whole = figure_of(&facts, "modes", 0, 0, 1000), *thinned = figure_of(&facts, "modes", 0, 0, 200);
    assert_int_equal(whole->panels, 3);
    for (size_t chain = 0; chain < 2; chain++) {
        const double *modes = t.column[1].values + chain * ROWS;
        const mark   *a = find_mark(whole, chain, MARK_DOTS, 0), *b = find_mark(thinned, chain, MARK_DOTS, 0);
        const axis   *y = &whole->panel[chain].y;
        assert_int_equal(a->count, ROWS);
        assert_int_equal(b->count, 200);
        assert_int_equal(a->colour, (int)chain);
        for (size_t i = 0; i < ROWS; i++) assert_true(a->x[i] == (double)(i + 1) && a->y[i] == modes[i]);
        for (size_t i = 0; i < 200; i++) {
            assert_in_range((size_t)b->x[i] - 1, 3 * i, 3 * i + 2);
            assert_true(b->y[i] == modes[(size_t)b->x[i] - 1]);
        }
        assert_true(y->low == 0.5 && y->high == 3.5);
        assert_int_equal(y->names, 4);
        assert_string_equal(y->name[3], "3");
    }
    assert_null(strstr(whole->caption, "About"));
    assert_non_null(strstr(thinned->caption, "About one draw in 3 is shown."));
    figure_free(whole);
    figure_free(thinned);
    ckam_draws_free(draws);
    forget(&t);
}

static void bars_are_the_moves(void **unused) {
    (void)unused;
    told        t = tell(2, 3);
    ckam_draws *draws = made_opened(&t.m, t.column);
    run_facts   facts = {.draws = draws};
    figure     *f = figure_of(&facts, "modes", 0, 0, 100);
    const mark *share = find_mark(f, 2, MARK_BARS, 0), *accepted = find_mark(f, 2, MARK_BARS, 1);
    assert_int_equal(share->count, 6);
    for (size_t kind = 0; kind < 6; kind++) {
        double count = 0.0, sum = 0.0, middle = 0.5 * (share->low[kind] + accepted->high[kind]);
        for (size_t i = 0; i < (size_t)2 * ROWS; i++) {
            if (t.column[2].values[i] != (double)(kind + 1)) continue;
            count += 1.0;
            sum += t.column[0].values[i];
        }
        assert_close(share->y[kind], count / (2.0 * ROWS), 1e-12);
        assert_close(accepted->y[kind], sum / count, 1e-12);
        assert_close(middle, (double)kind, 1e-12);
        assert_true(share->high[kind] <= accepted->low[kind]);
    }
    assert_string_equal(f->panel[2].x.name[0], "local");
    assert_string_equal(f->panel[2].x.name[2], "independent");
    assert_string_equal(f->panel[2].x.name[3], "carried");
    assert_string_equal(f->panel[2].x.name[4], "move 5");
    figure_free(f);
    ckam_draws_free(draws);
    forget(&t);
}

/* Of many chains the first 8; of many modes numbers in place of names. Without moves there is no panel for them. */
static void many_chains_and_modes(void **unused) {
    (void)unused;
    told t = tell(9, 40);
    t.column[2].name = NULL;
    ckam_draws *draws = made_opened(&t.m, t.column);
    run_facts   facts = {.draws = draws};
    figure     *f = figure_of(&facts, "modes", 0, 0, 100);
    assert_int_equal(f->panels, 8);
    assert_int_equal(f->panel[0].y.names, 0);
    assert_close(f->panel[0].y.high, 40.5, 0.0);
    assert_non_null(strstr(f->caption, "The first 8 of 9 chains."));
    assert_null(strstr(f->caption, "kind of move"));
    figure_free(f);
    ckam_draws_free(draws);
    forget(&t);
}

/* What is no number of a mode or a move is not shown; an acceptance that is none makes the mean none. */
static void odd_values(void **unused) {
    (void)unused;
    static const double odd[] = {-1.0, 0.0, 1e300, -1e300, 0.5};
    told                t = tell(2, 3);
    for (size_t i = 0; i < ROWS; i++) {
        t.column[0].values[i] = (double)NAN;
        t.column[1].values[i] = i % 2 ? odd[i % 5 == 2 ? 0 : i % 5] : (double)NAN;
        t.column[2].values[i] = i % 2 ? odd[i % 5] : (double)NAN;
    }
    ckam_draws *draws = made_opened(&t.m, t.column);
    run_facts   facts = {.draws = draws};
    figure     *f = figure_of(&facts, "modes", 0, 0, 100);
    assert_true(figure_numbers(f) > 0);
    for (size_t i = 0; i < f->panels; i++) {
        double low, high;
        if (panel_range(f->panel + i, true, &low, &high)) assert_true(isfinite(low) && isfinite(high) && low < high);
    }
    figure_free(f);
    ckam_draws_free(draws);
    forget(&t);
}

/* No column, or one of zeros: the sampler names no modes. */
static void draws_without_modes_say_so(void **unused) {
    (void)unused;
    const figure_kind *kind = kind_of("modes");
    told               t = tell(1, 3);
    for (size_t time = 0; time < 2; time++) {
        ckam_error error = {.message = ""};
        figure    *f = NULL;
        if (time == 0)
            memset(t.column[1].values, 0, ROWS * sizeof(double));
        else
            t.column[0].name = NULL;
        ckam_draws *draws = made_opened(&t.m, t.column);
        run_facts   facts = {.draws = draws};
        assert_failure(kind->make(&facts, kind, 0, NULL, 100, &f, &error), CKAM_ERROR_FORMAT, &error, "mode__", "jump");
        assert_null(f);
        ckam_draws_free(draws);
        if (time == 1) t.column[0].name = "accept_stat__";
    }
    forget(&t);
}

/* What the sampler writes is what is shown. */
static void a_run_of_jump(void **unused) {
    (void)unused;
    const char *out = "jumps";
    ckam_draws *draws;
    run_to_end(PAIRS("model", "bimodal", "sampler", "jump", "chains", "2", "seed", "1", "draws", "2000", "format",
                     "csv", "out", out),
               NULL);
    assert_int_equal(ckam_draws_open(&draws, &out, 1, NULL), CKAM_OK);
    run_facts facts = {.draws = draws};
    figure   *f = figure_of(&facts, "modes", 0, 0, 500);
    assert_int_equal(f->panels, 3);
    assert_true(find_mark(f, 0, MARK_DOTS, 0)->count == 500 && find_mark(f, 2, MARK_BARS, 0)->count > 0);
    figure_free(f);
    ckam_draws_free(draws);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dots_are_the_modes),         cmocka_unit_test(bars_are_the_moves),
        cmocka_unit_test(many_chains_and_modes),      cmocka_unit_test(odd_values),
        cmocka_unit_test(draws_without_modes_say_so), cmocka_unit_test(a_run_of_jump)};
    return cmocka_run_group_tests_name("run modes", tests, enter_temporary, leave_temporary);
}
