/* test_figure.c - figures as data: what a panel spans, how many numbers a figure shows, and no memory. */
#include "support.h"

#include "report/figure.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- Allocations that are refused: see tests/CMakeLists.txt ------------------------------------------------------- */

void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
char *__real_strdup(const char *text);

static size_t left = SIZE_MAX; /* so many are granted */
static size_t refusals;

static bool granted(void) {
    bool grant = left > 0;
    left -= grant;
    refusals += !grant;
    return grant;
}

void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
char *__wrap_strdup(const char *text);
void *__wrap_calloc(size_t count, size_t size) { return granted() ? __real_calloc(count, size) : NULL; }
void *__wrap_realloc(void *memory, size_t size) { return granted() ? __real_realloc(memory, size) : NULL; }
char *__wrap_strdup(const char *text) { return granted() ? __real_strdup(text) : NULL; }

/* -- Ranges ------------------------------------------------------------------------------------------------------- */

static figure *one_panel(panel **p) {
    figure *f = figure_create("name", "title", "caption", 1);
    assert_non_null(f);
    *p = figure_panel(f, 0, "panel", "x", "y");
    return f;
}

static mark *add(figure *f, panel *p, mark_kind kind, size_t count) {
    mark *m = panel_mark(f, p, kind, NULL, 0, count);
    assert_non_null(m);
    return m;
}

static void assert_range(const panel *p, bool vertical, double low, double high) {
    double found_low, found_high;
    assert_true(panel_range(p, vertical, &found_low, &found_high));
    assert_close(found_low, low, 1e-15);
    assert_close(found_high, high, 1e-15);
}

static void a_figure_has_its_texts_and_defaults(void **unused) {
    (void)unused;
    figure *f = figure_create("name", NULL, "caption", 2);
    assert_non_null(f);
    assert_string_equal(f->name, "name");
    assert_string_equal(f->title, "");
    assert_string_equal(f->caption, "caption");
    assert_int_equal(f->panels, 2);
    assert_int_equal(f->across, 1);
    assert_null(f->parameter);
    assert_false(f->small || f->failed || f->panel[1].equal || f->panel[1].x.logarithmic);
    assert_true(isnan(f->panel[1].x.low) && isnan(f->panel[1].y.high));
    assert_string_equal(f->panel[1].y.label, "");
    figure_panel(f, 1, "one", "a", "b");
    assert_string_equal(f->panel[1].title, "one");
    assert_string_equal(f->panel[1].x.label, "a");
    figure_free(f);
    figure_free(NULL);
}

static void marks_have_the_arrays_of_their_kind(void **unused) {
    (void)unused;
    panel  *p;
    figure *f = one_panel(&p);
    mark   *m = panel_mark(f, p, MARK_DOTS, "dots", 3, 4);
    assert_string_equal(m->name, "dots");
    assert_int_equal(m->colour, 3);
    assert_int_equal(m->count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_true(m->x[i] == 0.0 && m->y[i] == 0.0);
        assert_true(isnan(m->low[i]) && isnan(m->high[i]));
    }
    m = add(f, p, MARK_RULE, 1);
    assert_true(isnan(m->x[0]) && isnan(m->y[0]) && !m->low && !m->name);
    m = add(f, p, MARK_BAND, 0);
    assert_true(m->x && m->low && m->high && !m->y);
    m = add(f, p, MARK_SPANS, 2);
    assert_true(!m->x && m->low[1] == 0.0 && m->high[1] == 0.0 && !m->y);
    m = panel_cells(f, p, 3, 2);
    assert_true(m->columns == 3 && m->rows == 2 && m->z[5] == 0.0 && !m->x);
    assert_int_equal(p->marks, 5);
    figure_free(f);
}

