/*
 * Non-blocking messages of MPI taken apart, as non-blocking puts and collectives are: the post,
 * the wait after it, both together, and the part that is not overlapped by computation, without and
 * with calls that let the library progress. One operation at a time, all ranks starting
 * together. Also the exchange with several neighbours, single calls of the classic line, and how
 * fast messages follow each other that several pairs send at the same time.
 */
#include "measurements/common/mpi_common.h"

enum direction {
    SENDS,     /* rank 0 to rank 1, whose receive is there before the start */
    RECEIVES,  /* rank 0 from rank 1, which sends from the start on */
    EXCHANGES, /* each rank with the next ones and those before it */
    STREAMS, /* the first half of the ranks to the other half, a window of messages in each pair */
    STREAMS_BOTH_WAYS
};

enum part { THE_POST, THE_WAIT, THE_WHOLE, THE_REST };

struct transfer {
    enum direction direction;
    enum part part;
    bool acknowledged; /* MPI_Ssend */
};

static const char *check_transfer(const struct run *run)
{
    return run_integer(run, "msgs", 0) > run->size - 1
               ? "msgs may be at most the number of other ranks"
               : shape_check_pairs(run);
}

/* Each message that is received at the same time as others needs a place of its own. */
static void demand_transfer(struct run *run)
{
    int64_t window = run_integer(run, "window", 1), sources = run_integer(run, "msgs", window);
    mpi_demand_message(run);
    run->demand.remote =
        mpi_block_bytes(mpi_datatype_of(run), run_integer(run, "count", 0), sources ? sources : 1);
}

#if SKAMPI_MPI

#include <math.h>

#define TAG_OF_ANSWER 1 /* messages have tag 0 here */

struct transfer_state {
    MPI_Comm comm;
    MPI_Datatype datatype;
    struct datatype *described;
    int count, tag, sources, targets;
    struct partner pair; /* of streams */
    bool leads;          /* this rank is timed; otherwise it only does the other side's part */
    int64_t tests;
    double pause;
    MPI_Request *requests; /* of all sources, then of all targets */
};

static int partner(const struct run *run, int steps)
{
    const struct transfer *how = run->function->variant;
    const struct transfer_state *s = run->state;
    if (how->direction >= STREAMS)
        return s->pair.acting ? s->pair.rank : s->pair.source;
    return how->direction == EXCHANGES ? (run->rank + steps + run->size) % run->size
                                       : 1 - run->rank;
}

static char *source_place(const struct run *run, int64_t iteration, int source)
{
    const struct transfer_state *s = run->state;
    char *to = mpi_address(run->remote + (size_t)iteration * run->remote_step, s->described);
    return to + (int64_t)source * s->count * datatype_extent(s->described);
}

static void post(const struct run *run, int64_t iteration)
{
    const struct transfer_state *s = run->state;
    void *from = mpi_address(run->local + (size_t)iteration * run->local_step, s->described);
    char *to = source_place(run, iteration, 0), *next = source_place(run, iteration, 1);
    int posted = 0;
    for (int i = 0; i < s->sources; i++)
        MPI_Irecv(to + i * (next - to), s->count, s->datatype, partner(run, -1 - i), s->tag,
                  s->comm, &s->requests[posted++]);
    for (int i = 0; i < s->targets; i++)
        MPI_Isend(from, s->count, s->datatype, partner(run, 1 + i), s->tag, s->comm,
                  &s->requests[posted++]);
}

static void wait_for_all(const struct transfer_state *s)
{
    if (s->sources + s->targets == 1)
        MPI_Wait(s->requests, MPI_STATUS_IGNORE);
    else
        mpi_wait_all(s->sources + s->targets, s->requests);
}

static void transfer(struct run *run, int64_t iteration)
{
    const struct transfer *how = run->function->variant;
    const struct transfer_state *s = run->state;
    if (how->acknowledged && s->leads) {
        MPI_Ssend(mpi_address(run->local, s->described), s->count, s->datatype, partner(run, 1),
                  s->tag, s->comm);
    } else {
        post(run, iteration);
        wait_for_all(s);
    }
}

/* A receive that the timed rank sends to is there before the start; a message that it receives is
 * sent from the start on. */
static double watch(struct run *run)
{
    const struct transfer *how = run->function->variant;
    const struct transfer_state *s = run->state;
    if (how->direction == SENDS)
        post(run, 0);
    run_start(run);
    if (how->direction == RECEIVES)
        post(run, 0);
    wait_for_all(s);
    run_stop(run);
    return NAN;
}

