/* test_draw.c - figures on paper: every mark gives the pixels that it should. */
#include "folder.h"
#include "picture.h"

#include "report/draw.h"

#include <math.h>

enum { WHITE = 0xffffff, BLUE = 0x013fad };

/* -- A figure of one panel from 0 to 1 ---------------------------------------------------------------------------- */

static panel *unit_panel(figure **f) {
    *f = figure_create("name", "", "", 1);
    assert_non_null(*f);
    panel *p = figure_panel(*f, 0, "", "x", "y");
    p->x.low = p->y.low = 0.0;
    p->x.high = p->y.high = 1.0;
    return p;
}

static void draw_to(const figure *f, const char *path) {
    ckam_error error = {0};
    if (draw_figure(f, path, &error)) print_error("%s\n", error.message);
    assert_int_equal(error.status, CKAM_OK);
}

static picture draw_and_free(figure *f) {
    const char *path = in_folder("figure.png");
    draw_to(f, path);
    figure_free(f);
    return picture_read(path);
}

/* -- Marks -------------------------------------------------------------------------------------------------------- */

static void a_line_goes_from_corner_to_corner(void **unused) {
    (void)unused;
    figure *f;
    panel  *box = unit_panel(&f);
    mark   *m = panel_mark(f, box, MARK_LINE, NULL, 0, 2);
    m->x[1] = m->y[1] = 1.0;
    picture p = draw_and_free(f);
    assert_int_equal(p.width, 1300); /* 6.5 inches at 200 pixels an inch */
    for (int i = 1; i < 20; i++) {
        double t = i / 20.0;
        assert_int_equal(pixel_in(&p, t, t), BLUE);
        assert_false(is_coloured(pixel_in(&p, t, fmin(t + 0.03, 0.99))));
        assert_false(is_coloured(pixel_in(&p, t, t - 0.03)));
    }
    assert_int_equal(count_coloured(&p, false), 0);
    picture_free(&p);
}

/* A level line with one number in the middle that cannot be shown. */
static void check_gap(double number, bool logarithmic, bool gap) {
    figure *f;
    panel  *p = unit_panel(&f);
    mark   *m = panel_mark(f, p, MARK_LINE, NULL, 0, 9);
    for (size_t i = 0; i < 9; i++) {
        m->x[i] = (double)i / 8.0;
        m->y[i] = 0.5;
    }
    m->y[4] = number;
    p->y.logarithmic = logarithmic;
    if (logarithmic) p->y.low = 0.25;
    picture drawn = draw_and_free(f);
    assert_int_equal(pixel_in(&drawn, 0.25, 0.5), BLUE);
    assert_int_equal(pixel_in(&drawn, 0.75, 0.5), BLUE);
    assert_int_equal(is_coloured(pixel_in(&drawn, 0.45, 0.5)), !gap);
    assert_int_equal(is_coloured(pixel_in(&drawn, 0.55, 0.5)), !gap);
    picture_free(&drawn);
}

static void a_line_breaks_where_it_has_no_number(void **unused) {
    (void)unused;
    check_gap(0.5, false, false);
    check_gap((double)NAN, false, true);
    check_gap(HUGE_VAL, false, true);
    check_gap(0.5, true, false);
    check_gap(0.0, true, true);
    check_gap(-1.0, true, true);
}

static void a_lone_point_of_a_line_is_seen(void **unused) {
    (void)unused;
    figure *f;
    panel  *box = unit_panel(&f);
    mark   *m = panel_mark(f, box, MARK_LINE, NULL, 0, 1);
    m->x[0] = m->y[0] = 0.3;
    picture p = draw_and_free(f);
    assert_true(is_coloured(pixel_in(&p, 0.3, 0.3)));
    picture_free(&p);
}

/* What a line does beyond the box does not bend what it does inside. */
static void a_line_is_cut_at_the_box(void **unused) {
    (void)unused;
    const double far[] = {2.0, 1e3, 1e9, 1e300};
    for (size_t i = 0; i < sizeof far / sizeof *far; i++) {
        figure *f;
        panel  *box = unit_panel(&f);
        mark   *m = panel_mark(f, box, MARK_LINE, NULL, 0, 3);
        memcpy(m->x, (double[]){-far[i], far[i], far[i]}, 3 * sizeof(double));
        memcpy(m->y, (double[]){-far[i], far[i], 0.5}, 3 * sizeof(double));
        picture p = draw_and_free(f);
        for (int k = 1; i < 3 && k < 10; k++) assert_int_equal(pixel_in(&p, k / 10.0, k / 10.0), BLUE);
        assert_false(is_coloured(pixel_in(&p, 0.5, 0.4)));
        assert_int_equal(count_coloured(&p, false), 0);
        picture_free(&p);
    }
}

