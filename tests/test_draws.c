/* test_draws.c - draws read back: which rows and columns are used, from files and from memory, and what is refused. */
#include "failure.h"
#include "folder.h"

#include "draws/draws.h"
#include "rng/rng.h"

#include <errno.h>
#include <math.h>
#include <sys/stat.h>

static ckam_draws *open_draws(const char *const *paths, size_t count) {
    ckam_draws *draws;
    ckam_error  error;
    if (ckam_draws_open(&draws, paths, count, &error)) fail_msg("%s", error.message);
    return draws;
}

/* Files whose numbers say where they stand. */
static double number_at(size_t chain, size_t row, size_t column) {
    return (double)chain * 1e6 + (double)row * 1e3 + (double)column;
}

static void write_chain(size_t chain, const char *header, size_t columns, size_t rows) {
    char path[300];
    draws_path(folder, chain, false, sizeof path, path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "# model = m\n%s\n", header);
    for (size_t row = 0; row < rows; row++)
        for (size_t k = 0; k < columns; k++)
            fprintf(file, "%.0f%c", number_at(chain, row, k), k + 1 < columns ? ',' : '\n');
    fputs("#\n#  Elapsed Time: 0.5 seconds (Warm-up)\n", file);
    assert_int_equal(fclose(file), 0);
}

/* "x.1,x.2,..." */
static char *many_names(size_t columns) {
    char *header = malloc(columns * 16), *place = header;
    assert_non_null(header);
    for (size_t k = 0; k < columns; k++) place += sprintf(place, "%sx.%zu", k ? "," : "", k + 1);
    return header;
}

/* What draws_scan() visits is compared with what ckam_draws_column() gives. */
typedef struct visits {
    double *values; /* [column][chain][row] */
    size_t  chains, rows, columns, count;
} visits;

static void note(void *context, size_t chain, size_t row, const double *values) {
    visits *v = context;
    assert_int_equal(v->count, chain * v->rows + row); /* in order, none left out */
    for (size_t k = 0; k < v->columns; k++) v->values[(k * v->chains + chain) * v->rows + row] = values[k];
    v->count++;
}

static void check_scan(ckam_draws *draws) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    size_t                  rows = shape->chains * shape->rows;
    visits v = {calloc(rows * shape->columns + 1, sizeof(double)), shape->chains, shape->rows, shape->columns, 0};
    const double *values;
    assert_int_equal(draws_scan(draws, note, &v, NULL), CKAM_OK);
    assert_int_equal(v.count, rows);
    for (size_t k = 0; k < shape->columns; k++) {
        assert_int_equal(ckam_draws_column(draws, k, &values, NULL), CKAM_OK);
        if (rows) assert_memory_equal(values, v.values + k * rows, rows * sizeof *values);
    }
    v.count = 0;
    assert_int_equal(draws_scan(draws, note, &v, NULL), CKAM_OK);
    assert_int_equal(v.count, rows);
    free(v.values);
}

/* -- Files -------------------------------------------------------------------------------------------------------- */

/* Chains of different lengths; columns that describe come first, whatever the file has. */
static void a_directory_is_opened(void **unused) {
    (void)unused;
    static const struct {
        const char *name;
        size_t      in_file;
    } columns[] = {{"lp__", 1}, {"stepsize__", 3}, {"x.1", 0}, {"x.2", 2}, {"y_", 4}};
    const size_t      rows[3] = {12, 10, 11};
    const char *const paths[] = {folder};
    const double     *values;
    folder_clear();
    for (size_t c = 0; c < 3; c++) write_chain(c, "x.1,lp__,x.2,stepsize__,y_", 5, rows[c]);
    write_text(in_folder("chain_1_warmup.csv"), "other\n1\n");
    assert_int_equal(draws_files(NULL, folder), 3);
    ckam_draws             *draws = open_draws(paths, 1);
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    assert_int_equal(shape->chains, 3);
    assert_int_equal(shape->columns, 5);
    assert_int_equal(shape->first, 2);
    assert_int_equal(shape->rows, 10);
    assert_int_equal(shape->stride, 1);
    assert_int_equal(shape->shortest, 10);
    assert_int_equal(shape->longest, 12);
    for (size_t k = 0; k < 5; k++) {
        assert_string_equal(ckam_draws_name(draws, k), columns[k].name);
        assert_int_equal(ckam_draws_column(draws, k, &values, NULL), CKAM_OK);
        for (size_t c = 0; c < 3; c++)
            for (size_t i = 0; i < 10; i++) assert_true(values[c * 10 + i] == number_at(c, i, columns[k].in_file));
    }
    check_scan(draws);
    ckam_draws_free(draws);
    ckam_draws_free(NULL);
}

