/*
 * Threads of the application, and what a thread does about a call besides writing it down. The
 * state of a thread is made at its first call, and kept until the trace has ended.
 */
#ifndef SKAMPI_TRACE_RUNTIME_THREAD_H
#define SKAMPI_TRACE_RUNTIME_THREAD_H

#include "trace/runtime/journal.h"

#pragma GCC visibility push(hidden)

/* Begins to notice the end of threads. */
void thread_watch(void);

/* Time until then is charged to nothing: the next burst starts there. */
void thread_skip_to(struct tracer_thread *, int64_t time);

/* The call that this thread is inside of, if any, will not return. In signal handlers. */
void tracer_leave_call(void);

#pragma GCC visibility pop

#endif
