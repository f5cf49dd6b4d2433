/* shmemtrace explain: says what was found. */
#include "trace/explain/command.h"

#include "trace/explain/explain.h"

static int explain_run(struct reader *reader)
{
    struct explain explain;
    const char *path = reader_given(reader, "json");
    explain_begin(&explain, reader);
    reader_open_output(reader);
    FILE *json = path ? reader_create(reader, path) : NULL;
    explain_find(&explain);
    print_screen(&explain, reader->out);
    if (json) {
        write_json(&explain, SIZE_MAX, json);
        reader_close_written(reader, json, path);
    }
    int status = reader_status(reader);
    explain_free(&explain);
    return status;
}

static const struct manual_option options[] = {
    {.name = "json", .value = "FILE", .help = "write all that was found as JSON, too"},
    {0},
};

const struct reader_command explain_command = {
    .name = "explain",
    .summary = "Says who waits for whom, why, and what helps.",
    .options = options,
    .window = true,
    .output = true,
    .notes = "",
    .run = explain_run,
};