static void files_are_opened_by_name(void **unused) {
    (void)unused;
    const double *values;
    folder_clear();
    write_chain(0, "x,y", 2, 4);
    write_chain(1, "x,y", 2, 5);
    write_chain(2, "x,y", 2, 4);
    const char *const paths[] = {in_folder("chain_2.csv"), in_folder("chain_1.csv"), in_folder("chain_3.csv")};
    const size_t      chains[] = {1, 0, 2};
    ckam_draws       *draws = open_draws(paths, 3);
    assert_int_equal(ckam_draws_shape_of(draws)->chains, 3);
    assert_int_equal(ckam_draws_shape_of(draws)->first, 0);
    assert_int_equal(ckam_draws_column(draws, 1, &values, NULL), CKAM_OK);
    for (size_t i = 0; i < 12; i++) assert_true(values[i] == number_at(chains[i / 4], i % 4, 1));
    check_scan(draws);
    ckam_draws_free(draws);
}

static void no_rows_are_no_failure(void **unused) {
    (void)unused;
    const char *const paths[] = {folder};
    const double     *values;
    folder_clear();
    write_chain(0, "lp__,x", 2, 3);
    write_chain(1, "lp__,x", 2, 0);
    ckam_draws *draws = open_draws(paths, 1);
    assert_int_equal(ckam_draws_shape_of(draws)->rows, 0);
    assert_int_equal(ckam_draws_shape_of(draws)->longest, 3);
    assert_int_equal(ckam_draws_column(draws, 1, &values, NULL), CKAM_OK);
    check_scan(draws);
    ckam_draws_free(draws);
}

/* More than a block holds, in order, backwards and at random. */
static void columns_come_from_blocks(void **unused) {
    (void)unused;
    enum { CHAINS = 2, ROWS = 800, WIDTH = 1500, BLOCK = (1 << 20) / (CHAINS * ROWS) };
    const char *const paths[] = {folder};
    char             *header = many_names(WIDTH);
    rng               r;
    rng_init(&r, 1, 0);
    assert_true(WIDTH > 2 * BLOCK); /* three blocks */
    folder_clear();
    for (size_t c = 0; c < CHAINS; c++) write_chain(c, header, WIDTH, ROWS);
    ckam_draws *draws = open_draws(paths, 1);
    for (size_t i = 0; i < WIDTH + 30; i++) {
        size_t        k = i < WIDTH ? i : i < WIDTH + 10 ? 2 * WIDTH - 1 - i : rng_below(&r, WIDTH);
        const double *values;
        assert_int_equal(ckam_draws_column(draws, k, &values, NULL), CKAM_OK);
        for (size_t c = 0; c < CHAINS; c++)
            for (size_t row = 0; row < ROWS; row++) assert_true(values[c * ROWS + row] == number_at(c, row, k));
    }
    check_scan(draws);
    ckam_draws_free(draws);
    free(header);
}

/* -- Rows that are used ------------------------------------------------------------------------------------------- */

static uint64_t smallest_stride(uint64_t chains, uint64_t rows) {
    for (uint64_t stride = 1;; stride++)
        if (chains * (rows / stride) <= DRAWS_ROWS_MOST) return stride;
}

