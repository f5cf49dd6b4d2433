/* JSON Lines, as scripts/results.schema.json states them: one record a line. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "output/point.h"
#include "output/record.h"

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

static void put_numbers(FILE *text, const char *name, const double *values, size_t n)
{
    name_of(text, name);
    fputc('[', text);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", text);
        json_number(text, values[i]);
    }
    fputc(']', text);
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
    put_integer(text, "node_count", header->nodes);
    name_of(text, "nodes");
    fputc('[', text);
    for (int i = 0; i < header->listed; i++) {
        const struct header_node *node = &header->node[i];
        fputs(i ? ",{\"name\":" : "{\"name\":", text);
        json_string(text, node->name);
        put_integer(text, "pes", node->pes);
        put_integer(text, "processors", node->processors);
        put_string(text, "cpu", node->cpu);
        put_string(text, "smt", node->smt);
        put_string(text, "governor", node->governor);
        put_number(text, "load", node->load < 0 ? NAN : node->load);
        fputc('}', text);
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
        fputs(i ? ",{\"pes\":" : "{\"pes\":", text);
        json_string(text, group->pes);
        put_integer(text, "node", group->node);
        for (int part = 0; part < LOCATION_PARTS; part++)
            if (names[part] && group->part[part] >= 0)
                put_integer(text, names[part], group->part[part]);
        name_of(text, "bound");
        fputs(group->bound ? "true" : "false", text);
        put_string(text, "processors", group->processors);
        put_string(text, "ran_on", group->ran_on);
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
        json_string(text, header->choices.of[i].name);
        fputc(':', text);
        json_string(text, header->choices.of[i].value);
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

static void put_timer(FILE *text, const struct header *header)
{
    name_of(text, "timer");
    fputs("{\"name\":", text);
    json_string(text, header->timer);
    put_number(text, "resolution", header->resolution);
    put_number(text, "cost", header->cost);
    put_number(text, "ticks_per_second", header->ticks_per_second);
    put_number(text, "disagreement", header->disagreement);
    put_string(text, "clock_source", header->clock_source);
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
    fprintf(text, "{\"record\":\"header\",\"schema\":%d,\"program\":\"skampi\"", SCHEMA);
    put_string(text, "version", header->version);
    put_instant(text, "started", header->started);
    put_string(text, "command_line", header->command_line);
    name_of(text, "script");
    fputs("{\"name\":", text);
    json_string(text, header->script);
    put_string(text, "checksum", header->checksum);
    fputc('}', text);
    put_string(text, "library", header->library);
    put_integer(text, "pes", header->pes);
    put_nodes(text, header);
    put_locations(text, header);
    name_of(text, "binding");
    fprintf(text, "{\"bound\":%d,\"pes\":%d}", header->bound, header->pes);
    put_environment(text, header);
    put_choices(text, header);
    put_timer(text, header);
    put_strings(text, "warnings", header->warnings, header->warning_count);
    name_of(text, "rounds");
    fprintf(text, "{\"rounds\":%d,\"seed\":\"%llu\"", header->rounds,
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
    char *name = point_text(point);
    put_string(text, "point", name);
    free(name);
}

static void put_point(FILE *text, const struct result_point *point)
{
    put_identity(text, point);
    put_string(text, "block", point->block);
    put_integer(text, "number", (int64_t)point->block_number);
    put_string(text, "function", point->function);
    put_string(text, "call", point->text);
    name_of(text, "arguments");
    fputc('{', text);
    for (size_t i = 0; i < point->argument_count; i++) {
        fputs(i ? "," : "", text);
        put_argument(text, &point->arguments[i]);
    }
    fputc('}', text);
    put_variables(text, point);
    name_of(text, "pe_set");
    fprintf(text, "{\"size\":%zu", point->pes);
    if (point->members)
        put_string(text, "members", point->members);
    put_string(text, "placement", point->placement);
    fputc('}', text);
    put_integer(text, "bytes", point->bytes);
    put_string(text, "quantity", point->is_time ? "time" : "bytes");
    if (point->setting_count > 0)
        put_strings(text, "settings", (const char *const *)point->settings, point->setting_count);
}

/* The members of a result or of rounds; the other pointer is NULL. */
static void put_members(FILE *text, const struct result *result, const struct result_rounds *rounds)
{
    for (size_t i = 0; i < member_count; i++) {
        const struct member *member = &members[i];
        int offset = result ? member->result : member->rounds;
        const void *value = (const char *)(result ? (const void *)result : rounds) + offset;
        if (offset < 0)
            continue;
        switch (member->type) {
        case MEMBER_COUNT:
            put_integer(text, member->name, (int64_t) * (const size_t *)value);
            break;
        case MEMBER_INTEGER:
            put_integer(text, member->name, *(const int64_t *)value);
            break;
        case MEMBER_WORD:
            put_string(text, member->name, word_of(value));
            break;
        default:
            put_number(text, member->name, *(const double *)value);
            break;
        }
    }
}

