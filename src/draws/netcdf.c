/* netcdf.c - see netcdf.h.
 *
 * The columns become variables: x.1, x.2 the vector x; lp__ the statistic lp. Rows are read in blocks, and a block is
 * written variable by variable. */
#include "draws/netcdf.h"

#include "base/error.h"
#include "base/library.h"
#include "draws/csv.h"
#include "draws/draws.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netcdf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

LIBRARY_NOTE(netcdf, CKAM_NETCDF_FILE, "Draws as NetCDF");
_Static_assert(NETCDF_NAME_MOST == NC_MAX_NAME, "as in the library");

/* -- The library -------------------------------------------------------------------------------------------------- */

#define FUNCTIONS(X)                                                                                                   \
    X(create)                                                                                                          \
    X(open)                                                                                                            \
    X(close)                                                                                                           \
    X(def_grp)                                                                                                         \
    X(def_dim)                                                                                                         \
    X(def_var)                                                                                                         \
    X(def_var_fill)                                                                                                    \
    X(put_att_text)                                                                                                    \
    X(put_att_string)                                                                                                  \
    X(put_att_double)                                                                                                  \
    X(inq_ncid)                                                                                                        \
    X(put_vara_double)                                                                                                 \
    X(put_vara_longlong)                                                                                               \
    X(strerror)

typedef struct functions {
#define MEMBER(name) __typeof__(nc_##name) *(name);
    FUNCTIONS(MEMBER)
#undef MEMBER
} functions;