static double run_part(struct run *run, enum part part)
{
    const struct transfer_state *s = run->state;
    int64_t started = run_start(run), posted = 0;
    double computed = 0;
    post(run, 0);
    if (part == THE_POST || part == THE_WAIT)
        posted = timer_now();
    if (part == THE_REST)
        computed = mpi_compute(s->pause, s->tests, s->sources + s->targets, s->requests);
    wait_for_all(s);
    int64_t stopped = run_stop(run);
    return run_elapsed(run, part == THE_WAIT ? posted : started,
                       part == THE_POST ? posted : stopped) -
           computed;
}

static double run_transfer(struct run *run)
{
    const struct transfer *how = run->function->variant;
    const struct transfer_state *s = run->state;
    bool acts = s->sources + s->targets > 0;
    if (acts && warm_places(run))
        transfer(run, 0);
    if (s->leads && !how->acknowledged)
        return run_part(run, how->part);
    if (acts && !s->leads)
        return watch(run);
    int64_t started = run_start(run);
    if (acts)
        transfer(run, 0);
    int64_t stopped = run_stop(run);
    return acts ? run_elapsed(run, started, stopped) : NAN;
}

/* A window of messages, and an empty one back when all have come; both ways: none is needed, since
 * each side has to wait for the other's messages. */
static void stream(struct run *run, int64_t iteration)
{
    const struct transfer_state *s = run->state;
    post(run, iteration);
    mpi_wait_all(s->sources + s->targets, s->requests);
    if (s->sources == 0)
        MPI_Recv(NULL, 0, MPI_BYTE, partner(run, 1), TAG_OF_ANSWER, s->comm, MPI_STATUS_IGNORE);
    else if (s->targets == 0)
        MPI_Send(NULL, 0, MPI_BYTE, partner(run, 1), TAG_OF_ANSWER, s->comm);
}

static double run_streams(struct run *run)
{
    const struct transfer_state *s = run->state;
    double seconds = time_iterations(run, s->sources + s->targets > 0, stream);
    return s->leads ? seconds / s->targets : NAN;
}

static double computation_alone(struct run *run)
{
    const struct transfer_state *s = run->state;
    return mpi_compute_overhead(run, s->pause, s->tests);
}

/* ---- The data, set-up ---- */

static void fill(struct run *run)
{
    const struct transfer_state *s = run->state;
    data_poison(run->remote, run->demand.remote);
    data_poison(run->local, run->demand.local);
    mpi_fill(run, mpi_address(run->local, s->described), s->count, s->described, run->rank);
}

static bool verify(struct run *run)
{
    const struct transfer_state *s = run->state;
    bool good = true;
    if (s->sources == 0)
        return data_verify_untouched(run, "the buffer of a rank that receives nothing", run->remote,
                                     run->demand.remote);
    for (int i = 0; good && i < s->sources; i++)
        good = mpi_verify(run, "a message that was received", source_place(run, 0, i), s->count,
                          s->described, partner(run, -1 - i));
    return good;
}

static void count_messages(const struct run *run, struct transfer_state *s)
{
    const struct transfer *how = run->function->variant;
    int window = (int)run_integer(run, "window", 1);
    int64_t pairs = run_integer(run, "pairs", 0);
    bool pair = run->rank < 2, both_ways;
    s->leads = run->rank == 0;
    s->pair = shape_partner(run, SHAPE_HALF, pairs > 0 ? pairs : run->size);
    switch (how->direction) {
    case SENDS:
    case RECEIVES:
        s->targets = pair && s->leads == (how->direction == SENDS);
        s->sources = pair && s->targets == 0;
        break;
    case EXCHANGES:
        s->sources = s->targets = (int)run_integer(run, "msgs", 1);
        s->leads = true;
        break;
    case STREAMS:
    case STREAMS_BOTH_WAYS:
        both_ways = how->direction == STREAMS_BOTH_WAYS;
        s->leads = s->pair.acting || (both_ways && s->pair.source >= 0);
        s->targets = s->leads ? window : 0;
        s->sources = s->pair.source >= 0 || (both_ways && s->pair.acting) ? window : 0;
        break;
    }
}

static bool set_up_transfer(struct run *run)
{
    const struct transfer *how = run->function->variant;
    struct transfer_state *s = run->state;
    s->comm = mpi_comm(run);
    s->described = mpi_datatype_of(run);
    s->datatype = mpi_datatype(s->described);
    s->count = (int)run_integer(run, "count", 0);
    s->tag = (int)run_integer(run, "tag", 0);
    s->tests = run_integer(run, "tests", 0);
    count_messages(run, s);
    s->requests = run_allocate(run, (size_t)(s->sources + s->targets), sizeof *s->requests);
    if (how->part == THE_REST)
        s->pause = MPI_PAUSE_FACTOR * slowest_estimate(run, s->sources + s->targets > 0, transfer);
    return true;
}

#endif

