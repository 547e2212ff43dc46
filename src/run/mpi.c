/* mpi.c - see ckam/mpi.h. In a library of its own: the others know nothing of MPI.
 *
 * A process that waits for others sleeps between looks, as its chains want the processor: 20 us at first, so that what comes
 * at once is not kept waiting, and up to 1 ms. What MPI cannot do ends the job, by its own rule. */
#include <ckam/mpi.h>

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NAP_FIRST = 20000, NAP_MOST = 1000000 }; /* nanoseconds */
enum { PIECE = 1 << 30 };                       /* MPI counts in int */

typedef struct mpi_comm {
    ckam_comm comm; /* first */
    MPI_Comm  processes;
    int      *counts, *places; /* of a gathering */
} mpi_comm;

static void wait_for(MPI_Request *request) {
    struct timespec nap = {.tv_nsec = NAP_FIRST};
    for (int done = 0;;) {
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
        if (done) return;
        nanosleep(&nap, NULL);
        if (nap.tv_nsec < NAP_MOST) nap.tv_nsec *= 2;
    }
}

/* More than an int counts: a process after the other, in pieces. */
static void gather_pieces(mpi_comm *m, const char *bytes, const size_t *sizes, char *all, bool everywhere) {
    MPI_Request request;
    char       *place = all;
    for (size_t r = 0; r < m->comm.size; r++) {
        bool own = r == m->comm.rank;
        if (own && all) memcpy(place, bytes, sizes[r]);
        for (size_t done = 0; done < sizes[r]; done += PIECE) {
            int   count = sizes[r] - done < PIECE ? (int)(sizes[r] - done) : PIECE;
            void *to = all ? place + done : NULL;
            if (everywhere)
                MPI_Ibcast(to, count, MPI_BYTE, (int)r, m->processes, &request);
            else if (r && own)
                MPI_Isend(bytes + done, count, MPI_BYTE, 0, 0, m->processes, &request);
            else if (r && m->comm.rank == 0)
                MPI_Irecv(to, count, MPI_BYTE, (int)r, 0, m->processes, &request);
            else
                continue;
            wait_for(&request);
        }
        if (all) place += sizes[r];
    }
}

static void gather(void *context, const void *bytes, const size_t *sizes, void *all, bool everywhere) {
    mpi_comm   *m = context;
    size_t      total = 0;
    MPI_Request request;
    for (size_t r = 0; r < m->comm.size; r++) total += sizes[r];
    if (total > INT_MAX) {
        gather_pieces(m, bytes, sizes, all, everywhere);
        return;
    }
    total = 0;
    for (size_t r = 0; r < m->comm.size; r++) {
        m->counts[r] = (int)sizes[r];
        m->places[r] = (int)total;
        total += sizes[r];
    }
    int own = m->counts[m->comm.rank];
    if (everywhere)
        MPI_Iallgatherv(bytes, own, MPI_BYTE, all, m->counts, m->places, MPI_BYTE, m->processes, &request);
    else
        MPI_Igatherv(bytes, own, MPI_BYTE, all, m->counts, m->places, MPI_BYTE, 0, m->processes, &request);
    wait_for(&request);
}

static size_t count_neighbours(MPI_Comm processes) {
    MPI_Comm here;
    int      count = 1;
    MPI_Comm_split_type(processes, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_size(here, &count);
    MPI_Comm_free(&here);
    return (size_t)count;
}

ckam_status ckam_mpi_create(ckam_comm **comm, MPI_Comm processes, ckam_error *error) {
    int       rank, size;
    mpi_comm *m = calloc(1, sizeof *m);
    *comm = NULL;
    MPI_Comm_rank(processes, &rank);
    MPI_Comm_size(processes, &size);
    if (m) m->counts = calloc((size_t)size, sizeof *m->counts);
    if (m) m->places = calloc((size_t)size, sizeof *m->places);
    if (!m || !m->counts || !m->places) {
        static const ckam_error no_memory = {CKAM_ERROR_MEMORY, "there is no memory for a communicator"};
        if (m) {
            free(m->counts);
            free(m->places);
        }
        free(m);
        if (error) *error = no_memory;
        return CKAM_ERROR_MEMORY;
    }
    MPI_Comm_dup(processes, &m->processes);
    m->comm = (ckam_comm){.rank = (size_t)rank,
                          .size = (size_t)size,
                          .neighbours = count_neighbours(processes),
                          .context = m,
                          .gather = gather};
    *comm = &m->comm;
    return CKAM_OK;
}

void ckam_mpi_free(ckam_comm *comm) {
    mpi_comm *m = (mpi_comm *)(void *)comm;
    if (!m) return;
    MPI_Comm_free(&m->processes);
    free(m->counts);
    free(m->places);
    free(m);
}
