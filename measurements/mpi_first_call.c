/*
 * The first call of a collective of MPI in a process, against the second: connections and more are
 * made late (Kurnosov, MPIPerf, table 1). It cannot be repeated, so what has been called is kept
 * for the whole run.
 */
#include <string.h>

#include "measurements/mpi_collective.h"

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

static const struct kind *find_kind(const char *name)
{
    for (size_t i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

static const char *check_kind(const struct measurement *function, const struct argument *arguments,
                              const struct pe_set *set)
{
    static char text[300];
    (void)function;
    (void)set;
    if (find_kind(arguments[0].string))
        return NULL;
    strcpy(text, "there is no such routine here; there are");
    for (size_t i = 0; i < KINDS; i++) {
        strcat(text, i ? ", " : " ");
        strcat(text, kinds[i].name);
    }
    return text;
}

/* An element for each rank, to send and to receive. */
static void demand(const struct measurement *function, const struct argument *arguments, int pes,
                   struct demand *demand)
{
    (void)function;
    (void)arguments;
    demand->local = demand->remote = (size_t)pes * sizeof(int);
    demand->reported = sizeof(int);
}

#if SKAMPI_MPI

#include <math.h>

/* Of a process. */
static bool called[KINDS];

/* Element i that a rank sends. */
static int value_of(int rank, int i)
{
    return 1000 * rank + i;
}

static int sum_of(int ranks)
{
    int sum = 0;
    for (int rank = 0; rank < ranks; rank++)
        sum += value_of(rank, 0);
    return sum;
}

/* What element i must be behind the call, if anything. */
static bool is_right(enum mpi_flow flow, const struct mpi_call *call)
{
    const int *found = call->receive;
    int rank = call->rank;
    switch (flow) {
    case MPI_FLOW_BCAST:
        return found[0] == value_of(0, 0);
    case MPI_FLOW_SCATTER:
        return found[0] == value_of(0, rank);
    case MPI_FLOW_GATHER:
    case MPI_FLOW_ALLGATHER:
        for (int i = 0; (rank == 0 || flow == MPI_FLOW_ALLGATHER) && i < call->size; i++)
            if (found[i] != value_of(i, 0))
                return false;
        return true;
    case MPI_FLOW_ALLTOALL:
        for (int i = 0; i < call->size; i++)
            if (found[i] != value_of(i, rank))
                return false;
        return true;
    case MPI_FLOW_REDUCE:
        return rank > 0 || found[0] == sum_of(call->size);
    case MPI_FLOW_ALLREDUCE:
        return found[0] == sum_of(call->size);
    case MPI_FLOW_SCAN:
        return found[0] == sum_of(rank + 1);
    case MPI_FLOW_EXSCAN:
        return rank == 0 || found[0] == sum_of(rank);
    default:
        return true;
    }
}

/* From the engine's barrier on, so that it does not count how late others are. */
static double time_call(struct run *run, const struct kind *kind, struct mpi_call *call)
{
    run_barrier(run);
    int64_t start = timer_now();
    kind->routine->call(call);
    double seconds = run_elapsed(run, start, timer_now());
    run_barrier(run);
    return seconds;
}

static double run_first_call(struct run *run)
{
    const struct kind *kind = find_kind(run->arguments[0].string);
    bool before = called[kind - kinds];
    int *source = (int *)(void *)run->local, *target = (int *)(void *)run->remote;
    struct mpi_call call = {.comm = mpi_comm(run),
                            .rank = run->rank,
                            .size = run->size,
                            .send = source,
                            .receive = target,
                            .send_count = 1,
                            .receive_count = 1,
                            .send_type = MPI_INT,
                            .receive_type = MPI_INT,
                            .op = MPI_SUM};
    for (int i = 0; i < run->size; i++) {
        source[i] = value_of(run->rank, i);
        target[i] = kind->routine->flow == MPI_FLOW_BCAST && run->rank == 0 ? source[i] : -1;
    }
    called[kind - kinds] = true;
    double first = time_call(run, kind, &call);
    if (!is_right(kind->routine->flow, &call))
        run_fail(run, "rank %d does not have the data that it must have behind the call",
                 run->rank);
    double second = run_max(run, time_call(run, kind, &call)), slowest = run_max(run, first);
    run_note(run, "the second call: %.4g ns, the first took %.3g times as long", second * 1e9,
             slowest / second);
    if (run_max(run, before) > 0)
        run_note(run, "not the first in this process: First_Call_MPI had called it before");
    if (run_measured_before(run) > 0)
        run_note(run, "measurements that came before and may have called it: %zu",
                 run_measured_before(run));
    return first;
}

#endif

const struct measurement measurements_mpi_first_call[] = {
    {"First_Call_MPI", "the first call of a collective of MPI in a process, of one int",
     MPI_FUNCTION_CHECKED(check_kind), .once = true, .own_check = true, .who = "all",
     .parameters =
         {{"kind", PARAMETER_STRING, "",
           "of call: Barrier, Bcast, Alltoall, Allreduce, ... (an unknown one is answered "
           "by all)",
           0}},
     .demand = demand, .run = WITH_MPI(run_first_call),
     .timed = "one call, behind the engine's barrier"},
};
const size_t measurements_mpi_first_call_count = MEASUREMENT_COUNT(measurements_mpi_first_call);
