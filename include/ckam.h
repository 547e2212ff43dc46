/* ckam.h - draw from a probability density that can only be evaluated.
 *
 * You have a function that gives the logarithm of a density, up to a constant, at any point. You have no
 * gradient. ckam draws from that density with adaptive Metropolis samplers: random walk (rw), adaptive
 * Metropolis (am, rbam, gam), kernel adaptive Metropolis (kam) and its cyclical form (ckam), and one that finds modes
 * and jumps between them (jump).
 *
 * The page reads from simple to explicit:
 *
 *     1. Errors            a status for every call, a sentence for every failure
 *     2. Targets           what is sampled: a dimension and a function
 *     3. One call          ckam_sample(): draws in an array
 *     4. Options           how a sampler is set, by name
 *     5. Chains            one chain, step by step, or asked and told; saved and loaded
 *     6. Models            built-in densities whose answers are known exactly
 *     7. Lists             what there is: samplers, options, models
 *     8. Runs              many chains over threads into a directory; stopped, resumed, watched
 *     9. Draws             read back, from a run or from other programs' Stan CSV files
 *    10. Diagnostics       what the draws say, and whether to believe them
 *    11. Pictures          a page for a browser, figures for a paper
 *    12. Experiments       samplers compared on a density whose answers are known
 *
 * Ownership: what a ckam_..._create() function makes is yours, and you free it with the matching
 * ckam_..._free(), which accepts NULL; everything else is borrowed, and says for how long. What cannot be made is NULL
 * afterwards. Every `error` may be NULL; other pointers only where it is said.
 *
 * The library prints nothing and never exits. Its only global state is the list of child programs, the list of open models that have
 * data, and the libraries that it has loaded, with a lock around NetCDF. Two threads may use two objects at the same time; one object
 * belongs to one thread at a time. Sampling a chain does not allocate; the create functions, ckam_sample(), ckam_chain_pool() and
 * what is in sections 8 to 12 do. Two effects reach further. A run that makes draws.nc loads the NetCDF library, which stays loaded, and
 * tells HDF5 below it not to close files by itself when the program exits; figures (ckam_plot_write()) load cairo, which stays, too.
 *
 * Random numbers are a function of (seed, chain, iteration): the same seed gives the same draws.
 */
#ifndef CKAM_H
#define CKAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CKAM_VERSION_MAJOR 0
#define CKAM_VERSION_MINOR 2
#define CKAM_VERSION_PATCH 0
#define CKAM_VERSION       "0.2.0"

#if defined(__GNUC__)
#define CKAM_API __attribute__((visibility("default")))
#else
#define CKAM_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the library that is loaded, for example "0.2.0". Compare it with CKAM_VERSION. */
CKAM_API const char *ckam_version(void);

/* -- 1. Errors -------------------------------------------------------------------------------------------
 *
 * 0 is success, a positive status says why something stopped, a negative one what failed. -10 was an error of 0.1 and is not
 * used again. */
#define CKAM_STATUS_MAP(X)                                                                                             \
    X(CKAM_OK, 0, "success")                                                                                           \
    X(CKAM_REJECT, 1, "the density is not defined at this point")                                                      \
    X(CKAM_STOP, 2, "the target asked the run to stop")                                                                \
    X(CKAM_LATE, 3, "a mode was found too late: there are fewer draws than were asked for")                            \
    X(CKAM_ERROR_MEMORY, -1, "out of memory")                                                                          \
    X(CKAM_ERROR_OPTION, -2, "an option is unknown or out of range")                                                   \
    X(CKAM_ERROR_ARGUMENT, -3, "an argument is not valid")                                                             \
    X(CKAM_ERROR_START, -4, "the density is not finite at the start")                                                  \
    X(CKAM_ERROR_INFINITE, -5, "the log density is +infinity at a point")                                              \
    X(CKAM_ERROR_SCALE, -6, "the scale of the density could not be found")                                             \
    X(CKAM_ERROR_ORDER, -7, "ask and tell were not called in turn")                                                    \
    X(CKAM_ERROR_SNAPSHOT, -8, "the snapshot does not belong to this chain")                                           \
    X(CKAM_ERROR_TARGET, -9, "the target returned an unknown code")                                                    \
    X(CKAM_ERROR_RANGE, -11, "the chain has left the range of numbers")                                                \
    X(CKAM_ERROR_INPUT, -12, "a file or directory cannot be read")                                                     \
    X(CKAM_ERROR_OUTPUT, -13, "a file or directory cannot be made")                                                    \
    X(CKAM_ERROR_WRITE, -14, "a write failed")                                                                         \
    X(CKAM_ERROR_FORMAT, -15, "a file does not hold what it should")

typedef enum ckam_status {
#define CKAM_STATUS_ENUM(name, code, sentence) name = (code),
    CKAM_STATUS_MAP(CKAM_STATUS_ENUM)
#undef CKAM_STATUS_ENUM
} ckam_status;

/* The name ("CKAM_ERROR_START") and the general sentence of a status; never NULL. */
CKAM_API const char *ckam_status_name(ckam_status status);
CKAM_API const char *ckam_status_text(ckam_status status);

/* What failed, in one sentence: what was wrong, with the value, and what would be right. Functions that take a
 * ckam_error fill it when they fail and leave it alone when they succeed; NULL is accepted everywhere. */
