/* cache.c - see cache.h. */
#define _DEFAULT_SOURCE /* realpath(). NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "target/cache.h"

#include "base/checksum.h"
#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char work_name[] = "work.XXXXXX";
enum { DAY = 24 * 60 * 60, KEEP_OBJECT = 90 * DAY, KEEP_WORK = DAY };

static const char no_memory[] = "there is no memory to keep a compiled model";

/* Two hashes of different make: FNV-1a by words and, with the length, by bytes. */
void cache_print(const void *bytes, size_t size, char print[PRINT_LENGTH + 1]) {
    const unsigned char *byte = bytes;
    uint64_t             hash = 0x6c62272e07bb0142u ^ size;
    for (size_t i = 0; i < size; i++) hash = (hash ^ byte[i]) * 0x100000001b3u;
    snprintf(print, PRINT_LENGTH + 1, "%016" PRIx64 "%016" PRIx64, checksum(bytes, size), hash);
}

/* -- The directory --------------------------------------------------------------------------------------------------- */

/* The parts are short enough for the room: cache_open() sees to that. */
static void place(char path[FILE_PATH], const char *folder, const char *name, const char *ending) {
    int length = snprintf(path, FILE_PATH, "%s/%s%s", folder, name, ending);
    if (length < 0 || length >= FILE_PATH) path[0] = 0;
}

static ckam_status choose(char folder[FILE_PATH], ckam_error *error) {
    const char *own = getenv("CKAM_CACHE"), *caches = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME"), *temporary = getenv("TMPDIR");
    int         length;
    if (own && *own)
        length = snprintf(folder, FILE_PATH, "%s", own);
    else if (caches && *caches == '/')
        length = snprintf(folder, FILE_PATH, "%s/ckam", caches);
    else if (home && *home == '/')
        length = snprintf(folder, FILE_PATH, "%s/.cache/ckam", home);
    else
        length = snprintf(folder, FILE_PATH, "%s/ckam-%ju", temporary && *temporary ? temporary : "/tmp",
                          (uintmax_t)geteuid());
    if (length > 0 && length < PATH_MAX) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_OUTPUT,
                     "the path %.60s... for compiled models is too long; name another with CKAM_CACHE", folder);
}

/* With those above it. The errno is that of the last one, or 0. */
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(path, S_IRWXU);
        *slash = '/';
    }
    if (!mkdir(path, S_IRWXU)) errno = 0;
}

static bool others_write(const struct stat *about) { return about->st_mode & (S_IWGRP | S_IWOTH); }

static bool is_own(const struct stat *about) { return about->st_uid == geteuid() && !others_write(about); }

/* Somebody who can put an object there runs his code in this process. */
static ckam_status check(const char *folder, ckam_error *error) {
    struct stat link, about;
    int         problem = errno;
    if (lstat(folder, &link) || stat(folder, &about))
        return fail_with(error, CKAM_ERROR_OUTPUT,
                         "cannot make the directory %.110s for compiled models: %s; name another with CKAM_CACHE",
                         folder, strerror(problem));
    if (!S_ISDIR(about.st_mode))
        return fail_with(error, CKAM_ERROR_OUTPUT,
                         "%.110s, the place for compiled models, is not a directory; name another with CKAM_CACHE",
                         folder);
    if (link.st_uid != geteuid() || about.st_uid != geteuid())
        return fail_with(
            error, CKAM_ERROR_OUTPUT,
            "the directory %.110s for compiled models belongs to another user, who could have his code run; "
            "name one of yours with CKAM_CACHE",
            folder);
    if (others_write(&about))
        return fail_with(
            error, CKAM_ERROR_OUTPUT,
            "others can write to %.110s, from where compiled models are run: empty it and chmod 700 it, or "
            "name another with CKAM_CACHE",
            folder);
    return CKAM_OK;
}

ckam_status cache_open(cache *c, ckam_error *error) {
    c->work[0] = 0;
    ckam_status status = choose(c->folder, error);
    if (status) return status;
    make_folders(c->folder);
    status = check(c->folder, error);
    if (status) return status;
    char *real = realpath(c->folder, NULL);
    if (!real)
        return fail_with(error, CKAM_ERROR_OUTPUT, "cannot find the directory %.120s: %s", c->folder, strerror(errno));
    snprintf(c->folder, sizeof c->folder, "%s", real); /* shorter than PATH_MAX */
    free(real);
    return CKAM_OK;
}

