/* Puts, gets, atomics, the calls that complete them, and waits for writes. */
#include "sim/request.h"

/* The time of its own of a quiet, fence or wait (ps). */
static inline int64_t own_cost(const struct replay *replay, const struct step *step,
                               enum order order, enum cost_class class)
{
    int node = replay->threads[step->thread].node;
    return replay->model->order(order, machine_own(replay->machine, node, replay->several, class));
}

void replay_quiet(struct replay *replay, const struct step *step)
{
    const struct thread *self = replay_home(replay, step->thread);
    int64_t known = step->op->context == 0
                        ? self->known
                        : context_of(replay, step->thread, step->op->context)->known;
    int64_t own = own_cost(replay, step, ORDER_QUIET, COST_QUIET);
    int64_t complete = later(step->start, known);
    replay_finish(replay, step, complete + own, complete - step->start);
}

/* ---- Writes that are waited for ---- */

static void end_wait(struct replay *replay, uint32_t thread, const struct slot *slot);

/* The slot of those who wait for what a PE writes next. */
static uint32_t take_write(struct replay *replay, uint32_t writer)
{
    const struct thread *self = &replay->threads[writer];
    uint32_t number = replay->waits.writes[replay->next_waits[writer].write++].slot;
    struct slot *slot = &replay->waits.slots[number];
    slot->compute = self->path_compute;
    slot->hop = path_station(&replay->paths, writer, self->time, self->hop);
    path_keep(&replay->paths, slot->hop);
    return number;
}

void replay_arrive(struct replay *replay, uint32_t number, int64_t arrival)
{
    struct slot *slot = &replay->waits.slots[number];
    slot->arrival = arrival;
    while (slot->waiter) {
        uint32_t waiter = slot->waiter - 1;
        slot->waiter = replay->threads[waiter].next;
        end_wait(replay, waiter, slot);
    }
}

/* Somebody waits for what the operation writes. */
static inline bool is_waited_for(const struct replay *replay, uint32_t thread)
{
    if (__builtin_expect(!replay->next_waits, 1))
        return false;
    uint32_t next = replay->next_waits[thread].write;
    return next < replay->waits.first_write[thread + 1] &&
           replay->waits.writes[next].ordinal == replay_ordinal(replay, thread);
}

/* The slot of those who wait for what an operation writes, or NO_SLOT. */
static inline uint32_t slot_of_write(struct replay *replay, const struct step *step)
{
    bool writes = step->op->kind == OP_PUT || step->op->kind == OP_ATOMIC;
    return writes && is_waited_for(replay, step->thread) ? take_write(replay, step->thread)
                                                         : NO_SLOT;
}

/* ---- Puts, gets and atomics ---- */

/* A put or get whose end is known when it begins. */
static inline struct departure transfer_at_once(struct replay *replay, const struct step *step,
                                                int64_t from, uint32_t slot)
{
    struct phases takes = phases_of(replay, step);
    transfer_alone(&takes, step->op->kind != OP_PUT);
    const struct plan plan = plan_transfer(replay, step, &takes, from);
    struct serving served = serve_transfer(replay, step, &takes, plan.there);
    served.ordered = step->op->kind == OP_PUT ? served.arrived : 0;
    note_served(replay, step, slot, &served);
    if (!plan.blocks)
        return (struct departure){plan.leaves, plan.waited};
    return (struct departure){transfer_leaves(&takes, &served),
                              plan.waited + served.begin - plan.there};
}

/* An atomic whose end is known when it begins. */
static struct departure atomic_at_once(struct replay *replay, const struct step *step, int64_t from,
                                       uint32_t slot)
{
    struct service takes = service_of(replay, step);
    atomic_alone(&takes);
    const struct plan plan = plan_atomic(replay, step, &takes, from);
    const struct serving served = serve_atomic(replay, step, &takes, plan.there);
    note_served(replay, step, slot, &served);
    if (!plan.blocks)
        return (struct departure){plan.leaves, 0};
    return (struct departure){served.known, served.begin - plan.there};
}

/* Hands an operation over to traffic.h, which ends it. An atomic moves no data, but ends after the
 * transfers before it. */
static struct departure hand_over(struct replay *replay, const struct step *step, int64_t from,
                                  uint32_t slot)
{
    struct operation operation = operation_make(replay, step, from, slot);
    int here = replay->threads[step->thread].node, there = replay->threads[step->op->peer].node;
    bool get = step->op->kind != OP_PUT;
    struct plan *plan = &operation.plan;
    operation.mark = operation.atomic;
    operation.from = get ? there : here;
    operation.to = get ? here : there;
    if (operation.atomic) {
        atomic_alone(&operation.takes.atomic);
        plan->blocks = !operation.takes.atomic.returns_issued;
        plan->leaves = from + operation.takes.atomic.issue;
    } else {
        transfer_alone(&operation.takes.transfer, get);
        plan->blocks = operation.takes.transfer.returns != RETURNS_ISSUED;
        plan->leaves = from + operation.takes.transfer.issue;
    }
    if (plan->leaves > LAST_TIME)
        replay_too_late(replay, step->thread);
    context_begins(replay, step->thread, step->op);
    traffic_issue(&replay->traffic, &replay->operations, &operation);
    return (struct departure){plan->blocks ? UNKNOWN : plan->leaves, 0};
}

/* How much longer it takes since it is the first one of its PE to the other PE (ps). */
static int64_t connecting(struct replay *replay, const struct step *step)
{
    const uint32_t pair[] = {replay_pe(replay, step->thread), step->op->peer};
    const struct way *way = machine_way(replay->machine, (int)replay->threads[pair[0]].node,
                                        (int)replay->threads[pair[1]].node);
    size_t before = replay->connected.count;
    int64_t latency = pair[0] == pair[1] ? 0 : way_latency(way, COST_CONNECT);
    if (latency <= 0 || table_number(&replay->connected, pair, sizeof pair) < before)
        return 0;
    return latency;
}

