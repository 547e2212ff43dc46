/* test_document.c - pages as data: what is written reads back as what was meant, with the digits that a picture needs,
 * and a want of memory is never a page with something missing. */
#include "failure.h"
#include "folder.h"
#include "refusal.h"

#include "report/document.h"

#include <jansson.h>
#include <math.h>

/* -- Reading back ------------------------------------------------------------------------------------------------- */

/* jansson reads it; frees the text. */
static json_t *parse(text_buffer *t) {
    json_error_t why;
    assert_false(t->failed);
    json_t *json = json_loadb(t->bytes, t->length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why);
    if (!json) fail_msg("%s in: %.300s", why.text, t->bytes);
    text_free(t);
    return json;
}

static void assert_text(const char *text, const char *written) {
    text_buffer t = {0};
    json_text(&t, text);
    assert_string_equal(t.bytes, written);
    text_free(&t);
}

static void texts_are_escaped(void **unused) {
    (void)unused;
    assert_text("", "\"\"");
    assert_text("x.1", "\"x.1\"");
    assert_text("</script>", "\"\\u003c/script\\u003e\"");
    assert_text("a\"b\\c&d\n\t\x01\x7f", "\"a\\u0022b\\u005cc\\u0026d\\u000a\\u0009\\u0001\\u007f\"");
    assert_text("\xe2\x80\xa7\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaa", "\"\xe2\x80\xa7\\u2028\\u2029\xe2\x80\xaa\"");
    assert_text("\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xbc \xe2\x82\xac \xf0\x9f\x98\x80\"");
    /* a byte alone, a cut character, an overlong one, a surrogate, one beyond the last */
    assert_text("\xff"
                "a\xe2\x82",
                "\"\\ufffda\\ufffd\\ufffd\"");
    assert_text("\xc0\xaf\xed\xa0\x80\xf4\x90\x80\x80",
                "\"\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

/* Whatever bytes a text has, JSON reads it, and there is nothing in it that could end a script. */
static void no_byte_breaks_a_text(void **unused) {
    (void)unused;
    uint64_t state = 1;
    for (int round = 0; round < 2000; round++) {
        char        bytes[32];
        text_buffer t = {0};
        for (size_t i = 0; i < sizeof bytes; i++) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            bytes[i] = (char)(state >> 33 & 1 ? state >> 56 : (state >> 56 & 0x3f) | 0x80);
        }
        bytes[sizeof bytes - 1] = 0;
        json_text(&t, bytes);
        assert_null(strpbrk(t.bytes + 1, "<>&"));
        json_decref(parse(&t));
    }
}

static void html_is_escaped(void **unused) {
    (void)unused;
    text_buffer t = {0};
    text_html(&t, "</title><b> \"'& \xff\xc3\xbc");
    assert_string_equal(t.bytes, "&lt;/title&gt;&lt;b&gt; &quot;&#39;&amp; \xef\xbf\xbd\xc3\xbc");
    text_free(&t);
}

static void numbers_keep_all_digits(void **unused) {
    (void)unused;
    const double x[] = {0.1, -1e-300, 1.7976931348623157e308, 5e-324, 12345678901234567.0, 0.0};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++) {
        text_buffer t = {0};
        json_number(&t, x[i]);
        json_t *json = parse(&t);
        assert_true(json_number_value(json) == x[i]);
        json_decref(json);
    }
    text_buffer t = {0};
    json_number(&t, (double)NAN);
    json_number(&t, HUGE_VAL);
    assert_string_equal(t.bytes, "nullnull");
    text_free(&t);
}

/* -- Digits ------------------------------------------------------------------------------------------------------- */