/* Out at the top, back in at the right: between them nothing crosses the corner. */
static void a_line_that_leaves_and_returns_draws_no_short_cut(void **unused) {
    (void)unused;
    figure *f;
    panel  *box = unit_panel(&f);
    mark   *m = panel_mark(f, box, MARK_LINE, NULL, 0, 3);
    memcpy(m->x, (double[]){0.5, 2.0, 0.95}, 3 * sizeof(double));
    memcpy(m->y, (double[]){0.5, 5.0, 0.1}, 3 * sizeof(double));
    picture p = draw_and_free(f);
    assert_true(is_coloured(pixel_in(&p, 0.6, 0.8)) && is_coloured(pixel_in(&p, 0.95 + 0.1 / 4.9 * 1.05, 0.2)));
    for (int i = 550; i < 990; i++) assert_false(is_coloured(pixel_in(&p, i / 1000.0, 0.55)));
    picture_free(&p);
}

/* Of 100,000 points one is high and one low: both are seen, and the file is small. */
static void thinning_keeps_extremes(void **unused) {
    (void)unused;
    enum { COUNT = 100000 };
    size_t  size;
    figure *f;
    panel  *box = unit_panel(&f);
    mark   *m = panel_mark(f, box, MARK_LINE, NULL, 0, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        m->x[i] = (double)i / COUNT;
        m->y[i] = 0.5 + 0.05 * sin((double)(i * i));
    }
    m->y[30000] = 0.9;
    m->y[70001] = 0.1;
    draw_to(f, in_folder("line.pdf"));
    free(read_text(in_folder("line.pdf"), &size));
    assert_less((double)size, 150e3);
    picture p = draw_and_free(f);
    int     high = 0, low = 0;
    for (int x = -2; x <= 2; x++) {
        high += is_coloured(pixel_in(&p, 0.3 + x / 1300.0, 0.8));
        low += is_coloured(pixel_in(&p, 0.70001 + x / 1300.0, 0.2));
    }
    assert_true(high > 0 && low > 0);
    assert_false(is_coloured(pixel_in(&p, 0.5, 0.8)));
    picture_free(&p);
}

/* The share of a level line that is coloured. */
static double line_share(int colour, bool dashed) {
    figure *f;
    panel  *box = unit_panel(&f);
    mark   *m = panel_mark(f, box, MARK_LINE, NULL, colour, 2);
    m->x[1] = 1.0;
    m->y[0] = m->y[1] = 0.5;
    m->dashed = dashed;
    picture p = draw_and_free(f);
    int     count = 0;
    for (int x = p.left + 5; x < p.right - 5; x++) count += is_coloured(pixel_at(&p, x, (p.top + p.bottom) / 2));
    double share = count / (double)(p.right - p.left - 10);
    picture_free(&p);
    return share;
}

static void dashes_tell_lines_apart(void **unused) {
    (void)unused;
    assert_true(line_share(1, false) == 1.0);
    double dashed = line_share(1, true), again = line_share(1 + COLOURS, false), both = line_share(1 + COLOURS, true);
    assert_true(dashed > 0.5 && dashed < 0.8);
    assert_true(again > 0.5 && again < 0.8 && fabs(again - dashed) > 0.01);
    assert_true(both > 0.3 && both < dashed - 0.05);
}

static void a_band_lies_between_its_sides(void **unused) {
    (void)unused;
    figure *f;
    panel  *box = unit_panel(&f);
    mark   *m = panel_mark(f, box, MARK_BAND, NULL, 0, 7);
    for (size_t i = 0; i < 7; i++) {
        m->x[i] = (double)i / 6.0;
        m->low[i] = 0.25 + 0.5 * m->x[i];
        m->high[i] = m->low[i] + 0.2;
    }
    m->low[3] = (double)NAN;
    picture p = draw_and_free(f);
    for (int i = 0; i < 10; i++) {
        double t = i / 10.0 + 0.05;
        bool   there = t < 2.0 / 6.0 || t > 4.0 / 6.0;
        assert_int_equal(is_coloured(pixel_in(&p, t, 0.35 + 0.5 * t)), there);
        assert_false(is_coloured(pixel_in(&p, t, 0.22 + 0.5 * t)) || is_coloured(pixel_in(&p, t, 0.48 + 0.5 * t)));
    }
    uint32_t inside = pixel_in(&p, 0.15, 0.35 + 0.075); /* a fifth of blue on white */
    assert_int_equal(channel(inside, 0), 204);
    assert_close(channel(inside, 1), 255.0 - 0.2 * (255.0 - channel(BLUE, 1)), 0.01);
    picture_free(&p);
}

