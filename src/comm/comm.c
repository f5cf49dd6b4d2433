/* Trees over links. Ranks of a group form a binomial tree: the parent of rank r is r without its
 * lowest set bit, so that the ranks below r are contiguous. */
#include "comm/comm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "comm/link.h"
#include "comm/parts.h"

/* Message numbers of the links of one tree: of each child and of the parent, in both directions. */
struct counters {
    int64_t base;
    int64_t up[LINK_CHILDREN + 1], down[LINK_CHILDREN + 1];
    int64_t dissemination;
};

/* The library's state is one per process; so is this. */
static struct {
    struct pe_group world;
    struct counters world_counters, set_counters;
    int64_t epoch;
    struct comm_shared shared;
    bool telling;      /* PE 0, of its collectives */
    bool synchronized; /* all PEs have been since the last comm_enter() */
} comm;

void trees_begin(void)
{
    memset(&comm, 0, sizeof comm);
    comm.world = pe_group_strided(0, 1, comm_pes());
}

const struct pe_group *comm_world(void)
{
    return &comm.world;
}

struct comm_shared comm_shared(void)
{
    return comm.shared;
}

static bool is_world(const struct pe_group *group)
{
    return group == &comm.world;
}

void comm_tell(void)
{
    comm.telling = true;
}

/* bytes: of each member. */
static void begin_collective(const struct pe_group *group, const char *what, size_t bytes)
{
    comm.shared.collectives += is_world(group);
    if (comm.telling && comm_pe() == 0)
        fprintf(stderr, "collective: %s of %zu bytes, %s%d PEs\n", what, bytes,
                is_world(group) ? "all " : "", group->size);
}

static void count_message(const struct pe_group *group, size_t bytes)
{
    comm.shared.world_messages += is_world(group);
    comm.shared.messages++;
    comm.shared.bytes += (int64_t)bytes;
}

/* ---- One message between tree neighbours, in chunks ---- */

enum direction { UP, DOWN };

/* Sends or receives a message. child is the bit of the child on the parent's side of the link, and
 * -1 on the child's own side. */
static void transfer(const struct pe_group *group, enum direction direction, int peer_rank,
                     int child, void *data, size_t bytes)
{
    struct counters *counters = is_world(group) ? &comm.world_counters : &comm.set_counters;
    int port = child < 0 ? LINK_PARENT : child;
    int64_t *number = direction == UP ? &counters->up[port] : &counters->down[port];
    bool sending = (direction == UP) == (child < 0);
    int peer = pe_group_member(group, peer_rank);
    int own = comm_pe();
    /* The bit by which the parent knows the child: the child's lowest set bit. */
    int rank_of_child = child < 0 ? pe_group_rank_of(group, own) : peer_rank;
    int bit = __builtin_ctz((unsigned)rank_of_child);

    if (sending)
        count_message(group, bytes);
    struct link_end end = {is_world(group), direction == UP ? bit : LINK_PARENT,
                           direction == UP ? LINK_PARENT : bit, 0};
    size_t done = 0;
    do {
        size_t chunk = bytes - done < LINK_CHUNK ? bytes - done : LINK_CHUNK;
        end.number = counters->base + ++*number;
        if (sending)
            link_send(peer, &end, *number == 1, (char *)data + done, chunk);
        else
            link_receive(peer, &end, (char *)data + done, chunk);
        done += chunk;
    } while (done < bytes);
}

static int lowest_bit(int rank)
{
    return rank == 0 ? LINK_CHILDREN - 1 : __builtin_ctz((unsigned)rank);
}

/* Rank of the child at a bit, or -1. */
static int child_at(int rank, int bit, int size)
{
    int64_t child = (int64_t)rank + ((int64_t)1 << bit);
    return child < size ? (int)child : -1;
}

/* Loops over the children, from the smallest subtree to the largest. */
#define FOR_CHILDREN(bit, child, rank, size)                                                       \
    for (int bit = 0, child; bit < lowest_bit(rank) && (child = child_at(rank, bit, size)) >= 0;   \
         bit++)

static int parent_of(int rank)
{
    return rank & (rank - 1);
}

