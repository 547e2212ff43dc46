/* mixture.h - a mixture q of multivariate t distributions that approximates the target: the memory of jump, and a
 * proposal for evidence.
 *
 * q(x) = sum_j w_j t(x; mu_j, L_j L_j^T), with degrees of freedom that are learned. A mode is a group of components
 * that overlap or lie near each other (a curved mode needs several), and keeps its number for life. A component may
 * have a profile (profile.h): the Gaussian or t distribution that a regression finds log pi itself to be over its
 * draws; it predicts log pi far out in the tails. A mixture is one flat block: its arrays are offsets from its own
 * beginning. refit.h fits it to draws. */
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
    double   log_det;         /* of L: the sum of the logs of its diagonal */
    double   log_constant;    /* log t_j(mu_j) */
    double   step;            /* of local moves: y = x + step L n */
    double   rows;            /* sum of its responsibilities in the last fit */
    double   distinct;        /* the same over rows that do not repeat the one before */
    double   profile_peak;    /* log pi at the centre of its profile */
    double   profile_degrees; /* of freedom, HUGE_VAL for a Gaussian; 0: it has no profile */
    double   profile_error;   /* root of the share of the variance of log pi over its draws that the profile leaves */
    uint64_t mode;            /* the number of its mode, from 1 in the order in which modes were found */
    uint64_t first_cycle;     /* in which that mode was found */
    double   search_hits;     /* independent searches that ended in it */
    uint64_t groups;          /* bits: groups of chains (groups.h) whose searches ended in it */
    double   odds;            /* where a search found it: its mass, as estimated then, relative to that of all others */
    bool     reached;         /* a draw has been there */
    bool     established;     /* it was known when the present draws began */
    bool     confirmed; /* its shape is that of log pi itself: of a fit whose peak was confirmed, or of its profile */
} component;

