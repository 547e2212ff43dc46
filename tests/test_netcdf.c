/* test_netcdf.c - CSV files become a NetCDF file with the same bits; what cannot be written is reported and leaves
 * nothing. Files are read back with the NetCDF library itself. */
#include "failure.h"

#include "base/fastmath.h"
#include "draws/netcdf.h"

#include <dirent.h>
#include <dlfcn.h>
#include <math.h>
#include <netcdf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- What is there to read files ---------------------------------------------------------------------------------- */

#define FUNCTIONS(X)                                                                                                   \
    X(open)                                                                                                            \
    X(close)                                                                                                           \
    X(inq_grp_ncid)                                                                                                    \
    X(inq_varid)                                                                                                       \
    X(inq_var)                                                                                                         \
    X(inq_dim)                                                                                                         \
    X(inq_nvars)                                                                                                       \
    X(inq_var_chunking)                                                                                                \
    X(get_var_double)                                                                                                  \
    X(inq_attlen)                                                                                                      \
    X(get_att_text)                                                                                                    \
    X(get_att_string)                                                                                                  \
    X(get_att_double)                                                                                                  \
    X(free_string)

static struct {
#define MEMBER(name) __typeof__(nc_##name) *(name);
    FUNCTIONS(MEMBER)
} nc;

static int load_library(void **unused) {
    (void)unused;
    void *handle = dlopen("libnetcdf.so", RTLD_NOW | RTLD_LOCAL), *symbol; /* beside netcdf.h, which was found */
    if (!handle) return -1;
#define FIND(name)                                                                                                     \
    if (!(symbol = dlsym(handle, "nc_" #name))) return -1;                                                             \
    memcpy(&nc.name, &symbol, sizeof symbol);
    FUNCTIONS(FIND)
    return 0;
}

/* -- A directory with CSV files ----------------------------------------------------------------------------------- */

static char folder[64], draws_nc[96];

static int make_folder(void **unused) {
    (void)unused;
    const char *where = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.30s/ckam_netcdf_XXXXXX", where ? where : "/tmp");
    if (!mkdtemp(folder)) return -1;
    snprintf(draws_nc, sizeof draws_nc, "%s/draws.nc", folder);
    return 0;
}

/* How many files are in the folder whose names hold `piece`; with `away` they are removed. */
static int count_files(const char *piece, bool away) {
    int            count = 0;
    char           path[400];
    struct dirent *entry;
    DIR           *listing = opendir(folder);
    assert_non_null(listing);
    while ((entry = readdir(listing)))
        if (entry->d_name[0] != '.' && strstr(entry->d_name, piece)) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            count++;
            if (away) unlink(path);
        }
    closedir(listing);
    return count;
}

static int remove_folder(void **unused) {
    (void)unused;
    count_files("", true);
    return rmdir(folder);
}

/* What stands in a chain's file: every number is another one, and there are all kinds of them. */
static double value_at(size_t chain, size_t row, size_t column) {
    const double special[] = {(double)NAN, HUGE_VAL, -HUGE_VAL, -0.0, 0x1p-1074, -0x1.fffffffffffffp1023};
    if (column >= 7 && row == 1 && column - 7 < 6) return special[column - 7];
    return sin((double)(1 + chain + 10 * row + 1000003 * column)) * ldexp(1.0, (int)(row % 40) - 20);
}

/* Cycle, phase, mode and move, the columns 3 to 6 where there are that many statistics, are whole. */
static double number_at(size_t chain, size_t row, size_t column, bool statistics) {
    return statistics && column >= 3 && column <= 6 ? (double)(row * column + chain) : value_at(chain, row, column);
}

static FILE *begin_chain(size_t chain, const char *header) {
    char path[128];
    snprintf(path, sizeof path, "%s/chain_%zu.csv", folder, chain + 1);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "# model = test\n# num_samples = 1\n%s\n", header);
    return file;
}

static size_t count_columns(const char *header) {
    size_t count = 1;
    for (; *header; header++) count += *header == ',';
    return count;
}

static void write_chain(size_t chain, const char *header, size_t rows) {
    FILE  *file = begin_chain(chain, header);
    size_t columns = count_columns(header);
    bool   statistics = !strncmp(header, "lp__,", 5);
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++)
            fprintf(file, "%.17g%c", number_at(chain, row, column, statistics), column + 1 < columns ? ',' : '\n');
    fputs("#\n#  Elapsed Time: 0 seconds (Warm-up)\n#\n", file);
    assert_int_equal(fclose(file), 0);
}

