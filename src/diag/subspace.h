/* subspace.h - the at most 8 directions in which groups of points are separated.
 *
 * For find_modes.c; cluster.c then looks for the groups there. */
#ifndef CKAM_DIAG_SUBSPACE_H
#define CKAM_DIAG_SUBSPACE_H

#include "ckam.h"

enum { SUBSPACE_DIM = 8 };

/* A linear map of points to `rank` <= SUBSPACE_DIM coordinates. */
typedef struct subspace {
    size_t  dim, rank;
    double *centre; /* dim numbers; subtracted from a point first */
    double *map;    /* dim rows of SUBSPACE_DIM numbers: row k is the contribution of coordinate k */
} subspace;

/* Finds it from points in rows of point_stride(dim) numbers, which are overwritten, and maps them: out has count rows of
 * SUBSPACE_DIM numbers. Invariant to the units of the coordinates. */
ckam_status subspace_find(subspace *s, size_t count, size_t dim, double *points, double *out, ckam_error *error);
void        subspace_free(subspace *s);
/* out[0 .. SUBSPACE_DIM-1] := the point there; 0 beyond the rank. */
void subspace_map(const subspace *s, const double *point, double *out);

#endif
