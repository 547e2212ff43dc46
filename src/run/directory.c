/* directory.c - see directory.h. */
#define _DEFAULT_SOURCE /* flock(). NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "run/directory.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* -- The lock ----------------------------------------------------------------------------------------------------- */

/* Where the file system has no locks the run goes on without. The lock is that of the open file: another run of this
 * process is kept out too. The file has the process in it, for the message. */
static ckam_status lock(run_directory *d, ckam_error *error) {
    char            process[sizeof d->mark] = "?", shown[FILE_SHOWN];
    struct timespec now;
    d->lock = openat(d->folder.file, "checkpoint/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (d->lock < 0)
        return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make %s: %s",
                         file_show(&d->folder, "checkpoint/lock", shown), strerror(errno));
    if (!flock(d->lock, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK) {
        clock_gettime(CLOCK_REALTIME, &now);
        int length =
            snprintf(d->mark, sizeof d->mark, "%ld\n%lld.%09ld\n", (long)getpid(), (long long)now.tv_sec, now.tv_nsec);
        if (!ftruncate(d->lock, 0)) (void)!pwrite(d->lock, d->mark, (size_t)length, 0);
        return CKAM_OK;
    }
    ssize_t length = pread(d->lock, process, sizeof process - 1, 0);
    process[length > 0 ? strcspn(process, "\n") : 0] = 0;
    close(d->lock);
    d->lock = -1;
    return fail_with(error, CKAM_ERROR_OUTPUT, "process %s is running in %s; wait for it, or stop it", process,
                     file_show(&d->folder, ".", shown));
}

/* -- Opening and leaving ------------------------------------------------------------------------------------------ */

static bool open_folder(run_directory *d) {
    d->folder.file = open(d->folder.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return d->folder.file >= 0;
}

/* The path as it was given, as long as it leads there: it is shorter, and what the user knows. A path that leads to another
 * directory is worse than none. */
static void find_path(open_directory *folder) {
    char link[32];
    if (file_is_at(folder->file, folder->path)) return;
    snprintf(link, sizeof link, "/proc/self/fd/%d", folder->file);
    ssize_t length = readlink(link, folder->path, sizeof folder->path - 1);
    folder->path[length > 0 ? length : 0] = 0;
    if (!file_is_at(folder->file, folder->path)) folder->path[0] = 0; /* "(deleted)" is behind one that was removed */
}

void directory_leave(run_directory *d) {
    if (d->lock >= 0) close(d->lock);
    d->lock = -1;
    if (d->folder.file < 0) return;
    find_path(&d->folder);
    close(d->folder.file);
    d->folder.file = -1;
}

/* -- A new one ---------------------------------------------------------------------------------------------------- */

static const char *const run_files[] = {"run.json",           "run.json.new",  "chain_[0-9]*.csv",  "draws.nc",
                                        "draws.nc.new",       "summary.csv",   "summary.csv.new",   "report.html",
                                        "model-failures.log", "evidence.json", "evidence.json.new", NULL};
static const char *const no_files[] = {NULL};
static const char *const checkpoint_files[] = {"state", "state.new", "rest_*", "lock", NULL};

static bool matches(const char *name, const char *const *patterns) {
    while (*patterns && fnmatch(*patterns, name, 0) != 0) patterns++;
    return *patterns != NULL;
}

/* Looks at every entry of a directory: removes those that match, or, with `remove` false, only asks whether all do. A
 * directory that is not there has none. */
static bool each_entry(const run_directory *d, const char *path, const char *const *patterns, bool remove) {
    DIR           *folder = file_list(&d->folder, path);
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
    return !faccessat(d->folder.file, "checkpoint/lock", F_OK, 0); /* what a run makes first */
}

static ckam_status make_checkpoint(const run_directory *d, bool may_be_there, ckam_error *error) {
    char shown[FILE_SHOWN];
    if (!mkdirat(d->folder.file, "checkpoint", 0777) || (may_be_there && errno == EEXIST)) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make %s: %s", file_show(&d->folder, "checkpoint", shown),
                     strerror(errno));
}

static ckam_status cannot_open(const run_directory *d, ckam_error *error) {
    return fail_with(error, CKAM_ERROR_OUTPUT, "cannot open the directory %.120s: %s; choose another with --out",
                     d->folder.path, strerror(errno));
}

/* Only what a run has written is removed, and only where there is one, or nothing. */
static ckam_status clear(run_directory *d, ckam_error *error) {
    if (!open_folder(d)) return cannot_open(d, error);
    bool known = each_entry(d, ".", is_run(d) ? run_files : no_files, false);
    if (!known || !each_entry(d, "checkpoint", checkpoint_files, false))
        return fail_with(error, CKAM_ERROR_OUTPUT,
                         "%.120s holds files that are not of a run, so it is not overwritten; choose another --out",
                         d->folder.path);
    ckam_status status = make_checkpoint(d, true, error);
    if (!status) status = lock(d, error);
    if (status) return status;
    /* The checkpoint goes first: a half-removed run cannot be resumed by mistake. */
    static const char *const state[] = {"state", "state.new", "rest_*", NULL};
    each_entry(d, "checkpoint", state, true);
    each_entry(d, ".", run_files, true);
    return CKAM_OK;
}

static ckam_status furnish(run_directory *d, ckam_error *error) {
    if (!open_folder(d)) return cannot_open(d, error);
    ckam_status status = make_checkpoint(d, false, error);
    return status ? status : lock(d, error);
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
            memcpy(d->folder.path, path, sizeof path);
            return furnish(d, error);
        }
        if (errno != EEXIST) break;
    }
    return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make the directory %.100s: %s; choose another with --out", path,
                     strerror(errno));
}

