/* worker.c - see worker.h. */
#define _GNU_SOURCE /* pipe2(). NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#include "target/worker.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The groups that run; 0: a free place. For a handler of signals, which gets no argument. What has no place ends when it
 * reads the end of its input. */
enum { GROUPS_MOST = 4096 };
static _Atomic pid_t groups[GROUPS_MOST];

static void replace_group(pid_t old, pid_t new) {
    for (size_t i = 0; i < GROUPS_MOST; i++) {
        pid_t expected = old;
        if (atomic_compare_exchange_strong(&groups[i], &expected, new)) return;
    }
}

void worker_kill_all(void) {
    for (size_t i = 0; i < GROUPS_MOST; i++) {
        pid_t group = atomic_load(&groups[i]);
        if (group > 0) kill(-group, SIGKILL);
    }
}

/* -- Beginning ---------------------------------------------------------------------------------------------------- */

static void shut(int *file) {
    if (*file >= 0) close(*file);
    *file = -1;
}

/* A pipe whose ends are none of the three standard files, also where those are closed: what this process prints would else go to
 * the worker. */
static int make_pipe(int ends[2]) {
    if (pipe2(ends, O_CLOEXEC)) return errno;
    int failure = 0;
    for (int i = 0; i < 2; i++) {
        if (ends[i] > STDERR_FILENO || failure) continue;
        int higher = fcntl(ends[i], F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        if (higher < 0) failure = errno;
        close(ends[i]);
        ends[i] = higher;
    }
    if (!failure) return 0;
    shut(&ends[0]);
    shut(&ends[1]);
    return failure;
}

/* Signals are reset to their defaults: what this process blocks or ignores must not be inherited. */
static int set_attributes(posix_spawnattr_t *attributes) {
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    int failure = posix_spawnattr_setpgroup(attributes, 0);
    if (!failure) failure = posix_spawnattr_setsigmask(attributes, &none);
    if (!failure) failure = posix_spawnattr_setsigdefault(attributes, &all);
    short flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    return failure ? failure : posix_spawnattr_setflags(attributes, flags);
}

static int spawn(pid_t *pid, const char *command, char *const *environment, int input, int output) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          attributes;
    char                       shell[] = "sh", flag[] = "-c", *text = strdup(command);
    char *const                arguments[] = {shell, flag, text, NULL};
    if (!text) return ENOMEM;
    int failure = posix_spawn_file_actions_init(&files);
    if (!failure) {
        failure = posix_spawnattr_init(&attributes);
        if (!failure) {
            failure = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
            if (!failure) failure = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
            if (!failure) failure = set_attributes(&attributes);
            if (!failure) failure = posix_spawn(pid, "/bin/sh", &files, &attributes, arguments, environment);
            posix_spawnattr_destroy(&attributes);
        }
        posix_spawn_file_actions_destroy(&files);
    }
    free(text);
    return failure;
}

int worker_start(worker *w, const char *command, char *const *environment) {
    int input[2], output[2];
    *w = (worker){.to = -1, .from = -1, .most = w->most};
    int failure = make_pipe(input);
    if (failure) return failure;
    failure = make_pipe(output);
    if (failure) {
        shut(&input[0]);
        shut(&input[1]);
        return failure;
    }
    w->to = input[1];
    w->from = output[0];
    if (fcntl(w->to, F_SETFL, O_NONBLOCK) || fcntl(w->from, F_SETFL, O_NONBLOCK)) failure = errno;
    if (!failure) failure = spawn(&w->pid, command, environment, input[0], output[1]);
    shut(&input[0]);
    shut(&output[1]);
    if (!failure) {
        replace_group(0, w->pid);
        return 0;
    }
    w->pid = 0;
    shut(&w->to);
    shut(&w->from);
    return failure;
}

/* -- Reading and writing ------------------------------------------------------------------------------------------ */

/* Until one of them is ready. */
static worker_state await(struct pollfd *files, nfds_t count, double deadline) {
    for (;;) {
        double left = ceil(1e3 * (deadline - clock_seconds()));
        int    wait = left == HUGE_VAL ? -1 : (int)fmax(0.0, fmin(left, INT_MAX));
        int    ready = poll(files, count, wait);
        if (ready > 0) return WORKER_GOOD;
        if (ready == 0 && left <= INT_MAX) return WORKER_LATE;
        if (ready < 0 && errno != EINTR) return WORKER_MEMORY;
    }
}

/* Room for one byte more at least, and a 0. */
static worker_state make_room(worker *w) {
    if (w->begin) {
        memmove(w->bytes, w->bytes + w->begin, w->end - w->begin);
        w->end -= w->begin;
        w->begin = 0;
    }
    if (w->end >= w->most) return WORKER_FLOOD;
    if (w->end + 1 < w->room) return WORKER_GOOD;
    size_t room = w->room ? 2 * w->room : 4096;
    char  *bytes = realloc(w->bytes, room);
    if (!bytes) return WORKER_MEMORY;
    w->bytes = bytes;
    w->room = room;
    return WORKER_GOOD;
}

