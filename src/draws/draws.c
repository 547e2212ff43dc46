/* draws.c - see draws.h and section 9 of ckam.h. Files are opened anew for every pass, and a block of columns is read in
 * one: memory is bounded whatever the number of chains, rows and columns. */
#include "draws/draws.h"

#include "base/error.h"
#include "base/number.h"
#include "draws/csv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Numbers that a block holds, unless one column has more: all that are ever used of 8 columns, in one pass. */
#define BLOCK_NUMBERS DRAWS_NUMBERS_MOST

struct ckam_draws {
    ckam_draws_shape      shape;
    char                **names;
    const open_directory *in;    /* that the paths are in, or NULL */
    char                **paths; /* of the chains; NULL where all columns are in memory */
    size_t *here;  /* for each column of the file, its number here: columns of the sampler (lp__, ...) come first */
    double *block; /* the columns that were read last, one after the other */
    size_t  first, count; /* which they are */
};

void draws_path(const char *directory, size_t chain, bool warmup, size_t size, char *path) {
    snprintf(path, size, "%s/chain_%zu%s.csv", directory, chain + 1, warmup ? "_warmup" : "");
}

size_t draws_files(const open_directory *in, const char *directory) {
    for (size_t chain = 0;; chain++) {
        char path[FILE_PATH];
        draws_path(directory, chain, false, sizeof path, path);
        if (faccessat(file_directory(in), path, F_OK, 0)) return chain;
    }
}

const ckam_draws_shape *ckam_draws_shape_of(const ckam_draws *draws) { return &draws->shape; }
const char             *ckam_draws_name(const ckam_draws *draws, size_t column) { return draws->names[column]; }

static void free_list(char **list, size_t count) {
    for (size_t i = 0; list && i < count; i++) free(list[i]);
    free(list);
}

void ckam_draws_free(ckam_draws *draws) {
    if (!draws) return;
    free_list(draws->names, draws->shape.columns);
    free_list(draws->paths, draws->shape.chains);
    free(draws->here);
    free(draws->block);
    free(draws);
}

static ckam_status no_memory(ckam_error *error) {
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the draws");
}

/* Chooses stride and rows: at most what DRAWS_ROWS_MOST and DRAWS_NUMBERS_MOST allow or DRAWS_ROWS_LEAST, and at least one row
 * per chain. The stride is the smallest for which shortest / stride, rounded down, is at most `most`. */
static void choose_rows(ckam_draws_shape *shape) {
    const size_t chains = shape->chains ? shape->chains : 1;
    uint64_t     most = shape->columns ? DRAWS_NUMBERS_MOST / shape->columns / chains : 0;
    if (most < DRAWS_ROWS_LEAST) most = DRAWS_ROWS_LEAST;
    if (most > DRAWS_ROWS_MOST / chains) most = DRAWS_ROWS_MOST / chains;
    if (most == 0) most = 1;
    shape->stride = shape->shortest / (most + 1) + 1;
    shape->rows = (size_t)(shape->shortest / shape->stride);
}

/* -- From files --------------------------------------------------------------------------------------------------- */

static bool describes(const char *name) {
    size_t length = strlen(name);
    return length >= 2 && name[length - 1] == '_' && name[length - 2] == '_';
}

/* Takes over the header of the first file. */
static ckam_status take_header(ckam_draws *d, const csv_reader *reader, ckam_error *error) {
    size_t columns = csv_columns(reader), next = 0;
    d->names = calloc(columns, sizeof *d->names);
    d->here = calloc(columns, sizeof *d->here);
    if (!d->names || !d->here) return no_memory(error);
    d->shape.columns = columns;
    for (int parameters = 0; parameters < 2; parameters++) {
        for (size_t k = 0; k < columns; k++) {
            if (describes(csv_name(reader, k)) == parameters) continue;
            d->here[k] = next;
            d->names[next] = strdup(csv_name(reader, k));
            if (!d->names[next++]) return no_memory(error);
        }
        if (!parameters) d->shape.first = next;
    }
    return CKAM_OK;
}

