/* Functions that the exports to other tools' formats share. */
#define _GNU_SOURCE
#include "trace/export/export.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"

void export_span(struct reader *reader, bool whole, double *first, double *last)
{
    *first = INFINITY;
    *last = -INFINITY;
    for (struct source *source = NULL; (source = reader_next(reader, source));) {
        for (int thread = 0; thread < source->info->threads; thread++) {
            if (!reader_wants_thread(reader, thread))
                continue;
            struct trace_cursor *cursor = trace_events(source->file, thread);
            struct trace_event event;
            /* Damage is reported when events are read for the output. */
            while (trace_next(cursor, &event) > 0) {
                *first = fmin(*first, trace_seconds(source->file, event.start));
                *last = fmax(*last, trace_seconds(source->file, event_end(&event)));
                if (!whole)
                    break;
            }
            trace_cursor_free(cursor);
        }
    }
    if (*first == INFINITY)
        *first = *last = 0;
}

uint64_t export_ns(const struct source *source, int64_t ticks, double origin)
{
    double ns = rint(1e9 * (trace_seconds(source->file, ticks) - origin));
    return ns > 0 && ns < 9e18 ? (uint64_t)ns : 0;
}

char *export_name(const char *text)
{
    static const char replacement[] = JSON_REPLACEMENT;
    size_t length = strlen(text);
    char *name = memory_zeroed(length * sizeof replacement + 1, 1), *to = name;
    for (size_t i = 0; i < length;) {
        size_t size = json_character(text + i, length - i);
        if (size == 0)
            to = stpcpy(to, replacement);
        else if ((unsigned char)text[i] < ' ' || text[i] == 127)
            *to++ = '?';
        else
            to = mempcpy(to, text + i, size);
        i += size ? size : 1;
    }
    *to = '\0';
    return name;
}
