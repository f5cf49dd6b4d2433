/* Contexts: what is open in them, and who waits for that. */
#include "sim/contexts.h"

#include "base/memory.h"

struct context_key {
    uint32_t thread, context;
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

void context_fence(struct replay *replay, uint32_t number, unsigned context)
{
    if (context == 0) {
        uint32_t thread = replay_pe(replay, number);
        if (!replay->floors)
            replay->floors = memory_zeroed((size_t)replay->run->pes, sizeof *replay->floors);
        replay->floors[thread] = later(replay->floors[thread], replay->threads[thread].arrived);
        return;
    }
    struct context_state *state = context_of(replay, number, context);
    state->floor = later(state->floor, state->arrived);
}

struct open_counts *open_of(struct replay *replay, uint32_t thread, unsigned context)
{
    return context == 0 ? &replay->open[thread] : &context_of(replay, thread, context)->open;
}

static uint32_t *count_of(struct open_counts *open, const struct op *op)
{
    return op->kind == OP_PUT ? &open->unordered : &open->ordered;
}

void context_begins(struct replay *replay, uint32_t thread, const struct op *op)
{
    ++*count_of(open_of(replay, thread, op->context), op);
}

/* An operation is no longer open. */
static void end_one(struct replay *replay, uint32_t number, unsigned context, uint32_t *count)
{
    const struct thread *self = &replay->threads[number];
    if (--*count == 0 && self->state == THREAD_OPEN && self->blocked_on == context)
        replay_retry(replay, number);
}

void context_ends(struct replay *replay, uint32_t thread, const struct op *op)
{
    end_one(replay, thread, op->context, count_of(open_of(replay, thread, op->context), op));
}

void context_served(struct replay *replay, uint32_t thread, const struct op *op)
{
    struct open_counts *open = open_of(replay, thread, op->context);
    if (op->kind == OP_PUT)
        return;
    open->unordered++;
    end_one(replay, thread, op->context, &open->ordered);
}

void context_answered(struct replay *replay, uint32_t thread, const struct op *op)
{
    end_one(replay, thread, op->context, &open_of(replay, thread, op->context)->unordered);
}

/* Barriers complete the default context, and so does clear_lock in most libraries. */
static bool completes(const struct replay *replay, const struct op *op)
{
    return op->kind == OP_QUIET || (op->kind == OP_UNLOCK && !replay->machine->unlock_overtakes) ||
           (op->kind == OP_TOGETHER && op->flags & OP_QUIETS);
}

/* A fence waits until requests are served, but not for their answers. It does not wait for puts,
 * since the floor of the context keeps later puts after them. */
bool replay_is_open(struct replay *replay, uint32_t number, const struct op *op)
{
    struct thread *self = &replay->threads[number];
    bool fence = op->kind == OP_FENCE && replay->progress;
    if (!fence && !completes(replay, op))
        return false;
    unsigned context = fence || op->kind == OP_QUIET ? op->context : 0;
    const struct open_counts *open = open_of(replay, number, context);
    if (open->ordered == 0 && (fence || open->unordered == 0))
        return false;
    self->state = THREAD_OPEN;
    self->blocked_on = context;
    return true;
}
