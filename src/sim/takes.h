/* The times of single calls, by the model. */
#ifndef SKAMPI_SIM_TAKES_H
#define SKAMPI_SIM_TAKES_H

#include "sim/state.h"

static inline bool is_atomic(const struct op *op)
{
    return op->kind == OP_ATOMIC || op->flags & OP_FETCHING;
}

static inline enum cost_class class_of(const struct op *op)
{
    if (is_atomic(op))
        return COST_ATOMIC;
    if (op->kind == OP_PUT)
        return op->flags & OP_BLOCKING ? COST_PUT : COST_PUT_NBI;
    return op->flags & OP_BLOCKING ? COST_GET : COST_GET_NBI;
}

/* What a put, get or atomic of this many bytes takes. */
static inline struct phases phases_of_bytes(const struct replay *replay, const struct step *step,
                                            uint64_t bytes)
{
    const struct op *op = step->op;
    const bool atomic = is_atomic(op);
    const struct message message = {
        .way = replay_way(replay, step->thread, op->peer, class_of(op), bytes),
        .bytes = bytes,
        .kind = atomic               ? MESSAGE_ATOMIC
                : op->kind == OP_PUT ? MESSAGE_PUT
                                     : MESSAGE_GET,
        .blocking = op->flags & OP_BLOCKING,
        .fetching = op->flags & OP_FETCHING,
        .busy = atomic ? replay_busy(replay, step->thread, op->peer) : 0,
    };
    return replay->model->takes(&message);
}

/* strided.c: of a strided put or get of several elements. */
struct phases phases_of_strided(const struct replay *, const struct step *);
/* Whether the elements of a strided call go one by one. */
bool strided_goes_each(const struct replay *, const struct step *);

static inline struct phases phases_of(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    if (__builtin_expect(op->place > 1, 0) && op->kind != OP_FETCHES)
        return phases_of_strided(replay, step);
    return phases_of_bytes(replay, step, op->bytes);
}

#endif
