/*
 * How each collective of MPI is called, in all forms that it has.
 */
#include "measurements/common/mpi_call.h"

const struct mpi_flow_facts mpi_flow_facts[] = {
    [MPI_FLOW_NONE] = {MPI_NO_BLOCK, MPI_NO_BLOCK, false},
    [MPI_FLOW_BCAST] = {MPI_NO_BLOCK, MPI_ONE_BLOCK, false}, /* sent from where others receive */
    [MPI_FLOW_GATHER] = {MPI_ONE_BLOCK, MPI_BLOCK_A_PEER, false},
    [MPI_FLOW_SCATTER] = {MPI_BLOCK_A_PEER, MPI_ONE_BLOCK, false},
    [MPI_FLOW_ALLGATHER] = {MPI_ONE_BLOCK, MPI_BLOCK_A_PEER, false},
    [MPI_FLOW_ALLTOALL] = {MPI_BLOCK_A_PEER, MPI_BLOCK_A_PEER, false},
    [MPI_FLOW_REDUCE] = {MPI_ONE_BLOCK, MPI_ONE_BLOCK, true},
    [MPI_FLOW_ALLREDUCE] = {MPI_ONE_BLOCK, MPI_ONE_BLOCK, true},
    [MPI_FLOW_SCAN] = {MPI_ONE_BLOCK, MPI_ONE_BLOCK, true},
    [MPI_FLOW_EXSCAN] = {MPI_ONE_BLOCK, MPI_ONE_BLOCK, true},
    [MPI_FLOW_REDUCE_SCATTER_BLOCK] = {MPI_BLOCK_A_PEER, MPI_ONE_BLOCK, true},
    [MPI_FLOW_REDUCE_SCATTER] = {MPI_ONE_BLOCK, MPI_ONE_BLOCK, true}, /* of all shares */
};

/* A routine is given by its three names, what it moves, how blocks are described, and its
 * arguments. */
#if SKAMPI_MPI

#if MPI_VERSION >= 4
#define IN_MPI_4(...) __VA_ARGS__
#else
#define IN_MPI_4(...)
#endif

