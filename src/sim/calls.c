/* Puts, gets and atomics as calls, the calls that complete them, and waits for writes. */
#include "sim/state.h"

/* The time of its own of a quiet, fence or wait (ps). */
static inline int64_t own_cost(const struct replay *replay, const struct step *step,
                               enum cost_class class)
{
    int node = replay->threads[step->thread].node;
    return replay->options.model->has_overheads
               ? sim_machine_own(replay->machine, node, replay->several, class)
               : 0;
}

void replay_quiet(struct replay *replay, const struct step *step)
{
    int64_t own = own_cost(replay, step, COST_QUIET);
    int64_t complete = later(step->start, times_of(replay, step->thread, step->op->context)->known);
    replay_finish(replay, step, complete + own, complete - step->start);
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

/* A loop that waited for a write does not count the waiting of its fetch. */
static int64_t counted(const struct replay *replay, const struct step *step, int64_t waited)
{
    const bool fetched = step->op->kind == OP_FETCHES && replay->threads[step->thread].fetched;
    return fetched ? 0 : waited;
}

/* Makes the operation that many times in a row; all: what was before. If one is under way, the
 * thread waits for it, and makes the others afterwards. */
static void make_all(struct replay *replay, const struct step *step, struct departure all,
                     uint64_t times)
{
    struct thread *self = &replay->threads[step->thread];
    for (; times > 0; times--) {
        const struct departure one = sim_operation_make(replay, step, all.leaves, times);
        if (one.leaves == UNKNOWN) {
            replay->rests[step->thread] = (struct rest){.before = all.waited, .times = times - 1};
            self->state = THREAD_UNDER_WAY;
            return;
        }
        all = (struct departure){one.leaves, all.waited + counted(replay, step, one.waited)};
    }
    const bool blocked = self->state != THREAD_READY;
    (blocked ? replay_release : replay_finish)(replay, step, all.leaves, all.waited);
}

void replay_operation(struct replay *replay, const struct step *step)
{
    make_all(replay, step, (struct departure){step->start + delay_of(replay, step), 0},
             sim_operation_times(replay, step));
}

void replay_fence(struct replay *replay, const struct step *step)
{
    sim_operation_fence(replay, step);
    replay_finish(replay, step, step->start + own_cost(replay, step, COST_FENCE), 0);
}

/* ---- Waits ---- */

/* The write that it waits for is there; slot NULL: it waits for none. */
static void go_on_after(struct replay *replay, const struct step *step, const struct slot *slot)
{
    struct departure all = {step->start, 0};
    uint64_t fetches = 0;
    if (slot && slot->arrival > step->start) {
        replay_follow(replay, step->thread, slot->compute, slot->hop);
        all = (struct departure){slot->arrival, slot->arrival - step->start};
    }
    if (step->op->kind == OP_FETCHES) {
        all.leaves += delay_of(replay, step);
        fetches = slot ? 1 : step->op->place;
    } else if (step->op->kind == OP_WAIT) { /* the calls of other loops have costs of their own */
        all.leaves += own_cost(replay, step, COST_WAIT);
    }
    make_all(replay, step, all, fetches);
}

void replay_wait(struct replay *replay, const struct step *step)
{
    struct thread *self = &replay->threads[step->thread];
    struct next_waits *next = &replay->waits.next[step->thread];
    const struct need *need = &replay->waits.needs[next->wait];
    const bool is_next =
        need->thread == step->thread && need->ordinal == replay_ordinal(replay, step->thread);
    struct slot *slot = is_next && need->slot != NO_SLOT ? &replay->waits.slots[need->slot] : NULL;
    next->wait += is_next;
    if (step->op->kind == OP_FETCHES) {
        self->fetched = slot != NULL;
        replay->streams.loops += slot != NULL;
        replay->streams.polls += slot ? step->op->place - 1 : 0;
    }
    if (!slot || slot->arrival >= 0) {
        go_on_after(replay, step, slot);
        return;
    }
    self->state = THREAD_WAITS;
    self->blocked_on = need->slot;
    self->next = slot->waiter;
    slot->waiter = step->thread + 1;
}

void replay_goes_on(struct replay *replay, uint32_t thread)
{
    const struct step step = replay_blocked(replay, thread);
    if (replay->threads[thread].state == THREAD_WAITS) {
        go_on_after(replay, &step, &replay->waits.slots[replay->threads[thread].blocked_on]);
        return;
    }
    const struct rest *rest = &replay->rests[thread];
    int64_t waited = rest->before + counted(replay, &step, rest->waited);
    make_all(replay, &step, (struct departure){rest->leaves, waited}, rest->times);
}
