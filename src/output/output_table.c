/*
 * A table for people: a row for each result, as it comes, and a heading where the columns change.
 * A row says how doubtful the result is; the summary that ends the table says why, and what to do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "output/record.h"

#define COLUMN_WIDTH 11
#define VARIABLE_WIDTH 9
#define ERROR_WIDTH 8
/* Columns that do not fit beside the variables are left out. */
#define TABLE_WIDTH 80
#define MARK_WIDTH 16
/* The summary: where its text begins, and what begins a line that people copy. */
#define SUMMARY_INDENT 14
#define COMMAND "  next "

/* What a row shows of a result, or of all rounds of a point. */
struct row {
    const struct result_point *point;
    double value, low, high;
    struct result_rates rates;
    unsigned flags;
    const char *which; /* of several tables of a block; begins with a comma, or is empty */
};

/* ---- Columns ---- */

/* Whether a loop variable says how many bytes there are. */
static bool states_bytes(const struct result_point *point)
{
    for (size_t i = 0; i < point->variable_count; i++) {
        const char *name = point->variables[i].name;
        if (strcmp(name, "bytes") == 0)
            return true;
        for (size_t k = 0; k < point->argument_count; k++)
            if (strcmp(name, point->arguments[k].name) == 0 &&
                strcmp(point->arguments[k].unit, "bytes") == 0 &&
                point->arguments[k].integer == point->bytes)
                return true;
    }
    return false;
}

static int variable_width(const struct result_point *point, size_t i)
{
    size_t length = strlen(point->variables[i].name);
    return length > VARIABLE_WIDTH ? (int)length : VARIABLE_WIDTH;
}

/* The columns before the value; heading: their names. Returns how wide they are. */
static int put_point(FILE *text, const struct result_point *point, bool heading)
{
    int width = 0;
    for (size_t i = 0; i < point->variable_count; i++) {
        if (variable_hidden(point, i))
            continue;
        const struct result_variable *variable = &point->variables[i];
        width += fprintf(text, " %*s", variable_width(point, i),
                         heading ? variable->name : variable->value);
    }
    if (!states_bytes(point) && point->bytes > 0)
        width += heading ? fprintf(text, " %*s", VARIABLE_WIDTH, "bytes")
                         : fprintf(text, " %*lld", VARIABLE_WIDTH, (long long)point->bytes);
    return width;
}

/* Whether there is room for so many more columns. */
static bool has_room(int width, int columns)
{
    return width + columns * (COLUMN_WIDTH + 1) + MARK_WIDTH <= TABLE_WIDTH;
}

/* ---- Cells ---- */

static void put_cell(FILE *text, const char *cell)
{
    fprintf(text, " %*s", COLUMN_WIDTH, cell);
}

/* "656 MB/s" */
static void put_rate(FILE *text, double rate, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    char number[32], cell[64];
    size_t prefix = 0;
    while (rate >= 1000 && prefix + 1 < sizeof prefixes / sizeof *prefixes) {
        rate /= 1000;
        prefix++;
    }
    snprintf(cell, sizeof cell, "%s %s%s", numbers_text(number, rate, 3), prefixes[prefix], unit);
    put_cell(text, cell);
}

static void put_value(FILE *text, const struct row *row)
{
    char cell[40], number[32];
    int digits = numbers_digits(row->value, (row->high - row->low) / 2);
    digits = digits > 3 || isnan(row->low) ? digits : 3;
    if (isnan(row->value))
        put_cell(text, "---");
    else if (row->point->is_time)
        put_cell(text, numbers_time(cell, row->value, digits));
    else {
        snprintf(cell, sizeof cell, "%s B", numbers_text(number, row->value, digits));
        put_cell(text, cell);
    }
}

/* Half of the interval, as a share of the value. */
static void put_error(FILE *text, const struct row *row)
{
    char cell[40], number[32];
    double share = 100 * (row->high - row->low) / 2 / fabs(row->value);
    if (isnan(share))
        snprintf(cell, sizeof cell, "?");
    else if (share > 100)
        snprintf(cell, sizeof cell, "> 100 %%");
    else
        snprintf(cell, sizeof cell, "%s %%", numbers_text(number, share, 2));
    fprintf(text, " %*s", ERROR_WIDTH, cell);
}

/* The first reason to doubt it, and how many more there are. */
static void put_marks(FILE *text, unsigned flags)
{
    int more = -1;
    for (int i = 0; i < RESULT_FLAGS; i++) {
        enum result_flag flag = (enum result_flag)i;
        if (!(flags & 1u << i) || !result_flag_doubtful(flag))
            continue;
        if (++more == 0)
            fprintf(text, "  ! %s", result_flag_name(flag));
    }
    if (more > 0)
        fprintf(text, " +%d", more);
}

/* ---- Rows ---- */

