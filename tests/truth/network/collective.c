/*
 * Collectives: their times depend on when the others came. Most last so long from the last member's
 * entry; a broadcast sends from PE to PE.
 */
#include "interpose.h"
#include "truth/openshmem_types.h"

/* An active set. */
struct set {
    int start, stride, size;
};

static struct set set_world(void)
{
    return (struct set){0, 1, pes};
}

static int set_pe(struct set set, int rank)
{
    return set.start + rank * set.stride;
}

static int set_rank(struct set set)
{
    return (self - set.start) / set.stride;
}

/* ---- From the last one's entry ---- */

/* Before the real call: tells the others when this PE came, and had completed its own where that
 * belongs to the call. */
static void gather(struct call *call, enum cost cost, struct set set, bool complete)
{
    simulated_waits();
    if (!call_costs(*call, cost)) {
        return;
    }
    if (complete) {
        call->entry = pending_complete(SHMEM_CTX_DEFAULT, call->entry);
    }
    for (int rank = 0; rank < set.size; rank++) {
        if (set_pe(set, rank) != self) {
            tell(set_pe(set, rank), call->entry);
        }
    }
}

static void leave(struct call call, enum cost cost, struct set set)
{
    if (!call_costs(call, cost)) {
        return;
    }
    int64_t last = call.entry;
    for (int rank = 0; rank < set.size; rank++) {
        if (set_pe(set, rank) != self) {
            last = later(last, told(set_pe(set, rank)));
        }
    }
    busy_until(cost, last + network.cost[cost]);
}

/* A barrier completes what is outstanding, also where it has no cost of its own. */
static void leave_barrier(struct call call, struct set set)
{
    leave(call, COST_BARRIER, set);
    if (call.entry != 0 && pending_any(SHMEM_CTX_DEFAULT)) {
        busy_until(COST_QUIET, pending_complete(SHMEM_CTX_DEFAULT, call.entry));
    }
}

#define ACTIVE_SET ((struct set){start, 1 << log_stride, size})
#define MEMBERS int start, int log_stride, int size
#define MEMBER_ARGUMENTS start, log_stride, size

INTERPOSE(shmem_barrier_all, (void), (), gather(&call, COST_BARRIER, set_world(), true),
          leave_barrier(call, set_world()))
INTERPOSE(shmem_barrier, (MEMBERS, long *sync), (MEMBER_ARGUMENTS, sync),
          gather(&call, COST_BARRIER, ACTIVE_SET, true), leave_barrier(call, ACTIVE_SET))

#define INTERPOSE_SET(name, cost, parameters, arguments)                                           \
    INTERPOSE(name, parameters, arguments, gather(&call, cost, ACTIVE_SET, false),                 \
              leave(call, cost, ACTIVE_SET))

INTERPOSE(shmem_sync_all, (void), (), gather(&call, COST_SYNC, set_world(), false),
          leave(call, COST_SYNC, set_world()))
#if SHMEM_MAJOR_VERSION == 1 && SHMEM_MINOR_VERSION < 5
INTERPOSE_SET(shmem_sync, COST_SYNC, (MEMBERS, long *sync), (MEMBER_ARGUMENTS, sync))
#endif

#define REDUCTION(name, type)                                                                      \
    INTERPOSE_SET(shmem_##name##_to_all, COST_REDUCE,                                              \
                  (type * dest, const type *source, int n, MEMBERS, type *work, long *sync),       \
                  (dest, source, n, MEMBER_ARGUMENTS, work, sync))

TRUTH_REDUCTIONS(REDUCTION)

#define EXCHANGE(name, cost)                                                                       \
    INTERPOSE_SET(name, cost, (void *dest, const void *source, size_t n, MEMBERS, long *sync),     \
                  (dest, source, n, MEMBER_ARGUMENTS, sync))
