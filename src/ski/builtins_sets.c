/*
 * Functions that make sets of PEs or query them.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "ski/builtin_call.h"
#include "stats/random.h"

static int pes(struct builtin_call *call)
{
    return engine_pes(call->engine);
}

static struct value empty_set(void)
{
    return value_set(pe_set_strided(0, 1, 0));
}

static struct value pair(int a, int b)
{
    int members[2] = {a, b};

    return value_set(pe_set_create(members, 2));
}

/* The members, in this order; takes them over. */
static struct value set_of(int *members, int count)
{
    struct value set = value_set(pe_set_create(members, count));

    free(members);
    return set;
}

/* ---- By number ---- */

static bool enough_pes(struct builtin_call *call, int64_t wanted)
{
    if (wanted < 0)
        return builtin_in_range(call, wanted, 0, pes(call));
    if (wanted <= pes(call))
        return true;
    builtin_fail(
        call,
        text_format("%s(%lld): the job has only %d PE%s; start it with at least %lld or use fewer, "
                    "such as get_np()",
                    call->builtin->name, (long long)wanted, pes(call),
                    numbers_plural((size_t)pes(call)), (long long)wanted));
    return false;
}

static struct value comm(struct builtin_call *call)
{
    if (!enough_pes(call, call->args[0].integer))
        return value_void();
    return value_set(pe_set_strided(0, 1, (int)call->args[0].integer));
}

/* A set of the PEs that the arguments name, in the order of the arguments. */
static struct value listed(struct builtin_call *call)
{
    int members[4], count = (int)call->count;

    for (int i = 0; i < count; i++) {
        if (call->args[i].integer < 0 || call->args[i].integer >= pes(call))
            return builtin_refuse(call, "there is no PE %lld; the job has %d, numbered from 0",
                                  (long long)call->args[i].integer, pes(call));
        members[i] = (int)call->args[i].integer;
        for (int j = 0; j < i; j++)
            if (members[j] == members[i])
                return builtin_refuse(call, "PE %d is named twice; all must differ", members[i]);
    }
    return value_set(pe_set_create(members, count));
}

static struct value comm_from_to(struct builtin_call *call)
{
    int64_t first = call->args[0].integer, last = call->args[1].integer;

    if (!builtin_in_range(call, first, 0, pes(call)) || !builtin_in_range(call, last, 0, pes(call)))
        return value_void();
    return value_set(pe_set_strided((int)first, 1, (int)(last - first)));
}

static struct value comm_strided(struct builtin_call *call)
{
    int64_t first = call->args[0].integer, distance = call->args[1].integer,
            n = call->args[2].integer;

    if (!builtin_in_range(call, first, 0, pes(call) - 1) ||
        !builtin_in_range(call, distance, 1, INT_MAX) ||
        !builtin_in_range(call, n, 0, (pes(call) - 1 - first) / distance + 1))
        return value_void();
    return value_set(pe_set_strided((int)first, (int)distance, (int)n));
}

static struct value comm_rand(struct builtin_call *call)
{
    int n = pes(call), wanted = (int)call->args[0].integer, *members;
    uint64_t state;

    if (!enough_pes(call, call->args[0].integer))
        return value_void();
    /* Only the seed is broadcast: every PE draws the same members from it. */
    state = engine_random(call->engine);
    members = memory_zeroed((size_t)n, sizeof *members);
    for (int i = 0; i < n; i++)
        members[i] = i;
    for (int i = 0; i < wanted; i++) {
        int drawn = i + (int)random_up_to(&state, (uint64_t)(n - i - 1));
        int other = members[i];

        members[i] = members[drawn];
        members[drawn] = other;
    }
    return set_of(members, wanted);
}

static struct value comm2_max_latency_with_root(struct builtin_call *call)
{
    int farthest = engine_farthest_from_root(call->engine);

    return farthest == 0 ? value_set(pe_set_strided(0, 1, 1)) : pair(0, farthest);
}

/* ---- By other sets ---- */

/* Ranks first to last - 1 of a set. */
static struct value part(const struct pe_set *set, int first, int last)
{
    int *members = memory_zeroed((size_t)(last - first), sizeof *members);

    for (int rank = first; rank < last; rank++)
        members[rank - first] = pe_set_member(set, rank);
    return set_of(members, last - first);
}

static struct value copy_comm(struct builtin_call *call)
{
    return value_set(pe_set_reference(call->args[0].set));
}

static struct value comm_first_half(struct builtin_call *call)
{
    return part(call->args[0].set, 0, pe_set_size(call->args[0].set) / 2);
}