static void hand_down(const struct pe_group *group, void *data, size_t bytes)
{
    int size = group->size, rank = pe_group_rank_of(group, comm_pe());
    if (rank > 0)
        transfer(group, DOWN, parent_of(rank), -1, data, bytes);
    /* Send to the largest subtree first, since its path is the longest. */
    int top = 0;
    while (top < lowest_bit(rank) && child_at(rank, top, size) >= 0)
        top++;
    for (int bit = top - 1; bit >= 0; bit--)
        transfer(group, DOWN, child_at(rank, bit, size), bit, data, bytes);
}

void comm_broadcast(const struct pe_group *group, void *data, size_t bytes)
{
    begin_collective(group, "broadcast", bytes);
    hand_down(group, data, bytes);
}

/* Reduces towards rank 0 by combine(mine, other, n), then broadcasts. */
static void allreduce(const struct pe_group *group, void *values, size_t n,
                      void (*combine)(enum comm_operation, void *, const void *, size_t),
                      enum comm_operation op)
{
    int size = group->size, rank = pe_group_rank_of(group, comm_pe());
    size_t bytes = n * 8;
    begin_collective(group, "reduction", bytes);
    if (is_world(group)) {
        /* What was sent to the ports of a set must have arrived before another set uses them. */
        comm_quiet();
        comm.synchronized = true;
    }
    if (size == 1)
        return;
    uint64_t small[64];
    void *other = n <= 64 ? small : memory_zeroed(n, 8);
    FOR_CHILDREN(bit, child, rank, size)
    {
        transfer(group, UP, child, bit, other, bytes);
        combine(op, values, other, n);
    }
    if (other != small)
        free(other);
    if (rank > 0)
        transfer(group, UP, parent_of(rank), -1, values, bytes);
    hand_down(group, values, bytes);
}

static void combine_real(enum comm_operation op, void *mine, const void *other, size_t n)
{
    double *a = mine;
    const double *b = other;
    for (size_t i = 0; i < n; i++)
        switch (op) {
        case COMM_MAX:
            a[i] = fmax(a[i], b[i]);
            break;
        case COMM_MIN:
            a[i] = fmin(a[i], b[i]);
            break;
        case COMM_SUM:
            a[i] += b[i];
            break;
        case COMM_AND:
            a[i] = a[i] != 0 && b[i] != 0;
            break;
        }
}

static void combine_int(enum comm_operation op, void *mine, const void *other, size_t n)
{
    int64_t *a = mine;
    const int64_t *b = other;
    for (size_t i = 0; i < n; i++)
        switch (op) {
        case COMM_MAX:
            a[i] = a[i] > b[i] ? a[i] : b[i];
            break;
        case COMM_MIN:
            a[i] = a[i] < b[i] ? a[i] : b[i];
            break;
        case COMM_SUM:
            a[i] += b[i];
            break;
        case COMM_AND:
            a[i] &= b[i];
            break;
        }
}

void comm_allreduce(const struct pe_group *group, enum comm_operation op, double *values, size_t n)
{
    allreduce(group, values, n, combine_real, op);
}

void comm_allreduce_int(const struct pe_group *group, enum comm_operation op, int64_t *values,
                        size_t n)
{
    allreduce(group, values, n, combine_int, op);
}

void comm_barrier(const struct pe_group *group)
{
    allreduce(group, NULL, 0, combine_int, COMM_MAX);
}

void comm_gather(const struct pe_group *group, const void *mine, size_t bytes, void *all)
{
    int size = group->size, rank = pe_group_rank_of(group, comm_pe());
    begin_collective(group, "gather", bytes);
    /* Ranks rank ... rank + below - 1 are in this PE's subtree. */
    int64_t below = rank == 0 ? size : (int64_t)1 << lowest_bit(rank);
    if (below > size - rank)
        below = size - rank;
    char *collected = rank == 0 ? all : memory_zeroed((size_t)below, bytes ? bytes : 1);
    if (bytes)
        memcpy(collected, mine, bytes);
    FOR_CHILDREN(bit, child, rank, size)
    {
        int64_t count = (int64_t)1 << bit;
        if (count > size - child)
            count = size - child;
        transfer(group, UP, child, bit, collected + (size_t)(child - rank) * bytes,
                 (size_t)count * bytes);
    }
    if (rank > 0) {
        transfer(group, UP, parent_of(rank), -1, collected, (size_t)below * bytes);
        free(collected);
    }
}

