/* Reads the value of --state: a word, the number of a state, or a condition. */
#include "engine/state_wanted.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "base/words.h"

static const char choices[] =
    "give fastest, most, the number of a state of --known, or a condition "
    "such as 'hand-over<200ns'";

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

/* Seconds of "200ns", blanks allowed; NaN for anything else. */
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
    double per_second = words_unit(unit);
    return per_second > 0 ? value / per_second : NAN;
}

static char *parse_condition(const char *text, const char *sign, struct state_wanted *wanted)
{
    size_t length = (size_t)(sign - text);
    if (is_word(text, length, "hand-over") || is_word(text, length, "hand_over"))
        wanted->control = WANTED_HAND_OVER;
    else if (is_word(text, length, "addition"))
        wanted->control = WANTED_ADDITION;
    else
        return text_format("a condition is about hand-over or addition, such as "
                           "'hand-over%c200ns'",
                           *sign);
    wanted->kind = WANTED_CONDITION;
    wanted->below = *sign == '<';
    wanted->limit = time_of(sign + 1);
    if (wanted->limit > 0 && isfinite(wanted->limit))
        return NULL;
    return text_format("after %c give a time above 0 with its unit (ns, us, ms or s), such as "
                       "200ns",
                       *sign);
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
    if (!text)
        return NULL;
    text = without_blanks(text);
    const char *sign = strpbrk(text, "<>");
    if (sign)
        return parse_condition(text, sign, wanted);
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

bool state_wanted_meets(const struct state_wanted *wanted, double control)
{
    return wanted->below ? control < wanted->limit : control > wanted->limit;
}
