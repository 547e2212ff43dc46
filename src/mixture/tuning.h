/* tuning.h - the constants of jump and of its mixture that are tuned, not derived: other values give other draws.
 *
 * d is the dimension, pi the target. docs/samplers/jump.md (Constants) says which measurement supports which value.
 * Not here: sizes of memory, numerical floors, limits of loops, constants of theory. What tightens the limit on
 * unseen modes is in base/unseen.c, because diagnostics use it too. The object is constant and static: compilers put
 * the values into the code. */
#ifndef CKAM_MIXTURE_TUNING_H
#define CKAM_MIXTURE_TUNING_H

#include <stddef.h>
#include <stdint.h>

/* base + slope x; `by d` below: x is d. */
typedef struct affine {
    double base, slope;
} affine;
static inline double   affine_at(affine a, double x) { return a.base + a.slope * x; }
static inline uint64_t affine_steps(affine a, uint64_t x) { return (uint64_t)affine_at(a, (double)x); }

/* Walkers per chain, fewer where there is no room for their factors. Arrays have this size, so it cannot be a field. */
enum { WALKERS_MOST = 6 };

static const struct {
    double significant, sure;
    struct {
        affine settle;
        size_t longest, longest_windowed, correlated, window, lattice, thinning;
        int    gaussian_draws, lattice_draws;
    } approach;
    struct {
        size_t dimensions;
        double unexplained, gaussian_unexplained;
    } fit;
    struct {
        double coldest, hottest, accept, decay;
    } walkers;
    struct {
        affine   steps;
        double   up, down, refused;
        uint64_t attempts, refusals;
        uint64_t slope_points;
    } climb;
    struct {
        affine   steps, rise;
        uint64_t learn;
        double   accept, gain, prior;
    } look;
    struct {
        affine error, radius, negligible;
        double relative_error, tail_error, profile_error, failed, runaway;
    } known;
    struct {
        size_t rows;
        double degrees[8], degrees_start, degrees_gain, responsibility, minor_share;
    } memory;
    struct {
        double structure, rows_per_parameter, rows_least, aic_excess;
        size_t log_z_rows, scale_thinning;
        int    passes, rounds;
    } refit;
    struct {
        int    passes;
        double thinning, rows, rows_per_parameter, distinct, extrapolation, width, width_at_row;
    } split;
    struct {
        int    passes;
        double within;
    } merge;
    struct {
        double odds_least, share, tries;
    } unvisited;
    struct {
        double   share_least, local_share, local_power, carry_share, carry_good, power, rare, discount, prior;
        double   short_least, short_stuck, short_most, shortest, step_gain, step_prior;
        uint64_t stuck;
    } moves;
    struct {
        affine steps;
        double growth;
    } cycle;
    struct {
        affine   steps;
        uint64_t least;
        double   of_horizon, separate;
    } warmup;
    struct {
        double warmup, prolonged, after_warmup, least, saturated, affine_prior, spread;
    } search;
} tuning = {
    /* Thresholds in standard deviations: beyond it ... */
    .significant =
        2.0, /* a curvature is significant, a point is no draw of a component, and two components are separate modes */
    .sure = 3.0, /* log pi is not that of a draw, and its error not from the fit of a t distribution */

    /* The way from the start to a mode, before the first cycle. */
    .approach =
        {
            .settle = {300.0, 50.0}, /* iterations in the mode, by d */
            .longest = 8, /* the longest look (a batch of the walk), in lengths of the first: plateaus are common */
            .longest_windowed = 2, /* the same above `correlated` dimensions */
            .correlated = 50,    /* dimensions up to which the walk learns correlations (500: 60 times the CPU time) */
            .window = 32,        /* coordinates that a step moves there */
            .lattice = 200,      /* dimensions up to which a lattice gives the Hessian there */
            .thinning = 4,       /* every d/4-th state of that walk is kept for the first fit: about 100 */
            .gaussian_draws = 2, /* draws of a fitted Gaussian that are tried */
            .lattice_draws = 16, /* draws of the Gaussian of a lattice that check it */
        },

    /* Quadratics fitted to log pi: on the way to a mode, in climbs, and as profiles of components. */
    .fit =
        {
            .dimensions = 30,             /* in climbs and as profiles, at most */
            .unexplained = 0.1,           /* a fit leaves less than this share of the variance of log pi */
            .gaussian_unexplained = 0.01, /* the same of Gaussian profiles, which have no parameter for the tails */
        },

    /* Tempered chains, from whose proposals searches begin. */
    .walkers =
        {
            .coldest = 0.1,  /* inverse temperatures, evenly in the logarithm, from this ... */
            .hottest = 3e-4, /* ... to this */
            .accept = 0.234, /* acceptance rate to which their step sizes adapt */
            .decay = 0.6,    /* by a Robbins-Monro gain of t^-decay */
        },

    /* The climb of a search, a (1+1) evolution strategy. */
    .climb =
        {
            .steps = {20.0, 8.0}, /* evaluations per round, by d; more where a fit needs more points */
            .up = 1.5,            /* factor of the step size after a step up ... */
            .down = 0.9,          /* ... and after one that is rejected: about one step in five leads up */
            .refused = 0.5,       /* ... and after a step up to a point that is explained */
            .attempts = 60,       /* rounds per search, at most */
            .refusals = 20,       /* refused steps in a row, after which it ends */
            .slope_points = 5,    /* on the straight way to a known component, at 1/2, 1/4, ... of it */
        },

    /* Short Metropolis walks on pi where no fit has a peak. `steps` and `rise` are also those of the approach. */
    .look =
        {
            .steps = {10.0, 5.0}, /* iterations, by d; of a tempered search, by the number of coordinates that move */
            .rise = {1.0, 0.5},   /* of the mean of log pi from look to look that counts, by sqrt(d) */
            .learn = 10,          /* length of the walk at a candidate, in looks, for its mean and covariance */
            .accept = 0.25,       /* acceptance rate to which the step size adapts */
            .gain = 1.5,          /* by a Robbins-Monro gain of gain (1 + t)^-1/2 */
            .prior =
                4.0, /* shrinkage: the covariance counts like iterations / (prior d) draws, a multiple of I like d draws */
        },

    /* When the mixture explains a point, and which candidates are known or negligible. */
    .known =
        {
            .error = {1.0,
                      1.0}, /* of the log pi that the mixture predicts, at a point that it explains, by sqrt(d) ... */
            .relative_error =
                0.05, /* ... plus this times the fall of log pi from the peak (for t, too: fewer targets right) */
            .tail_error = 0.5, /* the same for t distributions, plus `sure` standard errors of their fit */
            .profile_error =
                0.03, /* of a component, above which slopes are tried (0.1: 870 searches of a logistic regression, not 10,600) */
            .radius =
                {1.5, 0.5}, /* around a component, in standard deviations, by sqrt(d): a candidate within it is known */
            .failed = 0.5,  /* factor of the radius around retired components, which jumps failed to reach */
            .negligible =
                {15.0,
                 0.5}, /* a candidate is dropped if its log mass is lower than that of the mixture by this, by d */
            .runaway = 100.0, /* standard deviations of the tempered target after which a search is stopped */
        },

    /* The mixture of t distributions. */
    .memory =
        {
            .rows = 4096, /* draws that a fit uses, and that a chain keeps, at most */
            /* degrees of freedom, also of profiles (7 alone: 3 to 5 times the cost); the last bounds the tails of q */
            .degrees = {3, 5, 7, 10, 15, 25, 50, 100},
            .degrees_start = 25.0, /* one of `degrees` */
            .degrees_gain = 3.0, /* log likelihood, times the effective sample size per draw, that a change must gain */
            .responsibility = 1e-4, /* below which a draw does not count for a component */
            .minor_share =
                0.01, /* of draws: a mode with less may be found late (0.2: in 8 of 47 runs) or without a search; modes share fewer draws */
        },

    /* Its fit to draws by EM. */
    .refit =
        {
            .structure = 1.5,           /* split and merge are tried when there are so many times more iterations */
            .rows_per_parameter = 64.0, /* draws that EM uses in the cycles between ... */
            .rows_least = 0.25,         /* ... but at least this fraction of memory.rows */
            .aic_excess =
                25.0, /* log likelihood that a component must gain, beyond its parameters (BIC alone: ESS 364, not 610, of funnel) */
            .log_z_rows = 512,   /* draws for log Z and for the overlap of components */
            .scale_thinning = 8, /* every 8th draw for the scales of coordinates */
            .passes = 2,         /* of EM before split and merge */
            .rounds = 6,         /* of changes of the degrees of freedom, and of splits, at most */
        },
    .split =
        {
            .passes = 8, /* of EM for the two components */
            .thinning =
                4.0, /* most seeds are compared on every 4th draw (all: small clusters are missed), or on more: ... */
            .rows = 128.0,             /* ... at least on so many ... */
            .rows_per_parameter = 4.0, /* ... and on so many per parameter */
            .distinct = 2.0,           /* distinct draws that each component needs, in units of d + 1 */
            .extrapolation =
                2.0,      /* gain assumed for each pass to come, in units of the last: a hopeless trial ends early */
            .width = 0.5, /* standard deviations of the seeds, in units of the component's */
            .width_at_row = 0.1, /* of those at a single draw */
        },
    .merge =
        {
            .passes = 3,   /* of EM of the common component */
            .within = 4.0, /* standard deviations between the components that are tried */
        },

    /* Unvisited components: found by a search, reached by no draw. */
    .unvisited =
        {
            .odds_least = 0.05, /* least weight of a new one, in units of that of all others */
            .share = 0.5,       /* largest weight of all of them together */
            .tries = 50.0,      /* jumps after which one is taken out, if fewer than moves.rare of them were accepted */
        },

    /* Moves, and what adapts at the end of a cycle. Efficiency: the expected squared jump distance, 1 for
     * independent draws; that of independent jumps is r. */
    .moves =
        {
            .share_least = 0.01, /* of each kind of move; more than 0, or means need not converge */
            .local_share =
                0.3, /* at least for local moves, times 1 - r^local_power (0.1: jumps stick in the tails of banana) */
            .local_power = 4.0, /* see local_share */
            .carry_share =
                0.1, /* at least for carried moves, times 1 - r, if they reach carry_good (0: half the ESS of funnel) */
            .carry_good = 0.05, /* efficiency */
            .power =
                3.0, /* the remaining share is in proportion to this power of the efficiency (1, 2: half of grid32 goes to rejected jumps) */
            .rare =
                0.01, /* acceptance rate of jumps below which their efficiency counts less, and the search gets less */
            .discount = 0.5,     /* factor of the counts of earlier cycles, per cycle */
            .prior = 0.02,       /* efficiency assumed for one move before the first */
            .short_least = 0.05, /* share of short steps among local moves (0: the neck of eight schools is left out) */
            .short_stuck = 5.0,  /* added to it, times the share of iterations at which a chain is stuck */
            .short_most = 0.3,   /* and at most */
            .shortest = 0.01,    /* factor of a short step, at least; log-uniform */
            .step_gain =
                2.0, /* Newton's step: the acceptance rate of a random walk falls by 0.47 when the log step size rises by 1 */
            .step_prior = 30.0, /* prior: moves with the target acceptance rate */
            .stuck = 20,        /* rejections in a row after which a chain is stuck */
        },

    /* Iterations of a cycle, by d; each cycle is longer by `growth` of the first. With growth 0 means need not
     * converge. */
    .cycle = {.steps = {500.0, 100.0}, .growth = 0.25},

    /* The automatic warm-up, before it is prolonged. */
    .warmup =
        {
            .steps = {2000.0, 250.0}, /* iterations, by d ... */
            .least = 1000,            /* ... at least this ... */
            .of_horizon = 0.5,        /* ... and at most this fraction of the iterations planned */
            .separate =
                0.5, /* share of the warm-up in which two groups of chains search and adapt separately (0: the same ESS) */
        },

    /* The budget of the search: fractions of the iterations of a cycle. */
    .search =
        {
            .warmup = 0.5,        /* in the warm-up */
            .prolonged = 0.8,     /* in what prolongs it */
            .after_warmup = 0.25, /* after it; less where jumps do not reach what is found */
            .least = 0.05,        /* where the search is saturated */
            .saturated =
                0.75, /* it is saturated when the bound on unseen modes is at most this, in units of what is allowed */
            .affine_prior = 20.0, /* prior: affine jumps with the acceptance rate moves.rare */
            .spread =
                2.0, /* standard deviations, in those of q, of the draws from which searches begin (none: 197 of 300 targets right, not 212) */
        },
};

#endif
