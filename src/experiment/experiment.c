/* experiment.c - the public functions of section 12 of ckam.h: the chains of all experiments, run by a pool of threads. */
#include "experiment/experiment.h"
#include "base/clock.h"
#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- Life --------------------------------------------------------------------------------------------------------- */

/* Makes the directory, or accepts an empty one. */
static ckam_status make_directory(const char *path, ckam_error *error) {
    if (!mkdir(path, 0777)) return CKAM_OK;
    if (errno != EEXIST)
        return fail_with(error, CKAM_ERROR_OUTPUT, "%.120s cannot be made: %s%s", path, strerror(errno),
                         errno == ENOENT ? "; make the directory above it first" : "");
    DIR           *folder = opendir(path);
    struct dirent *found = NULL;
    while (folder && (found = readdir(folder))) /* cppcheck-suppress readdirCalled; nobody else has this one */
        if (strcmp(found->d_name, ".") != 0 && strcmp(found->d_name, "..") != 0) break;
    if (folder) closedir(folder);
    if (folder && !found) return CKAM_OK;
    return fail_with(error, CKAM_ERROR_OUTPUT, "%.120s is there already; name another directory with --out", path);
}

/* Names of experiments must differ: files and rows carry them. */
static ckam_status check_distinct(const experiment *all, size_t index, ckam_error *error) {
    for (size_t i = 0; i < index; i++)
        if (!strcmp(all[i].name, all[index].name))
            return fail_with(error, CKAM_ERROR_INPUT,
                             "%.80s and %.80s have the same last name, '%.40s', by which their results would be told "
                             "apart; name each once, and rename one of two",
                             all[i].path, all[index].path, all[index].name);
    return CKAM_OK;
}

ckam_status ckam_experiment_create(ckam_experiment **made, const char *const *directories, size_t count,
                                   const ckam_experiment_setup *setup, const char *out, ckam_error *error) {
    if (made) *made = NULL;
    if (!made || !directories || !count || !setup || !out || !*out)
        return fail_with(error, CKAM_ERROR_ARGUMENT,
                         "an experiment needs a place, a directory, a setup, and a directory to make");
    if (isnan(setup->seconds) || setup->seconds < 0.0)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "seconds is %g; 0 or more is wanted", setup->seconds);
    if (setup->seeds > SEEDS_MOST)
        return fail_with(error, CKAM_ERROR_ARGUMENT, "seeds is %llu; at most %d are possible, and 0 takes the file's",
                         (unsigned long long)setup->seeds, SEEDS_MOST);
    ckam_experiment *e = *made = calloc(1, sizeof *e);
    if (e) e->experiment = calloc(count, sizeof *e->experiment);
    ckam_status status = CKAM_OK;
    if (!e || !e->experiment) status = fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for an experiment");
    if (!status) e->setup = *setup;
    if (!status && (size_t)snprintf(e->out, sizeof e->out, "%s", out) >= sizeof e->out - 300)
        status = fail_with(error, CKAM_ERROR_OUTPUT, "the path %.60s... is too long", out);
    for (size_t i = 0; i < count && !status; i++) {
        e->count++;
        status = experiment_read(e->experiment + i, directories[i], setup, error);
        if (!status) status = check_distinct(e->experiment, i, error);
    }
    if (!status) status = make_directory(out, error);
    if (!status) return CKAM_OK;
    ckam_experiment_free(e);
    *made = NULL;
    return status;
}

void ckam_experiment_free(ckam_experiment *e) {
    if (!e) return;
    for (size_t i = 0; i < e->count; i++) experiment_close(e->experiment + i);
    free(e->experiment);
    text_free(&e->table);
    free(e);
}

void ckam_experiment_stop(ckam_experiment *e) { atomic_store(&e->stop, true); }

const char *ckam_experiment_table(const ckam_experiment *e) { return e->table.length ? e->table.bytes : ""; }

/* -- Chains over threads ------------------------------------------------------------------------------------------ */

typedef struct job {
    const experiment    *experiment;
    const run_entry     *run;
    track               *track;
    double               work; /* seconds, estimated */
    atomic_uint_fast64_t evaluations;
} job;

typedef struct thread_pool {
    ckam_experiment *owner;
    size_t           jobs, next, done, active;
    job             *job;
    ckam_status      status; /* of the first failure */
    ckam_error       error;
    char             now[256];
    pthread_mutex_t  lock;
    pthread_cond_t   changed;
} thread_pool;

