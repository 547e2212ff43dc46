/* test_csv_read.c - files of draws by ourselves and by others: what is read, and what is refused, by file and line. */
#include "failure.h"
#include "folder.h"

#include "draws/csv.h"
#include "rng/rng.h"

#include <errno.h>
#include <math.h>

static csv_reader *open_file(const char *path) {
    csv_reader *reader;
    ckam_error  error;
    if (csv_open(&reader, NULL, path, &error)) fail_msg("%s", error.message);
    return reader;
}

static const char cmdstan[] = "# stan_version_major = 2\n"
                              "# stan_version_minor = 31\n"
                              "# model = bernoulli_model\n"
                              "# start_datetime = 2023-01-27 14:42:19 UTC\n"
                              "# method = sample (Default)\n"
                              "#   sample\n"
                              "#     num_samples = 3\n"
                              "#     num_warmup = 1000 (Default)\n"
                              "#     save_warmup = 1\n"
                              "#     adapt\n"
                              "#       engaged = 1 (Default)\n"
                              "#   file =  (Default)\n"
                              "lp__,accept_stat__,stepsize__,theta.1\n"
                              "-6.9,0.5,1,+inf\n"
                              "# Adaptation terminated\n"
                              "# Step size = 0.96\n"
                              "# Diagonal elements of inverse mass matrix:\n"
                              "# 0.508833\n"
                              "-7.25117,0.785,0.96,0.425\n"
                              "-6.75e+00,1,0.96,NaN\n"
                              "\n"
                              "-0.5,1,0.96,.25\n"
                              "# \n"
                              "#  Elapsed Time: 0.005 seconds (Warm-up)\n"
                              "#                0.017 seconds (Sampling)\n"
                              "# \n";

static void check_cmdstan(const char *path) {
    const double expected[4][2] = {{-6.9, HUGE_VAL}, {-7.25117, 0.425}, {-6.75, (double)NAN}, {-0.5, 0.25}};
    const size_t wanted[2] = {0, 3};
    double       values[2];
    uint64_t     skipped;
    csv_reader  *reader = open_file(path);
    assert_int_equal(csv_columns(reader), 4);
    assert_string_equal(csv_name(reader, 1), "accept_stat__");
    assert_string_equal(csv_name(reader, 3), "theta.1");
    assert_string_equal(csv_setting(reader, "model"), "bernoulli_model");
    assert_string_equal(csv_setting(reader, "num_samples"), "3");
    assert_string_equal(csv_setting(reader, "num_warmup"), "1000");
    assert_string_equal(csv_setting(reader, "start_datetime"), "2023-01-27 14:42:19 UTC");
    assert_string_equal(csv_setting(reader, "file"), "");
    assert_null(csv_setting(reader, "Step size")); /* below the header */
    assert_null(csv_setting(reader, "num"));
    for (uint64_t skip_first = 0; skip_first < 4; skip_first++) {
        assert_int_equal(csv_skip(reader, skip_first, &skipped, NULL), CKAM_OK);
        assert_int_equal(skipped, skip_first);
        for (uint64_t i = skip_first; i < 4; i++) {
            assert_int_equal(csv_next(reader, 2, wanted, values, NULL), CKAM_OK);
            assert_true(values[0] == expected[i][0]);
            assert_true(values[1] == expected[i][1] || (isnan(values[1]) && isnan(expected[i][1])));
        }
        assert_int_equal(csv_next(reader, 2, wanted, values, NULL), CKAM_STOP);
        csv_free(reader);
        reader = open_file(path);
    }
    assert_int_equal(csv_skip(reader, 10, &skipped, NULL), CKAM_OK);
    assert_int_equal(skipped, 4);
    csv_free(reader);
}

