/* init.h - where chains start: numbers as text, or in a file. */
#ifndef CKAM_RUN_INIT_H
#define CKAM_RUN_INIT_H

#include "ckam.h"

/* *starts := chains * dim numbers, yours to free, or NULL where `text` is "random". The text is a list of numbers, or the
 * name of a file that has one; commas, blanks, newlines and brackets separate. dim numbers start every chain, chains *
 * dim numbers each its own. */
ckam_status init_read(const char *text, size_t chains, size_t dim, double **starts, ckam_error *error);

#endif
