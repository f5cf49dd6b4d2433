/* Data that move: puts, gets, atomics, what completes them, and waits for them. */
#include "sim/contexts.h"
#include "sim/request.h"
#include "sim/takes.h"

/* What a quiet, fence or wait takes itself. */
static inline int64_t own_cost(const struct replay *replay, const struct step *step,
                               enum order order, enum cost_class class)
{
    int node = replay->pes[step->pe].node;
    return replay->model->order(order, machine_own(replay->machine, node, replay->several, class));
}

void replay_quiet(struct replay *replay, const struct step *step)
{
    const struct pe *pe = replay_home(replay, step->pe);
    int64_t known =
        step->op->context == 0 ? pe->known : context_of(replay, step->pe, step->op->context)->known;
    int64_t own = own_cost(replay, step, ORDER_QUIET, COST_QUIET);
    int64_t complete = later(step->start, known);
    replay_finish(replay, step, complete + own, complete - step->start);
}

/* Nothing that is put later is there before what was put earlier. */
void replay_fence(struct replay *replay, const struct step *step)
{
    struct pe *pe = replay_home(replay, step->pe);
    if (step->op->context == 0) {
        pe->floor = later(pe->floor, pe->arrived);
    } else {
        struct context_state *context = context_of(replay, step->pe, step->op->context);
        context->floor = later(context->floor, context->arrived);
    }
    /* It may have waited until its requests were served. */
    int64_t begin = replay->progress ? later(step->start, replay->progress->now) : step->start;
    int64_t own = own_cost(replay, step, ORDER_FENCE, COST_FENCE);
    replay_finish(replay, step, begin + own, begin - step->start);
}

/* ---- Writes that are waited for ---- */

static void end_wait(struct replay *replay, uint32_t pe, const struct slot *slot);

/* The slot of those who wait for what a PE writes next. */
static uint32_t take_write(struct replay *replay, uint32_t writer)
{
    struct pe *pe = &replay->pes[writer];
    uint32_t number = replay->waits.writes[pe->next_write++].slot;
    struct slot *slot = &replay->waits.slots[number];
    slot->compute = pe->path_compute;
    slot->hop = path_station(&replay->paths, writer, pe->time, pe->hop);
    path_keep(&replay->paths, slot->hop);
    return number;
}

void replay_arrive(struct replay *replay, uint32_t number, int64_t arrival)
{
    struct slot *slot = &replay->waits.slots[number];
    slot->arrival = arrival;
    while (slot->waiter) {
        uint32_t waiter = slot->waiter - 1;
        slot->waiter = replay->pes[waiter].next;
        end_wait(replay, waiter, slot);
    }
}

/* Somebody waits for what the operation writes. */
static inline bool is_waited_for(const struct replay *replay, uint32_t pe)
{
    uint32_t next = replay->pes[pe].next_write;
    return __builtin_expect(replay->waits.matched, 0) && next < replay->waits.first_write[pe + 1] &&
           replay->waits.writes[next].ordinal == replay_ordinal(replay, pe);
}

/* The operation has changed its target then. */
static inline void note_write(struct replay *replay, const struct step *step, int64_t arrival)
{
    if (is_waited_for(replay, step->pe))
        replay_arrive(replay, take_write(replay, step->pe), arrival);
}

/* ---- Transfers ---- */

struct moved {
    int64_t leaves, waited;
};

static inline struct moved move(struct replay *replay, const struct step *step, int64_t start)
{
    const struct op *op = step->op;
    struct pe *pe =
        replay->model->one_interface ? replay_home(replay, step->pe) : &replay->pes[step->pe];
    bool get = op->kind != OP_PUT;
    const struct phases phases = phases_of(replay, step);
    int64_t begin = later(start + phases.issue, pe->interface), ready = begin + phases.request;
    int64_t wire = ready;
    if (replay->contention) {
        int here = pe->node, there = replay->pes[op->peer].node;
        wire = network_reserve(&replay->network, get ? there : here, get ? here : there, ready,
                               phases.wire);
    }
    int64_t sent = wire + phases.wire, arrived = sent + phases.flight;
    pe->interface = get ? begin + phases.gap : wire + later(phases.gap, phases.wire);
    if (!get)
        arrived = later(arrived, floor_of(replay, step));
    int64_t known = arrived + phases.acknowledge;
    if (__builtin_expect(known > LAST_TIME || pe->interface > LAST_TIME, 0))
        replay_too_late(replay, step->pe);
    note_open(replay, step, arrived, known);
    if (!get)
        note_write(replay, step, arrived);
    switch (phases.returns) {
    case RETURNS_ISSUED:
        return (struct moved){start + phases.issue, 0};
    case RETURNS_SENT:
        return (struct moved){sent, wire - ready};
    case RETURNS_ARRIVED:
        return (struct moved){arrived, wire - ready};
    default:
        return (struct moved){known, wire - ready};
    }
}

