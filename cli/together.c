/* together.c - the command in a process among others: only the first of them speaks, and all begin a run or none does. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

/* What one process has to say before the run. */
typedef struct word {
    int  status;
    char text[4 * DESCRIBE];
} word;

static const ckam_crew *crew;
static bool             settled;
static word             said;

void together_begin(const ckam_crew *others) { crew = others && others->size > 1 ? others : NULL; }

const ckam_crew *together_crew(void) { return crew; }

bool together_speaks(void) { return !crew || crew->rank == 0; }

void together_note(int status, const char *text) {
    if (settled) return;
    said.status = status;
    snprintf(said.text, sizeof said.text, "%s", text);
}

int together_settle(int status) {
    if (!crew || settled) return status;
    word   *all = calloc(crew->size, sizeof *all);
    size_t *sizes = calloc(crew->size, sizeof *sizes);
    if (!all || !sizes) {
        fprintf(stderr, "ckam: rank %zu has no memory to tell the others so; the job ends\n", crew->rank);
        exit(EX_OSERR); /* without MPI_Finalize(): mpirun ends the others */
    }
    for (size_t r = 0; r < crew->size; r++) sizes[r] = sizeof said;
    said.status = status;
    crew->gather(crew->context, &said, sizes, all, true);
    settled = true;
    for (size_t r = 0; r < crew->size && !status; r++) {
        if (!all[r].status) continue;
        status = all[r].status;
        if (together_speaks()) complain("", status, "rank %zu: %s", r, all[r].text);
    }
    free(all);
    free(sizes);
    return status;
}
