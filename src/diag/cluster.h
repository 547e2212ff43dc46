/* cluster.h - groups of points between which the density falls.
 *
 * For modes.c. Points are rows of SUBSPACE_DIM numbers. */
#ifndef CKAM_DIAG_CLUSTER_H
#define CKAM_DIAG_CLUSTER_H

#include "ckam.h"

enum { CLUSTER_LEAST = 30, CLUSTER_MOST = 50 }; /* points that are needed, groups that are given */

/* label[i] := the group of point i, from 0 on; *groups is their number, from 1 to CLUSTER_MOST. `dim` is how many of
 * the coordinates vary; count is at least CLUSTER_LEAST. */
ckam_status cluster_find(size_t count, size_t dim, const double *points, uint32_t *label, size_t *groups,
                         ckam_error *error);

#endif
