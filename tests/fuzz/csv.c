/* csv.c - Stan CSV: what is accepted has the columns of its header, and in its cells what strtod() reads there, or NA. */
#include "draws/draws.h"
#include "fuzz.h"

#include <strings.h>

/* The next line of a text, cut up independently of the reader: one that ends, no comment, and not empty. */
static char *next_line(char **next) {
    for (;;) {
        char *line = *next, *end = strchr(line, '\n');
        if (!end) return NULL;
        *end = 0;
        *next = end + 1;
        if (end > line && end[-1] == '\r') end[-1] = 0;
        if (*line && *line != '#') return line;
    }
}

static size_t count_cells(const char *line) {
    size_t cells = 1;
    for (; *line; line++) cells += *line == ',';
    return cells;
}

/* Where the lines begin: behind a byte order mark. */
static char *behind_mark(char *text) { return text + (strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3); }

/* A field of the header is its name, with blanks and at most one pair of quotes around it. */
static const char *name_of(const char *field, size_t *length) {
    const char *begin = field + strspn(field, " "), *end = field + strcspn(field, ",");
    bool        quoted = *begin == '"';
    if (quoted) begin += 1 + strspn(begin + 1, " ");
    while (end > begin && end[-1] == ' ') end--;
    if (quoted) DEMAND(end > begin && end[-1] == '"');
    if (quoted) end--;
    while (end > begin && end[-1] == ' ') end--;
    *length = (size_t)(end - begin);
    return begin;
}

static bool describes(const char *name, size_t length) { return length >= 2 && !strncmp(name + length - 2, "__", 2); }

/* Compares all rows of a column, which is cell `cell` of the file. */
static void demand_column(char *text, size_t cell, const double *values, size_t rows) {
    size_t columns = count_cells(next_line(&text));
    for (size_t row = 0; row < rows; row++) {
        char *line = next_line(&text), *end;
        DEMAND(line && count_cells(line) == columns);
        for (size_t k = 0; k < cell; k++) {
            line = strchr(line, ',');
            DEMAND(line);
            line++;
        }
        line += strspn(line, " \t");
        double number = strtod(line, &end);
        if (end == line && !strncasecmp(line, "na", 2)) {
            number = (double)NAN;
            end = line + 2;
        }
        DEMAND(same_number(number, values[row]));
        end += strspn(end, " \t");
        DEMAND(*end == ',' || !*end);
    }
}

/* Finds the columns by their names, those that describe the sampler first. */
static void demand_columns(ckam_draws *draws, const uint8_t *bytes, size_t size) {
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    char                   *text = text_of(bytes, size), *whole = text_of(bytes, size), *next = behind_mark(text);
    const double           *values;
    ckam_error              error = {.message = ""};
    size_t                  column = 0;
    bool                    plain = strlen(text) == size && shape->stride == 1 && !strstr(text, "save_warmup");
    const char             *header = plain ? next_line(&next) : NULL;
    if (header) DEMAND(count_cells(header) == shape->columns);
    for (int parameters = 0; header && parameters < 2; parameters++) {
        const char *field = header;
        for (size_t cell = 0; cell < shape->columns; cell++, field += strcspn(field, ",") + 1) {
            size_t      length;
            const char *name = name_of(field, &length);
            DEMAND(length > 0 && !memchr(name, '"', length));
            if (describes(name, length) == (parameters == 1)) continue;
            DEMAND(strlen(ckam_draws_name(draws, column)) == length);
            DEMAND(!memcmp(ckam_draws_name(draws, column), name, length));
            ckam_status status = ckam_draws_column(draws, column++, &values, &error);
            if (status) demand_error(status, &error);
            if (status) goto end;
            memcpy(whole, bytes, size);
            demand_column(behind_mark(whole), cell, values, shape->rows);
        }
    }
end:
    free(text);
    free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    ckam_draws *draws;
    ckam_error  error = {.message = ""};
    const char *path = put_file("chain.csv", bytes, size);
    ckam_status status = ckam_draws_open(&draws, &path, 1, &error);
    if (status) {
        DEMAND(!draws);
        demand_error(status, &error);
        return 0;
    }
    const ckam_draws_shape *shape = ckam_draws_shape_of(draws);
    DEMAND(shape->chains == 1 && shape->columns > 0 && shape->first <= shape->columns);
    DEMAND(shape->rows <= shape->shortest && shape->shortest == shape->longest && shape->longest <= size);
    demand_columns(draws, bytes, size);
    ckam_draws_free(draws);
    return 0;
}
