/*
 * How each collective of MPI is called, in all forms that it has.
 */
#include "measurements/common/mpi_call.h"

#if SKAMPI_MPI

#define CALLED(name, ...)                                                                          \
    static void call_##name(struct mpi_call *c)                                                    \
    {                                                                                              \
        MPI_##name(__VA_ARGS__);                                                                   \
    }
#define CALL(name) .call = call_##name

#if MPI_AT_LEAST(3, 0)
#define POSTED(name, iname, ...)                                                                   \
    static void post_##name(struct mpi_call *c)                                                    \
    {                                                                                              \
        MPI_##iname(__VA_ARGS__, &c->request);                                                     \
    }
#define POST(name) .post = post_##name
#else
#define POSTED(name, iname, ...)
#define POST(name) .post = NULL
#endif

#if MPI_AT_LEAST(4, 0)
#define INITIALIZED(name, ...)                                                                     \
    static void init_##name(struct mpi_call *c)                                                    \
    {                                                                                              \
        MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &c->request);                                \
    }
#define INIT(name) .init = init_##name
#else
#define INITIALIZED(name, ...)
#define INIT(name) .init = NULL
#endif

#define ROUTINE(name, iname, how, described, ...)                                                  \
    CALLED(name, __VA_ARGS__)                                                                      \
    POSTED(name, iname, __VA_ARGS__)                                                               \
    INITIALIZED(name, __VA_ARGS__)                                                                 \
    const struct mpi_routine mpi_##name = {                                                        \
        .flow = how, .blocks = described, CALL(name), POST(name), INIT(name)};

#else

#define ROUTINE(name, iname, how, described, ...)                                                  \
    const struct mpi_routine mpi_##name = {.flow = how, .blocks = described};

#endif

#define SENT c->send, c->send_count, c->send_type
#define SENT_BY_COUNTS c->send, c->send_counts, c->send_places, c->send_type
#define SENT_BY_TYPES c->send, c->send_counts, c->send_places, c->send_types
#define RECEIVED c->receive, c->receive_count, c->receive_type
#define RECEIVED_BY_COUNTS c->receive, c->receive_counts, c->receive_places, c->receive_type
#define RECEIVED_BY_TYPES c->receive, c->receive_counts, c->receive_places, c->receive_types
#define REDUCED c->send, RECEIVED, c->op

/* clang-format off */
ROUTINE(Barrier, Ibarrier, MPI_FLOW_NONE, MPI_BLOCKS_EQUAL, c->comm)
ROUTINE(Bcast, Ibcast, MPI_FLOW_BCAST, MPI_BLOCKS_EQUAL, RECEIVED, c->root, c->comm)
ROUTINE(Gather, Igather, MPI_FLOW_GATHER, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->root, c->comm)
ROUTINE(Gatherv, Igatherv, MPI_FLOW_GATHER, MPI_BLOCKS_COUNTED,
        SENT, RECEIVED_BY_COUNTS, c->root, c->comm)
ROUTINE(Scatter, Iscatter, MPI_FLOW_SCATTER, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->root, c->comm)
ROUTINE(Scatterv, Iscatterv, MPI_FLOW_SCATTER, MPI_BLOCKS_COUNTED,
        SENT_BY_COUNTS, RECEIVED, c->root, c->comm)
ROUTINE(Allgather, Iallgather, MPI_FLOW_ALLGATHER, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->comm)
ROUTINE(Allgatherv, Iallgatherv, MPI_FLOW_ALLGATHER, MPI_BLOCKS_COUNTED,
        SENT, RECEIVED_BY_COUNTS, c->comm)
ROUTINE(Alltoall, Ialltoall, MPI_FLOW_ALLTOALL, MPI_BLOCKS_EQUAL, SENT, RECEIVED, c->comm)
ROUTINE(Alltoallv, Ialltoallv, MPI_FLOW_ALLTOALL, MPI_BLOCKS_COUNTED,
        SENT_BY_COUNTS, RECEIVED_BY_COUNTS, c->comm)
ROUTINE(Alltoallw, Ialltoallw, MPI_FLOW_ALLTOALL, MPI_BLOCKS_TYPED,
        SENT_BY_TYPES, RECEIVED_BY_TYPES, c->comm)
ROUTINE(Reduce, Ireduce, MPI_FLOW_REDUCE, MPI_BLOCKS_EQUAL, REDUCED, c->root, c->comm)
ROUTINE(Allreduce, Iallreduce, MPI_FLOW_ALLREDUCE, MPI_BLOCKS_EQUAL, REDUCED, c->comm)
ROUTINE(Reduce_scatter, Ireduce_scatter, MPI_FLOW_REDUCE_SCATTER, MPI_BLOCKS_EQUAL,
        c->send, c->receive, c->receive_counts, c->receive_type, c->op, c->comm)
ROUTINE(Reduce_scatter_block, Ireduce_scatter_block, MPI_FLOW_REDUCE_SCATTER_BLOCK,
        MPI_BLOCKS_EQUAL, REDUCED, c->comm)
ROUTINE(Scan, Iscan, MPI_FLOW_SCAN, MPI_BLOCKS_EQUAL, REDUCED, c->comm)
ROUTINE(Exscan, Iexscan, MPI_FLOW_EXSCAN, MPI_BLOCKS_EQUAL, REDUCED, c->comm)
/* clang-format on */
