/*
 * Many messages of MPI at once: how fast they follow each other, by one pair of ranks or by several
 * at the same time. Bandwidth is the size divided by the time; the message rate is the number of
 * pairs divided by it, times two where both ranks of a pair send.
 */
#include <limits.h>
#include <stdio.h>

#include "measurements/common/mpi_common.h"

struct rate {
    bool both_ways;
};

/* Pairs of rank i and rank i + size / 2; 0 pairs means all. */
static const char *check_rate(const struct run *run)
{
    static char text[96];
    if (run_integer(run, "pairs", 0) <= run->size / 2)
        return NULL;
    snprintf(text, sizeof text, "pairs may be at most half the communicator's PEs, %d",
             run->size / 2);
    return text;
}

/* Each message that is received at the same time as others needs a place of its own. */
static void demand_rate(struct run *run)
{
    mpi_demand_message(run);
    run->demand.remote = mpi_block_bytes(mpi_datatype_of(run), run_integer(run, "count", 0),
                                         run_integer(run, "window", 1));
}

#if SKAMPI_MPI

#include <math.h>

#define TAG_OF_MESSAGES 1
#define TAG_OF_ANSWER 2

struct rate_state {
    MPI_Comm comm;
    MPI_Datatype datatype;
    struct datatype *described;
    int count, window, partner;
    bool acts, sends, receives;
    MPI_Request *requests; /* 2 window */
};

static void post(const struct run *run, int64_t iteration)
{
    const struct rate_state *state = run->state;
    size_t at = (size_t)iteration;
    char *to = mpi_address(run->remote + at * run->remote_step, state->described);
    void *from = mpi_address(run->local + at * run->local_step, state->described);
    size_t next = (size_t)(state->count * datatype_extent(state->described));
    int posted = 0;
    for (int i = 0; state->receives && i < state->window; i++)
        MPI_Irecv(to + (size_t)i * next, state->count, state->datatype, state->partner,
                  TAG_OF_MESSAGES, state->comm, &state->requests[posted++]);
    for (int i = 0; state->sends && i < state->window; i++)
        MPI_Isend(from, state->count, state->datatype, state->partner, TAG_OF_MESSAGES, state->comm,
                  &state->requests[posted++]);
    mpi_wait_all(posted, state->requests);
}

/* A window of messages, and an empty one back when all have come; both ways: none is needed, since
 * each side has to wait for the other's messages. */
static void exchange(const struct run *run, int64_t iteration)
{
    const struct rate_state *state = run->state;
    post(run, iteration);
    if (state->sends && state->receives)
        return;
    if (state->sends)
        MPI_Recv(NULL, 0, MPI_BYTE, state->partner, TAG_OF_ANSWER, state->comm, MPI_STATUS_IGNORE);
    else
        MPI_Send(NULL, 0, MPI_BYTE, state->partner, TAG_OF_ANSWER, state->comm);
}

static void fill(struct run *run)
{
    const struct rate_state *state = run->state;
    data_poison(run->remote, run->demand.remote);
    data_poison(run->local, run->demand.local);
    if (state->acts)
        mpi_fill(run, mpi_address(run->local, state->described), state->count, state->described,
                 run->rank);
}

static bool verify(struct run *run)
{
    const struct rate_state *state = run->state;
    bool good = true;
    if (!state->acts || !state->receives)
        return data_verify_untouched(run, "the buffer of a rank that receives nothing", run->remote,
                                     run->demand.remote);
    char *to = mpi_address(run->remote, state->described);
    size_t next = (size_t)(state->count * datatype_extent(state->described));
    for (int i = 0; good && i < state->window; i++)
        good = mpi_verify(run, "a message that was received", to + (size_t)i * next, state->count,
                          state->described, state->partner);
    return good;
}

static bool set_up_rate(struct run *run)
{
    const struct rate *how = run->function->variant;
    struct rate_state *state = run->state;
    int half = run->size / 2;
    int pairs = (int)run_integer(run, "pairs", 0);
    int place = run->rank < half ? run->rank : run->rank - half;
    state->acts = run->rank < 2 * half && place < (pairs > 0 ? pairs : half);
    if (!state->acts)
        return true;
    state->sends = run->rank < half || how->both_ways;
    state->receives = run->rank >= half || how->both_ways;
    state->partner = run->rank < half ? run->rank + half : run->rank - half;
    state->comm = mpi_comm(run);
    state->described = mpi_datatype_of(run);
    state->datatype = mpi_datatype(state->described);
    state->count = (int)run_integer(run, "count", 0);
    state->window = (int)run_integer(run, "window", 1);
    state->requests = run_allocate(run, 2 * (size_t)state->window, sizeof(MPI_Request));
    return true;
}

static double run_rate(struct run *run)
{
    const struct rate_state *state = run->state;
    if (state->acts && warm_places(run))
        exchange(run, 0);
    int64_t started = run_start(run);
    for (int64_t i = 0; state->acts && i < run->iterations; i++)
        exchange(run, i);
    int64_t stopped = run_stop(run);
    if (!state->acts || !state->sends)
        return NAN;
    return run_elapsed(run, started, stopped) / (double)run->iterations / state->window;
}

#endif

/* clang-format off */
#define WINDOW {"window", PARAMETER_INT, "messages", "messages in flight at the same time", .minimum = 1, .maximum = INT_MAX, .example = "16"}
#define PAIRS {"pairs", PARAMETER_INT, "", "pairs of ranks i and i + size / 2 that take part (0: all)", .maximum = INT_MAX, .allowed = "at most half the size of the communicator", .example = "0"}
/* clang-format on */

static const struct measurement rate = {
    .api = API_MPI,
    .check = check_rate,
    .moves = MOVES_MESSAGE,
    .timing = TIMING_PARTS,
    .minimum_pes = 2,
    .parameters = {COUNT_ELEMENTS, DATATYPE, WINDOW, PAIRS, ITERATIONS},
    MPI_STATE(struct rate_state),
    .demand = demand_rate,
    .setup = WITH_MPI(set_up_rate),
    .fill = WITH_MPI(fill),
    .verify = WITH_MPI(verify),
    .run = WITH_MPI(run_rate),
};

const struct measurement measurements_mpi_rate[] = {
    {"Isend_Irecv_Rate", "one message of a window that pairs of ranks send at once",
     .like = {&rate}, .variant = &(const struct rate){false}, .who = "the ranks that send",
     .calls = "MPI_Isend MPI_Waitall MPI_Irecv",
     .timed =
         "a window of MPI_Isend and MPI_Waitall, against MPI_Irecv, and an empty message back; "
         "divided by the messages of the window"},
    {"Isend_Irecv_Rate_Bidirectional",
     "one message of the windows that pairs of ranks send each other at once", .like = {&rate},
     .variant = &(const struct rate){true}, .who = "the ranks of the pairs",
     .calls = "MPI_Irecv MPI_Isend MPI_Waitall",
     .timed = "a window of MPI_Irecv, one of MPI_Isend, and MPI_Waitall, on both ranks; divided by "
              "the messages of one window"},
    {.name = NULL},
};
