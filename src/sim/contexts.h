/* Operations that are open in contexts. The state of a default context is part of its PE. */
#ifndef SKAMPI_SIM_CONTEXTS_H
#define SKAMPI_SIM_CONTEXTS_H

#include "sim/state.h"

/* State of a context that is not the default one. Valid until the next call. */
struct context_state *context_of(struct replay *, uint32_t thread, unsigned context);

/* What is open in a context. Valid until the next call. */
struct open_counts *open_of(struct replay *, uint32_t thread, unsigned context);

/* A transfer or request begins (context_begins) or ends (context_ends). Only with
 * CONTENTION_FAIR or progress, where its end is not known when it begins. */
void context_begins(struct replay *, uint32_t thread, const struct op *);
void context_ends(struct replay *, uint32_t thread, const struct op *);
/* The target has served a request (context_served), and the answer has come later
 * (context_answered). */
void context_served(struct replay *, uint32_t thread, const struct op *);
void context_answered(struct replay *, uint32_t thread, const struct op *);

/* A fence: later puts in the context arrive no earlier than everything that was put before. */
void context_fence(struct replay *, uint32_t thread, unsigned context);

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* One more operation is open. arrived is when it is at its target, or 0 if no fence orders it;
 * known is when its caller knows that it is complete (ps). */
static inline void note_open(struct replay *replay, const struct step *step, int64_t arrived,
                             int64_t known)
{
    struct thread *self = replay_home(replay, step->thread);
    if (step->op->context == 0) {
        self->known = later(self->known, known);
        self->arrived = later(self->arrived, arrived);
        return;
    }
    struct context_state *context = context_of(replay, step->thread, step->op->context);
    context->known = later(context->known, known);
    context->arrived = later(context->arrived, arrived);
}

static inline int64_t floor_of(struct replay *replay, const struct step *step)
{
    if (__builtin_expect(step->op->context != 0, 0))
        return context_of(replay, step->thread, step->op->context)->floor;
    return replay->floors ? replay->floors[replay_pe(replay, step->thread)] : 0;
}

#endif