typedef struct ckam_error {
    ckam_status status;
    char        message[248];
} ckam_error;

/* -- 2. Targets ------------------------------------------------------------------------------------------
 *
 * Put the log density at x, up to a constant, into *value and return CKAM_OK. Return CKAM_REJECT where the
 * density is zero or cannot be computed (so do the values -infinity and NaN): the point is rejected and
 * counted. Return CKAM_STOP to end the run. The value +infinity is an error that names the point. */
typedef int ckam_log_density(void *context, const double *x, double *value);

typedef struct ckam_target {
    size_t             dim;         /* number of parameters, at least 1                                  */
    ckam_log_density  *log_density; /* may be NULL for a chain that is only asked and told               */
    void              *context;     /* handed to log_density; may be NULL                                */
    const char *const *names;       /* dim names, or NULL for x.1, x.2, ...                              */
    const bool *boxed; /* dim flags, or NULL: whether a coordinate is that of a parameter with two bounds, as models
                                       with --params have it (docs/models.md, "Bounds"): jump then sees the box as it is */
} ckam_target;

/* In files a name is a letter, then letters, digits and _, not ending in __; it may end in indices, as theta.1 or b.2.3. */

/* -- 3. One call -----------------------------------------------------------------------------------------
 *
 * Runs `chains` chains and stores `draws` draws of each: one chain after the other; those of jump together, from the end
 * of a cycle to the next, because there they learn from each other. The draws of a chain of jump depend on how many
 * chains there are. `spec` is a sampler with options, as in "gam" or "ckam:cycle-length=2000,explore=0.5" (section 4).
 * `start` has dim numbers, or is NULL for a random start of each chain, uniform on [-2, 2] in every coordinate.
 * out[(chain * draws + draw) * dim + parameter] is yours and must have room for chains * draws * dim numbers.
 * Draws of jump that were made before a mode was found that carries weight are discarded, and up to as many more are made. Returns
 * CKAM_OK, CKAM_STOP (the target asked; the draws so far are there, the rest is NaN), CKAM_LATE (modes were found again and again:
 * the draws since the last are there, the rest is NaN; ask for more), or an error. */
CKAM_API ckam_status ckam_sample(const ckam_target *target, const char *spec, const double *start, uint64_t seed,
                                 size_t chains, size_t draws, double *out, ckam_error *error);

/* -- 4. Options ------------------------------------------------------------------------------------------
 *
 * A sampler's settings. `spec` is a name and, after a colon, settings: "kam", "kam:kernel=gaussian,noise=0.2".
 * What is not set has its default; ckam_sampler_list() says what there is. */
typedef struct ckam_options ckam_options;

CKAM_API ckam_status ckam_options_create(ckam_options **options, const char *spec, ckam_error *error);
CKAM_API void        ckam_options_free(ckam_options *options);

/* Sets one option from text: a number, a word of its list, or "auto" where it is allowed. */
CKAM_API ckam_status ckam_options_set(ckam_options *options, const char *name, const char *value, ckam_error *error);
/* The same from a number. */
CKAM_API ckam_status ckam_options_set_number(ckam_options *options, const char *name, double value, ckam_error *error);
/* Writes the present value as text, cut to `size` bytes with the final 0. ckam_options_set() takes it back. */
CKAM_API ckam_status ckam_options_get(const ckam_options *options, const char *name, char *text, size_t size,
                                      ckam_error *error);
/* The sampler's name; borrowed from the library for ever. */
CKAM_API const char *ckam_options_sampler(const ckam_options *options);

/* -- 5. Chains -------------------------------------------------------------------------------------------
 *
 * A chain first evaluates its start, then, where an option is "auto", measures the scale of the density with
 * some evaluations more, then samples. Every step costs one evaluation of the target, whatever the phase. */
typedef struct ckam_chain ckam_chain;

typedef struct ckam_setup {
    const ckam_target  *target;  /* copied, but what it points to must outlive the chain                 */
    const ckam_options *options; /* read, not kept                                                       */
    const double       *start;   /* dim numbers, read, not kept; NULL: random, uniform on [-2, 2]        */
    uint64_t            seed;    /* same seed and chain, same draws; pooled: with the same other chains  */
    uint64_t            chain;   /* number of this chain: chains with one seed are independent           */
    uint64_t            horizon; /* iterations planned: kam's schedules, jump's warm-up; 0 means 10,000  */
    bool                pooled;  /* learns with others, at ckam_chain_pool(); else by itself (jump only) */
    uint64_t chains; /* how many learn together: of more than 4 each keeps fewer draws for it; two and more learn in
                                    two groups, even and odd, up to half of the warm-up. 0: a few, in one group */
    double
        unseen; /* jump prolongs its warm-up until the bound on the probability of an unseen mode is below this, as --unseen; 0 means 0.00015, 1 does not */
} ckam_setup;

CKAM_API ckam_status ckam_chain_create(ckam_chain **chain, const ckam_setup *setup, ckam_error *error);
CKAM_API void        ckam_chain_free(ckam_chain *chain);

typedef enum ckam_phase {
    CKAM_PHASE_START,   /* the start, or a try of a random one, is evaluated                              */
    CKAM_PHASE_SCALE,   /* the scale of the density is measured; jump: and the way to a mode found        */
    CKAM_PHASE_EXPLORE, /* ckam, jump: the first part of a cycle; jump: the way to its first cycle, too   */
    CKAM_PHASE_SAMPLE   /* everything else                                                                */
} ckam_phase;

