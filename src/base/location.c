/* Asks the kernel and hwloc where PEs run, and groups PEs by what they share. */
#define _GNU_SOURCE /* sched_getaffinity, sched_getcpu */
#include "base/location.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"

#if SKAMPI_HWLOC
#include <hwloc.h>
#endif

void location_of_self(struct location_pe *pe)
{
    cpu_set_t set;
    *pe = (struct location_pe){.ran_on = LOCATION_UNKNOWN};
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return;
    for (int i = 0; i < CPU_SETSIZE && i < LOCATION_PROCESSORS; i++)
        if (CPU_ISSET(i, &set))
            pe->may_use[i / 64] |= UINT64_C(1) << i % 64;
    pe->ran_on = sched_getcpu();
}

static bool is_usable(const struct location_pe *pe, int processor)
{
    return pe->may_use[processor / 64] >> processor % 64 & 1;
}

bool location_move(const struct location_pe *pe)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    for (int i = 0; i < CPU_SETSIZE && i < LOCATION_PROCESSORS; i++)
        if (is_usable(pe, i))
            CPU_SET(i, &set);
    bool moved = sched_setaffinity(0, sizeof set, &set) == 0;
    DIR *threads = opendir("/proc/self/task");
    for (struct dirent *entry; threads && (entry = readdir(threads));)
        if (entry->d_name[0] != '.')
            sched_setaffinity(atoi(entry->d_name), sizeof set, &set); /* one may have ended */
    if (threads)
        closedir(threads);
    return moved;
}

#if SKAMPI_HWLOC

/* The system numbers cores and caches within a package, if at all: a node has several of the same
 * number, so hwloc's own numbers tell them apart. */
static int number_of(hwloc_obj_t object, enum location_part part)
{
    bool by_system = part == LOCATION_PACKAGE || part == LOCATION_NUMA_NODE;
    return (int)(by_system && object->os_index != HWLOC_UNKNOWN_INDEX ? object->os_index
                                                                      : object->logical_index);
}

static void fill_parts(hwloc_topology_t topology, struct location_node *node)
{
    static const hwloc_obj_type_t types[LOCATION_PARTS] = {[LOCATION_PACKAGE] = HWLOC_OBJ_PACKAGE,
                                                           [LOCATION_NUMA_NODE] =
                                                               HWLOC_OBJ_NUMANODE,
                                                           [LOCATION_L3] = HWLOC_OBJ_L3CACHE,
                                                           [LOCATION_L2] = HWLOC_OBJ_L2CACHE,
                                                           [LOCATION_CORE] = HWLOC_OBJ_CORE};
    for (int part = 0; part < LOCATION_PARTS; part++) {
        hwloc_obj_t object = NULL;
        while ((object = hwloc_get_next_obj_by_type(topology, types[part], object)))
            for (int i = 0; i < LOCATION_PROCESSORS; i++)
                if (hwloc_bitmap_isset(object->cpuset, (unsigned)i))
                    node->part[i][part] = (int16_t)number_of(object, part);
    }
}

