/*
 * One-sided communication of MPI while all windows are locked from set-up on (MPI_Win_lock_all):
 * operations one after the other, each completed by a flush or as a request. The closest to what
 * OpenSHMEM does.
 */
#include <string.h>

#include "measurements/common/mpi_window.h"

enum routine {
    NO_ROUTINE,
    PUT,
    GET,
    ACCUMULATE,
    GET_ACCUMULATE,
    FETCH_AND_OP,
    COMPARE_AND_SWAP,
    STORE, /* by the processor, in a window of shared memory */
    LOAD
};

enum completion {
    FLUSH,       /* at the target, too */
    FLUSH_LOCAL, /* until the memory here may be used again */
    REQUEST,     /* as FLUSH_LOCAL, by waiting for a request */
    SYNC         /* MPI_Win_sync */
};

struct flush {
    enum routine routine;
    enum completion completion;
    enum shape shape;
};

static bool is_scalar(const struct run *run)
{
    const struct flush *flushed = run->function->variant;
    return flushed->routine == FETCH_AND_OP || flushed->routine == COMPARE_AND_SWAP;
}

static int64_t count_of(const struct run *run)
{
    return run_integer(run, "count", is_scalar(run) ? 1 : 0);
}

static const char *check_flushed(const struct run *run)
{
    const struct flush *flushed = run->function->variant;
    const struct datatype *type = mpi_datatype_of(run);
    if (flushed->routine == FETCH_AND_OP && datatype_class(type) == DATATYPE_DERIVED)
        return "datatype must be a predefined one";
    if (flushed->routine == COMPARE_AND_SWAP && datatype_class(type) != DATATYPE_INTEGER &&
        datatype_class(type) != DATATYPE_BYTE)
        return "datatype must be one of integers or MPI_BYTE";
    return NULL;
}

/* The result of a get-accumulate lies after what it sends. */
static void demand_flushed(struct run *run)
{
    const struct flush *flushed = run->function->variant;
    const struct datatype *type = mpi_datatype_of(run);
    if (!type)
        return;
    int64_t count = count_of(run);
    run->demand.local = mpi_block_bytes(type, count, flushed->routine == GET_ACCUMULATE ? 2 : 1);
    run->demand.remote = mpi_block_bytes(type, count, 1);
    run->demand.reported =
        run->demand.local == SIZE_MAX ? 0 : (size_t)(count * datatype_extent(type));
}

#if SKAMPI_MPI

#include <stdlib.h>

/* The largest predefined type is a pair of long double and int. */
#define SCALAR_BYTES 64

struct flush_state {
    struct window window;
    struct partner partner;
    MPI_Win handle;
    MPI_Datatype datatype;
    MPI_Op op;
    int count;
    size_t block;       /* bytes from one block of elements to the next */
    size_t first, span; /* where the data of a block lie in its memory */
    MPI_Aint origin;
    unsigned char *of_partner; /* its part, in a window of shared memory */
    _Alignas(16) unsigned char operand[SCALAR_BYTES], compare[SCALAR_BYTES], result[SCALAR_BYTES];
};

static void call(const struct flush_state *s, enum routine routine, bool request, int target,
                 unsigned char *block, MPI_Request *made)
{
    unsigned char *local = block + s->origin;
    const int n = s->count;
    const MPI_Datatype type = s->datatype;
    struct flush_state *scalars = (struct flush_state *)(uintptr_t)s;
    switch (routine) {
    case PUT:
        if (request)
            MPI_Rput(local, n, type, target, s->origin, n, type, s->handle, made);
        else
            MPI_Put(local, n, type, target, s->origin, n, type, s->handle);
        break;
    case GET:
        if (request)
            MPI_Rget(local, n, type, target, s->origin, n, type, s->handle, made);
        else
            MPI_Get(local, n, type, target, s->origin, n, type, s->handle);
        break;
    case ACCUMULATE:
        if (request)
            MPI_Raccumulate(local, n, type, target, s->origin, n, type, s->op, s->handle, made);
        else
            MPI_Accumulate(local, n, type, target, s->origin, n, type, s->op, s->handle);
        break;
    case GET_ACCUMULATE:
        if (request)
            MPI_Rget_accumulate(local, n, type, local + s->block, n, type, target, s->origin, n,
                                type, s->op, s->handle, made);
        else
            MPI_Get_accumulate(local, n, type, local + s->block, n, type, target, s->origin, n,
                               type, s->op, s->handle);
        break;
    case FETCH_AND_OP:
        MPI_Fetch_and_op(s->operand, scalars->result, type, target, 0, s->op, s->handle);
        break;
    case COMPARE_AND_SWAP:
        MPI_Compare_and_swap(s->operand, s->compare, scalars->result, type, target, 0, s->handle);
        break;
    case STORE:
        memcpy(s->of_partner + s->first, block + s->first, s->span);
        break;
    case LOAD:
        memcpy(block + s->first, s->of_partner + s->first, s->span);
        break;
    case NO_ROUTINE:
        break;
    }
}

