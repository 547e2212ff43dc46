/* ranks.c - the command on one of several ranks: only rank 0 prints, and either all ranks begin the run or none does. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* The exit status of a rank before the run, and its message. */
typedef struct rank_error {
    int  status;
    char text[4 * DESCRIBE];
} rank_error;

static const ckam_comm *comm;
static bool             agreed;
static rank_error       own;

void ranks_begin(const ckam_comm *opened) { comm = opened && opened->size > 1 ? opened : NULL; }

const ckam_comm *ranks_comm(void) { return comm; }

bool ranks_is_root(void) { return !comm || comm->rank == 0; }

void ranks_note_error(int status, const char *text) {
    if (agreed) return;
    own.status = status;
    snprintf(own.text, sizeof own.text, "%s", text);
}

int ranks_agree(int status) {
    if (!comm || agreed) return status;
    rank_error *all = calloc(comm->size, sizeof *all);
    size_t     *sizes = calloc(comm->size, sizeof *sizes);
    if (!all || !sizes) {
        fprintf(stderr, "ckam: rank %zu is out of memory; the job ends\n", comm->rank);
        exit(EX_OSERR); /* without MPI_Finalize(): mpirun ends the others */
    }
    for (size_t r = 0; r < comm->size; r++) sizes[r] = sizeof own;
    own.status = status;
    comm->gather(comm->context, &own, sizes, all, true);
    agreed = true;
    for (size_t r = 0; r < comm->size && !status; r++) {
        if (!all[r].status) continue;
        status = all[r].status;
        if (ranks_is_root()) complain("", status, "rank %zu: %s", r, all[r].text);
    }
    free(all);
    free(sizes);
    return status;
}
