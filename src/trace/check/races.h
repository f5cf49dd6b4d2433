/* Races: accesses to the same bytes that nothing orders. */
#ifndef SKAMPI_TRACE_CHECK_RACES_H
#define SKAMPI_TRACE_CHECK_RACES_H

#include "trace/read/reader.h"

/* Finds them by the calls of all PEs, and tells their texts. What programs do with memory
 * themselves, and by what else than OpenSHMEM they synchronize, is not in a trace. Reads the trace
 * of a run twice; all files must be whole, with all PEs. Says on standard error what it leaves out.
 */
void races_find(struct reader *, void (*tell)(void *context, const char *), void *context);

#endif
