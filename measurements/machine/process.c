/*
 * What happens once in a process: the library's start, the first call of a routine, and the memory
 * that the library takes for it. Nothing here can be repeated, so what has been found out is kept
 * for the rest of the run.
 */
#include <math.h>

#include "measurements/common/collective.h"

#if SKAMPI_SHMEM
#include <shmem.h>
#endif

/* ---- Start of the library ---- */

static double run_startup(struct run *run)
{
    const struct library_start *start = run_library_start(run);
    double mpi = run_max(run, start->mpi), shmem = run_max(run, start->shmem);
    if (!isnan(mpi))
        run_note(run, "MPI_Init: %s on the slowest PE", plain_time(mpi).text);
    if (!isnan(shmem))
        run_note(run, "shmem_init: %s on the slowest PE", plain_time(shmem).text);
    run_report_end(run);
    return (isnan(start->mpi) ? 0 : start->mpi) + (isnan(start->shmem) ? 0 : start->shmem);
}

enum stage { STAGE_INIT, STAGE_PEERS, STAGE_ALLTOALL, STAGES };

#if SKAMPI_SHMEM

/* Where a call gets its data from, and to. */
struct call {
    int pe, rank; /* pe: the next one */
    struct active_set set;
    long *source, *target;
    long *lock; /* of this PE; only the library knows what it holds */
    bool locked;
    long *sync, *work;
    void *memory; /* that the call allocated */
    shmem_ctx_t context;
};

static long value_of(int rank)
{
    return 1000 + rank;
}

static struct call prepare(const struct run *run)
{
    long *elements = (long *)(void *)(run->scratch + active_set_bytes());
    struct call call = {.pe = pe_set_member(run->set, (run->rank + 1) % run->size),
                        .rank = run->rank,
                        .set = active_set_open(run, run->size, run->scratch),
                        .source = elements,
                        .target = elements + run->size,
                        .lock = &elements[2 * run->size + run->rank],
                        .work = elements + 3 * run->size,
                        .context = SHMEM_CTX_DEFAULT};
    call.sync = active_set_sync(&call.set);
    for (int i = 0; i < run->size; i++) {
        call.source[i] = value_of(run->rank);
        call.target[i] = 0;
    }
    return call;
}

/* ---- First calls ---- */

/* The times of the first gets, which skampi takes at its start, before anything else is called: now
 * the PEs are connected. */
static double run_connect(struct run *run)
{
    const double *gets = run_library_start(run)->gets;
    double first = run_max(run, gets[0]), second = run_max(run, gets[1]);
    run_note(run, "the first get took %s, the second %s (each the most of any PE)",
             plain_time(first).text, plain_time(second).text);
    return fmax(gets[0] - gets[1], 0);
}

enum library_call {
    PUT,
    GET,
    PUT_NBI,
    GET_NBI,
    ATOMIC,
    QUIET,
    FENCE,
    BARRIER,
    BARRIER_ALL,
    SYNC,
    BROADCAST,
    COLLECT,
    FCOLLECT,
    REDUCE,
    ALLTOALL,
    MALLOC,
    LOCK,
    CTX_CREATE,
    OPERATIONS
};

static void do_call(enum library_call operation, struct call *call)
{
    const struct active_set *set = &call->set;
    switch (operation) {
    case PUT:
        shmem_putmem(call->target, call->source, sizeof *call->source, call->pe);
        break;
    case GET:
        shmem_getmem(call->target, call->source, sizeof *call->source, call->pe);
        break;
    case PUT_NBI:
        shmem_putmem_nbi(call->target, call->source, sizeof *call->source, call->pe);
        break;
    case GET_NBI:
        shmem_getmem_nbi(call->target, call->source, sizeof *call->source, call->pe);
        break;
    case ATOMIC:
        shmem_long_atomic_swap(call->target, call->source[0], call->pe);
        break;
    case QUIET:
        shmem_quiet();
        break;
    case FENCE:
        shmem_fence();
        break;
    case BARRIER:
        shmem_barrier(set->start, set->log_stride, set->size, call->sync);
        break;
    case BARRIER_ALL:
        shmem_barrier_all();
        break;
    case SYNC:
        shmem_sync(set->start, set->log_stride, set->size, call->sync);
        break;
    case BROADCAST:
        shmem_broadcast64(call->target, call->source, 1, 0, set->start, set->log_stride, set->size,
                          call->sync);
        break;
    case COLLECT:
        shmem_collect64(call->target, call->source, 1, set->start, set->log_stride, set->size,
                        call->sync);
        break;
    case FCOLLECT:
        shmem_fcollect64(call->target, call->source, 1, set->start, set->log_stride, set->size,
                         call->sync);
        break;
    case REDUCE:
        shmem_long_max_to_all(call->target, call->source, 1, set->start, set->log_stride, set->size,
                              call->work, call->sync);
        break;
    case ALLTOALL:
        shmem_alltoall64(call->target, call->source, 1, set->start, set->log_stride, set->size,
                         call->sync);
        break;
    case MALLOC:
        call->memory = shmem_malloc(sizeof *call->source);
        break;
    case LOCK:
        shmem_set_lock(call->lock);
        call->locked = true;
        break;
    case CTX_CREATE:
        if (shmem_ctx_create(0, &call->context) != 0)
            call->context = SHMEM_CTX_DEFAULT;
        break;
    case OPERATIONS:
        break;
    }
}

