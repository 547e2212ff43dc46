/* commands.c - what a run costs around its chains: threads, the command with its files beside a loop over the library,
 * and start-up. The command is the one beside this program's folder: BUILD/ckam. */
#include "chains.h"
#include "rows.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { FEW = 5, STARTS = 41, COMMAND_DRAWS = 1000000 };

static char folder[] = "/tmp/ckam-speed-XXXXXX", out[64], command[PATH_MAX + sizeof "/ckam"];

/* Of all threads of this process. */
static double process_seconds(void) {
    struct timespec now;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)) stop("no clock");
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* -- A run in this process ---------------------------------------------------------------------------------------- */

typedef struct taken {
    double wall, processor; /* until the chains stopped: the summary is not in it */
} taken;

static void note_end(void *context, const ckam_progress *progress) {
    taken *t = context;
    if (!progress->writing) return;
    t->wall = progress->elapsed;
    t->processor = process_seconds() - t->processor;
}

/* `settings` are pairs of a name and a value; NULL ends them. */
static taken sampling(const char *const *settings) {
    ckam_plan *plan;
    ckam_run  *run;
    ckam_error error;
    if (ckam_plan_create(&plan, &error)) stop(error.message);
    for (; *settings; settings += 2)
        if (ckam_plan_set(plan, settings[0], settings[1], &error)) stop(error.message);
    if (ckam_run_create(&run, plan, NULL, &error)) stop(error.message);
    taken t = {.processor = process_seconds()};
    if (ckam_run_go(run, note_end, &t, &error)) stop(error.message);
    ckam_run_free(run);
    ckam_plan_free(plan);
    return t;
}

/* -- Threads ------------------------------------------------------------------------------------------------------ */

static double draws_per_second(const char *sampler, const char *draws, const char *threads) {
    const char *settings[] = {"model",   "grid32", "sampler", sampler, "draws", draws, "chains", "4",
                              "threads", threads,  "format",  "none",  "seed",  "1",   NULL};
    return 4.0 * strtod(draws, NULL) / sampling(settings).wall;
}

static void threads_row(const char *sampler, const char *draws) {
    double one[FEW], two[FEW];
    char   name[80];
    for (int i = 0; i < FEW; i++) {
        if (i % 2) two[i] = draws_per_second(sampler, draws, "2");
        one[i] = draws_per_second(sampler, draws, "1");
        if (i % 2 == 0) two[i] = draws_per_second(sampler, draws, "2");
    }
    snprintf(name, sizeof name, "2 threads / 1, draws a second: %s, grid32, 4 chains", sampler);
    row_of_turns(name, "/s", FEW, two, one, AT_LEAST, 1.8);
}

/* Two chains that have nothing to do with each other, and no run around them: what the machine has to give at present. */
enum { ALONE_STEPS = 400000 };

static void *advance(void *context) {
    const work *w = context;
    w->go(w->context, ALONE_STEPS);
    return NULL;
}

static double steps_per_second(work *chains, size_t count) {
    pthread_t threads[2];
    double    start = wall_seconds();
    for (size_t i = 0; i < count; i++)
        if (pthread_create(&threads[i], NULL, advance, chains + i)) stop("no thread");
    for (size_t i = 0; i < count; i++) pthread_join(threads[i], NULL);
    return (double)(count * ALONE_STEPS) / (wall_seconds() - start);
}

static void machine_row(void) {
    double      one[FEW], two[FEW];
    ckam_model *model = model_of("grid32");
    chain_work *first = chain_work_create(ckam_model_target(model), "rw", NULL, 1000);
    chain_work *second = chain_work_create(ckam_model_target(model), "rw", NULL, 1000);
    work        both[] = {chain_work_of(first), chain_work_of(second)};
    for (int i = 0; i < FEW; i++) {
        one[i] = steps_per_second(both, 1);
        two[i] = steps_per_second(both, 2);
    }
    row_of_turns("2 threads / 1, steps a second: two loops, no run", "/s", FEW, two, one, ALONGSIDE, 0.0);
    chain_work_free(first);
    chain_work_free(second);
    ckam_model_free(model);
}

/* -- A run, and the same draws by a loop -------------------------------------------------------------------------- */

/* What a user of the library would write: steps, and every draw is kept. */
static double loop_seconds(const char *sampler) {
    ckam_model    *model = model_of("bimodal");
    const size_t   dim = ckam_model_target(model)->dim;
    double        *kept = take(COMMAND_DRAWS * dim * sizeof *kept);
    ckam_options  *options;
    ckam_chain    *chain;
    ckam_step      step;
    ckam_error     error;
    const uint64_t horizon = COMMAND_DRAWS;
    if (ckam_options_create(&options, sampler, &error)) stop(error.message);
    ckam_setup setup = {.target = ckam_model_target(model), .options = options, .seed = 1, .horizon = horizon};
    double     start = thread_seconds();
    if (ckam_chain_create(&chain, &setup, &error)) stop(error.message);
    for (size_t draws = 0; draws < COMMAND_DRAWS;) {
        if (ckam_chain_step(chain, &step)) stop(ckam_chain_error(chain)->message);
        if (step.draw) memcpy(kept + dim * draws++, step.x, dim * sizeof *kept);
    }
    double seconds = thread_seconds() - start;
    ckam_chain_free(chain);
    ckam_options_free(options);
    ckam_model_free(model);
    free(kept);
    return seconds;
}

