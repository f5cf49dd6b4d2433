/* Reads the value of --state: a word, the number of a state, or conditions. */
#define _DEFAULT_SOURCE /* strsep */
#include "engine/state_wanted.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "output/result.h"

static const char choices[] =
    "give fastest, most, the number of a state of --known, or a condition "
    "such as 'hand-over<200ns' or 'hand-over<200ns,addition<300ps'";

static const char *without_blanks(const char *text)
{
    return text + strspn(text, " \t");
}

/* Whether the text is this word, perhaps with blanks after it. */
static bool is_word(const char *text, size_t length, const char *word)
{
    while (length > 0 && isblank((unsigned char)text[length - 1]))
        length--;
    return length == strlen(word) && strncmp(text, word, length) == 0;
}

/* Seconds of "200ns", blanks allowed; NaN for anything else. Additions take picoseconds. */
static double time_of(const char *text)
{
    char *end, unit[4];
    text = without_blanks(text);
    size_t digits = strspn(text, "0123456789.");
    if (digits == 0)
        return NAN;
    double value = strtod(text, &end); /* also takes hexadecimal numbers and exponents */
    if (end < text + digits || memchr(text, 'x', (size_t)(end - text)))
        return NAN;
    end = (char *)without_blanks(end);
    size_t length = strcspn(end, " \t");
    if (length >= sizeof unit || *without_blanks(end + length) != '\0')
        return NAN;
    memcpy(unit, end, length);
    unit[length] = '\0';
    double per_second = strcmp(unit, "ps") == 0 ? 1e12 : numbers_unit(unit);
    return per_second > 0 ? value / per_second : NAN;
}

/* Which control is named, with a blank, - or _ between its words; STATES_KINDS: none. */
static size_t kind_named(const char *text, size_t length)
{
    size_t kind = 0;
    while (kind < STATES_KINDS && !is_word(text, length, result_control_name(kind)) &&
           !is_word(text, length, result_control_words(kind)))
        kind++;
    return kind;
}

/* One condition, such as "hand-over<200ns". */
static char *parse_limit(const char *text, struct state_wanted *wanted)
{
    text = without_blanks(text);
    const char *sign = strpbrk(text, "<>");
    size_t kind = sign ? kind_named(text, (size_t)(sign - text)) : STATES_KINDS;
    if (kind == STATES_KINDS)
        return text_format("a condition is about hand-over or addition, such as "
                           "'hand-over%c200ns'",
                           sign ? *sign : '<');
    double limit = time_of(sign + 1);
    if (!(limit > 0) || !isfinite(limit))
        return text_format("after %c give a time above 0 with its unit (ps, ns, us, ms or s), such "
                           "as 200ns",
                           *sign);
    if (*sign == '<')
        wanted->limits[kind].below = fmin(wanted->limits[kind].below, limit);
    else
        wanted->limits[kind].above = fmax(wanted->limits[kind].above, limit);
    if (wanted->limits[kind].above < wanted->limits[kind].below)
        return NULL;
    return text_format("no %s is both above and below this", result_control_words(kind));
}

/* Conditions that all have to be met, with commas between them. */
static char *parse_conditions(const char *text, struct state_wanted *wanted)
{
    char *copy = memory_text(text), *rest = copy, *wrong = NULL;
    wanted->kind = WANTED_CONDITION;
    while (rest && !wrong)
        wrong = parse_limit(strsep(&rest, ","), wanted);
    free(copy);
    return wrong;
}

static char *parse_number(const char *text, struct state_wanted *wanted)
{
    char *end;
    long number = strtol(text, &end, 10);
    if (*without_blanks(end) != '\0')
        return memory_text(choices);
    if (number < 1 || number > INT_MAX)
        return memory_text(
            "states are numbered from 1, as the lines '# state' of earlier runs say");
    wanted->kind = WANTED_NUMBER;
    wanted->number = (int)number;
    return NULL;
}

char *state_wanted_parse(const char *text, struct state_wanted *wanted)
{
    *wanted = (struct state_wanted){.kind = WANTED_ANY};
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        wanted->limits[kind].below = INFINITY;
    if (!text)
        return NULL;
    text = without_blanks(text);
    if (strpbrk(text, "<>"))
        return parse_conditions(text, wanted);
    if (isdigit((unsigned char)*text))
        return parse_number(text, wanted);
    if (is_word(text, strlen(text), "fastest"))
        wanted->kind = WANTED_FASTEST;
    else if (is_word(text, strlen(text), "most"))
        wanted->kind = WANTED_MOST;
    else
        return memory_text(choices);
    return NULL;
}

bool state_wanted_limits(const struct state_wanted *wanted, size_t kind)
{
    return wanted->limits[kind].above > 0 || isfinite(wanted->limits[kind].below);
}

bool state_wanted_meets(const struct state_wanted *wanted, const struct states_values *controls)
{
    bool met = true;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        if (state_wanted_limits(wanted, kind))
            met = met && controls->of[kind] > wanted->limits[kind].above &&
                  controls->of[kind] < wanted->limits[kind].below;
    return met;
}
