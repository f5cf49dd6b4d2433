/*
 * Measurement functions by what users type: names, words, routines, patterns. Any PE.
 */
#ifndef SKAMPI_SKI_FUNCTION_NAMES_H
#define SKAMPI_SKI_FUNCTION_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/measurement.h"

/* The function that a user means by a name, here, in scripts and everywhere else: its own, in any
 * case, with or without "Shmem_", or the name of the routine that it measures, of several functions
 * the first that is supported. NULL: there is none, and function_suggestion() may help. */
const struct measurement *function_meant(const char *name);

/* ": did you mean A, B or C?", with what begins like the name, what is closest to it, or what has
 * to do with the routine of that name; "" when nothing does. The caller frees it. */
char *function_suggestion(const char *name);

/* Whether the pattern has * ? or [ in it; such a pattern must fit a complete name, in any case,
 * with or without "Shmem_". */
bool function_is_pattern(const char *text);
bool function_fits_pattern(const struct measurement *, const char *pattern);

/* Whether it names several functions by words in braces, as --list does; then each of them, which
 * the caller frees one by one and together. */
bool function_is_folded(const char *text);
char **function_unfold(const char *text, size_t *count);

#endif