static void files_of_cmdstan_are_read(void **unused) {
    (void)unused;
    const char *path = in_folder("cmdstan.csv");
    char        windows[2 * sizeof cmdstan], *place = windows;
    write_text(path, cmdstan);
    check_cmdstan(path);
    for (const char *c = cmdstan; *c; c++) {
        if (*c == '\n') *place++ = '\r';
        *place++ = *c;
    }
    write_bytes(path, windows, (size_t)(place - windows));
    check_cmdstan(path);
    *place = 0;
    strcpy(place, "-1,0.1,0.2,0.3"); /* cut off, or not: it has no end */
    write_text(path, windows);
    check_cmdstan(path);
    csv_free(NULL);
}

/* Every file is cut at every byte: never a wrong number, only fewer rows or a file without a header. */
static void a_cut_file_has_fewer_rows(void **unused) {
    (void)unused;
    const char *path = in_folder("cut.csv");
    size_t      header = (size_t)(strstr(cmdstan, "-6.9") - cmdstan), wanted[4] = {0, 1, 2, 3};
    for (size_t cut = 0; cut < sizeof cmdstan; cut++) {
        csv_reader *reader, *whole;
        double      values[4], expected[4];
        ckam_error  error;
        write_bytes(path, cmdstan, cut);
        ckam_status status = csv_open(&reader, NULL, path, &error);
        if (cut < header) {
            assert_failure(status, CKAM_ERROR_FORMAT, &error, "cut.csv", "header");
            assert_null(reader);
            continue;
        }
        write_text(in_folder("whole.csv"), cmdstan);
        whole = open_file(in_folder("whole.csv"));
        while (!(status = csv_next(reader, 4, wanted, values, NULL))) {
            assert_int_equal(csv_next(whole, 4, wanted, expected, NULL), CKAM_OK);
            assert_memory_equal(values, expected, sizeof values);
        }
        assert_int_equal(status, CKAM_STOP);
        csv_free(whole);
        csv_free(reader);
    }
}

