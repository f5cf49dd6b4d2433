/* What is open in contexts of PEs. The state of a default context is in its PE. */
#ifndef SKAMPI_SIM_CONTEXTS_H
#define SKAMPI_SIM_CONTEXTS_H

#include "sim/state.h"

/* Of another context than the default one. Valid until the next call. */
struct context_state *context_of(struct replay *, uint32_t pe, unsigned context);

/* What is open in a context, likewise. */
struct open *open_of(struct replay *, uint32_t pe, unsigned context);

/* A transfer or request more begins, or one has ended, whose end is not known before: with
 * CONTENTION_FAIR or progress. */
void context_begins(struct replay *, uint32_t pe, const struct op *);
void context_ends(struct replay *, uint32_t pe, const struct op *);
/* Likewise of a request whose answer comes later: its target has served it, and it has come. */
void context_served(struct replay *, uint32_t pe, const struct op *);
void context_answered(struct replay *, uint32_t pe, const struct op *);

/* All that was put before a fence was there at that time. */
void context_fence(struct replay *, uint32_t pe, unsigned context);

static inline int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Something more is open. arrived: when what a fence orders is there, 0: nothing that it does. */
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
    if (__builtin_expect(step->op->context != 0, 0))
        return context_of(replay, step->pe, step->op->context)->floor;
    return replay->floors ? replay->floors[replay_pe(replay, step->pe)] : 0;
}

#endif
