/*
 * Collectives of MPI in three forms: once, all ranks starting together; in a row; and each followed
 * by a barrier. The first is the one to be trusted, the others show the error that they make
 * (method.md, sections 1 and 7).
 */
#include "measurements/mpi_call.h"

/* clang-format off */
#define FORMS(name, iname, major, minor, what, ...) \
    MPI_COLLECTIVE_FORMS(#name, mpi_##name, MPI_SINCE(major, minor), what, __VA_ARGS__),

/* The data are where the result will be: at the root of what has one, else on all ranks. */
#define IN_PLACE(name, major, minor, what, ...)                                                    \
    {#name "_In_Place", what ", in place", MPI_COLLECTIVE_ONCE, MPI_SINCE(major, minor),           \
     .parameters = {__VA_ARGS__}, MPI_USE(&mpi_##name, .in_place = true),                          \
     .timed = "MPI_" #name " with MPI_IN_PLACE"}

const struct measurement measurements_mpi_coll[] = {
    {"Barrier", "barrier", MPI_COLLECTIVE_ONCE, .no_data = true, MPI_USE(&mpi_Barrier), .timed = "MPI_Barrier"},
    {"Barrier_Consecutive", "barrier, calls in a row: they may overlap", MPI_COLLECTIVE_CONSECUTIVE,
     .no_data = true, .parameters = {ITERATIONS}, MPI_USE(&mpi_Barrier), .timed = "MPI_Barrier"},
    MPI_COLLECTIVES(FORMS)

    IN_PLACE(Gather, 2, 0, "gather", COUNT_ELEMENTS, DATATYPE, TARGET_ROOT),
    IN_PLACE(Gatherv, 2, 0, "gather by counts", COUNT_ELEMENTS, DATATYPE, TARGET_ROOT),
    IN_PLACE(Scatter, 2, 0, "scatter", COUNT_ELEMENTS, DATATYPE, ROOT),
    IN_PLACE(Scatterv, 2, 0, "scatter by counts", COUNT_ELEMENTS, DATATYPE, ROOT),
    IN_PLACE(Allgather, 2, 0, "gather to all", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Allgatherv, 2, 0, "gather to all by counts", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Alltoall, 2, 2, "all-to-all", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Alltoallv, 2, 2, "all-to-all by counts", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Alltoallw, 2, 2, "all-to-all by counts and datatypes", COUNT_ELEMENTS, DATATYPE),
    IN_PLACE(Reduce, 2, 0, "reduction", COUNT_ELEMENTS, DATATYPE, OPERATION, TARGET_ROOT),
    IN_PLACE(Allreduce, 2, 0, "reduction to all", COUNT_ELEMENTS, DATATYPE, OPERATION),
    IN_PLACE(Reduce_scatter, 2, 0, "reduction scattered evenly", TOTAL_COUNT, DATATYPE, OPERATION),
    IN_PLACE(Reduce_scatter_block, 2, 2, "reduction scattered in blocks", BLOCK_COUNT, DATATYPE,
             OPERATION),
    IN_PLACE(Scan, 2, 0, "inclusive prefix reduction", COUNT_ELEMENTS, DATATYPE, OPERATION),
    IN_PLACE(Exscan, 2, 2, "exclusive prefix reduction", COUNT_ELEMENTS, DATATYPE,
             OPERATION),
    {.name = NULL},
};
/* clang-format on */