static void operate(struct run *run, int64_t iteration)
{
    const struct flush *flushed = run->function->variant;
    const struct flush_state *s = run->state;
    MPI_Request request;
    call(s, flushed->routine, flushed->completion == REQUEST, s->partner.rank,
         run->local + (size_t)iteration * run->local_step, &request);
    switch (flushed->completion) {
    case FLUSH:
        MPI_Win_flush(s->partner.rank, s->handle);
        break;
    case FLUSH_LOCAL:
        MPI_Win_flush_local(s->partner.rank, s->handle);
        break;
    case REQUEST:
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case SYNC:
        MPI_Win_sync(s->handle);
        break;
    }
}

/* The others wait in a barrier: libraries need the target for some operations. */
static double run_flushed(struct run *run)
{
    const struct flush_state *s = run->state;
    double seconds = time_iterations(run, s->partner.acting, operate);
    if (s->partner.acting)
        MPI_Win_flush(s->partner.rank, s->handle);
    MPI_Barrier(mpi_comm(run));
    return seconds;
}

/* ---- Verification ---- */

static bool accumulates(enum routine routine)
{
    return routine == ACCUMULATE || routine == GET_ACCUMULATE || routine == FETCH_AND_OP;
}

/* What one rank sends, as its tag says. Compare-and-swaps that are timed find what they put
 * there before: they always take place. */
static int sent_by(const struct run *run, int rank)
{
    return run->size + rank;
}

/* What the window of a rank holds at first. */
static int held_by(const struct run *run, int rank, int source)
{
    const struct flush *flushed = run->function->variant;
    bool the_same = flushed->routine == COMPARE_AND_SWAP && !run->untimed;
    return the_same && source >= 0 ? sent_by(run, source) : rank;
}

/* What a window holds after the source's operation; a rank's window begins with its own pattern. */
static bool check_window(struct run *run, int source)
{
    const struct flush *flushed = run->function->variant;
    const struct flush_state *s = run->state;
    struct datatype *type = mpi_datatype_of(run);
    unsigned char *found = s->window.memory;
    if (!accumulates(flushed->routine))
        return mpi_verify(
            run, "the window", mpi_address(found, type), s->count, type,
            flushed->routine == GET || flushed->routine == LOAD ? run->rank : sent_by(run, source));
    if (!run->untimed)
        return true; /* each operation adds to it */
    unsigned char *expected = memory_allocate(mpi_block_bytes(type, s->count, 2) + 1);
    mpi_window_fill(run, expected, s->count, type, run->rank, true);
    mpi_window_accumulate(run, expected, expected + s->block, s->count, type, s->op,
                          sent_by(run, source));
    bool good = mpi_window_equal(expected, found, s->count, type) ||
                data_verify_equal(run, "the window", found, expected, s->block);
    free(expected);
    return good;
}

