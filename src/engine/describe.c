/* What is stated about a point. */
#include "engine/describe.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "comm/comm.h"
#include "engine/services.h"
#include "objects/pe_set.h"
#include "output/point.h"
#include "settings/table.h"

/* "on one node", "on several nodes" (one PE each), "mixed". On one PE, which looks at members until
 * it knows. */
static const char *placement(const struct pe_set *set)
{
    int size = pe_set_size(set), first = size > 0 ? comm_node_of(pe_set_member(set, 0)) : 0;
    bool one = true, several = size > 1;
    unsigned char *seen = memory_zeroed((size_t)comm_node_count(), 1);
    for (int rank = 0; rank < size && (one || several); rank++) {
        int node = comm_node_of(pe_set_member(set, rank));
        if (node != first)
            one = false;
        if (seen[node])
            several = false;
        seen[node] = 1;
    }
    free(seen);
    if (size == 0)
        return "";
    return one ? "on one node" : several ? "on several nodes" : "on several nodes, mixed";
}

/* By name and unit, as the script gave them. The caller frees the array. */
static struct result_argument *named_arguments(const struct measure_request *request, size_t *n)
{
    const struct measurement *function = request->function;
    *n = measurement_parameter_count(function);
    struct result_argument *named = memory_zeroed(*n ? *n : 1, sizeof *named);
    for (size_t i = 0; i < *n; i++) {
        const struct parameter *parameter = &function->parameters[i];
        const struct argument *argument = &request->arguments[i];
        named[i] = (struct result_argument){.name = parameter->name,
                                            .unit = parameter->unit,
                                            .type = RESULT_INTEGER,
                                            .integer = argument->integer,
                                            .real = argument->real,
                                            .string = argument->string,
                                            .array = argument->array};
        if (parameter->type == PARAMETER_DOUBLE)
            named[i].type = RESULT_REAL;
        if (argument->string)
            named[i].type = RESULT_STRING;
        if (parameter->type == PARAMETER_INT_ARRAY)
            named[i].type = RESULT_INTEGERS;
    }
    return named;
}

/* The command line's, or what the script says. */
static double unit_of(const struct describer *describer, const struct settings *settings)
{
    return describer->options->unit > 0 ? describer->options->unit : settings->unit;
}

static const char *synchronization(const struct run *run)
{
    static const char *const names[] = {"window", "barrier", "none"};
    return names[measurement_synchronized(run->function) ? run->settings->synchronization
                                                         : SYNCHRONIZE_NONE];
}

struct point_description describe(const struct describer *describer,
                                  const struct measure_request *request)
{
    const struct settings *settings = describer->settings;
    const struct run run = {.function = request->function, .settings = settings};
    struct point_description described;
    size_t arguments;
    bool is_time = request->function->quantity == QUANTITY_TIME;
    described.arguments = named_arguments(request, &arguments);
    described.members = pe_set_text(request->set);
    size_t stated = settings_stated(settings, &described.settings);
    described.point = (struct result_point){
        .block = describer->block->name ? describer->block->name : "",
        .block_number = describer->block->number,
        .function = request->function->name,
        .text = request->text,
        .arguments = described.arguments,
        .argument_count = arguments,
        .variables = request->variables,
        .variable_count = request->variable_count,
        .members = described.members,
        .placement = placement(request->set),
        .pes = (size_t)pe_set_size(request->set),
        .synchronization = synchronization(&run),
        .window_rule = window_applies(&run) ? window_rule_words[settings->window.rule].name : "",
        .run_time = window_global_run_time(&run) ? "global" : "local",
        .settings = described.settings,
        .setting_count = stated,
        .number = describer->number,
        .is_time = is_time,
        .unit = is_time ? unit_of(describer, settings) : 1,
    };
    return described;
}

void described_release(struct point_description *described)
{
    for (size_t i = 0; i < described->point.setting_count; i++)
        free(described->settings[i]);
    free(described->settings);
    free(described->members);
    free(described->arguments);
}

void describe_next(struct describer *describer, const struct measure_request *request)
{
    describer->number = 0;
    struct point_description described = describe(describer, request);
    char *text = point_text(&described.point);
    uint64_t hash = hash_text(text);
    size_t at = table_number(&describer->seen, &hash, sizeof hash);
    memory_extend(describer->counts, at, &describer->room);
    describer->number = ++describer->counts[at];
    free(text);
    described_release(&described);
}

void describer_free(struct describer *describer)
{
    table_free(&describer->seen);
    free(describer->counts);
}
