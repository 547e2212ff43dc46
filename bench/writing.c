/* writing.c - what it costs to keep the draws: time beside a run that writes nothing, and memory for many draws.
 *
 * Each run is a process of its own, as the command is. Times are of sampling alone; runs with and without files take
 * turns, and the median of the ratios is what counts. */
#include "ckam.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { REPEATS = 7 };

static void set(ckam_plan *plan, const char *name, const char *value) {
    ckam_error error;
    if (!ckam_plan_set(plan, name, value, &error)) return;
    fprintf(stderr, "writing: %s\n", error.message);
    exit(1);
}

static void keep_time(void *context, const ckam_progress *progress) { *(double *)context = progress->elapsed; }

/* Seconds of sampling. */
static double run(const char *sampler, const char *format, const char *draws, const char *out) {
    ckam_plan *plan;
    ckam_run  *r;
    ckam_error error;
    double     seconds = 0.0;
    if (ckam_plan_create(&plan, &error)) exit(1);
    set(plan, "model", "bimodal");
    set(plan, "sampler", sampler);
    set(plan, "format", format);
    set(plan, "draws", draws);
    if (strcmp(format, "none")) set(plan, "out", out);
    set(plan, "overwrite", "true");
    set(plan, "seed", "1");
    if (ckam_run_create(&r, plan, NULL, &error) || ckam_run_go(r, keep_time, &seconds, &error)) {
        fprintf(stderr, "writing: %s\n", error.message);
        exit(1);
    }
    ckam_run_free(r);
    ckam_plan_free(plan);
    return seconds;
}

/* The same in a process of its own, with the most memory that it had, in MB. */
static double run_apart(const char *sampler, const char *format, const char *draws, const char *out, double *memory) {
    int    ends[2], status;
    double result[2];
    if (pipe(ends)) exit(1);
    pid_t child = fork();
    if (child == 0) {
        struct rusage used;
        result[0] = run(sampler, format, draws, out);
        getrusage(RUSAGE_SELF, &used);
        result[1] = (double)used.ru_maxrss / 1024.0;
        _exit(write(ends[1], result, sizeof result) == sizeof result ? 0 : 1);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status ||
        read(ends[0], result, sizeof result) != sizeof result) {
        fprintf(stderr, "writing: a run failed\n");
        exit(1);
    }
    close(ends[0]);
    close(ends[1]);
    *memory = result[1];
    return result[0];
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void compare(const char *sampler, const char *draws, const char *out) {
    double ratio[REPEATS], none = 0.0, csv = 0.0, memory;
    for (int i = 0; i < REPEATS; i++) {
        double without = run_apart(sampler, "none", draws, out, &memory);
        double with = run_apart(sampler, "csv", draws, out, &memory);
        ratio[i] = with / without;
        none += without / REPEATS;
        csv += with / REPEATS;
    }
    qsort(ratio, REPEATS, sizeof *ratio, by_value);
    printf("%-6s %12s   %8.3f   %8.3f   %6.2f   (%.2f to %.2f)\n", sampler, draws, none, csv, ratio[REPEATS / 2],
           ratio[0], ratio[REPEATS - 1]);
    fflush(stdout);
}

int main(void) {
    char   folder[] = "/tmp/ckam-bench-XXXXXX", out[64], command[96];
    double memory;
    if (!mkdtemp(folder)) return 1;
    snprintf(out, sizeof out, "%s/run", folder);
    printf("bimodal, 4 chains, 2 threads at most; seconds of sampling, means of %d\n", REPEATS);
    printf("sampler draws a chain     none        csv    ratio   (range)\n");
    compare("jump", "200000", out);
    compare("ckam", "200000", out);
    compare("gam", "1000000", out);
    compare("rw", "1000000", out);
    double seconds = run_apart("rw", "csv,netcdf", "2500000", out, &memory);
    printf("\n10,000,000 draws with csv and netcdf: %.1f s of sampling, at most %.1f MB resident\n", seconds, memory);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}
