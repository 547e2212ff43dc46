/* forecast.c - how much of the time is left for sampling with up to 10,000 ranks of one chain, by simulation.
 *
 * Measured: the cycles of some chains, which stand for all; what they bring; how long a rank learns from so many summaries.
 * Assumed: a collective call takes latency x log2(ranks) and bytes / bandwidth, two a pool; a rank that waits looks up every
 * `nap` seconds; times of evaluations vary by `spread` of their mean, so that all wait for the slowest. */
#include "crowd.h"
#include "measure.h"
#include "ranks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HORIZON = 100000, SIZES = 5 };
static const double ranks[SIZES] = {1, 10, 100, 1000, 10000};

/* -- A density that all dimensions have: two hills ---------------------------------------------------------------- */

static int two_hills(void *context, const double *x, double *log_density) {
    size_t dim = *(const size_t *)context;
    double left = (x[0] + 4.0) * (x[0] + 4.0), right = (x[0] - 4.0) * (x[0] - 4.0), rest = 0.0;
    for (size_t k = 1; k < dim; k++) rest += x[k] * x[k];
    *log_density = -0.5 * (fmin(left, right) + rest) + log1p(exp(-0.5 * fabs(left - right)));
    return 0;
}

/* -- What is measured --------------------------------------------------------------------------------------------- */

/* Some cycles and the pools at their ends: sums. */
typedef struct phase {
    double pools, evaluations, roots; /* evaluations of a chain; of their numbers in a cycle the square roots */
    double bytes[SIZES], learning[SIZES];
    double most; /* bytes of a pool with the most ranks */
} phase;

/* All chains wait. A rank with the first of them learns, and then has learned nothing. */
static void measure_pool(crowd *c, size_t total, double *size, double *seconds) {
    ckam_chain *own = c->chain[0];
    size_t      all = 0;
    ckam_error  error;
    for (size_t i = 0; i < total; i++) all += chain_summarise(c->chain[i % c->count], i, total, NULL);
    char  *room = take(all), *place = room, *state = take(own->size);
    void **summaries = take(total * sizeof *summaries);
    memcpy(state, own->state, own->size);
    for (size_t i = 0; i < total; i++) {
        summaries[i] = place;
        place += chain_summarise(c->chain[i % c->count], i, total, place);
    }
    double start = thread_seconds();
    if (chain_learn(&own, 1, summaries, total, &error)) stop(error.message);
    *seconds = thread_seconds() - start;
    *size = (double)(all + 8 * total);
    memcpy(own->state, state, own->size);
    free(summaries);
    free(state);
    free(room);
}

static uint64_t evaluations_of(const crowd *c) {
    ckam_counts counts;
    ckam_chain_counts(c->chain[0], &counts);
    return counts.evaluations;
}

/* A cycle and its pool, which is measured if `p` is not NULL. */
static void cycle(crowd *c, phase *p) {
    uint64_t before = evaluations_of(c);
    crowd_go(c);
    for (int i = 0; p && i < SIZES; i++) {
        double size, seconds;
        measure_pool(c, (size_t)ranks[i], &size, &seconds);
        p->bytes[i] += size;
        p->learning[i] += seconds;
        p->most = fmax(p->most, size);
    }
    if (p) {
        double length = (double)(evaluations_of(c) - before);
        p->pools += 1.0;
        p->evaluations += length;
        p->roots += sqrt(length);
    }
    crowd_pool(c);
}

/* The warm-up, if it is wanted, and then so many cycles. */
static void measure_phases(size_t dim, const char *spec, phase *warm, phase *after, int cycles) {
    ckam_target target = {.dim = dim, .log_density = two_hills, .context = &dim};
    crowd       c = crowd_create(&target, spec, NULL, dim < 100 ? 16 : 4, HORIZON);
    do cycle(&c, warm);
    while (crowd_state(&c, 0)->plan.iterations < crowd_state(&c, 0)->settle.now.warmup);
    for (int i = 0; i < cycles; i++) cycle(&c, after);
    crowd_free(&c);
}

