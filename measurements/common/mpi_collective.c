/*
 * One call of a collective routine of MPI, the ways to time it, its memory and its arguments.
 */
#include "measurements/common/mpi_call.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- Arguments, errors, demand ---- */

static double real_value(const struct run *run, const char *name, double otherwise)
{
    const struct value *found = run_find_argument(run, name);
    return found ? found->real : otherwise;
}

/* The factor by which blocks from and to the charged rank are larger; 1 for functions without the
 * parameter. */
static double charge_of(const struct run *run)
{
    return real_value(run, "ratio", 1);
}

static int64_t charged(int64_t count, double ratio)
{
    double elements = floor((double)count * ratio);
    return elements < INT_MAX ? (int64_t)elements : INT_MAX;
}

/* Elements between the beginnings of two blocks. */
static int64_t spaced(int64_t count, double ratio)
{
    int64_t larger = charged(count, ratio);
    return larger > count ? larger : count;
}

/* A graph in which somebody's neighbour does not know him would wait for ever. */
static bool is_symmetric(const struct topology *topology)
{
    if (topology->kind != TOPOLOGY_GRAPH)
        return true;
    for (int rank = 0; rank < topology->nodes; rank++)
        for (int i = rank > 0 ? topology->index[rank - 1] : 0; i < topology->index[rank]; i++) {
            int other = topology->edges[i], there = 0, back = 0;
            for (int k = rank > 0 ? topology->index[rank - 1] : 0; k < topology->index[rank]; k++)
                there += topology->edges[k] == other;
            for (int k = other > 0 ? topology->index[other - 1] : 0; k < topology->index[other];
                 k++)
                back += topology->edges[k] == rank;
            if (there != back)
                return false;
        }
    return true;
}

static const char *mpi_collective_check(const struct run *run)
{
    const struct mpi_routine *routine = run->function->variant;
    const struct topology *topology = pe_set_topology(run->set);
    if (run->function->neighborhood && !topology)
        return "needs a communicator with a topology: topology_cartesian() or topology_graph()";
    if (run->function->neighborhood && !is_symmetric(topology))
        return "the neighbours in the graph must be each other's: an edge is missing the way back";
    const struct datatype *sent = mpi_datatype_of(run);
    const struct datatype *received = mpi_received_type(run);
    if (!sent)
        return NULL;
    int64_t s_count = mpi_sent_count(run);
    int64_t r_count = mpi_received_count(run);
    if (s_count * datatype_size(sent) != r_count * datatype_size(received))
        return "the bytes sent and the bytes received must be equal";
    if (run_find_argument(run, "charged_rank") && s_count != r_count)
        return "the elements sent and the elements received must be equal";
    int64_t peers = run->function->neighborhood ? topology_degree(topology) : run->size;
    int64_t most = spaced(s_count > r_count ? s_count : r_count, charge_of(run));
    int64_t unit = 1;
    if (routine->blocks == MPI_BLOCKS_TYPED && !run->function->neighborhood)
        unit = datatype_extent(datatype_extent(sent) > datatype_extent(received) ? sent : received);
    if (routine->blocks != MPI_BLOCKS_EQUAL && unit > 0 && most > INT_MAX / unit / (peers + 1))
        return "count is too large: MPI counts the places of blocks in an int";
    return NULL;
}

static int64_t blocks_of(enum mpi_block_count count, int peers)
{
    return count == MPI_BLOCK_A_PEER ? peers : (int64_t)count;
}

/* Along a topology for as many neighbours as any rank has. */
static void demand_of(struct run *run, bool in_place)
{
    int peers =
        run->function->neighborhood ? topology_degree(pe_set_topology(run->set)) : run->size;
    const struct mpi_routine *routine = run->function->variant;
    const struct mpi_flow_facts *flow = &mpi_flow_facts[routine->flow];
    const struct datatype *sent = mpi_datatype_of(run);
    const struct datatype *received = mpi_received_type(run);
    int64_t count = mpi_sent_count(run), s_blocks, r_blocks;
    double ratio = charge_of(run);
    if (!sent)
        return;
    s_blocks = blocks_of(flow->sent, peers);
    r_blocks = blocks_of(in_place && flow->reduces ? flow->sent : flow->received, peers) +
               routine->temporary;
    run->demand.local = mpi_block_bytes(sent, spaced(count, ratio), s_blocks);
    run->demand.remote =
        mpi_block_bytes(received, spaced(mpi_received_count(run), ratio), r_blocks);
    int64_t reported;
    if (!__builtin_mul_overflow(count, datatype_extent(sent), &reported))
        run->demand.reported = (size_t)reported;
}

static void mpi_collective_demand(struct run *run)
{
    demand_of(run, false);
}

void mpi_collective_demand_in_place(struct run *run)
{
    demand_of(run, true);
}