static void a_range_is_that_of_finite_numbers(void **unused) {
    (void)unused;
    const double x[] = {1.0, (double)NAN, 3.0, HUGE_VAL, 2.0}, y[] = {5.0, 100.0, -HUGE_VAL, 7.0, 6.0};
    double       low, high;
    panel       *p;
    figure      *f = one_panel(&p);
    assert_false(panel_range(p, false, &low, &high));
    mark *m = add(f, p, MARK_LINE, 5);
    memcpy(m->x, x, sizeof x);
    memcpy(m->y, y, sizeof y);
    assert_range(p, false, 1.0, 3.0);
    assert_range(p, true, 5.0, 100.0);
    p->y.low = -1.0;
    assert_range(p, true, -1.0, 100.0);
    p->y.high = 50.0;
    assert_range(p, true, -1.0, 50.0);
    p->x.low = 4.0; /* beyond all numbers */
    assert_false(panel_range(p, false, &low, &high));
    figure_free(f);
}

static void each_kind_spans_what_it_covers(void **unused) {
    (void)unused;
    panel  *p;
    figure *f = one_panel(&p);
    mark   *m = add(f, p, MARK_BARS, 1);
    m->low[0] = 2.0;
    m->high[0] = 3.0;
    m->y[0] = 7.0;
    assert_range(p, false, 2.0, 3.0);
    assert_range(p, true, 0.0, 7.0);
    m = add(f, p, MARK_DOTS, 1);
    m->x[0] = 4.0;
    m->y[0] = 8.0;
    assert_range(p, true, 0.0, 8.0);
    m->low[0] = -1.0;
    m->high[0] = 9.0;
    assert_range(p, false, 2.0, 4.0);
    assert_range(p, true, -1.0, 9.0);
    m = add(f, p, MARK_BAND, 1);
    m->x[0] = 5.0;
    m->low[0] = -2.0;
    m->high[0] = 10.0;
    assert_range(p, false, 2.0, 5.0);
    assert_range(p, true, -2.0, 10.0);
    m = add(f, p, MARK_SPANS, 1);
    m->low[0] = -100.0;
    m->high[0] = 100.0;
    m = add(f, p, MARK_RULE, 1);
    m->y[0] = 11.0;
    assert_range(p, false, 2.0, 5.0);
    assert_range(p, true, -2.0, 11.0);
    m = panel_cells(f, p, 3, 2);
    m->x0 = 4.0;
    m->y0 = -3.0;
    m->width = 1.0;
    m->height = 10.0;
    assert_range(p, false, 2.0, 7.0);
    assert_range(p, true, -3.0, 17.0);
    figure_free(f);
}

static void a_logarithmic_range_is_positive(void **unused) {
    (void)unused;
    panel  *p;
    figure *f = one_panel(&p);
    mark   *m = add(f, p, MARK_LINE, 4);
    memcpy(m->y, (double[]){0.0, -1.0, 1e-3, 5.0}, 4 * sizeof(double));
    p->y.logarithmic = true;
    assert_range(p, true, 1e-3, 5.0);
    p->y.low = 0.0; /* a limit that such an axis cannot have */
    assert_range(p, true, 1e-3, 5.0);
    figure_free(f);
}

static void a_range_is_never_empty(void **unused) {
    (void)unused;
    const double values[] = {0.0, 2.0, -3.0, 1e300, 0x1p-1074, -0x1p-1074, DBL_MAX, -DBL_MAX};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (int logarithmic = 0; logarithmic <= (values[i] > 0.0); logarithmic++) {
            double  low, high;
            panel  *p;
            figure *f = one_panel(&p);
            add(f, p, MARK_RULE, 1)->y[0] = values[i];
            p->y.logarithmic = logarithmic;
            assert_true(panel_range(p, true, &low, &high));
            assert_less(low, high);
            assert_true(isfinite(low) && isfinite(high) && low <= values[i] && values[i] <= high);
            if (logarithmic) assert_less(0.0, low);
            figure_free(f);
        }
}

/* Values that are nearer to each other than DBL_MIN are one: shares of such a range are not numbers. */
static void a_range_can_be_divided(void **unused) {
    (void)unused;
    static const double ends[][2] = {{0.0, 0x1p-1074},    {0.0, 0x1p-1073},  {-0x1p-1074, 0.0},
                                     {0x1p-1074, 1e-310}, {-1e-309, 1e-309}, {DBL_MIN, DBL_MIN + 0x1p-1074}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        double  low, high;
        panel  *p;
        figure *f = one_panel(&p);
        memcpy(add(f, p, MARK_LINE, 2)->y, ends[i], sizeof ends[i]);
        assert_true(panel_range(p, true, &low, &high));
        assert_true(low < ends[i][0] && ends[i][1] < high && high - low >= DBL_MIN);
        figure_free(f);
    }
    panel  *p;
    figure *f = one_panel(&p);
    add(f, p, MARK_LINE, 2)->y[1] = 3.0 * DBL_MIN; /* wide enough */
    assert_range(p, true, 0.0, 3.0 * DBL_MIN);
    figure_free(f);
}

