/* rank_fault.c - two modes; slow; and under mpirun something happens on rank FAULT_RANK, at its evaluation FAULT_AT: FAULT is
 * "infinity", "segv" for a crash, or a signal: "kill", "term". Anywhere else, as in a run of one process, nothing does. */
#include <ckam/model.h>

#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

const char *const ckam_parameters[] = {"x", "y", NULL};

static bool is_here(void) {
    const char *rank = getenv("OMPI_COMM_WORLD_RANK"), *wanted = getenv("FAULT_RANK");
    return rank && wanted && !strcmp(rank, wanted);
}

static double happen(const char *fault) {
    volatile double *volatile nowhere = NULL; /* the compiler must not see it coming */
    if (!strcmp(fault, "kill")) raise(SIGKILL);
    if (!strcmp(fault, "segv")) *nowhere = 0.0;
    if (!strcmp(fault, "term")) kill(getpid(), SIGTERM); /* this thread does not take it */
    return strcmp(fault, "infinity") ? 0.0 : (double)INFINITY;
}

double log_density(const double *x) {
    static atomic_long calls;
    const char        *fault = getenv("FAULT"), *at = getenv("FAULT_AT");
    double             a = 0.5 * (x[0] + 4.0) * (x[0] + 4.0), b = 0.5 * (x[0] - 4.0) * (x[0] - 4.0);
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
    long   now = atomic_fetch_add(&calls, 1) + 1;
    double added = fault && at && is_here() && now == strtol(at, NULL, 10) ? happen(fault) : 0.0;
    return added - fmin(a, b) + log1p(exp(-fabs(a - b))) - 0.5 * x[1] * x[1];
}