ckam_status cache_begin(cache *c, ckam_error *error) {
    place(c->work, c->folder, work_name, "");
    if (mkdtemp(c->work)) return CKAM_OK;
    c->work[0] = 0;
    return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make a folder in %.110s: %s; name another with CKAM_CACHE",
                     c->folder, strerror(errno));
}

static void remove_folder(const char *path) {
    DIR                 *folder = opendir(path);
    const struct dirent *entry;
    while (folder && (entry = readdir(folder))) /* cppcheck-suppress readdirCalled; nobody else has this one */
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder) closedir(folder);
    rmdir(path);
}

void cache_close(cache *c) {
    if (c->work[0]) remove_folder(c->work);
    c->work[0] = 0;
}

/* Whatever the umask is, others get no right to write. */
static ckam_status settle(const char *aside, const char *path, ckam_error *error) {
    if (!chmod(aside, S_IRUSR | S_IWUSR) && !rename(aside, path)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_WRITE, "cannot write %.120s: %s", path, strerror(errno));
}

ckam_status cache_write(const cache *c, const char *name, const void *bytes, size_t size, ckam_error *error) {
    char path[FILE_PATH];
    place(path, c->work, name, "");
    int  file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
    bool good = file >= 0 && file_write(file, bytes, size, 0);
    int  problem = errno;
    if (file >= 0 && close(file) && good) good = false, problem = errno;
    return good ? CKAM_OK : fail_with(error, CKAM_ERROR_WRITE, "cannot write %.120s: %s", path, strerror(problem));
}

ckam_status cache_put(const cache *c, const char *name, const void *bytes, size_t size, ckam_error *error) {
    static const char aside[] = "put";
    char              from[FILE_PATH], to[FILE_PATH];
    place(from, c->work, aside, "");
    place(to, c->folder, name, "");
    ckam_status status = cache_write(c, aside, bytes, size, error);
    return status ? status : settle(from, to, error);
}

/* -- What an object was made of -------------------------------------------------------------------------------------- */

/* False for what is no file: to read a pipe could take for ever. */
static bool print_file(const char *path, char print[PRINT_LENGTH + 1], struct stat *about) {
    char  *bytes;
    size_t size;
    if (stat(path, about) || !S_ISREG(about->st_mode) || file_read(NULL, path, &bytes, &size, NULL)) return false;
    cache_print(bytes, size, print);
    free(bytes);
    return true;
}

static bool is_same(const char *path, const char *print, struct stat *about) {
    char now[PRINT_LENGTH + 1];
    return print_file(path, now, about) && !strncmp(now, print, PRINT_LENGTH);
}

/* object := the one that a list names, if it is there and all that the list names is as it was. The list is cut up. */
static bool is_fresh(const cache *c, char *list, char object[FILE_PATH]) {
    struct stat about;
    char       *next = NULL, *line = strtok_r(list, "\n", &next);
    if (!line || strlen(line) != PRINT_LENGTH) return false;
    place(object, c->folder, line, ".so");
    if (!is_same(object, line, &about) || !is_own(&about)) return false;
    while ((line = strtok_r(NULL, "\n", &next)))
        if (strlen(line) <= PRINT_LENGTH || !is_same(line + PRINT_LENGTH + 1, line, &about)) return false;
    return true;
}

static ckam_status give(const char *object, char **path, ckam_error *error) {
    *path = strdup(object);
    return *path ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, no_memory);
}

ckam_status cache_find(const cache *c, const char *key, char **path, ckam_error *error) {
    char        list[FILE_PATH], object[FILE_PATH], *text;
    size_t      size;
    struct stat about;
    *path = NULL;
    place(list, c->folder, key, ".list");
    if (stat(list, &about) || !is_own(&about) || file_read(NULL, list, &text, &size, NULL)) return CKAM_OK;
    bool fresh = is_fresh(c, text, object);
    free(text);
    if (!fresh) return CKAM_OK;
    utimensat(AT_FDCWD, list, NULL, 0); /* both are in use */
    utimensat(AT_FDCWD, object, NULL, 0);
    return give(object, path, error);
}

/* The next file of a rule as compilers write it for make, "target: file file \<end of line> file"; NULL behind the last. A blank in a
 * name is "\ ", # is "\#", $ is "$$". The rule is cut up. */
static char *next_file(char **rest) {
    char *from = *rest;
    for (; *from == ' ' || (from[0] == '\\' && from[1] == '\n'); from++) from += *from == '\\';
    if (!*from || *from == '\n') return NULL;
    char *name = from, *to = from;
    for (; *from && *from != ' ' && *from != '\n'; *to++ = *from++) {
        bool escaped = (from[0] == '\\' && (from[1] == ' ' || from[1] == '#')) || (from[0] == '$' && from[1] == '$');
        from += escaped;
    }
    *rest = from + (*from == ' ');
    *to = 0;
    return name;
}

