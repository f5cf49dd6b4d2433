/*
 * Operations of MPI under load: put, get and fetch-and-op with a flush, round trip of a message,
 * barrier and reduction to all of some processes while the others flood a window, or the memory. As
 * load.c has it for OpenSHMEM.
 */
#include "measurements/common/aggressors.h"

#if SKAMPI_MPI

/* Of messages: what LOAD_READY and LOAD_STOP tell, and of the round trip. */
#define TAG_OF_WORDS 1
#define TAG_OF_TRIP (TAG_OF_WORDS + LOAD_WORDS)

struct load_state {
    struct load load;
    MPI_Comm comm, victims;
    bool split; /* there are communicators for the victims and for the others */
    long told[LOAD_WORDS];
};

static struct load_state *state_of(const struct run *run)
{
    return run->state;
}

/* ---- The victims ---- */

static void operate(struct run *run, enum load_action action)
{
    struct load_state *state = state_of(run);
    int n = (int)run->demand.reported, other = 1 - run->rank;
    unsigned char *memory = state->load.pair.window.memory;
    if (action == LOAD_BARRIER) {
        MPI_Barrier(state->victims);
    } else if (action == LOAD_SUM) {
        MPI_Allreduce(run->local, memory, n / (int)sizeof(long), MPI_LONG, MPI_SUM, state->victims);
    } else {
        if (run->rank == 0)
            MPI_Send(run->local, n, MPI_BYTE, other, TAG_OF_TRIP, state->comm);
        MPI_Recv(memory, n, MPI_BYTE, other, TAG_OF_TRIP, state->comm, MPI_STATUS_IGNORE);
        if (run->rank == 1)
            MPI_Send(run->local, n, MPI_BYTE, other, TAG_OF_TRIP, state->comm);
    }
}

/* ---- The aggressors ---- */

static void flood(struct run *run, const struct flood *flood)
{
    MPI_Win window = state_of(run)->load.pair.window.handle;
    int n = (int)flood->bytes;
    unsigned char *here = run->local + flood->here;
    if (flood->flooding == FLOOD_PUT)
        MPI_Put(here, n, MPI_BYTE, flood->rank, (MPI_Aint)flood->there, n, MPI_BYTE, window);
    else
        MPI_Get(here, n, MPI_BYTE, flood->rank, (MPI_Aint)flood->there, n, MPI_BYTE, window);
}

static void complete(struct run *run, const struct flood *flood)
{
    MPI_Win_flush(flood->rank, state_of(run)->load.pair.window.handle);
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

static const struct load_routines routines = {operate, flood, complete, tell, told};

/* ---- Set-up ---- */

static bool set_up(struct run *run)
{
    struct load_state *state = state_of(run);
    state->comm = mpi_comm(run);
    if (!load_open(run))
        return false;
    if (((const struct victim *)run->function->variant)->part == VICTIMS_TOGETHER) {
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
    load_tear_down(run);
}

static double run_loaded(struct run *run)
{
    return load_run(run, &routines);
}

#endif

/* clang-format off */
static const struct measurement loaded = {
    .api = API_MPI, .check = load_check, .version_major = 3, .minimum_pes = 2, .demand = load_demand,
    MPI_STATE(struct load_state), .setup = WITH_MPI(set_up), .fill = load_fill,
    .verify = load_verify, .run = WITH_MPI(run_loaded), .teardown = WITH_MPI(tear_down)};
#define COUNTED .parameters = {MPI_COUNT_BYTES, AGGRESSORS, FLOOD, MEMORY}

const struct measurement measurements_mpi_load[] = {
    {"Put_Flush_Under_Load", "put from rank 0 to rank 1 while the other ranks flood", .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, LOAD_PUT}, .who = "rank 0", COUNTED, .moves = MOVES_MESSAGE,
     .calls = "MPI_Put MPI_Win_flush", .timed = "one MPI_Put, MPI_Win_flush"},
    {"Get_Flush_Under_Load", "get by rank 0 from rank 1 while the other ranks flood", .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, LOAD_GET}, .who = "rank 0", COUNTED, .moves = MOVES_MESSAGE,
     .calls = "MPI_Get MPI_Win_flush", .timed = "one MPI_Get, MPI_Win_flush"},
    {"Fetch_and_op_Flush_Under_Load", "fetch-and-op by rank 0 on rank 1 while the other ranks flood",
     .like = {&loaded}, .variant = &(const struct victim){VICTIM_ALONE, LOAD_FETCH_ADD}, .who = "rank 0", .parameters = {AGGRESSORS, FLOOD, MEMORY},
     .moves = MOVES_MESSAGE, .calls = "MPI_Fetch_and_op MPI_Win_flush", .timed = "one MPI_Fetch_and_op with MPI_SUM of a long, MPI_Win_flush"},
    {"Pingpong_Send_Recv_Under_Load", "round trip between ranks 0 and 1 while the other ranks flood",
     .like = {&loaded}, .variant = &(const struct victim){VICTIM_ANSWERED, LOAD_TRIP}, .who = "rank 0", COUNTED, .moves = MOVES_BOTH_WAYS, .calls = "MPI_Send MPI_Recv", .timed = "a complete round trip by MPI_Send, MPI_Recv"},
    {"Barrier_Under_Load", "barrier of the first ranks while the others flood", .like = {&loaded}, .variant = &(const struct victim){VICTIMS_TOGETHER, LOAD_BARRIER}, .who = "the victims",
     .parameters = {VICTIMS, AGGRESSORS, FLOOD, MEMORY}, .moves = MOVES_NOTHING, .calls = "MPI_Barrier", .timed = "one MPI_Barrier, after another one"},
    {"Allreduce_Under_Load", "sum of longs over the first ranks while the others flood", .like = {&loaded}, .variant = &(const struct victim){VICTIMS_TOGETHER, LOAD_SUM}, .who = "the victims",
     .parameters = {{"count", PARAMETER_INT, "bytes", "data of each rank, rounded up to complete longs", .size = true, .minimum = 1, .maximum = INT_MAX, .example = "1024"}, VICTIMS, AGGRESSORS, FLOOD, MEMORY},
     .moves = MOVES_REDUCED, .calls = "MPI_Allreduce", .timed = "one MPI_Allreduce, after another one"},
    {.name = NULL},
};
/* clang-format on */
