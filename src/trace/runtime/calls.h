/* What a thread does about a call when that is not just writing it down. */
#ifndef SKAMPI_TRACE_RUNTIME_CALLS_H
#define SKAMPI_TRACE_RUNTIME_CALLS_H

#include "trace/runtime/thread.h"

#pragma GCC visibility push(hidden)

/* The time until then is nobody's: the next burst counts from it. */
void calls_skip_to(struct tracer_thread *, int64_t time);

#pragma GCC visibility pop

#endif
