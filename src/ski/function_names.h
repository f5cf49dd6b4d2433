/*
 * Measurement functions by what users type: names, words, routines, patterns. Any PE.
 */
#ifndef SKAMPI_SKI_FUNCTION_NAMES_H
#define SKAMPI_SKI_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/measurement.h"

/* The function whose name is closest, with or without "Shmem_", or NULL: for "did you mean". */
const char *function_closest(const char *name);

/* Whether the pattern has * ? or [ in it; such a pattern must fit a complete name, in any case,
 * with or without "Shmem_". */
bool function_is_pattern(const char *text);
bool function_fits_pattern(const struct measurement *, const char *pattern);

/* The function of that name in any case, with or without "Shmem_"; NULL: there is none. */
const struct measurement *function_called(const char *name);

#endif
