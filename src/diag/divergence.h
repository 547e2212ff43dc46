/* divergence.h - how far a histogram is from the exact probabilities of its bins.
 *
 * The symmetric Kullback-Leibler divergence, KL(p|q) + KL(q|p) = sum over bins of (p - q) log(p / q), p exact and q the
 * share of the draws. Where it is tiny, as for independent draws, its mean is (bins - 1) / total. */
#ifndef CKAM_DIAG_DIVERGENCE_H
#define CKAM_DIAG_DIVERGENCE_H

#include <stddef.h>
#include <stdint.h>

/* paper: bins where p or q is 0 are skipped, as in the paper. That rewards failure: a sampler that never leaves one of two
 * equal modes has 0.35, one that spends 11 % of its time in the other has 0.82.
 * jeffreys: half a draw is added to every bin of both sides, q = (count + 1/2) / (total + bins/2) and
 * p' = (total p + 1/2) / (total + bins/2). Nothing is skipped: the one to judge by. */
typedef struct divergence {
    double paper, jeffreys;
} divergence;

/* Both are NaN where total is 0 or a probability is NaN. */
divergence divergence_of(size_t bins, const double *probability, const uint64_t *count, uint64_t total);

#endif
