/* fault.c - a library that is loaded before others and lets one call of a function fail: the N-th of its kind.
 *
 *     CKAM_FAULT=memory:17 LD_PRELOAD=libfault.so ckam ...
 *
 * Kinds are in the table below. With CKAM_FAULT_COUNTS=FILE, how many calls of each kind there were, and how many blocks of memory
 * were in use in the end, is written to FILE. N = 0 lets nothing fail. Memory that ckam, jansson or libc ask for is counted; not that of
 * large libraries which are loaded later, whose own failures are not ours to mend (pixman crashes), nor libc's from then on. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { MEMORY, WRITE, SYNC, RENAME, FORK, LOAD, THREAD, KINDS };
static const char *const names[KINDS] = {"memory", "write", "sync", "rename", "fork", "load", "thread"};

static atomic_long count[KINDS], live;
static atomic_bool loaded; /* another library, since the program began */
static atomic_bool watched, over;
static int         kind = -1;
static long        wanted;
static const char *counts_path;
static pid_t       process; /* not one that was forked from it */

/* Where the code is whose memory is counted. */
typedef struct range {
    uintptr_t from, to;
    int       of_libc;
} range;
static range ranges[8];
static int   known;

static int note_range(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    int libc = strstr(object->dlpi_name, "/libc.so") != NULL;
    if (*object->dlpi_name && !libc && !strstr(object->dlpi_name, "/libjansson.so")) return 0;
    for (int i = 0; i < object->dlpi_phnum && known < 8; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        uintptr_t from = object->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && part->p_flags & PF_X)
            ranges[known++] = (range){from, from + part->p_memsz, libc};
    }
    return 0;
}

static int is_counted(const void *caller) {
    for (int i = 0; i < known; i++)
        if (ranges[i].from <= (uintptr_t)caller && (uintptr_t)caller < ranges[i].to)
            return !ranges[i].of_libc || !loaded;
    return 0;
}

static void main_ended(void) { over = 1; }

/* Whether this call is to fail. None does after main(): there gcc writes its counts of lines, and expects memory. */
static int fails(int which) {
    if (process && !atomic_exchange(&watched, 1)) atexit(main_ended);
    if (over) return 0;
    return atomic_fetch_add(&count[which], 1) + 1 == wanted && which == kind;
}

#define FAILS_MEMORY (is_counted(__builtin_return_address(0)) && fails(MEMORY))

__attribute__((constructor)) static void begin(void) {
    const char *text = getenv("CKAM_FAULT");
    for (int i = 0; text && i < KINDS; i++) {
        size_t length = strlen(names[i]);
        if (strncmp(text, names[i], length) || text[length] != ':') continue;
        wanted = strtol(text + length + 1, NULL, 10);
        kind = i;
    }
    process = getpid();
    counts_path = getenv("CKAM_FAULT_COUNTS");
    unsetenv("LD_PRELOAD"); /* what the program starts is left alone */
    dl_iterate_phdr(note_range, NULL);
    for (int i = 0; i < KINDS; i++) count[i] = 0; /* what the loader did is no affair of ours */
}

__attribute__((destructor)) static void end(void) {
    char text[512];
    int  used = snprintf(text, sizeof text, "live %ld\n", (long)live);
    for (int i = 0; i < KINDS; i++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %ld\n", names[i], (long)count[i]);
    int file = counts_path && getpid() == process ? open(counts_path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file < 0) return;
    kind = -1;
    if (write(file, text, (size_t)used) != used) _exit(99);
    close(file);
}

/* -- Memory: glibc's own functions are below -------------------------------------------------------------------------- */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t number, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void  __libc_free(void *block);

static void *given(void *block) {
    if (block) atomic_fetch_add(&live, 1);
    return block;
}

static void *none(void) {
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size) { return FAILS_MEMORY ? none() : given(__libc_malloc(size)); }
void *calloc(size_t number, size_t size) { return FAILS_MEMORY ? none() : given(__libc_calloc(number, size)); }

void *realloc(void *block, size_t size) {
    if (FAILS_MEMORY) return none();
    void *other = __libc_realloc(block, size);
    if (!block && other) atomic_fetch_add(&live, 1);
    if (block && !size) atomic_fetch_sub(&live, 1);
    return other;
}

void *aligned_alloc(size_t alignment, size_t size) {
    return FAILS_MEMORY ? none() : given(__libc_memalign(alignment, size));
}

int posix_memalign(void **block, size_t alignment, size_t size) {
    if (FAILS_MEMORY) return ENOMEM;
    *block = given(__libc_memalign(alignment, size));
    return *block ? 0 : ENOMEM;
}

void free(void *block) {
    if (block) atomic_fetch_sub(&live, 1);
    __libc_free(block);
}

/* -- The others ------------------------------------------------------------------------------------------------------- */

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define REFUSE(number)                                                                                                 \
    do {                                                                                                               \
        errno = (number);                                                                                              \
        return -1;                                                                                                     \
    } while (0)

ssize_t write(int file, const void *bytes, size_t size) {
    if (file > STDERR_FILENO && fails(WRITE)) REFUSE(ENOSPC);
    return REAL(write)(file, bytes, size);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset) {
    if (fails(WRITE)) REFUSE(ENOSPC);
    return REAL(pwrite)(file, bytes, size, offset);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t offset) {
    if (fails(WRITE)) REFUSE(ENOSPC);
    return REAL(pwrite64)(file, bytes, size, offset);
}

int fsync(int file) {
    if (fails(SYNC)) REFUSE(EIO);
    return REAL(fsync)(file);
}

int fdatasync(int file) {
    if (fails(SYNC)) REFUSE(EIO);
    return REAL(fdatasync)(file);
}

int rename(const char *from, const char *to) {
    if (fails(RENAME)) REFUSE(EACCES);
    return REAL(rename)(from, to);
}

int renameat(int here, const char *from, int there, const char *to) {
    if (fails(RENAME)) REFUSE(EACCES);
    return REAL(renameat)(here, from, there, to);
}

pid_t fork(void) {
    if (fails(FORK)) REFUSE(EAGAIN);
    return REAL(fork)();
}

int posix_spawn(pid_t *child, const char *path, const posix_spawn_file_actions_t *files,
                const posix_spawnattr_t *manner, char *const words[], char *const variables[]) {
    if (fails(FORK)) return EAGAIN;
    return REAL(posix_spawn)(child, path, files, manner, words, variables);
}

void *dlopen(const char *path, int flags) {
    if (fails(LOAD)) return NULL;
    loaded = 1;
    return REAL(dlopen)(path, flags);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument) {
    if (fails(THREAD)) return EAGAIN;
    return REAL(pthread_create)(thread, attributes, work, argument);
}