/* clang-format off */
#define MSGS {"msgs", PARAMETER_INT, "", "number of next ranks to send to, and of previous ranks to receive from", .maximum = INT_MAX, .allowed = "less than the size of the communicator", .example = "0"}
#define WINDOW {"window", PARAMETER_INT, "messages", "messages in flight at the same time", .minimum = 1, .maximum = INT_MAX, .example = "16"}
#define PAIRS {"pairs", PARAMETER_INT, "", "pairs of ranks i and i + size / 2 that take part (0: all)", .maximum = INT_MAX, .allowed = "at most half the size of the communicator", .example = "0"}

static const struct measurement transferring = {
    .api = API_MPI, .check = check_transfer, .minimum_pes = 2, .who = "rank 0",
    .parameters = {COUNT_ELEMENTS, DATATYPE, TAG}, .demand = demand_transfer, MPI_STATE(struct transfer_state),
    .setup = WITH_MPI(set_up_transfer), .fill = WITH_MPI(fill), .verify = WITH_MPI(verify), .run = WITH_MPI(run_transfer)};
static const struct measurement pair = {.like = {&transferring}, .timing = TIMING_PARTS};
static const struct measurement ring = {.like = {&pair}, .minimum_pes = 1, .who = "all"};
static const struct measurement pairs = {
    .like = {&pair}, .moves = MOVES_MESSAGE, .parameters = {COUNT_ELEMENTS, DATATYPE, WINDOW, PAIRS, ITERATIONS},
    .run = WITH_MPI(run_streams)};
static const struct measurement rest = {
    .moves = MOVES_NOTHING, .reference = WITH_MPI(computation_alone),
    .subtracted = "the computation's measured length, and its overhead"};

#define TRANSFER &(const struct transfer)

