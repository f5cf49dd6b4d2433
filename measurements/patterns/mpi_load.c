/*
 * Operations of MPI under load: put, get and fetch-and-op with a flush, round trip of a message,
 * barrier and reduction to all of some processes while the others flood a window, or the memory. As
 * load.c has it for OpenSHMEM.
 */
#include "measurements/common/aggressors.h"
#include "measurements/common/collective.h"
#include "measurements/common/pair_operation.h"

enum action { PUT, GET, FETCH_AND_OP, PINGPONG, BARRIER, ALLREDUCE };

struct victim {
    enum victims_part part;
    enum action action;
};

static const struct victim *victim_of(const struct run *run)
{
    return run->function->variant;
}

static void demand(struct run *run)
{
    enum action action = victim_of(run)->action;
    if (action != BARRIER)
        mpi_pair_demand(run, action == FETCH_AND_OP ? PAIR_FETCH_ADD : PAIR_PUT);
    if (action == ALLREDUCE)
        data_demand_bytes(run, ROUND_UP(run->demand.reported, sizeof(long)));
    load_demand(run);
}

#if SKAMPI_MPI

/* Of messages: what LOAD_READY and LOAD_STOP tell, and of the round trip. */
#define TAG_OF_WORDS 1
#define TAG_OF_TRIP (TAG_OF_WORDS + LOAD_WORDS)

struct load_state {
    struct load load;
    struct mpi_pair pair; /* its window serves all */
    MPI_Comm comm, victims;
    bool split; /* there are communicators for the victims and for the others */
    long told[LOAD_WORDS];
};

static struct load_state *state_of(const struct run *run)
{
    return run->state;
}

/* ---- The victims ---- */

static void make_trip(struct run *run, struct load_state *state)
{
    int n = state->pair.bytes, other = 1 - run->rank;
    if (run->rank == 0)
        MPI_Send(run->local, n, MPI_BYTE, other, TAG_OF_TRIP, state->comm);
    MPI_Recv(state->pair.window.memory, n, MPI_BYTE, other, TAG_OF_TRIP, state->comm,
             MPI_STATUS_IGNORE);
    if (run->rank == 1)
        MPI_Send(run->local, n, MPI_BYTE, other, TAG_OF_TRIP, state->comm);
}

static void operate(struct run *run, bool timed)
{
    struct load_state *state = state_of(run);
    switch (victim_of(run)->action) {
    case PUT:
    case GET:
    case FETCH_AND_OP:
        mpi_pair_operate(run, &state->pair, timed);
        break;
    case PINGPONG:
        make_trip(run, state);
        break;
    case BARRIER:
        MPI_Barrier(state->victims);
        break;
    case ALLREDUCE:
        MPI_Allreduce(run->local, state->pair.window.memory,
                      (int)(run->demand.reported / sizeof(long)), MPI_LONG, MPI_SUM,
                      state->victims);
        break;
    }
}

/* Each of two ranks has what the other one sent. */
static bool verify_trip(struct run *run, const struct load_state *state)
{
    const unsigned char *target = state->pair.window.memory;
    size_t bytes = run->demand.reported;
    bool right = run->rank < 2 ? data_verify(run, "the message", target, bytes, 1 - run->rank)
                               : data_verify_untouched(run, "the memory of others", target, bytes);
    return right && data_verify(run, "the source", run->local, bytes, run->rank);
}

static void fill(struct run *run)
{
    struct load_state *state = state_of(run);
    enum action action = victim_of(run)->action;
    load_fill(run, state->pair.window.memory);
    if (action == ALLREDUCE)
        load_sum_fill(run, run->local, state->pair.window.memory);
    if (action != ALLREDUCE && action != BARRIER)
        mpi_pair_fill(run, &state->pair);
    MPI_Win_sync(state->pair.window.handle);
}

static bool verify(struct run *run)
{
    struct load_state *state = state_of(run);
    enum action action = victim_of(run)->action;
    unsigned char *memory = state->pair.window.memory;
    bool right = true;
    MPI_Win_sync(state->pair.window.handle);
    if (action == PINGPONG)
        right = verify_trip(run, state);
    else if (action == ALLREDUCE)
        right = load_sum_verify(run, memory);
    else if (action != BARRIER)
        right = mpi_pair_verify(run, &state->pair);
    return right && load_verify(run, memory) && window_verify_guards(run, &state->pair.window);
}

/* ---- The aggressors ---- */

static void flood(struct run *run, const struct flood *flood)
{
    MPI_Win window = state_of(run)->pair.window.handle;
    int n = (int)flood->bytes;
    unsigned char *here = run->local + flood->here;
    if (flood->flooding == FLOOD_PUT)
        MPI_Put(here, n, MPI_BYTE, flood->rank, (MPI_Aint)flood->there, n, MPI_BYTE, window);
    else
        MPI_Get(here, n, MPI_BYTE, flood->rank, (MPI_Aint)flood->there, n, MPI_BYTE, window);
}

static void complete(struct run *run, const struct flood *flood)
{
    MPI_Win_flush(flood->rank, state_of(run)->pair.window.handle);
}

static void tell(struct run *run, int rank, enum load_word word)
{
    MPI_Send(NULL, 0, MPI_BYTE, rank, TAG_OF_WORDS + (int)word, state_of(run)->comm);
}

