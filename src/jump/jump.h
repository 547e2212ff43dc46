/* jump.h - inside jump: its state. Tests and the pooling of chains look at it. */
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

/* Lengths of the axes at the start, an adaptive walk to a mode, and on in it; then cycles. */
typedef enum jump_stage { STAGE_AXES, STAGE_CLIMB, STAGE_SETTLE, STAGE_EXPLORE, STAGE_SAMPLE } jump_stage;

/* What a chain counts in a cycle, for the adaptation at its end. */
typedef struct jump_tally {
    struct {
        double tried, gain;
    } move[MOVES];
    double searches; /* that ended */
    double stuck;    /* iterations after many rejections in a row */
    struct {
        double local, accept;  /* local moves, and the sum of their alphas */
        double tried, reached; /* jumps to it, and the sum of their alphas */
        double visits;         /* iterations that ended in it */
        double met;            /* searches that began in another mode and ended in it */
    } at[MODES_MOST];
} jump_tally;

/* What all chains have in common, made at the end of a cycle. */
typedef struct jump_plan {
    uint64_t cycle;
    uint64_t explore, length; /* iterations of this cycle that search; in all */
    uint64_t past;            /* iterations before this cycle */
    uint64_t structured;      /* iterations when split and merge were tried last */
    double   share[MOVES];
    double   tried[MOVES], gain[MOVES]; /* of earlier cycles, fading */
    double   brief; /* part of the local steps that are shorter, by any factor: the way into the neck of a funnel */
    double   stuck, sampled; /* iterations in all, stuck ones among them */
    uint64_t modes;          /* that have been reached */
    double   searches;       /* that ended, starts of chains included */
    double   sought;         /* evaluations that these took */
    bool     apart;          /* two groups of chains, of even and of odd numbers, search and learn by themselves */
    bool     met;            /* the groups have met, and share what they know */
    uint64_t group[2];   /* then: modes that the searches of each have ended in, or its draws reached before they met */
    uint64_t common;     /* those of both */
    uint64_t pool_every; /* the option */
    uint64_t planned, warmup, longest; /* iterations before the draws: as planned at first, as it is now, and at most */
    double   unseen;                   /* the bound to reach */
} jump_plan;

typedef struct jump_state {
    adaptive_state settle; /* first: `now` begins it. mu and Sigma of the settling phase */
    jump_stage     stage;
    uint64_t       t;        /* in this stage, or cycle */
    uint64_t       settling; /* iterations of that stage */
    struct {
        uint64_t length, left;  /* of a look: iterations, and how many of them are still to come */
        double   level, before; /* sum of log pi in it; mean in the one before */
        size_t   points;        /* evaluations kept for the next fit of a quadratic */
        int      lattice;       /* 1, 2: its steps are measured, log pi is evaluated on it */
        size_t   row, column;   /* of the next of these evaluations */
        double   peak, error; /* log pi at the mean of the Gaussian; sum of squares by which it was off at its draws */
        int      leaps;       /* draws of the fitted Gaussian that are still to be tried */
        bool     known;       /* the fit is good: its shape is kept */
    } climb;
    bool         waits;  /* at the end of a cycle, for the chains to be pooled */
    size_t       group;  /* of chains that learn apart at first: 0 or 1 */
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
    size_t       modes, explorer; /* offsets of blocks */
    history      history;
    size_t       rows; /* offset: draws for the fit */
} jump_state;

static inline mixture  *jump_memory(jump_state *s) { return (mixture *)(void *)block_at(s, s->modes); }
static inline explorer *jump_explorer(jump_state *s) { return (explorer *)(void *)block_at(s, s->explorer); }

/* Rows that there is room for; a draw, or a state before the first cycle, becomes one of them. */
size_t jump_rows_capacity(size_t dim);
void   jump_remember(jump_state *s, const double *x, double log_density);

/* See sampler.h. */
size_t jump_summarise(void *state, size_t index, size_t total, void *bytes);
bool   jump_pool(void *const *states, size_t count, void *const *summaries, size_t total);

/* Iterations of the cycle with this number, where pool-every is 1. */
uint64_t jump_cycle_length(size_t dim, uint64_t cycle);

#endif