static void bars_stand_on_0(void **unused) {
    (void)unused;
    figure *f;
    panel  *p = unit_panel(&f);
    mark   *m = panel_mark(f, p, MARK_BARS, NULL, 0, 4);
    for (size_t i = 0; i < 4; i++) {
        m->low[i] = 0.2 * (double)i;
        m->high[i] = m->low[i] + 0.2;
    }
    memcpy(m->y, (double[]){0.5, 0.9, (double)NAN, -0.4}, 4 * sizeof(double));
    p->y.low = -1.0;
    picture drawn = draw_and_free(f);
    assert_true(is_coloured(pixel_in(&drawn, 0.1, 0.52)) && is_coloured(pixel_in(&drawn, 0.1, 0.73)));
    assert_false(is_coloured(pixel_in(&drawn, 0.1, 0.48)) || is_coloured(pixel_in(&drawn, 0.1, 0.77)));
    assert_true(is_coloured(pixel_in(&drawn, 0.3, 0.93)));
    assert_false(is_coloured(pixel_in(&drawn, 0.5, 0.52)) || is_coloured(pixel_in(&drawn, 0.5, 0.48)));
    assert_true(is_coloured(pixel_in(&drawn, 0.7, 0.48)) && is_coloured(pixel_in(&drawn, 0.7, 0.32)));
    assert_false(is_coloured(pixel_in(&drawn, 0.7, 0.28)) || is_coloured(pixel_in(&drawn, 0.9, 0.5)));
    picture_free(&drawn);
}

static void dots_have_error_bars_with_caps(void **unused) {
    (void)unused;
    figure *f;
    panel  *box = unit_panel(&f);
    mark   *m = panel_mark(f, box, MARK_DOTS, NULL, 0, 3);
    memcpy(m->x, (double[]){0.25, 0.75, 1.5}, 3 * sizeof(double));
    memcpy(m->y, (double[]){0.5, 0.5, 0.5}, 3 * sizeof(double));
    m->low[1] = 0.2;
    m->high[1] = 0.6;
    picture p = draw_and_free(f);
    assert_int_equal(pixel_in(&p, 0.25, 0.5), BLUE);
    assert_int_equal(pixel_in(&p, 0.75, 0.5), BLUE);
    assert_false(is_coloured(pixel_in(&p, 0.25, 0.55)));
    assert_true(is_coloured(pixel_in(&p, 0.75, 0.58)) && is_coloured(pixel_in(&p, 0.75, 0.22)));
    assert_false(is_coloured(pixel_in(&p, 0.75, 0.62)) || is_coloured(pixel_in(&p, 0.75, 0.18)));
    assert_true(is_coloured(pixel_in(&p, 0.754, 0.6)) && is_coloured(pixel_in(&p, 0.746, 0.2)));
    assert_false(is_coloured(pixel_in(&p, 0.754, 0.4)));
    assert_int_equal(count_coloured(&p, false), 0);
    picture_free(&p);
}

