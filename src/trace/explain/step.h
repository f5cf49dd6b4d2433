/* A call in the second pass, which reads all events in the order of time. Times are in seconds. */
#ifndef SKAMPI_TRACE_EXPLAIN_STEP_H
#define SKAMPI_TRACE_EXPLAIN_STEP_H

#include "trace/explain/explain.h"

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

/* ---- past.c: what lines did lately, and what therefore made one of them late ---- */

void past_push(const struct explain *, struct line *, struct segment);
/* Forgets the segments from that number on. */
void past_cut(struct past *, uint64_t number);
/* The segment of that number; NULL: it is forgotten. */
struct segment *past_segment(struct past *, uint64_t number);

/* Adds a wait and says what made it: `by` is late. The delay is what `by` did more than the one
 * that waits since they last met (Boehme et al., Identifying the root causes of wait states in
 * large-scale parallel applications, 2016, section 3). With `meanwhile` it is what `by` did during
 * the wait. Returns 1 + the wait's number; 0 if nobody waited. */
uint32_t wait_add(struct explain *, struct wait, bool meanwhile);
/* Notes that both met at that time. */
void lines_met(struct explain *, uint32_t, uint32_t, double time);

/* Adds a wait of the call that its line is in. */
void step_add(const struct step *, struct wait, bool meanwhile);
/* Adds a call to the past of the line, with its waits. */
void step_push(const struct step *, double from, double to, struct call);
/* Of a line in a phase. Valid until another phase is asked for. */
struct shares *explain_shares_of(struct explain *, struct line *, uint32_t phase);
/* The line goes on only when another one has come so far, also where communication takes no time.
 */
static inline void step_ideal(struct explain *explain, struct line *line, uint32_t phase,
                              double ideal)
{
    if (ideal > line->ideal) {
        explain_shares_of(explain, line, phase)->ideal += ideal - line->ideal;
        line->ideal = ideal;
    }
}

/* ---- targets.c: calls that wait for their targets, contended atomics, needless quiets ---- */

void target_start(struct step *);
void target_end(struct step *);
/* A PE that was in no call begins one; it ends the only one that it was in. */
void targets_enter(struct explain *, int pe, double time);
void targets_leave(struct explain *, int pe, double time);

void meetings_free(struct explain *); /* follow.c */

#endif
