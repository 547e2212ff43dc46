/* modes.h - what jump remembers: a mixture q of multivariate t distributions that comes near the target.
 *
 * q(x) = sum_j w_j t(x; mu_j, L_j L_j^T), with degrees of freedom that follow the draws. Several components may make up one mode (a curved one
 * needs more than one); a mode is a group of components that touch, and has a number for life. A component may have a profile (profile.h): the Gaussian
 * or t distribution that log pi itself is at its draws, with which log pi can be predicted far away. A memory is one flat block:
 * its arrays are offsets from its own beginning. refit.h fits it to draws. */
#ifndef CKAM_MIXTURE_MIXTURE_H
#define CKAM_MIXTURE_MIXTURE_H

#include "base/block.h"
#include "mixture/tuning.h"
#include "rng/rng.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum { MODES_MOST = 64 };

typedef struct component {
    double   weight, log_weight;
    double   log_det;    /* of L: the sum of the logs of its diagonal */
    double   log_height; /* log t_j(mu_j) */
    double   step;       /* of local moves: y = x + step L n */
    double   rows;       /* draws behind it in the last fit */
    double   distinct;   /* those of them that do not repeat the one before */
    double   peak;       /* of its profile: log pi at the centre */
    double   freedom;    /* of its profile: degrees of freedom, HUGE_VAL for a Gaussian; 0: it has none */
    double   doubt;      /* of its profile: the relative error of log pi over its draws */
    uint64_t mode;       /* its number, from 1 in the order in which modes were found */
    uint64_t found;      /* the cycle */
    double   met;        /* independent searches that ended in it */
    uint64_t groups;     /* bits: groups of chains (groups.h) whose searches ended in it */
    double   odds; /* of a place that a search found: its mass, as the search estimates it, by that of what is known */
    bool     reached;     /* a draw has been there */
    bool     established; /* it was known when the present draws began */
    bool     confirmed;   /* its shape is that of log pi itself: of a fit whose peak was confirmed, or of its profile */
} component;

typedef struct mixture {
    size_t    dim, capacity;  /* of q; may be less than there is room for */
    size_t    count, retired; /* components 0 .. count-1 make up q; `retired` ones follow: places that led nowhere */
    uint64_t  named;          /* the last number given to a mode */
    double    level;          /* about log Z, of what is known */
    double    degrees;        /* of freedom, the same for all components */
    double    height;         /* log of the constant of t with them */
    component at[MODES_MOST + 2];
    size_t    mean, factor;    /* offsets: dim and dim^2 numbers a component; two more for trials */
    size_t    spread, inverse; /* the factor and its inverse in panels */
    size_t    work;            /* dim numbers */
    size_t    centre, profile; /* of profiles: as mean and factor */
    size_t    boxed, position; /* dim numbers each: 1 where a coordinate is that of a box, else 0; of mixture_sight() */
    bool      has_box;         /* one of them is */
    size_t    share;           /* sums of a fit: 2 + dim + dim^2 per component; two more for trials, one for work */
} mixture;

/* How many components there is room for: 64, fewer where 8 MB would not hold their factors, at least 4. */
size_t mixture_capacity(size_t dim);
size_t mixture_size(size_t dim); /* of the block in bytes; SIZE_MAX when it overflows */
/* boxed: dim flags, as ckam_target has them; NULL: none. */
void mixture_begin(mixture *m, size_t dim, const bool *boxed);

static inline double *mixture_mean(mixture *m, size_t j) { return block_at(m, m->mean) + j * m->dim; }
static inline double *mixture_factor(mixture *m, size_t j) { return block_at(m, m->factor) + j * m->dim * m->dim; }

static inline double *mixture_centre(mixture *m, size_t j) { return block_at(m, m->centre) + j * m->dim; }
static inline double *mixture_profile(mixture *m, size_t j) { return block_at(m, m->profile) + j * m->dim * m->dim; }
static inline bool    mixture_has_profile(const component *c) { return c->freedom > 0.0; }
static inline bool    mixture_has_tail(const component *c) { return c->freedom > 0.0 && c->freedom < HUGE_VAL; }

/* A point x as profiles see it: a coordinate of a box (base/box.h) is a position between its bounds, 0 to 1, because a density that is a Gaussian
 * there is none in x. */
typedef struct sight {
    const double *x, *position; /* `position` may be in the memory, up to the next sight */
    double        log_slope;    /* log |d position / dx| */
} sight;
sight mixture_sight(mixture *m, const double *x);
/* log pi at a point if component j were alone, by its profile, or else as if it were Gaussian; *peak: the highest value of that, but for what
 * log_slope adds. */
double mixture_predict(mixture *m, size_t j, const sight *at, double *peak);