static ckam_status compare_header(const ckam_draws *d, const csv_reader *reader, const char *path, ckam_error *error) {
    size_t columns = d->shape.columns, theirs = csv_columns(reader);
    char   shown[FILE_SHOWN];
    for (size_t k = 0; k < columns || k < theirs; k++) {
        const char *is = k < theirs ? csv_name(reader, k) : "", *must = k < columns ? d->names[d->here[k]] : "";
        if (strcmp(is, must) != 0)
            return fail_with(error, CKAM_ERROR_FORMAT,
                             "%.100s: the name of column %zu is '%.30s', and '%.30s' in the first file; all files must "
                             "have the same header",
                             file_show(d->in, path, shown), k + 1, is, must);
    }
    return CKAM_OK;
}

static double setting(const csv_reader *reader, const char *key, double initial) {
    const char *text = csv_setting(reader, key);
    double      number;
    return text && number_read(text, &number) && number >= 0.0 ? number : initial;
}

/* CmdStan may write its warm-up before the draws: these rows are skipped. */
static ckam_status skip_warmup(csv_reader *reader, ckam_error *error) {
    const char *saved = csv_setting(reader, "save_warmup");
    uint64_t    skipped;
    if (!saved || (strcmp(saved, "1") != 0 && strcmp(saved, "true") != 0)) return CKAM_OK;
    double rows = ceil(setting(reader, "num_warmup", 0.0) / fmax(setting(reader, "thin", 1.0), 1.0));
    return csv_skip(reader, (uint64_t)fmin(rows, 1e18), &skipped, error);
}

/* A file of the set at its first draw; the first one gives the header. */
static ckam_status open_chain(ckam_draws *d, size_t chain, csv_reader **reader, ckam_error *error) {
    ckam_status status = csv_open(reader, d->in, d->paths[chain], error);
    if (status) return status;
    status = d->names ? compare_header(d, *reader, d->paths[chain], error) : take_header(d, *reader, error);
    if (!status) status = skip_warmup(*reader, error);
    if (!status) return CKAM_OK;
    csv_free(*reader);
    return status;
}

static ckam_status count_rows(ckam_draws *d, size_t chain, ckam_error *error) {
    csv_reader *reader;
    uint64_t    rows;
    ckam_status status = open_chain(d, chain, &reader, error);
    if (status) return status;
    status = csv_skip(reader, UINT64_MAX, &rows, error);
    csv_free(reader);
    if (status) return status;
    if (chain == 0 || rows < d->shape.shortest) d->shape.shortest = rows;
    if (rows > d->shape.longest) d->shape.longest = rows;
    return CKAM_OK;
}

static bool is_directory(const open_directory *in, const char *path) {
    struct stat about;
    return !fstatat(file_directory(in), path, &about, 0) && S_ISDIR(about.st_mode);
}

/* A chain that is missing among others is not left out silently. */
static ckam_status check_gap(const open_directory *in, const char *directory, size_t count, ckam_error *error) {
    DIR           *folder = file_list(in, directory);
    struct dirent *entry;
    size_t         files = 0;
    char           path[FILE_PATH], shown[FILE_SHOWN];
    while (folder && (entry = readdir(folder))) /* cppcheck-suppress readdirCalled; nobody else has this one */
        files += !fnmatch("chain_*[0-9].csv", entry->d_name, 0);
    if (folder) closedir(folder);
    if (files <= count) return CKAM_OK;
    draws_path(directory, count, false, sizeof path, path);
    return fail_with(error, CKAM_ERROR_INPUT,
                     "%s is missing, and there are later chains; name the files that are to be read",
                     file_show(in, path, shown));
}

/* A pipe can be read only once, and may block. A missing file is noticed when it is opened. */
static ckam_status check_regular(const open_directory *in, const char *path, ckam_error *error) {
    char        shown[FILE_SHOWN];
    struct stat about;
    if (fstatat(file_directory(in), path, &about, 0) || S_ISREG(about.st_mode)) return CKAM_OK;
    const char *what = S_ISFIFO(about.st_mode)   ? "pipe"
                       : S_ISSOCK(about.st_mode) ? "socket"
                       : S_ISDIR(about.st_mode)  ? "directory"
                                                 : "device";
    return fail_with(error, CKAM_ERROR_INPUT, "%s is a %s; draws are read several times, from a file",
                     file_show(in, path, shown), what);
}

/* The end of a path says more than its beginning, where both do not fit. */
static const char *last_bytes(const char *path, size_t most) {
    size_t length = strlen(path);
    return length > most ? path + length - most : path;
}

static bool holds_warmup(const char *path) {
    static const char end[] = "_warmup.csv";
    return !strcmp(last_bytes(path, sizeof end - 1), end);
}

