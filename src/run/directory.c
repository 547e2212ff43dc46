/* directory.c - see directory.h. */
#define _DEFAULT_SOURCE /* flock(). NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "run/directory.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

void directory_file(const run_directory *d, const char *name, char path[FILE_PATH]) {
    snprintf(path, FILE_PATH, "%.*s/%s", FILE_PATH - 64, d->path, name);
}

/* -- The lock ----------------------------------------------------------------------------------------------------- */

/* Where the file system has no locks the run goes on without. The lock is that of the open file: another run of this
 * process is kept out too. The file has the process in it, for the message. */
static ckam_status lock(run_directory *d, ckam_error *error) {
    char path[FILE_PATH], process[24] = "?";
    directory_file(d, "checkpoint/lock", path);
    d->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (d->lock < 0) return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make %.120s: %s", path, strerror(errno));
    if (!flock(d->lock, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) {
        int length = snprintf(process, sizeof process, "%ld\n", (long)getpid());
        if (!ftruncate(d->lock, 0)) (void)!pwrite(d->lock, process, (size_t)length, 0);
        return CKAM_OK;
    }
    ssize_t length = pread(d->lock, process, sizeof process - 1, 0);
    process[length > 0 ? strcspn(process, "\n") : 0] = 0;
    directory_leave(d);
    return fail_with(error, CKAM_ERROR_OUTPUT, "process %s is running in %.120s; wait for it, or stop it", process,
                     d->path);
}

void directory_leave(run_directory *d) {
    if (d->lock >= 0) close(d->lock);
    d->lock = -1;
}

/* -- A new one ---------------------------------------------------------------------------------------------------- */

static const char *const run_files[] = {
    "run.json",    "run.json.new",    "chain_[0-9]*.csv", "draws.nc",           "draws.nc.new",
    "summary.csv", "summary.csv.new", "report.html",      "model-failures.log", NULL};
static const char *const no_files[] = {NULL};
static const char *const checkpoint_files[] = {"state", "state.new", "rest_*", "lock", NULL};

static bool matches(const char *name, const char *const *patterns) {
    while (*patterns && fnmatch(*patterns, name, 0) != 0) patterns++;
    return *patterns != NULL;
}

/* Looks at every entry of a directory: removes those that match, or, with `remove` false, only asks whether all do. A
 * directory that is not there has none. */
static bool each_entry(const char *path, const char *const *patterns, bool remove) {
    DIR           *folder = opendir(path);
    struct dirent *entry;
    bool           all = true;
    while (folder && (entry = readdir(folder))) { /* cppcheck-suppress readdirCalled; nobody else has this one */
        const char *name = entry->d_name;
        if (!strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, "checkpoint")) continue;
        if (!matches(name, patterns))
            all = false;
        else if (remove)
            unlinkat(dirfd(folder), name, 0);
    }
    if (folder) closedir(folder);
    return all;
}

static bool is_run(const run_directory *d) {
    char first[FILE_PATH];
    directory_file(d, "checkpoint/lock", first); /* what a run makes first */
    return !access(first, F_OK);
}

/* Only what a run has written is removed, and only where there is one, or nothing. */
static ckam_status clear(run_directory *d, ckam_error *error) {
    char checkpoint[FILE_PATH];
    directory_file(d, "checkpoint", checkpoint);
    bool known = each_entry(d->path, is_run(d) ? run_files : no_files, false);
    if (!known || !each_entry(checkpoint, checkpoint_files, false))
        return fail_with(error, CKAM_ERROR_OUTPUT,
                         "%.120s holds files that are not of a run, so it is not overwritten; choose another --out",
                         d->path);
    if (mkdir(checkpoint, 0777) && errno != EEXIST)
        return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make %.120s: %s", checkpoint, strerror(errno));
    ckam_status status = lock(d, error);
    if (status) return status;
    /* The checkpoint goes first: a half-removed run cannot be resumed by mistake. */
    static const char *const state[] = {"state", "state.new", "rest_*", NULL};
    each_entry(checkpoint, state, true);
    each_entry(d->path, run_files, true);
    return CKAM_OK;
}

static ckam_status furnish(run_directory *d, ckam_error *error) {
    char checkpoint[FILE_PATH];
    directory_file(d, "checkpoint", checkpoint);
    if (mkdir(checkpoint, 0777))
        return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make %.120s: %s", checkpoint, strerror(errno));
    return lock(d, error);
}

/* The model's name up to its options, and without what a path cannot have. */
static void short_name(const char *model, char *name, size_t size) {
    const char *slash = strrchr(model, '/');
    size_t      used = 0;
    for (const char *c = slash ? slash + 1 : model; *c && *c != ':' && *c != '.' && used + 1 < size; c++)
        name[used++] = *c;
    name[used] = 0;
    if (!used) snprintf(name, size, "model");
}

static ckam_status make_numbered(run_directory *d, const char *model, ckam_error *error) {
    char name[64], path[128];
    short_name(model, name, sizeof name);
    for (int n = 1; n < INT_MAX; n++) {
        snprintf(path, sizeof path, "ckam-run-%s-%d", name, n);
        if (!mkdir(path, 0777)) {
            memcpy(d->path, path, sizeof path);
            return furnish(d, error);
        }
        if (errno != EEXIST) break;
    }
    return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make the directory %.100s: %s; choose another with --out", path,
                     strerror(errno));
}

ckam_status directory_make(run_directory *d, const char *out, const char *model, bool overwrite, ckam_error *error) {
    d->lock = -1;
    if (!strcmp(out, "auto")) return make_numbered(d, model, error);
    if (!*out) return fail_with(error, CKAM_ERROR_OUTPUT, "the name of the directory is empty");
    snprintf(d->path, sizeof d->path, "%s", out);
    for (size_t length = strlen(d->path); length > 1 && d->path[length - 1] == '/';) d->path[--length] = 0;
    if (!mkdir(d->path, 0777)) return furnish(d, error);
    if (errno != EEXIST)
        return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make the directory %.120s: %s", d->path, strerror(errno));
    if (overwrite) return clear(d, error);
    return fail_with(error, CKAM_ERROR_OUTPUT, "%.120s is there already; choose another --out%s", d->path,
                     is_run(d)                              ? ", `ckam resume` it, or --overwrite it"
                     : each_entry(d->path, no_files, false) ? ", or --overwrite it, as it is empty"
                                                            : "");
}

void directory_discard(run_directory *d) {
    char checkpoint[FILE_PATH];
    if (d->lock < 0) return; /* nothing was made */
    directory_file(d, "checkpoint", checkpoint);
    each_entry(checkpoint, checkpoint_files, true);
    each_entry(d->path, run_files, true);
    if (!rmdir(checkpoint)) (void)rmdir(d->path);
    directory_leave(d);
}

ckam_status directory_take(run_directory *d, const char *path, ckam_error *error) {
    struct stat about;
    d->lock = -1;
    if (strlen(path) >= FILE_PATH - 64)
        return fail_with(error, CKAM_ERROR_INPUT, "the path %.60s... is too long", path);
    snprintf(d->path, sizeof d->path, "%s", path);
    char checkpoint[FILE_PATH];
    directory_file(d, "checkpoint", checkpoint);
    if (stat(checkpoint, &about) || !S_ISDIR(about.st_mode))
        return fail_with(error, CKAM_ERROR_INPUT, "%.120s has no checkpoint/; it is not the directory of a run", path);
    return lock(d, error);
}
