/*
 * Functions for what MPI has besides communicators: datatypes, topologies, info objects and
 * constants. Every build has these functions: they make descriptions, and MPI sees these when
 * something is measured.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "ski/builtin.h"

/* ---- Datatypes ---- */

/* The value of what a constructor has made; without it, why is the error. */
static struct value datatype(struct builtin_call *call, struct datatype *made, const char *why)
{
    return made ? value_datatype(made) : builtin_refuse(call, "%s", why);
}

static struct value type_contiguous(struct builtin_call *call)
{
    const char *why;
    struct datatype *made =
        datatype_contiguous(call->args[0].as.integer, call->args[1].as.datatype, &why);

    return datatype(call, made, why);
}

/* Whether distances are bytes: in hvector and hindexed. */
static bool is_in_bytes(const struct builtin_call *call)
{
    return strstr(call->builtin->name, "_type_h");
}

static struct value type_vector(struct builtin_call *call)
{
    const char *why;
    struct datatype *made = datatype_vector(call->args[0].as.integer, call->args[1].as.integer,
                                            call->args[2].as.integer, is_in_bytes(call),
                                            call->args[3].as.datatype, &why);

    return datatype(call, made, why);
}

static size_t array_count(const struct value *array)
{
    return array->type == TYPE_INT_ARRAY ? array->as.array->count : array->as.datatypes->count;
}

/* Refuses arguments from `first` to `last` that are arrays whose elements belong together, but
 * differ in length. */
static bool same_length(struct builtin_call *call, size_t first, size_t last)
{
    for (size_t i = first + 1; i <= last; i++) {
        size_t a = array_count(&call->args[first]), b = array_count(&call->args[i]);

        if (a == b)
            continue;
        builtin_refuse(call, "the arrays must have the same length, they have %zu and %zu", a, b);
        return false;
    }
    return true;
}

static struct value type_indexed(struct builtin_call *call)
{
    const struct int_array *lengths = call->args[0].as.array;
    const char *why;

    if (!same_length(call, 0, 1))
        return value_void();
    struct datatype *made =
        datatype_indexed(lengths->count, lengths->items, call->args[1].as.array->items,
                         is_in_bytes(call), call->args[2].as.datatype, &why);

    return datatype(call, made, why);
}

static struct value type_struct(struct builtin_call *call)
{
    const struct int_array *lengths = call->args[0].as.array;
    const struct datatype_array *types = call->args[2].as.datatypes;
    const char *why;

    if (!same_length(call, 0, 2))
        return value_void();
    for (size_t i = 0; i < types->count; i++)
        if (!types->items[i])
            return builtin_refuse(call, "datatype %zu of the array has not been set", i);
    struct datatype *made = datatype_struct(types->count, lengths->items,
                                            call->args[1].as.array->items, types->items, &why);

    return datatype(call, made, why);
}

static struct value type_subarray(struct builtin_call *call)
{
    const struct int_array *sizes = call->args[0].as.array;
    const char *why;

    if (!same_length(call, 0, 2))
        return value_void();
    struct datatype *made =
        datatype_subarray(sizes->count, sizes->items, call->args[1].as.array->items,
                          call->args[2].as.array->items, call->args[3].as.datatype, &why);

    return datatype(call, made, why);
}

static struct value type_darray(struct builtin_call *call)
{
    const struct int_array *sizes = call->args[2].as.array;
    const char *why;

    if (!same_length(call, 2, 5))
        return value_void();
    struct datatype *made =
        datatype_darray(&(struct darray){.pes = call->args[0].as.integer,
                                         .rank = call->args[1].as.integer,
                                         .dimensions = sizes->count,
                                         .sizes = sizes->items,
                                         .distributions = call->args[3].as.array->items,
                                         .arguments = call->args[4].as.array->items,
                                         .grid = call->args[5].as.array->items},
                        call->args[6].as.datatype, &why);

    return datatype(call, made, why);
}

static struct value type_size(struct builtin_call *call)
{
    return value_int(datatype_size(call->args[0].as.datatype));
}

static struct value type_extent(struct builtin_call *call)
{
    return value_int(datatype_extent(call->args[0].as.datatype));
}

/* ---- Arrays of datatypes ---- */

static struct value alloc_datatype_array(struct builtin_call *call)
{
    return builtin_array(call, TYPE_DATATYPE, call->args[0].as.integer);
}

/* NULL, with an error, for an index outside the array. */
static struct datatype **element(struct builtin_call *call)
{
    struct datatype_array *array = call->args[0].as.datatypes;

    return builtin_has_element(call, array->count) ? &array->items[call->args[1].as.integer] : NULL;
}

static struct value datatype_array_get(struct builtin_call *call)
{
    struct datatype **item = element(call);

