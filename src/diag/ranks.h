/* ranks.h - sorting with the original order, and normal scores: the quantile of the normal at a value's rank.
 *
 * For R-hat and ESS, which look at ranks alone, and for rank tests. */
#ifndef CKAM_DIAG_RANKS_H
#define CKAM_DIAG_RANKS_H

#include <stddef.h>
#include <stdint.h>

/* Sorts numbers, none of them NaN, and moves order[i] with values[i]; order may be NULL. The order of equal numbers is
 * any. No array is so unlucky that it takes more than 65 passes. */
void sort_with_order(double *values, uint32_t *order, size_t count);

/* The z with Phi(z) = p, 0 < p < 1, to some 1e-16 of its size. */
double normal_quantile(double p);

/* scores[i] := the normal score of values[i] for every i in order[0 .. count), which lists them from the least to the
 * greatest; no other score is written. Equal values share the mean of their ranks. */
void scores_of_values(const double *values, const uint32_t *order, size_t count, double *scores);
/* The same of the distances |values[i] - centre|; centre is finite. */
void scores_of_distances(const double *values, const uint32_t *order, size_t count, double centre, double *scores);

#endif
