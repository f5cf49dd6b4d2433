/*
 * One-sided operations of MPI on a process that computes: whether put, get and fetch-and-op with a
 * flush progress without the target's help. As progress.c has it for OpenSHMEM.
 */
#include "measurements/common/pair_operation.h"

/* clang-format off */
static const struct measurement to_computing = {
    .api = API_MPI, .version_major = 3, .like = {&pair_computing}};

const struct measurement measurements_mpi_progress[] = {
    {"Put_Flush_Target_Computes", "put and flush to a process that computes", .like = {&to_computing}, .variant = &(const enum pair_action){PAIR_PUT},
     .parameters = {MPI_COUNT_BYTES, COMPUTATION, MEMORY}, .routine = "MPI_Put", .calls = "MPI_Win_flush", .timed = "MPI_Put, MPI_Win_flush," TO_COMPUTING},
    {"Get_Flush_Target_Computes", "get and flush from a process that computes", .like = {&to_computing}, .variant = &(const enum pair_action){PAIR_GET},
     .parameters = {MPI_COUNT_BYTES, COMPUTATION, MEMORY}, .routine = "MPI_Get", .calls = "MPI_Win_flush", .timed = "MPI_Get, MPI_Win_flush," TO_COMPUTING},
    {"Fetch_and_op_Flush_Target_Computes", "fetch-and-op and flush on a process that computes",
     .like = {&to_computing}, .variant = &(const enum pair_action){PAIR_FETCH_ADD}, .parameters = {COMPUTATION, MEMORY},
     .routine = "MPI_Fetch_and_op", .calls = "MPI_Win_flush", .timed = "MPI_Fetch_and_op with MPI_SUM of a long, MPI_Win_flush," TO_COMPUTING},
    {.name = NULL},
};
/* clang-format on */
