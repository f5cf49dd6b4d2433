/* The commands dump and merge: every event, PE by PE or in the order of time. */
#include <stddef.h>

#include "trace/read/event_out.h"
#include "trace/read/reader.h"

typedef void event_writer(FILE *, const struct trace_file *, const struct trace_event *,
                          const char *site);

/* What the options ask for, or else `usual`; with the header of CSV. */
static event_writer *begin(struct reader *reader, event_writer *usual)
{
    bool csv = reader_given(reader, "csv"), json = reader_given(reader, "json");
    if (csv && json)
        reader_fail(reader, 2, "--csv and --json are mutually exclusive");
    event_writer *write = csv ? event_csv : json ? event_json : usual;
    reader_open_output(reader);
    if (write == event_csv)
        event_csv_header(reader->out);
    return write;
}

static void put(event_writer *write, struct source *source, const struct trace_event *event)
{
    struct reader *reader = source->reader;
    write(reader->out, source->file, event, source_site_text(source, event));
    reader_check_written(reader, reader->out, reader->out_name);
}

/* ---- dump ---- */

static int dump(struct reader *reader)
{
    event_writer *write = begin(reader, event_text);
    for (struct source *source = NULL; (source = reader_next(reader, source));) {
        if (write == event_text) {
            event_text_header(reader->out, source->info);
            source_print_teams(source, reader->out);
            event_text_columns(reader->out);
        }
        for (struct trace_event event; source_event(source, -1, &event);)
            put(write, source, &event);
    }
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
    event_writer *write = begin(reader, event_csv);
    struct merge *merge = merge_open(reader, false);
    for (struct merge_event next; merge_next(merge, &next);)
        put(write, next.source, next.event);
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