/* Untimed, after a call: releases what it made. */
static void undo(struct call *call)
{
    shmem_quiet();
    if (call->locked)
        shmem_clear_lock(call->lock);
    if (call->memory)
        shmem_free(call->memory);
    if (call->context != SHMEM_CTX_DEFAULT)
        shmem_ctx_destroy(call->context);
    call->locked = false;
    call->memory = NULL;
    call->context = SHMEM_CTX_DEFAULT;
}

enum members { ANY_SET, ACTIVE_SET, WORLD };

/* Whose value is in the target after the call. */
enum value_source { NOTHING, OF_NEXT, OF_BEFORE, OF_FIRST, OF_LAST };

/* In the order of the words of the parameter. */
static const struct kind {
    enum members members;
    enum value_source moved;
    bool engine; /* calls it, too, before anything is measured */
} kinds[OPERATIONS] = {
    [PUT] = {ANY_SET, OF_BEFORE, true},          [GET] = {ANY_SET, OF_NEXT, false},
    [PUT_NBI] = {ANY_SET, OF_BEFORE, false},     [GET_NBI] = {ANY_SET, OF_NEXT, false},
    [ATOMIC] = {ANY_SET, OF_BEFORE, false},      [QUIET] = {ANY_SET, NOTHING, true},
    [FENCE] = {ANY_SET, NOTHING, true},          [BARRIER] = {ACTIVE_SET, NOTHING, false},
    [BARRIER_ALL] = {WORLD, NOTHING, true},      [SYNC] = {ACTIVE_SET, NOTHING, false},
    [BROADCAST] = {ACTIVE_SET, OF_FIRST, false}, [COLLECT] = {ACTIVE_SET, OF_FIRST, false},
    [FCOLLECT] = {ACTIVE_SET, OF_FIRST, false},  [REDUCE] = {ACTIVE_SET, OF_LAST, false},
    [ALLTOALL] = {ACTIVE_SET, OF_FIRST, false},  [MALLOC] = {WORLD, NOTHING, true},
    [LOCK] = {ANY_SET, NOTHING, false},          [CTX_CREATE] = {ANY_SET, NOTHING, false},
};

/* Kinds of operations that this process has called. */
static bool called[OPERATIONS];

/* From the engine's barrier on, so that collective calls do not count how late others are. */
static double time_call(struct run *run, const struct kind *kind, struct call *call)
{
    run_barrier(run);
    int64_t start = timer_now();
    do_call((enum library_call)(kind - kinds), call);
    double seconds = run_elapsed(run, start, timer_now());
    undo(call);
    run_barrier(run);
    return seconds;
}

static void check_target(struct run *run, const struct kind *kind, const struct call *call)
{
    int n = run->size;
    const int ranks[] = {-1, (run->rank + 1) % n, (run->rank + n - 1) % n, 0, n - 1};
    int rank = ranks[kind->moved];
    /* A broadcast leaves the root's target alone. */
    if (rank < 0 || (kind == &kinds[BROADCAST] && run->rank == 0))
        return;
    if (call->target[0] != value_of(rank))
        run_fail(run, "rank %d does not have the value of rank %d", run->rank, rank);
}

static double run_first_call(struct run *run)
{
    const struct kind *kind = &kinds[run_word(run, "kind")];
    struct call call = prepare(run);
    double before = run_max(run, called[kind - kinds]);
    called[kind - kinds] = true;
    double first = time_call(run, kind, &call);
    check_target(run, kind, &call);
    double second = run_max(run, time_call(run, kind, &call)), slowest = run_max(run, first);
    run_note(run, "the second call: %s, the first took %s times as long", plain_time(second).text,
             plain_number(slowest / second).text);
    if (kind->engine)
        run_note(run, "not the first in this process: skampi had called it before");
    if (before > 0)
        run_note(
            run,
            "not the first in this process: First_Call or Memory_Footprint had called it before");
    note_earlier(run, "it");
    return first;
}

/* ---- Memory ---- */

/* Stages that this process has been through: only the first time in a process counts. */
static bool been_through[STAGES];

static bool call_peers(struct run *run, struct call *call)
{
    for (int i = 0; i < run->size; i++) {
        int rank = (run->rank + i) % run->size, pe = pe_set_member(run->set, rank);
        long found;
        shmem_putmem(&call->target[run->rank], call->source, sizeof *call->source, pe);
        shmem_getmem(&found, call->source, sizeof found, pe);
        if (found != value_of(rank))
            return false;
    }
    shmem_quiet();
    called[PUT] = called[GET] = true;
    return true;
}

static const char *const stage_names[STAGES] = {"init", "the first call to each peer",
                                                "the first all-to-all"};

