/* mode_weights.h - whether the weights of modes may be farther off than their standard errors say. For find_modes.c.
 *
 * docs/diagnostics.md has the tests and their false-alarm rates. */
#ifndef CKAM_DIAG_MODE_WEIGHTS_H
#define CKAM_DIAG_MODE_WEIGHTS_H

#include "ckam.h"

/* Where the chains are: label[chain * rows + row] is the mode of a row. */
typedef struct labels {
    const uint8_t *label;
    size_t         chains, rows, modes;
} labels;

/* What speaks against the weights: in each case how many modes, and the heaviest of them, from 0. */
typedef struct mode_doubts {
    size_t late, first_late;     /* not visited for a long time, in any chain, and then often */
    double absent;               /* the share of the rows before the first draw in first_late */
    size_t uneven, first_uneven; /* the chains, or their halves, differ */
    double least, most;          /* the weights of first_uneven in the halves of chains */
} mode_doubts;

/* The standard error that a chain would have which goes in and out of the mode at random, and came in so often: a lower bound
 * for the error where there are so few arrivals that autocorrelations do not show it; 0 where there are 50 or more. */
double weight_error(double weight, uint64_t arrivals, size_t draws);
/* Notes mode number `number` in `doubts` where its draws, which have this label, are late or uneven. */
ckam_status weight_check(const labels *l, uint8_t label, size_t number, uint64_t arrivals, mode_doubts *doubts,
                         ckam_error *error);

#endif
