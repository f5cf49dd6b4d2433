/* shmemtrace check. */
#ifndef SKAMPI_TRACE_CHECK_CHECK_H
#define SKAMPI_TRACE_CHECK_CHECK_H

#include "trace/read/reader.h"

extern const struct reader_command trace_check_command;

#endif
