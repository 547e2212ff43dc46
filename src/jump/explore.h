/* explore.h - the search for modes: tempered walkers that persist, and searches from every point that the mixture
 * does not explain.
 *
 * A walker samples (pi q0)^b, where b < 1 is its inverse temperature; q0, a Gaussian with the moments of the
 * mixture, keeps it from drifting away where pi has heavy tails. It learns its own covariance, so rotations and
 * units do not matter to it, and it goes on from cycle to cycle: started anew in a known mode it would need a
 * burn-in. It proposes draws of the Gaussian that it has learned, and steps of a random walk after draws that were
 * rejected.
 *
 * Every evaluated point is compared with what the components predict there (mixture_predict()). A draw of a walker
 * that they explain is a search that has ended, in the component that dominates there, for the price of one
 * evaluation. From a point that they do not explain a search climbs. It does not move the walker, and it accepts
 * only points that are not explained either, so it cannot end in a known mode that is higher:
 *     SLOPE   while one mode is known whose shape no profile has: before each round of the climb and before a look,
 *             does log pi only rise on the straight way to its component that dominates there? Then no valley is
 *             between them, and the search has ended in that mode (the hill-valley test of Ursem, 1999)
 *     CLIMB   a (1+1) evolution strategy, in rounds, each in the frame of the quadratic fitted to the points of the
 *             last one, until the quadratic has a peak
 *     PEAK    is log pi at that peak what the quadratic says? Then the search ends in the Gaussian of the fit
 *     LOOK    if there is no such peak: a short Metropolis walk on pi, again while the mean of log pi rises from one
 *             to the next
 *     LEARN   if the last look is at no known component: a longer walk, for mean and covariance
 * Other searches begin at random starts, at draws of q0 with larger standard deviations, or at the centre of a
 * component, followed by a tempered walk in a random subset of the user's coordinates (TEMPERED): coordinates often
 * mean something, and in many dimensions the way to another mode may need few of them.
 *
 * Asked and told like a sampler. One flat block. Nothing of this moves the chain. */
#ifndef CKAM_JUMP_EXPLORE_H
#define CKAM_JUMP_EXPLORE_H

#include "mixture/mixture.h"
#include "mixture/tuning.h"

enum { CANDIDATES_MOST = 8 };

/* Kinds of searches, by where they begin: at a proposal of a walker, by its number; and these. */
enum { FROM_CENTRE = WALKERS_MOST, FROM_START, FROM_SPREAD, SEARCH_KINDS };

typedef enum explore_stage {
    EXPLORE_WALK,
    EXPLORE_TEMPERED,
    EXPLORE_SLOPE,
    EXPLORE_CLIMB,
    EXPLORE_PEAK,
    EXPLORE_LOOK,
    EXPLORE_LEARN
} explore_stage;

typedef enum explore_news {
    EXPLORE_GOES_ON,
    EXPLORE_ENDED,   /* a search ended: `ended_in`, `start` */
    EXPLORE_RAN_AWAY /* the same, but it was stopped far outside */
} explore_news;

typedef struct walker {
    double   inverse_temperature; /* b */
    double   log_density;
    double   step; /* in units of the optimal one in its own covariance; adapts */
    uint64_t steps;
    bool     steps_next; /* its last draw was rejected: a step of a random walk is next */
    bool     explained;  /* its point is, by the mixture */
} walker;

/* A component that a search found, not yet in the mixture. */
typedef struct candidate {
    double   mass;        /* log of its mass, as the search estimates it */
    double   search_hits; /* searches that ended in it */
    uint64_t confirmed;   /* whether it is from a fit, and log pi at the peak what the fit says */
} candidate;

typedef struct explorer {
    explore_stage stage;
    uint64_t      t; /* in this stage */
    size_t        dim, walkers;
    bool          random; /* searches may begin at random starts */
    walker        at[WALKERS_MOST];
    size_t        from;                /* the kind of the present search, or of the next one */
    double        cost[SEARCH_KINDS];  /* evaluations of each kind of search */
    bool          drawn;               /* the walker's proposal is a draw, not a step */
    double        inverse_temperature; /* of the search */
    double        log_density;
    double        step;             /* in units of the optimal one: adapts */
    double        count;            /* of points in point_mean and scatter */
    double        mean_log_density; /* over them */
    double previous;     /* the same of the last look, or log pi at the end of the last round of the climb; NaN: none */
    double peak;         /* log pi at the mean of a fit, by the fit */
    double slope_value;  /* log pi at the last point of a slope */
    size_t dominant;     /* the component that dominates where is_explained() was called last; a slope leads to it */
    explore_stage after; /* the stage after a slope with a valley */
    uint64_t      rounds;     /* of climbs and looks */
    uint64_t      refused;    /* steps up in a row that were refused because they led to explained points */
    uint64_t      start;      /* number of the mode that the search began in; 0: none */
    size_t        ended_in;   /* the component that it ended in; SIZE_MAX: none */
    size_t        candidates; /* since explore_cycle() */
    candidate     candidate[CANDIDATES_MOST];
    size_t        candidate_mean, candidate_factor; /* offsets: theirs */
    size_t        x, mean, factor;                  /* offsets: of the walkers */
    size_t        centre, spread;                   /* offsets: mean and factor of q0 */
    size_t        u, v;                 /* offsets: the point and the proposal, in the frame of the search */
    size_t        moving, moving_count; /* offset: 1 for coordinates of the frame that move, else 0; how many do */
    size_t        origin, frame;        /* offsets: x = origin + frame u */
    size_t        rows, kept; /* offset: the last points of the climb, for quadratic_fit(); how many there were */
    size_t        fit;        /* offset: room for a fit */
    size_t        point_mean, scatter; /* offsets: mean and scatter matrix of the points u of a look */
} explorer;

size_t explore_size(size_t dim);
/* All walkers begin at x. random: searches may begin at random starts, too. */
void explore_begin(explorer *e, size_t dim, const double *x, double log_density, bool random);
/* Gives the walkers the covariance of component i of m, to which the chain belongs. */
void explore_shape(explorer *e, mixture *m, size_t i);
/* At the beginning of a cycle, when m has adapted: q0 gets its moments, and the candidates, which it contains, are
 * forgotten. */
void explore_cycle(explorer *e, mixture *m);
/* The next point into y. */
void         explore_ask(explorer *e, mixture *m, rng *r, double *y);
explore_news explore_tell(explorer *e, mixture *m, rng *r, double log_density);

#endif
