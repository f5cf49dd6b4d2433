/* Which PE is on which node, and on which processors. */
#define _GNU_SOURCE /* gethostname, sched_getaffinity */
#include "comm/parts.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/memory.h"
#include "comm/comm.h"

#define HOST_NAME 64
#define BOOT_ID "/proc/sys/kernel/random/boot_id"

struct whereabouts {
    uint64_t host; /* hash of the host's name and of its kernel's identity */
    int32_t first_cpu, cpus;
};

/* What PE 0 tells all others; they keep nothing for each PE if it is regular. */
struct layout {
    int32_t nodes;
    int32_t block; /* of PEs in a row that fill a node; 1: one by one on the nodes in turn; 0:
                      irregular */
    int32_t bound; /* PEs that have one processor only */
    struct whereabouts first; /* PE 0 */
};

static struct {
    struct layout layout;
    int *node_of; /* by PE, where it is irregular */
    struct pe_group own, leaders;
    int *own_pes, *leader_pes, *sizes; /* sizes: of the nodes; all where it is irregular */
    struct whereabouts *here;          /* by rank in the own node */
    struct whereabouts *where;         /* by PE; on PE 0 */
    char (*names)[HOST_NAME];          /* by node; on PE 0 */
    bool sharing;                      /* processors are shared on this PE's node */
    bool any_sharing;                  /* on some node */
} nodes;

/* Identify a node by its name and its kernel: several nodes may have one name, and one kernel may
 * run several hosts with different names. */
