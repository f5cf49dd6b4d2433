/* Makes requests, and computes when they arrive at their targets. */
#include "sim/request.h"

#include <stdlib.h>

#include "base/memory.h"
#include "sim/contexts.h"
#include "sim/takes.h"

struct progress *requests_open(const struct machine *machine, const struct model *model, size_t pes)
{
    bool receives = model->receives && machine_receives(machine), any = receives;
    for (size_t i = 0; i < machine->kind_count; i++)
        any = any || machine->kinds[i].progress == PROGRESS_INSIDE;
    if (!any)
        return NULL;
    struct progress *progress = memory_zeroed(1, sizeof *progress);
    progress->receives = receives;
    progress->asks = receives && machine_asks(machine);
    progress->of = memory_zeroed(pes, sizeof *progress->of);
    return progress;
}

void requests_close(struct progress *progress)
{
    if (!progress)
        return;
    free(progress->of);
    free(progress->requests);
    free(progress->peers);
    table_free(&progress->pairs);
    free(progress);
}

static bool asks(const struct replay *replay, uint32_t pe, uint32_t peer)
{
    return replay->progress->asks &&
           machine_way(replay->machine, replay->pes[pe].node, replay->pes[peer].node)->quiet ==
               QUIET_ASKS;
}

bool request_is_needed(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    if (op->peer == step->pe)
        return false;
    if (op->kind != OP_PUT && serves_inside(replay, op->peer))
        return true;
    if (!replay->progress->receives)
        return false;
    bool atomic = op->kind == OP_ATOMIC || op->flags & OP_FETCHING;
    const struct way *way =
        replay_way(replay, step->pe, op->peer, atomic ? COST_ATOMIC : class_of(op), op->bytes);
    return way->receive > 0 || way->answer > 0 || asks(replay, step->pe, op->peer);
}

int64_t request_issue(const struct replay *replay, uint32_t pe, const struct op *op)
{
    const struct step step = {pe, op, replay->pes[pe].time};
    if (op->kind == OP_ATOMIC)
        return service_of(replay, &step).issue;
    return op->kind == OP_GET ? phases_of(replay, &step).issue : 0;
}

static uint32_t new_number(struct replay *replay)
{
    struct progress *progress = replay->progress;
    uint32_t number = progress->unused;
    if (number) {
        progress->unused = progress->requests[number - 1].next;
        return number - 1;
    }
    if (progress->count == progress->room) {
        progress->room = 2 * progress->room + 64;
        progress->requests =
            memory_resize_array(progress->requests, progress->room, sizeof *progress->requests);
    }
    return (uint32_t)progress->count++;
}

/* Empties the list of PEs that a quiet asks: nothing is open any more. */
static void forget_peers(struct progress *progress, struct open_counts *open)
{
    for (uint32_t next = open->peers; next; next = progress->peers[next - 1].next)
        progress->peers[next - 1].listed = false;
    open->peers = 0;
}

/* Adds the target to the PEs that a quiet asks, while something of the context is open. */
static void note_peer(struct replay *replay, const struct request *request)
{
    struct progress *progress = replay->progress;
    const struct {
        uint32_t pe, context, peer;
    } pair = {request->pe, request->op.context, request->op.peer};
    size_t before = progress->pairs.count,
           number = table_number(&progress->pairs, &pair, sizeof pair);
    if (number >= progress->peer_room) {
        progress->peer_room = 2 * progress->peer_room + 64;
        progress->peers =
            memory_resize_array(progress->peers, progress->peer_room, sizeof *progress->peers);
    }
    struct asked_peer *peer = &progress->peers[number];
    if (number == before)
        *peer = (struct asked_peer){.peer = request->op.peer};
    struct open_counts *open = open_of(replay, request->pe, request->op.context);
    if (open->unordered + open->ordered == 1)
        forget_peers(progress, open);
    if (peer->listed)
        return;
    peer->next = open->peers;
    peer->listed = true;
    open->peers = (uint32_t)number + 1;
}

static void send(struct replay *replay, const struct request *request)
{
    uint32_t number = new_number(replay);
    replay->progress->requests[number] = *request;
    context_begins(replay, request->pe, &request->op);
    if (!request->blocks && asks(replay, request->pe, request->op.peer))
        note_peer(replay, request);
    if (request->there > LAST_TIME)
        replay_too_late(replay, request->pe);
    queue_add(&replay->queue, request->there, (uint32_t)replay->run->lines + number);
}

