/* stays.h - how long a Metropolis chain stands still: stretches of equal rows. For review.c and findings.c.
 *
 * docs/diagnostics.md has the rule and what was measured. */
#ifndef CKAM_DIAG_STAYS_H
#define CKAM_DIAG_STAYS_H

#include <stddef.h>
#include <stdint.h>

/* The longest stretch that the acceptance of its chain does not explain; length is 0 where there is none. */
typedef struct stays {
    size_t length, chain, row; /* row: where it begins, from 0 */
    double accepted;           /* the share of moves among the other rows of the chain */
} stays;

/* same[chain * rows + row]: whether the row is that before it. */
stays stays_find(const uint8_t *same, size_t chains, size_t rows);

#endif
