/* file.h - files that are there whole or not at all: written aside, synced, renamed.
 *
 * For every layer that keeps something. Messages name the file and what the system said. A file is named by an open directory
 * and a path in it; without a directory (NULL) the path is one as any other. */
#ifndef CKAM_BASE_FILE_H
#define CKAM_BASE_FILE_H

#include "ckam.h"

#include <dirent.h>
#include <stdbool.h>

enum { FILE_PATH = 4400 }; /* room for a path: a text option and the names of our files */

/* A directory that is kept open. It is the same one after a rename, when its path leads elsewhere or nowhere. */
typedef struct open_directory {
    int  file;            /* its descriptor; -1: closed */
    char path[FILE_PATH]; /* as the user gave it, for messages */
} open_directory;

/* The descriptor for openat() and its like. */
int file_directory(const open_directory *in);
/* The path for messages, as the user would write it: its last bytes, where not all fit. Returns `text`. */
enum { FILE_SHOWN = 101 };
const char *file_show(const open_directory *in, const char *path, char text[FILE_SHOWN]);

/* Whether a path leads to this open file or directory. */
bool file_is_at(int file, const char *path);
/* The entries of the directory `path`, for readdir() and closedir(); NULL, with errno, where they cannot be listed. */
DIR *file_list(const open_directory *in, const char *path);

/* A file that is being written beside the one that it will replace. */
typedef struct file_aside {
    int      file;
    int      directory; /* that the names are relative to, as for openat(); borrowed */
    uint64_t length;
    bool unsynced; /* set it where nothing would be lost: file_commit() then only renames, and file_sync() may follow */
    char name[FILE_PATH], aside[FILE_PATH], shown[FILE_SHOWN];
} file_aside;

/* `in` stays open until file_commit() or file_abandon(). */
ckam_status file_begin(file_aside *a, const open_directory *in, const char *path, ckam_error *error);
ckam_status file_add(file_aside *a, const void *bytes, size_t size, ckam_error *error);
/* Syncs, renames, syncs the directory. After a failure of any of the three the old file is as it was. */
ckam_status file_commit(file_aside *a, ckam_error *error);
/* Gives up; what was written aside is removed. */
void file_abandon(file_aside *a);

/* Syncs a file that is there, and its directory. */
ckam_status file_sync(const open_directory *in, const char *path, ckam_error *error);

/* All in one: replaces `path` by these bytes. */
ckam_status file_replace(const open_directory *in, const char *path, const void *bytes, size_t size, ckam_error *error);
/* *bytes := the whole file, with a 0 behind it; yours to free. */
ckam_status file_read(const open_directory *in, const char *path, char **bytes, size_t *size, ckam_error *error);
/* The same of a file that a stranger may have put there, as run.json: CKAM_ERROR_FORMAT where it is no regular file, or is larger
 * than what describes a run can be. */
enum { FILE_RECORD = 32 << 20 };
ckam_status file_read_record(const open_directory *in, const char *path, char **bytes, size_t *size, ckam_error *error);
/* Reads exactly so many bytes; false where there are fewer, or they cannot be read. */
bool file_read_at(int file, void *bytes, size_t size, uint64_t offset);
/* Writes all of it; false, with errno, when that fails. A file that reaches the limit of its size raises a signal that
 * would end the process: here it is a write that failed, for this thread the signal is held back and taken away. */
bool file_write(int file, const void *bytes, size_t size, uint64_t offset);
/* The message for it, from errno; `path` as file_show() gives it. */
ckam_status file_write_failed(const char *path, ckam_error *error);

#endif