/* Each number read back is within 1e-4 of what they span (or of itself); returns the bytes of one. */
static double check_list(size_t count, const double *x, double span, bool logarithmic) {
    text_buffer t = {0};
    json_numbers(&t, count, x, logarithmic);
    double  bytes = (double)t.length / (double)count;
    json_t *json = parse(&t);
    assert_int_equal(json_array_size(json), count);
    for (size_t i = 0; i < count; i++) {
        const json_t *one = json_array_get(json, i);
        if (!isfinite(x[i]))
            assert_true(json_is_null(one));
        else
            assert_true(fabs(json_number_value(one) - x[i]) <= 1e-4 * (logarithmic ? fabs(x[i]) : span) + 1e-320);
    }
    json_decref(json);
    return bytes;
}

/* Numbers between a and a + span, for every size of both: the shape stays, and it takes few bytes. */
static void lists_have_the_digits_of_a_picture(void **unused) {
    (void)unused;
    enum { COUNT = 200 };
    double x[COUNT];
    for (int power = -320; power <= 308; power += 4)
        for (int offset = 0; offset < 3; offset++) {
            double span = pow(10.0, power), base = offset == 0 ? 0.0 : offset == 1 ? -0.5 * span : 1e6 * span;
            if (!isfinite(2.0 * base) || span == 0.0) continue;
            for (size_t i = 0; i < COUNT; i++) x[i] = base + span * (double)(i * i % COUNT) / COUNT;
            double bytes = check_list(COUNT, x, span, false);
            if (power > -280 && power < 280) assert_less(bytes, offset == 2 ? 20.0 : 15.0); /* with an exponent */
            if (power > -3 && power < 4) assert_less(bytes, offset == 2 ? 15.0 : 9.0);
            check_list(COUNT, x, span, true);
        }
    const double near[] = {1e6 - 1.0, 1e6 - 0.5, 1e6, 1e6 + 0.25, 1e6 + 1.0};
    check_list(5, near, 2.0, false);
    text_buffer t = {0};
    json_numbers(&t, 5, near, false);
    assert_string_equal(t.bytes, "[999999,999999.5,1e6,1000000.25,1000001]");
    text_free(&t);
    const double mixed[] = {(double)NAN, -0.06, 1.5, -HUGE_VAL, 0.000012, 123.456};
    json_numbers(&t, 6, mixed, false);
    assert_string_equal(t.bytes, "[null,-0.06,1.5,null,0,123.456]");
    text_free(&t);
    const double wide[] = {-1.7e308, 1.7e308, 3.0};
    check_list(3, wide, 1.7e308, false);
    const double same[] = {1.0 / 3.0, 1.0 / 3.0}, none[] = {(double)NAN};
    check_list(2, same, 1.0 / 3.0, false);
    check_list(1, none, 1.0, false);
    check_list(0, none, 1.0, false);
}

/* -- Figures ------------------------------------------------------------------------------------------------------ */

static json_t *at(json_t *json, const char *key) {
    json_t *value = json_object_get(json, key);
    if (!value) fail_msg("there is no '%s'", key);
    return value;
}

/* One of every kind of mark, with numbers of which some are not finite. */
static figure *everything(void) {
    static const char *const names[] = {"rw", "<script>"};
    figure                  *f = figure_create("all", "Title & more", "Caption", 2);
    if (!f) return NULL;
    panel *p = figure_panel(f, 0, "first", "x", "y");
    for (int kind = MARK_LINE; kind <= MARK_RULE; kind++) {
        mark *m = kind == MARK_CELLS ? panel_cells(f, p, 3, 2) : panel_mark(f, p, (mark_kind)kind, "m", kind, 4);
        if (!m) continue;
        m->dashed = kind == MARK_BAND;
        for (size_t i = 0; i < 4; i++) {
            if (m->x) m->x[i] = 10.0 + 0.5 * (double)i;
            if (m->y) m->y[i] = i == 1 ? (double)NAN : (double)i;
            if (m->low) m->low[i] = -(double)i;
        }
        if (m->z) m->z[5] = 7.0;
    }
    p = figure_panel(f, 1, "", "", "");
    p->y.logarithmic = p->equal = true;
    p->x.low = 1.0;
    axis_names(f, &p->x, 2, names);
    return f;
}

