/*
 * Messages of MPI between two ranks: how long one takes to arrive, by all ways to send and to
 * receive it.
 */
#include "measurements/common/mpi_common.h"

enum sending { SEND, SSEND, ISEND, ISSEND, BSEND };
enum receiving { RECEIVE, RECEIVE_ANY_TAG, PROBE_RECEIVE, POST_AND_WAIT };

/* A round trip between ranks 0 and 1: each side sends by one routine and receives by another. */
struct pingpong {
    enum sending sending;
    enum receiving receiving;
    enum { TWO_CALLS, SENDRECV, SENDRECV_REPLACE, PERSISTENT } call;
    bool one_way; /* half of it is reported */
};

static const char *check_exchange(const struct run *run)
{
    return mpi_sent_count(run) * datatype_size(mpi_datatype_of(run)) >
                   mpi_received_count(run) * datatype_size(mpi_received_type(run))
               ? "the message received must be at least as large as the message sent"
               : NULL;
}

/* Pairs are rank i and rank i + nodesize, for i < procs. */
static const char *check_pairs(const struct run *run)
{
    int64_t pairs = run_integer(run, "procs", 1);
    int64_t apart = run_integer(run, "nodesize", 1);
    if (pairs > apart)
        return "procs may be at most nodesize";
    if (pairs + apart > run->size)
        return "procs and nodesize together may be at most the communicator's PEs";
    return NULL;
}

#if SKAMPI_MPI

#include <math.h>

/* Elements of a type, and the tag of the messages that they go in. */
struct message {
    MPI_Datatype datatype;
    struct datatype *described;
    int count, tag;
};

struct pingpong_state {
    MPI_Comm comm;
    int partner;
    bool acts, begins; /* rank 0 begins, its partner is rank 1, unless there are several pairs */
    struct message sent, received;
    MPI_Request requests[2]; /* persistent ones, to send and to receive */
};

/* Buffered sends that the library may not have let go yet when their answers are there. */
#define BUFFERED_MESSAGES 8

