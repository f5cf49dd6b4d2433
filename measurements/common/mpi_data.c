/*
 * What collectives of MPI have to do with data: which rank has what before a call, and what it must
 * have after it. Computed without any communication.
 */
#include "measurements/common/collective.h"
#include "measurements/common/mpi_call.h"

#if SKAMPI_MPI

#include <stdlib.h>
#include <string.h>

int mpi_share(int count, int size, int rank)
{
    return count / size + (rank < count % size);
}

/* ---- Values that are reduced ---- */

static struct reduction_element element_of(const struct datatype *type)
{
    bool indexed = datatype_class(type) == DATATYPE_PAIR;
    size_t size = (size_t)datatype_size(type) - (indexed ? sizeof(int) : 0);
    return (struct reduction_element){.real = datatype_real(type),
                                      .indexed = indexed,
                                      .size = size,
                                      .index_at = ROUND_UP(size, sizeof(int)),
                                      .extent = (size_t)datatype_extent(type)};
}

static void fill_values(const struct run *run, unsigned char *base, int64_t count)
{
    const struct mpi_collective_state *state = run->state;
    struct reduction_element type = element_of(state->sends);
    reduction_fill_elements(run, reduction_find(operation_name(state->operation)), &type,
                            state->call.rank, base, count);
}

/* Elements first, first + 1, ... of the reduction over the ranks before end. */
static bool check_values(struct run *run, int end, int64_t first, int64_t count)
{
    const struct mpi_collective_state *state = run->state;
    struct reduction_element type = element_of(state->receives);
    return reduction_check_elements(run, reduction_find(operation_name(state->operation)), &type,
                                    end, first, state->receive_base, count);
}

/* ---- Blocks that are moved ---- */

/* The block that the sender keeps for one of its peers, as a number for a pattern. */
static int pattern_of(int sender, int place, int most)
{
    return (int)(((unsigned)sender * (unsigned)most + (unsigned)place) & 0xffffff);
}

static int most_peers(const struct run *run)
{
    return run->function->neighborhood ? topology_degree(pe_set_topology(run->set)) : run->size;
}

static unsigned char *block(unsigned char *base, const struct datatype *type, int count, int k)
{
    return base + (int64_t)k * count * datatype_extent(type);
}

#define BLOCK "a block that was received"

/* Whether the block is the one that the sender keeps for this rank. In a topology a rank may be a
 * neighbour more than once: then any of the sender's blocks for it is right. */
static bool came_from(struct run *run, const unsigned char *address, int count, int sender)
{
    const struct mpi_collective_state *state = run->state;
    int most = most_peers(run), rank = state->call.rank;
    if (!run->function->neighborhood)
        return mpi_verify(run, BLOCK, address, count, state->receives,
                          pattern_of(sender, rank, most));
    int *neighbors = memory_zeroed((size_t)most, sizeof *neighbors);
    int found = topology_neighbors(pe_set_topology(run->set), sender, neighbors);
    bool good = false;
    int last = 0;
    for (int place = 0; place < found && !good; place++)
        if (neighbors[place] == rank) {
            last = pattern_of(sender, place, most);
            good = mpi_matches(run, address, count, state->receives, last);
        }
    free(neighbors);
    return good || mpi_verify(run, BLOCK, address, count, state->receives, last);
}

