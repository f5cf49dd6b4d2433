/* Splits machine descriptions into words, shows where they are wrong, and reads numbers with their
 * units, and blocks of them. */
#include "sim/machine_text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/text.h"

#define MOST_ERRORS 20
#define MOST_DEPTH 16
#define MOST_FILES 1000 /* those that are included again count again */

bool word_is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* ---- Errors ---- */

/* The number of the line in which a word is; *line is the beginning of that line. */
static size_t line_of(const struct word *at, const char **line)
{
    size_t number = 1;
    *line = at->file->text;
    for (const char *c = at->file->text; c < at->text; c++)
        if (*c == '\n') {
            number++;
            *line = c + 1;
        }
    return number;
}

bool sim_text_error(struct machine_text *text, const struct word *at, const char *format, ...)
{
    va_list arguments;
    const char *line;
    if (++text->error_count > MOST_ERRORS)
        return false;
    va_start(arguments, format);
    char *message = text_format_with(format, arguments);
    va_end(arguments);
    text_disarm(message, true);
    if (at->file) {
        size_t number = line_of(at, &line);
        text_append(&text->errors, "%s:%zu:%zu: error: %s\n", at->file->path, number,
                    (size_t)(at->text - line) + 1, message);
        excerpt_append(&text->errors, line, strcspn(line, "\r\n"), (size_t)(at->text - line));
    } else {
        text_append(&text->errors, "shmemsim: %s\n", message);
    }
    free(message);
    if (text->error_count == MOST_ERRORS)
        text_append(&text->errors, "shmemsim: there may be more errors\n");
    return false;
}

/* ---- Files ---- */

/* Takes both texts over. */
static struct machine_file *enter(struct machine_text *text, char *path, char *data)
{
    struct machine_file *file = memory_zeroed(1, sizeof *file);
    *file = (struct machine_file){.path = path,
                                  .text = data,
                                  .next = data,
                                  .from = text->file,
                                  .older = text->last,
                                  .depth = text->file ? text->file->depth + 1 : 1};
    return text->file = text->last = file;
}

void sim_text_enter_given(struct machine_text *text, const char *name, const char *given)
{
    enter(text, memory_text(name), memory_text(given));
    sim_text_next(text);
}

/* All of a text file; NULL: it cannot be read, which has been told. *length does not count what
 * follows a byte 0, which no text has. */
static char *read_file(struct machine_text *text, const char *path, size_t *length)
{
    struct stat status;
    char *data = NULL;
    size_t room = 0;
    /* Pipes and terminals may never end. */
    if (text->file && stat(path, &status) == 0 && !S_ISREG(status.st_mode) &&
        !S_ISDIR(status.st_mode)) {
        sim_text_error(text, &text->word, "%s: cannot be included: it is no file", path);
        return NULL;
    }
    FILE *stream = fopen(path, "r");
    ssize_t got = stream ? getdelim(&data, &room, '\0', stream) : -1;
    if (!stream || ferror(stream)) {
        sim_text_error(text, &text->word, "%s: cannot be read: %s", path, strerror(errno));
        free(data);
        data = NULL;
    } else if (got < 0) {
        free(data);
        data = memory_text("");
    }
    if (stream)
        fclose(stream);
    *length = got < 0 ? 0 : (size_t)got;
    return data;
}

bool sim_text_enter(struct machine_text *text, const char *path)
{
    const char *from = text->file ? text->file->path : "", *slash = strrchr(from, '/');
    size_t files = 0, length;
    for (struct machine_file *file = text->last; file; file = file->older)
        files++;
    if (text->file && text->file->depth == MOST_DEPTH)
        return sim_text_error(text, &text->word,
                              "includes are nested more than %d deep; does a file include itself?",
                              MOST_DEPTH);
    if (files == MOST_FILES)
        return sim_text_error(text, &text->word,
                              "more than %d files are included; does a file include itself?",
                              MOST_FILES);
    char *full = path[0] == '/' || !slash ? memory_text(path)
                                          : text_format("%.*s/%s", (int)(slash - from), from, path),
         *data = read_file(text, full, &length);
    if (!data) {
        free(full);
        return false;
    }
    struct machine_file *file = enter(text, full, data);
    if (length > 0 && data[length - 1] == '\0') {
        file->next = data + length - 1;
        sim_text_error(text, &(struct word){file, file->next, 1},
                       "this is no text; a machine description is");
    }
    sim_text_next(text);
    return true;
}

