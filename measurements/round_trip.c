/*
 * Round trips of pairs of ranks, synchronized by all PEs or by each pair alone: there and back by
 * puts, by a put and a get, by gets.
 *
 * A round trip has two halves. In each, the sender may put before it synchronizes, and the receiver
 * may get after that; in the second half they change places.
 */
#include "measurements/collective.h"
#include "measurements/openshmem.h"
#include "measurements/pairs_pattern.h"

enum synchronized_by {
    BARRIER, /* of all ranks of the set, also those that are in no pair */
    FLAG,    /* p of a word that the receiver waits for, behind a fence where there are data */
    SIGNAL   /* put with signal; without data where there are none */
};

struct trip {
    struct routine routine; /* what collective.h needs: no routine, and blocks of bytes */
    enum synchronized_by by;
    bool puts[2], gets[2]; /* in each half */
};

static const char *check(const struct measurement *function, const struct argument *arguments,
                         const struct pe_set *set)
{
    const struct trip *trip = function->variant;
    const char *wrong = pairs_check_pairs(function, arguments, set);
    return wrong || trip->by != BARRIER ? wrong : collective_check(function, arguments, set);
}

/* On this PE: what it puts, then what it gets. */
static void demand(const struct measurement *function, const struct argument *arguments, int pes,
                   struct demand *demand)
{
    collective_demand(function, arguments, pes, demand);
    size_t place = pairs_place_bytes(demand->reported);
    demand->local = pairs_product(2, place);
    demand->remote = place;
}

#if SKAMPI_SHMEM

#include <math.h>
#include <shmem.h>

struct trip_state {
    struct collective_state collective; /* for the barrier */
    struct pairs pairs;
    int partner, pe; /* its rank and PE; -1: in no pair */
    bool first;      /* of its pair: starts and reports */
    long trips;      /* so far: what flags and signals are set to, so nothing has to be reset */
};

/* Set by others. */
static long *flag_of(const struct run *run)
{
    return collective_counter(run, COLLECTIVE_ACKNOWLEDGED);
}

#if SKAMPI_SHMEM_1_5
static uint64_t *signal_of(const struct run *run)
{
    return (uint64_t *)(void *)collective_counter(run, COLLECTIVE_LEFT);
}
#endif

/* ---- Parts ---- */

/* The memory of an iteration. */
struct memory {
    unsigned char *source, *got, *there;
    size_t bytes;
};

static struct memory memory_of(const struct run *run, int64_t iteration)
{
    size_t bytes = run->demand.reported;
    unsigned char *local = run->local + (size_t)iteration * run->local_step;
    return (struct memory){local, local + pairs_place_bytes(bytes),
                           run->remote + (size_t)iteration * run->remote_step, bytes};
}

static inline void send(const struct run *run, const struct trip_state *state,
                        const struct trip *trip, int half, const struct memory *memory)
{
    bool puts = trip->puts[half] && memory->bytes > 0;
    switch (trip->by) {
    case BARRIER:
        if (puts)
            shmem_putmem(memory->there, memory->source, memory->bytes, state->pe);
        break;
    case FLAG:
        if (puts) {
            shmem_putmem(memory->there, memory->source, memory->bytes, state->pe);
            shmem_fence();
        }
        shmem_long_p(flag_of(run), state->trips, state->pe);
        break;
    case SIGNAL:
#if SKAMPI_SHMEM_1_5
        shmem_putmem_signal(memory->there, memory->source, puts ? memory->bytes : 0, signal_of(run),
                            (uint64_t)state->trips, SHMEM_SIGNAL_SET, state->pe);
#endif
        break;
    }
}

static inline void await(const struct run *run, const struct trip_state *state,
                         const struct trip *trip)
{
    if (trip->by == FLAG)
        shmem_long_wait_until(flag_of(run), SHMEM_CMP_GE, state->trips);
#if SKAMPI_SHMEM_1_5
    if (trip->by == SIGNAL)
        shmem_signal_wait_until(signal_of(run), SHMEM_CMP_GE, (uint64_t)state->trips);
#endif
}

