/* Writes what is not in the file yet when the program ends, however it ends. */
#ifndef SKAMPI_TRACE_RUNTIME_SAVE_H
#define SKAMPI_TRACE_RUNTIME_SAVE_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Allocates what saving needs. False: out of memory. */
bool save_prepare(void);

/* Writes the events that threads have not written, and how the program ended. May be called
 * repeatedly; each call overwrites what the one before wrote. With `last`, nothing follows, and
 * failures are reported. In signal handlers. */
void tracer_save(const char *reason, bool last);

/* Like tracer_save(), but the events of rings stay in the file. */
void tracer_save_to_keep(const char *reason);

#pragma GCC visibility pop

#endif
