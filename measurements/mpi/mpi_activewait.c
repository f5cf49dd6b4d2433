/*
 * One-sided communication of MPI whose end is found by looking: at the last word where the data go
 * to. All windows are locked from set-up on, and libraries are given the chance to progress with
 * each look; flushes make what the standard leaves open (looks at data under way) end.
 */
#include "measurements/common/mpi_window.h"

enum look {
    BY_GETS,   /* rank 0 puts, and gets the last word until it has changed */
    BY_MESSAGE /* rank 1 looks, and sends an empty message */
};

struct watch {
    enum { PUT, ACCUMULATE, GET } operation;
    enum look look;
};

static void demand_ints(struct run *run)
{
    data_demand_bytes(run, (size_t)run_integer(run, "count", 0) * sizeof(int));
}

#if SKAMPI_MPI

#include <math.h>
#include <string.h>

/* These values differ from any number of a turn, which is not negative. */
#define THERE (-1)
#define NOT_YET (-2)

struct watch_state {
    struct window window;
    MPI_Comm comm;
    int count, turn; /* operations so far, this one included: what the last word then is */
    double pause;
};

static volatile int *last_word(const struct run *run, void *memory)
{
    const struct watch_state *s = run->state;
    return (int *)memory + s->count - 1;
}

/* Untimed: what is looked for is not there yet. */
static void begin(struct run *run)
{
    const struct watch *how = run->function->variant;
    struct watch_state *s = run->state;
    s->turn++;
    if (run->rank > 0)
        return;
    *last_word(run, run->local) = how->operation == PUT          ? s->turn
                                  : how->operation == ACCUMULATE ? 1
                                                                 : NOT_YET;
}

/* By rank 0, until it knows the data to be there. */
static void send_and_learn(struct run *run)
{
    const struct watch *how = run->function->variant;
    const struct watch_state *s = run->state;
    if (how->operation == PUT)
        MPI_Put(run->local, s->count, MPI_INT, 1, 0, s->count, MPI_INT, s->window.handle);
    else
        MPI_Accumulate(run->local, s->count, MPI_INT, 1, 0, s->count, MPI_INT, MPI_SUM,
                       s->window.handle);
    if (how->look == BY_MESSAGE) {
        MPI_Win_flush_local(1, s->window.handle);
        MPI_Recv(NULL, 0, MPI_BYTE, 1, 0, s->comm, MPI_STATUS_IGNORE);
        return;
    }
    MPI_Aint last = (MPI_Aint)(s->count - 1) * (MPI_Aint)sizeof(int);
    for (;;) {
        int found;
        MPI_Get(&found, 1, MPI_INT, 1, last, 1, MPI_INT, s->window.handle);
        MPI_Win_flush(1, s->window.handle);
        if (found == s->turn)
            return;
        run_pause(s->pause);
    }
}

/* By rank 1; the data are there when it returns. */
static void look_and_tell(struct run *run)
{
    const struct watch_state *s = run->state;
    const volatile int *last = last_word(run, s->window.memory);
    for (;;) {
        int arrived;
        MPI_Win_sync(s->window.handle);
        if (*last == s->turn)
            break;
        MPI_Iprobe(0, 0, s->comm, &arrived, MPI_STATUS_IGNORE);
        if (s->pause > 0)
            run_pause(s->pause);
    }
    MPI_Send(NULL, 0, MPI_BYTE, 0, 0, s->comm);
}

/* By rank 0, until the data are here or the library says so. Returns the request, if it is still
 * open. */
static MPI_Request get_and_look(struct run *run)
{
    const struct watch_state *s = run->state;
    const volatile int *last = last_word(run, run->local);
    MPI_Request request;
    int done = 0;
    MPI_Rget(run->local, s->count, MPI_INT, 1, 0, s->count, MPI_INT, s->window.handle, &request);
    while (*last != THERE) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done || *last == THERE)
            break;
        if (s->pause > 0)
            run_pause(s->pause);
    }
    return request;
}

static MPI_Request operate(struct run *run)
{
    const struct watch *how = run->function->variant;
    if (run->rank == 0 && how->operation == GET)
        return get_and_look(run);
    if (run->rank == 0)
        send_and_learn(run);
    else if (run->rank == 1 && how->look == BY_MESSAGE)
        look_and_tell(run);
    return MPI_REQUEST_NULL;
}

/* The others wait in a barrier: libraries need the target for some operations. */
static void end(struct run *run, MPI_Request open)
{
    const struct watch_state *s = run->state;
    MPI_Wait(&open, MPI_STATUS_IGNORE);
    if (run->rank == 0)
        MPI_Win_flush(1, s->window.handle);
    MPI_Barrier(s->comm);
}

static double run_watched(struct run *run)
{
    if (warm_places(run)) {
        begin(run);
        end(run, operate(run));
    }
    begin(run);
    int64_t started = run_start(run);
    MPI_Request open = operate(run);
    int64_t stopped = run_stop(run);
    end(run, open);
    return run->rank == 0 ? run_elapsed(run, started, stopped) : NAN;
}