void replay_transfer(struct replay *replay, const struct step *step)
{
    struct moved moved = move(replay, step, step->start);
    replay_finish(replay, step, moved.leaves, moved.waited);
}

static struct moved serve(struct replay *replay, const struct step *step, int64_t start)
{
    struct pe *target = &replay->pes[step->op->peer];
    const struct service service = service_of(replay, step);
    int64_t there = later(start + service.issue + service.request, floor_of(replay, step));
    int64_t begin = later(there, target->served), done = begin + service.service;
    target->served = done;
    if (__builtin_expect(done > LAST_TIME, 0))
        replay_too_late(replay, step->pe);
    note_open(replay, step, done, done + service.back);
    note_write(replay, step, done);
    if (service.returns_issued)
        return (struct moved){start + service.issue, 0};
    return (struct moved){done + service.back, begin - there};
}

void replay_atomic(struct replay *replay, const struct step *step)
{
    struct moved moved = serve(replay, step, step->start);
    replay_finish(replay, step, moved.leaves, moved.waited);
}

bool replay_ask(struct replay *replay, const struct step *step)
{
    bool writes = step->op->kind == OP_ATOMIC && is_waited_for(replay, step->pe);
    uint32_t slot = writes ? take_write(replay, step->pe) : NO_SLOT;
    return request_ask(replay, step, &(struct asked){step->start, 0, 1, slot});
}

/* ---- Waits ---- */

/* The slot of a wait, NO_SLOT when nothing is waited for. */
static uint32_t slot_of(struct replay *replay, uint32_t pe)
{
    const struct waits *waits = &replay->waits;
    uint32_t *next = &replay->pes[pe].next_wait, ordinal = replay_ordinal(replay, pe);
    if (*next < waits->first_wait[pe + 1] && waits->waits[*next].ordinal == ordinal)
        return waits->waits[(*next)++].slot;
    return NO_SLOT;
}

static struct moved fetch(struct replay *replay, const struct step *step, int64_t start)
{
    return step->op->flags & OP_FETCHING ? serve(replay, step, start) : move(replay, step, start);
}

/* What the caller does when the write is there. */
static int64_t behind_wait(struct replay *replay, const struct step *step, int64_t time)
{
    if (step->op->kind == OP_FETCHES)
        return fetch(replay, step, time).leaves;
    return time + own_cost(replay, step, ORDER_WAIT, COST_WAIT);
}

static void end_wait(struct replay *replay, uint32_t pe, const struct slot *slot)
{
    const struct step step = replay_blocked(replay, pe);
    if (slot->arrival > step.start)
        replay_follow(replay, pe, slot->compute, slot->hop);
    int64_t there = later(step.start, slot->arrival);
    if (step.op->kind == OP_FETCHES && request_needed(replay, &step)) {
        request_ask(replay, &step, &(struct asked){there, there - step.start, 1, NO_SLOT});
        return;
    }
    replay_release(replay, &step, behind_wait(replay, &step, there), there - step.start);
}

/* False: blocked until the write is made; true: it has been. */
static bool wait_for(struct replay *replay, const struct step *step, uint32_t number)
{
    struct slot *slot = &replay->waits.slots[number];
    struct pe *pe = &replay->pes[step->pe];
    if (slot->arrival < 0) {
        pe->state = PE_WAITS;
        pe->blocked_on = number;
        pe->next = slot->waiter;
        slot->waiter = step->pe + 1;
        return false;
    }
    if (slot->arrival > step->start)
        replay_follow(replay, step->pe, slot->compute, slot->hop);
    int64_t there = later(step->start, slot->arrival);
    if (step->op->kind == OP_FETCHES && request_needed(replay, step))
        return request_ask(replay, step, &(struct asked){there, there - step->start, 1, NO_SLOT});
    replay_finish(replay, step, behind_wait(replay, step, there), there - step->start);
    return true;
}

bool replay_wait(struct replay *replay, const struct step *step)
{
    uint32_t slot = slot_of(replay, step->pe);
    if (slot != NO_SLOT)
        return wait_for(replay, step, slot);
    replay_finish(replay, step, behind_wait(replay, step, step->start), 0);
    return true;
}

bool replay_fetches(struct replay *replay, const struct step *step)
{
    uint32_t slot = slot_of(replay, step->pe);
    struct moved all = {step->start, 0};
    replay->pes[step->pe].fetched = slot != NO_SLOT;
    if (slot != NO_SLOT) {
        replay->streams.loops++;
        replay->streams.polls += step->op->place - 1;
        return wait_for(replay, step, slot);
    }
    if (request_needed(replay, step))
        return request_ask(replay, step, &(struct asked){step->start, 0, step->op->place, NO_SLOT});
    for (uint64_t i = 0; i < step->op->place; i++) {
        struct moved one = fetch(replay, step, all.leaves);
        all = (struct moved){one.leaves, all.waited + one.waited};
    }
    replay_finish(replay, step, all.leaves, all.waited);
    return true;
}
