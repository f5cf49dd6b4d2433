/*
 * A table for people: a row for each result, as it comes, and a heading where the columns change.
 * A row says how doubtful the result is; the summary that ends the table says why, and what to do.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/numbers.h"
#include "base/text.h"
#include "output/record.h"
#include "output/summary.h"

#define COLUMN_WIDTH 11
#define VARIABLE_WIDTH 9
#define ERROR_WIDTH 8
/* Columns that do not fit beside the variables are left out. */
#define WIDEST 80
#define NARROWEST 20
#define MARK_WIDTH 16
/* A mark without its reason. */
#define LEAST_MARK_WIDTH 3
/* Where a folded line goes on. */
#define INDENT 4
#define SUMMARY_INDENT 14 /* where the text of the summary begins */
#define PLUS_MINUS "±"

static int table_width = WIDEST;

void output_table_fit(int columns)
{
    table_width = columns > WIDEST ? WIDEST : columns < NARROWEST ? NARROWEST : columns;
}

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

/* A row, while its cells are written. */
struct line {
    FILE *text;
    int at;  /* bytes written, as columns */
    int end; /* of the last column: what is too long for one takes its blanks from the next */
};

static void put_right(struct line *line, int width, const char *cell)
{
    int length = (int)strlen(cell);
    line->end += width + 1;
    int blanks = line->end - line->at - length;
    line->at += fprintf(line->text, "%*s%s", blanks > 1 ? blanks : 1, "", cell);
}

static int variable_width(const char *name)
{
    size_t length = strlen(name);
    return length > VARIABLE_WIDTH ? (int)length : VARIABLE_WIDTH;
}

/* How wide the columns before the value are. */
static int point_width(const struct result_point *point)
{
    int width = 0;
    for (size_t i = 0; i < point->variable_count; i++)
        if (!variable_hidden(point, i))
            width += variable_width(point->variables[i].name) + 1;
    if (!states_bytes(point) && point->bytes > 0)
        width += VARIABLE_WIDTH + 1;
    return width;
}

/* The columns before the value; heading: their names. */
static void put_point(struct line *line, const struct result_point *point, bool heading)
{
    char bytes[32];
    for (size_t i = 0; i < point->variable_count; i++) {
        if (variable_hidden(point, i))
            continue;
        const struct result_variable *variable = &point->variables[i];
        put_right(line, variable_width(variable->name), heading ? variable->name : variable->value);
    }
    if (states_bytes(point) || point->bytes <= 0)
        return;
    snprintf(bytes, sizeof bytes, "%lld", (long long)point->bytes);
    put_right(line, VARIABLE_WIDTH, heading ? "bytes" : bytes);
}

/* Where the columns before the value leave no room for it: lines of their own above it, with the
 * names. */
static void put_long_point(FILE *text, const struct result_point *point)
{
    int at = 0;
    for (size_t i = 0; i < point->variable_count; i++) {
        if (variable_hidden(point, i))
            continue;
        const struct result_variable *variable = &point->variables[i];
        int length = 2 + (int)strlen(variable->name) + (int)strlen(variable->value);
        if (at > 0 && at + length > table_width) {
            fputc('\n', text);
            at = 0;
        }
        at += fprintf(text, " %s=%s", variable->name, variable->value);
    }
    if (!states_bytes(point) && point->bytes > 0)
        fprintf(text, "%s bytes=%lld", at + 20 > table_width ? "\n" : "", (long long)point->bytes);
    fputc('\n', text);
}

static bool is_long(const struct result_point *point)
{
    return point_width(point) + COLUMN_WIDTH + ERROR_WIDTH + 2 + LEAST_MARK_WIDTH > table_width;
}

/* Whether there is room for so many more columns of an empty row, or one that begins so wide. */
static bool has_room(const struct result_point *point, int columns)
{
    int before = is_long(point) ? 0 : point_width(point);
    return before + columns * (COLUMN_WIDTH + 1) + MARK_WIDTH <= table_width;
}

/* ---- Cells ---- */

static void put_cell(struct line *line, const char *cell)
{
    put_right(line, COLUMN_WIDTH, cell);
}

/* "656 MB/s" */
static void put_rate(struct line *line, double rate, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T"};
    char number[32], cell[64];
    size_t prefix = 0;
    while (rate >= 1000 && prefix + 1 < sizeof prefixes / sizeof *prefixes) {
        rate /= 1000;
        prefix++;
    }
    snprintf(cell, sizeof cell, "%s %s%s", numbers_text(number, rate, 3), prefixes[prefix], unit);
    put_cell(line, cell);
}

static void put_value(struct line *line, const struct row *row)
{
    char cell[40], number[32];
    int digits = numbers_digits(row->value, (row->high - row->low) / 2);
    digits = digits > 3 || isnan(row->low) ? digits : 3;
    if (isnan(row->value))
        put_cell(line, "---");
    else if (row->point->is_time)
        put_cell(line, numbers_time(cell, row->value, digits));
    else {
        snprintf(cell, sizeof cell, "%s B", numbers_text(number, row->value, digits));
        put_cell(line, cell);
    }
}

/* Half of the interval, as a share of the value. */
static void put_error(struct line *line, const struct row *row)
{
    char cell[40], number[32];
    double share = 100 * (row->high - row->low) / 2 / fabs(row->value);
    if (isnan(share))
        snprintf(cell, sizeof cell, "?");
    else if (share > 100)
        snprintf(cell, sizeof cell, "> 100 %%");
    else
        snprintf(cell, sizeof cell, "%s %%", numbers_text(number, share, 2));
    put_right(line, ERROR_WIDTH, cell);
}

