/* All passes over a trace. The first one finds which PEs and threads there are, when the program
 * has started and ends, what is waited for, how quick atomics can be, and which calls begin
 * iterations.
 */
#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/explain/step.h"

#define FETCHES 3 /* equal fetches in a row that may be a loop */

/* A row of equal fetches. */
struct row {
    int64_t peer, place;
    uint64_t count;
};

/* Notes what the event may wait for. */
static void see_flag(struct explain *explain, int pe, const struct routine_kind *kind,
                     const struct trace_event *event, struct row *row)
{
    flags_wait(&explain->flags, kind, pe, event);
    uint64_t bytes = fetch_bytes(kind, event);
    if (bytes == 0) {
        if (kind->kind != OP_QUIET && kind->kind != OP_FENCE)
            row->count = 0;
        return;
    }
    int64_t place = fetch_place(kind, event), peer = event_value(event, TRACE_PEER, -1);
    bool same = row->count && row->peer == peer && row->place == place;
    *row = (struct row){peer, place, same ? row->count + 1 : 1};
    if (row->count == FETCHES)
        flag_list_add(&explain->flags.list, peer, (uint64_t)place, bytes);
}

static void survey_thread(struct explain *explain, struct source *source, int thread)
{
    struct trace_event event;
    struct row row = {0};
    bool first = thread == 0 && explain->first_line[source->index] == 0;
    while (trace_source_event(source, thread, &event)) {
        const struct routine_kind *kind = kinds_find(&explain->kinds, source, &event);
        uint32_t spot = spot_of(explain, source, &event);
        double start = trace_seconds(source->file, event.start),
               end = trace_seconds(source->file, event_end(&event));
        explain->first = fmin(explain->first, start);
        explain->last = fmax(explain->last, end);
        if (kind->start)
            explain->from = fmax(explain->from, end);
        if (kind->flags & OP_LAST)
            explain->to = fmax(explain->to, start);
        if (kind->kind == OP_ATOMIC && end > start &&
            event_value(&event, TRACE_PEER, source->info->pe) != source->info->pe) {
            double *quickest = memory_element(explain->quickest, spot, &explain->quickest_room);
            *quickest = *quickest == 0 || end - start < *quickest ? end - start : *quickest;
        }
        see_flag(explain, source->info->pe, kind, &event, &row);
        table_number(&explain->phases, &event.phase, sizeof event.phase);
        if (first && !kind->start && !kind->end && !call_polls(kind, &event))
            explain_iterations_see(explain->iterations, spot, start);
    }
}

static void add_lines(struct explain *explain, const struct source *source)
{
    int pe = source->info->pe, threads = source->info->threads > 0 ? source->info->threads : 1;
    if (source->info->pes > explain->pes) {
        explain->pe = memory_resize_array(explain->pe, source->info->pes, sizeof *explain->pe);
        for (int i = explain->pes; i < source->info->pes; i++)
            explain->pe[i] = (struct explain_pe){.line = NOBODY};
        explain->pes = source->info->pes;
    }
    explain->first_line[source->index] = explain->line_count;
    explain->pe[pe].line = explain->line_count;
    explain->lines = memory_resize_array(explain->lines, explain->line_count + (uint32_t)threads,
                                         sizeof *explain->lines);
    for (int thread = 0; thread < threads; thread++)
        explain->lines[explain->line_count++] = (struct line){
            .pe = pe, .thread = (uint32_t)thread, .call = {.spot = INT32_MAX}, .atomic_peer = -1};
}

void explain_begin(struct explain *explain, struct reader *reader)
{
    /* The window lies between start, when all have started, and finalize, when the last one does.
     */
    *explain = (struct explain){
        .reader = reader, .first = INFINITY, .last = -INFINITY, .from = -INFINITY, .to = -INFINITY};
    reader->windowed = false; /* a wait inside the window may be for a write before it */
    explain->first_line = memory_zeroed(reader->count, sizeof *explain->first_line);
    explain->iterations = memory_zeroed(1, sizeof *explain->iterations);
    for (struct source *source = NULL; (source = reader_next(reader, source));) {
        add_lines(explain, source);
        for (int thread = 0; thread < source->info->threads; thread++)
            survey_thread(explain, source, thread);
    }
    reader_status(reader);
    flags_sort(&explain->flags, (size_t)explain->pes);
    explain_iterations_decide(explain->iterations);
    explain->from = isfinite(explain->from) ? explain->from : explain->first;
    explain->to = isfinite(explain->to) ? explain->to : explain->last;
    explain->start = explain->from - explain->first;
    explain->finalize = explain->last - explain->to;
    explain->from = fmax(explain->from, reader->from);
    explain->to = fmin(explain->to, reader->to);
    if (!(explain->to > explain->from))
        reader_fail(reader, 2,
                    isfinite(reader->from) || isfinite(reader->to)
                        ? "no time of the program lies between --from and --to"
                        : "the program makes no calls between its start and its end");
}

/* ---- All passes ---- */

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
                              &explain->findings, &explain->stays,  &explain->locks,
                              &explain->sums};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        table_free(tables[i]);
    void *arrays[] = {explain->pe,       explain->first_line, explain->lines,
                      explain->quickest, explain->progress,   explain->waits,
                      explain->parts,    explain->atomics,    explain->spot_cache};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
    flags_free(&explain->flags);
    meetings_free(explain);
    explain_iterations_free(explain->iterations);
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