/* Reads once what is available, which may be nothing. */
static worker_state fill(worker *w) {
    worker_state state = make_room(w);
    if (state) return state;
    size_t  room = w->room - 1 < w->most ? w->room - 1 : w->most;
    ssize_t count = read(w->from, w->bytes + w->end, room - w->end);
    if (count > 0) w->end += (size_t)count;
    bool nothing = count < 0 && (errno == EAGAIN || errno == EINTR);
    return count > 0 || nothing ? WORKER_GOOD : WORKER_GONE;
}

static worker_state await_more(worker *w, double deadline) {
    struct pollfd file = {.fd = w->from, .events = POLLIN};
    worker_state  state = await(&file, 1, deadline);
    return state ? state : fill(w);
}

worker_state worker_look(worker *w, double deadline) {
    return await_more(w, deadline) == WORKER_GONE ? WORKER_GONE : WORKER_GOOD;
}

/* A write to a process that has ended raises a signal that would end us, too: for this thread it is held back and taken away. */
static ssize_t write_quietly(int file, const void *bytes, size_t size) {
    sigset_t broken, before;
    sigemptyset(&broken);
    sigaddset(&broken, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &broken, &before);
    ssize_t count = write(file, bytes, size);
    int     problem = errno;
    if (count < 0 && problem == EPIPE) sigtimedwait(&broken, NULL, &(struct timespec){0});
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = problem;
    return count;
}

worker_state worker_send(worker *w, const void *bytes, size_t size, double deadline) {
    const char *place = bytes;
    while (size) {
        ssize_t count = write_quietly(w->to, place, size);
        if (count >= 0) {
            place += count;
            size -= (size_t)count;
            continue;
        }
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return WORKER_GONE;
        struct pollfd files[] = {{.fd = w->to, .events = POLLOUT}, {.fd = w->from, .events = POLLIN}};
        worker_state  state = await(files, 2, deadline);
        if (!state && files[1].revents) state = fill(w);
        if (state) return state;
    }
    return WORKER_GOOD;
}

worker_state worker_line(worker *w, double deadline, char **line, size_t *length) {
    for (size_t seen = 0;;) {
        size_t       there = w->end - w->begin;
        char        *end = there > seen ? memchr(w->bytes + w->begin + seen, '\n', there - seen) : NULL;
        worker_state state = end ? WORKER_GOOD : await_more(w, deadline);
        if (state) return state;
        seen = there;
        if (!end) continue;
        *line = w->bytes + w->begin;
        *length = (size_t)(end - *line);
        *end = 0;
        w->begin += *length + 1;
        return WORKER_GOOD;
    }
}

worker_state worker_take(worker *w, size_t size, double deadline, const char **bytes) {
    while (w->end - w->begin < size) {
        worker_state state = await_more(w, deadline);
        if (state) return state;
    }
    *bytes = w->bytes + w->begin;
    w->begin += size;
    return WORKER_GOOD;
}

/* -- Ending ------------------------------------------------------------------------------------------------------- */

void worker_hang_up(worker *w) {
    if (w->pid > 0) shut(&w->to);
}

void worker_await(worker *w, double deadline) {
    worker_state state;
    do {
        w->begin = w->end = 0;
        state = await_more(w, deadline);
    } while (state == WORKER_GOOD);
}

/* A process that has closed its files because it ends keeps its own status, although the signal may come before it has ended. */
int worker_end(worker *w) {
    int   status = -1;
    pid_t reaped = w->pid;
    if (w->pid > 0) {
        kill(-w->pid, SIGKILL);
        replace_group(w->pid, 0); /* before the number may be another's */
        do reaped = waitpid(w->pid, &status, 0);
        while (reaped < 0 && errno == EINTR);
        shut(&w->to);
        shut(&w->from);
    }
    free(w->bytes);
    *w = (worker){.to = -1, .from = -1, .most = w->most};
    return reaped > 0 ? status : -1;
}

static const char *signal_name(int number) {
    static const struct {
        int         number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGBUS, "SIGBUS"},   {SIGFPE, "SIGFPE"},
                 {SIGILL, "SIGILL"},   {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},
                 {SIGHUP, "SIGHUP"},   {SIGPIPE, "SIGPIPE"}, {SIGXCPU, "SIGXCPU"}, {SIGTRAP, "SIGTRAP"},
                 {SIGQUIT, "SIGQUIT"}, {SIGALRM, "SIGALRM"}, {SIGUSR1, "SIGUSR1"}, {SIGUSR2, "SIGUSR2"},
                 {SIGSYS, "SIGSYS"},   {SIGXFSZ, "SIGXFSZ"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].number == number) return names[i].name;
    return NULL;
}

void worker_ending(int status, char text[WORKER_TEXT]) {
    int         number = WIFSIGNALED(status) ? WTERMSIG(status) : 0, code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
    const char *name = signal_name(number ? number : code - 128); /* the shell's way to pass on a signal */
    if (status == -1)
        snprintf(text, WORKER_TEXT, "an unknown status");
    else if (number && name)
        snprintf(text, WORKER_TEXT, "%s", name);
    else if (number)
        snprintf(text, WORKER_TEXT, "signal %d", number);
    else
        snprintf(text, WORKER_TEXT, "exit status %d%s%s%s", code, name ? " (" : "", name ? name : "", name ? ")" : "");
}
