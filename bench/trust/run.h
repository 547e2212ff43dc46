/* run.h - one run as `ckam sample DENSITY --seed S` makes it, and what `ckam diagnose` would say of it. */
#ifndef CKAM_BENCH_TRUST_RUN_H
#define CKAM_BENCH_TRUST_RUN_H

#include "density.h"
#include "score.h"

/* log pi(M x) is sampled, with M = I, M = R, a random orthogonal matrix, or M = R D, D diagonal with units from 1e-3 to 1e3. */
typedef enum variant { AS_IS, ROTATED, UNITS, VARIANTS } variant;

/* KINDS: of problems, by their first words, in which numbers have become N. */
enum { KINDS = 12, KIND = 40 };

typedef struct outcome {
    verdict  verdict, evidence;
    double   worst; /* error of a share */
    double   log_z_error, log_z_se;
    uint64_t evaluations;
    size_t   modes;        /* found in the draws */
    double   unseen_bound; /* of the search, which --unseen is compared with */
    size_t   kinds;
    char     kind[KINDS][KIND];
} outcome;

/* `draws` is NULL for the default. A run that ends with an error has a problem. With `evidence` log Z is estimated, too, where
 * it is known. */
void run_once(density *d, variant v, uint64_t seed, const char *draws, bool evidence, outcome *out);

#endif
