/* Threads of the application. Their state is made at their first call, and kept until the trace has
 * ended. */
#ifndef SKAMPI_TRACE_RUNTIME_THREAD_H
#define SKAMPI_TRACE_RUNTIME_THREAD_H

#include "trace/runtime/journal.h"

#pragma GCC visibility push(hidden)

/* The thread's state, made at its first call; NULL when there is no memory for it. */
struct trace_thread *thread_create(void);
/* Begins to notice the end of threads. */
void thread_watch(void);

/* Until thread_leave_aside(), the thread's call is not written into its journal. */
void thread_go_aside(struct tracer_thread *);
void thread_leave_aside(struct tracer_thread *);

/* The call that this thread is inside of, if any, will not return. In signal handlers. */
void tracer_leave_call(void);

#pragma GCC visibility pop

#endif
