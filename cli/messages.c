/* messages.c - exit statuses as in sysexits.h, error messages, and over several ranks: only rank 0 prints, and either all ranks begin
 * the run or none does. */
#include "cli.h"

#include <stdarg.h>
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

/* Keeps the error that this rank does not print. */
static void note_error(int status, const char *text) {
    if (agreed) return;
    own.status = status;
    snprintf(own.text, sizeof own.text, "%.*s", (int)sizeof own.text - 1, text);
}

int exit_status(ckam_status status) {
    switch (status) {
    case CKAM_OK:
    case CKAM_STOP:
        return EX_OK;
    case CKAM_ERROR_OPTION:
    case CKAM_ERROR_ARGUMENT:
        return EX_USAGE;
    case CKAM_ERROR_FORMAT:
    case CKAM_ERROR_SNAPSHOT:
        return EX_DATAERR;
    case CKAM_ERROR_INPUT:
        return EX_NOINPUT;
    case CKAM_ERROR_OUTPUT:
        return EX_CANTCREAT;
    case CKAM_ERROR_WRITE:
        return EX_IOERR;
    case CKAM_REJECT:
    case CKAM_LATE:
    case CKAM_ERROR_MEMORY:
    case CKAM_ERROR_START:
    case CKAM_ERROR_INFINITE:
    case CKAM_ERROR_SCALE:
    case CKAM_ERROR_ORDER:
    case CKAM_ERROR_TARGET:
    case CKAM_ERROR_RANGE:
        return EX_SOFTWARE;
    }
    return EX_SOFTWARE;
}

int complain(const char *command, int status, const char *format, ...) {
    char    text[QUOTED + DESCRIBE];
    va_list arguments;
    (void)fflush(stdout); /* output comes before the message */
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (ranks_is_root())
        fprintf(stderr, "ckam%s%s: %s\n", *command ? " " : "", command, text);
    else
        note_error(status, text);
    return status;
}

int complain_error(const char *command, const ckam_error *error) {
    return complain(command, exit_status(error->status), "%s", error->message);
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
