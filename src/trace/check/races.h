/*
 * Accesses to the same bytes that nothing orders, by the calls of all PEs: what programs do with
 * memory themselves, and by what else than OpenSHMEM they synchronize, is not in a trace.
 */
#ifndef SKAMPI_TRACE_CHECK_RACES_H
#define SKAMPI_TRACE_CHECK_RACES_H

#include "trace/check/race_report.h"

/* Reads the trace of a run twice; all files must be whole, with all PEs. Says on standard error
 * what it leaves out. */
void races_find(struct reader *, races_tell *tell, void *context);

#endif
