/* growth.c - how the cost of a step grows with the dimension. */
#include "rows.h"

void rows_of_growth(void) {}
