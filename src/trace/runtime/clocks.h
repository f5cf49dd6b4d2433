/* Clocks of the PEs: synchronized when the library has started and before it ends. */
#ifndef SKAMPI_TRACE_RUNTIME_CLOCKS_H
#define SKAMPI_TRACE_RUNTIME_CLOCKS_H

#pragma GCC visibility push(hidden)

/* Reads the clock first. Call it as early as possible. */
void clocks_loaded(void);
/* Learns the rate of the clock, and its relation to that of PE 0. Collective over all PEs, while
 * comm is attached; or without: every PE for itself. */
void clocks_start(void);
void clocks_start_alone(void);
/* Collective over all PEs. */
void clocks_finish(void);
/* Measures what recording costs the application (tracer.cost_...), in less than a millisecond. The
 * costs stay 0 if there is no memory for it. Call it when the clock is chosen, on the thread that
 * starts the library, before any call is recorded. */
void clocks_measure_cost(void);

#pragma GCC visibility pop

#endif
