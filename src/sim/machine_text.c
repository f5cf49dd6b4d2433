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

#include "base/excerpt.h"
#include "base/memory.h"

#define MOST_ERRORS 20
#define MOST_BYTES (16 * 1024 * 1024)
#define MOST_DEPTH 16
#define MOST_SIZE 0x1p48
#define MOST_SECONDS 1e4 /* far more than a message takes anywhere */
#define RATIO_LEAST 1e-6
#define RATIO_MOST 1e6

bool word_is(const struct word *word, const char *text)
{
    return word->length == strlen(text) && memcmp(word->text, text, word->length) == 0;
}

/* ---- Errors ---- */

void text_error(struct machine_text *text, const struct word *at, const char *format, ...)
{
    va_list arguments;
    if (++text->error_count > MOST_ERRORS)
        return;
    va_start(arguments, format);
    char *message = text_format_with(format, arguments);
    va_end(arguments);
    text_disarm(message, true);
    if (at->file) {
        const char *begin = at->file->text, *line = at->text;
        size_t number = 1;
        while (line > begin && line[-1] != '\n')
            line--;
        for (const char *c = begin; c < line; c++)
            number += *c == '\n';
        text_append(&text->errors, "%s:%zu:%zu: error: %s\n", at->file->path, number,
                    (size_t)(at->text - line) + 1, message);
        excerpt_append(&text->errors, line, strcspn(line, "\r\n"), (size_t)(at->text - line));
    } else {
        text_append(&text->errors, "shmemsim: %s\n", message);
    }
    free(message);
    if (text->error_count == MOST_ERRORS)
        text_append(&text->errors, "shmemsim: there may be more errors\n");
}

/* ---- Files ---- */

/* Relative to the file that includes it. */
static char *path_of(const struct machine_text *text, const char *path)
{
    const char *from = text->depth ? text->stack[text->depth - 1].file->path : "";
    const char *slash = strrchr(from, '/');
    if (path[0] == '/' || !slash)
        return memory_text(path);
    return text_format("%.*s/%s", (int)(slash - from), from, path);
}

/* NULL: errno says why. */
static char *read_all(const char *path, size_t *length)
{
    FILE *file = fopen(path, "r");
    char *data = NULL;
    size_t room = 0;
    *length = 0;
    if (!file)
        return NULL;
    do {
        room = 2 * room + 4096;
        data = memory_resize(data, room + 1);
        *length += fread(data + *length, 1, room - *length, file);
    } while (*length == room && room < MOST_BYTES);
    int failed = ferror(file) ? errno : *length > MOST_BYTES ? EFBIG : 0;
    fclose(file);
    data[*length] = '\0';
    if (!failed)
        return data;
    free(data);
    errno = failed;
    return NULL;
}

/* Takes both texts over. */
static void enter(struct machine_text *text, char *path, char *data, size_t length)
{
    struct machine_file *file = memory_zeroed(1, sizeof *file);
    *file = (struct machine_file){path, data, length};
    text->files = memory_resize_array(text->files, text->file_count + 1, sizeof *text->files);
    text->files[text->file_count++] = file;
    text->stack = memory_resize_array(text->stack, text->depth + 1, sizeof *text->stack);
    text->stack[text->depth++] = (struct reading){file, data};
    const char *zero = memchr(data, '\0', length);
    if (zero) {
        const struct word at = {file, zero, 1};
        text_error(text, &at, "this is no text; a machine description is");
        text->stack[text->depth - 1].next = data + length;
    }
    text_next(text);
}

void text_enter_given(struct machine_text *text, const char *name, const char *given)
{
    enter(text, memory_text(name), memory_text(given), strlen(given));
}

bool text_enter(struct machine_text *text, const char *path)
{
    size_t length;
    if (text->depth == MOST_DEPTH) {
        text_error(text, &text->word,
                   "includes are nested more than %d deep; does a file include "
                   "itself?",
                   MOST_DEPTH);
        return false;
    }
    char *full = path_of(text, path), *data = read_all(full, &length);
    if (!data) {
        text_error(text, &text->word, "%s: cannot be read: %s", full, strerror(errno));
        free(full);
        return false;
    }
    enter(text, full, data, length);
    return true;
}

