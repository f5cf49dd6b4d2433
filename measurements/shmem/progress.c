/*
 * Operations on a PE that computes: whether put, get and atomics progress without the target's
 * help.
 *
 * Rank 0 works on rank 1, which computes from the start on without any call of the library. If
 * library or hardware progress without the target, the time is that of the operation alone;
 * otherwise it is about the rest of the computation.
 */
#include "measurements/common/pair_operation.h"

static enum pair_action action_of(const struct run *run)
{
    return *(const enum pair_action *)run->function->variant;
}

static void demand(struct run *run)
{
    pair_demand(run, action_of(run));
}

#if SKAMPI_SHMEM

static bool set_up(struct run *run)
{
    *(struct pair_operation *)run->state = pair_open(run, action_of(run));
    return true;
}

static void fill(struct run *run)
{
    pair_fill(run, run->state);
}

static bool verify(struct run *run)
{
    return pair_verify(run, run->state);
}

static void operate(struct run *run, long addend)
{
    pair_operate(run, run->state, addend);
}

static double run_operation(struct run *run)
{
    const struct pair_operation *pair = run->state;
    return computing_run(run, &pair->partner, operate, run_barrier);
}

#endif

static const struct measurement computes = {
    .api = API_OPENSHMEM,
    .parameters = {COUNT_BYTES, COMPUTATION},
    .timing = TIMING_PARTS,
    .minimum_pes = 2,
    .moves = MOVES_MESSAGE,
    .who = "rank 0",
    SHMEM_STATE(struct pair_operation),
    .demand = demand,
    .setup = WITH_SHMEM(set_up),
    .fill = WITH_SHMEM(fill),
    .verify = WITH_SHMEM(verify),
    .run = WITH_SHMEM(run_operation),
};

static const enum pair_action put = PAIR_PUT, get = PAIR_GET, fetch_add = PAIR_FETCH_ADD;

const struct measurement measurements_progress[] = {
    {"Shmem_Put_Target_Computes", "put and quiet to a PE that computes", .like = {&computes},
     .routine = "shmem_put", .calls = "shmem_quiet", .timed = "put + quiet" TO_COMPUTING,
     .cost = "post + wire + quiet", .variant = &put},
    {"Shmem_Get_Target_Computes", "get from a PE that computes", .like = {&computes},
     .routine = "shmem_get", .timed = "get" TO_COMPUTING, .cost = "post + wire", .variant = &get},
    {"Shmem_Atomic_Fetch_Add_Long_Target_Computes", "fetching atomic on a PE that computes",
     .like = {&computes}, .routine = "shmem_long_atomic_fetch_add", .parameters = {COMPUTATION},
     .timed = "fetch-and-add" TO_COMPUTING, .cost = "fetch", .variant = &fetch_add},
    {.name = NULL},
};
