/*
 * Round trips of pairs of ranks by OpenSHMEM, synchronized by all PEs or by each pair alone.
 */
#include "measurements/common/collective.h"
#include "measurements/common/openshmem.h"
#include "measurements/common/trip.h"

enum synchronized_by {
    BARRIER, /* of all ranks of the set, also those that are in no pair */
    FLAG,    /* p of a word that the receiver waits for, behind a fence where there are data */
    SIGNAL   /* put with signal; without data where there are none */
};

struct way {
    struct routine routine; /* what collective.h needs: no routine, and blocks of bytes */
    enum synchronized_by by;
    struct trip trip;
};

static const char *check(const struct run *run)
{
    const struct way *way = run->function->variant;
    const char *wrong = pairs_check(run);
    return wrong || way->by != BARRIER ? wrong : collective_check(run);
}

/* With the barrier's arrays. */
static void demand(struct run *run)
{
    collective_demand(run);
    trip_demand(run);
}

#if SKAMPI_SHMEM

#include <shmem.h>

struct trip_state {
    struct collective_state collective; /* for the barrier */
    struct trip_pair pair;
    int pe; /* of the partner; -1: in no pair */
};

/* The word that the partner sets. */
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

static void send(struct run *run, bool puts, const struct trip_memory *memory)
{
    const struct way *way = run->function->variant;
    const struct trip_state *state = run->state;
    if (puts && way->by != SIGNAL)
        shmem_putmem(memory->there, memory->source, memory->bytes, state->pe);
    switch (way->by) {
    case BARRIER:
        break;
    case FLAG:
        if (puts)
            shmem_fence();
        shmem_long_p(flag_of(run), (long)state->pair.trips, state->pe);
        break;
    case SIGNAL:
#if SKAMPI_SHMEM_1_5
        shmem_putmem_signal(memory->there, memory->source, puts ? memory->bytes : 0, signal_of(run),
                            (uint64_t)state->pair.trips, SHMEM_SIGNAL_SET, state->pe);
#endif
        break;
    }
}

static void await(struct run *run, const struct trip_memory *memory)
{
    const struct way *way = run->function->variant;
    const struct trip_state *state = run->state;
    (void)memory;
    if (way->by == FLAG)
        shmem_long_wait_until(flag_of(run), SHMEM_CMP_GE, (long)state->pair.trips);
#if SKAMPI_SHMEM_1_5
    if (way->by == SIGNAL)
        shmem_signal_wait_until(signal_of(run), SHMEM_CMP_GE, (uint64_t)state->pair.trips);
#endif
}

static void get(struct run *run, const struct trip_memory *memory)
{
    const struct trip_state *state = run->state;
    shmem_getmem(memory->got, memory->there, memory->bytes, state->pe);
}

/* ---- Hooks ---- */

static bool set_up(struct run *run)
{
    struct trip_state *state = run->state;
    if (!collective_set_up(run))
        return false;
    state->pair = trip_open(run);
    int partner = state->pair.partner;
    state->pe = partner >= 0 ? pe_set_member(run->set, partner) : -1;
    return true;
}

static double run_trips(struct run *run)
{
    static const struct trip_routines routines = {send, collective_barrier, await, get};
    const struct way *way = run->function->variant;
    struct trip_state *state = run->state;
    double seconds = trip_run(run, &way->trip, &state->pair, &routines);
    if (state->pair.partner >= 0 || way->by == BARRIER)
        shmem_quiet(); /* untimed: whose last flag nobody answers */
    return seconds;
}

static void fill(struct run *run)
{
    const struct trip_state *state = run->state;
    trip_fill(run, &((const struct way *)run->function->variant)->trip, &state->pair);
}

static bool verify(struct run *run)
{
    const struct trip_state *state = run->state;
    return trip_verify(run, &((const struct way *)run->function->variant)->trip, &state->pair);
}

#endif

/* clang-format off */
static const struct measurement trips = {
    .api = API_OPENSHMEM, .timing = TIMING_WHOLE, .minimum_pes = 2, .who = "the first ranks of the pairs",
    .moves = MOVES_BOTH_WAYS, .check = check, .demand = demand, 
    .parameters = {TRIP_PARAMETERS(0)}, 
    SHMEM_STATE(struct trip_state), .setup = WITH_SHMEM(set_up), .fill = WITH_SHMEM(fill),
    .verify = WITH_SHMEM(verify), .run = WITH_SHMEM(run_trips)};

