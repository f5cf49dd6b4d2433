/* Puts, gets, atomics, the calls that complete them, and waits for writes. */
#include "sim/contexts.h"
#include "sim/request.h"
#include "sim/takes.h"

/* The time at which a PE goes on is not known before a transfer has ended. */
#define UNKNOWN INT64_MIN

struct departure {
    int64_t leaves, waited;
};

/* The time of its own of a quiet, fence or wait (ps). */
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

/* ---- Writes that are waited for ---- */

static void end_wait(struct replay *replay, uint32_t pe, const struct slot *slot);

/* The slot of those who wait for what a PE writes next. */
static uint32_t take_write(struct replay *replay, uint32_t writer)
{
    const struct pe *pe = &replay->pes[writer];
    uint32_t number = replay->waits.writes[replay->next_waits[writer].write++].slot;
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
    if (__builtin_expect(!replay->next_waits, 1))
        return false;
    uint32_t next = replay->next_waits[pe].write;
    return next < replay->waits.first_write[pe + 1] &&
           replay->waits.writes[next].ordinal == replay_ordinal(replay, pe);
}

/* Notes when an operation changes its target, if PEs wait for that. */
static inline void note_write(struct replay *replay, const struct step *step, int64_t arrival)
{
    if (is_waited_for(replay, step->pe))
        replay_arrive(replay, take_write(replay, step->pe), arrival);
}

/* ---- Transfers ---- */

/* When the data of a transfer arrive, and when its caller knows (ps). */
struct settlement {
    int64_t arrived, known;
};

static inline struct settlement settle(struct replay *replay, const struct step *step,
                                       const struct phases *phases, int64_t sent)
{
    bool get = step->op->kind != OP_PUT;
    int64_t arrived = sent + phases->flight + phases->receive;
    arrived = get ? arrived + phases->answer : later(arrived, floor_of(replay, step));
    int64_t known = arrived + phases->acknowledge + (get ? 0 : phases->answer);
    if (__builtin_expect(known > LAST_TIME, 0))
        replay_too_late(replay, step->pe);
    note_open(replay, step, get ? 0 : arrived, known);
    return (struct settlement){arrived, known};
}

static inline int64_t leaves_at(const struct phases *phases, int64_t start, int64_t sent,
                                const struct settlement *settled)
{
    switch (phases->returns) {
    case RETURNS_ISSUED:
        return start + phases->issue;
    case RETURNS_SENT:
        return sent;
    case RETURNS_ARRIVED:
        return settled->arrived;
    default:
        return settled->known;
    }
}

/* Hands a transfer over to traffic.h. Its end is not known yet: the PE goes on before, or leaves at
 * UNKNOWN. */
static struct departure hand_over(struct replay *replay, const struct step *step, int64_t start)
{
    const struct op *op = step->op;
    int here = replay->pes[step->pe].node, there = replay->pes[op->peer].node;
    bool get = op->kind != OP_PUT;
    struct shipment transfer = {
        .op = *op,
        .start = start,
        .phases = phases_of(replay, step),
        .from = get ? there : here,
        .to = get ? here : there,
        .pe = step->pe,
        .slot = NO_SLOT,
        .kind = get ? SHIPMENT_GET : SHIPMENT_PUT,
    };
    if (start + transfer.phases.issue > LAST_TIME)
        replay_too_late(replay, step->pe);
    transfer.blocks = transfer.phases.returns != RETURNS_ISSUED;
    if (!get && is_waited_for(replay, step->pe))
        transfer.slot = take_write(replay, step->pe);
    context_begins(replay, step->pe, op);
    traffic_issue(&replay->traffic, &transfer);
    return (struct departure){transfer.blocks ? UNKNOWN : start + transfer.phases.issue, 0};
}

static inline struct departure move(struct replay *replay, const struct step *step, int64_t start)
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
    pe->interface = get ? begin + phases.gap : wire + later(phases.gap, phases.wire);
    if (__builtin_expect(pe->interface > LAST_TIME, 0))
        replay_too_late(replay, step->pe);
    int64_t sent = wire + phases.wire;
    const struct settlement settled = settle(replay, step, &phases, sent);
    if (!get)
        note_write(replay, step, settled.arrived);
    return (struct departure){leaves_at(&phases, start, sent, &settled),
                              phases.returns == RETURNS_ISSUED ? 0 : wire - ready};
}

/* False: the PE is blocked until the transfer has ended. */
static inline bool go_on(struct replay *replay, const struct step *step, struct departure moved)
{
    if (moved.leaves == UNKNOWN) {
        replay->pes[step->pe].state = PE_MOVES;
        return false;
    }
    replay_finish(replay, step, moved.leaves, moved.waited);
    return true;
}