/* The first reason to doubt it, and how many more there are; no more than there is room for. */
static void put_marks(struct line *line, unsigned flags)
{
    char mark[64] = "";
    int more = -1;
    for (int i = 0; i < RESULT_FLAGS; i++) {
        enum result_flag flag = (enum result_flag)i;
        if (!(flags & 1u << i) || result_flags[flag].doubt == FLAG_FINE)
            continue;
        if (++more == 0)
            snprintf(mark, sizeof mark, "  ! %s", result_flags[flag].name);
    }
    if (more < 0)
        return;
    char count[16] = "";
    if (more > 0)
        snprintf(count, sizeof count, " +%d", more);
    bool fits = line->at + (int)strlen(mark) + (int)strlen(count) <= table_width;
    fprintf(line->text, "%s%s", fits ? mark : "  !", fits ? count : "");
}

/* ---- Rows ---- */

static void put_row(FILE *text, const struct row *row)
{
    struct line line = {.text = text};
    if (is_long(row->point))
        put_long_point(text, row->point);
    else
        put_point(&line, row->point, false);
    put_value(&line, row);
    put_error(&line, row);
    if (!isnan(row->rates.bandwidth) && has_room(row->point, 3))
        put_rate(&line, row->rates.bandwidth, "B/s");
    if (!isnan(row->rates.rate) && has_room(row->point, 4))
        put_rate(&line, row->rates.rate, "/s");
    put_marks(&line, row->flags);
    fputc('\n', text);
}

/* A line within the width of the table; it goes on below with that indentation. */
static void put_folded(FILE *text, const char *line, size_t length, int further)
{
    int indent = 0;
    while (indent + (int)length > table_width) {
        size_t at = (size_t)(table_width - indent);
        while (at > 0 && line[at] != ' ')
            at--;
        if (at <= (size_t)(indent ? 0 : further))
            break; /* a word that is too long */
        fprintf(text, "%*s%.*s\n", indent, "", (int)at, line);
        line += at + 1;
        length -= at + 1;
        indent = further;
    }
    fprintf(text, "%*s%.*s\n", indent, "", (int)length, line);
}

static void put_heading(FILE *text, const struct row *row)
{
    struct line line = {.text = text};
    char *title = text_format("%s, %zu PE%s%s", row->point->block, row->point->pes,
                              numbers_plural(row->point->pes), row->which);
    fputc('\n', text);
    put_folded(text, title, strlen(title), INDENT);
    free(title);
    if (!is_long(row->point))
        put_point(&line, row->point, true);
    put_cell(&line, row->point->is_time ? "time" : "value");
    line.at -= (int)strlen(PLUS_MINUS) - 1; /* bytes that are no columns */
    put_right(&line, ERROR_WIDTH, PLUS_MINUS);
    if (!isnan(row->rates.bandwidth) && has_room(row->point, 3))
        put_cell(&line, "bandwidth");
    if (!isnan(row->rates.rate) && has_room(row->point, 4))
        put_cell(&line, "rate");
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
                        .value = rounds->found.median,
                        .low = rounds->found.low,
                        .high = rounds->found.high,
                        .rates = rounds->rates,
                        .flags = rounds->flags,
                        .which = ", all rounds"};
}

/* The medians in each state of the machine, where they differ by more than their intervals. */
static void put_states(FILE *text, const struct result_rounds *rounds)
{
    char cell[40];
    struct text line = {0};
    if (!result_states_differ(rounds))
        return;
    text_append(&line, "%*s", VARIABLE_WIDTH, "");
    for (size_t i = 0; i < rounds->state_count; i++)
        text_append(&line, "%s in state %d: %s", i ? "," : "", rounds->states[i].state,
                    numbers_time(cell, rounds->states[i].found.median, 3));
    put_folded(text, line.data, strlen(line.data), VARIABLE_WIDTH + 1);
    text_release(&line);
}

static void put_missing(FILE *text, const struct record_missing *missing)
{
    struct text line = {0};
    text_append(&line, "  %s: %s", missing->call ? missing->call : "",
                output_missing_name(missing->kind));
    if (missing->points > 1)
        text_append(&line, " (%lld points)", (long long)missing->points);
    text_append(&line, ": %s", missing->reason);
    put_folded(text, line.data, strlen(line.data), INDENT);
    text_release(&line);
}

/* A line of the summary, or as it is if it is a command. */
static void put_summary(FILE *text, const char *line)
{
    int further = table_width > 3 * SUMMARY_INDENT ? SUMMARY_INDENT : INDENT;
    while (*line) {
        size_t length = strcspn(line, "\n");
        if (summary_is_command(line))
            fprintf(text, "%.*s\n", (int)length, line);
        else
            put_folded(text, line, length, further);
        line += length + (line[length] == '\n');
    }
}

static void put_header(FILE *text, const struct header *header)
{
    char *where =
        text_format("%d PE%s on %d node%s, %s", header->pes, numbers_plural((size_t)header->pes),
                    header->nodes, numbers_plural((size_t)header->nodes), header->library);
    fprintf(text, "skampi %s\n", header->version);
    put_folded(text, where, strlen(where), INDENT);
    free(where);
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
        /* The first round stands for itself until all rounds of the point follow in one row. */
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
        output_factors_text(text, record->factors, "");
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