/* Files, and what the sentence about each holds. */
static const struct {
    const char *text, *pieces[3];
} malformed[] = {
    {"", {"line 1", "header", ""}},
    {"\n\n", {"line 3", "header", ""}},
    {"# only\n# comments\n", {"line 3", "header", ""}},
    {"lp__,x.1", {"line 1", "header", ""}},
    {"# a = 1\n1,2,3\n4,5,6\n", {"line 2", "header", "numbers"}},
    {"-1.5\n", {"line 1", "header", "numbers"}},
    {"lp__,,x\n1,2,3\n", {"line 1", "column 2", "no name"}},
    {"lp__,x,\n1,2,3\n", {"line 1", "column 3", "no name"}},
    {"lp__,x.1,x.2,x.1\n", {"line 1", "two columns", "'x.1'"}},
    {",x\n1,2\n", {"line 1", "column 1 has no name", "write.csv(x, row.names = FALSE)"}},
    {"\"\",\"x\"\n\"1\",2\n", {"line 1", "column 1 has no name", "write.csv(x, row.names = FALSE)"}},
    {"\xef\xbb\xbf\" \",x\n1,2\n", {"line 1", "column 1 has no name", "write.csv(x, row.names = FALSE)"}},
    {"\"lp__\",\"\"\n1,2\n", {"line 1", "column 2", "no name"}},
    {"lp__, \n1,2\n", {"line 1", "column 2", "no name"}},
    {"lp__,\"x\", x\n1,2,3\n", {"line 1", "two columns", "'x'"}},
    {"lp__,a\"b\n1,2\n", {"line 1", "column 2 holds a quote", "rename"}},
    {"lp__,\"a\"b\"\n1,2\n", {"line 1", "column 2 holds a quote", "rename"}},
    {"lp__,\"a\"\"b\"\n1,2\n", {"line 1", "column 2 holds a quote", "rename"}},
    {"lp__,\"a\" b\n1,2\n", {"line 1", "column 2 holds a quote", "rename"}},
    {"lp__,\"x\n1,2\n", {"line 1", "column 2 holds a quote", "rename"}},
    {"lp__,x\"\n1,2\n", {"line 1", "column 2 holds a quote", "rename"}},
    {"\",x\n1,2\n", {"line 1", "column 1 holds a quote", "rename"}},
    {"\"x[1,2]\",y\n1,2\n", {"line 1", "column 1 holds a quote", "a comma"}},
    {"'x',\"y\x1b[2J\"\n1,2\n", {"line 1", "byte 27", "Stan CSV"}},
    {"lp__,\tx\n1,2\n", {"line 1", "a tab", "commas"}},
    {" 1, 2\n3, 4\n", {"line 1", "header", "numbers"}},
    {"\xef\xbb\xbf", {"line 1", "header", ""}},
    {"\xef\xbb\xbf\n", {"line 2", "header", ""}},
    {"\xef\xbb\xbf-1,2\n", {"line 1", "header", "numbers"}},
    {"lp__,x\n1,2\n\xef\xbb\xbf"
     "3,4\n",
     {"line 3", "'???3'", "column 1 (lp__)"}},
    {"\x7f"
     "ELF\x01\x02\n",
     {"line 1", "byte 127", "Stan CSV"}},
    {"lp__\tx\n1\t2\n", {"line 1", "a tab", "commas"}},
    {"\"lp__\";\"x\"\n1,5;2\n", {"line 1", "';'", "write.csv()"}},
    {"lp__,a\x1b[2J\n1,2\n", {"line 1", "byte 27", "Stan CSV"}},
    {"lp__,a\xc2\x9b"
     "2J\n1,2\n",
     {"line 1", "byte 194", "Stan CSV"}},
    {"lp__,a\x9b"
     "2J\n1,2\n",
     {"line 1", "byte 155", "Stan CSV"}},
    {"lp__,x\n1,2\n# c\n3\n", {"line 4", "1 columns", "header has 2"}},
    {"lp__,x\n1,2,3\n", {"line 2", "3 columns", "header has 2"}},
    {"lp__,x\n1,2,\n", {"line 2", "3 columns", "header has 2"}},
    {"lp__,x\n1,\n", {"line 2", "''", "column 2 (x)"}},
    {"lp__,x\n,1\n", {"line 2", "''", "column 1 (lp__)"}},
    {"lp__,x\n1,abc\n", {"line 2", "'abc'", "column 2 (x)"}},
    {"lp__,x\n1,2e\n", {"line 2", "'2e'", "column 2 (x)"}},
    {"lp__,x\n1,1.5 2 \n", {"line 2", "'1.5 2 '", "column 2 (x)"}},
    {"lp__,x\n1, \n", {"line 2", "' '", "column 2 (x)"}},
    {"lp__,x\n ,1\n", {"line 2", "' '", "column 1 (lp__)"}},
    {"lp__,x\n  \n", {"line 2", "'  '", "column 1 (lp__)"}},
    {"lp__,x\n1,- 2\n", {"line 2", "'- 2'", "column 2 (x)"}},
    {"lp__,x\n1,NAB\n", {"line 2", "'NAB'", "column 2 (x)"}},
    {"lp__,x\n1,NA NA\n", {"line 2", "'NA NA'", "column 2 (x)"}},
    {"lp__,x\n1,N\n", {"line 2", "'N'", "column 2 (x)"}},
    {"lp__,x\n1,\"NA\"\n", {"line 2", "'\"NA\"'", "column 2 (x)"}},
    {"lp__,x\n1,\"2\"\n", {"line 2", "'\"2\"'", "column 2 (x)"}},
    {"lp__,x\n1, 2, 3\n", {"line 2", "3 columns", "header has 2"}},
    {"lp__,x\n1,0x10\n", {"line 2", "'0x10'", "column 2 (x)"}},
    {"lp__,x\n1 2,3\n", {"line 2", "'1 2'", "column 1 (lp__)"}},
    {"lp__,x\n1,\x01\x80\n", {"line 2", "'?\?'", "column 2 (x)"}},
    {"lp__,x\n1;2\n", {"line 2", "'1;2'", "column 1 (lp__)"}},
    {"lp__,x\n1,aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n", {"'aaa", "x", "line 2"}}};