/* Component j from its mean and factor, which are in place: panels, log_det, log_height. */
void mixture_prepare(mixture *m, size_t j);
/* Degrees of freedom of all components. */
void mixture_set_degrees(mixture *m, double degrees);
/* log t_j at the squared Mahalanobis distance `distance` from component j. *t_weight, where it is not NULL: (degrees + d) / (degrees + distance),
 * the weight of a draw there in the M step for mean and covariance; of a Gaussian it would be 1. */
double mixture_log_t(const mixture *m, size_t j, double distance, double *t_weight);
/* The same weight, from log t_j. */
double mixture_t_weight(const mixture *m, size_t j, double log_t);
/* log of the constant of t in `dim` dimensions, but for its scale. */
double mixture_height(double degrees, double dim);
/* Weights of q scaled to sum 1, and their logs. */
void mixture_normalise(mixture *m);
/* Another memory of the same dimension becomes the same. What is not in use is left out: most of the room, where there are many
 * dimensions. */
void mixture_share(mixture *to, mixture *from);
/* Copies component `from` to `to`. */
void mixture_copy(mixture *m, size_t to, size_t from);
/* Takes component j out of q; a retired one is remembered while there is room. */
void mixture_remove(mixture *m, size_t j, bool retire);
/* Makes room for a component in q and returns its index; count (there is none) if q is full. Forgets a retired one where
 * it must. Its mean and factor are then the caller's to fill. */
size_t mixture_add(mixture *m);

/* u := L_j^-1 (x - mu_j), and back: x := mu_j + L_j u. */
void mixture_standardise(mixture *m, size_t j, const double *x, double *u);
void mixture_place(mixture *m, size_t j, const double *u, double *x);
/* to := from + scale L_j u. */
void mixture_shift(mixture *m, size_t j, double scale, const double *u, const double *from, double *to);
/* |L_j^-1 (x - mu_j)|^2. */
double mixture_distance(mixture *m, size_t j, const double *x);
/* The same; if it is more than `limit`, something between the two, which is faster. */
double mixture_distance_within(mixture *m, size_t j, const double *x, double limit);
/* log t(x; mu_j, L_j L_j^T) for each component of q into out; returns log q(x). */
double mixture_log_density(mixture *m, const double *x, double *out);
/* The same, faster where x is near component `near` of q. What is less than e^-50 of q(x) is there in `out` as something
 * that is more, but at most e^-50 of it. */
double mixture_log_density_near(mixture *m, const double *x, size_t near, double *out);
/* The component that x belongs to: i ~ w_i t_i(x) / q(x), from what mixture_log_density() gave. */
size_t mixture_label(const mixture *m, rng *r, const double *each, double log_q);
/* y ~ component j. */
void mixture_draw(mixture *m, rng *r, size_t j, double *y);
/* j ~ w. `without`: a component that is left out, or count. */
size_t mixture_choose(const mixture *m, rng *r, size_t without);
/* y := mu_to + L_to L_from^-1 (x - mu_from). */
void mixture_map(mixture *m, size_t from, size_t to, const double *x, double *y);

/* The squared distance within which a point is among the draws of a component: two standard deviations above the mean. */
static inline double mixture_home_radius(size_t dim) {
    return (double)dim + tuning.significant * sqrt(2.0 * (double)dim);
}
/* How far apart components i and j are: in standard deviations from the centre of each to the border between them. */
double mixture_separation(mixture *m, size_t i, size_t j);
/* Whether component k may cover several modes, one of them j: the shape of k is that of draws, and wider by a factor of 2 than that of j, which is
 * confirmed. The draws of a few chains that do not mix look like those of one wide mode. */
bool mixture_may_hide(const mixture *m, size_t k, size_t j);
/* The component of q, or the retired one, that is where component j, a trial, is: the nearest; count + retired if there is none. Its
 * mean is that of a short walk, so the more dimensions, the further off it may be. Components that may hide j are left out. */
size_t mixture_known_as(mixture *m, size_t j);
/* Whether a component of the same mode as j was known when the present draws began. */
bool mixture_is_established(const mixture *m, size_t j);
/* How often searches have met the modes that draws have reached. */
typedef struct modes_tally {
    uint64_t modes, once, twice; /* all; met by one search, or, found by the draws themselves, by none; by two */
} modes_tally;
modes_tally mixture_met(const mixture *m);
/* Draws of each component, and of two at once: sums over the draws of p_j, and of p_j p_k for k < j, the probabilities that a draw is theirs. */
typedef struct mixture_overlap {
    double draws[MODES_MOST], both[MODES_MOST][MODES_MOST];
} mixture_overlap;
/* Gives the components of q that touch the same number, the lowest among them, and new numbers to what has none (0). They touch where
 * their centres are near or draws belong to both. Returns how many modes there are that have been reached. */
size_t mixture_name(mixture *m, const mixture_overlap *overlap, uint64_t cycle);

#endif
