/*
 * Measurement functions by what users type: names, words, routines, patterns. Any PE.
 */
#ifndef SKAMPI_SKI_FUNCTION_NAMES_H
#define SKAMPI_SKI_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/measurement.h"

/* The function that a user means by a name, on the command line and in scripts: the function's own
 * name in upper or lower case, with or without "Shmem_", or the name of the routine that it
 * measures. If several functions measure the routine, the first supported one. NULL if there is
 * none; then function_suggestion() may help. */
const struct measurement *function_meant(const char *name);

/* ": did you mean A, B or C?", with functions that begin like the name, that are closest to it, or
 * that have to do with the routine of that name; "" when there are none. The caller frees it. */
char *function_suggestion(const char *name);

/* Whether the pattern has * ? or [ in it; such a pattern must fit a complete name, in any case,
 * with or without "Shmem_". */
bool function_is_pattern(const char *text);
bool function_fits_pattern(const struct measurement *, const char *pattern);

/* Whether the text names several functions by words in braces, as --list does. The list of their
 * names: the caller frees each name, and the list. */
bool function_is_folded(const char *text);
char **function_unfold(const char *text, size_t *count);

#endif