/* The shell's chain_*.csv also matches chain_1_warmup.csv, which would count as a further chain. */
static ckam_status check_kinds(const char *const *paths, size_t count, ckam_error *error) {
    size_t warmups = 0, first = 0;
    for (size_t i = count; i-- > 0;)
        if (holds_warmup(paths[i])) {
            warmups++;
            first = i;
        }
    if (warmups == 0 || warmups == count) return CKAM_OK;
    return fail_with(
        error, CKAM_ERROR_INPUT,
        "%.120s is the warm-up of a chain, and other files are not; give the run's directory, or leave the "
        "files *_warmup.csv out",
        last_bytes(paths[first], 120));
}

typedef struct identity {
    dev_t  device;
    ino_t  file;
    size_t chain;
} identity;

static int compare_files(const identity *a, const identity *b) {
    if (a->device != b->device) return a->device < b->device ? -1 : 1;
    return (a->file > b->file) - (a->file < b->file);
}

static int compare_identities(const void *a, const void *b) {
    const identity *one = a, *other = b;
    int             order = compare_files(one, other);
    return order ? order : (one->chain > other->chain) - (one->chain < other->chain);
}

/* The same file given twice would look like two chains that agree. */
static ckam_status check_once(const ckam_draws *d, ckam_error *error) {
    size_t      count = 0;
    identity   *files = calloc(d->shape.chains, sizeof *files);
    char        one[FILE_SHOWN], other[FILE_SHOWN];
    ckam_status status = CKAM_OK;
    if (!files) return no_memory(error);
    for (size_t i = 0; i < d->shape.chains; i++) {
        struct stat about;
        if (!fstatat(file_directory(d->in), d->paths[i], &about, 0))
            files[count++] = (identity){about.st_dev, about.st_ino, i};
    }
    qsort(files, count, sizeof *files, compare_identities);
    for (size_t i = 1; i < count && !status; i++)
        if (!compare_files(files + i - 1, files + i))
            status = fail_with(error, CKAM_ERROR_INPUT,
                               "%.85s and %.85s are the same file; a chain counts once: name each file once",
                               last_bytes(file_show(d->in, d->paths[files[i - 1].chain], one), 85),
                               last_bytes(file_show(d->in, d->paths[files[i].chain], other), 85));
    free(files);
    return status;
}

/* The files of a run's directory, or those that are given. */
static ckam_status list_files(ckam_draws *d, const char *const *paths, size_t count, ckam_error *error) {
    bool directory = count == 1 && is_directory(d->in, paths[0]);
    char shown[FILE_SHOWN];
    for (size_t i = 0; i < count && !directory; i++)
        if (is_directory(d->in, paths[i]))
            return fail_with(error, CKAM_ERROR_INPUT, "%s is a directory; give one directory, or CSV files by name",
                             file_show(d->in, paths[i], shown));
    if (directory && faccessat(file_directory(d->in), paths[0], X_OK, 0))
        return fail_with(error, CKAM_ERROR_INPUT, "cannot look into %s: %s", file_show(d->in, paths[0], shown),
                         strerror(errno));
    if (directory) count = draws_files(d->in, paths[0]);
    if (count == 0)
        return fail_with(error, CKAM_ERROR_INPUT,
                         "%s holds no chain_1.csv; give the directory of a run, or CSV files by name",
                         file_show(d->in, paths[0], shown));
    ckam_status status = directory ? check_gap(d->in, paths[0], count, error) : check_kinds(paths, count, error);
    if (status) return status;
    d->paths = calloc(count, sizeof *d->paths);
    if (!d->paths) return no_memory(error);
    d->shape.chains = count;
    for (size_t i = 0; i < count; i++) {
        char path[FILE_PATH];
        if (directory) draws_path(paths[0], i, false, sizeof path, path);
        d->paths[i] = strdup(directory ? path : paths[i]);
        if (!d->paths[i]) return no_memory(error);
        status = check_regular(d->in, d->paths[i], error);
        if (status) return status;
    }
    return check_once(d, error);
}

ckam_status draws_open(ckam_draws **draws, const open_directory *in, const char *const *paths, size_t count,
                       ckam_error *error) {
    ckam_draws *d = *draws = calloc(1, sizeof *d);
    if (!d) return no_memory(error);
    d->in = in;
    ckam_status status = list_files(d, paths, count, error);
    for (size_t i = 0; !status && i < d->shape.chains; i++) status = count_rows(d, i, error);
    if (!status) {
        choose_rows(&d->shape);
        return CKAM_OK;
    }
    ckam_draws_free(d);
    *draws = NULL;
    return status;
}

