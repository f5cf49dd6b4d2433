/*
 * All measurement functions, by name and one after the other.
 */
#include <string.h>

#include "engine/measurement.h"

const struct measurement *measurement_at(size_t i)
{
    for (size_t family = 0; measurement_families[family]; family++)
        for (const struct measurement *at = measurement_families[family]; at->name; at++)
            if (i-- == 0)
                return at;
    return NULL;
}

const char *measurement_family(const struct measurement *function)
{
    for (size_t family = 0; measurement_families[family]; family++)
        for (const struct measurement *at = measurement_families[family]; at->name; at++)
            if (at == function)
                return measurement_family_names[family];
    return "";
}

const struct measurement *measurement_find(const char *name)
{
    const struct measurement *function;
    for (size_t i = 0; (function = measurement_at(i)); i++)
        if (strcmp(function->name, name) == 0)
            return function;
    return NULL;
}
