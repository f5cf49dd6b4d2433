/*
 * The JSON Object Format of Chrome's trace viewer ("Trace Event Format"), which Perfetto reads,
 * too: a process a PE, a track a thread, a complete event ("X") a call. The other side of a put or
 * get has no call that an arrow could end at, so each PE has one more track with what others do to
 * its memory.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/json.h"
#include "trace/event_out.h"
#include "trace/export.h"

#define MEMORY_TRACK 1000000 /* number of the track of what others do, beyond all threads */

struct chrome {
    struct reader *reader;
    FILE *out;
    const char *path;
    double origin;
    uint64_t arrows; /* so far */
    const char *separator;
    int pes;
    bool *named; /* by PE: whether its memory's track has got its name */
};

static void begin(struct chrome *chrome, const char *phase, int64_t pe, uint32_t track)
{
    fprintf(chrome->out, "%s\n{\"ph\":\"%s\",\"pid\":%" PRId64 ",\"tid\":%" PRIu32,
            chrome->separator, phase, pe, track);
    chrome->separator = ",";
}

/* Microseconds, to the nanosecond. */
static void time_member(struct chrome *chrome, const char *name, uint64_t ns)
{
    fprintf(chrome->out, ",\"%s\":%" PRIu64 ".%03" PRIu64, name, ns / 1000, ns % 1000);
}

static void name_record(struct chrome *chrome, const char *kind, int64_t pe, uint32_t track,
                        const char *name)
{
    begin(chrome, "M", pe, track);
    fprintf(chrome->out, ",\"name\":\"%s\",\"args\":{\"name\":", kind);
    json_string(chrome->out, name);
    fputs("}}", chrome->out);
}

static void name_pe(struct chrome *chrome, const struct source *source)
{
    const struct trace_info *info = source->info;
    char name[300];
    snprintf(name, sizeof name, "PE %d on %.200s", info->pe, info->host);
    name_record(chrome, "process_name", info->pe, 0, name);
    begin(chrome, "M", info->pe, 0);
    fprintf(chrome->out, ",\"name\":\"process_sort_index\",\"args\":{\"sort_index\":%d}}",
            info->pe);
    for (int thread = 0; thread < info->threads; thread++) {
        if (!reader_wants_thread(chrome->reader, thread))
            continue;
        snprintf(name, sizeof name, "thread %d", thread);
        name_record(chrome, "thread_name", info->pe, (uint32_t)thread, name);
    }
}

/* s: an arrow begins here; f: it ends here. */
static void arrow_end(struct chrome *chrome, const char *phase, int64_t pe, uint32_t track,
                      uint64_t ns)
{
    begin(chrome, phase, pe, track);
    time_member(chrome, "ts", ns);
    fprintf(chrome->out, ",\"id\":%" PRIu64 ",\"name\":\"transfer\",\"cat\":\"transfer\"%s}",
            chrome->arrows, *phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void arrow(struct chrome *chrome, const struct source *source,
                  const struct trace_event *event, uint64_t start, uint64_t end)
{
    const struct trace_routine *routine = source_routine(source, event);
    enum transfer transfer = trace_transfer(routine);
    int64_t peer = event_value(event, TRACE_PEER, -1);
    if (transfer == TRANSFER_NONE || peer < 0 || peer >= chrome->pes)
        return;
    if (!chrome->named[peer]) {
        chrome->named[peer] = true;
        name_record(chrome, "thread_name", peer, MEMORY_TRACK, "memory");
    }
    bool from_peer = transfer == TRANSFER_FROM_PEER;
    uint64_t there = from_peer ? start : end;
    /* Inside of the call, whose last nanosecond may be its first. */
    uint64_t here = from_peer && end > start ? end - 1 : start;
    chrome->arrows++;
    begin(chrome, "X", peer, MEMORY_TRACK);
    time_member(chrome, "ts", there);
    fprintf(chrome->out, ",\"dur\":0.001,\"name\":\"%s PE %d\",\"cat\":\"memory\",\"args\":{",
            from_peer                   ? "read by"
            : transfer == TRANSFER_BOTH ? "changed by"
                                        : "written by",
            source->info->pe);
    fprintf(chrome->out, "\"bytes\":%" PRId64 "}}", event_value(event, TRACE_BYTES, 0));
    if (from_peer) {
        arrow_end(chrome, "s", peer, MEMORY_TRACK, there);
        arrow_end(chrome, "f", source->info->pe, event->thread, here);
    } else {
        arrow_end(chrome, "s", source->info->pe, event->thread, here);
        arrow_end(chrome, "f", peer, MEMORY_TRACK, there);
    }
}

static void chrome_event(struct chrome *chrome, const struct source *source,
                         const struct trace_event *event)
{
    const struct trace_routine *routine = source_routine(source, event);
    uint64_t start = export_ns(source, event->start, chrome->origin),
             end = export_ns(source, event_end(event), chrome->origin);
    end = end < start ? start : end;
    begin(chrome, "X", source->info->pe, event->thread);
    time_member(chrome, "ts", start);
    time_member(chrome, "dur", end - start);
    fputs(",\"name\":", chrome->out);
    json_string(chrome->out, routine->name);
    fprintf(chrome->out, ",\"cat\":\"%s\",\"args\":{", trace_class_name(routine->class));
    event_json_parameters(chrome->out, source->file, event);
    fputs("}}", chrome->out);
    arrow(chrome, source, event, start, end);
}

static void chrome_source(struct chrome *chrome, struct source *source)
{
    const struct trace_info *info = source->info;
    if (info->pes > chrome->pes) {
        chrome->named = reader_allocate(chrome->named, (size_t)info->pes, sizeof *chrome->named);
        memset(chrome->named + chrome->pes, 0,
               (size_t)(info->pes - chrome->pes) * sizeof *chrome->named);
        chrome->pes = info->pes;
    }
    name_pe(chrome, source);
    struct trace_cursor *cursor = trace_events(source->file, -1);
    struct trace_event event;
    while (source_next(source, cursor, &event)) {
        chrome_event(chrome, source, &event);
        reader_check_written(chrome->reader, chrome->out, chrome->path);
    }
    trace_cursor_free(cursor);
    source_ended(source);
}

void export_chrome(struct reader *reader, const char *path)
{
    bool standard = strcmp(path, "-") == 0;
    struct chrome chrome = {.reader = reader, .path = path, .separator = ""};
    double last;
    chrome.out = standard ? stdout : reader_create(reader, path);
    export_span(reader, false, &chrome.origin, &last);
    fputs("{\"traceEvents\":[", chrome.out);
    for (size_t i = 0; i < reader->count; i++) {
        struct source *source = source_open(reader, i);
        if (source)
            chrome_source(&chrome, source);
        source_close(source);
    }
    fputs("\n],\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"shmemtrace\"}}\n",
          chrome.out);
    reader_close_written(reader, chrome.out, path);
    free(chrome.named);
}