void sim_text_close(struct machine_text *text)
{
    while (text->last) {
        struct machine_file *file = text->last;
        text->last = file->older;
        free(file->path);
        free(file->text);
        free(file);
    }
    text_release(&text->errors);
}

/* ---- Words ---- */

static const char *skip_blanks(const char *c)
{
    for (;; c++) {
        if (*c == '#')
            c += strcspn(c, "\n");
        if (!*c || !isspace((unsigned char)*c))
            return c;
    }
}

static size_t word_length(struct machine_text *text, const char *c)
{
    const char *apart = text->apart ? text->apart : "";
    if (*c == '{' || *c == '}' || strchr(apart, *c))
        return 1;
    if (*c != '"') {
        size_t most = strcspn(c, " \t\r\n\v\f{}\"#"), first = strcspn(c, apart);
        return first < most ? first : most;
    }
    size_t length = 1 + strcspn(c + 1, "\"\n");
    if (c[length] == '"')
        return length + 1;
    sim_text_error(text, &(struct word){text->file, c, 1},
                   "a text does not end; close it with \" in the same line");
    return length;
}

void sim_text_next(struct machine_text *text)
{
    const char *c = skip_blanks(text->file->next);
    for (; !*c && text->file->from; c = skip_blanks(text->file->next))
        text->file = text->file->from;
    text->word = (struct word){text->file, c, *c ? word_length(text, c) : 0};
    text->file->next = c + text->word.length;
}

/* ---- Units ---- */

struct unit {
    const char *name;
    double factor;
};
static const struct unit times[] = {{"ps", 1},   {"ns", 1e3}, {"us", 1e6},
                                    {"ms", 1e9}, {"s", 1e12}, {NULL, 0}};
static const struct unit rates[] = {{"B/s", 1},         {"kB/s", 1e3},         {"MB/s", 1e6},
                                    {"GB/s", 1e9},      {"TB/s", 1e12},        {"KiB/s", 1024},
                                    {"MiB/s", 1048576}, {"GiB/s", 1073741824}, {"bit/s", 1 / 8.0},
                                    {"kbit/s", 125},    {"Mbit/s", 125e3},     {"Gbit/s", 125e6},
                                    {NULL, 0}};
static const struct unit sizes[] = {{"B", 1},    {"KiB", 1024}, {"MiB", 1048576},
                                    {"kB", 1e3}, {"MB", 1e6},   {NULL, 0}};
/* By quantity; those without units are plain numbers. */
static const struct quantity_row {
    const struct unit *units;
    const char *names, *example; /* of units */
    double least, most;          /* most 0: as the key says */
    bool whole;
    const char *remedy;
} quantities[] = {
    [QUANTITY_TIME] = {times, "ps, ns, us, ms or s", "1.5 us", 0, 1e4 * PS_PER_SECOND, false,
                       "is more than 10000 s"}, /* far more than a message takes anywhere */
    [QUANTITY_RATE] = {rates, "B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, Mbit/s or Gbit/s",
                       "10 GB/s", 0, PS_PER_SECOND, false,
                       "must be at least 1 B/s; \"infinite\" is one without cost"},
    [QUANTITY_RATIO] = {.least = 1e-6,
                        .most = 1e6,
                        .remedy = "needs a number from 0.000001 to 1000000"},
    [QUANTITY_COUNT] = {.least = 1, .whole = true},
    [QUANTITY_SIZE] = {sizes, "B, KiB, MiB, kB or MB", "8 KiB", 0, 0x1p48, true,
                       "needs a number of bytes, at most 2^48"},
    [QUANTITY_CHOICE] = {0},
};

/* ---- Values ---- */

double sim_member_number(enum quantity quantity, const void *member)
{
    return quantity == QUANTITY_TIME    ? (double)*(const int64_t *)member
           : quantity == QUANTITY_COUNT ? *(const int *)member
                                        : *(const double *)member;
}

void sim_member_set(enum quantity quantity, void *member, double value)
{
    if (quantity == QUANTITY_TIME)
        *(int64_t *)member = (int64_t)(value + 0.5);
    else if (quantity == QUANTITY_SIZE)
        *(uint64_t *)member = (uint64_t)value;
    else if (quantity == QUANTITY_COUNT)
        *(int *)member = (int)value;
    else
        *(double *)member = value;
}

