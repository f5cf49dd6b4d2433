/*
 * The traffic of pairs.c by MPI: puts and gets into a window that is locked from set-up on, each
 * followed by a flush, by a local flush, or a window of them by one; and messages, a window of them
 * answered by an empty one.
 */
#include "measurements/common/mpi_window.h"
#include "measurements/common/pairs_pattern.h"

enum routine { PUT, GET, MESSAGE };

enum discipline {
    FLUSH_AFTER_EACH,
    LOCAL_FLUSH_AFTER_EACH,
    WINDOW /* and one flush */
};

struct traffic {
    struct pairs_traffic pairs;
    enum routine routine;
    enum discipline discipline;
    bool together; /* the value is one operation of all ranks, not of one */
};

#if SKAMPI_MPI

#include <math.h>

#define TAG_OF_MESSAGES 1
#define TAG_OF_ANSWER 2

struct traffic_state {
    struct pairs_work work;
    int bytes;
    /* For puts and gets. */
    struct window window;
    int target; /* of all steps; -1: there are several */
    /* For messages. */
    MPI_Comm comm;
    int64_t arriving;
    struct pairs_call *arrivals;
    int *answering, *answered; /* ranks that get an answer from this one, that give it one */
    int answering_count, answered_count;
    MPI_Request *requests;
};

static bool works(const struct traffic_state *state)
{
    return state->work.steps > 0;
}

/* ---- Set-up ---- */

static void list_calls(struct run *run)
{
    struct traffic_state *state = run->state;
    state->bytes = (int)run_argument(run, "count")->integer;
    state->work = pairs_work_open(run);
    const struct pairs_work *work = &state->work;
    state->target = works(state) ? work->calls[0].rank : -1;
    for (int64_t i = 1; i < work->steps; i++)
        if (work->calls[i].rank != state->target)
            state->target = -1;
}

static bool set_up_window(struct run *run)
{
    struct traffic_state *state = run->state;
    list_calls(run);
    return mpi_window_open_locked(run, (enum window_kind)run_word(run, "memory"),
                                  run->demand.remote, MPI_INFO_NULL, &state->window);
}

/* Distinct ranks of the calls, in the order of their first ones; returns their number. */
static int list_ranks(struct run *run, const struct pairs_call *calls, int64_t count, int **ranks)
{
    bool *seen = run_allocate(run, (size_t)run->size, sizeof *seen);
    int found = 0;
    *ranks = run_allocate(run, (size_t)count, sizeof **ranks);
    for (int64_t i = 0; i < count; i++)
        if (!seen[calls[i].rank]) {
            seen[calls[i].rank] = true;
            (*ranks)[found++] = calls[i].rank;
        }
    return found;
}

static bool set_up_messages(struct run *run)
{
    struct traffic_state *state = run->state;
    struct pairs_work *work = &state->work;
    state->comm = mpi_comm(run);
    list_calls(run);
    const struct pairs *pairs = &work->pairs;
    size_t place = pairs_place_bytes((size_t)state->bytes);
    int count, first = pairs_sources(pairs, run->rank, &count);
    /* Each message that arrives has a place of its own. */
    state->arrivals = run_allocate(run, pairs_places(pairs), sizeof *state->arrivals);
    for (int source = first; source < first + count; source++)
        for (int64_t i = 0; i < pairs_steps(pairs, source); i++) {
            struct step step = pairs_step(pairs, source, i);
            if (step.target == run->rank)
                state->arrivals[state->arriving++] =
                    (struct pairs_call){.rank = source, .here = (size_t)step.place * place};
        }
    if (state->arriving + work->steps > INT_MAX / 2)
        return run_fail(run, "that are more messages than MPI can wait for: take a smaller window");
    state->requests =
        run_allocate(run, (size_t)(state->arriving + work->steps), sizeof *state->requests);
    if (work->pairs.both)
        return true; /* each side has to wait for the other's messages: no answers are needed */
    state->answering_count = list_ranks(run, state->arrivals, state->arriving, &state->answering);
    state->answered_count = list_ranks(run, work->calls, work->steps, &state->answered);
    return true;
}

static void tear_down(struct run *run)
{
    mpi_window_close(&((struct traffic_state *)run->state)->window);
}

/* ---- Puts and gets ---- */

static inline void do_step(const struct traffic_state *state, bool get,
                           const struct pairs_call *call, unsigned char *local)
{
    if (get)
        MPI_Get(local + call->here, state->bytes, MPI_BYTE, call->rank, (MPI_Aint)call->there,
                state->bytes, MPI_BYTE, state->window.handle);
    else
        MPI_Put(local + call->here, state->bytes, MPI_BYTE, call->rank, (MPI_Aint)call->there,
                state->bytes, MPI_BYTE, state->window.handle);
}

static void flush(const struct traffic_state *state)
{
    if (state->target >= 0)
        MPI_Win_flush(state->target, state->window.handle);
    else
        MPI_Win_flush_all(state->window.handle);
}

