/* slow.h - groups of points that only show how slowly a chain moves.
 *
 * For modes.c. chain[i] is the chain of point i; chains come one after the other, their points in the order of time. */
#ifndef CKAM_DIAG_SLOW_H
#define CKAM_DIAG_SLOW_H

#include "ckam.h"

/* Drops points that are next to the one before, measured by the spread of their group, and returns how many are left.
 * A chain that moves in small steps for a while would otherwise leave a peak of the density there. */
size_t slow_thin(size_t count, double *points, uint32_t *chain, const uint32_t *label, size_t groups);
/* Joins groups that are not seen to be two modes. */
void slow_join(size_t count, const double *points, const uint32_t *chain, uint32_t *label, size_t *groups);

#endif
