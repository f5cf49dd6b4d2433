/*
 * CSV (RFC 4180, lines end in LF): a header row, then one row per result or rounds record. The
 * columns and what their cells hold are documented in docs/results.md; skampi-convert writes the
 * same.
 */
#define _GNU_SOURCE /* open_memstream */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "output/record.h"
#include "output/result.h"

static const char *const point_columns[] = {
    "record", "block",   "number",    "function", "call",     "args",  "arg_units", "variables",
    "pes",    "members", "placement", "bytes",    "quantity", "point", "settings"};
static const char *const list_columns[] = {"flags",  "notes",       "levels",  "counters",
                                           "per_pe", "samples",     "medians", "parts",
                                           "states", "round_states"};
static const char *const missing_columns[] = {"kind", "reason", "points"};
static const char *const state_columns[] = {"hand_over_low", "hand_over_high", "addition_low",
                                            "addition_high", "share"};
enum {
    NUMBER_COLUMN = 2,
    CALL_COLUMN = 4,
    VARIABLES_COLUMN = 7,
    PES_COLUMN = 8,
    MEMBERS_COLUMN = 9,
    POINT_COLUMN = 13
};
#define POINT_COLUMNS (sizeof point_columns / sizeof *point_columns)
#define LIST_COLUMNS (sizeof list_columns / sizeof *list_columns)
#define MISSING_COLUMNS (sizeof missing_columns / sizeof *missing_columns)
#define STATE_COLUMNS (sizeof state_columns / sizeof *state_columns)

static void put_names(FILE *text, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(text, ",%s", names[i]);
}

static void put_columns(FILE *text)
{
    fputs(point_columns[0], text);
    put_names(text, point_columns + 1, POINT_COLUMNS - 1);
    for (size_t i = 0; i < member_count; i++)
        fprintf(text, ",%s", members[i].name);
    put_names(text, list_columns, LIST_COLUMNS);
    put_names(text, missing_columns, MISSING_COLUMNS);
    put_names(text, state_columns, STATE_COLUMNS);
    fputc('\n', text);
}

/* Whether spreadsheets take the cell for a formula, after any apostrophes: a cell that begins with
 * an apostrophe itself must get another one, so that readers can remove exactly one. */
static bool is_formula(const char *cell)
{
    const char *begin = cell + strspn(cell, "'");
    return *begin && strchr("=+-@\t\r", *begin) && !json_is_number(cell);
}

/* A cell in UTF-8, quoted if it has to be. An apostrophe in front keeps spreadsheets from taking it
 * for a formula. */
static void put_text(FILE *text, const char *cell)
{
    bool quoted = strpbrk(cell, ",\"\r\n");
    size_t length = strlen(cell);
    fputs(quoted ? "\"" : "", text);
    if (is_formula(cell))
        fputc('\'', text);
    for (size_t i = 0; i < length;) {
        size_t size = json_character(cell + i, length - i);
        if (size == 0)
            fputs(JSON_REPLACEMENT, text);
        else
            fwrite(cell + i, 1, size, text);
        if (cell[i] == '"')
            fputc('"', text);
        i += size ? size : 1;
    }
    fputs(quoted ? "\"" : "", text);
}

static void put_number(FILE *text, double value)
{
    if (isfinite(value))
        json_number(text, value);
}

/* ---- Cells that hold several values ---- */

struct list {
    FILE *stream;
    char *text;
    size_t size;
};

static void list_begin(struct list *list)
{
    list->stream = memory_stream(&list->text, &list->size);
}

/* Ends a list, and writes it as a cell after a comma. */
static void list_end(FILE *text, struct list *list)
{
    if (fclose(list->stream) != 0)
        memory_missing();
    fputc(',', text);
    put_text(text, list->text);
    free(list->text);
}

static void put_escaped(FILE *text, const char *value)
{
    for (; *value; value++) {
        if (strchr(";=\\", *value))
            fputc('\\', text);
        fputc(*value, text);
    }
}

/* A value. A text that readers could take for a number or a formula gets an apostrophe in front. */
static void put_value(FILE *text, const char *value)
{
    if (!*value || *value == '\'' || *value == '[' || strcmp(value, "null") == 0 ||
        json_is_number(value))
        fputc('\'', text);
    put_escaped(text, value);
}

static void put_or_nan(FILE *text, double value)
{
    if (isfinite(value))
        json_number(text, value);
    else
        fputs("nan", text);
}

static void put_argument(FILE *text, const struct result_argument *argument)
{
    switch (argument->type) {
    case RESULT_INTEGER:
        fprintf(text, "%lld", (long long)argument->integer);
        break;
    case RESULT_REAL:
        if (isfinite(argument->real))
            json_number(text, argument->real);
        else
            fputs("null", text);
        break;
    case RESULT_STRING:
        put_value(text, argument->string);
        break;
    case RESULT_INTEGERS:
        fputc('[', text);
        for (int64_t i = 0; i < argument->integer; i++)
            fprintf(text, "%s%lld", i ? ", " : "", (long long)argument->array[i]);
        fputc(']', text);
        break;
    }
}

