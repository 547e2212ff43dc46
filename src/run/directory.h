/* directory.h - the directory of a run: made, taken over, and locked against a second process. */
#ifndef CKAM_RUN_DIRECTORY_H
#define CKAM_RUN_DIRECTORY_H

#include "base/file.h"
#include "ckam.h"

/* Kept open from the first file to the last: a run that is moved while it goes on writes where it began, not to what has its path
 * by then. */
typedef struct run_directory {
    open_directory folder;
    int            lock;     /* file whose lock this process holds; -1: none */
    char           mark[64]; /* what it wrote there: the process, and a line that no other run has */
} run_directory;

/* Makes the directory `out` and checkpoint/ in it, or for "auto" the first of ckam-run-MODEL-1, -2, ... that is not
 * there. One that is there is CKAM_ERROR_OUTPUT, unless `overwrite`: then the files of a run in it are removed, and one
 * that holds anything else is refused. */
ckam_status directory_make(run_directory *d, const char *out, const char *model, bool overwrite, ckam_error *error);
/* Takes the directory of a run that is to go on. Refused while another process has it. */
ckam_status directory_take(run_directory *d, const char *path, ckam_error *error);
/* For the other processes of a run, which have d->mark from the first one: opens `path`. CKAM_ERROR_INPUT if that is not the
 * directory with this mark. */
ckam_status directory_join(run_directory *d, const char *path, ckam_error *error);
/* Closes it. If it was moved, d->folder.path becomes the path that it has now; "" if it was removed, or the system does not tell
 * (Linux does). */
void directory_leave(run_directory *d);
/* Removes what directory_make() and a run that could not begin have made. */
void directory_discard(run_directory *d);

#endif