static void malformed_files_are_refused_by_line(void **unused) {
    (void)unused;
    const size_t all[2] = {0, 1};
    const char  *path = in_folder("malformed.csv");
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        const char *const *p = malformed[i].pieces;
        csv_reader        *reader;
        double             values[2];
        ckam_error         error;
        write_text(path, malformed[i].text);
        ckam_status status = csv_open(&reader, NULL, path, &error);
        while (!status) status = csv_next(reader, 2, all, values, &error);
        assert_failure(status, CKAM_ERROR_FORMAT, &error, "malformed.csv", p[0], p[1], p[2]);
        csv_free(reader);
    }
}

static void names_have_a_length(void **unused) {
    (void)unused;
    enum { MOST = 10000 };
    static char text[MOST + 8];
    csv_reader *reader;
    ckam_error  error;
    for (size_t more = 0; more < 2; more++) {
        memset(text, 'a', MOST + more);
        snprintf(text + MOST + more, 4, "\n1\n");
        write_text(in_folder("long.csv"), text);
        ckam_status status = csv_open(&reader, NULL, in_folder("long.csv"), &error);
        if (more)
            assert_failure(status, CKAM_ERROR_FORMAT, &error, "column 1 has 10001 bytes");
        else
            assert_int_equal(status, CKAM_OK);
        csv_free(reader);
    }
}

/* What R's write.csv() and spreadsheets write: the same names and numbers as in a plain file, whatever is around them. */
static void foreign_forms_mean_the_same(void **unused) {
    (void)unused;
    static const char *const texts[] = {
        "# model = m\nlp__,mu[1],a b\n-1,0.5,nan\n2,-inf,1e3\n",
        "\xef\xbb\xbf# model = m\nlp__,mu[1],a b\n-1,0.5,nan\n2,-inf,1e3\n",
        "# model = m\n\"lp__\",\"mu[1]\",\"a b\"\n-1,0.5,NA\n2,-Inf,1e+03\n",
        "# model = m\r\n\"lp__\",\"mu[1]\",\"a b\"\r\n-1,0.5,na\r\n2,-Inf,1e+03\r\n",
        "\xef\xbb\xbf# model = m\n  \"lp__\" ,mu[1] , \" a b \"\n -1, 0.5 ,\tNA \n2 ,  -inf,1000\t\n",
        "# model = m\n lp__,\"mu[1]\",  a b  \n-1,0.5,Na\n2,-INF,  1000\n"};
    static const char *const names[] = {"lp__", "mu[1]", "a b"};
    const double             expected[2][3] = {{-1.0, 0.5, (double)NAN}, {2.0, -HUGE_VAL, 1000.0}};
    const size_t             all[3] = {0, 1, 2};
    const char              *path = in_folder("foreign.csv");
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double     values[3];
        ckam_error error;
        write_text(path, texts[i]);
        csv_reader *reader = open_file(path);
        assert_int_equal(csv_columns(reader), 3);
        assert_string_equal(csv_setting(reader, "model"), "m");
        for (size_t k = 0; k < 3; k++) assert_string_equal(csv_name(reader, k), names[k]);
        for (size_t row = 0; row < 2; row++) {
            if (csv_next(reader, 3, all, values, &error)) fail_msg("%zu: %s", i, error.message);
            for (size_t k = 0; k < 3; k++)
                assert_true(values[k] == expected[row][k] || (isnan(values[k]) && isnan(expected[row][k])));
        }
        assert_int_equal(csv_next(reader, 3, all, values, NULL), CKAM_STOP);
        csv_free(reader);
    }
}

/* A mark is one only at the very beginning, and only whole: elsewhere these bytes belong to the name. */
static void other_marks_stay(void **unused) {
    (void)unused;
    static const char *const names[] = {"\xef\xbb\xbfx", "\xef\xbbx", "x\xef\xbb\xbf"};
    const char              *path = in_folder("mark.csv");
    for (size_t i = 0; i < 3; i++) {
        char text[32];
        snprintf(text, sizeof text, "%s%s\n1\n", i ? "" : "\n", names[i]);
        write_text(path, text);
        csv_reader *reader = open_file(path);
        assert_string_equal(csv_name(reader, 0), names[i]);
        csv_free(reader);
    }
}

