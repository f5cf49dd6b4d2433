/* When targets serve the requests of others, and those go on. */
#include "sim/progress.h"

#include "sim/contexts.h"

struct served {
    int64_t begin, arrived, known, leaves;
};

static struct served serve_atomic(struct replay *replay, const struct request *request, int64_t at)
{
    int64_t *served = replay_served(replay, request->op.peer);
    int64_t begin = later(at, *served), done = begin + request->takes.atomic.service;
    int64_t known = done + request->takes.atomic.back;
    *served = done;
    return (struct served){begin, done, known, known};
}

static struct served serve_get(struct replay *replay, const struct request *request, int64_t at)
{
    const struct phases *get = &request->takes.get;
    int64_t begin = at;
    if (replay->contention)
        begin = network_reserve(&replay->network, replay->pes[request->op.peer].node,
                                replay->pes[request->pe].node, at, get->wire);
    int64_t sent = begin + get->wire, arrived = sent + get->flight;
    int64_t known = arrived + get->acknowledge;
    return (struct served){begin, arrived, known,
                           get->returns == RETURNS_SENT      ? sent
                           : get->returns == RETURNS_ARRIVED ? arrived
                                                             : known};
}

/* The caller goes on, or asks again. */
static void answer(struct replay *replay, struct request *request, const struct served *served)
{
    const struct pe *pe = &replay->pes[request->pe];
    if (request->op.kind != OP_FETCHES || !pe->fetched)
        request->waited += served->begin - request->there;
    if (--request->turns > 0) {
        request_again(replay, request, served->leaves);
        return;
    }
    const struct step step = replay_blocked(replay, request->pe);
    replay_release(replay, &step, served->leaves, request->waited);
}

static void serve(struct replay *replay, uint32_t number, int64_t at)
{
    struct progress *progress = replay->progress;
    struct request request = progress->requests[number];
    const struct step step = {request.pe, &request.op, request.start};
    progress->requests[number].next = progress->unused;
    progress->unused = number + 1;
    progress->now = at;
    struct served served =
        request.atomic ? serve_atomic(replay, &request, at) : serve_get(replay, &request, at);
    if (served.known > LAST_TIME)
        replay_too_late(replay, request.pe);
    note_open(replay, &step, served.arrived, served.known);
    if (request.slot != NO_SLOT)
        replay_arrive(replay, request.slot, served.arrived);
    context_ends(replay, request.pe, request.op.context);
    if (request.blocks)
        answer(replay, &request, &served);
}

void progress_arrives(struct replay *replay, uint32_t number)
{
    struct progress *progress = replay->progress;
    struct request *request = &progress->requests[number];
    struct progress_pe *target = &progress->of[request->op.peer];
    progress->now = request->there;
    /* A PE that computes has its next call in front of it; all others are in one, or have ended. */
    if (replay->pes[request->op.peer].state != PE_ORDERED ||
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
