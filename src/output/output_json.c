/* JSON Lines, as scripts/results.schema.json states them: one record a line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "output/record.h"
#include "output/result.h"

#define SCHEMA 1

/* Each record begins with its kind, so each further member begins with a comma. */
static void name_of(FILE *text, const char *name)
{
    fputc(',', text);
    json_string(text, name);
    fputc(':', text);
}

static void put_string(FILE *text, const char *name, const char *value)
{
    name_of(text, name);
    json_string(text, value);
}

static void put_number(FILE *text, const char *name, double value)
{
    name_of(text, name);
    json_number(text, value);
}

static void put_integer(FILE *text, const char *name, int64_t value)
{
    name_of(text, name);
    fprintf(text, "%lld", (long long)value);
}

/* Numbers that many bytes apart. */
static void put_series(FILE *text, const char *name, const double *first, size_t apart, size_t n)
{
    name_of(text, name);
    fputc('[', text);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", text);
        json_number(text, *(const double *)((const char *)first + i * apart));
    }
    fputc(']', text);
}

static void put_numbers(FILE *text, const char *name, const double *values, size_t n)
{
    put_series(text, name, values, sizeof *values, n);
}

static void put_strings(FILE *text, const char *name, const char *const *values, size_t n)
{
    name_of(text, name);
    fputc('[', text);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", text);
        json_string(text, values[i]);
    }
    fputc(']', text);
}

static void put_flag(FILE *text, const char *name, bool flag)
{
    name_of(text, name);
    fputs(flag ? "true" : "false", text);
}

/* An instant in local time, with its offset from UTC. */
static void put_instant(FILE *text, const char *name, time_t instant)
{
    struct tm parts;
    char date[32], zone[8];
    localtime_r(&instant, &parts);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &parts);
    strftime(zone, sizeof zone, "%z", &parts);
    name_of(text, name);
    fprintf(text, "\"%s%.3s:%s\"", date, zone, zone + 3);
}

/* ---- Header ---- */

static void put_nodes(FILE *text, const struct header *header)
{
    json_print(text, ",'node_count':%d,'nodes':[", header->nodes);
    for (int i = 0; i < header->listed; i++) {
        const struct header_node *node = &header->node[i];
        fputs(i ? "," : "", text);
        json_print(text,
                   "{'name':%s,'pes':%d,'processors':%d,'cpu':%s,'smt':%s,'governor':%s,'load':%f}",
                   node->name, node->pes, node->processors, node->cpu, node->smt, node->governor,
                   node->load < 0 ? NAN : node->load);
    }
    fputc(']', text);
}

static void put_locations(FILE *text, const struct header *header)
{
    static const char *const names[LOCATION_PARTS] = {
        [LOCATION_PACKAGE] = "package", [LOCATION_NUMA_NODE] = "numa_node", [LOCATION_L3] = "l3"};
    name_of(text, "locations");
    fputc('[', text);
    for (size_t i = 0; i < header->group_count; i++) {
        const struct location_group *group = &header->groups[i];
        fputs(i ? "," : "", text);
        json_print(text, "{'pes':%s,'node':%d", group->pes, group->node);
        for (int part = 0; part < LOCATION_PARTS; part++)
            if (names[part] && group->part[part] >= 0)
                put_integer(text, names[part], group->part[part]);
        put_flag(text, "bound", group->bound);
        json_print(text, ",'processors':%s,'ran_on':%s", group->processors, group->ran_on);
        if (group->pes_sharing[LOCATION_CORE] > 0)
            put_integer(text, "pes_per_core", group->pes_sharing[LOCATION_CORE]);
        if (group->pes_sharing[LOCATION_L2] > 0)
            put_integer(text, "pes_per_l2", group->pes_sharing[LOCATION_L2]);
        fputc('}', text);
    }
    fputc(']', text);
}

static void put_choices(FILE *text, const struct header *header)
{
    if (header->choices.count == 0)
        return;
    name_of(text, "choices");
    fputc('{', text);
    for (size_t i = 0; i < header->choices.count; i++) {
        fputs(i ? "," : "", text);
        json_print(text, "%s:%s", header->choices.of[i].name, header->choices.of[i].value);
    }
    fputc('}', text);
}