void replay_transfer(struct replay *replay, const struct step *step)
{
    struct departure moved = move(replay, step, step->start);
    replay_finish(replay, step, moved.leaves, moved.waited);
}

bool replay_begin_transfer(struct replay *replay, const struct step *step)
{
    return go_on(replay, step, hand_over(replay, step, step->start));
}

/* slot: of those who wait for it; NO_SLOT: nobody does. */
static struct departure serve(struct replay *replay, const struct step *step, int64_t start,
                              uint32_t slot)
{
    int64_t *served = replay_served(replay, step->op->peer);
    const struct service service = service_of(replay, step);
    int64_t there = later(start + service.issue + service.request, floor_of(replay, step));
    int64_t begin = later(there, *served), done = begin + service.service;
    *served = done;
    if (__builtin_expect(done > LAST_TIME, 0))
        replay_too_late(replay, step->pe);
    int64_t known = done + service.back + service.answer;
    note_open(replay, step, done, known);
    if (slot != NO_SLOT)
        replay_arrive(replay, slot, done);
    if (service.returns_issued)
        return (struct departure){start + service.issue, 0};
    return (struct departure){known, begin - there};
}

/* Adds a mark, which ends after everything that the PE has sent so far. */
static void mark(struct replay *replay, const struct step *step, int64_t start, uint32_t slot,
                 bool blocks)
{
    const struct shipment transfer = {.op = *step->op,
                                      .start = start,
                                      .pe = step->pe,
                                      .slot = slot,
                                      .kind = SHIPMENT_MARK,
                                      .blocks = blocks};
    traffic_issue(&replay->traffic, &transfer);
}

/* Later puts arrive no earlier than those before the fence. */
void replay_fence(struct replay *replay, const struct step *step)
{
    if (replay->contention == CONTENTION_FAIR && replay->traffic.interfaces[step->pe].first)
        mark(replay, step, step->start, NO_SLOT, false);
    else
        context_fence(replay, step->pe, step->op->context);
    /* It may have waited until its requests were served. */
    int64_t begin = replay->progress ? later(step->start, replay->progress->now) : step->start;
    int64_t own = own_cost(replay, step, ORDER_FENCE, COST_FENCE);
    replay_finish(replay, step, begin + own, begin - step->start);
}

/* An atomic after a fence waits for the transfers for which the fence waits. */
static struct departure ask(struct replay *replay, const struct step *step, int64_t start)
{
    uint32_t slot = is_waited_for(replay, step->pe) ? take_write(replay, step->pe) : NO_SLOT;
    if (replay->contention != CONTENTION_FAIR || !replay->traffic.interfaces[step->pe].marks)
        return serve(replay, step, start, slot);
    const struct service service = service_of(replay, step);
    context_begins(replay, step->pe, step->op);
    mark(replay, step, start, slot, !service.returns_issued);
    return (struct departure){service.returns_issued ? start + service.issue : UNKNOWN, 0};
}

bool replay_atomic(struct replay *replay, const struct step *step)
{
    return go_on(replay, step, ask(replay, step, step->start));
}

bool replay_ask(struct replay *replay, const struct step *step)
{
    bool writes = step->op->kind != OP_GET && is_waited_for(replay, step->pe);
    uint32_t slot = writes ? take_write(replay, step->pe) : NO_SLOT;
    return request_ask(replay, step, &(struct question){step->start, 0, 1, slot});
}

/* ---- Waits ---- */

/* The slot of a wait, NO_SLOT when nothing is waited for. */
static uint32_t slot_of(struct replay *replay, uint32_t pe)
{
    const struct waits *waits = &replay->waits;
    uint32_t *next = &replay->next_waits[pe].wait, ordinal = replay_ordinal(replay, pe);
    if (*next < waits->first_wait[pe + 1] && waits->waits[*next].ordinal == ordinal)
        return waits->waits[(*next)++].slot;
    return NO_SLOT;
}

static struct departure fetch(struct replay *replay, const struct step *step, int64_t start)
{
    if (step->op->flags & OP_FETCHING)
        return ask(replay, step, start);
    return replay->contention == CONTENTION_FAIR ? hand_over(replay, step, start)
                                                 : move(replay, step, start);
}

/* Executes the remaining fetches of a loop, after others that took `all`. If the loop waited for a
 * write, only the last fetch remains, and its waiting does not count. False while a fetch is under
 * way. */
