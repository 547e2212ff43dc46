/* file.c - see file.h. */
#include "base/file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int file_directory(const open_directory *in) { return in ? in->file : AT_FDCWD; }

const char *file_show(const open_directory *in, const char *path, char text[FILE_SHOWN]) {
    char whole[2 * FILE_PATH];
    while (in && !strncmp(path, "./", 2)) path += 2;
    if (!in)
        snprintf(whole, sizeof whole, "%s", path);
    else if (!strcmp(path, "."))
        snprintf(whole, sizeof whole, "%s", in->path);
    else
        snprintf(whole, sizeof whole, "%s/%s", in->path, path);
    size_t length = strlen(whole), most = FILE_SHOWN - 1;
    snprintf(text, FILE_SHOWN, "%s", whole + (length > most ? length - most : 0));
    return text;
}

bool file_is_at(int file, const char *path) {
    struct stat own, there;
    return !fstat(file, &own) && !stat(path, &there) && own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

DIR *file_list(const open_directory *in, const char *path) {
    int  file = openat(file_directory(in), path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = file < 0 ? NULL : fdopendir(file);
    if (file >= 0 && !entries) close(file);
    return entries;
}

bool file_read_at(int file, void *bytes, size_t size, uint64_t offset) {
    char *place = bytes;
    while (size) {
        ssize_t count = pread(file, place, size, (off_t)offset);
        if (count == 0 || (count < 0 && errno != EINTR)) return false;
        if (count < 0) continue;
        place += count;
        size -= (size_t)count;
        offset += (uint64_t)count;
    }
    return true;
}

bool file_write(int file, const void *bytes, size_t size, uint64_t offset) {
    const char *place = bytes;
    sigset_t    limit, before;
    bool        good = true;
    sigemptyset(&limit);
    sigaddset(&limit, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &limit, &before);
    while (size && good) {
        ssize_t count = pwrite(file, place, size, (off_t)offset);
        good = count > 0 || (count < 0 && errno == EINTR);
        if (count <= 0) continue;
        place += count;
        size -= (size_t)count;
        offset += (uint64_t)count;
    }
    int problem = errno;
    if (!good && problem == EFBIG) sigtimedwait(&limit, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = problem;
    return good;
}

ckam_status file_write_failed(const char *path, ckam_error *error) {
    const char *remedy = errno == ENOSPC || errno == EDQUOT ? "make room"
                         : errno == EFBIG                   ? "raise the limit of file sizes (ulimit -f)"
                                                            : "mend that";
    return fail_with(error, CKAM_ERROR_WRITE, "cannot write %.120s: %s; %s and try again", path, strerror(errno),
                     remedy);
}

ckam_status file_begin(file_aside *a, const open_directory *in, const char *path, ckam_error *error) {
    int         length = snprintf(a->name, sizeof a->name, "%s", path);
    char        shown[FILE_SHOWN];
    struct stat about;
    file_show(in, path, a->shown);
    a->file = -1;
    a->directory = file_directory(in);
    a->length = 0;
    a->unsynced = false;
    if (length < 0 || (size_t)length + sizeof ".new" > sizeof a->aside)
        return fail_with(error, CKAM_ERROR_OUTPUT, "the path %.60s... is too long", path);
    /* A rename would put the file in the place of a device. A directory it refuses by itself. */
    if (!fstatat(a->directory, path, &about, 0) && !S_ISREG(about.st_mode) && !S_ISDIR(about.st_mode))
        return fail_with(error, CKAM_ERROR_OUTPUT, "%s is there and is no file that can be replaced; name another",
                         a->shown);
    memcpy(a->aside, a->name, (size_t)length);
    memcpy(a->aside + length, ".new", sizeof ".new");
    unlinkat(a->directory, a->aside, 0); /* what was left there, or a link that would lead elsewhere */
    a->file = openat(a->directory, a->aside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (a->file >= 0) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make %s: %s", file_show(in, a->aside, shown), strerror(errno));
}

ckam_status file_add(file_aside *a, const void *bytes, size_t size, ckam_error *error) {
    if (file_write(a->file, bytes, size, a->length)) {
        a->length += size;
        return CKAM_OK;
    }
    ckam_status status = file_write_failed(a->shown, error);
    file_abandon(a);
    return status;
}

void file_abandon(file_aside *a) {
    if (a->file < 0) return;
    close(a->file);
    unlinkat(a->directory, a->aside, 0);
    a->file = -1;
}

/* A new name is on the disk only when its directory is. Some file systems cannot sync a directory: that is no failure. */
static void sync_directory(int directory, const char *path) {
    char  folder[FILE_PATH];
    char *slash;
    snprintf(folder, sizeof folder, "%s", path);
    slash = strrchr(folder, '/');
    if (slash) slash[slash == folder] = 0;
    int file = openat(directory, slash ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0) return;
    fsync(file);
    close(file);
}

ckam_status file_sync(const open_directory *in, const char *path, ckam_error *error) {
    int  file = openat(file_directory(in), path, O_RDONLY | O_CLOEXEC);
    bool synced = file >= 0 && !fsync(file);
    char shown[FILE_SHOWN];
    if (!synced) file_write_failed(file_show(in, path, shown), error);
    if (file >= 0) close(file);
    if (synced) sync_directory(file_directory(in), path);
    return synced ? CKAM_OK : CKAM_ERROR_WRITE;
}

ckam_status file_commit(file_aside *a, ckam_error *error) {
    bool synced = a->unsynced || !fsync(a->file);
    if (!synced) file_write_failed(a->shown, error);
    bool closed = !close(a->file);
    a->file = -1;
    if (synced && !closed) file_write_failed(a->shown, error);
    bool renamed = synced && closed && !renameat(a->directory, a->aside, a->directory, a->name);
    if (synced && closed && !renamed) file_write_failed(a->shown, error);
    if (!renamed)
        unlinkat(a->directory, a->aside, 0);
    else if (!a->unsynced)
        sync_directory(a->directory, a->name);
    return renamed ? CKAM_OK : CKAM_ERROR_WRITE;
}

ckam_status file_replace(const open_directory *in, const char *path, const void *bytes, size_t size,
                         ckam_error *error) {
    file_aside  a;
    ckam_status status = file_begin(&a, in, path, error);
    if (!status) status = file_add(&a, bytes, size, error);
    return status ? status : file_commit(&a, error);
}

/* Reads to the end, whatever the size was said to be: pipes have none. */
static ckam_status read_all(int file, const char *path, size_t room, char **bytes, size_t *size, ckam_error *error) {
    for (*size = 0;;) {
        if (!*bytes || *size + 1 == room) {
            room *= 2;
            char *larger = realloc(*bytes, room);
            if (!larger) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %.120s", path);
            *bytes = larger;
        }
        ssize_t count = read(file, *bytes + *size, room - 1 - *size);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail_with(error, CKAM_ERROR_INPUT, "cannot read %.120s: %s", path, strerror(errno));
        if (count == 0) break;
        *size += (size_t)count;
    }
    (*bytes)[*size] = 0;
    return CKAM_OK;
}

static ckam_status check_record(const char *path, const struct stat *about, ckam_error *error) {
    if (!S_ISREG(about->st_mode)) return fail_with(error, CKAM_ERROR_FORMAT, "%.120s is not a regular file", path);
    if (about->st_size <= FILE_RECORD) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_FORMAT, "%.120s has %lld bytes; what describes a run has at most %d", path,
                     (long long)about->st_size, FILE_RECORD);
}

/* A pipe that nobody writes to would hold the opening of a record. */
static ckam_status read_file(const open_directory *in, const char *name, bool record, char **bytes, size_t *size,
                             ckam_error *error) {
    enum { ROOM = 4096 };
    char        path[FILE_SHOWN];
    struct stat about = {0};
    int         file = openat(file_directory(in), name, O_RDONLY | O_CLOEXEC | (record ? O_NONBLOCK : 0));
    *bytes = NULL;
    file_show(in, name, path);
    if (file < 0) return fail_with(error, CKAM_ERROR_INPUT, "cannot read %s: %s", path, strerror(errno));
    bool        known = !fstat(file, &about) && about.st_size > ROOM;
    ckam_status status = record ? check_record(path, &about, error) : CKAM_OK;
    if (!status) status = read_all(file, path, known ? (size_t)about.st_size / 2 + 1 : ROOM, bytes, size, error);
    close(file);
    if (!status) return CKAM_OK;
    free(*bytes);
    *bytes = NULL;
    return status;
}

ckam_status file_read(const open_directory *in, const char *path, char **bytes, size_t *size, ckam_error *error) {
    return read_file(in, path, false, bytes, size, error);
}

ckam_status file_read_record(const open_directory *in, const char *path, char **bytes, size_t *size,
                             ckam_error *error) {
    return read_file(in, path, true, bytes, size, error);
}
