/* crew.c - a run of one process. */
#include "cli.h"

const ckam_crew *crew_join(int *count, char ***arguments) {
    (void)count;
    (void)arguments;
    return NULL;
}

void crew_leave(void) {}
