/* The times of single calls, by the model. */
#ifndef SKAMPI_SIM_TAKES_H
#define SKAMPI_SIM_TAKES_H

#include "sim/state.h"

static inline enum cost_class class_of(const struct op *op)
{
    if (op->kind == OP_PUT)
        return op->flags & OP_BLOCKING ? COST_PUT : COST_PUT_NBI;
    return op->flags & OP_BLOCKING ? COST_GET : COST_GET_NBI;
}

/* What a put or get of this many bytes takes. */
static inline struct phases phases_of_bytes(const struct replay *replay, const struct step *step,
                                            uint64_t bytes)
{
    const struct op *op = step->op;
    const struct message message = {
        .way = replay_way(replay, step->thread, op->peer, class_of(op), bytes),
        .bytes = bytes,
        .get = op->kind != OP_PUT,
        .blocking = op->flags & OP_BLOCKING,
    };
    return replay->model->transfer(&message);
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

/* What an atomic takes. */
static inline struct service service_of(const struct replay *replay, const struct step *step)
{
    const struct op *op = step->op;
    const struct atomic atomic = {
        .way = replay_way(replay, step->thread, op->peer, COST_ATOMIC, op->bytes),
        .bytes = op->bytes,
        .busy = replay_busy(replay, step->thread, op->peer),
        .fetching = op->flags & OP_FETCHING,
        .blocking = op->flags & OP_BLOCKING,
    };
    return replay->model->atomic(&atomic);
}

#endif
