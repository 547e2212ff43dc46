/* csv_write.c - see csv.h. Rows are put together in a buffer and written when it is full, always behind what is there:
 * a write that failed halfway leaves nothing, and can be tried again. */
#define _GNU_SOURCE /* sync_file_range(). NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "draws/csv.h"

#include "base/error.h"
#include "base/fastmath.h"
#include "base/file.h"
#include "base/number.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER = 256 * 1024, LONGEST = 24 + 1 }; /* a number and what is behind it */

/* -- The top ------------------------------------------------------------------------------------------------------ */

/* What the user wrote, on one line. */
static void put_text(FILE *top, const char *key, const char *text) {
    fprintf(top, "# %s = ", key);
    for (; *text; text++) fputc((unsigned char)*text < ' ' ? ' ' : *text, top);
    fputc('\n', top);
}

/* The two numbers that are known only at the end, padded. */
#define COUNTS "%-*" PRIu64 "\n# num_warmup = %-*" PRIu64

char *csv_top(const csv_about *about, size_t columns, const char *const *names, uint64_t *samples_at) {
    char  *text = NULL;
    size_t length = 0;
    FILE  *top = open_memstream(&text, &length);
    if (!top) return NULL;
    fputs("# stan_version_major = 2\n# stan_version_minor = 31\n# stan_version_patch = 0\n", top);
    fputs("# ckam_version = " CKAM_VERSION "\n", top);
    put_text(top, "model", about->model);
    put_text(top, "start_datetime", about->started);
    fputs("# method = sample\n# num_samples = ", top);
    bool failed = fflush(top);
    *samples_at = length;
    fprintf(top, COUNTS "\n# save_warmup = 0\n# thin = %" PRIu64 "\n", CSV_COUNT, about->samples, CSV_COUNT,
            about->warmup, about->thin);
    put_text(top, "algorithm", about->sampler);
    fprintf(top, "# metric = unit_e\n# id = %" PRIu64 "\n# seed = %" PRIu64 "\n", about->chain, about->seed);
    for (size_t k = 0; k < columns; k++) fprintf(top, "%s%c", names[k], k + 1 < columns ? ',' : '\n');
    failed |= ferror(top) != 0;
    failed |= fclose(top) != 0;
    if (!failed) return text;
    free(text);
    return NULL;
}

static bool is_digit(char c) { return '0' <= c && c <= '9'; }
static bool is_letter(char c) { return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z'); }

ckam_status csv_check_name(const char *name, ckam_error *error) {
    const char *c = name;
    bool        good = is_letter(*c);
    while (is_letter(*c) || is_digit(*c) || *c == '_') c++;
    good &= !(c - name >= 2 && c[-1] == '_' && c[-2] == '_');
    while (good && *c == '.') {
        good = '1' <= c[1] && c[1] <= '9';
        for (c++; is_digit(*c);) c++;
    }
    if (good && !*c) return CKAM_OK;
    return fail_with(
        error, CKAM_ERROR_ARGUMENT,
        "'%.60s' cannot name a parameter; it must be a letter, then letters, digits and _, not ending in __, "
        "and may end in indices from 1 as in theta.1 or b.2.3",
        name);
}

/* -- Writing ------------------------------------------------------------------------------------------------------ */

/* Signals are blocked between entering and leaving: a handler that waits until nobody writes would wait for its own
 * thread. */
static void gate_enter(csv_gate *gate, sigset_t *before) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    if (!gate) return;
    atomic_fetch_add(&gate->writing, 1);
    if (!atomic_load(&gate->closed)) return;
    atomic_fetch_sub(&gate->writing, 1);
    pthread_sigmask(SIG_SETMASK, before, NULL);
    for (;;) pause();
}