    if (!item)
        return value_void();
    if (!*item)
        return builtin_refuse(call, "element %lld has not been set",
                              (long long)call->args[1].as.integer);
    return value_datatype(datatype_reference(*item));
}

static struct value datatype_array_set(struct builtin_call *call)
{
    struct datatype **item = element(call);

    if (item) {
        datatype_release(*item);
        *item = datatype_reference(call->args[2].as.datatype);
    }
    return value_void();
}

/* ---- Topologies ---- */

static bool all_in_range(struct builtin_call *call, const struct int_array *array, int64_t low,
                         int64_t high)
{
    for (size_t i = 0; i < array->count; i++)
        if (!builtin_in_range(call, array->items[i], low, high))
            return false;
    return true;
}

static struct value arrange(struct builtin_call *call, const struct pe_set *set,
                            struct topology *topology, bool reorder)
{
    int places = topology_places(topology);

    if (places > pe_set_size(set)) {
        topology_release(topology);
        return builtin_refuse(call, "the topology has %d places, but the communicator only %d PEs",
                              places, pe_set_size(set));
    }
    return value_set(engine_arrange(call->engine, set, topology, reorder));
}

static struct value cartesian(struct builtin_call *call)
{
    const struct int_array *extents = call->args[1].as.array, *periodic = call->args[2].as.array;
    int64_t places = 1;

    if (!same_length(call, 1, 2))
        return value_void();
    for (size_t i = 0; i < extents->count; i++)
        if (extents->items[i] < 1 || __builtin_mul_overflow(places, extents->items[i], &places) ||
            places > INT_MAX)
            return builtin_refuse(call, "extents must be at least 1, and their product "
                                        "no larger than the communicator");
    if (!all_in_range(call, periodic, 0, 1))
        return value_void();
    return arrange(call, call->args[0].as.set,
                   topology_cartesian((int)extents->count, extents->items, periodic->items),
                   call->args[3].as.integer != 0);
}

static struct value graph(struct builtin_call *call)
{
    const struct int_array *index = call->args[1].as.array, *edges = call->args[2].as.array;
    int64_t before = 0;

    for (size_t i = 0; i < index->count; before = index->items[i++])
        if (index->items[i] < before || index->items[i] > (int64_t)edges->count)
            return builtin_refuse(call,
                                  "the index must grow from neighbour count to neighbour "
                                  "count, up to the %zu edges",
                                  edges->count);
    if (before != (int64_t)edges->count)
        return builtin_refuse(call, "the index ends at %lld, but there are %zu edges",
                              (long long)before, edges->count);
    if (!all_in_range(call, edges, 0, (int64_t)index->count - 1))
        return value_void();
    return arrange(call, call->args[0].as.set,
                   topology_graph((int)index->count, index->items, edges->items),
                   call->args[3].as.integer != 0);
}

/* Undirected edges as pairs of ranks, of all ranks of the communicator. */
static struct value graph_of_pairs(struct builtin_call *call)
{
    const struct int_array *pairs = call->args[1].as.array;
    int nodes = pe_set_size(call->args[0].as.set);

    if (pairs->count % 2 != 0)
        return builtin_refuse(call, "edges are pairs of ranks, but there are %zu numbers",
                              pairs->count);
    if (!all_in_range(call, pairs, 0, (int64_t)nodes - 1))
        return value_void();
    int64_t *ends = memory_zeroed((size_t)nodes, sizeof *ends),
            *next = memory_zeroed((size_t)nodes, sizeof *next),
            *edges = memory_zeroed(pairs->count, sizeof *edges);
    for (size_t i = 0; i < pairs->count; i++)
        ends[pairs->items[i]]++;
    for (int i = 0; i < nodes; i++) {
        next[i] = i > 0 ? ends[i - 1] : 0;
        ends[i] += next[i];
    }
    for (size_t i = 0; i < pairs->count; i++)
        edges[next[pairs->items[i]]++] = pairs->items[i ^ 1];
    struct topology *made = topology_graph(nodes, ends, edges);
    free(ends);
    free(next);
    free(edges);
    return arrange(call, call->args[0].as.set, made, call->args[2].as.integer != 0);
}

/* ---- Info objects ---- */

static struct value make_info(struct builtin_call *call)
{
    (void)call;
    return value_info(info_create());
}

static struct value free_info(struct builtin_call *call)
{
    info_clear(call->args[0].as.info);
    return value_void();
}

static struct value set_info(struct builtin_call *call)
{
    const char *error = info_set(call->args[0].as.info, call->args[1].as.string->text,
                                 call->args[2].as.string->text);

    return !error ? value_void() : builtin_refuse(call, "%s", error);
}

