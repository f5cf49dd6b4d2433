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
    for (size_t family = 0; measurement_families[family]; family++)
        for (const struct measurement *at = measurement_families[family]; at->name; at++)
            if (strcmp(at->name, name) == 0)
                return at;
    return NULL;
}