static void put_row(FILE *text, const struct row *row)
{
    int width = put_point(text, row->point, false);
    put_value(text, row);
    put_error(text, row);
    if (!isnan(row->rates.bandwidth) && has_room(width, 3))
        put_rate(text, row->rates.bandwidth, "B/s");
    if (!isnan(row->rates.rate) && has_room(width, 4))
        put_rate(text, row->rates.rate, "/s");
    put_marks(text, row->flags);
    fputc('\n', text);
}

static void put_heading(FILE *text, const struct row *row)
{
    fprintf(text, "\n%s, %zu PE%s%s\n", row->point->block, row->point->pes,
            numbers_plural(row->point->pes), row->which);
    int width = put_point(text, row->point, true);
    put_cell(text, row->point->is_time ? "time" : "value");
    fprintf(text, " %*s", ERROR_WIDTH + 1, "±"); /* of two bytes */
    if (!isnan(row->rates.bandwidth) && has_room(width, 3))
        put_cell(text, "bandwidth");
    if (!isnan(row->rates.rate) && has_room(width, 4))
        put_cell(text, "rate");
    fputc('\n', text);
}

static struct row row_of_result(const struct result *result)
{
    const struct statistics *statistics = &result->statistics;
    return (struct row){.point = &result->point,
                        .value = statistics->median,
                        .low = statistics->median_low,
                        .high = statistics->median_high,
                        .rates = result->rates,
                        .flags = statistics->flags,
                        .which = result->rounds_follow ? ", the first round" : ""};
}

static struct row row_of_rounds(const struct result_rounds *rounds)
{
    return (struct row){.point = &rounds->point,
                        .value = rounds->median,
                        .low = rounds->median_low,
                        .high = rounds->median_high,
                        .rates = rounds->rates,
                        .flags = rounds->flags,
                        .which = ", all rounds"};
}

/* The medians in each state of the machine, where they differ by more than their intervals. */
static void put_states(FILE *text, const struct result_rounds *rounds)
{
    char cell[40];
    if (!result_states_differ(rounds))
        return;
    fprintf(text, "%*s", VARIABLE_WIDTH, "");
    for (size_t i = 0; i < rounds->state_count; i++)
        fprintf(text, "%s in state %d: %s", i ? "," : "", rounds->states[i].state,
                numbers_time(cell, rounds->states[i].median, 3));
    fputc('\n', text);
}

static void put_missing(FILE *text, const struct record_missing *missing)
{
    fprintf(text, "  %s: %s", missing->call ? missing->call : "", missing_name(missing->kind));
    if (missing->points > 1)
        fprintf(text, " (%lld points)", (long long)missing->points);
    fprintf(text, ": %s\n", missing->reason);
}

/* A line of the summary within the width of the table, or as it is if it is a command. */
static void put_folded(FILE *text, const char *line, size_t length)
{
    int indent = 0;
    bool command = strncmp(line, COMMAND, strlen(COMMAND)) == 0;
    while (!command && indent + (int)length > TABLE_WIDTH) {
        size_t most = (size_t)(TABLE_WIDTH - indent), at = most;
        while (at > 0 && line[at] != ' ')
            at--;
        if (at <= (size_t)SUMMARY_INDENT)
            break; /* a word that is too long */
        fprintf(text, "%*s%.*s\n", indent, "", (int)at, line);
        line += at + 1;
        length -= at + 1;
        indent = SUMMARY_INDENT;
    }
    fprintf(text, "%*s%.*s\n", indent, "", (int)length, line);
}

static void put_summary(FILE *text, const char *line)
{
    while (*line) {
        size_t length = strcspn(line, "\n");
        put_folded(text, line, length);
        line += length + (line[length] == '\n');
    }
}

static void put_header(FILE *text, const struct header *header)
{
    fprintf(text, "skampi %s\n%d PE%s on %d node%s, %s\n", header->version, header->pes,
            numbers_plural((size_t)header->pes), header->nodes,
            numbers_plural((size_t)header->nodes), header->library);
}

void output_table(FILE *text, const struct record *record)
{
    struct row row;
    switch ((int)record->kind) {
    case RECORD_HEADER:
        put_header(text, record->header);
        break;
    case RECORD_PRINT:
        fputs(record->text, text);
        break;
    case RECORD_SUMMARY:
        put_summary(text, record->text);
        break;
    case RECORD_HEADING:
    case RECORD_RESULT:
        /* Later rounds are rows of their own only together. */
        if (record->result->round > 1)
            break;
        row = row_of_result(record->result);
        (record->kind == RECORD_RESULT ? put_row : put_heading)(text, &row);
        break;
    case RECORD_ROUNDS_HEADING:
        row = row_of_rounds(record->rounds);
        put_heading(text, &row);
        break;
    case RECORD_ROUNDS:
        row = row_of_rounds(record->rounds);
        put_row(text, &row);
        put_states(text, record->rounds);
        break;
    case RECORD_FACTORS:
        fputc('\n', text);
        factors_text(text, record->factors, "");
        break;
    case RECORD_MISSING:
        put_missing(text, record->missing);
        break;
    case RECORD_CUT:
        fprintf(text, "\n%s\n", record->text);
        break;
    default:
        break;
    }
}