#define WAY .like = {&trips}, .variant = &(const struct way)

const struct measurement measurements_round_trip[] = {
    {"Shmem_Round_Trip_Put_Put_Barrier", "put there and put back, each followed by a barrier", .calls = "shmem_put shmem_barrier_all shmem_barrier",
     WAY{{.element = 1}, BARRIER, {.all = true, TRIP_PUT_PUT}}, .timed = "twice: put by one rank of each pair + barrier",
     .cost = "2 * (post + wire + barrier)"},
    {"Shmem_Round_Trip_Put_Get_Barrier", "put there and got back, with barriers between", .calls = "shmem_put shmem_get shmem_barrier_all shmem_barrier",
     WAY{{.element = 1}, BARRIER, {.all = true, TRIP_PUT_GET}}, .timed = "put + barrier + barrier + get of the same data",
     .cost = "2 * (post + wire + barrier)"},
    {"Shmem_Round_Trip_Get_Get_Barrier", "get by one rank and get by the other, each after a barrier", .calls = "shmem_get shmem_barrier_all shmem_barrier",
     WAY{{.element = 1}, BARRIER, {.all = true, TRIP_GET_GET}}, .timed = "twice: barrier + get by one rank of each pair",
     .cost = "2 * (barrier + post + wire)"},
    {"Shmem_Round_Trip_Put_Put_Flag", "put there and put back, each followed by a flag", .calls = "shmem_put shmem_fence shmem_long_p shmem_long_wait_until",
     WAY{{.element = 1}, FLAG, {TRIP_PUT_PUT}},
     .timed = "twice: put + fence + p of a flag, until the other's wait_until for it returns",
     .cost = "2 * (2 * post + fence + wire)"},
    {"Shmem_Round_Trip_Put_Get_Flag", "put there and got back, with flags between", .calls = "shmem_put shmem_get shmem_fence shmem_long_p shmem_long_wait_until",
     WAY{{.element = 1}, FLAG, {TRIP_PUT_GET}},
     .timed = "put + fence + p of a flag, the other's wait_until and p of a flag, wait_until + get of the same data",
     .cost = "4 * post + 3 * wire + fence"},
    {"Shmem_Round_Trip_Get_Get_Flag", "get by one rank and get by the other, each after a flag", .calls = "shmem_get shmem_fence shmem_long_p shmem_long_wait_until",
     WAY{{.element = 1}, FLAG, {TRIP_GET_GET}},
     .timed = "twice: p of a flag, until the other's wait_until for it returns, and get by that one",
     .cost = "4 * (post + wire)"},
    {"Shmem_Round_Trip_Put_Put_Signal", "put with signal there and put with signal back", .calls = "shmem_put shmem_put_signal shmem_signal_wait_until",
     SINCE_1_5, WAY{{.element = 1}, SIGNAL, {TRIP_PUT_PUT}},
     .timed = "twice: put_signal, until the other's signal_wait_until returns",
     .cost = "2 * (post + wire)"},
    {"Shmem_Round_Trip_Put_Get_Signal", "put with signal there and got back, after a signal", .calls = "shmem_put shmem_get shmem_put_signal shmem_signal_wait_until",
     SINCE_1_5, WAY{{.element = 1}, SIGNAL, {TRIP_PUT_GET}},
     .timed = "put_signal, the other's signal_wait_until and put_signal of no data, signal_wait_until + get of the same data",
     .cost = "3 * (post + wire)"},
    {"Shmem_Round_Trip_Get_Get_Signal", "get by one rank and get by the other, each after a signal", .calls = "shmem_get shmem_put_signal shmem_signal_wait_until",
     SINCE_1_5, WAY{{.element = 1}, SIGNAL, {TRIP_GET_GET}},
     .timed = "twice: put_signal of no data, until the other's signal_wait_until returns, and get by that one",
     .cost = "4 * (post + wire)"},
    {.name = NULL},
};
/* clang-format on */
