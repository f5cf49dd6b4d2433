/*
 * The round trips of round_trip.c by MPI: puts and gets into a window that is locked from set-up
 * on, each completed by a flush, and synchronized by all ranks or by each pair alone; and messages,
 * which synchronize by themselves.
 */
#include "measurements/common/mpi_window.h"
#include "measurements/common/trip.h"

enum synchronized_by {
    BARRIER,      /* of all ranks of the set, also those that are in no pair */
    FLAG,         /* put of a word and flush; the receiver looks at its memory */
    FETCH_AND_OP, /* fetch-and-op of a word and flush; the receiver fetches its own: the same by
                     operations that are atomic, as the standard asks */
    MESSAGE,      /* without data */
    ITSELF        /* the data are messages */
};

struct way {
    enum synchronized_by by;
    struct trip trip;
};

#if SKAMPI_MPI

#include <math.h>

#define TAG_OF_TRIPS 1
/* How often a rank looks at a flag before it calls the library, which may have to bring the flag,
 * and may give the processor to another rank. */
#define LOOKS 1000

struct trip_state {
    struct trip_pair pair;
    struct window window;
    MPI_Comm comm;
    MPI_Win handle;
    MPI_Aint flag; /* bytes from the start of a window to the word that others set */
};

/* ---- Parts ---- */

static int64_t fetch(const struct trip_state *state, const int64_t *word, int rank, MPI_Op op)
{
    int64_t fetched;
    MPI_Fetch_and_op(word, &fetched, MPI_INT64_T, rank, state->flag, op, state->handle);
    MPI_Win_flush(rank, state->handle);
    return fetched;
}

/* Puts data where there are any to put, and tells the partner. */
static void send(struct run *run, bool puts, const struct trip_memory *memory)
{
    const struct way *way = run->function->variant;
    const struct trip_state *state = run->state;
    int bytes = (int)memory->bytes, partner = state->pair.partner;
    if (puts) {
        MPI_Put(memory->source, bytes, MPI_BYTE, partner, 0, bytes, MPI_BYTE, state->handle);
        MPI_Win_flush(partner, state->handle);
    }
    switch (way->by) {
    case FLAG:
        MPI_Put(&state->pair.trips, 1, MPI_INT64_T, partner, state->flag, 1, MPI_INT64_T,
                state->handle);
        MPI_Win_flush(partner, state->handle);
        break;
    case FETCH_AND_OP:
        fetch(state, &state->pair.trips, partner, MPI_REPLACE);
        break;
    case MESSAGE:
        MPI_Send(NULL, 0, MPI_BYTE, partner, TAG_OF_TRIPS, state->comm);
        break;
    case BARRIER:
    case ITSELF:
        break;
    }
}

static void look_for_flag(const struct trip_state *state)
{
    const volatile int64_t *flag =
        (const volatile int64_t *)(void *)(state->window.memory + state->flag);
    for (int looks = 0;; looks++) {
        MPI_Win_sync(state->handle);
        if (*flag >= state->pair.trips)
            return;
        int any;
        if (looks >= LOOKS)
            MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, state->comm, &any, MPI_STATUS_IGNORE);
    }
}

static void await(struct run *run, const struct trip_memory *memory)
{
    const struct way *way = run->function->variant;
    const struct trip_state *state = run->state;
    int64_t nothing = 0;
    (void)memory;
    switch (way->by) {
    case FLAG:
        look_for_flag(state);
        break;
    case FETCH_AND_OP:
        while (fetch(state, &nothing, run->rank, MPI_NO_OP) < state->pair.trips)
            continue;
        break;
    case MESSAGE:
        MPI_Recv(NULL, 0, MPI_BYTE, state->pair.partner, TAG_OF_TRIPS, state->comm,
                 MPI_STATUS_IGNORE);
        break;
    case BARRIER:
    case ITSELF:
        break;
    }
}

static void get(struct run *run, const struct trip_memory *memory)
{
    const struct trip_state *state = run->state;
    int bytes = (int)memory->bytes, partner = state->pair.partner;
    MPI_Get(memory->got, bytes, MPI_BYTE, partner, 0, bytes, MPI_BYTE, state->handle);
    MPI_Win_flush(partner, state->handle);
}

static void meet(struct run *run)
{
    MPI_Barrier(((const struct trip_state *)run->state)->comm);
}

static void send_message(struct run *run, bool puts, const struct trip_memory *memory)
{
    const struct trip_state *state = run->state;
    (void)puts;
    MPI_Send(memory->source, (int)memory->bytes, MPI_BYTE, state->pair.partner, TAG_OF_TRIPS,
             state->comm);
}

static void receive_message(struct run *run, const struct trip_memory *memory)
{
    const struct trip_state *state = run->state;
    MPI_Recv(memory->there, (int)memory->bytes, MPI_BYTE, state->pair.partner, TAG_OF_TRIPS,
             state->comm, MPI_STATUS_IGNORE);
}