/* Also the columns that are not wanted are counted. */
static void rows_are_counted_whatever_is_wanted(void **unused) {
    (void)unused;
    const char *path = in_folder("count.csv");
    for (size_t wanted = 0; wanted < 2; wanted++) {
        csv_reader *reader;
        double      value;
        ckam_error  error;
        write_text(path, "a,b,c\n1,2,3\n1,2\n1,2,3,4\n5,x,7\n");
        reader = open_file(path);
        assert_int_equal(csv_next(reader, 1, &wanted, &value, NULL), CKAM_OK);
        assert_failure(csv_next(reader, 1, &wanted, &value, &error), CKAM_ERROR_FORMAT, &error, "line 3", "2 columns");
        assert_failure(csv_next(reader, 1, &wanted, &value, &error), CKAM_ERROR_FORMAT, &error, "line 4", "4 columns");
        assert_int_equal(csv_next(reader, 1, &wanted, &value, NULL), wanted == 1 ? CKAM_ERROR_FORMAT : CKAM_OK);
        csv_free(reader);
        reader = open_file(path);
        assert_int_equal(csv_next(reader, 1, &wanted, &value, NULL), CKAM_OK);
        assert_failure(csv_next(reader, 1, &wanted, &value, &error), CKAM_ERROR_FORMAT, &error, "line 3", "2 columns");
        csv_free(reader);
    }
}

static void what_cannot_be_opened_is_named(void **unused) {
    (void)unused;
    csv_reader *reader;
    ckam_error  error;
    assert_failure(csv_open(&reader, NULL, in_folder("missing.csv"), &error), CKAM_ERROR_INPUT, &error, "missing.csv",
                   strerror(ENOENT));
    assert_null(reader);
    assert_failure(csv_open(&reader, NULL, folder, &error), CKAM_ERROR_INPUT, &error, folder, strerror(EISDIR));
    assert_null(reader);
}

/* All bytes but the end of a line, at random, in lines of all lengths: refused or read, but nothing else. */
static void garbage_is_survived(void **unused) {
    (void)unused;
    const char *path = in_folder("garbage.csv");
    rng         r;
    rng_init(&r, 5, 0);
    for (int i = 0; i < 2000; i++) {
        static const char few[] = "#,,,\n\n\r019.-+einfaNA_= \"\t\xef\xbb\xbf\0";
        char              bytes[200], start[] = "a,b\n";
        size_t            size = rng_word(&r) % sizeof bytes, all[2] = {0, 1};
        double            values[2];
        ckam_error        error;
        csv_reader       *reader;
        for (size_t k = 0; k < size; k++)
            bytes[k] = (char)(i & 1 ? rng_word(&r) : (uint64_t)few[rng_word(&r) % sizeof few]);
        if (i & 2 && size > sizeof start) memcpy(bytes, start, sizeof start - 1);
        write_bytes(path, bytes, size);
        ckam_status status = csv_open(&reader, NULL, path, &error);
        if (!status) status = csv_next(reader, csv_columns(reader) == 2 ? 2 : 1, all, values, &error);
        assert_true(status == CKAM_OK || status == CKAM_STOP || status == CKAM_ERROR_FORMAT);
        csv_free(reader);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(files_of_cmdstan_are_read),
                                       cmocka_unit_test(a_cut_file_has_fewer_rows),
                                       cmocka_unit_test(names_have_a_length),
                                       cmocka_unit_test(malformed_files_are_refused_by_line),
                                       cmocka_unit_test(rows_are_counted_whatever_is_wanted),
                                       cmocka_unit_test(what_cannot_be_opened_is_named),
                                       cmocka_unit_test(garbage_is_survived),
                                       cmocka_unit_test(foreign_forms_mean_the_same),
                                       cmocka_unit_test(other_marks_stay)};
    return cmocka_run_group_tests_name("csv_read", tests, folder_begin, folder_end);
}
