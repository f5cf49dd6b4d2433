/* The commands dump and merge: every event, PE by PE or in the order of time. */
#include <stddef.h>

#include "trace/read/event_out.h"
#include "trace/read/reader.h"

typedef void event_writer(FILE *, const struct trace_file *, const struct trace_event *,
                          const char *site);

/* NULL: neither --csv nor --json is given. */
static event_writer *writer_given(const struct reader *reader)
{
    bool csv = reader_given(reader, "csv"), json = reader_given(reader, "json");
    if (csv && json)
        reader_fail(reader, 2, "--csv and --json are mutually exclusive");
    return csv ? event_csv : json ? event_json : NULL;
}

/* ---- dump ---- */

static void dump_source(struct source *source, event_writer *write, bool text)
{
    struct reader *reader = source->reader;
    if (text) {
        event_text_header(reader->out, source->info);
        source_print_teams(source, reader->out);
        event_text_columns(reader->out);
    }
    struct trace_event event;
    while (source_event(source, -1, &event)) {
        write(reader->out, source->file, &event, source_site_text(source, &event));
        reader_check_written(reader, reader->out, reader->out_name);
    }
}

static int dump(struct reader *reader)
{
    event_writer *given = writer_given(reader);
    reader_open_output(reader);
    if (given == event_csv)
        event_csv_header(reader->out);
    for (struct source *source = NULL; (source = reader_next(reader, source));)
        dump_source(source, given ? given : event_text, !given);
    return reader_status(reader);
}

static const struct manual_option dump_options[] = {
    {.name = "csv", .help = "comma-separated values, with a header line"},
    {.name = "json", .help = "JSON Lines: one object per event"},
    {0},
};

const struct reader_command dump_command = {
    .name = "dump",
    .summary = "Prints every event, PE by PE, with all parameters and times.",
    .options = dump_options,
    .filters = true,
    .output = true,
    .notes = "Times are in seconds. Starts count from a beginning common to all PEs. Burst is "
             "the\ntime since the end of the thread's previous call.\n\n",
    .run = dump,
};

/* ---- merge ---- */

static int merge(struct reader *reader)
{
    event_writer *given = writer_given(reader), *write = given ? given : event_csv;
    reader_open_output(reader);
    if (write == event_csv)
        event_csv_header(reader->out);
    struct merge *merge = merge_open(reader, false);
    struct merge_event next;
    while (merge_next(merge, &next)) {
        write(reader->out, next.source->file, next.event,
              source_site_text(next.source, next.event));
        reader_check_written(reader, reader->out, reader->out_name);
    }
    merge_close(merge);
    return reader_status(reader);
}

static const struct manual_option merge_options[] = {
    {.name = "csv", .help = "comma-separated values, as dump writes them (default)"},
    {.name = "json", .help = "JSON Lines, as dump writes them"},
    {0},
};

const struct reader_command merge_command = {
    .name = "merge",
    .summary = "Prints the events of all PEs and threads as one stream, ordered by start time.",
    .options = merge_options,
    .filters = true,
    .output = true,
    .notes = "",
    .run = merge,
};
