/*
 * Functions for what MPI has besides communicators: datatypes, topologies, info objects, constants,
 * and files: hints, and the ways to access data. Every build has these functions: they make
 * descriptions, and MPI sees these when something is measured.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "objects/mpi_names.h"
#include "ski/builtin_call.h"

/* ---- Datatypes ---- */

/* The value of what a constructor has made; without it, call->why is the error. */
static struct value datatype(struct builtin_call *call, struct datatype *made)
{
    return made ? value_datatype(made) : builtin_refuse(call, "%s", call->why);
}

static struct value type_contiguous(struct builtin_call *call)
{
    return datatype(call,
                    datatype_contiguous(call->args[0].integer, call->args[1].datatype, &call->why));
}

static struct value type_vector(struct builtin_call *call)
{
    return datatype(call, datatype_vector(call->args[0].integer, call->args[1].integer,
                                          call->args[2].integer, call->builtin->in_bytes,
                                          call->args[3].datatype, &call->why));
}

static size_t array_count(const struct value *array)
{
    return array->type == TYPE_INT_ARRAY ? array->array->count : array->datatypes->count;
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
    const struct int_array *lengths = call->args[0].array;

    if (!same_length(call, 0, 1))
        return value_void();
    return datatype(call,
                    datatype_indexed(lengths->count, lengths->items, call->args[1].array->items,
                                     call->builtin->in_bytes, call->args[2].datatype, &call->why));
}

static struct value type_struct(struct builtin_call *call)
{
    const struct int_array *lengths = call->args[0].array;
    const struct datatype_array *types = call->args[2].datatypes;

    if (!same_length(call, 0, 2))
        return value_void();
    for (size_t i = 0; i < types->count; i++)
        if (!types->items[i])
            return builtin_refuse(call, "datatype %zu of the array has not been set", i);
    return datatype(call, datatype_struct(types->count, lengths->items, call->args[1].array->items,
                                          types->items, &call->why));
}

static struct value type_subarray(struct builtin_call *call)
{
    const struct int_array *sizes = call->args[0].array;

    if (!same_length(call, 0, 2))
        return value_void();
    return datatype(call, datatype_subarray(sizes->count, sizes->items, call->args[1].array->items,
                                            call->args[2].array->items, call->args[3].datatype,
                                            &call->why));
}

static struct value type_darray(struct builtin_call *call)
{
    const struct int_array *sizes = call->args[2].array;

    if (!same_length(call, 2, 5))
        return value_void();
    return datatype(call,
                    datatype_darray(&(struct darray){.pes = call->args[0].integer,
                                                     .rank = call->args[1].integer,
                                                     .dimensions = sizes->count,
                                                     .sizes = sizes->items,
                                                     .distributions = call->args[3].array->items,
                                                     .arguments = call->args[4].array->items,
                                                     .grid = call->args[5].array->items},
                                    call->args[6].datatype, &call->why));
}

static struct value type_size(struct builtin_call *call)
{
    return value_int(datatype_size(call->args[0].datatype));
}

static struct value type_extent(struct builtin_call *call)
{
    return value_int(datatype_extent(call->args[0].datatype));
}

/* ---- Arrays of datatypes ---- */

/* NULL, with an error, for an index outside the array. */
static struct datatype **element(struct builtin_call *call)
{
    struct datatype_array *array = call->args[0].datatypes;

    return builtin_has_element(call, array->count) ? &array->items[call->args[1].integer] : NULL;
}

static struct value datatype_array_get(struct builtin_call *call)
{
    struct datatype **item = element(call);

    if (!item)
        return value_void();
    if (!*item)
        return builtin_refuse(call, "element %lld has not been set",
                              (long long)call->args[1].integer);
    return value_datatype(datatype_reference(*item));
}

static struct value datatype_array_set(struct builtin_call *call)
{
    struct datatype **item = element(call);

    if (item) {
        datatype_release(*item);
        *item = datatype_reference(call->args[2].datatype);
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
    const struct int_array *extents = call->args[1].array, *periodic = call->args[2].array;
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
    return arrange(call, call->args[0].set,
                   topology_cartesian((int)extents->count, extents->items, periodic->items),
                   call->args[3].integer != 0);
}

static struct value graph(struct builtin_call *call)
{
    const struct int_array *index = call->args[1].array, *edges = call->args[2].array;
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
    return arrange(call, call->args[0].set,
                   topology_graph((int)index->count, index->items, edges->items),
                   call->args[3].integer != 0);
}

/* Undirected edges as pairs of ranks, of all ranks of the communicator. */
static struct value graph_of_pairs(struct builtin_call *call)
{
    const struct int_array *pairs = call->args[1].array;
    int nodes = pe_set_size(call->args[0].set);

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
    return arrange(call, call->args[0].set, made, call->args[2].integer != 0);
}

/* ---- Info objects ---- */

static struct value make_info(struct builtin_call *call)
{
    (void)call;
    return value_info(info_create());
}

static struct value free_info(struct builtin_call *call)
{
    info_clear(call->args[0].info);
    return value_void();
}

static struct value set_info(struct builtin_call *call)
{
    const char *error = info_set(call->args[0].info, call->args[1].string, call->args[2].string);

    return !error ? value_void() : builtin_refuse(call, "%s", error);
}

/* ---- Files: hints ---- */

static struct value set_file_info(struct builtin_call *call)
{
    struct settings *settings = engine_settings(call->engine);
    struct info *info = settings->file_info ? info_copy(settings->file_info) : info_create();
    const char *error = info_set(info, call->args[0].string, call->args[1].string);