static void long_files_are_thinned_evenly(void **unused) {
    (void)unused;
    enum { CHAINS = 2, ROWS = 1100000 };
    const char *const paths[] = {folder};
    const double     *values;
    folder_clear();
    for (size_t c = 0; c < CHAINS; c++) {
        char path[300];
        draws_path(folder, c, false, sizeof path, path);
        FILE *file = fopen(path, "w");
        fputs("lp__\n", file);
        for (size_t row = 0; row < ROWS; row++) fprintf(file, "%zu\n", row);
        assert_int_equal(fclose(file), 0);
    }
    ckam_draws             *draws = open_draws(paths, 1);
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    assert_int_equal(shape->stride, 3);
    assert_int_equal(shape->rows, ROWS / 3);
    assert_int_equal(ckam_draws_column(draws, 0, &values, NULL), CKAM_OK);
    for (size_t i = 0; i < CHAINS * shape->rows; i++) assert_true(values[i] == (double)(i % shape->rows * 3));
    ckam_draws_free(draws);
    folder_clear();
}

static void the_stride_is_the_smallest(void **unused) {
    (void)unused;
    static const struct {
        size_t chains, rows;
    } cases[] = {{1, 1 << 20}, {1, (1 << 20) + 1}, {1, (1 << 21) + 1}, {3, 349525},  {3, 349526}, {1 << 18, 9},
                 {1 << 19, 2}, {1 << 19, 3},       {1 << 20, 1},       {1 << 20, 3}, {4, 0},      {7, 299593}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t        chains = cases[i].chains, rows = cases[i].rows, count = chains * rows;
        double       *numbers = malloc((count + 1) * sizeof *numbers);
        ckam_draws   *draws;
        const double *values;
        for (size_t k = 0; k < count; k++) numbers[k] = (double)k;
        assert_int_equal(ckam_draws_create(&draws, chains, rows, 1, NULL, numbers, NULL, NULL), CKAM_OK);
        const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
        assert_int_equal(shape->stride, smallest_stride(chains, rows));
        assert_int_equal(shape->rows, rows / shape->stride);
        assert_int_equal(shape->shortest, rows);
        assert_int_equal(shape->longest, rows);
        assert_int_equal(ckam_draws_column(draws, 0, &values, NULL), CKAM_OK);
        for (size_t k = 0; k < chains * shape->rows; k++)
            assert_true(values[k] == (double)(k / shape->rows * rows + k % shape->rows * shape->stride));
        ckam_draws_free(draws);
        free(numbers);
    }
}

/* -- Memory ------------------------------------------------------------------------------------------------------- */

static void draws_in_memory_are_copied(void **unused) {
    (void)unused;
    static const char *const names[] = {"mu", "tau.1", "tau.2"};
    enum { CHAINS = 2, ROWS = 3, DIM = 3 };
    for (int with = 0; with < 2; with++) { /* log density and names */
        double        x[CHAINS * ROWS * DIM], log_density[CHAINS * ROWS];
        ckam_draws   *draws;
        const double *values;
        for (size_t i = 0; i < CHAINS * ROWS * DIM; i++) x[i] = number_at(i / DIM / ROWS, i / DIM % ROWS, i % DIM);
        for (size_t i = 0; i < CHAINS * ROWS; i++) log_density[i] = -(double)i;
        assert_int_equal(
            ckam_draws_create(&draws, CHAINS, ROWS, DIM, with ? names : NULL, x, with ? log_density : NULL, NULL),
            CKAM_OK);
        memset(x, 0, sizeof x);
        memset(log_density, 0, sizeof log_density);
        const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
        assert_int_equal(shape->first, with);
        assert_int_equal(shape->columns, DIM + with);
        assert_int_equal(shape->rows, ROWS);
        for (size_t k = 0; k < DIM; k++) {
            char name[8];
            snprintf(name, sizeof name, "x.%zu", k + 1);
            assert_string_equal(ckam_draws_name(draws, shape->first + k), with ? names[k] : name);
            assert_int_equal(ckam_draws_column(draws, shape->first + k, &values, NULL), CKAM_OK);
            for (size_t i = 0; i < CHAINS * ROWS; i++) assert_true(values[i] == number_at(i / ROWS, i % ROWS, k));
        }
        if (with) {
            assert_string_equal(ckam_draws_name(draws, 0), "lp__");
            assert_int_equal(ckam_draws_column(draws, 0, &values, NULL), CKAM_OK);
            for (size_t i = 0; i < CHAINS * ROWS; i++) assert_true(values[i] == -(double)i);
        }
        check_scan(draws);
        ckam_draws_free(draws);
    }
}

