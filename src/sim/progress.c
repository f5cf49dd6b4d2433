/* Serves requests at their targets, and lets their callers go on. */
#include "sim/progress.h"

#include "sim/contexts.h"

/* When a request was served (ps). ordered is the arrival that a fence orders, or 0 if it is known
 * already; known is when the answer arrives, before the caller's library has handled it. */
struct serving {
    int64_t begin, arrived, ordered, known;
};

/* Begins to handle a message at `at`, or when the library has handled the earlier ones. Returns the
 * begin. */
static int64_t handle(struct replay *replay, uint32_t pe, int64_t at, int64_t takes)
{
    int64_t *handled = &replay->handled[pe], begin = later(at, *handled);
    *handled = begin + takes;
    return begin;
}

static struct serving serve_atomic(struct replay *replay, const struct request *request, int64_t at)
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
    return (struct serving){begin, done, done, done + takes->back};
}

static struct serving serve_transfer(struct replay *replay, const struct request *request,
                                     int64_t at)
{
    const struct phases *takes = &request->takes.transfer;
    int64_t begin = takes->receive > 0 ? handle(replay, request->op.peer, at, takes->receive) : at;
    int64_t done = begin + takes->receive;
    if (request->op.kind == OP_PUT)
        return (struct serving){begin, done, 0, done + takes->acknowledge};
    int64_t wire = done;
    if (replay->contention)
        wire = network_reserve(&replay->network, replay->pes[request->op.peer].node,
                               replay->pes[request->pe].node, wire, takes->wire);
    int64_t arrived = wire + takes->wire + takes->flight;
    return (struct serving){wire - takes->receive, arrived, arrived, arrived + takes->acknowledge};
}

/* When the caller goes on, unless it has to handle the answer. */
static int64_t leaves_at(const struct request *request, const struct serving *served)
{
    const struct phases *takes = &request->takes.transfer;
    if (request->atomic || takes->returns == RETURNS_KNOWN)
        return served->known;
    return takes->returns == RETURNS_SENT && request->op.kind != OP_PUT
               ? served->arrived - takes->flight
               : served->arrived;
}

static void forget(struct progress *progress, uint32_t number)
{
    progress->requests[number].next = progress->unused;
    progress->unused = number + 1;
}

/* The caller goes on, or asks again. */
static void go_on(struct replay *replay, struct request *request)
{
    if (!request->blocks)
        return;
    if (--request->turns > 0) {
        request->answered = false;
        request_again(replay, request, request->leaves);
        return;
    }
    const struct step step = replay_blocked(replay, request->pe);
    replay_release(replay, &step, request->leaves, request->waited);
}

static void serve(struct replay *replay, uint32_t number, int64_t at)
{
    struct progress *progress = replay->progress;
    struct request request = progress->requests[number];
    const struct step step = {request.pe, &request.op, request.start};
    struct serving served =
        request.atomic ? serve_atomic(replay, &request, at) : serve_transfer(replay, &request, at);
    if (served.known > LAST_TIME)
        replay_too_late(replay, request.pe);
    if (request.op.kind != OP_FETCHES || !replay->pes[request.pe].fetched)
        request.waited += request.blocks ? served.begin - request.there : 0;
    note_open(replay, &step, served.ordered, served.known);
    if (request.slot != NO_SLOT)
        replay_arrive(replay, request.slot, served.arrived);
    if (progress->receives) {
        request.answered = true;
        request.leaves = served.known;
        progress->requests[number] = request;
        context_served(replay, request.pe, &request.op);
        queue_add(&replay->queue, served.known, (uint32_t)replay->run->lines + number);
        return;
    }
    forget(progress, number);
    context_ends(replay, request.pe, &request.op);
    request.leaves = leaves_at(&request, &served);
    go_on(replay, &request);
}

/* The answer is at the caller, whose library handles it. */
static void take_answer(struct replay *replay, uint32_t number, int64_t at)
{
    struct request request = replay->progress->requests[number];
    const struct step step = {request.pe, &request.op, request.start};
    int64_t takes = request.atomic ? request.takes.atomic.answer : request.takes.transfer.answer;
    request.leaves = handle(replay, request.pe, at, takes) + takes;
    if (request.leaves > LAST_TIME)
        replay_too_late(replay, request.pe);
    note_open(replay, &step, 0, request.leaves);
    forget(replay->progress, number);
    context_answered(replay, request.pe, &request.op);
    go_on(replay, &request);
}

static void take(struct replay *replay, uint32_t number, int64_t at)
{
    replay->progress->now = at;
    if (replay->progress->requests[number].answered)
        take_answer(replay, number, at);
    else
        serve(replay, number, at);
}

void progress_arrives(struct replay *replay, uint32_t number)
{
    struct progress *progress = replay->progress;
    struct request *request = &progress->requests[number];
    uint32_t pe = request->answered ? request->pe : request->op.peer;
    int64_t at = request->answered ? request->leaves : request->there;
    struct progress_pe *library = &progress->of[pe];
    /* PE_ORDERED means that the PE computes until its next call; in other states, it is in a call,
     * or has ended. */
    if (replay->pes[pe].state != PE_ORDERED || !serves_inside(replay, pe) ||
        at <= replay->answers_until[pe]) {
        take(replay, number, at);
        return;
    }
    request->next = 0;
    if (library->first)
        progress->requests[library->last - 1].next = number + 1;
    else
        library->first = number + 1;
    library->last = number + 1;
}

void progress_call(struct replay *replay, uint32_t number, int64_t from)
{
    struct progress *progress = replay->progress;
    struct progress_pe *library = &progress->of[number];
    const struct pe *pe = &replay->pes[number];
    uint32_t next = library->first;
    replay->handled[number] = later(replay->handled[number], from);
    if (!next)
        return;
    library->first = 0;
    uint32_t station = path_station(&replay->paths, number, pe->time, pe->hop);
    path_keep(&replay->paths, station);
    while (next) {
        const struct request *request = &progress->requests[next - 1];
        uint32_t own = next - 1;
        next = request->next;
        if (request->blocks && !request->answered)
            replay_follow(replay, request->pe, pe->path_compute, station);
        take(replay, own, pe->time);
    }
    path_drop(&replay->paths, station);
}
