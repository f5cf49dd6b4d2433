/* What is open in contexts of PEs. The state of a default context is in its PE. */
#ifndef SKAMPI_SIM_CONTEXTS_H
#define SKAMPI_SIM_CONTEXTS_H

#include "sim/state.h"

/* Of another context than the default one. Valid until the next call. */
struct context_state *context_of(struct replay *, uint32_t pe, unsigned context);

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Something more is open. */
static inline void note_open(struct replay *replay, const struct step *step, int64_t arrived,
                             int64_t known)
{
    struct pe *pe = replay_home(replay, step->pe);
    if (step->op->context == 0) {
        pe->known = later(pe->known, known);
        pe->arrived = later(pe->arrived, arrived);
        return;
    }
    struct context_state *context = context_of(replay, step->pe, step->op->context);
    context->known = later(context->known, known);
    context->arrived = later(context->arrived, arrived);
}

static inline int64_t floor_of(struct replay *replay, const struct step *step)
{
    return step->op->context == 0 ? replay_home(replay, step->pe)->floor
                                  : context_of(replay, step->pe, step->op->context)->floor;
}

#endif