void text_close(struct machine_text *text)
{
    for (size_t i = 0; i < text->file_count; i++) {
        free(text->files[i]->path);
        free(text->files[i]->text);
        free(text->files[i]);
    }
    for (size_t i = 0; i < text->uncertain_count; i++)
        free(text->uncertain[i].text);
    free(text->uncertain);
    free(text->files);
    free(text->stack);
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

static size_t word_length(struct machine_text *text, struct machine_file *file, const char *c)
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
    const struct word at = {file, c, 1};
    text_error(text, &at, "a text does not end; close it with \" in the same line");
    return length;
}

void text_next(struct machine_text *text)
{
    while (text->depth > 0) {
        struct reading *reading = &text->stack[text->depth - 1];
        const char *c = skip_blanks(reading->next);
        text->word = (struct word){reading->file, c, 0};
        if (*c) {
            text->word.length = word_length(text, reading->file, c);
            reading->next = c + text->word.length;
            return;
        }
        if (text->depth == 1)
            return;
        text->depth--;
    }
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
static const struct units {
    const struct unit *of;
    const char *names, *example;
} units_of[] = {
    [QUANTITY_TIME] = {times, "ps, ns, us, ms or s", "1.5 us"},
    [QUANTITY_RATE] = {rates, "B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, Mbit/s or Gbit/s",
                       "10 GB/s"},
    [QUANTITY_SIZE] = {sizes, "B, KiB, MiB, kB or MB", "8 KiB"},
    [QUANTITY_CHOICE] = {NULL, NULL, NULL},
};

/* ---- Values ---- */

double member_number(enum quantity quantity, const void *member)
{
    return quantity == QUANTITY_TIME    ? (double)*(const int64_t *)member
           : quantity == QUANTITY_COUNT ? *(const int *)member
                                        : *(const double *)member;
}

void member_set(enum quantity quantity, void *member, double value)
{
    if (quantity == QUANTITY_TIME)
        *(int64_t *)member = (int64_t)(value + 0.5);
    else if (quantity == QUANTITY_SIZE)
        *(uint64_t *)member = (uint64_t)value;
    else if (quantity == QUANTITY_COUNT || quantity == QUANTITY_CHOICE)
        *(int *)member = (int)value;
    else
        *(double *)member = value;
}

bool is_in_range(const struct key *key, double value)
{
    switch (key->quantity) {
    case QUANTITY_TIME:
        return value <= MOST_SECONDS * PS_PER_SECOND;
    case QUANTITY_RATE:
        return value <= PS_PER_SECOND;
    case QUANTITY_RATIO:
        return value >= RATIO_LEAST && value <= RATIO_MOST;
    case QUANTITY_SIZE:
        return value <= MOST_SIZE && value == floor(value);
    default:
        return value >= 1 && value <= key->most && value == floor(value);
    }
}

/* The message for a value that is out of range; true. */
static bool refuse(struct machine_text *text, const struct word *at, const struct key *key)
{
    switch (key->quantity) {
    case QUANTITY_TIME:
        text_error(text, at, "%s is more than %g s", key->name, MOST_SECONDS);
        break;
    case QUANTITY_RATE:
        text_error(text, at, "%s must be at least 1 B/s; \"infinite\" is one without cost",
                   key->name);
        break;
    case QUANTITY_RATIO:
        text_error(text, at, "%s needs a number from 0.000001 to 1000000", key->name);
        break;
    case QUANTITY_SIZE:
        text_error(text, at, "%s needs a number of bytes, at most 2^48", key->name);
        break;
    default:
        text_error(text, at, "%s needs an integer from 1 to %.0f", key->name, key->most);
    }
    return false;
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
    const struct units *units = &units_of[key->quantity];
    struct word word = text->word, at = word;
    size_t length = number_in(&word, value);
    if (length == 0 || *value < 0) {
        text_error(text, &word, "%s needs a number and a unit, such as %s", key->name,
                   units->example);
        return false;
    }
    text_next(text);
    if (length == word.length) {
        at = text->word;
        word = at;
        length = 0;
    }
    const struct unit *unit = unit_of(units->of, word.text + length, word.length - length);
    if (!unit) {
        text_error(text, &at, "%s needs a unit behind its number: %s", key->name, units->names);
        return false;
    }
    if (at.text == text->word.text)
        text_next(text);
    *value *= unit->factor;
    return true;
}

static bool take_choice(struct machine_text *text, const struct key *key, int *choice)
{
    for (int i = 0; i < 2; i++)
        if (word_is(&text->word, key->words[i])) {
            *choice = i + 1;
            text_next(text);
            return true;
        }
    text_error(text, &text->word, "%s", key->remedy);
    return false;
}

bool take_exactly(struct machine_text *text, const struct key *key, void *in)
{
    const struct word at = text->word;
    const bool rate = key->quantity == QUANTITY_RATE, unit = units_of[key->quantity].of;
    void *member = (char *)in + key->at;
    double value;
    if (key->quantity == QUANTITY_CHOICE)
        return take_choice(text, key, member);
    if (rate && word_is(&at, "infinite")) {
        value = 0;
        text_next(text);
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
        text_next(text);
    member_set(key->quantity, member, value);
    return true;
}

/* ---- Errors of values: +- 5 %, or +- 3 ns, also in a comment after the value ---- */

static const struct unit errors[] = {{"%", 0.01},  {"ps", -1},   {"ns", -1e3},
                                     {"us", -1e6}, {"ms", -1e9}, {NULL, 0}};

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
    const struct unit *unit = digits ? unit_of(errors, at, name) : NULL;
    *length = unit ? (size_t)(at + name - from) : 0;
    return unit && number >= 0 ? number * unit->factor : 0;
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
            text_error(text, &word, "+- needs a number and %% or a unit of time, such as +- 5 %%");
            return NAN;
        }
        const char *end = word.text + 2 + length;
        do
            text_next(text);
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

bool take_share(struct machine_text *text, double *share)
{
    struct word at = text->word;
    *share = take_error(text, &at);
    if (!isnan(*share) && !(*share > 0))
        text_error(text, &at, "give a share, such as +- 5 %%");
    return *share > 0;
}

/* Whether the variation is of this number. */
static bool is_varied(const struct variation *variation, size_t number, double relative)
{
    if (!variation)
        return false;
    return variation->only == SIZE_MAX ? relative >= variation->least && relative < variation->below
                                       : variation->only == number;
}

static double varied(double value, double error, bool up)
{
    double now = error < 0 ? value + (up ? -error : error)
                           : value * (up          ? 1 + error
                                      : error < 1 ? 1 - error
                                                  : 0);
    return now > 0 ? now : 0;
}

/* Notes that a value has an error, and changes it as the variation says. */
static void note_error(struct machine_text *text, const struct key *key, const struct word *at,
                       double error, void *value)
{
    const double real = member_number(key->quantity, value), relative = error > 0  ? error
                                                                        : real > 0 ? -error / real
                                                                                   : INFINITY;
    size_t number = text->uncertain_count++, line = 1;
    for (const char *c = at->file->text; c < at->text; c++)
        line += *c == '\n';
    struct text what = {0};
    text_append(&what, "%s:%zu: %s ", at->file->path, line, key->name);
    for (const char *c = at->text; *c && *c != '\n'; c++)
        if (!strchr("#{} \t\r", *c))
            text_append_bytes(&what, c, 1);
        else if (what.data[what.length - 1] != ' ')
            text_append(&what, " ");
    text_disarm(what.data, true);
    text->uncertain = memory_resize_array(text->uncertain, number + 1, sizeof *text->uncertain);
    text->uncertain[number] = (struct uncertainty){text_take(&what), relative};
    if (!is_varied(text->variation, number, relative))
        return;
    /* A larger value takes longer, also of bandwidths, which are stored as times per byte, but not
     * of the ratio of a processor. */
    bool up = text->variation->longer == (key->quantity != QUANTITY_RATIO);
    double now = varied(real, error, up);
    member_set(key->quantity, value,
               key->quantity == QUANTITY_TIME    ? fmin(now, MOST_SECONDS * PS_PER_SECOND)
               : key->quantity == QUANTITY_RATIO ? fmax(now, RATIO_LEAST)
                                                 : now);
}

bool take_value(struct machine_text *text, const struct key *key, void *in)
{
    const struct word at = text->word;
    if (!take_exactly(text, key, in))
        return false;
    text->has_overhead |= strcmp(key->name, "overhead") == 0;
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

static bool in_block(const struct machine_text *text)
{
    return !word_ends(&text->word) && !word_is(&text->word, "}");
}

const struct key *key_named(const struct keys *keys, const struct word *name)
{
    for (size_t i = 0; i < keys->count; i++)
        if (word_is(name, keys->of[i].name))
            return &keys->of[i];
    return NULL;
}

/* After an error: the next key of this block, or its end. */
static void skip_value(struct machine_text *text, const struct keys *keys)
{
    while (in_block(text) && !word_is(&text->word, "from") && !word_is(&text->word, "cost") &&
           !key_named(keys, &text->word))
        text_next(text);
}

void skip_block(struct machine_text *text)
{
    size_t depth = 0;
    do {
        depth += word_is(&text->word, "{");
        depth -= depth > 0 && word_is(&text->word, "}");
        text_next(text);
    } while (depth > 0 && !word_ends(&text->word));
}

static void unknown_key(struct machine_text *text, const struct word *at, const struct keys *keys)
{
    struct text names = {0};
    for (size_t i = 0; i < keys->count; i++)
        text_append(&names, "%s%s", i ? ", " : "", keys->of[i].name);
    text_error(text, at, "\"%.*s\" is not known here; there are %s%s", (int)at->length, at->text,
               names.data, keys->more ? keys->more : "");
    text_release(&names);
}

/* A key and its value; given: bits of the keys that have been. */
static void take_key(struct machine_text *text, const struct keys *keys, uint64_t *given, void *in)
{
    struct word at = text->word;
    const struct key *key = key_named(keys, &at);
    if (!key && keys->other && keys->other(text, keys->context, in))
        return;
    text_next(text);
    const uint64_t bit = key ? UINT64_C(1) << (key - keys->of) : 0;
    bool good = false;
    if (!key)
        unknown_key(text, &at, keys);
    else if (*given & bit)
        text_error(text, &at, "%s is given twice", key->name);
    else
        good = take_value(text, key, in);
    if (!good)
        skip_value(text, keys);
    *given |= bit;
}

static void need_keys(struct machine_text *text, const struct word *name, const struct keys *keys,
                      uint64_t given)
{
    for (size_t i = 0; i < keys->count; i++)
        if (keys->of[i].needed && !(given >> i & 1))
            text_error(text, name, "%.*s has no %s; add it between { and }", (int)name->length,
                       name->text, keys->of[i].name);
}

static bool enter_block(struct machine_text *text)
{
    if (!word_is(&text->word, "{")) {
        text_error(text, &text->word, "{ is missing behind the name");
        return false;
    }
    text_next(text);
    return true;
}

static void leave_block(struct machine_text *text, const struct word *name)
{
    if (word_ends(&text->word))
        text_error(text, name, "the block of %.*s does not end; close it with }", (int)name->length,
                   name->text);
    text_next(text);
}

void take_block(struct machine_text *text, const struct word *name, const struct keys *keys,
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

static void add_piece(struct cost_pieces *pieces, struct way like, uint64_t from)
{
    const struct cost_piece piece = {from, like};
    pieces->of = memory_resize_array(pieces->of, pieces->count + 1, sizeof piece);
    pieces->of[pieces->count++] = piece;
}

/* "from SIZE": the next piece, whose keys may then be given; or the beginning of the first one. */
static void take_from(struct machine_text *text, const struct keys *keys,
                      struct cost_pieces *pieces, bool first, uint64_t *given)
{
    static const struct key from = {.name = "from", .quantity = QUANTITY_SIZE};
    const struct cost_piece *last = &pieces->of[pieces->count - 1];
    uint64_t size;
    text_next(text);
    struct word at = text->word;
    if (!take_value(text, &from, &size)) {
        skip_value(text, keys);
        return;
    }
    if (first && size > 0)
        text_error(text, &at,
                   "the first piece begins with 0 B; give it, or leave its \"from\" out");
    if (first)
        return;
    *given = 0;
    if (size > last->from)
        add_piece(pieces, last->way, size);
    else
        text_error(text, &at, "pieces must ascend; the one before begins with %" PRIu64 " B",
                   last->from);
}

void take_pieces(struct machine_text *text, const struct word *name, const struct keys *keys,
                 const struct way *like, struct cost_pieces *pieces)
{
    uint64_t given = 0, first_given = 0;
    bool begun = false; /* the first piece has something */
    add_piece(pieces, *like, 0);
    if (!enter_block(text))
        return;
    for (; in_block(text); begun = true)
        if (word_is(&text->word, "from")) {
            take_from(text, keys, pieces, !begun, &given);
        } else {
            take_key(text, keys, &given, &pieces->of[pieces->count - 1]);
            if (pieces->count == 1)
                first_given = given;
        }
    if (!begun)
        text_error(text, name, "%.*s is empty; say between { and } what it costs",
                   (int)name->length, name->text);
    else
        need_keys(text, name, keys, first_given);
    leave_block(text, name);
}