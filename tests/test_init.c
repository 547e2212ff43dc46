/* test_init.c - where chains start: lists, files, and what is neither. */
#include "run_support.h"

#include "run/init.h"

#include <stdlib.h>

static void assert_starts(const char *text, size_t chains, size_t dim, const double *expected) {
    double     *starts = NULL;
    ckam_error  error = {.message = ""};
    ckam_status status = init_read(text, chains, dim, &starts, &error);
    if (status) print_error("'%.60s': %s\n", text, error.message);
    assert_int_equal(status, CKAM_OK);
    assert_non_null(starts);
    for (size_t i = 0; i < chains * dim; i++) assert_true(starts[i] == expected[i]);
    free(starts);
}

static void refuse(const char *text, size_t chains, size_t dim, ckam_status expected, const char *piece) {
    double      mark = 0.0, *starts = &mark;
    ckam_error  error = {.message = ""};
    ckam_status status = init_read(text, chains, dim, &starts, &error);
    assert_failure(status, expected, &error, "init", piece);
    assert_null(starts);
    assert_int_equal(init_read(text, chains, dim, &starts, NULL), expected);
}

static void random_is_no_start(void **unused) {
    (void)unused;
    double mark = 0.0, *starts = &mark;
    assert_int_equal(init_read("random", 3, 2, &starts, NULL), CKAM_OK);
    assert_null(starts);
}

static void a_list_starts_all_chains(void **unused) {
    (void)unused;
    static const double twice[] = {1.5, -2e-3, 1.5, -2e-3};
    assert_starts("1.5,-2e-3", 2, 2, twice);
    assert_starts(" 1.5 ,\t-2E-3 ", 2, 2, twice);
    assert_starts("1.5 -.002", 2, 2, twice);
    assert_starts("[1.5, -2e-3]", 2, 2, twice);
    assert_starts("7", 1, 1, (const double[]){7});
    assert_starts("0.1", 3, 1, (const double[]){0.1, 0.1, 0.1});
}

static void a_list_may_start_each_chain(void **unused) {
    (void)unused;
    static const double six[] = {1, 2, 3, 4, 5, 6};
    assert_starts("1,2,3,4,5,6", 3, 2, six);
    assert_starts("1,2,3,4,5,6", 2, 3, six);
    assert_starts("1,2,3,4,5,6", 1, 6, six);
    assert_starts("1 2 3 4 5 6", 6, 1, six);
    assert_starts("[[1,2],[3,4],[5,6]]", 3, 2, six);
}

static void a_file_is_read(void **unused) {
    (void)unused;
    static const double      six[] = {1, -2.25, 3e10, 4, 0.1, 6};
    static const char *const layouts[] = {"1 -2.25 3e10 4 0.1 6", "1\n-2.25\n3e10\n4\n0.1\n6\n",
                                          "1,-2.25\r\n3e10,4\r\n0.1,6\r\n", "[[1, -2.25], [3e10, 4],\n [0.1, 6]]\n",
                                          "\n\n1;-2.25;3e10\t4 0.1  6\n\n"};
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++) {
        spill_text("starts.txt", layouts[i]);
        assert_starts("starts.txt", 3, 2, six);
        assert_starts("./starts.txt", 1, 6, six);
    }
    spill_text("two", "3 4");
    assert_starts("two", 2, 2, (const double[]){3, 4, 3, 4});
}

static void wrong_counts_are_refused(void **unused) {
    (void)unused;
    refuse("1", 2, 2, CKAM_ERROR_OPTION, "has 1 numbers; 2 are wanted");
    refuse("1,2,3", 2, 2, CKAM_ERROR_OPTION, "has 3 numbers; 2 are wanted");
    refuse("1,2,3,4,5", 2, 2, CKAM_ERROR_OPTION, "more than 4 numbers");
    refuse("1,2,3,4,5,6,7,8,9", 2, 2, CKAM_ERROR_OPTION, "more than 4 numbers");
    refuse("1,2,3", 2, 2, CKAM_ERROR_OPTION, "4, for each of the 2 chains");
    refuse("", 2, 2, CKAM_ERROR_OPTION, "has 0 numbers");
    refuse(" , ", 2, 2, CKAM_ERROR_OPTION, "has 0 numbers");
    spill_text("few", "1\n2\n3\n");
    refuse("few", 2, 2, CKAM_ERROR_OPTION, "few has 3 numbers");
    spill_text("empty", "");
    refuse("empty", 2, 2, CKAM_ERROR_OPTION, "empty has 0 numbers");
}

static void garbage_is_refused(void **unused) {
    (void)unused;
    refuse("1,--2", 1, 2, CKAM_ERROR_OPTION, "'--2'");
    refuse("1.5.2 3", 1, 2, CKAM_ERROR_OPTION, "'1.5.2'");
    refuse("e,E", 1, 2, CKAM_ERROR_OPTION, "'e'");
    refuse("1e999,2", 1, 2, CKAM_ERROR_OPTION, "'1e999' in the list is not a finite number");
    refuse("no-such-file", 1, 2, CKAM_ERROR_INPUT, "cannot read no-such-file");
    refuse("nan,1", 1, 2, CKAM_ERROR_INPUT, "nan,1");
    refuse(".", 1, 2, CKAM_ERROR_OPTION, "'.'");
    refuse("..", 1, 2, CKAM_ERROR_OPTION, "'..'");
    refuse("/", 1, 2, CKAM_ERROR_INPUT, "cannot read /");
    static const char *const bad[] = {"1 nan", "1 inf",          "-infinity 2",    "1 2x",
                                      "1 two", "x.1,x.2\n1,2\n", "\357\273\2771 2"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        spill_text("bad", bad[i]);
        refuse("bad", 1, 2, CKAM_ERROR_OPTION, "in bad is not a finite number");
    }
    spill("zeros", "1 2\0 3", 6); /* what comes after a 0 is not silently left out */
    refuse("zeros", 1, 2, CKAM_ERROR_OPTION, "zeros");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_is_no_start),          cmocka_unit_test(a_list_starts_all_chains),
        cmocka_unit_test(a_list_may_start_each_chain), cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(wrong_counts_are_refused),    cmocka_unit_test(garbage_is_refused)};
    return cmocka_run_group_tests_name("init", tests, enter_temporary, leave_temporary);
}
