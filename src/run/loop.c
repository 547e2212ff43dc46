/* loop.c - the main loop of a run: threads advance chains; the caller's thread reports progress, saves and decides when to stop.
 *
 * What is drawn depends on neither time nor threads. A rule that looks at draws (until) is applied when all chains have
 * the same number of them, at numbers that are fixed beforehand: chains that get there first wait. So do chains with pooled
 * adaptation (jump), at the end of each cycle.
 *
 * Over several processes each rank has its loop. At every tick, and when a rank has nothing left to do, an allreduce sums their
 * rank_status; all decide from the sum, and so the same. */
#include "base/error.h"
#include "run/comm.h"
#include "target/worker.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TICK           0.1  /* seconds between two calls of watch */
#define DIAGNOSE_EVERY 2.0  /* seconds between two computations of R-hat and ESS, at least ... */
#define DIAGNOSE_SHARE 0.02 /* ... and the share of the time that they may take */
#define SAVE_SHARE     0.05 /* the share of the time that checkpoints may take */

/* One call of ckam_run_go(). */
typedef struct session {
    ckam_run            *run;
    ckam_watch          *watch;
    void                *context;
    ckam_chain_progress *chain; /* a copy that the watcher may look at */
    ckam_chain         **own;   /* the chains of this process, in their order */
    double               start, watched, saved, diagnosed, diagnose_cost, save_cost, pool_cost;
    double               processor; /* seconds of it that the process had used at the start */
    double               end;       /* of sampling */
    double               fraction;  /* done before this session */
    uint64_t             draws;     /* the same */
    double               rhat, ess;
    pthread_t           *threads;
    size_t               count; /* of threads that were started */
    bool                 over;
    ckam_error           failure; /* of this process beside its chains; part of the next allreduce */
} session;

/* -- The threads -------------------------------------------------------------------------------------------------- */

/* The one that is furthest behind, so that chains keep together. */
static run_chain *next_chain(ckam_run *run) {
    run_chain *next = NULL;
    if (atomic_load(&run->halt)) return NULL;
    for (size_t i = run->first; i < run->last; i++) {
        run_chain *c = &run->chains[i];
        if (!c->busy && run_chain_is_ready(run, c) && (!next || c->evaluations < next->evaluations)) next = c;
    }
    return next;
}

static void *work(void *argument) {
    ckam_run *run = argument;
    pthread_mutex_lock(&run->lock);
    while (!run->quit) {
        run_chain *c = next_chain(run);
        if (!c) {
            pthread_cond_wait(&run->changed, &run->lock);
            continue;
        }
        c->busy = true;
        pthread_mutex_unlock(&run->lock);
        run_chain_advance(run, c);
        pthread_mutex_lock(&run->lock);
        c->busy = false;
        run_chain_report(run, c);
        if (c->status) atomic_fetch_or(&run->halt, HALT_STOP);
        pthread_cond_broadcast(&run->changed);
    }
    pthread_mutex_unlock(&run->lock);
    return NULL;
}

