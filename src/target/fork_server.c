/* fork_server.c - see fork_server.h.
 *
 * Orders and reports go over a socket that keeps their boundaries. A report of a start carries the parent's end of a
 * new worker's socket; the server keeps neither end. So each end is held by one process, and when that ends, the other
 * one sees the end of the file. */
#define _DEFAULT_SOURCE /* NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): for on_exit() */
#include "target/fork_server.h"

#include "base/clock.h"
#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

typedef struct order {
    enum { ORDER_START, ORDER_END, ORDER_END_NOW } what;
    pid_t  pid;
    size_t number;
} order;

typedef struct report {
    int   failure; /* errno */
    int   status;
    pid_t pid;
} report;

/* -- The server --------------------------------------------------------------------------------------------------- */

typedef struct server {
    int        socket;
    pid_t      parent;
    fork_work *work;
    void      *context;
    pid_t     *workers;
    size_t     count;
} server;

static void settle_signals(void) {
    /* SIGPIPE and the terminal's: a model that prints goes on when nobody reads it any more. */
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGTTIN, SIGTTOU};
    sigset_t         none;
    for (int k = 1; k <= SIGRTMAX; k++) signal(k, SIG_DFL); /* those that cannot be set stay */
    for (size_t k = 0; k < sizeof ignored / sizeof *ignored; k++) signal(ignored[k], SIG_IGN);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Returns the socket with a number above 2, also if the parent was started without stdin, stdout or stderr. */
static int settle_files(int socket) {
    int kept = fcntl(socket, F_DUPFD_CLOEXEC, 3);
    close(socket);
    int nothing = open("/dev/null", O_RDWR); /* it becomes stdin, and stays that in programs that a model starts */
    dup2(nothing, STDIN_FILENO);
    if (fcntl(STDERR_FILENO, F_GETFD) < 0) dup2(nothing, STDERR_FILENO);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    DIR                 *open_files = opendir("/proc/self/fd");
    const struct dirent *entry;
    while (open_files &&
           (entry = readdir(open_files))) { /* cppcheck-suppress readdirCalled; nobody else has this one */
        int file = (int)strtol(entry->d_name, NULL, 10);
        if (file > STDERR_FILENO && file != kept && file != dirfd(open_files)) close(file);
    }
    if (open_files) closedir(open_files);
    return kept;
}

#ifdef __GLIBC__
/* exit() in a model: the handlers that the parent has registered, and the files that it has not flushed, are its own.
 * This one comes before them, because it was registered later. */
static void leave_at_once(int status, void *unused) {
    (void)unused;
    (void)fflush(stdout);
    _exit(status);
}
#endif

static bool report_send(int socket, report r, int file) {
    union {
        struct cmsghdr head;
        char           room[CMSG_SPACE(sizeof(int))];
    } control = {.room = {0}};
    struct iovec  vector = {.iov_base = &r, .iov_len = sizeof r};
    struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        struct cmsghdr *head = CMSG_FIRSTHDR(&message);
        head->cmsg_level = SOL_SOCKET;
        head->cmsg_type = SCM_RIGHTS;
        head->cmsg_len = CMSG_LEN(sizeof file);
        memcpy(CMSG_DATA(head), &file, sizeof file);
    }
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)sizeof r;
}

static _Noreturn void be_worker(const server *s, pid_t parent, const int ends[2], size_t number) {
    close(s->socket);
    close(ends[0]);
    free(s->workers); /* they are the server's */
    setpgid(0, 0);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* it may be in an endless loop, and would not see the end of its socket */
#endif
    if (getppid() == parent) s->work(s->context, ends[1], number);
    _exit(0);
}

static bool start(server *s, size_t number) {
    int    ends[2] = {-1, -1};
    pid_t  self = getpid();
    pid_t *more = realloc(s->workers, (s->count + 1) * sizeof *more);
    if (more) s->workers = more;
    report r = {.pid = -1};
    if (!more || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) || (r.pid = fork()) < 0)
        r.failure = more ? errno : ENOMEM;
    if (r.pid == 0) be_worker(s, self, ends, number);
    if (r.pid > 0) {
        setpgid(r.pid, r.pid); /* the worker does it too: whoever is first */
        s->workers[s->count++] = r.pid;
    }
    bool sent = report_send(s->socket, r, r.pid > 0 ? ends[0] : -1);
    for (int k = 0; k < 2; k++)
        if (ends[k] >= 0) close(ends[k]);
    return sent;
}

/* Whether it has ended; how, is left for end_worker(). */
static bool has_ended(pid_t pid) {
    siginfo_t about = {.si_pid = 0};
    return waitid(P_PID, (id_t)pid, &about, WEXITED | WNOHANG | WNOWAIT) || about.si_pid;
}

/* A worker and what it has started. Until a worker is waited for, its number is no other's. */
static void kill_group(pid_t pid) {
    kill(-pid, SIGKILL);
    kill(pid, SIGKILL); /* where setpgid() was refused */
}

static int end_worker(pid_t pid, bool now) {
    int    status = 0;
    double end = clock_seconds() + (now ? 0.0 : 1.0);
    while (!has_ended(pid) && clock_seconds() < end) nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
    kill_group(pid);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
    return status;
}

