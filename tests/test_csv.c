/* test_csv.c - files of draws: every byte that is written, the same bits when read back, and writes that fail. */
#include "failure.h"
#include "folder.h"

#include "base/fastmath.h"
#include "draws/csv.h"
#include "rng/rng.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const csv_about   about = {.model = "ring:dim=2",
                                  .sampler = "ckam:cycle-length=100",
                                  .started = "2026-01-02T03:04:05Z",
                                  .samples = 1000,
                                  .warmup = 200,
                                  .thin = 2,
                                  .seed = UINT64_MAX,
                                  .chain = 3};
static const char *const names[] = {"lp__", "x.1", "x.2"};
enum { COLUMNS = 3 };

static csv_writer create(const char *path, csv_gate *gate, uint64_t *samples_at) {
    csv_writer w;
    uint64_t   at;
    char      *top = csv_top(&about, COLUMNS, names, &at);
    assert_non_null(top);
    assert_int_equal(csv_create(&w, NULL, path, top, gate, NULL), CKAM_OK);
    assert_int_equal(w.length, strlen(top));
    if (samples_at) *samples_at = at;
    free(top);
    return w;
}

static csv_reader *open_file(const char *path) {
    csv_reader *reader;
    ckam_error  error;
    if (csv_open(&reader, NULL, path, &error)) fail_msg("%s", error.message);
    return reader;
}

static uint64_t size_of(const char *path) {
    struct stat what;
    assert_int_equal(stat(path, &what), 0);
    return (uint64_t)what.st_size;
}

/* -- Writing ------------------------------------------------------------------------------------------------------ */

#define TOP(samples, warmup)                                                                                           \
    "# stan_version_major = 2\n# stan_version_minor = 31\n# stan_version_patch = 0\n# ckam_version = " CKAM_VERSION    \
    "\n# model = ring:dim=2\n# start_datetime = 2026-01-02T03:04:05Z\n# method = sample\n# num_samples = " samples     \
    "\n# num_warmup = " warmup "\n# save_warmup = 0\n# thin = 2\n# algorithm = ckam:cycle-length=100\n# metric = "     \
    "unit_e\n"                                                                                                         \
    "# id = 3\n# seed = 18446744073709551615\nlp__,x.1,x.2\n"

static void every_byte_is_as_readers_want_it(void **unused) {
    (void)unused;
    const char  *path = in_folder("bytes.csv");
    const double rows[2][COLUMNS] = {{-1.25, 3.0, 1e-7}, {(double)NAN, -HUGE_VAL, -0.0}};
    uint64_t     samples_at;
    size_t       size;
    csv_writer   w = create(path, NULL, &samples_at);
    for (int i = 0; i < 2; i++) assert_int_equal(csv_row(&w, COLUMNS, rows[i], NULL), CKAM_OK);
    assert_int_equal(csv_tail(&w, 0.01499, 0.002, NULL), CKAM_OK);
    assert_int_equal(csv_patch(&w, samples_at, 1234567890123456789, 9876543210, NULL), CKAM_OK);
    assert_int_equal(csv_sync(&w, NULL), CKAM_OK);
    char *text = read_text(path, &size);
    assert_string_equal(
        text, TOP("1234567890123456789 ", "9876543210          ") "-1.25,3,1e-7\nnan,-inf,-0\n"
                                                                  "#\n"
                                                                  "#  Elapsed Time: 0.015 seconds (Warm-up)\n"
                                                                  "#                0.002 seconds (Sampling)\n"
                                                                  "#                0.017 seconds (Total)\n"
                                                                  "#\n");
    assert_int_equal(size, w.length);
    free(text);
    csv_close(&w);
    csv_close(&w); /* harmless */
    csv_close(&(csv_writer){0});
}

static void the_top_stays_in_its_lines(void **unused) {
    (void)unused;
    uint64_t    at;
    csv_about   odd = about;
    char       *top, *whole = csv_top(&about, COLUMNS, names, &at);
    const char *place = whole + at;
    odd.model = "a\nb\tc%s";
    top = csv_top(&odd, COLUMNS, names, &at);
    assert_string_equal(whole, TOP("1000                ", "200                 "));
    assert_int_equal(place - whole, strstr(whole, "1000 ") - whole);
    assert_non_null(strstr(top, "# model = a b c%s\n"));
    free(whole);
    free(top);
}