bool is_in_range(const struct key *key, double value)
{
    const struct quantity_row *row = &quantities[key->quantity];
    return value >= row->least && value <= (row->most > 0 ? row->most : key->most) &&
           (!row->whole || value == floor(value));
}

/* The message for a value that is out of range; false. */
static bool refuse(struct machine_text *text, const struct word *at, const struct key *key)
{
    const char *remedy = quantities[key->quantity].remedy;
    return remedy ? sim_text_error(text, at, "%s %s", key->name, remedy)
                  : sim_text_error(text, at, "%s needs an integer from 1 to %.0f", key->name,
                                   key->most);
}

/* The number at the beginning of a word. Returns its length, or 0. */
static size_t number_in(const struct word *word, double *number)
{
    char copy[64], *end;
    size_t length = word->length < sizeof copy - 1 ? word->length : sizeof copy - 1;
    memcpy(copy, word->text, length);
    copy[length] = '\0';
    /* Neither names such as "inf" nor hexadecimal numbers, which strtod() takes. */
    size_t digits = strspn(copy, "+-0123456789.eE");
    copy[digits] = '\0';
    *number = strtod(copy, &end);
    return digits && strpbrk(copy, "0123456789") && isfinite(*number) ? (size_t)(end - copy) : 0;
}

static const struct unit *unit_of(const struct unit *units, const char *text, size_t length)
{
    for (; units->name; units++)
        if (strlen(units->name) == length && memcmp(units->name, text, length) == 0)
            return units;
    return NULL;
}

/* A number and its unit, in one word or two. */
static bool take_with_unit(struct machine_text *text, const struct key *key, double *value)
{
    const struct quantity_row *row = &quantities[key->quantity];
    struct word word = text->word, at = word;
    size_t length = number_in(&word, value);
    if (length == 0 || *value < 0)
        return sim_text_error(text, &word, "%s needs a number and a unit, such as %s", key->name,
                              row->example);
    sim_text_next(text);
    if (length == word.length) {
        at = word = text->word;
        length = 0;
    }
    const struct unit *unit = unit_of(row->units, word.text + length, word.length - length);
    if (!unit)
        return sim_text_error(text, &at, "%s needs a unit behind its number: %s", key->name,
                              row->names);
    if (at.text == text->word.text)
        sim_text_next(text);
    *value *= unit->factor;
    return true;
}

bool sim_take_exactly(struct machine_text *text, const struct key *key, void *in)
{
    const struct word at = text->word;
    const bool rate = key->quantity == QUANTITY_RATE, unit = quantities[key->quantity].units;
    void *member = (char *)in + key->at;
    double value;
    if (key->quantity == QUANTITY_CHOICE) {
        const bool second = word_is(&at, key->words[1]);
        if (!second && !word_is(&at, key->words[0]))
            return sim_text_error(text, &at, "%s", key->remedy);
        *(bool *)member = second;
        sim_text_next(text);
        return true;
    }
    if (rate && word_is(&at, "infinite")) {
        value = 0;
        sim_text_next(text);
    } else if (unit) {
        if (!take_with_unit(text, key, &value))
            return false;
        value = rate ? PS_PER_SECOND / value : value;
    } else if (number_in(&at, &value) != at.length) {
        return refuse(text, &at, key);
    }
    if (!is_in_range(key, value))
        return refuse(text, &at, key);
    if (!unit)
        sim_text_next(text);
    sim_member_set(key->quantity, member, value);
    return true;
}

/* ---- Errors of values: +- 5 %, or +- 3 ns, also in a comment after the value ---- */

/* The error at the beginning of a text, after its "+-": relative, or negative in ps. 0 if it cannot
 * be understood. *length is that of the text of the error. */
static double error_in(const char *from, size_t *length)
{
    const char *at = from + strspn(from, " \t");
    struct word word = {NULL, at, strcspn(at, "\n")};
    double number;
    size_t digits = number_in(&word, &number);
    at += digits + strspn(at + digits, " \t");
    size_t name = at[0] == '%' ? 1 : strcspn(at, " \t\r\n;,#}");
    const struct unit *unit = at[0] != '%' ? unit_of(times, at, name) : NULL;
    double factor = at[0] == '%' ? 0.01 : unit ? -unit->factor : 0;
    *length = digits && factor != 0 ? (size_t)(at + name - from) : 0;
    return *length && number >= 0 ? number * factor : 0;
}

