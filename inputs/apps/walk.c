/*
 * Walks on a graph that is spread over the PEs. In each step a walker gets where the edges of its
 * vertex begin and end, then these edges, chooses one, and gets the weight of the vertex there:
 * short rows and single words, from wherever the vertex lies.
 */
#include "app.h"

#define LEAST_EDGES 2
#define MOST_EDGES 12

struct graph {
    long vertices;  /* of all PEs; each PE has a part of them */
    long *begin;    /* by vertex of this PE, and one more: its first edge */
    int *edges;     /* where they lead */
    double *weight; /* by vertex of this PE */
};

static int edges_of(long vertex)
{
    uint64_t random = app_random(1, (uint64_t)vertex);
    return LEAST_EDGES + (int)(random % (MOST_EDGES - LEAST_EDGES + 1));
}

static int edge_of(long vertex, int number, long vertices)
{
    return (int)(app_random(2 + (uint64_t)number, (uint64_t)vertex) % (uint64_t)vertices);
}

static double weight_of(long vertex)
{
    return (double)(app_random(20, (uint64_t)vertex) % 1000);
}

/* The edge that looks best to a walker who has come so far with such a sum. */
static int chosen(const int *edges, int count, double sum)
{
    int best = 0;
    uint64_t most = 0;
    for (int i = 0; i < count; i++) {
        uint64_t attraction = app_random((uint64_t)sum, (uint64_t)(edges[i] + i));
        if (attraction > most) {
            most = attraction;
            best = i;
        }
    }
    return edges[best];
}

static struct graph make_graph(const struct app *app, long vertices)
{
    struct graph graph = {.vertices = vertices};
    long most = vertices / app->pes + 1, first = app_first(app, vertices, app->pe);
    graph.begin = app_memory(app, (size_t)(most + 1) * sizeof *graph.begin);
    graph.edges = app_memory(app, (size_t)(most * MOST_EDGES) * sizeof *graph.edges);
    graph.weight = app_memory(app, (size_t)most * sizeof *graph.weight);
    for (long i = 0; i < app_first(app, vertices, app->pe + 1) - first; i++) {
        int count = edges_of(first + i);
        graph.begin[i + 1] = graph.begin[i] + count;
        graph.weight[i] = weight_of(first + i);
        for (int edge = 0; edge < count; edge++)
            graph.edges[graph.begin[i] + edge] = edge_of(first + i, edge, vertices);
    }
    return graph;
}

/* The sum of the weights on a walk. */
static double walk(const struct app *app, const struct graph *graph, long vertex, long length)
{
    double sum = 0;
    for (long step = 0; step < length; step++) {
        long range[2];
        int edges[MOST_EDGES];
        int pe = app_owner(app, graph->vertices, vertex);
        CALL(shmem_long_get)
        (range, &graph->begin[vertex - app_first(app, graph->vertices, pe)], 2, pe);
        long count = range[1] - range[0];
        if (count < LEAST_EDGES || count > MOST_EDGES)
            app_fail(app, 1, "vertex %ld has %ld edges", vertex, count);
        CALL(shmem_int_get)(edges, &graph->edges[range[0]], (size_t)count, pe);
        vertex = chosen(edges, (int)count, sum);
        pe = app_owner(app, graph->vertices, vertex);
        sum +=
            CALL(shmem_double_g)(&graph->weight[vertex - app_first(app, graph->vertices, pe)], pe);
    }
    return sum;
}

/* Computes the walk without communication. */
static double walk_alone(long vertices, long vertex, long length)
{
    double sum = 0;
    for (long step = 0; step < length; step++) {
        int edges[MOST_EDGES], count = edges_of(vertex);
        for (int i = 0; i < count; i++)
            edges[i] = edge_of(vertex, i, vertices);
        vertex = chosen(edges, count, sum);
        sum += weight_of(vertex);
    }
    return sum;
}

static uint64_t checksum_of(long walker, double sum)
{
    return app_random((uint64_t)sum, (uint64_t)walker);
}

int main(int argc, char **argv)
{
    long size = 2000, steps = 40, length = 25;
    const struct app_option options[] = {
        {"size", &size, 1, 1L << 30, "vertices of all PEs"},
        {"steps", &steps, 0, LONG_MAX / 2, "walks of all PEs together"},
        {"length", &length, 0, LONG_MAX / 2, "steps of a walk"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    struct app app = app_begin("walk", argv, options);
    if (app.pe == 0)
        printf("walk: %ld vertices, %ld walks of %ld steps, %d PEs\n", size, steps, length,
               app.pes);
    struct graph graph = make_graph(&app, size);
    CALL(shmem_barrier_all)();

    uint64_t mine = 0, wanted = 0;
    for (long i = app.pe; i < steps; i += app.pes) {
        long vertex = (long)(app_random(30, (uint64_t)i) % (uint64_t)size);
        mine += checksum_of(i, walk(&app, &graph, vertex, length));
    }
    CALL(shmem_barrier_all)();
    for (long i = 0; app.pe == 0 && i < steps; i++) {
        long vertex = (long)(app_random(30, (uint64_t)i) % (uint64_t)size);
        wanted += checksum_of(i, walk_alone(size, vertex, length));
    }
    return app_end(&app, app_sum(&app, mine), wanted);
}
