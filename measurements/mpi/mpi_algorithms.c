/*
 * Collectives made of other calls of MPI, to compare the library's with: what a simple algorithm
 * takes on the same machine. And the library's own where one rank is late, or several times.
 */
#include "measurements/common/mpi_call.h"

#if SKAMPI_MPI

/* ---- Blocks ---- */

#define TAG_OF_ALL 0

static void *sent_block(const struct mpi_call *c, int k)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(c->send_type, &lower, &extent);
    return (unsigned char *)c->send + (MPI_Aint)k * c->send_count * extent;
}

static void *received_block(const struct mpi_call *c, int k)
{
    MPI_Aint lower, extent;
    MPI_Type_get_extent(c->receive_type, &lower, &extent);
    return (unsigned char *)c->receive + (MPI_Aint)k * c->receive_count * extent;
}

/* ---- Broadcast: a binary tree of the ranks from the root on ---- */

static void bcast_by_tree(struct mpi_call *c)
{
    int place = (c->rank - c->root + c->size) % c->size;
    if (place > 0)
        MPI_Recv(c->receive, c->receive_count, c->receive_type,
                 ((place - 1) / 2 + c->root) % c->size, TAG_OF_ALL, c->comm, MPI_STATUS_IGNORE);
    for (int64_t child = 2 * (int64_t)place + 1; child <= 2 * (int64_t)place + 2; child++)
        if (child < c->size)
            MPI_Send(c->receive, c->receive_count, c->receive_type,
                     (int)((child + c->root) % c->size), TAG_OF_ALL, c->comm);
}

/* ---- Reductions ---- */

static void allreduce_by_root(struct mpi_call *c)
{
    MPI_Reduce(c->send, c->receive, c->receive_count, c->receive_type, c->op, c->root, c->comm);
    MPI_Bcast(c->receive, c->receive_count, c->receive_type, c->root, c->comm);
}

/* The complete result is kept after the share, so that the source stays as it is. */
static void reduce_scatter_by_root(struct mpi_call *c)
{
    MPI_Reduce(c->send, c->temporary, c->receive_count, c->receive_type, c->op, c->root, c->comm);
    MPI_Scatterv(c->temporary, c->received.counts, c->received.places, c->receive_type, c->receive,
                 c->received.counts[c->rank], c->receive_type, c->root, c->comm);
}

/* ---- Gather: the root receives from one rank after the other, or from all at once ---- */

static void copy_own_block(struct mpi_call *c)
{
    MPI_Sendrecv(c->send, c->send_count, c->send_type, 0, TAG_OF_ALL, received_block(c, c->rank),
                 c->receive_count, c->receive_type, 0, TAG_OF_ALL, MPI_COMM_SELF,
                 MPI_STATUS_IGNORE);
}

static void gather_in_order(struct mpi_call *c)
{
    if (c->rank != c->root) {
        MPI_Send(c->send, c->send_count, c->send_type, c->root, TAG_OF_ALL, c->comm);
        return;
    }
    for (int rank = 0; rank < c->size; rank++)
        if (rank == c->root)
            copy_own_block(c);
        else
            MPI_Recv(received_block(c, rank), c->receive_count, c->receive_type, rank, TAG_OF_ALL,
                     c->comm, MPI_STATUS_IGNORE);
}

static void gather_at_once(struct mpi_call *c)
{
    if (c->rank != c->root) {
        MPI_Isend(c->send, c->send_count, c->send_type, c->root, TAG_OF_ALL, c->comm,
                  &c->requests[0]);
        MPI_Wait(&c->requests[0], MPI_STATUS_IGNORE);
        return;
    }
    for (int rank = 0; rank < c->size; rank++) {
        c->requests[rank] = MPI_REQUEST_NULL;
        if (rank != c->root)
            MPI_Irecv(received_block(c, rank), c->receive_count, c->receive_type, rank, TAG_OF_ALL,
                      c->comm, &c->requests[rank]);
    }
    copy_own_block(c);
    mpi_wait_all(c->size, c->requests);
}

/* ---- All-to-all: everybody sends and receives everything at once, beginning with the next one */

static void exchange(struct mpi_call *c, const int *sent, const int *received)
{
    for (int i = 0; i < c->size; i++) {
        int from = (c->rank - i + c->size) % c->size;
        MPI_Irecv(received_block(c, from), received ? received[from] : c->receive_count,
                  c->receive_type, from, TAG_OF_ALL, c->comm, &c->requests[i]);
    }
    for (int i = 0; i < c->size; i++) {
        int to = (c->rank + i) % c->size;
        MPI_Isend(sent_block(c, to), sent ? sent[to] : c->send_count, c->send_type, to, TAG_OF_ALL,
                  c->comm, &c->requests[c->size + i]);
    }
    mpi_wait_all(2 * c->size, c->requests);
}

static void alltoall_at_once(struct mpi_call *c)
{
    exchange(c, NULL, NULL);
}

static void alltoallv_at_once(struct mpi_call *c)
{
    exchange(c, c->sent.counts, c->received.counts);
}

#endif

