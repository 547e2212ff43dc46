/* cluster.h - groups of points between which the density falls, without those that only autocorrelation has made.
 *
 * For find_modes.c. Points are rows of SUBSPACE_DIM numbers. */
#ifndef CKAM_DIAG_CLUSTER_H
#define CKAM_DIAG_CLUSTER_H

#include "ckam.h"

enum { CLUSTER_LEAST = 30, CLUSTER_MOST = 50 }; /* points, at least; groups, at most */

/* label[i] := the group of point i, from 0 on; *groups is their number, from 1 to CLUSTER_MOST. `dim` is how many of
 * the coordinates vary; count is at least CLUSTER_LEAST. */
ckam_status cluster_find(size_t count, size_t dim, const double *points, uint32_t *label, size_t *groups,
                         ckam_error *error);

/* Where chains move slowly a group may be no mode. chain[i] is the chain of point i; chains come one after the other,
 * their points in the order of time. */

/* Drops points that are close to the one before, measured by the spread of their group, and returns how many are left.
 * A chain that moves in small steps for a while would otherwise leave a peak of the density there. */
size_t cluster_thin(size_t count, double *points, uint32_t *chain, const uint32_t *label, size_t groups);
/* Joins pairs of groups that autocorrelation explains. */
void cluster_join_slow(size_t count, const double *points, const uint32_t *chain, uint32_t *label, size_t *groups);

#endif
