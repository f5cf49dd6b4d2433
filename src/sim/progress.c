/* When targets serve the requests of others, and those go on. */
#include "sim/progress.h"

#include "sim/contexts.h"

/* ordered: when what a fence orders is there, 0: it is known already. */
struct served {
    int64_t begin, arrived, ordered, known, leaves;
};

/* From then on the target's library handles a message. */
static int64_t handle(struct replay *replay, uint32_t target, int64_t at, int64_t takes)
{
    int64_t *handled = &replay->handled[target], begin = later(at, *handled);
    *handled = begin + takes;
    return begin;
}

static struct served serve_atomic(struct replay *replay, const struct request *request, int64_t at)
{
    const struct service *takes = &request->takes.atomic;
    int64_t begin, done;
    if (takes->received) {
        begin = handle(replay, request->op.peer, at, takes->service);
        done = begin + takes->service;
    } else {
        int64_t *served = replay_served(replay, request->op.peer);
        begin = later(at, *served);
        *served = done = begin + takes->service;
    }
    int64_t known = done + takes->back;
    return (struct served){begin, done, done, known, known};
}

static struct served serve_transfer(struct replay *replay, const struct request *request,
                                    int64_t at)
{
    const struct phases *takes = &request->takes.transfer;
    int64_t begin = at, arrived;
    if (takes->receive > 0)
        begin = handle(replay, request->op.peer, at, takes->receive);
    if (request->op.kind == OP_PUT) {
        arrived = begin + takes->receive;
        return (struct served){begin, arrived, 0, arrived + takes->acknowledge,
                               arrived +
                                   (takes->returns == RETURNS_KNOWN ? takes->acknowledge : 0)};
    }
    int64_t wire = begin + takes->receive;
    if (replay->contention)
        wire = network_reserve(&replay->network, replay->pes[request->op.peer].node,
                               replay->pes[request->pe].node, wire, takes->wire);
    int64_t sent = wire + takes->wire;
    arrived = sent + takes->flight;
    int64_t known = arrived + takes->acknowledge;
    return (struct served){wire - takes->receive, arrived, arrived, known,
                           takes->returns == RETURNS_SENT      ? sent
                           : takes->returns == RETURNS_ARRIVED ? arrived
                                                               : known};
}

/* The caller goes on, or asks again. */
static void answer(struct replay *replay, struct request *request)
{
    if (--request->turns > 0) {
        request_again(replay, request, request->leaves);
        return;
    }
    const struct step step = replay_blocked(replay, request->pe);
    replay_release(replay, &step, request->leaves, request->waited);
}

static void forget(struct progress *progress, uint32_t number)
{
    progress->requests[number].next = progress->unused;
    progress->unused = number + 1;
}

/* Its caller waits for it. What comes to the caller before that is handled before. */
static void send_answer(struct replay *replay, struct request *request, uint32_t number)
{
    if (replay->progress->receives) {
        request->answered = true;
        replay->progress->requests[number] = *request;
        queue_add(&replay->queue, request->leaves, (uint32_t)replay->run->lines + number);
        return;
    }
    forget(replay->progress, number);
    answer(replay, request);
}

static void serve(struct replay *replay, uint32_t number, int64_t at)
{
    struct progress *progress = replay->progress;
    struct request request = progress->requests[number];
    const struct step step = {request.pe, &request.op, request.start};
    progress->now = at;
    struct served served =
        request.atomic ? serve_atomic(replay, &request, at) : serve_transfer(replay, &request, at);
    if (served.known > LAST_TIME)
        replay_too_late(replay, request.pe);
    note_open(replay, &step, served.ordered, served.known);
    if (request.slot != NO_SLOT)
        replay_arrive(replay, request.slot, served.arrived);
    context_ends(replay, request.pe, &request.op);
    if (!request.blocks) {
        forget(progress, number);
        return;
    }
    if (request.op.kind != OP_FETCHES || !replay->pes[request.pe].fetched)
        request.waited += served.begin - request.there;
    request.leaves = served.leaves;
    send_answer(replay, &request, number);
}

void progress_arrives(struct replay *replay, uint32_t number)
{
    struct progress *progress = replay->progress;
    struct request *request = &progress->requests[number];
    struct progress_pe *target = &progress->of[request->op.peer];
    if (request->answered) {
        struct request own = *request;
        progress->now = own.leaves;
        own.answered = false;
        forget(progress, number);
        answer(replay, &own);
        return;
    }
    progress->now = request->there;
    /* A PE that computes has its next call in front of it; all others are in one, or have ended. */
    if (replay->pes[request->op.peer].state != PE_ORDERED ||
        !serves_inside(replay, request->op.peer) ||
        request->there <= replay->answers_until[request->op.peer]) {
        serve(replay, number, request->there);
        return;
    }
    request->next = 0;
    if (target->first)
        progress->requests[target->last - 1].next = number + 1;
    else
        target->first = number + 1;
    target->last = number + 1;
}

void progress_call(struct replay *replay, uint32_t number)
{
    struct progress *progress = replay->progress;
    struct progress_pe *target = &progress->of[number];
    const struct pe *pe = &replay->pes[number];
    uint32_t next = target->first;
    if (!next)
        return;
    target->first = 0;
    uint32_t station = path_station(&replay->paths, number, pe->time, pe->hop);
    path_keep(&replay->paths, station);
    while (next) {
        const struct request *request = &progress->requests[next - 1];
        uint32_t own = next - 1;
        next = request->next;
        if (request->blocks)
            replay_follow(replay, request->pe, pe->path_compute, station);
        serve(replay, own, pe->time);
    }
    path_drop(&replay->paths, station);
}
