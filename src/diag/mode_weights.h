/* mode_weights.h - whether the weights of modes may be farther off than their standard errors say. For find_modes.c.
 *
 * docs/diagnostics.md has the tests and their false-alarm rates. */
#ifndef CKAM_DIAG_MODE_WEIGHTS_H
#define CKAM_DIAG_MODE_WEIGHTS_H

#include "ckam.h"

/* label[chain * rows + row] is the mode of a row. */
typedef struct labels {
    const uint8_t *label;
    size_t         chains, rows, modes;
} labels;

/* Reasons to doubt the weights: of each, how many modes it concerns, and the heaviest of them, from 0. */
typedef struct mode_doubts {
    size_t late, first_late;     /* not visited for a long time, in any chain, and then often */
    double absent;               /* the share of the rows before the first draw in first_late */
    size_t uneven, first_uneven; /* its weight differs between the chains, or their halves */
    double least, most;          /* the weights of first_uneven in the halves of chains */
} mode_doubts;

/* The standard error of the weight for a two-state Markov chain with this many arrivals: a lower bound for the error where
 * there are too few arrivals for the autocorrelation to show it; 0 from 50 arrivals on. */
double weight_error(double weight, uint64_t arrivals, size_t draws);
/* Adds mode number `number`, whose rows have this label, to `doubts` if it is late or uneven. */
ckam_status weight_check(const labels *l, uint8_t label, size_t number, uint64_t arrivals, mode_doubts *doubts,
                         ckam_error *error);

#endif