#if SKAMPI_MPI

/* ---- One operation ---- */

static struct mpi_collective_state *state_of(const struct run *run)
{
    return run->state;
}

static const struct mpi_routine *routine_of(const struct run *run)
{
    return run->function->variant;
}

/* The call at the iteration's place. */
static inline struct mpi_call *aim(const struct run *run, int64_t iteration)
{
    struct mpi_collective_state *state = state_of(run);
    struct mpi_call *call = &state->call;
    unsigned char *receive = state->receive_base + (size_t)iteration * run->remote_step;
    call->send = state->send_in_place ? MPI_IN_PLACE
                                      : state->send_base + (size_t)iteration * run->local_step;
    call->receive = state->receive_in_place ? MPI_IN_PLACE : receive;
    if (state->receives)
        call->temporary = receive + (int64_t)call->receive_count * datatype_extent(state->receives);
    return call;
}

/* Buffers are at other addresses on each repetition. */
static struct mpi_call *begin_repetition(const struct run *run)
{
    struct mpi_collective_state *state = state_of(run);
    if (state->sends) {
        state->send_base = mpi_address(run->local, state->sends);
        state->receive_base = mpi_address(run->remote, state->receives);
    }
    return aim(run, 0);
}

/* The non-blocking or persistent operation begins. */
static inline void start_it(const struct run *run, struct mpi_call *call)
{
    if (state_of(run)->form == MPI_POSTED)
        routine_of(run)->post(call);
    else
        MPI_Start(&call->request);
}

static inline void wait_for_it(struct mpi_call *call)
{
    MPI_Wait(&call->request, MPI_STATUS_IGNORE);
}

static inline void do_it(const struct run *run, struct mpi_call *call)
{
    if (state_of(run)->form == MPI_CALLED) {
        routine_of(run)->call(call);
    } else {
        start_it(run, call);
        wait_for_it(call);
    }
}

/* ---- Set-up ---- */

/* Elements of the block that goes from this rank to another one, or comes from there. */
static int block_count(const struct run *run, int64_t count, int other)
{
    int64_t rank = run_integer(run, "charged_rank", -1);
    return other == rank || run->rank == rank ? (int)charged(count, charge_of(run)) : (int)count;
}

/* Counts, places and types of blocks on one side; between: elements from one to the next. */
static void list_blocks(struct run *run, struct mpi_block_lists *lists, const struct datatype *type,
                        int64_t count, int between, MPI_Datatype handle)
{
    const struct mpi_collective_state *state = state_of(run);
    size_t peers = (size_t)state->peers;
    bool shares = routine_of(run)->flow == MPI_FLOW_REDUCE_SCATTER;
    bool typed = routine_of(run)->blocks == MPI_BLOCKS_TYPED;
    int64_t unit = typed ? datatype_extent(type) : 1;
    lists->counts = run_allocate(run, peers, sizeof *lists->counts);
    lists->places = run_allocate(run, peers, sizeof *lists->places);
    lists->offsets = run_allocate(run, peers, sizeof *lists->offsets);
    lists->types = run_allocate(run, peers, sizeof *lists->types);
    for (int k = 0, place = 0; k < state->peers; k++) {
        int share = mpi_share(state->call.send_count, state->call.size, k);
        int64_t offset = shares ? place : k * (int64_t)between * unit;
        lists->counts[k] = shares ? share : block_count(run, count, k);
        lists->places[k] = run->function->neighborhood && typed ? 0 : (int)offset;
        lists->offsets[k] = (MPI_Aint)offset;
        lists->types[k] = handle;
        place += share;
    }
}

static void describe_call(struct run *run)
{
    struct mpi_collective_state *state = state_of(run);
    bool in_place = run->function->demand == mpi_collective_demand_in_place;
    struct mpi_call *call = &state->call;
    double ratio = charge_of(run);
    int root = (int)run_integer(run, "root", 0);
    *call = (struct mpi_call){.comm = mpi_comm(run),
                              .root = root,
                              .rank = run->rank,
                              .size = run->size,
                              .request = MPI_REQUEST_NULL,
                              .op = MPI_OP_NULL};
    state->routine = routine_of(run);
    state->in_place = in_place;
    state->peers = run->size;
    state->tests = run_integer(run, "tests", 0);
    state->sends = mpi_datatype_of(run);
    state->receives = mpi_received_type(run);
    state->operation = mpi_operation_of(run);
    if (run->function->neighborhood) { /* whom this rank exchanges blocks with */
        const struct topology *topology = pe_set_topology(run->set);
        state->peer_ranks =
            run_allocate(run, (size_t)topology_degree(topology), sizeof *state->peer_ranks);
        state->peers = topology_neighbors(topology, run->rank, state->peer_ranks);
    }
    if (state->operation)
        call->op = mpi_operation(state->operation);
    if (!state->sends)
        return;
    call->send_type = mpi_datatype(state->sends);
    call->receive_type = mpi_datatype(state->receives);
    call->send_count = (int)spaced(mpi_sent_count(run), ratio);
    call->receive_count = (int)spaced(mpi_received_count(run), ratio);
    enum mpi_flow flow = routine_of(run)->flow;
    bool of_root = flow == MPI_FLOW_GATHER || flow == MPI_FLOW_REDUCE;
    state->receive_in_place = in_place && flow == MPI_FLOW_SCATTER && run->rank == root;
    state->send_in_place = in_place && flow != MPI_FLOW_SCATTER && (!of_root || run->rank == root);
    call->requests = run_allocate(run, 2 * (size_t)run->size, sizeof *call->requests);
    if (routine_of(run)->blocks == MPI_BLOCKS_EQUAL && flow != MPI_FLOW_REDUCE_SCATTER)
        return;
    list_blocks(run, &call->sent, state->sends, mpi_sent_count(run), call->send_count,
                call->send_type);
    list_blocks(run, &call->received, state->receives, mpi_received_count(run), call->receive_count,
                call->receive_type);
}