static void put_flags(FILE *text, unsigned flags)
{
    const char *names[RESULT_FLAGS];
    size_t count = 0;
    for (enum result_flag flag = 0; flag < RESULT_FLAGS; flag++)
        if (flags & 1u << flag)
            names[count++] = result_flag_name(flag);
    put_strings(text, "flags", names, count);
}

static void put_levels(FILE *text, const struct result_level *levels, size_t n)
{
    if (n == 0)
        return;
    name_of(text, "levels");
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ",{\"value\":" : "[{\"value\":", text);
        json_number(text, levels[i].value);
        put_number(text, "share", levels[i].share);
        fputc('}', text);
    }
    fputc(']', text);
}

/* Begins the object of a part, with its controls. */
static void put_part_controls(FILE *text, const struct result_part *part)
{
    bool first = true;
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        if (isnan(part->controls.of[kind]))
            continue;
        fprintf(text, "%c\"%s\":", first ? '{' : ',', result_control_name(kind));
        json_number(text, part->controls.of[kind]);
        first = false;
    }
}

static void put_parts(FILE *text, const struct result *result)
{
    const struct statistics *statistics = &result->statistics;
    if (statistics->part_count < 2)
        return;
    name_of(text, "parts");
    for (size_t i = 0; i < statistics->part_count; i++) {
        const struct result_part *part = &statistics->parts[i];
        fputc(i ? ',' : '[', text);
        put_part_controls(text, part);
        put_integer(text, "valid", (int64_t)part->valid);
        put_number(text, "median", part->median);
        put_number(text, "p25", part->p25);
        put_number(text, "p75", part->p75);
        fputc('}', text);
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
        const struct result_state_rounds *state = &rounds->states[i];
        fprintf(text, "%s{\"state\":%d", i ? "," : "", state->state);
        put_integer(text, "rounds", (int64_t)state->rounds);
        put_number(text, "median", state->median);
        put_number(text, "median_low", state->median_low);
        put_number(text, "median_high", state->median_high);
        put_number(text, "reached", state->reached);
        put_number(text, "next_low", state->next_low);
        put_number(text, "next_high", state->next_high);
        put_number(text, "between", state->between);
        fputc('}', text);
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
        json_string(text, result->counters[i].name);
        fputs(":{\"most\":", text);
        json_number(text, result->counters[i].most);
        put_number(text, "mean", result->counters[i].mean);
        fputc('}', text);
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

static void put_flag(FILE *text, const char *name, bool flag)
{
    name_of(text, name);
    fputs(flag ? "true" : "false", text);
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
        name_of(text, result_control_name(kind));
        fputs("{\"value\":", text);
        json_number(text, range->value);
        put_bound(text, "low", range->low);
        put_bound(text, "high", range->high);
        fputc('}', text);
    }
    put_number(text, "share", state->share);
    put_number(text, "seconds", state->seconds);
    put_flag(text, "known", state->known);
    put_flag(text, "new", state->is_new);
    fputs("}\n", text);
}

/* The series of one control, whose offset in struct result_controls is given. */
static void put_series(FILE *text, const char *name, const struct result_control_series *controls,
                       size_t offset)
{
    name_of(text, name);
    fputc('[', text);
    for (size_t i = 0; i < controls->count; i++) {
        fputs(i ? "," : "", text);
        json_number(text, *(const double *)((const char *)&controls->seen[i] + offset));
    }
    fputc(']', text);
}

static void put_controls(FILE *text, const struct result_control_series *controls)
{
    fputs("{\"record\":\"controls\"", text);
    if (controls->members)
        put_string(text, "members", controls->members);
    put_integer(text, "pes", (int64_t)controls->pes);
    put_numbers(text, "at", controls->at, controls->count);
    put_series(text, "hand_over", controls, offsetof(struct result_controls, hand_over));
    put_series(text, "hand_over_slowest", controls,
               offsetof(struct result_controls, hand_over_slowest));
    put_series(text, "hand_over_shared", controls,
               offsetof(struct result_controls, hand_over_shared));
    put_series(text, "addition", controls, offsetof(struct result_controls, addition));
    put_series(text, "copy", controls, offsetof(struct result_controls, copy));
    fputs("}\n", text);
}

/* ---- What times depend on ---- */

static void put_factor(FILE *text, const struct result_factor *row)
{
    fputs("{\"record\":\"factor\"", text);
    put_identity(text, &row->point);
    put_string(text, "block", row->point.block);
    put_string(text, "call", row->point.text);
    put_integer(text, "bytes", row->point.bytes);
    put_string(text, "factor", row->factor);
    name_of(text, "levels");
    fputc('[', text);
    for (size_t i = 0; i < row->level_count; i++) {
        fputs(i ? ",{\"name\":" : "{\"name\":", text);
        json_string(text, row->levels[i].name);
        put_number(text, "effect", row->levels[i].effect);
        fputc('}', text);
    }
    fputc(']', text);
    put_integer(text, "blocks", (int64_t)row->blocks);
    put_number(text, "p", row->p);
    put_number(text, "adjusted", row->adjusted);
    put_flag(text, "named", row->named);
    if (row->named) {
        put_string(text, "slowest", row->slowest);
        put_string(text, "fastest", row->fastest);
        put_number(text, "ratio", row->ratio);
        put_number(text, "ratio_low", row->low);
        put_number(text, "ratio_high", row->high);
    }
    fputs("}\n", text);
}

static void put_untried(FILE *text, const struct result_factors *factors)
{
    name_of(text, "untried");
    fputc('[', text);
    for (size_t i = 0; i < factors->untried_count; i++) {
        fputs(i ? ",{\"factor\":" : "{\"factor\":", text);
        json_string(text, factors->untried[i].factor);
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
    put_integer(text, "points", (int64_t)factors->points);
    put_integer(text, "blocks", (int64_t)factors->blocks);
    put_integer(text, "tests", (int64_t)factors->tests);
    put_number(text, "seconds", factors->seconds);
    put_number(text, "alpha", factors->alpha);
    put_number(text, "confidence", factors->confidence);
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
    fputs("{\"record\":\"block_end\"", text);
    put_string(text, "block", block->name);
    put_integer(text, "number", (int64_t)block->number);
    put_number(text, "duration", block->duration);
    if (block->windowed) {
        put_integer(text, "late_starts", block->late_starts);
        put_integer(text, "overruns", block->overruns);
        put_integer(text, "window_changes", block->window_changes);
    }
    fputs("}\n", text);
}

static void put_missing(FILE *text, const struct record_missing *missing)
{
    fputs("{\"record\":\"missing\"", text);
    put_string(text, "kind", missing_name(missing->kind));
    if (missing->point)
        put_identity(text, missing->point);
    if (missing->block) {
        put_string(text, "block", missing->block);
        put_integer(text, "number", (int64_t)missing->number);
    }
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
        fputs("{\"record\":\"comment\"", text);
        put_string(text, "text", record->text);
        fputs("}\n", text);
        break;
    case RECORD_PRINT:
        put_lines(text, record->text);
        break;
    case RECORD_BLOCK:
        fputs("{\"record\":\"block\"", text);
        put_string(text, "block", record->block->name);
        put_integer(text, "number", (int64_t)record->block->number);
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
