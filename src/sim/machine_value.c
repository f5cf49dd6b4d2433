/* Reads numbers with their units. */
#include "sim/machine_value.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sim/machine.h"

#define MOST_SECONDS 1e4 /* of a time: far more than a message takes anywhere */

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
#define TIME_UNITS "ps, ns, us, ms or s"
#define RATE_UNITS "B/s, kB/s, MB/s, GB/s, TB/s, KiB/s, MiB/s, GiB/s, Mbit/s or Gbit/s"

/* The number that a word begins with; its length, 0: there is none. */
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
static bool take_with_unit(struct machine_text *text, const char *key, const struct unit *units,
                           const char *names, double *value)
{
    struct word word = text->word, at = word;
    size_t length = number_in(&word, value);
    if (length == 0 || *value < 0) {
        text_error(text, &word, "%s needs a number and a unit, such as %s", key,
                   units == times ? "1.5 us" : "10 GB/s");
        return false;
    }
    text_next(text);
    if (length == word.length) {
        at = text->word;
        word = at;
        length = 0;
    }
    const struct unit *unit = unit_of(units, word.text + length, word.length - length);
    if (!unit) {
        text_error(text, &at, "%s needs a unit behind its number: %s", key, names);
        return false;
    }
    if (at.text == text->word.text)
        text_next(text);
    *value *= unit->factor;
    return true;
}

static bool take_time(struct machine_text *text, const char *key, int64_t *time)
{
    struct word at = text->word;
    double value;
    if (!take_with_unit(text, key, times, TIME_UNITS, &value))
        return false;
    if (value > MOST_SECONDS * PS_PER_SECOND) {
        text_error(text, &at, "%s is more than %g s", key, MOST_SECONDS);
        return false;
    }
    *time = (int64_t)(value + 0.5);
    return true;
}

static bool take_rate(struct machine_text *text, const char *key, double *per_byte)
{
    struct word at = text->word;
    double value;
    if (word_is(&text->word, "infinite")) {
        *per_byte = 0;
        text_next(text);
        return true;
    }
    if (!take_with_unit(text, key, rates, RATE_UNITS, &value))
        return false;
    if (value < 1) {
        text_error(text, &at, "%s must be at least 1 B/s; \"infinite\" is one without cost", key);
        return false;
    }
    *per_byte = PS_PER_SECOND / value;
    return true;
}

bool take_ratio(struct machine_text *text, const char *key, double *ratio)
{
    struct word at = text->word;
    if (number_in(&at, ratio) != at.length || *ratio < 1e-6 || *ratio > 1e6) {
        text_error(text, &at, "%s needs a number from 0.000001 to 1000000", key);
        return false;
    }
    text_next(text);
    return true;
}

static bool take_count(struct machine_text *text, const char *key, double most, int *count)
{
    struct word at = text->word;
    double value;
    if (number_in(&at, &value) != at.length || value < 1 || value > most || value != floor(value)) {
        text_error(text, &at, "%s needs an integer from 1 to %.0f", key, most);
        return false;
    }
    *count = (int)value;
    text_next(text);
    return true;
}

bool take_value(struct machine_text *text, const struct key *key, void *in)
{
    void *value = (char *)in + key->at;
    switch (key->quantity) {
    case QUANTITY_TIME:
        return take_time(text, key->name, value);
    case QUANTITY_RATE:
        return take_rate(text, key->name, value);
    case QUANTITY_RATIO:
        return take_ratio(text, key->name, value);
    default:
        return take_count(text, key->name, key->most, value);
    }
}