/* Takes the error of a value that begins at `at`. NaN after a mistake, which was reported. */
static double take_error(struct machine_text *text, const struct word *at)
{
    static const char sign[] = "+-";
    size_t length;
    const struct word word = text->word;
    if (word.length >= 2 && memcmp(word.text, sign, 2) == 0) {
        double error = error_in(word.text + 2, &length);
        if (length == 0) {
            sim_text_error(text, &word,
                           "+- needs a number and %% or a unit of time, such as +- 5 %%");
            return NAN;
        }
        const char *end = word.text + 2 + length;
        do
            sim_text_next(text);
        while (text->word.file == word.file && text->word.text < end && !word_ends(&text->word));
        return error;
    }
    /* The comment after it, if nothing is between them but the end of a block. */
    const char *line = at->text, *comment = line + strcspn(line, "#\n");
    bool last = word.file != at->file || word.text > comment || word_is(&word, "}");
    if (*comment != '#' || !last)
        return 0;
    comment += 1 + strspn(comment + 1, " \t");
    return strncmp(comment, sign, 2) == 0 ? error_in(comment + 2, &length) : 0;
}

bool sim_take_share(struct machine_text *text, double *share)
{
    struct word at = text->word;
    *share = take_error(text, &at);
    if (!isnan(*share) && !(*share > 0))
        sim_text_error(text, &at, "give a share, such as +- 5 %%");
    return *share > 0;
}

/* Notes that a value has an error, and changes it as the variation says. */
static void note_error(struct machine_text *text, const struct key *key, const struct word *at,
                       double error, void *value)
{
    const double real = sim_member_number(key->quantity, value), relative = error > 0 ? error
                                                                            : real > 0
                                                                                ? -error / real
                                                                                : INFINITY;
    struct machine *machine = text->machine;
    size_t number = machine->uncertain_count;
    const char *line;
    struct text what = {0};
    text_append(&what, "%s:%zu: %s ", at->file->path, line_of(at, &line), key->name);
    for (const char *c = at->text; *c && *c != '\n'; c++)
        if (!strchr("#{} \t\r", *c))
            text_append_bytes(&what, c, 1);
        else if (what.data[what.length - 1] != ' ')
            text_append(&what, " ");
    text_disarm(what.data, true);
    memory_append(machine->uncertain, machine->uncertain_count,
                  (struct uncertainty){text_take(&what), relative});
    const struct variation *varied = text->variation;
    if (!varied || (varied->only == SIZE_MAX ? relative >= varied->below : varied->only != number))
        return;
    /* A larger value takes longer, also of bandwidths, which are stored as times per byte, but not
     * of the ratio of a processor. */
    bool up = varied->longer == (key->quantity != QUANTITY_RATIO);
    const struct quantity_row *row = &quantities[key->quantity];
    const double changed =
                     error < 0 ? real + (up ? -error : error) : real * (up ? 1 + error : 1 - error),
                 now = fmax(changed, row->least);
    sim_member_set(key->quantity, value,
                   key->quantity == QUANTITY_TIME ? fmin(now, row->most) : now);
}

bool sim_take_value(struct machine_text *text, const struct key *key, void *in)
{
    const struct word at = text->word;
    if (!sim_take_exactly(text, key, in))
        return false;
    text->machine->has_overhead |= strcmp(key->name, "overhead") == 0;
    if (key->quantity > QUANTITY_RATIO)
        return true;
    double error = take_error(text, &at);
    if (isnan(error))
        return false;
    if (error != 0)
        note_error(text, key, &at, error, (char *)in + key->at);
    return true;
}

/* ---- Blocks ---- */

bool in_block(const struct machine_text *text)
{
    return !word_ends(&text->word) && !word_is(&text->word, "}");
}

const struct key *sim_key_named(const struct key *keys, const struct word *name)
{
    for (; keys->name; keys++)
        if (word_is(name, keys->name))
            return keys;
    return NULL;
}

