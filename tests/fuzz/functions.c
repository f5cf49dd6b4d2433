/*
 * The measurement functions that fuzzed scripts may call: those of the program, built without a
 * library, with their parameters and demands but nothing to run; and a few that behave badly.
 */
#include <math.h>
#include <string.h>

#include "engine/measurement.h"

/* ---- What the measurement files refer to though they never run ---- */

double run_elapsed(struct run *run, int64_t start, int64_t stop)
{
    (void)run;
    (void)start;
    (void)stop;
    return NAN;
}

bool timer_is_tsc;
struct timer *timer_in_use;

/* ---- The registry ---- */

#define COUNT                                                                                      \
    {                                                                                              \
        .name = "count", .type = PARAMETER_INT                                                     \
    }

static const struct measurement odd_functions[] = {
    {.name = "Fake_Arguments",
     .parameters = {{.name = "i", .type = PARAMETER_INT, .minimum = -100},
                    {.name = "x", .type = PARAMETER_DOUBLE},
                    {.name = "text", .type = PARAMETER_STRING},
                    {.name = "items", .type = PARAMETER_INT_ARRAY}}},
    {.name = "Fake_Failing", .parameters = {COUNT}},
    {.name = "Fake_Unsupported", .parameters = {COUNT}},
};

const struct measurement *measurement_at(size_t i)
{
    for (size_t family = 0; family < measurement_family_count; family++) {
        if (i < *measurement_families[family].count)
            return &measurement_families[family].functions[i];
        i -= *measurement_families[family].count;
    }
    return i < MEASUREMENT_COUNT(odd_functions) ? &odd_functions[i] : NULL;
}

const struct measurement *measurement_find(const char *name)
{
    const struct measurement *function;

    for (size_t i = 0; (function = measurement_at(i)) != NULL; i++)
        if (strcmp(function->name, name) == 0)
            return function;
    return NULL;
}

size_t measurement_parameter_count(const struct measurement *function)
{
    size_t count = 0;

    while (count < MEASUREMENT_MAX_PARAMETERS && function->parameters[count].name != NULL)
        count++;
    return count;
}

const char *measurement_unsupported(const struct measurement *function)
{
    return strcmp(function->name, "Fake_Unsupported") == 0 ? "not with the stub" : NULL;
}