static void mpi_collective_fill(struct run *run)
{
    begin_repetition(run);
    mpi_data_prepare(run);
}

/* An init alone moves no data. */
static bool mpi_collective_verify(struct run *run)
{
    begin_repetition(run);
    return (run->function->run == mpi_collective_init_alone && !run->untimed) ||
           mpi_data_check(run);
}

static void do_at(struct run *run, int64_t iteration)
{
    do_it(run, aim(run, iteration));
}

static bool mpi_collective_set_up(struct run *run)
{
    describe_call(run);
    return true;
}

static bool mpi_collective_set_up_posted(struct run *run)
{
    state_of(run)->form = MPI_POSTED;
    describe_call(run);
    return true;
}

static bool mpi_collective_set_up_overlap(struct run *run)
{
    mpi_collective_set_up_posted(run);
    mpi_collective_fill(run);
    state_of(run)->pause = MPI_PAUSE_FACTOR * slowest_estimate(run, true, do_at);
    return true;
}

bool mpi_collective_set_up_persistent(struct run *run)
{
    state_of(run)->form = MPI_PERSISTENT;
    describe_call(run);
    routine_of(run)->init(begin_repetition(run));
    return true;
}

static void mpi_collective_tear_down(struct run *run)
{
    struct mpi_call *call = &state_of(run)->call;
    if (state_of(run)->form == MPI_PERSISTENT && call->request != MPI_REQUEST_NULL)
        MPI_Request_free(&call->request);
}

/* ---- What is timed ---- */

/* An untimed operation at each new place makes it warm. A persistent one has its place for good. */
static struct mpi_call *warm(struct run *run)
{
    if (state_of(run)->form == MPI_PERSISTENT)
        return &state_of(run)->call;
    struct mpi_call *call = begin_repetition(run);
    if (run->demand.remote > 0 && warm_places(run))
        do_it(run, call);
    return call;
}

double mpi_collective_once_run(struct run *run)
{
    struct mpi_call *call = warm(run);
    int64_t started = collective_arrive(run, run->rank, run->size);
    do_it(run, call);
    return run_elapsed(run, started, run_stop(run));
}

/* Several calls in a row, which count together, after a computation that counts, too. */
static double calls_after(struct run *run, double computation, int64_t calls)
{
    struct mpi_call *call = warm(run);
    int64_t started = run_start(run);
    if (computation >= 0)
        run_pause(computation);
    for (int64_t i = 0; i < calls; i++)
        do_it(run, call);
    return run_elapsed(run, started, run_stop(run));
}

double mpi_collective_delayed(struct run *run)
{
    bool late = run->rank == run_integer(run, "node", 0);
    return calls_after(run, late ? real_value(run, "delay", 0) : -1, 1);
}

double mpi_collective_several(struct run *run)
{
    return calls_after(run, -1, run_integer(run, "n", 1));
}

/* Separated by barriers where those are the reference. */
static double mpi_collective_loop(struct run *run)
{
    bool separated = run->function->reference;
    struct mpi_call *call = warm(run);
    int64_t started = run_start(run);
    for (int64_t i = 0; i < run->iterations; i++) {
        do_it(run, aim(run, i));
        if (separated)
            MPI_Barrier(call->comm);
    }
    return run_elapsed(run, started, run_stop(run)) / (double)run->iterations;
}

static double mpi_collective_barriers_alone(struct run *run)
{
    MPI_Comm comm = state_of(run)->call.comm;
    int64_t start = timer_now();
    for (int64_t i = 0; i < run->iterations; i++)
        MPI_Barrier(comm);
    return run_elapsed(run, start, timer_now()) / (double)run->iterations;
}