static void put_environment(FILE *text, const struct header *header)
{
    name_of(text, "environment");
    fputc('{', text);
    for (size_t i = 0; i < header->variable_count; i++) {
        const char *variable = header->variables[i];
        size_t length = strcspn(variable, "=");
        fputs(i ? "," : "", text);
        json_string_part(text, variable, length);
        fputc(':', text);
        json_string(text, variable + length + (variable[length] == '='));
    }
    fputc('}', text);
}

static void put_controls_wanted(FILE *text, const struct header *header)
{
    name_of(text, "controls");
    fprintf(text, "{\"on\":%s", header->controls ? "true" : "false");
    if (header->state)
        put_string(text, "state", header->state);
    if (header->known_count > 0)
        put_strings(text, "known", header->known, header->known_count);
    if (header->known_count > 0 && !isnan(header->known_difference))
        put_number(text, "launch_difference", header->known_difference);
    fputc('}', text);
}

static void put_header(FILE *text, const struct header *header)
{
    json_print(text, "{'record':'header','schema':%d,'program':'skampi','version':%s", SCHEMA,
               header->version);
    put_instant(text, "started", header->started);
    if (header->options && *header->options)
        put_string(text, "options", header->options);
    if (header->launcher)
        put_string(text, "launcher", header->launcher);
    json_print(text, ",'command_line':%s,'script':{'name':%s,'checksum':%s},'library':%s,'pes':%d",
               header->command_line, header->script, header->checksum, header->library,
               header->pes);
    put_nodes(text, header);
    put_locations(text, header);
    json_print(text, ",'binding':{'bound':%d,'pes':%d}", header->bound, header->pes);
    put_environment(text, header);
    if (header->module_count > 0)
        put_strings(text, "modules", header->modules, header->module_count);
    put_choices(text, header);
    json_print(text,
               ",'timer':{'name':%s,'resolution':%f,'cost':%f,'ticks_per_second':%f,"
               "'disagreement':%f,'clock_source':%s}",
               header->timer, header->resolution, header->cost, header->ticks_per_second,
               header->disagreement, header->clock_source);
    put_strings(text, "warnings", header->warnings, header->warning_count);
    fprintf(text, ",\"rounds\":{\"rounds\":%d,\"seed\":\"%llu\"", header->rounds,
            (unsigned long long)header->seed);
    if (header->round_seconds > 0)
        put_number(text, "seconds", header->round_seconds);
    if (header->time_limit > 0)
        put_number(text, "time_limit", header->time_limit);
    fputc('}', text);
    put_controls_wanted(text, header);
    fputs("}\n", text);
}

/* ---- Results ---- */

static void put_argument(FILE *text, const struct result_argument *argument)
{
    json_string(text, argument->name);
    fputs(":{\"value\":", text);
    switch (argument->type) {
    case RESULT_INTEGER:
        fprintf(text, "%lld", (long long)argument->integer);
        break;
    case RESULT_REAL:
        json_number(text, argument->real);
        break;
    case RESULT_STRING:
        json_string(text, argument->string);
        break;
    case RESULT_INTEGERS:
        fputc('[', text);
        for (int64_t i = 0; i < argument->integer; i++)
            fprintf(text, "%s%lld", i ? "," : "", (long long)argument->array[i]);
        fputc(']', text);
        break;
    }
    put_string(text, "unit", argument->unit ? argument->unit : "");
    fputc('}', text);
}

static void put_variables(FILE *text, const struct result_point *point)
{
    const char *separator = "";
    name_of(text, "variables");
    fputc('{', text);
    for (size_t i = 0; i < point->variable_count; i++) {
        const struct result_variable *variable = &point->variables[i];
        if (variable_hidden(point, i))
            continue;
        fputs(separator, text);
        json_string(text, variable->name);
        fputc(':', text);
        if (json_is_number(variable->value))
            fputs(variable->value, text);
        else
            json_string(text, variable->value);
        separator = ",";
    }
    fputc('}', text);
}

static void put_identity(FILE *text, const struct result_point *point)
{
    char *name = output_point_text(point);
    put_string(text, "point", name);
    free(name);
}

static void put_point(FILE *text, const struct result_point *point)
{
    put_identity(text, point);
    json_print(text, ",'block':%s,'number':%zu,'function':%s,'call':%s,'arguments':{", point->block,
               point->block_number, point->function, point->text);
    for (size_t i = 0; i < point->argument_count; i++) {
        fputs(i ? "," : "", text);
        put_argument(text, &point->arguments[i]);
    }
    fputc('}', text);
    put_variables(text, point);
    json_print(text, ",'pe_set':{'size':%zu", point->pes);
    if (point->members)
        put_string(text, "members", point->members);
    json_print(text, ",'placement':%s},'bytes':%lld,'quantity':%s", point->placement,
               (long long)point->bytes, point->is_time ? "time" : "bytes");
    if (point->setting_count > 0)
        put_strings(text, "settings", (const char *const *)point->settings, point->setting_count);
}