static void names_have_places(void **unused) {
    (void)unused;
    panel  *p;
    figure *f = one_panel(&p);
    axis_names(f, &p->x, 3, (const char *const[]){"a", "b", "c"});
    assert_string_equal(p->x.name[2], "c");
    assert_range(p, false, -0.5, 2.5);
    figure_free(f);
}

/* -- Numbers ------------------------------------------------------------------------------------------------------ */

static void numbers_are_those_that_are_shown(void **unused) {
    (void)unused;
    figure *f = figure_create("name", "", "", 2);
    panel  *p = f->panel;
    assert_int_equal(figure_numbers(f), 0);
    add(f, p, MARK_RULE, 3)->y[0] = 1.0;
    add(f, p, MARK_SPANS, 3)->low[0] = 1.0;
    assert_int_equal(figure_numbers(f), 0); /* neither is data */
    add(f, p, MARK_LINE, 5)->y[1] = (double)NAN;
    assert_int_equal(figure_numbers(f), 4);
    add(f, p + 1, MARK_BARS, 2)->y[0] = HUGE_VAL;
    assert_int_equal(figure_numbers(f), 5);
    add(f, p + 1, MARK_BAND, 3)->high[2] = (double)NAN;
    assert_int_equal(figure_numbers(f), 7);
    panel_cells(f, p + 1, 4, 5)->z[7] = (double)NAN;
    assert_int_equal(figure_numbers(f), 26);
    add(f, p, MARK_DOTS, 1);
    assert_int_equal(figure_numbers(f), 27);
    figure_free(f);
}

/* -- Memory ------------------------------------------------------------------------------------------------------- */

/* A figure of every part; NULL, or one that says that it failed, when an allocation was refused. */
static figure *build(void) {
    figure *f = figure_create("name", "title", "caption", 2);
    if (!f) return NULL;
    panel *p = figure_panel(f, 0, "panel", "x", "y");
    for (int kind = MARK_LINE; kind <= MARK_RULE; kind++) {
        const mark *m = kind == MARK_CELLS ? panel_cells(f, p, 2, 2) : panel_mark(f, p, (mark_kind)kind, "mark", 1, 2);
        assert_true(m != NULL || f->failed);
    }
    axis_names(f, &p->y, 2, (const char *const[]){"a", "b"});
    figure_text(f, &f->parameter, "x.1");
    return f;
}

static void every_refusal_is_noticed_and_nothing_leaks(void **unused) {
    (void)unused;
    bool   whole = false;
    size_t grants = 0;
    for (; !whole; grants++) {
        double low, high;
        left = grants;
        refusals = 0;
        figure *f = build();
        whole = refusals == 0;
        left = SIZE_MAX;
        assert_int_equal(f && !f->failed, whole);
        for (size_t i = 0; f && i < f->panels; i++) panel_range(f->panel + i, true, &low, &high);
        if (f) figure_numbers(f);
        figure_free(f);
        assert_less((double)grants, 1000.0);
    }
    assert_less(40.0, (double)grants);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_figure_has_its_texts_and_defaults),
                                       cmocka_unit_test(marks_have_the_arrays_of_their_kind),
                                       cmocka_unit_test(a_range_is_that_of_finite_numbers),
                                       cmocka_unit_test(each_kind_spans_what_it_covers),
                                       cmocka_unit_test(a_logarithmic_range_is_positive),
                                       cmocka_unit_test(a_range_is_never_empty),
                                       cmocka_unit_test(a_range_can_be_divided),
                                       cmocka_unit_test(names_have_places),
                                       cmocka_unit_test(numbers_are_those_that_are_shown),
                                       cmocka_unit_test(every_refusal_is_noticed_and_nothing_leaks)};
    return cmocka_run_group_tests_name("figure", tests, NULL, NULL);
}