static void send_message(const struct pingpong_state *state, enum sending how, void *from)
{
    const struct message *m = &state->sent;
    MPI_Request request;
    switch (how) {
    case SEND:
        MPI_Send(from, m->count, m->datatype, state->partner, m->tag, state->comm);
        return;
    case SSEND:
        MPI_Ssend(from, m->count, m->datatype, state->partner, m->tag, state->comm);
        return;
    case BSEND:
        MPI_Bsend(from, m->count, m->datatype, state->partner, m->tag, state->comm);
        return;
    case ISEND:
        MPI_Isend(from, m->count, m->datatype, state->partner, m->tag, state->comm, &request);
        break;
    case ISSEND:
        MPI_Issend(from, m->count, m->datatype, state->partner, m->tag, state->comm, &request);
        break;
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void receive_message(const struct pingpong_state *state, enum receiving how, void *to)
{
    const struct message *m = &state->received;
    int tag = how == RECEIVE_ANY_TAG ? MPI_ANY_TAG : m->tag, arrived = 0;
    MPI_Request request;
    if (how == POST_AND_WAIT) {
        MPI_Irecv(to, m->count, m->datatype, state->partner, tag, state->comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        return;
    }
    while (how == PROBE_RECEIVE && !arrived)
        MPI_Iprobe(state->partner, tag, state->comm, &arrived, MPI_STATUS_IGNORE);
    MPI_Recv(to, m->count, m->datatype, state->partner, tag, state->comm, MPI_STATUS_IGNORE);
}

static void start_and_wait(const struct pingpong_state *state, int which)
{
    MPI_Request request = state->requests[which];
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* One rank begins, and the other one answers; with MPI_Sendrecv() both begin. */
static void round_trip(struct run *run, int64_t iteration)
{
    const struct pingpong *how = run->function->variant;
    const struct pingpong_state *state = run->state;
    const struct message *sent = &state->sent, *received = &state->received;
    void *from = mpi_address(run->local + (size_t)iteration * run->local_step, sent->described);
    void *to = mpi_address(run->remote + (size_t)iteration * run->remote_step, received->described);
    switch (how->call) {
    case TWO_CALLS:
        if (state->begins)
            send_message(state, how->sending, from);
        receive_message(state, how->receiving, to);
        if (!state->begins)
            send_message(state, how->sending, from);
        break;
    case PERSISTENT:
        if (state->begins)
            start_and_wait(state, 0);
        start_and_wait(state, 1);
        if (!state->begins)
            start_and_wait(state, 0);
        break;
    case SENDRECV:
        MPI_Sendrecv(from, sent->count, sent->datatype, state->partner, sent->tag, to,
                     received->count, received->datatype, state->partner, received->tag,
                     state->comm, MPI_STATUS_IGNORE);
        break;
    case SENDRECV_REPLACE:
        MPI_Sendrecv_replace(to, sent->count, sent->datatype, state->partner, sent->tag,
                             state->partner, received->tag, state->comm, MPI_STATUS_IGNORE);
        break;
    }
}

static struct message message_of(const struct run *run, bool sent)
{
    struct datatype *described = sent ? mpi_datatype_of(run) : mpi_received_type(run);
    int64_t tag = run_integer(run, "tag", 0);
    return (struct message){
        .datatype = mpi_datatype(described),
        .described = described,
        .count = (int)(sent ? mpi_sent_count(run) : mpi_received_count(run)),
        .tag = (int)run_integer(run, sent ? "s_tag" : "r_tag", tag),
    };
}

static bool replaces(const struct run *run)
{
    return ((const struct pingpong *)run->function->variant)->call == SENDRECV_REPLACE;
}

static void fill(struct run *run)
{
    const struct pingpong_state *state = run->state;
    const struct message *sent = &state->sent;
    data_poison(run->remote, run->demand.remote);
    data_poison(run->local, run->demand.local);
    if (state->acts)
        mpi_fill(run, mpi_address(replaces(run) ? run->remote : run->local, sent->described),
                 sent->count, sent->described, run->rank);
}

/* The message arrived as it was sent: what is left of a larger receive buffer is as it was. What
 * was replaced is sent back by the next exchange. */
static bool verify(struct run *run)
{
    const struct pingpong_state *state = run->state;
    const struct message *sent = &state->sent, *received = &state->received;
    if (!state->acts)
        return data_verify_untouched(run, "the buffer of a rank that receives nothing", run->remote,
                                     run->demand.remote);
    if (replaces(run) && !run->untimed)
        return true;
    int64_t size = datatype_size(received->described);
    int64_t arriving = size > 0 ? sent->count * datatype_size(sent->described) / size : 0;
    size_t used = mpi_block_bytes(received->described, arriving, 1);
    return mpi_verify(run, "the message that was received",
                      mpi_address(run->remote, received->described), arriving, received->described,
                      state->partner) &&
           (used > run->demand.remote ||
            data_verify_untouched(run, "the memory after the message that was received",
                                  run->remote + used, run->demand.remote - used));
}

static bool set_up_pingpong(struct run *run)
{
    const struct pingpong *how = run->function->variant;
    struct pingpong_state *state = run->state;
    int pairs = (int)run_integer(run, "procs", 1), apart = (int)run_integer(run, "nodesize", 1);
    state->begins = run->rank < pairs;
    state->acts = state->begins || (run->rank >= apart && run->rank < apart + pairs);
    state->partner = state->begins ? run->rank + apart : run->rank - apart;
    if (!state->acts)
        return true;
    state->comm = mpi_comm(run);
    state->sent = message_of(run, true);
    state->received = message_of(run, false);
    if (!state->begins) {
        int tag = state->sent.tag;
        state->sent.tag = state->received.tag;
        state->received.tag = tag;
    }
    if (how->sending == BSEND) {
        int packed;
        MPI_Pack_size(state->sent.count, state->sent.datatype, state->comm, &packed);
        if (!mpi_attach_buffer(run, BUFFERED_MESSAGES * (size_t)packed, BUFFERED_MESSAGES))
            return false;
    }
    if (how->call == PERSISTENT) {
        const struct message *sent = &state->sent, *received = &state->received;
        MPI_Send_init(mpi_address(run->local, sent->described), sent->count, sent->datatype,
                      state->partner, sent->tag, state->comm, &state->requests[0]);
        MPI_Recv_init(mpi_address(run->remote, received->described), received->count,
                      received->datatype, state->partner, received->tag, state->comm,
                      &state->requests[1]);
    }
    return true;
}

static double run_pingpong(struct run *run)
{
    const struct pingpong *how = run->function->variant;
    const struct pingpong_state *state = run->state;
    double seconds = time_iterations(run, state->acts, round_trip);
    return state->begins ? seconds / (how->one_way ? 2 : 1) : NAN;
}

static void tear_down_pingpong(struct run *run)
{
    const struct pingpong *how = run->function->variant;
    struct pingpong_state *state = run->state;
    mpi_detach_buffer();
    for (int i = 0; how->call == PERSISTENT && state->acts && i < 2; i++)
        MPI_Request_free(&state->requests[i]);
}

#endif

/* clang-format off */
#define S_COUNT {"s_count", PARAMETER_INT, "elements", "length of the message", .size = true, .maximum = INT_MAX, .element = "s_datatype", .also = "count", .example = "256"}
#define S_DATATYPE {"s_datatype", PARAMETER_DATATYPE, "", "type of the elements sent", .also = "datatype", .example = "MPI_INT"}
#define R_COUNT {"r_count", PARAMETER_INT, "elements", "room at the receiver", .size = true, .maximum = INT_MAX, .allowed = "in bytes, as large as the message or larger", .element = "r_datatype", .also = "count", .example = "256"}
#define R_DATATYPE {"r_datatype", PARAMETER_DATATYPE, "", "type of the elements received", .also = "datatype", .example = "MPI_INT"}
#define S_TAG {"s_tag", PARAMETER_INT, "", "tag of messages from rank 0 to rank 1", .maximum = MPI_HIGHEST_TAG, .also = "tag", .example = "0"}
#define PROCS {"procs", PARAMETER_INT, "", "number of pairs", .minimum = 1, .maximum = INT_MAX, .allowed = "at most nodesize", .example = "1"}
#define NODESIZE {"nodesize", PARAMETER_INT, "ranks", "distance between the two ranks of a pair", .minimum = 1, .maximum = INT_MAX, .allowed = "together with procs at most the size of the communicator", .example = "1"}
#define R_TAG {"r_tag", PARAMETER_INT, "", "tag of messages from rank 1 to rank 0", .maximum = MPI_HIGHEST_TAG, .also = "tag", .example = "0"}

static const struct measurement exchanges = {
    .api = API_MPI, .timing = TIMING_PARTS, .minimum_pes = 2, .who = "rank 0", .moves = MOVES_BOTH_WAYS,
    .demand = mpi_demand_message, .setup = WITH_MPI(set_up_pingpong), .fill = WITH_MPI(fill),
    .verify = WITH_MPI(verify), .run = WITH_MPI(run_pingpong), .teardown = WITH_MPI(tear_down_pingpong), MPI_STATE(struct pingpong_state)};
static const struct measurement pingpong = {
    .like = {&exchanges}, .parameters = {COUNT_ELEMENTS, DATATYPE, TAG, ITERATIONS},
    .timed = "a complete round trip, a message from rank 0 to rank 1 and one back, by %s; one way is half of it"};

#define BY .variant = &(const struct pingpong)

const struct measurement measurements_mpi_pt2pt[] = {
    {"Pingpong_Send_Recv", "round trip by send and receive",
     .like = {&pingpong}, .calls = "MPI_Send MPI_Recv", .word = "MPI_Send, MPI_Recv", BY{.sending = SEND, .receiving = RECEIVE}},
    {"Pingpong_Send_Iprobe_Recv", "round trip by send and receive, probing for the message first",
     .like = {&pingpong}, .calls = "MPI_Send MPI_Iprobe MPI_Recv", .word = "MPI_Send, MPI_Iprobe until it is there, MPI_Recv",
     BY{.sending = SEND, .receiving = PROBE_RECEIVE}},
    {"Pingpong_Send_Irecv", "round trip by send and non-blocking receive",
     .like = {&pingpong}, .calls = "MPI_Send MPI_Irecv MPI_Wait", .word = "MPI_Send, MPI_Irecv, MPI_Wait",
     BY{.sending = SEND, .receiving = POST_AND_WAIT}},
    {"Pingpong_Send_Recv_AT", "round trip by send and receive of any tag",
     .like = {&pingpong}, .calls = "MPI_Send MPI_Recv", .word = "MPI_Send, MPI_Recv with MPI_ANY_TAG",
     BY{.sending = SEND, .receiving = RECEIVE_ANY_TAG}},
    {"Pingpong_Ssend_Recv", "round trip by synchronous send and receive",
     .like = {&pingpong}, .calls = "MPI_Ssend MPI_Recv", .word = "MPI_Ssend, MPI_Recv", BY{.sending = SSEND, .receiving = RECEIVE}},
    {"Pingpong_Isend_Recv", "round trip by non-blocking send and receive",
     .like = {&pingpong}, .calls = "MPI_Isend MPI_Wait MPI_Recv", .word = "MPI_Isend, MPI_Wait, MPI_Recv",
     BY{.sending = ISEND, .receiving = RECEIVE}},
    {"Pingpong_Issend_Recv", "round trip by non-blocking synchronous send and receive",
     .like = {&pingpong}, .calls = "MPI_Issend MPI_Wait MPI_Recv", .word = "MPI_Issend, MPI_Wait, MPI_Recv",
     BY{.sending = ISSEND, .receiving = RECEIVE}},
    {"Pingpong_Bsend_Recv", "round trip by buffered send and receive",
     .like = {&pingpong}, .calls = "MPI_Bsend MPI_Recv", .word = "MPI_Bsend, MPI_Recv", BY{.sending = BSEND, .receiving = RECEIVE}},
    {"Pingpong_Isend_Irecv", "round trip by non-blocking send and receive, each waited for",
     .like = {&pingpong}, .calls = "MPI_Isend MPI_Wait MPI_Irecv", .word = "MPI_Isend, MPI_Wait, MPI_Irecv, MPI_Wait",
     BY{.sending = ISEND, .receiving = POST_AND_WAIT}},
    {"Pingpong_Sendrecv", "exchange of two ranks by one call", .like = {&exchanges},
     .parameters = {S_COUNT, S_DATATYPE, S_TAG, R_COUNT, R_DATATYPE, R_TAG, ITERATIONS},
     .check = check_exchange, BY{.call = SENDRECV}, .calls = "MPI_Sendrecv",
     .timed = "a complete exchange, a message each way at the same time, by MPI_Sendrecv"},
    {"Pingpong_Sendrecv_replace", "exchange of two ranks by one call, in place", .like = {&exchanges},
     .parameters = {COUNT_ELEMENTS, DATATYPE, S_TAG, R_TAG, ITERATIONS},
     BY{.call = SENDRECV_REPLACE}, .calls = "MPI_Sendrecv_replace",
     .timed = "a complete exchange, a message each way at the same time, by MPI_Sendrecv_replace"},
    {"Pingpong_Persistent", "round trip by persistent requests, always from and to the same memory",
     .like = {&pingpong}, .calls = "MPI_Start MPI_Wait", .word = "MPI_Start of a send, MPI_Wait, MPI_Start of a receive, MPI_Wait",
     .one_place = true, BY{.call = PERSISTENT}},
    {"Par_Pingpong_Send_Recv", "round trips of several pairs of ranks at the same time",
     .like = {&pingpong}, .who = "ranks below procs", .check = check_pairs,
     .parameters = {COUNT_ELEMENTS, DATATYPE, TAG, ITERATIONS, PROCS, NODESIZE},
     BY{.sending = SEND, .receiving = RECEIVE}, .calls = "MPI_Send MPI_Recv",
     .timed = "the complete round trip of a pair, a message from rank i to rank i + nodesize and one back, by MPI_Send, MPI_Recv; one way is half of it"},
    {"Send_Recv_One_Way", "one way of a message: half a round trip by send and receive", .like = {&pingpong},
     BY{.one_way = true}, .moves = MOVES_MESSAGE, .calls = "MPI_Send MPI_Recv",
     .timed = "half a round trip: half of a message from rank 0 to rank 1 and one back, by MPI_Send, MPI_Recv"},
    {.name = NULL},
};
/* clang-format on */