static uint64_t identify_host(const char *name)
{
    char boot[64];
    process_read_line(BOOT_ID, boot, sizeof boot);
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

/* ---- On PE 0 ---- */

static int compare_hosts(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    uint64_t hx = nodes.where[x].host, hy = nodes.where[y].host;
    if (hx != hy)
        return hx < hy ? -1 : 1;
    return (x > y) - (x < y);
}

/* Numbers the nodes in the order of their lowest PE. O(n log n), at start-up only. */
static void number_nodes(int *node_of)
{
    int n = comm_pes();
    int *order = memory_zeroed((size_t)n, sizeof *order);
    int *lowest = memory_zeroed((size_t)n, sizeof *lowest);
    for (int i = 0; i < n; i++)
        order[i] = i;
    qsort(order, (size_t)n, sizeof *order, compare_hosts);
    for (int i = 0; i < n; i++) {
        bool same = i > 0 && nodes.where[order[i]].host == nodes.where[order[i - 1]].host;
        lowest[order[i]] = same ? lowest[order[i - 1]] : order[i];
    }
    for (int pe = 0; pe < n; pe++)
        node_of[pe] = lowest[pe] == pe ? nodes.layout.nodes++ : node_of[lowest[pe]];
    free(lowest);
    free(order);
}

static void describe_layout(const int *node_of)
{
    struct layout *layout = &nodes.layout;
    int n = comm_pes(), block = 1;
    while (block < n && node_of[block] == 0)
        block++;
    layout->block = block == 1 || (int64_t)block * layout->nodes >= n ? block : 0;
    layout->first = nodes.where[0];
    for (int pe = 0; pe < n; pe++) {
        layout->bound += nodes.where[pe].cpus == 1;
        if (node_of[pe] != pe / block % layout->nodes)
            layout->block = 0;
    }
}

/* ---- On all PEs ---- */

/* Where PEs lie irregularly: how many are on each node, and the groups, whose members are kept. */
static void list_groups(void)
{
    int n = comm_pes(), own = nodes.node_of[comm_pe()], count = 0, found = 0;
    size_t listed = (size_t)nodes.layout.nodes;
    int *leaders = nodes.leader_pes = memory_zeroed(listed, sizeof *leaders);
    nodes.sizes = memory_zeroed(listed, sizeof *nodes.sizes);
    for (int pe = 0; pe < n; pe++)
        if (nodes.sizes[nodes.node_of[pe]]++ == 0)
            leaders[found++] = pe;
    int *members = nodes.own_pes = memory_zeroed((size_t)nodes.sizes[own], sizeof *members);
    for (int pe = 0; pe < n; pe++)
        if (nodes.node_of[pe] == own)
            members[count++] = pe;
    nodes.own = pe_group_listed(members, count);
    nodes.leaders = pe_group_listed(leaders, found);
}

static void make_groups(void)
{
    int block = nodes.layout.block, count = nodes.layout.nodes, own = comm_node_of(comm_pe());
    if (nodes.node_of) {
        list_groups();
        return;
    }
    nodes.own = pe_group_strided(own * block, block == 1 ? count : 1, comm_node_size(own));
    nodes.leaders = pe_group_strided(0, block, count);
}

/* PEs share processors if there are more PEs than processors on which one of them may run, or if
 * two PEs are bound to one processor. */
static bool node_shares(void)
{
    int widest = 0, members = nodes.own.size;
    for (int i = 0; i < members; i++)
        if (nodes.here[i].cpus > widest)
            widest = nodes.here[i].cpus;
    if (members > sysconf(_SC_NPROCESSORS_ONLN))
        return true;
    if (widest > 1)
        return members > widest;
    cpu_set_t seen;
    CPU_ZERO(&seen);
    for (int i = 0; i < members; i++) {
        int cpu = nodes.here[i].first_cpu;
        if (cpu < 0)
            continue;
        if (CPU_ISSET(cpu, &seen))
            return true;
        CPU_SET(cpu, &seen);
    }
    return false;
}

static void gather_names(const char *name)
{
    comm_enter(&nodes.leaders);
    if (pe_group_rank_of(&nodes.leaders, comm_pe()) < 0)
        return;
    if (comm_pe() == 0)
        nodes.names = memory_zeroed((size_t)nodes.layout.nodes, HOST_NAME);
    comm_gather(&nodes.leaders, name, HOST_NAME, nodes.names);
}

/* The layout: known to PE 0, then to all. */
static void share_layout(const struct whereabouts *own)
{
    size_t n = (size_t)comm_pes();
    int *node_of = NULL;
    if (comm_pe() == 0) {
        nodes.where = memory_zeroed(n, sizeof *nodes.where);
        node_of = memory_zeroed(n, sizeof *node_of);
    }
    comm_gather(comm_world(), own, sizeof *own, nodes.where);
    if (comm_pe() == 0) {
        number_nodes(node_of);
        describe_layout(node_of);
    }
    comm_broadcast(comm_world(), &nodes.layout, sizeof nodes.layout);
    if (nodes.layout.block > 0) {
        free(node_of);
        return;
    }
    nodes.node_of = node_of ? node_of : memory_zeroed(n, sizeof *node_of);
    comm_broadcast(comm_world(), nodes.node_of, n * sizeof *node_of);
}

void nodes_find(void)
{
    char name[HOST_NAME];
    struct whereabouts own = own_whereabouts(name);
    memset(&nodes, 0, sizeof nodes);
    share_layout(&own);
    make_groups();
    size_t here = (size_t)nodes.own.size;
    nodes.here = memory_zeroed(here, sizeof *nodes.here);
    comm_enter(&nodes.own);
    comm_gather(&nodes.own, &own, sizeof own, nodes.here);
    comm_broadcast(&nodes.own, nodes.here, here * sizeof *nodes.here);
    nodes.sharing = node_shares();
    yield_enable(nodes.sharing);
    int64_t any = nodes.sharing;
    comm_allreduce_int(comm_world(), COMM_MAX, &any, 1);
    nodes.any_sharing = any;
    gather_names(name);
}

void nodes_forget(void)
{
    free(nodes.node_of);
    free(nodes.own_pes);
    free(nodes.leader_pes);
    free(nodes.sizes);
    free(nodes.here);
    free(nodes.where);
    free(nodes.names);
}

/* ---- Asked later ---- */

int comm_node_count(void)
{
    return nodes.layout.nodes;
}

int comm_node_of(int pe)
{
    return nodes.node_of ? nodes.node_of[pe] : pe / nodes.layout.block % nodes.layout.nodes;
}

const struct pe_group *comm_own_node(void)
{
    return &nodes.own;
}

const struct pe_group *comm_node_leaders(void)
{
    return &nodes.leaders;
}

const char *comm_node_name(int node)
{
    return nodes.names ? nodes.names[node] : "";
}

int comm_node_size(int node)
{
    int n = comm_pes(), block = nodes.layout.block, count = nodes.layout.nodes;
    if (nodes.node_of)
        return nodes.sizes[node];
    if (block == 1)
        return n / count + (node < n % count);
    return node < count - 1 ? block : n - node * block;
}

bool comm_oversubscribed(void)
{
    return nodes.sharing;
}

bool comm_oversubscribed_anywhere(void)
{
    return nodes.any_sharing;
}

int comm_bound_pes(void)
{
    return nodes.layout.bound;
}

int comm_cpus_of(int pe, int *first_cpu)
{
    int rank = nodes.where || pe == 0 ? -1 : pe_group_rank_of(&nodes.own, pe);
    const struct whereabouts *where = nodes.where ? &nodes.where[pe]
                                      : pe == 0   ? &nodes.layout.first
                                                  : &nodes.here[rank];
    *first_cpu = where->first_cpu;
    return where->cpus;
}
