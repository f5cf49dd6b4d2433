/* Puts, gets and atomics as calls, the calls that complete them, and waits for writes. */
#include "sim/operations.h"

/* The time of its own of a quiet, fence or wait (ps). */
static inline int64_t own_cost(const struct replay *replay, const struct step *step,
                               enum cost_class class)
{
    int node = replay->threads[step->thread].node;
    return replay->model->has_overheads ? machine_own(replay->machine, node, replay->several, class)
                                        : 0;
}

bool replay_quiet(struct replay *replay, const struct step *step)
{
    int64_t own = own_cost(replay, step, COST_QUIET);
    int64_t complete = later(step->start, times_of(replay, step->thread, step->op->context)->known);
    replay_finish(replay, step, complete + own, complete - step->start);
    return true;
}

/* ---- Puts, gets and atomics ---- */

/* How much later a put, get or atomic begins: the first one to another PE connects (ps). */
static inline int64_t delay_of(struct replay *replay, const struct step *step)
{
    const uint32_t pair[] = {replay_pe(replay, step->thread), step->op->peer};
    size_t before = replay->connected.count;
    if (__builtin_expect(!replay->connects, 1))
        return 0;
    bool first =
        pair[0] != pair[1] && table_number(&replay->connected, pair, sizeof pair) == before;
    int64_t connect = first ? way_latency(replay_bus(replay, pair[0], pair[1]), COST_CONNECT) : 0;
    replay->threads[step->thread].first = first;
    return later(connect, 0);
}

/* The thread waits for an operation; afterwards it makes the operation `times` times again. */
static bool block(struct replay *replay, uint32_t thread, int64_t waited, uint64_t times)
{
    replay->rests[thread] = (struct rest){.before = waited, .times = times};
    replay->threads[thread].state = THREAD_UNDER_WAY;
    return false;
}

/* Makes the operation that many times in a row; all: what was before. False while one is under way.
 * A loop that waited for a write does not count the waiting of its fetch. */
static bool make_all(struct replay *replay, const struct step *step, struct departure all,
                     uint64_t times, bool blocked)
{
    const struct thread *self = &replay->threads[step->thread];
    for (; times > 0; times--) {
        const struct departure one = operation_make(replay, step, all.leaves, times);
        if (one.leaves == UNKNOWN)
            return block(replay, step->thread, all.waited, times - 1);
        bool counts = step->op->kind != OP_FETCHES || !self->fetched;
        all = (struct departure){one.leaves, all.waited + (counts ? one.waited : 0)};
    }
    (blocked ? replay_release : replay_finish)(replay, step, all.leaves, all.waited);
    return true;
}

bool replay_operation(struct replay *replay, const struct step *step)
{
    return make_all(replay, step, (struct departure){step->start + delay_of(replay, step), 0},
                    operation_times(replay, step), false);
}

bool replay_fence(struct replay *replay, const struct step *step)
{
    operation_fence(replay, step);
    replay_finish(replay, step, step->start + own_cost(replay, step, COST_FENCE), 0);
    return true;
}

/* ---- Waits ---- */

/* The slot of a wait, NO_SLOT when nothing is waited for. */
static uint32_t slot_of(struct replay *replay, uint32_t thread)
{
    const struct waits *waits = &replay->waits;
    const struct need *need = &waits->needs[waits->next[thread].wait];
    if (need->thread != thread || need->ordinal != replay_ordinal(replay, thread))
        return NO_SLOT;
    waits->next[thread].wait++;
    return need->slot;
}

/* Calls of a loop that fetch have costs of their own. */
static int64_t wait_cost(const struct replay *replay, const struct step *step)
{
    return step->op->kind == OP_WAIT ? own_cost(replay, step, COST_WAIT) : 0;
}

/* The write that it waits for is there. */
static bool go_on_after(struct replay *replay, const struct step *step, const struct slot *slot,
                        bool blocked)
{
    if (slot->arrival > step->start)
        replay_follow(replay, step->thread, slot->compute, slot->hop);
    int64_t there = later(step->start, slot->arrival);
    struct departure all = {there, there - step->start};
    bool fetches = step->op->kind == OP_FETCHES;
    all.leaves += fetches ? delay_of(replay, step) : wait_cost(replay, step);
    return make_all(replay, step, all, fetches ? 1 : 0, blocked);
}

/* False: blocked until the write is made; true: it has been. */
static bool wait_for(struct replay *replay, const struct step *step, uint32_t number)
{
    struct slot *slot = &replay->waits.slots[number];
    struct thread *self = &replay->threads[step->thread];
    if (slot->arrival >= 0)
        return go_on_after(replay, step, slot, false);
    self->state = THREAD_WAITS;
    self->blocked_on = number;
    self->next = slot->waiter;
    slot->waiter = step->thread + 1;
    return false;
}

bool replay_wait(struct replay *replay, const struct step *step)
{
    uint32_t slot = slot_of(replay, step->thread);
    if (slot != NO_SLOT)
        return wait_for(replay, step, slot);
    replay_finish(replay, step, step->start + wait_cost(replay, step), 0);
    return true;
}

bool replay_fetches(struct replay *replay, const struct step *step)
{
    uint32_t slot = slot_of(replay, step->thread);
    replay->threads[step->thread].fetched = slot != NO_SLOT;
    if (slot != NO_SLOT) {
        replay->streams.loops++;
        replay->streams.polls += step->op->place - 1;
        return wait_for(replay, step, slot);
    }
    return make_all(replay, step, (struct departure){step->start + delay_of(replay, step), 0},
                    step->op->place, false);
}

void replay_goes_on(struct replay *replay, uint32_t thread)
{
    const struct thread *self = &replay->threads[thread];
    const struct step step = replay_blocked(replay, thread);
    if (self->state == THREAD_WAITS) {
        go_on_after(replay, &step, &replay->waits.slots[self->blocked_on], true);
        return;
    }
    const struct rest rest = replay->rests[thread];
    bool counts = step.op->kind != OP_FETCHES || !self->fetched;
    make_all(replay, &step,
             (struct departure){rest.leaves, rest.before + (counts ? rest.waited : 0)}, rest.times,
             true);
}