static void iterate(struct run *run, int64_t iterations, enum discipline discipline)
{
    const struct traffic_state *state = run->state;
    bool get = pairs_gets(run);
    for (int64_t i = 0; i < iterations; i++) {
        unsigned char *local = run->local + (size_t)i * run->local_step;
        for (const struct pairs_call *call = state->work.calls;
             call < state->work.calls + state->work.steps; call++) {
            do_step(state, get, call, local);
            if (discipline == FLUSH_AFTER_EACH)
                MPI_Win_flush(call->rank, state->window.handle);
        }
        if (discipline == WINDOW)
            flush(state);
    }
}

/* Puts that are complete here only would pile up: after each burst they are flushed, untimed. */
static double flushed_locally(struct run *run)
{
    const struct traffic_state *state = run->state;
    bool get = pairs_gets(run);
    int64_t burst = run->settings->max_outstanding, all = run->iterations * state->work.steps;
    double seconds = 0;
    for (int64_t done = 0; done < all;) {
        int64_t end = all - done < burst ? all : done + burst;
        int64_t begin = timer_now();
        for (; done < end; done++) {
            const struct pairs_call *call = &state->work.calls[done % state->work.steps];
            do_step(state, get, call,
                    run->local + (size_t)(done / state->work.steps) * run->local_step);
            MPI_Win_flush_local(call->rank, state->window.handle);
        }
        seconds += run_elapsed(run, begin, timer_now());
        flush(state);
    }
    return seconds;
}

/* Of an iteration, per step, of this rank or of all. */
static double share(const struct run *run, double seconds)
{
    const struct traffic *traffic = run->function->variant;
    const struct traffic_state *state = run->state;
    int64_t steps = traffic->together ? pairs_all_steps(&state->work.pairs) : state->work.steps;
    return seconds / (double)steps;
}

/* The others wait in a barrier: libraries need the target for some operations. */
static double run_window(struct run *run)
{
    const struct traffic *traffic = run->function->variant;
    const struct traffic_state *state = run->state;
    bool locally = traffic->discipline == LOCAL_FLUSH_AFTER_EACH;
    double seconds = NAN;
    if (works(state) && warm_places(run))
        iterate(run, 1, WINDOW);
    int64_t started = run_start(run);
    if (works(state) && locally)
        seconds = flushed_locally(run);
    else if (works(state))
        iterate(run, run->iterations, traffic->discipline);
    int64_t stopped = run_stop(run);
    MPI_Barrier(mpi_comm(run));
    if (works(state) && !locally)
        seconds = run_elapsed(run, started, stopped);
    return works(state) ? share(run, seconds / (double)run->iterations) : NAN;
}

/* ---- Messages ---- */

static void exchange(struct run *run, int64_t iteration)
{
    const struct traffic_state *state = run->state;
    unsigned char *from = run->local + (size_t)iteration * run->local_step;
    unsigned char *to = run->remote + (size_t)iteration * run->remote_step;
    int posted = 0;
    for (int64_t i = 0; i < state->arriving; i++)
        MPI_Irecv(to + state->arrivals[i].here, state->bytes, MPI_BYTE, state->arrivals[i].rank,
                  TAG_OF_MESSAGES, state->comm, &state->requests[posted++]);
    for (int64_t i = 0; i < state->work.steps; i++)
        MPI_Isend(from, state->bytes, MPI_BYTE, state->work.calls[i].rank, TAG_OF_MESSAGES,
                  state->comm, &state->requests[posted++]);
    mpi_wait_all(posted, state->requests);
    posted = 0;
    for (int i = 0; i < state->answered_count; i++)
        MPI_Irecv(NULL, 0, MPI_BYTE, state->answered[i], TAG_OF_ANSWER, state->comm,
                  &state->requests[posted++]);
    for (int i = 0; i < state->answering_count; i++)
        MPI_Isend(NULL, 0, MPI_BYTE, state->answering[i], TAG_OF_ANSWER, state->comm,
                  &state->requests[posted++]);
    mpi_wait_all(posted, state->requests);
}

static double run_messages(struct run *run)
{
    const struct traffic_state *state = run->state;
    double seconds = time_iterations(run, works(state) || state->arriving > 0, exchange);
    return works(state) ? share(run, seconds) : NAN;
}

/* ---- Data ---- */

static unsigned char *others_memory(const struct run *run)
{
    const struct traffic *traffic = run->function->variant;
    const struct traffic_state *state = run->state;
    return traffic->routine == MESSAGE ? run->remote : state->window.memory;
}

static void fill(struct run *run)
{
    const struct traffic *traffic = run->function->variant;
    const struct traffic_state *state = run->state;
    data_fill(run, pairs_gets(run), others_memory(run));
    if (traffic->routine != MESSAGE)
        MPI_Win_sync(state->window.handle);
}

static bool verify(struct run *run)
{
    const struct traffic *traffic = run->function->variant;
    const struct traffic_state *state = run->state;
    if (traffic->routine != MESSAGE)
        MPI_Win_sync(state->window.handle);
    return pairs_verify(run, &state->work.pairs, pairs_gets(run), others_memory(run)) &&
           (traffic->routine == MESSAGE || mpi_window_verify_guards(run, &state->window));
}