static void plan_atomic(struct replay *replay, struct request *request, int64_t from)
{
    const struct step step = {request->pe, &request->op, request->start};
    const struct service *takes = &request->takes.atomic;
    request->takes.atomic = service_of(replay, &step);
    request->there = later(from + takes->issue + takes->request, floor_of(replay, &step));
    request->leaves = from + takes->issue;
    request->blocks = !takes->returns_issued;
}

/* Plans a put or get. A get arrives at its target before its data are on the wire, a put after
 * that. */
static void plan_transfer(struct replay *replay, struct request *request, int64_t from)
{
    struct pe *pe = &replay->pes[request->pe];
    const struct step step = {request->pe, &request->op, request->start};
    const struct phases *takes = &request->takes.transfer;
    request->takes.transfer = phases_of(replay, &step);
    int64_t begin = later(from + takes->issue, pe->interface), ready = begin + takes->request;
    request->leaves = from + takes->issue;
    if (request->op.kind != OP_PUT) {
        pe->interface = begin + takes->gap;
        request->there = ready;
        request->blocks = takes->returns != RETURNS_ISSUED || request->op.kind == OP_FETCHES;
        return;
    }
    int64_t wire = ready;
    if (replay->contention)
        wire = network_reserve(&replay->network, pe->node, replay->pes[request->op.peer].node,
                               ready, takes->wire);
    int64_t sent = wire + takes->wire;
    pe->interface = wire + later(takes->gap, takes->wire);
    request->there = later(sent + takes->flight, floor_of(replay, &step));
    request->blocks = takes->returns != RETURNS_ISSUED && takes->returns != RETURNS_SENT;
    if (takes->returns == RETURNS_SENT) {
        request->leaves = sent;
        request->waited += wire - ready;
    }
    note_open(replay, &step, request->there, 0);
}

/* Plans when a request that begins at `from` arrives at its target. */
static void plan(struct replay *replay, struct request *request, int64_t from)
{
    if (request->atomic)
        plan_atomic(replay, request, from);
    else
        plan_transfer(replay, request, from);
}

void request_again(struct replay *replay, struct request *request, int64_t from)
{
    plan(replay, request, from);
    send(replay, request);
}

/* A strided put whose elements go one by one makes at most this many requests. */
#define MOST_ELEMENTS 65536

static uint64_t elements_of(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    return op->kind == OP_PUT && op->place <= MOST_ELEMENTS && strided_goes_each(replay, step)
               ? op->place
               : 1;
}

bool request_ask(struct replay *replay, const struct step *step, const struct question *asked)
{
    struct request request = {
        .op = *step->op,
        .start = step->start,
        .leaves = asked->from,
        .waited = asked->waited,
        .turns = asked->turns,
        .pe = step->pe,
        .slot = NO_SLOT,
        .atomic = step->op->kind == OP_ATOMIC || step->op->flags & OP_FETCHING,
    };
    uint64_t elements = elements_of(replay, step);
    if (elements > 1) {
        request.op.bytes /= elements;
        request.op.place = 1;
    }
    for (uint64_t i = 0; i < elements; i++) {
        if (i == elements - 1)
            request.slot = asked->slot;
        request_again(replay, &request, request.leaves);
    }
    if (request.blocks) {
        replay->pes[step->pe].state = PE_MOVES;
        return false;
    }
    replay_finish(replay, step, request.leaves, request.waited);
    return true;
}

int64_t request_ask_all(struct replay *replay, uint32_t pe, const struct op *op)
{
    struct progress *progress = replay->progress;
    int64_t start = replay->pes[pe].time;
    if (!progress->asks || op->kind == OP_FENCE)
        return start;
    struct open_counts *open = open_of(replay, pe, replay->pes[pe].blocked_on);
    int64_t at = later(start, replay->handled[pe]);
    struct request request = {
        .op = {.kind = OP_PUT, .context = replay->pes[pe].blocked_on & UINT16_MAX},
        .start = start,
        .leaves = at,
        .turns = 1,
        .pe = pe,
        .slot = NO_SLOT,
    };
    /* A question does not list its target again, which still is. */
    for (uint32_t next = open->peers; next; next = progress->peers[next - 1].next) {
        request.op.peer = progress->peers[next - 1].peer;
        request_again(replay, &request, request.leaves);
    }
    forget_peers(progress, open_of(replay, pe, replay->pes[pe].blocked_on));
    return request.leaves;
}