/* One iteration, for the reader: nothing here is needed to go on. */
typedef struct ckam_step {
    const double *x;           /* the state, dim numbers; borrowed until the chain's next ask, tell or step */
    double        log_density; /* at x                                                                      */
    double        accept;      /* alpha, the probability with which the proposal was accepted               */
    double        step_size;   /* nu of this proposal                                                       */
    uint64_t      cycle;       /* from 0; always 0 where there are no cycles                                */
    uint64_t      mode;        /* jump: the mode that x belongs to, from 1; else 0                          */
    uint64_t      move;        /* jump: 1 local, 2 affine, 3 independent, 4 carried; else 0                 */
    ckam_phase    phase;
    bool          accepted;
    bool          draw; /* keep x: it is a draw (not warm-up, not exploration)                       */
} ckam_step;

/* One iteration: ask, evaluate the target, tell. *step is filled; NULL is not accepted. After CKAM_STOP or an error
 * the chain is where it was and the same point is still out: another step evaluates it again. Not so after CKAM_ERROR_START
 * and CKAM_ERROR_SCALE: it cannot begin there. Make another chain, with another start. */
CKAM_API ckam_status ckam_chain_step(ckam_chain *chain, ckam_step *step);

/* The same in two halves, for a density that is evaluated elsewhere. *x is the point to evaluate, borrowed until
 * the tell; asked again it is the same one. Tell a NaN or -INFINITY where the density is not defined; +INFINITY
 * is an error, after which the point may be told again. */
CKAM_API ckam_status ckam_chain_ask(ckam_chain *chain, const double **x);
CKAM_API ckam_status ckam_chain_tell(ckam_chain *chain, double log_density, ckam_step *step);

/* Chains of jump that were set up as pooled learn from each other at the end of each cycle. There they wait: asked or
 * stepped then, they refuse. When all of them wait, at the same cycle, ckam_chain_pool() makes their memories one, in the
 * order in which they are given, and they go on. Their options must be the same. A chain of jump that is not pooled waits
 * between its cycles, too, and goes on by itself when it is asked or stepped. Chains of other samplers never wait. */
CKAM_API bool        ckam_chain_waits(const ckam_chain *chain);
CKAM_API ckam_status ckam_chain_pool(ckam_chain *const *chains, size_t count, ckam_error *error);
/* Whether a mode with a hundredth of the draws and more was found after the draws of these chains of jump began. Draws made without it
 * are not draws from the target: leave out all that there are, and count from here on; asked again the answer is no. Ask where all chains
 * wait, before they are pooled. ckam_sample() and runs do so. */
CKAM_API bool ckam_chain_found_late(ckam_chain *const *chains, size_t count);

/* Why the last call on this chain failed; borrowed until the next one. */
CKAM_API const ckam_error *ckam_chain_error(const ckam_chain *chain);

/* What has happened so far. */
typedef struct ckam_counts {
    uint64_t evaluations;    /* of the target, all phases, but for those that ended in a stop or error   */
    uint64_t iterations;     /* of the sampler: evaluations less those of start and scale                */
    uint64_t draws;          /* steps whose state is a draw                                              */
    uint64_t accepted;       /* proposals                                                                */
    uint64_t undefined;      /* proposals rejected because the density was NaN, zero or not defined      */
    uint64_t floored;        /* times a learned covariance was kept from degenerating                    */
    uint64_t factorisations; /* ckam: of Sigma, one a cycle                                              */
    uint64_t scouts;         /* jump: searches for modes that have ended                                 */
    uint64_t runaways;       /* jump: those of them that were stopped far outside                        */
    uint64_t modes;          /* jump: that it knows and has been in                                      */
} ckam_counts;

CKAM_API void ckam_chain_counts(const ckam_chain *chain, ckam_counts *counts);

/* A snapshot holds all that the chain needs to go on with the same bits: in the same program, or in a chain
 * created elsewhere with the same target, options, seed, number and horizon. (The start is part of the
 * snapshot.) Save writes exactly ckam_chain_snapshot_size() bytes into `bytes`, which is yours. That is what the chain needs
 * now: memory that it has not used yet is left out, so the size may be another one after a step or a pool. Load refuses,
 * and says what differs, what was saved by another version, sampler, dimension, seed, chain, horizon or
 * setting, and what is cut or damaged. A snapshot is for one kind of machine. */
CKAM_API size_t      ckam_chain_snapshot_size(const ckam_chain *chain);
CKAM_API ckam_status ckam_chain_save(ckam_chain *chain, void *bytes, size_t size);
CKAM_API ckam_status ckam_chain_load(ckam_chain *chain, const void *bytes, size_t size);

/* -- 6. Models -------------------------------------------------------------------------------------------
 *
 * Built-in densities, by a name with options: "bimodal", "bimodal:dim=32,separation=20". Each knows its exact
 * answers, so that a sampler, or your use of one, can be checked. */
typedef struct ckam_model ckam_model;

CKAM_API ckam_status ckam_model_create(ckam_model **model, const char *spec, ckam_error *error);
CKAM_API void        ckam_model_free(ckam_model *model);

