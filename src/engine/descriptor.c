/* What follows from a descriptor: its parameters and arguments. */
#include "engine/measurement.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

enum value_type parameter_value_type(const struct parameter *parameter)
{
    static const enum value_type types[] = {
        [PARAMETER_INT] = TYPE_INT,           [PARAMETER_ITERATIONS] = TYPE_INT,
        [PARAMETER_RANK] = TYPE_INT,          [PARAMETER_DOUBLE] = TYPE_REAL,
        [PARAMETER_STRING] = TYPE_STRING,     [PARAMETER_INT_ARRAY] = TYPE_INT_ARRAY,
        [PARAMETER_DATATYPE] = TYPE_DATATYPE, [PARAMETER_OPERATION] = TYPE_OPERATION,
        [PARAMETER_INFO] = TYPE_INFO};
    return types[parameter->type];
}

size_t measurement_parameter_count(const struct measurement *function)
{
    size_t count = 0;
    while (count < MEASUREMENT_MAX_PARAMETERS && function->parameters[count].name)
        count++;
    return count;
}

const struct parameter *measurement_parameter(const struct measurement *function, const char *name)
{
    const struct parameter *parameter = function->parameters,
                           *end = parameter + MEASUREMENT_MAX_PARAMETERS;
    for (; parameter < end && parameter->name; parameter++)
        if (strcmp(parameter->name, name) == 0)
            return parameter;
    return NULL;
}

const struct parameter *measurement_iterations(const struct measurement *function)
{
    for (size_t i = 0; i < measurement_parameter_count(function); i++)
        if (function->parameters[i].type == PARAMETER_ITERATIONS)
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

int parameter_word(const struct parameter *parameter, const char *value)
{
    const char *word = parameter->words;
    for (int i = 0; word; i++) {
        size_t length = strcspn(word, "|");
        if (strncmp(word, value, length) == 0 && value[length] == '\0')
            return i;
        word = word[length] ? word + length + 1 : NULL;
    }
    return -1;
}

char *parameter_words(const struct parameter *parameter)
{
    struct text text = {0};
    text_append(&text, "one of \"");
    for (const char *at = parameter->words; *at; at++)
        if (*at == '|')
            text_append(&text, "\", \"");
        else
            text_append_bytes(&text, at, 1);
    text_append(&text, "\"");
    return text_take(&text);
}

char *parameter_allowed(const struct parameter *parameter)
{
    if (parameter->type == PARAMETER_DOUBLE)
        return text_format(parameter->above ? "more than %g, at most %g%s%s" : "%g to %g%s%s",
                           parameter->least, parameter->most, parameter->allowed ? ", " : "",
                           parameter->allowed ? parameter->allowed : "");
    if (parameter->words && !parameter->allowed)
        return parameter_words(parameter);
    return parameter->allowed ? memory_text(parameter->allowed) : NULL;
}

const struct value *run_find_argument(const struct run *run, const char *name)
{
    const struct parameter *parameter = measurement_parameter(run->function, name);
    return parameter ? &run->arguments[parameter - run->function->parameters] : NULL;
}

const struct value *run_argument(const struct run *run, const char *name)
{
    const struct value *found = run_find_argument(run, name);
    if (found)
        return found;
    fprintf(stderr, "skampi: error: %s has no parameter %s\n", run->function->name, name);
    abort();
}

int64_t run_integer(const struct run *run, const char *name, int64_t otherwise)
{
    const struct parameter *parameter = measurement_parameter(run->function, name);
    return parameter ? run->arguments[parameter - run->function->parameters].integer : otherwise;
}

int run_word(const struct run *run, const char *name)
{
    const struct parameter *parameter = measurement_parameter(run->function, name);
    int word = parameter ? parameter_word(parameter, run_argument(run, name)->string) : 0;
    return word > 0 ? word : 0;
}

size_t measurement_weight(const struct measurement *function, const struct demand *demand)
{
    size_t remote = function->api == API_MPI ? demand->remote : 0, data;
    if (__builtin_add_overflow(demand->local, remote, &data))
        return SIZE_MAX;
    return data > demand->own ? data : demand->own;
}

bool measurement_has_data(const struct measurement *function)
{
    return function->verify && !function->no_data;
}

const char *measurement_data(const struct measurement *function)
{
    if (function->synchronizes)
        return "none; that nobody leaves before all have entered is verified before the timed "
               "repetitions and after them";
    if (function->no_data || function->api == API_NONE)
        return "none";
    if (function->own_check)
        return "verified in each repetition";
    return function->fill && function->verify
               ? "verified before the timed repetitions, after the last of them, and once more"
               : NULL;
}
