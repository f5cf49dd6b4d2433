/*
 * What collectives of MPI have to do with data: which rank has what before a call, and what it must
 * have after it. Computed without any communication.
 */
#include "measurements/common/collective.h"
#include "measurements/common/mpi_call.h"

#if SKAMPI_MPI

#include <stdlib.h>
#include <string.h>

int mpi_share(int count, int size, int rank)
{
    return count / size + (rank < count % size);
}

/* ---- Values that are reduced ---- */

/* Elements after which the values of a rank repeat. */
#define PERIOD 7

/* The value of an element: a number, or for MPI_MINLOC and MPI_MAXLOC a number and an index. */
struct value {
    long double number;
    int index;
};

enum { SMALL, FACTOR, RARELY_FALSE, RARELY_TRUE, BIT, MASK };

static const struct reduction {
    const char *name;
    enum folding folding;
    int values;
    bool logical; /* any number but 0 is true */
} reductions[] = {
    {"MPI_SUM", FOLD_SUM, SMALL, false},         {"MPI_PROD", FOLD_PROD, FACTOR, false},
    {"MPI_MAX", FOLD_MAX, SMALL, false},         {"MPI_MIN", FOLD_MIN, SMALL, false},
    {"MPI_MAXLOC", FOLD_MAX, SMALL, false},      {"MPI_MINLOC", FOLD_MIN, SMALL, false},
    {"MPI_LAND", FOLD_BOTH, RARELY_FALSE, true}, {"MPI_LOR", FOLD_EITHER, RARELY_TRUE, true},
    {"MPI_LXOR", FOLD_ONE_OF, BIT, true},        {"MPI_BAND", FOLD_AND, MASK, false},
    {"MPI_BOR", FOLD_OR, SMALL, false},          {"MPI_BXOR", FOLD_XOR, SMALL, false},
};

static const struct reduction *reduction_of(const struct operation *operation)
{
    for (size_t i = 0; i < sizeof reductions / sizeof *reductions; i++)
        if (strcmp(reductions[i].name, operation_name(operation)) == 0)
            return &reductions[i];
    return NULL;
}

/* Small numbers, so that all types can hold the results of thousands of ranks, except for sums in
 * types of one or two bytes, which wrap around. */
static struct value value_of(const struct reduction *reduction, int rank, int64_t element)
{
    int place = (int)(element % PERIOD), small = (int)(((int64_t)rank * 3 + place) % PERIOD);
    int number = small;
    switch (reduction->values) {
    case FACTOR:
        number = rank == place ? 2 : 1;
        break;
    case RARELY_FALSE:
        number = rank != place;
        break;
    case RARELY_TRUE:
        number = rank == place;
        break;
    case BIT:
        number = small & 1;
        break;
    case MASK:
        number = 127 - small;
        break;
    }
    return (struct value){number, rank};
}

/* The reduction over the ranks before `end`, in O(end) steps. */
static struct value folded(const struct reduction *reduction, int end, int64_t element)
{
    struct value result = value_of(reduction, 0, element);
    for (int rank = 1; rank < end; rank++) {
        struct value other = value_of(reduction, rank, element);
        long double number = reduction_fold(reduction->folding, result.number, other.number);
        if (number != result.number)
            result.index = rank;
        result.number = number;
    }
    return result;
}

/* Where an integer of that many bytes lies in one of 8. */
static size_t low_bytes(int64_t size)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? sizeof(int64_t) - (size_t)size : 0;
}

/* Stores an integer of that many bytes; the value is cut off where it needs more. */
static void store_integer(int64_t integer, void *address, int64_t size)
{
    memcpy(address, (const char *)&integer + low_bytes(size), (size_t)size);
}

static int64_t load_integer(const void *address, int64_t size)
{
    int64_t integer = 0;
    memcpy((char *)&integer + low_bytes(size), address, (size_t)size);
    return integer;
}

static void store_real(long double number, void *address, int64_t size)
{
    float single = (float)number;
    double twice = (double)number;
    if (size == sizeof single)
        memcpy(address, &single, sizeof single);
    else if (size == sizeof twice)
        memcpy(address, &twice, sizeof twice);
    else
        memcpy(address, &number, sizeof number);
}

static long double load_real(const void *address, int64_t size)
{
    float single;
    double twice;
    long double longest;
    if (size == sizeof single) {
        memcpy(&single, address, sizeof single);
        return single;
    }
    if (size == sizeof twice) {
        memcpy(&twice, address, sizeof twice);
        return twice;
    }
    memcpy(&longest, address, sizeof longest);
    return longest;
}

/* How a value lies in an element of a predefined type. */
struct place {
    bool real, indexed;
    int64_t size, index_at;
};

