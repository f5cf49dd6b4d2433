/* `shmemtrace --man`: all options as a manual page, in troff. */
#ifndef SKAMPI_TRACE_MANUAL_H
#define SKAMPI_TRACE_MANUAL_H

#include "trace/reader.h"

/* To standard output. */
void manual_print(const struct reader_command *const *commands, size_t count);

#endif