void mpi_data_prepare(const struct run *run)
{
    const struct mpi_collective_state *state = run->state;
    const struct mpi_call *call = &state->call;
    const struct mpi_routine *routine = state->routine;
    data_poison(run->local, run->demand.local);
    data_poison(run->remote, run->demand.remote);
    bool in_place = state->send_in_place;
    unsigned char *base = in_place ? state->receive_base : state->send_base;
    struct datatype *type = in_place ? state->receives : state->sends;
    int count = in_place ? call->receive_count : call->send_count;
    int rank = call->rank, most = most_peers(run);
    switch (routine->flow) {
    case MPI_FLOW_NONE:
        break;
    case MPI_FLOW_BCAST:
        if (rank == call->root)
            mpi_fill(run, state->receive_base, count, type, rank);
        break;
    case MPI_FLOW_GATHER:
    case MPI_FLOW_ALLGATHER:
        mpi_fill(run, in_place ? block(base, type, count, rank) : base, count, type, rank);
        break;
    case MPI_FLOW_SCATTER:
        for (int k = 0; rank == call->root && k < call->size; k++)
            mpi_fill(run, block(base, type, count, k), count, type, pattern_of(rank, k, most));
        break;
    case MPI_FLOW_ALLTOALL:
        for (int k = 0; k < state->peers; k++)
            mpi_fill(run, block(base, type, count, k),
                     in_place || !call->sent.counts ? count : call->sent.counts[k], type,
                     pattern_of(rank, k, most));
        break;
    case MPI_FLOW_REDUCE_SCATTER_BLOCK:
        fill_values(run, base, (int64_t)count * call->size);
        break;
    default: /* the other reductions */
        fill_values(run, base, count);
    }
}

/* Whether each peer's block is there: of an exchange the one for this rank, else the only one. */
static bool check_blocks(struct run *run, bool exchanged)
{
    const struct mpi_collective_state *state = run->state;
    const struct mpi_call *call = &state->call;
    const int *counts = exchanged ? call->received.counts : NULL;
    bool good = true;
    for (int k = 0; good && k < state->peers; k++) {
        int peer = state->peer_ranks ? state->peer_ranks[k] : k,
            count = counts ? counts[k] : call->receive_count;
        unsigned char *at = block(state->receive_base, state->receives, call->receive_count, k);
        if (peer >= 0)
            good = exchanged ? came_from(run, at, count, peer)
                             : mpi_verify(run, BLOCK, at, count, state->receives, peer);
    }
    return good;
}

/* Ranks that get nothing: their buffers stay as they are. */
static bool check_spared(struct run *run)
{
    const struct mpi_collective_state *state = run->state;
    const struct mpi_routine *routine = state->routine;
    return routine->temporary || state->in_place ||
           data_verify_untouched(run, "the buffer of a rank that receives nothing", run->remote,
                                 run->demand.remote);
}

bool mpi_data_check(struct run *run)
{
    const struct mpi_collective_state *state = run->state;
    const struct mpi_call *call = &state->call;
    const struct mpi_routine *routine = state->routine;
    int count = call->receive_count, size = call->size, rank = call->rank, first = 0;
    bool replaced = routine->flow == MPI_FLOW_ALLTOALL || mpi_flow_facts[routine->flow].reduces;
    if (state->in_place && replaced && !run->untimed)
        return true; /* another call works on the result of the one before */
    switch (routine->flow) {
    case MPI_FLOW_NONE:
        return true;
    case MPI_FLOW_BCAST:
        return mpi_verify(run, BLOCK, state->receive_base, count, state->receives, call->root);
    case MPI_FLOW_GATHER:
        return rank == call->root ? check_blocks(run, false) : check_spared(run);
    case MPI_FLOW_ALLGATHER:
        return check_blocks(run, false);
    case MPI_FLOW_SCATTER:
        return state->receive_in_place ||
               mpi_verify(run, BLOCK, state->receive_base, count, state->receives,
                          pattern_of(call->root, rank, size));
    case MPI_FLOW_ALLTOALL:
        return check_blocks(run, true);
    case MPI_FLOW_REDUCE:
        return rank == call->root ? check_values(run, size, 0, count) : check_spared(run);
    case MPI_FLOW_ALLREDUCE:
        return check_values(run, size, 0, count);
    case MPI_FLOW_SCAN:
        return check_values(run, rank + 1, 0, count);
    case MPI_FLOW_EXSCAN:
        return rank == 0 || check_values(run, rank, 0, count);
    case MPI_FLOW_REDUCE_SCATTER_BLOCK:
        return check_values(run, size, (int64_t)rank * count, count);
    case MPI_FLOW_REDUCE_SCATTER:
        for (int before = 0; before < rank; before++)
            first += mpi_share(count, size, before);
        return check_values(run, size, first, mpi_share(count, size, rank));
    }
    return false;
}

#endif