static ckam_status convert(ckam_error *error) {
    memset(error, 0, sizeof *error);
    return netcdf_write(NULL, folder, draws_nc, "test model", "2026-01-02T03:04:05Z", NULL, 0, error);
}

static void convert_well(void) {
    ckam_error error;
    if (convert(&error)) fail_msg("%s", error.message);
    assert_int_equal(count_files(".new", false), 0);
}

/* -- Comparing ---------------------------------------------------------------------------------------------------- */

static int open_group(const char *name, int *file) {
    int group;
    assert_int_equal(nc.open(draws_nc, NC_NOWRITE, file), NC_NOERR);
    assert_int_equal(nc.inq_grp_ncid(*file, name, &group), NC_NOERR);
    return group;
}

/* Numbers of a variable, which must have the dimensions `shape`: "chain=3 draw=700 x_dim_0=2". Yours to free. */
static double *read_variable(int group, const char *name, nc_type type, const char *shape) {
    char    text[512] = "", dim[NC_MAX_NAME + 1];
    int     id, rank, dims[NC_MAX_VAR_DIMS];
    nc_type found;
    size_t  length, product = 1, used = 0;
    if (nc.inq_varid(group, name, &id)) fail_msg("there is no variable %s", name);
    assert_int_equal(nc.inq_var(group, id, NULL, &found, &rank, dims, NULL), NC_NOERR);
    assert_int_equal(found, type);
    for (int i = 0; i < rank; i++) {
        assert_int_equal(nc.inq_dim(group, dims[i], dim, &length), NC_NOERR);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s=%zu", i ? " " : "", dim, length);
        product *= length;
    }
    assert_string_equal(text, shape);
    double *numbers = malloc((product + 1) * sizeof *numbers);
    assert_non_null(numbers);
    if (product) assert_int_equal(nc.get_var_double(group, id, numbers), NC_NOERR);
    return numbers;
}

static bool same_bits(double a, double b) { return isnan(a) ? isnan(b) : bits_of(a) == bits_of(b); }

/* Variable `name` has `elements` a row, which stand in the columns of `column`. */
static void check_variable(int group, const char *name, nc_type type, const char *shape, size_t chains, size_t rows,
                           size_t elements, const size_t *column, bool statistics) {
    double *numbers = read_variable(group, name, type, shape), *next = numbers;
    for (size_t chain = 0; chain < chains; chain++)
        for (size_t row = 0; row < rows; row++)
            for (size_t k = 0; k < elements; k++, next++)
                if (!same_bits(*next, number_at(chain, row, column[k], statistics)))
                    fail_msg("%s[%zu, %zu, %zu] is %.17g, not %.17g", name, chain, row, k, *next,
                             number_at(chain, row, column[k], statistics));
    free(numbers);
}
#define COLUMNS(...) sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), ((const size_t[]){__VA_ARGS__})

static void check_coordinates(int group, const char *name, size_t length) {
    char shape[64];
    snprintf(shape, sizeof shape, "%s=%zu", name, length);
    double *numbers = read_variable(group, name, NC_INT64, shape);
    for (size_t i = 0; i < length; i++) assert_true(numbers[i] == (double)i);
    free(numbers);
}

static void check_attributes(int place) {
    const char *const expected[][2] = {{"created_at", "2026-01-02T03:04:05Z"},
                                       {"creation_library", "ckam"},
                                       {"creation_library_version", CKAM_VERSION},
                                       {"creation_library_language", "C"},
                                       {"inference_library", "ckam"},
                                       {"inference_library_version", CKAM_VERSION},
                                       {"name", "test model"}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        char   text[64] = "";
        size_t length;
        assert_int_equal(nc.inq_attlen(place, NC_GLOBAL, expected[i][0], &length), NC_NOERR);
        assert_true(length < sizeof text);
        assert_int_equal(nc.get_att_text(place, NC_GLOBAL, expected[i][0], text), NC_NOERR);
        assert_string_equal(text, expected[i][1]);
    }
    char  *dims[2];
    size_t length;
    assert_int_equal(nc.inq_attlen(place, NC_GLOBAL, "sample_dims", &length), NC_NOERR);
    assert_int_equal(length, 2);
    assert_int_equal(nc.get_att_string(place, NC_GLOBAL, "sample_dims", dims), NC_NOERR);
    assert_string_equal(dims[0], "chain");
    assert_string_equal(dims[1], "draw");
    nc.free_string(2, dims);
}

