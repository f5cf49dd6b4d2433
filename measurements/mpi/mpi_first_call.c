/*
 * The first call of a collective of MPI in a process, against the second: connections and more are
 * made late (Kurnosov, MPIPerf, table 1). It cannot be repeated, so what has been called is kept
 * for the rest of the run.
 */
#include "measurements/common/mpi_call.h"

/* In the order of the words of the parameter. */
static const struct mpi_routine *const routines[] = {
    &mpi_Barrier,  &mpi_Bcast,  &mpi_Gather,    &mpi_Scatter, &mpi_Allgather,
    &mpi_Alltoall, &mpi_Reduce, &mpi_Allreduce, &mpi_Scan,    &mpi_Exscan};
#define KINDS (sizeof routines / sizeof *routines)

/* Words of arguments. */
enum { ELSEWHERE, SAME };
enum { RANK_0, SLOWEST };
#define MOST_BYTES ((uint64_t)1 << 30)

static size_t elements_of(const struct run *run)
{
    size_t bytes = (size_t)run_argument(run, "bytes")->integer;
    return (bytes + sizeof(int) - 1) / sizeof(int);
}

static const char *check(const struct run *run)
{
    uint64_t bytes = (uint64_t)run_argument(run, "bytes")->integer;
    return bytes > MOST_BYTES / (uint64_t)run->size
               ? "bytes times the PEs of the set must be at most 1 GiB"
               : NULL;
}

/* The memory is the function's own, new for each call: buffers of the script have been used. */
static void demand(struct run *run)
{
    run->demand.own = run->demand.reported =
        routines[run_word(run, "kind")]->flow == MPI_FLOW_NONE ? 0 : elements_of(run) * sizeof(int);
}

#if SKAMPI_MPI

#include <math.h>
#include <stdlib.h>

/* Of a process. */
static bool called[KINDS];

/* Times a call right after the engine's barrier: the lateness of other ranks must not count. */
static double time_call(struct run *run)
{
    struct mpi_collective_state *state = run->state;
    run_barrier(run);
    int64_t start = timer_now();
    state->routine->call(&state->call);
    double seconds = run_elapsed(run, start, timer_now());
    run_barrier(run);
    return seconds;
}

/* The memory of the next call: what it sends, followed by what it receives. */
static void aim(struct run *run, unsigned char *memory)
{
    struct mpi_collective_state *state = run->state;
    state->send_base = state->call.send = memory;
    state->receive_base = state->call.receive =
        memory + (size_t)run->size * (size_t)state->call.send_count * sizeof(int);
}

/* Calls twice, at two places in memory or twice at one place. Both places are filled before: no
 * call is the first to touch its memory. */
static double run_calls(struct run *run, unsigned char *memory[2], size_t bytes)
{
    bool same = run_word(run, "second") == SAME;
    for (int i = 1; i >= 0; i--) {
        data_poison(memory[i], bytes);
        aim(run, memory[i]);
        mpi_data_prepare(run);
    }
    double times[] = {time_call(run), 0};
    mpi_data_check(run);
    if (!same)
        aim(run, memory[1]);
    times[1] = time_call(run);
    mpi_data_check(run);
    const char *whose = run_argument(run, "ratio")->string;
    bool slowest = run_word(run, "ratio") == SLOWEST;
    double compared[] = {slowest ? run_max(run, times[0]) : times[0],
                         slowest ? run_max(run, times[1]) : times[1]};
    run_note(run, "the second call: %s, the first took %s times as long (%s; %s)",
             plain_time(compared[1]).text, plain_number(compared[0] / compared[1]).text, whose,
             same ? "the second at the same address" : "the second at another address");
    return times[0];
}

static double run_first_call(struct run *run)
{
    int kind = run_word(run, "kind");
    bool before = called[kind];
    size_t bytes = 2 * (size_t)run->size * elements_of(run) * sizeof(int);
    unsigned char *memory[] = {memory_allocate(bytes), memory_allocate(bytes)};
    struct datatype *type = datatype_predefined("MPI_INT");
    int elements = (int)elements_of(run);
    called[kind] = true;
    *(struct mpi_collective_state *)run->state =
        (struct mpi_collective_state){.routine = routines[kind],
                                      .call = {.comm = mpi_comm(run),
                                               .rank = run->rank,
                                               .size = run->size,
                                               .send_count = elements,
                                               .receive_count = elements,
                                               .send_type = MPI_INT,
                                               .receive_type = MPI_INT,
                                               .op = MPI_SUM},
                                      .sends = type,
                                      .receives = type,
                                      .operation = operation_find("MPI_SUM"),
                                      .peers = run->size};
    double first = run_calls(run, memory, bytes);
    datatype_release(type);
    free(memory[0]);
    free(memory[1]);
    if (run_max(run, before) > 0)
        run_note(run, "not the first in this process: First_Call_MPI had called it before");
    note_earlier(run, "it");
    return first;
}

#endif

/* clang-format off */
#define KIND {"kind", PARAMETER_STRING, "", "routine to call", .words = "Barrier|Bcast|Gather|Scatter|Allgather|Alltoall|Reduce|Allreduce|Scan|Exscan", .allowed = "one of Barrier, Bcast, Alltoall, Allreduce, ... (any other word lists them all)", .example = "Allreduce"}
#define BYTES {"bytes", PARAMETER_INT, "bytes", "data in each PE's block, rounded up to complete ints", .size = true, .allowed = "at most 1 GiB divided by the size of the communicator", .otherwise = "8192", .example = "8192"}
#define SECOND {"second", PARAMETER_STRING, "", "place of the second call's data", .words = "elsewhere|same", .otherwise = "elsewhere", .example = "elsewhere"}
#define RATIO {"ratio", PARAMETER_STRING, "", "ranks whose times the note compares", .words = "rank 0|slowest", .otherwise = "rank 0", .example = "rank 0"}
/* clang-format on */

const struct measurement measurements_mpi_first_call[] = {
    {"First_Call_MPI", "the first call of a collective of MPI in a process", .api = API_MPI,
     .check = check, .timing = TIMING_ONCE, .own_check = true, .moves = MOVES_NOTHING, .who = "all",
     .parameters = {KIND, BYTES, SECOND, RATIO}, .demand = demand,
     MPI_STATE(struct mpi_collective_state), .run = WITH_MPI(run_first_call), .calls = "",
     .timed = "one call, after a barrier of skampi"},
    {.name = NULL},
};