/* Each rank's value is in its place then. */
static bool go_through(struct run *run, enum stage stage)
{
    struct call call = prepare(run);
    if (run_max(run, been_through[stage]) > 0)
        run_note(run, "%s had happened before in this run", stage_names[stage]);
    been_through[stage] = true;
    run_barrier(run);
    bool good = stage == STAGE_ALLTOALL || call_peers(run, &call);
    if (stage == STAGE_ALLTOALL) {
        do_call(ALLTOALL, &call);
        called[ALLTOALL] = true;
    }
    run_barrier(run);
    for (int rank = 0; good && rank < run->size; rank++)
        good = call.target[rank] == value_of(rank);
    return good || run_fail(run, "rank %d does not have the others' data", run->rank);
}

static double run_footprint(struct run *run)
{
    const enum stage last = *(const enum stage *)run->function->variant;
    const struct library_start *start = run_library_start(run);
    double before = start->resident_before, now = start->resident_after;
    if (run_max(run, isnan(now)) > 0) { /* on any PE: what follows is collective */
        run_fail(run,
                 "the system of some PE does not report the memory of a process: there is neither "
                 "/proc/self/smaps_rollup nor /proc/self/statm");
        return NAN;
    }
    for (enum stage stage = STAGE_INIT; stage <= last; stage++) {
        if (stage > STAGE_INIT) {
            go_through(run, stage);
            before = now;
            now = resident_bytes();
        }
        note_memory(run, stage_names[stage], before, now);
    }
    if (last > STAGE_INIT) {
        run_note(run,
                 "skampi had called some peers before: in its trees of all PEs, and for clocks");
        note_earlier(run, "peers");
    }
    return now;
}

/* ---- What is refused ---- */

static const char *check_footprint(const struct run *run)
{
    return *(const enum stage *)run->function->variant < STAGE_ALLTOALL
               ? NULL
               : collective_refused_set(run->set);
}

static const char *check_kind(const struct run *run)
{
    const struct kind *kind = &kinds[run_word(run, "kind")];
    if (kind->members == ACTIVE_SET)
        return collective_refused_set(run->set);
    if (kind->members == WORLD && measurement_pes() > 0 && run->size != measurement_pes())
        return "all PEs of the job have to call this together";
    return NULL;
}

#endif

/* An element for each PE in the source and in the target, a lock for each, and the work array of a
 * reduction. */
static void demand(struct run *run)
{
    run->demand.scratch =
        active_set_bytes() + (3 * (size_t)run->size + collective_work_elements(1)) * sizeof(long);
}

static const enum stage after_init = STAGE_INIT, after_peers = STAGE_PEERS,
                        after_alltoall = STAGE_ALLTOALL;

/* clang-format off */
#define KIND {"kind", PARAMETER_STRING, "", "routine to call", .words = "put|get|put_nbi|get_nbi|atomic|quiet|fence|barrier|barrier_all|sync|broadcast|collect|fcollect|reduce|alltoall|malloc|lock|ctx_create", .allowed = "one of put, get, atomic, barrier, malloc, lock, ... (any other word lists them all)", .example = "put"}
/* clang-format on */

static const struct measurement once = {.timing = TIMING_ONCE, .who = "all"};
static const struct measurement footprint = {
    .api = API_OPENSHMEM,
    .calls = "shmem_init shmem_putmem shmem_alltoall32",
    .quantity = QUANTITY_BYTES,
    .own_check = true,
    .moves = MOVES_NOTHING,
    .timed = "nothing: resident memory",
    .check = WITH_SHMEM(check_footprint),
    .demand = demand,
    .run = WITH_SHMEM(run_footprint),
    .like = {&once},
};

const struct measurement measurements_process[] = {
    {"Startup", "starting the library: MPI_Init and shmem_init", .like = {&once},
     .routine = "shmem_init shmem_init_thread MPI_Init MPI_Init_thread", .no_data = true,
     .run = run_startup,
     .timed = "the start, once; the library's end follows as the last line of the output"},
    {"First_Call", "the first call of a routine in a process, on the next rank or by all",
     .like = {&once}, .own_check = true, .api = API_OPENSHMEM, .parameters = {KIND},
     .check = WITH_SHMEM(check_kind), .demand = demand, .run = WITH_SHMEM(run_first_call),
     .moves = MOVES_NOTHING, .calls = "", .timed = "one call, after a barrier of skampi"},
    {"Connect", "connecting two PEs: what the first get of a process takes more than the second",
     .like = {&once}, .api = API_OPENSHMEM, .routine = "shmem_long_g", .no_data = true,
     .minimum_pes = 2, .run = WITH_SHMEM(run_connect),
     .timed = "two gets from the next PE of the job, right after the start of the library"},
    {"Memory_Footprint", "memory of a process after init, calls to each peer and an all-to-all",
     .like = {&footprint}, .variant = &after_alltoall},
    {"Memory_Footprint_Init", "memory of a process after init", .like = {&footprint},
     .variant = &after_init},
    {"Memory_Footprint_Peers", "memory of a process after the first call to each peer",
     .like = {&footprint}, .variant = &after_peers},
    {.name = NULL},
};
