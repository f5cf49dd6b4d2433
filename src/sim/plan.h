/*
 * Plans and serves puts, gets and atomics: when the message of each is sent, when it reaches its
 * target, when it is served there, and when its caller knows. Three things differ between runs: who
 * serves it (nobody, so that all follows at once, or the library of its target: request.h), and
 * whether links are shared, so that its end depends on others (traffic.h).
 */
#ifndef SKAMPI_SIM_PLAN_H
#define SKAMPI_SIM_PLAN_H

#include "sim/contexts.h"
#include "sim/takes.h"

/* The time at which a PE goes on is not known before an operation has ended. */
#define UNKNOWN INT64_MIN

/* When a caller goes on, and how long it has waited (ps). */
struct departure {
    int64_t leaves, waited;
};

/* When an operation was served (ps). ordered is the arrival that a fence orders, or 0 if it is
 * known already; known is when the answer arrives, before the caller's library has handled it. */
struct serving {
    int64_t begin, sent, arrived, ordered, known;
};

static inline bool is_atomic(const struct op *op)
{
    return op->kind == OP_ATOMIC || op->flags & OP_FETCHING;
}

/* When data that are ready to leave can go from PE to PE (ps). */
static inline int64_t wire_from(struct replay *replay, uint32_t from, uint32_t to, int64_t ready,
                                int64_t wire)
{
    if (replay->contention != CONTENTION_FIFO)
        return ready;
    return network_reserve(&replay->network, replay->threads[from].node, replay->threads[to].node,
                           ready, wire);
}

/* ---- Puts and gets ---- */

/* Where no library has work to do, its work is a part of the way. */
static inline void transfer_alone(struct phases *takes, bool get)
{
    if (!takes->receive && !takes->answer)
        return;
    takes->flight += takes->receive + (get ? takes->answer : 0);
    takes->acknowledge += get ? 0 : takes->answer;
    takes->receive = takes->answer = 0;
}

/* When the data of a put that has left arrive at its target: after those before a fence. */
static inline int64_t put_arrives(struct replay *replay, const struct step *step,
                                  const struct phases *takes, int64_t sent)
{
    return later(sent + takes->flight, floor_of(replay, step));
}

/* Plans a put or get that begins at `from` (ps). A get arrives at its target before its data are on
 * the wire, a put after that. */
static inline struct plan plan_transfer(struct replay *replay, const struct step *step,
                                        const struct phases *takes, int64_t from)
{
    struct thread *self = replay->model->one_interface ? replay_home(replay, step->thread)
                                                       : &replay->threads[step->thread];
    int64_t begin = later(from + takes->issue, self->interface), ready = begin + takes->request;
    struct plan plan = {
        .leaves = from + takes->issue, .there = ready, .blocks = takes->returns != RETURNS_ISSUED};
    if (step->op->kind != OP_PUT) {
        self->interface = begin + takes->gap;
    } else {
        int64_t wire = wire_from(replay, step->thread, step->op->peer, ready, takes->wire);
        self->interface = wire + later(takes->gap, takes->wire);
        plan.there = put_arrives(replay, step, takes, wire + takes->wire);
        plan.waited = plan.blocks ? wire - ready : 0;
        if (takes->returns == RETURNS_SENT) {
            plan.leaves = wire + takes->wire;
            plan.blocks = false;
        }
    }
    if (__builtin_expect(self->interface > LAST_TIME, 0))
        replay_too_late(replay, step->thread);
    return plan;
}

/* Begins to handle something at `at`, or when what came earlier has been handled (ps). Returns the
 * begin. */
static inline int64_t handle(int64_t *handled, int64_t at, int64_t takes)
{
    int64_t begin = later(at, *handled);
    *handled = begin + takes;
    return begin;
}

