/* Makes requests, and computes when they arrive at their targets. */
#include "sim/request.h"

#include <stdlib.h>

#include "base/memory.h"

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
    progress->waiting = memory_zeroed(pes, sizeof *progress->waiting);
    return progress;
}

void requests_close(struct progress *progress)
{
    if (!progress)
        return;
    free(progress->waiting);
    free(progress->peers);
    table_free(&progress->pairs);
    free(progress);
}

static bool asks(const struct replay *replay, uint32_t pe, uint32_t peer)
{
    return replay->progress->asks &&
           machine_way(replay->machine, replay->threads[pe].node, replay->threads[peer].node)
                   ->quiet == QUIET_ASKS;
}

bool request_is_needed(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    if (op->peer == step->thread)
        return false;
    if (op->kind != OP_PUT && serves_inside(replay, op->peer))
        return true;
    if (!replay->progress->receives)
        return false;
    enum cost_class class = is_atomic(op) ? COST_ATOMIC : class_of(op);
    const struct way *way = replay_way(replay, step->thread, op->peer, class, op->bytes);
    return way->receive > 0 || way->answer > 0 || asks(replay, step->thread, op->peer);
}

int64_t request_issue(const struct replay *replay, uint32_t pe, const struct op *op)
{
    const struct step step = {pe, op, replay->threads[pe].time};
    if (op->kind == OP_ATOMIC)
        return service_of(replay, &step).issue;
    return op->kind == OP_GET ? phases_of(replay, &step).issue : 0;
}

/* Empties the list of PEs that a quiet asks: nothing is open any more. */
static void forget_peers(struct progress *progress, struct open_counts *open)
{
    for (uint32_t next = open->peers; next; next = progress->peers[next - 1].next)
        progress->peers[next - 1].listed = false;
    open->peers = 0;
}

/* Adds the target to the PEs that a quiet asks, while something of the context is open. */
static void note_peer(struct replay *replay, const struct operation *request)
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

/* Sends a request that begins at `from` (ps). Returns when the caller goes on. */
static struct departure send(struct replay *replay, const struct step *step, int64_t from,
                             uint32_t slot)
{
    struct operation request = operation_make(replay, step, from, slot);
    operation_plan(replay, &request);
    uint32_t number = operations_add(&replay->operations, &request);
    if (step->op->kind == OP_PUT)
        note_open(replay, step, request.plan.there, 0);
    context_begins(replay, step->thread, step->op);
    if (!request.plan.blocks && asks(replay, step->thread, step->op->peer))
        note_peer(replay, &request);
    if (request.plan.there > LAST_TIME)
        replay_too_late(replay, step->thread);
    queue_add(&replay->queue, request.plan.there, (uint32_t)replay->run->thread_count + number);
    return (struct departure){request.plan.blocks ? UNKNOWN : request.plan.leaves,
                              request.plan.waited};
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

struct departure request_ask(struct replay *replay, const struct step *step, int64_t from,
                             uint32_t slot)
{
    uint64_t elements = elements_of(replay, step);
    if (elements <= 1)
        return send(replay, step, from, slot);
    struct op op = *step->op;
    op.bytes /= elements;
    op.place = 1;
    const struct step element = {step->thread, &op, step->start};
    struct departure all = {from, 0};
    for (uint64_t i = 0; i < elements; i++) {
        struct departure one =
            send(replay, &element, all.leaves, i == elements - 1 ? slot : NO_SLOT);
        all = (struct departure){one.leaves, all.waited + one.waited};
    }
    return all;
}

int64_t request_ask_all(struct replay *replay, uint32_t pe, const struct op *op)
{
    struct progress *progress = replay->progress;
    int64_t start = replay->threads[pe].time;
    if (!progress->asks || op->kind == OP_FENCE)
        return start;
    struct open_counts *open = open_of(replay, pe, replay->threads[pe].blocked_on);
    int64_t at = later(start, replay->handled[pe]);
    struct op question = {.kind = OP_PUT, .context = replay->threads[pe].blocked_on & UINT16_MAX};
    const struct step step = {pe, &question, start};
    /* A question does not list its target again, which still is. */
    for (uint32_t next = open->peers; next; next = progress->peers[next - 1].next) {
        question.peer = progress->peers[next - 1].peer;
        at = send(replay, &step, at, NO_SLOT).leaves;
    }
    forget_peers(progress, open_of(replay, pe, replay->threads[pe].blocked_on));
    return at;
}