static const library_function table[] = {
#define FUNCTION(name) LIBRARY_FUNCTION(functions, name, "nc_" #name),
    FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* Disables the exit handler of HDF5: version 1.10 crashes in it when a file could not be closed after a failed write. */
static ckam_status load(functions *nc, const char *library, ckam_error *error) {
    void *handle = library_load(library, sizeof table / sizeof *table, table, nc);
    int (*dont_atexit)(void);
    if (!handle)
        return fail_with(error, CKAM_ERROR_OUTPUT,
                         "a NetCDF file needs a library that cannot be loaded (%.110s); install Debian's package "
                         "libnetcdf19, or write CSV files only: --format csv",
                         dlerror());
    if (library_find(handle, "H5dont_atexit", &dont_atexit)) dont_atexit();
    return CKAM_OK;
}

const char *const netcdf_default_format[2] = {"csv,netcdf", NULL};

ckam_status netcdf_check(ckam_error *error) {
    (void)error;
    return CKAM_OK;
}

/* -- From columns to variables ------------------------------------------------------------------------------------ */

enum { POSTERIOR, SAMPLE_STATS, GROUPS };
static const char *const group_names[GROUPS] = {"posterior", "sample_stats"};

enum {
    INDICES_MOST = 8,
    BLOCK_NUMBERS = 1 << 18,
    NAME_ROOM = 2 * NC_MAX_NAME /* more than is allowed: a truncated name is still refused as too long */
};

typedef struct variable {
    const char *name; /* `length` bytes of it */
    size_t      length;
    size_t      first, elements; /* its columns */
    size_t      indices, extent[INDICES_MOST];
    int         dims[2 + INDICES_MOST]; /* chain, draw, indices */
    int         group, id;
    nc_type     type;
} variable;

typedef struct conversion {
    const netcdf_note    *notes;
    size_t                note_count;
    functions             nc;
    const open_directory *in; /* that the two paths are in, or NULL */
    const char           *directory, *path;
    char                  folder[FILE_SHOWN], shown[FILE_SHOWN]; /* the two, for messages */
    ckam_error           *error;
    csv_reader           *header; /* of the first chain; names are borrowed from it */
    size_t                chains, columns, rows;
    int                   group[GROUPS];
    variable             *variables;
    size_t                count;
    size_t               *element; /* of a column in its variable */
    size_t               *wanted;  /* all columns, for csv_next() */
    double               *row, *block;
    size_t                block_rows;
} conversion;

static const struct statistic {
    const char *column, *name;
    nc_type     type;
} statistics[] = {{"lp__", "lp", NC_DOUBLE},
                  {"accept_stat__", "acceptance_rate", NC_DOUBLE},
                  {"stepsize__", "step_size", NC_DOUBLE},
                  {"cycle__", "cycle", NC_INT64},
                  {"phase__", "phase", NC_INT64},
                  {"mode__", "mode", NC_INT64},
                  {"move__", "move", NC_INT64}};

static void add_scalar(conversion *c, size_t column) {
    variable   *v = &c->variables[c->count++];
    const char *name = csv_name(c->header, column);
    size_t      length = strlen(name);
    *v = (variable){.name = name, .length = length, .first = column, .elements = 1, .type = NC_DOUBLE};
    c->element[column] = 0;
    if (length <= 2 || strcmp(name + length - 2, "__") != 0) return;
    v->group = SAMPLE_STATS;
    v->length = length - 2;
    for (size_t i = 0; i < sizeof statistics / sizeof *statistics; i++)
        if (!strcmp(statistics[i].column, name)) {
            v->name = statistics[i].name;
            v->length = strlen(v->name);
            v->type = statistics[i].type;
        }
}

/* The indices of an element's name, ".2.3", into v->extent. False if that is not what it is, or if an array of these
 * extents has not v->elements. */
static bool read_extents(variable *v, const char *text) {
    size_t product = 1;
    while (*text == '.' && v->indices < INDICES_MOST) {
        size_t extent = 0;
        for (text++; *text >= '0' && *text <= '9' && extent <= v->elements; text++)
            extent = 10 * extent + (size_t)(*text - '0');
        if (extent == 0 || extent > v->elements / product) return false;
        product *= extent;
        v->extent[v->indices++] = extent;
    }
    return !*text && v->indices && product == v->elements;
}

/* Columns go column-major (the first index runs fastest), NetCDF row-major (the last one does). Writes ".2.3", the
 * indices in the name of the k-th column, and returns where NetCDF has that element. */
static size_t locate(const variable *v, size_t k, char *text, size_t size) {
    size_t used = 0, element = 0;
    for (size_t i = 0; i < v->indices; i++) {
        size_t index = k % v->extent[i];
        k /= v->extent[i];
        element = element * v->extent[i] + index;
        used += (size_t)snprintf(text + used, size - used, ".%zu", index + 1);
    }
    return element;
}

/* Adds an array, if these columns are all its elements in their order: x.1, x.2, x.3. */
static bool add_array(conversion *c, size_t column, size_t elements) {
    char        indices[INDICES_MOST * 24];
    const char *name = csv_name(c->header, column);
    variable    v = {.name = name, .length = strcspn(name, "."), .first = column, .elements = elements};
    v.type = NC_DOUBLE;
    if (!read_extents(&v, csv_name(c->header, column + elements - 1) + v.length)) return false;
    for (size_t k = 0; k < elements; k++) {
        c->element[column + k] = locate(&v, k, indices, sizeof indices);
        if (strcmp(csv_name(c->header, column + k) + v.length, indices) != 0) return false;
    }
    c->variables[c->count++] = v;
    return true;
}

/* How many columns from this one on have the same beginning, up to and with the first dot; 1 if it has no dot. */
static size_t count_siblings(const conversion *c, size_t column) {
    const char *name = csv_name(c->header, column);
    size_t      length = strcspn(name, "."), count = 1;
    while (name[length] && column + count < c->columns &&
           !strncmp(csv_name(c->header, column + count), name, length + 1))
        count++;
    return count;
}

/* Columns that are not a whole array, x.1 and x.3, become scalars of these names. */
static void make_variables(conversion *c) {
    for (size_t column = 0, count; column < c->columns; column += count) {
        count = count_siblings(c, column);
        if (!add_array(c, column, count))
            for (size_t k = 0; k < count; k++) add_scalar(c, column + k);
    }
}

/* -- The chains --------------------------------------------------------------------------------------------------- */

static ckam_status open_chain(const conversion *c, size_t chain, csv_reader **reader) {
    char path[FILE_PATH];
    draws_path(c->directory, chain, false, sizeof path, path);
    return csv_open(reader, c->in, path, c->error);
}

/* All chains must have the columns of the first. */
static ckam_status check_header(const conversion *c, size_t chain, const csv_reader *reader) {
    bool same = csv_columns(reader) == c->columns;
    for (size_t i = 0; same && i < c->columns; i++) same = !strcmp(csv_name(reader, i), csv_name(c->header, i));
    if (same) return CKAM_OK;
    return fail_with(c->error, CKAM_ERROR_FORMAT, "chain_%zu.csv in %s has other columns than chain_1.csv", chain + 1,
                     c->folder);
}

/* c->rows := those of the shortest chain. */
static ckam_status count_rows(conversion *c) {
    c->rows = SIZE_MAX;
    for (size_t chain = 0; chain < c->chains; chain++) {
        csv_reader *reader = NULL;
        uint64_t    rows = 0;
        ckam_status status = open_chain(c, chain, &reader);
        if (!status) status = check_header(c, chain, reader);
        if (!status) status = csv_skip(reader, UINT64_MAX, &rows, c->error);
        csv_free(reader);
        if (status) return status;
        if (rows < c->rows) c->rows = (size_t)rows;
    }
    return CKAM_OK;
}

/* -- The file ----------------------------------------------------------------------------------------------------- */

static ckam_status check(const conversion *c, int code) {
    if (code == NC_NOERR) return CKAM_OK;
    return fail_with(c->error, CKAM_ERROR_WRITE, "cannot write %s: %.60s%s; the CSV files have all draws", c->shown,
                     c->nc.strerror(code), code == NC_EHDFERR ? " (is the disk full?)" : "");
}

static int put_attributes(const functions *nc, int place, const char *name, const char *created) {
    const char *const attributes[][2] = {{"created_at", created},
                                         {"creation_library", "ckam"},
                                         {"creation_library_version", ckam_version()},
                                         {"creation_library_language", "C"},
                                         {"inference_library", "ckam"},
                                         {"inference_library_version", ckam_version()},
                                         {"name", name}};
    const char       *sample_dims[] = {"chain", "draw"};
    int               code = nc->put_att_string(place, NC_GLOBAL, "sample_dims", 2, sample_dims);
    for (size_t i = 0; !code && i < sizeof attributes / sizeof *attributes; i++)
        code = nc->put_att_text(place, NC_GLOBAL, attributes[i][0], strlen(attributes[i][1]), attributes[i][1]);
    return code;
}

/* A dimension and its coordinates 0, 1, 2, ... Nothing is filled before it is written: that would be written twice.
 * Storage is contiguous by default, without a cache of chunks in memory. (A length of 0 is to NetCDF one without an
 * end, which comes in chunks; but then there is nothing to cache.) */
static int add_dimension(const conversion *c, int group, const char *name, size_t length, int *dim) {
    enum { AT_ONCE = 1024 };
    long long numbers[AT_ONCE];
    int       id, code = c->nc.def_dim(group, name, length, dim);
    if (!code) code = c->nc.def_var(group, name, NC_INT64, 1, dim, &id);
    if (!code) code = c->nc.def_var_fill(group, id, NC_NOFILL, NULL);
    for (size_t start = 0, count; !code && start < length; start += count) {
        count = length - start < AT_ONCE ? length - start : AT_ONCE;
        for (size_t i = 0; i < count; i++) numbers[i] = (long long)start + (long long)i;
        code = c->nc.put_vara_longlong(group, id, &start, &count, numbers);
    }
    return code;
}

static int add_dimensions(const conversion *c, int group, variable *v) {
    char name[NAME_ROOM];
    int  code = NC_NOERR;
    for (size_t i = 0; !code && i < v->indices; i++) {
        snprintf(name, sizeof name, "%.*s_dim_%zu", (int)v->length, v->name, i);
        code = add_dimension(c, group, name, v->extent[i], &v->dims[2 + i]);
    }
    return code;
}

/* A name may be taken by a dimension: a parameter that is called draw becomes draw_. */
static int add_variable(const conversion *c, int group, variable *v) {
    char   name[NAME_ROOM];
    size_t used = (size_t)snprintf(name, sizeof name, "%.*s", (int)v->length, v->name);
    int    code = NC_EMAXNAME;
    for (; used + 1 < sizeof name; name[used++] = '_', name[used] = 0) {
        code = c->nc.def_var(group, name, v->type, 2 + (int)v->indices, v->dims, &v->id);
        if (code != NC_ENAMEINUSE) break;
    }
    return code ? code : c->nc.def_var_fill(group, v->id, NC_NOFILL, NULL);
}

/* All dimensions come before all variables, so that a variable never takes the name of one. */
static int add_group(conversion *c, int file, int g, const char *name, const char *created) {
    int group, chain, draw, code = c->nc.def_grp(file, group_names[g], &group);
    if (!code) code = put_attributes(&c->nc, group, name, created);
    if (!code) code = add_dimension(c, group, "chain", c->chains, &chain);
    if (!code) code = add_dimension(c, group, "draw", c->rows, &draw);
    for (variable *v = c->variables; !code && v < c->variables + c->count; v++)
        if (v->group == g) {
            v->dims[0] = chain;
            v->dims[1] = draw;
            code = add_dimensions(c, group, v);
        }
    for (variable *v = c->variables; !code && v < c->variables + c->count; v++)
        if (v->group == g) code = add_variable(c, group, v);
    c->group[g] = group;
    return code;
}

/* Writes `count` rows of the block, those of a chain from `start` on. */
static ckam_status put_block(const conversion *c, size_t chain, size_t start, size_t count) {
    for (const variable *v = c->variables; v < c->variables + c->count; v++) {
        const double *numbers = c->block + v->first * c->block_rows;
        size_t        from[2 + INDICES_MOST] = {chain, start}, extent[2 + INDICES_MOST] = {1, count};
        for (size_t i = 0; v->type == NC_INT64 && i < count; i++)
            if (!(fabs(numbers[i]) <= 0x1p53 && numbers[i] == floor(numbers[i])))
                return fail_with(c->error, CKAM_ERROR_FORMAT,
                                 "row %zu of chain_%zu.csv in %.80s has %s = %g; it must be a whole number",
                                 start + i + 1, chain + 1, c->folder, csv_name(c->header, v->first), numbers[i]);
        memcpy(extent + 2, v->extent, sizeof v->extent);
        int code = c->nc.put_vara_double(c->group[v->group], v->id, from, extent, numbers);
        if (code) return check(c, code);
    }
    return CKAM_OK;
}

/* Reads a row to its place in the block, where the rows of a variable are side by side. */
static ckam_status read_row(const conversion *c, csv_reader *reader, size_t place) {
    ckam_status status = csv_next(reader, c->columns, c->wanted, c->row, c->error);
    if (status == CKAM_STOP)
        return fail_with(c->error, CKAM_ERROR_FORMAT, "a CSV file in %s lost rows while it was read", c->folder);
    if (status) return status;
    for (const variable *v = c->variables; v < c->variables + c->count; v++) {
        double *numbers = c->block + v->first * c->block_rows + place * v->elements;
        for (size_t k = v->first; k < v->first + v->elements; k++) numbers[c->element[k]] = c->row[k];
    }
    return CKAM_OK;
}

static ckam_status put_chain(const conversion *c, size_t chain) {
    csv_reader *reader = NULL;
    ckam_status status = open_chain(c, chain, &reader);
    for (size_t start = 0, count; !status && start < c->rows; start += count) {
        count = c->rows - start < c->block_rows ? c->rows - start : c->block_rows;
        for (size_t i = 0; !status && i < count; i++) status = read_row(c, reader, i);
        if (!status) status = put_block(c, chain, start, count);
    }
    csv_free(reader);
    return status;
}

/* The library opens files by path alone, and the path of an open directory may lead elsewhere by now. On Linux a path through
 * the directory's descriptor cannot: the file is written in its final directory, whatever that is called. Where there is no
 * /proc the usual path serves, as long as it leads to the file that was made. (HDF5 refuses a link whose target was renamed
 * while it is opened, so the descriptor is that of the directory, not that of the file.) */
static ckam_status find_aside(const open_directory *in, const file_aside *aside, const char *shown, size_t size,
                              char *path, ckam_error *error) {
    snprintf(path, size, "%s", aside->aside);
    if (in) snprintf(path, size, "/proc/self/fd/%d/%s", aside->directory, aside->aside);
    if (in && !file_is_at(aside->file, path)) snprintf(path, size, "%s/%s", in->path, aside->aside);
    if (file_is_at(aside->file, path)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_WRITE, "cannot write %s: the directory was moved; the CSV files have all draws",
                     shown);
}

static int put_notes(const functions *nc, int file, int group, const netcdf_note *notes, size_t count) {
    int code = 0;
    for (size_t i = 0; i < count && !code; i++) {
        code = nc->put_att_double(file, NC_GLOBAL, notes[i].name, NC_DOUBLE, 1, &notes[i].value);
        if (!code) code = nc->put_att_double(group, NC_GLOBAL, notes[i].name, NC_DOUBLE, 1, &notes[i].value);
    }
    return code;
}

/* Makes the file `aside`, which is there already and empty. */
static ckam_status put_all(conversion *c, const file_aside *aside, const char *name, const char *created) {
    char        path[2 * FILE_PATH];
    int         file;
    ckam_status status = find_aside(c->in, aside, c->shown, sizeof path, path, c->error);
    if (status) return status;
    int code = c->nc.create(path, NC_NETCDF4 | NC_CLOBBER, &file);
    if (code) return check(c, code);
    code = put_attributes(&c->nc, file, name, created);
    for (int g = 0; !code && g < GROUPS; g++) code = add_group(c, file, g, name, created);
    if (!code) code = put_notes(&c->nc, file, c->group[POSTERIOR], c->notes, c->note_count);
    status = check(c, code);
    for (size_t chain = 0; !status && chain < c->chains; chain++) status = put_chain(c, chain);
    if (status) (void)!ftruncate(aside->file, 0); /* gives room back on a full disk: closing the file takes some */
    code = c->nc.close(file);
    return status ? status : check(c, code);
}

static ckam_status allocate(conversion *c) {
    c->block_rows = BLOCK_NUMBERS / c->columns ? BLOCK_NUMBERS / c->columns : 1;
    c->variables = malloc(c->columns * sizeof *c->variables);
    c->element = malloc(c->columns * sizeof *c->element);
    c->wanted = malloc(c->columns * sizeof *c->wanted);
    c->row = malloc(c->columns * sizeof *c->row);
    c->block = malloc(c->columns * c->block_rows * sizeof *c->block);
    if (!c->variables || !c->element || !c->wanted || !c->row || !c->block)
        return fail_with(c->error, CKAM_ERROR_MEMORY, "there is no memory to write %s", c->shown);
    for (size_t i = 0; i < c->columns; i++) c->wanted[i] = i;
    return CKAM_OK;
}

static ckam_status convert(conversion *c, const char *name, const char *created) {
    file_aside  aside;
    ckam_status status = open_chain(c, 0, &c->header);
    if (status) return status;
    c->columns = csv_columns(c->header);
    status = count_rows(c);
    if (!status) status = allocate(c);
    if (status) return status;
    make_variables(c);
    status = file_begin(&aside, c->in, c->path, c->error);
    if (status) return status;
    status = put_all(c, &aside, name, created);
    if (!status) return file_commit(&aside, c->error);
    file_abandon(&aside);
    return status;
}

/* The NetCDF library is not thread-safe. There is one per process, so there is one lock. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

ckam_status netcdf_write_with(const char *library, const open_directory *in, const char *directory, const char *path,
                              const char *name, const char *created, const netcdf_note *notes, size_t count,
                              ckam_error *error) {
    conversion c = {
        .in = in, .directory = directory, .path = path, .notes = notes, .note_count = count, .error = error};
    ckam_status status;
    c.chains = draws_files(in, directory);
    file_show(in, directory, c.folder);
    file_show(in, path, c.shown);
    if (!c.chains)
        return fail_with(error, CKAM_ERROR_INPUT, "there is no chain_1.csv in %s to make a NetCDF file of", c.folder);
    pthread_mutex_lock(&one_at_a_time);
    status = load(&c.nc, library, error);
    if (!status) status = convert(&c, name, created);
    pthread_mutex_unlock(&one_at_a_time);
    csv_free(c.header);
    free(c.variables);
    free(c.element);
    free(c.wanted);
    free(c.row);
    free(c.block);
    return status;
}

ckam_status netcdf_write(const open_directory *in, const char *directory, const char *path, const char *name,
                         const char *created, const netcdf_note *notes, size_t count, ckam_error *error) {
    return netcdf_write_with(CKAM_NETCDF_FILE, in, directory, path, name, created, notes, count, error);
}

/* -- Attributes of a file that is there --------------------------------------------------------------------------- */

static ckam_status copy_file(const char *shown, int from, file_aside *aside, ckam_error *error) {
    enum { PIECE = 1 << 16 };
    char bytes[PIECE];
    for (;;) {
        ssize_t size = read(from, bytes, sizeof bytes);
        if (size == 0) return CKAM_OK;
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) return fail_with(error, CKAM_ERROR_INPUT, "cannot read %s: %s", shown, strerror(errno));
        ckam_status status = file_add(aside, bytes, (size_t)size, error);
        if (status) return status;
    }
}

