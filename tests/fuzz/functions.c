/*
 * The measurement functions that fuzzed scripts may call: those of the program, built without a
 * library, with their parameters and demands but nothing to run; and a few that behave badly. These
 * definitions stand in for those of the program and of the stub engine.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "engine/engine.h"
#include "engine/measurement.h"

/* As the engine judges arguments. */
char *engine_refusal(const struct measure_request *request, int *argument)
{
    const struct measurement *function = request->function;
    int size = pe_set_size(request->set);
    const char *reason;

    *argument = -1;
    if (size == 0 || measurement_unsupported(function))
        return NULL;
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        const struct parameter *parameter = &function->parameters[i];
        int64_t value = request->arguments[i].integer;

        if (parameter->type > PARAMETER_RANK)
            continue;
        *argument = (int)i;
        if (value < parameter->minimum || (parameter->type == PARAMETER_RANK && value >= size))
            return text_format("%s is out of range", parameter->name);
    }
    *argument = -1;
    if (size < function->minimum_pes)
        return text_format("too few PEs");
    reason = function->check ? function->check(&(const struct run){.function = function,
                                                                   .arguments = request->arguments,
                                                                   .set = request->set,
                                                                   .size = size})
                             : NULL;
    return reason ? text_format("%s", reason) : NULL;
}

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
#define ODD_FUNCTIONS (sizeof odd_functions / sizeof *odd_functions)

const struct measurement *measurement_find(const char *name)
{
    const struct measurement *function;

    for (size_t i = 0; i < ODD_FUNCTIONS; i++)
        if (strcmp(odd_functions[i].name, name) == 0)
            return &odd_functions[i];
    for (size_t i = 0; (function = measurement_at(i)); i++)
        if (strcmp(function->name, name) == 0)
            return function;
    return NULL;
}

size_t measurement_parameter_count(const struct measurement *function)
{
    size_t count = 0;

    while (count < MEASUREMENT_MAX_PARAMETERS && function->parameters[count].name)
        count++;
    return count;
}

const char *measurement_unsupported(const struct measurement *function)
{
    return strcmp(function->name, "Fake_Unsupported") == 0 ? "not with the stub" : NULL;
}
