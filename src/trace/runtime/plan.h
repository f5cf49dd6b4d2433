/* Whether calls are recorded: by routine, and at present. */
#ifndef SKAMPI_TRACE_RUNTIME_PLAN_H
#define SKAMPI_TRACE_RUNTIME_PLAN_H

#include "trace/encode.h"
#include "trace/runtime/state.h"

#pragma GCC visibility push(hidden)

/* What the tracer does about a routine. */
enum plan {
    PLAN_IGNORE, /* nothing */
    PLAN_GUARD,  /* no event for the call, nor for calls inside it */
    PLAN_RECORD
};

/* Decides for all routines by tracer.recording. Call it once. False if there is no memory. */
bool plan_routines(void);
enum plan plan_of(unsigned routine);
/* By routine. */
extern struct series_kind *plan_kinds;

/* Begins to record, unless there is one of these reasons (OFF_...) not to. */
void tracer_begin(int reasons);

/* Add (tracer_stop) or remove (tracer_go_on) reasons not to record. Return the earlier reasons.
 * Async-signal-safe. */
int tracer_stop(int reasons);
void tracer_go_on(int reasons);

#pragma GCC visibility pop

#endif
