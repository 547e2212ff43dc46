/* processors.h - how many processors there are for this process. */
#ifndef CKAM_BASE_PROCESSORS_H
#define CKAM_BASE_PROCESSORS_H

#include <stddef.h>

/* Those that it may use, where it is bound to some (taskset, Slurm, mpirun); else its part of all, of `neighbours` such
 * processes on the machine. At least 1. */
size_t processors_for(size_t neighbours);

#endif
