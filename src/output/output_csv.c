/*
 * CSV (RFC 4180, lines end in LF): a header row, then one row for each record of a result, rounds,
 * a missing point or a state. A row has the members of the record in JSON, each in a column. The
 * columns and what their cells hold are documented in docs/results.md; skampi-convert writes the
 * same.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "output/record.h"

/* A column besides those of members[]. */
struct column {
    const char *name;
    /* In JSON, or a member of a member: as most records have it (NULL: it has the column's name),
     * and as others have it. */
    const char *member, *other;
    const char *none; /* the cell of missing points that do not have it, or NULL */
    enum { SINGLE, TEXTS, VALUES, NUMBERS } cell; /* all but the first one: of a list */
    const char *part;         /* the member of the entries of a list that is shown, or NULL */
    const char *const *group; /* the members of entries that have several numbers, or NULL */
};

/* clang-format off */
static const char *const of_level[] = {"value", "share", NULL};
static const char *const of_count[] = {"most", "mean", NULL};
static const char *const of_part[] = {"hand_over", "addition", "valid", "median", "p25", "p75", NULL};
static const char *const of_state[] = {"state", "rounds", "median", "median_low", "median_high", "reached", "next_low", "next_high", "between", NULL};

static const struct column first_columns[] = {
    {.name = "record"},
    {.name = "block"},
    {.name = "number", .other = "state", .none = "0"},
    {.name = "function"},
    {.name = "call"},
    {.name = "args", .member = "arguments", .cell = VALUES, .part = "value"},
    {.name = "arg_units", .member = "arguments", .cell = TEXTS, .part = "unit"},
    {.name = "variables", .cell = VALUES},
    {.name = "pes", .member = "pe_set.size", .other = "pes"},
    {.name = "members", .member = "pe_set.members", .other = "members"},
    {.name = "placement", .member = "pe_set.placement"},
    {.name = "bytes"},
    {.name = "quantity"},
    {.name = "point"},
    {.name = "settings", .cell = TEXTS},
    {.name = "subtracted"},
    {.name = "subtracted_time"},
    {.name = "subtracted_share"},
    {.name = "arrival"},
    {.name = "arrival_skew"},
    {.name = "not_cold"},
};
static const struct column last_columns[] = {
    {.name = "flags", .cell = TEXTS},
    {.name = "notes", .cell = TEXTS},
    {.name = "levels", .cell = NUMBERS, .group = of_level},
    {.name = "counters", .cell = NUMBERS, .group = of_count},
    {.name = "per_pe", .cell = NUMBERS},
    {.name = "samples", .cell = NUMBERS},
    {.name = "medians", .cell = NUMBERS},
    {.name = "parts", .cell = NUMBERS, .group = of_part},
    {.name = "states", .cell = NUMBERS, .group = of_state},
    {.name = "round_states", .cell = NUMBERS},
    {.name = "kind"},
    {.name = "reason"},
    {.name = "points", .none = "1"},
    {.name = "hand_over_low", .member = "hand_over.low"},
    {.name = "hand_over_high", .member = "hand_over.high"},
    {.name = "addition_low", .member = "addition.low"},
    {.name = "addition_high", .member = "addition.high"},
    {.name = "share"},
};
/* clang-format on */
#define FIRST_COLUMNS (sizeof first_columns / sizeof *first_columns)
#define LAST_COLUMNS (sizeof last_columns / sizeof *last_columns)

static struct column column_at(size_t i)
{
    if (i < FIRST_COLUMNS)
        return first_columns[i];
    i -= FIRST_COLUMNS;
    return i < member_count ? (struct column){.name = members[i].name}
                            : last_columns[i - member_count];
}

/* ---- What output_json() has written: values without blanks between them ---- */

/* An entry of an array, or of an object, which has a name in quotes. */
struct entry {
    const char *name, *value, *end;
};

static const char *end_of(const char *value)
{
    int depth = 0;
    bool quoted = false;
    do {
        if (quoted && *value == '\\')
            value++;
        else if (*value == '"')
            quoted = !quoted;
        else if (!quoted)
            depth += (*value == '[' || *value == '{') - (*value == ']' || *value == '}');
        value++;
    } while (quoted || depth > 0 || !strchr(",:]}", *value));
    return value;
}

/* Goes on to the next entry, at first to the first one; false: there is none. NULL has none. */
static bool next_entry(const char *all, struct entry *entry)
{
    const char *at = entry->end ? entry->end : all;
    if (!at || !strchr("[{,", *at) || strchr("]}", at[1]))
        return false;
    *entry = (struct entry){.value = at + 1, .end = end_of(at + 1)};
    if (*entry->end == ':') {
        entry->name = entry->value;
        entry->value = entry->end + 1;
        entry->end = end_of(entry->value);
    }
    return true;
}

static const char *find(const char *object, const char *name);

/* What the entry has where that name, or that member of it ("name.member"), is asked for; NULL:
 * nothing. */
static const char *value_of(const struct entry *entry, const char *name)
{
    size_t length = strcspn(name, ".");
    if (strncmp(entry->name + 1, name, length) != 0 || entry->name[length + 1] != '"')
        return NULL;
    return name[length] ? find(entry->value, name + length + 1) : entry->value;
}

static const char *find(const char *object, const char *name)
{
    const char *value = NULL;
    for (struct entry entry = {0}; !value && next_entry(object, &entry);)
        value = value_of(&entry, name);
    return value;
}

