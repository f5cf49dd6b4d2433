/*
 * Neighbourhood collectives of MPI 3, on communicators with a topology: a grid or a graph.
 */
#include "measurements/common/mpi_call.h"

#if MPI_AT_LEAST(3, 0)

#define ROUTINE(name, iname, how, described, ...)                                                  \
    static void call_##name(struct mpi_call *c)                                                    \
    {                                                                                              \
        MPI_##name(__VA_ARGS__);                                                                   \
    }                                                                                              \
    static void post_##name(struct mpi_call *c)                                                    \
    {                                                                                              \
        MPI_##iname(__VA_ARGS__, &c->request);                                                     \
    }                                                                                              \
    static const struct mpi_routine mpi_##name = {                                                 \
        .flow = how, .blocks = described, .call = call_##name, .post = post_##name};

#else

#define ROUTINE(name, iname, how, described, ...)                                                  \
    static const struct mpi_routine mpi_##name = {.flow = how, .blocks = described};

#endif

/* clang-format off */
ROUTINE(Neighbor_allgather, Ineighbor_allgather, MPI_FLOW_ALLGATHER, MPI_BLOCKS_EQUAL,
        c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
        c->comm)
ROUTINE(Neighbor_allgatherv, Ineighbor_allgatherv, MPI_FLOW_ALLGATHER, MPI_BLOCKS_COUNTED,
        c->send, c->send_count, c->send_type, c->receive, c->receive_counts, c->receive_places,
        c->receive_type, c->comm)
ROUTINE(Neighbor_alltoall, Ineighbor_alltoall, MPI_FLOW_ALLTOALL, MPI_BLOCKS_EQUAL,
        c->send, c->send_count, c->send_type, c->receive, c->receive_count, c->receive_type,
        c->comm)
ROUTINE(Neighbor_alltoallv, Ineighbor_alltoallv, MPI_FLOW_ALLTOALL, MPI_BLOCKS_COUNTED,
        c->send, c->send_counts, c->send_places, c->send_type, c->receive, c->receive_counts,
        c->receive_places, c->receive_type, c->comm)
ROUTINE(Neighbor_alltoallw, Ineighbor_alltoallw, MPI_FLOW_ALLTOALL, MPI_BLOCKS_TYPED,
        c->send, c->send_counts, c->send_offsets, c->send_types, c->receive, c->receive_counts,
        c->receive_offsets, c->receive_types, c->comm)

#define NEIGHBORHOOD MPI_SINCE(3, 0), .neighborhood = true

#define LINES(name, iname, what)                                                                   \
    MPI_COLLECTIVE_FORMS(#name, mpi_##name, NEIGHBORHOOD, MOVES_NOTHING, what, EXCHANGED),                        \
    MPI_NONBLOCKING_PARTS(#iname, mpi_##name, NEIGHBORHOOD, MOVES_NOTHING, what, EXCHANGED)

const struct measurement measurements_mpi_neighbor[] = {
    LINES(Neighbor_allgather, Ineighbor_allgather, "gather from the neighbours"),
    LINES(Neighbor_allgatherv, Ineighbor_allgatherv, "gather from the neighbours by counts"),
    LINES(Neighbor_alltoall, Ineighbor_alltoall, "exchange with the neighbours"),
    LINES(Neighbor_alltoallv, Ineighbor_alltoallv, "exchange with the neighbours by counts"),
    LINES(Neighbor_alltoallw, Ineighbor_alltoallw,
          "exchange with the neighbours by counts and datatypes"),
    {.name = NULL},
};
/* clang-format on */
