/* fork_server.h - a process that holds what it was given, and forks workers of it when it is asked to. For isolate.c.
 *
 * A process with threads must not fork and go on in the child: a lock that another thread held stays locked there for
 * ever. So the server is forked before there are threads, and has none. It ends with its parent, however that ends. */
#ifndef CKAM_TARGET_FORK_SERVER_H
#define CKAM_TARGET_FORK_SERVER_H

#include "ckam.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* What a worker does: it serves the socket, and ends when it comes back. */
typedef void fork_work(void *context, int socket, size_t number);

typedef struct fork_server {
    int             socket;
    pid_t           pid;
    pthread_mutex_t lock; /* one order at a time */
} fork_server;

typedef struct fork_worker {
    int   socket; /* the other end of the worker's; -1: there is no worker */
    pid_t pid;
} fork_worker;

/* In the server and its workers there are no descriptors but 0 to 2, also none that the model has opened; stdin is
 * empty, stdout is stderr, signals have no handlers. Those that ask the parent to end are ignored: they come to all
 * processes of a terminal, and are for the parent to judge. */
ckam_status fork_server_open(fork_server *s, fork_work *work, void *context, ckam_error *error);
void        fork_server_close(fork_server *s); /* with all of its workers */

/* *w := a new one. 0, or an errno; EPIPE: the server has died. */
int fork_server_start(fork_server *s, size_t number, fork_worker *w);
/* Ends it, and what it has started. *status is that of waitpid(): of its own end if that comes within a second, else, or
 * with `now`, of SIGKILL. 0, or an errno as above; *w is none in any case. */
int fork_server_end(fork_server *s, fork_worker *w, bool now, int *status);

#endif