/* Of all children that have ended. */
static double children_seconds(void) {
    struct rusage used;
    if (getrusage(RUSAGE_CHILDREN, &used)) stop("no clock");
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* Runs the command, and waits for its end. NULL ends the words, of which there are fewer than WORDS. */
enum { WORDS = 24 };
static taken run_command(const char *const *words) {
    posix_spawn_file_actions_t quiet;
    char                      *arguments[WORDS];
    size_t                     count = 0;
    int                        status;
    pid_t                      child;
    while (words[count++])
        ;
    memcpy(arguments, words, count * sizeof *words); /* which spawn wants without const, and does not change */
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    double before = children_seconds(), start = wall_seconds();
    if (posix_spawn(&child, command, &quiet, NULL, arguments, environ)) stop("cannot start BUILD/ckam");
    if (waitpid(child, &status, 0) != child || status) stop("BUILD/ckam failed");
    double wall = wall_seconds() - start;
    posix_spawn_file_actions_destroy(&quiet);
    return (taken){wall, children_seconds() - before};
}

/* One chain, one thread. `format` NULL: what the command writes by itself. */
static taken sample_command(const char *sampler, const char *format) {
    char        draws[16];
    const char *words[WORDS] = {"ckam",     "sample", "bimodal",   "--sampler", sampler,  "--draws", draws,
                                "--chains", "1",      "--threads", "1",         "--seed", "1",       NULL};
    size_t      count = 13;
    snprintf(draws, sizeof draws, "%d", COMMAND_DRAWS);
    if (format) {
        words[count++] = "--format";
        words[count++] = format;
    }
    if (!format || strcmp(format, "none") != 0) {
        words[count++] = "--out";
        words[count++] = out;
        words[count++] = "--overwrite";
    }
    return run_command(words);
}

static taken sample_here(const char *sampler) {
    char        draws[16];
    const char *settings[] = {"model", "bimodal", "sampler",   sampler,  "draws", draws,  "chains",
                              "1",     "threads", "1",         "format", "csv",   "seed", "1",
                              "out",   out,       "overwrite", "true",   NULL};
    snprintf(draws, sizeof draws, "%d", COMMAND_DRAWS);
    return sampling(settings);
}

enum { SAMPLING, WITH_NONE, WITH_CSV, WITH_ALL, WAYS };
static const struct {
    const char *format, *name;
    bound       what;
} ways[WAYS] = {[SAMPLING] = {NULL, "run with CSV, sampling", AT_MOST},
                [WITH_NONE] = {"none", "ckam sample, no files", ALONGSIDE},
                [WITH_CSV] = {"csv", "ckam sample, CSV", AT_MOST},
                [WITH_ALL] = {NULL, "ckam sample, CSV and NetCDF", ALONGSIDE}};

/* Processor time. The commands are there with all that they do: start, files, summary, and what they print. */
static void run_rows(const char *sampler) {
    double loop[FEW], time[WAYS][FEW], wall[FEW], below[FEW];
    char   name[80];
    for (int i = 0; i < FEW; i++) {
        loop[i] = loop_seconds(sampler);
        time[SAMPLING][i] = sample_here(sampler).processor;
        for (int way = WITH_NONE; way < WAYS; way++) {
            taken t = sample_command(sampler, ways[way].format);
            time[way][i] = t.processor;
            if (way == WITH_CSV) wall[i] = t.wall;
        }
    }
    for (int way = 0; way < WAYS; way++) {
        memcpy(below, loop, sizeof loop); /* rows sort what they are given */
        snprintf(name, sizeof name, "%s / library loop: %s, bimodal", ways[way].name, sampler);
        row_of_turns(name, "s", FEW, time[way], below, ways[way].what, 1.4);
    }
    snprintf(name, sizeof name, "the same on the wall, CSV: %s", sampler);
    row_of_turns(name, "s", FEW, wall, loop, ALONGSIDE, 0.0);
}

/* -- Start-up ----------------------------------------------------------------------------------------------------- */

static void start_row(const char *name, const char *const *words, bound what, double bar) {
    double milliseconds[STARTS];
    for (int i = 0; i < STARTS; i++) milliseconds[i] = 1e3 * run_command(words).wall;
    row_of_values(name, " ms", STARTS, milliseconds, what, bar);
}

static void find_command(void) {
    char    here[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", here, sizeof here - 1);
    if (length <= 0) stop("this program does not know where it is");
    here[length] = 0;
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(here, '/');
        if (slash) *slash = 0;
    }
    snprintf(command, sizeof command, "%s/ckam", here);
}

void rows_of_commands(void) {
    char remove[64];
    find_command();
    if (!mkdtemp(folder)) stop("no folder can be made in /tmp");
    snprintf(out, sizeof out, "%s/run", folder);
    machine_row();
    threads_row("rw", "1500000"); /* a second or more with two threads: batches of 20 ms and the start do not show */
    threads_row("jump", "300000");
    run_rows("rw");
    run_rows("jump");
    start_row("start-up of ckam --version", (const char *[]){"ckam", "--version", NULL}, AT_MOST, 5.0);
    start_row("a run of 1 draw, CSV",
              (const char *[]){"ckam", "sample", "bimodal", "--draws", "1", "--format", "csv", "--out", out,
                               "--overwrite", NULL},
              AT_MOST, 30.0);
    start_row("a run of 1 draw, no files",
              (const char *[]){"ckam", "sample", "bimodal", "--draws", "1", "--format", "none", NULL}, AT_MOST, 30.0);
    start_row("a run of 1 draw, CSV and NetCDF",
              (const char *[]){"ckam", "sample", "bimodal", "--draws", "1", "--out", out, "--overwrite", NULL},
              ALONGSIDE, 0.0);
    snprintf(remove, sizeof remove, "rm -rf %s", folder);
    if (system(remove)) stop("the files of the runs cannot be removed");
}
