/* The text that identifies a point. */
#include "output/result.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "output/record.h"

/* Block and variables. Numbers are written by their value, so that the engine and readers of files
 * make one text of them. */
static void put_head(FILE *text, const struct result_point *point)
{
    json_string(text, point->block ? point->block : "");
    for (size_t i = 0; i < point->variable_count; i++) {
        const struct result_variable *variable = &point->variables[i];
        if (variable_hidden(point, i))
            continue;
        fprintf(text, " %s=", variable->name);
        if (json_is_number(variable->value))
            json_number(text, strtod(variable->value, NULL) + 0.0); /* no -0 */
        else
            json_string(text, variable->value);
    }
    fputs(": ", text);
}

char *point_start(const struct result_point *point)
{
    static const char *const starts[][2] = {
        {"window", "window start"}, {"barrier", "barrier start"}, {"none", "no synchronization"}};
    const char *rule = point->window_rule, *start = "";
    for (size_t i = 0; point->synchronization && i < sizeof starts / sizeof *starts; i++)
        if (strcmp(point->synchronization, starts[i][0]) == 0)
            start = starts[i][1];
    if (!rule || !*rule || strcmp(rule, "classic") == 0)
        return memory_text(start);
    return text_format("%s (%s)", start, rule);
}

static void put_set(FILE *text, const struct result_point *point)
{
    fprintf(text, "; %zu PE%s", point->pes, numbers_plural(point->pes));
    if (point->members && *point->members)
        fprintf(text, " %s", point->members);
    if (point->placement && *point->placement)
        fprintf(text, " %s", point->placement);
}

/* Appends the part of the text after block and variables. */
static void put_stated(FILE *text, const struct result_point *point)
{
    char *start = point_start(point);
    fputs(point->text, text);
    put_set(text, point);
    if (*start)
        fprintf(text, "; %s", start);
    if (point->run_time && strcmp(point->run_time, "global") == 0)
        fputs("; global run time", text);
    for (size_t i = 0; i < point->setting_count; i++)
        fprintf(text, "; %s", point->settings[i]);
    if (point->number > 1)
        fprintf(text, "; no. %zu", point->number);
    free(start);
}

char *point_text(const struct result_point *point)
{
    char *name;
    size_t size;
    FILE *text = memory_stream(&name, &size);
    put_head(text, point);
    put_stated(text, point);
    if (fclose(text) != 0)
        memory_missing();
    return name;
}