static void figures_read_back(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"line", "band", "bars", "dots", "cells", "spans", "rule"};
    figure                  *f = everything();
    text_buffer              t = {0};
    json_figure(&t, f, false);
    json_t *json = parse(&t), *panels = at(json, "panels"), *marks = at(json_array_get(panels, 0), "marks");
    assert_string_equal(json_string_value(at(json, "title")), "Title & more");
    assert_true(json_is_null(at(json, "parameter")));
    assert_int_equal(json_array_size(marks), 7);
    for (size_t i = 0; i < 7; i++) {
        json_t *m = json_array_get(marks, i);
        assert_string_equal(json_string_value(at(m, "kind")), kinds[i]);
        bool x = i == MARK_LINE || i == MARK_BAND || i == MARK_DOTS || i == MARK_RULE;
        assert_int_equal(json_object_get(m, "x") != NULL, x);
        assert_int_equal(json_object_get(m, "y") != NULL, i != MARK_BAND && i != MARK_CELLS && i != MARK_SPANS);
        assert_int_equal(json_object_get(m, "low") != NULL, i >= MARK_BAND && i <= MARK_SPANS && i != MARK_CELLS);
    }
    json_t *line = json_array_get(marks, 0), *y = at(line, "y");
    assert_close(json_number_value(at(at(line, "x"), "from")), 10.0, 0.0);
    assert_close(json_number_value(at(at(line, "x"), "step")), 0.5, 0.0);
    assert_true(json_is_null(json_array_get(y, 1)));
    assert_close(json_number_value(json_array_get(y, 3)), 3.0, 0.0);
    assert_true(json_is_array(at(json_array_get(marks, MARK_DOTS), "x")));
    assert_close(json_number_value(json_array_get(at(json_array_get(marks, MARK_CELLS), "z"), 5)), 7.0, 0.0);
    json_t *second = json_array_get(panels, 1);
    assert_true(json_is_true(at(second, "equal")) && json_is_true(at(at(second, "y"), "log")));
    assert_string_equal(json_string_value(json_array_get(at(at(second, "x"), "names"), 1)), "<script>");
    assert_close(json_number_value(at(at(second, "x"), "low")), 1.0, 0.0);
    assert_true(json_is_null(at(at(second, "x"), "high")) && json_is_null(at(at(second, "y"), "names")));
    json_decref(json);
    json_figure(&t, f, true);
    json = parse(&t);
    assert_null(json_object_get(json, "title"));
    assert_null(json_object_get(json, "caption"));
    json_decref(json);
    figure_free(f);
}

/* Two chains near 1e6: one stands still, the other is half a unit away. Both keep that, in few bytes. */
static void a_panel_rounds_its_lines_alike(void **unused) {
    (void)unused;
    figure *f = figure_create("f", "", "", 1);
    panel  *p = figure_panel(f, 0, "", "", "");
    for (int line = 0; line < 2; line++) {
        mark *m = panel_mark(f, p, MARK_LINE, "m", 0, 3);
        for (size_t i = 0; i < 3; i++) {
            m->x[i] = (double)(i * i);
            m->y[i] = 1e6 + 1.0 / 3.0 + (line ? 0.5 * (double)i : 0.0);
        }
    }
    text_buffer t = {0};
    json_figure(&t, f, true);
    assert_non_null(strstr(t.bytes, "\"y\":[1000000.33333,1000000.33333,1000000.33333]"));
    assert_non_null(strstr(t.bytes, "\"y\":[1000000.33333,1000000.83333,1000001.33333]"));
    assert_non_null(strstr(t.bytes, "\"x\":[0,1,4]"));
    text_free(&t);
    figure_free(f);
}

/* -- Documents ---------------------------------------------------------------------------------------------------- */

static const char *const labels[] = {"name", "value"};

