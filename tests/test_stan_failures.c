/* test_stan_failures.c - each failure that a model with the C interface of BridgeStan can report, and what is said then. */
#include "refusal.h"
#include "stan/models.h"

#include <math.h>

char *__real_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size);
char *__wrap_strndup(const char *text, size_t size) { return grant() ? __real_strndup(text, size) : NULL; }

#define WHERE " (in 'faithful.stan', line 5, column 2 to column 40)"

static void refuse(const char *path, const char *data, ckam_status status, const char *piece, const char *other) {
    ckam_error error = {.message = ""};
    engine    *e = (engine *)&error;
    assert_failure(stan_open(&e, path, data, 1, &error), status, &error, piece, other);
    assert_null(e);
    assert_int_equal(stan_open(&e, path, data, 1, NULL), status);
}

static void files_that_are_no_models_are_refused(void **unused) {
    (void)unused;
    refuse("/nowhere/model.so", NULL, CKAM_ERROR_INPUT, "/nowhere/model.so", "cannot load");
    write_text(in_folder("text.so"), "this is no shared object");
    refuse(in_folder("text.so"), NULL, CKAM_ERROR_INPUT, "text.so", "cannot load");
    refuse(path_of("old"), good_data, CKAM_ERROR_FORMAT, "version 1 of BridgeStan", "version 2 is needed");
    refuse(path_of("unversioned"), good_data, CKAM_ERROR_FORMAT, "unversioned.so", "bs_major_version");
    refuse(path_of("missing"), good_data, CKAM_ERROR_FORMAT, "missing.so", "bs_param_unconstrain");
}

/* A name without a slash is a file here, not one of the system's. */
static void a_name_is_a_file_here(void **unused) {
    (void)unused;
    engine *e;
    assert_int_equal(stan_open(&e, "faithful.so", good_data, 1, NULL), CKAM_OK);
    close_model(e, NULL);
    refuse("libm.so.6", NULL, CKAM_ERROR_INPUT, "./libm.so.6", "cannot load");
}

static void a_model_may_refuse_its_data(void **unused) {
    (void)unused;
    const char *path = path_of("faithful"), *says = "the Stan model fails with its data: ";
    refuse(path, NULL, CKAM_ERROR_FORMAT, "fails without --data: ", "variable N is not in the data" WHERE);
    refuse(path, "{\"N\": 2, \"y\": [1]}", CKAM_ERROR_FORMAT, says, "y does not have N numbers" WHERE);
    refuse(path, "{\"refuse\": 1}", CKAM_ERROR_FORMAT, says, "N is 7; the model wants 8" WHERE);
    refuse(path, good_data + 1, CKAM_ERROR_FORMAT, path, "no JSON object");
    refuse(path, "{\"empty\": 1, \"N\": 0, \"y\": []}", CKAM_ERROR_FORMAT, path, "no parameters");
    refuse(path, "{\"nameless\": 1, \"N\": 0, \"y\": []}", CKAM_ERROR_FORMAT, path, "7 names for 10 numbers");
}