static void cells_are_dark_where_z_is_large(void **unused) {
    (void)unused;
    enum { COLUMNS = 5, ROWS = 4 };
    figure *f;
    panel  *p = unit_panel(&f);
    mark   *m = panel_cells(f, p, COLUMNS, ROWS);
    m->width = 0.2;
    m->height = 0.25;
    for (size_t i = 0; i < (size_t)COLUMNS * ROWS; i++) m->z[i] = (double)(i * 7 % 20);
    m->z[13] = (double)NAN;
    picture drawn = draw_and_free(f);
    for (size_t j = 0; j < ROWS; j++)
        for (size_t i = 0; i < COLUMNS; i++) {
            size_t k = j * COLUMNS + i;
            /* 0.9 of a cell is of one colour */
            uint32_t middle = pixel_in(&drawn, ((double)i + 0.5) / COLUMNS, ((double)j + 0.5) / ROWS);
            assert_int_equal(middle, pixel_in(&drawn, ((double)i + 0.05) / COLUMNS, ((double)j + 0.05) / ROWS));
            assert_int_equal(middle, pixel_in(&drawn, ((double)i + 0.95) / COLUMNS, ((double)j + 0.95) / ROWS));
            assert_int_equal(middle == WHITE, k == 0 || k == 13);
            for (size_t other = 0; other < k && k != 13; other++) {
                uint32_t pixel = pixel_in(&drawn, ((double)(other % COLUMNS) + 0.5) / COLUMNS,
                                          ((double)(other / COLUMNS) + 0.5) / ROWS);
                if (other != 13) assert_int_equal(channel(pixel, 1) > channel(middle, 1), other * 7 % 20 < k * 7 % 20);
            }
        }
    picture_free(&drawn);
}

static void spans_and_rules_cross_the_box(void **unused) {
    (void)unused;
    figure *f;
    panel  *p = unit_panel(&f);
    mark   *m = panel_mark(f, p, MARK_SPANS, NULL, COLOUR_MUTED, 1);
    m->low[0] = 0.31;
    m->high[0] = 0.57;
    m = panel_mark(f, p, MARK_RULE, NULL, 0, 2);
    m->x[0] = 0.75;
    m->y[1] = 0.65;
    panel_mark(f, p, MARK_LINE, NULL, COLOUR_MUTED, 1); /* a number, so that there is data */
    picture drawn = draw_and_free(f);
    for (int i = 0; i < 10; i++) {
        double t = i / 10.0 + 0.03;
        assert_int_equal(pixel_in(&drawn, 0.75, t), BLUE);
        assert_int_equal(pixel_in(&drawn, t, 0.65), BLUE);
        if (fabs(t - 0.65) < 0.05) continue;
        assert_in_range(channel(pixel_in(&drawn, 0.45, t), 0), 200, 245);
        assert_int_equal(pixel_in(&drawn, 0.29, t), WHITE);
    }
    picture_free(&drawn);
}

/* -- Layout ------------------------------------------------------------------------------------------------------- */

static void axes_of_one_unit_are_equal(void **unused) {
    (void)unused;
    const double heights[] = {0.15, 0.25, 1.0, 2.0, 1e9};
    for (size_t i = 0; i < sizeof heights / sizeof *heights; i++) {
        figure *f;
        panel  *p = unit_panel(&f);
        panel_mark(f, p, MARK_LINE, NULL, 0, 1);
        p->y.high = heights[i];
        p->equal = true;
        picture drawn = draw_and_free(f);
        double  ratio = (drawn.bottom - drawn.top) / (double)(drawn.right - drawn.left);
        if (heights[i] < 10.0)
            assert_relative(ratio, heights[i], 0.02);
        else
            assert_in_range(drawn.bottom - drawn.top, 200, 1000); /* no thread */
        picture_free(&drawn);
    }
}

static picture draw_named(size_t panels, size_t names, bool again, bool small) {
    figure *f = figure_create("name", "A title", "", panels);
    f->small = small;
    for (size_t i = 0; i < panels; i++) {
        panel *p = figure_panel(f, i, "", "x", "y");
        for (size_t k = 0; k < names; k++) {
            char name[48];
            snprintf(name, sizeof name, "a series with the number %zu", k);
            panel_mark(f, p, MARK_LINE, i == 0 || again ? name : NULL, (int)k, 3)->x[2] = 1.0;
        }
    }
    return draw_and_free(f);
}

static void the_legend_has_every_name_once_in_rows(void **unused) {
    (void)unused;
    picture p[] = {draw_named(2, 4, false, false), draw_named(2, 4, true, false), draw_named(2, 1, true, false)};
    assert_int_equal(p[0].height, p[1].height);
    assert_memory_equal(p[0].pixel, p[1].pixel, (size_t)p[0].width * (size_t)p[0].height * sizeof *p[0].pixel);
    assert_in_range(p[0].height - p[2].height, 30, 40); /* a row of 12 points */
    for (size_t i = 0; i < 3; i++) picture_free(p + i);
}

