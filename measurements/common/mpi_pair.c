/*
 * One operation of rank 0 on rank 1 by MPI, and whether its data arrived.
 */
#include "measurements/common/mpi_pair.h"

void mpi_pair_demand(struct run *run, enum pair_action action)
{
    data_demand_bytes(run, action == PAIR_FETCH_ADD ? sizeof(long)
                                                    : (size_t)run_argument(run, "count")->integer);
}

#if SKAMPI_MPI

bool mpi_pair_open(struct run *run, enum pair_action action, struct mpi_pair *pair)
{
    *pair = (struct mpi_pair){.action = action,
                              .partner = shape_partner(run, SHAPE_PAIR, 0),
                              .bytes = (int)run->demand.reported};
    return window_open_locked(run, (enum window_kind)run_word(run, "memory"), run->demand.remote,
                              MPI_INFO_NULL, &pair->window);
}

void mpi_pair_operate(struct run *run, struct mpi_pair *pair, long addend)
{
    int rank = pair->partner.rank, n = pair->bytes;
    MPI_Win window = pair->window.handle;
    switch (pair->action) {
    case PAIR_PUT:
        MPI_Put(run->local, n, MPI_BYTE, rank, 0, n, MPI_BYTE, window);
        break;
    case PAIR_GET:
        MPI_Get(run->local, n, MPI_BYTE, rank, 0, n, MPI_BYTE, window);
        break;
    case PAIR_FETCH_ADD:
        MPI_Fetch_and_op(&addend, &pair->fetched, MPI_LONG, rank, 0, MPI_SUM, window);
        break;
    }
    MPI_Win_flush(rank, window);
}

void mpi_pair_meet(struct run *run)
{
    MPI_Barrier(mpi_comm(run));
}

/* ---- The data ---- */

void mpi_pair_fill(struct run *run, struct mpi_pair *pair)
{
    unsigned char *window = pair->window.memory;
    pair_fill_at(run, pair->action, window, (long *)(void *)window);
    MPI_Win_sync(pair->window.handle);
}

bool mpi_pair_verify(struct run *run, struct mpi_pair *pair)
{
    const unsigned char *window = pair->window.memory;
    MPI_Win_sync(pair->window.handle);
    return pair_verify_at(run, pair->action, &pair->partner, window,
                          (const long *)(const void *)window, pair->fetched) &&
           window_verify_guards(run, &pair->window);
}

#endif
