/* Trees over links. Ranks of a group form a binomial tree: the parent of rank r is r without its
 * lowest set bit, so that the ranks below r are contiguous. */
#define _GNU_SOURCE /* gethostname, sched_getaffinity */
#include "comm/comm.h"

#include <math.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#if SKAMPI_MPI
#include <mpi.h>
#endif

#include "base/hash.h"
#include "base/memory.h"
#include "comm/link.h"
#include "comm/shared_words.h"
#include "crash/board.h"
#include "crash/last_words.h"
#include "crash/tally.h"

#define HOST_NAME 64
#define BOOT_ID "/proc/sys/kernel/random/boot_id"
#define STATUS_INTERNAL 1
#define STATUS_REFUSED 2
/* Seconds that a PE waits for PE 0 to find the same error, and to end the job. */
#define REPORT_GRACE 1
/* Seconds that PE 0 waits for others that finish the library later. */
#define LONGEST_FAREWELL 5.0

struct whereabouts {
    uint64_t host; /* hash of the host's name and of its kernel's identity */
    int32_t first_cpu, cpus;
};

struct node {
    uint64_t host;
    int leader, size;
    bool oversubscribed;
    char name[HOST_NAME]; /* on PE 0 */
};

/* Message numbers of the links of one tree: of each child and of the parent, in both directions. */
struct counters {
    int64_t base;
    int64_t up[LINK_CHILDREN + 1], down[LINK_CHILDREN + 1];
    int64_t dissemination;
};

/* The library's state is one per process; so is this. */
static struct {
    struct pe_group world;
    struct library_start start;
    struct counters world_counters, set_counters;
    int64_t epoch;
    struct comm_shared shared;
    bool synchronized; /* all PEs have been since the last comm_enter() */
    int *node_of;      /* by PE */
    struct node *nodes;
    int node_count;
    struct whereabouts *where; /* by PE */
    struct tally_offer *words; /* by PE: where others find its words; NULL: nobody asks for them */
    bool sharing;              /* processors are shared on this PE's node */
    bool any_sharing;          /* on some node */
} comm;