static const struct trip_routines one_sided = {send, meet, await, get};
static const struct trip_routines messages = {.send = send_message, .await = receive_message};

static const struct trip_routines *routines_of(const struct run *run)
{
    return ((const struct way *)run->function->variant)->by == ITSELF ? &messages : &one_sided;
}

/* ---- Hooks ---- */

static bool set_up(struct run *run)
{
    struct trip_state *state = run->state;
    state->comm = mpi_comm(run);
    state->pair = trip_open(run);
    if (routines_of(run) == &messages)
        return true;
    state->flag = (MPI_Aint)run->demand.remote;
    if (!mpi_window_open_locked(run, (enum window_kind)run_word(run, "memory"),
                                run->demand.remote + pairs_place_bytes(sizeof(int64_t)),
                                MPI_INFO_NULL, &state->window))
        return false;
    state->handle = state->window.handle;
    state->pair.there = state->window.memory;
    return true;
}

static void tear_down(struct run *run)
{
    mpi_window_close(&((struct trip_state *)run->state)->window);
}

/* Libraries need the target for some operations: nobody leaves before the last one is complete. */
static double run_trips(struct run *run)
{
    const struct way *way = run->function->variant;
    struct trip_state *state = run->state;
    double seconds = trip_run(run, &way->trip, &state->pair, routines_of(run));
    if (state->window.locked)
        MPI_Barrier(state->comm);
    return seconds;
}

static void fill(struct run *run)
{
    const struct way *way = run->function->variant;
    const struct trip_state *state = run->state;
    trip_fill(run, &way->trip, &state->pair);
    if (state->window.locked)
        MPI_Win_sync(state->handle);
}

static bool verify(struct run *run)
{
    const struct way *way = run->function->variant;
    const struct trip_state *state = run->state;
    if (state->window.locked)
        MPI_Win_sync(state->handle);
    return trip_verify(run, &way->trip, &state->pair) &&
           (!state->window.locked || mpi_window_verify_guards(run, &state->window));
}

#endif

/* clang-format off */
static const struct measurement trips = {
    .api = API_MPI, .check = pairs_check, .timing = TIMING_WHOLE, .minimum_pes = 2,
    .who = "the first ranks of the pairs", .moves = MOVES_BOTH_WAYS, .demand = trip_demand,
    MPI_STATE(struct trip_state), 
    .setup = WITH_MPI(set_up), .fill = WITH_MPI(fill), .verify = WITH_MPI(verify),
    .run = WITH_MPI(run_trips), .teardown = WITH_MPI(tear_down)};
static const struct measurement one_sided_trips = {
    .like = {&trips}, .version_major = 3, .parameters = {TRIP_PARAMETERS(INT_MAX), MEMORY}};

/* In each half: a put, or a get, until its flush returns, and what tells the other rank. */
static const struct measurement by_barriers = {.like = {&one_sided_trips}, .cost = "2 * (post + wire + flush + barrier)"};
static const struct measurement by_words = {.like = {&one_sided_trips}, .cost = "2 * (2 * post + 2 * wire + flush)"};
static const struct measurement by_messages = {.like = {&one_sided_trips}, .cost = "2 * (post + send + 2 * wire + flush)"};

