/* What the file says of the run, at its beginning. */
#ifndef SKAMPI_TRACE_RUNTIME_DESCRIBE_H
#define SKAMPI_TRACE_RUNTIME_DESCRIBE_H

#include <stddef.h>

#pragma GCC visibility push(hidden)

/* Bytes that the caller frees, *size of them. NULL: too little memory, or (*size is not 0) room. */
unsigned char *describe_run(size_t *size);

#pragma GCC visibility pop

#endif