static bool told(struct run *run, enum load_word word, long times)
{
    struct load_state *state = state_of(run);
    int there, tag = TAG_OF_WORDS + (int)word;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, state->comm, &there, &status);
    if (there) {
        MPI_Recv(NULL, 0, MPI_BYTE, status.MPI_SOURCE, tag, state->comm, MPI_STATUS_IGNORE);
        state->told[word]++;
    }
    return state->told[word] >= times;
}

static const struct load_routines routines = {.operate = operate,
                                              .flood = flood,
                                              .complete = complete,
                                              .tell = tell,
                                              .told = told,
                                              .meet = mpi_pair_meet};

/* ---- Set-up ---- */

static bool set_up(struct run *run)
{
    static const enum pair_action pair_actions[] = {
        [PUT] = PAIR_PUT,      [GET] = PAIR_GET,     [FETCH_AND_OP] = PAIR_FETCH_ADD,
        [PINGPONG] = PAIR_PUT, [BARRIER] = PAIR_PUT, [ALLREDUCE] = PAIR_PUT};
    struct load_state *state = state_of(run);
    const struct victim *victim = victim_of(run);
    load_open(run);
    state->comm = mpi_comm(run);
    if (!mpi_pair_open(run, pair_actions[victim->action], &state->pair) ||
        (victim->action == ALLREDUCE && !load_sum_possible(run, run->local, NULL)))
        return false;
    if (victim->part == VICTIMS_TOGETHER) {
        MPI_Comm_split(state->comm, run->rank < state->load.victims, run->rank, &state->victims);
        state->split = true;
    }
    return true;
}

static void tear_down(struct run *run)
{
    struct load_state *state = state_of(run);
    if (state->split)
        MPI_Comm_free(&state->victims);
    window_close(&state->pair.window);
    load_note(run);
}

static double run_loaded(struct run *run)
{
    return load_run(run, &routines);
}

#endif

/* clang-format off */
static const struct measurement loaded = {
    .api = API_MPI, .check = load_check, .version_major = 3, .minimum_pes = 2, .demand = demand,
    MPI_STATE(struct load_state), .setup = WITH_MPI(set_up), .fill = WITH_MPI(fill),
    .verify = WITH_MPI(verify), .run = WITH_MPI(run_loaded), .teardown = WITH_MPI(tear_down)};
#define COUNTED .parameters = {MPI_COUNT_BYTES, AGGRESSORS, FLOOD, MEMORY}

const struct measurement measurements_mpi_load[] = {
    {"Put_Flush_Under_Load", "put from rank 0 to rank 1 while the other ranks flood", .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, PUT}, .who = "rank 0", COUNTED, .moves = MOVES_MESSAGE,
     .calls = "MPI_Put MPI_Win_flush", .timed = "one MPI_Put, MPI_Win_flush"},
    {"Get_Flush_Under_Load", "get by rank 0 from rank 1 while the other ranks flood", .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, GET}, .who = "rank 0", COUNTED, .moves = MOVES_MESSAGE,
     .calls = "MPI_Get MPI_Win_flush", .timed = "one MPI_Get, MPI_Win_flush"},
    {"Fetch_and_op_Flush_Under_Load", "fetch-and-op by rank 0 on rank 1 while the other ranks flood",
     .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, FETCH_AND_OP}, .who = "rank 0", .parameters = {AGGRESSORS, FLOOD, MEMORY},
     .moves = MOVES_MESSAGE, .calls = "MPI_Fetch_and_op MPI_Win_flush", .timed = "one MPI_Fetch_and_op with MPI_SUM of a long, MPI_Win_flush"},
    {"Pingpong_Send_Recv_Under_Load", "round trip between ranks 0 and 1 while the other ranks flood",
     .like = {&loaded}, .variant = &(const struct victim){VICTIM_ANSWERED, PINGPONG}, .who = "rank 0", COUNTED, .moves = MOVES_BOTH_WAYS, .calls = "MPI_Send MPI_Recv", .timed = "a complete round trip by MPI_Send, MPI_Recv"},
    {"Barrier_Under_Load", "barrier of the first ranks while the others flood", .like = {&loaded}, .variant = &(const struct victim){VICTIMS_TOGETHER, BARRIER}, .who = "the victims",
     .parameters = {VICTIMS, AGGRESSORS, FLOOD, MEMORY}, .moves = MOVES_NOTHING, .calls = "MPI_Barrier", .timed = "one MPI_Barrier, after another one"},
    {"Allreduce_Under_Load", "sum of longs over the first ranks while the others flood", .like = {&loaded}, .variant = &(const struct victim){VICTIMS_TOGETHER, ALLREDUCE}, .who = "the victims",
     .parameters = {{"count", PARAMETER_INT, "bytes", "data of each rank, rounded up to complete longs", .size = true, .minimum = 1, .maximum = INT_MAX, .example = "1024"}, VICTIMS, AGGRESSORS, FLOOD, MEMORY},
     .moves = MOVES_REDUCED, .calls = "MPI_Allreduce", .timed = "one MPI_Allreduce, after another one"},
    {.name = NULL},
};
/* clang-format on */
