/* The load map: which program and libraries are where in memory, so that readers can say where a
 * return address lies. Any thread, but not in signal handlers, and not under the tracer's lock:
 * libraries are loaded under the dynamic linker's. */
#ifndef SKAMPI_TRACE_RUNTIME_MODULES_H
#define SKAMPI_TRACE_RUNTIME_MODULES_H

#pragma GCC visibility push(hidden)

/* Writes into the file what was loaded since the last time. Quick if nothing was. */
void modules_write(void);

#pragma GCC visibility pop

#endif
