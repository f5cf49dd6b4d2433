/* The key of a point: an array of JSON. */
#include "output/known_key.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "base/memory.h"
#include "output/record.h"

char *known_key(const struct result_point *point)
{
    char *key;
    size_t size;
    FILE *text = memory_stream(&key, &size);
    fputc('[', text);
    json_string(text, point->block);
    fputc(',', text);
    json_string(text, point->text);
    fprintf(text, ",%zu,", point->pes);
    json_string(text, point->members ? point->members : "");
    for (size_t i = 0; i < point->variable_count; i++) {
        const struct result_variable *variable = &point->variables[i];
        if (variable_hidden(point, i))
            continue;
        fputc(',', text);
        json_string(text, variable->name);
        fputc(':', text);
        if (json_is_number(variable->value))
            json_number(text, strtod(variable->value, NULL));
        else
            json_string(text, variable->value);
    }
    fputc(']', text);
    if (fclose(text) != 0)
        memory_missing();
    return key;
}
