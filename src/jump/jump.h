/* jump.h - the state of one chain of the sampler jump. For the files of this folder, and for tests. */
#ifndef CKAM_JUMP_JUMP_H
#define CKAM_JUMP_JUMP_H

#include "jump/explore.h"
#include "mixture/quadratic.h"
#include "mixture/refit.h"
#include "sampler/adaptive.h"
#include "sampler/history.h"
#include "sampler/scale.h"

/* The moves of the sampling phase; move__ in files. */
typedef enum jump_move { MOVE_LOCAL, MOVE_AFFINE, MOVE_INDEPENDENT, MOVE_CARRY, MOVES } jump_move;

/* Length scales along the axes at the start, an adaptive walk to a mode, and its covariance there; then cycles of
 * search and sampling. */
typedef enum jump_stage { STAGE_AXES, STAGE_CLIMB, STAGE_SETTLE, STAGE_EXPLORE, STAGE_SAMPLE } jump_stage;

/* What one chain counts in a cycle, for the adaptation at its end. */
typedef struct jump_tally {
    struct {
        double tried, efficiency; /* proposals; sum of acceptance probability times squared jump distance (moves.c) */
    } move[MOVES];
    double searches; /* that ended */
    double stuck;    /* iterations after more than tuning.moves.stuck rejections in a row */
    struct {
        double local, accept;  /* local moves, and the sum of their acceptance probabilities */
        double tried, reached; /* jumps to it, and the sum of theirs */
        double visits;         /* iterations that ended in it */
        double search_hits;    /* searches that began in another mode and ended in it */
    } at[MODES_MOST];
} jump_tally;

/* The schedule and the shares of moves, the same for all chains that adapt together; made at the end of a cycle. */
typedef struct jump_plan {
    uint64_t cycle;
    uint64_t explore, length;                 /* iterations of this cycle that search; in all */
    uint64_t iterations;                      /* before this cycle */
    uint64_t last_structure;                  /* `iterations` when split and merge were tried last */
    double   share[MOVES];                    /* probabilities of the moves */
    double   tried[MOVES], efficiency[MOVES]; /* sums of the tallies, discounted once per cycle */
    double   short_share;        /* share of short steps among local moves: they enter the neck of a funnel */
    double   stuck, sampled;     /* stuck iterations, and all iterations of sampling */
    uint64_t modes;              /* that draws have reached */
    double   searches;           /* that ended; the start of each chain counts as one */
    double   search_evaluations; /* that these took */
    bool     separate;       /* chains with even and with odd numbers are two groups that search and adapt separately */
    bool     joined;         /* the groups have been joined: they share one mixture */
    uint64_t group_modes[2]; /* then: modes that searches of each group ended in, or that its draws reached before */
    uint64_t common_modes;   /* those of both */
    uint64_t pool_every;     /* the option */
    uint64_t planned, warmup, longest; /* iterations before the draws: as planned at first, as it is now, and at most */
    double   unseen;                   /* the bound on unseen modes that the search has to reach */
} jump_plan;

typedef struct jump_state {
    adaptive_state settle; /* first: `now` begins it. The walk before the first cycle */
    jump_stage     stage;
    uint64_t       t;        /* in this stage, or cycle */
    uint64_t       settling; /* iterations of that stage */
    struct {
        uint64_t length, left;  /* of a look: iterations, and how many of them are still to come */
        double   sum, previous; /* of log pi in it; its mean in the last one */
        size_t   points;        /* evaluations kept for the next fit of a quadratic */
        int      lattice;       /* 0: none; 1: its steps are measured; 2: log pi is evaluated on it */
        size_t   row, column;   /* of the next of these evaluations */
        double   peak,
            squared_error; /* log pi at the mean of the Gaussian; summed over its draws: (log pi - log of the Gaussian)^2 */
        int  gaussian_draws; /* of the fitted Gaussian, still to be tried */
        bool shape_known;    /* the fit is good: its covariance is kept */
    } climb;
    bool         waits;  /* at the end of a cycle, for pooled adaptation */
    size_t       group;  /* 0 or 1: of the two groups that adapt separately at first */
    double       length; /* of the density along some direction */
    size_t       axis;
    scale_search search;
    size_t       direction;
    size_t       label;          /* component that x belongs to */
    size_t       source, target; /* components that a jump goes from, to */
    jump_move    move;
    double       short_step; /* factor of a local step */
    uint64_t     rejected;   /* in a row */
    size_t       at_x, at_y; /* offsets: log density of each component there */
    double       log_q_x, log_q_y;
    jump_tally   tally;
    jump_plan    plan;
    size_t       mixture, explorer; /* offsets: the mixture, and the state of the search */
    history      history;
    size_t       rows; /* offset: draws for the fit */
} jump_state;

static inline mixture  *jump_mixture(jump_state *s) { return (mixture *)(void *)block_at(s, s->mixture); }
static inline explorer *jump_explorer(jump_state *s) { return (explorer *)(void *)block_at(s, s->explorer); }

/* Rows that there is room for. jump_remember() keeps a draw, or a state of settling, for the next fit of the
 * mixture. */
size_t jump_rows_capacity(size_t dim);
void   jump_remember(jump_state *s, const double *x, double log_density);

/* See sampler.h. */
size_t jump_summarise(void *state, size_t index, size_t total, void *bytes);
bool   jump_pool(void *const *states, size_t count, void *const *summaries, size_t total);

/* Iterations of the cycle with this number, where pool-every is 1. */
uint64_t jump_cycle_length(size_t dim, uint64_t cycle);

#endif