static double special(rng *r, int i) {
    static const double values[] = {0.0, -0.0, 5e-324, DBL_MIN, DBL_MAX, -DBL_MAX, HUGE_VAL, -HUGE_VAL, (double)NAN};
    enum { COUNT = sizeof values / sizeof *values };
    double any = double_of(rng_word(r));
    return i % 3 == 0 ? values[i / 3 % COUNT] : i % 3 == 1 ? rng_normal(r) : isnan(any) ? (double)i : any;
}

/* Enough rows to fill the buffer several times. */
static void numbers_come_back_as_the_same_bits(void **unused) {
    (void)unused;
    enum { ROWS = 20000 };
    const size_t wanted[][COLUMNS] = {{0, 1, 2}, {1, 2}, {0}, {2}};
    const size_t counts[] = {3, 2, 1, 1, 0};
    const char  *path = in_folder("bits.csv");
    double(*rows)[COLUMNS] = calloc(ROWS, sizeof *rows), values[COLUMNS];
    csv_writer w = create(path, NULL, NULL);
    rng        r;
    rng_init(&r, 1, 0);
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < COLUMNS; k++) rows[i][k] = special(&r, i * COLUMNS + k);
        assert_int_equal(csv_row(&w, COLUMNS, rows[i], NULL), CKAM_OK);
    }
    assert_true(size_of(path) > 256 * 1024); /* without being told */
    assert_int_equal(csv_flush(&w, NULL), CKAM_OK);
    assert_int_equal(size_of(path), w.length);
    csv_close(&w);
    csv_reader *reader = open_file(path);
    for (size_t c = 0; c < 5; c++) {
        for (int i = 0; i < ROWS; i++) {
            assert_int_equal(csv_next(reader, counts[c], wanted[c % 4], values, NULL), CKAM_OK);
            for (size_t k = 0; k < counts[c]; k++)
                assert_memory_equal(&values[k], &rows[i][wanted[c][k]], sizeof *values);
        }
        assert_int_equal(csv_next(reader, counts[c], wanted[c % 4], values, NULL), CKAM_STOP);
        assert_int_equal(csv_next(reader, counts[c], wanted[c % 4], values, NULL), CKAM_STOP);
        csv_free(reader);
        reader = open_file(path);
    }
    csv_free(reader);
    free(rows);
}

/* Rows and a header that are longer than every buffer. */
static void rows_may_be_long(void **unused) {
    (void)unused;
    enum { LONG = 100000, ROWS = 4, NAME = 16 };
    const char  *path = in_folder("long.csv");
    char        *text = malloc(LONG * NAME);
    const char **many = malloc(LONG * sizeof *many);
    double      *row = malloc(LONG * sizeof *row), ends[3];
    const size_t wanted[3] = {0, 1, LONG - 1};
    uint64_t     at;
    csv_writer   w;
    for (size_t k = 0; k < LONG; k++) {
        snprintf(text + k * NAME, NAME, "x.%zu", k + 1);
        many[k] = text + k * NAME;
    }
    char *top = csv_top(&about, LONG, many, &at);
    assert_int_equal(csv_create(&w, NULL, path, top, NULL, NULL), CKAM_OK);
    for (int i = 0; i < ROWS; i++) {
        for (size_t k = 0; k < LONG; k++) row[k] = -1.2345678901234567e-200 - (double)k - i;
        assert_int_equal(csv_row(&w, LONG, row, NULL), CKAM_OK);
        assert_int_equal(csv_row(&w, LONG, row, NULL), CKAM_OK);
    }
    assert_int_equal(csv_flush(&w, NULL), CKAM_OK);
    csv_close(&w);
    csv_reader *reader = open_file(path);
    assert_int_equal(csv_columns(reader), LONG);
    assert_string_equal(csv_name(reader, LONG - 1), "x.100000");
    for (int i = 0; i < 2 * ROWS; i++) {
        assert_int_equal(csv_next(reader, 3, wanted, ends, NULL), CKAM_OK);
        assert_true(ends[0] == (i < 2 ? -1.2345678901234567e-200 : -(i / 2)) && ends[2] == -(LONG - 1) - i / 2);
    }
    assert_int_equal(csv_next(reader, 3, wanted, ends, NULL), CKAM_STOP);
    csv_free(reader);
    free(top);
    free(row);
    free(many);
    free(text);
}