static void put_arguments(FILE *text, const struct result_point *point)
{
    struct list values, units;
    const char *separator = "";
    list_begin(&values);
    list_begin(&units);
    for (size_t i = 0; i < point->argument_count; i++) {
        const struct result_argument *argument = &point->arguments[i];
        fputs(i ? ";" : "", values.stream);
        put_escaped(values.stream, argument->name);
        fputc('=', values.stream);
        put_argument(values.stream, argument);
        if (!argument->unit || !*argument->unit)
            continue;
        fputs(separator, units.stream);
        put_escaped(units.stream, argument->name);
        fputc('=', units.stream);
        put_escaped(units.stream, argument->unit);
        separator = ";";
    }
    list_end(text, &values);
    list_end(text, &units);
}

static void put_variables(FILE *text, const struct result_point *point)
{
    struct list list;
    const char *separator = "";
    list_begin(&list);
    for (size_t i = 0; i < point->variable_count; i++) {
        const struct result_variable *variable = &point->variables[i];
        if (variable_hidden(point, i))
            continue;
        fputs(separator, list.stream);
        put_escaped(list.stream, variable->name);
        fputc('=', list.stream);
        if (json_is_number(variable->value))
            fputs(variable->value, list.stream);
        else
            put_value(list.stream, variable->value);
        separator = ";";
    }
    list_end(text, &list);
}

static void put_texts(FILE *text, const char *const *texts, size_t n)
{
    struct list list;
    list_begin(&list);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ";" : "", list.stream);
        put_escaped(list.stream, texts[i]);
    }
    list_end(text, &list);
}

static void put_flags(FILE *text, unsigned flags)
{
    const char *names[RESULT_FLAGS];
    put_texts(text, names, flag_names(flags, names));
}

static void put_levels(FILE *text, const struct result_level *levels, size_t n)
{
    fputc(',', text);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ";" : "", text);
        put_or_nan(text, levels[i].value);
        fputc(':', text);
        put_or_nan(text, levels[i].share);
    }
}

static void put_counters(FILE *text, const struct result_counter *counters, size_t n)
{
    struct list list;
    list_begin(&list);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? ";" : "", list.stream);
        put_escaped(list.stream, counters[i].name);
        fputc('=', list.stream);
        put_or_nan(list.stream, counters[i].most);
        fputc('/', list.stream);
        put_or_nan(list.stream, counters[i].mean);
    }
    list_end(text, &list);
}

static void put_numbers(FILE *text, const double *values, size_t n)
{
    fputc(',', text);
    for (size_t i = 0; values && i < n; i++) {
        fputs(i ? ";" : "", text);
        put_or_nan(text, values[i]);
    }
}

/* Appends the numbers of an entry. */
static void put_fields(FILE *text, const double *values, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fputc(':', text);
        put_or_nan(text, values[i]);
    }
}

static void put_parts(FILE *text, const struct statistics *statistics)
{
    fputc(',', text);
    for (size_t i = 0; statistics->part_count > 1 && i < statistics->part_count; i++) {
        const struct result_part *part = &statistics->parts[i];
        const double numbers[] = {part->median, part->p25, part->p75};
        fputs(i ? ";" : "", text);
        put_or_nan(text, part->controls.of[0]);
        put_fields(text, part->controls.of + 1, STATES_KINDS - 1);
        fprintf(text, ":%zu", part->valid);
        put_fields(text, numbers, sizeof numbers / sizeof *numbers);
    }
}

static void put_states(FILE *text, const struct result_rounds *rounds)
{
    fputc(',', text);
    for (size_t i = 0; rounds->round_states && i < rounds->state_count; i++) {
        const struct result_state_rounds *state = &rounds->states[i];
        const struct rounds *found = &state->found;
        const double numbers[] = {found->median,   found->low,       found->high,   found->reached,
                                  found->next_low, found->next_high, found->between};
        fprintf(text, "%s%d:%zu", i ? ";" : "", state->state, found->count);
        put_fields(text, numbers, sizeof numbers / sizeof *numbers);
    }
    fputc(',', text);
    for (size_t i = 0; rounds->round_states && i < rounds->made; i++)
        fprintf(text, "%s%d", i ? ";" : "", rounds->round_states[i]);
}

/* ---- Rows ---- */

static void put_commas(FILE *text, size_t n)
{
    for (size_t i = 0; i < n; i++)
        fputc(',', text);
}

static void put_identity(FILE *text, const struct result_point *point)
{
    char *name = point_text(point);
    put_text(text, name);
    free(name);
}

