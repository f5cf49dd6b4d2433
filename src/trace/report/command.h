/* shmemtrace report: one page for a browser with all that is known of a run. */
#ifndef SKAMPI_TRACE_REPORT_COMMAND_H
#define SKAMPI_TRACE_REPORT_COMMAND_H

#include "trace/read/reader.h"

extern const struct reader_command report_command;

#endif
