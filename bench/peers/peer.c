/* peer.c - see peer.h. */
#include "peer.h"

#include "measure.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER "bench/peers/"

struct peer {
    const char *missing; /* what to say when it is not there */
    pid_t       process;
    FILE       *to, *from;
};

/* -- The process -------------------------------------------------------------------------------------------------- */

/* In the child. One thread each: a BLAS must not use a second processor. */
_Noreturn static void become(char *const *command, int input, int output) {
    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0 && !setenv("OPENBLAS_NUM_THREADS", "1", 1) &&
        !setenv("OMP_NUM_THREADS", "1", 1))
        execvp(command[0], command);
    _exit(127);
}

/* Both ends are closed in every other process that is started. */
static void make_pipe(int end[2]) {
    if (pipe(end) || fcntl(end[0], F_SETFD, FD_CLOEXEC) || fcntl(end[1], F_SETFD, FD_CLOEXEC)) stop("no pipe");
}

static void receive(peer *p, size_t count, double *values) {
    if (fread(values, sizeof *values, count, p->from) != count) stop(p->missing);
}

static peer *open_peer(char *const *command, const char *script, const char *missing) {
    peer *p = take(sizeof *p);
    int   to[2], from[2];
    if (access(script, R_OK)) stop("run it where " FOLDER " is");
    (void)signal(SIGPIPE, SIG_IGN); /* a peer that has ended is noticed by what it does not answer */
    make_pipe(to);
    make_pipe(from);
    p->missing = missing;
    p->process = fork();
    if (p->process < 0) stop("no process");
    if (p->process == 0) become(command, to[0], from[1]);
    close(to[0]);
    close(from[1]);
    p->to = fdopen(to[1], "w");
    p->from = fdopen(from[0], "r");
    if (!p->to || !p->from) stop("no memory");
    receive(p, 1, &(double){0}); /* it is ready */
    return p;
}

peer *peer_emcee(void) {
    static char script[] = FOLDER "ensemble.py",
                python[] = "/usr/bin/python3"; /* the one that Debian's packages are for */
    char *const command[] = {python, script, NULL};
    return open_peer(command, script,
                     "emcee ends without an answer; if it is not installed: apt-get install python3-emcee");
}

peer *peer_metrop(void) {
    static char script[] = FOLDER "metrop.R", rscript[] = "Rscript", vanilla[] = "--vanilla";
    char *const command[] = {rscript, vanilla, script, NULL};
    return open_peer(
        command, script,
        "R's mcmc ends without an answer; if it is not installed: apt-get install r-base-core r-cran-mcmc");
}

void peer_close(peer *p) {
    (void)fclose(p->to); /* the end of its input is its sign to end */
    (void)fclose(p->from);
    (void)waitpid(p->process, NULL, 0);
    free(p);
}

/* -- Questions and answers ---------------------------------------------------------------------------------------- */

static void point(peer *p, size_t dim, const double *x) {
    for (size_t k = 0; k < dim; k++) (void)fprintf(p->to, " %.17g", x[k]);
    (void)fputc('\n', p->to);
    (void)fflush(p->to);
}

double peer_density(peer *p, const char *target, size_t dim, const double *x) {
    double value;
    (void)fprintf(p->to, "density %s", target);
    point(p, dim, x);
    receive(p, 1, &value);
    return value;
}

sample peer_run(peer *p, const char *target, const char *how, uint64_t seed, uint64_t evaluations, size_t dim,
                const double *start) {
    double head[4];
    (void)fprintf(p->to, "run %s %s %llu %llu", target, how, (unsigned long long)seed, (unsigned long long)evaluations);
    point(p, dim, start);
    receive(p, 4, head);
    sample s = {
        .seconds = head[0], .evaluations = head[1], .chains = (size_t)head[2], .rows = (size_t)head[3], .dim = dim};
    s.x = take(s.chains * s.rows * dim * sizeof *s.x);
    receive(p, s.chains * s.rows * dim, s.x);
    return s;
}
