/* What shmemtrace says of itself: manual page, completion, version. */
#ifndef SKAMPI_TRACE_COMMAND_MANUAL_H
#define SKAMPI_TRACE_COMMAND_MANUAL_H

#include "trace/read/reader.h"

/* All options as a manual page in troff, and as completion for bash; to standard output. */
void manual_print(const struct reader_command *const *commands, size_t count);
void manual_bash(const struct reader_command *const *commands, size_t count);
/* "shmemtrace 0.1.0" */
void manual_version(void);

#endif