    if (error)
        builtin_refuse(call, "%s", error);
    else
        settings->file_info = info_keep(info);
    info_release(info);
    return value_void();
}

static struct value reset_file_info(struct builtin_call *call)
{
    engine_settings(call->engine)->file_info = NULL;
    return value_void();
}

/* Takes the text over; PE 0 prints it as a comment. */
static void print(struct builtin_call *call, char *text)
{
    char *line = text_format("#P[0] %s\n", text);

    if (engine_pe(call->engine) == 0)
        engine_print(call->engine, line);
    free(line);
    free(text);
}

static struct value print_file_info(struct builtin_call *call)
{
    struct info *info = engine_settings(call->engine)->file_info;

    print(call, text_format("%s", info ? info_text(info) : "MPI_INFO_NULL"));
    return value_void();
}

/* ---- Files: ways to access data ---- */

static bool next_access(struct builtin_call *call, void **state, struct value *v)
{
    size_t *next = *state;
    int access;

    if (!next)
        *state = next = memory_zeroed(1, sizeof *next);
    do {
        access = access_at((*next)++);
    } while (access && (access & call->args[0].integer) != access);
    if (access) {
        *v = value_int(access);
        return true;
    }
    free(next);
    *state = NULL;
    return false;
}

static struct value print_access(struct builtin_call *call)
{
    int64_t access = call->args[0].integer, which = call->args[1].integer;

    if (!access_routine(access, false))
        return builtin_refuse(call, FILE_ACCESS_WANTED);
    if (!builtin_in_range(call, which, 1, 3))
        return value_void();
    for (int writes = 0; writes < 2; writes++)
        if (which & (writes ? 2 : 1))
            print(call,
                  text_format("0x%x: %s", (unsigned)access, access_routine(access, writes != 0)));
    return value_void();
}

/* ---- Sizes of ranks ---- */

static struct value round_up(struct builtin_call *call, int64_t i, int64_t unit)
{
    int64_t rest = i % unit, up = rest > 0 ? unit - rest : -rest, rounded;

    if (__builtin_add_overflow(i, up, &rounded))
        return builtin_refuse(call, "%lld is too large", (long long)i);
    return value_int(rounded);
}

static struct value round_to_fourbytes(struct builtin_call *call)
{
    return round_up(call, call->args[0].integer, 4);
}

static struct value round_to_fivebytes(struct builtin_call *call)
{
    return round_up(call, call->args[0].integer, 5);
}

const struct builtin builtins_mpi[] = {
    {"mpi_type_contiguous", TAKES(TYPE_INT, TYPE_DATATYPE), TYPE_DATATYPE, .call = type_contiguous,
     .help = "(count, datatype) count elements, one after the other"},
    {"mpi_type_vector", TAKES(TYPE_INT, TYPE_INT, TYPE_INT, TYPE_DATATYPE), TYPE_DATATYPE,
     .call = type_vector,
     .help = "(count, length, stride, datatype) blocks of length elements, stride elements from "
             "one start to the next"},
    {"mpi_type_hvector", TAKES(TYPE_INT, TYPE_INT, TYPE_INT, TYPE_DATATYPE), TYPE_DATATYPE,
     .call = type_vector, .in_bytes = true,
     .help = "(count, length, stride, datatype) blocks of length elements, stride bytes from one "
             "start to the next"},
    {"mpi_type_indexed", TAKES(TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_DATATYPE), TYPE_DATATYPE,
     .call = type_indexed,
     .help = "(lengths, places, datatype) blocks of elements, each with its length and place in "
             "elements"},
    {"mpi_type_hindexed", TAKES(TYPE_INT_ARRAY, TYPE_INT_ARRAY, TYPE_DATATYPE), TYPE_DATATYPE,
     .call = type_indexed, .in_bytes = true,
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
    {"alloc_datatype_array", TAKES(TYPE_INT), TYPE_DATATYPE_ARRAY, .call = builtin_allocate,
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

const struct builtin builtins_io[] = {
    {"set_file_info", TAKES(TYPE_STRING, TYPE_STRING), TYPE_VOID, .call = set_file_info,
     .help = "(key, value) a hint for files of MPI-IO, such as \"cb_buffer_size\""},
    {"reset_file_info", TAKES_NOTHING, TYPE_VOID, .call = reset_file_info,
     .help = "() forgets all hints for files"},
    {"print_file_info", TAKES_NOTHING, TYPE_VOID, .call = print_file_info,
     .help = "() prints the hints for files as a comment"},
    {"print_data_access_settings", TAKES(TYPE_INT, TYPE_INT), TYPE_VOID, .call = print_access,
     .help = "(daccess, which) prints as comments the routines of MPI that a way to access data "
             "stands for; which: 1 those that read, 2 those that write, 3 both"},
    {"data_access_routines", TAKES(TYPE_INT), TYPE_INT, .iterator = true, .next = next_access,
     .help = "(mask) iterator: the ways to access data whose bits are all in the mask"},
    {"round_to_fourbytes", TAKES(TYPE_INT), TYPE_INT, .call = round_to_fourbytes,
     .help = "(n) the smallest multiple of 4 that is not below n"},
    {"round_to_fivebytes", TAKES(TYPE_INT), TYPE_INT, .call = round_to_fivebytes,
     .help = "(n) the smallest multiple of 5 that is not below n"},
    {.name = NULL},
};
