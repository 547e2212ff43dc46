/* signals.c - Ctrl-C and its like while a run goes: the first stops it, the second ends the process.
 *
 * The only static state of the command, because a handler gets no argument. */
#include "cli.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static const int handled[] = {SIGINT, SIGTERM, SIGHUP};
enum { HANDLED = sizeof handled / sizeof *handled };
static struct sigaction      before[HANDLED];
static ckam_run             *watched;
static volatile sig_atomic_t caught;
static char                  farewell[8192];

static void handle(int number) {
    if (!caught) {
        caught = number;
        ckam_run_stop(watched);
        return;
    }
    ckam_run_freeze(watched);
    if (write(STDERR_FILENO, farewell, strlen(farewell)) < 0) _exit(128 + SIGTERM);
    _exit(128 + (number == SIGINT ? SIGINT : SIGTERM));
}

void signals_begin(ckam_run *run) {
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART};
    const char      *directory = ckam_run_directory(run);
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < HANDLED; i++) sigaddset(&action.sa_mask, handled[i]);
    watched = run;
    caught = 0;
    snprintf(farewell, sizeof farewell, "\nended at once\n");
    if (*directory)
        snprintf(farewell, sizeof farewell, "\nended at once; `ckam resume %s` goes on from the last checkpoint\n",
                 directory);
    for (int i = 0; i < HANDLED; i++) {
        sigaction(handled[i], NULL, before + i);
        if (before[i].sa_handler != SIG_IGN) sigaction(handled[i], &action, NULL); /* nohup keeps what it asked for */
    }
}

int signals_caught(void) { return caught; }

int signals_end(void) {
    for (int i = 0; i < HANDLED; i++) sigaction(handled[i], before + i, NULL);
    watched = NULL;
    return caught;
}
