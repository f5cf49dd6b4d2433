/*
 * Copies of requests.
 */
#include "engine/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "objects/info.h"

static const struct argument *copy_arguments(const struct measure_request *request)
{
    const struct measurement *function = request->function;
    size_t n = measurement_parameter_count(function);
    struct argument *copy = memory_zeroed(n ? n : 1, sizeof *copy);
    for (size_t i = 0; i < n; i++) {
        copy[i] = request->arguments[i];
        if (function->parameters[i].type == PARAMETER_STRING)
            copy[i].string = memory_text(request->arguments[i].string);
        if (function->parameters[i].type == PARAMETER_INT_ARRAY) {
            size_t bytes = (size_t)copy[i].integer * sizeof *copy[i].array;
            copy[i].array = memory_allocate(bytes ? bytes : 1);
            memcpy((void *)(uintptr_t)copy[i].array, request->arguments[i].array, bytes);
        }
        if (copy[i].datatype)
            datatype_reference(copy[i].datatype);
        if (copy[i].info) { /* the script may change its own meanwhile */
            copy[i].info = info_copy(copy[i].info);
            copy[i].string = info_text(copy[i].info);
        }
    }
    return copy;
}

static const struct result_variable *copy_variables(const struct measure_request *request)
{
    size_t n = request->variable_count;
    struct result_variable *copy = memory_zeroed(n ? n : 1, sizeof *copy);
    for (size_t i = 0; i < n; i++) {
        copy[i].name = memory_text(request->variables[i].name);
        copy[i].value = memory_text(request->variables[i].value);
    }
    return copy;
}

int request_rounds(const struct measure_request *request, const struct settings *settings,
                   int of_command_line)
{
    int rounds = of_command_line > 0 ? of_command_line : settings->rounds;
    return rounds < 1 || request->function->timing == TIMING_ONCE ? 1 : rounds;
}

struct measure_request request_copy(const struct measure_request *request)
{
    struct measure_request copy = *request;
    copy.arguments = copy_arguments(request);
    copy.set = pe_set_reference((struct pe_set *)(uintptr_t)request->set);
    copy.variables = copy_variables(request);
    copy.place = memory_text(request->place);
    copy.text = memory_text(request->text);
    copy.endless = copy.open = false; /* the loops are over */
    return copy;
}

static void drop(const void *text)
{
    free((void *)(uintptr_t)text);
}

void request_release(struct measure_request *request)
{
    const struct measurement *function = request->function;
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        if (function->parameters[i].type == PARAMETER_STRING)
            drop(request->arguments[i].string);
        if (function->parameters[i].type == PARAMETER_INT_ARRAY)
            drop(request->arguments[i].array);
        datatype_release(request->arguments[i].datatype);
        info_release(request->arguments[i].info);
    }
    for (size_t i = 0; i < request->variable_count; i++) {
        drop(request->variables[i].name);
        drop(request->variables[i].value);
    }
    drop(request->arguments);
    drop(request->variables);
    drop(request->place);
    drop(request->text);
    pe_set_release((struct pe_set *)(uintptr_t)request->set);
}