/* The members of a result or of rounds; the other pointer is NULL. */
static void put_members(FILE *text, const struct result *result, const struct result_rounds *rounds)
{
    for (size_t i = 0; i < member_count; i++) {
        const void *place = member_of(&members[i], result, rounds);
        if (!place)
            continue;
        name_of(text, members[i].name);
        member_write(text, &members[i], place);
    }
}

static void put_flags(FILE *text, unsigned flags)
{
    const char *names[RESULT_FLAGS];
    put_strings(text, "flags", names, output_flag_names(flags, names));
}

/* What notes say, for programs. */
static void put_subtracted(FILE *text, const struct result_subtracted *subtracted)
{
    if (!subtracted->what)
        return;
    put_string(text, "subtracted", subtracted->what);
    put_number(text, "subtracted_time", subtracted->seconds);
    put_number(text, "subtracted_share", subtracted->share);
}

static void put_circumstances(FILE *text, const struct result *result)
{
    put_subtracted(text, &result->subtracted);
    if (result->arrival) {
        put_string(text, "arrival", result->arrival);
        put_number(text, "arrival_skew", result->arrival_skew);
    }
    if (result->statistics.not_cold > 0)
        put_integer(text, "not_cold", (int64_t)result->statistics.not_cold);
}

static void put_levels(FILE *text, const struct result_level *levels, size_t n)
{
    if (n == 0)
        return;
    name_of(text, "levels");
    for (size_t i = 0; i < n; i++) {
        fputc(i ? ',' : '[', text);
        json_print(text, "{'value':%f,'share':%f}", levels[i].value, levels[i].share);
    }
    fputc(']', text);
}

static void put_parts(FILE *text, const struct result *result)
{
    const struct statistics *statistics = &result->statistics;
    if (statistics->part_count < 2)
        return;
    name_of(text, "parts");
    for (size_t i = 0; i < statistics->part_count; i++) {
        const struct result_part *part = &statistics->parts[i];
        const char *before = "{";
        fputc(i ? ',' : '[', text);
        for (size_t kind = 0; kind < STATES_KINDS; kind++) {
            if (isnan(part->controls.of[kind]))
                continue;
            fprintf(text, "%s\"%s\":", before, result_control_kinds[kind].name);
            json_number(text, part->controls.of[kind]);
            before = ",";
        }
        json_print(text, ",'valid':%zu,'median':%f,'p25':%f,'p75':%f}", part->valid, part->median,
                   part->p25, part->p75);
    }
    fputc(']', text);
}

static void put_states(FILE *text, const struct result_rounds *rounds)
{
    if (!rounds->round_states)
        return;
    name_of(text, "states");
    fputc('[', text);
    for (size_t i = 0; i < rounds->state_count; i++) {
        const struct rounds *found = &rounds->states[i].found;
        fputs(i ? "," : "", text);
        json_print(text,
                   "{'state':%d,'rounds':%zu,'median':%f,'median_low':%f,'median_high':%f,"
                   "'reached':%f,'next_low':%f,'next_high':%f,'between':%f}",
                   rounds->states[i].state, found->count, found->median, found->low, found->high,
                   found->reached, found->next_low, found->next_high, found->between);
    }
    fputc(']', text);
    name_of(text, "round_states");
    fputc('[', text);
    for (size_t i = 0; i < rounds->made; i++)
        fprintf(text, "%s%d", i ? "," : "", rounds->round_states[i]);
    fputc(']', text);
}

static void put_counters(FILE *text, const struct result *result)
{
    if (result->counter_count == 0)
        return;
    name_of(text, "counters");
    for (size_t i = 0; i < result->counter_count; i++) {
        fputc(i ? ',' : '{', text);
        json_print(text, "%s:{'most':%f,'mean':%f}", result->counters[i].name,
                   result->counters[i].most, result->counters[i].mean);
    }
    fputc('}', text);
}

