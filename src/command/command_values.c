/*
 * Splits values of the command line at commas and colons, and writes them as loops.
 */
#include "command/command_values.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* The next comma or colon outside parentheses and strings, or the end of the text. */
static const char *next_separator(const char *text, bool plain)
{
    int depth = 0;
    bool quoted = false;

    for (; *text; text++) {
        if (*text == '"')
            quoted = !quoted;
        if (quoted)
            continue;
        depth += (strchr("([{", *text) != NULL) - (strchr(")]}", *text) != NULL);
        if (depth == 0 && (*text == ',' || (*text == ':' && !plain)))
            break;
    }
    return text;
}

static char *trimmed(const char *begin, const char *end)
{
    while (begin < end && isspace((unsigned char)*begin))
        begin++;
    while (begin < end && isspace((unsigned char)end[-1]))
        end--;
    return memory_text_part(begin, (size_t)(end - begin));
}

/* NULL, or what is wrong. */
static char *wrong_parts(const struct command_values *values, bool commas, bool colons)
{
    if (commas && colons)
        return text_format("give a list, such as 8,64,1kb, or a range, such as 8:1mb, not both");
    for (int i = 0; i < values->count; i++)
        if (!*values->parts[i])
            return text_format("a value is missing: give one, such as 8, a list, such as "
                               "8,64,1kb, or a range, such as 8:1mb");
    if (colons && values->count > 3)
        return text_format("a range has a start, an end and a step, such as 8:1mb:*4");
    if (colons && values->count == 3 && !strchr("*+-", values->parts[2][0]))
        return text_format("write the step of a range as a factor or a difference: *%s or +%s",
                           values->parts[2], values->parts[2]);
    return NULL;
}

bool command_values_read(const char *text, bool plain, struct command_values *values, char **error)
{
    bool commas = false, colons = false;
    const char *end;

    *values = (struct command_values){.kind = COMMAND_VALUE};
    for (;; text = end + 1) {
        end = next_separator(text, plain);
        values->parts =
            memory_resize_array(values->parts, (size_t)values->count + 1, sizeof *values->parts);
        values->parts[values->count++] = trimmed(text, end);
        commas |= *end == ',';
        colons |= *end == ':';
        if (!*end)
            break;
    }
    values->kind = colons ? COMMAND_RANGE : commas ? COMMAND_LIST : COMMAND_VALUE;
    *error = wrong_parts(values, commas, colons);
    if (*error)
        command_values_release(values);
    return !*error;
}

void command_values_release(struct command_values *values)
{
    for (int i = 0; i < values->count; i++)
        free(values->parts[i]);
    free(values->parts);
    *values = (struct command_values){.kind = COMMAND_VALUE};
}

static void append_range(struct text *text, const char *name, const struct command_values *values,
                         bool doubling, const char *multiple)
{
    const char *step = values->count == 3 ? values->parts[2] : doubling ? "*2" : "+1";

    text_append(text, "for %s = %s to %s step %s", name, values->parts[0], values->parts[1],
                step + (*step == '+'));
    if (multiple)
        text_append(text, " multipleof %s", multiple);
    text_append(text, " do");
}

void command_values_loop(struct text *text, const char *name, const struct command_values *values,
                         bool doubling, bool quoted, const char *multiple)
{
    const char *quote = quoted ? "\"" : "";

    if (values->kind == COMMAND_RANGE) {
        append_range(text, name, values, doubling, multiple);
        return;
    }
    text_append(text, "for %s in [", name);
    for (int i = 0; i < values->count; i++)
        text_append(text, "%s%s%s%s", i ? ", " : "", quote, values->parts[i], quote);
    text_append(text, "] do");
}