/* What an operation brought from its target: that one's pattern. */
static bool check_result(struct run *run)
{
    const struct flush *flushed = run->function->variant;
    const struct flush_state *s = run->state;
    struct datatype *type = mpi_datatype_of(run);
    const unsigned char *found = run->local;
    bool adds = accumulates(flushed->routine);
    int tag = held_by(run, s->partner.rank, run->rank);
    if (flushed->routine == GET_ACCUMULATE)
        found = run->local + s->block;
    else if (is_scalar(run))
        found = s->result;
    else if (flushed->routine != GET && flushed->routine != LOAD)
        return true;
    if (adds && !run->untimed)
        return true;
    if (datatype_class(type) == DATATYPE_DERIVED)
        return mpi_matches(run, found + s->origin, s->count, type, tag) ||
               mpi_verify(run, "the data fetched", found + s->origin, s->count, type, tag);
    unsigned char *expected = memory_allocate(s->block + 1);
    /* Gaps of the type are as they were. */
    memcpy(expected, found, s->block);
    mpi_window_fill(run, expected, s->count, type, tag, adds);
    bool good = mpi_window_equal(expected, found, s->count, type) ||
                data_verify_equal(run, "the data fetched", found, expected, s->block);
    free(expected);
    return good;
}

static void fill(struct run *run)
{
    const struct flush *flushed = run->function->variant;
    struct flush_state *s = run->state;
    struct datatype *type = mpi_datatype_of(run);
    bool adds = accumulates(flushed->routine), scalar = is_scalar(run);
    if (!type)
        return;
    data_poison(s->window.memory, run->demand.remote);
    data_poison(run->local, run->demand.local);
    if (flushed->routine != PUT && flushed->routine != STORE)
        mpi_window_fill(run, s->window.memory, s->count, type,
                        held_by(run, run->rank, s->partner.source), adds);
    if (flushed->routine != GET && flushed->routine != LOAD)
        mpi_window_fill(run, scalar ? s->operand : run->local, s->count, type,
                        sent_by(run, run->rank), adds);
    mpi_window_fill(run, s->compare, scalar ? 1 : 0, type, held_by(run, s->partner.rank, run->rank),
                    adds);
    MPI_Win_sync(s->handle);
}

static bool verify(struct run *run)
{
    const struct flush_state *s = run->state;
    if (!mpi_datatype_of(run))
        return true;
    MPI_Win_sync(s->handle);
    return (s->partner.source < 0 || check_window(run, s->partner.source)) &&
           (!s->partner.acting || check_result(run)) && mpi_window_verify_guards(run, &s->window);
}

/* A program of ten lines shows the defect. Windows that are made in other ways, and operations on
 * 32 bits, do not have it. */
static bool crashes(const struct run *run, enum window_kind kind)
{
#if defined(OPEN_MPI) && OMPI_MAJOR_VERSION == 4 && OMPI_MINOR_VERSION == 1 &&                     \
    OMPI_RELEASE_VERSION <= 4
    const struct flush *flushed = run->function->variant;
    return flushed->routine == COMPARE_AND_SWAP && kind == WINDOW_ALLOCATE &&
           datatype_size(mpi_datatype_of(run)) == 8;
#else
    (void)run;
    (void)kind;
    return false;
#endif
}

static bool set_up_flushed(struct run *run)
{
    const struct flush *flushed = run->function->variant;
    struct flush_state *s = run->state;
    struct datatype *type = mpi_datatype_of(run);
    const struct operation *op = mpi_operation_of(run);
    enum window_kind kind = run_find_argument(run, "window")
                                ? (enum window_kind)run_word(run, "window")
                                : WINDOW_SHARED;
    if (crashes(run, kind))
        return run_fail(run, "known defect: Open MPI 4.1 up to 4.1.4 crashes in 64-bit "
                             "compare-and-swap on windows by MPI_Win_allocate: take \"create\", "
                             "\"shared\" or a type of 32 bits");
    if (!mpi_window_open_locked(run, kind, run->demand.remote, MPI_INFO_NULL, &s->window))
        return false;
    s->handle = s->window.handle;
    s->partner = shape_partner(run, flushed->shape, 0);
    if (kind == WINDOW_SHARED && s->partner.acting) {
        MPI_Aint bytes;
        int unit;
        MPI_Win_shared_query(s->handle, s->partner.rank, &bytes, &unit, &s->of_partner);
    }
    if (!type)
        return true;
    s->datatype = mpi_datatype(type);
    s->op = op ? mpi_operation(op) : MPI_OP_NULL;
    s->count = (int)count_of(run);
    s->block = (size_t)(s->count * datatype_extent(type));
    s->span = datatype_span(type, s->count, &s->first);
    s->origin = (MPI_Aint)datatype_origin(type);
    return true;
}

