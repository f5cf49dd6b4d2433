/*
 * Breadth-first searches in a graph that is spread over the PEs. In each level a PE gets the lists
 * of the vertices that all PEs have found last, and looks which of its own are reached from there.
 * Of some of these it gets the record of the vertex before, wherever that lies: long records one by
 * one, short ones in groups of nonblocking gets.
 */
#include "app.h"

#define MOST_SOURCES 6
#define RECORD 96      /* words, at most */
#define LONG_RECORD 72 /* words, at least */
#define RECORD_OF 12   /* of so many vertices, one gets a record */
#define GROUP 8        /* records */
#define PRIME UINT64_C(2147483647)
#define FACTOR UINT64_C(69621)

struct graph {
    const struct app *app;
    long vertices, rounds;
    long first, count; /* of this PE */
    int *sources;      /* of this PE's vertices: where edges to them come from */
    int *level;        /* of this PE's vertices; -1: not found yet */
    char *last;        /* of all vertices: whether found in the last level */
    int *lists[2];     /* of even and of odd levels: the vertices of this PE found there */
    long *found;       /* how many, of even and of odd levels */
    unsigned *records; /* of this PE's vertices */
};

struct wish {
    long vertex, before;
    size_t length;
    unsigned words[RECORD];
};

static int source_of(const struct graph *graph, long vertex, int number)
{
    int sources = 2 + (int)(app_random(1, (uint64_t)vertex) % (MOST_SOURCES - 1));
    if (number >= sources)
        return -1;
    return (int)(app_random(2 + (uint64_t)number, (uint64_t)vertex) % (uint64_t)graph->vertices);
}

static size_t length_of(long vertex)
{
    return 1 + (size_t)(app_random(10, (uint64_t)vertex) % RECORD);
}

static unsigned word_of(long vertex, size_t index)
{
    return (unsigned)app_random(20 + (uint64_t)index, (uint64_t)vertex);
}

static uint64_t checksum_of(long search, long vertex, int level)
{
    return app_random((uint64_t)(search * 1000 + level), (uint64_t)vertex);
}

/* What a record is worth, times a power that is computed step by step. */
static uint64_t worth(const unsigned *words, size_t length, long rounds)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < length; i++)
        sum += words[i] % (i + 2);
    for (long i = 0; i < rounds; i++)
        sum = sum * FACTOR % PRIME;
    return sum;
}

static uint64_t end_group(const struct graph *graph, const struct wish *wishes, int count)
{
    uint64_t sum = 0;
    CALL(shmem_quiet)();
    for (int i = 0; i < count; i++)
        sum += worth(wishes[i].words, wishes[i].length, graph->rounds);
    return sum;
}

/* How many vertices all PEs have found in this level; marks them. */
static long get_lists(const struct graph *graph, int level, int *lists)
{
    const struct app *app = graph->app;
    long total = 0;
    CALL(shmem_barrier_all)();
    for (int i = 0; i < app->pes; i++) {
        int pe = (app->pe + i) % app->pes;
        long found = CALL(shmem_long_g)(&graph->found[level % 2], pe);
        if (found > 0)
            CALL(shmem_int_get_nbi)(lists + total, graph->lists[level % 2], (size_t)found, pe);
        total += found;
    }
    CALL(shmem_quiet)();
    memset(graph->last, 0, (size_t)graph->vertices);
    for (long i = 0; i < total; i++)
        graph->last[lists[i]] = 1;
    return total;
}

/* The least vertex of the last level from which an edge leads to this one, or -1. */
static long vertex_before(const struct graph *graph, const int *sources)
{
    long before = -1;
    for (int i = 0; i < MOST_SOURCES && sources[i] >= 0; i++)
        if (graph->last[sources[i]] && (before < 0 || sources[i] < before))
            before = sources[i];
    return before;
}

/* Finds this PE's vertices of a level; returns what the records are worth. */
static uint64_t find(const struct graph *graph, int level)
{
    const struct app *app = graph->app;
    struct wish wishes[GROUP];
    uint64_t sum = 0;
    long found = 0;
    int group = 0;
    for (long i = 0; i < graph->count; i++) {
        long before =
            graph->level[i] < 0 ? vertex_before(graph, graph->sources + i * MOST_SOURCES) : -1;
        if (before < 0)
            continue;
        graph->level[i] = level;
        graph->lists[level % 2][found++] = (int)(graph->first + i);
        if ((graph->first + i) % RECORD_OF != 0)
            continue;
        struct wish *wish = &wishes[group];
        int pe = app_owner(app, graph->vertices, before);
        const unsigned *record =
            graph->records + (before - app_first(app, graph->vertices, pe)) * RECORD;
        wish->length = length_of(before);
        if (wish->length >= LONG_RECORD) {
            CALL(shmem_uint_get)(wish->words, record, wish->length, pe);
            sum += worth(wish->words, wish->length, graph->rounds);
            continue;
        }
        CALL(shmem_uint_get_nbi)(wish->words, record, wish->length, pe);
        if (++group == GROUP) {
            sum += end_group(graph, wishes, group);
            group = 0;
        }
    }
    graph->found[level % 2] = found;
    return sum + (group > 0 ? end_group(graph, wishes, group) : 0);
}