static void gate_leave(csv_gate *gate, const sigset_t *before) {
    if (gate) atomic_fetch_sub(&gate->writing, 1);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

static ckam_status write_at(csv_writer *w, const char *bytes, size_t size, uint64_t offset, ckam_error *error) {
    ckam_status status = CKAM_OK;
    sigset_t    before;
    gate_enter(w->gate, &before);
    if (!file_write(w->file, bytes, size, offset)) {
        status = file_write_failed(w->path, error);
        /* Removes a partial row, which would be read as garbage. If this fails, too, nothing more can be done. */
        if (ftruncate(w->file, (off_t)w->length)) errno = 0;
    }
    gate_leave(w->gate, &before);
    return status;
}

ckam_status csv_flush(csv_writer *w, ckam_error *error) {
    ckam_status status = w->used ? write_at(w, w->buffer, w->used, w->length, error) : CKAM_OK;
    if (status) return status;
    w->length += w->used;
    w->used = 0;
    for (size_t k = 0; k < w->columns; k++) w->cells[k].length = 0;
    return CKAM_OK;
}

/* Room for `size` bytes behind those in the buffer. */
static ckam_status reserve(csv_writer *w, size_t size, ckam_error *error) {
    ckam_status status = w->used + size > w->room ? csv_flush(w, error) : CKAM_OK;
    if (status || size <= w->room) return status;
    char *larger = realloc(w->buffer, size);
    if (!larger) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a row of %.100s", w->path);
    w->buffer = larger;
    w->room = size;
    return CKAM_OK;
}

ckam_status csv_add(csv_writer *w, const char *bytes, size_t size, ckam_error *error) {
    ckam_status status = reserve(w, size, error);
    if (status) return status;
    memcpy(w->buffer + w->used, bytes, size);
    w->used += size;
    return CKAM_OK;
}

static ckam_status reserve_cells(csv_writer *w, size_t columns, ckam_error *error) {
    if (columns == w->columns) return CKAM_OK;
    csv_cell *cells = calloc(columns, sizeof *cells);
    if (!cells) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for a row of %.100s", w->path);
    free(w->cells);
    w->cells = cells;
    w->columns = columns;
    return CKAM_OK;
}

ckam_status csv_row(csv_writer *w, size_t columns, const double *values, ckam_error *error) {
    ckam_status status = reserve(w, columns * LONGEST + NUMBER_TEXT, error);
    if (!status) status = reserve_cells(w, columns, error);
    if (status) return status;
    char *place = w->buffer + w->used;
    for (size_t k = 0; k < columns; k++) {
        csv_cell *cell = &w->cells[k];
        if (cell->length && cell->bits == bits_of(values[k])) {
            char text[NUMBER_TEXT]; /* more than the number, which is faster; and the two places may overlap */
            memcpy(text, cell->text, sizeof text);
            memcpy(place, text, sizeof text);
        } else {
            cell->bits = bits_of(values[k]);
            cell->length = number_put(values[k], place);
            place[cell->length++] = ',';
        }
        cell->text = place;
        place += cell->length;
    }
    place[-1] = '\n';
    w->used = (size_t)(place - w->buffer);
    return CKAM_OK;
}

ckam_status csv_begin_sync(csv_writer *w, ckam_error *error) {
    ckam_status status = csv_flush(w, error);
#ifdef SYNC_FILE_RANGE_WRITE
    if (!status) (void)sync_file_range(w->file, 0, 0, SYNC_FILE_RANGE_WRITE); /* csv_sync() will say what fails */
#endif
    return status;
}

ckam_status csv_sync(csv_writer *w, ckam_error *error) {
    ckam_status status = csv_flush(w, error);
    if (status) return status;
    while (fdatasync(w->file))
        if (errno != EINTR) return file_write_failed(w->path, error);
    return CKAM_OK;
}

/* Seconds with three decimals. */
static void put_seconds(double seconds, char *text) { number_write(round(seconds * 1e3) / 1e3, text, NUMBER_TEXT); }

ckam_status csv_tail(csv_writer *w, double warmup, double sampling, ckam_error *error) {
    char text[256], first[NUMBER_TEXT], second[NUMBER_TEXT], total[NUMBER_TEXT];
    put_seconds(warmup, first);
    put_seconds(sampling, second);
    put_seconds(warmup + sampling, total);
    int length = snprintf(text, sizeof text,
                          "#\n#  Elapsed Time: %s seconds (Warm-up)\n#                %s seconds (Sampling)\n"
                          "#                %s seconds (Total)\n#\n",
                          first, second, total);
    return csv_add(w, text, (size_t)length, error);
}

ckam_status csv_patch(csv_writer *w, uint64_t samples_at, uint64_t samples, uint64_t warmup, ckam_error *error) {
    char text[CSV_COUNT + CSV_COUNT + sizeof COUNTS];
    int  length = snprintf(text, sizeof text, COUNTS, CSV_COUNT, samples, CSV_COUNT, warmup);
    return write_at(w, text, (size_t)length, samples_at, error);
}

/* -- Opening and closing ------------------------------------------------------------------------------------------ */

/* Whatever fails, csv_close() cleans up. */
static ckam_status begin(csv_writer *w, const open_directory *in, const char *path, int flags, csv_gate *gate,
                         ckam_error *error) {
    *w = (csv_writer){.buffer = malloc(BUFFER), .gate = gate, .room = BUFFER, .file = -1};
    file_show(in, path, w->path);
    if (!w->buffer) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %s", w->path);
    w->file = openat(file_directory(in), path, flags | O_CLOEXEC, 0666);
    if (w->file >= 0) return CKAM_OK;
    const char *advice = errno == EMFILE ? "; every chain has a file open: raise their limit (ulimit -n)" : "";
    return fail_with(error, flags & O_CREAT ? CKAM_ERROR_OUTPUT : CKAM_ERROR_INPUT, "cannot %s %.100s: %s%s",
                     flags & O_CREAT ? "make" : "go on in", w->path, strerror(errno), advice);
}

ckam_status csv_create(csv_writer *w, const open_directory *in, const char *path, const char *top, csv_gate *gate,
                       ckam_error *error) {
    ckam_status status = begin(w, in, path, O_RDWR | O_CREAT | O_EXCL, gate, error);
    if (!status) status = csv_add(w, top, strlen(top), error);
    if (!status) status = csv_flush(w, error);
    if (status && w->file >= 0) unlinkat(file_directory(in), path, 0);
    if (status) csv_close(w);
    return status;
}

/* What is there must have `length` bytes and end with a line there. */
static ckam_status cut(csv_writer *w, uint64_t length, ckam_error *error) {
    struct stat about;
    char        last = '\n';
    if (fstat(w->file, &about) || (length && pread(w->file, &last, 1, (off_t)(length - 1)) < 0))
        return fail_with(error, CKAM_ERROR_INPUT, "cannot read %.100s: %s", w->path, strerror(errno));
    if ((uint64_t)about.st_size < length || last != '\n')
        return fail_with(error, CKAM_ERROR_FORMAT,
                         "%.100s has %llu bytes; its first %llu do not end with a row: it was changed after the run",
                         w->path, (unsigned long long)about.st_size, (unsigned long long)length);
    w->length = length;
    return ftruncate(w->file, (off_t)length) ? file_write_failed(w->path, error) : CKAM_OK;
}

ckam_status csv_cut(csv_writer *w, uint64_t length, ckam_error *error) {
    w->used = 0;
    return cut(w, length, error);
}

ckam_status csv_continue(csv_writer *w, const open_directory *in, const char *path, uint64_t length, csv_gate *gate,
                         ckam_error *error) {
    ckam_status status = begin(w, in, path, O_RDWR, gate, error);
    if (!status) status = cut(w, length, error);
    if (status) csv_close(w);
    return status;
}

void csv_close(csv_writer *w) {
    if (w->buffer && w->file >= 0) close(w->file); /* a zeroed one has no buffer */
    free(w->buffer);
    free(w->cells);
    *w = (csv_writer){.file = -1};
}