static void look_at_node(struct location_node *node)
{
    hwloc_topology_t topology;
    if (hwloc_topology_init(&topology) != 0)
        return;
    /* The launcher may have given this process, which looks for the others, one processor only. */
    hwloc_topology_set_flags(topology, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
    if (hwloc_topology_load(topology) == 0)
        fill_parts(topology, node);
    hwloc_topology_destroy(topology);
}

#else

static void look_at_node(struct location_node *node)
{
    (void)node;
}

#endif

void location_of_node(struct location_node *node)
{
    for (int i = 0; i < LOCATION_PROCESSORS; i++)
        for (int part = 0; part < LOCATION_PARTS; part++)
            node->part[i][part] = LOCATION_UNKNOWN;
    look_at_node(node);
}

/* ---- Groups ---- */

/* The first processor of the PE after this one, or LOCATION_PROCESSORS. */
static int next_processor(const struct location_pe *pe, int processor)
{
    do
        processor++;
    while (processor < LOCATION_PROCESSORS && !is_usable(pe, processor));
    return processor;
}

static bool is_bound(const struct location_pe *pe)
{
    int first = next_processor(pe, -1);
    return first < LOCATION_PROCESSORS && next_processor(pe, first) == LOCATION_PROCESSORS;
}

/* The part of the node to which all processors of the PE belong. */
static int part_of(const struct location_pe *pe, const struct location_node *node, int part)
{
    int first = next_processor(pe, -1);
    if (first == LOCATION_PROCESSORS)
        return LOCATION_UNKNOWN;
    for (int i = first; i < LOCATION_PROCESSORS; i = next_processor(pe, i))
        if (node->part[i][part] != node->part[first][part])
            return LOCATION_SEVERAL;
    return node->part[first][part];
}

/* What PEs of one group have in common. The PE by its index: that of the group's first one. */
struct kind {
    int pe, node;
    bool bound;
    int part[LOCATION_L3 + 1];
};

static struct kind kind_of(const struct location_pe *pe, int index, int node,
                           const struct location_node *nodes)
{
    struct kind kind = {.pe = index, .node = node, .bound = is_bound(&pe[index])};
    for (int part = 0; part <= LOCATION_L3; part++)
        kind.part[part] = part_of(&pe[index], &nodes[node], part);
    return kind;
}

static bool is_same_kind(const struct location_pe *pe, const struct kind *a, const struct kind *b)
{
    return a->node == b->node && a->bound == b->bound &&
           memcmp(a->part, b->part, sizeof a->part) == 0 &&
           (a->bound ||
            memcmp(pe[a->pe].may_use, pe[b->pe].may_use, sizeof pe[a->pe].may_use) == 0);
}

/* Numbers as a text: "0-3", "0-12:4", "2,0,7". They stay in their order. */
static char *list_text(const int *numbers, int count)
{
    struct text text = {0};
    int end;
    text_append(&text, "%s", "");
    for (int i = 0; i < count; i = end) {
        int stride = i + 1 < count ? numbers[i + 1] - numbers[i] : 0;
        for (end = i + 1; end < count && numbers[end] - numbers[end - 1] == stride; end++)
            continue;
        bool is_run = stride == 1 || (stride > 1 && end - i > 2);
        if (!is_run)
            end = i + 1;
        text_append(&text, i ? ",%d" : "%d", numbers[i]);
        if (is_run)
            text_append(&text, stride > 1 ? "-%d:%d" : "-%d", numbers[end - 1], stride);
    }
    return text_take(&text);
}

static int compare(const void *a, const void *b)
{
    return ORDER(*(const int *)a, *(const int *)b);
}

/* How often the most frequent known number occurs; sorts them. */
static int most_frequent(int *numbers, int count)
{
    int most = 0, same = 0;
    qsort(numbers, (size_t)count, sizeof *numbers, compare);
    for (int i = 0; i < count; i++) {
        same = i > 0 && numbers[i] == numbers[i - 1] ? same + 1 : 1;
        if (numbers[i] >= 0 && same > most)
            most = same;
    }
    return most;
}

/* members: the PEs of this kind. numbers: room for as many. */
static struct location_group describe(const struct kind *kind, const struct location_pe *pe,
                                      const struct location_node *node, const int *members,
                                      int count, int *numbers)
{
    struct location_group group = {
        .pes = list_text(members, count), .node = kind->node, .bound = kind->bound};
    for (int i = 0; i < count; i++)
        numbers[i] = pe[members[i]].ran_on;
    group.ran_on = list_text(numbers, count);
    int processors[LOCATION_PROCESSORS], usable = 0, first = next_processor(&pe[kind->pe], -1);
    for (int i = 0; kind->bound && i < count; i++)
        numbers[i] = next_processor(&pe[members[i]], -1);
    for (int i = first; i < LOCATION_PROCESSORS; i = next_processor(&pe[kind->pe], i))
        processors[usable++] = i;
    group.processors = kind->bound ? list_text(numbers, count) : list_text(processors, usable);
    for (int part = 0; part < LOCATION_PARTS; part++) {
        for (int i = 0; i < count; i++)
            numbers[i] = part_of(&pe[members[i]], node, part);
        group.part[part] = numbers[0];
        for (int i = 1; i < count; i++)
            if (numbers[i] != numbers[0])
                group.part[part] = LOCATION_SEVERAL;
        group.pes_sharing[part] = kind->bound ? most_frequent(numbers, count) : 0;
    }
    return group;
}

/* Finds the kinds, and for each PE the index of its own (-1: there are too many). */
static int sort_out(const struct location_pe *pe, const int *node_of, int pes,
                    const struct location_node *nodes, struct kind *kinds, int *kind_at)
{
    int count = 0;
    for (int i = 0; i < pes; i++) {
        struct kind kind = kind_of(pe, i, node_of[i], nodes);
        int k = 0;
        while (k < count && !is_same_kind(pe, &kinds[k], &kind))
            k++;
        if (k == count && count < LOCATION_GROUPS)
            kinds[count++] = kind;
        kind_at[i] = k < count ? k : -1;
    }
    return count;
}

struct location_group *location_groups(const struct location_pe *pe, const int *node_of, int pes,
                                       const struct location_node *nodes, size_t *count,
                                       int *unlisted)
{
    struct kind kinds[LOCATION_GROUPS];
    size_t room = (size_t)pes;
    int *kind_at = memory_zeroed(room, sizeof *kind_at);
    int *members = memory_zeroed(room, sizeof *members),
        *numbers = memory_zeroed(room, sizeof *numbers);
    struct location_group *groups = memory_zeroed(LOCATION_GROUPS, sizeof *groups);
    *count = (size_t)sort_out(pe, node_of, pes, nodes, kinds, kind_at);
    *unlisted = pes;
    for (int k = 0; k < (int)*count; k++) {
        int size = 0;
        for (int i = 0; i < pes; i++)
            if (kind_at[i] == k)
                members[size++] = i;
        groups[k] = describe(&kinds[k], pe, &nodes[kinds[k].node], members, size, numbers);
        *unlisted -= size;
    }
    free(numbers);
    free(members);
    free(kind_at);
    return groups;
}

void location_groups_free(struct location_group *groups, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(groups[i].pes);
        free(groups[i].processors);
        free(groups[i].ran_on);
    }
    free(groups);
}
