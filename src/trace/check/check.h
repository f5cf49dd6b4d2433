/* shmemtrace check. */
#ifndef SKAMPI_TRACE_CHECK_CHECK_H
#define SKAMPI_TRACE_CHECK_CHECK_H

#include "trace/read/reader.h"

extern const struct reader_command check_command;

/* Finds races, accesses to the same bytes that nothing orders, by the calls of all PEs, and tells
 * their texts: races.c. What programs do with memory themselves, and by what else than OpenSHMEM
 * they synchronize, is not in a trace. Reads the trace of a run twice; all files must be whole,
 * with all PEs. Says on standard error what it leaves out. */
void races_find(struct reader *, void (*tell)(void *context, const char *), void *context);

#endif
