/* experiment.h - inside a ckam_experiment: samplers compared on a density whose answers are known.
 *
 *     read_experiment.c   experiment.json and its run files    track.c           one chain, measured as it runs
 *     truth.c             exact probabilities of bins          seeds.c           the chains of several seeds as one
 *     figures.c           the figures that the file names      write_results.c   files, page and table
 *     experiment.c        the public functions; chains over threads
 *
 * Text points into the JSON objects, which live as long as the experiment. */
#ifndef CKAM_EXPERIMENT_EXPERIMENT_H
#define CKAM_EXPERIMENT_EXPERIMENT_H

#include "base/file.h"
#include "report/document.h"
#include "run/plan.h"

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>

/* -- truth.c ------------------------------------------------------------------------------------------------------ */

enum { MODES_MOST = 8, CENTRES_MOST = 64, SEEDS_MOST = 10000 };

/* Bins of a coordinate divide [low, low + range] equally; the outermost two extend to infinity. */
typedef struct truth {
    ckam_model *model;
    size_t      dim;
    size_t      bins, side;         /* of a marginal; along each side of the joint histogram */
    size_t      pair[2];            /* the two coordinates of the joint histogram */
    double     *low, *range;        /* of every coordinate: between the quantiles 1e-5 and 1 - 1e-5 */
    double     *marginal;           /* dim * bins probabilities */
    double     *joint;              /* side * side: [row * side + column], a column along pair[0] */
    size_t      modes, coordinates; /* centres, and how many of the first coordinates assign draws to them */
    double      centre[CENTRES_MOST * 2];
} truth;

ckam_status truth_create(truth *t, const char *model, size_t bins, size_t side, const size_t pair[2],
                         ckam_error *error);
void        truth_free(truth *t);
/* The mode whose centre is nearest. 0 where there is only one, or none that is a point. */
size_t truth_mode(const truth *t, const double *x);

/* -- track.c ------------------------------------------------------------------------------------------------------ */

typedef enum measure {
    KL_JEFFREYS,
    KL_PAPER,
    MARGINAL_JEFFREYS,
    MARGINAL_PAPER,
    MULTI_ESS,
    MODE_CHANGES,
    MEASURES
} measure;

typedef struct measure_entry {
    const char *name, *label; /* in files; on axes */
    bool        logarithmic;
} measure_entry;

extern const measure_entry measure_table[MEASURES];

/* The state of the measures after some number of evaluations. */
typedef struct record {
    double evaluations, seconds, draws, value[MEASURES];
} record;

enum { STEPS_MOST = 10000, RECORDS_MOST = 160, SHARE_ROWS = 4096 };

/* One chain. Its random numbers depend on the seed alone. */
typedef struct track {
    uint64_t  seed;
    bool      done;
    size_t    records;
    record   *record;
    uint64_t *marginal, *joint, draws; /* counts in the bins of the truth */
    size_t    steps;                   /* the first iterations, for the first seed only */
    double   *step_size;
    bool     *explores;
    /* Draws in each mode: in groups of share_length draws, from which the error of a share follows. */
    size_t    share_rows;
    uint64_t  share_length, share_count;
    uint32_t *share; /* SHARE_ROWS * modes */
} track;

/* A run file, run with several seeds. */
typedef struct run_entry {
    const char *name, *label;
    ckam_plan  *plan; /* NULL: independent draws from the model */
    double     *start;
    uint64_t    evals, seeds;
    double      seconds; /* in place of evals; 0: they count */
    double      cost;    /* seconds per evaluation, by track_try() */
    track      *track;
} run_entry;

/* Runs a chain to its end, or until *stop, and fills *out. *evaluations is kept up to date. */
ckam_status track_run(const truth *t, const run_entry *run, track *out, const atomic_bool *stop,
                      atomic_uint_fast64_t *evaluations, ckam_error *error);
/* run->cost := seconds per evaluation, of the first 400. */
ckam_status track_try(const truth *t, run_entry *run, ckam_error *error);
void        track_free(track *t);

/* -- read_experiment.c -------------------------------------------------------------------------------------------- */

typedef struct experiment {
    char        path[FILE_PATH]; /* of its directory */
    char        name[64];        /* the last part of it */
    const char *title, *about;
    json_t     *file, *figures;
    truth       truth;
    size_t      runs;
    run_entry  *run;
} experiment;

ckam_status experiment_read(experiment *e, const char *directory, const ckam_experiment_setup *setup,
                            ckam_error *error);
void        experiment_close(experiment *e);
/* A member of an object of experiment.json, or NULL where it is not there; `kind` is what it must be. */
ckam_status member(const experiment *e, const json_t *object, const char *key, json_type kind, bool needed,
                   json_t **value, ckam_error *error);
/* Refuses keys that are not in the list, which ends with NULL. */
ckam_status members_check(const experiment *e, json_t *object, const char *const *known, ckam_error *error);
/* The index of the run of that name. */
ckam_status run_find(const experiment *e, const char *name, size_t *index, ckam_error *error);

/* -- figures.c, seeds.c ------------------------------------------------------------------------------------------- */

/* Makes a figure from an entry of "figures". Before there are results it is empty, which validates the entry. */
ckam_status experiment_figure(const experiment *from, json_t *json, figure **out, ckam_error *error);
/* What seeds_spread() takes besides a measure; and, as index, the last record of every chain, wherever it ended. */
enum { OF_SECONDS = MEASURES, OF_EVALUATIONS };
#define LAST_RECORD SIZE_MAX
/* Median, minimum and maximum of a measure in record `index` over the chains that have ended; in how many of them it is
 * defined, and how many have ended. */
typedef struct spread {
    double middle, low, high;
    size_t seeds, ended;
} spread;
spread seeds_spread(const run_entry *run, size_t index, int which);
/* The first chain that has ended; NULL where none has. */
const track *seeds_first(const run_entry *run);
/* How many first records all ended chains have at the same numbers of evaluations; 0 where none has ended. */
size_t seeds_records(const run_entry *run);
/* The share of the draws of all seeds that are in a mode, and its standard error. */
ckam_status seeds_mode_share(const truth *t, const run_entry *run, size_t mode, double *share, double *mcse,
                             ckam_error *error);

/* -- experiment.c, write_results.c -------------------------------------------------------------------------------- */

struct ckam_experiment {
    ckam_experiment_setup setup;
    char                  out[FILE_PATH];
    size_t                count;
    experiment           *experiment;
    atomic_bool           stop;
    double                seconds; /* of wall clock, for all experiments */
    size_t                chains, ended;
    bool                  gone; /* ckam_experiment_go() was called */
    text_buffer           table;
};

/* results.csv, summary.csv, figures, page; and the table. */
ckam_status experiment_write(ckam_experiment *all, ckam_error *error);

#endif
