/* signals.c - Ctrl-C and its like during long work: the first stops it, the second ends the process.
 *
 * The only static state of the command, because a handler gets no argument. */
#include "cli.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int handled[] = {SIGINT, SIGTERM, SIGHUP};
enum { HANDLED = sizeof handled / sizeof *handled, TOGETHER = 100 }; /* milliseconds */
static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
enum { CRASHES = sizeof crashes / sizeof *crashes };
static struct sigaction      before[HANDLED], before_crash[CRASHES];
static char                  crashed[QUOTED + DESCRIBE];
static interruption          work;
static volatile sig_atomic_t caught;
static atomic_uint           first; /* when the first one came; 0 before that */

/* Milliseconds, modulo 2^32, and never 0. */
static unsigned milliseconds(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((unsigned)now.tv_sec * 1000U + (unsigned)(now.tv_nsec / 1000000)) | 1U;
}

/* What comes together is one: `timeout` signals its child, and then the group to which the child belongs. The second
 * may reach another thread while the first is here. */
static void handle(int number) {
    unsigned now = milliseconds(), then = 0;
    if (atomic_compare_exchange_strong(&first, &then, now)) {
        caught = number;
        work.stop(work.object);
        return;
    }
    if ((int)(now - then) < TOGETHER) return; /* below 0 where a thread was slow to come here */
    if (work.freeze) work.freeze(work.object);
    ckam_programs_kill();
    if (write(STDERR_FILENO, work.farewell, strlen(work.farewell)) < 0) _exit(128 + SIGTERM);
    _exit(signals_status(number));
}

/* Outside of long work a signal ends the process as ever, but not without its programs: they are in groups of their own, which the
 * terminal does not reach. */
static void leave_at_once(int number) {
    ckam_programs_kill();
    signal(number, SIG_DFL);
    raise(number); /* it is held back until this returns */
}

static void take_signals(void (*handler)(int), struct sigaction *old) {
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < HANDLED; i++) sigaddset(&action.sa_mask, handled[i]);
    for (int i = 0; i < HANDLED; i++) {
        sigaction(handled[i], NULL, old + i);
        if (old[i].sa_handler != SIG_IGN) sigaction(handled[i], &action, NULL); /* nohup keeps what it asked for */
    }
}

void signals_expect(void) {
    struct sigaction ignored[HANDLED];
    take_signals(leave_at_once, ignored);
}

/* Raised again when this returns, it ends the process. Threads that crash at the same time wait for that. */
static void crash(int number) {
    static atomic_flag spoken = ATOMIC_FLAG_INIT;
    while (atomic_flag_test_and_set(&spoken)) pause();
    ckam_programs_kill();
    if (write(STDERR_FILENO, crashed, strlen(crashed)) < 0) _exit(128 + SIGABRT);
    signal(number, SIG_DFL);
    raise(number);
}

void signals_crash(const char *text) {
    struct sigaction fatal = {.sa_handler = crash};
    bool             expected = *crashed;
    sigemptyset(&fatal.sa_mask);
    snprintf(crashed, sizeof crashed, "%s", text ? text : "");
    for (int i = 0; i < CRASHES; i++)
        if (!text && expected)
            sigaction(crashes[i], before_crash + i, NULL);
        else if (text && !expected)
            sigaction(crashes[i], &fatal, before_crash + i);
}

void signals_begin(const interruption *what) {
    work = *what;
    caught = 0;
    first = 0;
    take_signals(handle, before);
}

int signals_caught(void) { return caught; }

int signals_status(int number) { return 128 + (number == SIGINT ? SIGINT : SIGTERM); }

int signals_end(void) {
    for (int i = 0; i < HANDLED; i++) sigaction(handled[i], before + i, NULL);
    return caught;
}

/* -- exit() in a model --------------------------------------------------------------------------------------------- */

static volatile pid_t guarded; /* this process, not one that it has forked; 0: none */

static void leave(void) {
    static const char text[] =
        "\nckam: the model called exit(), which ends everything; let it return -INFINITY or NAN, "
        "or take --isolate\n";
    static atomic_flag spoken = ATOMIC_FLAG_INIT;
    if (guarded != getpid()) return;
    while (atomic_flag_test_and_set(&spoken)) pause();
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(EX_IOERR);
    _exit(EX_SOFTWARE);
}

/* Each thread that calls exit() takes one of the functions that are registered, so there are as many as there may be. */
void signals_guard(bool on) {
    enum { THREADS = 32 };
    for (int i = 0; on && !guarded && i < THREADS; i++)
        if (atexit(leave)) break;
    guarded = on ? getpid() : 0;
}