double mpi_collective_start_alone(struct run *run)
{
    struct mpi_call *call = warm(run);
    int64_t started = collective_arrive(run, run->rank, run->size);
    start_it(run, call);
    int64_t posted = timer_now();
    wait_for_it(call);
    run_stop(run);
    return run_elapsed(run, started, posted);
}

static double mpi_collective_wait_alone(struct run *run)
{
    struct mpi_call *call = warm(run);
    collective_arrive(run, run->rank, run->size);
    start_it(run, call);
    int64_t posted = timer_now();
    wait_for_it(call);
    return run_elapsed(run, posted, run_stop(run));
}

static double mpi_collective_overlap(struct run *run)
{
    struct mpi_call *call = warm(run);
    int64_t started = collective_arrive(run, run->rank, run->size);
    start_it(run, call);
    double paused = mpi_compute(state_of(run)->pause, state_of(run)->tests, 1, &call->request);
    wait_for_it(call);
    return run_elapsed(run, started, run_stop(run)) - paused;
}

/* What the computation costs beyond its measured length. */
static double mpi_collective_pauses_alone(struct run *run)
{
    return mpi_compute_overhead(run, state_of(run)->pause, state_of(run)->tests);
}

double mpi_collective_init_alone(struct run *run)
{
    struct mpi_collective_state *state = state_of(run);
    struct mpi_call *call = &state->call;
    if (call->request != MPI_REQUEST_NULL)
        MPI_Request_free(&call->request);
    int64_t started = collective_arrive(run, run->rank, run->size);
    routine_of(run)->init(call);
    int64_t stopped = run_stop(run);
    if (run->untimed) { /* its data are to be verified */
        start_it(run, call);
        wait_for_it(call);
    }
    return run_elapsed(run, started, stopped);
}

#endif

/* ---- What functions are like ---- */

/* clang-format off */
const struct measurement mpi_collective = {
    .api = API_MPI, .check = mpi_collective_check, .who = "all", .arrives = true, .demand = mpi_collective_demand, MPI_STATE(struct mpi_collective_state),
    .setup = WITH_MPI(mpi_collective_set_up), .fill = WITH_MPI(mpi_collective_fill), .verify = WITH_MPI(mpi_collective_verify),
    .teardown = WITH_MPI(mpi_collective_tear_down)};
const struct measurement mpi_collective_once = {
    .like = {&mpi_collective}, .timing = TIMING_WHOLE, .run = WITH_MPI(mpi_collective_once_run)};

const struct measurement mpi_form_call = {
    .like = {&mpi_collective_once}, .routine = "MPI_%s", .timed = "MPI_%s"};
const struct measurement mpi_form_consecutive = {
    .like = {&mpi_form_call}, .run = WITH_MPI(mpi_collective_loop)};
const struct measurement mpi_form_separated = {
    .like = {&mpi_collective}, .timing = TIMING_PARTS, .run = WITH_MPI(mpi_collective_loop), .reference = WITH_MPI(mpi_collective_barriers_alone),
    .subtracted = "a barrier, measured alone", .routine = "MPI_%s", .calls = "MPI_Barrier", .timed = "MPI_%s + MPI_Barrier"};

static const struct measurement non_blocking = {
    .like = {&mpi_collective}, .version_major = 3, .setup = WITH_MPI(mpi_collective_set_up_posted)};
const struct measurement mpi_form_post = {
    .like = {&non_blocking}, .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .run = WITH_MPI(mpi_collective_start_alone),
    .routine = "MPI_%s", .timed = "MPI_%s"};
const struct measurement mpi_form_wait = {
    .like = {&non_blocking}, .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .run = WITH_MPI(mpi_collective_wait_alone),
    .routine = "MPI_Wait", .timed = "MPI_Wait"};
const struct measurement mpi_form_full = {
    .like = {&non_blocking}, .timing = TIMING_WHOLE, .run = WITH_MPI(mpi_collective_once_run),
    .routine = "MPI_%s", .calls = "MPI_Wait", .timed = "MPI_%s + MPI_Wait"};
const struct measurement mpi_form_overlap = {
    .like = {&non_blocking}, .timing = TIMING_PARTS, .moves = MOVES_NOTHING, .setup = WITH_MPI(mpi_collective_set_up_overlap), .run = WITH_MPI(mpi_collective_overlap),
    .reference = WITH_MPI(mpi_collective_pauses_alone), .subtracted = "the computation's measured length, and its overhead",
    .routine = "MPI_%s", .calls = "MPI_Wait", .timed = "MPI_%s + computation + MPI_Wait"};
const struct measurement mpi_form_overlap_test = {
    .like = {&mpi_form_overlap}, .calls = "MPI_Test MPI_Wait", .timed = "MPI_%s + computation with calls of MPI_Test + MPI_Wait"};
/* clang-format on */
