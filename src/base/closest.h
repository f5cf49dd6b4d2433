/* Suggestions for names that do not exist. Pure. */
#ifndef SKAMPI_BASE_CLOSEST_H
#define SKAMPI_BASE_CLOSEST_H

#include <stddef.h>

/* The name among candidates (count of them) closest to name, or NULL when none is close: for
 * "did you mean". Case differences count least. */
const char *closest_name(const char *name, const char *const *candidates, size_t count);

#endif