#endif

/* clang-format off */
#define BYTES {"count", PARAMETER_INT, "bytes", "data moved by each operation", .size = true, .maximum = INT_MAX, .example = "1024"}
static const struct measurement traffic = {
    .api = API_MPI, .check = pairs_check, .timing = TIMING_PARTS, .minimum_pes = 2, .who = "the ranks that work", .demand = pairs_demand_traffic,
    MPI_STATE(struct traffic_state), .fill = WITH_MPI(fill), .verify = WITH_MPI(verify), .teardown = WITH_MPI(tear_down)};
static const struct measurement one_sided = {
    .like = {&traffic}, .version_major = 3, .parameters = {BYTES, PATTERN, PAIRS, DIRECTIONS, ITERATIONS, MEMORY},
    .setup = WITH_MPI(set_up_window), .run = WITH_MPI(run_window)};
static const struct measurement flushed = {
    .like = {&one_sided}, .moves = MOVES_MESSAGE, .routine = "MPI_%s", .calls = "MPI_Win_flush", .timed = "MPI_%s, MPI_Win_flush"};
static const struct measurement flushed_here = {
    .like = {&one_sided}, .moves = MOVES_NOTHING, .routine = "MPI_%s", .calls = "MPI_Win_flush_local",
    .timed = "MPI_%s, MPI_Win_flush_local; MPI_Win_flush untimed"};
static const struct measurement rate = {
    .like = {&one_sided}, .parameters = {BYTES, PATTERN, PAIRS, DIRECTIONS, WINDOW_OF("operations"), ITERATIONS, MEMORY},
    .moves = MOVES_MESSAGE, .calls = "MPI_%s MPI_Win_flush", .timed = "a window of MPI_%s, and MPI_Win_flush; divided by the operations"};
static const struct measurement rate_together = {
    .like = {&rate}, .timed = "a window of MPI_%s, and MPI_Win_flush; divided by the operations of all ranks"};
static const struct measurement messages = {
    .like = {&traffic}, .moves = MOVES_MESSAGE, .parameters = {BYTES, PATTERN, PAIRS, DIRECTIONS, WINDOW_OF("messages"), ITERATIONS},
    .calls = "MPI_Isend MPI_Irecv MPI_Waitall", .setup = WITH_MPI(set_up_messages), .run = WITH_MPI(run_messages)};

#define ANSWERED "a window of MPI_Isend and MPI_Waitall, against MPI_Irecv, and with one direction an empty message back; divided by the messages"
#define TRAFFIC &(const struct traffic)

const struct measurement measurements_mpi_pairs[] = {
    {"Put_Pairs_Flush", "put and flush, by many ranks at once", .like = {&flushed}, .word = "Put", .variant = TRAFFIC{.routine = PUT, .discipline = FLUSH_AFTER_EACH}},
    {"Put_Pairs_Flush_Local", "put and local flush, by many ranks at once", .like = {&flushed_here}, .word = "Put", .variant = TRAFFIC{.routine = PUT, .discipline = LOCAL_FLUSH_AFTER_EACH}},
    {"Put_Pairs_Rate", "put, a window of them by many ranks at once", .like = {&rate}, .word = "Put", .variant = TRAFFIC{.routine = PUT, .discipline = WINDOW}},
    {"Put_Pairs_Rate_Together", "put, a window of them by many ranks at once: all ranks together", .like = {&rate_together}, .word = "Put", .variant = TRAFFIC{.routine = PUT, .discipline = WINDOW, .together = true}},
    {"Get_Pairs_Flush", "get and flush, by many ranks at once", .like = {&flushed}, .word = "Get", .variant = TRAFFIC{.pairs.get = true, .routine = GET, .discipline = FLUSH_AFTER_EACH}},
    {"Get_Pairs_Flush_Local", "get and local flush, by many ranks at once", .like = {&flushed_here}, .word = "Get", .variant = TRAFFIC{.pairs.get = true, .routine = GET, .discipline = LOCAL_FLUSH_AFTER_EACH}},
    {"Get_Pairs_Rate", "get, a window of them by many ranks at once", .like = {&rate}, .word = "Get", .variant = TRAFFIC{.pairs.get = true, .routine = GET, .discipline = WINDOW}},
    {"Get_Pairs_Rate_Together", "get, a window of them by many ranks at once: all ranks together", .like = {&rate_together}, .word = "Get", .variant = TRAFFIC{.pairs.get = true, .routine = GET, .discipline = WINDOW, .together = true}},
    {"Isend_Irecv_Pairs_Rate", "message, a window of them by many ranks at once", .like = {&messages}, .variant = TRAFFIC{.routine = MESSAGE, .discipline = WINDOW}, .timed = ANSWERED},
    {"Isend_Irecv_Pairs_Rate_Together", "message, a window of them by many ranks at once: all ranks together", .like = {&messages}, .variant = TRAFFIC{.routine = MESSAGE, .discipline = WINDOW, .together = true}, .timed = ANSWERED " of all ranks"},
    {.name = NULL},
};
/* clang-format on */
