/* The commands that read a trace and print; export is in trace/export. */
#ifndef SKAMPI_TRACE_READ_COMMANDS_H
#define SKAMPI_TRACE_READ_COMMANDS_H

#include "trace/read/reader.h"

extern const struct reader_command dump_command, summary_command, check_command, merge_command;

#endif
