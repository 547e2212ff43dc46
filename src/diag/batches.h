/* batches.h - ESS of all coordinates of a chain that is still running, in memory that does not grow.
 *
 * The definition is that of diag_multi_ess() for one chain. Sums over groups of rows are kept; when the room for groups
 * is full, each two become one. The length of a batch is then the multiple of the group's length that is nearest to
 * floor(sqrt(rows)), at least one group: exactly floor(sqrt(rows)) up to 8192 rows. */
#ifndef CKAM_DIAG_BATCHES_H
#define CKAM_DIAG_BATCHES_H

#include <stddef.h>
#include <stdint.h>

typedef struct batches batches;

/* NULL for want of memory (16 dim^2 + 65536 dim bytes). Nothing else here allocates. */
batches *batches_create(size_t dim);
void     batches_free(batches *b);

/* Takes the chain's next row, dim numbers: O(dim^2). */
void batches_add(batches *b, const double *x);

/* NaN where diag_multi_ess() gives NaN. Costs what one row costs for each batch, of which there are sqrt(rows) and at most
 * 8192, and a factorisation. */
double batches_multi_ess(batches *b);

#endif
