/* Threads of the application: made at their first call, kept until the trace has ended. */
#ifndef SKAMPI_TRACE_RUNTIME_THREAD_H
#define SKAMPI_TRACE_RUNTIME_THREAD_H

#include "trace/runtime/journal.h"

#pragma GCC visibility push(hidden)

/* The thread's state, made at its first call; NULL when there is no memory for it. */
struct trace_thread *thread_create(void);
/* From now on threads that end are noticed. */
void thread_watch(void);

/* Until thread_leave_aside(), the thread's call is not written into its journal. */
void thread_go_aside(struct tracer_thread *);
void thread_leave_aside(struct tracer_thread *);

/* The call that this thread is inside of, if any, will not come back. In signal handlers. */
void tracer_leave_call(void);

#pragma GCC visibility pop

#endif
