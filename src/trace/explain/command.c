#include "trace/explain/command.h"

#include <stdlib.h>

#include "trace/explain/iterations.h"
#include "trace/explain/locks.h"
#include "trace/explain/meetings.h"

static void release(struct explain *explain)
{
    const struct routine_kind *freed = NULL; /* files in a row share them; some have none */
    for (size_t i = 0; i < explain->reader->count; i++)
        if (explain->kinds[i] && explain->kinds[i] != freed) {
            freed = explain->kinds[i];
            free(explain->kinds[i]);
        }
    for (uint32_t i = 0; i < explain->line_count; i++) {
        struct line *line = &explain->lines[i];
        free(line->past.segments);
        free(line->shares);
        free(line->spent);
        free(line->waits);
    }
    for (size_t i = 0; i < explain->finding_count; i++) {
        free(explain->findings[i].waited);
        free(explain->findings[i].blamed);
    }
    struct table *tables[] = {&explain->routines, &explain->spots,        &explain->phases,
                              &explain->pairs,    &explain->finding_keys, &explain->stay_keys};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        table_free(tables[i]);
    void *arrays[] = {explain->pe,       explain->first_line, explain->lines,    explain->kinds,
                      explain->quickest, explain->progress,   explain->waits,    explain->parts,
                      explain->pair_met, explain->atomics,    explain->findings, explain->stays,
                      explain->command,  explain->spot_cache};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    flags_free(explain->flags);
    meetings_free(explain);
    locks_free(explain->locks);
    iterations_free(explain->iterations);
}

static int explain_run(struct reader *reader)
{
    struct explain explain = {.reader = reader};
    const char *path = reader_given(reader, "json");
    reader_window(reader);
    reader->windowed = false; /* what lies before the window may be what a wait in it is for */
    survey(&explain);
    FILE *json = path ? reader_create(reader, path) : NULL;
    follow(&explain);
    charge(&explain);
    find_path(&explain);
    print_screen(&explain, reader->out);
    if (json) {
        write_json(&explain, json);
        reader_close_written(reader, json, path);
    }
    int status = reader_status(reader);
    release(&explain);
    return status;
}

static const struct manual_option options[] = {
    {.name = "from",
     .value = "SECONDS",
     .help = "only time from then on, in seconds as dump shows"},
    {.name = "to", .value = "SECONDS", .help = "only time until then"},
    {.name = "json", .value = "FILE", .help = "write all that was found as JSON, too"},
    {0},
};

const struct reader_command explain_command = {
    .name = "explain",
    .summary = "Says who waits for whom, why, and what helps.",
    .options = options,
    .output = true,
    .notes = "",
    .run = explain_run,
};