/* The target to sample; borrowed, lives as long as the model. Its density is normalised: log Z = 0. */
CKAM_API const ckam_target *ckam_model_target(const ckam_model *model);
/* A start for experiments (the paper's, where it has one): dim numbers into x. */
CKAM_API void ckam_model_start(const ckam_model *model, double *x);
/* Exact mean (dim numbers) and covariance (dim * dim numbers). */
CKAM_API void ckam_model_mean(const ckam_model *model, double *mean);
CKAM_API void ckam_model_covariance(const ckam_model *model, double *covariance);
/* Writes the centres of at most `most` modes (most * dim numbers; may be NULL when most is 0) and their weights (most
 * numbers, or NULL) and returns how many modes there are in all, which may be more than any integer holds (grid32 has
 * 5^32). 0: the modes are not isolated points (the ring). Centres are those of the mixture's components where the
 * model is a mixture. */
CKAM_API double ckam_model_modes(const ckam_model *model, size_t most, double *centres, double *weights);
/* The index-th of a sequence of exact, independent draws that depends on the seed alone. */
CKAM_API void ckam_model_draw(const ckam_model *model, uint64_t seed, uint64_t index, double *x);
/* The exact probability that coordinate k (from 0) lies in (low, high]; low may be -INFINITY, high INFINITY. */
CKAM_API double ckam_model_probability(const ckam_model *model, size_t k, double low, double high);
/* The same of a box: that every coordinate k lies in (low[k], high[k]]. NaN where the model does not know it; mixtures of
 * round Gaussians do (bimodal, mixture5, grid32). */
CKAM_API double ckam_model_box(const ckam_model *model, const double *low, const double *high);

/* -- 7. Lists --------------------------------------------------------------------------------------------
 *
 * All three live for ever and end with an entry whose name is NULL. */
typedef enum ckam_option_type {
    CKAM_REAL,
    CKAM_COUNT,
    CKAM_CHOICE, /* one of `words`; a choice of "false" and "true" is a flag */
    CKAM_WORD,   /* a whole number of 64 bits: a seed                        */
    CKAM_TEXT    /* any text; its default is the first of `words`            */
} ckam_option_type;

typedef struct ckam_option {
    const char        *name; /* "step-size": flag, run-file key and argument of ckam_options_set()    */
    const char        *help; /* one line                                                              */
    ckam_option_type   type;
    bool               has_auto;            /* "auto" is a value                                                     */
    bool               open_low, open_high; /* the bound itself is not allowed                            */
    double             low, high;           /* range                                                      */
    double             initial;             /* default; NaN is auto; the index of the word for a choice   */
    const char *const *words;               /* a choice's words, ended by NULL                            */
    size_t             offset;              /* internal: where it lives in the sampler's options          */
} ckam_option;

typedef struct ckam_entry {
    const char        *name;
    const char        *summary; /* one line */
    const ckam_option *options; /* ended by an entry without a name */
} ckam_entry;

/* The range of an option in words: "a number > 0 and < 1", "a whole number >= 1, or auto", "linear, gaussian or matern". */
CKAM_API void ckam_option_range(const ckam_option *option, char *text, size_t size);
/* The name nearest to `name` in a list of structs of `stride` bytes that begin with a name and end with one that is NULL;
 * NULL where none is near. */
CKAM_API const char *ckam_nearest_name(const void *list, size_t stride, const char *name);

CKAM_API const ckam_entry *ckam_sampler_list(void);
CKAM_API const ckam_entry *ckam_model_list(void);

/* -- 8. Runs ---------------------------------------------------------------------------------------------
 *
 * A plan says what to run: a model, a sampler with its options, how many chains, when to stop, where to write. A run
 * carries it out. Chains are dealt to threads; each has its own file, written as it goes, so memory does not grow with
 * the number of draws. The draws are the same bits for any number of threads, and for a run that was killed and
 * resumed.
 *
 * The directory of a run:
 *
 *     run.json         the plan with every default filled in, version, seed, times, evaluations, why it stopped
 *     chain_1.csv ...  the draws in Stan's CSV format; chain_1_warmup.csv ... when asked for
 *     draws.nc         the same for ArviZ (NetCDF), made when the run stops
 *     summary.csv      a row a parameter
 *     checkpoint/      what resuming needs
 */
typedef struct ckam_plan ckam_plan;

/* A plan with the defaults of ckam_plan_list(); only "model" has none. */
CKAM_API ckam_status ckam_plan_create(ckam_plan **plan, ckam_error *error);
/* The plan of the run in a directory, as run.json has it. */
CKAM_API ckam_status ckam_plan_open(ckam_plan **plan, const char *directory, ckam_error *error);
CKAM_API void        ckam_plan_free(ckam_plan *plan);

/* Sets one setting from text. `name` is one of ckam_plan_list(), or an option of the plan's sampler: set "sampler"
 * first. The sampler may be a spec: "gam", "kam:noise=0.2". */
CKAM_API ckam_status ckam_plan_set(ckam_plan *plan, const char *name, const char *value, ckam_error *error);
CKAM_API ckam_status ckam_plan_get(const ckam_plan *plan, const char *name, char *text, size_t size, ckam_error *error);
/* Sets everything that a JSON file names: {"model": "bimodal", "sampler": "gam", "warmup": 500}. Numbers, words,
 * true, false, and lists of numbers for "init". `sampler`, or NULL, is taken in place of the file's. */