void comm_dissemination_barrier(const struct pe_group *group)
{
    struct counters *counters = is_world(group) ? &comm.world_counters : &comm.set_counters;
    int size = group->size, rank = pe_group_rank_of(group, comm_pe());
    int64_t number = counters->base + ++counters->dissemination;
    begin_collective(group, "dissemination", 0);
    for (int round = 0; (int64_t)1 << round < size; round++) {
        int distance = 1 << round;
        count_message(group, sizeof number);
        link_signal(pe_group_member(group, (rank + distance) % size), is_world(group), round,
                    number);
        link_await_signal(pe_group_member(group, (rank - distance + size) % size), is_world(group),
                          round, number);
    }
}

void comm_scan(const struct pe_group *group, void *value, size_t bytes,
               void (*combine)(void *left, const void *right))
{
    int size = group->size, rank = pe_group_rank_of(group, comm_pe());
    begin_collective(group, "scan", bytes);
    /* Sums of the subtrees below the children, then prefixes on the way down. */
    char *below = memory_zeroed(LINK_CHILDREN, bytes), *sum = memory_zeroed(1, bytes);
    memcpy(sum, value, bytes);
    int children = 0;
    FOR_CHILDREN(bit, child, rank, size)
    {
        transfer(group, UP, child, bit, below + (size_t)bit * bytes, bytes);
        combine(sum, below + (size_t)bit * bytes);
        children++;
    }
    if (rank > 0) {
        char *own = memory_zeroed(1, bytes);
        memcpy(own, value, bytes);
        transfer(group, UP, parent_of(rank), -1, sum, bytes);
        transfer(group, DOWN, parent_of(rank), -1, value, bytes); /* of all ranks before this one */
        combine(value, own);
        free(own);
    }
    /* A child's subtree begins after this rank and the children with smaller bits. */
    memcpy(sum, value, bytes);
    for (int bit = 0; bit < children; bit++) {
        transfer(group, DOWN, child_at(rank, bit, size), bit, sum, bytes);
        combine(sum, below + (size_t)bit * bytes);
    }
    free(sum);
    free(below);
}

void comm_enter(const struct pe_group *group)
{
    if (!comm.synchronized)
        comm_barrier(&comm.world);
    if (is_world(group))
        return;
    comm.synchronized = false;
    memset(&comm.set_counters, 0, sizeof comm.set_counters);
    comm.set_counters.base = ++comm.epoch << 32;
}

static void direct(int peer, bool sending, void *data, size_t bytes)
{
    struct link_end end = {true, LINK_DIRECT, LINK_DIRECT, 0};
    for (size_t done = 0; done < bytes; done += LINK_CHUNK) {
        size_t chunk = bytes - done < LINK_CHUNK ? bytes - done : LINK_CHUNK;
        if (sending)
            link_send(peer, &end, false, (char *)data + done, chunk);
        else
            link_receive(peer, &end, (char *)data + done, chunk);
    }
}

/* If the library stores an acknowledgment a second time, later (comm_shmem.c), the next message can
 * overwrite one that is being read. Therefore a message with a wrong checksum is sent again. */
void comm_send(int to_pe, const void *data, size_t bytes)
{
    uint64_t hash = hash_bytes(HASH_EMPTY, data, bytes);
    for (int64_t intact = bytes == 0; !intact;) {
        direct(to_pe, true, (void *)(uintptr_t)data, bytes);
        direct(to_pe, true, &hash, sizeof hash);
        direct(to_pe, false, &intact, sizeof intact);
    }
}

void comm_receive(int from_pe, void *data, size_t bytes)
{
    for (int64_t intact = bytes == 0; !intact;) {
        uint64_t hash;
        direct(from_pe, false, data, bytes);
        direct(from_pe, false, &hash, sizeof hash);
        intact = hash_bytes(HASH_EMPTY, data, bytes) == hash;
        if (!intact)
            fprintf(stderr,
                    "skampi: warning: a message of %zu bytes from PE %d arrived damaged and is "
                    "sent again\n",
                    bytes, from_pe);
        direct(from_pe, true, &intact, sizeof intact);
    }
}
