/* apart.h - rare modes that the sampler itself names, where they are seen to be apart.
 *
 * For modes.c. cluster.c cannot find a mode of a few points. Here it is found by its name, but only where it lies apart:
 * a wrong name does not make a mode. */
#ifndef CKAM_DIAG_APART_H
#define CKAM_DIAG_APART_H

#include "diag/row_sample.h"
#include "diag/subspace.h"

/* A part of the subspace. */
typedef struct ball {
    double centre[SUBSPACE_DIM], square; /* its radius, squared */
} ball;

/* Fills balls[0 .. SAMPLE_NAMES-1] with such places and returns how many there are. The sample has its places; its points
 * are used up. */
size_t apart_find(const row_sample *s, ball *balls);
/* s->label are groups of the even sample, or of what is left of it. What is in a ball becomes a group of its own, unless it
 * is one; the points of that name that are not in the even sample come to it. */
void apart_split(row_sample *s, size_t count, const ball *balls, size_t *groups);

#endif
