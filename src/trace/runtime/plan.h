/* Whether calls are recorded: by routine, and now. */
#ifndef SKAMPI_TRACE_RUNTIME_PLAN_H
#define SKAMPI_TRACE_RUNTIME_PLAN_H

#include "trace/encode.h"
#include "trace/runtime/state.h"

#pragma GCC visibility push(hidden)

/* What is done about a routine. */
enum plan {
    PLAN_IGNORE, /* nothing */
    PLAN_GUARD,  /* no event, but what it calls inside is not an event either */
    PLAN_RECORD
};

/* Decides by tracer.recording, once. False: out of memory. */
bool plan_routines(void);
enum plan plan_of(unsigned routine);
/* By routine. */
extern struct series_kind *plan_kinds;

/* Calls are recorded from now on, unless there is one of the reasons (OFF_...) not to. */
void tracer_begin(int reasons);

/* Reasons to record, or not to, come and go. Returns those not to that there were before. In signal
 * handlers. */
int tracer_stop(int reasons);
void tracer_go_on(int reasons);

#pragma GCC visibility pop

#endif