static void put_result(FILE *text, const struct result *result)
{
    if (result->earlier) {
        fputs(result->earlier, text);
        return;
    }
    fputs("{\"record\":\"result\"", text);
    put_point(text, &result->point);
    put_members(text, result, NULL);
    put_flags(text, result->statistics.flags);
    put_strings(text, "notes", result->notes, result->note_count);
    put_circumstances(text, result);
    put_levels(text, result->statistics.levels, result->statistics.level_count);
    put_parts(text, result);
    put_counters(text, result);
    put_numbers(text, "per_pe", result->per_pe, result->per_pe ? result->point.pes : 0);
    if (result->samples)
        put_numbers(text, "samples", result->samples, result->sample_count);
    fputs("}\n", text);
}

static void put_rounds(FILE *text, const struct result_rounds *rounds)
{
    fputs("{\"record\":\"rounds\"", text);
    put_point(text, &rounds->point);
    put_members(text, NULL, rounds);
    put_flags(text, rounds->flags);
    put_strings(text, "notes", rounds->notes, rounds->note_count);
    put_subtracted(text, &rounds->subtracted);
    put_levels(text, rounds->levels, rounds->level_count);
    put_numbers(text, "medians", rounds->medians, rounds->made);
    put_states(text, rounds);
    fputs("}\n", text);
}

/* ---- States of the machine ---- */

/* A bound; null if there is none. */
static void put_bound(FILE *text, const char *name, double bound)
{
    put_number(text, name, bound > 0 && isfinite(bound) ? bound : NAN);
}

static void put_state(FILE *text, const struct result_state *state)
{
    fprintf(text, "{\"record\":\"state\",\"state\":%d", state->number);
    if (state->members)
        put_string(text, "members", state->members);
    put_integer(text, "pes", (int64_t)state->pes);
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        const struct states_range *range = &state->ranges[kind];
        if (isnan(range->value))
            continue;
        json_print(text, ",%s:{'value':%f", result_control_kinds[kind].name, range->value);
        put_bound(text, "low", range->low);
        put_bound(text, "high", range->high);
        fputc('}', text);
    }
    json_print(text, ",'share':%f,'seconds':%f", state->share, state->seconds);
    put_flag(text, "known", state->known);
    put_flag(text, "new", state->is_new);
    fputs("}\n", text);
}

static void put_controls(FILE *text, const struct result_control_series *controls)
{
    const struct result_controls *first = controls->seen;
    fputs("{\"record\":\"controls\"", text);
    if (controls->members)
        put_string(text, "members", controls->members);
    put_integer(text, "pes", (int64_t)controls->pes);
    put_numbers(text, "at", controls->at, controls->count);
    put_series(text, "hand_over", &first->hand_over, sizeof *first, controls->count);
    put_series(text, "hand_over_slowest", &first->hand_over_slowest, sizeof *first,
               controls->count);
    put_series(text, "hand_over_shared", &first->hand_over_shared, sizeof *first, controls->count);
    put_series(text, "addition", &first->addition, sizeof *first, controls->count);
    put_series(text, "copy", &first->copy, sizeof *first, controls->count);
    fputs("}\n", text);
}

/* ---- What times depend on ---- */

static void put_factor(FILE *text, const struct result_factor *row)
{
    fputs("{\"record\":\"factor\"", text);
    put_identity(text, &row->point);
    json_print(text, ",'block':%s,'call':%s,'bytes':%lld,'factor':%s,'levels':[", row->point.block,
               row->point.text, (long long)row->point.bytes, row->factor);
    for (size_t i = 0; i < row->level_count; i++) {
        fputs(i ? "," : "", text);
        json_print(text, "{'name':%s,'effect':%f}", row->levels[i].name, row->levels[i].effect);
    }
    json_print(text, "],'blocks':%zu,'p':%f,'adjusted':%f", row->blocks, row->p, row->adjusted);
    put_flag(text, "named", row->named);
    if (row->named)
        json_print(text, ",'slowest':%s,'fastest':%s,'ratio':%f,'ratio_low':%f,'ratio_high':%f",
                   row->slowest, row->fastest, row->ratio, row->low, row->high);
    fputs("}\n", text);
}

static void put_untried(FILE *text, const struct result_factors *factors)
{
    name_of(text, "untried");
    fputc('[', text);
    for (size_t i = 0; i < factors->untried_count; i++) {
        fputs(i ? "," : "", text);
        json_print(text, "{'factor':%s", factors->untried[i].factor);
        if (factors->untried[i].call)
            put_string(text, "call", factors->untried[i].call);
        put_string(text, "reason", factors->untried[i].reason);
        fputc('}', text);
    }
    fputc(']', text);
}