static void a_file_is_continued_where_it_was(void **unused) {
    (void)unused;
    const char  *path = in_folder("continued.csv");
    const double row[COLUMNS] = {1.0, 2.0, 3.0}, other[COLUMNS] = {4.0, 5.0, 6.0};
    ckam_error   error;
    size_t       size;
    csv_writer   w = create(path, NULL, NULL);
    assert_int_equal(csv_row(&w, COLUMNS, row, NULL), CKAM_OK);
    assert_int_equal(csv_sync(&w, NULL), CKAM_OK);
    uint64_t length = w.length;
    assert_int_equal(csv_row(&w, COLUMNS, row, NULL), CKAM_OK);
    assert_int_equal(csv_sync(&w, NULL), CKAM_OK);
    assert_int_equal(csv_row(&w, COLUMNS, row, NULL), CKAM_OK); /* never written */
    csv_close(&w);
    assert_int_equal(csv_continue(&w, NULL, path, length, NULL, NULL), CKAM_OK);
    assert_int_equal(size_of(path), length);
    assert_int_equal(csv_row(&w, COLUMNS, other, NULL), CKAM_OK);
    assert_int_equal(csv_add(&w, "7,8,9\n", 6, NULL), CKAM_OK);
    assert_int_equal(csv_flush(&w, NULL), CKAM_OK);
    csv_close(&w);
    char *text = read_text(path, &size);
    assert_string_equal(text, TOP("1000                ", "200                 ") "1,2,3\n4,5,6\n7,8,9\n");
    free(text);
    assert_failure(csv_continue(&w, NULL, path, size + 1, NULL, &error), CKAM_ERROR_FORMAT, &error, "continued.csv",
                   "bytes");
    assert_failure(csv_continue(&w, NULL, path, size - 1, NULL, &error), CKAM_ERROR_FORMAT, &error, "continued.csv",
                   "row");
    assert_int_equal(w.file, -1);
    assert_int_equal(size_of(path), size); /* untouched */
    assert_failure(csv_continue(&w, NULL, in_folder("none.csv"), 0, NULL, &error), CKAM_ERROR_INPUT, &error, "none.csv",
                   strerror(ENOENT));
    assert_failure(csv_create(&w, NULL, path, "", NULL, &error), CKAM_ERROR_OUTPUT, &error, path, strerror(EEXIST));
    assert_failure(csv_create(&w, NULL, in_folder("no/where.csv"), "", NULL, &error), CKAM_ERROR_OUTPUT, &error,
                   "where.csv", strerror(ENOENT));
}

/* -- Writes that fail --------------------------------------------------------------------------------------------- */

/* The limit of a file's size would end the process by a signal. The file ends with a row, and when there is room again
 * nothing is missing. */
static void a_limit_is_a_failed_write(void **unused) {
    (void)unused;
    enum { ROWS = 40000, LIMIT = 300001 };
    const char   *path = in_folder("limit.csv");
    const size_t  first[1] = {0};
    double        row[COLUMNS] = {0.0, 1.0 / 3.0, -2.0 / 3.0}, value;
    csv_writer    w = create(path, NULL, NULL);
    struct rlimit before, small;
    ckam_error    error;
    int           failures = 0;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = LIMIT;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < ROWS; i++) {
        row[0] = i;
        if (!csv_row(&w, COLUMNS, row, &error)) continue;
        setrlimit(RLIMIT_FSIZE, &before);
        assert_failure(error.status, CKAM_ERROR_WRITE, &error, path, strerror(EFBIG), "ulimit", "try again");
        assert_int_equal(size_of(path), w.length);
        assert_true(w.length < LIMIT);
        assert_int_equal(csv_row(&w, COLUMNS, row, NULL), CKAM_OK);
        failures++;
    }
    setrlimit(RLIMIT_FSIZE, &before);
    assert_int_equal(failures, 1);
    assert_int_equal(csv_flush(&w, NULL), CKAM_OK);
    csv_close(&w);
    csv_reader *reader = open_file(path);
    for (int i = 0; i < ROWS; i++) {
        assert_int_equal(csv_next(reader, 1, first, &value, NULL), CKAM_OK);
        assert_true(value == i);
    }
    assert_int_equal(csv_next(reader, 1, first, &value, NULL), CKAM_STOP);
    csv_free(reader);
}

