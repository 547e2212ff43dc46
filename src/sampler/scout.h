/* scout.h - looks for modes: a walk on pi^b that is heated, cooled, and learns where it has come to rest.
 *
 * It walks in the coordinates of the component that it starts from, u = L^-1 (x - mu), so no unit matters. Stages:
 *     HEAT    b = b_min, steps of 2.38 / sqrt(k b) in k of the coordinates, sometimes all: far away
 *     COOL    b rises to 1 in equal ratios
 *     LOOK    b = 1, again and again while the density still rises: where is it?
 *     LEARN   only where that is new: its mean and covariance
 * Asked and told like a sampler. One flat block. What it finds does not touch the chain. */
#ifndef CKAM_SAMPLER_SCOUT_H
#define CKAM_SAMPLER_SCOUT_H

#include "sampler/modes.h"

typedef enum scout_stage { SCOUT_IDLE, SCOUT_HEAT, SCOUT_COOL, SCOUT_LOOK, SCOUT_LEARN } scout_stage;

typedef enum scout_news {
    SCOUT_GOES_ON,
    SCOUT_KNOWN,   /* it ended where a mode, or a place that led nowhere, is known, or where there is next to no mass */
    SCOUT_FOUND,   /* something new: scout_mean(), scout_factor(), mass */
    SCOUT_RAN_AWAY /* it was stopped far outside */
} scout_news;

typedef struct scout {
    scout_stage stage;
    uint64_t    t; /* in this stage */
    size_t      dim;
    double      hot, heat; /* b_min, b */
    uint64_t    cooling;   /* iterations of that stage */
    double      log_density;
    double      step;          /* in units of 2.38 / sqrt(d b): adapts */
    double      count;         /* of places in mean and scatter */
    double      level;         /* mean of log pi while it learns */
    double      before;        /* the same of the look before; NaN: there was none */
    uint64_t    looks;         /* so far */
    double      mass;          /* log of the mass of what it found */
    uint64_t    start;         /* the mode that it started from, by its number */
    size_t      home;          /* the component that it ended in; SIZE_MAX: none */
    size_t      u, v;          /* offsets: the place and the proposal: dim */
    size_t      warm, moves;   /* offset: which coordinates are heated, 1 or 0; how many */
    size_t      origin, frame; /* mu, L of the start */
    size_t      mean, scatter; /* of places: in u; of what was found: mean in x, factor */
} scout;

size_t scout_size(size_t dim);
void   scout_begin(scout *s, size_t dim);
/* From x, in the coordinates of component i of m. */
void scout_start(scout *s, modes *m, size_t i, rng *r, const double *x, double log_density);
/* The next point into y. */
void scout_ask(scout *s, rng *r, double *y);
/* m: what is known. */
scout_news scout_tell(scout *s, rng *r, double log_density, modes *m);

static inline double *scout_mean(scout *s) { return block_at(s, s->mean); }
static inline double *scout_factor(scout *s) { return block_at(s, s->scatter); }

#endif
