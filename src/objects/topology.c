/* Topologies: grids and graphs of ranks. */
#include "objects/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static int *copy(const int64_t *numbers, int64_t count)
{
    int *made = memory_allocate((size_t)count * sizeof *made);

    for (int64_t i = 0; i < count; i++)
        made[i] = (int)numbers[i];
    return made;
}

static struct topology *create(const struct topology *contents)
{
    struct topology *made = memory_allocate(sizeof *made);

    *made = *contents;
    made->references = 1;
    return made;
}

struct topology *topology_cartesian(int dimensions, const int64_t *extents, const int64_t *periodic)
{
    return create(&(struct topology){.kind = TOPOLOGY_CARTESIAN,
                                     .dimensions = dimensions,
                                     .extents = copy(extents, dimensions),
                                     .periodic = copy(periodic, dimensions)});
}

struct topology *topology_graph(int nodes, const int64_t *index, const int64_t *edges)
{
    return create(&(struct topology){.kind = TOPOLOGY_GRAPH,
                                     .nodes = nodes,
                                     .index = copy(index, nodes),
                                     .edges = copy(edges, nodes > 0 ? index[nodes - 1] : 0)});
}

struct topology *topology_reference(struct topology *topology)
{
    if (topology)
        topology->references++;
    return topology;
}

void topology_release(struct topology *topology)
{
    if (!topology || --topology->references > 0)
        return;
    free(topology->extents);
    free(topology->periodic);
    free(topology->index);
    free(topology->edges);
    free(topology);
}

int topology_places(const struct topology *topology)
{
    int places = 1;

    if (topology->kind == TOPOLOGY_GRAPH)
        return topology->nodes;
    for (int i = 0; i < topology->dimensions; i++)
        places *= topology->extents[i];
    return places;
}

static bool same(const int *a, const int *b, int count)
{
    return count == 0 || memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

bool topology_equal(const struct topology *a, const struct topology *b)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind)
        return false;
    if (a->kind == TOPOLOGY_CARTESIAN)
        return a->dimensions == b->dimensions && same(a->extents, b->extents, a->dimensions) &&
               same(a->periodic, b->periodic, a->dimensions);
    return a->nodes == b->nodes && same(a->index, b->index, a->nodes) &&
           same(a->edges, b->edges, a->nodes > 0 ? a->index[a->nodes - 1] : 0);
}

/* The rank at a distance of -1 or 1 along a dimension whose ranks are stride apart; -1 if there is
 * none. */
static int shifted(const struct topology *t, int rank, int dimension, int stride, int distance)
{
    int extent = t->extents[dimension], place = rank / stride % extent, moved = place + distance;

    if (moved < 0 || moved >= extent) {
        if (!t->periodic[dimension])
            return -1;
        moved = (moved + extent) % extent;
    }
    return rank + (moved - place) * stride;
}

int topology_neighbors(const struct topology *t, int rank, int *neighbors)
{
    int count = 0;

    if (t->kind == TOPOLOGY_GRAPH) {
        for (int i = rank > 0 ? t->index[rank - 1] : 0; i < t->index[rank]; i++)
            neighbors[count++] = t->edges[i];
        return count;
    }
    for (int dimension = 0, stride = topology_places(t); dimension < t->dimensions; dimension++) {
        stride /= t->extents[dimension];
        neighbors[count++] = shifted(t, rank, dimension, stride, -1);
        neighbors[count++] = shifted(t, rank, dimension, stride, 1);
    }
    return count;
}

int topology_degree(const struct topology *t)
{
    int most = 0;

    if (!t)
        return 0;
    if (t->kind == TOPOLOGY_CARTESIAN)
        return 2 * t->dimensions;
    for (int rank = 0; rank < t->nodes; rank++) {
        int degree = t->index[rank] - (rank > 0 ? t->index[rank - 1] : 0);
        most = degree > most ? degree : most;
    }
    return most;
}
