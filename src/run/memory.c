/* memory.c - estimates the memory that a run will use, and compares it with what is available, before the first evaluation.
 *
 * A chain is one block; only the part that its sampler touches counts. Memory for draws grows with their number up to a bound. */
#include "base/error.h"
#include "chain/chain.h"
#include "draws/draws.h"
#include "run/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

/* Bytes, measured: the program; the NetCDF library and those below it; the buffer of a file of a chain, and what is small; what the review
 * of draws works with, at most, beside the draws. */
static const double program = 5e6, netcdf = 18e6, buffer = 256.0 * 1024.0, chain_small = 8e3, review_most = 1e7,
                    snapshots_most = 64e6;

/* -- Estimate ----------------------------------------------------------------------------------------------------- */

static double state_bytes(const ckam_chain *c) {
    const sampler *s = c->options.sampler;
    return s->touched ? fmin(s->touched(&c->plan), (double)c->size) : (double)c->size;
}

/* Rows of each chain, where a number is planned; else as many as there is room for. */
static double rows_planned(const ckam_run *run) {
    const run_settings *plan = &run->plan->run;
    if (plan->draws) return (double)plan->draws;
    return plan->evals ? (double)plan->evals / (double)plan->thin : HUGE_VAL;
}

/* File buffers of a chain: a parameter takes up to 17 digits, the sampler's columns fewer. */
static double buffer_bytes(const ckam_run *run) {
    const double text = rows_planned(run) * (18.0 * (double)(run->values + 1) + 12.0);
    return run->format.csv ? (1.0 + (double)run->plan->run.save_warmup) * fmin(buffer, text) : 0.0;
}

/* Bytes per chain of this process. */
static double chain_bytes(const ckam_run *run) {
    const run_chain *c = &run->chains[run->first];
    const double     rows = fmin(rows_planned(run), (double)c->store.most);
    return state_bytes(c->chain) + (rows + 1.0) * sizeof(double) * (double)run->columns + buffer_bytes(run) +
           chain_small;
}

/* Beside the chains: the first process follows their stores and reviews the draws at the end; a checkpoint
 * has at most 64 MB of snapshots at a time, or one. */
static double common_bytes(const ckam_run *run) {
    const run_chain *c = &run->chains[run->first];
    const double     rows = rows_planned(run) * (double)run->plan->run.chains, columns = (double)run->columns;
    const double     stored = (double)c->store.most * (double)run->plan->run.chains;
    const double     draws = sizeof(double) * fmin(rows * columns, (double)DRAWS_NUMBERS_MOST);
    const double     state = state_bytes(c->chain), states = (double)(run->last - run->first) * state;
    double           bytes = program + (run->format.csv ? fmax(state, fmin(states, snapshots_most)) : 0.0);
    if (!comm_is_root(run)) return bytes;
    return bytes + (run->format.netcdf ? netcdf : 0.0) + sizeof(double) * fmin(rows, stored) * columns + draws +
           fmin(draws, review_most);
}

/* -- Available ---------------------------------------------------------------------------------------------------- */

/* The number behind `name` in a file; HUGE_VAL if there is none. */
static double read_number(const char *path, const char *name) {
    char   line[256];
    double value = HUGE_VAL;
    FILE  *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        if (strncmp(line, name, strlen(name)) != 0) continue;
        char  *end;
        double number = strtod(line + strlen(name), &end);
        if (end != line + strlen(name)) value = number; /* else it is "max" */
        break;
    }
    if (file) (void)fclose(file);
    return value;
}

/* What is left below the limit on the address space (RLIMIT_AS). */
static double left_of(int which, const char *used) {
    struct rlimit limit;
    if (getrlimit(which, &limit) || limit.rlim_cur == RLIM_INFINITY) return HUGE_VAL;
    double now = 1024.0 * read_number("/proc/self/status", used);
    return (double)limit.rlim_cur - (isfinite(now) ? now : 0.0);
}

/* Ranks on one machine share it. */
static double available_bytes(const ckam_run *run) {
    static const char *const group = "/sys/fs/cgroup/memory.max", *const used = "/sys/fs/cgroup/memory.current";
    double there = 1024.0 * read_number("/proc/meminfo", "MemAvailable:");
    double limit = read_number(group, "");
    if (isfinite(limit)) there = fmin(there, limit - fmin(read_number(used, ""), limit));
    if (run->comm) there /= (double)run->comm->neighbours;
    return there;
}

/* Chains and stores are allocated already, so they count in the address space whether touched or not. */
static ckam_status check_space(const ckam_run *run, ckam_error *error) {
    const double later = common_bytes(run) + (double)(run->last - run->first) * buffer_bytes(run);
    const double left = fmin(left_of(RLIMIT_AS, "VmSize:"), left_of(RLIMIT_DATA, "VmData:"));
    if (later <= left) return CKAM_OK;
    return fail_with(
        error, CKAM_ERROR_MEMORY,
        "this run needs about %.3g MB of memory beside its chains, and the limits of this process (ulimit -v "
        "and -d) leave %.3g MB; raise them, or take fewer --chains or --draws",
        later / 1e6, left / 1e6);
}

ckam_status memory_check(ckam_run *run, ckam_error *error) {
    if (run->first == run->last) return CKAM_OK;
    const double each = chain_bytes(run), common = common_bytes(run), own = (double)(run->last - run->first);
    const double there = available_bytes(run);
    run->memory = common + own * each;
    run->memory_available = there;
    if (run->memory > there) {
        double fits = floor((there - common) / each);
        char   advice[64] = "";
        if (fits >= 1.0) snprintf(advice, sizeof advice, "%.0f chain%s would fit; or ", fits, fits > 1.0 ? "s" : "");
        return fail_with(
            error, CKAM_ERROR_MEMORY,
            "this run needs about %.3g GB of memory (%.0f chain%s of %.3g MB, %.3g MB for all), and %.3g GB "
            "are available; %stake fewer --chains or --sampler rw%s",
            run->memory / 1e9, own, own > 1.0 ? "s" : "", each / 1e6, common / 1e6, there / 1e9, advice,
            run->target.dim > 5000 ? "" : " or gam");
    }
    if (run->memory > 0.5 * there && !*run->warning)
        snprintf(run->warning, sizeof run->warning,
                 "this run needs about %.3g GB of the %.3g GB of memory that are available", run->memory / 1e9,
                 there / 1e9);
    return check_space(run, error);
}
