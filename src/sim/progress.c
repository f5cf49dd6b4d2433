/* Serves requests at their targets, and lets their callers go on. */
#include "sim/progress.h"

static void serve(struct replay *replay, uint32_t number, int64_t at)
{
    struct operation request = replay->operations.of[number];
    const struct step step = operation_step(&request);
    const struct serving served = operation_serve(replay, &request, at);
    request.plan.waited += request.plan.blocks ? served.begin - request.plan.there : 0;
    note_served(replay, &step, request.slot, &served);
    if (replay->progress->receives) {
        request.answered = true;
        request.plan.leaves = served.known;
        replay->operations.of[number] = request;
        context_served(replay, request.pe, &request.op);
        queue_add(&replay->queue, served.known, (uint32_t)replay->run->thread_count + number);
        return;
    }
    operations_remove(&replay->operations, number);
    context_ends(replay, request.pe, &request.op);
    if (request.plan.blocks)
        replay_goes_on(replay, request.pe, operation_leaves(&request, &served),
                       request.plan.waited);
}

/* The answer is at the caller, whose library handles it. */
static void take_answer(struct replay *replay, uint32_t number, int64_t at)
{
    struct operation request = replay->operations.of[number];
    const struct step step = operation_step(&request);
    int64_t takes = request.atomic ? request.takes.atomic.answer : request.takes.transfer.answer;
    int64_t known = handle(&replay->handled[request.pe], at, takes) + takes;
    if (known > LAST_TIME)
        replay_too_late(replay, request.pe);
    note_open(replay, &step, 0, known);
    operations_remove(&replay->operations, number);
    context_answered(replay, request.pe, &request.op);
    if (request.plan.blocks)
        replay_goes_on(replay, request.pe, known, request.plan.waited);
}

static void take(struct replay *replay, uint32_t number, int64_t at)
{
    replay->progress->now = at;
    if (replay->operations.of[number].answered)
        take_answer(replay, number, at);
    else
        serve(replay, number, at);
}

void progress_arrives(struct replay *replay, uint32_t number)
{
    const struct operation *request = &replay->operations.of[number];
    uint32_t pe = request->answered ? request->pe : request->op.peer;
    int64_t at = request->answered ? request->plan.leaves : request->plan.there;
    /* THREAD_ORDERED means that the PE computes until its next call; in other states, it is in a
     * call, or has ended. */
    if (replay->threads[pe].state != THREAD_ORDERED || !serves_inside(replay, pe) ||
        at <= replay->answers_until[pe]) {
        take(replay, number, at);
        return;
    }
    operations_append(&replay->operations, &replay->progress->waiting[pe], number);
}

void progress_call(struct replay *replay, uint32_t number, int64_t from)
{
    struct operation_list *waiting = &replay->progress->waiting[number];
    const struct thread *self = &replay->threads[number];
    uint32_t next = waiting->first;
    replay->handled[number] = later(replay->handled[number], from);
    if (!next)
        return;
    waiting->first = 0;
    uint32_t station = path_station(&replay->paths, number, self->time, self->hop);
    path_keep(&replay->paths, station);
    while (next) {
        const struct operation *request = &replay->operations.of[next - 1];
        uint32_t own = next - 1;
        next = request->next;
        if (request->plan.blocks && !request->answered)
            replay_follow(replay, request->pe, self->path_compute, station);
        take(replay, own, self->time);
    }
    path_drop(&replay->paths, station);
}
