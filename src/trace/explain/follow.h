/* The parts of the second pass, which reads all events in the order of time. Each is told when a
 * call begins and when it ends. Times are in seconds. */
#ifndef SKAMPI_TRACE_EXPLAIN_FOLLOW_H
#define SKAMPI_TRACE_EXPLAIN_FOLLOW_H

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
/* The line goes on only when another one has come so far, also where communication takes no time. */
static inline void step_ideal(struct shares *shares, struct line *line, double ideal)
{
    if (ideal > line->ideal) {
        shares->ideal += ideal - line->ideal;
        line->ideal = ideal;
    }
}

/* ---- waits.c: waits for writes, and loops that poll ---- */

/* Whether the call goes on with a loop; else the loop before it has ended. Before the burst counts.
 */
bool poll_goes_on(struct step *);
/* The burst before a call of a loop. */
void poll_burst(struct step *, double useful);
/* At the end of each call; true: the loop's time was added to the past already. */
bool poll_end(struct step *);
/* Notes what the call writes. */
void wait_start(struct step *);
/* The line has waited from then on. False: nobody is known to have ended that. */
bool wait_for(struct step *, struct condition, double from);

/* ---- meetings.c: collectives ---- */

void meet_start(struct step *);
void meetings_free(struct explain *);

/* ---- locks.c ---- */

void lock_start(struct step *);
void lock_got(struct step *, double since);
void locks_free(struct locks *);

/* ---- targets.c: calls that wait for their targets, contended atomics, needless quiets ---- */

void target_start(struct step *);
void target_end(struct step *);
/* A PE that was in no call begins one; it ends the only one that it was in. */
void targets_enter(struct explain *, int pe, double time);
void targets_leave(struct explain *, int pe, double time);
/* Whether calls from there end only when their targets are in calls. */
bool progress_is_late(const struct explain *, uint32_t spot);

#endif
