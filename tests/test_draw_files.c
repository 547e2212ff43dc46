/* test_draw_files.c - the files of figures: whole, small, the same again; and what is refused, in words. */
#include "failure.h"
#include "folder.h"
#include "refusal.h"

#include "report/draw.h"

#include <math.h>
#include <sys/resource.h>

static void draw_to(const figure *f, const char *path) {
    ckam_error error = {0};
    if (draw_figure(f, path, &error)) print_error("%s\n", error.message);
    assert_int_equal(error.status, CKAM_OK);
}

/* -- Files -------------------------------------------------------------------------------------------------------- */

/* Six heat maps of 50 * 50 cells, with lines, and names that XML minds. */
static figure *rich_figure(void) {
    figure *f = figure_create("rich", "Density <of> \"x\" & y", "", 6);
    f->across = 3;
    for (size_t k = 0; k < 6; k++) {
        panel *p = figure_panel(f, k, "a panel", "x.1", "x.2");
        mark  *m = panel_cells(f, p, 50, 50);
        m->width = m->height = 0.4;
        for (size_t i = 0; i < 2500; i++) m->z[i] = fmod((double)(i * i) * 0.618, 1.0);
        m = panel_mark(f, p, MARK_LINE, "a <line>", (int)k, 3);
        m->x[1] = m->y[2] = 20.0;
        p->equal = true;
    }
    return f;
}

/* Every element that begins ends, in the right order. */
static void check_xml(const char *text) {
    char   open[32][16];
    size_t depth = 0, seen = 0;
    for (const char *at = strchr(text, '<'); at; at = strchr(at + 1, '<')) {
        const char *end = strchr(at, '>');
        char        name[16] = "";
        assert_non_null(end);
        assert_null(memchr(at + 1, '<', (size_t)(end - at - 1)));
        if (at[1] == '?' || at[1] == '!') continue;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1 + (at[1] == '/'), " >/\n"), at + 1 + (at[1] == '/'));
        if (at[1] == '/') {
            assert_true(depth > 0);
            assert_string_equal(open[--depth], name);
        } else if (end[-1] != '/') {
            assert_true(depth < 32);
            memcpy(open[depth++], name, sizeof name);
        }
        seen++;
    }
    assert_int_equal(depth, 0);
    assert_true(seen > 100);
}

/* What is referred to is there, and once: the name behind `before`, up to a quote. */
static void check_names(const char *text, const char *before, bool once) {
    size_t found = 0;
    for (const char *at = strstr(text, before); at; at = strstr(at + 1, before)) {
        char        id[80];
        const char *name = at + strlen(before);
        snprintf(id, sizeof id, " id=\"%.*s\"", (int)strcspn(name, "\")"), name);
        const char *first = strstr(text, id);
        assert_non_null(first);
        if (once) assert_null(strstr(first + 1, id));
        found++;
    }
    assert_true(found >= 6);
}

/* Also behind a byte that is 0. */
static bool holds(const char *bytes, size_t size, const char *text) {
    size_t length = strlen(text);
    for (size_t i = 0; i + length <= size; i++)
        if (!memcmp(bytes + i, text, length)) return true;
    return false;
}

static void files_are_whole_small_and_the_same_again(void **unused) {
    (void)unused;
    static const char *const        names[] = {"rich.pdf", "rich.SVG", "rich.png"},
                             *const begin[] = {"%PDF", "<?xml", "\x89PNG"},
                             *const end[] = {"%%EOF\n", "</svg>\n", "IEND\xae\x42\x60\x82"};
    for (size_t i = 0; i < 3; i++) {
        figure *f = rich_figure();
        size_t  sizes[2], length = strlen(end[i]);
        draw_to(f, in_folder(names[i]));
        char *first = read_text(in_folder(names[i]), sizes);
        draw_to(f, in_folder(names[i]));
        char *second = read_text(in_folder(names[i]), sizes + 1);
        assert_memory_equal(first, begin[i], strlen(begin[i]));
        assert_memory_equal(first + sizes[0] - length, end[i], length);
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(first, second, sizes[0]);
        assert_less((double)sizes[0], 250e3);
        if (i == 0) assert_true(holds(first, sizes[0], "/Title (Density <of> \"x\" & y)"));
        if (i == 0) assert_false(holds(first, sizes[0], "Date"));
        if (i == 1) check_xml(first);
        if (i == 1) check_names(first, " id=\"", true);
        if (i == 1) check_names(first, "\"#", false);
        if (i == 1) assert_non_null(strstr(first, "id=\"surface1\""));
        free(first);
        free(second);
        figure_free(f);
    }
}