static struct value comm_second_half(struct builtin_call *call)
{
    int size = pe_set_size(call->args[0].set);

    return part(call->args[0].set, size / 2, size);
}

/* ---- By nodes ---- */

static struct value comm2_same_node(struct builtin_call *call)
{
    int nodes = engine_node_count(call->engine);
    int *first = memory_zeroed((size_t)nodes, sizeof *first);
    struct value set = empty_set();

    for (int node = 0; node < nodes; node++)
        first[node] = -1;
    for (int pe = 0; pe < pes(call); pe++) {
        int node = engine_node_of(call->engine, pe);

        if (first[node] >= 0) {
            value_release(&set);
            set = pair(first[node], pe);
            break;
        }
        first[node] = pe;
    }
    free(first);
    return set;
}

static struct value comm2_other_node(struct builtin_call *call)
{
    int home = engine_node_of(call->engine, 0);

    for (int pe = 1; pe < pes(call); pe++)
        if (engine_node_of(call->engine, pe) != home)
            return pair(0, pe);
    return empty_set();
}

static struct value comm_one_per_node(struct builtin_call *call)
{
    int *members = memory_zeroed((size_t)engine_node_count(call->engine), sizeof *members);
    int size = 0;

    /* Nodes are numbered in the order of their lowest PE: a new number is a new node. */
    for (int pe = 0; pe < pes(call); pe++)
        if (engine_node_of(call->engine, pe) == size)
            members[size++] = pe;
    return set_of(members, size);
}

static struct value comm_node(struct builtin_call *call)
{
    int *members = memory_zeroed((size_t)pes(call), sizeof *members);
    int size = 0;

    for (int pe = 0; pe < pes(call); pe++)
        if (engine_node_of(call->engine, pe) == call->args[0].integer)
            members[size++] = pe;
    return set_of(members, size);
}

/* ---- Questions ---- */

static struct value is_mpi_comm_null(struct builtin_call *call)
{
    return value_int(pe_set_size(call->args[0].set) == 0);
}

static struct value get_comm_size(struct builtin_call *call)
{
    return value_int(pe_set_size(call->args[0].set));
}

static struct value get_comm_rank(struct builtin_call *call)
{
    return value_int(pe_set_rank_of(call->args[0].set, engine_pe(call->engine)));
}

static struct value get_np(struct builtin_call *call)
{
    return value_int(pes(call));
}

static struct value last_proc(struct builtin_call *call)
{
    return value_int(pes(call) - 1);
}

/* ---- Grids ---- */

static int compare_descending(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x < y) - (x > y);
}

/* Makes extents as equal as possible: the largest prime factor always goes to the smallest extent.
 */
static void spread_factors(int64_t n, int64_t *extents, size_t count)
{
    int64_t factors[64];
    size_t found = 0;

    for (int64_t p = 2; p <= n / p; p++)
        for (; n % p == 0; n /= p)
            factors[found++] = p;
    if (n > 1)
        factors[found++] = n;
    for (size_t i = 0; i < count; i++)
        extents[i] = 1;
    while (found-- > 0) {
        size_t smallest = 0;

        for (size_t i = 1; i < count; i++)
            if (extents[i] < extents[smallest])
                smallest = i;
        extents[smallest] *= factors[found];
    }
    qsort(extents, count, sizeof *extents, compare_descending);
}

static struct value dims_create(struct builtin_call *call)
{
    const struct int_array *wanted = call->args[1].array;
    int64_t left = call->args[0].integer, *extents;
    size_t open = 0, used = 0;

    if (!builtin_in_range(call, left, 1, INT32_MAX))
        return value_void();
    for (size_t i = 0; i < wanted->count; i++) {
        if (wanted->items[i] < 0 || (wanted->items[i] > 0 && left % wanted->items[i] != 0))
            return builtin_refuse(call,
                                  "extent %lld does not divide the number of PEs "
                                  "left, %lld; 0 lets the function choose",
                                  (long long)wanted->items[i], (long long)left);
        if (wanted->items[i] > 0)
            left /= wanted->items[i];
        else
            open++;
    }
    if (open == 0 && left != 1)
        return builtin_refuse(call,
                              "the extents given leave a factor of %lld; 0 lets the "
                              "function choose an extent",
                              (long long)left);
    extents = memory_zeroed(open, sizeof *extents);
    if (open > 0)
        spread_factors(left, extents, open);
    struct value made = builtin_array(call, TYPE_INT, (int64_t)wanted->count);
    for (size_t i = 0; made.type != TYPE_VOID && i < wanted->count; i++)
        made.array->items[i] = wanted->items[i] > 0 ? wanted->items[i] : extents[used++];
    free(extents);
    return made;
}