/* The text of a string, which the caller frees. */
static char *text_of(const char *string)
{
    static const char letters[] = "bfnrt", escaped[] = "\b\f\n\r\t";
    char *text = memory_text_part(string + 1, (size_t)(end_of(string) - string) - 2), *to = text;
    for (const char *from = text; *from; from++) {
        char hexadecimal[5] = "";
        if (*from != '\\') {
            *to++ = *from;
        } else if (*++from == 'u') {
            strncpy(hexadecimal, from + 1, 4);
            *to++ = (char)strtol(hexadecimal, NULL, 16);
            from += 4;
        } else {
            const char *letter = strchr(letters, *from);
            *to++ = letter ? escaped[letter - letters] : *from;
        }
    }
    *to = '\0';
    return text;
}

/* ---- Parts of cells ---- */

/* A number; null, or no value, as `none`. */
static void put_number(FILE *text, const char *value, const char *none)
{
    if (value && *value != 'n')
        fwrite(value, 1, (size_t)(end_of(value) - value), text);
    else
        fputs(none, text);
}

/* A string in a list. value: readers could take it for a number or an array; then it gets an
 * apostrophe in front. */
static void put_string(FILE *text, const char *string, bool value)
{
    char *plain = text_of(string);
    if (value && (!*plain || *plain == '\'' || *plain == '[' || strcmp(plain, "null") == 0 ||
                  json_is_number(plain)))
        fputc('\'', text);
    for (const char *c = plain; *c; c++) {
        if (strchr(";=\\", *c))
            fputc('\\', text);
        fputc(*c, text);
    }
    free(plain);
}

/* An array of integers. */
static void put_array(FILE *text, const char *array)
{
    for (const char *end = end_of(array); array < end; array++)
        fputs(*array == ',' ? ", " : (const char[]){*array, '\0'}, text);
}

static void put_entry(FILE *text, const struct column *column, const struct entry *entry,
                      const char *value)
{
    if (entry->name) {
        put_string(text, entry->name, false);
        fputc('=', text);
    }
    if (*value == '"')
        put_string(text, value, column->cell == VALUES);
    else if (*value == '[')
        put_array(text, value);
    else if (!column->group)
        put_number(text, value, column->cell == VALUES ? "null" : "nan");
    for (size_t i = 0; column->group && column->group[i]; i++) {
        fputs(!i ? "" : entry->name ? "/" : ":", text);
        put_number(text, find(value, column->group[i]), "nan");
    }
}

/* ---- Rows ---- */

/* Whether spreadsheets take the cell for a formula, after any apostrophes: a cell that begins with
 * an apostrophe itself must get another one, so that readers can remove exactly one. */
static bool is_formula(const char *cell)
{
    const char *begin = cell + strspn(cell, "'");
    return *begin && strchr("=+-@\t\r", *begin) && !json_is_number(cell);
}

/* Texts that are empty are left out. */
static void put_list(FILE *text, const struct column *column, const char *list)
{
    const char *separator = "";
    for (struct entry entry = {0}; next_entry(list, &entry);) {
        const char *value = column->part ? find(entry.value, column->part) : entry.value;
        if (column->cell == TEXTS && value[1] == '"')
            continue;
        fputs(separator, text);
        put_entry(text, column, &entry, value);
        separator = ";";
    }
}

/* What the cell of a member, or of the value that a member has, holds; the caller frees it. */
static char *cell_of(const struct column *column, const char *member)
{
    char *cell;
    size_t size;
    if (column->cell == SINGLE && *member == '"')
        return text_of(member);
    FILE *text = memory_stream(&cell, &size);
    if (column->cell == SINGLE)
        put_number(text, *member == '{' ? find(member, "value") : member, "");
    else
        put_list(text, column, member);
    if (fclose(text) != 0)
        memory_missing();
    return cell;
}

/* A cell, quoted if it has to be. An apostrophe in front keeps spreadsheets from taking a text for
 * a formula. */
static void put_cell(FILE *text, const struct column *column, const char *member)
{
    char *cell = cell_of(column, member);
    bool quoted = strpbrk(cell, ",\"\r\n");
    fputs(quoted ? "\"" : "", text);
    if (column->cell != NUMBERS && is_formula(cell))
        fputc('\'', text);
    for (const char *c = cell; *c; c++) {
        if (*c == '"')
            fputc('"', text);
        fputc(*c, text);
    }
    fputs(quoted ? "\"" : "", text);
    free(cell);
}

static void put_row(FILE *text, const char *record, bool missing)
{
    size_t count = FIRST_COLUMNS + member_count + LAST_COLUMNS;
    const char **found = memory_zeroed(count, sizeof *found);
    for (struct entry entry = {0}; next_entry(record, &entry);)
        for (size_t i = 0; i < count; i++) {
            struct column column = column_at(i);
            const char *member = value_of(&entry, column.member ? column.member : column.name);
            if (!member && column.other)
                member = value_of(&entry, column.other);
            found[i] = member ? member : found[i];
        }
    for (size_t i = 0; i < count; i++) {
        struct column column = column_at(i);
        fputs(i ? "," : "", text);
        if (found[i])
            put_cell(text, &column, found[i]);
        else
            fputs(missing && column.none ? column.none : "", text);
    }
    fputc('\n', text);
    free(found);
}

void output_csv(FILE *text, const struct record *record)
{
    char *written;
    size_t size, count = FIRST_COLUMNS + member_count + LAST_COLUMNS;
    for (size_t i = 0; record->kind == RECORD_HEADER && i < count; i++)
        fprintf(text, "%s%s", column_at(i).name, i + 1 < count ? "," : "\n");
    if (record->kind != RECORD_RESULT && record->kind != RECORD_ROUNDS &&
        record->kind != RECORD_MISSING && record->kind != RECORD_STATE)
        return;
    FILE *json = memory_stream(&written, &size);
    output_json(json, record);
    if (fclose(json) != 0)
        memory_missing();
    put_row(text, written, record->kind == RECORD_MISSING);
    free(written);
}
