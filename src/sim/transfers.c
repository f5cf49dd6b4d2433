/* Data that move: puts, gets, atomics, what completes them, and waits for them. */
#include "base/memory.h"
#include "sim/state.h"

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- Contexts ---- */

struct context_key {
    uint32_t pe, context;
};

/* Of another context than the default one, whose state is in the PE. */
static struct context_state *another_context(struct replay *replay, uint32_t pe, unsigned context)
{
    const struct context_key key = {pe, context};
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

/* Something more is open. */
static inline void note_open(struct replay *replay, const struct step *step, int64_t arrived,
                             int64_t known)
{
    struct pe *pe = &replay->pes[step->pe];
    if (step->op->context == 0) {
        pe->known = later(pe->known, known);
        pe->arrived = later(pe->arrived, arrived);
        return;
    }
    struct context_state *context = another_context(replay, step->pe, step->op->context);
    context->known = later(context->known, known);
    context->arrived = later(context->arrived, arrived);
}

static inline int64_t floor_of(struct replay *replay, const struct step *step)
{
    return step->op->context == 0 ? replay->pes[step->pe].floor
                                  : another_context(replay, step->pe, step->op->context)->floor;
}

/* What a quiet, fence or wait takes itself. */
static inline int64_t own_cost(const struct replay *replay, const struct step *step,
                               enum order order, enum cost_class class)
{
    int node = replay->pes[step->pe].node;
    return replay->model->order(order, machine_own(replay->machine, node, replay->several, class));
}

void replay_quiet(struct replay *replay, const struct step *step)
{
    const struct pe *pe = &replay->pes[step->pe];
    int64_t known = step->op->context == 0
                        ? pe->known
                        : another_context(replay, step->pe, step->op->context)->known;
    int64_t own = own_cost(replay, step, ORDER_QUIET, COST_QUIET);
    int64_t complete = later(step->start, known);
    replay_finish(replay, step, complete + own, complete - step->start);
}

/* Nothing that is put later is there before what was put earlier. */
void replay_fence(struct replay *replay, const struct step *step)
{
    struct pe *pe = &replay->pes[step->pe];
    if (step->op->context == 0) {
        pe->floor = later(pe->floor, pe->arrived);
    } else {
        struct context_state *context = another_context(replay, step->pe, step->op->context);
        context->floor = later(context->floor, context->arrived);
    }
    int64_t own = own_cost(replay, step, ORDER_FENCE, COST_FENCE);
    replay_finish(replay, step, step->start + own, 0);
}

/* ---- Writes that are waited for ---- */

/* The ordinal of the operation that is executed. */
static inline uint32_t ordinal_of(const struct replay *replay, uint32_t pe)
{
    const struct stream *stream = &replay->streams.of[pe];
    return stream->made - (stream->count - stream->next) - 1;
}

static void end_wait(struct replay *replay, uint32_t pe, const struct slot *slot);

static void arrive(struct replay *replay, uint32_t writer, int64_t arrival)
{
    struct pe *pe = &replay->pes[writer];
    const struct needed *needed = &replay->waits.writes[pe->next_write];
    struct slot *slot = &replay->waits.slots[needed->slot];
    pe->next_write++;
    slot->arrival = arrival;
    slot->compute = pe->path_compute;
    slot->hop = path_station(&replay->paths, writer, pe->time, pe->hop);
    path_keep(&replay->paths, slot->hop);
    while (slot->waiter) {
        uint32_t waiter = slot->waiter - 1;
        slot->waiter = replay->pes[waiter].next;
        end_wait(replay, waiter, slot);
    }
}

/* The operation has changed its target then. */
static inline void note_write(struct replay *replay, const struct step *step, int64_t arrival)
{
    const struct pe *pe = &replay->pes[step->pe];
    if (__builtin_expect(replay->waits.matched, 0) &&
        pe->next_write < replay->waits.first_write[step->pe + 1] &&
        replay->waits.writes[pe->next_write].ordinal == ordinal_of(replay, step->pe))
        arrive(replay, step->pe, arrival);
}

/* ---- Transfers ---- */

static inline enum cost_class class_of(const struct op *op)
{
    if (op->kind == OP_PUT)
        return op->flags & OP_BLOCKING ? COST_PUT : COST_PUT_NBI;
    return op->flags & OP_BLOCKING ? COST_GET : COST_GET_NBI;
}

struct moved {
    int64_t leaves, waited;
};

static inline struct moved move(struct replay *replay, const struct step *step, int64_t start)
{
    const struct op *op = step->op;
    struct pe *pe = &replay->pes[step->pe];
    bool get = op->kind != OP_PUT;
    const struct message message = {
        .way = replay_way(replay, step->pe, op->peer, class_of(op), op->bytes),
        .bytes = op->bytes,
        .get = get,
        .blocking = op->flags & OP_BLOCKING,
    };
    const struct phases phases = replay->model->transfer(&message);
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
    const struct op *op = step->op;
    struct pe *target = &replay->pes[op->peer];
    const struct atomic atomic = {
        .way = replay_way(replay, step->pe, op->peer, COST_ATOMIC, op->bytes),
        .bytes = op->bytes,
        .busy = machine_kind(replay->machine, target->node)->atomic,
        .fetching = op->flags & OP_FETCHING,
        .blocking = op->flags & OP_BLOCKING,
    };
    const struct service service = replay->model->atomic(&atomic);
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

/* ---- Waits ---- */

/* The slot of a wait, NO_SLOT when nothing is waited for. */
static uint32_t slot_of(struct replay *replay, uint32_t pe)
{
    const struct waits *waits = &replay->waits;
    uint32_t *next = &replay->pes[pe].next_wait, ordinal = ordinal_of(replay, pe);
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
    for (uint64_t i = 0; i < step->op->place; i++) {
        struct moved one = fetch(replay, step, all.leaves);
        all = (struct moved){one.leaves, all.waited + one.waited};
    }
    replay_finish(replay, step, all.leaves, all.waited);
    return true;
}