#define EXCHANGE_STRIDED(name, cost)                                                               \
    INTERPOSE_SET(name, cost,                                                                      \
                  (void *dest, const void *source, ptrdiff_t dst, ptrdiff_t sst, size_t n,         \
                   MEMBERS, long *sync),                                                           \
                  (dest, source, dst, sst, n, MEMBER_ARGUMENTS, sync))

EXCHANGE(shmem_collect32, COST_COLLECT)
EXCHANGE(shmem_collect64, COST_COLLECT)
EXCHANGE(shmem_fcollect32, COST_FCOLLECT)
EXCHANGE(shmem_fcollect64, COST_FCOLLECT)
EXCHANGE(shmem_alltoall32, COST_ALLTOALL)
EXCHANGE(shmem_alltoall64, COST_ALLTOALL)
EXCHANGE_STRIDED(shmem_alltoalls32, COST_ALLTOALLS)
EXCHANGE_STRIDED(shmem_alltoalls64, COST_ALLTOALLS)

/* ---- Memory: collective over all PEs ---- */

#define INTERPOSE_ALLOCATE(name, parameters, arguments)                                            \
    INTERPOSE_VALUE(void *, name, parameters, arguments,                                           \
                    gather(&call, COST_ALLOCATE, set_world(), false),                              \
                    leave(call, COST_ALLOCATE, set_world()))

INTERPOSE_ALLOCATE(shmem_malloc, (size_t size), (size))
INTERPOSE_ALLOCATE(shmem_calloc, (size_t n, size_t size), (n, size))
INTERPOSE_VALUE(void *, shmem_align, (size_t alignment, size_t size), (alignment, size),
                gather(&call, COST_ALLOCATE, set_world(), false),
                leave(call, COST_ALLOCATE, set_world());
                simulated_block(value, size))
INTERPOSE_ALLOCATE(shmem_realloc, (void *memory, size_t size), (memory, size))
INTERPOSE(shmem_free, (void *memory), (memory), gather(&call, COST_FREE, set_world(), false),
          leave(call, COST_FREE, set_world()))

/* ---- Broadcast ---- */

/* The time at which this PE leaves the broadcast. Nobody tells before the real
 * broadcast is over for it. */
static int64_t broadcast_end(struct call call, struct set set, int root)
{
    int64_t time = network.cost[COST_BROADCAST];
    int distance = (set_rank(set) - root + set.size) % set.size;
    bool last = distance == set.size - 1;
    int next = set_pe(set, (set_rank(set) + 1) % set.size);
    int previous = set_pe(set, (set_rank(set) - 1 + set.size) % set.size);

    if (set.size == 1) {
        return call.entry;
    }
    if (network.broadcast == BROADCAST_CHAIN) {
        /* Told is the time at which the one before starts sending. */
        int64_t have = distance == 0 ? call.entry : later(call.entry, told(previous) + time);
        if (last) {
            return have;
        }
        tell(next, have);
        return have + time;
    }
    bool linear = network.broadcast == BROADCAST_LINEAR;
    if (distance == 0) {
        for (int rank = 0; rank < set.size; rank++) {
            if (rank != root) {
                tell(set_pe(set, rank), call.entry);
            }
        }
        return call.entry + (linear ? set.size - 1 : 1) * time;
    }
    return later(call.entry, told(set_pe(set, root)) + (linear ? distance : 1) * time);
}

static void leave_broadcast(struct call call, struct set set, int root)
{
    if (call.entry != 0 && network.broadcast != BROADCAST_REAL) {
        busy_until(COST_BROADCAST, broadcast_end(call, set, root));
    }
}

#define BROADCAST(name)                                                                            \
    INTERPOSE(name, (void *dest, const void *source, size_t n, int root, MEMBERS, long *sync),     \
              (dest, source, n, root, MEMBER_ARGUMENTS, sync), simulated_waits(),                  \
              leave_broadcast(call, ACTIVE_SET, root))

BROADCAST(shmem_broadcast32)
BROADCAST(shmem_broadcast64)