static void small_panels_have_half_the_height(void **unused) {
    (void)unused;
    picture whole = draw_named(1, 1, false, false), half = draw_named(1, 1, false, true);
    assert_relative(half.bottom - half.top, (whole.bottom - whole.top) / 2.0, 0.02);
    assert_relative(whole.height, 0.65 * whole.width, 0.05);
    picture_free(&whole);
    picture_free(&half);
}

static void a_panel_without_numbers_says_so(void **unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        figure *f;
        panel  *p = unit_panel(&f);
        int     dark = 0;
        if (i < 3) p->x.high = p->y.high = (double)NAN;
        p->y.logarithmic = i == 2;
        mark *m = i > 0 ? panel_mark(f, p, MARK_LINE, NULL, 0, 2) : NULL;
        for (size_t k = 0; m && k < 2; k++) m->y[k] = i == 2 ? -1.0 : (double)NAN;
        picture drawn = draw_and_free(f);
        for (int x = (3 * drawn.left + drawn.right) / 4; x < (drawn.left + 3 * drawn.right) / 4; x++)
            for (int y = drawn.top + 20; y < drawn.bottom - 20; y++) dark += is_line(pixel_at(&drawn, x, y));
        assert_in_range(dark, 50, 3000); /* the words */
        assert_int_equal(count_coloured(&drawn, true), 0);
        picture_free(&drawn);
    }
}

/* A line between two numbers at the ends of what numbers can be: it goes through the box, from left to right. */
static void any_range_has_room(void **unused) {
    (void)unused;
    static const struct {
        double low, high;
        bool   logarithmic, level; /* level: the two are one, and the line is in the middle */
    } cases[] = {
        {0.0, 0x1p-1074, false, true},      {0x1p-1074, 0x1p-1073, false, true}, {-1e-310, 1e-310, false, true},
        {0.0, 1e-300, false, false},        {1e307, 1.79e308, false, false},     {-1.79e308, 1.79e308, false, false},
        {0x1p-1074, 1.79e308, true, false}, {0x1p-1074, 0x1p-1073, true, false}, {1.0, 1.0 + 0x1p-52, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        figure *f;
        panel  *p = unit_panel(&f);
        mark   *m = panel_mark(f, p, MARK_LINE, NULL, 0, 2);
        p->y.low = p->y.high = (double)NAN;
        p->y.logarithmic = cases[i].logarithmic;
        m->x[1] = 1.0;
        m->y[0] = cases[i].low;
        m->y[1] = cases[i].high;
        picture drawn = draw_and_free(f);
        int     lower = 0, upper = 0, middle = (drawn.top + drawn.bottom) / 2;
        for (int y = drawn.top; y <= drawn.bottom; y++) {
            lower += y > middle + 20 && is_coloured(pixel_at(&drawn, drawn.left + 30, y));
            upper += y < middle - 20 && is_coloured(pixel_at(&drawn, drawn.right - 30, y));
        }
        assert_int_equal(lower > 0, !cases[i].level);
        assert_int_equal(upper > 0, !cases[i].level);
        if (cases[i].level) assert_in_range(count_coloured(&drawn, true), 1000, 10000);
        picture_free(&drawn);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_line_goes_from_corner_to_corner),
                                       cmocka_unit_test(a_line_breaks_where_it_has_no_number),
                                       cmocka_unit_test(a_lone_point_of_a_line_is_seen),
                                       cmocka_unit_test(a_line_is_cut_at_the_box),
                                       cmocka_unit_test(a_line_that_leaves_and_returns_draws_no_short_cut),
                                       cmocka_unit_test(thinning_keeps_extremes),
                                       cmocka_unit_test(dashes_tell_lines_apart),
                                       cmocka_unit_test(a_band_lies_between_its_sides),
                                       cmocka_unit_test(bars_stand_on_0),
                                       cmocka_unit_test(dots_have_error_bars_with_caps),
                                       cmocka_unit_test(cells_are_dark_where_z_is_large),
                                       cmocka_unit_test(spans_and_rules_cross_the_box),
                                       cmocka_unit_test(axes_of_one_unit_are_equal),
                                       cmocka_unit_test(the_legend_has_every_name_once_in_rows),
                                       cmocka_unit_test(small_panels_have_half_the_height),
                                       cmocka_unit_test(a_panel_without_numbers_says_so),
                                       cmocka_unit_test(any_range_has_room)};
    return cmocka_run_group_tests_name("draw", tests, folder_begin, folder_end);
}