static void put_point(FILE *text, const char *record, const struct result_point *point)
{
    fprintf(text, "%s,", record);
    put_text(text, point->block);
    fprintf(text, ",%zu,", point->block_number);
    put_text(text, point->function);
    fputc(',', text);
    put_text(text, point->text);
    put_arguments(text, point);
    put_variables(text, point);
    fprintf(text, ",%zu,", point->pes);
    put_text(text, point->members ? point->members : "");
    fputc(',', text);
    put_text(text, point->placement);
    fprintf(text, ",%lld,%s,", (long long)point->bytes, point->is_time ? "time" : "bytes");
    put_identity(text, point);
    put_texts(text, (const char *const *)point->settings, point->setting_count);
}

/* The columns after those of results. */
static void end_row(FILE *text)
{
    put_commas(text, MISSING_COLUMNS + STATE_COLUMNS);
    fputc('\n', text);
}

/* The members of a result or of rounds; the other pointer is NULL. */
static void put_members(FILE *text, const struct result *result, const struct result_rounds *rounds)
{
    for (size_t i = 0; i < member_count; i++) {
        const void *place = member_of(&members[i], result, rounds);
        fputc(',', text);
        if (place)
            member_write(text, &members[i], place, put_text, put_number);
    }
}

static void put_result(FILE *text, const struct result *result)
{
    put_point(text, "result", &result->point);
    put_members(text, result, NULL);
    put_flags(text, result->statistics.flags);
    put_texts(text, result->notes, result->note_count);
    put_levels(text, result->statistics.levels, result->statistics.level_count);
    put_counters(text, result->counters, result->counter_count);
    put_numbers(text, result->per_pe, result->point.pes);
    put_numbers(text, result->samples, result->sample_count);
    put_numbers(text, NULL, 0);
    put_parts(text, &result->statistics);
    put_commas(text, 2);
    end_row(text);
}

static void put_rounds(FILE *text, const struct result_rounds *rounds)
{
    put_point(text, "rounds", &rounds->point);
    put_members(text, NULL, rounds);
    put_flags(text, rounds->flags);
    put_texts(text, rounds->notes, rounds->note_count);
    put_levels(text, rounds->levels, rounds->level_count);
    put_counters(text, NULL, 0);
    put_numbers(text, NULL, 0);
    put_numbers(text, NULL, 0);
    put_numbers(text, rounds->medians, rounds->made);
    put_commas(text, 1);
    put_states(text, rounds);
    end_row(text);
}

/* A row for a missing point, whose columns of numbers are empty. */
static void put_missing(FILE *text, const struct record_missing *missing)
{
    fputs("missing,", text);
    put_text(text, missing->block ? missing->block : "");
    fprintf(text, ",%zu,,", missing->number);
    put_text(text, missing->call);
    put_commas(text, VARIABLES_COLUMN - CALL_COLUMN - 1);
    if (missing->point)
        put_variables(text, missing->point);
    else
        fputc(',', text);
    put_commas(text, POINT_COLUMN - VARIABLES_COLUMN);
    if (missing->point)
        put_identity(text, missing->point);
    put_commas(text, POINT_COLUMNS + member_count + LIST_COLUMNS - POINT_COLUMN - 1);
    fprintf(text, ",%s,", missing_name(missing->kind));
    put_text(text, missing->reason);
    fprintf(text, ",%lld", (long long)missing->points);
    put_commas(text, STATE_COLUMNS);
    fputc('\n', text);
}

/* A cell; empty without such a bound or control. */
static void put_bound(FILE *text, const struct states_range *range, double bound)
{
    fputc(',', text);
    if (!isnan(range->value) && bound > 0)
        put_number(text, bound);
}

/* A row for a state. Its members and controls are in the columns that results have for these. */
static void put_state(FILE *text, const struct result_state *state)
{
    fprintf(text, "state,,%d", state->number);
    put_commas(text, PES_COLUMN - NUMBER_COLUMN);
    fprintf(text, "%zu,", state->pes);
    put_text(text, state->members ? state->members : "");
    put_commas(text, POINT_COLUMNS - MEMBERS_COLUMN - 1);
    for (size_t i = 0; i < member_count; i++) {
        fputc(',', text);
        for (size_t kind = 0; kind < STATES_KINDS; kind++)
            if (strcmp(members[i].name, result_control_kinds[kind].name) == 0)
                put_number(text, state->ranges[kind].value);
    }
    put_commas(text, LIST_COLUMNS + MISSING_COLUMNS);
    for (size_t kind = 0; kind < STATES_KINDS; kind++) {
        const struct states_range *range = &state->ranges[kind];
        put_bound(text, range, range->low);
        put_bound(text, range, range->high);
    }
    fputc(',', text);
    put_number(text, state->share);
    fputc('\n', text);
}

void output_csv(FILE *text, const struct record *record)
{
    if (record->kind == RECORD_HEADER)
        put_columns(text);
    else if (record->kind == RECORD_RESULT)
        put_result(text, record->result);
    else if (record->kind == RECORD_ROUNDS)
        put_rounds(text, record->rounds);
    else if (record->kind == RECORD_MISSING)
        put_missing(text, record->missing);
    else if (record->kind == RECORD_STATE)
        put_state(text, record->state);
}
