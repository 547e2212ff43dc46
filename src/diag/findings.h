/* findings.h - what a review says in words: problems and notes, with numbers and with advice.
 *
 * For review.c. A new rule is a row of a table in findings.c and a function. docs/diagnostics.md lists the rules. */
#ifndef CKAM_DIAG_FINDINGS_H
#define CKAM_DIAG_FINDINGS_H

#include "ckam.h"
#include "diag/mode_weights.h"

enum { FINDINGS_MOST = 24 };

/* The longest stretch of equal rows that the acceptance rate of its chain does not explain; length is 0 where there is
 * none. */
typedef struct stuck_stretch {
    size_t length, chain, row; /* row: where it begins, from 0 */
    double accepted;           /* the share of moves among the other rows of the chain */
} stuck_stretch;

/* What the rules look at beside the review itself. */
typedef struct review_facts {
    const ckam_review      *review; /* all but its findings */
    const ckam_draws_shape *shape;
    size_t                  constant, undefined, huge, edges; /* how many parameters; edges: ends of their ranges */
    size_t                  first_constant, first_undefined, first_huge, first_edge;
    uint64_t                undefined_values;
    double                  hugest, edge;      /* the value of the first huge one; the number at the first edge */
    size_t                  edge_rows;         /* how often the chains came to it */
    const bool             *moved;             /* of each chain: whether any two of its rows differ */
    uint64_t                density_undefined; /* rows whose lp__ is not finite */
    bool                    density_constant;  /* all rows have the same lp__ */
    stuck_stretch           stuck;
    mode_doubts             doubts;
} review_facts;

/* Fills finding[0 .. FINDINGS_MOST-1], problems first, and returns how many there are. */
size_t findings_make(const review_facts *facts, ckam_finding *finding);

#endif