#endif

/* clang-format off */
#define WINDOW {"window", PARAMETER_STRING, "", "routine that makes the window", .words = "create|allocate|shared", .example = "allocate"}

static const struct measurement flushed = {
    .api = API_MPI, .accumulates = true, .check = check_flushed, .version_major = 3, .timing = TIMING_PARTS, .demand = demand_flushed,
    .setup = WITH_MPI(set_up_flushed), .fill = WITH_MPI(fill), .verify = WITH_MPI(verify),
    .run = WITH_MPI(run_flushed), .teardown = WITH_MPI(mpi_window_tear_down), MPI_STATE(struct flush_state),
    .moves = MOVES_MESSAGE};
static const struct measurement by_pair = {.like = {&flushed}, .minimum_pes = 2, .who = "rank 0"};
static const struct measurement around_ring = {.like = {&flushed}, .who = "all"};
#define MOVES .parameters = {COUNT_ELEMENTS, DATATYPE, WINDOW, ITERATIONS}
#define ADDS .parameters = {COUNT_ELEMENTS, DATATYPE, OPERATION, WINDOW, ITERATIONS}

const struct measurement measurements_mpi_flush[] = {
    {"Win_flush", "flush with nothing outstanding", .like = {&by_pair}, .variant = &(const struct flush){NO_ROUTINE, FLUSH, SHAPE_PAIR}, .moves = MOVES_NOTHING,
     .parameters = {WINDOW, ITERATIONS}, .routine = "MPI_Win_flush", .timed = "MPI_Win_flush"},
    {"Win_flush_local", "local flush with nothing outstanding", .like = {&by_pair}, .variant = &(const struct flush){NO_ROUTINE, FLUSH_LOCAL, SHAPE_PAIR}, .moves = MOVES_NOTHING,
     .parameters = {WINDOW, ITERATIONS}, .routine = "MPI_Win_flush_local", .timed = "MPI_Win_flush_local"},
    {"Win_sync", "synchronization of the private and the public copy of a window", .like = {&by_pair}, .variant = &(const struct flush){NO_ROUTINE, SYNC, SHAPE_PAIR}, .moves = MOVES_NOTHING,
     .parameters = {WINDOW, ITERATIONS}, .routine = "MPI_Win_sync", .timed = "MPI_Win_sync"},
    {"Put_Flush", "put from rank 0 to rank 1 until it is complete there", .like = {&by_pair}, .variant = &(const struct flush){PUT, FLUSH, SHAPE_PAIR}, MOVES,
     .routine = "MPI_Put", .calls = "MPI_Win_flush", .timed = "MPI_Put, MPI_Win_flush"},
    {"Put_Flush_Round", "put around the ring until it is complete at the target", .like = {&around_ring}, .variant = &(const struct flush){PUT, FLUSH, SHAPE_RING},
     MOVES, .routine = "MPI_Put", .calls = "MPI_Win_flush", .timed = "MPI_Put, MPI_Win_flush"},
    {"Put_Flush_Local", "put from rank 0 to rank 1 until the source may be used again",
     .like = {&by_pair}, .variant = &(const struct flush){PUT, FLUSH_LOCAL, SHAPE_PAIR}, .moves = MOVES_NOTHING, MOVES, .routine = "MPI_Put", .calls = "MPI_Win_flush_local", .timed = "MPI_Put, MPI_Win_flush_local"},
    {"Rput_Wait", "put as a request", .like = {&by_pair}, .variant = &(const struct flush){PUT, REQUEST, SHAPE_PAIR}, MOVES, .routine = "MPI_Rput", .calls = "MPI_Wait", .timed = "MPI_Rput, MPI_Wait"},
    {"Get_Flush", "get by rank 0 from rank 1", .like = {&by_pair}, .variant = &(const struct flush){GET, FLUSH, SHAPE_PAIR}, MOVES,
     .routine = "MPI_Get", .calls = "MPI_Win_flush", .timed = "MPI_Get, MPI_Win_flush"},
    {"Get_Flush_Round", "get around the ring", .like = {&around_ring}, .variant = &(const struct flush){GET, FLUSH, SHAPE_RING}, MOVES,
     .routine = "MPI_Get", .calls = "MPI_Win_flush", .timed = "MPI_Get, MPI_Win_flush"},
    {"Rget_Wait", "get as a request", .like = {&by_pair}, .variant = &(const struct flush){GET, REQUEST, SHAPE_PAIR}, MOVES, .routine = "MPI_Rget", .calls = "MPI_Wait", .timed = "MPI_Rget, MPI_Wait"},
    {"Accumulate_Flush", "accumulate by rank 0 on rank 1", .like = {&by_pair}, .variant = &(const struct flush){ACCUMULATE, FLUSH, SHAPE_PAIR}, ADDS,
     .routine = "MPI_Accumulate", .calls = "MPI_Win_flush", .timed = "MPI_Accumulate, MPI_Win_flush"},
    {"Accumulate_Flush_Local", "accumulate by rank 0 on rank 1, until the source may be used again",
     .like = {&by_pair}, .variant = &(const struct flush){ACCUMULATE, FLUSH_LOCAL, SHAPE_PAIR}, .moves = MOVES_NOTHING, ADDS, .routine = "MPI_Accumulate", .calls = "MPI_Win_flush_local", .timed = "MPI_Accumulate, MPI_Win_flush_local"},
    {"Raccumulate_Wait", "accumulate as a request", .like = {&by_pair}, .variant = &(const struct flush){ACCUMULATE, REQUEST, SHAPE_PAIR}, ADDS,
     .routine = "MPI_Raccumulate", .calls = "MPI_Wait", .timed = "MPI_Raccumulate, MPI_Wait"},
    {"Get_accumulate_Flush", "get and accumulate by rank 0 on rank 1", .like = {&by_pair}, .variant = &(const struct flush){GET_ACCUMULATE, FLUSH, SHAPE_PAIR},
     ADDS, .routine = "MPI_Get_accumulate", .calls = "MPI_Win_flush", .timed = "MPI_Get_accumulate, MPI_Win_flush"},
    {"Rget_accumulate_Wait", "get and accumulate as a request", .like = {&by_pair}, .variant = &(const struct flush){GET_ACCUMULATE, REQUEST, SHAPE_PAIR},
     ADDS, .routine = "MPI_Rget_accumulate", .calls = "MPI_Wait", .timed = "MPI_Rget_accumulate, MPI_Wait"},
    {"Fetch_and_op_Flush", "fetch and operation on one element by rank 0 on rank 1",
     .like = {&by_pair}, .variant = &(const struct flush){FETCH_AND_OP, FLUSH, SHAPE_PAIR}, .parameters = {DATATYPE, OPERATION, WINDOW, ITERATIONS},
     .routine = "MPI_Fetch_and_op", .calls = "MPI_Win_flush", .timed = "MPI_Fetch_and_op, MPI_Win_flush"},
    {"Compare_and_swap_Flush", "compare and swap that swaps, by rank 0 on rank 1",
     .like = {&by_pair}, .variant = &(const struct flush){COMPARE_AND_SWAP, FLUSH, SHAPE_PAIR}, .parameters = {DATATYPE, WINDOW, ITERATIONS},
     .routine = "MPI_Compare_and_swap", .calls = "MPI_Win_flush", .timed = "MPI_Compare_and_swap, MPI_Win_flush"},
    {"Shared_Store", "copy into shared memory of rank 1 by rank 0", .like = {&by_pair}, .variant = &(const struct flush){STORE, SYNC, SHAPE_PAIR},
     .parameters = {COUNT_ELEMENTS, DATATYPE, ITERATIONS},
     .calls = "MPI_Win_sync", .timed = "memcpy into a window of MPI_Win_allocate_shared, MPI_Win_sync"},
    {"Shared_Load", "copy from shared memory of rank 1 by rank 0", .like = {&by_pair}, .variant = &(const struct flush){LOAD, SYNC, SHAPE_PAIR},
     .parameters = {COUNT_ELEMENTS, DATATYPE, ITERATIONS},
     .calls = "MPI_Win_sync", .timed = "memcpy from a window of MPI_Win_allocate_shared, MPI_Win_sync"},
    {.name = NULL},
};
/* clang-format on */