/* One of every block. Whatever was refused is noted in the document. */
static void fill(document *d) {
    const char    *names[] = {"a", "b"};
    const double   values[] = {1.0, 2.0, 3.0, 10.0, (double)NAN, 30.0};
    const uint32_t chain[] = {0, 0, 1};
    figure        *f = everything();
    document_begin(d, "Draws of </title><script>", "sub");
    document_heading(d, "Heading");
    document_paragraph(d, "Text");
    document_finding(d, CKAM_PROBLEM, "Bad", "Do");
    document_finding(d, CKAM_NOTE, "Good", "");
    document_table(d, "t", "Table", "Caption", 2, labels);
    document_row(d);
    document_cell_text(d, "<b>", false);
    document_cell_number(d, 1.5, true);
    document_row(d);
    document_cell_text(d, "flag", true);
    document_cell_number(d, (double)NAN, false);
    document_table_end(d);
    document_table(d, "empty", "", "", 2, labels);
    document_table_end(d);
    if (f) document_figure(d, f);
    if (f) document_figures(d, 1, &f);
    if (!f) d->text.failed = true;
    document_figures(d, 0, &f);
    document_pairs(d, "Pairs", "", 2, names, 3, values, chain);
    figure_free(f);
}

static void check_table(json_t *table) {
    json_t *rows = at(table, "rows"), *first = json_array_get(rows, 0), *second = json_array_get(rows, 1);
    assert_int_equal(json_array_size(rows), 2);
    assert_string_equal(json_string_value(json_array_get(first, 0)), "<b>");
    assert_true(json_is_true(at(json_array_get(first, 1), "flag")));
    assert_close(json_number_value(at(json_array_get(first, 1), "value")), 1.5, 0.0);
    assert_string_equal(json_string_value(at(json_array_get(second, 0), "value")), "flag");
    assert_true(json_is_null(json_array_get(second, 1)));
}

/* What stands in the script element of a page. */
static json_t *document_in(const char *page) {
    static const char open[] = "<script type=\"application/json\" id=\"document\">";
    const char       *begin = strstr(page, open), *end = begin ? strstr(begin, "</script>") : NULL;
    json_error_t      why;
    assert_non_null(end);
    assert_null(strstr(begin + 1, open)); /* only one */
    begin += sizeof open - 1;
    json_t *json = json_loadb(begin, (size_t)(end - begin), JSON_REJECT_DUPLICATES, &why);
    if (!json) fail_msg("%s", why.text);
    return json;
}

static void a_page_holds_its_document(void **unused) {
    (void)unused;
    static const char *const kinds[] = {"heading", "paragraph", "finding", "finding", "table",
                                        "table",   "figure",    "figures", "pairs"};
    document                 d;
    size_t                   size;
    fill(&d);
    assert_int_equal(document_write(&d, in_folder("page.html"), NULL), CKAM_OK);
    char *page = read_text(in_folder("page.html"), &size);
    assert_null(strstr(page, "<!--TITLE-->"));
    assert_null(strstr(page, "<!--DOCUMENT-->"));
    assert_non_null(strstr(page, "<title>Draws of &lt;/title&gt;&lt;script&gt;</title>"));
    json_t *json = document_in(page), *blocks = at(json, "blocks");
    assert_string_equal(json_string_value(at(json, "ckam")), CKAM_VERSION);
    assert_string_equal(json_string_value(at(json, "title")), "Draws of </title><script>");
    assert_int_equal(json_array_size(blocks), sizeof kinds / sizeof *kinds);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        assert_string_equal(json_string_value(at(json_array_get(blocks, i), "kind")), kinds[i]);
    assert_string_equal(json_string_value(at(json_array_get(blocks, 2), "severity")), "problem");
    check_table(json_array_get(blocks, 4));
    assert_int_equal(json_array_size(at(json_array_get(blocks, 5), "rows")), 0);
    assert_int_equal(json_array_size(at(json_array_get(blocks, 6), "panels")), 2);
    json_t *values = at(json_array_get(blocks, 8), "values");
    assert_close(json_number_value(json_array_get(json_array_get(values, 1), 2)), 30.0, 0.0);
    assert_true(json_is_null(json_array_get(json_array_get(values, 1), 1)));
    assert_int_equal(json_integer_value(json_array_get(at(json_array_get(blocks, 8), "chain"), 2)), 1);
    json_decref(json);
    free(page);
}

