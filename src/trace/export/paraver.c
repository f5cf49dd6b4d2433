/* A trace of Paraver (its "Trace file format"): NAME.prv has states, events and communications in
 * the order of time, NAME.pcf what their numbers mean, NAME.row names. Each PE is a task, each host
 * a node, each thread a processor; the processors of a node have consecutive numbers. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/export/export.h"
#include "trace/read/event_out.h"
#include "trace/read/reader.h"

/* Types of events. */
enum { EVENT_ROUTINE = 64000001, EVENT_CLASS, EVENT_BYTES, EVENT_PEER, EVENT_PHASE, EVENT_SITE };

/* Numbers that Paraver's own configurations know. */
static const struct state {
    int number;
    const char *name;
    int red, green, blue;
} running = {1, "Running", 0, 0, 255},
  states[TRACE_CLASSES] = {
      [TRACE_PUT] = {17, "Memory transfer", 255, 0, 96},
      [TRACE_GET] = {17, "Memory transfer", 255, 0, 96},
      [TRACE_NONBLOCKING] = {10, "Immediate send", 59, 0, 117},
      [TRACE_ATOMIC] = {20, "Remote memory access", 255, 144, 26},
      [TRACE_COLLECTIVE] = {13, "Group communication", 255, 144, 26},
      [TRACE_SYNCHRONIZATION] = {5, "Synchronization", 255, 0, 0},
      [TRACE_CONTEXT] = {15, "Others", 192, 224, 0},
      [TRACE_LOCK] = {9, "Blocked", 0, 137, 0},
      [TRACE_MEMORY] = {15, "Others", 192, 224, 0},
      [TRACE_SETUP] = {15, "Others", 192, 224, 0},
      [TRACE_QUERY] = {15, "Others", 192, 224, 0},
};

/* What the header says of each PE, found before events are written. */
struct task {
    int threads, processor; /* the first of its processors, from 1 */
    size_t node;
};

struct paraver {
    struct reader *reader;
    FILE *out;
    char *path;
    double origin;
    uint64_t length; /* ns */
    uint64_t now;    /* ns, of the last record */
    int pes;
    struct task *tasks;
    int *by_node; /* PEs, those of a node together */
    struct table hosts;
};

static FILE *create(struct paraver *paraver, const char *name, const char *suffix)
{
    free(paraver->path);
    paraver->path = text_format("%s.%s", name, suffix);
    return reader_create(paraver->reader, paraver->path);
}

static void number_processors(struct paraver *paraver)
{
    size_t nodes = paraver->hosts.count;
    int pes = paraver->pes, processor = 1;
    /* By node: the place of its next PE. */
    int *next = memory_zeroed(nodes + 1, sizeof *next);
    for (int pe = 0; pe < pes; pe++)
        next[paraver->tasks[pe].node]++;
    for (size_t i = 1; i <= nodes; i++)
        next[i] += next[i - 1];
    paraver->by_node = memory_zeroed((size_t)pes, sizeof *paraver->by_node);
    for (int pe = 0; pe < pes; pe++)
        paraver->by_node[next[paraver->tasks[pe].node - 1]++] = pe;
    for (int i = 0; i < pes; i++) {
        struct task *task = &paraver->tasks[paraver->by_node[i]];
        task->processor = processor;
        processor += task->threads;
    }
    free(next);
}

static void look_around(struct paraver *paraver)
{
    paraver->pes = paraver->reader->run->pes;
    paraver->tasks = memory_zeroed((size_t)paraver->pes, sizeof *paraver->tasks);
    for (struct source *source = NULL; (source = reader_next(paraver->reader, source));) {
        const struct trace_info *info = source->info;
        struct task *task = &paraver->tasks[info->pe];
        task->threads = info->threads > 0 ? info->threads : 1;
        task->node = 1 + table_text(&paraver->hosts, info->host);
    }
    /* PEs that the trace has no file of are somewhere, too. */
    for (int pe = 0; pe < paraver->pes; pe++) {
        struct task *task = &paraver->tasks[pe];
        if (task->threads == 0)
            *task = (struct task){.threads = 1, .node = 1 + table_number(&paraver->hosts, "?", 2)};
    }
    number_processors(paraver);
}

static void write_header(struct paraver *paraver)
{
    FILE *out = paraver->out;
    char date[32];
    time_t now = time(NULL);
    struct tm broken;
    strftime(date, sizeof date, "%d/%m/%y at %H:%M", localtime_r(&now, &broken));
    size_t nodes = paraver->hosts.count;
    int *processors = memory_zeroed(nodes, sizeof *processors);
    for (int pe = 0; pe < paraver->pes; pe++)
        processors[paraver->tasks[pe].node - 1] += paraver->tasks[pe].threads;
    fprintf(out, "#Paraver (%s):%" PRIu64 "_ns:%zu(", date, paraver->length, nodes);
    for (size_t i = 0; i < nodes; i++)
        fprintf(out, "%s%d", i ? "," : "", processors[i]);
    fprintf(out, "):1:%d(", paraver->pes);
    for (int pe = 0; pe < paraver->pes; pe++)
        fprintf(out, "%s%d:%zu", pe ? "," : "", paraver->tasks[pe].threads,
                paraver->tasks[pe].node);
    fputs(")\n", out);
    free(processors);
}