CKAM_API ckam_status ckam_plan_read(ckam_plan *plan, const char *path, const char *sampler, ckam_error *error);
/* Keeps the command line that led to this plan, for run.json. Cut after 4095 bytes. */
CKAM_API void ckam_plan_command(ckam_plan *plan, const char *command);
/* What a user should know while ckam waits, in one sentence: that a program (setting program) has not answered for 5 seconds. Called by
 * the thread that waits, which may be any; borrowed during the call. NULL: nobody is told. */
typedef void  ckam_notice(void *context, const char *sentence);
CKAM_API void ckam_plan_notice(ckam_plan *plan, ckam_notice *notice, void *context);
/* The settings of a plan, ended by one without a name; lives for ever. */
CKAM_API const ckam_option *ckam_plan_list(void);

typedef struct ckam_run ckam_run;

/* A communicator: processes (ranks) that carry out one run, with the same plan and in the same directory, each with a part of the
 * chains. Draws do not depend on the number of ranks. ckam_run_create() (or resume) and ckam_run_go() are collective: all ranks call
 * them, and get the same status. Rank 0 writes and has what concerns all chains: run.json, summary, review, progress.
 * You supply the transport, one function that gathers bytes; ckam/mpi.h has one over MPI. */
typedef struct ckam_comm {
    size_t rank, size;
    size_t neighbours; /* ranks on this machine, this one included: they share its processors */
    void  *context;
    /* Gathers sizes[r] bytes from each rank r (`bytes` on this one), concatenated in the order of ranks, into `all`: on rank 0, or
     * with `everywhere` on all ranks (allgather). `all` is NULL on a rank that receives nothing. Collective, with the same sizes on
     * all ranks, in the thread that called the library. If a rank cannot be reached, end the process: the others cannot go on. */
    void (*gather)(void *context, const void *bytes, const size_t *sizes, void *all, bool everywhere);
} ckam_comm;
/* Borrowed, for as long as the plan and the runs that are made from it. */
CKAM_API void ckam_plan_comm(ckam_plan *plan, const ckam_comm *comm);

typedef struct ckam_draws ckam_draws;

/* Checks everything, and makes the directory and its files. The target is copied, but its context and names must outlive the
 * run; its log_density is called from several threads at once, and not before ckam_run_go(). Settings of models ("params", "data",
 * "bounds") are refused with it: where it has bounds, it gives CKAM_REJECT outside. NULL: the plan's model, of which a point may be
 * evaluated twice. The plan is read, not kept. */
CKAM_API ckam_status ckam_run_create(ckam_run **run, const ckam_plan *plan, const ckam_target *target,
                                     ckam_error *error);
/* Goes on in the directory `directory` where its checkpoint is: a plan from ckam_plan_open(), in which "draws", "evals",
 * "time-limit", "until", "threads", "format", "progress" and "checkpoint-every" may have been changed, and of a user's model
 * "workers", "timeout" and "isolate"; a rule that is new lifts draws
 * or evaluations that are used up. What was written after the checkpoint is cut off. Refused, by naming what differs,
 * are a checkpoint of another model, dimension, sampler, setting or version, and a target that gives another value at a
 * stored point. */
CKAM_API ckam_status ckam_run_resume(ckam_run **run, const ckam_plan *plan, const char *directory,
                                     const ckam_target *target, ckam_error *error);
CKAM_API void        ckam_run_free(ckam_run *run);

/* Where a chain is. */
typedef struct ckam_chain_progress {
    uint64_t   draws, evaluations, cycle;
    uint64_t   discarded; /* draws that became warm-up, because a mode was found after them */
    uint64_t   modes;     /* jump: that the chain knows and has been in; else 0 */
    double     accept;    /* share of the sampler's proposals that were accepted */
    double     step_size; /* of the last step */
    ckam_phase phase;
    bool       done;
} ckam_chain_progress;

/* How the search for modes went (jump). A search is independent of the others and ends in one mode, or in none. */
typedef struct ckam_search {
    uint64_t searches;    /* that have ended, starts of chains included; 0: the sampler does not search */
    uint64_t evaluations; /* that they took */
    uint64_t modes;       /* that draws have visited ... */
    uint64_t once, twice; /* ... those of them that one search met, two */
    double probability; /* that a further search ends in a mode that none has met: Good and Turing's once / searches */
    double bound;       /* its upper confidence bound at 95 % */
    double unseen;      /* how many such modes there are at least, by the modes met once and twice, or by the groups */
    uint64_t group[2]; /* modes that the searches of two groups of chains, which learned apart at first, have met ... */
    uint64_t common;   /* ... those that both had */
    double
        unvisited_share; /* share of the mass that a place may have that a search found and no draw has reached; 0: none */
    double   late_share; /* share of the last draws in modes that were not known when the draws began */
    uint64_t restarts;   /* how often draws began anew, because such a mode was found */
    uint64_t discarded;  /* draws of a chain that became warm-up */
} ckam_search;

/* In one sentence: "412 independent searches ended in 7 modes; a further search would find a new one with probability < 0.9 % (95 %)". */
enum { CKAM_SEARCH_TEXT = 200 };
CKAM_API void ckam_search_text(const ckam_search *search, char text[CKAM_SEARCH_TEXT]);

