/* What recording costs the application, measured when the trace begins. */
#ifndef SKAMPI_TRACE_RUNTIME_COST_H
#define SKAMPI_TRACE_RUNTIME_COST_H

#pragma GCC visibility push(hidden)

/* Fills tracer.cost_..., in less than a millisecond; both stay 0 when there is no memory for it.
 * Once the clock is chosen, on the thread that starts the library, before any call is recorded. */
void cost_measure(void);

#pragma GCC visibility pop

#endif
