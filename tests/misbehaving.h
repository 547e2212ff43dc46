/* misbehaving.h - an engine that does what the first number of a point says: for the tests of isolation. */
#ifndef CKAM_TESTS_MISBEHAVING_H
#define CKAM_TESTS_MISBEHAVING_H

#include "base/error.h"
#include "target/engine.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

typedef enum deed {
    DEED_SUM, /* the sum of the sines of all numbers: what else a model would do */
    DEED_NAN, /* one with a payload */
    DEED_INFINITE,
    DEED_REJECT,
    DEED_FAULT,
    DEED_STOP,
    DEED_SEGFAULT,
    DEED_OVERFLOW, /* of the stack */
    DEED_ABORT,
    DEED_EXIT, /* with 3 */
    DEED_EXIT_AT_ONCE,
    DEED_LOOP,
    DEED_PRINT,
    DEED_GARBAGE, /* into every descriptor above 2 */
    DEED_CLOSE,   /* every descriptor above 2, and goes on */
    DEED_FORK,    /* a process that only waits: its number. It holds what the worker holds */
    DEED_FORK_AND_DIE,
    DEED_SIGNALS, /* those that come from terminals, to itself */
    DEED_CORE,    /* the largest core that would be written */
    DEED_FILES,   /* how many are open */
    DEED_READ,    /* bytes that stdin has */
    DEED_CHAIN,   /* the number that attach() got */
    DEED_SELF     /* the process */
} deed;

typedef struct misbehaving {
    engine base;
    int   *closed; /* counts close() */
} misbehaving;

/* attach() for these chains: a failure, if there is a file "refused"; a crash. */
enum { CHAIN_REFUSED = 101, CHAIN_CRASHED };

static volatile size_t misbehaving_bottom = SIZE_MAX;

static inline size_t misbehaving_deep(size_t depth) {
    volatile char frame[1000];
    frame[depth % sizeof frame] = 1;
    return depth == misbehaving_bottom ? 0 : misbehaving_deep(depth + 1) + (size_t)frame[depth % sizeof frame];
}

/* On a page that cannot be written: sanitizers would find a null pointer before the processor does. */
static inline void misbehaving_segfault(void) {
    volatile char *page = aligned_alloc(65536, 65536);
    if (!page || mprotect((void *)(uintptr_t)page, 65536, PROT_NONE)) return;
    page[0] = 1;
}

static inline double misbehaving_files(void) {
    DIR *files = opendir("/proc/self/fd");
    int  count = 0;
    while (files && readdir(files)) count++;
    if (files) closedir(files);
    return count - 3; /* without ".", ".." and the directory itself */
}

static inline double misbehaving_fork(void) {
    pid_t pid = fork();
    while (!pid) pause();
    return (double)pid;
}

/* Those that end the process, or should. */
static inline void misbehaving_die(deed what) {
    if (what == DEED_SEGFAULT) misbehaving_segfault();
    if (what == DEED_OVERFLOW) misbehaving_deep(0);
    if (what == DEED_ABORT) abort();
    if (what == DEED_EXIT) exit(3);
    if (what == DEED_EXIT_AT_ONCE) _exit(0);
    while (what == DEED_LOOP) continue;
    for (int file = 3; file < 100 && what == DEED_GARBAGE; file++) {
        char garbage[5000] = {0}; /* would be a value of 0 */
        if (write(file, garbage, sizeof garbage) < 0) continue;
    }
    for (int file = 3; file < 100 && what == DEED_CLOSE; file++) close(file);
    while (what == DEED_CLOSE) pause();
    if (what == DEED_FORK_AND_DIE && misbehaving_fork() > 0) misbehaving_segfault();
}

