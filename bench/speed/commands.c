/* commands.c - runs, threads, start-up. */
#include "rows.h"

void rows_of_commands(void) {}