void sim_unknown_key(struct machine_text *text, const struct word *at, const struct key *keys)
{
    struct text names = {0};
    for (size_t i = 0; keys[i].name; i++)
        text_append(&names, "%s%s", i ? ", " : "", keys[i].name);
    sim_text_error(text, at, "\"%.*s\" is not known here; there are %s", (int)at->length, at->text,
                   names.data);
    text_release(&names);
}

/* After an error: the next key of this block, or its end. */
static void skip_value(struct machine_text *text, const struct key *keys)
{
    while (in_block(text) && !sim_key_named(keys, &text->word))
        sim_text_next(text);
}

/* A key and its value; given: bits of the keys that have been. */
static void take_key(struct machine_text *text, const struct key *keys, uint64_t *given, void *in)
{
    struct word at = text->word;
    const struct key *key = sim_key_named(keys, &at);
    const uint64_t bit = key ? UINT64_C(1) << (key - keys) : 0;
    sim_text_next(text);
    if (key && key->take) {
        key->take(text, (char *)in + key->at);
        return;
    }
    bool good = false;
    if (!key)
        sim_unknown_key(text, &at, keys);
    else if (*given & bit)
        sim_text_error(text, &at, "%s is given twice", key->name);
    else
        good = sim_take_value(text, key, in);
    if (!good)
        skip_value(text, keys);
    *given |= bit;
}

static void need_keys(struct machine_text *text, const struct word *name, const struct key *keys,
                      uint64_t given)
{
    for (size_t i = 0; keys[i].name; i++)
        if (keys[i].needed && !(given >> i & 1))
            sim_text_error(text, name, "%.*s has no %s; add it between { and }", (int)name->length,
                           name->text, keys[i].name);
}

static bool enter_block(struct machine_text *text)
{
    if (!word_is(&text->word, "{"))
        return sim_text_error(text, &text->word, "{ is missing behind the name");
    sim_text_next(text);
    return true;
}

static void leave_block(struct machine_text *text, const struct word *name)
{
    if (word_ends(&text->word))
        sim_text_error(text, name, "the block of %.*s does not end; close it with }",
                       (int)name->length, name->text);
    sim_text_next(text);
}

void sim_take_block(struct machine_text *text, const struct word *name, const struct key *keys,
                    void *in)
{
    uint64_t given = 0;
    if (!enter_block(text))
        return;
    while (in_block(text))
        take_key(text, keys, &given, in);
    need_keys(text, name, keys, given);
    leave_block(text, name);
}

/* ---- Pieces ---- */

/* "from SIZE": the next piece, whose keys may then be given; or the beginning of the first one. */
static void take_from(struct machine_text *text, const struct key *keys, struct cost_pieces *pieces,
                      bool first, uint64_t *given)
{
    const struct key *from = sim_key_named(keys, &text->word);
    const struct cost_piece *last = &pieces->of[pieces->count - 1];
    struct cost_piece next = *last;
    sim_text_next(text);
    struct word at = text->word;
    if (!sim_take_exactly(text, from, &next)) {
        skip_value(text, keys);
    } else if (first) {
        if (next.from > 0)
            sim_text_error(text, &at,
                           "the first piece begins with 0 B; give it, or leave its \"from\" out");
    } else {
        *given = 0;
        if (next.from > last->from)
            memory_append(pieces->of, pieces->count, next);
        else
            sim_text_error(text, &at,
                           "pieces must ascend; the one before begins with %" PRIu64 " B",
                           last->from);
    }
}

void sim_take_pieces(struct machine_text *text, const struct word *name, const struct key *keys,
                     const struct way *like, struct cost_pieces *pieces)
{
    uint64_t given = 0, first_given = 0;
    bool begun = false; /* the first piece has something */
    memory_append(pieces->of, pieces->count, (struct cost_piece){.way = *like});
    if (!enter_block(text))
        return;
    for (; in_block(text); begun = true)
        if (word_is(&text->word, "from") && sim_key_named(keys, &text->word)) {
            take_from(text, keys, pieces, !begun, &given);
        } else {
            take_key(text, keys, &given, &pieces->of[pieces->count - 1]);
            if (pieces->count == 1)
                first_given = given;
        }
    if (!begun && !keys->needed)
        sim_text_error(text, name, "%.*s is empty; say between { and } what it costs",
                       (int)name->length, name->text);
    else
        need_keys(text, name, keys, first_given);
    leave_block(text, name);
}