#include <stddef.h>

#include "trace/read/event_out.h"
#include "trace/read/reader.h"

typedef void event_writer(FILE *, const struct trace_file *, const struct trace_event *);

static void dump_source(struct source *source, event_writer *write, bool text)
{
    struct reader *reader = source->reader;
    if (text) {
        event_text_header(reader->out, source->info);
        source_print_teams(source, reader->out);
        event_text_columns(reader->out);
    }
    struct trace_cursor *cursor = trace_events(source->file, -1);
    struct trace_event event;
    while (source_next(source, cursor, &event)) {
        write(reader->out, source->file, &event);
        reader_check_written(reader, reader->out, reader->out_name);
    }
    trace_cursor_free(cursor);
    source_ended(source);
}

static int dump(struct reader *reader)
{
    bool csv = reader_given(reader, "csv"), json = reader_given(reader, "json");
    if (csv && json)
        reader_fail(reader, 2, "--csv and --json: one of them");
    if (csv)
        event_csv_header(reader->out);
    for (size_t i = 0; i < reader->count; i++) {
        struct source *source = source_open(reader, i);
        if (source)
            dump_source(source, csv ? event_csv : json ? event_json : event_text, !csv && !json);
        source_close(source);
    }
    return reader_status(reader);
}

static const struct reader_option options[] = {
    {"csv", 0, NULL, "comma-separated values, with a line of names"},
    {"json", 0, NULL, "JSON Lines: one object an event"},
    {0},
};

const struct reader_command dump_command = {
    .name = "dump",
    .summary = "Every event, PE by PE, with all parameters and times.",
    .options = options,
    .filters = true,
    .output = true,
    .notes =
        "Times are in seconds, starts since the beginning that all PEs have in common; burst is\n"
        "the time since the end of the thread's call before.\n\n",
    .run = dump,
};