static bool fetch_on(struct replay *replay, const struct step *step, struct departure all,
                     uint64_t turns, bool blocked)
{
    const struct pe *pe = &replay->pes[step->pe];
    for (; turns > 0; turns--) {
        struct departure one = fetch(replay, step, all.leaves);
        if (one.leaves == UNKNOWN) {
            struct interface *interface = &replay->traffic.interfaces[step->pe];
            interface->waited = all.waited;
            interface->turns = turns - 1;
            replay->pes[step->pe].state = PE_MOVES;
            return false;
        }
        all = (struct departure){one.leaves, all.waited + (pe->fetched ? 0 : one.waited)};
    }
    (blocked ? replay_release : replay_finish)(replay, step, all.leaves, all.waited);
    return true;
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
        replay_follow(replay, step->pe, slot->compute, slot->hop);
    int64_t there = later(step->start, slot->arrival);
    struct departure all = {there, there - step->start};
    if (step->op->kind != OP_FETCHES) {
        all.leaves += wait_cost(replay, step);
        return fetch_on(replay, step, all, 0, blocked);
    }
    if (request_needed(replay, step))
        return request_ask(replay, step, &(struct question){there, all.waited, 1, NO_SLOT});
    return fetch_on(replay, step, all, 1, blocked);
}

static void end_wait(struct replay *replay, uint32_t pe, const struct slot *slot)
{
    const struct step step = replay_blocked(replay, pe);
    go_on_after(replay, &step, slot, true);
}

/* False: blocked until the write is made; true: it has been. */
static bool wait_for(struct replay *replay, const struct step *step, uint32_t number)
{
    struct slot *slot = &replay->waits.slots[number];
    struct pe *pe = &replay->pes[step->pe];
    if (slot->arrival >= 0)
        return go_on_after(replay, step, slot, false);
    pe->state = PE_WAITS;
    pe->blocked_on = number;
    pe->next = slot->waiter;
    slot->waiter = step->pe + 1;
    return false;
}

bool replay_wait(struct replay *replay, const struct step *step)
{
    uint32_t slot = slot_of(replay, step->pe);
    if (slot != NO_SLOT)
        return wait_for(replay, step, slot);
    replay_finish(replay, step, step->start + wait_cost(replay, step), 0);
    return true;
}

bool replay_fetches(struct replay *replay, const struct step *step)
{
    uint32_t slot = slot_of(replay, step->pe);
    replay->pes[step->pe].fetched = slot != NO_SLOT;
    if (slot != NO_SLOT) {
        replay->streams.loops++;
        replay->streams.polls += step->op->place - 1;
        return wait_for(replay, step, slot);
    }
    if (request_needed(replay, step))
        return request_ask(replay, step,
                           &(struct question){step->start, 0, step->op->place, NO_SLOT});
    return fetch_on(replay, step, (struct departure){step->start, 0}, step->op->place, false);
}

/* ---- Ends that are events ---- */

/* A blocked PE's transfer or atomic has ended. */
static void go_on_behind(struct replay *replay, uint32_t pe, struct departure moved)
{
    const struct step step = replay_blocked(replay, pe);
    const struct interface *interface = &replay->traffic.interfaces[pe];
    if (step.op->kind != OP_FETCHES) {
        replay_release(replay, &step, moved.leaves, moved.waited);
        return;
    }
    if (replay->pes[pe].fetched)
        moved.waited = 0;
    moved.waited += interface->waited;
    fetch_on(replay, &step, moved, interface->turns, true);
}

static struct departure end_transfer(struct replay *replay, const struct step *step,
                                     const struct shipment *transfer)
{
    const struct phases *phases = &transfer->phases;
    const struct settlement settled = settle(replay, step, phases, transfer->ended);
    if (transfer->slot != NO_SLOT)
        replay_arrive(replay, transfer->slot, settled.arrived);
    return (struct departure){leaves_at(phases, step->start, transfer->ended, &settled),
                              transfer->ended - transfer->begun - phases->wire};
}

void replay_ended(struct replay *replay, const struct shipment *transfer)
{
    const struct step step = {transfer->pe, &transfer->op, transfer->start};
    if (transfer->op.kind == OP_FENCE) {
        context_fence(replay, step.pe, step.op->context);
        return;
    }
    struct departure moved = transfer->kind == SHIPMENT_MARK
                                 ? serve(replay, &step, step.start, transfer->slot)
                                 : end_transfer(replay, &step, transfer);
    if (transfer->blocks)
        go_on_behind(replay, step.pe, moved);
    context_ends(replay, step.pe, step.op);
}
