/*
 * Windows and messages of MPI with programmed costs, beside the programmed network of OpenSHMEM
 * (../network), with which this file is linked: its post, wire and barrier hold for MPI, too, and
 *
 *   flush=f    MPI_Win_flush: completes what is outstanding, then takes this long.
 *   send=s     MPI_Send: until it returns; MPI_Recv of the message returns wire after that.
 *
 * MPI_Put, MPI_Get and MPI_Fetch_and_op post; contention holds for them, too, where `large` bytes
 * of MPI_BYTE are under way since the last flush of another process. A word that another process
 * put or replaced is there post + wire after that began, for those that look by MPI_Win_sync or a
 * fetch-and-op of their own, which cost nothing. MPI_Barrier: all leave that long after the last
 * one entered.
 *
 * Meant for the simulated clock. Limits: all processes on one node and in each window, in the order
 * of MPI_COMM_WORLD; words are of MPI_INT64_T, put alone, and somebody looks for each of them; what
 * MPI_Send sends MPI_Recv receives.
 */
#include "../network/network.h"

#include <mpi.h>

#pragma GCC visibility push(default)

#define TAG 32700 /* of messages about times */

static int64_t complete; /* when all that is outstanding is */

static bool is_self(int rank)
{
    int own;
    PMPI_Comm_rank(MPI_COMM_WORLD, &own);
    return rank == own;
}

/* ---- Words that processes wait for ---- */

/* Before the word is there: who looks for it gets the time first. */
static void tell_arrival(struct call call, int rank)
{
    int64_t arrival = call.entry + network.cost[COST_POST] + network.cost[COST_WIRE];
    PMPI_Ssend(&arrival, 1, MPI_INT64_T, rank, TAG, MPI_COMM_WORLD);
}

static void look_for_arrival(void)
{
    int there;
    int64_t arrival;
    PMPI_Iprobe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (!there)
        return;
    PMPI_Recv(&arrival, 1, MPI_INT64_T, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    busy_until(COST_WAIT, arrival);
}

int MPI_Win_sync(MPI_Win window)
{
    struct call call = call_enter();
    if (call_costs(call, COST_WIRE))
        look_for_arrival();
    int code = PMPI_Win_sync(window);
    call_leave();
    simulated_waits();
    return code;
}

/* ---- Operations ---- */

static bool is_large(int count, MPI_Datatype type)
{
    return network.large > 0 && type == MPI_BYTE && (size_t)count >= network.large;
}

static void post(struct call call, bool large)
{
    int64_t wire = network.cost[COST_WIRE];
    call_leave();
    if (!call_costs(call, COST_POST))
        return;
    if (network.contention > 0 && large)
        under_way(true);
    else if (network.contention > 0)
        wire += network.contention * others_under_way();
    int64_t posted = call.entry + network.cost[COST_POST];
    complete = later(complete, posted + wire);
    busy_until(COST_POST, posted);
}

int MPI_Put(const void *from, int count, MPI_Datatype type, int rank, MPI_Aint to, int to_count,
            MPI_Datatype to_type, MPI_Win window)
{
    struct call call = call_enter();
    if (call_costs(call, COST_WIRE) && type == MPI_INT64_T)
        tell_arrival(call, rank);
    int code = PMPI_Put(from, count, type, rank, to, to_count, to_type, window);
    post(call, is_large(count, type));
    return code;
}

int MPI_Get(void *to, int count, MPI_Datatype type, int rank, MPI_Aint from, int from_count,
            MPI_Datatype from_type, MPI_Win window)
{
    struct call call = call_enter();
    int code = PMPI_Get(to, count, type, rank, from, from_count, from_type, window);
    post(call, is_large(count, type));
    return code;
}

int MPI_Fetch_and_op(const void *from, void *to, MPI_Datatype type, int rank, MPI_Aint at,
                     MPI_Op op, MPI_Win window)
{
    struct call call = call_enter();
    bool own = is_self(rank), costs = call_costs(call, COST_WIRE);
    if (costs && own)
        look_for_arrival();
    else if (costs && op == MPI_REPLACE)
        tell_arrival(call, rank);
    int code = PMPI_Fetch_and_op(from, to, type, rank, at, op, window);
    if (own)
        call_leave();
    else
        post(call, false);
    return code;
}

/* Behind the real call. */
static void flushed(struct call call)
{
    call_leave();
    if (network.contention > 0)
        under_way(false);
    if (call_costs(call, COST_FLUSH))
        busy_until(COST_FLUSH, later(call.entry, complete) + network.cost[COST_FLUSH]);
}

int MPI_Win_flush(int rank, MPI_Win window)
{
    struct call call = call_enter();
    int code = PMPI_Win_flush(rank, window);
    if (is_self(rank)) {
        call_leave();
        simulated_waits();
    } else {
        flushed(call);
    }
    return code;
}

int MPI_Win_flush_all(MPI_Win window)
{
    struct call call = call_enter();
    int code = PMPI_Win_flush_all(window);
    flushed(call);
    return code;
}

/* ---- Messages and barriers ---- */

int MPI_Send(const void *from, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm)
{
    struct call call = call_enter();
    int code = PMPI_Send(from, count, type, rank, tag, comm);
    if (call_costs(call, COST_SEND)) {
        int64_t arrival = call.entry + network.cost[COST_SEND] + network.cost[COST_WIRE];
        PMPI_Send(&arrival, 1, MPI_INT64_T, rank, TAG, comm);
    }
    call_leave();
    charge(call, COST_SEND);
    return code;
}

int MPI_Recv(void *to, int count, MPI_Datatype type, int rank, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    struct call call = call_enter();
    MPI_Status received;
    int64_t arrival = 0;
    int code = PMPI_Recv(to, count, type, rank, tag, comm, &received);
    bool costs = call_costs(call, COST_SEND);
    if (costs)
        PMPI_Recv(&arrival, 1, MPI_INT64_T, received.MPI_SOURCE, TAG, comm, MPI_STATUS_IGNORE);
    call_leave();
    if (status != MPI_STATUS_IGNORE)
        *status = received;
    if (costs)
        busy_until(COST_WAIT, later(call.entry, arrival));
    return code;
}

int MPI_Barrier(MPI_Comm comm)
{
    struct call call = call_enter();
    int64_t last = call.entry;
    int code = PMPI_Barrier(comm);
    if (call_costs(call, COST_BARRIER))
        PMPI_Allreduce(&call.entry, &last, 1, MPI_INT64_T, MPI_MAX, comm);
    call_leave();
    if (call_costs(call, COST_BARRIER))
        busy_until(COST_BARRIER, last + network.cost[COST_BARRIER]);
    return code;
}
