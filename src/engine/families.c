/*
 * All measurement functions: the families' tables one after the other, where each function also has
 * what it shares with others (like, in measurement.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/measurement.h"

#define MEMBER(name)                                                                               \
    {                                                                                              \
        offsetof(struct measurement, name), sizeof((struct measurement *)NULL)->name               \
    }

/* All that a function may take from others: each member but its name and like. */
static const struct member {
    size_t offset, size;
} members[] = {
    MEMBER(word),          MEMBER(summary),
    MEMBER(routine),       MEMBER(calls),
    MEMBER(api),           MEMBER(version_major),
    MEMBER(version_minor), MEMBER(parameters),
    MEMBER(timing),        MEMBER(clocks),
    MEMBER(quantity),      MEMBER(any_sign),
    MEMBER(minimum_pes),   MEMBER(local_anywhere),
    MEMBER(one_place),     MEMBER(no_data),
    MEMBER(synchronizes),  MEMBER(own_check),
    MEMBER(threads),       MEMBER(moves),
    MEMBER(neighborhood),  MEMBER(timed),
    MEMBER(who),           MEMBER(subtracted),
    MEMBER(cost),          MEMBER(variant),
    MEMBER(state_bytes),   MEMBER(check),
    MEMBER(demand),        MEMBER(prepare),
    MEMBER(setup),         MEMBER(fill),
    MEMBER(verify),        MEMBER(run),
    MEMBER(reference),     MEMBER(teardown),
    MEMBER(operations),    MEMBER(fewest_iterations),
};

static bool is_stated(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return true;
    return false;
}

/* The members that are still left out, from what the other one is and, after that, is like. */
static void take_from(struct measurement *function, const struct measurement *other)
{
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
        unsigned char *to = (unsigned char *)function + members[i].offset;
        const unsigned char *from = (const unsigned char *)other + members[i].offset;
        if (!is_stated(to, members[i].size))
            memcpy(to, from, members[i].size);
    }
    for (size_t i = 0; i < MEASUREMENT_MAX_LIKE && other->like[i]; i++)
        take_from(function, other->like[i]);
}

/* The text with the function's word in the place of each "%s". */
static const char *with_word(const char *text, const char *word)
{
    const char *place = text && word ? strstr(text, "%s") : NULL;
    struct text composed = {0};
    if (!place)
        return text;
    for (; place; text = place + 2, place = strstr(text, "%s")) {
        text_append_bytes(&composed, text, (size_t)(place - text));
        text_append(&composed, "%s", word);
    }
    text_append(&composed, "%s", text);
    return text_take(&composed);
}

static struct measurement complete(const struct measurement *stated)
{
    struct measurement function = *stated;
    take_from(&function, stated);
    function.summary = with_word(function.summary, function.word);
    function.routine = with_word(function.routine, function.word);
    function.calls = with_word(function.calls, function.word);
    function.timed = with_word(function.timed, function.word);
    return function;
}

/* Made once, when the first function is asked for, and the same from then on. */
static struct all {
    struct measurement *functions;
    const char **families; /* of each */
    size_t count;
} all;

static const struct all *all_functions(void)
{
    size_t count = 0;
    if (all.functions)
        return &all;
    for (size_t i = 0; measurement_families[i]; i++)
        for (const struct measurement *at = measurement_families[i]; at->name; at++)
            count++;
    all.functions = memory_zeroed(count, sizeof *all.functions);
    all.families = memory_zeroed(count, sizeof *all.families);
    for (size_t i = 0; measurement_families[i]; i++)
        for (const struct measurement *at = measurement_families[i]; at->name; at++) {
            all.families[all.count] = measurement_family_names[i];
            all.functions[all.count++] = complete(at);
        }
    return &all;
}

const struct measurement *measurement_at(size_t i)
{
    const struct all *known = all_functions();
    return i < known->count ? &known->functions[i] : NULL;
}

const char *measurement_family(const struct measurement *function)
{
    const struct all *known = all_functions();
    for (size_t i = 0; i < known->count; i++)
        if (&known->functions[i] == function)
            return known->families[i];
    return "";
}

const struct measurement *measurement_find(const char *name)
{
    const struct all *known = all_functions();
    for (size_t i = 0; i < known->count; i++)
        if (strcmp(known->functions[i].name, name) == 0)
            return &known->functions[i];
    return NULL;
}
