/*
 * How the PEs of a set are arranged: a grid or a graph of their ranks. Pure data.
 */
#ifndef SKAMPI_OBJECTS_TOPOLOGY_H
#define SKAMPI_OBJECTS_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

struct topology {
    enum { TOPOLOGY_CARTESIAN, TOPOLOGY_GRAPH } kind;
    /* A grid; ranks count the last dimension fastest. */
    int dimensions;
    int *extents, *periodic; /* one for each dimension; periodic: 0 or 1 */
    /* A graph: the neighbours of rank i are edges[index[i - 1]] to edges[index[i] - 1]. */
    int nodes;
    int *index, *edges;
    int references;
};

/* A topology with copies of the arguments, which an int can hold, and one reference. */
struct topology *topology_cartesian(int dimensions, const int64_t *extents,
                                    const int64_t *periodic);
struct topology *topology_graph(int nodes, const int64_t *index, const int64_t *edges);
struct topology *topology_reference(struct topology *); /* NULL is allowed */
void topology_release(struct topology *);               /* NULL is allowed */
int topology_places(const struct topology *);           /* ranks that have a place in it */
/* Fills in the neighbours of a rank in MPI's order; -1 at the edge of a grid. Returns their number,
 * at most topology_degree(). */
int topology_neighbors(const struct topology *, int rank, int *neighbors);
int topology_degree(
    const struct topology *); /* the largest number of neighbours of a rank; 0 for NULL */
bool topology_equal(const struct topology *,
                    const struct topology *); /* NULL stands for no topology */

#endif