/* No allocation is refused without a failure, and no page is written then. */
static void a_page_is_whole_or_not_there(void **unused) {
    (void)unused;
    unsigned failures = 0;
    for (unsigned refused = 1;; refused++) {
        document   d;
        ckam_error error = {.message = ""};
        refusal_begin(refused);
        fill(&d);
        ckam_status status = document_write(&d, in_folder("refused.html"), &error);
        if (!refusal_end()) break;
        assert_failure(status, CKAM_ERROR_MEMORY, &error, "refused.html");
        assert_int_not_equal(access(in_folder("refused.html"), F_OK), 0);
        failures++;
    }
    assert_true(failures > 30);
}

/* The same for the page of a run, with all that is read and computed for it. */
static void a_report_is_whole_or_not_there(void **unused) {
    (void)unused;
    char        rows[4096] = "lp__,accept_stat__,stepsize__,cycle__,phase__,x.1,x.2\n";
    const char *paths[] = {folder};
    size_t      size;
    for (int i = 0; i < 40; i++)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%d,0.5,1,0,3,%d,%d\n", -i, i * 7 % 11, i * 5 % 13);
    write_text(in_folder("chain_1.csv"), rows);
    write_text(in_folder("chain_2.csv"), rows);
    write_text(in_folder("run.json"),
               "{\"ckam\": \"0.1.0\", \"config\": {\"model\": \"gaussian\", \"sampler\": \"rw\"}}");
    assert_int_equal(ckam_report_write(paths, 1, NULL, in_folder("whole.html"), NULL), CKAM_OK);
    char   *page = read_text(in_folder("whole.html"), &size);
    json_t *json = document_in(page);
    assert_non_null(strstr(page, "exact sd"));
    assert_non_null(strstr(page, "\"steps\""));
    json_decref(json);
    free(page);
    unsigned refused = 1;
    for (;; refused++) {
        ckam_error error = {.message = ""};
        refusal_begin(refused);
        ckam_status status = ckam_report_write(paths, 1, NULL, in_folder("report.html"), &error);
        if (!refusal_end()) break;
        if (!status) print_error("allocation %u was not missed\n", refused);
        assert_failure(status, CKAM_ERROR_MEMORY, &error, "memory");
        assert_int_not_equal(access(in_folder("report.html"), F_OK), 0);
    }
    assert_true(refused > 300);
}

static void a_page_that_cannot_be_written(void **unused) {
    (void)unused;
    document   d;
    ckam_error error = {.message = ""};
    document_begin(&d, "", "");
    assert_failure(document_write(&d, in_folder("missing/page.html"), &error), CKAM_ERROR_OUTPUT, &error, "missing");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(texts_are_escaped),
                                       cmocka_unit_test(no_byte_breaks_a_text),
                                       cmocka_unit_test(html_is_escaped),
                                       cmocka_unit_test(numbers_keep_all_digits),
                                       cmocka_unit_test(lists_have_the_digits_of_a_picture),
                                       cmocka_unit_test(figures_read_back),
                                       cmocka_unit_test(a_panel_rounds_its_lines_alike),
                                       cmocka_unit_test(a_page_holds_its_document),
                                       cmocka_unit_test(a_page_is_whole_or_not_there),
                                       cmocka_unit_test(a_report_is_whole_or_not_there),
                                       cmocka_unit_test(a_page_that_cannot_be_written)};
    return cmocka_run_group_tests_name("document", tests, folder_begin, folder_end);
}
