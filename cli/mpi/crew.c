/* crew.c - a run of all processes that mpirun or Slurm has started, over MPI: the program ckam-mpi. */
#include "cli.h"

#include <ckam/mpi.h>

#include <stdlib.h>

static ckam_crew *crew;

const ckam_crew *crew_join(void) {
    ckam_error error;
    int        level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)) exit(EX_UNAVAILABLE);
    if (level < MPI_THREAD_FUNNELED)
        exit(complain("", EX_UNAVAILABLE, "this MPI cannot be used by a program that has threads; build it with them"));
    if (ckam_mpi_create(&crew, MPI_COMM_WORLD, &error)) exit(complain_error("", &error));
    return crew;
}

void crew_leave(void) {
    ckam_mpi_free(crew);
    MPI_Finalize();
}
