/* Writes what is not in the file yet when the program ends, in whatever way. */
#ifndef SKAMPI_TRACE_RUNTIME_SAVE_H
#define SKAMPI_TRACE_RUNTIME_SAVE_H

#include <stdbool.h>

#pragma GCC visibility push(hidden)

/* Allocates what saving needs. False: out of memory. */
bool save_prepare(void);

/* Writes what threads have not written, and how it ended; more than once, if need be: what came
 * before is overwritten. last: nothing follows, and what could not be written is reported. In
 * signal handlers. */
void tracer_save(const char *reason, bool last);

/* The same, and what is written of rings stays in the file. */
void tracer_save_to_keep(const char *reason);

#pragma GCC visibility pop

#endif