static void *worker(void *context) {
    thread_pool *pool = context;
    pthread_mutex_lock(&pool->lock);
    while (pool->next < pool->jobs && !atomic_load(&pool->owner->stop)) {
        job       *j = pool->job + pool->next++;
        ckam_error error = {0};
        snprintf(pool->now, sizeof pool->now, "%s: %s, seed %llu", j->experiment->name, j->run->name,
                 (unsigned long long)j->track->seed);
        pthread_mutex_unlock(&pool->lock);
        ckam_status status =
            track_run(&j->experiment->truth, j->run, j->track, &pool->owner->stop, &j->evaluations, &error);
        pthread_mutex_lock(&pool->lock);
        j->track->done = !status;
        pool->done += !status;
        if (status < 0 && !pool->status) {
            pool->status = fail_with(&pool->error, status, "%.40s, %.40s: %.150s", j->experiment->name, j->run->name,
                                     error.message);
            atomic_store(&pool->owner->stop, true);
        }
        pthread_cond_signal(&pool->changed);
    }
    pool->active--;
    pthread_cond_signal(&pool->changed);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* The longest first, so that no long chain runs alone at the end. */
static int by_work(const void *a, const void *b) {
    double x = ((const job *)a)->work, y = ((const job *)b)->work;
    return (x < y) - (x > y);
}

static double job_work(const run_entry *run) {
    return run->seconds > 0.0 ? run->seconds : run->cost * (double)run->evals;
}

/* Tries every run for 400 evaluations, which shows its cost and whether it can start, and lists all chains. */
static ckam_status list_jobs(thread_pool *pool, ckam_error *error) {
    size_t most = 0;
    for (size_t i = 0; i < pool->owner->count; i++)
        for (size_t r = 0; r < pool->owner->experiment[i].runs; r++) most += pool->owner->experiment[i].run[r].seeds;
    pool->job = calloc(most + 1, sizeof *pool->job);
    if (!pool->job) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu chains", most);
    for (size_t i = 0; i < pool->owner->count; i++) {
        experiment *e = pool->owner->experiment + i;
        for (size_t r = 0; r < e->runs; r++) {
            run_entry  *run = e->run + r;
            ckam_error  why = {0};
            ckam_status status = track_try(&e->truth, run, &why);
            if (status) return fail_with(error, status, "%.40s, %.40s: %.150s", e->name, run->name, why.message);
            run->track[0].step_size = calloc(STEPS_MOST, sizeof(double));
            run->track[0].explores = calloc(STEPS_MOST, sizeof(bool));
            if (!run->track[0].step_size || !run->track[0].explores)
                return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the steps of a chain");
            for (uint64_t s = 0; s < run->seeds; s++)
                pool->job[pool->jobs++] =
                    (job){.experiment = e, .run = run, .track = run->track + s, .work = job_work(run)};
        }
    }
    qsort(pool->job, pool->jobs, sizeof *pool->job, by_work);
    return CKAM_OK;
}

/* The caller holds the lock. */
static void report(const thread_pool *pool, double begun, ckam_experiment_watch *watch, void *context) {
    ckam_experiment_progress p = {.done = pool->done, .chains = pool->jobs, .now = pool->now};
    double                   all = 0.0, made = 0.0;
    for (size_t i = 0; i < pool->jobs; i++) {
        const job *j = pool->job + i;
        all += j->work;
        made += j->track->done ? j->work : fmin(j->work, j->run->cost * (double)atomic_load(&j->evaluations));
    }
    p.elapsed = clock_seconds() - begun;
    p.fraction = pool->done == pool->jobs ? 1.0 : fmin(made / all, 0.99);
    p.remaining = p.fraction > 0.01 ? p.elapsed * (1.0 - p.fraction) / p.fraction : (double)NAN;
    watch(context, &p);
}

static void wait_for_change(thread_pool *pool) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&pool->changed, &pool->lock, &until);
}

static ckam_status run_threads(thread_pool *pool, ckam_experiment_watch *watch, void *context, ckam_error *error) {
    long   processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = pool->owner->setup.threads ? pool->owner->setup.threads : processors > 0 ? (size_t)processors : 1;
    double begun = clock_seconds();
    pthread_t *thread = calloc(threads, sizeof *thread);
    size_t     started = 0;
    if (!thread) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu threads", threads);
    pthread_mutex_lock(&pool->lock);
    for (; started < threads && started < pool->jobs; started++) {
        if (pthread_create(thread + started, NULL, worker, pool)) break;
        pool->active++;
    }
    if (!started) pool->status = fail_with(&pool->error, CKAM_ERROR_MEMORY, "no thread can be started");
    while (pool->active) {
        wait_for_change(pool);
        if (watch) report(pool, begun, watch, context);
    }
    pthread_mutex_unlock(&pool->lock);
    for (size_t i = 0; i < started; i++) pthread_join(thread[i], NULL);
    free(thread);
    if (pool->status && error) *error = pool->error;
    return pool->status;
}

ckam_status ckam_experiment_go(ckam_experiment *e, ckam_experiment_watch *watch, void *context, ckam_error *error) {
    thread_pool pool = {.owner = e, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    double      begun = clock_seconds();
    if (e->gone) return fail_with(error, CKAM_ERROR_ARGUMENT, "an experiment is carried out once; create another");
    e->gone = true;
    ckam_status status = list_jobs(&pool, error);
    if (!status) status = run_threads(&pool, watch, context, error);
    e->seconds = clock_seconds() - begun;
    e->chains = pool.jobs;
    e->ended = pool.done;
    if (!status && pool.done) status = experiment_write(e, error);
    free(pool.job);
    pthread_mutex_destroy(&pool.lock);
    pthread_cond_destroy(&pool.changed);
    if (status || !atomic_load(&e->stop)) return status;
    return fail_with(error, CKAM_STOP, "the experiment was stopped after %zu of %zu chains", pool.done, pool.jobs);
}
