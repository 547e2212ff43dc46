/* directory.h - the directory of a run: made, taken over, and locked against a second process. */
#ifndef CKAM_RUN_DIRECTORY_H
#define CKAM_RUN_DIRECTORY_H

#include "base/file.h"
#include "ckam.h"

typedef struct run_directory {
    char path[FILE_PATH];
    int  lock; /* file whose lock this process holds; -1: none */
} run_directory;

/* Makes the directory `out` and checkpoint/ in it, or for "auto" the first of ckam-run-MODEL-1, -2, ... that is not
 * there. One that is there is CKAM_ERROR_OUTPUT, unless `overwrite`: then the files of a run in it are removed, and one
 * that holds anything else is refused. */
ckam_status directory_make(run_directory *d, const char *out, const char *model, bool overwrite, ckam_error *error);
/* Takes the directory of a run that is to go on. Refused while another process has it. */
ckam_status directory_take(run_directory *d, const char *path, ckam_error *error);
void        directory_leave(run_directory *d);
/* Removes what directory_make() and a run that could not begin have made. */
void directory_discard(run_directory *d);

/* path := the directory's file `name`. */
void directory_file(const run_directory *d, const char *name, char path[FILE_PATH]);

#endif
