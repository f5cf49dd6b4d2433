/*
 * The first call of a collective of MPI in a process, against the second: connections and more are
 * made late (Kurnosov, MPIPerf, table 1). It cannot be repeated, so what has been called is kept
 * for the rest of the run.
 */
#include <string.h>

#include "measurements/common/mpi_call.h"

static const struct kind {
    const char *name;
    const struct mpi_routine *routine;
} kinds[] = {
    {"Barrier", &mpi_Barrier}, {"Bcast", &mpi_Bcast},         {"Gather", &mpi_Gather},
    {"Scatter", &mpi_Scatter}, {"Allgather", &mpi_Allgather}, {"Alltoall", &mpi_Alltoall},
    {"Reduce", &mpi_Reduce},   {"Allreduce", &mpi_Allreduce}, {"Scan", &mpi_Scan},
    {"Exscan", &mpi_Exscan},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* Arguments. */
#define ELSEWHERE "elsewhere"
#define SAME "same"
#define RANK_0 "rank 0"
#define SLOWEST "slowest"
#define MOST_BYTES ((uint64_t)1 << 30)

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static const char *check_kind(const struct run *run)
{
    static char text[300];
    if (find_kind(run_argument(run, "kind")->string))
        return NULL;
    strcpy(text, "there is no such routine here; there are");
    for (size_t i = 0; i < KINDS; i++) {
        strcat(text, i ? ", " : " ");
        strcat(text, kinds[i].name);
    }
    return text;
}

static size_t elements_of(const struct run *run)
{
    size_t bytes = (size_t)run_argument(run, "bytes")->integer;
    return (bytes + sizeof(int) - 1) / sizeof(int);
}

static const char *check(const struct run *run)
{
    const char *second = run_argument(run, "second")->string;
    const char *ratio = run_argument(run, "ratio")->string;
    uint64_t bytes = (uint64_t)run_argument(run, "bytes")->integer;
    if (bytes > MOST_BYTES / (uint64_t)run->size)
        return "bytes times the PEs of the set must be at most 1 GiB";
    if (strcmp(second, SAME) != 0 && strcmp(second, ELSEWHERE) != 0)
        return "second is \"" ELSEWHERE "\" or \"" SAME "\": where the second call has its data";
    if (strcmp(ratio, RANK_0) != 0 && strcmp(ratio, SLOWEST) != 0)
        return "ratio is \"" RANK_0 "\" or \"" SLOWEST "\": whose times are compared";
    return check_kind(run);
}

/* The memory is the function's own, new for each call: buffers of the script have been used. */
static void demand(struct run *run)
{
    const char *kind = run_argument(run, "kind")->string;
    run->demand.own = run->demand.reported =
        strcmp(kind, "Barrier") == 0 ? 0 : elements_of(run) * sizeof(int);
}

#if SKAMPI_MPI

#include <math.h>
#include <stdlib.h>

/* Of a process. */
static bool called[KINDS];

/* Element j of block i that a rank sends: small, so that sums over all ranks fit into an int. */
static int value_of(int rank, int i, size_t j)
{
    return (int)(((size_t)rank * 7 + (size_t)i * 3 + j) % 1000);
}

static int sum_of(int ranks, size_t j)
{
    int sum = 0;
    for (int rank = 0; rank < ranks; rank++)
        sum += value_of(rank, 0, j);
    return sum;
}

/* What element j of block i must be after the call; -1: anything. */
static int wanted(enum mpi_flow flow, const struct mpi_call *call, int i, size_t j)
{
    int rank = call->rank;
    switch (flow) {
    case MPI_FLOW_BCAST:
        return i == 0 ? value_of(0, 0, j) : -1;
    case MPI_FLOW_SCATTER:
        return i == 0 ? value_of(0, rank, j) : -1;
    case MPI_FLOW_GATHER:
        return rank == 0 ? value_of(i, 0, j) : -1;
    case MPI_FLOW_ALLGATHER:
        return value_of(i, 0, j);
    case MPI_FLOW_ALLTOALL:
        return value_of(i, rank, j);
    case MPI_FLOW_REDUCE:
        return i == 0 && rank == 0 ? sum_of(call->size, j) : -1;
    case MPI_FLOW_ALLREDUCE:
        return i == 0 ? sum_of(call->size, j) : -1;
    case MPI_FLOW_SCAN:
        return i == 0 ? sum_of(rank + 1, j) : -1;
    case MPI_FLOW_EXSCAN:
        return i == 0 && rank > 0 ? sum_of(rank, j) : -1;
    default:
        return -1;
    }
}

static bool is_right(enum mpi_flow flow, const struct mpi_call *call)
{
    size_t elements = (size_t)call->receive_count;
    const int *found = call->receive;
    for (int i = 0; i < call->size; i++)
        for (size_t j = 0; j < elements; j++) {
            int value = wanted(flow, call, i, j);
            if (value >= 0 && found[(size_t)i * elements + j] != value)
                return false;
        }
    return true;
}

/* Memory of one call, as much for what is sent as for what is received after it. */
static bool fill(const struct kind *kind, struct mpi_call *call, int *memory, size_t elements)
{
    if (!memory)
        return false;
    int *source = memory, *target = memory + (size_t)call->size * elements;
    for (int i = 0; i < call->size; i++)
        for (size_t j = 0; j < elements; j++) {
            size_t at = (size_t)i * elements + j;
            source[at] = value_of(call->rank, i, j);
            target[at] = kind->routine->flow == MPI_FLOW_BCAST && call->rank == 0 ? source[at] : -1;
        }
    call->send = source;
    call->receive = target;
    return true;
}

/* Times a call right after the engine's barrier: the lateness of other ranks must not count. */
static double time_call(struct run *run, const struct kind *kind, struct mpi_call *call)
{
    run_barrier(run);
    int64_t start = timer_now();
    kind->routine->call(call);
    double seconds = run_elapsed(run, start, timer_now());
    run_barrier(run);
    return seconds;
}

/* Calls twice, at two places in memory or twice at one place. Both places were filled before: no
 * call is the first to touch its memory. */
static double run_calls(struct run *run, const struct kind *kind, int *memory[2])
{
    size_t elements = elements_of(run);
    struct mpi_call first = {.comm = mpi_comm(run),
                             .rank = run->rank,
                             .size = run->size,
                             .send_count = (int)elements,
                             .receive_count = (int)elements,
                             .send_type = MPI_INT,
                             .receive_type = MPI_INT,
                             .op = MPI_SUM};
    struct mpi_call second = first;
    bool same = strcmp(run_argument(run, "second")->string, SAME) == 0;
    bool good = fill(kind, &first, memory[0], elements) &&
                fill(kind, &second, memory[same ? 0 : 1], elements);
    if (run_max(run, !good) > 0) {
        run_fail(run, "out of memory on rank %d", run->rank);
        return NAN;
    }
    double times[] = {time_call(run, kind, &first), 0};
    good = is_right(kind->routine->flow, &first);
    times[1] = time_call(run, kind, &second);
    if (!good || !is_right(kind->routine->flow, &second))
        run_fail(run, "rank %d has wrong data after the call", run->rank);
    const char *whose = run_argument(run, "ratio")->string;
    bool slowest = strcmp(whose, SLOWEST) == 0;
    double compared[] = {slowest ? run_max(run, times[0]) : times[0],
                         slowest ? run_max(run, times[1]) : times[1]};
    run_note(run, "the second call: %.4g ns, the first took %.3g times as long (%s; %s)",
             compared[1] * 1e9, compared[0] / compared[1], whose,
             same ? "the second at the same address" : "the second at another address");
    return times[0];
}

static double run_first_call(struct run *run)
{
    const struct kind *kind = find_kind(run_argument(run, "kind")->string);
    bool before = called[kind - kinds];
    size_t elements = 2 * (size_t)run->size * elements_of(run) + 1;
    int *memory[] = {calloc(elements, sizeof(int)), calloc(elements, sizeof(int))};
    called[kind - kinds] = true;
    double first = run_calls(run, kind, memory);
    free(memory[0]);
    free(memory[1]);
    if (run_max(run, before) > 0)
        run_note(run, "not the first in this process: First_Call_MPI had called it before");
    if (run_measured_before(run) > 0)
        run_note(run, "earlier measurements that may have called it: %zu",
                 run_measured_before(run));
    return first;
}

#endif

/* clang-format off */
#define KIND {"kind", PARAMETER_STRING, "", "routine to call", .allowed = "one of Barrier, Bcast, Alltoall, Allreduce, ... (any other word lists them all)", .example = "Allreduce"}
#define BYTES {"bytes", PARAMETER_INT, "bytes", "data in each PE's block, rounded up to complete ints", .size = true, .allowed = "at most 1 GiB divided by the size of the communicator", .otherwise = "8192", .example = "8192"}
#define SECOND {"second", PARAMETER_STRING, "", "place of the second call's data", .allowed = "one of \"" ELSEWHERE "\", \"" SAME "\"", .otherwise = ELSEWHERE, .example = ELSEWHERE}
#define RATIO {"ratio", PARAMETER_STRING, "", "ranks whose times the note compares", .allowed = "one of \"" RANK_0 "\", \"" SLOWEST "\"", .otherwise = RANK_0, .example = RANK_0}
/* clang-format on */

const struct measurement measurements_mpi_first_call[] = {
    {"First_Call_MPI", "the first call of a collective of MPI in a process",
     MPI_FUNCTION_CHECKED(check), .timing = TIMING_ONCE, .own_check = true, .moves = MOVES_NOTHING,
     .who = "all", .parameters = {KIND, BYTES, SECOND, RATIO}, .demand = demand,
     .run = WITH_MPI(run_first_call), .calls = "", .timed = "one call, after a barrier of skampi"},
    {.name = NULL},
};
