/* sampler.h - the table that is an algorithm, and the one Metropolis-Hastings decision.
 *
 * A sampler proposes (ask) and is told the log density of its proposal (tell); it never calls the target. Its
 * state is one flat block without pointers that begins with a `current`: copying the block is a snapshot.
 * Adding an algorithm is one file with a table and one line in samplers.def (CONTRIBUTING.md). */
#ifndef CKAM_SAMPLER_SAMPLER_H
#define CKAM_SAMPLER_SAMPLER_H

#include "base/block.h"
#include "base/error.h"
#include "ckam.h"
#include "mixture/tuning.h"
#include "rng/rng.h"
#include "sampler/settings.h"

/* What a state is made from. */
typedef struct blueprint {
    size_t          dim;
    uint64_t        horizon;           /* iterations planned */
    const settings *settings;          /* begins the sampler's own options */
    uint64_t        chains;            /* that learn together; 0: not known */
    double          unseen;            /* the probability of finding an unseen mode that a search should get below */
    bool            may_extend_warmup; /* its length was not given */
    bool            random_start;      /* neither was the start: it is uniform on [-2, 2] in each coordinate */
    const bool     *boxed;             /* dim flags, as ckam_target has them; or NULL */
} blueprint;

/* The algorithm NAME is a table NAME_sampler and the options NAME_sampler_options; its name and summary are in
 * samplers.def. */

/* Counts of a sampler's search for modes. Searches are independent of each other, and each ends in one mode or in
 * none. */
typedef struct search_counts {
    uint64_t searches;                   /* of all chains, up to the last pooled adaptation */
    uint64_t evaluations;                /* that these took */
    uint64_t recent, recent_evaluations; /* of this chain since then */
    uint64_t modes;                      /* that draws have visited ... */
    uint64_t once, twice;                /* ... those that one search ended in, two */
    uint64_t unvisited;                  /* components that searches found and no draw has reached so far */
    double   unvisited_share;            /* the largest share of the mass that a search estimates for one of them */
    uint64_t group[2]; /* modes that each of two groups of chains has found, once they share a mixture; 0, 0: before */
    uint64_t common;   /* of these: found by both */
    uint64_t draws,
        late; /* iterations of this chain in this cycle; those in modes that were not known when its draws began */
} search_counts;

/* Whether too large a share of a cycle's iterations is in modes that were not known when the draws began: then the
 * draws before are not from the whole target, and begin anew. docs/samplers/jump.md has the measurement. */
static inline bool search_is_late(uint64_t draws, uint64_t late) {
    return late && (double)late >= tuning.memory.minor_share * (double)draws;
}

typedef struct sampler {
    size_t options_size;
    /* Whether begin() needs the length scale of the density: an option that has a unit is auto. */
    bool (*wants_scale)(const settings *options);
    /* Checks options against each other. NULL: nothing to check. */
    ckam_status (*check)(const blueprint *plan, ckam_error *error);
    /* Iterations that give no draws, where that is auto. NULL: it never is. */
    uint64_t (*warmup)(const blueprint *plan);
    /* Evaluations from begin() to the first draw, where the target is easy to start from. NULL: settings->warmup +
     * 1. */
    uint64_t (*first_draw)(const blueprint *plan);
    size_t (*size)(const blueprint *plan);    /* of the state, in bytes; SIZE_MAX when it overflows */
    double (*touched)(const blueprint *plan); /* of them, those that are written to in the end. NULL: all */
    /* Lays out the zeroed state and starts it at x. length: about the standard deviation of a coordinate. */
    void (*begin)(void *state, const blueprint *plan, const double *x, double log_density, double length);
    const double *(*ask)(void *state, rng *r);                             /* next point to evaluate */
    void (*tell)(void *state, rng *r, double log_density, ckam_step *out); /* decide, adapt, report  */
    /* Of samplers with pooled adaptation, else NULL: whether this chain waits for it ... */
    bool (*waits)(const void *state);
    /* ... its summary, as chain `index` of `total`, in bytes; returns how many (bytes == NULL: only that) ... */
    size_t (*summarise)(void *state, size_t index, size_t total, void *bytes);
    /* ... and the adaptation of `states`, all at the end of the same cycle, from the `total` summaries in their
     * order, which are changed; summaries == NULL: from each other. False where memory is short, which one state
     * alone does not need. */
    bool (*pool)(void *const *states, size_t count, void *const *summaries, size_t total);
    /* Of samplers that search for modes, else NULL: its counts; and a notice that draws begin anew, so that the
     * present modes are known from their beginning. */
    void (*search)(const void *state, search_counts *counts);
    void (*restart)(void *state);
} sampler;

/* The tables, in the order of ckam_sampler_list(). */
extern const sampler *const sampler_registry[];

#define SAMPLER(name, summary)                                                                                         \
    extern const sampler     name##_sampler;                                                                           \
    extern const ckam_option name##_sampler_options[];
#include "sampler/samplers.def"
#undef SAMPLER

/* Where the chain is: the beginning of every sampler's state. */
typedef struct current {
    size_t      dim;
    size_t      x, y; /* offsets of the state and of the proposal; they change places on acceptance */
    double      log_density;
    uint64_t    warmup;
    ckam_counts counts; /* all but evaluations and draws, which the chain counts */
    bool        moved;  /* x is not the point that the sampler's caches were made for */
} current;

static inline double *now_x(current *now) { return block_at(now, now->x); }
static inline double *now_y(current *now) { return block_at(now, now->y); }

/* Reserves x and y behind *end. */
void current_layout(current *now, size_t dim, size_t *end);
/* Puts the chain at x. */
void current_begin(current *now, uint64_t warmup, const double *x, double log_density);

/* The Metropolis-Hastings rule: moves to y with probability alpha = min(1, pi(y) q(x|y) / (pi(x) q(y|x))), where
 * log_ratio_q = log q(x|y) - log q(y|x), counts, and fills `out` but for step_size (and phase and cycle, which are
 * SAMPLE and 0). A log density of -infinity is never accepted. Returns alpha. */
double decide(current *now, rng *r, double log_density, double log_ratio_q, ckam_step *out);

#endif