static inline void go(struct run *run, int64_t iteration)
{
    const struct trip *trip = run->function->variant;
    struct trip_state *state = run->state;
    struct memory memory = memory_of(run, iteration);
    state->trips++;
    for (int half = 0; half < 2; half++) {
        bool sends = state->partner >= 0 && state->first == (half == 0);
        bool receives = state->partner >= 0 && !sends;
        if (sends)
            send(run, state, trip, half, &memory);
        if (trip->by == BARRIER)
            collective_barrier(run);
        else if (receives)
            await(run, state, trip);
        if (receives && trip->gets[half] && memory.bytes > 0)
            shmem_getmem(memory.got, memory.there, memory.bytes, state->pe);
    }
}

/* ---- Hooks ---- */

static bool set_up(struct run *run)
{
    struct trip_state *state = run->state;
    if (!collective_set_up(run))
        return false;
    if (!pairs_open(&state->pairs, run))
        return run_fail(run, "out of memory");
    state->partner = pairs_partner(&state->pairs, run->rank, &state->first);
    state->pe = state->partner >= 0 ? pe_set_member(run->set, state->partner) : -1;
    pairs_note(run, &state->pairs);
    return true;
}

static void tear_down(struct run *run)
{
    pairs_close(&((struct trip_state *)run->state)->pairs);
}

static double run_trips(struct run *run)
{
    const struct trip *trip = run->function->variant;
    const struct trip_state *state = run->state;
    bool takes_part = state->partner >= 0 || trip->by == BARRIER;
    bool reports = state->partner >= 0 && state->first;
    if (takes_part && warm_places(run))
        go(run, 0);
    int64_t started = run_start(run);
    for (int64_t i = 0; takes_part && i < run->iterations; i++)
        go(run, i);
    int64_t stopped = run_stop(run);
    if (takes_part)
        shmem_quiet(); /* untimed: whose last flag nobody answers */
    return reports ? run_elapsed(run, started, stopped) / (double)run->iterations : NAN;
}

/* Whether this rank's own data are what others get; else they are what it puts. */
static bool is_got(const struct trip *trip)
{
    return !trip->puts[0] && !trip->puts[1];
}

static void fill(struct run *run)
{
    const struct trip *trip = run->function->variant;
    struct memory memory = memory_of(run, 0);
    data_poison(run->local, run->demand.local);
    data_poison(run->remote, run->demand.remote);
    pattern_fill(is_got(trip) ? memory.there : memory.source, memory.bytes,
                 data_key(run, run->rank));
}

/* Memory that has the data of a rank, or is untouched where that is -1. */
static bool holds(struct run *run, const char *what, const unsigned char *memory, int rank)
{
    size_t bytes = run->demand.reported;
    return rank >= 0 ? data_verify(run, what, memory, bytes, rank)
                     : data_verify_untouched(run, what, memory, bytes);
}

static bool verify(struct run *run)
{
    const struct trip *trip = run->function->variant;
    const struct trip_state *state = run->state;
    struct memory memory = memory_of(run, 0);
    int partner = state->partner, put = -1, got = -1;
    if (partner >= 0 && trip->puts[state->first ? 1 : 0])
        put = partner;
    if (partner >= 0 && trip->gets[state->first ? 1 : 0])
        got = is_got(trip) ? partner : run->rank; /* or its own, back from the partner */
    return holds(run, "what the other rank of the pair put", memory.there,
                 is_got(trip) ? run->rank : put) &&
           holds(run, "what was got from the other rank of the pair", memory.got, got) &&
           holds(run, "the source", memory.source, is_got(trip) ? -1 : run->rank);
}

#define STATE sizeof(struct trip_state)
#else
#define STATE 0
#endif