static void a_full_disk_is_a_failed_write(void **unused) {
    (void)unused;
    const double row[COLUMNS] = {0.0};
    csv_writer   w = create(in_folder("full.csv"), NULL, NULL);
    ckam_error   error;
    int          full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    if (full < 0) skip(); /* not every system has one */
    assert_int_equal(dup2(full, w.file), w.file);
    close(full);
    assert_int_equal(csv_row(&w, COLUMNS, row, &error), CKAM_OK); /* into the buffer */
    assert_failure(csv_flush(&w, &error), CKAM_ERROR_WRITE, &error, "full.csv", strerror(ENOSPC), "make room");
    assert_failure(csv_sync(&w, &error), CKAM_ERROR_WRITE, &error, "full.csv", strerror(ENOSPC), "make room");
    assert_failure(csv_patch(&w, 1, 1, 1, &error), CKAM_ERROR_WRITE, &error, "full.csv", strerror(ENOSPC), "make room");
    csv_close(&w);
}

static csv_gate    gate;
static const char *gated;
static uint64_t    length_before;

static void look_at_gate(int signal_number) {
    (void)signal_number;
    struct stat what;
    bool        waits = atomic_load(&gate.writing) == 0 && !stat(gated, &what);
    _exit(waits && (uint64_t)what.st_size == length_before ? 42 : 1);
}

/* In a process of its own, which is interrupted while it waits. */
static void nothing_passes_a_closed_gate(void **unused) {
    (void)unused;
    const double row[COLUMNS] = {0.0};
    int          status;
    gated = in_folder("gate.csv");
    csv_writer w = create(gated, &gate, NULL);
    assert_int_equal(csv_row(&w, COLUMNS, row, NULL), CKAM_OK);
    assert_int_equal(csv_flush(&w, NULL), CKAM_OK);
    assert_int_equal(atomic_load(&gate.writing), 0);
    length_before = w.length;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        signal(SIGALRM, look_at_gate);
        atomic_store(&gate.closed, true);
        csv_row(&w, COLUMNS, row, NULL);
        alarm(1);
        csv_flush(&w, NULL);
        _exit(2); /* it did not wait */
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
    csv_close(&w);
}

static void names_are_checked(void **unused) {
    (void)unused;
    static const char *const good[] = {"x", "x.1", "theta.10", "b.2.3", "Sigma_1.1.100", "a__b", "x_"};
    static const char *const bad[] = {"",    "x__", "x.",   "x.0", ".1",    "1x",   "_x",   "x.1.", "x.a",  "x:1",
                                      "a,b", "a b", "x.1a", "x\n", "\"x\"", "x[1]", "x.01", "lp__", "a__.1"};
    ckam_error               error;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) assert_int_equal(csv_check_name(good[i], &error), CKAM_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (csv_check_name(bad[i], &error) != CKAM_ERROR_ARGUMENT) fail_msg("'%s' was taken", bad[i]);
    assert_failure(csv_check_name("x:1", &error), CKAM_ERROR_ARGUMENT, &error, "'x:1'", "letter");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_byte_is_as_readers_want_it),
                                       cmocka_unit_test(the_top_stays_in_its_lines),
                                       cmocka_unit_test(numbers_come_back_as_the_same_bits),
                                       cmocka_unit_test(rows_may_be_long),
                                       cmocka_unit_test(a_file_is_continued_where_it_was),
                                       cmocka_unit_test(a_limit_is_a_failed_write),
                                       cmocka_unit_test(a_full_disk_is_a_failed_write),
                                       cmocka_unit_test(nothing_passes_a_closed_gate),
                                       cmocka_unit_test(names_are_checked)};
    return cmocka_run_group_tests_name("csv", tests, folder_begin, folder_end);
}