/* Signals are for the caller's thread. */
static ckam_status start_threads(session *s, ckam_error *error) {
    uint64_t wanted = s->run->plan->run.threads;
    sigset_t all, before;
    int      failure = 0;
    if (wanted > s->run->last - s->run->first) wanted = s->run->last - s->run->first;
    s->threads = calloc(wanted + 1, sizeof *s->threads);
    if (!s->threads) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory for threads");
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL,
                                  SIGABRT}; /* of a model: who catches them has the last word */
    sigfillset(&all);
    for (size_t i = 0; i < sizeof crashes / sizeof *crashes; i++) sigdelset(&all, crashes[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (s->count < wanted && !failure) {
        failure = pthread_create(&s->threads[s->count], NULL, work, s->run);
        if (!failure) s->count++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (s->count || !wanted) return CKAM_OK; /* fewer threads take longer, and give the same */
    return fail_with(error, CKAM_ERROR_MEMORY, "no thread can be started (error %d); try again later", failure);
}

static void end_threads(session *s) {
    pthread_mutex_lock(&s->run->lock);
    s->run->quit = true;
    pthread_cond_broadcast(&s->run->changed);
    pthread_mutex_unlock(&s->run->lock);
    for (size_t i = 0; i < s->count; i++) pthread_join(s->threads[i], NULL);
    free(s->threads);
}

/* -- Watching ----------------------------------------------------------------------------------------------------- */

/* The part that is done: by the rule that is nearest to its end. */
static double fraction_done(const session *s, double elapsed) {
    const ckam_run     *run = s->run;
    const run_settings *plan = &run->plan->run;
    double              most = 0.0, draws = 0.0, all = 0.0, evaluations = 0.0;
    double length = run->first < run->last ? (double)run->chains[run->first].warmup_length : (double)run->warmup;
    for (size_t i = 0; i < plan->chains; i++) {
        const ckam_chain_progress *c = &run->chains[i].shown;
        bool                       draw = c->draws || c->discarded;
        double                     warm = draw ? length : fmin((double)c->evaluations, length);
        draws += warm + (double)(c->discarded + c->draws) * (double)plan->thin;
        all +=
            length + (double)(c->discarded + run_chain_rows_most(run, run->chains[i].kept.spent)) * (double)plan->thin;
        evaluations += (double)c->evaluations;
    }
    if (plan->draws) most = draws / all;
    if (plan->evals) most = fmax(most, evaluations / (double)plan->chains / (double)plan->evals);
    if (!isnan(plan->time_limit)) most = fmax(most, elapsed / plan->time_limit);
    if (!isnan(run->until.ess) && !isnan(s->ess)) most = fmax(most, fmin(s->ess / run->until.ess, 0.99));
    return fmin(most, 1.0);
}

static void watch(session *s, bool writing) {
    double        now = clock_seconds(), elapsed = (writing ? s->end : now) - s->start;
    uint64_t      draws = 0;
    ckam_progress p = {
        .chains = (size_t)s->run->plan->run.chains, .chain = s->chain, .elapsed = elapsed, .writing = writing};
    s->watched = now;
    if (!s->watch) return;
    pthread_mutex_lock(&s->run->lock);
    for (size_t i = 0; i < p.chains; i++) s->chain[i] = s->run->chains[i].shown;
    p.fraction = fraction_done(s, elapsed);
    p.search = s->run->search;
    pthread_mutex_unlock(&s->run->lock);
    for (size_t i = 0; i < p.chains; i++) draws += s->chain[i].draws + s->chain[i].discarded;
    p.draws_per_second = elapsed > 0.0 ? (double)(draws - s->draws) / elapsed : 0.0;
    double gained = p.fraction - s->fraction;
    p.remaining =
        gained > 0.001 || p.fraction >= 1.0 ? elapsed * (1.0 - p.fraction) / fmax(gained, 0.001) : (double)NAN;
    p.rhat = s->rhat;
    p.ess = s->ess;
    s->watch(s->context, &p);
}

/* Rank 0 has the draws of all chains, and broadcasts R-hat and ESS. */
static void diagnose(session *s) {
    double begun = clock_seconds(), seen[2] = {(double)NAN, (double)NAN};
    if (!comm_gather_stores(s->run, NULL) && comm_is_root(s->run)) live_look(s->run->live, &seen[0], &seen[1]);
    comm_broadcast(s->run, seen, sizeof seen);
    s->rhat = seen[0];
    s->ess = seen[1];
    s->diagnosed = clock_seconds();
    s->diagnose_cost = s->diagnosed - begun;
}

/* -- Deciding ----------------------------------------------------------------------------------------------------- */

/* The first of the fixed numbers of draws, each a tenth above the one before, that no chain has passed. */
static uint64_t next_goal(ckam_run *run) {
    uint64_t most = 0, goal = GOAL_FIRST;
    if (isnan(run->until.rhat) && isnan(run->until.ess)) return UINT64_MAX;
    for (size_t i = run->first; i < run->last; i++)
        if (run->chains[i].kept.draws > most) most = run->chains[i].kept.draws;
    most = comm_max(run, most);
    while (goal < most) goal += goal / 10;
    return goal;
}

static bool is_met(const session *s) {
    const until_rule *until = &s->run->until;
    return (isnan(until->rhat) || s->rhat <= until->rhat) && (isnan(until->ess) || s->ess >= until->ess);
}

/* The failure of the first chain that has one, else that of this process. */
static ckam_status first_failure(const session *s, ckam_error *error) {
    const ckam_run *run = s->run;
    for (size_t i = run->first; i < run->last; i++) {
        const run_chain *c = &run->chains[i];
        if (!c->status) continue;
        return c->status == CKAM_ERROR_WRITE
                   ? fail_with(error, c->status, "%s", c->error.message)
                   : fail_with(error, c->status, "chain %zu: %.215s%s", i + 1, c->error.message,
                               c->status == CKAM_ERROR_START ? " (--init)" : "");
    }
    return s->failure.status ? fail_with(error, s->failure.status, "%s", s->failure.message) : CKAM_OK;
}

/* What a rank asks all ranks to do: bits of `requests`. */
enum { REQUEST_WATCH = 1, REQUEST_DIAGNOSE = 2, REQUEST_SAVE = 4, REQUEST_END = 8 };

/* The status of one rank, or the sum over all ranks; counts are of chains. */
typedef struct rank_status {
    uint64_t done, full;  /* nothing is left to do; all draws are there */
    uint64_t out_of_rows; /* as many rows as it may have, discarded ones counted */
    uint64_t at_goal;     /* or done */
    uint64_t waiting;     /* to be pooled, at the end of a cycle */
    uint64_t ready, failed;
    uint64_t busy; /* ranks with a chain that advances */
    uint64_t halt, requests;
} rank_status;

/* Seconds between two checkpoints: what was asked for, and longer where they take long. An interval below a second is
 * kept whatever it costs. */
static double save_interval(const session *s) {
    double every = s->run->plan->run.checkpoint_every;
    return every < 1.0 ? every : fmax(every, s->save_cost / SAVE_SHARE);
}

/* How many times longer than alone a thread takes for its work, as other processes share the processors. Chains that wait for a
 * program look the same, so no more than this is believed. */
#define SLOWDOWN_MOST 4.0

static double slowdown(const session *s, double now) {
    return fmax(1.0, fmin((now - s->start) / fmax(clock_processor() - s->processor, 1e-3), SLOWDOWN_MOST));
}

/* Seconds that are left for sampling: the limit is for the whole command, with its start and its end, which grows with the draws of
 * the next tick. `diagnose_left`: seconds left for computing R-hat and ESS, during which more is drawn; that takes less than the end. */
static double time_left(const session *s, double now, double *diagnose_left) {
    const ckam_run *run = s->run;
    double          limit = run->plan->run.time_limit, spent = now - s->start;
    *diagnose_left = HUGE_VAL;
    if (isnan(limit)) return HUGE_VAL;
    double end = finish_seconds(s->run, slowdown(s, now));
    double pace = fmax(0.0, end - 2.0 * run->files_cost) / fmax(spent, TICK); /* files do not grow in number */
    double left = limit - run->startup - spent - end - TICK * pace;
    *diagnose_left = left - end * (1.0 + pace);
    return left;
}

static rank_status own_status(const session *s, bool idle, double now) {
    const ckam_run     *run = s->run;
    double              diagnose_left, left = time_left(s, now, &diagnose_left);
    const run_settings *plan = &run->plan->run;
    rank_status t = {.busy = !idle, .failed = s->failure.status != CKAM_OK, .halt = (uint64_t)atomic_load(&run->halt)};
    for (size_t i = run->first; idle && i < run->last; i++) {
        const run_chain *c = &run->chains[i];
        t.done += c->done;
        t.full += plan->draws && c->kept.draws >= plan->draws;
        t.out_of_rows += c->kept.draws >= run_chain_rows_most(run, c->kept.spent);
        t.at_goal += c->done || c->kept.draws >= run->goal;
        t.waiting += c->waits;
        t.ready += run_chain_is_ready(run, c);
        t.failed += c->status != CKAM_OK;
    }
    if (s->watch && now - s->watched >= TICK) t.requests |= REQUEST_WATCH;
    if (s->watch && now - s->diagnosed >= fmax(DIAGNOSE_EVERY, s->diagnose_cost / DIAGNOSE_SHARE) &&
        diagnose_left > 0.0)
        t.requests |= REQUEST_DIAGNOSE;
    if (run->format.csv && now - s->saved >= save_interval(s) && left > s->save_cost) t.requests |= REQUEST_SAVE;
    if (left <= (t.waiting && t.waiting == run->last - run->first ? s->pool_cost : 0.0)) t.requests |= REQUEST_END;
    return t;
}

/* The sum over all ranks. */
static rank_status allreduce_status(ckam_run *run, const rank_status *mine) {
    const rank_status *all = comm_allgather(run, mine, sizeof *mine);
    rank_status        sum = {0};
    for (size_t r = 0; r < comm_size(run); r++) {
        sum.done += all[r].done;
        sum.full += all[r].full;
        sum.out_of_rows += all[r].out_of_rows;
        sum.at_goal += all[r].at_goal;
        sum.waiting += all[r].waiting;
        sum.ready += all[r].ready;
        sum.failed += all[r].failed;
        sum.busy += all[r].busy;
        sum.halt |= all[r].halt;
        sum.requests |= all[r].requests;
    }
    return sum;
}

/* Why all chains are done. */
static const char *end_reason(const rank_status *t, size_t chains) {
    if (t->full == chains) return "draws";
    return t->out_of_rows == chains ? "late" : "evals";
}

/* No chain advances: is the run over, and why? If chains wait at a goal, the next one is set. Chains that wait for one whose
 * evaluations are used up end the run: without it they would go another way than with more evaluations. */
static bool is_over(session *s, const rank_status *t, ckam_error *error, ckam_status *status) {
    ckam_run *run = s->run;
    size_t    chains = (size_t)run->plan->run.chains;
    bool      has_rule = run->goal < UINT64_MAX, all = t->done == chains, paused = t->halt & HALT_PAUSE;
    if (t->failed) {
        *status = comm_agree(run, first_failure(s, error), error);
        run->reason = *status > 0 ? "target" : "error";
    } else if (t->halt & HALT_STOP) {
        if (!*run->reason) run->reason = "interrupted";
        *status = strcmp(run->reason, "interrupted") ? CKAM_OK : fail_with(error, CKAM_STOP, "the run was stopped");
    } else if (all || (has_rule && t->at_goal == chains && !paused)) {
        if (has_rule) diagnose(s);
        if (has_rule && is_met(s))
            run->reason = "until";
        else if (all)
            run->reason = end_reason(t, chains);
        else
            run->goal += run->goal / 10;
    } else if (!t->ready && t->waiting < chains && !paused) {
        run->reason = "evals";
    }
    return *run->reason;
}

/* Pools the chains if all are at the end of a cycle. A failure here reaches all ranks with the next allreduce. */
static void pool(session *s, const rank_status *t) {
    ckam_run *run = s->run;
    if (t->waiting < run->plan->run.chains) return;
    double begun = clock_seconds();
    bool   failed = comm_pool_chains(run, s->own, &s->failure) != CKAM_OK;
    s->pool_cost = clock_seconds() - begun;
    if (failed) atomic_fetch_or(&run->halt, HALT_STOP);
    for (size_t i = run->first; i < run->last; i++) {
        if (failed && run->comm) run->chains[i].lost = true; /* others may have learned: the last checkpoint stands */
        run_chain_report(run, &run->chains[i]);
    }
}

/* Cuts off the rows since the last checkpoint. If that fails, run.json still has the error. */
static void discard_rows(run_chain *c) {
    if (c->draws.file >= 0) (void)csv_cut(&c->draws, c->kept.length, NULL);
    if (c->warmup.file >= 0) (void)csv_cut(&c->warmup, c->kept.warmup_length, NULL);
    c->lost = true;
}

/* Before a checkpoint, and at the end, checks that a program's answers belong to their points. If not, the previous checkpoint stays
 * valid and the rows since then are discarded. `start`: see source_verify(). */
static ckam_status verify(ckam_run *run, bool start, ckam_error *error) {
    if (!run->source) return CKAM_OK;
    ckam_status status = source_verify(run->source, start, error);
    bool        shifted = comm_max(run, source_is_shifted(run->source));
    for (size_t i = run->first; shifted && i < run->last; i++) discard_rows(&run->chains[i]);
    return comm_agree(run, status, error);
}

static ckam_status save(session *s, ckam_error *error) {
    double      begun = clock_seconds();
    ckam_status status = s->run->format.csv ? verify(s->run, true, error) : CKAM_OK;
    if (!status && s->run->format.csv) status = checkpoint_save(s->run, error);
    s->saved = clock_seconds();
    s->save_cost = s->saved - begun;
    if (status) s->run->reason = "error";
    return status;
}

/* Waits at most a tick; whether no chain of this rank advances or can. */
static bool wait_until_idle(ckam_run *run) {
    struct timespec until;
    bool            idle = true;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += (long)(TICK * 1e9);
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_mutex_lock(&run->lock);
    for (int tries = 0; tries < 2; tries++) {
        idle = next_chain(run) == NULL;
        for (size_t i = run->first; i < run->last; i++) idle = idle && !run->chains[i].busy;
        if (idle || pthread_cond_timedwait(&run->changed, &run->lock, &until)) break;
    }
    pthread_mutex_unlock(&run->lock);
    return idle;
}

/* A mode that was found after the draws began makes them invalid. That is decided at the end of a cycle, so that it does not depend on
 * when the run ends: chains whose draws end before go on up to there. Returns whether the run goes on for that reason, or its draws were restarted. */
static bool restart_draws(session *s, const rank_status *t, ckam_error *error, ckam_status *status) {
    ckam_run *run = s->run;
    uint64_t  chains = run->plan->run.chains;
    bool      at_goal = run->goal < UINT64_MAX && t->at_goal == chains && !(t->halt & HALT_PAUSE);
    bool      cycle_ends = t->waiting == chains, extended = run->extends;
    if (t->failed || t->halt & HALT_STOP || (!cycle_ends && !at_goal && t->done < chains)) return false;
    search_update(run);
    bool late = search_restarts(run);
    run->extends = late && !cycle_ends;
    if (late && cycle_ends && run->format.csv) *status = verify(run, true, error);
    if (late && cycle_ends && !*status) *status = search_discard(run, error);
    if (*status) run->reason = "error";
    if (late || extended) run->goal = run->extends ? UINT64_MAX : next_goal(run);
    if (!late) return false;
    for (size_t i = run->first; i < run->last; i++) run_chain_report(run, &run->chains[i]);
    return true;
}

static ckam_status idle_step(session *s, const rank_status *t, ckam_error *error) {
    ckam_run   *run = s->run;
    ckam_status status = CKAM_OK;
    pthread_mutex_lock(&run->lock);
    if (restart_draws(s, t, error, &status)) {
        s->over = status != CKAM_OK;
        pthread_cond_broadcast(&run->changed);
        pthread_mutex_unlock(&run->lock);
        return status;
    }
    s->over = is_over(s, t, error, &status);
    if (!s->over && t->halt & HALT_PAUSE) {
        atomic_fetch_and(&run->halt, ~HALT_PAUSE);
        status = save(s, error);
        s->over = status != CKAM_OK;
    } else if (!s->over) {
        pool(s, t);
    }
    pthread_cond_broadcast(&run->changed);
    pthread_mutex_unlock(&run->lock);
    return status;
}

/* A limit that start and end exceed cannot be kept. Sampling that ends late, for a slow iteration or on a busy machine, is another matter:
 * fewer draws or files would not help. */
static void warn_of_limit(session *s) {
    ckam_run *run = s->run;
    double    now = clock_seconds(), limit = run->plan->run.time_limit, unused, over = -time_left(s, now, &unused);
    double    end = over + limit - run->startup - (now - s->start);
    if (fmin(over, run->startup + end) < 0.1 * limit || *run->warning) return;
    snprintf(run->warning, sizeof run->warning,
             "a time limit of %.3g s cannot be kept: to start took %.2g s, and to write what there is will take about "
             "%.2g s; allow %.2g s or more, or keep fewer draws (--thin), chains or files (--format none)",
             limit, run->startup, end, 1.5 * (limit + over));
}

/* A request of one rank is carried out by all. */
static void apply_requests(session *s, const rank_status *t) {
    ckam_run *run = s->run;
    if (t->requests & REQUEST_END && !*run->reason) {
        run->reason = "time-limit";
        warn_of_limit(s);
        atomic_fetch_or(&run->halt, HALT_STOP);
    } else if (t->halt & HALT_STOP) {
        atomic_fetch_or(&run->halt, HALT_STOP);
    } else if (t->requests & REQUEST_SAVE && !(t->halt & HALT_PAUSE)) { /* else it is under way, or done just now */
        atomic_fetch_or(&run->halt, HALT_PAUSE);
    } else if (t->requests & REQUEST_DIAGNOSE) {
        diagnose(s);
    }
}

static ckam_status loop(session *s, ckam_error *error) {
    ckam_status status = CKAM_OK;
    while (!s->over) {
        bool        idle = wait_until_idle(s->run);
        rank_status mine = own_status(s, idle, clock_seconds()), all = allreduce_status(s->run, &mine);
        if (all.requests & REQUEST_WATCH) {
            comm_gather_progress(s->run);
            watch(s, false);
        }
        if (!all.busy) status = idle_step(s, &all, error);
        if (!s->over) apply_requests(s, &all);
    }
    return status;
}

static ckam_status begin(session *s, ckam_error *error) {
    ckam_run *run = s->run;
    size_t    chains = (size_t)run->plan->run.chains;
    s->chain = calloc(chains, sizeof *s->chain);
    s->own = calloc(chains, sizeof(ckam_chain *));
    if (!s->chain || !s->own) return fail_with(error, CKAM_ERROR_MEMORY, "there is no memory to watch a run");
    for (size_t i = run->first; i < run->last; i++) s->own[i - run->first] = run->chains[i].chain;
    return start_threads(s, error);
}

/* After an error only what the processes that run say of themselves. */
static ckam_status verify_end(ckam_run *run, ckam_status status, ckam_error *error) {
    ckam_error  later;
    double      values[2];
    ckam_status verified = verify(run, status >= 0, &later);
    if (run->source && source_is_noisy(run->source, values) && !*run->warning) run_warn(run, values);
    if (!verified || status < 0) return status;
    run->reason = "error";
    *error = later;
    return verified;
}

ckam_status ckam_run_go(ckam_run *run, ckam_watch *watcher, void *context, ckam_error *error) {
    session    s = {.run = run, .watch = watcher, .context = context, .rhat = (double)NAN, .ess = (double)NAN};
    ckam_error inner = {CKAM_OK, ""};
    if (*run->reason || run->quit) return fail_with(error, CKAM_ERROR_ORDER, "this run has stopped; resume it");
    s.start = s.saved = s.diagnosed = clock_seconds();
    s.processor = clock_processor();
    comm_gather_progress(run);
    s.fraction = fraction_done(&s, 0.0);
    for (size_t i = 0; i < run->plan->run.chains; i++)
        s.draws += run->chains[i].kept.draws + run->chains[i].kept.discarded;
    run->goal = next_goal(run);
    ckam_status status = begin(&s, &inner);
    status = comm_agree(run, status, &inner);
    if (!status) status = loop(&s, &inner);
    end_threads(&s);
    status = verify_end(run, status, &inner);
    s.end = clock_seconds();
    comm_gather_progress(run);
    search_update(run);
    if (!status || status == CKAM_STOP) diagnose(&s);
    if (s.chain) watch(&s, true);
    budget_explain(run);
    free(s.chain);
    free(s.own);
    ckam_status ended = finish_write(run, clock_seconds() - s.start, status, &inner);
    directory_leave(&run->place);
    if (ended && error) *error = inner;
    return ended;
}

void ckam_run_stop(ckam_run *run) { atomic_fetch_or(&run->halt, HALT_STOP); }

void ckam_programs_kill(void) { worker_kill_all(); }

void ckam_run_freeze(ckam_run *run) {
    const struct timespec moment = {.tv_nsec = 1000000};
    atomic_store(&run->gate.closed, true);
    for (int tries = 0; tries < 5000 && atomic_load(&run->gate.writing) > 0; tries++) nanosleep(&moment, NULL);
}
