/*
 * Operations on a PE that computes: whether put, get and atomics progress without the target's
 * help.
 *
 * Rank 0 works on rank 1, which computes from the start on without any call of the library. If
 * library or hardware progress without the target, the time is that of the operation alone;
 * otherwise it is about the rest of the computation.
 */
#include "measurements/shapes.h"

/* Rank 0 begins when this part of the computation is over: with a barrier as the start, the target
 * may still be inside it for a while. */
#define HEAD_START (1.0 / 8)
#define LONGEST_COMPUTATION 1 /* seconds */

enum action { PUT, GET, FETCH_ADD };

static enum action action_of(const struct measurement *function)
{
    return *(const enum action *)function->variant;
}

static const char *check(const struct measurement *function, const struct argument *arguments,
                         const struct pe_set *set)
{
    (void)set;
    double seconds = argument_named(function, arguments, "computation")->real;
    return seconds >= 0 && seconds <= LONGEST_COMPUTATION
               ? NULL
               : "computation must be between 0 and 1 second";
}

static void demand(const struct measurement *function, const struct argument *arguments, int pes,
                   struct demand *demand)
{
    (void)pes;
    if (action_of(function) == FETCH_ADD) {
        demand->scratch = demand->reported = sizeof(long);
        return;
    }
    demand->local = demand->remote = demand->reported =
        (size_t)argument_named(function, arguments, "count")->integer;
}

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

struct progress_state {
    struct partner partner;
    double computation, head_start; /* seconds */
    long fetched;                   /* by the last atomic */
};

/* ---- The operations ---- */

static long *word_of(const struct run *run)
{
    return (long *)(void *)run->scratch;
}

/* addend: of the atomic. */
static void operate(struct run *run, long addend)
{
    struct progress_state *state = run->state;
    int pe = state->partner.pe;
    switch (action_of(run->function)) {
    case PUT:
        shmem_putmem(run->remote, run->local, run->demand.local, pe);
        shmem_quiet();
        break;
    case GET:
        shmem_getmem(run->local, run->remote, run->demand.local, pe);
        break;
    case FETCH_ADD:
        state->fetched = shmem_long_atomic_fetch_add(word_of(run), addend, pe);
        break;
    }
}

/* ---- The data ---- */

/* What the target of atomics holds at first. */
static long first_value(const struct run *run)
{
    return (long)(run->seed & 0xffff);
}

static void fill(struct run *run)
{
    bool get = action_of(run->function) == GET;
    unsigned char *source = get ? run->remote : run->local;
    unsigned char *target = get ? run->local : run->remote;
    if (action_of(run->function) == FETCH_ADD) {
        *word_of(run) = first_value(run);
        return;
    }
    pattern_fill(source, run->demand.local, data_key(run, run->rank));
    data_poison(target, run->demand.local);
}

static bool verify_word(struct run *run)
{
    const struct progress_state *state = run->state;
    long first = first_value(run), last = first + (long)run->repeated;
    long wanted = state->partner.source < 0 ? first : last;
    if (*word_of(run) != wanted)
        return run_fail(run, "wrong data: rank %d has %ld and should have %ld", run->rank,
                        *word_of(run), wanted);
    return !state->partner.acting || state->fetched == last - 1 ||
           run_fail(run, "wrong data: rank %d fetched %ld and should have fetched %ld", run->rank,
                    state->fetched, last - 1);
}

static bool verify(struct run *run)
{
    const struct partner *partner = &((struct progress_state *)run->state)->partner;
    size_t bytes = run->demand.local;
    enum action action = action_of(run->function);
    if (action == FETCH_ADD)
        return verify_word(run);
    bool get = action == GET;
    const unsigned char *source = get ? run->remote : run->local;
    const unsigned char *target = get ? run->local : run->remote;
    int from = get ? (partner->acting ? partner->rank : -1) : partner->source;
    bool right = from >= 0
                     ? data_verify(run, "the data that were moved", target, bytes, from)
                     : data_verify_untouched(run, "memory that nothing is moved to", target, bytes);
    return right && data_verify(run, "the source", source, bytes, run->rank);
}

/* ---- What is timed ---- */

static bool set_up(struct run *run)
{
    struct progress_state *state = run->state;
    state->partner = shape_partner(run, SHAPE_PAIR, 0);
    state->computation = run_argument(run, "computation")->real;
    state->head_start = HEAD_START * state->computation;
    return true;
}

/* The barrier at the end lets the target, and those that only watch, wait inside a library that
 * makes progress, from the end of the computation until the operation is complete. */
static double run_operation(struct run *run)
{
    const struct progress_state *state = run->state;
    double seconds = NAN;
    if (state->partner.acting && warm_places(run))
        operate(run, 0);
    run_start(run);
    if (state->partner.acting) {
        if (state->head_start > 0)
            run_pause(state->head_start);
        int64_t from = timer_now();
        operate(run, 1);
        seconds = run_elapsed(run, from, timer_now());
    } else if (state->partner.source >= 0 && state->computation > 0) {
        run_pause(state->computation);
    }
    run_stop(run);
    run_barrier(run);
    return seconds;
}

#define STATE .state_bytes = sizeof(struct progress_state)
#else
#define STATE .state_bytes = 0
#endif

/* clang-format off */
#define COMPUTATION {"computation", PARAMETER_DOUBLE, "s", "time that the target computes from the start on (0: it waits inside the library)", .allowed = "0 to 1", .example = "0.001"}

#define COMPUTES(which)                                                                            \
    .api = API_OPENSHMEM, .synchronized = true, .minimum_pes = 2, .who = "rank 0",                 \
    .check = check, .demand = demand, STATE, .setup = WITH_SHMEM(set_up),                          \
    .fill = WITH_SHMEM(fill), .verify = WITH_SHMEM(verify), .run = WITH_SHMEM(run_operation),      \
    .variant = &(const enum action) {which}
#define TO_COMPUTING " that begins when 1/8 of the computation is over"

const struct measurement measurements_progress[] = {
    {"Shmem_Put_Target_Computes", "put and quiet to a PE that computes", COMPUTES(PUT),
     .parameters = {COUNT_BYTES, COMPUTATION}, .timed = "put + quiet" TO_COMPUTING,
     .cost = "post + wire + quiet"},
    {"Shmem_Get_Target_Computes", "get from a PE that computes", COMPUTES(GET),
     .parameters = {COUNT_BYTES, COMPUTATION}, .timed = "get" TO_COMPUTING,
     .cost = "post + wire"},
    {"Shmem_Atomic_Fetch_Add_Long_Target_Computes", "fetching atomic on a PE that computes",
     COMPUTES(FETCH_ADD), .parameters = {COMPUTATION}, .timed = "fetch-and-add" TO_COMPUTING,
     .cost = "fetch"},
    {.name = NULL},
};
/* clang-format on */
