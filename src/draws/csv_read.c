/* csv_read.c - see csv.h. Lines are found in the buffer by memchr(), and only the fields that are wanted are looked at. */
#include "draws/csv.h"

#include "base/character.h"
#include "base/error.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUFFER = 256 * 1024,
    LINE_MOST = 1 << 28,    /* bytes; a file with a longer line is not a CSV file */
    SETTINGS_MOST = 1 << 20 /* bytes of comments that are kept */
};

struct csv_reader {
    char     path[FILE_SHOWN], *buffer;
    size_t   room, at, end; /* of the buffer; bytes from `at` to `end` are still to be read */
    uint64_t line;          /* number of the last line that was read, from 1 */
    size_t   columns;
    char    *header, **names; /* the names lie in the header */
    char    *settings;        /* key 0 value 0 key 0 value 0 ... */
    size_t   settings_size;
    int      file;
};

/* -- Lines -------------------------------------------------------------------------------------------------------- */

static ckam_status no_memory(const char *path, ckam_error *error) {
    return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to read %.120s", path);
}

static ckam_status cannot_read(const char *path, ckam_error *error) {
    return fail_with(error, CKAM_ERROR_INPUT, "cannot read %.120s: %s", path, strerror(errno));
}

/* What is wrong with the line that was read last. */
__attribute__((format(printf, 3, 4))) static ckam_status malformed(const csv_reader *r, ckam_error *error,
                                                                   const char *format, ...) {
    char    what[110];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail_with(error, CKAM_ERROR_FORMAT, "%.115s, line %llu: %s", r->path, (unsigned long long)r->line, what);
}

static ckam_status enlarge(csv_reader *r, ckam_error *error) {
    if (r->room >= LINE_MOST) return malformed(r, error, "the next line does not end; this is not a CSV file");
    char *larger = realloc(r->buffer, 2 * r->room);
    if (!larger) return no_memory(r->path, error);
    r->buffer = larger;
    r->room *= 2;
    return CKAM_OK;
}

/* More bytes behind those that are still to be read. CKAM_STOP at the end of the file. */
static ckam_status refill(csv_reader *r, ckam_error *error) {
    memmove(r->buffer, r->buffer + r->at, r->end - r->at);
    r->end -= r->at;
    r->at = 0;
    ckam_status status = r->end == r->room ? enlarge(r, error) : CKAM_OK;
    if (status) return status;
    ssize_t count;
    do count = read(r->file, r->buffer + r->end, r->room - r->end);
    while (count < 0 && errno == EINTR);
    if (count < 0) return cannot_read(r->path, error);
    r->end += (size_t)count;
    return count ? CKAM_OK : CKAM_STOP;
}

/* The next line, without its end; borrowed until the next one. CKAM_STOP after the last one that has an end. */
static ckam_status next_line(csv_reader *r, const char **text, size_t *length, ckam_error *error) {
    size_t seen = 0;
    char  *newline;
    while (!(newline = memchr(r->buffer + r->at + seen, '\n', r->end - r->at - seen))) {
        seen = r->end - r->at;
        ckam_status status = refill(r, error);
        if (status) return status;
    }
    *text = r->buffer + r->at;
    *length = (size_t)(newline - *text);
    r->at += *length + 1;
    r->line++;
    if (*length && (*text)[*length - 1] == '\r') --*length;
    return CKAM_OK;
}

/* The next line that is neither empty nor a comment. */
static ckam_status next_row(csv_reader *r, const char **text, size_t *length, ckam_error *error) {
    ckam_status status;
    do status = next_line(r, text, length, error);
    while (!status && (*length == 0 || **text == '#'));
    return status;
}

static size_t count_columns(const char *text, size_t length) {
    size_t columns = 1;
    for (size_t i = 0; i < length; i++) columns += text[i] == ',';
    return columns;
}

/* -- The top ------------------------------------------------------------------------------------------------------ */

static bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

/* [*text, *text + *length) without the blanks around it. */
static void trim(const char **text, size_t *length) {
    for (; *length && is_blank(**text); ++*text) --*length;
    while (*length && is_blank((*text)[*length - 1])) --*length;
}