typedef struct mixture {
    size_t   dim, capacity;  /* of q; may be less than there is room for */
    size_t   count, retired; /* components 0 .. count-1 make up q; `retired` ones follow, which jumps failed to reach */
    uint64_t last_mode;      /* the last number given to a mode */
    double   log_z;          /* estimate of log Z, over the modes that are known */
    double   degrees;        /* of freedom, the same for all components */
    double   log_constant;   /* log normalising constant of t with them, for L = I */
    component at[MODES_MOST + 2];
    size_t    mean, factor;    /* offsets: dim and dim^2 numbers a component; two more for trials */
    size_t    spread, inverse; /* the factor and its inverse in panels */
    size_t    work;            /* dim numbers */
    size_t    centre, profile; /* of profiles: as mean and factor */
    size_t    boxed,
        position;   /* dim numbers each: 1 where a coordinate is that of a box, else 0; of mixture_profile_point() */
    bool   has_box; /* one of them is */
    size_t sums;    /* of EM (em.h): 2 + dim + dim^2 per component; two more for trials, one for work */
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
static inline bool    mixture_has_profile(const component *c) { return c->profile_degrees > 0.0; }
static inline bool    mixture_has_tail(const component *c) {
       return c->profile_degrees > 0.0 && c->profile_degrees < HUGE_VAL;
}

/* The point x in the coordinates of profiles: a parameter between two bounds (base/box.h) is its position between
 * them, 0 to 1, because a density that is Gaussian there is not Gaussian in x. */
typedef struct profile_point {
    const double *x, *position; /* `position` may be room of the mixture, valid until the next call */
    double        log_slope;    /* the log-Jacobian, log |d position / dx| */
} profile_point;
profile_point mixture_profile_point(mixture *m, const double *x);
/* log pi at a point as component j alone predicts it: by its profile, or else as a Gaussian with its mean,
 * covariance and mass. *peak: the largest such value, plus log_slope at this point. */
double mixture_predict(mixture *m, size_t j, const profile_point *at, double *peak);

/* Component j from its mean and factor, which are in place: panels, log_det, log_constant. */
void mixture_prepare(mixture *m, size_t j);
/* Degrees of freedom of all components. */
void mixture_set_degrees(mixture *m, double degrees);
/* log t_j at the squared Mahalanobis distance `distance` from component j. *t_weight, where it is not NULL: (degrees
 * + d) / (degrees + distance), the weight of a draw there in the M step for mean and covariance; of a Gaussian it
 * would be 1. */
double mixture_log_t(const mixture *m, size_t j, double distance, double *t_weight);
/* The same weight, from log t_j. */
double mixture_t_weight(const mixture *m, size_t j, double log_t);
/* The log normalising constant of t in `dim` dimensions, for the scale matrix I. */
double mixture_log_constant(double degrees, double dim);
/* Weights of q scaled to sum 1, and their logs. */
void mixture_normalise(mixture *m);
/* Copies a mixture to another one of the same dimension, without the room that is not in use: most of it where there
 * are many dimensions. */
void mixture_share(mixture *to, mixture *from);
/* Copies component `from` to `to`. */
void mixture_copy(mixture *m, size_t to, size_t from);
/* Takes component j out of q; where it is retired it is kept, outside of q, while there is room. */
void mixture_remove(mixture *m, size_t j, bool retire);
/* Makes room for a component in q and returns its index; count (there is none) if q is full. Forgets a retired one
 * where it must. Its mean and factor are then the caller's to fill. */
size_t mixture_add(mixture *m);

/* u := L_j^-1 (x - mu_j), and back: x := mu_j + L_j u. */
void mixture_standardise(mixture *m, size_t j, const double *x, double *u);
void mixture_place(mixture *m, size_t j, const double *u, double *x);
/* to := from + scale L_j u. */
void mixture_shift(mixture *m, size_t j, double scale, const double *u, const double *from, double *to);
/* |L_j^-1 (x - mu_j)|^2. */
double mixture_distance(mixture *m, size_t j, const double *x);
/* The same, faster: may stop early and return any lower bound greater than `limit`. */
double mixture_distance_within(mixture *m, size_t j, const double *x, double limit);
/* log t(x; mu_j, L_j L_j^T) for each component of q into out; returns log q(x). */
double mixture_log_density(mixture *m, const double *x, double *out);
/* The same, faster where x is near component `near` of q: terms below e^-50 q(x) are truncated. In `out` they are
 * overestimated, but by no more than e^-50 q(x). */
double mixture_log_density_near(mixture *m, const double *x, size_t near, double *out);
/* A component drawn with the responsibilities for x, i ~ w_i t_i(x) / q(x), from what mixture_log_density() gave. */
size_t mixture_label(const mixture *m, rng *r, const double *each, double log_q);
/* y ~ component j. */
void mixture_draw(mixture *m, rng *r, size_t j, double *y);
/* j ~ w. `without`: a component that is left out, or count. */
size_t mixture_choose(const mixture *m, rng *r, size_t without);
/* y := mu_to + L_to L_from^-1 (x - mu_from). */
void mixture_map(mixture *m, size_t from, size_t to, const double *x, double *y);

/* The squared Mahalanobis distance within which a point counts as a draw of a component: two standard deviations
 * above the mean. */
static inline double mixture_typical_distance(size_t dim) {
    return (double)dim + tuning.significant * sqrt(2.0 * (double)dim);
}
/* Separation of components i and j: in standard deviations from the centre of each to the border between them. */
double mixture_separation(mixture *m, size_t i, size_t j);
/* Whether component k may cover several modes, one of them j: draws of a few chains that do not mix look like those
 * of one wide mode. So it is where the shape of j is confirmed, and that of k is only the covariance of draws and
 * wider by a factor of 2 per dimension. */
bool mixture_may_hide(const mixture *m, size_t k, size_t j);
/* The component, of q or retired, at the same place as the trial component j: the one with the smallest separation
 * within known.radius, or count + retired. The mean of a trial is that of a short walk, so the radius grows with the
 * dimension. Components that may hide j are left out. */
size_t mixture_match(mixture *m, size_t j);
/* Whether a component of the same mode as j was known when the present draws began. */
bool mixture_is_established(const mixture *m, size_t j);
/* How many searches ended in each of the modes that draws have reached. */
typedef struct modes_tally {
    uint64_t modes, once, twice; /* all; hit by one search, or, of modes that draws found, by none; hit by two */
} modes_tally;
modes_tally mixture_search_hits(const mixture *m);
/* Sums over the draws of the responsibilities p_j, and of p_j p_k for k < j. */
typedef struct mixture_overlap {
    double draws[MODES_MOST], both[MODES_MOST][MODES_MOST];
} mixture_overlap;
/* Numbers modes: components of q that touch get the same number, the lowest among them; components without one (0)
 * get new ones. Two components touch where their separation is small or they share draws. Returns the number of
 * modes that draws have reached. */
size_t mixture_number_modes(mixture *m, const mixture_overlap *overlap, uint64_t cycle);

#endif
