/* shmemtrace explain. */
#ifndef SKAMPI_TRACE_EXPLAIN_COMMAND_H
#define SKAMPI_TRACE_EXPLAIN_COMMAND_H

#include "trace/read/reader.h"

extern const struct reader_command explain_command;

#endif
