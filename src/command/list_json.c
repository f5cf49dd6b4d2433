/*
 * Prints a measurement function's descriptor as one line of JSON.
 */
#include "command/list_json.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "engine/functions.h"

static void put_text(const char *name, const char *value)
{
    if (!value)
        return;
    printf(", \"%s\": ", name);
    json_string(stdout, value);
}

static void put_parameter(const struct parameter *parameter)
{
    static const char *const types[] = {"int",   "iterations", "rank",      "double", "string",
                                        "int[]", "datatype",   "operation", "info"};
    printf("{\"name\": ");
    json_string(stdout, parameter->name);
    put_text("type", types[parameter->type]);
    put_text("meaning", parameter->meaning);
    put_text("unit", *parameter->unit ? parameter->unit : NULL);
    if (parameter->type <= PARAMETER_ITERATIONS)
        printf(", \"minimum\": %lld", (long long)parameter->minimum);
    if (parameter->maximum)
        printf(", \"maximum\": %lld", (long long)parameter->maximum);
    char *allowed = parameter_allowed(parameter);
    put_text("allowed", allowed);
    free(allowed);
    put_text("default", parameter->otherwise);
    put_text("example", parameter->example);
    printf("}");
}

static void put_parameters(const struct measurement *function)
{
    printf(", \"parameters\": [");
    for (size_t i = 0; i < measurement_parameter_count(function); i++) {
        printf("%s", i ? ", " : "");
        put_parameter(&function->parameters[i]);
    }
    printf("]");
}

static void put_api(const struct measurement *function)
{
    static const char *const apis[] = {"none", "OpenSHMEM", "MPI"};
    put_text("api", apis[function->api]);
    if (function->version_major)
        printf(", \"version\": \"%d.%d\"", function->version_major, function->version_minor);
    printf(", \"pes\": %d", function->minimum_pes > 1 ? function->minimum_pes : 1);
    printf(", \"topology\": %s", function->neighborhood ? "true" : "false");
}

void list_json(const struct measurement *function)
{
    static const char *const quantities[] = {"time", "bytes"};
    printf("{\"name\": ");
    json_string(stdout, function->name);
    put_text("summary", function->summary);
    put_parameters(function);
    put_text("value", quantities[function->quantity]);
    put_text("timed", function->timed);
    put_text("routine", function->routine);
    put_text("calls", function->calls && *function->calls ? function->calls : NULL);
    put_text("who", function->who);
    struct rates_words words = rates_words(function);
    put_text("moved", words.bytes);
    put_text("messages", words.messages);
    put_text("bus_factor", words.bus);
    put_text("subtracted", function->subtracted);
    put_text("data", function->run ? measurement_data(function) : NULL);
    put_text("cost", function->cost);
    printf(", \"synchronized\": %s", measurement_synchronized(function) ? "true" : "false");
    printf(", \"once\": %s", function->timing == TIMING_ONCE ? "true" : "false");
    put_api(function);
    put_text("unsupported", measurement_unsupported(function));
    printf("}\n");
}