static ckam_status make(run_directory *d, const char *out, const char *model, bool overwrite, ckam_error *error) {
    char *path = d->folder.path;
    if (!strcmp(out, "auto")) return make_numbered(d, model, error);
    if (!*out) return fail_with(error, CKAM_ERROR_OUTPUT, "the name of the directory is empty");
    snprintf(path, sizeof d->folder.path, "%s", out);
    for (size_t length = strlen(path); length > 1 && path[length - 1] == '/';) path[--length] = 0;
    if (!mkdir(path, 0777)) return furnish(d, error);
    if (errno != EEXIST)
        return fail_with(error, CKAM_ERROR_OUTPUT, "cannot make the directory %.120s: %s", path, strerror(errno));
    if (overwrite) return clear(d, error);
    bool opened = open_folder(d);
    return fail_with(error, CKAM_ERROR_OUTPUT, "%.120s is there already; choose another --out%s", path,
                     opened && is_run(d)                             ? ", `ckam resume` it, or --overwrite it"
                     : opened && each_entry(d, ".", no_files, false) ? ", or --overwrite it, as it is empty"
                                                                     : "");
}

ckam_status directory_make(run_directory *d, const char *out, const char *model, bool overwrite, ckam_error *error) {
    d->lock = d->folder.file = -1;
    ckam_status status = make(d, out, model, overwrite, error);
    if (status) directory_leave(d);
    return status;
}

void directory_discard(run_directory *d) {
    if (d->lock < 0) return; /* nothing was made */
    each_entry(d, "checkpoint", checkpoint_files, true);
    each_entry(d, ".", run_files, true);
    bool empty = !unlinkat(d->folder.file, "checkpoint", AT_REMOVEDIR);
    find_path(&d->folder);
    if (empty && file_is_at(d->folder.file, d->folder.path)) (void)rmdir(d->folder.path);
    directory_leave(d);
}

/* -- One that is there -------------------------------------------------------------------------------------------- */

static ckam_status open_run(run_directory *d, const char *path, ckam_error *error) {
    struct stat about;
    d->lock = d->folder.file = -1;
    if (strlen(path) >= sizeof d->folder.path)
        return fail_with(error, CKAM_ERROR_INPUT, "the path %.60s... is too long", path);
    snprintf(d->folder.path, sizeof d->folder.path, "%s", path);
    if (!open_folder(d))
        return fail_with(error, CKAM_ERROR_INPUT, "%.120s is not the directory of a run: %s", path, strerror(errno));
    if (!fstatat(d->folder.file, "checkpoint", &about, 0) && S_ISDIR(about.st_mode)) return CKAM_OK;
    directory_leave(d);
    return fail_with(error, CKAM_ERROR_INPUT, "%.120s has no checkpoint/; it is not the directory of a run", path);
}

ckam_status directory_take(run_directory *d, const char *path, ckam_error *error) {
    ckam_status status = open_run(d, path, error);
    if (!status) status = lock(d, error);
    if (status) directory_leave(d);
    return status;
}

ckam_status directory_join(run_directory *d, const char *path, ckam_error *error) {
    char        mark[sizeof d->mark] = "";
    ckam_status status = open_run(d, path, error);
    if (status) return status;
    int  file = openat(d->folder.file, "checkpoint/lock", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    bool same = file >= 0 && pread(file, mark, sizeof mark - 1, 0) > 0 && !strcmp(mark, d->mark);
    if (file >= 0) close(file);
    if (same) return CKAM_OK;
    directory_leave(d);
    return fail_with(error, CKAM_ERROR_INPUT,
                     "%.100s is not the directory that rank 0 has opened; leave it in its place while the run begins, "
                     "on a file system that all ranks share",
                     path);
}
