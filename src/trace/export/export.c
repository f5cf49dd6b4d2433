/* shmemtrace export: which formats, of which part of the trace; and what the formats share. */
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

/* ---- The command ---- */

static const struct {
    const char *option;
    void (*run)(struct reader *, const char *path);
} formats[] = {{"otf2", export_otf2},
               {"chrome", export_chrome},
               {"perfetto", export_perfetto},
               {"paraver", export_paraver},
               {"goal", export_goal}};
#define FORMATS (sizeof formats / sizeof *formats)

static int export_run(struct reader *reader)
{
    bool any = false;
    for (size_t i = 0; i < FORMATS; i++) {
        const char *path = reader_given(reader, formats[i].option);
        if (path && !*path)
            reader_fail(reader, 2, "--%s needs a name", formats[i].option);
        if (path)
            formats[i].run(reader, path);
        any = any || path;
    }
    if (!any)
        reader_fail(
            reader, 2,
            "say what to write: --otf2 FOLDER, --chrome FILE, --perfetto FILE, --paraver NAME or "
            "--goal FILE");
    int status = reader_status(reader);
    if (reader->windowed && reader->kept == 0)
        reader_fail(reader, 2, "no selected call lies between --from and --to");
    return status;
}

static const struct manual_option options[] = {
    {.name = "otf2", .value = "FOLDER", .help = "OTF2, for Vampir, Scalasca, otf2-print"},
    {.name = "chrome", .value = "FILE", .help = "Trace Event JSON, for ui.perfetto.dev and Chrome"},
    {.name = "perfetto",
     .value = "FILE",
     .help = "Perfetto's own format, for ui.perfetto.dev: much smaller than --chrome"},
    {.name = "paraver", .value = "NAME", .help = "NAME.prv, NAME.pcf, NAME.row for Paraver"},
    {.name = "goal",
     .value = "FILE",
     .help = "a GOAL schedule of messages, for LogGOPSim and ATLAHS"},
    {0},
};

const struct reader_command export_command = {
    .name = "export",
    .summary = "Converts a trace to the formats of other tools.",
    .options = options,
    .filters = true,
    .window = true,
    .creates = true,
    .notes = "",
    .run = export_run,
};
