/* evidence.h - inside ckam_evidence_estimate(): the draws that are used, the mixture q, the bridge between them.
 *
 *     evidence.c      the two halves, what they give together, and whether to trust it
 *     split_draws.c   the draws, in units of their own spread; parameters as the user has them
 *     bridge.c        q, fitted to one half; log Z from draws of the target and of q */
#ifndef CKAM_EVIDENCE_EVIDENCE_H
#define CKAM_EVIDENCE_EVIDENCE_H

#include "ckam.h"
#include "mixture/refit.h"

/* -- split_draws.c ------------------------------------------------------------------------------------------------ */

enum { HALVES = 2, BRIDGED_MOST = 20000 };

/* Every k-th draw of each chain, standardised: z = (x - centre) / spread. Log densities are those of z, so Z is the same. */
typedef struct split_draws {
    size_t   chains, rows, dim; /* rows of a half of a chain */
    size_t   every, second;     /* k; the index of the first draw of the second half, among those kept */
    double  *row; /* those of chain 0, its first half before its second, then chain 1; as refit.h has them */
    double  *centre, *spread; /* of each coordinate */
    double   log_volume;      /* sum of the logs of the spreads */
    double  *point;           /* room for one x */
    bool     known;           /* the draws came with their log densities */
    uint64_t evaluations;     /* of the target, so far */
    size_t   tied, tied_at; /* how many draws are equal at one end of coordinate `tied_at`: see count_ties(); 0: none */
} split_draws;

/* Reads the draws. Where they have log densities (lp__), 8 of them are compared with the target; else the target is
 * evaluated at every draw. Refuses draws of another target, constant parameters, values that are not finite, and too few
 * draws. */
ckam_status split_draws_create(split_draws *s, ckam_draws *draws, const ckam_target *target, ckam_error *error);
void        split_draws_free(split_draws *s);
/* The draws of half `half` in chain `chain`. */
double *split_draws_block(const split_draws *s, size_t half, size_t chain);
/* *value := the log density of z. */
ckam_status split_draws_evaluate(split_draws *s, const ckam_target *target, const double *z, double *value,
                                 ckam_error *error);

/* The user's name of coordinate k: "tau"; or "unconstrained coordinate 3" where coordinates are not parameters one by one. */
enum { USER_PARAMETER_NAME = 64, USER_POINT_TEXT = 84 };
void user_parameter_name(const ckam_target *target, const ckam_draws *draws, size_t k, char *text);
/* The point u in words, as many of the user's parameters as fit: "mu = 1.5, tau = 3, ..." */
ckam_status user_point_text(const ckam_target *target, const ckam_draws *draws, const double *u, char *text,
                            ckam_error *error);
/* *range := how far the log density, `value` at u, may be from lp__ of the draw because u was computed from rounded
 * parameters; HUGE_VAL next to a bound, where they do not determine u. Adds to *evaluations. */
ckam_status rounding_range(const ckam_target *target, const double *u, double value, double *range,
                           uint64_t *evaluations, ckam_error *error);

/* -- bridge.c ----------------------------------------------------------------------------------------------------- */

/* q fitted to a half, in a block that is yours to free; NULL for want of memory. */
mixture *bridge_fit(const split_draws *s, size_t half);

typedef struct bridge {
    size_t        chains, rows; /* of draws of the target */
    size_t        count;        /* of draws of q */
    const double *at_target;    /* log density of the target less that of q at its draws: chains * rows numbers */
    const double *at_q;         /* the same at draws of q */
    /* Results. */
    double log_z;
    double target_variance, q_variance; /* of log_z: the parts from the draws of the target and of q */
    double ess;                         /* of the terms averaged over the draws of the target */
    double overlap;
} bridge;

ckam_status bridge_solve(bridge *b, ckam_error *error);

/* -- evidence.c --------------------------------------------------------------------------------------------------- */

/* The first reason not to trust the estimate into evidence->warning, and evidence->trusted. */
ckam_status evidence_warning(ckam_evidence *evidence, const bridge *half, const split_draws *s,
                             const ckam_target *target, ckam_draws *draws, ckam_error *error);

#endif
