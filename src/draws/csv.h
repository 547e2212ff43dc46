/* csv.h - one chain's rows as a Stan CSV file: comments, a header line, rows of numbers, comments.
 *
 * The run writes; draws.c and netcdf.c read. Only whole rows are passed to write(), so the file of a killed process ends
 * with a complete row. */
#ifndef CKAM_DRAWS_CSV_H
#define CKAM_DRAWS_CSV_H

#include "base/file.h"
#include "base/number.h"
#include "ckam.h"

#include <stdatomic.h>

/* -- Writing ------------------------------------------------------------------------------------------------------ */

/* Shared by the writers of a run. When it is closed, because the process is about to end, no writer begins a write() any
 * more: it waits until the process ends. `writing` counts the writers inside write(). */
typedef struct csv_gate {
    atomic_int  writing;
    atomic_bool closed;
} csv_gate;

/* The last number of a column, and where in the buffer its text is. After a rejection the numbers are the same, and copying
 * their text saves the conversion to decimal, which takes most of the time of writing. */
typedef struct csv_cell {
    uint64_t    bits; /* of the number: -0 is not 0 */
    const char *text;
    size_t      length; /* with the separator; 0: it is not in this buffer */
} csv_cell;

typedef struct csv_writer {
    char      path[FILE_SHOWN]; /* for messages */
    char     *buffer;           /* NULL: never opened */
    csv_cell *cells;            /* one per column */
    size_t    columns;
    csv_gate *gate;   /* or NULL */
    size_t    used;   /* bytes in the buffer: whole rows */
    size_t    room;   /* size of the buffer; a row of many columns enlarges it */
    uint64_t  length; /* bytes in the file */
    int       file;   /* -1: closed */
} csv_writer;

/* What the comments at the top say. */
typedef struct csv_about {
    const char *model, *sampler, *started;          /* started: ISO 8601 */
    uint64_t    samples, warmup, thin, seed, chain; /* samples and warmup in iterations, chain from 1 */
} csv_about;

/* The top of a file: comments and the header line; yours to free, NULL for want of memory. *samples_at is the offset of
 * the number after `num_samples = `, which has CSV_COUNT bytes and is padded with blanks, for csv_patch(). So has num_warmup. */
enum { CSV_COUNT = 20 };
char *csv_top(const csv_about *about, size_t columns, const char *const *names, uint64_t *samples_at);
/* Whether a name can stand in a header: a letter, then letters, digits, _ and, for elements, .1 .2 behind; not ending in
 * __. CKAM_ERROR_ARGUMENT if not. */
ckam_status csv_check_name(const char *name, ckam_error *error);

/* Makes the file, which must not be there, and writes `top`. */
ckam_status csv_create(csv_writer *w, const open_directory *in, const char *path, const char *top, csv_gate *gate,
                       ckam_error *error);
/* Opens a file to append to it, truncated to `length` bytes. A file that is shorter, or has no newline there, is
 * CKAM_ERROR_FORMAT. */
ckam_status csv_continue(csv_writer *w, const open_directory *in, const char *path, uint64_t length, csv_gate *gate,
                         ckam_error *error);
/* Truncates the file to `length` bytes; nothing may be added afterwards. */
ckam_status csv_cut(csv_writer *w, uint64_t length, ckam_error *error);
/* Adds a row. Only a full buffer is written. A failure names the file and says what to do; the file then ends with the
 * last row that was written before, and the buffer is as it was. */
ckam_status csv_row(csv_writer *w, size_t columns, const double *values, ckam_error *error);
/* Writes all rows; csv_sync() also syncs them to the disk. Then w->length is the length of the file. */
ckam_status csv_flush(csv_writer *w, ckam_error *error);
/* As csv_flush(), and starts writeback without waiting for it, where the system can. For many files: begin all, then
 * csv_sync() each. */
ckam_status csv_begin_sync(csv_writer *w, ckam_error *error);
ckam_status csv_sync(csv_writer *w, ckam_error *error);
/* Adds bytes as they are: whole rows that were cut before. */
ckam_status csv_add(csv_writer *w, const char *bytes, size_t size, ckam_error *error);
/* The comments at the end: times in seconds. */
ckam_status csv_tail(csv_writer *w, double warmup, double sampling, ckam_error *error);
/* Overwrites the numbers of samples and of warm-up iterations, at the place that csv_top() gave. */
ckam_status csv_patch(csv_writer *w, uint64_t samples_at, uint64_t samples, uint64_t warmup, ckam_error *error);
/* Frees all; what is in the buffer is lost. Accepts a zeroed or closed writer. */
void csv_close(csv_writer *w);

/* -- Reading ------------------------------------------------------------------------------------------------------ */

/* One file from top to bottom, with a buffer whose size is that of the longest line. Files of CmdStan and its like are read
 * too: comments and empty lines anywhere, CRLF; and those of R's write.csv() and of spreadsheets: a byte order mark, names in
 * quotes, blanks around names and numbers, NA for NaN. A last line without a newline is not a row: it may have been cut off,
 * and half a number looks like a number. */
typedef struct csv_reader csv_reader;

/* Reads comments and header: names that are not empty, all different, without quotes or control characters in them. */
ckam_status csv_open(csv_reader **reader, const open_directory *in, const char *path, ckam_error *error);
void        csv_free(csv_reader *reader);
size_t      csv_columns(const csv_reader *reader);
const char *csv_name(const csv_reader *reader, size_t column);
/* The value of `# key = value` above the header, without blanks around it or CmdStan's "(Default)"; NULL if there is
 * none. */
const char *csv_setting(const csv_reader *reader, const char *key);
/* values[i] := column wanted[i] of the next row; `wanted` rises. CKAM_STOP after the last row. What is not a number, and
 * rows with too few or too many columns, are CKAM_ERROR_FORMAT with file, line and column. */
ckam_status csv_next(csv_reader *reader, size_t count, const size_t *wanted, double *values, ckam_error *error);
/* Skips rows without looking into them; *skipped says how many there were. Never CKAM_STOP. */
ckam_status csv_skip(csv_reader *reader, uint64_t rows, uint64_t *skipped, ckam_error *error);

#endif