const struct builtin builtins_mpi[] = {
    {"mpi_type_contiguous", TAKES(TYPE_INT, TYPE_DATATYPE), TYPE_DATATYPE, .call = type_contiguous,
     .help = "(count, datatype) count elements, one after the other"},
    {"mpi_type_vector", TAKES(TYPE_INT, TYPE_INT, TYPE_INT, TYPE_DATATYPE), TYPE_DATATYPE,
     .call = type_vector,
     .help = "(count, length, stride, datatype) blocks of length elements, stride elements from "
             "one start to the next"},
    {"mpi_type_hvector", TAKES(TYPE_INT, TYPE_INT, TYPE_INT, TYPE_DATATYPE), TYPE_DATATYPE,
     .call = type_vector,
     .help = "(count, length, stride, datatype) blocks of length elements, stride bytes from one "
             "start to the next"},
    {"mpi_type_indexed", TAKES(TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_DATATYPE), TYPE_DATATYPE,
     .call = type_indexed,
     .help = "(lengths, places, datatype) blocks of elements, each with its length and place in "
             "elements"},
    {"mpi_type_hindexed", TAKES(TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_DATATYPE), TYPE_DATATYPE,
     .call = type_indexed,
     .help = "(lengths, places, datatype) blocks of elements, each with its length in elements and "
             "its place in bytes"},
    {"mpi_type_struct", TAKES(TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_DATATYPE_ARRAY), TYPE_DATATYPE,
     .call = type_struct,
     .help = "(lengths, places, datatypes) blocks of different types, each with its place in "
             "bytes; padded like a C struct"},
    {"mpi_type_create_subarray",
     TAKES(TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_DATATYPE), TYPE_DATATYPE,
     .call = type_subarray,
     .help = "(sizes, subsizes, starts, datatype) part of an array with these sizes, the last "
             "dimension contiguous"},
    {"mpi_type_create_darray",
     TAKES(TYPE_INT, TYPE_INT, TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_INT_ARRAY,
           TYPE_DATATYPE),
     TYPE_DATATYPE, .call = type_darray,
     .help = "(size, rank, sizes, distributions, arguments, grid, datatype) the part of rank in an "
             "array that is distributed over a grid of size processes; distributions are "
             "MPI_DISTRIBUTE_BLOCK, _CYCLIC or _NONE"},
    {"mpi_type_size", TAKES(TYPE_DATATYPE), TYPE_INT, .call = type_size,
     .help = "(datatype) bytes of data in one element"},
    {"mpi_type_extent", TAKES(TYPE_DATATYPE), TYPE_INT, .call = type_extent,
     .help = "(datatype) bytes from one element to the next"},
    {"alloc_datatype_array", TAKES(TYPE_INT), TYPE_DATATYPE_ARRAY, .call = alloc_datatype_array,
     .help = "(n) an array for n datatypes"},
    {"datatype_array_get", TAKES(TYPE_DATATYPE_ARRAY, TYPE_INT), TYPE_DATATYPE,
     .call = datatype_array_get, .help = "(array, i) its element i, counted from 0"},
    {"datatype_array_set", TAKES(TYPE_DATATYPE_ARRAY, TYPE_INT, TYPE_DATATYPE), TYPE_VOID,
     .call = datatype_array_set,
     .help =
         "(array, i, datatype) changes its element i, counted from 0, wherever the array is used"},
    {"topology_cartesian", TAKES(TYPE_COMM, TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_INT), TYPE_COMM,
     .collective = true, .call = cartesian,
     .help =
         "(set, extents, periodic, reorder) a grid of its PEs, closed in the dimensions whose "
         "periodic is 1; PEs beyond the grid do not take part; reorder 1: the library may change "
         "ranks"},
    {"topology_graph", TAKES(TYPE_COMM, TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_INT), TYPE_COMM,
     .collective = true, .call = graph,
     .help = "(set, index, edges, reorder) a graph: rank i's neighbours are those from "
             "index[i - 1] to index[i] - 1 of edges"},
    {"topology_graph2", TAKES(TYPE_COMM, TYPE_INT_ARRAY, TYPE_INT), TYPE_COMM, .collective = true,
     .call = graph_of_pairs,
     .help = "(set, edges, reorder) a graph; edges are pairs of ranks and go both ways"},
    {"info_create", TAKES_NOTHING, TYPE_INFO, .call = make_info, .help = "() an empty info object"},
    {"info_free", TAKES(TYPE_INFO), TYPE_VOID, .call = free_info,
     .help = "(info) turns it into MPI_INFO_NULL, wherever it is used"},
    {"info_set", TAKES(TYPE_INFO, TYPE_STRING, TYPE_STRING), TYPE_VOID, .call = set_info,
     .help = "(info, key, value) sets a hint for the library, wherever the object is used"},
    {.name = NULL},
};