/* -- What follows ------------------------------------------------------------------------------------------------- */

static double exchange(const phase *p, int i, const assumptions *a) {
    return p->pools * (a->nap + 2.0 * a->latency * log2(ranks[i])) + p->bytes[i] / a->bandwidth;
}

/* The part of the time that is sampling, when an evaluation takes `seconds`. The largest of n normal numbers is about
 * sqrt(2 log n). */
static double efficiency(const phase *p, int i, double seconds, const assumptions *a) {
    double sampling = seconds * p->evaluations, wait = seconds * a->spread * p->roots * sqrt(2.0 * log(ranks[i]));
    double pooling = p->learning[i] + (i ? exchange(p, i, a) : 0.0);
    return sampling / (sampling + wait + pooling);
}

enum { WARM, AFTER, RARELY, PHASES, TIMES = 3 };

static void print_limit(const phase *p, double seconds, const assumptions *a) {
    static const char *const names[PHASES] = {"in the warm-up", "after it", "with pool-every=10"};
    printf("  below 90 %% at %g ms:", 1e3 * seconds);
    for (int k = 0; k < PHASES; k++) {
        int i = 0;
        while (i < SIZES && efficiency(p + k, i, seconds, a) >= 0.9) i++;
        if (i == 0)
            printf(" %s always", names[k]);
        else if (i < SIZES)
            printf(" %s from %g ranks", names[k], ranks[i]);
        else
            printf(" %s never", names[k]);
        printf(k + 1 < PHASES ? "," : "\n");
    }
}

static void table(size_t dim, const assumptions *a) {
    static const double times[TIMES] = {1e-5, 1e-3, 0.1};
    phase               p[PHASES] = {0};
    measure_phases(dim, "jump", p + WARM, p + AFTER, 4);
    measure_phases(dim, "jump:pool-every=10", NULL, p + RARELY, 2);
    printf(
        "\nd = %zu: %.0f pools in a warm-up of %.0f evaluations, then one every %.0f, with pool-every=10 every %.0f\n",
        dim, p[WARM].pools, p[WARM].evaluations, p[AFTER].evaluations / p[AFTER].pools,
        p[RARELY].evaluations / p[RARELY].pools);
    printf("        | a pool after the warm-up:        | sampling, %% of the time, where an evaluation takes\n"
           "        |                                  | 0.01 ms                 | 1 ms                    | 100 ms\n"
           "  ranks |  kilobytes exchange ms  learn ms | warm-up   after every10 | warm-up   after every10 | "
           "warm-up   after every10\n");
    for (int i = 0; i < SIZES; i++) {
        printf("%7.0f | %10.1f %11.2f %9.2f ", ranks[i], p[AFTER].bytes[i] / p[AFTER].pools / 1e3,
               i ? 1e3 * exchange(p + AFTER, i, a) / p[AFTER].pools : 0.0, 1e3 * p[AFTER].learning[i] / p[AFTER].pools);
        for (int t = 0; t < TIMES; t++)
            for (int k = 0; k < PHASES; k++)
                printf("%s%7.1f ", k ? "" : "| ", 100.0 * efficiency(p + k, i, times[t], a));
        printf("\n");
    }
    for (int t = 0; t < TIMES; t++) print_limit(p, times[t], a);
    printf("  of %.0f ranks, in the warm-up: %.1f MB in the largest pool, %.0f ms to learn, on average\n",
           ranks[SIZES - 1], p[WARM].most / 1e6, 1e3 * p[WARM].learning[SIZES - 1] / p[WARM].pools);
    (void)fflush(stdout);
}

void show_forecast(const assumptions *a) {
    printf(
        "A chain a rank, by simulation. Assumed: latency %g us x log2(ranks), bandwidth %g GB/s, a look every %g ms,\n"
        "time of an evaluation +- %g %%. Measured on this machine: learning, bytes, lengths of cycles.\n",
        1e6 * a->latency, 1e-9 * a->bandwidth, 1e3 * a->nap, 100.0 * a->spread);
    table(2, a);
    table(10, a);
    table(100, a);
}
