#include "comm/topology.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *copy(const int *numbers, int count)
{
    int *made = malloc((count > 0 ? (size_t)count : 1) * sizeof *made);

    if (made == NULL) {
        fputs("skampi: error: out of memory\n", stderr);
        abort();
    }
    if (count > 0)
        memcpy(made, numbers, (size_t)count * sizeof *made);
    return made;
}

static struct topology *create(const struct topology *contents)
{
    struct topology *made = malloc(sizeof *made);

    if (made == NULL) {
        fputs("skampi: error: out of memory\n", stderr);
        abort();
    }
    *made = *contents;
    made->references = 1;
    return made;
}

struct topology *topology_cartesian(int dimensions, const int *extents, const int *periodic)
{
    return create(&(struct topology){.kind = TOPOLOGY_CARTESIAN,
                                     .dimensions = dimensions,
                                     .extents = copy(extents, dimensions),
                                     .periodic = copy(periodic, dimensions)});
}

static int edge_count(const struct topology *topology)
{
    return topology->nodes > 0 ? topology->index[topology->nodes - 1] : 0;
}

struct topology *topology_graph(int nodes, const int *index, const int *edges)
{
    return create(&(struct topology){.kind = TOPOLOGY_GRAPH,
                                     .nodes = nodes,
                                     .index = copy(index, nodes),
                                     .edges = copy(edges, nodes > 0 ? index[nodes - 1] : 0)});
}

struct topology *topology_reference(struct topology *topology)
{
    if (topology != NULL)
        topology->references++;
    return topology;
}

void topology_release(struct topology *topology)
{
    if (topology == NULL || --topology->references > 0)
        return;
    if (topology->kind == TOPOLOGY_CARTESIAN) {
        free(topology->extents);
        free(topology->periodic);
    } else {
        free(topology->index);
        free(topology->edges);
    }
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
    if (a == NULL || b == NULL)
        return a == b;
    if (a->kind != b->kind)
        return false;
    if (a->kind == TOPOLOGY_CARTESIAN)
        return a->dimensions == b->dimensions && same(a->extents, b->extents, a->dimensions) &&
               same(a->periodic, b->periodic, a->dimensions);
    return a->nodes == b->nodes && same(a->index, b->index, a->nodes) &&
           same(a->edges, b->edges, edge_count(a));
}