const struct measurement measurements_mpi_round_trip[] = {
    {"Round_Trip_Put_Put_Barrier", "put there and put back, each followed by a barrier", .like = {&by_barriers},
     .variant = &(const struct way){BARRIER, {.all = true, TRIP_PUT_PUT}}, .calls = "MPI_Put MPI_Win_flush MPI_Barrier",
     .timed = "twice: MPI_Put, MPI_Win_flush, MPI_Barrier"},
    {"Round_Trip_Put_Get_Barrier", "put there and got back, with a barrier between", .like = {&by_barriers},
     .variant = &(const struct way){BARRIER, {.all = true, TRIP_PUT_GET}}, .calls = "MPI_Put MPI_Get MPI_Win_flush MPI_Barrier",
     .timed = "MPI_Put, MPI_Win_flush, MPI_Barrier, MPI_Barrier, MPI_Get of the same data, MPI_Win_flush"},
    {"Round_Trip_Get_Get_Barrier", "get by one rank and get by the other, each after a barrier", .like = {&by_barriers},
     .variant = &(const struct way){BARRIER, {.all = true, TRIP_GET_GET}}, .calls = "MPI_Get MPI_Win_flush MPI_Barrier",
     .timed = "twice: MPI_Barrier, MPI_Get, MPI_Win_flush"},
    {"Round_Trip_Put_Put_Flag", "put there and put back, each followed by a flag", .like = {&by_words},
     .variant = &(const struct way){FLAG, {TRIP_PUT_PUT}}, .calls = "MPI_Put MPI_Win_flush MPI_Win_sync",
     .timed = "twice: MPI_Put, MPI_Win_flush, MPI_Put of a flag, MPI_Win_flush, until the other finds it in its memory after MPI_Win_sync"},
    {"Round_Trip_Put_Get_Flag", "put there and got back, with a flag between", .like = {&by_words},
     .variant = &(const struct way){FLAG, {TRIP_PUT_GET}}, .calls = "MPI_Put MPI_Get MPI_Win_flush MPI_Win_sync",
     .timed = "MPI_Put, MPI_Win_flush, MPI_Put of a flag, MPI_Win_flush, until the other finds it in its memory after MPI_Win_sync, and the same back, MPI_Get of the same data, MPI_Win_flush"},
    {"Round_Trip_Get_Get_Flag", "get by one rank and get by the other, each after a flag", .like = {&by_words},
     .variant = &(const struct way){FLAG, {TRIP_GET_GET}}, .calls = "MPI_Get MPI_Win_flush MPI_Win_sync",
     .timed = "twice: MPI_Put of a flag, MPI_Win_flush, until the other finds it in its memory after MPI_Win_sync, MPI_Get, MPI_Win_flush"},
    {"Round_Trip_Put_Put_Fetch_and_op", "put there and put back, each followed by a fetch-and-op", .like = {&by_words},
     .variant = &(const struct way){FETCH_AND_OP, {TRIP_PUT_PUT}}, .calls = "MPI_Put MPI_Win_flush MPI_Fetch_and_op",
     .timed = "twice: MPI_Put, MPI_Win_flush, MPI_Fetch_and_op with MPI_REPLACE, MPI_Win_flush, until the other finds it by MPI_Fetch_and_op with MPI_NO_OP"},
    {"Round_Trip_Put_Get_Fetch_and_op", "put there and got back, with a fetch-and-op between", .like = {&by_words},
     .variant = &(const struct way){FETCH_AND_OP, {TRIP_PUT_GET}}, .calls = "MPI_Put MPI_Get MPI_Win_flush MPI_Fetch_and_op",
     .timed = "MPI_Put, MPI_Win_flush, MPI_Fetch_and_op with MPI_REPLACE, MPI_Win_flush, until the other finds it by MPI_Fetch_and_op with MPI_NO_OP, and the same back, MPI_Get of the same data, MPI_Win_flush"},
    {"Round_Trip_Get_Get_Fetch_and_op", "get by one rank and get by the other, each after a fetch-and-op", .like = {&by_words},
     .variant = &(const struct way){FETCH_AND_OP, {TRIP_GET_GET}}, .calls = "MPI_Get MPI_Win_flush MPI_Fetch_and_op",
     .timed = "twice: MPI_Fetch_and_op with MPI_REPLACE, MPI_Win_flush, until the other finds it by MPI_Fetch_and_op with MPI_NO_OP, MPI_Get, MPI_Win_flush"},
    {"Round_Trip_Put_Put_Message", "put there and put back, each followed by an empty message", .like = {&by_messages},
     .variant = &(const struct way){MESSAGE, {TRIP_PUT_PUT}}, .calls = "MPI_Put MPI_Win_flush MPI_Send MPI_Recv",
     .timed = "twice: MPI_Put, MPI_Win_flush, MPI_Send of nothing, until the other's MPI_Recv returns"},
    {"Round_Trip_Put_Get_Message", "put there and got back, with an empty message between", .like = {&by_messages},
     .variant = &(const struct way){MESSAGE, {TRIP_PUT_GET}}, .calls = "MPI_Put MPI_Get MPI_Win_flush MPI_Send MPI_Recv",
     .timed = "MPI_Put, MPI_Win_flush, MPI_Send of nothing, until the other's MPI_Recv returns, and the same back, MPI_Get of the same data, MPI_Win_flush"},
    {"Round_Trip_Get_Get_Message", "get by one rank and get by the other, each after an empty message", .like = {&by_messages},
     .variant = &(const struct way){MESSAGE, {TRIP_GET_GET}}, .calls = "MPI_Get MPI_Win_flush MPI_Send MPI_Recv",
     .timed = "twice: MPI_Send of nothing, until the other's MPI_Recv returns, MPI_Get, MPI_Win_flush"},
    {"Round_Trip_Send_Recv", "message there and message back", .like = {&trips},
     .parameters = {TRIP_PARAMETERS(INT_MAX)}, .variant = &(const struct way){ITSELF, {TRIP_PUT_PUT}},
     .calls = "MPI_Send MPI_Recv", .timed = "twice: MPI_Send, until the other's MPI_Recv returns", .cost = "2 * (send + wire)"},
    {.name = NULL},
};
/* clang-format on */
