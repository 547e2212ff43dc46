/* row_sample.h - the sample of rows in which modes are searched, and the moments of all rows.
 *
 * For find_modes.c. Only rows that differ from the row before count: accepted moves. The even sample has every k-th move.
 * Where the sampler names the mode of each draw (column mode__), some moves in modes that are rare in the even sample are
 * kept besides. */
#ifndef CKAM_DIAG_ROW_SAMPLE_H
#define CKAM_DIAG_ROW_SAMPLE_H

#include "ckam.h"

/* Running mean, and sum of squared differences from it, of the draws of each mode (Welford). */
typedef struct moments {
    size_t  dim;
    double *mean, *square; /* of mode j: dim numbers from j * dim on */
} moments;

/* Adds a row, the `count`-th of its mode. */
void moments_add(const moments *m, size_t mode, double count, const double *x);

enum { SAMPLE_NAMES = 64 }; /* 0: no name; numbers from SAMPLE_NAMES - 1 on share one name */

/* Every k-th move (k = every). When it is full, every second one is dropped and k doubles. */
typedef struct reservoir {
    size_t   at, most, count; /* its first row in `points`, room, rows */
    uint64_t every, moves;    /* moves so far */
} reservoir;

typedef struct row_sample {
    size_t    first, dim, stride, most; /* first: of the columns that are parameters */
    size_t    mode, cycle;              /* columns; SIZE_MAX where there is none */
    size_t    even, more, count;        /* points: of the even sample; after them, of rare names; in use now */
    double   *points;                   /* rows of stride numbers */
    double   *before;                   /* the last row that differed */
    double   *place;                    /* rows of SUBSPACE_DIM numbers, for the points in a subspace */
    uint32_t *chain, *label;
    uint8_t  *name; /* that the sampler gives the mode of a point */
    reservoir all, named[SAMPLE_NAMES];
    uint64_t  visits[SAMPLE_NAMES];
    size_t    now; /* the name of the last row */
    moments   moments;
    double    rows;
    uint64_t  found; /* the first cycle */
    bool      finite;
} row_sample;

/* What was reserved is freed by row_sample_free(), also after a failure. */
ckam_status row_sample_create(row_sample *s, const ckam_draws *draws, ckam_error *error);
void        row_sample_free(row_sample *s);
/* Reads all rows. */
ckam_status row_sample_take(row_sample *s, ckam_draws *draws, ckam_error *error);
/* The cycle of a row; 0 where the draws have no cycles. */
uint64_t row_sample_cycle(const row_sample *s, const double *values);

#endif
