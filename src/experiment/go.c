/* go.c - all chains of some experiments over threads: the public functions of section 12 of ckam.h. */
#include "base/clock.h"
#include "base/error.h"
#include "experiment/experiment.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- Life --------------------------------------------------------------------------------------------------------- */

/* A directory that was not there, or holds nothing. */
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

/* Files and rows bear its name. */
static ckam_status check_apart(const experiment *all, size_t index, ckam_error *error) {
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
        if (!status) status = check_apart(e->experiment, i, error);
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

typedef struct crew {
    ckam_experiment *owner;
    size_t           jobs, next, done, active;
    job             *job;
    ckam_status      status; /* of the first failure */
    ckam_error       error;
    char             now[256];
    pthread_mutex_t  lock;
    pthread_cond_t   changed;
} crew;

static void *worker(void *context) {
    crew *c = context;
    pthread_mutex_lock(&c->lock);
    while (c->next < c->jobs && !atomic_load(&c->owner->stop)) {
        job       *j = c->job + c->next++;
        ckam_error error = {0};
        snprintf(c->now, sizeof c->now, "%s: %s, seed %llu", j->experiment->name, j->run->name,
                 (unsigned long long)j->track->seed);
        pthread_mutex_unlock(&c->lock);
        ckam_status status = follow(&j->experiment->truth, j->run, j->track, &c->owner->stop, &j->evaluations, &error);
        pthread_mutex_lock(&c->lock);
        j->track->done = !status;
        c->done += !status;
        if (status < 0 && !c->status) {
            c->status =
                fail_with(&c->error, status, "%.40s, %.40s: %.150s", j->experiment->name, j->run->name, error.message);
            atomic_store(&c->owner->stop, true);
        }
        pthread_cond_signal(&c->changed);
    }
    c->active--;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

/* The longest first, so that none is left for the end. */
static int by_work(const void *a, const void *b) {
    double x = ((const job *)a)->work, y = ((const job *)b)->work;
    return (x < y) - (x > y);
}

static double job_work(const run_entry *run) {
    return run->seconds > 0.0 ? run->seconds : run->cost * (double)run->evals;
}

/* Tries every run for an instant, which tells what it costs and whether it can start, and lists all chains. */
static ckam_status list_jobs(crew *c, ckam_error *error) {
    size_t most = 0;
    for (size_t i = 0; i < c->owner->count; i++)
        for (size_t r = 0; r < c->owner->experiment[i].runs; r++) most += c->owner->experiment[i].run[r].seeds;
    c->job = calloc(most + 1, sizeof *c->job);
    if (!c->job) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu chains", most);
    for (size_t i = 0; i < c->owner->count; i++) {
        experiment *e = c->owner->experiment + i;
        for (size_t r = 0; r < e->runs; r++) {
            run_entry  *run = e->run + r;
            ckam_error  why = {0};
            ckam_status status = follow_try(&e->truth, run, &why);
            if (status) return fail_with(error, status, "%.40s, %.40s: %.150s", e->name, run->name, why.message);
            run->track[0].step_size = calloc(STEPS_MOST, sizeof(double));
            run->track[0].explores = calloc(STEPS_MOST, sizeof(bool));
            if (!run->track[0].step_size || !run->track[0].explores)
                return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for the steps of a chain");
            for (uint64_t s = 0; s < run->seeds; s++)
                c->job[c->jobs++] = (job){.experiment = e, .run = run, .track = run->track + s, .work = job_work(run)};
        }
    }
    qsort(c->job, c->jobs, sizeof *c->job, by_work);
    return CKAM_OK;
}

/* Under the lock. */
static void report(const crew *c, double begun, ckam_experiment_watch *watch, void *context) {
    ckam_experiment_progress p = {.done = c->done, .chains = c->jobs, .now = c->now};
    double                   all = 0.0, made = 0.0;
    for (size_t i = 0; i < c->jobs; i++) {
        const job *j = c->job + i;
        all += j->work;
        made += j->track->done ? j->work : fmin(j->work, j->run->cost * (double)atomic_load(&j->evaluations));
    }
    p.elapsed = clock_seconds() - begun;
    p.fraction = c->done == c->jobs ? 1.0 : fmin(made / all, 0.99);
    p.remaining = p.fraction > 0.01 ? p.elapsed * (1.0 - p.fraction) / p.fraction : (double)NAN;
    watch(context, &p);
}

static void wait_for_change(crew *c) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_nsec -= 1000000000;
        until.tv_sec++;
    }
    pthread_cond_timedwait(&c->changed, &c->lock, &until);
}

static ckam_status run_crew(crew *c, ckam_experiment_watch *watch, void *context, ckam_error *error) {
    long       processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t     threads = c->owner->setup.threads ? c->owner->setup.threads : processors > 0 ? (size_t)processors : 1;
    double     begun = clock_seconds();
    pthread_t *thread = calloc(threads, sizeof *thread);
    size_t     started = 0;
    if (!thread) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for %zu threads", threads);
    pthread_mutex_lock(&c->lock);
    for (; started < threads && started < c->jobs; started++) {
        if (pthread_create(thread + started, NULL, worker, c)) break;
        c->active++;
    }
    if (!started) c->status = fail_with(&c->error, CKAM_ERROR_MEMORY, "no thread can be started");
    while (c->active) {
        wait_for_change(c);
        if (watch) report(c, begun, watch, context);
    }
    pthread_mutex_unlock(&c->lock);
    for (size_t i = 0; i < started; i++) pthread_join(thread[i], NULL);
    free(thread);
    if (c->status && error) *error = c->error;
    return c->status;
}

ckam_status ckam_experiment_go(ckam_experiment *e, ckam_experiment_watch *watch, void *context, ckam_error *error) {
    crew   c = {.owner = e, .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    double begun = clock_seconds();
    if (e->gone) return fail_with(error, CKAM_ERROR_ARGUMENT, "an experiment is carried out once; create another");
    e->gone = true;
    ckam_status status = list_jobs(&c, error);
    if (!status) status = run_crew(&c, watch, context, error);
    e->seconds = clock_seconds() - begun;
    e->chains = c.jobs;
    e->ended = c.done;
    if (!status && c.done) status = experiment_write(e, error);
    free(c.job);
    pthread_mutex_destroy(&c.lock);
    pthread_cond_destroy(&c.changed);
    if (status || !atomic_load(&e->stop)) return status;
    return fail_with(error, CKAM_STOP, "the experiment was stopped after %zu of %zu chains", c.done, c.jobs);
}