static void check_variable_count(int group, int expected) {
    int count;
    assert_int_equal(nc.inq_nvars(group, &count), NC_NOERR);
    assert_int_equal(count, expected);
}

/* -- What is written ---------------------------------------------------------------------------------------------- */

/* 20000 rows are more than one block, which has 2^18 numbers. */
static void every_number_is_there_with_its_bits(void **unused) {
    (void)unused;
    enum { CHAINS = 2, ROWS = 20000 };
    const char *header =
        "lp__,accept_stat__,stepsize__,cycle__,phase__,mode__,move__,s,x.1,x.2,x.3,b.1.1,b.2.1,b.1.2,b.2.2,b.1.3,b.2.3";
    int file, group;
    for (size_t chain = 0; chain < CHAINS; chain++) write_chain(chain, header, ROWS);
    convert_well();

    group = open_group("posterior", &file);
    check_attributes(file);
    check_attributes(group);
    check_coordinates(group, "chain", CHAINS);
    check_coordinates(group, "draw", ROWS);
    check_coordinates(group, "x_dim_0", 3);
    check_coordinates(group, "b_dim_0", 2);
    check_coordinates(group, "b_dim_1", 3);
    check_variable(group, "s", NC_DOUBLE, "chain=2 draw=20000", CHAINS, ROWS, COLUMNS(7), true);
    check_variable(group, "x", NC_DOUBLE, "chain=2 draw=20000 x_dim_0=3", CHAINS, ROWS, COLUMNS(8, 9, 10), true);
    check_variable(group, "b", NC_DOUBLE, "chain=2 draw=20000 b_dim_0=2 b_dim_1=3", CHAINS, ROWS,
                   COLUMNS(11, 13, 15, 12, 14, 16), true);
    check_variable_count(group, 8);
    nc.close(file);

    group = open_group("sample_stats", &file);
    check_attributes(group);
    check_coordinates(group, "chain", CHAINS);
    check_coordinates(group, "draw", ROWS);
    check_variable(group, "lp", NC_DOUBLE, "chain=2 draw=20000", CHAINS, ROWS, COLUMNS(0), true);
    check_variable(group, "acceptance_rate", NC_DOUBLE, "chain=2 draw=20000", CHAINS, ROWS, COLUMNS(1), true);
    check_variable(group, "step_size", NC_DOUBLE, "chain=2 draw=20000", CHAINS, ROWS, COLUMNS(2), true);
    check_variable(group, "cycle", NC_INT64, "chain=2 draw=20000", CHAINS, ROWS, COLUMNS(3), true);
    check_variable(group, "phase", NC_INT64, "chain=2 draw=20000", CHAINS, ROWS, COLUMNS(4), true);
    check_variable(group, "mode", NC_INT64, "chain=2 draw=20000", CHAINS, ROWS, COLUMNS(5), true);
    check_variable(group, "move", NC_INT64, "chain=2 draw=20000", CHAINS, ROWS, COLUMNS(6), true);
    check_variable_count(group, 9);
    nc.close(file);
}

/* Memory: a chunked variable would have a cache. */
static void storage_is_contiguous(void **unused) {
    (void)unused;
    int file, group, id, storage = -1;
    write_chain(0, "x.1,x.2", 5);
    convert_well();
    group = open_group("posterior", &file);
    assert_int_equal(nc.inq_varid(group, "x", &id), NC_NOERR);
    assert_int_equal(nc.inq_var_chunking(group, id, &storage, NULL), NC_NOERR);
    assert_int_equal(storage, NC_CONTIGUOUS);
    nc.close(file);
}

static void chains_are_cut_to_the_shortest(void **unused) {
    (void)unused;
    int file, group;
    write_chain(0, "x.1,x.2", 5);
    write_chain(1, "x.1,x.2", 3);
    write_chain(2, "x.1,x.2", 4);
    convert_well();
    group = open_group("posterior", &file);
    check_coordinates(group, "draw", 3);
    check_variable(group, "x", NC_DOUBLE, "chain=3 draw=3 x_dim_0=2", 3, 3, COLUMNS(0, 1), false);
    nc.close(file);
}

