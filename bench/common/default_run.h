/* default_run.h - one run as `ckam sample DENSITY --seed S` makes it, and what `ckam diagnose` would say of it. */
#ifndef CKAM_BENCH_DEFAULT_RUN_H
#define CKAM_BENCH_DEFAULT_RUN_H

#include "density.h"
#include "score.h"

/* log pi(M x) is sampled, pi the density and M a matrix: the identity (plain), a diagonal one or any. */
typedef struct mapping {
    size_t dim;
    bool   plain, diagonal;
    double matrix[DIM_MOST][DIM_MOST];
    double log_det; /* log |det M| */
} mapping;

/* M = I; M = R, a random orthogonal matrix (Haar's distribution); M = R D, with D diagonal, units from 1e-3 to 1e3. */
typedef enum variant { AS_IS, ROTATED, UNITS, VARIANTS } variant;

/* A box cannot be rotated: of a density with bounds UNITS is M = D, and ROTATED is the same as AS_IS. */
void mapping_of_variant(mapping *m, const density *d, variant v, uint64_t seed);
/* M = diag(unit). */
void mapping_of_units(mapping *m, size_t dim, const double *unit);

/* KINDS: of problems, by their first words, in which numbers have become N. */
enum { KINDS = 12, KIND = 40 };

typedef struct outcome {
    verdict  verdict, evidence;
    bool     has_evidence; /* log Z is known and was estimated */
    double   worst;        /* error of a share */
    double   log_z_error, log_z_se;
    uint64_t evaluations;
    uint64_t evidence_evaluations; /* of the estimate of log Z, beside those of the run */
    size_t   modes;                /* found in the draws */
    size_t   events, met;          /* of the density; those of them that have a draw */
    double   unseen_bound;         /* of the search, which --unseen is compared with */
    uint64_t searches, sought;     /* that ended; evaluations that they took */
    size_t   kinds;
    char     kind[KINDS][KIND];
} outcome;

/* `draws` is NULL for the default. A run that ends with an error has a problem. With `evidence` log Z is estimated, too, where
 * it is known. */
void run_once(const density *d, const mapping *m, uint64_t seed, const char *draws, bool evidence, outcome *out);
/* Adds a kind of problem by its text, unless it is there. */
void outcome_add_kind(outcome *out, const char *text);

#endif