/* clang-format off */
#define WAY_ROOT {"root", PARAMETER_RANK, "", "rank that the data go through", .example = "0"}
#define CHARGED_RANK {"charged_rank", PARAMETER_RANK, "", "rank that sends and receives blocks of another size", .example = "0"}
#define RATIO {"ratio", PARAMETER_DOUBLE, "", "size of its blocks divided by the size of the other blocks", .most = 1e9, .example = "2"}
#define DELAY {"delay", PARAMETER_DOUBLE, "s", "length of the computation", .most = 1, .example = "0.0001"}
#define NODE {"node", PARAMETER_RANK, "", "rank that computes", .example = "0"}
#define SEVERAL {"n", PARAMETER_INT, "", "number of calls", .minimum = 1, .maximum = INT_MAX, .example = "4"}

static const struct measurement delayed = {.like = {&mpi_collective}, .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .run = WITH_MPI(mpi_collective_delayed)};
static const struct measurement several = {.like = {&mpi_collective}, .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .run = WITH_MPI(mpi_collective_several)};

const struct measurement measurements_mpi_algorithms[] = {
    {"Bcast_using_Send_Recv", "broadcast along a binary tree of messages", .like = {&mpi_collective_once, &mpi_of_Bcast},
     .variant = &(const struct mpi_routine){MPI_FLOW_BCAST, .call = WITH_MPI(bcast_by_tree)},
     .calls = "MPI_Send MPI_Recv", .timed = "broadcast along a binary tree of messages"},
    {"Allreduce_using_Reduce_Bcast", "MPI_Reduce, then MPI_Bcast", .like = {&mpi_collective_once, &mpi_of_Allreduce},
     .variant = &(const struct mpi_routine){MPI_FLOW_ALLREDUCE, .call = WITH_MPI(allreduce_by_root)}, .parameters = {COMBINED, WAY_ROOT},
     .calls = "MPI_Reduce MPI_Bcast", .timed = "MPI_Reduce, then MPI_Bcast"},
    {"Reduce_Scatterv", "MPI_Reduce, then MPI_Scatterv", .like = {&mpi_collective_once, &mpi_of_Reduce_scatter},
     .variant = &(const struct mpi_routine){MPI_FLOW_REDUCE_SCATTER, .temporary = true, .call = WITH_MPI(reduce_scatter_by_root)}, .parameters = {SHARED, WAY_ROOT},
     .routine = "MPI_Reduce", .calls = "MPI_Scatterv", .timed = "MPI_Reduce + MPI_Scatterv"},
    {"Alltoall_using_Isend_Irecv", "all-to-all by messages at once", .like = {&mpi_collective_once, &mpi_of_Alltoall},
     .variant = &(const struct mpi_routine){MPI_FLOW_ALLTOALL, .call = WITH_MPI(alltoall_at_once)},
     .calls = "MPI_Isend MPI_Irecv MPI_Waitall", .timed = "all-to-all by messages at once"},
    {"Alltoallv_using_Isend_Irecv", "all-to-all by counts by messages at once", .like = {&mpi_collective_once, &mpi_of_Alltoall},
     .variant = &(const struct mpi_routine){MPI_FLOW_ALLTOALL, MPI_BLOCKS_COUNTED, .call = WITH_MPI(alltoallv_at_once)},
     .calls = "MPI_Isend MPI_Irecv MPI_Waitall", .timed = "all-to-all by counts by messages at once"},
    {"Gather_using_Send_Recv", "gather by messages in the order of ranks", .like = {&mpi_collective_once, &mpi_of_Gather},
     .variant = &(const struct mpi_routine){MPI_FLOW_GATHER, .call = WITH_MPI(gather_in_order)},
     .calls = "MPI_Send MPI_Recv", .timed = "gather by messages in the order of ranks"},
    {"Gather_using_Isend_Irecv_Waitall", "gather by messages at once", .like = {&mpi_collective_once, &mpi_of_Gather},
     .variant = &(const struct mpi_routine){MPI_FLOW_GATHER, .call = WITH_MPI(gather_at_once)},
     .calls = "MPI_Isend MPI_Irecv MPI_Waitall", .timed = "gather by messages at once"},
    {"myalltoallv", "all-to-all in which one rank has larger or smaller blocks", .like = {&mpi_collective_once},
     .variant = &mpi_Alltoallv, .parameters = {EXCHANGED, CHARGED_RANK, RATIO}, .moves = MOVES_NOTHING,
     .routine = "MPI_Alltoallv", .timed = "MPI_Alltoallv"},

    /* Of the classic line: the library's routines under other conditions. */
    {"delayed_Alltoall", "all-to-all in which a rank computes before its call",
     .like = {&delayed}, .variant = &mpi_Alltoall,
     .parameters = {EXCHANGED, DELAY, NODE},
     .calls = "MPI_Alltoall", .timed = "the computation on the rank node; MPI_Alltoall"},
    {"delayed_Gather", "gather in which a rank computes before its call",
     .like = {&delayed}, .variant = &mpi_Gather,
     .parameters = {EXCHANGED, TARGET_ROOT, DELAY, NODE},
     .calls = "MPI_Gather", .timed = "the computation on the rank node; MPI_Gather"},
    {"multi_Alltoall", "several all-to-alls in a row, timed together",
     .like = {&several}, .variant = &mpi_Alltoall,
     .parameters = {EXCHANGED, SEVERAL}, .calls = "MPI_Alltoall", .timed = "n times MPI_Alltoall"},
    {.name = NULL},
};
/* clang-format on */
