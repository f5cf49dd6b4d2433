/* Takes command lines apart. */
#define _GNU_SOURCE /* getopt_long */
#include "base/command_line.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "base/closest.h"
#include "base/memory.h"
#include "base/text.h"

#define LONG_KEYS                                                                                  \
    256 /* getopt_long() returns this plus the number of the row: beyond all letters */

static size_t row_of(const struct manual_option *rows, size_t count, int key)
{
    if (key >= LONG_KEYS)
        return (size_t)(key - LONG_KEYS);
    for (size_t i = 0; i < count; i++)
        if (key && rows[i].letter == key)
            return i;
    return count;
}

static char *unknown(const struct manual_option *rows, size_t count, const char *option,
                     const char *help)
{
    const char **names = memory_zeroed(count + 1, sizeof *names);
    const char *begin = option + strspn(option, "-");
    char *name = text_format("%.*s", (int)strcspn(begin, "="), begin);
    for (size_t i = 0; i < count; i++)
        names[i] = rows[i].name;
    const char *closest = closest_name(name, names, count);
    char *error = text_format("unknown or ambiguous option %s%s%s%s %s lists them", option,
                              closest ? ": did you mean --" : ";", closest ? closest : "",
                              closest ? "?" : "", help);
    free(name);
    free(names);
    return error;
}

int command_line_parse(const struct manual_option *rows, size_t count, const char *help, int argc,
                       char **argv, void (*take)(void *context, size_t row, const char *value),
                       void *context, char **error)
{
    struct option *table = memory_zeroed(count + 1, sizeof *table);
    struct text letters = {0};
    text_append(&letters, ":");
    for (size_t i = 0; i < count; i++) {
        int value = rows[i].optional ? optional_argument
                    : rows[i].value  ? required_argument
                                     : no_argument;
        table[i] = (struct option){rows[i].name, value, NULL, LONG_KEYS + (int)i};
        if (rows[i].letter)
            text_append(&letters, "%c%.*s", rows[i].letter, value, "::");
    }
    opterr = 0;
    optind = 0;
    *error = NULL;
    for (int key; !*error && (key = getopt_long(argc, argv, letters.data, table, NULL)) != -1;) {
        char letter[] = {'-', (char)optopt, '\0'};
        const char *word = optopt && optopt < LONG_KEYS ? letter : argv[optind - 1];
        if (key == ':')
            *error = text_format("option %s needs a value", word);
        else if (key == '?' && row_of(rows, count, optopt) < count)
            *error = text_format("option %s takes no value", argv[optind - 1]);
        else if (key == '?')
            *error = unknown(rows, count, word, help);
        else
            take(context, row_of(rows, count, key), optarg);
    }
    free(table);
    text_release(&letters);
    return optind;
}