/* Was it changed last before that moment? */
static bool is_before(const struct stat *about, struct timespec since) {
    const struct timespec *changed = &about->st_ctim;
    return changed->tv_sec < since.tv_sec || (changed->tv_sec == since.tv_sec && changed->tv_nsec < since.tv_nsec);
}

static bool is_inside(const char *path, const char *folder) {
    size_t length = strlen(folder);
    return !strncmp(path, folder, length) && path[length] == '/';
}

/* The lines for the files of a rule. One that may have changed since gets no print, so that the next time it is compiled again. For
 * files in the directory itself, which come from the library, the key stands. */
static void write_files(FILE *out, const cache *c, char *rule, struct timespec since) {
    static const char unknown[PRINT_LENGTH + 1] = "--------------------------------";
    char              here[FILE_PATH], path[FILE_PATH], print[PRINT_LENGTH + 1];
    struct stat       about;
    if (!getcwd(here, sizeof here)) here[0] = 0;
    for (char *name; (name = next_file(&rule));) {
        if (is_inside(name, c->folder)) continue;
        if (*name == '/')
            place(path, "", name + 1, "");
        else
            place(path, here, name, "");
        bool steady = print_file(path, print, &about) && is_before(&about, since);
        fprintf(out, "%s %s\n", steady ? print : unknown, path);
    }
}

static ckam_status write_list(const cache *c, const char *key, const char *object, struct timespec since,
                              ckam_error *error) {
    char   path[FILE_PATH], name[PRINT_LENGTH + sizeof ".list"], *rule, *list = NULL;
    size_t size;
    place(path, c->work, CACHE_RULE, "");
    ckam_status status = file_read(NULL, path, &rule, &size, error);
    if (status) return status;
    FILE *out = open_memstream(&list, &size);
    char *files = strchr(rule, ':');
    if (out) fprintf(out, "%s\n", object);
    if (out && files) write_files(out, c, files + 1, since);
    bool good = out && !ferror(out);
    good = out && !fclose(out) && good;
    snprintf(name, sizeof name, "%s.list", key);
    status = good ? cache_put(c, name, list, size, error) : fail_with(error, CKAM_ERROR_MEMORY, no_memory);
    free(list);
    free(rule);
    return status;
}

/* -- Old ones -------------------------------------------------------------------------------------------------------- */

static bool is_entry(const char *name) {
    return strspn(name, "0123456789abcdef") == PRINT_LENGTH &&
           (!strcmp(name + PRINT_LENGTH, ".so") || !strcmp(name + PRINT_LENGTH, ".list"));
}

static bool is_work(const char *name) {
    return strlen(name) == strlen(work_name) && !strncmp(name, work_name, strcspn(work_name, "X"));
}

/* Removes what was not used for long, and what processes that were killed have left. */
static void clean(const char *folder) {
    DIR                 *opened = opendir(folder);
    const struct dirent *entry;
    while (opened && (entry = readdir(opened))) { /* cppcheck-suppress readdirCalled; nobody else has this one */
        struct stat about;
        char        path[FILE_PATH];
        if (fstatat(dirfd(opened), entry->d_name, &about, AT_SYMLINK_NOFOLLOW)) continue;
        double age = difftime(time(NULL), about.st_mtime);
        place(path, folder, entry->d_name, "");
        if (S_ISREG(about.st_mode) && is_entry(entry->d_name) && age > KEEP_OBJECT) unlink(path);
        if (S_ISDIR(about.st_mode) && is_work(entry->d_name) && age > KEEP_WORK) remove_folder(path);
    }
    if (opened) closedir(opened);
}

ckam_status cache_keep(const cache *c, const char *key, struct timespec since, char **path, ckam_error *error) {
    char        made[FILE_PATH], object[FILE_PATH], print[PRINT_LENGTH + 1];
    struct stat about;
    place(made, c->work, CACHE_OBJECT, "");
    if (!print_file(made, print, &about))
        return fail_with(error, CKAM_ERROR_INPUT, "the compiler has made no object: it failed, or CC is no compiler");
    place(object, c->folder, print, ".so");
    ckam_status status = settle(made, object, error);
    if (!status) status = write_list(c, key, print, since, error);
    if (!status) clean(c->folder);
    return status ? status : give(object, path, error);
}
