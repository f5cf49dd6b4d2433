/*
 * Where PEs run: on which processors, and to which package, NUMA node and caches these belong.
 */
#ifndef SKAMPI_BASE_LOCATION_H
#define SKAMPI_BASE_LOCATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Processors have the system's numbers, from 0. Processors from this number on are ignored. */
#define LOCATION_PROCESSORS 1024
/* More groups than this are counted, not listed. */
#define LOCATION_GROUPS 64

/* What a processor is part of. */
enum location_part {
    LOCATION_PACKAGE,
    LOCATION_NUMA_NODE,
    LOCATION_L3,
    LOCATION_L2,
    LOCATION_CORE,
    LOCATION_PARTS
};

/* A number that is not known; or not one number, but several. */
enum { LOCATION_UNKNOWN = -1, LOCATION_SEVERAL = -2 };

/* The processors of one node: the number of each part. Packages and NUMA nodes have the system's
 * numbers, caches and cores are counted on each node from 0. */
struct location_node {
    int16_t part[LOCATION_PROCESSORS][LOCATION_PARTS];
};

/* The processors of one PE. */
struct location_pe {
    uint64_t may_use[LOCATION_PROCESSORS / 64]; /* one bit for each */
    int32_t ran_on;                             /* processor, a moment ago; or LOCATION_UNKNOWN */
};

/* PEs of one node that agree in all further members. */
struct location_group {
    char *pes;        /* "0-3", "0-12:4" with a stride, "0-3,8" */
    char *processors; /* one for each PE in its order, if bound; else those that each PE may use */
    char *ran_on;     /* one for each PE in its order */
    int node;
    bool bound;                      /* each PE may use one processor only */
    int part[LOCATION_PARTS];        /* its number */
    int pes_sharing[LOCATION_PARTS]; /* the most PEs in one of them, if bound; else 0 */
};

/* The calling process and thread. */
void location_of_self(struct location_pe *pe);
/* From now on all threads of the calling process may use only the processors that `pe` may use.
 * Whether that was possible. */
bool location_move(const struct location_pe *pe);
/* The node that the calling process runs on. Without hwloc, or where that fails: all unknown. */
void location_of_node(struct location_node *node);

/* The PEs in groups, in the order of each group's first PE. node_of: of each PE, an index in
 * `nodes`. *count: groups listed; *unlisted: PEs in no listed group. The caller frees the result
 * by location_groups_free(). O(PEs x groups listed). */
struct location_group *location_groups(const struct location_pe *pe, const int *node_of, int pes,
                                       const struct location_node *nodes, size_t *count,
                                       int *unlisted);
void location_groups_free(struct location_group *groups, size_t count);

#endif