/* It would open a file, or do without data. */
static void data_is_never_taken_for_a_path(void **unused) {
    (void)unused;
    write_text(in_folder("data.json"), good_data);
    const char *const texts[] = {in_folder("data.json"), "", " \n", "{}.json", "[1, 2]", "}", "{"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refuse(path_of("faithful"), texts[i], CKAM_ERROR_FORMAT, "faithful.so", "no JSON object");
    close_model(open_model("faithful", " \n{\"N\": 0, \"y\": []} \r\n\t", 1), NULL);
}

static void a_message_is_cut_between_letters(void **unused) {
    (void)unused;
    const char *const texts[] = {"{\"refuse_long\": 1}", "{\"refuse_long\": 1, \"refuse_odd\": 1}"};
    for (size_t i = 0; i < 2; i++) {
        ckam_error error;
        engine    *e;
        assert_failure(stan_open(&e, path_of("faithful"), texts[i], 1, &error), CKAM_ERROR_FORMAT, &error, "\xc3\xa9");
        size_t length = strlen(error.message);
        assert_in_range(length, 200, 246);
        assert_int_equal((unsigned char)error.message[length - 1], 0xa9);
    }
}

static void a_point_may_be_rejected(void **unused) {
    (void)unused;
    char    why[ENGINE_WHY] = "";
    double  value, u[DIM] = {0.0, 20.0};
    engine *e = open_model("faithful", good_data, 1);
    void   *handle = attach(e, 0);
    assert_int_equal(e->type->evaluate(e, handle, u, &value, why), ENGINE_REJECT);
    assert_string_equal(why, "Exception: normal_lpdf: Scale parameter is too large" WHERE);
    assert_int_equal(e->type->evaluate(e, handle, point, &value, why), ENGINE_VALUE);
    close_model(e, handle);
}

/* What can be had of a row is there, the rest is NaN. */
static void check_partial_row(const char *data, double mu, size_t good, const char *reason) {
    char    why[ENGINE_WHY] = "";
    double  u[DIM], row[COLUMNS] = {0.0};
    engine *e = open_model("faithful", data, 1);
    void   *handle = attach(e, 0);
    memcpy(u, point, sizeof u);
    u[0] = mu;
    assert_int_equal(e->type->derive(e, handle, u, row, why), ENGINE_REJECT);
    assert_string_equal(why, reason);
    assert_true(row[0] == mu);
    for (size_t k = 0; k < COLUMNS; k++) assert_int_equal(!isnan(row[k]), k < good);
    close_model(e, handle);
}

static void a_row_may_fail(void **unused) {
    (void)unused;
    char   why[ENGINE_WHY] = "";
    double row[COLUMNS];
    check_partial_row(good_data, 101.0, PARAMETERS + 1, "normal_rng: mu is too large" WHERE);
    check_partial_row("{\"N\": 0, \"y\": [], \"no_precision\": 1}", 0.0, PARAMETERS, "precision is not today" WHERE);
    engine *e = open_model("faithful", good_data, 1);
    void   *handle = attach(e, 0);
    make_numbers_fail(true);
    engine_answer answer = e->type->derive(e, handle, point, row, why);
    make_numbers_fail(false);
    assert_int_equal(answer, ENGINE_STOP);
    assert_string_equal(why, "there are no random numbers today" WHERE);
    close_model(e, handle);
}

static void values_that_are_none_are_refused(void **unused) {
    (void)unused;
    const double negative[PARAMETERS] = {0, -1, 0, 0, 0, 0.5, 0.5}, no_simplex[PARAMETERS] = {0, 1, 0, 0, 0, 0.5, 0.6};
    char         why[ENGINE_WHY] = "";
    double       u[DIM];
    engine      *e = open_model("faithful", good_data, 1);
    assert_int_equal(e->type->unconstrain(e, negative, u, why), ENGINE_REJECT);
    assert_string_equal(why, "lb_free: Lower bounded variable is not above 0" WHERE);
    assert_int_equal(e->type->unconstrain(e, no_simplex, u, why), ENGINE_REJECT);
    assert_string_equal(why, "w is not a valid simplex" WHERE);
    close_model(e, NULL);
}

static void no_memory_is_survived(void **unused) {
    (void)unused;
    unsigned number = 1, refused = 0;
    for (bool over = false; !over; number++) {
        ckam_error error = {.message = ""};
        engine    *e;
        void      *handle = NULL;
        refusal_begin(number);
        ckam_status status = stan_open(&e, path_of("faithful"), good_data, 1, &error);
        if (!status) status = e->type->attach(e, 0, &handle, &error);
        over = !refusal_end();
        if (!over) assert_failure(status, CKAM_ERROR_MEMORY, &error, "no memory");
        refused += !over;
        if (e) close_model(e, handle);
    }
    assert_in_range(refused, COLUMNS + 4, 100); /* the model, a path, the list of names, the names, a handle */
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(files_that_are_no_models_are_refused),
                                       TEST(a_name_is_a_file_here),
                                       TEST(a_model_may_refuse_its_data),
                                       TEST(data_is_never_taken_for_a_path),
                                       TEST(a_message_is_cut_between_letters),
                                       TEST(a_point_may_be_rejected),
                                       TEST(a_row_may_fail),
                                       TEST(values_that_are_none_are_refused),
                                       TEST(no_memory_is_survived)};
    return cmocka_run_group_tests_name("stan failures", tests, enter_models, folder_end);
}
