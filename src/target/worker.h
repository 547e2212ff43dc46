/* worker.h - a command that runs beside us: its process, its input and its output, each wait with a deadline.
 *
 * The process leads a group of its own: a Ctrl-C in the terminal does not reach it, and all that it started ends with it.
 * Nothing it does or leaves undone blocks or ends us. Deadlines are times of clock_seconds(); HUGE_VAL is none. */
#ifndef CKAM_TARGET_WORKER_H
#define CKAM_TARGET_WORKER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

typedef struct worker {
    pid_t  pid;      /* 0: there is none */
    int    to, from; /* its input and its output; -1: closed */
    char  *bytes;    /* output that was not consumed yet: bytes[begin] .. bytes[end - 1] */
    size_t begin, end, room;
    size_t most; /* to be set: more than this is not kept */
} worker;

typedef enum worker_state {
    WORKER_GOOD,
    WORKER_LATE,  /* the deadline has passed */
    WORKER_GONE,  /* it has closed its output, or its input: most likely it has ended */
    WORKER_FLOOD, /* it wrote more than `most` without an end */
    WORKER_MEMORY /* we have no memory for what it writes */
} worker_state;

/* Runs a command by the shell. `w` is all 0, or was ended. Returns 0, or what errno said. */
int worker_start(worker *w, const char *command, char *const *environment);
/* Writes all of it. What the worker writes meanwhile is kept, so that neither waits for the other. */
worker_state worker_send(worker *w, const void *bytes, size_t size, double deadline);
/* *line := the next line, a 0 in place of its end; good until the next call. */
worker_state worker_line(worker *w, double deadline, char **line, size_t *length);
/* *bytes := the next `size` bytes, at most w->most; good until the next call. */
worker_state worker_take(worker *w, size_t size, double deadline, const char **bytes);
/* Reads what is available, or arrives before the deadline. Then w->end - w->begin bytes are not consumed. */
worker_state worker_look(worker *w, double deadline);

/* Closes its input, which asks it to end. */
void worker_hang_up(worker *w);
/* Waits until it has closed its output. What it still writes is thrown away. */
void worker_await(worker *w, double deadline);
/* Ends the whole group and frees all. Returns what waitpid() says of the process: its own end, if that came first. -1: unknown. */
int worker_end(worker *w);
/* Ends the groups of all workers at once, for a process that is about to end itself. A signal handler may call it. */
void worker_kill_all(void);
/* An end in words: "exit status 3", "SIGSEGV". */
enum { WORKER_TEXT = 40 };
void worker_ending(int status, char text[WORKER_TEXT]);

#endif