/* -- Failures ----------------------------------------------------------------------------------------------------- */

/* CmdStan with save_warmup: the rows of warm-up, thinned like the others, are not draws. */
static void a_saved_warmup_is_left_out(void **unused) {
    (void)unused;
    static const char *const flags[] = {"1", "true", "0", "false"};
    for (size_t i = 0; i < 4; i++) {
        char          text[256];
        ckam_draws   *draws;
        const double *values;
        snprintf(text, sizeof text,
                 "# num_samples = 4\n# num_warmup = 5\n# save_warmup = %s\n# thin = 2\nx\n9\n9\n9\n1\n2\n", flags[i]);
        folder_clear();
        write_text(in_folder("stan.csv"), text);
        const char *const path[] = {in_folder("stan.csv")};
        assert_int_equal(ckam_draws_open(&draws, path, 1, NULL), CKAM_OK);
        assert_int_equal(ckam_draws_shape_of(draws)->rows, i < 2 ? 2 : 5);
        assert_int_equal(ckam_draws_column(draws, 0, &values, NULL), CKAM_OK);
        assert_true(values[0] == (i < 2 ? 1.0 : 9.0));
        ckam_draws_free(draws);
    }
}

static void a_missing_chain_is_noticed(void **unused) {
    (void)unused;
    ckam_draws *draws;
    ckam_error  error;
    folder_clear();
    const char *const directory[] = {folder}, *const two[] = {in_folder("chain_1.csv"), folder};
    write_text(in_folder("chain_1.csv"), "x\n1\n");
    write_text(in_folder("chain_3.csv"), "x\n1\n");
    assert_failure(ckam_draws_open(&draws, directory, 1, &error), CKAM_ERROR_INPUT, &error, "chain_2.csv is missing");
    assert_failure(ckam_draws_open(&draws, two, 2, &error), CKAM_ERROR_INPUT, &error, "is a directory",
                   "one directory");
}

/* Many columns: 2^23 numbers in all. */
static void wide_draws_are_thinned(void **unused) {
    (void)unused;
    enum { DIM = 1000, ROWS = 8389 }; /* one more than fits at stride 1 */
    double     *values = calloc((size_t)DIM * ROWS, sizeof *values);
    ckam_draws *draws;
    assert_int_equal(ckam_draws_create(&draws, 1, ROWS, DIM, NULL, values, NULL, NULL), CKAM_OK);
    assert_int_equal(ckam_draws_shape_of(draws)->stride, 2);
    ckam_draws_free(draws);
    assert_int_equal(ckam_draws_create(&draws, 1, ROWS - 1, DIM, NULL, values, NULL, NULL), CKAM_OK);
    assert_int_equal(ckam_draws_shape_of(draws)->stride, 1);
    ckam_draws_free(draws);
    free(values);
}

/* Of many chains with many columns as many rows are left as can be judged. */
static void rows_of_a_chain_are_enough(void **unused) {
    (void)unused;
    enum { CHAINS = 500, DIM = 100, ROWS = 300 };
    double     *values = calloc((size_t)CHAINS * ROWS * DIM, sizeof *values);
    ckam_draws *draws;
    assert_int_equal(ckam_draws_create(&draws, CHAINS, ROWS, DIM, NULL, values, NULL, NULL), CKAM_OK);
    assert_int_equal(ckam_draws_shape_of(draws)->stride, 2); /* 2^23 numbers would be 167 rows, less than 250 */
    ckam_draws_free(draws);
    assert_int_equal(ckam_draws_create(&draws, CHAINS, 250, DIM, NULL, values, NULL, NULL), CKAM_OK);
    assert_int_equal(ckam_draws_shape_of(draws)->rows, 250);
    ckam_draws_free(draws);
    free(values);
}

