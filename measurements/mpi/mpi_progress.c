/*
 * One-sided operations of MPI on a process that computes: whether put, get and fetch-and-op with a
 * flush progress without the target's help. As progress.c has it for OpenSHMEM.
 */
#include "measurements/common/pair_operation.h"

static enum pair_action action_of(const struct run *run)
{
    return *(const enum pair_action *)run->function->variant;
}

static void demand(struct run *run)
{
    mpi_pair_demand(run, action_of(run));
}

#if SKAMPI_MPI

static bool set_up(struct run *run)
{
    return mpi_pair_open(run, action_of(run), run->state);
}

static void fill(struct run *run)
{
    mpi_pair_fill(run, run->state);
}

static bool verify(struct run *run)
{
    return mpi_pair_verify(run, run->state);
}

static void operate(struct run *run, long addend)
{
    mpi_pair_operate(run, run->state, addend);
}

static double run_operation(struct run *run)
{
    const struct mpi_pair *pair = run->state;
    return computing_run(run, &pair->partner, operate, mpi_pair_meet);
}

#endif

/* clang-format off */
static const struct measurement to_computing = {
    .api = API_MPI, .version_major = 3, .timing = TIMING_PARTS, .minimum_pes = 2,
    .who = "rank 0", .moves = MOVES_MESSAGE, .demand = demand, MPI_STATE(struct mpi_pair),
    .setup = WITH_MPI(set_up), .fill = WITH_MPI(fill), .verify = WITH_MPI(verify),
    .run = WITH_MPI(run_operation), .teardown = WITH_MPI(window_tear_down)};

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