/* processor:application:task:thread, all counted from 1 */
static void put_object(const struct paraver *paraver, int pe, uint32_t thread)
{
    fprintf(paraver->out, "%d:1:%d:%" PRIu32, paraver->tasks[pe].processor + (int)thread, pe + 1,
            thread + 1);
}

static void put_state(const struct paraver *paraver, int pe, uint32_t thread, uint64_t from,
                      uint64_t to, int state)
{
    if (to <= from)
        return;
    fputs("1:", paraver->out);
    put_object(paraver, pe, thread);
    fprintf(paraver->out, ":%" PRIu64 ":%" PRIu64 ":%d\n", from, to, state);
}

static void put_transfer(const struct paraver *paraver, int pe, const struct trace_event *event,
                         const struct trace_routine *routine, uint64_t start, uint64_t end)
{
    enum transfer transfer = trace_transfer(routine);
    int64_t peer = event_value(event, TRACE_PEER, -1);
    if (transfer == TRANSFER_NONE || peer < 0 || peer >= paraver->pes)
        return;
    int64_t bytes = event_value(event, TRACE_BYTES, 0);
    bool from_peer = transfer == TRANSFER_FROM_PEER;
    fputs("3:", paraver->out);
    put_object(paraver, from_peer ? (int)peer : pe, from_peer ? 0 : event->thread);
    fprintf(paraver->out, ":%" PRIu64 ":%" PRIu64 ":", start, start);
    put_object(paraver, from_peer ? pe : (int)peer, from_peer ? event->thread : 0);
    fprintf(paraver->out, ":%" PRIu64 ":%" PRIu64 ":%" PRId64 ":%d\n", end, end,
            bytes > 0 ? bytes : 0, (int)routine->class);
}

static void put_start(struct paraver *paraver, const struct merge_event *next, uint64_t start,
                      uint64_t end)
{
    const struct trace_event *event = next->event;
    const struct trace_routine *routine = trace_source_routine(next->source, event);
    int pe = next->source->info->pe;
    size_t number = trace_source_number(next->source, event);
    put_state(paraver, pe, event->thread, start, end, states[routine->class].number);
    fputs("2:", paraver->out);
    put_object(paraver, pe, event->thread);
    fprintf(paraver->out, ":%" PRIu64 ":%d:%zu:%d:%d:%d:%" PRIu32, start, EVENT_ROUTINE, number + 1,
            EVENT_CLASS, (int)routine->class + 1, EVENT_PHASE, event->phase);
    if (event_value(event, TRACE_BYTES, -1) >= 0)
        fprintf(paraver->out, ":%d:%" PRId64, EVENT_BYTES, event->values[TRACE_BYTES]);
    if (event_value(event, TRACE_PEER, -1) >= 0 && event->values[TRACE_PEER] < paraver->pes)
        fprintf(paraver->out, ":%d:%" PRId64, EVENT_PEER, event->values[TRACE_PEER] + 1);
    if (event->site)
        fprintf(
            paraver->out, ":%d:%zu", EVENT_SITE,
            sites_find(&next->source->reader->sites, trace_source_site(next->source, next->event))
                ->same);
    fputc('\n', paraver->out);
    put_transfer(paraver, pe, event, routine, start, end);
}

static void put_end(const struct paraver *paraver, const struct merge_event *next, uint64_t end)
{
    fputs("2:", paraver->out);
    put_object(paraver, next->source->info->pe, next->event->thread);
    fprintf(paraver->out, ":%" PRIu64 ":%d:0:%d:0", end, EVENT_ROUTINE, EVENT_CLASS);
    if (next->event->site)
        fprintf(paraver->out, ":%d:0", EVENT_SITE);
    fputc('\n', paraver->out);
}

/* Records are in the order of time, even of threads whose calls are not. */
static uint64_t not_before(const struct paraver *paraver, uint64_t time)
{
    return time < paraver->now ? paraver->now : time;
}

static void write_events(struct paraver *paraver)
{
    struct merge *merge = merge_open(paraver->reader, true);
    struct merge_event next;
    while (merge_next(merge, &next)) {
        const struct trace_event *event = next.event;
        const struct source *source = next.source;
        uint64_t start = not_before(paraver, export_ns(source, event->start, paraver->origin)),
                 end = not_before(paraver, export_ns(source, event_end(event), paraver->origin));
        /* A running program has written this call after the header was made. */
        if (end > paraver->length ||
            event->thread >= (uint32_t)paraver->tasks[source->info->pe].threads)
            continue;
        paraver->now = next.end ? end : start;
        if (next.end) {
            if (next.following)
                put_state(paraver, source->info->pe, event->thread, end,
                          export_ns(source, next.following->start, paraver->origin),
                          running.number);
            put_end(paraver, &next, end);
        } else {
            put_start(paraver, &next, start, end);
        }
        reader_check_written(paraver->reader, paraver->out, paraver->path);
    }
    merge_close(merge);
}