/* Where a run is. Borrowed during the call. */
typedef struct ckam_progress {
    size_t                     chains;
    const ckam_chain_progress *chain;
    double                     fraction;  /* done, from 0 to 1; NaN while nothing can be said */
    double                     elapsed;   /* seconds since this start or resume */
    double                     remaining; /* seconds, estimated; NaN while nothing can be said */
    double                     draws_per_second;
    bool                       writing;   /* the last call: chains have stopped, files and summary follow */
    double                     rhat, ess; /* worst R-hat and least ESS (bulk or tail) so far; NaN while not known */
    ckam_search                search;    /* at the end of the last cycle */
} ckam_progress;

typedef void ckam_watch(void *context, const ckam_progress *progress);

/* Runs until a rule of the plan, ckam_run_stop(), the target or an error ends it; then writes checkpoint, ends of files,
 * draws.nc, summary.csv and run.json. `watch`, or NULL, is called from this thread about 10 times a second and once at
 * the end. Returns CKAM_OK when a rule ended the run, CKAM_STOP when ckam_run_stop() or the target did. */
CKAM_API ckam_status ckam_run_go(ckam_run *run, ckam_watch *watch, void *context, ckam_error *error);
/* Asks the run to stop after the present iterations. May be called from a signal handler or another thread. */
CKAM_API void ckam_run_stop(ckam_run *run);
/* For a process that is about to end at once: waits until no row is being written, and lets no further one begin. May
 * be called from a signal handler. */
CKAM_API void ckam_run_freeze(ckam_run *run);
/* For such a process, too: ends, with SIGKILL, all programs that any run of it has started (setting program), and what they
 * started. May be called from a signal handler. */
CKAM_API void ckam_programs_kill(void);

/* Where it writes, as it was given; "" where it does not (format none). Once ckam_run_go() has returned: where the directory is
 * then, an absolute path if it was moved meanwhile, and "" if it cannot be found. Borrowed from the run. */
CKAM_API const char *ckam_run_directory(const ckam_run *run);
/* How the search for modes has gone so far: at the end of the last cycle, or of the run. */
CKAM_API void ckam_run_search(const ckam_run *run, ckam_search *search);
/* Why it stopped, as run.json says it: "draws", "late", "evals", "time-limit", "until", "interrupted", "target", "error"; "" before
 * that. */
CKAM_API const char *ckam_run_reason(const ckam_run *run);
/* The same in words, after "stopped because": "all draws are there"; the reason itself where it is not one of these. */
CKAM_API const char *ckam_reason_text(const char *reason);
/* The sum over all chains; of modes the most that a chain knows. */
CKAM_API void ckam_run_counts(const ckam_run *run, ckam_counts *counts);
/* What the draws say, as ckam_run_go() found it at the end; NULL before that, and when there was nothing to look at.
 * Borrowed from the run. */
CKAM_API const struct ckam_review *ckam_run_review(const ckam_run *run);
/* What was noticed of the plan's model when the run was created, and of a program until now, in one sentence, as that its values for
 * one point differ; "" if nothing. */
CKAM_API const char *ckam_run_warning(const ckam_run *run);
/* Where evals or the time limit ended the run before every chain had a draw: what the evaluations went to, and what would do, in one
 * sentence; "" else. Borrowed from the run. */
CKAM_API const char *ckam_run_shortfall(const ckam_run *run);
/* The draws that the run keeps in memory, an even thinning of all of them (about 2000 rows a chain where there are files, up to
 * 2^20 numbers where there are none): lp__ and the parameters. Yours to free; it is a copy. Of several processes only the
 * first, rank 0, has them; others get CKAM_ERROR_ORDER. */
CKAM_API ckam_status ckam_run_draws(const ckam_run *run, ckam_draws **draws, ckam_error *error);

/* -- 9. Draws --------------------------------------------------------------------------------------------
 *
 * Columns of numbers: some that end in "__" and describe the sampler ("lp__" first), then the parameters. All chains have
 * the same number of rows here: longer ones are cut to the shortest. Of more than 2^20 rows or 2^23 numbers in all only
 * every stride-th row of a chain is used; many columns leave at least 250 of them. */

/* Opens the CSV files of a run's directory, or CSV files by name; of those of CmdStan a saved warm-up is left out. A file that is
 * named twice, and files of a warm-up beside others, are refused. Reads headers and counts rows; columns are read as they are
 * wanted. */
CKAM_API ckam_status ckam_draws_open(ckam_draws **draws, const char *const *paths, size_t count, ckam_error *error);
/* Draws in memory, as ckam_sample() leaves them: values[(chain * rows + row) * dim + parameter]. Copied. `names` has dim
 * names, or is NULL for x.1, x.2, ...; `log_density`, chains * rows numbers, or NULL, becomes the column lp__. */
CKAM_API ckam_status ckam_draws_create(ckam_draws **draws, size_t chains, size_t rows, size_t dim,
                                       const char *const *names, const double *values, const double *log_density,
                                       ckam_error *error);
CKAM_API void        ckam_draws_free(ckam_draws *draws);

typedef struct ckam_draws_shape {
    size_t   chains, columns;
    size_t   first;             /* the first column that is a parameter */
    size_t   rows;              /* of a chain, as used here */
    uint64_t stride;            /* every stride-th row of the files is used */
    uint64_t shortest, longest; /* rows of a chain in the files */
} ckam_draws_shape;