ckam_status ckam_draws_open(ckam_draws **draws, const char *const *paths, size_t count, ckam_error *error) {
    if (draws) *draws = NULL;
    if (!draws || !paths || count == 0)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "no file of draws was named; name a run's directory or CSV files");
    for (size_t i = 0; i < count; i++)
        if (!paths[i]) return fail_with(error, CKAM_ERROR_ARGUMENT, "the path of file %zu is NULL", i + 1);
    return draws_open(draws, NULL, paths, count, error);
}

/* -- Passes over the files ---------------------------------------------------------------------------------------- */

/* Reads some consecutive columns of every row that is used. */
typedef struct pass {
    ckam_draws  *draws;
    size_t       count;
    size_t      *wanted, *place; /* the columns as they are in a file, rising; which of ours each one is */
    double      *read, *values;  /* in the order of the file; in ours */
    draws_visit *visit;
    void        *context;
} pass;

static ckam_status pass_chain(const pass *p, csv_reader *reader, size_t chain, ckam_error *error) {
    const ckam_draws_shape *shape = &p->draws->shape;
    char                    shown[FILE_SHOWN];
    for (size_t row = 0; row < shape->rows; row++) {
        uint64_t    skipped;
        ckam_status status = row ? csv_skip(reader, shape->stride - 1, &skipped, error) : CKAM_OK;
        if (!status) status = csv_next(reader, p->count, p->wanted, p->read, error);
        if (status == CKAM_STOP)
            return fail_with(error, CKAM_ERROR_FORMAT, "%s has fewer rows than when it was opened; open it again",
                             file_show(p->draws->in, p->draws->paths[chain], shown));
        if (status) return status;
        for (size_t i = 0; i < p->count; i++) p->values[p->place[i]] = p->read[i];
        p->visit(p->context, chain, row, p->values);
    }
    return CKAM_OK;
}

static ckam_status pass_all(const pass *p, ckam_error *error) {
    ckam_status status = CKAM_OK;
    for (size_t chain = 0; chain < p->draws->shape.chains && !status; chain++) {
        csv_reader *reader;
        status = open_chain(p->draws, chain, &reader, error);
        if (status) return status;
        status = pass_chain(p, reader, chain, error);
        csv_free(reader);
    }
    return status;
}

static ckam_status pass_columns(ckam_draws *d, size_t first, size_t count, draws_visit *visit, void *context,
                                ckam_error *error) {
    pass   p = {.draws = d, .visit = visit, .context = context};
    size_t size = count * (2 * sizeof *p.wanted + 2 * sizeof *p.read);
    void  *room = malloc(size);
    if (!room) return no_memory(error);
    p.read = room;
    p.values = p.read + count;
    p.wanted = (size_t *)(void *)(p.values + count);
    p.place = p.wanted + count;
    for (size_t k = 0; k < d->shape.columns; k++)
        if (first <= d->here[k] && d->here[k] < first + count) {
            p.wanted[p.count] = k;
            p.place[p.count++] = d->here[k] - first;
        }
    ckam_status status = pass_all(&p, error);
    free(room);
    return status;
}

/* -- Columns and rows --------------------------------------------------------------------------------------------- */

/* Of all chains together. */
static size_t column_rows(const ckam_draws *d) { return d->shape.chains * d->shape.rows; }

static void keep_row(void *context, size_t chain, size_t row, const double *values) {
    ckam_draws *d = context;
    double     *place = d->block + chain * d->shape.rows + row;
    for (size_t k = 0; k < d->count; k++) place[k * column_rows(d)] = values[k];
}

/* As many columns from `column` on as a block holds. */
static ckam_status read_block(ckam_draws *d, size_t column, ckam_error *error) {
    size_t rows = column_rows(d), left = d->shape.columns - column, most = rows ? BLOCK_NUMBERS / rows : left;
    if (most == 0) most = 1;
    d->first = column;
    d->count = most < left ? most : left;
    free(d->block);
    d->block = calloc(rows * d->count + 1, sizeof *d->block);
    ckam_status status = d->block ? pass_columns(d, column, d->count, keep_row, d, error) : no_memory(error);
    if (status) d->count = 0;
    return status;
}