static void put_line(FILE *out, const char *text)
{
    char *name = export_name(text);
    fprintf(out, "%s\n", name);
    free(name);
}

static void write_state(FILE *out, const struct state *state, bool colours)
{
    if (colours)
        fprintf(out, "%d    {%d,%d,%d}\n", state->number, state->red, state->green, state->blue);
    else
        fprintf(out, "%d    %s\n", state->number, state->name);
}

/* Writes names or colours of states: each state once, though several classes may have it. */
static void write_states(FILE *out, bool colours)
{
    fputs(colours ? "STATES_COLOR\n0    {117,195,255}\n" : "STATES\n0    Idle\n", out);
    write_state(out, &running, colours);
    for (size_t i = 0; i < TRACE_CLASSES; i++) {
        bool before = false;
        for (size_t j = 0; j < i; j++)
            before = before || states[j].number == states[i].number;
        if (!before)
            write_state(out, &states[i], colours);
    }
    fputs("\n\n", out);
}

/* With values, these and a blank line follow. */
static void event_type(FILE *out, int type, const char *name, bool values)
{
    fprintf(out, "EVENT_TYPE\n0    %d    %s\n%s", type, name,
            values ? "VALUES\n0    End\n" : "\n\n");
}

static void write_meanings(struct paraver *paraver, const char *name)
{
    FILE *out = create(paraver, name, "pcf");
    fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n"
          "LOOK_BACK           100\nSPEED               1\nFLAG_ICONS          ENABLED\n"
          "NUM_OF_STATE_COLORS 1000\nYMAX_SCALE          37\n\n\n"
          "DEFAULT_SEMANTIC\n\nTHREAD_FUNC          State As Is\n\n\n",
          out);
    write_states(out, false);
    write_states(out, true);
    event_type(out, EVENT_ROUTINE, "OpenSHMEM routine", true);
    for (size_t i = 0; i < paraver->reader->routines.count; i++) {
        fprintf(out, "%zu    ", i + 1);
        put_line(out, table_key(&paraver->reader->routines, i));
    }
    fputs("\n\n", out);
    event_type(out, EVENT_CLASS, "OpenSHMEM class", true);
    for (int i = 0; i < TRACE_CLASSES; i++)
        fprintf(out, "%d    %s\n", i + 1, trace_class_names[i]);
    fputs("\n\n", out);
    event_type(out, EVENT_BYTES, "OpenSHMEM bytes", false);
    event_type(out, EVENT_PEER, "OpenSHMEM peer (PE + 1)", false);
    event_type(out, EVENT_PHASE, "Phase", false);
    event_type(out, EVENT_SITE, "Call site", true);
    struct sites *sites = &paraver->reader->sites;
    for (size_t i = 1; i <= sites->table.count; i++)
        if (sites_find(sites, i)->same == i) {
            fprintf(out, "%zu    ", i);
            put_line(out, sites_text(sites, i));
        }
    fputs("\n\n", out);
    reader_close_written(paraver->reader, out, paraver->path);
}

static void write_threads(const struct paraver *paraver, FILE *out, int pe)
{
    for (int thread = 0; thread < paraver->tasks[pe].threads; thread++)
        fprintf(out, "PE %d thread %d\n", pe, thread);
}

static void write_names(struct paraver *paraver, const char *name)
{
    FILE *out = create(paraver, name, "row");
    int pes = paraver->pes, processors = 0;
    for (int pe = 0; pe < pes; pe++)
        processors += paraver->tasks[pe].threads;
    fprintf(out, "LEVEL CPU SIZE %d\n", processors);
    for (int i = 0; i < pes; i++)
        write_threads(paraver, out, paraver->by_node[i]);
    fprintf(out, "\nLEVEL NODE SIZE %zu\n", paraver->hosts.count);
    for (size_t i = 0; i < paraver->hosts.count; i++)
        put_line(out, table_key(&paraver->hosts, i));
    fprintf(out, "\nLEVEL TASK SIZE %d\n", pes);
    for (int pe = 0; pe < pes; pe++)
        fprintf(out, "PE %d\n", pe);
    fprintf(out, "\nLEVEL THREAD SIZE %d\n", processors);
    for (int pe = 0; pe < pes; pe++)
        write_threads(paraver, out, pe);
    reader_close_written(paraver->reader, out, paraver->path);
}

void export_paraver(struct reader *reader, const char *name)
{
    struct paraver paraver = {.reader = reader};
    double last;
    paraver.out = create(&paraver, name, "prv");
    look_around(&paraver);
    /* The header states the length of the trace. Calls of a damaged one may end before they begin.
     */
    export_span(reader, true, &paraver.origin, &last);
    paraver.length = (uint64_t)fmin(fmax(ceil(1e9 * (last - paraver.origin)), 0), 9e18);
    write_header(&paraver);
    write_events(&paraver);
    reader_close_written(reader, paraver.out, paraver.path);
    write_meanings(&paraver, name);
    write_names(&paraver, name);
    free(paraver.tasks);
    free(paraver.by_node);
    table_free(&paraver.hosts);
    free(paraver.path);
}
