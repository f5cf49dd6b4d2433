/*
 * What follows from a descriptor alone: its parameters and arguments.
 */
#include "engine/measurement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t measurement_parameter_count(const struct measurement *function)
{
    size_t count = 0;
    while (count < MEASUREMENT_MAX_PARAMETERS && function->parameters[count].name)
        count++;
    return count;
}

const struct parameter *measurement_parameter(const struct measurement *function, const char *name)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        if (strcmp(function->parameters[i].name, name) == 0)
            return &function->parameters[i];
    return NULL;
}

size_t measurement_required_count(const struct measurement *function)
{
    size_t count = 0, all = measurement_parameter_count(function);
    while (count < all && !function->parameters[count].otherwise)
        count++;
    return count;
}

const struct argument *run_find_argument(const struct run *run, const char *name)
{
    const struct parameter *parameter = measurement_parameter(run->function, name);
    return parameter ? &run->arguments[parameter - run->function->parameters] : NULL;
}

const struct argument *run_argument(const struct run *run, const char *name)
{
    const struct argument *found = run_find_argument(run, name);
    if (found)
        return found;
    fprintf(stderr, "skampi: error: %s has no parameter %s\n", run->function->name, name);
    abort();
}

int64_t run_integer(const struct run *run, const char *name, int64_t otherwise)
{
    const struct argument *found = run_find_argument(run, name);
    return found ? found->integer : otherwise;
}

size_t measurement_weight(const struct measurement *function, const struct demand *demand)
{
    size_t remote = function->api == API_MPI ? demand->remote : 0, data;
    if (__builtin_add_overflow(demand->local, remote, &data))
        return SIZE_MAX;
    return data > demand->own ? data : demand->own;
}
