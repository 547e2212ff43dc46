/* programs.c - whether the workers of a program are kept busy: evaluations a second with two of them beside one.
 *
 * Four chains, a thread each, and a density in Python that takes 5 ms a point (it sleeps: so nothing depends on how many
 * processors there are). The ratio is to be 1.8 at least; the exit status says whether it is. */
#include "base/clock.h"
#include "target/engine.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHAINS = 4, REPEATS = 5 };
static const double seconds = 2.0, pause = 0.005, least_ratio = 1.8;
static const char   command[] = "exec python3 -c 'import sys, time\n"
                                "for line in sys.stdin:\n"
                                "    x, y = map(float, line.split())\n"
                                "    time.sleep(0.005)\n"
                                "    print(-0.5 * (x * x + y * y), flush=True)'";

static void stop(const char *message) {
    fprintf(stderr, "programs: %s\n", message);
    exit(1);
}

typedef struct chain {
    engine *e;
    double  end;
    size_t  count;
} chain;

static void *run(void *of) {
    chain     *c = of;
    void      *handle;
    ckam_error error;
    char       why[ENGINE_WHY];
    double     value, x[] = {1.0, 2.0};
    if (c->e->type->attach(c->e, 0, &handle, &error)) stop(error.message);
    for (; clock_seconds() < c->end; c->count++) {
        if (c->e->type->evaluate(c->e, handle, x, &value, why) != ENGINE_VALUE) stop(why);
        if (value != -2.5) stop("a wrong value");
    }
    c->e->type->detach(c->e, handle);
    return NULL;
}

/* All chains until `end`; their evaluations. */
static size_t run_chains(engine *e, double end) {
    pthread_t thread[CHAINS];
    chain     c[CHAINS];
    size_t    count = 0;
    for (int i = 0; i < CHAINS; i++) {
        c[i] = (chain){e, end, 0};
        if (pthread_create(&thread[i], NULL, run, &c[i])) stop("no thread");
    }
    for (int i = 0; i < CHAINS; i++) {
        pthread_join(thread[i], NULL);
        count += c[i].count;
    }
    return count;
}

/* Evaluations a second, once all workers have started. */
static double measure(size_t workers) {
    engine    *e;
    params     p;
    ckam_error error;
    if (params_read(&p, "x, y", "--params", true, &error)) stop(error.message);
    program_setup setup = {.command = command, .declared = &p, .workers = workers, .timeout = 5.0};
    if (program_open(&e, &setup, &error)) stop(error.message);
    params_free(&p);
    run_chains(e, clock_seconds() + 0.5);
    double start = clock_seconds();
    size_t count = run_chains(e, start + seconds);
    double rate = (double)count / (clock_seconds() - start);
    e->type->close(e);
    return rate;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One and two workers take turns at being first, so that a machine that is slower for a while favours neither. */
int main(void) {
    double rate[2], ratio[REPEATS];
    printf("evaluations a second of a density in Python that takes 5 ms, %d chains, and the share of time in which "
           "workers "
           "are at it\n",
           CHAINS);
    for (int i = 0; i < REPEATS; i++) {
        for (int turn = 0; turn < 2; turn++) {
            size_t which = (size_t)(i + turn) % 2;
            rate[which] = measure(which + 1);
        }
        ratio[i] = rate[1] / rate[0];
        printf("1 worker %.1f (%.2f), 2 workers %.1f (%.2f): %.2f times\n", rate[0], rate[0] * pause, rate[1],
               rate[1] * pause / 2.0, ratio[i]);
        (void)fflush(stdout);
    }
    qsort(ratio, REPEATS, sizeof *ratio, by_size);
    printf("median %.2f, wanted %.1f\n", ratio[REPEATS / 2], least_ratio);
    return ratio[REPEATS / 2] < least_ratio;
}