static struct place place_of(const struct datatype *type)
{
    const char *name = datatype_text(type);
    bool indexed = datatype_class(type) == DATATYPE_PAIR;
    bool real = datatype_class(type) == DATATYPE_FLOATING ||
                (indexed && (strstr(name, "FLOAT") || strstr(name, "DOUBLE")));
    int64_t size = datatype_size(type) - (indexed ? (int64_t)sizeof(int) : 0);
    int64_t align = sizeof(int);
    return (struct place){real, indexed, size, (size + align - 1) / align * align};
}

static void store(const struct place *place, struct value value, unsigned char *address)
{
    if (place->real)
        store_real(value.number, address, place->size);
    else
        store_integer((int64_t)value.number, address, place->size);
    if (place->indexed)
        memcpy(address + place->index_at, &value.index, sizeof value.index);
}

static struct value load(const struct place *place, const unsigned char *address)
{
    struct value value = {0, 0};
    value.number = place->real ? load_real(address, place->size)
                               : (long double)load_integer(address, place->size);
    if (place->indexed)
        memcpy(&value.index, address + place->index_at, sizeof value.index);
    return value;
}

/* Each repetition's values begin somewhere else. */
static int64_t shifted(const struct run *run, int64_t element)
{
    return element + (int64_t)(run->seed % PERIOD);
}

static void fill_values(const struct run *run, unsigned char *base, int64_t count)
{
    const struct mpi_collective_state *state = run->state;
    const struct reduction *reduction = reduction_of(state->operation);
    struct place place = place_of(state->sends);
    int64_t extent = datatype_extent(state->sends);
    for (int64_t i = 0; i < count; i++)
        store(&place, value_of(reduction, state->call.rank, shifted(run, i)), base + i * extent);
}

/* Elements first, first + 1, ... of the reduction over the ranks before end. */
static bool check_values(struct run *run, int end, int64_t first, int64_t count)
{
    const struct mpi_collective_state *state = run->state;
    const struct reduction *reduction = reduction_of(state->operation);
    struct place place = place_of(state->receives);
    int64_t extent = datatype_extent(state->receives);
    struct value wanted[PERIOD];
    for (int i = 0; i < PERIOD; i++) {
        _Alignas(16) unsigned char element[64] = {0};
        store(&place, folded(reduction, end, shifted(run, first + i)), element);
        wanted[i] = load(&place, element); /* wrapped around as in the type */
    }
    for (int64_t i = 0; i < count; i++) {
        struct value found = load(&place, state->receive_base + i * extent);
        struct value right = wanted[i % PERIOD];
        bool same = reduction->logical ? (found.number != 0) == (right.number != 0)
                                       : found.number == right.number;
        if (!same || (place.indexed && found.index != right.index))
            return run_fail(run,
                            "wrong data: element %lld (from byte %lld on) of the result on PE %d "
                            "(rank %d) is %.17Lg and should be %.17Lg%s",
                            (long long)i, (long long)(i * extent),
                            pe_set_member(run->set, run->rank), run->rank, found.number,
                            right.number, same ? ", and its index is wrong" : "");
    }
    return true;
}

/* ---- Blocks that are moved ---- */

/* The block that the sender keeps for one of its peers, as a number for a pattern. */
static int pattern_of(int sender, int place, int most)
{
    return (int)(((unsigned)sender * (unsigned)most + (unsigned)place) & 0xffffff);
}

static int most_peers(const struct run *run)
{
    return run->function->neighborhood ? topology_degree(pe_set_topology(run->set)) : run->size;
}

static int peer_of(const struct mpi_collective_state *state, int k)
{
    return state->peer_ranks ? state->peer_ranks[k] : k;
}

static unsigned char *block(unsigned char *base, const struct datatype *type, int count, int k)
{
    return base + (int64_t)k * count * datatype_extent(type);
}

static int sent_to(const struct mpi_call *call, int k)
{
    return call->sent.counts ? call->sent.counts[k] : call->send_count;
}

static int received_from(const struct mpi_call *call, int k)
{
    return call->received.counts ? call->received.counts[k] : call->receive_count;
}

#define BLOCK "a block that was received"

/* Whether the block is the one that the sender keeps for this rank. In a topology a rank may be a
 * neighbour more than once: then any of the sender's blocks for it is right. */
static bool came_from(struct run *run, const unsigned char *address, int count, int sender)
{
    const struct mpi_collective_state *state = run->state;
    int most = most_peers(run), rank = state->call.rank;
    if (!run->function->neighborhood)
        return mpi_verify(run, BLOCK, address, count, state->receives,
                          pattern_of(sender, rank, most));
    int *neighbors = memory_zeroed((size_t)most, sizeof *neighbors);
    int found = topology_neighbors(pe_set_topology(run->set), sender, neighbors);
    bool good = false;
    int last = 0;
    for (int place = 0; place < found && !good; place++)
        if (neighbors[place] == rank) {
            last = pattern_of(sender, place, most);
            good = mpi_matches(run, address, count, state->receives, last);
        }
    free(neighbors);
    return good || mpi_verify(run, BLOCK, address, count, state->receives, last);
}

