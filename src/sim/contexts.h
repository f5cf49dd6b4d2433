/* What is open in contexts. The state of a default context is part of its PE's first thread. */
#ifndef SKAMPI_SIM_CONTEXTS_H
#define SKAMPI_SIM_CONTEXTS_H

#include "sim/state.h"

/* State of a context that is not the default one. Valid until the next call. */
struct context_state *context_of(struct replay *, uint32_t thread, unsigned context);

/* What is under way in a context. Valid until the next call. */
struct open_counts *open_of(struct replay *, uint32_t thread, unsigned context);

/* An operation is under way, its atomic has been served, it is over. */
void context_begins(struct replay *, const struct operation *);
void context_served(struct replay *, const struct operation *);
void context_ends(struct replay *, const struct operation *);

/* Whether a call must wait for operations that are under way. The thread is then blocked until they
 * are over. */
bool context_blocks(struct replay *, uint32_t thread, const struct op *);

/* A fence: later puts in the context arrive no earlier than everything that was put before. */
void context_fence(struct replay *, uint32_t thread, unsigned context);

/* When a caller knows of one more operation that it is complete, and when this is at its target, if
 * a fence orders it; 0: not known yet, or not ordered (ps). */
static inline void context_note(struct replay *replay, const struct operation *operation,
                                int64_t arrived, int64_t known)
{
    if (__builtin_expect(operation->op.context != 0, 0)) {
        struct context_state *context =
            context_of(replay, operation->thread, operation->op.context);
        context->known = later(context->known, known);
        context->arrived = later(context->arrived, arrived);
        return;
    }
    struct thread *self = replay_home(replay, operation->thread);
    self->known = later(self->known, known);
    self->arrived = later(self->arrived, arrived);
}

/* The earliest arrival of what is put now (ps). */
static inline int64_t context_floor(struct replay *replay, const struct operation *operation)
{
    if (__builtin_expect(operation->op.context != 0, 0))
        return context_of(replay, operation->thread, operation->op.context)->floor;
    return replay->floors ? replay->floors[replay_pe(replay, operation->thread)] : 0;
}

#endif
