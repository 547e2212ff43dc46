/* score.h - draws, whoever made them, and what they are worth: ckam's ESS, and the divergence from the exact marginals. */
#ifndef CKAM_BENCH_SCORE_H
#define CKAM_BENCH_SCORE_H

#include "ckam.h"

/* x[(row * chains + chain) * dim + k], without what the sampler discards; what it took, with what it discards. */
typedef struct sample {
    size_t  chains, rows, dim;
    double  seconds, evaluations;
    double *x;
} sample;

void sample_free(sample *s);
/* The bulk ESS of the worst coordinate; 0 where a coordinate never moves. */
double sample_ess(const sample *s);

/* Exact probabilities of 100 bins, and how many draws fell into each: of the first coordinate, or of all of grid32. */
typedef struct histogram histogram;

histogram *histogram_create(const ckam_model *model, size_t coordinates);
void       histogram_free(histogram *h);
void       histogram_clear(histogram *h);
/* Adds `count` points, one after the other in x. */
void histogram_add(histogram *h, size_t count, const double *x);
/* jeffreys-KL, the mean over the coordinates. */
double histogram_divergence(const histogram *h);

#endif