static void what_cannot_be_drawn_is_refused(void **unused) {
    (void)unused;
    ckam_error  error = {0};
    figure     *f = rich_figure();
    const char *missing = "libckam-no-such-library.so.7";
    assert_failure(draw_check("figure.jpg", &error), CKAM_ERROR_ARGUMENT, &error, "figure.jpg", ".pdf, .svg or .png");
    assert_failure(draw_figure(f, "figure", &error), CKAM_ERROR_ARGUMENT, &error, "figure", ".pdf");
    assert_failure(draw_figure(f, NULL, &error), CKAM_ERROR_ARGUMENT, &error, ".pdf");
    assert_int_equal(draw_check("a/b.c/figure.SVG", NULL), CKAM_OK);
    assert_failure(draw_figure(f, in_folder("no/figure.pdf"), &error), CKAM_ERROR_OUTPUT, &error, "no/figure.pdf");
    assert_failure(draw_figure_with(missing, f, in_folder("x.png"), &error), CKAM_ERROR_OUTPUT, &error, missing,
                   "cannot be loaded", "libcairo2");
    assert_failure(draw_figure_with("libm.so.6", f, in_folder("x.png"), &error), CKAM_ERROR_OUTPUT, &error, "libm.so.6",
                   "cairo_");
    f->failed = true;
    assert_failure(draw_figure(f, in_folder("x.png"), &error), CKAM_ERROR_MEMORY, &error, "memory");
    assert_int_not_equal(access(in_folder("x.png"), F_OK), 0);
    figure_free(f);
    f = figure_create("long", "", "", 4000); /* more pixels than an image can have */
    assert_failure(draw_figure(f, in_folder("x.png"), &error), CKAM_ERROR_OUTPUT, &error, "x.png", "cairo");
    figure_free(f);
}

static void a_full_disk_leaves_the_old_file(void **unused) {
    (void)unused;
    ckam_error    error = {0};
    struct rlimit before, little = {.rlim_cur = 3000};
    figure       *f = rich_figure();
    write_text(in_folder("old.pdf"), "old");
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    little.rlim_max = before.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &little), 0);
    ckam_status status = draw_figure(f, in_folder("old.pdf"), &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_failure(status, CKAM_ERROR_WRITE, &error, "old.pdf");
    size_t size;
    char  *text = read_text(in_folder("old.pdf"), &size);
    assert_string_equal(text, "old");
    assert_int_not_equal(access(in_folder("old.pdf.new"), F_OK), 0);
    free(text);
    figure_free(f);
}

static void every_refusal_of_memory_is_said(void **unused) {
    (void)unused;
    figure *f = rich_figure();
    bool    whole = false;
    panel_mark(f, f->panel, MARK_BAND, "band", 1, 5);
    for (size_t which = 1; !whole; which++) {
        ckam_error error = {0};
        refusal_begin((unsigned)which);
        ckam_status status = draw_figure(f, in_folder("refused.svg"), &error);
        whole = !refusal_end();
        assert_int_equal(access(in_folder("refused.svg"), F_OK) == 0, whole);
        if (!whole) assert_failure(status, CKAM_ERROR_MEMORY, &error, "memory", "refused.svg");
        assert_true(!whole || which > 15);
    }
    figure_free(f);
}

/* Everything strange at once is drawn, in every kind of file. */
static void any_text_and_number_can_be_drawn(void **unused) {
    (void)unused;
    static const char *const texts[] = {"",
                                        "\xff\xfe\x80",
                                        "a\nb\tc\x7f",
                                        "\xef\xbf\xbe \xed\xa0\x80",
                                        "<&\">",
                                        "\xc3\xa4\xf0\x9f\x98\x80",
                                        "\xf4\x90\x80\x80 \xc0\x80 \xe2\x82"};
    char                     lengthy[3000];
    memset(lengthy, 'm', sizeof lengthy);
    lengthy[sizeof lengthy - 1] = 0;
    for (size_t i = 0; i <= sizeof texts / sizeof *texts; i++) {
        const char *text = i < sizeof texts / sizeof *texts ? texts[i] : lengthy;
        figure     *f = figure_create("name", text, text, 3);
        f->across = 50;
        for (int k = 0; k < 3; k++) {
            panel *p = figure_panel(f, (size_t)k, text, text, text);
            mark  *m = panel_mark(f, p, MARK_DOTS, text, 100000, 6);
            memcpy(m->x, (double[]){-1e308, 1e308, 0.0, 5e-324, (double)NAN, 1.0}, 6 * sizeof(double));
            memcpy(m->y, (double[]){1e308, -1e308, 1e-300, 0.0, 1.0, HUGE_VAL}, 6 * sizeof(double));
            if (k == 1) axis_names(f, &p->x, 2, (const char *const[]){text, text});
            if (k == 2) axis_names(f, &p->y, 2, (const char *const[]){text, text});
            p->equal = true;
        }
        draw_to(f, in_folder("strange.pdf"));
        draw_to(f, in_folder("strange.svg"));
        draw_to(f, in_folder("strange.png"));
        figure_free(f);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_text_and_number_can_be_drawn), cmocka_unit_test(files_are_whole_small_and_the_same_again),
        cmocka_unit_test(what_cannot_be_drawn_is_refused), cmocka_unit_test(a_full_disk_leaves_the_old_file),
        cmocka_unit_test(every_refusal_of_memory_is_said)};
    return cmocka_run_group_tests_name("draw_files", tests, folder_begin, folder_end);
}