/* Makes a put, get or atomic from `from` (ps) on. */
static inline struct departure make(struct replay *replay, const struct step *step, int64_t from)
{
    if (__builtin_expect(replay->connects, 0))
        from += connecting(replay, step);
    uint32_t slot = slot_of_write(replay, step);
    bool atomic = is_atomic(step->op);
    if (__builtin_expect(replay->open != NULL, 0)) {
        if (request_needed(replay, step))
            return request_ask(replay, step, from, slot);
        if (replay->contention == CONTENTION_FAIR &&
            (!atomic || replay->traffic.interfaces[step->thread].marks))
            return hand_over(replay, step, from, slot);
    }
    return atomic ? atomic_at_once(replay, step, from, slot)
                  : transfer_at_once(replay, step, from, slot);
}

/* The thread waits for an operation; afterwards it makes the operation `times` times again. */
static bool block(struct replay *replay, uint32_t thread, int64_t waited, uint64_t times)
{
    replay->rests[thread] = (struct rest){waited, times};
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
        const struct departure one = make(replay, step, all.leaves);
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
    const struct departure moved = make(replay, step, step->start);
    if (__builtin_expect(moved.leaves == UNKNOWN, 0))
        return block(replay, step->thread, 0, 0);
    replay_finish(replay, step, moved.leaves, moved.waited);
    return true;
}

void replay_goes_on(struct replay *replay, uint32_t thread, int64_t leaves, int64_t waited)
{
    const struct step step = replay_blocked(replay, thread);
    const struct rest rest = replay->rests[thread];
    bool counts = step.op->kind != OP_FETCHES || !replay->threads[thread].fetched;
    make_all(replay, &step, (struct departure){leaves, rest.waited + (counts ? waited : 0)},
             rest.times, true);
}

/* Later puts arrive no earlier than those before the fence. */
void replay_fence(struct replay *replay, const struct step *step)
{
    if (replay->contention == CONTENTION_FAIR &&
        replay->traffic.interfaces[step->thread].list.first)
        traffic_issue(&replay->traffic, &replay->operations,
                      &(struct operation){.op = *step->op,
                                          .start = step->start,
                                          .pe = step->thread,
                                          .slot = NO_SLOT,
                                          .mark = true});
    else
        context_fence(replay, step->thread, step->op->context);
    /* It may have waited until its requests were served. */
    int64_t begin = replay->progress ? later(step->start, replay->progress->now) : step->start;
    int64_t own = own_cost(replay, step, ORDER_FENCE, COST_FENCE);
    replay_finish(replay, step, begin + own, begin - step->start);
}

/* ---- Waits ---- */

/* The slot of a wait, NO_SLOT when nothing is waited for. */
static uint32_t slot_of(struct replay *replay, uint32_t thread)
{
    const struct waits *waits = &replay->waits;
    uint32_t *next = &replay->next_waits[thread].wait, ordinal = replay_ordinal(replay, thread);
    if (*next < waits->first_wait[thread + 1] && waits->waits[*next].ordinal == ordinal)
        return waits->waits[(*next)++].slot;
    return NO_SLOT;
}

/* Calls of a loop that fetch have costs of their own. */
static int64_t wait_cost(const struct replay *replay, const struct step *step)
{
    return step->op->kind == OP_WAIT ? own_cost(replay, step, ORDER_WAIT, COST_WAIT) : 0;
}

/* The write that it waits for is there. */
static bool go_on_after(struct replay *replay, const struct step *step, const struct slot *slot,
                        bool blocked)
{
    if (slot->arrival > step->start)
        replay_follow(replay, step->thread, slot->compute, slot->hop);
    int64_t there = later(step->start, slot->arrival);
    struct departure all = {there, there - step->start};
    all.leaves += wait_cost(replay, step);
    return make_all(replay, step, all, step->op->kind == OP_FETCHES ? 1 : 0, blocked);
}

static void end_wait(struct replay *replay, uint32_t thread, const struct slot *slot)
{
    const struct step step = replay_blocked(replay, thread);
    go_on_after(replay, &step, slot, true);
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
    return make_all(replay, step, (struct departure){step->start, 0}, step->op->place, false);
}

/* ---- Ends of what is under way ---- */

static void end_handed_over(struct replay *replay, struct operation *operation)
{
    const struct step step = operation_step(operation);
    const struct phases *takes = &operation->takes.transfer;
    bool put = operation->op.kind == OP_PUT;
    struct serving served = {.sent = operation->ended};
    int64_t waited;
    if (operation->atomic) {
        operation_plan(replay, operation);
        served = operation_serve(replay, operation, operation->plan.there);
        waited = served.begin - operation->plan.there;
    } else {
        served.arrived =
            put ? put_arrives(replay, &step, takes, served.sent) : served.sent + takes->flight;
        served.ordered = put ? served.arrived : 0;
        served.known = served.arrived + takes->acknowledge;
        waited = operation->ended - operation->begun - takes->wire;
    }
    note_served(replay, &step, operation->slot, &served);
    if (operation->plan.blocks)
        replay_goes_on(replay, operation->pe, operation_leaves(operation, &served), waited);
}

void replay_ended(struct replay *replay, struct operation *operation)
{
    if (operation->op.kind == OP_FENCE) {
        context_fence(replay, operation->pe, operation->op.context);
        return;
    }
    end_handed_over(replay, operation);
    context_ends(replay, operation->pe, &operation->op);
}
