/* run.h - inside a ckam_run: its chains with their files, the threads that drive them, and when to stop.
 *
 * Calls go one way, from the top of this list to its end; the test `layers` shows that there is no cycle.
 *
 *     loop.c        the main loop, and its threads       run.c         create, resume, free
 *     finish.c      what is written at the end           search.c      the search for modes; draws that a mode found late invalidates
 *     checkpoint.c  all chains to a file and back        equal_rows.c  truncates files to equal rows
 *     budget.c      how much warm-up the limits allow    memory.c      how much memory the run will use
 *     run_chain.c   one chain with its files             live.c        R-hat and ESS while the run goes on
 *     init.c        where chains start                   results.c     counts, draws and warnings for the caller
 *     comm.c        collective operations of the ranks   store.c       draws in memory
 *
 * A run alternates: threads advance chains (only they touch a chain that is busy), or all chains are paused and the
 * thread that called ckam_run_go() looks at everything. */
#ifndef CKAM_RUN_RUN_H
#define CKAM_RUN_RUN_H

#include "base/clock.h"
#include "draws/csv.h"
#include "run/directory.h"
#include "run/plan.h"
#include "run/store.h"
#include "target/source.h"

#include <pthread.h>

/* The columns that describe the sampler, before the parameters. Only a sampler that has modes writes the last two. */
enum {
    COLUMN_LOG_DENSITY,
    COLUMN_ACCEPT,
    COLUMN_STEP_SIZE,
    COLUMN_CYCLE,
    COLUMN_PHASE,
    COLUMN_MODE,
    COLUMN_MOVE,
    COLUMNS_OWN_MOST
};

/* One chain and its files. What the checkpoint keeps beside the snapshot is in `kept`. */
typedef struct run_chain {
    ckam_chain   *chain;
    ckam_target   target;
    model_handle *handle; /* of a user's model; NULL else */
    struct chain_kept {
        uint64_t draws, seen;           /* rows written; draws of the sampler, before thinning */
        uint64_t discarded, restarts;   /* rows that became warm-up because a mode was found after them; how often */
        uint64_t spent;                 /* the same, without those drawn only to complete a cycle */
        uint64_t top;                   /* bytes before the first row */
        uint64_t warmup_rows;           /* written to the warm-up file */
        uint64_t length, warmup_length; /* of the files, in bytes */
        uint64_t cut;                   /* bytes left in the file after truncation to equal rows: see equal_rows.c */
        uint64_t rest, rest_at;         /* the others are in checkpoint/rest_(rest + 1), from this byte on */
        uint64_t samples_at;            /* where num_samples stands in the file */
        double   warmup, sampling;      /* seconds */
    } kept;
    csv_writer          draws, warmup;
    uint64_t            warmup_length; /* iterations that give no draws, as the sampler plans it now */
    store               store;
    double             *row;  /* a number a column */
    ckam_step           last; /* without its x */
    uint64_t            evaluations;
    ckam_counts         counts;            /* as of the last report, and ... */
    uint64_t            faults, nans;      /* ... of this session's model: crashes, and values that were NaN */
    uint64_t            outside;           /* points outside of the bounds, where the model was not called */
    size_t              batch;             /* iterations between two looks at the clock */
    ckam_chain_progress shown;             /* changed under the run's lock */
    bool                busy, done, waits; /* waits: for the chains to be pooled */
    bool                lost;              /* a row could not be kept: the chain is ahead of its file */
    ckam_status         status;
    ckam_error          error;
} run_chain;

/* Why threads pause: bits of `halt`. */
enum { HALT_STOP = 1, HALT_PAUSE = 2 };

enum { WARNING_TEXT = 400, GOAL_FIRST = 100 }; /* draws at which until looks for the first time */

typedef struct live live;

/* What pooling has cost this process, in this session. */
typedef struct comm_cost {
    uint64_t pools, bytes; /* how often; sent and received */
    double   seconds;      /* in the exchange, after all were there */
} comm_cost;

struct ckam_run {
    ckam_plan    *plan;   /* a copy, with what was auto filled in */
    ckam_model   *model;  /* built in; NULL else */
    source       *source; /* a user's; NULL else. Without both the target is the caller's */
    ckam_target   target; /* of a user's model every chain has its own, this one has only its dim and names */
    size_t        own, values, columns;    /* columns before the values of a draw; values; both */
    char          warning[WARNING_TEXT];   /* a problem of the model; "" if there is none */
    char          shortfall[WARNING_TEXT]; /* why a rule ended the run without draws, and what would suffice; "" else */
    json_t       *rejected;                /* of run.json: the first point that was rejected; NULL if there was none */
    uint64_t      faults, nans, outside;   /* of earlier sessions */
    char        **names;                   /* of the columns */
    run_directory place;
    plan_format   format;
    until_rule    until;
    uint64_t      warmup; /* iterations that give no draws, at the start */
    char          started[CLOCK_TEXT];
    const char   *reason;
    double        seconds;        /* of earlier sessions */
    double        startup;        /* seconds that it took to create this run, and ... */
    double        files_cost;     /* ... of them to make or open its files */
    double        number_seconds; /* finish_number_seconds(), where there is a time limit */
    double        first_memory;   /* bytes that the process had in use before */
    double        memory;         /* bytes that it is estimated to use in this process, and ... */
    double        memory_available;
    ckam_review  *review;
    ckam_search   search;  /* as of the last update, and ... */
    bool          late;    /* ... whether draws were made before a mode was known that carries weight; ... */
    uint64_t      stuck;   /* ... and how many chains have no draws, or could make none if they began anew */
    bool          extends; /* up to the end of the cycle, whatever number of draws was asked for: see loop.c */
    const ckam_comm *comm; /* NULL: one process */
    size_t first, last;    /* chains of this rank: first .. last - 1; the others have only what their rank reported */
    struct comm_buffers *buffers;
    comm_cost            cost;
    run_chain           *chains;
    store              **stores;
    live                *live;
    csv_gate             gate;
    atomic_int           halt;
    uint64_t             goal;         /* draws at which chains wait for each other */
    pthread_mutex_t      lock, *guard; /* guard: the same lock, for functions that take a const ckam_run */
    pthread_cond_t       changed;
    bool                 quit;
    bool                 settled; /* the files that it began with are on the disk */
};

