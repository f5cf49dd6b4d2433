/*
 * Compares what users type with the names of measurement functions.
 */
#define _GNU_SOURCE /* FNM_CASEFOLD */
#include "ski/function_names.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/memory.h"
#include "base/text.h"
#include "engine/functions.h"

static const char prefix[] = "Shmem_";

/* The name without "Shmem_", or NULL. */
static const char *short_name(const struct measurement *function)
{
    size_t length = sizeof prefix - 1;
    return strncmp(function->name, prefix, length) == 0 ? function->name + length : NULL;
}

static const struct measurement *function_called(const char *name)
{
    const struct measurement *function = measurement_find(name), *found = NULL;
    for (size_t i = 0; !function && (function = measurement_at(i)); i++)
        if (strcasecmp(function->name, name) != 0) {
            const char *rest = short_name(function);
            if (rest && !found && strcasecmp(rest, name) == 0)
                found = function;
            function = NULL;
        }
    return function ? function : found;
}

const struct measurement *function_meant(const char *name)
{
    const struct measurement *function = function_called(name), *some[64];
    size_t count = function ? 0 : alias_find(name, some, sizeof some / sizeof *some);

    for (size_t i = 0; !function && i < count && i < sizeof some / sizeof *some; i++)
        if (!measurement_unsupported(some[i]))
            function = some[i];
    return !function && count > 0 ? some[0] : function;
}

/* ---- Suggestions ---- */

#define MOST_SUGGESTED 3

static const char *closest_function(const char *name)
{
    const struct measurement *function;
    size_t count = 0;
    while (measurement_at(count))
        count++;
    const char **names = memory_zeroed(2 * count + 1, sizeof *names);
    count = 0;
    for (size_t i = 0; (function = measurement_at(i)); i++)
        names[count++] = function->name;
    for (size_t i = 0; (function = measurement_at(i)); i++)
        if (short_name(function))
            names[count++] = short_name(function);
    const char *closest = closest_name(name, names, count);
    for (size_t i = 0; closest && (function = measurement_at(i)); i++)
        if (short_name(function) == closest)
            closest = function->name;
    free(names);
    return closest;
}

/* Finds names that consist of the given one and further words. */
static size_t find_longer(const char *name, const char **names)
{
    const struct measurement *function;
    size_t count = 0, length = strlen(name);
    for (size_t i = 0; length > 0 && (function = measurement_at(i)) && count < MOST_SUGGESTED;
         i++) {
        const char *rest = short_name(function);
        bool longer =
            strncasecmp(function->name, name, length) == 0 && function->name[length] == '_';
        if (longer || (rest && strncasecmp(rest, name, length) == 0 && rest[length] == '_'))
            names[count++] = function->name;
    }
    return count;
}

static size_t find_suggested(const char *name, const char **names)
{
    const struct measurement *related[MOST_SUGGESTED];
    size_t count = find_longer(name, names);
    if (count > 0)
        return count;
    count = alias_find_related(name, related, MOST_SUGGESTED);
    count = count < MOST_SUGGESTED ? count : MOST_SUGGESTED;
    for (size_t i = 0; i < count; i++)
        names[i] = related[i]->name;
    if (count == 0)
        names[0] = closest_function(name);
    return count == 0 && names[0] ? 1 : count;
}

char *function_suggestion(const char *name)
{
    const char *names[MOST_SUGGESTED];
    size_t count = find_suggested(name, names);
    struct text text = {0};
    for (size_t i = 0; i < count; i++)
        text_append(&text, "%s%s",
                    i == 0          ? ": did you mean "
                    : i + 1 < count ? ", "
                                    : " or ",
                    names[i]);
    text_append(&text, "%s", count > 0 ? "?" : "");
    return text_take(&text);
}

/* ---- Several at once ---- */

bool function_is_folded(const char *text)
{
    const char *open = strchr(text, '{');
    return open && strchr(open, '}');
}

/* The end of a word in braces: its comma or closing brace; NULL: none. */
static const char *end_of_word(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        if (depth == 0 && (*text == ',' || *text == '}'))
            return text;
        depth += (*text == '{') - (*text == '}');
    }
    return NULL;
}

char **function_unfold(const char *text, size_t *count)
{
    char **names = memory_zeroed(1, sizeof *names);
    const char *open = strchr(text, '{'), *close = open;

    names[0] = memory_text(text);
    *count = 1;
    while (close && *close != '}')
        close = end_of_word(close + 1);
    if (!close)
        return names;
    free(names[0]);
    *count = 0;
    for (const char *word = open; word != close; word = end_of_word(word + 1)) {
        const char *end = end_of_word(word + 1);
        char *one = text_format("%.*s%.*s%s", (int)(open - text), text, (int)(end - word - 1),
                                word + 1, close + 1);
        size_t more;
        char **further = function_unfold(one, &more);
        names = memory_resize_array(names, *count + more, sizeof *names);
        memcpy(names + *count, further, more * sizeof *names);
        *count += more;
        free(further);
        free(one);
    }
    return names;
}

/* ---- Patterns ---- */

bool function_is_pattern(const char *text)
{
    return strpbrk(text, "*?[");
}

bool function_fits_pattern(const struct measurement *function, const char *pattern)
{
    const char *rest = short_name(function);
    return fnmatch(pattern, function->name, FNM_CASEFOLD) == 0 ||
           (rest && fnmatch(pattern, rest, FNM_CASEFOLD) == 0);
}