static long root_of(const struct graph *graph, long search)
{
    return (long)(app_random(11, (uint64_t)search) % (uint64_t)graph->vertices);
}

static uint64_t search_from_root(const struct graph *graph, long search, int *lists)
{
    long root = root_of(graph, search) - graph->first;
    uint64_t sum = 0;
    int level = 0;
    memset(graph->level, -1, (size_t)graph->count * sizeof *graph->level);
    graph->found[0] = root >= 0 && root < graph->count;
    if (graph->found[0] > 0) {
        graph->level[root] = 0;
        graph->lists[0][0] = (int)(graph->first + root);
    }
    /* Each level finds a vertex, unless the library is wrong. */
    while (level < graph->vertices && get_lists(graph, level, lists) > 0)
        sum += find(graph, ++level);
    for (long i = 0; i < graph->count; i++)
        sum += checksum_of(search, graph->first + i, graph->level[i]);
    CALL(shmem_barrier_all)();
    return sum;
}

/* Computes the result of all PEs on one PE, without communication. It changes last and nothing
 * else. */
static uint64_t expected(const struct graph *graph, long searches)
{
    uint64_t sum = 0, factor = 1;
    long vertices = graph->vertices;
    int *level = calloc((size_t)vertices, sizeof *level);
    int *sources = calloc((size_t)(vertices * MOST_SOURCES), sizeof *sources);
    if (!level || !sources)
        app_fail(graph->app, 1, "no memory for the check; make --size smaller");
    for (long i = 0; i < vertices * MOST_SOURCES; i++)
        sources[i] = source_of(graph, i / MOST_SOURCES, (int)(i % MOST_SOURCES));
    for (long i = 0; i < graph->rounds; i++)
        factor = factor * FACTOR % PRIME;
    for (long search = 0; search < searches; search++) {
        memset(level, -1, (size_t)vertices * sizeof *level);
        level[root_of(graph, search)] = 0;
        long found = 1;
        for (int next = 1; found > 0; next++) {
            found = 0;
            for (long i = 0; i < vertices; i++)
                graph->last[i] = level[i] == next - 1;
            for (long i = 0; i < vertices; i++) {
                long before = level[i] < 0 ? vertex_before(graph, sources + i * MOST_SOURCES) : -1;
                if (before < 0)
                    continue;
                level[i] = next;
                found++;
                unsigned words[RECORD];
                for (size_t word = 0; i % RECORD_OF == 0 && word < length_of(before); word++)
                    words[word] = word_of(before, word);
                if (i % RECORD_OF == 0)
                    sum += worth(words, length_of(before), 0) * factor % PRIME;
            }
        }
        for (long i = 0; i < vertices; i++)
            sum += checksum_of(search, i, level[i]);
    }
    free(level);
    free(sources);
    return sum;
}

int main(int argc, char **argv)
{
    long steps = 20;
    struct app app;
    struct graph graph = {.app = &app, .vertices = 6000, .rounds = 10000};
    const struct app_option options[] = {
        {"size", &graph.vertices, 1, 1L << 24, "vertices of all PEs"},
        {"steps", &steps, 0, 1L << 30, "searches"},
        {"rounds", &graph.rounds, 0, 1L << 30, "computation of a record"},
        {NULL, NULL, 0, 0, NULL},
    };
    (void)argc;
    app = app_begin("search", argv, options);
    if (app.pe == 0)
        printf("search: %ld vertices, %ld searches, %d PEs\n", graph.vertices, steps, app.pes);
    size_t most = (size_t)(graph.vertices / app.pes + 1);
    graph.first = app_first(&app, graph.vertices, app.pe);
    graph.count = app_first(&app, graph.vertices, app.pe + 1) - graph.first;
    graph.found = app_memory(&app, 2 * sizeof *graph.found);
    for (int i = 0; i < 2; i++)
        graph.lists[i] = app_memory(&app, most * sizeof *graph.lists[i]);
    graph.records = app_memory(&app, most * RECORD * sizeof *graph.records);
    graph.sources = calloc(most * MOST_SOURCES, sizeof *graph.sources);
    graph.level = calloc(most, sizeof *graph.level);
    graph.last = calloc((size_t)graph.vertices, 1);
    int *lists = calloc((size_t)graph.vertices, sizeof *lists);
    if (!graph.sources || !graph.level || !graph.last || !lists)
        app_fail(&app, 1, "no memory for the graph; make --size smaller");
    for (long i = 0; i < graph.count; i++) {
        for (int number = 0; number < MOST_SOURCES; number++)
            graph.sources[i * MOST_SOURCES + number] = source_of(&graph, graph.first + i, number);
        for (size_t word = 0; word < RECORD; word++)
            graph.records[(size_t)i * RECORD + word] = word_of(graph.first + i, word);
    }
    CALL(shmem_barrier_all)();

    uint64_t mine = 0;
    for (long search = 0; search < steps; search++)
        mine += search_from_root(&graph, search, lists);
    uint64_t sum = app_sum(&app, mine), wanted = app.pe == 0 ? expected(&graph, steps) : 0;
    free(lists);
    free(graph.last);
    free(graph.level);
    free(graph.sources);
    return app_end(&app, sum, wanted);
}