static void what_cannot_be_opened_is_refused(void **unused) {
    (void)unused;
    ckam_draws *draws;
    ckam_error  error;
    folder_clear();
    const char *const directory[] = {folder}, *const missing[] = {in_folder("none.csv")}, *const null[] = {NULL};
    assert_failure(ckam_draws_open(&draws, directory, 1, &error), CKAM_ERROR_INPUT, &error, folder, "chain_1.csv",
                   "by name");
    assert_null(draws);
    assert_failure(ckam_draws_open(&draws, missing, 1, &error), CKAM_ERROR_INPUT, &error, "none.csv", strerror(ENOENT));
    assert_failure(ckam_draws_open(&draws, missing, 0, &error), CKAM_ERROR_ARGUMENT, &error, "named");
    assert_failure(ckam_draws_open(&draws, null, 1, &error), CKAM_ERROR_ARGUMENT, &error, "file 1", "NULL");
    assert_failure(ckam_draws_open(NULL, missing, 1, &error), CKAM_ERROR_ARGUMENT, &error, "named");
    write_chain(0, "lp__,x.1,x.2", 3, 2);
    const char *const two[] = {in_folder("chain_1.csv"), folder};
    assert_failure(ckam_draws_open(&draws, two, 2, &error), CKAM_ERROR_INPUT, &error, folder, "is a directory");
    static const struct {
        const char *header, *is, *must;
        size_t      columns;
    } others[] = {{"lp__,x.1,y", "column 3 is 'y'", "'x.2'", 3},
                  {"lp__,x.1", "column 3 is ''", "'x.2'", 2},
                  {"lp__,x.1,x.2,x.3", "column 4 is 'x.3'", "''", 4},
                  {"x.1,lp__,x.2", "column 1 is 'x.1'", "'lp__'", 3}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        write_chain(1, others[i].header, others[i].columns, 2);
        assert_failure(ckam_draws_open(&draws, directory, 1, &error), CKAM_ERROR_FORMAT, &error, "chain_2.csv",
                       others[i].is, others[i].must, "same header");
        assert_null(draws);
    }
}

/* Files are read more than once, and a pipe without a writer would be waited for. */
static void what_is_no_file_is_refused(void **unused) {
    (void)unused;
    ckam_draws *draws;
    ckam_error  error;
    folder_clear();
    const char *const directory[] = {folder}, *const pipe[] = {in_folder("chain_1.csv")}, *const null[] = {"/dev/null"};
    assert_int_equal(mkfifo(pipe[0], 0600), 0);
    assert_failure(ckam_draws_open(&draws, pipe, 1, &error), CKAM_ERROR_INPUT, &error, pipe[0], "is a pipe");
    assert_failure(ckam_draws_open(&draws, directory, 1, &error), CKAM_ERROR_INPUT, &error, pipe[0], "is a pipe");
    assert_failure(ckam_draws_open(&draws, null, 1, &error), CKAM_ERROR_INPUT, &error, "/dev/null is a device");
    assert_null(draws);
}

