/* What --state asks for: a word, the number of a state, or conditions. */
#define _DEFAULT_SOURCE /* strsep */
#include "machine/parts.h"

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
    while (kind < STATES_KINDS && !is_word(text, length, result_control_kinds[kind].name) &&
           !is_word(text, length, result_control_kinds[kind].words))
        kind++;
    return kind;
}

/* One condition, such as "hand-over<200ns". */
static char *parse_limit(const char *text, struct wanted_state *wanted)
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
    return text_format("no %s is both above and below this", result_control_kinds[kind].words);
}

/* Conditions that all have to be met, with commas between them. */
static char *parse_conditions(const char *text, struct wanted_state *wanted)
{
    char *copy = memory_text(text), *rest = copy, *wrong = NULL;
    wanted->kind = WANTED_CONDITION;
    while (rest && !wrong)
        wrong = parse_limit(strsep(&rest, ","), wanted);
    free(copy);
    return wrong;
}

static char *parse_number(const char *text, struct wanted_state *wanted)
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

char *state_wanted_parse(const char *text, struct wanted_state *wanted)
{
    *wanted = (struct wanted_state){.kind = WANTED_ANY};
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

bool state_wanted_limits(const struct wanted_state *wanted, size_t kind)
{
    return wanted->limits[kind].above > 0 || isfinite(wanted->limits[kind].below);
}

bool state_wanted_meets(const struct wanted_state *wanted, const struct states_values *controls)
{
    bool met = true;
    for (size_t kind = 0; kind < STATES_KINDS; kind++)
        if (state_wanted_limits(wanted, kind))
            met = met && controls->of[kind] > wanted->limits[kind].above &&
                  controls->of[kind] < wanted->limits[kind].below;
    return met;
}

/* ---- Whether the machine is in that state ---- */

/* Seconds of looking at controls before the list of states counts as known. */
#define SCOUTING 2.0

/* Whether this run has seen enough to say which states there are. */
static bool is_scouted(const struct control_log *log)
{
    return log->count > 0 && log->controls[log->count - 1].at - log->controls[0].at >= SCOUTING;
}

static size_t longest(const struct control_log *log)
{
    size_t most = 0;
    for (size_t i = 1; i < log->state_count; i++)
        if (log->states[i].share > log->states[most].share)
            most = i;
    return most;
}

/* By the bounds that earlier runs gave it, unless this run has found another state there. */
static bool is_known_state(const struct control_log *log, int number,
                           const struct states_values *now)
{
    size_t state = states_of(now, log->states, log->state_count);
    bool other = log->state_count > 1 && state < log->state_count && log->numbers[state] != number;
    for (size_t i = 0; i < log->known_count; i++)
        if (log->known_numbers[i] == number)
            return states_hold(&log->known[i], now) && !other;
    return false;
}

/* Of the states of earlier runs, too: this one may have begun in a slow one. */
static bool is_fastest(const struct control_log *log, const struct states_values *now)
{
    bool told = false;
    for (size_t kind = 0; log->known_count > 0 && kind < STATES_KINDS; kind++)
        told = told || isfinite(log->known[0].of[kind].high);
    return log->state_count > 0 && states_of(now, log->states, log->state_count) == 0 &&
           (told ? states_hold(&log->known[0], now) : is_scouted(log));
}

/* Whether the machine is in that state, after the control that was taken last; log->count > 0. */
static bool wanted_now(const struct state_request *wanted, const struct control_log *log)
{
    struct states_values now = controls_now(log);
    switch (wanted->state.kind) {
    case WANTED_ANY:
        return true;
    case WANTED_FASTEST:
        return is_fastest(log, &now);
    case WANTED_MOST:
        return is_scouted(log) && states_of(&now, log->states, log->state_count) == longest(log);
    case WANTED_NUMBER:
        return is_known_state(log, wanted->state.number, &now);
    case WANTED_CONDITION:
        return state_wanted_meets(&wanted->state, &now);
    }
    return false;
}

char *machine_state_wrong(const char *state, bool *numbered)
{
    struct wanted_state wanted;
    char *wrong = state_wanted_parse(state, &wanted);
    *numbered = wanted.kind == WANTED_NUMBER;
    return wrong;
}

bool machine_waits(const struct machine *machine)
{
    return machine->wanted.state.kind != WANTED_ANY;
}

const char *machine_state_text(const struct machine *machine)
{
    return machine->wanted.text;
}

double machine_state_wait(const struct machine *machine)
{
    return machine->wanted.wait;
}

const char *machine_state_impossible(const struct machine *machine, const struct control_log *log)
{
    const struct wanted_state *wanted = &machine->wanted.state;
    bool hands_over = state_wanted_limits(wanted, STATES_HAND_OVER);
    if (wanted->kind == WANTED_CONDITION && hands_over && pe_set_size(log->set) == 1)
        return "one PE hands nothing over: ask for addition, or leave --state out";
    size_t i = 0;
    while (i < log->known_count && log->known_numbers[i] != wanted->number)
        i++;
    return wanted->kind == WANTED_NUMBER && i == log->known_count
               ? "the results of --known have no state of this number for these PEs: ask for "
                 "fastest, or for one that they have"
               : NULL;
}

bool machine_state_right(const struct machine *machine, const struct control_log *log)
{
    return !machine_waits(machine) || (log->count > 0 && wanted_now(&machine->wanted, log));
}