/* The last word of what is put is the turn; that which is accumulated on counts turns. */
static void fill(struct run *run)
{
    const struct watch *how = run->function->variant;
    struct watch_state *s = run->state;
    unsigned char *window = s->window.memory;
    bool gets = how->operation == GET;
    data_fill(run, gets, window);
    if (how->operation == ACCUMULATE)
        memset(window, 0, run->demand.remote);
    *last_word(run, run->local) = NOT_YET;
    *last_word(run, window) = gets ? THERE : how->operation == PUT ? NOT_YET : s->turn;
    MPI_Win_sync(s->window.handle);
}

/* Accumulates add up. */
static bool verify(struct run *run)
{
    const struct watch *how = run->function->variant;
    struct watch_state *s = run->state;
    bool gets = how->operation == GET;
    MPI_Win_sync(s->window.handle);
    unsigned char *found = gets ? run->local : s->window.memory;
    int last = gets ? THERE : s->turn;
    size_t before = run->demand.remote - sizeof last;
    if (run->rank != (gets ? 0 : 1) || (how->operation == ACCUMULATE && !run->untimed))
        return true;
    return data_verify(run, "the data before the last word", found, before, 1 - run->rank) &&
           data_verify_equal(run, "the last word", found + before, &last, sizeof last) &&
           mpi_window_verify_guards(run, &s->window);
}

static bool set_up_watched(struct run *run)
{
    struct watch_state *s = run->state;
    if (!mpi_window_open_locked(run, WINDOW_CREATE, run->demand.remote, mpi_info(mpi_info_of(run)),
                                &s->window))
        return false;
    s->comm = mpi_comm(run);
    s->count = (int)run_integer(run, "count", 0);
    s->pause = 1e-6 * (double)run_integer(run, "us", 0);
    return true;
}

#endif

/* clang-format off */
#define INTS {"count", PARAMETER_INT, "ints", "length of each message", .size = true, .minimum = 1, .maximum = INT_MAX, .element = "MPI_INT", .example = "256"}
#define SLEEP {"us", PARAMETER_INT, "microseconds", "length of the computation between two looks", .maximum = INT_MAX, .example = "10"}
static const struct measurement watched = {
    .api = API_MPI, .version_major = 3, .timing = TIMING_PARTS, .minimum_pes = 2, .who = "rank 0",
    .moves = MOVES_NOTHING, .demand = demand_ints, .setup = WITH_MPI(set_up_watched), .fill = WITH_MPI(fill),
    .verify = WITH_MPI(verify), .run = WITH_MPI(run_watched), .teardown = WITH_MPI(mpi_window_tear_down),
    MPI_STATE(struct watch_state)};
#define AT_ONCE .parameters = {INTS, INFO}
#define AT_TIMES .parameters = {INTS, INFO, SLEEP}

const struct measurement measurements_mpi_activewait[] = {
    {"Put_activewait_get", "put until a get sees its last word at the target",
     .like = {&watched}, .variant = &(const struct watch){PUT, BY_GETS}, AT_ONCE, .routine = "MPI_Put", .calls = "MPI_Get MPI_Win_flush", .timed = "MPI_Put, then MPI_Get, MPI_Win_flush until it is there"},
    {"Put_activewait_get_sleep", "put until a get sees its last word at the target, with a computation between checks",
     .like = {&watched}, .variant = &(const struct watch){PUT, BY_GETS}, AT_TIMES,
     .routine = "MPI_Put", .calls = "MPI_Get MPI_Win_flush", .timed = "MPI_Put, then MPI_Get, MPI_Win_flush, a computation until it is there"},
    {"Put_activewait_twosided", "put until the target has seen its last word and replied",
     .like = {&watched}, .variant = &(const struct watch){PUT, BY_MESSAGE}, AT_ONCE,
     .routine = "MPI_Put", .calls = "MPI_Win_flush_local", .timed = "MPI_Put, MPI_Win_flush_local, an empty message from rank 1, which polls its memory"},
    {"Put_activewait_twosided_sleep",
     "put until the target, computing between its checks, has seen its last word and replied",
     .like = {&watched}, .variant = &(const struct watch){PUT, BY_MESSAGE}, AT_TIMES,
     .routine = "MPI_Put", .calls = "MPI_Win_flush_local", .timed = "MPI_Put, MPI_Win_flush_local, an empty message from rank 1, which polls its memory"},
    {"Get_activewait", "get until its last word is there", .like = {&watched}, .variant = &(const struct watch){GET, BY_GETS}, AT_ONCE,
     .routine = "MPI_Rget", .calls = "MPI_Test", .timed = "MPI_Rget, then MPI_Test until it is there"},
    {"Get_activewait_sleep", "get until its last word is there, with a computation between checks",
     .like = {&watched}, .variant = &(const struct watch){GET, BY_GETS}, AT_TIMES,
     .routine = "MPI_Rget", .calls = "MPI_Test", .timed = "MPI_Rget, then MPI_Test, a computation until it is there"},
    {"Accumulate_activewait_twosided",
     "accumulate until the target has seen its last word and replied",
     .like = {&watched}, .variant = &(const struct watch){ACCUMULATE, BY_MESSAGE}, AT_ONCE,
     .routine = "MPI_Accumulate", .calls = "MPI_Win_flush_local", .timed = "MPI_Accumulate, MPI_Win_flush_local, an empty message from rank 1, which polls its "
              "memory"},
    {.name = NULL},
};
/* clang-format on */