void mpi_data_prepare(const struct run *run)
{
    const struct mpi_collective_state *state = run->state;
    const struct mpi_call *call = &state->call;
    const struct mpi_routine *routine = state->routine;
    data_poison(run->local, run->demand.local);
    data_poison(run->remote, run->demand.remote);
    bool in_place = state->send_in_place;
    unsigned char *base = in_place ? state->receive_base : state->send_base;
    struct datatype *type = in_place ? state->receives : state->sends;
    int count = in_place ? call->receive_count : call->send_count;
    int rank = call->rank, most = most_peers(run);
    switch (routine->flow) {
    case MPI_FLOW_NONE:
        break;
    case MPI_FLOW_BCAST:
        if (rank == call->root)
            mpi_fill(run, state->receive_base, count, type, rank);
        break;
    case MPI_FLOW_GATHER:
    case MPI_FLOW_ALLGATHER:
        mpi_fill(run, in_place ? block(base, type, count, rank) : base, count, type, rank);
        break;
    case MPI_FLOW_SCATTER:
        for (int k = 0; rank == call->root && k < call->size; k++)
            mpi_fill(run, block(base, type, count, k), count, type, pattern_of(rank, k, most));
        break;
    case MPI_FLOW_ALLTOALL:
        for (int k = 0; k < state->peers; k++)
            mpi_fill(run, block(base, type, count, k), in_place ? count : sent_to(call, k), type,
                     pattern_of(rank, k, most));
        break;
    case MPI_FLOW_REDUCE_SCATTER_BLOCK:
        fill_values(run, base, (int64_t)count * call->size);
        break;
    default: /* the other reductions */
        fill_values(run, base, count);
    }
}

static bool check_gathered(struct run *run)
{
    const struct mpi_collective_state *state = run->state;
    const struct mpi_call *call = &state->call;
    for (int k = 0; k < state->peers; k++)
        if (peer_of(state, k) >= 0 &&
            !mpi_verify(run, BLOCK,
                        block(state->receive_base, state->receives, call->receive_count, k),
                        call->receive_count, state->receives, peer_of(state, k)))
            return false;
    return true;
}

static bool check_exchanged(struct run *run)
{
    const struct mpi_collective_state *state = run->state;
    const struct mpi_call *call = &state->call;
    for (int k = 0; k < state->peers; k++)
        if (peer_of(state, k) >= 0 &&
            !came_from(run, block(state->receive_base, state->receives, call->receive_count, k),
                       received_from(call, k), peer_of(state, k)))
            return false;
    return true;
}

/* Whether another call has other data to work on: what was sent has been replaced by the result. */
static bool changes_again(enum mpi_flow flow, bool in_place)
{
    return in_place && (flow == MPI_FLOW_ALLTOALL || mpi_flow_facts[flow].reduces);
}

/* Ranks that get nothing: their buffers stay as they are. */
static bool check_spared(struct run *run)
{
    const struct mpi_collective_state *state = run->state;
    const struct mpi_routine *routine = state->routine;
    return routine->temporary || state->in_place ||
           data_verify_untouched(run, "the buffer of a rank that receives nothing", run->remote,
                                 run->demand.remote);
}

bool mpi_data_check(struct run *run)
{
    const struct mpi_collective_state *state = run->state;
    const struct mpi_call *call = &state->call;
    const struct mpi_routine *routine = state->routine;
    int count = call->receive_count, size = call->size, rank = call->rank, first = 0;
    if (changes_again(routine->flow, state->in_place) && !run->untimed)
        return true;
    switch (routine->flow) {
    case MPI_FLOW_NONE:
        return true;
    case MPI_FLOW_BCAST:
        return mpi_verify(run, BLOCK, state->receive_base, count, state->receives, call->root);
    case MPI_FLOW_GATHER:
        return rank == call->root ? check_gathered(run) : check_spared(run);
    case MPI_FLOW_ALLGATHER:
        return check_gathered(run);
    case MPI_FLOW_SCATTER:
        return state->receive_in_place ||
               mpi_verify(run, BLOCK, state->receive_base, count, state->receives,
                          pattern_of(call->root, rank, size));
    case MPI_FLOW_ALLTOALL:
        return check_exchanged(run);
    case MPI_FLOW_REDUCE:
        return rank == call->root ? check_values(run, size, 0, count) : check_spared(run);
    case MPI_FLOW_ALLREDUCE:
        return check_values(run, size, 0, count);
    case MPI_FLOW_SCAN:
        return check_values(run, rank + 1, 0, count);
    case MPI_FLOW_EXSCAN:
        return rank == 0 || check_values(run, rank, 0, count);
    case MPI_FLOW_REDUCE_SCATTER_BLOCK:
        return check_values(run, size, (int64_t)rank * count, count);
    case MPI_FLOW_REDUCE_SCATTER:
        for (int before = 0; before < rank; before++)
            first += mpi_share(count, size, before);
        return check_values(run, size, first, mpi_share(count, size, rank));
    }
    return false;
}

#endif
