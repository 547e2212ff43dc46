/* test_data.c - numbers of a JSON file as a model gets them. */
#include "failure.h"
#include "refusal.h"

#include "target/data.h"

#include <stdio.h>
#include <stdlib.h>

static ckam_data *data_of(const char *text) {
    ckam_data  *data;
    ckam_error  error = {.message = ""};
    ckam_status status = data_create(&data, text, &error);
    if (status) print_error("'%s': %s\n", text, error.message);
    assert_int_equal(status, CKAM_OK);
    return data;
}

static void assert_numbers(const ckam_data *data, const char *key, size_t count, const double *expected) {
    size_t        got = 99;
    const double *numbers = data->numbers(data, key, &got);
    assert_non_null(numbers);
    assert_int_equal(got, count);
    for (size_t i = 0; i < count; i++) assert_true(numbers[i] == expected[i]);
    assert_ptr_equal(data->numbers(data, key, NULL), numbers); /* they stay where they are */
}

static void assert_nothing(const ckam_data *data, const char *key) {
    size_t count = 99;
    assert_null(data->numbers(data, key, &count));
    assert_int_equal(count, 0);
    assert_null(data->numbers(data, key, NULL));
}

static void numbers_and_lists_are_had(void **unused) {
    (void)unused;
    ckam_data *data = data_of("{\"N\": 3, \"y\": [1.5, -2, 3e-3],\n \"X\": [[1, 2, 3], [4, 5, 6]],\n"
                              " \"cube\": [[[1], [2]], [[3], [4]]], \"flag\": true, \"mask\": [true, false, 1],\n"
                              " \"none\": [], \"nothing\": [[], []], \"ragged\": [[1], [2, 3]], \"\": 7,\n"
                              " \"long\": 123456789012345678901234567890, \"zero\": -0.0, \"\\u00b5\": 8}");
    assert_numbers(data, "N", 1, (const double[]){3});
    assert_numbers(data, "y", 3, (const double[]){1.5, -2, 3e-3});
    assert_numbers(data, "X", 6, (const double[]){1, 2, 3, 4, 5, 6});
    assert_numbers(data, "cube", 4, (const double[]){1, 2, 3, 4});
    assert_numbers(data, "flag", 1, (const double[]){1});
    assert_numbers(data, "mask", 3, (const double[]){1, 0, 1});
    assert_numbers(data, "none", 0, NULL);
    assert_numbers(data, "nothing", 0, NULL);
    assert_numbers(data, "ragged", 3, (const double[]){1, 2, 3});
    assert_numbers(data, "", 1, (const double[]){7});
    assert_numbers(data, "long", 1, (const double[]){123456789012345678901234567890.0});
    assert_numbers(data, "zero", 1, (const double[]){0});
    assert_numbers(data, "\302\265", 1, (const double[]){8});
    data_free(data);
}

static void other_keys_are_left_alone(void **unused) {
    (void)unused;
    ckam_data *data =
        data_of("{\"text\": \"3\", \"null\": null, \"object\": {\"a\": 1}, \"mixed\": [1, \"2\"],"
                " \"hole\": [1, null], \"inside\": [[1, 2], [3, {}]], \"y\": 4,"
                " \"deep\": [[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]], \"last\": [[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]}");
    static const char *const others[] = {"text", "null", "object", "a", "mixed", "hole", "inside", "Y", "deep", "yy"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) assert_nothing(data, others[i]);
    assert_numbers(data, "y", 1, (const double[]){4});
    assert_numbers(data, "last", 1, (const double[]){1}); /* 16 lists in each other */
    data_free(data);
}

static void no_data_has_no_keys(void **unused) {
    (void)unused;
    ckam_data *data = data_of(NULL);
    assert_nothing(data, "y");
    data_free(data);
    data = data_of("{}");
    assert_nothing(data, "");
    data_free(data);
    data_free(NULL);
}

static void many_numbers_come_in_order(void **unused) {
    (void)unused;
    enum { COUNT = 100000 };
    char  *text = malloc(COUNT * 8 + 100);
    size_t used = 0, count;
    assert_non_null(text);
    used += (size_t)sprintf(text, "{\"y\": [");
    for (int i = 0; i < COUNT; i++) used += (size_t)sprintf(text + used, "%s%d", i ? "," : "", i);
    sprintf(text + used, "]}");
    ckam_data    *data = data_of(text);
    const double *y = data->numbers(data, "y", &count);
    assert_int_equal(count, COUNT);
    for (int i = 0; i < COUNT; i++) assert_true(y[i] == i);
    data_free(data);
    free(text);
}

static void bad_files_are_refused(void **unused) {
    (void)unused;
    static const char *const table[][2] = {{"", "not JSON: line 1"},
                                           {"{\"y\": [1, 2}", "line 1: "},
                                           {"{\n\"y\": [1,\n 2,]}", "line 3: "},
                                           {"{\"y\": 1,\n\"y\": 2}", "line 2: duplicate object key"},
                                           {"{\"y\": NaN}", "line 1: "},
                                           {"{\"y\": 1e999}", "line 1: real number overflow"},
                                           {"{\"y\": 1} 2", "line 1: "},
                                           {"{\"y\n\": 1}", "line 1: "},
                                           {"{\"y\": 0,5}", "line 1: "},
                                           {"{'y': 5}", "line 1: "},
                                           {"\357\273\277{}", "line 1: "},
                                           {"{\"y\": \"\377\"}", "line 1: "},
                                           {"\x1f\x8b", "line 1: "},
                                           {"[1, 2]", "must hold an object, as in {\"y\": [1.5, 2]}"},
                                           {"y", "line 1: "}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        ckam_data  *data = (ckam_data *)&data;
        ckam_error  error = {.message = ""};
        ckam_status status = data_create(&data, table[i][0], &error);
        assert_failure(status, CKAM_ERROR_FORMAT, &error, "the file of --data", table[i][1]);
        assert_null(data);
        assert_int_equal(data_create(&data, table[i][0], NULL), CKAM_ERROR_FORMAT);
    }
}

/* jansson's own memory is not refused: its calls are not wrapped. */
static void no_memory_is_no_crash(void **unused) {
    (void)unused;
    unsigned number = 0;
    bool     refused = true;
    while (refused) {
        ckam_data *data;
        ckam_error error = {.message = ""};
        refusal_begin(++number);
        ckam_status status = data_create(&data, "{\"N\": 2, \"y\": [1, 2], \"t\": \"\"}", &error);
        refused = refusal_end();
        if (refused) {
            assert_failure(status, CKAM_ERROR_MEMORY, &error, "no memory for the data");
            assert_null(data);
        } else {
            assert_int_equal(status, CKAM_OK);
            data_free(data);
        }
    }
    assert_int_equal(number, 7); /* the store, its entries, two keys and their numbers; and one that is not wanted */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_lists_are_had), cmocka_unit_test(other_keys_are_left_alone),
        cmocka_unit_test(no_data_has_no_keys),       cmocka_unit_test(many_numbers_come_in_order),
        cmocka_unit_test(bad_files_are_refused),     cmocka_unit_test(no_memory_is_no_crash)};
    return cmocka_run_group_tests_name("data", tests, NULL, NULL);
}