static void one_chain_with_one_row_is_enough(void **unused) {
    (void)unused;
    int file, group;
    write_chain(0, "mu", 1);
    convert_well();
    group = open_group("posterior", &file);
    check_variable(group, "mu", NC_DOUBLE, "chain=1 draw=1", 1, 1, COLUMNS(0), false);
    nc.close(file);
    group = open_group("sample_stats", &file);
    check_variable_count(group, 2);
    nc.close(file);
}

static void no_rows_are_a_file_without_numbers(void **unused) {
    (void)unused;
    int file, group;
    write_chain(0, "lp__,x.1,x.2", 0);
    write_chain(1, "lp__,x.1,x.2", 7);
    convert_well();
    group = open_group("posterior", &file);
    check_coordinates(group, "chain", 2);
    check_coordinates(group, "draw", 0);
    free(read_variable(group, "x", NC_DOUBLE, "chain=2 draw=0 x_dim_0=2"));
    nc.close(file);
}

/* A header, the variables it should give, and the columns of their elements. */
static void names_become_variables(void **unused) {
    (void)unused;
    static const struct {
        const char *header, *name, *shape;
        size_t      column[8];
    } cases[] = {
        {"a,x.1,x.3", "x.3", "chain=1 draw=3", {2}}, /* not whole */
        {"x.2,x.1", "x.2", "chain=1 draw=3", {0}},   /* not in order */
        {"x.0.1", "x.0.1", "chain=1 draw=3", {0}},
        {"x.0,x.1", "x.0", "chain=1 draw=3", {0}},                   /* from 0 */
        {"x.1.1,x.2", "x.1.1", "chain=1 draw=3", {0}},               /* not of one shape */
        {"x.1,x.01", "x.01", "chain=1 draw=3", {1}},                 /* twice the same */
        {"b.1.1,b.1.2,b.2.1,b.2.2", "b.1.2", "chain=1 draw=3", {1}}, /* row-major */
        {"x.99999999999999999999999", "x.99999999999999999999999", "chain=1 draw=3", {0}},
        {"x.1.1.1.1.1.1.1.1.1", "x.1.1.1.1.1.1.1.1.1", "chain=1 draw=3", {0}}, /* too many indices */
        {"x.1", "x", "chain=1 draw=3 x_dim_0=1", {0}},
        {"xy.1,x.1,x.2,xx", "x", "chain=1 draw=3 x_dim_0=2", {1, 2}},
        {"xy.1,x.1,x.2,xx", "xx", "chain=1 draw=3", {3}},
        {"c.1.1.1,c.2.1.1,c.1.2.1,c.2.2.1,c.1.1.2,c.2.1.2,c.1.2.2,c.2.2.2",
         "c",
         "chain=1 draw=3 c_dim_0=2 c_dim_1=2 c_dim_2=2",
         {0, 4, 2, 6, 1, 5, 3, 7}},
        {"draw,chain", "draw_", "chain=1 draw=3", {0}}, /* names that dimensions have */
        {"draw,chain", "chain_", "chain=1 draw=3", {1}},
        {"x_dim_0,x.1,x.2", "x_dim_0_", "chain=1 draw=3", {0}},
        {"x_dim_0,x.1,x.2", "x", "chain=1 draw=3 x_dim_0=2", {1, 2}},
        {"x,x.1,x.2", "x_", "chain=1 draw=3 x_dim_0=2", {1, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int         file, group;
        size_t      elements = 1;
        const char *length = strstr(cases[i].shape, "_dim_");
        for (; length; length = strstr(length + 1, "_dim_")) elements *= (size_t)(length[7] - '0');
        write_chain(0, cases[i].header, 3);
        convert_well();
        group = open_group("posterior", &file);
        check_variable(group, cases[i].name, NC_DOUBLE, cases[i].shape, 1, 3, elements, cases[i].column, false);
        nc.close(file);
    }
}

static void other_statistics_lose_their_underscores(void **unused) {
    (void)unused;
    int file, group;
    write_chain(0, "energy__,draw__,__,x", 3);
    convert_well();
    group = open_group("sample_stats", &file);
    check_variable(group, "energy", NC_DOUBLE, "chain=1 draw=3", 1, 3, COLUMNS(0), false);
    check_variable(group, "draw_", NC_DOUBLE, "chain=1 draw=3", 1, 3, COLUMNS(1), false);
    nc.close(file);
    group = open_group("posterior", &file);
    check_variable(group, "__", NC_DOUBLE, "chain=1 draw=3", 1, 3, COLUMNS(2), false);
    nc.close(file);
}

/* -- What fails --------------------------------------------------------------------------------------------------- */

static void a_missing_library_says_what_to_install(void **unused) {
    (void)unused;
    ckam_error error = {0};
    write_chain(0, "x", 3);
    assert_failure(netcdf_write_with("libnetcdf.so.0", NULL, folder, draws_nc, "m", "t", NULL, 0, &error),
                   CKAM_ERROR_OUTPUT, &error, "libnetcdf.so.0", "cannot be loaded", "libnetcdf19", "--format csv");
    assert_failure(netcdf_write_with("libm.so.6", NULL, folder, draws_nc, "m", "t", NULL, 0, &error), CKAM_ERROR_OUTPUT,
                   &error, "libm.so.6", "nc_create");
    assert_int_equal(count_files("draws.nc", false), 0);
}

static void a_place_that_cannot_be_written_is_named(void **unused) {
    (void)unused;
    ckam_error error = {0};
    char       path[128];
    write_chain(0, "x", 3);
    snprintf(path, sizeof path, "%s/nowhere/draws.nc", folder);
    assert_failure(netcdf_write(NULL, folder, path, "m", "t", NULL, 0, &error), CKAM_ERROR_OUTPUT, &error, path,
                   "No such file");
    snprintf(path, sizeof path, "%s/chain_1.csv/draws.nc", folder);
    assert_failure(netcdf_write(NULL, folder, path, "m", "t", NULL, 0, &error), CKAM_ERROR_OUTPUT, &error, path,
                   "Not a directory");
}

static void write_rows(size_t chain, const char *header, const char *rows) {
    FILE *file = begin_chain(chain, header);
    fputs(rows, file);
    assert_int_equal(fclose(file), 0);
}

/* Whatever is wrong with the CSV files, the NetCDF file of before stays, and nothing is beside it. */
static void bad_files_leave_the_old_one(void **unused) {
    (void)unused;
    const char *const header = "lp__,cycle__,x.1", *const not_whole[] = {"0.5", "nan", "inf", "1e300"};
    ckam_error error;
    int        file, group;
    assert_failure(convert(&error), CKAM_ERROR_INPUT, &error, "chain_1.csv", folder);

    write_rows(0, header, "0,1,0.5\n");
    write_rows(1, header, "0,1,0.5\n");
    convert_well();

    write_rows(0, header, "0,1,0.25\n0,1,0.25\n");
    write_rows(1, "lp__,energy__,x.1", "0,1,0.25\n0,1,0.25\n");
    assert_failure(convert(&error), CKAM_ERROR_FORMAT, &error, "chain_2.csv", "other columns");
    write_rows(1, "lp__,cycle__", "0,1\n0,1\n");
    assert_failure(convert(&error), CKAM_ERROR_FORMAT, &error, "chain_2.csv", "other columns");
    write_rows(1, header, "0,1,0.25\n0,1,many\n");
    assert_failure(convert(&error), CKAM_ERROR_FORMAT, &error, "chain_2.csv");
    for (size_t i = 0; i < sizeof not_whole / sizeof *not_whole; i++) {
        char rows[64];
        snprintf(rows, sizeof rows, "0,1,0.25\n0,%s,0.25\n", not_whole[i]);
        write_rows(1, header, rows);
        assert_failure(convert(&error), CKAM_ERROR_FORMAT, &error, "chain_2.csv", "row 2", "cycle__", "whole number");
    }

    assert_int_equal(count_files("draws.nc", false), 1);
    group = open_group("posterior", &file);
    double *x = read_variable(group, "x", NC_DOUBLE, "chain=2 draw=1 x_dim_0=1");
    assert_true(x[0] == 0.5 && x[1] == 0.5);
    free(x);
    nc.close(file);
}

static void a_name_that_is_too_long_is_refused(void **unused) {
    (void)unused;
    for (size_t length = 300; length <= 600; length += 300)
        for (int array = 0; array < 2; array++) {
            ckam_error error;
            char       header[640];
            memset(header, 'x', length);
            memcpy(header + length, array ? ".1" : "", array ? 3 : 1);
            write_chain(0, header, 3);
            assert_failure(convert(&error), CKAM_ERROR_WRITE, &error, draws_nc, "NAME");
            assert_int_equal(count_files("draws.nc", false), 0);
        }
}

/* For a process of its own, whose files may have 50 kB: as on a full disk. With `again` there is room after that. */
static void write_with_limit(bool again) {
    struct rlimit limit;
    ckam_error    error;
    int           wrong = 0;
    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = 50000;
    setrlimit(RLIMIT_FSIZE, &limit);
    wrong += convert(&error) != CKAM_ERROR_WRITE || !strstr(error.message, draws_nc);
    wrong += 2 * (count_files("draws.nc", false) != 0);
    limit.rlim_cur = limit.rlim_max;
    if (again) wrong += 4 * (setrlimit(RLIMIT_FSIZE, &limit) != 0 || convert(&error) != CKAM_OK);
    exit(wrong); /* HDF5 crashes here, if it is allowed to */
}

static void a_full_disk_is_reported(void **unused) {
    (void)unused;
    write_chain(0, "x.1,x.2", 20000);
    (void)fflush(NULL);
    for (int again = 0; again < 2; again++) {
        int   status = -1;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) write_with_limit(again);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    int file, group = open_group("posterior", &file);
    check_variable(group, "x", NC_DOUBLE, "chain=1 draw=20000 x_dim_0=2", 1, 20000, COLUMNS(0, 1), false);
    nc.close(file);
}

static void check_note(int place, const char *name, double expected) {
    double value = 0.0;
    assert_int_equal(nc.get_att_double(place, NC_GLOBAL, name, &value), NC_NOERR);
    assert_true(same_bits(value, expected));
}

/* Once and once more; draws are as they were. A file that is no NetCDF file stays what it is, and none is none. */
static void notes_are_attributes(void **unused) {
    (void)unused;
    ckam_error error;
    int        file;
    assert_int_equal(netcdf_annotate(NULL, draws_nc, &(netcdf_note){"one", 1.0}, 1, &error), CKAM_OK);
    assert_int_equal(count_files("draws", false), 0);
    write_chain(0, "lp__,x.1,x.2", 50);
    convert_well();
    for (int again = 0; again < 2; again++) {
        const netcdf_note notes[] = {{"log_evidence", -1.5 + again}, {"log_evidence_se", (double)NAN}};
        assert_int_equal(netcdf_annotate(NULL, draws_nc, notes, 2, &error), CKAM_OK);
        assert_int_equal(count_files(".new", false), 0);
        int group = open_group("posterior", &file);
        for (size_t i = 0; i < 2; i++) {
            check_note(file, notes[i].name, notes[i].value);
            check_note(group, notes[i].name, notes[i].value);
        }
        check_variable(group, "x", NC_DOUBLE, "chain=1 draw=50 x_dim_0=2", 1, 50, COLUMNS(1, 2), true);
        nc.close(file);
    }
    FILE *other = fopen(draws_nc, "w");
    assert_non_null(other);
    fputs("not a NetCDF file\n", other);
    assert_int_equal(fclose(other), 0);
    assert_int_equal(netcdf_annotate(NULL, draws_nc, &(netcdf_note){"one", 1.0}, 1, &error), CKAM_ERROR_WRITE);
    assert_non_null(strstr(error.message, "draws.nc"));
    assert_int_equal(count_files(".new", false), 0);
    assert_int_equal(count_files("draws.nc", false), 1);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        IN_A_FOLDER(every_number_is_there_with_its_bits),
        IN_A_FOLDER(storage_is_contiguous),
        IN_A_FOLDER(chains_are_cut_to_the_shortest),
        IN_A_FOLDER(one_chain_with_one_row_is_enough),
        IN_A_FOLDER(no_rows_are_a_file_without_numbers),
        IN_A_FOLDER(names_become_variables),
        IN_A_FOLDER(other_statistics_lose_their_underscores),
        IN_A_FOLDER(a_missing_library_says_what_to_install),
        IN_A_FOLDER(a_place_that_cannot_be_written_is_named),
        IN_A_FOLDER(bad_files_leave_the_old_one),
        IN_A_FOLDER(a_name_that_is_too_long_is_refused),
        IN_A_FOLDER(a_full_disk_is_reported),
        IN_A_FOLDER(notes_are_attributes),
    };
    return cmocka_run_group_tests_name("netcdf", tests, load_library, NULL);
}
