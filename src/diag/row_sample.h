/* row_sample.h - some rows of a set of draws, among which modes are looked for, and the moments of all rows.
 *
 * For find_modes.c. A row counts if it differs from the row before: a move. Of all moves an even sample is kept;
 * besides, where the sampler names modes (column mode__), some moves of those that are rare in that sample. */
#ifndef CKAM_DIAG_ROW_SAMPLE_H
#define CKAM_DIAG_ROW_SAMPLE_H

#include "ckam.h"

/* Mean, and sum of squared differences from it, of the draws of each mode, as they come. */
typedef struct moments {
    size_t  dim;
    double *mean, *square; /* of mode j: dim numbers from j * dim on */
} moments;

/* Row number `count` of a mode. */
void moments_add(const moments *m, size_t mode, double count, const double *x);

enum { SAMPLE_NAMES = 64 }; /* 0 is no name; all from the last on are one */

/* Every so many-th move; when there is no room every second one is dropped. */
typedef struct reservoir {
    size_t   at, most, count; /* rows of `points` */
    uint64_t every, moves;    /* moves so far */
} reservoir;

typedef struct row_sample {
    size_t    first, dim, stride, most; /* first: of the columns that are parameters */
    size_t    mode, cycle;              /* columns; SIZE_MAX where there is none */
    size_t    even, more, count;        /* points: of the even sample; behind them, of rare names; in use now */
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
/* The cycle of a row; 0 where there are no cycles. */
uint64_t row_sample_cycle(const row_sample *s, const double *values);

#endif
