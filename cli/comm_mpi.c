/* comm_mpi.c - the communicator of ckam-mpi: all processes that mpirun or Slurm has started, over MPI. */
#include "cli.h"

#include <ckam/mpi.h>

#include <stdlib.h>

static ckam_comm *comm;

const ckam_comm *comm_open(void) {
    ckam_error error;
    int        level;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level)) exit(EX_UNAVAILABLE);
    if (level < MPI_THREAD_FUNNELED)
        exit(complain("", EX_UNAVAILABLE, "this MPI cannot be used by a program that has threads; build it with them"));
    if (ckam_mpi_create(&comm, MPI_COMM_WORLD, &error)) exit(complain_error("", &error));
    return comm;
}

void comm_close(void) {
    ckam_mpi_free(comm);
    MPI_Finalize();
}