static bool end(server *s, const order *o) {
    report r = {.failure = ESRCH, .pid = o->pid};
    for (size_t k = 0; k < s->count && r.failure; k++) {
        if (s->workers[k] != o->pid) continue;
        s->workers[k] = s->workers[--s->count];
        r.failure = 0;
    }
    if (!r.failure) r.status = end_worker(o->pid, o->what == ORDER_END_NOW);
    return report_send(s->socket, r, -1);
}

/* A process that a worker forked may keep the worker's socket open, so that after the worker's end the parent would never see EOF. */
static void kill_orphans(const server *s) {
    for (size_t k = 0; k < s->count; k++)
        if (has_ended(s->workers[k])) kill_group(s->workers[k]);
}

/* False when the parent has ended. A fork of it may hold the socket, so the parent is looked for as well. The signal of
 * a parent's death is not asked for: it comes when the thread ends that called fork(). */
static bool next_order(const server *s, order *o) {
    struct pollfd wait = {.fd = s->socket, .events = POLLIN};
    for (;;) {
        int ready = poll(&wait, 1, 1000);
        kill_orphans(s);
        if (ready > 0) return recv(s->socket, o, sizeof *o, 0) == (ssize_t)sizeof *o;
        if (getppid() != s->parent) return false;
    }
}

static _Noreturn void serve(server s) {
    order o;
    settle_signals();
    setrlimit(RLIMIT_CORE, &(struct rlimit){0});
    s.socket = settle_files(s.socket);
#ifdef __GLIBC__
    on_exit(leave_at_once, NULL);
#endif
    bool on = report_send(s.socket, (report){0}, -1);
    while (on && next_order(&s, &o)) on = o.what == ORDER_START ? start(&s, o.number) : end(&s, &o);
    while (s.count) end_worker(s.workers[--s.count], true);
    free(s.workers);
    _exit(0);
}

/* -- The parent --------------------------------------------------------------------------------------------------- */

/* False if the server has died. *file := what came with the report, or -1. */
static bool report_receive(int socket, report *r, int *file) {
    union {
        struct cmsghdr head;
        char           room[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec  vector = {.iov_base = r, .iov_len = sizeof *r};
    struct msghdr message = {
        .msg_iov = &vector, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
    ssize_t count = 0;
    do count = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (count < 0 && errno == EINTR);
    *file = -1;
    struct cmsghdr *head = count > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_type == SCM_RIGHTS) memcpy(file, CMSG_DATA(head), sizeof *file);
    return count == (ssize_t)sizeof *r;
}

static int ask(fork_server *s, order o, report *r, int *file) {
    ssize_t count = 0;
    pthread_mutex_lock(&s->lock);
    do count = send(s->socket, &o, sizeof o, MSG_NOSIGNAL);
    while (count < 0 && errno == EINTR);
    bool answered = count == (ssize_t)sizeof o && report_receive(s->socket, r, file);
    pthread_mutex_unlock(&s->lock);
    return answered ? r->failure : EPIPE;
}

int fork_server_start(fork_server *s, size_t number, fork_worker *w) {
    report r;
    *w = (fork_worker){.socket = -1, .pid = -1};
    int failure = ask(s, (order){.what = ORDER_START, .number = number}, &r, &w->socket);
    if (failure) return failure;
    w->pid = r.pid;
    if (w->socket >= 0) return 0;
    fork_server_end(s, w, true, &r.status);
    return EMFILE; /* no room for the descriptor in this process */
}

int fork_server_end(fork_server *s, fork_worker *w, bool now, int *status) {
    report r;
    int    none;
    if (w->socket >= 0) close(w->socket);
    int failure = ask(s, (order){.what = now ? ORDER_END_NOW : ORDER_END, .pid = w->pid}, &r, &none);
    *w = (fork_worker){.socket = -1, .pid = -1};
    if (!failure) *status = r.status;
    return failure;
}

ckam_status fork_server_open(fork_server *s, fork_work *work, void *context, ckam_error *error) {
    int    ends[2], none;
    pid_t  parent = getpid();
    report r;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends))
        return fail_with(error, CKAM_ERROR_TARGET, "cannot make a socket for the model's processes: %s",
                         strerror(errno));
    (void)fflush(stdout); /* what is in its buffer would be written by the workers too, when a model prints */
    s->pid = fork();
    if (s->pid < 0) {
        int problem = errno;
        close(ends[0]), close(ends[1]);
        return fail_with(error, CKAM_ERROR_TARGET, "cannot start a process for the model: %s", strerror(problem));
    }
    if (s->pid == 0) {
        close(ends[0]);
        serve((server){.socket = ends[1], .parent = parent, .work = work, .context = context});
    }
    close(ends[1]);
    s->socket = ends[0];
    pthread_mutex_init(&s->lock, NULL);
    if (report_receive(s->socket, &r, &none)) return CKAM_OK;
    fork_server_close(s);
    return fail_with(error, CKAM_ERROR_TARGET, "the process that was started for the model died at once");
}

void fork_server_close(fork_server *s) {
    close(s->socket);
    while (waitpid(s->pid, NULL, 0) < 0 && errno == EINTR) continue;
    pthread_mutex_destroy(&s->lock);
}
