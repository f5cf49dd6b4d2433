/* All passes over a trace, in their order. */
#include <stdlib.h>

#include "trace/explain/step.h"

void explain_begin(struct explain *explain, struct reader *reader)
{
    *explain = (struct explain){.reader = reader};
    reader->windowed = false; /* a wait inside the window may be for a write before it */
    survey(explain);
}

void explain_find(struct explain *explain)
{
    follow(explain);
    charge(explain);
    find_path(explain);
}

void explain_free(struct explain *explain)
{
    kinds_free(&explain->kinds);
    for (uint32_t i = 0; i < explain->line_count; i++) {
        struct line *line = &explain->lines[i];
        free(line->past.segments);
        free(line->shares);
        free(line->spent);
        free(line->waits);
    }
    struct finding *findings = explain->findings.values;
    for (size_t i = 0; i < explain->findings.count; i++) {
        free(findings[i].waited);
        free(findings[i].blamed);
    }
    struct table *tables[] = {&explain->spots,    &explain->phases, &explain->pair_met,
                              &explain->findings, &explain->stays,  &explain->locks};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        table_free(tables[i]);
    void *arrays[] = {explain->pe,       explain->first_line, explain->lines,
                      explain->quickest, explain->progress,   explain->waits,
                      explain->parts,    explain->atomics,    explain->spot_cache};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    flags_free(&explain->flags);
    meetings_free(explain);
    iterations_free(explain->iterations);
}

/* ---- shmemtrace explain ---- */

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
