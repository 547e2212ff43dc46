/* multi_ess.h - multivariate ESS of a chain that is still running, in memory that does not grow.
 *
 * The definition is that of diag_multi_ess() for one chain. Sums over groups of rows are kept; when the room for groups
 * is full, each two become one. The length of a batch is then the multiple of the group's length that is nearest to
 * floor(sqrt(rows)), at least one group: exactly floor(sqrt(rows)) up to 8192 rows. */
#ifndef CKAM_DIAG_MULTI_ESS_H
#define CKAM_DIAG_MULTI_ESS_H

#include <stddef.h>
#include <stdint.h>

typedef struct running_ess running_ess;

/* NULL for want of memory (16 dim^2 + 65536 dim bytes). Nothing else here allocates. */
running_ess *running_ess_create(size_t dim);
void         running_ess_free(running_ess *b);

/* Takes the chain's next row, dim numbers: O(dim^2). */
void running_ess_add(running_ess *b, const double *x);

/* NaN where diag_multi_ess() gives NaN. Costs what one row costs for each batch, of which there are sqrt(rows) and at most
 * 8192, and a factorisation. */
double running_ess_value(running_ess *b);

#endif
