/* even.c - files of equal length: readers of Stan CSV refuse chains that have different numbers of draws.
 *
 * A run that was stopped has chains that are some draws ahead of others. At the end these rows are moved from the file
 * to checkpoint/rest_N, and put back when the run goes on. Nothing is lost. */
#include "base/error.h"
#include "draws/draws.h"
#include "run/crew.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 1 << 16 };

enum { NAME = 48 };

static void rest_path(size_t index, char name[NAME]) { snprintf(name, NAME, "checkpoint/rest_%zu", index + 1); }

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

static ckam_status copy_rest(const ckam_run *run, size_t index, int file, ckam_error *error) {
    const struct lane_kept *kept = &run->lanes[index].kept;
    char                    name[NAME], block[BLOCK];
    file_aside              rest;
    rest_path(index, name);
    ckam_status status = file_begin(&rest, &run->place.folder, name, error);
    for (uint64_t at = kept->cut; at < kept->length && !status;) {
        size_t  size = kept->length - at < BLOCK ? (size_t)(kept->length - at) : BLOCK;
        ssize_t count = pread(file, block, size, (off_t)at);
        status = count > 0 ? file_add(&rest, block, (size_t)count, error)
                           : fail_with(error, CKAM_ERROR_INPUT, "cannot read chain %zu again: %s", index + 1,
                                       strerror(errno));
        at += count > 0 ? (uint64_t)count : 0;
    }
    if (!status) return file_commit(&rest, error);
    file_abandon(&rest);
    return status;
}

ckam_status even_out(ckam_run *run, uint64_t *shortest, ckam_error *error) {
    uint64_t    least = UINT64_MAX;
    ckam_status status = CKAM_OK;
    for (size_t i = run->first; i < run->last; i++)
        if (run->lanes[i].kept.draws < least) least = run->lanes[i].kept.draws;
    *shortest = least = crew_least(run, least);
    for (size_t i = run->first; i < run->last && !status; i++) {
        lane *l = &run->lanes[i];
        char  name[NAME], shown[FILE_SHOWN];
        if (l->kept.draws == least) continue;
        draws_path(".", i, false, sizeof name, name);
        int file = openat(run->place.folder.file, name, O_RDONLY | O_CLOEXEC);
        if (file < 0 || !find_rows(file, l->kept.length, l->kept.draws - least, &l->kept.cut))
            status = fail_with(error, CKAM_ERROR_INPUT, "cannot read %s again: %s",
                               file_show(&run->place.folder, name, shown), strerror(errno));
        if (!status) status = copy_rest(run, i, file, error);
        if (file >= 0) close(file);
    }
    return crew_agree(run, status, error);
}

ckam_status even_cut(ckam_run *run, size_t index, ckam_error *error) {
    lane *l = &run->lanes[index];
    char  name[NAME];
    if (l->kept.cut == l->kept.length) return CKAM_OK;
    csv_close(&l->draws);
    draws_path(".", index, false, sizeof name, name);
    return csv_continue(&l->draws, &run->place.folder, name, l->kept.cut, &run->gate, error);
}

ckam_status even_restore(ckam_run *run, size_t index, ckam_error *error) {
    lane  *l = &run->lanes[index];
    char   name[NAME], shown[FILE_SHOWN], *bytes;
    size_t size;
    draws_path(".", index, false, sizeof name, name);
    ckam_status status = csv_continue(&l->draws, &run->place.folder, name, l->kept.cut, &run->gate, error);
    if (status || l->kept.cut == l->kept.length) return status;
    rest_path(index, name);
    status = file_read(&run->place.folder, name, &bytes, &size, error);
    if (status) return status;
    if (size != l->kept.length - l->kept.cut)
        status = fail_with(error, CKAM_ERROR_SNAPSHOT, "%s has %zu bytes; the checkpoint wants %llu",
                           file_show(&run->place.folder, name, shown), size,
                           (unsigned long long)(l->kept.length - l->kept.cut));
    if (!status) status = csv_add(&l->draws, bytes, size, error);
    if (!status) status = csv_flush(&l->draws, error);
    free(bytes);
    return status;
}