#define ROUTINE(name, calls, posts, begins, how, described, ...)                                   \
    static void call_##name(struct mpi_call *c)                                                    \
    {                                                                                              \
        calls(__VA_ARGS__);                                                                        \
    }                                                                                              \
    static void post_##name(struct mpi_call *c)                                                    \
    {                                                                                              \
        posts(__VA_ARGS__, &c->request);                                                           \
    }                                                                                              \
    IN_MPI_4(static void init_##name(struct mpi_call *c) {                                         \
        begins(__VA_ARGS__, MPI_INFO_NULL, &c->request);                                           \
    })                                                                                             \
    const struct mpi_routine name = {.flow = how,                                                  \
                                     .blocks = described,                                          \
                                     .call = call_##name,                                          \
                                     .post = post_##name,                                          \
                                     IN_MPI_4(.init = init_##name)};

#else

#define ROUTINE(name, calls, posts, begins, how, described, ...)                                   \
    const struct mpi_routine name = {.flow = how, .blocks = described};

#endif

#define SENT c->send, c->send_count, c->send_type
#define SENT_BY_COUNTS c->send, c->sent.counts, c->sent.places, c->send_type
#define SENT_BY_TYPES c->send, c->sent.counts, c->sent.places, c->sent.types
#define SENT_BY_OFFSETS c->send, c->sent.counts, c->sent.offsets, c->sent.types
#define RECEIVED c->receive, c->receive_count, c->receive_type
#define RECEIVED_BY_COUNTS c->receive, c->received.counts, c->received.places, c->receive_type
#define RECEIVED_BY_TYPES c->receive, c->received.counts, c->received.places, c->received.types
#define RECEIVED_BY_OFFSETS c->receive, c->received.counts, c->received.offsets, c->received.types
#define REDUCED c->send, RECEIVED, c->op

/* clang-format off */
ROUTINE(mpi_Barrier, MPI_Barrier, MPI_Ibarrier, MPI_Barrier_init, MPI_FLOW_NONE, MPI_BLOCKS_EQUAL, c->comm)
ROUTINE(mpi_Bcast, MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, MPI_FLOW_BCAST, MPI_BLOCKS_EQUAL, RECEIVED, c->root, c->comm)
ROUTINE(mpi_Gather, MPI_Gather, MPI_Igather, MPI_Gather_init, MPI_FLOW_GATHER, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->root, c->comm)
ROUTINE(mpi_Gatherv, MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, MPI_FLOW_GATHER, MPI_BLOCKS_COUNTED, SENT, RECEIVED_BY_COUNTS, c->root, c->comm)
ROUTINE(mpi_Scatter, MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, MPI_FLOW_SCATTER, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->root, c->comm)
ROUTINE(mpi_Scatterv, MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, MPI_FLOW_SCATTER, MPI_BLOCKS_COUNTED, SENT_BY_COUNTS, RECEIVED, c->root, c->comm)
ROUTINE(mpi_Allgather, MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, MPI_FLOW_ALLGATHER, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->comm)
ROUTINE(mpi_Allgatherv, MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, MPI_FLOW_ALLGATHER, MPI_BLOCKS_COUNTED, SENT, RECEIVED_BY_COUNTS, c->comm)
ROUTINE(mpi_Alltoall, MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, MPI_FLOW_ALLTOALL, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->comm)
ROUTINE(mpi_Alltoallv, MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, MPI_FLOW_ALLTOALL, MPI_BLOCKS_COUNTED, SENT_BY_COUNTS, RECEIVED_BY_COUNTS, c->comm)
ROUTINE(mpi_Alltoallw, MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, MPI_FLOW_ALLTOALL, MPI_BLOCKS_TYPED, SENT_BY_TYPES, RECEIVED_BY_TYPES, c->comm)
ROUTINE(mpi_Reduce, MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, MPI_FLOW_REDUCE, MPI_BLOCKS_EQUAL, REDUCED, c->root, c->comm)
ROUTINE(mpi_Allreduce, MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, MPI_FLOW_ALLREDUCE, MPI_BLOCKS_EQUAL, REDUCED, c->comm)
ROUTINE(mpi_Reduce_scatter, MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, MPI_FLOW_REDUCE_SCATTER, MPI_BLOCKS_EQUAL,
        c->send, c->receive, c->received.counts, c->receive_type, c->op, c->comm)
ROUTINE(mpi_Reduce_scatter_block, MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, MPI_FLOW_REDUCE_SCATTER_BLOCK, MPI_BLOCKS_EQUAL, REDUCED, c->comm)
ROUTINE(mpi_Scan, MPI_Scan, MPI_Iscan, MPI_Scan_init, MPI_FLOW_SCAN, MPI_BLOCKS_EQUAL, REDUCED, c->comm)
ROUTINE(mpi_Exscan, MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, MPI_FLOW_EXSCAN, MPI_BLOCKS_EQUAL, REDUCED, c->comm)

ROUTINE(mpi_Neighbor_allgather, MPI_Neighbor_allgather, MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, MPI_FLOW_ALLGATHER, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->comm)
ROUTINE(mpi_Neighbor_allgatherv, MPI_Neighbor_allgatherv, MPI_Ineighbor_allgatherv, MPI_Neighbor_allgatherv_init, MPI_FLOW_ALLGATHER, MPI_BLOCKS_COUNTED, SENT, RECEIVED_BY_COUNTS, c->comm)
ROUTINE(mpi_Neighbor_alltoall, MPI_Neighbor_alltoall, MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, MPI_FLOW_ALLTOALL, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->comm)
ROUTINE(mpi_Neighbor_alltoallv, MPI_Neighbor_alltoallv, MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, MPI_FLOW_ALLTOALL, MPI_BLOCKS_COUNTED, SENT_BY_COUNTS, RECEIVED_BY_COUNTS, c->comm)
ROUTINE(mpi_Neighbor_alltoallw, MPI_Neighbor_alltoallw, MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, MPI_FLOW_ALLTOALL, MPI_BLOCKS_TYPED, SENT_BY_OFFSETS, RECEIVED_BY_OFFSETS, c->comm)

/* What the functions of a routine have in common; the word is its name without MPI_. What each flow of data moves is stated
 * once: functions made of other calls are like the routine that they do the work of. */
const struct measurement mpi_of_Barrier = {.word = "Barrier", .variant = &mpi_Barrier, .no_data = true, .synchronizes = true};
const struct measurement mpi_of_Bcast = {.word = "Bcast", .variant = &mpi_Bcast, .moves = MOVES_TO_ALL, .parameters = {ELEMENTS, ROOT}};
const struct measurement mpi_of_Gather = {.word = "Gather", .variant = &mpi_Gather, .moves = MOVES_BLOCKS, .parameters = {EXCHANGED, TARGET_ROOT}};
const struct measurement mpi_of_Gatherv = {.like = {&mpi_of_Gather}, .word = "Gatherv", .variant = &mpi_Gatherv};
const struct measurement mpi_of_Scatter = {.word = "Scatter", .variant = &mpi_Scatter, .moves = MOVES_BLOCKS, .parameters = {EXCHANGED, ROOT}};
const struct measurement mpi_of_Scatterv = {.like = {&mpi_of_Scatter}, .word = "Scatterv", .variant = &mpi_Scatterv};
const struct measurement mpi_of_Allgather = {.word = "Allgather", .variant = &mpi_Allgather, .moves = MOVES_BLOCKS, .parameters = {EXCHANGED}};
const struct measurement mpi_of_Allgatherv = {.like = {&mpi_of_Allgather}, .word = "Allgatherv", .variant = &mpi_Allgatherv};
const struct measurement mpi_of_Alltoall = {.word = "Alltoall", .variant = &mpi_Alltoall, .moves = MOVES_BLOCKS, .parameters = {EXCHANGED}};
const struct measurement mpi_of_Alltoallv = {.like = {&mpi_of_Alltoall}, .word = "Alltoallv", .variant = &mpi_Alltoallv};
const struct measurement mpi_of_Alltoallw = {.like = {&mpi_of_Alltoall}, .word = "Alltoallw", .variant = &mpi_Alltoallw};
const struct measurement mpi_of_Reduce = {.word = "Reduce", .variant = &mpi_Reduce, .moves = MOVES_TO_ALL, .parameters = {COMBINED, TARGET_ROOT}};
const struct measurement mpi_of_Allreduce = {.word = "Allreduce", .variant = &mpi_Allreduce, .moves = MOVES_REDUCED, .parameters = {COMBINED}};
const struct measurement mpi_of_Reduce_scatter = {.word = "Reduce_scatter", .variant = &mpi_Reduce_scatter, .moves = MOVES_SHARES, .parameters = {SHARED, IGNORED_ROOT}};
const struct measurement mpi_of_Reduce_scatter_block = {.word = "Reduce_scatter_block", .variant = &mpi_Reduce_scatter_block, .moves = MOVES_BLOCKS, .parameters = {IN_BLOCKS}};
const struct measurement mpi_of_Scan = {.word = "Scan", .variant = &mpi_Scan, .moves = MOVES_MESSAGE, .parameters = {COMBINED}};
const struct measurement mpi_of_Exscan = {.like = {&mpi_of_Scan}, .word = "Exscan", .variant = &mpi_Exscan};
static const struct measurement among_neighbors = {.version_major = 3, .neighborhood = true, .moves = MOVES_NOTHING, .parameters = {EXCHANGED}};
const struct measurement mpi_of_Neighbor_allgather = {.like = {&among_neighbors}, .word = "Neighbor_allgather", .variant = &mpi_Neighbor_allgather};
const struct measurement mpi_of_Neighbor_allgatherv = {.like = {&among_neighbors}, .word = "Neighbor_allgatherv", .variant = &mpi_Neighbor_allgatherv};
const struct measurement mpi_of_Neighbor_alltoall = {.like = {&among_neighbors}, .word = "Neighbor_alltoall", .variant = &mpi_Neighbor_alltoall};
const struct measurement mpi_of_Neighbor_alltoallv = {.like = {&among_neighbors}, .word = "Neighbor_alltoallv", .variant = &mpi_Neighbor_alltoallv};
const struct measurement mpi_of_Neighbor_alltoallw = {.like = {&among_neighbors}, .word = "Neighbor_alltoallw", .variant = &mpi_Neighbor_alltoallw};
/* clang-format on */