/* Keeps "# key = value". */
static ckam_status keep_setting(csv_reader *r, const char *text, size_t length, ckam_error *error) {
    static const char by_default[] = "(Default)";
    const size_t      mark = sizeof by_default - 1;
    const char       *equals = memchr(text, '=', length);
    if (!equals || memchr(text, 0, length)) return CKAM_OK;
    const char *key = text + 1, *value = equals + 1;
    size_t      key_length = (size_t)(equals - key), value_length = (size_t)(text + length - value);
    trim(&key, &key_length);
    trim(&value, &value_length);
    if (value_length >= mark && !memcmp(value + value_length - mark, by_default, mark)) {
        value_length -= mark;
        trim(&value, &value_length);
    }
    size_t size = r->settings_size + key_length + value_length + 2;
    if (size > SETTINGS_MOST) return CKAM_OK;
    char *larger = realloc(r->settings, size);
    if (!larger) return no_memory(r->path, error);
    char *place = larger + r->settings_size;
    memcpy(place, key, key_length);
    place[key_length] = 0;
    memcpy(place + key_length + 1, value, value_length);
    larger[size - 1] = 0;
    r->settings = larger;
    r->settings_size = size;
    return CKAM_OK;
}

static int compare_names(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static ckam_status check_names(const csv_reader *r, ckam_error *error) {
    const char *twice = NULL;
    if (!*r->names[0])
        return malformed(r, error, "column 1 has no name; leave row names out, in R write.csv(x, row.names = FALSE)");
    for (size_t k = 1; k < r->columns; k++)
        if (!*r->names[k]) return malformed(r, error, "column %zu has no name", k + 1);
    char **sorted = malloc(r->columns * sizeof *sorted);
    if (!sorted) return no_memory(r->path, error);
    memcpy(sorted, r->names, r->columns * sizeof *sorted);
    qsort(sorted, r->columns, sizeof *sorted, compare_names);
    for (size_t k = 1; k < r->columns && !twice; k++)
        if (!strcmp(sorted[k - 1], sorted[k])) twice = sorted[k];
    free(sorted);
    return twice ? malformed(r, error, "two columns have the name '%.60s'", twice) : CKAM_OK;
}

static ckam_status strange_byte(const csv_reader *r, char byte, ckam_error *error) {
    if (byte == '\t') return malformed(r, error, "the header holds a tab; columns must be separated by commas");
    return malformed(r, error, "the header holds the byte %d; this is not a Stan CSV file", (unsigned char)byte);
}

enum { NAME_MOST = 10000 };

/* Makes a field of the header a name: without blanks around it, and without its quotes. */
static ckam_status take_name(csv_reader *r, size_t column, char *field, size_t length, ckam_error *error) {
    const char *name = field;
    trim(&name, &length);
    if (length >= 2 && *name == '"' && name[length - 1] == '"') {
        name++;
        length -= 2;
        trim(&name, &length);
    }
    if (length > NAME_MOST)
        return malformed(r, error, "the name of column %zu has %zu bytes; at most %d are allowed", column + 1, length,
                         NAME_MOST);
    if (memchr(name, '"', length))
        return malformed(r, error, "the name of column %zu holds a quote, or a comma in quotes; rename it", column + 1);
    memmove(field, name, length);
    field[length] = 0;
    r->names[column] = field;
    return CKAM_OK;
}

static ckam_status split_header(csv_reader *r, ckam_error *error) {
    char *field = r->header;
    for (size_t k = 0; k < r->columns; k++) {
        size_t      length = strcspn(field, ",");
        ckam_status status = take_name(r, k, field, length, error);
        if (status) return status;
        field += length + 1;
    }
    return check_names(r, error);
}

static ckam_status read_header(csv_reader *r, const char *text, size_t length, ckam_error *error) {
    const char *first = text, *end = text + length;
    double      number;
    while (first < end && is_blank(*first)) first++;
    if (first < end && *first < 'A' && number_scan(first, end, &number))
        return malformed(r, error, "a header with names must come before the numbers");
    r->columns = count_columns(text, length);
    if (r->columns == 1 && memchr(text, ';', length))
        return malformed(r, error,
                         "columns must be separated by commas, not by ';'; in R take write.csv(), not write.csv2()");
    r->header = malloc(length + 1);
    r->names = malloc(r->columns * sizeof *r->names);
    if (!r->header || !r->names) return no_memory(r->path, error);
    memcpy(r->header, text, length);
    r->header[length] = 0;
    size_t shown = character_until_control(r->header);
    if (shown < length) return strange_byte(r, r->header[shown], error);
    return split_header(r, error);
}

/* Some programs put the mark of UTF-8 at the beginning of a file. */
static void skip_mark(const char **text, size_t *length) {
    static const char mark[] = "\xef\xbb\xbf";
    if (*length < sizeof mark - 1 || memcmp(*text, mark, sizeof mark - 1) != 0) return;
    *text += sizeof mark - 1;
    *length -= sizeof mark - 1;
}

static ckam_status read_top(csv_reader *r, ckam_error *error) {
    const char *text;
    size_t      length;
    ckam_status status;
    while (!(status = next_line(r, &text, &length, error))) {
        if (r->line == 1) skip_mark(&text, &length);
        if (length == 0) continue;
        if (*text != '#') break;
        status = keep_setting(r, text, length, error);
        if (status) return status;
    }
    if (status == CKAM_STOP) {
        r->line++; /* the line after the last */
        return malformed(r, error, "the file ends before its header");
    }
    if (status) return status;
    return read_header(r, text, length, error);
}

ckam_status csv_open(csv_reader **reader, const open_directory *in, const char *path, ckam_error *error) {
    csv_reader *r = *reader = calloc(1, sizeof *r);
    if (!r) return no_memory(path, error);
    file_show(in, path, r->path);
    r->buffer = malloc(BUFFER);
    r->room = BUFFER;
    r->file = openat(file_directory(in), path, O_RDONLY | O_CLOEXEC);
    ckam_status status = CKAM_OK;
    if (r->file < 0)
        status = cannot_read(r->path, error);
    else if (!r->buffer)
        status = no_memory(r->path, error);
    else
        status = read_top(r, error);
    if (!status) return CKAM_OK;
    csv_free(r);
    *reader = NULL;
    return status;
}

void csv_free(csv_reader *reader) {
    if (!reader) return;
    if (reader->file >= 0) close(reader->file);
    free(reader->buffer);
    free(reader->header);
    free(reader->names);
    free(reader->settings);
    free(reader);
}

size_t      csv_columns(const csv_reader *reader) { return reader->columns; }
const char *csv_name(const csv_reader *reader, size_t column) { return reader->names[column]; }

const char *csv_setting(const csv_reader *reader, const char *key) {
    const char *place = reader->settings, *end = place ? place + reader->settings_size : NULL;
    while (place < end) {
        const char *value = place + strlen(place) + 1;
        if (!strcmp(place, key)) return value;
        place = value + strlen(value) + 1;
    }
    return NULL;
}

/* -- Rows --------------------------------------------------------------------------------------------------------- */

static ckam_status wrong_columns(const csv_reader *r, size_t columns, ckam_error *error) {
    return malformed(r, error, "the row has %zu columns, the header has %zu", columns, r->columns);
}

static ckam_status no_number(const csv_reader *r, size_t column, const char *text, const char *end, ckam_error *error) {
    const char *comma = memchr(text, ',', (size_t)(end - text));
    char        shown[25];
    size_t      length = (size_t)((comma ? comma : end) - text);
    if (length > sizeof shown - 1) length = sizeof shown - 1;
    for (size_t i = 0; i < length; i++) shown[i] = (char)(text[i] >= ' ' && text[i] < 127 ? text[i] : '?');
    shown[length] = 0;
    return malformed(r, error, "'%s' in column %zu (%.40s) is not a number", shown, column + 1, r->names[column]);
}

/* What only other programs write: a number with blanks around it, and R's NA. The place of the comma behind it, or `end`;
 * NULL if there is something else. */
static const char *scan_foreign(const char *text, const char *end, double *number) {
    while (text < end && is_blank(*text)) text++;
    const char *behind = number_scan(text, end, number);
    if (!behind && end - text >= 2 && (text[0] | 0x20) == 'n' && (text[1] | 0x20) == 'a') {
        *number = (double)NAN;
        behind = text + 2;
    }
    while (behind && behind < end && is_blank(*behind)) behind++;
    return behind && (behind == end || *behind == ',') ? behind : NULL;
}

ckam_status csv_next(csv_reader *reader, size_t count, const size_t *wanted, double *values, ckam_error *error) {
    const char *text;
    size_t      length, column = 0;
    ckam_status status = next_row(reader, &text, &length, error);
    if (status) return status;
    const char *place = text, *end = text + length;
    for (size_t i = 0; i < count; i++) {
        for (; column < wanted[i]; column++) {
            const char *comma = memchr(place, ',', (size_t)(end - place));
            if (!comma) return wrong_columns(reader, column + 1, error);
            place = comma + 1;
        }
        const char *behind = number_scan(place, end, &values[i]);
        if (!behind || (behind < end && *behind != ',')) behind = scan_foreign(place, end, &values[i]);
        if (!behind) return no_number(reader, column, place, end, error);
        place = behind;
    }
    column += count_columns(place, (size_t)(end - place));
    if (column != reader->columns) return wrong_columns(reader, column, error);
    return CKAM_OK;
}

ckam_status csv_skip(csv_reader *reader, uint64_t rows, uint64_t *skipped, ckam_error *error) {
    const char *text;
    size_t      length;
    ckam_status status = CKAM_OK;
    *skipped = 0;
    while (*skipped < rows && !(status = next_row(reader, &text, &length, error))) ++*skipped;
    return status == CKAM_STOP ? CKAM_OK : status;
}
