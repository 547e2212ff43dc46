/* explore.h - the search for modes: hot walkers that persist, and searches from every point that the memory cannot explain.
 *
 * A walker samples pi^b q0^b, where b < 1 is its inverse temperature and q0, a Gaussian with the moments of all that is known, keeps it from
 * drifting away where pi has heavy tails. It learns its own covariance, so rotations and units do not matter to it, and it goes on
 * from cycle to cycle: restarted from a known mode it would have to become hot anew. Its proposals are draws of the Gaussian that it has learned, and steps
 * of a random walk after draws that were rejected.
 *
 * Every point that is evaluated is compared with what the known components predict there (mixture_predict()). A draw that they explain
 * is a search that has ended, in the component that dominates there, for the price of one evaluation. From a point that they do not explain a search climbs; it does not
 * move the walker, and it goes only to points that are not explained either, so it cannot end in a known mode that is higher:
 *     SLOPE   while one mode is known, whose shape no profile has: before each round of the climb and before a look, does log pi only rise on
 *             the straight way to its component that dominates there? Then no valley is between them, and the search has ended in that mode (the
 *             hill-valley test of Ursem, 1999)
 *     CLIMB   a (1+1) evolution strategy, in rounds, each in the frame of the quadratic that the points of the last one speak for, until
 *             that has a peak
 *     PEAK    is the density there what the quadratic says? Then it is the place
 *     LOOK    if there is no such peak: a Metropolis walk on pi, again and again while the density rises: where is it?
 *     LEARN   only where that is new: its mean and covariance
 * Other searches begin at random starts, at draws of q0 that are spread further, or at the centre of a component and are heated in some of the user's coordinates only (HEAT); these often mean
 * something, and in many dimensions the way to another mode is found in few of them.
 * Asked and told like a sampler. One flat block. What is found does not touch the chain. */
#ifndef CKAM_JUMP_EXPLORE_H
#define CKAM_JUMP_EXPLORE_H

#include "mixture/mixture.h"
#include "mixture/tuning.h"

enum { FOUND_MOST = 8 };

/* Where searches begin: the place of a walker, by its number; and these. */
enum { FROM_CENTRE = WALKERS_MOST, FROM_START, FROM_SPREAD, SEARCH_KINDS };

typedef enum explore_stage {
    EXPLORE_WALK,
    EXPLORE_HEAT,
    EXPLORE_SLOPE,
    EXPLORE_CLIMB,
    EXPLORE_PEAK,
    EXPLORE_LOOK,
    EXPLORE_LEARN
} explore_stage;

typedef enum explore_news {
    EXPLORE_GOES_ON,
    EXPLORE_ENDED,   /* a search ended: `home`, `start` */
    EXPLORE_RAN_AWAY /* the same, but it was stopped far outside */
} explore_news;

typedef struct walker {
    double   heat; /* b */
    double   log_density;
    double   step; /* in units of the optimal one in its own covariance; adapts */
    uint64_t steps;
    bool     steps_next; /* its last draw was rejected */
    bool     explained;  /* its place is, by a known component */
} walker;

/* A place that a search found, new to the memory. */
typedef struct found_place {
    double   mass;        /* log of its mass, as the search estimates it */
    double   search_hits; /* searches that ended in it */
    uint64_t confirmed;   /* whether it is the peak of a fit, and log pi there what the fit says */
} found_place;

typedef struct explorer {
    explore_stage stage;
    uint64_t      t; /* in this stage */
    size_t        dim, walkers;
    bool          random; /* searches may begin at random starts */
    walker        at[WALKERS_MOST];
    size_t        from;               /* the kind of the search that goes on, or is next */
    double        cost[SEARCH_KINDS]; /* evaluations of each kind of search */
    bool          drawn;              /* the walker's proposal is a draw, not a step */
    double        heat;
    double        log_density;
    double        step;  /* in units of the optimal one: adapts */
    double        count; /* of points in mean and scatter */
    double        level; /* mean of log pi over them */
    double before; /* the same of the look before, or log pi where the round of a climb ended; NaN: there was none */
    double peak;   /* log pi at the mean of a fit, by the fit */
    double height; /* log pi at the last point of a slope */
    size_t toward; /* the component that dominates where is_home() was asked last; a slope goes to it */
    explore_stage after; /* what a valley on the slope is followed by */
    uint64_t      rounds;
    uint64_t      refused; /* ways up in a row that led to points that are explained */
    uint64_t      start;   /* number of the mode that the search began in; 0: in none */
    size_t        home;    /* the component that it ended in; SIZE_MAX: none */
    size_t        found;   /* places, so many of them in all since explore_cycle() */
    found_place   places[FOUND_MOST];
    size_t        found_mean, found_factor; /* offsets: theirs */
    size_t        x, mean, factor;          /* offsets: of the walkers */
    size_t        centre, spread;           /* of q0 */
    size_t        u, v;                     /* the point and the proposal, in the frame of the search */
    size_t        warm, moves;              /* offset: which coordinates of the frame move, 1 or 0; how many */
    size_t        origin, frame;
    size_t rows, kept;    /* offset: the last points of the climb, as quadratic_fit() wants them; how many there were */
    size_t fit;           /* offset: its room */
    size_t seen, scatter; /* mean and scatter of points in u; what was found: mean in x, factor */
} explorer;

size_t explore_size(size_t dim);
/* All walkers begin at x. random: searches may begin at random starts, too. */
void explore_begin(explorer *e, size_t dim, const double *x, double log_density, bool random);
/* Gives the walkers the shape of component i of m, to which the chain belongs. */
void explore_shape(explorer *e, mixture *m, size_t i);
/* m has learned: q0 follows it, and what was found is there. */
void explore_cycle(explorer *e, mixture *m);
/* The next point into y. */
void         explore_ask(explorer *e, mixture *m, rng *r, double *y);
explore_news explore_tell(explorer *e, mixture *m, rng *r, double log_density);

#endif
