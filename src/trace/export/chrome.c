/* The JSON Object Format of Chrome's trace viewer ("Trace Event Format"), which Perfetto reads,
 * too. Each PE is a process, each thread a track, each call a complete event ("X"). On the other
 * side of a put or get there is no call at which an arrow could end, so each PE has one more track,
 * with what others do to its memory. Readers find the ends of an arrow in different ways. All of
 * them find an end that is exactly at the start of an event and has its category, if both ends have
 * different times. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/memory.h"
#include "trace/export/export.h"
#include "trace/read/event_out.h"

#define MEMORY_TRACK 1000000 /* number of the track of what others do, beyond all threads */
/* ns that the first event starts at: what is at 0 has no time for some readers, and a get is read
 * at its peer 1 ns before. */
#define LEAD 2
#define LARGE                                                                                      \
    100e6 /* bytes: users are warned of larger files, since viewers hold all in memory             \
           */

struct chrome {
    struct reader *reader;
    FILE *out;
    const char *path;
    double origin, last; /* seconds: the first call begins, the last one ends */
    uint64_t arrows;     /* so far */
    const char *separator;
    bool *touched; /* by PE: whether there is something on its track of memory */
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
    json_print(chrome->out, ",'name':%s,'args':{'name':%s}}", kind, name);
}

static void name_pe(struct chrome *chrome, int pe, const char *on, const char *host)
{
    char name[320];
    snprintf(name, sizeof name, "PE %d%s%s", pe, on, host);
    name_record(chrome, "process_name", pe, 0, name);
    begin(chrome, "M", pe, 0);
    json_print(chrome->out, ",'name':'process_sort_index','args':{'sort_index':%d}}", pe);
}

/* s: an arrow begins here; f: it ends here. */
static void arrow_end(struct chrome *chrome, const char *phase, int64_t pe, uint32_t track,
                      uint64_t ns, const char *category)
{
    begin(chrome, phase, pe, track);
    time_member(chrome, "ts", ns);
    fprintf(chrome->out, ",\"id\":%" PRIu64 ",\"name\":\"transfer\",\"cat\":\"%s\"%s}",
            chrome->arrows, category, *phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void arrow(struct chrome *chrome, const struct source *source,
                  const struct trace_event *event, uint64_t start, uint64_t end)
{
    static const char *const done[] = {
        [TRANSFER_TO_PEER] = "written", [TRANSFER_FROM_PEER] = "read", [TRANSFER_BOTH] = "changed"};
    const struct trace_routine *routine = trace_source_routine(source, event);
    const char *category = trace_class_names[routine->class];
    enum transfer transfer = trace_transfer(routine);
    int64_t peer = event_value(event, TRACE_PEER, -1);
    if (transfer == TRANSFER_NONE || peer < 0 || peer >= chrome->reader->run->pes)
        return;
    chrome->touched[peer] = true;
    bool from_peer = transfer == TRANSFER_FROM_PEER;
    uint64_t there = from_peer ? start - 1 : end > start ? end : start + 1;
    chrome->arrows++;
    begin(chrome, "X", peer, MEMORY_TRACK);
    time_member(chrome, "ts", there);
    fprintf(chrome->out,
            ",\"dur\":0,\"name\":\"%s by PE %d\",\"cat\":\"%s\",\"args\":{\"bytes\":%" PRId64 "}}",
            done[transfer], source->info->pe, category, event_value(event, TRACE_BYTES, 0));
    if (from_peer) {
        arrow_end(chrome, "s", peer, MEMORY_TRACK, there, category);
        arrow_end(chrome, "f", source->info->pe, event->thread, start, category);
    } else {
        arrow_end(chrome, "s", source->info->pe, event->thread, start, category);
        arrow_end(chrome, "f", peer, MEMORY_TRACK, there, category);
    }
}

static void chrome_event(struct chrome *chrome, struct source *source,
                         const struct trace_event *event)
{
    const struct trace_routine *routine = trace_source_routine(source, event);
    uint64_t start = LEAD + export_ns(source, event->start, chrome->origin),
             end = LEAD + export_ns(source, event_end(event), chrome->origin);
    chrome->last = fmax(chrome->last, trace_seconds(source->file, event_end(event)));
    end = end < start ? start : end;
    begin(chrome, "X", source->info->pe, event->thread);
    time_member(chrome, "ts", start);
    time_member(chrome, "dur", end - start);
    fputs(",\"name\":", chrome->out);
    json_string(chrome->out, routine->name);
    fprintf(chrome->out, ",\"cat\":\"%s\",\"args\":{", trace_class_names[routine->class]);
    event_json_parameters(chrome->out, source->file, event, trace_source_site_text(source, event),
                          true);
    fputs("}}", chrome->out);
    arrow(chrome, source, event, start, end);
}

static void chrome_source(struct chrome *chrome, struct source *source)
{
    const struct trace_info *info = source->info;
    name_pe(chrome, info->pe, " on ", info->host);
    struct trace_event event;
    while (trace_source_event(source, -1, &event)) {
        chrome_event(chrome, source, &event);
        reader_check_written(chrome->reader, chrome->out, chrome->path);
    }
    for (int thread = 0; thread < info->threads; thread++) {
        char name[32];
        if (!reader_wants_thread(chrome->reader, thread))
            continue;
        snprintf(name, sizeof name, "thread %d", thread);
        name_record(chrome, "thread_name", info->pe, (uint32_t)thread, name);
    }
}

/* Says how to get a smaller file. */
static void warn_of_size(const struct chrome *chrome)
{
    off_t bytes = ftello(chrome->out); /* -1: of a pipe */
    if ((double)bytes > LARGE)
        reader_say(chrome->reader,
                   "%s: has %.0f MB, more than viewers load with ease: select a part by --from and "
                   "--to (calls are between %.6g and %.6g s) or --pe",
                   chrome->path, 1e-6 * (double)bytes, chrome->origin, chrome->last);
}

void export_chrome(struct reader *reader, const char *path)
{
    struct chrome chrome = {.reader = reader, .path = path, .separator = ""};
    const struct trace_info *run = reader->run;
    chrome.touched = memory_zeroed((size_t)run->pes, sizeof *chrome.touched);
    chrome.out = reader_create(reader, path);
    export_span(reader, false, &chrome.origin, &chrome.last);
    fputs("{\"traceEvents\":[", chrome.out);
    for (struct source *source = NULL; (source = reader_next(reader, source));)
        chrome_source(&chrome, source);
    /* Names tracks of memory, also on PEs without a file. */
    for (int pe = 0; pe < chrome.reader->run->pes; pe++) {
        if (!chrome.touched[pe])
            continue;
        if (!chrome.reader->has_pe[pe])
            name_pe(&chrome, pe, "", "");
        name_record(&chrome, "thread_name", pe, MEMORY_TRACK, "memory");
    }
    fputs("\n],", chrome.out);
    json_print(
        chrome.out,
        "'displayTimeUnit':'ns','otherData':{'program':'shmemtrace','command':%s,'library':%s,"
        "'library_version':%s,'date':%s,'pes':%d",
        run->command, run->library, run->version, run->date, run->pes);
    fputs("}}\n", chrome.out);
    warn_of_size(&chrome);
    reader_close_written(reader, chrome.out, path);
    free(chrome.touched);
}