static void put_factors(FILE *text, const struct result_factors *factors)
{
    for (size_t i = 0; i < factors->row_count; i++)
        put_factor(text, &factors->rows[i]);
    fprintf(text, "{\"record\":\"factors\",\"seed\":\"%llu\"", (unsigned long long)factors->seed);
    json_print(text,
               ",'points':%zu,'blocks':%zu,'tests':%zu,'seconds':%f,'alpha':%f,'confidence':%f",
               factors->points, factors->blocks, factors->tests, factors->seconds, factors->alpha,
               factors->confidence);
    put_strings(text, "findings", factors->findings, factors->finding_count);
    put_untried(text, factors);
    fputs("}\n", text);
}

/* ---- The others ---- */

/* Writes a record for each line. */
static void put_lines(FILE *text, const char *lines)
{
    while (*lines) {
        size_t length = strcspn(lines, "\n");
        fputs("{\"record\":\"print\",\"text\":", text);
        json_string_part(text, lines, length);
        fputs("}\n", text);
        lines += length + (lines[length] == '\n');
    }
}

static void put_block_end(FILE *text, const struct output_block *block)
{
    json_print(text, "{'record':'block_end','block':%s,'number':%zu,'duration':%f", block->name,
               block->number, block->duration);
    if (block->windowed)
        json_print(text, ",'late_starts':%lld,'overruns':%lld,'window_changes':%lld",
                   (long long)block->late_starts, (long long)block->overruns,
                   (long long)block->window_changes);
    fputs("}\n", text);
}

static void put_missing(FILE *text, const struct record_missing *missing)
{
    json_print(text, "{'record':'missing','kind':%s", output_missing_name(missing->kind));
    if (missing->point)
        put_identity(text, missing->point);
    if (missing->block)
        json_print(text, ",'block':%s,'number':%zu", missing->block, missing->number);
    put_string(text, "call", missing->call);
    if (missing->point)
        put_variables(text, missing->point);
    put_string(text, "reason", missing->reason);
    if (missing->points != 1)
        put_integer(text, "points", missing->points);
    fputs("}\n", text);
}

static void put_end(FILE *text, const struct record_end *end)
{
    fprintf(text, "{\"record\":\"end\",\"status\":%d", end->status);
    put_instant(text, "finished", end->finished);
    put_number(text, "duration", end->duration);
    if (!isnan(end->timed))
        put_number(text, "timed", end->timed);
    put_integer(text, "results", (int64_t)end->results);
    if (end->cut)
        fputs(",\"missing\":null", text);
    put_integer(text, end->cut ? "missing_at_least" : "missing", end->missing);
    if (end->reason)
        put_string(text, "reason", end->reason);
    if (end->library_end)
        put_numbers(text, "library_end", end->library_end, (size_t)end->library_count);
    fputs("}\n", text);
}

void output_json(FILE *text, const struct record *record)
{
    switch (record->kind) {
    case RECORD_HEADER:
        put_header(text, record->header);
        break;
    case RECORD_COMMENT:
        json_print(text, "{'record':'comment','text':%s}\n", record->text);
        break;
    case RECORD_PRINT:
        put_lines(text, record->text);
        break;
    case RECORD_BLOCK:
        json_print(text, "{'record':'block','block':%s,'number':%zu", record->block->name,
                   record->block->number);
        if (record->block->source)
            put_string(text, "source", record->block->source);
        fputs("}\n", text);
        break;
    case RECORD_BLOCK_END:
        put_block_end(text, record->block_end);
        break;
    case RECORD_RESULT:
        put_result(text, record->result);
        break;
    case RECORD_ROUNDS:
        put_rounds(text, record->rounds);
        break;
    case RECORD_STATE:
        put_state(text, record->state);
        break;
    case RECORD_CONTROLS:
        put_controls(text, record->controls);
        break;
    case RECORD_FACTORS:
        put_factors(text, record->factors);
        break;
    case RECORD_MISSING:
        put_missing(text, record->missing);
        break;
    case RECORD_LAST:
        put_end(text, record->end);
        break;
    case RECORD_SPACE:
    case RECORD_HEADING:
    case RECORD_ROUNDS_HEADING:
    case RECORD_SUMMARY:
    case RECORD_CONDITIONS:
    case RECORD_END:
    case RECORD_CUT:
    case RECORD_LIBRARY_END:
        break;
    }
}
