/*
 * Collectives of MPI in three forms: once, all ranks starting together; in a row; and each followed
 * by a barrier. The first is the one to be trusted, the others show the error that they make
 * (method.md, sections 1 and 7).
 */
#include "measurements/common/mpi_call.h"

/* clang-format off */
#define FORMS(name, iname, major, minor, moved, what, ...) \
    MPI_COLLECTIVE_FORMS(#name, mpi_##name, MPI_SINCE(major, minor), moved, what, __VA_ARGS__),

/* The data are where the result will be: at the root of what has one, else on all ranks. */
#define IN_PLACE(name, major, minor, moved, what, ...)                                                    \
    {#name "_In_Place", what ", in place", MPI_COLLECTIVE_ONCE, MPI_SINCE(major, minor), .moves = moved,           \
     .parameters = {__VA_ARGS__}, MPI_USE(&mpi_##name, .in_place = true),                          \
     .routine = "MPI_" #name, .timed = "MPI_" #name " with MPI_IN_PLACE"}

const struct measurement measurements_mpi_coll[] = {
    {"Barrier", "barrier", MPI_COLLECTIVE_ONCE, .no_data = true, .synchronizes = true, MPI_USE(&mpi_Barrier), .routine = "MPI_Barrier", .timed = "MPI_Barrier"},
    {"Barrier_Consecutive", "barrier, calls in a row: they may overlap", MPI_COLLECTIVE_CONSECUTIVE,
     .no_data = true, .synchronizes = true, .parameters = {ITERATIONS}, MPI_USE(&mpi_Barrier), .routine = "MPI_Barrier", .timed = "MPI_Barrier"},
    MPI_COLLECTIVES(FORMS)

    IN_PLACE(Gather, 2, 0, MOVES_BLOCKS, "gather", COUNT_ELEMENTS, DATATYPE, TARGET_ROOT),
    IN_PLACE(Gatherv, 2, 0, MOVES_BLOCKS, "gather by counts", COUNT_ELEMENTS, DATATYPE, TARGET_ROOT),
    IN_PLACE(Scatter, 2, 0, MOVES_BLOCKS, "scatter", COUNT_ELEMENTS, DATATYPE, ROOT),
    IN_PLACE(Scatterv, 2, 0, MOVES_BLOCKS, "scatter by counts", COUNT_ELEMENTS, DATATYPE, ROOT),
    IN_PLACE(Allgather, 2, 0, MOVES_BLOCKS, "gather to all", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Allgatherv, 2, 0, MOVES_BLOCKS, "gather to all by counts", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Alltoall, 2, 2, MOVES_BLOCKS, "all-to-all", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Alltoallv, 2, 2, MOVES_BLOCKS, "all-to-all by counts", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Alltoallw, 2, 2, MOVES_BLOCKS, "all-to-all by counts and datatypes", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Reduce, 2, 0, MOVES_TO_ALL, "reduction", COUNT_ELEMENTS, DATATYPE, OPERATION, TARGET_ROOT),
    IN_PLACE(Allreduce, 2, 0, MOVES_REDUCED, "reduction to all", COUNT_ELEMENTS, DATATYPE, OPERATION),
    IN_PLACE(Reduce_scatter, 2, 0, MOVES_SHARES, "reduction scattered evenly", TOTAL_COUNT, DATATYPE, OPERATION),
    IN_PLACE(Reduce_scatter_block, 2, 2, MOVES_BLOCKS, "reduction scattered in blocks", BLOCK_COUNT, DATATYPE,
             OPERATION),
    IN_PLACE(Scan, 2, 0, MOVES_MESSAGE, "inclusive prefix reduction", COUNT_ELEMENTS, DATATYPE, OPERATION),
    IN_PLACE(Exscan, 2, 2, MOVES_MESSAGE, "exclusive prefix reduction", COUNT_ELEMENTS, DATATYPE,
             OPERATION),
    {.name = NULL},
};
/* clang-format on */