static inline double misbehaving_look(deed what, const double *x, size_t dim, const void *handle) {
    struct rlimit core;
    double        sum = 0.0;
    char          byte;
    switch (what) {
    case DEED_FORK:
        return misbehaving_fork();
    case DEED_FILES:
        return misbehaving_files();
    case DEED_READ:
        return (double)read(STDIN_FILENO, &byte, 1);
    case DEED_CHAIN:
        return (double)*(const size_t *)handle;
    case DEED_SELF:
        return (double)getpid();
    case DEED_CORE:
        return getrlimit(RLIMIT_CORE, &core) ? -1.0 : (double)core.rlim_cur;
    case DEED_SIGNALS:
        return raise(SIGINT) + raise(SIGTERM) + raise(SIGHUP) + raise(SIGPIPE);
    case DEED_INFINITE:
        return HUGE_VAL;
    case DEED_NAN:
        memcpy(&sum, &(uint64_t){0x7ff8000012345678}, sizeof sum);
        return sum;
    default:
        for (size_t k = 0; k < dim; k++) sum += sin(x[k]);
        return sum;
    }
}

static inline engine_answer misbehaving_evaluate(engine *e, void *handle, const double *x, double *value, char *why) {
    deed what = (deed)x[0];
    misbehaving_die(what);
    if (what == DEED_PRINT) printf("the model prints\n");
    if (what == DEED_REJECT) snprintf(why, ENGINE_WHY, "a reject");
    if (what == DEED_FAULT) snprintf(why, ENGINE_WHY, "a fault");
    if (what == DEED_STOP) memset(why, 's', ENGINE_WHY - 1), why[ENGINE_WHY - 1] = '\0'; /* as long as may be */
    if (what >= DEED_REJECT && what <= DEED_STOP) return (engine_answer)(what - DEED_REJECT + ENGINE_REJECT);
    *value = misbehaving_look(what, x, e->dim, handle);
    return ENGINE_VALUE;
}

static inline engine_answer misbehaving_derive(engine *e, void *handle, const double *x, double *out, char *why) {
    misbehaving_die((deed)x[0]);
    bool reject = (deed)x[0] == DEED_REJECT; /* of which there is a first number */
    if (reject) snprintf(why, ENGINE_WHY, "no draw");
    for (size_t k = 0; k < (reject ? 1 : e->derived); k++)
        out[k] = cos(x[k % e->dim]) + (double)k + (handle ? 0.0 : 1.0);
    return reject ? ENGINE_REJECT : ENGINE_VALUE;
}

static inline engine_answer misbehaving_unconstrain(engine *e, const double *columns, double *u, char *why) {
    for (size_t k = 0; k < e->dim; k++) u[k] = log(columns[k]);
    if (u[0] >= 0.0) return ENGINE_VALUE;
    snprintf(why, ENGINE_WHY, "below 1");
    return ENGINE_REJECT;
}

static inline ckam_status misbehaving_attach(engine *e, size_t chain, void **handle, ckam_error *error) {
    (void)e;
    if (chain == CHAIN_REFUSED && !access("refused", F_OK))
        return fail_with(error, CKAM_ERROR_OPTION, "no handle for chain %zu", chain);
    if (chain == CHAIN_CRASHED) misbehaving_segfault();
    *handle = malloc(sizeof chain);
    if (*handle) memcpy(*handle, &chain, sizeof chain);
    return *handle ? CKAM_OK : fail_with(error, CKAM_ERROR_MEMORY, "no memory for a handle");
}

static inline void misbehaving_detach(engine *e, void *handle) {
    (void)e;
    free(handle);
}

static inline void misbehaving_close(engine *e) {
    ++*((misbehaving *)e)->closed;
    free(e);
}

static const engine_type misbehaving_type = {.attach = misbehaving_attach,
                                             .detach = misbehaving_detach,
                                             .evaluate = misbehaving_evaluate,
                                             .derive = misbehaving_derive,
                                             .unconstrain = misbehaving_unconstrain,
                                             .close = misbehaving_close};

/* Not isolated yet. NULL without memory. */
static inline engine *misbehaving_open(size_t dim, size_t derived, int *closed) {
    misbehaving *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->base = (engine){.type = &misbehaving_type, .dim = dim, .derived = derived, .random = true};
    m->closed = closed;
    return &m->base;
}

#endif
