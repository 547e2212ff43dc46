/* equal_rows.c - truncates the files of draws to equal numbers of rows: readers of Stan CSV refuse chains of different lengths.
 *
 * When a run stops some chains are ahead of others. Their additional rows are moved from their files to one file per process,
 * checkpoint/rest_N with N its first chain, and put back when the run is resumed: no draw is lost. It is one file because to sync
 * thousands takes seconds. */
#include "base/error.h"
#include "draws/draws.h"
#include "run/comm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

enum { NAME = 48 };

static void rest_path(uint64_t first, char name[NAME]) {
    snprintf(name, NAME, "checkpoint/rest_%llu", (unsigned long long)first + 1);
}

/* Where the last `rows` rows of a file of `length` bytes begin: after the newline that stands before them. */
static bool find_rows(int file, uint64_t length, uint64_t rows, uint64_t *offset) {
    char block[BLOCK];
    for (uint64_t end = length; end > 0;) {
        size_t  size = end < BLOCK ? (size_t)end : BLOCK;
        ssize_t count = pread(file, block, size, (off_t)(end - size));
        if (count != (ssize_t)size) return false;
        for (size_t i = size; i-- > 0;) {
            *offset = end - size + i + 1;
            if (block[i] == '\n' && rows-- == 0) return true;
        }
        end -= size;
    }
    return false;
}

/* Appends the rows of a chain after the first `least` to the file of the process. */
static ckam_status move_rows(ckam_run *run, size_t index, uint64_t least, file_aside *rest, ckam_error *error) {
    struct chain_kept *kept = &run->chains[index].kept;
    char               name[NAME], block[BLOCK], shown[FILE_SHOWN];
    ckam_status        status = CKAM_OK;
    draws_path(".", index, false, sizeof name, name);
    int  file = openat(run->place.folder.file, name, O_RDONLY | O_CLOEXEC);
    bool read = file >= 0 && find_rows(file, kept->length, kept->draws - least, &kept->cut);
    kept->rest = run->first;
    kept->rest_at = rest->length;
    for (uint64_t at = kept->cut; read && !status && at < kept->length;) {
        size_t  size = kept->length - at < BLOCK ? (size_t)(kept->length - at) : BLOCK;
        ssize_t count = pread(file, block, size, (off_t)at);
        read = count > 0;
        if (read) status = file_add(rest, block, (size_t)count, error);
        at += read ? (uint64_t)count : 0;
    }
    if (!read)
        status = fail_with(error, CKAM_ERROR_INPUT, "cannot read %s again: %s",
                           file_show(&run->place.folder, name, shown), strerror(errno));
    if (file >= 0) close(file);
    return status;
}

static ckam_status move_rest(ckam_run *run, uint64_t least, ckam_error *error) {
    char       name[NAME];
    file_aside rest;
    if (run->first == run->last) return CKAM_OK; /* no chain, so the file name would be that of another process */
    rest_path(run->first, name);
    ckam_status status = file_begin(&rest, &run->place.folder, name, error);
    if (status) return status;
    for (size_t i = run->first; i < run->last && !status; i++)
        if (run->chains[i].kept.draws > least) status = move_rows(run, i, least, &rest, error);
    if (!status && rest.length) return file_commit(&rest, error);
    file_abandon(&rest);
    return status;
}

ckam_status equal_rows_set_aside(ckam_run *run, uint64_t *shortest, ckam_error *error) {
    uint64_t least = UINT64_MAX;
    for (size_t i = run->first; i < run->last; i++)
        if (run->chains[i].kept.draws < least) least = run->chains[i].kept.draws;
    *shortest = least = comm_min(run, least);
    return comm_agree(run, move_rest(run, least, error), error);
}

ckam_status equal_rows_truncate(ckam_run *run, size_t index, ckam_error *error) {
    run_chain *c = &run->chains[index];
    char       name[NAME];
    if (c->kept.cut == c->kept.length) return CKAM_OK;
    csv_close(&c->draws);
    draws_path(".", index, false, sizeof name, name);
    return csv_continue(&c->draws, &run->place.folder, name, c->kept.cut, &run->gate, error);
}

/* Whether an open file has `size` bytes at offset `at`. */
static bool has_bytes(int file, uint64_t at, uint64_t size) {
    struct stat facts;
    return !fstat(file, &facts) && at <= (uint64_t)facts.st_size && size <= (uint64_t)facts.st_size - at;
}

/* Appends to the file of a chain its rows that were set aside. */
static ckam_status add_rest(ckam_run *run, run_chain *c, ckam_error *error) {
    const struct chain_kept *kept = &c->kept;
    char                     name[NAME], block[BLOCK], shown[FILE_SHOWN];
    uint64_t                 at = kept->rest_at, left = kept->length - kept->cut;
    ckam_status              status = CKAM_OK;
    rest_path(kept->rest, name);
    int  file = openat(run->place.folder.file, name, O_RDONLY | O_CLOEXEC);
    bool whole = file >= 0 && has_bytes(file, at, left);
    while (whole && !status && left) {
        size_t size = left < BLOCK ? (size_t)left : BLOCK;
        whole = file_read_at(file, block, size, at);
        if (whole) status = csv_add(&c->draws, block, size, error);
        at += size;
        left -= size;
    }
    if (file >= 0) close(file);
    if (whole) return status ? status : csv_flush(&c->draws, error);
    return fail_with(error, CKAM_ERROR_SNAPSHOT,
                     "%s lacks some of the %llu bytes at %llu that the checkpoint counts on",
                     file_show(&run->place.folder, name, shown), (unsigned long long)(kept->length - kept->cut),
                     (unsigned long long)kept->rest_at);
}

ckam_status equal_rows_restore(ckam_run *run, size_t index, ckam_error *error) {
    run_chain *c = &run->chains[index];
    char       name[NAME];
    draws_path(".", index, false, sizeof name, name);
    ckam_status status = csv_continue(&c->draws, &run->place.folder, name, c->kept.cut, &run->gate, error);
    return status || c->kept.length == c->kept.cut ? status : add_rest(run, c, error);
}
