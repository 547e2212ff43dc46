/* find_modes.h - the modes of a set of draws: found in a subsample, then every row is assigned to one.
 *
 * find_modes.c says how. For review.c. */
#ifndef CKAM_DIAG_FIND_MODES_H
#define CKAM_DIAG_FIND_MODES_H

#include "ckam.h"
#include "diag/mode_weights.h"

typedef struct mode_table {
    size_t      count, dim, chains;
    uint64_t    crossings;
    ckam_mode  *mode; /* the heaviest first; their arrays are in `room` */
    void       *room;
    mode_doubts doubts;
} mode_table;

/* Reads all parameters of the draws, once, and where there are several modes once more. count is 0 where modes cannot be
 * searched: too few distinct rows, or values that are not finite. */
ckam_status find_modes(mode_table *table, ckam_draws *draws, ckam_error *error);
void        mode_table_free(mode_table *table);

#endif