ckam_status ckam_draws_column(ckam_draws *draws, size_t column, const double **values, ckam_error *error) {
    if (column >= draws->shape.columns)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "column %zu is not one of these draws; they have %zu, from 0",
                         column, draws->shape.columns);
    if (column < draws->first || column >= draws->first + draws->count) {
        ckam_status status = read_block(draws, column, error);
        if (status) return status;
    }
    *values = draws->block + (column - draws->first) * column_rows(draws);
    return CKAM_OK;
}

/* The rows of draws that are in memory. */
static ckam_status scan_block(const ckam_draws *d, draws_visit *visit, void *context, ckam_error *error) {
    double *values = malloc(d->shape.columns * sizeof *values);
    if (!values) return no_memory(error);
    for (size_t chain = 0; chain < d->shape.chains; chain++)
        for (size_t row = 0; row < d->shape.rows; row++) {
            const double *place = d->block + chain * d->shape.rows + row;
            for (size_t k = 0; k < d->shape.columns; k++) values[k] = place[k * column_rows(d)];
            visit(context, chain, row, values);
        }
    free(values);
    return CKAM_OK;
}

ckam_status draws_scan(ckam_draws *draws, draws_visit *visit, void *context, ckam_error *error) {
    if (draws->count == draws->shape.columns) return scan_block(draws, visit, context, error);
    return pass_columns(draws, 0, draws->shape.columns, visit, context, error);
}

/* -- From memory -------------------------------------------------------------------------------------------------- */

static ckam_status make_names(ckam_draws *d, size_t dim, const char *const *names, ckam_error *error) {
    size_t columns;
    if (__builtin_add_overflow(d->shape.first, dim, &columns)) return no_memory(error);
    d->names = calloc(columns, sizeof *d->names);
    if (!d->names) return no_memory(error);
    d->shape.columns = columns;
    for (size_t k = 0; k < columns; k++) {
        char text[32] = "lp__";
        if (k >= d->shape.first) snprintf(text, sizeof text, "x.%zu", k - d->shape.first + 1);
        d->names[k] = strdup(names && k >= d->shape.first ? names[k - d->shape.first] : text);
        if (!d->names[k]) return no_memory(error);
    }
    return CKAM_OK;
}

/* Column by column what came row by row. */
static ckam_status copy_values(ckam_draws *d, size_t dim, const double *values, const double *log_density,
                               ckam_error *error) {
    const ckam_draws_shape *shape = &d->shape;
    size_t                  numbers;
    if (__builtin_mul_overflow(shape->chains, shape->rows, &numbers) ||
        __builtin_mul_overflow(numbers, shape->columns, &numbers) || numbers == SIZE_MAX)
        return no_memory(error);
    d->block = calloc(numbers + 1, sizeof *d->block);
    if (!d->block) return no_memory(error);
    d->count = shape->columns;
    for (size_t chain = 0; chain < shape->chains; chain++)
        for (size_t row = 0; row < shape->rows; row++) {
            size_t  from = chain * (size_t)shape->shortest + row * (size_t)shape->stride;
            double *place = d->block + chain * shape->rows + row;
            if (log_density) place[0] = log_density[from];
            for (size_t k = 0; k < dim; k++) place[(shape->first + k) * column_rows(d)] = values[from * dim + k];
        }
    return CKAM_OK;
}

ckam_status ckam_draws_create(ckam_draws **draws, size_t chains, size_t rows, size_t dim, const char *const *names,
                              const double *values, const double *log_density, ckam_error *error) {
    if (draws) *draws = NULL;
    if (!draws || !values || chains == 0 || dim == 0)
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "draws need a place, values, chains and a dimension; chains is %zu, the dimension %zu", chains,
                         dim);
    for (size_t k = 0; names && k < dim; k++)
        if (!names[k]) return fail_with(error, CKAM_ERROR_ARGUMENT, "the name of parameter %zu is NULL", k + 1);
    ckam_draws *d = *draws = calloc(1, sizeof *d);
    if (!d) return no_memory(error);
    d->shape = (ckam_draws_shape){.chains = chains,
                                  .columns = dim + (log_density != NULL),
                                  .first = log_density != NULL,
                                  .shortest = rows,
                                  .longest = rows};
    choose_rows(&d->shape);
    ckam_status status = make_names(d, dim, names, error);
    if (!status) status = copy_values(d, dim, values, log_density, error);
    if (!status) return CKAM_OK;
    ckam_draws_free(d);
    *draws = NULL;
    return status;
}
