#include "trace/explain/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct routine_kind *kinds_read(struct kinds *last, const struct source *source,
                                struct table *routines)
{
    char *text = NULL;
    size_t length;
    FILE *out = memory_stream(&text, &length);
    for (uint32_t i = 0; i < source->info->routines; i++)
        fprintf(out, "%s %d\n", trace_routine(source->file, i)->name,
                (int)trace_routine(source->file, i)->fields);
    fclose(out);
    if (last->names && strcmp(last->names, text) == 0) {
        free(text);
        return last->of;
    }
    free(last->names);
    last->names = text;
    last->of = memory_zeroed(source->info->routines, sizeof *last->of);
    if (source->info->routines)
        routine_kinds(trace_routine(source->file, 0), source->info->routines, source->info->format,
                      routines, last->of);
    return last->of;
}

void kinds_free(struct routine_kind **by_file, size_t count)
{
    const struct routine_kind *freed = NULL; /* files in a row share them */
    for (size_t i = 0; by_file && i < count; i++)
        if (by_file[i] && by_file[i] != freed) {
            freed = by_file[i];
            free(by_file[i]);
        }
    free(by_file);
}
