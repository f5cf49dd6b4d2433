/* Requests: how they are made, and when they come to their targets. */
#include "sim/request.h"

#include <stdlib.h>

#include "base/memory.h"
#include "sim/contexts.h"
#include "sim/takes.h"

struct progress *requests_open(const struct machine *machine, size_t pes)
{
    bool any = false;
    for (size_t i = 0; i < machine->kind_count; i++)
        any = any || machine->kinds[i].progress == PROGRESS_INSIDE;
    if (!any)
        return NULL;
    struct progress *progress = memory_zeroed(1, sizeof *progress);
    progress->of = memory_zeroed(pes, sizeof *progress->of);
    return progress;
}

void requests_close(struct progress *progress)
{
    if (!progress)
        return;
    free(progress->of);
    free(progress->requests);
    free(progress);
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

static void send(struct replay *replay, const struct request *request)
{
    uint32_t number = new_number(replay);
    replay->progress->requests[number] = *request;
    context_begins(replay, request->pe, request->op.context);
    if (request->there > LAST_TIME)
        replay_too_late(replay, request->pe);
    queue_add(&replay->queue, request->there, (uint32_t)replay->run->lines + number);
}

/* When a get or atomic that begins then is at its target. */
static void plan(struct replay *replay, struct request *request, int64_t from)
{
    struct pe *pe = &replay->pes[request->pe];
    const struct step step = {request->pe, &request->op, request->start};
    if (request->atomic) {
        request->takes.atomic = service_of(replay, &step);
        request->there = later(from + request->takes.atomic.issue + request->takes.atomic.request,
                               floor_of(replay, &step));
        request->blocks = !request->takes.atomic.returns_issued;
        return;
    }
    struct phases *get = &request->takes.get;
    *get = phases_of(replay, &step);
    int64_t begin = later(from + get->issue, pe->interface);
    pe->interface = begin + get->gap;
    request->there = begin + get->request;
    request->blocks = get->returns != RETURNS_ISSUED || request->op.kind == OP_FETCHES;
}

void request_again(struct replay *replay, struct request *request, int64_t from)
{
    plan(replay, request, from);
    send(replay, request);
}

bool request_ask(struct replay *replay, const struct step *step, const struct asked *asked)
{
    struct request request = {
        .op = *step->op,
        .start = step->start,
        .waited = asked->waited,
        .turns = asked->turns,
        .pe = step->pe,
        .slot = asked->slot,
        .atomic = step->op->kind == OP_ATOMIC || step->op->flags & OP_FETCHING,
    };
    request_again(replay, &request, asked->from);
    if (request.blocks) {
        replay->pes[step->pe].state = PE_MOVES;
        return false;
    }
    int64_t issue = request.atomic ? request.takes.atomic.issue : request.takes.get.issue;
    replay_finish(replay, step, asked->from + issue, asked->waited);
    return true;
}
