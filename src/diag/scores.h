/* scores.h - normal scores: what a number's rank would be worth in a sample of normals. For summary.c. */
#ifndef CKAM_DIAG_SCORES_H
#define CKAM_DIAG_SCORES_H

#include <stddef.h>
#include <stdint.h>

/* The z with Phi(z) = p, 0 < p < 1, to some 1e-16 of its size. */
double normal_quantile(double p);

/* scores[i] := the normal score of values[i] for every i in order[0 .. count), which lists them from the least to the
 * greatest; no other score is written. Equal values share the mean of their ranks. */
void scores_of_values(const double *values, const uint32_t *order, size_t count, double *scores);
/* The same of the distances |values[i] - centre|; centre is finite. */
void scores_of_distances(const double *values, const uint32_t *order, size_t count, double centre, double *scores);

#endif