CKAM_API const ckam_draws_shape *ckam_draws_shape_of(const ckam_draws *draws);
/* The name of a column below shape->columns; borrowed from the draws. */
CKAM_API const char *ckam_draws_name(const ckam_draws *draws, size_t column);
/* *values := rows of the first chain, then of the next: chains * rows numbers; borrowed until the next call on these
 * draws. Reading columns in their order reads a large file the fewest times. */
CKAM_API ckam_status ckam_draws_column(ckam_draws *draws, size_t column, const double **values, ckam_error *error);

/* The model of a plan, reopened on the unconstrained space, with its draws as points of that space: bounded parameters are
 * transformed as in docs/models.md. The draws must outlive it; its target and its draws are borrowed from it. */
typedef struct ckam_posterior ckam_posterior;

CKAM_API ckam_status        ckam_posterior_open(ckam_posterior **posterior, const ckam_plan *plan, ckam_draws *draws,
                                                ckam_error *error);
CKAM_API void               ckam_posterior_free(ckam_posterior *posterior);
CKAM_API const ckam_target *ckam_posterior_target(const ckam_posterior *posterior);
CKAM_API ckam_draws        *ckam_posterior_draws(const ckam_posterior *posterior);

/* -- 10. Diagnostics -------------------------------------------------------------------------------------
 *
 * R-hat, effective sample sizes (ESS) and standard errors as in Vehtari, Gelman, Simpson, Carpenter and Buerkner (2021):
 * the same numbers as R's package posterior. NaN where a number cannot be given: fewer than 4 rows a chain for R-hat or 6
 * for the others, a NaN among the values, or all equal. Chains that stand still, not all in one place, have an infinite R-hat. */
typedef struct ckam_summary {
    double mean, mcse_mean, sd, median, mad, q5, q95;
    double rhat;               /* the larger one of bulk and tail; below 1.01 is good */
    double ess_bulk, ess_tail; /* above 100 a chain is good */
} ckam_summary;

/* values[chain * rows + row]: one quantity. Fails only for want of memory. */
CKAM_API ckam_status ckam_summarise(const double *values, size_t chains, size_t rows, ckam_summary *summary,
                                    ckam_error *error);

/* A place where draws gather, apart from other such places. */
typedef struct ckam_mode {
    double          weight, mcse; /* share of all draws, and its standard error */
    const double   *centre;       /* mean of its draws, a number a parameter */
    const double   *spread;       /* their standard deviations */
    const uint64_t *visits;       /* draws of each chain in it */
    uint64_t        arrivals;     /* crossings into it from another mode */
    uint64_t        found;        /* the cycle of its first draw (cycle__); 0 where there are no cycles */
} ckam_mode;

typedef enum ckam_severity { CKAM_NOTE, CKAM_PROBLEM } ckam_severity;

/* Something to know about the draws, and what to do about it. */
typedef struct ckam_finding {
    ckam_severity severity;
    char          text[248], advice[248];
} ckam_finding;

/* What run.json says of a run: the error that ended it, that it has not ended, and what it noticed about its model: values that
 * differ, crashes, NaN, points without a value, searches that ran away. Problems first. Returns how many there are; 0 also where
 * the directory is NULL or not that of a run. */
enum { CKAM_INCIDENTS = 16 };
CKAM_API size_t ckam_run_incidents(const char *directory, ckam_finding found[CKAM_INCIDENTS]);

/* What there is to know of a search for modes: problems, where it speaks for modes that are missing, or not for their absence, and notes.
 * `allowed`, the setting `unseen` of a plan, is the bound up to which the search is saturated, half of it where there are several
 * modes, and less, by (10/dim)^2, in more than 10 dimensions. Returns how many there are; 0 where there was no search. Those of a run in a directory are among ckam_run_incidents(). */
enum { CKAM_SEARCH_FINDINGS = 5 };
CKAM_API size_t ckam_search_findings(const ckam_search *search, double allowed, size_t dim,
                                     ckam_finding found[CKAM_SEARCH_FINDINGS]);

/* All that is known about a set of draws. */
typedef struct ckam_review {
    size_t              chains, rows, parameters;
    uint64_t            stride;
    const char *const  *names;       /* of the parameters */
    const ckam_summary *summary;     /* of the parameters */
    ckam_summary        log_density; /* of lp__; all NaN where there is none */
    double              multi_ess;   /* ESS of all parameters together; NaN where it cannot be had */
    size_t              modes;       /* how many were found; 1 where no parts are apart, 0 where it was not tried */
    const ckam_mode    *mode;        /* the heaviest first */
    uint64_t            crossings;   /* from one mode to another between two rows of a chain */
    size_t              findings;
    const ckam_finding *finding; /* problems first */
} ckam_review;

/* Reads all columns. Borrows nothing from the draws. */
CKAM_API ckam_status ckam_review_create(ckam_review **review, ckam_draws *draws, ckam_error *error);
CKAM_API void        ckam_review_free(ckam_review *review);

/* All findings of a run, problems first: what run.json says (directory NULL: nothing) and what the review of its draws says (or
 * NULL); *count := how many. Whoever uses the draws of a run should look at these. Fails only for want of memory. */
