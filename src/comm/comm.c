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

void comm_tell(void)
{
    comm.telling = true;
}

/* What a collective of a group is on this PE. */
struct tree {
    const struct pe_group *group;
    bool world;
    struct counters *counters;
    int rank, size;
    int children; /* their bits are 0, 1, ..., from the smallest subtree to the largest */
};

/* bytes: of each member. */
static struct tree begin_collective(const struct pe_group *group, const char *what, size_t bytes)
{
    bool world = group == &comm.world;
    struct tree tree = {.group = group,
                        .world = world,
                        .counters = world ? &comm.world_counters : &comm.set_counters,
                        .rank = pe_group_rank_of(group, comm_pe()),
                        .size = group->size};
    int most = tree.rank == 0 ? LINK_CHILDREN - 1 : __builtin_ctz((unsigned)tree.rank);
    while (tree.children < most && tree.rank + ((int64_t)1 << tree.children) < tree.size)
        tree.children++;
    comm.shared.collectives += world;
    if (comm.telling && comm_pe() == 0)
        fprintf(stderr, "collective: %s of %zu bytes, %s%d PEs\n", what, bytes, world ? "all " : "",
                group->size);
    return tree;
}

/* ---- One message between tree neighbours, in chunks ---- */

enum direction { UP, DOWN };

#define PARENT (-1)

/* Sends or receives a message. neighbour: the bit of a child, or PARENT. A parent knows a child by
 * the lowest set bit of its rank. */
static void transfer(const struct tree *tree, enum direction direction, int neighbour, void *data,
                     size_t bytes)
{
    int rank = tree->rank, port = neighbour == PARENT ? LINK_PARENT : neighbour;
    int bit = neighbour == PARENT ? __builtin_ctz((unsigned)rank) : neighbour;
    int peer = pe_group_member(tree->group,
                               neighbour == PARENT ? rank & (rank - 1) : rank + (1 << neighbour));
    int64_t *number = direction == UP ? &tree->counters->up[port] : &tree->counters->down[port];
    bool sending = (direction == UP) == (neighbour == PARENT);
    if (sending) {
        comm.shared.world_messages += tree->world;
        comm.shared.messages++;
        comm.shared.bytes += (int64_t)bytes;
    }
    struct link_end end = {tree->world, direction == UP ? bit : LINK_PARENT,
                           direction == UP ? LINK_PARENT : bit, 0};
    size_t done = 0;
    do {
        size_t chunk = bytes - done < LINK_CHUNK ? bytes - done : LINK_CHUNK;
        end.number = tree->counters->base + ++*number;
        if (sending)
            link_send(peer, &end, *number == 1, (char *)data + done, chunk);
        else
            link_receive(peer, &end, (char *)data + done, chunk);
        done += chunk;
    } while (done < bytes);
}

/* To the largest subtree first, since its path is the longest. */
static void hand_down(const struct tree *tree, void *data, size_t bytes)
{
    if (tree->rank > 0)
        transfer(tree, DOWN, PARENT, data, bytes);
    for (int bit = tree->children - 1; bit >= 0; bit--)
        transfer(tree, DOWN, bit, data, bytes);
}

void comm_broadcast(const struct pe_group *group, void *data, size_t bytes)
{
    struct tree tree = begin_collective(group, "broadcast", bytes);
    hand_down(&tree, data, bytes);
}

/* Reduces towards rank 0 by combine(mine, other, n), then broadcasts. */
static void allreduce(const struct pe_group *group, void *values, size_t n,
                      void (*combine)(enum comm_operation, void *, const void *, size_t),
                      enum comm_operation op)
{
    size_t bytes = n * 8;
    struct tree tree = begin_collective(group, "reduction", bytes);
    if (tree.world) {
        /* What was sent to the ports of a set must have arrived before another set uses them. */
        comm_quiet();
        comm.synchronized = true;
    }
    if (tree.size == 1)
        return;
    uint64_t small[64];
    void *other = n <= 64 ? small : memory_zeroed(n, 8);
    for (int bit = 0; bit < tree.children; bit++) {
        transfer(&tree, UP, bit, other, bytes);
        combine(op, values, other, n);
    }
    if (other != small)
        free(other);
    if (tree.rank > 0)
        transfer(&tree, UP, PARENT, values, bytes);
    hand_down(&tree, values, bytes);
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
    struct tree tree = begin_collective(group, "gather", bytes);
    int size = tree.size, rank = tree.rank;
    /* Ranks rank ... rank + below - 1 are in this PE's subtree. */
    int below = rank == 0 || size - rank < (rank & -rank) ? size - rank : rank & -rank;
    char *collected = rank == 0 ? all : memory_zeroed((size_t)below, bytes ? bytes : 1);
    if (bytes)
        memcpy(collected, mine, bytes);
    for (int bit = 0; bit < tree.children; bit++) {
        int first = 1 << bit, count = below - first < first ? below - first : first;
        transfer(&tree, UP, bit, collected + (size_t)first * bytes, (size_t)count * bytes);
    }
    if (rank > 0) {
        transfer(&tree, UP, PARENT, collected, (size_t)below * bytes);
        free(collected);
    }
}

void comm_dissemination_barrier(const struct pe_group *group)
{
    struct tree tree = begin_collective(group, "dissemination", 0);
    int64_t number = tree.counters->base + ++tree.counters->dissemination;
    int round = 0;
    for (; (int64_t)1 << round < tree.size; round++) {
        int distance = 1 << round;
        link_signal(pe_group_member(group, (tree.rank + distance) % tree.size), tree.world, round,
                    number);
        link_await_signal(pe_group_member(group, (tree.rank - distance + tree.size) % tree.size),
                          tree.world, round, number);
    }
    comm.shared.world_messages += tree.world ? round : 0;
    comm.shared.messages += round;
    comm.shared.bytes += round * (int64_t)sizeof number;
}

void comm_scan(const struct pe_group *group, void *value, size_t bytes,
               void (*combine)(void *left, const void *right))
{
    struct tree tree = begin_collective(group, "scan", bytes);
    /* Sums of the subtrees below the children, then prefixes on the way down. */
    char *below = memory_zeroed(LINK_CHILDREN, bytes), *sum = memory_zeroed(1, bytes);
    memcpy(sum, value, bytes);
    for (int bit = 0; bit < tree.children; bit++) {
        transfer(&tree, UP, bit, below + (size_t)bit * bytes, bytes);
        combine(sum, below + (size_t)bit * bytes);
    }
    if (tree.rank > 0) {
        char *own = memory_zeroed(1, bytes);
        memcpy(own, value, bytes);
        transfer(&tree, UP, PARENT, sum, bytes);
        transfer(&tree, DOWN, PARENT, value, bytes); /* of all ranks before this one */
        combine(value, own);
        free(own);
    }
    /* A child's subtree begins after this rank and the children with smaller bits. */
    memcpy(sum, value, bytes);
    for (int bit = 0; bit < tree.children; bit++) {
        transfer(&tree, DOWN, bit, sum, bytes);
        combine(sum, below + (size_t)bit * bytes);
    }
    free(sum);
    free(below);
}

void comm_enter(const struct pe_group *group)
{
    if (!comm.synchronized)
        comm_barrier(&comm.world);
    if (group == &comm.world)
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
