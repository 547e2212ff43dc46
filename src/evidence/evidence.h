/* evidence.h - inside ckam_evidence_estimate(): the draws that are used, the mixture q, the bridge between them.
 *
 *     evidence.c   the two halves, and what they give together     fit.c      q, fitted to one half
 *     halves.c     the draws, in units of their own spread         bridge.c   log Z from draws of the target and of q
 *     warning.c    whether to trust it                             given.c    parameters as the user has them */
#ifndef CKAM_EVIDENCE_EVIDENCE_H
#define CKAM_EVIDENCE_EVIDENCE_H

#include "ckam.h"
#include "mixture/refit.h"

/* -- halves.c ----------------------------------------------------------------------------------------------------- */

enum { HALVES = 2, BRIDGED_MOST = 20000 };

/* Every so many-th draw, coordinates as z = (x - centre) / spread, log densities as those of z: Z is the same. */
typedef struct halves {
    size_t   chains, rows, dim; /* rows of a half of a chain */
    size_t   every, second;     /* one draw in `every` of the chain; of those, where the second half begins */
    double  *row; /* those of chain 0, its first half before its second, then chain 1; as refit.h has them */
    double  *centre, *spread; /* of each coordinate */
    double   log_volume;      /* sum of the logs of the spreads */
    double  *point;           /* room for one x */
    bool     known;           /* the draws came with their log densities */
    uint64_t evaluations;     /* of the target, so far */
    size_t   piled, pile;     /* so many draws are all at one end of coordinate `pile`: see pile_up(); 0: none */
} halves;

/* Reads the draws. Log densities that came with them are compared with those of the target, at some; others are made.
 * Refuses draws of another target, constant parameters, what is not finite, and too few draws. */
ckam_status halves_create(halves *s, ckam_draws *draws, const ckam_target *target, ckam_error *error);
void        halves_free(halves *s);
/* The draws of half `half` in chain `chain`. */
double *halves_block(const halves *s, size_t half, size_t chain);
/* *value := the log density of z. */
ckam_status halves_evaluate(halves *s, const ckam_target *target, const double *z, double *value, ckam_error *error);

/* -- given.c ------------------------------------------------------------------------------------------------------ */

/* What the user calls coordinate k: "tau"; or "unconstrained coordinate 3" where none of his parameters is this one. */
enum { GIVEN_NAME = 64, GIVEN_POINT = 84 };
void given_name(const ckam_target *target, const ckam_draws *draws, size_t k, char *text);
/* The point u in words, as many of the user's parameters as fit: "mu = 1.5, tau = 3, ..." */
ckam_status given_point(const ckam_target *target, const ckam_draws *draws, const double *u, char *text,
                        ckam_error *error);
/* *range := how far the log density, `value` at u, may be from that of the draw, for u comes from parameters that were
 * rounded; HUGE_VAL next to a bound, where they tell nothing. *evaluations are counted on. */
ckam_status given_range(const ckam_target *target, const double *u, double value, double *range, uint64_t *evaluations,
                        ckam_error *error);

/* -- fit.c -------------------------------------------------------------------------------------------------------- */

/* q fitted to a half, in a block that is yours to free; NULL for want of memory. */
mixture *fit_create(const halves *s, size_t half);

/* -- bridge.c ----------------------------------------------------------------------------------------------------- */

typedef struct bridge {
    size_t        chains, rows; /* of draws of the target */
    size_t        count;        /* of draws of q */
    const double *at_target;    /* log density of the target less that of q at its draws: chains * rows numbers */
    const double *at_q;         /* the same at draws of q */
    /* What came out. */
    double log_z;
    double target_variance, q_variance; /* of log_z: what the draws of either side add to it */
    double ess;                         /* of the draws of the target, for this purpose */
    double overlap;
} bridge;

ckam_status bridge_solve(bridge *b, ckam_error *error);

/* -- warning.c ---------------------------------------------------------------------------------------------------- */

/* The first reason not to trust the estimate into evidence->warning, and evidence->trusted. */
ckam_status warning_make(ckam_evidence *evidence, const bridge *half, const halves *s, const ckam_target *target,
                         ckam_draws *draws, ckam_error *error);

#endif