/* Serves a put or get at its target, at `at` (ps) or later. */
static inline struct serving serve_transfer(struct replay *replay, const struct step *step,
                                            const struct phases *takes, int64_t at)
{
    uint32_t peer = step->op->peer;
    int64_t begin = takes->receive > 0 ? handle(&replay->handled[peer], at, takes->receive) : at;
    int64_t done = begin + takes->receive;
    if (step->op->kind == OP_PUT)
        return (struct serving){begin, done, done, 0, done + takes->acknowledge};
    int64_t wire = wire_from(replay, peer, step->thread, done, takes->wire),
            sent = wire + takes->wire, arrived = sent + takes->flight;
    return (struct serving){wire - takes->receive, sent, arrived, arrived,
                            arrived + takes->acknowledge};
}

/* When the caller of a put or get for whose end it waits goes on, unless it has to handle the
 * answer. */
static inline int64_t transfer_leaves(const struct phases *takes, const struct serving *served)
{
    switch (takes->returns) {
    case RETURNS_SENT:
        return served->sent;
    case RETURNS_ARRIVED:
        return served->arrived;
    default:
        return served->known;
    }
}

/* ---- Atomics ---- */

static inline void atomic_alone(struct service *takes)
{
    takes->back += takes->answer;
    takes->answer = 0;
    takes->received = false;
}

static inline struct plan plan_atomic(struct replay *replay, const struct step *step,
                                      const struct service *takes, int64_t from)
{
    int64_t sent = from + takes->issue;
    return (struct plan){.leaves = sent,
                         .there = later(sent + takes->request, floor_of(replay, step)),
                         .blocks = !takes->returns_issued};
}

static inline struct serving serve_atomic(struct replay *replay, const struct step *step,
                                          const struct service *takes, int64_t at)
{
    uint32_t peer = step->op->peer;
    int64_t *busy = takes->received ? &replay->handled[peer] : replay_served(replay, peer),
            begin = handle(busy, at, takes->service), done = begin + takes->service;
    return (struct serving){begin, done, done, done, done + takes->back};
}

/* ---- Both ---- */

/* Tells those who wait for an operation that it has been served. slot as in struct operation. */
static inline void note_served(struct replay *replay, const struct step *step, uint32_t slot,
                               const struct serving *served)
{
    if (__builtin_expect(served->known > LAST_TIME, 0))
        replay_too_late(replay, step->thread);
    note_open(replay, step, served->ordered, served->known);
    if (slot != NO_SLOT)
        replay_arrive(replay, slot, served->arrived);
}

/* ---- Operations that are under way ---- */

static inline struct step operation_step(const struct operation *operation)
{
    return (struct step){operation->pe, &operation->op, operation->start};
}

static inline struct operation operation_make(const struct replay *replay, const struct step *step,
                                              int64_t from, uint32_t slot)
{
    struct operation operation = {.op = *step->op,
                                  .start = from,
                                  .pe = step->thread,
                                  .slot = slot,
                                  .atomic = is_atomic(step->op)};
    if (operation.atomic)
        operation.takes.atomic = service_of(replay, step);
    else
        operation.takes.transfer = phases_of(replay, step);
    return operation;
}

static inline void operation_plan(struct replay *replay, struct operation *operation)
{
    const struct step step = operation_step(operation);
    operation->plan =
        operation->atomic
            ? plan_atomic(replay, &step, &operation->takes.atomic, operation->start)
            : plan_transfer(replay, &step, &operation->takes.transfer, operation->start);
}

static inline struct serving operation_serve(struct replay *replay,
                                             const struct operation *operation, int64_t at)
{
    const struct step step = operation_step(operation);
    return operation->atomic ? serve_atomic(replay, &step, &operation->takes.atomic, at)
                             : serve_transfer(replay, &step, &operation->takes.transfer, at);
}

static inline int64_t operation_leaves(const struct operation *operation,
                                       const struct serving *served)
{
    return operation->atomic ? served->known : transfer_leaves(&operation->takes.transfer, served);
}

#endif