static struct value int_array_allgather(struct builtin_call *call)
{
    const struct pe_set *set = call->args[0].set;
    struct value made = builtin_array(call, TYPE_INT, pe_set_size(set));
    int64_t *all = memory_zeroed((size_t)engine_pes(call->engine), sizeof *all);

    engine_share(call->engine, call->args[1].integer, all);
    for (int rank = 0; made.type != TYPE_VOID && rank < pe_set_size(set); rank++)
        made.array->items[rank] = all[pe_set_member(set, rank)];
    free(all);
    return made;
}

const struct builtin builtins_sets[] = {
    {"comm", TAKES(TYPE_INT), TYPE_COMM, .call = comm, .help = "(n) the PEs 0 to n - 1"},
    {"comm2", TAKES(TYPE_INT, TYPE_INT), TYPE_COMM, .call = listed,
     .help = "(a, b) PE a as rank 0, PE b as rank 1"},
    {"comm4", TAKES(TYPE_INT, TYPE_INT, TYPE_INT, TYPE_INT), TYPE_COMM, .call = listed,
     .help = "(a, b, c, d) four PEs in this order"},
    {"comm_from_to", TAKES(TYPE_INT, TYPE_INT), TYPE_COMM, .call = comm_from_to,
     .help = "(first, last) the PEs first to last - 1"},
    {"comm_strided", TAKES(TYPE_INT, TYPE_INT, TYPE_INT), TYPE_COMM, .call = comm_strided,
     .help = "(first, distance, n) the PEs first, first + distance, ..., n of them"},
    {"comm_rand", TAKES(TYPE_INT), TYPE_COMM, .collective = true, .call = comm_rand,
     .help = "(n) n PEs at random, in random order"},
    {"copy_comm", TAKES(TYPE_COMM), TYPE_COMM, .call = copy_comm,
     .help = "(set) a set of the same PEs"},
    {"comm_first_half", TAKES(TYPE_COMM), TYPE_COMM, .call = comm_first_half,
     .help = "(set) the first half of its ranks, rounded down"},
    {"comm_second_half", TAKES(TYPE_COMM), TYPE_COMM, .call = comm_second_half,
     .help = "(set) the ranks that comm_first_half() leaves"},
    {"comm2_max_latency_with_root", TAKES_NOTHING, TYPE_COMM, .collective = true,
     .call = comm2_max_latency_with_root,
     .help = "() PE 0 and the PE with the longest round trip to it; PE 0 alone in a job of one"},
    {"comm2_same_node", TAKES_NOTHING, TYPE_COMM, .call = comm2_same_node,
     .help = "() the first two PEs that share a node; empty when there are none"},
    {"comm2_other_node", TAKES_NOTHING, TYPE_COMM, .call = comm2_other_node,
     .help = "() PE 0 and the first PE of another node; empty when there is none"},
    {"comm_one_per_node", TAKES_NOTHING, TYPE_COMM, .call = comm_one_per_node,
     .help = "() the lowest PE of each node"},
    {"comm_node", TAKES(TYPE_INT), TYPE_COMM, .call = comm_node,
     .help = "(k) all PEs of node k, counted from 0; empty when there is no such node"},
    {"is_mpi_comm_null", TAKES(TYPE_COMM), TYPE_INT, .call = is_mpi_comm_null,
     .help = "(set) 1 when it is empty, else 0; the same on all PEs"},
    {"get_comm_size", TAKES(TYPE_COMM), TYPE_INT, .call = get_comm_size,
     .help = "(set) number of its PEs"},
    {"get_comm_rank", TAKES(TYPE_COMM), TYPE_INT, .call = get_comm_rank,
     .help = "(set) rank of this PE in it, -1 when it is no member"},
    {"get_np", TAKES_NOTHING, TYPE_INT, .call = get_np, .help = "() number of PEs of the job"},
    {"last_proc", TAKES_NOTHING, TYPE_INT, .call = last_proc,
     .help = "() the highest PE, get_np() - 1"},
    {"dims_create", TAKES(TYPE_INT, TYPE_INT_ARRAY), TYPE_INT_ARRAY, .call = dims_create,
     .help = "(n, extents) a grid of n PEs: extents of 0 are chosen, as equal as possible"},
    {"int_array_allgather", TAKES(TYPE_COMM, TYPE_INT), TYPE_INT_ARRAY, .collective = true,
     .call = int_array_allgather,
     .help = "(set, i) an array of the values that its PEs pass as i, in rank order, on all PEs"},
    {.name = NULL},
};