/* results.c: what the model is called in files. */
const char *run_model_name(const ckam_run *run);
/* Notes that the model gives two values for one point. */
void run_warn(ckam_run *run, const double values[2]);

/* run_chain.c */
ckam_status run_chain_open(ckam_run *run, size_t index, const double *start, ckam_error *error);
/* The store of a chain of another rank. */
ckam_status run_chain_open_remote(ckam_run *run, size_t index, ckam_error *error);
void        run_chain_close(run_chain *c);
/* Advances by at most one batch; less if the chain is done or at the goal, or the run halts. */
void run_chain_advance(ckam_run *run, run_chain *c);
/* Whether it can advance before the goal. */
bool run_chain_is_ready(const ckam_run *run, const run_chain *c);
/* Fills c->shown, c->counts, c->faults and c->done. */
void run_chain_report(const ckam_run *run, run_chain *c);
/* Makes the CSV files of a new run. */
ckam_status run_chain_make_files(ckam_run *run, size_t index, ckam_error *error);
/* Rows that a chain may have: those asked for, as long as they and the discarded ones are at most twice as many. */
uint64_t run_chain_rows_most(const ckam_run *run, uint64_t spent);
/* `spent` after its draws are restarted. */
uint64_t run_chain_spent(const ckam_run *run, const run_chain *c);

/* checkpoint.c: all chains are paused. Save is both: rows to the disk, then the state. The first one, of a run that has drawn
 * nothing, is not forced to the disk: it can be begun again. */
ckam_status checkpoint_begin(ckam_run *run, ckam_error *error);
ckam_status checkpoint_save(ckam_run *run, ckam_error *error);
ckam_status checkpoint_sync(ckam_run *run, ckam_error *error);
ckam_status checkpoint_write(ckam_run *run, ckam_error *error);
/* Loads chains, and opens the files cut to their lengths. */
ckam_status checkpoint_load(ckam_run *run, ckam_error *error);

/* equal_rows.c, after checkpoint_sync(): copies the rows of each chain beyond those of the shortest, which has *shortest draws, to a
 * file of the process ... */
ckam_status equal_rows_set_aside(ckam_run *run, uint64_t *shortest, ckam_error *error);
/* ... after checkpoint_write(): truncates the file of a chain ... */
ckam_status equal_rows_truncate(ckam_run *run, size_t index, ckam_error *error);
/* ... and, when a run is resumed, opens it with its rows put back. */
ckam_status equal_rows_restore(ckam_run *run, size_t index, ckam_error *error);

/* budget.c */
/* The horizon, where it is auto, from the other rules. */
void budget_plan(ckam_run *run);
/* CKAM_ERROR_OPTION if evals do not suffice for a draw of each chain, with how many would. */
ckam_status budget_check(const ckam_run *run, ckam_error *error);
/* Whether the time limit is all that says how long the run takes; then the warm-up is planned from the seconds that an evaluation
 * takes, before the first step. */
bool budget_is_time(const ckam_plan *plan);
void budget_plan_time(ckam_run *run, double seconds);
/* run->shortfall, once the run has ended and all chains have reported. */
void budget_explain(ckam_run *run);

/* search.c: all chains are paused */
/* run->search, from all chains; the same in all processes. */
void search_update(ckam_run *run);
/* Whether draws must begin anew, because a mode that carries weight was found after the present ones began, and may. */
bool search_restarts(const ckam_run *run);
/* The draws so far become warm-up: rows, counts, stores, checkpoint. */
ckam_status search_discard(ckam_run *run, ckam_error *error);

/* "search" of run.json; NULL if there was no search, or no memory. */
json_t *search_json(const ckam_search *search);

/* memory.c: estimates the memory that the run will use, when its chains are there; CKAM_ERROR_MEMORY if there is less, and a
 * warning if it is more than half of it. */
ckam_status memory_check(ckam_run *run, ckam_error *error);

/* live.c */
ckam_status live_create(live **l, ckam_run *run, ckam_error *error);
void        live_free(live *l);
/* Worst R-hat and least ESS of the stored draws; NaN while there are too few. */
void live_look(live *l, double *rhat, double *ess);

/* finish.c */
/* All that is written when a run has stopped with `status`, whose message is in *error if it failed. Returns that status,
 * or the first failure of writing if it was good. */
ckam_status finish_write(ckam_run *run, double seconds, ckam_status status, ckam_error *error);
/* JSON as it is in the files of a run, with a newline; yours to free, NULL for want of memory. */
char *record_text(const json_t *json, size_t digits, size_t *length);
/* Seconds that all this will take, and what the command does after it: an estimate from what there is to write, and from what making
 * the files took. `slowdown`: how many times longer the processor takes than it would for this process alone. */
double finish_seconds(ckam_run *run, double slowdown);
/* Seconds of processor time that the end takes per number of the draws, on this machine as it is now. */
double finish_number_seconds(void);
/* The most memory that this process has had, in bytes. */
double finish_memory(void);
/* run.json; `message` is that of a failure, or NULL. */
ckam_status finish_record(ckam_run *run, double seconds, bool ended, const char *message, ckam_error *error);

#endif
