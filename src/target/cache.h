/* cache.h - shared objects that were compiled, kept for the next time. For compile.c alone.
 *
 * The directory is $CKAM_CACHE, else $XDG_CACHE_HOME/ckam, else ~/.cache/ckam, else ckam-UID in $TMPDIR or /tmp. What is in it is
 * run, so nobody else may write there. KEY.list has the print of an object in its first line, and in the others print and path of each
 * file that it was made of; the object is PRINT.so. Files come by a rename: any number of processes may work there at once. */
#ifndef CKAM_TARGET_CACHE_H
#define CKAM_TARGET_CACHE_H

#include "base/file.h"

#include <time.h>

/* 128 bits of bytes as text: two that differ do not have the same one by accident. */
enum { PRINT_LENGTH = 32 };
void cache_print(const void *bytes, size_t size, char print[PRINT_LENGTH + 1]);

typedef struct cache {
    char folder[FILE_PATH]; /* absolute */
    char work[FILE_PATH];   /* a folder in it for this call alone; "" where there is none */
} cache;

/* Finds the directory, makes it if need be, refuses it if others could write to it. */
ckam_status cache_open(cache *c, ckam_error *error);
/* Makes the folder for work. */
ckam_status cache_begin(cache *c, ckam_error *error);
/* Removes it, with what is in it. */
void cache_close(cache *c);

/* *path := the object of this key, yours to free; NULL if there is none, or if a file that it was made of is not as it was. */
ckam_status cache_find(const cache *c, const char *key, char **path, ckam_error *error);

/* What a compiler is to make in the folder for work: the object, and the rule for make that names the files it has read. */
#define CACHE_OBJECT "object.so"
#define CACHE_RULE   "rule"
/* Keeps them under this key, *path as above. The compiler began at `since`: what was changed later may not be what it read. Objects that
 * nobody has used for 90 days are removed. */
ckam_status cache_keep(const cache *c, const char *key, struct timespec since, char **path, ckam_error *error);
/* Writes a file into the folder for work. */
ckam_status cache_write(const cache *c, const char *name, const void *bytes, size_t size, ckam_error *error);
/* Puts a file into the directory, whole for all who look; by way of the folder for work. Nothing is synced: what a crash of the machine
 * cuts is seen to be wrong when it is read. */
ckam_status cache_put(const cache *c, const char *name, const void *bytes, size_t size, ckam_error *error);

#endif
