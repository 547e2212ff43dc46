/* ckam/mpi.h - a communicator of ckam over MPI: its processes carry out one run. Link with libckam_mpi and libckam.
 *
 *     MPI_Init(&argc, &argv);
 *     ckam_comm *comm;
 *     if (ckam_mpi_create(&comm, MPI_COMM_WORLD, &error)) ...
 *     ckam_plan_comm(plan, comm);
 *     ... ckam_run_create(), ckam_run_go(), as alone ...
 *     ckam_mpi_free(comm);
 *     MPI_Finalize();
 */
#ifndef CKAM_MPI_H
#define CKAM_MPI_H

#include <ckam.h>

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Only the thread that calls the library calls MPI: MPI_THREAD_FUNNELED is enough. The communicator is copied, so that what the
 * program says to itself meanwhile does not matter. Collective; so is the end. */
ckam_status ckam_mpi_create(ckam_comm **comm, MPI_Comm processes, ckam_error *error);
void        ckam_mpi_free(ckam_comm *comm);

#ifdef __cplusplus
}
#endif

#endif
