/*
 * Copies of requests, and what is stated about their points.
 */
#include "engine/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "clock/timer.h"
#include "comm/comm.h"
#include "engine/services.h"
#include "objects/info.h"
#include "objects/pe_set.h"
#include "output/result.h"
#include "settings/table.h"

static const struct value *copy_arguments(const struct measure_request *request)
{
    size_t n = measurement_parameter_count(request->function);
    struct value *copy = memory_zeroed(n ? n : 1, sizeof *copy);
    for (size_t i = 0; i < n; i++)
        copy[i] = value_keep(&request->arguments[i]);
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

/* ---- What is stated about a point ---- */

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

/* By name and unit, as the script gave it, which is of another type where it was refused for that;
 * objects by what is printed of them. */
static struct result_argument named_argument(const struct parameter *parameter,
                                             const struct value *v)
{
    struct result_argument named = {
        .name = parameter->name, .unit = parameter->unit, .type = RESULT_STRING};
    switch (v->type) {
    case TYPE_INT:
        named.type = RESULT_INTEGER;
        named.integer = v->integer;
        break;
    case TYPE_REAL:
        named.type = RESULT_REAL;
        named.real = v->real;
        break;
    case TYPE_INT_ARRAY:
        named.type = RESULT_INTEGERS;
        named.integer = (int64_t)v->array->count;
        named.array = v->array->items;
        break;
    case TYPE_STRING:
        named.string = v->string;
        break;
    case TYPE_DATATYPE:
        named.string = datatype_text(v->datatype);
        break;
    case TYPE_OPERATION:
        named.string = operation_name(v->operation);
        break;
    case TYPE_INFO:
        named.string = info_text(v->info);
        break;
    default:
        named.string = value_type_text(v->type);
    }
    return named;
}

/* The caller frees the array. */
static struct result_argument *named_arguments(const struct measure_request *request, size_t *n)
{
    *n = measurement_parameter_count(request->function);
    struct result_argument *named = memory_zeroed(*n ? *n : 1, sizeof *named);
    for (size_t i = 0; i < *n; i++)
        named[i] = named_argument(&request->function->parameters[i], &request->arguments[i]);
    return named;
}

struct point_description request_describe(const struct describer *describer,
                                          const struct measure_request *request)
{
    const struct settings *settings = describer->settings;
    const struct run run = {.function = request->function, .settings = settings};
    static const char *const starts[] = {"window", "barrier", "none"};
    bool synchronized = measurement_synchronized(request->function);
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
        .synchronization = starts[synchronized ? settings->synchronization : SYNCHRONIZE_NONE],
        .window_rule =
            window_applies(&run) ? setting_window_rule_words[settings->window.rule].name : "",
        .run_time = window_global_run_time(&run) ? "global" : "local",
        .settings = described.settings,
        .setting_count = stated,
        .number = describer->number,
        .is_time = is_time,
        .unit = is_time ? settings->unit : 1,
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

void request_describe_next(struct describer *describer, const struct measure_request *request)
{
    describer->number = 0;
    struct point_description described = request_describe(describer, request);
    char *text = output_point_text(&described.point);
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

/* ---- Points that are measured again ---- */

struct kept_point point_keep(const struct describer *describer,
                             const struct measure_request *request)
{
    const struct block *block = describer->block;
    struct kept_point kept = {
        .request = *request,
        .settings = *describer->settings,
        .timer = timer_in_use->name,
        .block = {.name = memory_text(block->name ? block->name : ""), .number = block->number},
        .number = describer->number};
    struct measure_request *copy = &kept.request;
    copy->arguments = copy_arguments(request);
    copy->set = pe_set_reference((struct pe_set *)(uintptr_t)request->set);
    copy->variables = copy_variables(request);
    copy->place = memory_text(request->place);
    copy->text = memory_text(request->text);
    copy->endless = copy->open = false; /* the loops are over */
    return kept;
}

struct point_description point_describe(const struct engine_options *options,
                                        const struct kept_point *point)
{
    const struct describer describer = {.options = options,
                                        .block = &point->block,
                                        .settings = &point->settings,
                                        .number = point->number};
    return request_describe(&describer, &point->request);
}

static void drop(const void *text)
{
    free((void *)(uintptr_t)text);
}

void point_release(struct kept_point *point)
{
    struct measure_request *request = &point->request;
    for (size_t i = 0; i < measurement_parameter_count(request->function); i++)
        value_release((struct value *)(uintptr_t)&request->arguments[i]);
    for (size_t i = 0; i < request->variable_count; i++) {
        drop(request->variables[i].name);
        drop(request->variables[i].value);
    }
    drop(request->arguments);
    drop(request->variables);
    drop(request->place);
    drop(request->text);
    pe_set_release((struct pe_set *)(uintptr_t)request->set);
    free(point->block.name);
}