enum { CKAM_FINDINGS = 40 };
CKAM_API ckam_status ckam_run_findings(const char *directory, const ckam_review *review,
                                       ckam_finding found[CKAM_FINDINGS], size_t *count, ckam_error *error);

/* The evidence: the logarithm of the integral Z of the density that the target gives, by bridge sampling (Meng and Wong
 * 1996) between the draws and a mixture q that is fitted to other draws of the same chains. */
typedef struct ckam_evidence {
    double   log_z, se;   /* and its standard error, with the ESS of the draws */
    double   ess;         /* of the draws that were bridged */
    double   overlap;     /* of the target and q, from 0 (apart) to 1 (the same) */
    size_t   components;  /* of q */
    uint64_t evaluations; /* of the target */
    bool     trusted;
    bool     doubted;      /* the warning is a problem of the draws, as the review has it */
    char     warning[248]; /* why it is not to be trusted, and what to do; "" where it is */
} ckam_evidence;

/* The target is the one that was sampled. It is evaluated at as many points as draws are bridged, at most 20,000; and at
 * 8 draws, and where rounding matters at some points beside them, to see that they are of this target, or, where they have no
 * lp__, at all that are bridged. The same seed gives the same numbers. */
CKAM_API ckam_status ckam_evidence_estimate(ckam_draws *draws, const ckam_target *target, uint64_t seed,
                                            ckam_evidence *evidence, ckam_error *error);
/* Keeps an estimate in the directory of its run: as evidence.json, as "evidence" in run.json, and as attributes of draws.nc where
 * there is one. `draws` is how many of each chain there were; the problems among `found`, the findings of the run, become its
 * warnings beside its own. Refused while a process is running there; what the run goes on to draw takes the estimate away. */
CKAM_API ckam_status ckam_evidence_write(const char *directory, const ckam_evidence *evidence, uint64_t seed,
                                         uint64_t draws, const ckam_finding *found, size_t count, ckam_error *error);

/* -- 11. Pictures ----------------------------------------------------------------------------------------
 *
 * `paths` are as for ckam_draws_open(): the directory of a run, or CSV files. `parameters` are names, ended by NULL; NULL
 * stands for all, as far as there is room. */

/* One HTML page that needs nothing else: tables, findings, and figures that answer to the mouse and the keyboard. It has
 * the draws of a large run thinned, and says so. `out` ends in .html or .htm. */
CKAM_API ckam_status ckam_report_write(const char *const *paths, size_t count, const char *const *parameters,
                                       const char *out, ckam_error *error);

typedef struct ckam_plot_kind {
    const char *name, *summary;
} ckam_plot_kind;

/* Ended by one without a name; lives for ever. */
CKAM_API const ckam_plot_kind *ckam_plot_list(void);
/* One figure into a file, PDF, SVG or PNG by the ending of `out`. */
CKAM_API ckam_status ckam_plot_write(const char *const *paths, size_t count, const char *kind,
                                     const char *const *parameters, const char *out, ckam_error *error);

/* -- 12. Experiments -------------------------------------------------------------------------------------
 *
 * An experiment is a directory with a file experiment.json, which names a built-in model, run files beside it, and
 * figures. Each run file is carried out with several seeds, one chain each, and followed: divergence from the truth,
 * ESS, mode changes, against evaluations and time. docs/reproduction.md has the form of the file. */
typedef struct ckam_experiment ckam_experiment;

typedef struct ckam_experiment_setup {
    uint64_t evals;   /* of a chain; 0: what the experiment says */
    double   seconds; /* of a chain, in place of evaluations; 0: evaluations count */
    uint64_t seeds;   /* 0: what the experiment says */
    size_t   threads; /* 0: one a processor */
} ckam_experiment_setup;

/* Reads and checks the experiments in these directories, and makes `out`, which must not hold anything. */
CKAM_API ckam_status ckam_experiment_create(ckam_experiment **experiment, const char *const *directories, size_t count,
                                            const ckam_experiment_setup *setup, const char *out, ckam_error *error);
CKAM_API void        ckam_experiment_free(ckam_experiment *experiment);

/* Where it is. Borrowed during the call. */
typedef struct ckam_experiment_progress {
    size_t      done, chains;       /* chains that have ended, of how many */
    double      fraction;           /* of all work */
    double      elapsed, remaining; /* seconds; remaining is NaN while nothing can be said */
    const char *now;                /* what was begun last: "bimodal: ckam-scripts, seed 2" */
} ckam_experiment_progress;

typedef void ckam_experiment_watch(void *context, const ckam_experiment_progress *progress);

/* Runs all chains over threads, then writes into `out`: results.csv, summary.csv, figures/EXPERIMENT-NAME.pdf and .svg,
 * index.html. CKAM_STOP after ckam_experiment_stop(): the same of what had ended by then, and nothing where no chain had. Once
 * only. */
CKAM_API ckam_status ckam_experiment_go(ckam_experiment *experiment, ckam_experiment_watch *watch, void *context,
                                        ckam_error *error);
/* May be called from a signal handler or another thread. */
CKAM_API void ckam_experiment_stop(ckam_experiment *experiment);
/* What came out as a table for a terminal, a line a run; borrowed from the experiment. "" before the end. */
CKAM_API const char *ckam_experiment_table(const ckam_experiment *experiment);

#ifdef __cplusplus
}
#endif
#endif
