/*
 * Compares what users type with the names of measurement functions.
 */
#define _GNU_SOURCE /* FNM_CASEFOLD */
#include "ski/function_names.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "ski/diag.h"

static const char prefix[] = "Shmem_";

/* The name without "Shmem_", or NULL. */
static const char *short_name(const struct measurement *function)
{
    size_t length = sizeof prefix - 1;
    return strncmp(function->name, prefix, length) == 0 ? function->name + length : NULL;
}

const char *function_closest(const char *name)
{
    const struct measurement *function;
    size_t count = 0;
    while (measurement_at(count))
        count++;
    const char **names = memory_zeroed(2 * count + 1, sizeof *names);
    count = 0;
    for (size_t i = 0; (function = measurement_at(i)); i++)
        names[count++] = function->name;
    for (size_t i = 0; (function = measurement_at(i)); i++)
        if (short_name(function))
            names[count++] = short_name(function);
    const char *closest = diag_closest(name, names, count);
    for (size_t i = 0; closest && (function = measurement_at(i)); i++)
        if (short_name(function) == closest)
            closest = function->name;
    free(names);
    return closest;
}

bool function_is_pattern(const char *text)
{
    return strpbrk(text, "*?[");
}

bool function_fits_pattern(const struct measurement *function, const char *pattern)
{
    const char *rest = short_name(function);
    return fnmatch(pattern, function->name, FNM_CASEFOLD) == 0 ||
           (rest && fnmatch(pattern, rest, FNM_CASEFOLD) == 0);
}

const struct measurement *function_called(const char *name)
{
    const struct measurement *function = measurement_find(name), *found = NULL;
    for (size_t i = 0; !function && (function = measurement_at(i)); i++)
        if (strcasecmp(function->name, name) != 0) {
            const char *rest = short_name(function);
            if (rest && !found && strcasecmp(rest, name) == 0)
                found = function;
            function = NULL;
        }
    return function ? function : found;
}
