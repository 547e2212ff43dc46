/* kernels.c - KAM beside the formulas as they stand in textbooks. */
#include "rows.h"

void rows_of_kernels(void) {}