/* clang-format off */
#define COUNT {"count", PARAMETER_INT, "bytes", "data moved in each half (0: none, synchronization alone)", .example = "1024"}
#define TRIP(how, ...)                                                                             \
    .synchronized = true, .whole = true, .minimum_pes = 2, .who = "the first ranks of the pairs",  \
    .check = check, .demand = demand, .parameters = {COUNT, PATTERN_OF_PAIRS, PAIRS_ALONE, ITERATIONS}, \
    .state_bytes = STATE, .setup = WITH_SHMEM(set_up), .fill = WITH_SHMEM(fill),                   \
    .verify = WITH_SHMEM(verify), .run = WITH_SHMEM(run_trips), .teardown = WITH_SHMEM(tear_down), \
    .variant = &(const struct trip){.routine = {.element = 1}, .by = how, __VA_ARGS__}
#define PUT_PUT .puts = {true, true}
#define PUT_GET .puts = {true, false}, .gets = {false, true}
#define GET_GET .gets = {true, true}

const struct measurement measurements_round_trip[] = {
    {"Shmem_Round_Trip_Put_Put_Barrier", "put there and put back, each followed by a barrier",
     .api = API_OPENSHMEM, TRIP(BARRIER, PUT_PUT), .timed = "twice: put by one rank of each pair + barrier",
     .cost = "2 * (post + wire + barrier)"},
    {"Shmem_Round_Trip_Put_Get_Barrier", "put there and got back, with barriers between",
     .api = API_OPENSHMEM, TRIP(BARRIER, PUT_GET), .timed = "put + barrier + barrier + get of the same data",
     .cost = "2 * (post + wire + barrier)"},
    {"Shmem_Round_Trip_Get_Get_Barrier", "get by one rank and get by the other, each after a barrier",
     .api = API_OPENSHMEM, TRIP(BARRIER, GET_GET), .timed = "twice: barrier + get by one rank of each pair",
     .cost = "2 * (barrier + post + wire)"},
    {"Shmem_Round_Trip_Put_Put_Flag", "put there and put back, each followed by a flag",
     .api = API_OPENSHMEM, TRIP(FLAG, PUT_PUT),
     .timed = "twice: put + fence + p of a flag, until the other's wait_until for it returns",
     .cost = "2 * (2 * post + fence + wire)"},
    {"Shmem_Round_Trip_Put_Get_Flag", "put there and got back, with flags between",
     .api = API_OPENSHMEM, TRIP(FLAG, PUT_GET),
     .timed = "put + fence + p of a flag, the other's wait_until and p of a flag, wait_until + get of the same data",
     .cost = "4 * post + 3 * wire + fence"},
    {"Shmem_Round_Trip_Get_Get_Flag", "get by one rank and get by the other, each after a flag",
     .api = API_OPENSHMEM, TRIP(FLAG, GET_GET),
     .timed = "twice: p of a flag, until the other's wait_until for it returns, and get by that one",
     .cost = "4 * (post + wire)"},
    {"Shmem_Round_Trip_Put_Put_Signal", "put with signal there and put with signal back",
     API_OPENSHMEM_1_5, TRIP(SIGNAL, PUT_PUT),
     .timed = "twice: put_signal, until the other's signal_wait_until returns",
     .cost = "2 * (post + wire)"},
    {"Shmem_Round_Trip_Put_Get_Signal", "put with signal there and got back, after a signal",
     API_OPENSHMEM_1_5, TRIP(SIGNAL, PUT_GET),
     .timed = "put_signal, the other's signal_wait_until and put_signal of no data, signal_wait_until + get of the same data",
     .cost = "3 * (post + wire)"},
    {"Shmem_Round_Trip_Get_Get_Signal", "get by one rank and get by the other, each after a signal",
     API_OPENSHMEM_1_5, TRIP(SIGNAL, GET_GET),
     .timed = "twice: put_signal of no data, until the other's signal_wait_until returns, and get by that one",
     .cost = "4 * (post + wire)"},
    {.name = NULL},
};
/* clang-format on */
