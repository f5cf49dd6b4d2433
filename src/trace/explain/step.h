/* A call in the second pass, which reads all events in the order of time. Times are in seconds. */
#ifndef SKAMPI_TRACE_EXPLAIN_STEP_H
#define SKAMPI_TRACE_EXPLAIN_STEP_H

#include "trace/explain/explain.h"
#include "trace/explain/flags.h"

/* A call that begins or ends. */
struct step {
    struct explain *explain;
    struct source *source;
    const struct trace_event *event;
    const struct routine_kind *kind;
    uint32_t number; /* of the line */
    struct line *line;
    double start, end;
};

/* A wait in this call, without what others know. */
static inline struct wait step_wait(const struct step *step, enum cause cause)
{
    return (struct wait){.line = step->number,
                         .by = NOBODY,
                         .call = step->line->call,
                         .cause = cause,
                         .phase = step->event->phase};
}
/* Adds a wait of the call that its line is in. */
void step_add(const struct step *, struct wait, bool meanwhile);
/* Adds a call to the past of the line, with its waits. */
void step_push(const struct step *, double from, double to, struct call);
/* Of a line in a phase. Valid until another phase is asked for. */
struct shares *shares_of(struct explain *, struct line *, uint32_t phase);
/* The line goes on only when another one has come so far, also where communication takes no time.
 */
static inline void step_ideal(struct shares *shares, struct line *line, double ideal)
{
    if (ideal > line->ideal) {
        shares->ideal += ideal - line->ideal;
        line->ideal = ideal;
    }
}

#endif
