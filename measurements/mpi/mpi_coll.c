/*
 * Collectives of MPI in three forms: once, all ranks starting together; in a row; and each followed
 * by a barrier. The first is the one to be trusted, the others show the error that they make
 * (method.md, sections 1 and 7).
 */
#include "measurements/common/mpi_call.h"

static const struct measurement in_place = {.like = {&mpi_form_call},
                                            .demand = mpi_collective_demand_in_place,
                                            .timed = "MPI_%s with MPI_IN_PLACE"};

/* clang-format off */
const struct measurement measurements_mpi_coll[] = {
    {"Barrier", "barrier", .like = {&mpi_form_call, &mpi_of_Barrier}},
    {"Barrier_Consecutive", "barrier, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Barrier}, .parameters = {ITERATIONS}},

    {"Bcast", "broadcast", .like = {&mpi_form_call, &mpi_of_Bcast}},
    {"Bcast_Consecutive", "broadcast, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Bcast}, .parameters = {ITERATIONS, ELEMENTS, ROOT}},
    {"Bcast_Barrier", "broadcast, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Bcast}, .parameters = {ITERATIONS, ELEMENTS, ROOT}},
    {"Gather", "gather", .like = {&mpi_form_call, &mpi_of_Gather}},
    {"Gather_Consecutive", "gather, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Gather}, .parameters = {ITERATIONS, EXCHANGED, TARGET_ROOT}},
    {"Gather_Barrier", "gather, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Gather}, .parameters = {ITERATIONS, EXCHANGED, TARGET_ROOT}},
    {"Gatherv", "gather by counts", .like = {&mpi_form_call, &mpi_of_Gatherv}},
    {"Gatherv_Consecutive", "gather by counts, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Gatherv}, .parameters = {ITERATIONS, EXCHANGED, TARGET_ROOT}},
    {"Gatherv_Barrier", "gather by counts, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Gatherv}, .parameters = {ITERATIONS, EXCHANGED, TARGET_ROOT}},
    {"Scatter", "scatter", .like = {&mpi_form_call, &mpi_of_Scatter}},
    {"Scatter_Consecutive", "scatter, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Scatter}, .parameters = {ITERATIONS, EXCHANGED, ROOT}},
    {"Scatter_Barrier", "scatter, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Scatter}, .parameters = {ITERATIONS, EXCHANGED, ROOT}},
    {"Scatterv", "scatter by counts", .like = {&mpi_form_call, &mpi_of_Scatterv}},
    {"Scatterv_Consecutive", "scatter by counts, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Scatterv}, .parameters = {ITERATIONS, EXCHANGED, ROOT}},
    {"Scatterv_Barrier", "scatter by counts, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Scatterv}, .parameters = {ITERATIONS, EXCHANGED, ROOT}},
    {"Allgather", "gather to all", .like = {&mpi_form_call, &mpi_of_Allgather}},
    {"Allgather_Consecutive", "gather to all, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Allgather}, .parameters = {ITERATIONS, EXCHANGED}},
    {"Allgather_Barrier", "gather to all, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Allgather}, .parameters = {ITERATIONS, EXCHANGED}},
    {"Allgatherv", "gather to all by counts", .like = {&mpi_form_call, &mpi_of_Allgatherv}},
    {"Allgatherv_Consecutive", "gather to all by counts, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Allgatherv}, .parameters = {ITERATIONS, EXCHANGED}},
    {"Allgatherv_Barrier", "gather to all by counts, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Allgatherv}, .parameters = {ITERATIONS, EXCHANGED}},
    {"Alltoall", "all-to-all", .like = {&mpi_form_call, &mpi_of_Alltoall}},
    {"Alltoall_Consecutive", "all-to-all, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Alltoall}, .parameters = {ITERATIONS, EXCHANGED}},
    {"Alltoall_Barrier", "all-to-all, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Alltoall}, .parameters = {ITERATIONS, EXCHANGED}},
    {"Alltoallv", "all-to-all by counts", .like = {&mpi_form_call, &mpi_of_Alltoallv}},
    {"Alltoallv_Consecutive", "all-to-all by counts, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Alltoallv}, .parameters = {ITERATIONS, EXCHANGED}},
    {"Alltoallv_Barrier", "all-to-all by counts, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Alltoallv}, .parameters = {ITERATIONS, EXCHANGED}},
    {"Alltoallw", "all-to-all by counts and datatypes", .like = {&mpi_form_call, &mpi_of_Alltoallw}, .version_major = 2},
    {"Alltoallw_Consecutive", "all-to-all by counts and datatypes, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Alltoallw}, .parameters = {ITERATIONS, EXCHANGED}, .version_major = 2},
    {"Alltoallw_Barrier", "all-to-all by counts and datatypes, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Alltoallw}, .parameters = {ITERATIONS, EXCHANGED}, .version_major = 2},
    {"Reduce", "reduction", .like = {&mpi_form_call, &mpi_of_Reduce}},
    {"Reduce_Consecutive", "reduction, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Reduce}, .parameters = {ITERATIONS, COMBINED, TARGET_ROOT}},
    {"Reduce_Barrier", "reduction, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Reduce}, .parameters = {ITERATIONS, COMBINED, TARGET_ROOT}},
    {"Allreduce", "reduction to all", .like = {&mpi_form_call, &mpi_of_Allreduce}},
    {"Allreduce_Consecutive", "reduction to all, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Allreduce}, .parameters = {ITERATIONS, COMBINED}},
    {"Allreduce_Barrier", "reduction to all, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Allreduce}, .parameters = {ITERATIONS, COMBINED}},
    {"Reduce_scatter", "reduction scattered evenly", .like = {&mpi_form_call, &mpi_of_Reduce_scatter}},
    {"Reduce_scatter_Consecutive", "reduction scattered evenly, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Reduce_scatter}, .parameters = {ITERATIONS, SHARED, IGNORED_ROOT}},
    {"Reduce_scatter_Barrier", "reduction scattered evenly, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Reduce_scatter}, .parameters = {ITERATIONS, SHARED, IGNORED_ROOT}},
    {"Reduce_scatter_block", "reduction scattered in blocks", .like = {&mpi_form_call, &mpi_of_Reduce_scatter_block}, .version_major = 2, .version_minor = 2},
    {"Reduce_scatter_block_Consecutive", "reduction scattered in blocks, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Reduce_scatter_block}, .parameters = {ITERATIONS, IN_BLOCKS}, .version_major = 2, .version_minor = 2},
    {"Reduce_scatter_block_Barrier", "reduction scattered in blocks, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Reduce_scatter_block}, .parameters = {ITERATIONS, IN_BLOCKS}, .version_major = 2, .version_minor = 2},
    {"Scan", "inclusive prefix reduction", .like = {&mpi_form_call, &mpi_of_Scan}},
    {"Scan_Consecutive", "inclusive prefix reduction, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Scan}, .parameters = {ITERATIONS, COMBINED}},
    {"Scan_Barrier", "inclusive prefix reduction, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Scan}, .parameters = {ITERATIONS, COMBINED}},
    {"Exscan", "exclusive prefix reduction", .like = {&mpi_form_call, &mpi_of_Exscan}, .version_major = 2},
    {"Exscan_Consecutive", "exclusive prefix reduction, calls in a row: they may overlap", .like = {&mpi_form_consecutive, &mpi_of_Exscan}, .parameters = {ITERATIONS, COMBINED}, .version_major = 2},
    {"Exscan_Barrier", "exclusive prefix reduction, each followed by a barrier", .like = {&mpi_form_separated, &mpi_of_Exscan}, .parameters = {ITERATIONS, COMBINED}, .version_major = 2},

    /* The data are where the result will be: at the root of what has one, else on all ranks. */
    {"Gather_In_Place", "gather, in place", .like = {&in_place, &mpi_of_Gather}, .parameters = {ELEMENTS, TARGET_ROOT}, .version_major = 2},
    {"Gatherv_In_Place", "gather by counts, in place", .like = {&in_place, &mpi_of_Gatherv}, .parameters = {ELEMENTS, TARGET_ROOT}, .version_major = 2},
    {"Scatter_In_Place", "scatter, in place", .like = {&in_place, &mpi_of_Scatter}, .parameters = {ELEMENTS, ROOT}, .version_major = 2},
    {"Scatterv_In_Place", "scatter by counts, in place", .like = {&in_place, &mpi_of_Scatterv}, .parameters = {ELEMENTS, ROOT}, .version_major = 2},
    {"Allgather_In_Place", "gather to all, in place", .like = {&in_place, &mpi_of_Allgather}, .parameters = {ELEMENTS}, .version_major = 2},
    {"Allgatherv_In_Place", "gather to all by counts, in place", .like = {&in_place, &mpi_of_Allgatherv}, .parameters = {ELEMENTS}, .version_major = 2},
    {"Alltoall_In_Place", "all-to-all, in place", .like = {&in_place, &mpi_of_Alltoall}, .parameters = {ELEMENTS}, .version_major = 2, .version_minor = 2},
    {"Alltoallv_In_Place", "all-to-all by counts, in place", .like = {&in_place, &mpi_of_Alltoallv}, .parameters = {ELEMENTS}, .version_major = 2, .version_minor = 2},
    {"Alltoallw_In_Place", "all-to-all by counts and datatypes, in place", .like = {&in_place, &mpi_of_Alltoallw}, .parameters = {ELEMENTS}, .version_major = 2, .version_minor = 2},
    {"Reduce_In_Place", "reduction, in place", .like = {&in_place, &mpi_of_Reduce}, .version_major = 2},
    {"Allreduce_In_Place", "reduction to all, in place", .like = {&in_place, &mpi_of_Allreduce}, .version_major = 2},
    {"Reduce_scatter_In_Place", "reduction scattered evenly, in place", .like = {&in_place, &mpi_of_Reduce_scatter}, .parameters = {SHARED}, .version_major = 2},
    {"Reduce_scatter_block_In_Place", "reduction scattered in blocks, in place", .like = {&in_place, &mpi_of_Reduce_scatter_block}, .version_major = 2, .version_minor = 2},
    {"Scan_In_Place", "inclusive prefix reduction, in place", .like = {&in_place, &mpi_of_Scan}, .version_major = 2},
    {"Exscan_In_Place", "exclusive prefix reduction, in place", .like = {&in_place, &mpi_of_Exscan}, .version_major = 2, .version_minor = 2},
    {.name = NULL},
};
/* clang-format on */