static void arguments_are_checked(void **unused) {
    (void)unused;
    const double      x[4] = {1.0, 2.0, 3.0, 4.0}, *values;
    const char *const names[] = {"a", NULL};
    ckam_draws       *draws;
    ckam_error        error;
    assert_failure(ckam_draws_create(&draws, 0, 2, 2, NULL, x, NULL, &error), CKAM_ERROR_ARGUMENT, &error,
                   "chains is 0");
    assert_failure(ckam_draws_create(&draws, 1, 2, 0, NULL, x, NULL, &error), CKAM_ERROR_ARGUMENT, &error,
                   "dimension 0");
    assert_failure(ckam_draws_create(&draws, 1, 2, 2, NULL, NULL, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "values");
    assert_failure(ckam_draws_create(NULL, 1, 2, 2, NULL, x, NULL, &error), CKAM_ERROR_ARGUMENT, &error, "place");
    assert_failure(ckam_draws_create(&draws, 1, 2, 2, names, x, NULL, &error), CKAM_ERROR_ARGUMENT, &error,
                   "parameter 2", "NULL");
    assert_failure(ckam_draws_create(&draws, 1, 1, SIZE_MAX, NULL, x, x, &error), CKAM_ERROR_MEMORY, &error, "memory");
    assert_null(draws);
    assert_int_equal(ckam_draws_create(&draws, 1, 2, 2, NULL, x, NULL, NULL), CKAM_OK);
    assert_failure(ckam_draws_column(draws, 2, &values, &error), CKAM_ERROR_ARGUMENT, &error, "column 2", "have 2");
    ckam_draws_free(draws);
}

static void nothing(void *context, size_t chain, size_t row, const double *values) {
    (void)context, (void)chain, (void)row, (void)values;
}

/* Files that are changed between opening and reading: an error, and good again when they are. */
static void files_that_change_are_noticed(void **unused) {
    (void)unused;
    const char *const paths[] = {folder};
    const double     *values;
    ckam_error        error;
    folder_clear();
    for (size_t c = 0; c < 2; c++) write_chain(c, "lp__,x", 2, 5);
    ckam_draws *draws = open_draws(paths, 1);
    write_chain(1, "lp__,x", 2, 4);
    assert_failure(ckam_draws_column(draws, 0, &values, &error), CKAM_ERROR_FORMAT, &error, "chain_2.csv",
                   "fewer rows");
    assert_failure(draws_scan(draws, nothing, NULL, &error), CKAM_ERROR_FORMAT, &error, "chain_2.csv", "fewer rows");
    write_chain(1, "lp__,y", 2, 5);
    assert_failure(ckam_draws_column(draws, 0, &values, &error), CKAM_ERROR_FORMAT, &error, "chain_2.csv", "'y'");
    write_text(in_folder("chain_2.csv"), "lp__,x\n1,2\n1,2\n1,2\n1,2\n1,two\n");
    assert_failure(ckam_draws_column(draws, 0, &values, &error), CKAM_ERROR_FORMAT, &error, "chain_2.csv", "line 6");
    unlink(in_folder("chain_2.csv"));
    assert_failure(ckam_draws_column(draws, 0, &values, &error), CKAM_ERROR_INPUT, &error, "chain_2.csv");
    write_chain(1, "lp__,x", 2, 6); /* it may have grown */
    assert_int_equal(ckam_draws_column(draws, 0, &values, NULL), CKAM_OK);
    assert_true(values[9] == number_at(1, 4, 0));
    check_scan(draws);
    ckam_draws_free(draws);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_directory_is_opened),         cmocka_unit_test(files_are_opened_by_name),
        cmocka_unit_test(no_rows_are_no_failure),        cmocka_unit_test(columns_come_from_blocks),
        cmocka_unit_test(long_files_are_thinned_evenly), cmocka_unit_test(the_stride_is_the_smallest),
        cmocka_unit_test(draws_in_memory_are_copied),    cmocka_unit_test(what_cannot_be_opened_is_refused),
        cmocka_unit_test(a_saved_warmup_is_left_out),    cmocka_unit_test(a_missing_chain_is_noticed),
        cmocka_unit_test(wide_draws_are_thinned),        cmocka_unit_test(rows_of_a_chain_are_enough),
        cmocka_unit_test(arguments_are_checked),         cmocka_unit_test(files_that_change_are_noticed),
        cmocka_unit_test(what_is_no_file_is_refused)};
    return cmocka_run_group_tests_name("draws", tests, folder_begin, folder_end);
}
