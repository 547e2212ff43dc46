/* processors.c - see processors.h. Linux knows what a process is bound to (the build defines _GNU_SOURCE for this file); elsewhere
 * all processors count. */
#include "base/processors.h"

#include <sched.h>
#include <unistd.h>

size_t processors_for(size_t neighbours) {
    long   online = sysconf(_SC_NPROCESSORS_ONLN);
    size_t all = online > 0 ? (size_t)online : 1, share = all / neighbours;
#ifdef CPU_COUNT
    cpu_set_t allowed;
    if (!sched_getaffinity(0, sizeof allowed, &allowed) && (size_t)CPU_COUNT(&allowed) < all)
        share = (size_t)CPU_COUNT(&allowed);
#endif
    return share ? share : 1;
}