const struct measurement measurements_mpi_overlap[] = {
    {"Isend_Post", "non-blocking send to a rank that has posted its receive: the post alone", .like = {&pair}, .variant = TRANSFER{SENDS, .part = THE_POST},
     .moves = MOVES_NOTHING, .routine = "MPI_Isend", .timed = "MPI_Isend; MPI_Wait untimed"},
    {"Isend_Wait", "non-blocking send to a rank that has posted its receive: the wait right after the post", .like = {&pair}, .variant = TRANSFER{SENDS, .part = THE_WAIT},
     .moves = MOVES_NOTHING, .routine = "MPI_Wait", .timed = "MPI_Wait"},
    {"Isend_Full", "non-blocking send to a rank that has posted its receive: post and wait", .like = {&pair}, .variant = TRANSFER{SENDS, .part = THE_WHOLE},
     .moves = MOVES_MESSAGE, .routine = "MPI_Isend", .calls = "MPI_Wait", .timed = "MPI_Isend + MPI_Wait"},
    {"Isend_Overlap", "non-blocking send to a rank that has posted its receive: the part that is not overlapped by computation", .like = {&rest, &pair}, .variant = TRANSFER{SENDS, .part = THE_REST},
     .routine = "MPI_Isend", .calls = "MPI_Wait", .timed = "MPI_Isend + computation + MPI_Wait"},
    {"Isend_Overlap_Test", "non-blocking send to a rank that has posted its receive: the part that is not overlapped by computation with tests", .like = {&rest, &pair}, .variant = TRANSFER{SENDS, .part = THE_REST},
     .parameters = {TESTS, COUNT_ELEMENTS, DATATYPE, TAG}, .routine = "MPI_Isend", .calls = "MPI_Test MPI_Wait", .timed = "MPI_Isend + computation with calls of MPI_Test + MPI_Wait"},
    {"Irecv_Post", "non-blocking receive of a message that is sent at the same time: the post alone", .like = {&pair}, .variant = TRANSFER{RECEIVES, .part = THE_POST},
     .moves = MOVES_NOTHING, .routine = "MPI_Irecv", .timed = "MPI_Irecv; MPI_Wait untimed"},
    {"Irecv_Wait", "non-blocking receive of a message that is sent at the same time: the wait right after the post", .like = {&pair}, .variant = TRANSFER{RECEIVES, .part = THE_WAIT},
     .moves = MOVES_NOTHING, .routine = "MPI_Wait", .timed = "MPI_Wait"},
    {"Irecv_Full", "non-blocking receive of a message that is sent at the same time: post and wait", .like = {&pair}, .variant = TRANSFER{RECEIVES, .part = THE_WHOLE},
     .moves = MOVES_MESSAGE, .routine = "MPI_Irecv", .calls = "MPI_Wait", .timed = "MPI_Irecv + MPI_Wait"},
    {"Irecv_Overlap", "non-blocking receive of a message that is sent at the same time: the part that is not overlapped by computation", .like = {&rest, &pair}, .variant = TRANSFER{RECEIVES, .part = THE_REST},
     .routine = "MPI_Irecv", .calls = "MPI_Wait", .timed = "MPI_Irecv + computation + MPI_Wait"},
    {"Irecv_Overlap_Test", "non-blocking receive of a message that is sent at the same time: the part that is not overlapped by computation with tests", .like = {&rest, &pair}, .variant = TRANSFER{RECEIVES, .part = THE_REST},
     .parameters = {TESTS, COUNT_ELEMENTS, DATATYPE, TAG}, .routine = "MPI_Irecv", .calls = "MPI_Test MPI_Wait", .timed = "MPI_Irecv + computation with calls of MPI_Test + MPI_Wait"},
    {"Isend_Irecv_Post", "non-blocking send to the next rank and receive around the ring: the post alone", .like = {&ring}, .variant = TRANSFER{EXCHANGES, .part = THE_POST},
     .moves = MOVES_NOTHING, .routine = "MPI_Irecv", .timed = "MPI_Irecv + MPI_Isend; MPI_Waitall untimed"},
    {"Isend_Irecv_Wait", "non-blocking send to the next rank and receive around the ring: the wait right after the post", .like = {&ring}, .variant = TRANSFER{EXCHANGES, .part = THE_WAIT},
     .moves = MOVES_NOTHING, .routine = "MPI_Waitall", .timed = "MPI_Waitall"},
    {"Isend_Irecv_Full", "non-blocking send to the next rank and receive around the ring: post and wait", .like = {&ring}, .variant = TRANSFER{EXCHANGES, .part = THE_WHOLE},
     .moves = MOVES_MESSAGE, .routine = "MPI_Irecv", .calls = "MPI_Isend MPI_Waitall", .timed = "MPI_Irecv + MPI_Isend + MPI_Waitall"},
    {"Isend_Irecv_Overlap", "non-blocking send to the next rank and receive around the ring: the part that is not overlapped by computation", .like = {&rest, &ring}, .variant = TRANSFER{EXCHANGES, .part = THE_REST},
     .routine = "MPI_Irecv", .calls = "MPI_Isend MPI_Waitall", .timed = "MPI_Irecv + MPI_Isend + computation + MPI_Waitall"},
    {"Isend_Irecv_Overlap_Test", "non-blocking send to the next rank and receive around the ring: the part that is not overlapped by computation with tests", .like = {&rest, &ring}, .variant = TRANSFER{EXCHANGES, .part = THE_REST},
     .parameters = {TESTS, COUNT_ELEMENTS, DATATYPE, TAG}, .routine = "MPI_Irecv", .calls = "MPI_Isend MPI_Test MPI_Waitall", .timed = "MPI_Irecv + MPI_Isend + computation with calls of MPI_Test + MPI_Waitall"},
    {"Exchange", "non-blocking sends to the next msgs ranks and receives from those before", .like = {&ring},
     .variant = TRANSFER{EXCHANGES, .part = THE_WHOLE}, .parameters = {COUNT_ELEMENTS, DATATYPE, MSGS},
     .moves = MOVES_NOTHING, .calls = "MPI_Irecv MPI_Isend MPI_Waitall", .timed = "all MPI_Irecv, all MPI_Isend, MPI_Waitall"},
    {"Isend_callduration", "the call of a non-blocking send alone", .like = {&pair},
     .variant = TRANSFER{SENDS, .part = THE_POST}, .parameters = {COUNT_ELEMENTS, DATATYPE},
     .moves = MOVES_NOTHING, .routine = "MPI_Isend", .timed = "MPI_Isend; MPI_Wait untimed"},
    {"Send", "a synchronous send, until the receive has begun", .like = {&transferring},
     .variant = TRANSFER{SENDS, .acknowledged = true}, .moves = MOVES_NOTHING, .routine = "MPI_Ssend", .timed = "MPI_Ssend to a rank that receives it"},
    {"Isend_Irecv_Rate", "one message of a window that pairs of ranks send at once", .like = {&pairs},
     .variant = TRANSFER{STREAMS, .part = THE_WHOLE}, .who = "the ranks that send", .calls = "MPI_Isend MPI_Waitall MPI_Irecv",
     .timed = "a window of MPI_Isend and MPI_Waitall, against MPI_Irecv, and an empty message back; divided by the messages of the window"},
    {"Isend_Irecv_Rate_Bidirectional", "one message of the windows that pairs of ranks send each other at once", .like = {&pairs},
     .variant = TRANSFER{STREAMS_BOTH_WAYS, .part = THE_WHOLE}, .who = "the ranks of the pairs", .calls = "MPI_Irecv MPI_Isend MPI_Waitall",
     .timed = "a window of MPI_Irecv, one of MPI_Isend, and MPI_Waitall, on both ranks; divided by the messages of one window"},
    {.name = NULL},
};
/* clang-format on */