static int add_notes(const functions *nc, const char *path, const netcdf_note *notes, size_t count) {
    int file, group, code = nc->open(path, NC_WRITE, &file);
    if (code) return code;
    code = nc->inq_ncid(file, group_names[POSTERIOR], &group);
    if (!code) code = put_notes(nc, file, group, notes, count);
    const int closed = nc->close(file);
    return code ? code : closed;
}

static ckam_status annotate_copy(const open_directory *in, const char *path, const char *shown, int from,
                                 const netcdf_note *notes, size_t count, ckam_error *error) {
    functions   nc;
    file_aside  aside;
    char        place[2 * FILE_PATH];
    ckam_status status = file_begin(&aside, in, path, error);
    if (status) return status;
    status = copy_file(shown, from, &aside, error);
    if (!status) status = load(&nc, CKAM_NETCDF_FILE, error);
    if (!status) status = find_aside(in, &aside, shown, sizeof place, place, error);
    if (!status) {
        const int code = add_notes(&nc, place, notes, count);
        if (code)
            status = fail_with(error, CKAM_ERROR_WRITE, "cannot write attributes to %s: %s", shown, nc.strerror(code));
    }
    if (!status) return file_commit(&aside, error);
    file_abandon(&aside);
    return status;
}

ckam_status netcdf_annotate(const open_directory *in, const char *path, const netcdf_note *notes, size_t count,
                            ckam_error *error) {
    const int from = openat(file_directory(in), path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char      shown[FILE_SHOWN];
    file_show(in, path, shown);
    if (from < 0 && errno == ENOENT) return CKAM_OK;
    if (from < 0) return fail_with(error, CKAM_ERROR_INPUT, "cannot read %s: %s", shown, strerror(errno));
    pthread_mutex_lock(&one_at_a_time);
    ckam_status status = annotate_copy(in, path, shown, from, notes, count, error);
    pthread_mutex_unlock(&one_at_a_time);
    close(from);
    return status;
}