static void *allocate(size_t count, size_t size)
{
    return memory_zeroed(count, size);
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

static void count_collective(const struct pe_group *group)
{
    comm.shared.collectives += is_world(group);
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

    comm.shared.messages += is_world(group) && sending;
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
    count_collective(group);
    hand_down(group, data, bytes);
}

/* Reduces towards rank 0 by combine(mine, other, n), then broadcasts. */
static void allreduce(const struct pe_group *group, void *values, size_t n,
                      void (*combine)(enum comm_operation, void *, const void *, size_t),
                      enum comm_operation op)
{
    int size = group->size, rank = pe_group_rank_of(group, comm_pe());
    size_t bytes = n * 8;
    count_collective(group);
    if (is_world(group)) {
        /* What was sent to the ports of a set must have arrived before another set uses them. */
        comm_quiet();
        comm.synchronized = true;
    }
    if (size == 1)
        return;
    uint64_t small[64];
    void *other = n <= 64 ? small : allocate(n, 8);
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
    count_collective(group);
    /* Ranks rank ... rank + below - 1 are in this PE's subtree. */
    int64_t below = rank == 0 ? size : (int64_t)1 << lowest_bit(rank);
    if (below > size - rank)
        below = size - rank;
    char *collected = rank == 0 ? all : allocate((size_t)below, bytes ? bytes : 1);
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
    count_collective(group);
    for (int round = 0; (int64_t)1 << round < size; round++) {
        int distance = 1 << round;
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
    count_collective(group);
    /* Sums of the subtrees below the children, then prefixes on the way down. */
    char *below = allocate(LINK_CHILDREN, bytes), *sum = allocate(1, bytes);
    memcpy(sum, value, bytes);
    int children = 0;
    FOR_CHILDREN(bit, child, rank, size)
    {
        transfer(group, UP, child, bit, below + (size_t)bit * bytes, bytes);
        combine(sum, below + (size_t)bit * bytes);
        children++;
    }
    if (rank > 0) {
        char *own = allocate(1, bytes);
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

/* The words of a PE that shares plain memory with this one, or NULL. */
static struct shared_words *words_of(int pe)
{
    bool near = comm.words && comm.node_of[pe] == comm.node_of[comm_pe()];
    return near ? shared_words_of(pe, &comm.words[pe]) : NULL;
}

/* The first word says whether its sender can reach the other's memory. */
bool comm_hand_over_begin(int partner, int lane)
{
    int64_t mine = words_of(partner) ? HAND_OVER_SHARED : HAND_OVER_APART;
    int64_t theirs = link_hand_over_begin(partner, lane, mine);
    return mine == HAND_OVER_SHARED && theirs == HAND_OVER_SHARED;
}

void comm_hand_over(int partner, int lane, bool shared, long from, int trips)
{
    if (shared)
        shared_words_trips(words_of(partner), lane, from, trips);
    else
        link_hand_over(partner, lane, from, trips);
}

void comm_hand_over_stop(int partner, int lane, bool shared)
{
    if (shared)
        shared_words_stop(words_of(partner), lane);
    else
        link_hand_over_stop(partner, lane);
}

void comm_hand_over_echo(int partner, int lane)
{
    struct shared_words *words = words_of(partner);
    int64_t mine = words ? HAND_OVER_SHARED : HAND_OVER_APART;
    int64_t theirs = link_hand_over_echo(partner, lane, mine);
    if (words && theirs == HAND_OVER_SHARED)
        shared_words_echo(words, lane);
}

const char *comm_heap_variable(void)
{
    if (strstr(comm_library(), "Open MPI"))
        return "SHMEM_SYMMETRIC_HEAP_SIZE or SMA_SYMMETRIC_SIZE";
    return "SHMEM_SYMMETRIC_SIZE";
}

#if SKAMPI_MPI
double comm_wtime(void)
{
    return MPI_Wtime();
}

const char *comm_mpi_unusable(void)
{
    int initialized, finalized;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    return initialized && !finalized ? NULL : "MPI is not started: use a launcher";
}

void *comm_mpi_allocate(size_t bytes)
{
    void *memory;
    return MPI_Alloc_mem((MPI_Aint)bytes, MPI_INFO_NULL, &memory) == MPI_SUCCESS ? memory : NULL;
}

void comm_mpi_free(void *memory)
{
    if (memory)
        MPI_Free_mem(memory);
}
#else
double comm_wtime(void)
{
    return 0;
}

const char *comm_mpi_unusable(void)
{
    return "built without MPI";
}

void *comm_mpi_allocate(size_t bytes)
{
    (void)bytes;
    return NULL;
}

void comm_mpi_free(void *memory)
{
    (void)memory;
}
#endif

/* ---- Where the PEs are ---- */

/* Identify a node by its name and its kernel: several nodes may have one name, and one kernel may
 * run several hosts with different names. */
static uint64_t identify_host(const char *name)
{
    char boot[64] = "";
    FILE *file = fopen(BOOT_ID, "r");
    if (file) {
        if (!fgets(boot, sizeof boot, file))
            boot[0] = '\0';
        fclose(file);
    }
    return hash_bytes(hash_text(name), boot, strlen(boot));
}

static struct whereabouts own_whereabouts(char *name)
{
    struct whereabouts here = {0, -1, 0};
    if (gethostname(name, HOST_NAME) != 0)
        strcpy(name, "unknown");
    name[HOST_NAME - 1] = '\0';
    here.host = identify_host(name);
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) {
        here.cpus = CPU_COUNT(&set);
        for (int i = 0; i < CPU_SETSIZE && here.first_cpu < 0; i++)
            if (CPU_ISSET(i, &set))
                here.first_cpu = i;
    }
    return here;
}

static const struct whereabouts *sorted_where; /* qsort() passes no context */

static int compare_hosts(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    uint64_t hx = sorted_where[x].host, hy = sorted_where[y].host;
    if (hx != hy)
        return hx < hy ? -1 : 1;
    return (x > y) - (x < y);
}

/* Numbers the nodes in the order of their lowest PE. O(n log n) on each PE, at start-up only. */
static void number_nodes(void)
{
    int n = comm_pes();
    int *order = allocate((size_t)n, sizeof *order), *lowest = allocate((size_t)n, sizeof *lowest);
    for (int i = 0; i < n; i++)
        order[i] = i;
    sorted_where = comm.where;
    qsort(order, (size_t)n, sizeof *order, compare_hosts);
    for (int i = 0; i < n; i++) {
        bool same = i > 0 && comm.where[order[i]].host == comm.where[order[i - 1]].host;
        lowest[order[i]] = same ? lowest[order[i - 1]] : order[i];
    }
    comm.node_of = allocate((size_t)n, sizeof *comm.node_of);
    for (int pe = 0; pe < n; pe++)
        comm.node_of[pe] = lowest[pe] == pe ? comm.node_count++ : comm.node_of[lowest[pe]];
    comm.nodes = allocate((size_t)comm.node_count, sizeof *comm.nodes);
    for (int pe = 0; pe < n; pe++) {
        struct node *node = &comm.nodes[comm.node_of[pe]];
        if (node->size++ == 0) {
            node->leader = pe;
            node->host = comm.where[pe].host;
        }
    }
    free(lowest);
    free(order);
}

/* PEs share processors if there are more PEs than processors on which one of them may run, or if
 * two PEs are bound to one processor. */
static bool node_shares(int node)
{
    int n = comm_pes();
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    int widest = 0, members = comm.nodes[node].size;
    for (int pe = 0; pe < n; pe++)
        if (comm.node_of[pe] == node && comm.where[pe].cpus > widest)
            widest = comm.where[pe].cpus;
    if (members > online)
        return true;
    if (widest > 1)
        return members > widest;
    cpu_set_t seen;
    CPU_ZERO(&seen);
    for (int pe = 0; pe < n; pe++) {
        if (comm.node_of[pe] != node || comm.where[pe].first_cpu < 0)
            continue;
        if (CPU_ISSET(comm.where[pe].first_cpu, &seen))
            return true;
        CPU_SET(comm.where[pe].first_cpu, &seen);
    }
    return false;
}

static void gather_names(const char *name)
{
    int *leaders = allocate((size_t)comm.node_count, sizeof *leaders);
    for (int i = 0; i < comm.node_count; i++)
        leaders[i] = comm.nodes[i].leader;
    struct pe_group group = pe_group_listed(leaders, comm.node_count);
    comm_enter(&group);
    if (pe_group_rank_of(&group, comm_pe()) >= 0) {
        char *all = allocate((size_t)comm.node_count, HOST_NAME);
        comm_gather(&group, name, HOST_NAME, all);
        for (int i = 0; comm_pe() == 0 && i < comm.node_count; i++)
            memcpy(comm.nodes[i].name, all + (size_t)i * HOST_NAME, HOST_NAME);
        free(all);
    }
    free(leaders);
}

static void look_around(void)
{
    int n = comm_pes();
    comm.world = pe_group_strided(0, 1, n);
    char name[HOST_NAME];
    struct whereabouts here = own_whereabouts(name);
    comm.where = allocate((size_t)n, sizeof *comm.where);
    comm_gather(&comm.world, &here, sizeof here, comm.where);
    comm_broadcast(&comm.world, comm.where, (size_t)n * sizeof *comm.where);
    number_nodes();
    comm.sharing = node_shares(comm.node_of[comm_pe()]);
    yield_enable(comm.sharing);
    int64_t any = comm.sharing;
    comm_allreduce_int(&comm.world, COMM_MAX, &any, 1);
    comm.any_sharing = any;
    gather_names(name);
}

/* Gives each PE of PE 0's node a place on its board. */
static void join_board(void)
{
    struct tally_offer offer = {0, -1};
    int pe = comm_pe(), place = 0;
    size_t n = (size_t)comm.nodes[comm.node_of[0]].size;
    if (pe == 0)
        board_create(n, &offer);
    comm_broadcast(&comm.world, &offer, sizeof offer);
    for (int i = 0; i < pe; i++)
        place += comm.node_of[i] == comm.node_of[0];
    if (comm.node_of[pe] == comm.node_of[0])
        board_join(&offer, n, place, pe);
}

/* Tells PEs of other nodes where to send their last words. */
static void agree_on_last_words(void)
{
    struct last_words_place place;
    int pe = comm_pe();
    if (comm.node_count == 1)
        return;
    if (pe == 0)
        last_words_listen(&place);
    comm_broadcast(&comm.world, &place, sizeof place);
    if (comm.node_of[pe] != comm.node_of[0])
        last_words_know(&place, pe);
}

/* Tells the PEs of each node where to find the shared words of the others. */
static void offer_words(void)
{
    struct tally_offer own;
    size_t n = (size_t)comm_pes();
    shared_words_offer(&own);
    comm.words = allocate(n, sizeof *comm.words);
    comm_gather(&comm.world, &own, sizeof own, comm.words);
    comm_broadcast(&comm.world, comm.words, n * sizeof *comm.words);
}

/* Ends the program with an error before PEs can exchange anything. */
static _Noreturn void refuse_start(int status, const char *format, ...)
{
    va_list arguments;
    if (comm_pe() != 0)
        sleep(REPORT_GRACE);
    fputs("skampi: error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    comm_abort(status);
}

static bool numbers_make_sense(void)
{
    return comm_pe() >= 0 && comm_pe() < comm_pes();
}

void comm_start(int *argc, char ***argv)
{
    size_t lacking = link_start(argc, argv, &comm.start);
    if (!numbers_make_sense())
        refuse_start(STATUS_INTERNAL,
                     "the library says that this is PE %d of %d: it is damaged, or the launcher is "
                     "that of another library",
                     comm_pe(), comm_pes());
    if (lacking)
        refuse_start(STATUS_REFUSED,
                     "PE %d has no room for skampi itself in its symmetric heap (%zu bytes): make "
                     "the heap larger (%s)",
                     comm_pe(), lacking, comm_heap_variable());
    process_enter("the first exchange between the PEs");
    look_around();
    join_board();
    offer_words();
    agree_on_last_words();
    process_enter(NULL);
}

bool comm_attach(void)
{
    if (!numbers_make_sense() || !link_attach())
        return false;
    memset(&comm, 0, sizeof comm);
    look_around();
    return true;
}

const struct library_start *comm_start_cost(void)
{
    return &comm.start;
}

static void look_away(void)
{
    comm_quiet();
    comm_barrier(&comm.world);
    free(comm.node_of);
    free(comm.nodes);
    free(comm.where);
    free(comm.words);
    shared_words_forget();
}

void comm_detach(void)
{
    look_away();
    link_detach();
}

static double finish(void)
{
    look_away();
    double seconds = link_finish();
    last_words_close();
    return seconds;
}

void comm_finish(void)
{
    finish();
}

/* Only PE 0's node is reported: without the library, PE 0 hears nothing of other nodes. */
const double *comm_finish_timed(int *count)
{
    struct tally_offer offer = {0, -1};
    int pe = comm_pe(), place = 0;
    bool here = comm.node_of[pe] == comm.node_of[0];
    *count = comm.nodes[comm.node_of[0]].size;
    size_t n = (size_t)*count;
    double *tally = pe == 0 ? tally_create(n, &offer) : NULL;
    comm_broadcast(&comm.world, &offer, sizeof offer);
    if (pe != 0 && here)
        tally = tally_join(&offer, n);
    for (int i = 0; i < pe; i++)
        place += comm.node_of[i] == comm.node_of[0];
    int64_t reporting = here && tally;
    comm_allreduce_int(&comm.world, COMM_SUM, &reporting, 1);
    double seconds = finish();
    if (tally)
        tally[place] = seconds;
    if (pe != 0)
        return NULL;
    if (tally) {
        tally_wait(tally, n, (size_t)reporting, LONGEST_FAREWELL);
        return tally;
    }
    static double own;
    own = seconds;
    *count = 1;
    return &own;
}

int comm_node_count(void)
{
    return comm.node_count;
}

int comm_node_of(int pe)
{
    return comm.node_of[pe];
}

int comm_node_leader(int node)
{
    return comm.nodes[node].leader;
}

const char *comm_node_name(int node)
{
    return comm.nodes[node].name;
}

int comm_node_size(int node)
{
    return comm.nodes[node].size;
}

bool comm_oversubscribed(void)
{
    return comm.sharing;
}

bool comm_oversubscribed_anywhere(void)
{
    return comm.any_sharing;
}

int comm_cpus_of(int pe, int *first_cpu)
{
    *first_cpu = comm.where[pe].first_cpu;
    return comm.where[pe].cpus;
}
