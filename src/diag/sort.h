/* sort.h - sorting numbers together with where they came from. For the ranks of diag. */
#ifndef CKAM_DIAG_SORT_H
#define CKAM_DIAG_SORT_H

#include <stddef.h>
#include <stdint.h>

/* Sorts numbers, none of them NaN, and moves order[i] with values[i]; order may be NULL. The order of equal numbers is
 * any. No array is so unlucky that it takes more than 65 passes. */
void sort_with_order(double *values, uint32_t *order, size_t count);

#endif
