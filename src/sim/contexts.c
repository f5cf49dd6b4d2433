/* Contexts: what is open in them, and who waits for that. */
#include "sim/contexts.h"

#include "base/memory.h"

struct context_key {
    uint32_t pe, context;
};

struct context_state *context_of(struct replay *replay, uint32_t thread, unsigned context)
{
    const struct context_key key = {replay_pe(replay, thread), context};
    size_t before = replay->context_numbers.count,
           number = table_number(&replay->context_numbers, &key, sizeof key);
    if (number >= replay->context_room) {
        replay->context_room = 2 * replay->context_room + 16;
        replay->contexts =
            memory_resize_array(replay->contexts, replay->context_room, sizeof *replay->contexts);
    }
    if (number == before)
        replay->contexts[number] = (struct context_state){0};
    return &replay->contexts[number];
}

void context_fence(struct replay *replay, uint32_t thread, unsigned context)
{
    if (context == 0) {
        uint32_t pe = replay_pe(replay, thread);
        if (!replay->floors)
            replay->floors = memory_zeroed((size_t)replay->run->pes, sizeof *replay->floors);
        replay->floors[pe] = later(replay->floors[pe], replay->threads[pe].arrived);
        return;
    }
    struct context_state *state = context_of(replay, thread, context);
    state->floor = later(state->floor, state->arrived);
}

struct open_counts *open_of(struct replay *replay, uint32_t thread, unsigned context)
{
    return context == 0 ? &replay->open[replay_pe(replay, thread)]
                        : &context_of(replay, thread, context)->open;
}

void context_begins(struct replay *replay, const struct operation *operation)
{
    struct open_counts *open = open_of(replay, operation->thread, operation->op.context);
    open->all++;
    open->atomics += operation->atomic;
}

/* Threads of the PE look again whether their calls can be made. */
static void wake(struct replay *replay, const struct operation *operation)
{
    int pe = (int)replay_pe(replay, operation->thread);
    for (int i = 0; i < run_threads(replay->run, pe); i++) {
        uint32_t number = (uint32_t)run_thread(replay->run, pe, i);
        struct thread *thread = &replay->threads[number];
        if (thread->state != THREAD_OPEN || thread->blocked_on != operation->op.context)
            continue;
        replay_make_ready(replay, number);
        thread->state = THREAD_CALLS;
    }
}

void context_served(struct replay *replay, const struct operation *operation)
{
    if (--open_of(replay, operation->thread, operation->op.context)->atomics == 0)
        wake(replay, operation);
}

void context_ends(struct replay *replay, const struct operation *operation)
{
    if (--open_of(replay, operation->thread, operation->op.context)->all == 0)
        wake(replay, operation);
}

/* Whether a call completes all of its context, or of the default one. */
static bool completes(const struct replay *replay, const struct op *op)
{
    return op->kind == OP_QUIET ||
           (op->kind == OP_UNLOCK && replay->machine->unlock != UNLOCK_OVERTAKES) ||
           (op->kind == OP_TOGETHER && op->flags & OP_QUIETS);
}

/* A fence waits until atomics are served, but not for their answers. It does not wait for puts,
 * since the floor of the context keeps later puts after them. It does not order gets. */
bool context_blocks(struct replay *replay, uint32_t number, const struct op *op)
{
    bool fence = op->kind == OP_FENCE;
    if (__builtin_expect(!replay->open, 1) || (!fence && !completes(replay, op)))
        return false;
    unsigned context = fence || op->kind == OP_QUIET ? op->context : 0;
    const struct open_counts *open = open_of(replay, number, context);
    if ((fence ? open->atomics : open->all) == 0)
        return false;
    replay->threads[number].state = THREAD_OPEN;
    replay->threads[number].blocked_on = context;
    return true;
}
