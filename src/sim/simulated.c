/* Writes the simulated run. */
#define _GNU_SOURCE
#include "sim/streams.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/format.h"

#define PAYLOAD_BYTES 65536
#define DESCRIPTION_BYTES (16 * 1024 * 1024)

/* A call of the window: where its entry is among the bytes of these. */
struct call_note {
    uint32_t entry;
    uint64_t calls; /* that it stands for; 0: the operation is no call */
    int64_t start, end, waited;
};

/* Of a thread. Where a PE has several, its first thread has the file's end, and counts all events.
 */
struct file {
    unsigned char *entries;
    size_t bytes, room;
    struct call_note *noted; /* by operation of the window */
    size_t count;
    struct trace_entry *held;
    int64_t end, ending; /* of the file; 0: it has not been begun; where its ending belongs */
    uint64_t events, all_events; /* of the thread; of the file */
    int64_t time;                /* end of its last call */
    uint32_t phase;
};

struct simulated_trace {
    char *folder, *problem;
    bool made; /* the folder, which was not there before */
    struct run *run;
    char **hosts;
    char *library;
    size_t window;
    struct file *files;
    struct encoder encoder;
    const struct program *program; /* whose routines the encoder knows */
    struct trace_series_kind *kinds;
    unsigned char *payload;
};

/* ---- Folder ---- */

struct simulated_trace *simulated_open(const char *path, bool made)
{
    struct simulated_trace *simulated = memory_zeroed(1, sizeof *simulated);
    simulated->folder = memory_text(path);
    simulated->made = made;
    simulated->payload = memory_allocate(PAYLOAD_BYTES + EVENT_MOST_BYTES);
    simulated->encoder.series = memory_zeroed(SERIES_MOST, sizeof *simulated->encoder.series);
    return simulated;
}

static char *name_of(const struct simulated_trace *simulated, int pe)
{
    return text_format("%s/" FORMAT_NAME, simulated->folder, pe);
}

void simulated_begin(struct simulated_trace *simulated, struct run *run, size_t window,
                     char **hosts, const char *library)
{
    simulated->run = run;
    simulated->window = window;
    simulated->files = memory_zeroed((size_t)run->thread_count, sizeof *simulated->files);
    simulated->hosts = hosts;
    simulated->library = memory_text(library);
}

void simulated_discard(struct simulated_trace *simulated)
{
    for (int i = 0; simulated->files && i < simulated->run->pes; i++) {
        char *name = name_of(simulated, i);
        unlink(name);
        free(name);
    }
    if (simulated->made)
        rmdir(simulated->folder);
}

void simulated_close(struct simulated_trace *simulated)
{
    if (!simulated)
        return;
    for (int i = 0; simulated->files && i < simulated->run->thread_count; i++) {
        free(simulated->files[i].entries);
        free(simulated->files[i].noted);
        free(simulated->files[i].held);
    }
    for (int i = 0; simulated->files && i < simulated->run->pes; i++)
        free(simulated->hosts[i]);
    free(simulated->files);
    free(simulated->hosts);
    free(simulated->library);
    free(simulated->folder);
    free(simulated->problem);
    free(simulated->kinds);
    free(simulated->encoder.latest);
    free(simulated->encoder.series);
    free(simulated->payload);
    free(simulated);
}

/* ---- Calls of a window ---- */

static void *room_for(struct file *file, size_t bytes)
{
    file->bytes += bytes;
    memory_extend(file->entries, file->bytes, &file->room);
    return file->entries + file->bytes - bytes;
}

static size_t entry_bytes(const struct trace_entry *entry)
{
    return sizeof *entry + entry_values(entry->of) * sizeof *entry->values;
}

static void note(const struct simulated_trace *simulated, struct file *file, size_t index,
                 uint64_t calls)
{
    if (!file->noted)
        file->noted = memory_allocate(simulated->window * sizeof *file->noted);
    while (file->count <= index)
        file->noted[file->count++] = (struct call_note){0};
    file->noted[index] = (struct call_note){.entry = (uint32_t)file->bytes, .calls = calls};
}

static void fill(struct trace_entry *entry, const struct raw_event *raw)
{
    const struct series *series = raw->series;
    *entry = (struct trace_entry){.of = entry_of(series->routine, series->values, series->flags),
                                  .phase = raw->phase,
                                  .caller = series->number};
    memcpy(entry->values, series->last, series->values * sizeof *entry->values);
}

void simulated_call(struct simulated_trace *simulated, int thread, size_t index,
                    const struct raw_event *raw)
{
    struct file *file = &simulated->files[thread];
    note(simulated, file, index, 1);
    fill(room_for(file, sizeof(struct trace_entry) + raw->series->values * sizeof(int64_t)), raw);
}

void simulated_hold(struct simulated_trace *simulated, int thread, const struct raw_event *raw)
{
    struct file *file = &simulated->files[thread];
    if (!file->held)
        file->held = memory_allocate(ENTRY_MOST_BYTES);
    fill(file->held, raw);
}

void simulated_held(struct simulated_trace *simulated, int thread, size_t index, uint64_t calls)
{
    struct file *file = &simulated->files[thread];
    note(simulated, file, index, calls);
    memcpy(room_for(file, entry_bytes(file->held)), file->held, entry_bytes(file->held));
}

void simulated_time(struct simulated_trace *simulated, uint32_t thread, size_t index, int64_t start,
                    int64_t end, int64_t waited)
{
    struct file *file = &simulated->files[thread];
    if (index >= file->count)
        return;
    struct call_note *noted = &file->noted[index];
    noted->start = start;
    noted->end = end;
    noted->waited = waited;
}

/* ---- Beginning and end of a file ---- */

/* The first problem is kept, and nothing is written after it. */
static void write_at(struct simulated_trace *simulated, int pe, const char *mode, const void *data,
                     size_t bytes, int64_t at)
{
    if (simulated->problem)
        return;
    char *name = name_of(simulated, pe);
    FILE *file = fopen(name, mode);
    bool good = file && fseeko(file, (off_t)at, SEEK_SET) == 0 &&
                fwrite(data, 1, bytes, file) == bytes && fflush(file) == 0;
    int problem = errno;
    if (file && fclose(file) != 0 && good) {
        good = false;
        problem = errno;
    }
    if (!good)
        simulated->problem = text_format("%s: cannot be written: %s", name, strerror(problem));
    free(name);
}

/* What the recorded file says of itself, with the clock of the simulation, which is exact. The
 * tracer took no part, so it left nothing out, and cost nothing. */
static void describe(const struct simulated_trace *simulated, const struct trace_file *from,
                     const struct program *program, struct output *out)
{
    struct trace_info info = *trace_info(from);
    char *library = text_format("%s; recorded with %s", simulated->library, info.library);
    info.host = simulated->hosts[info.pe];
    info.library = library;
    info.clock = "simulated";
    info.ticks_per_second = PS_PER_SECOND;
    info.beginning = 0;
    info.start = (struct clock_fix){.known = true, .rate = 1};
    info.counters = 0;
    info.routines = program->count;
    info.routine = program->routines;
    info.selection = "";
    info.cost_between = info.cost_inside = 0;
    compose_description(out, &info);
    free(library);
}

static void append_block(struct simulated_trace *simulated, int thread, struct block_head *head,
                         const void *payload)
{
    int pe = sim_run_pe(simulated->run, thread);
    struct file *file = &simulated->files[pe];
    unsigned char *block = memory_allocate(sizeof *head + head->bytes);
    head->thread = (uint32_t)sim_run_index(simulated->run, thread);
    compose_block_head(head, payload);
    memcpy(block, head, sizeof *head);
    memcpy(block + sizeof *head, payload, head->bytes);
    write_at(simulated, pe, "r+", block, sizeof *head + head->bytes, file->end);
    file->end += (int64_t)(sizeof *head + head->bytes);
    free(block);
}

/* The teams of the recorded file, so that calls of these can be understood. */
static void copy_teams(struct simulated_trace *simulated, int pe, struct trace_file *from)
{
    struct output out = {simulated->payload, simulated->payload + PAYLOAD_BYTES, false};
    struct block_head head = {.kind = BLOCK_TEAMS};
    struct trace_cursor *cursor = trace_events(from, -1);
    struct trace_record record;
    bool more = true;
    while (more) {
        more = trace_next_record(cursor, BLOCK_TEAMS, &record) == 1;
        if (head.records > 0 && (!more || head.bytes > PAYLOAD_BYTES - EVENT_MOST_BYTES)) {
            append_block(simulated, pe, &head, simulated->payload);
            out.next = simulated->payload;
            head.records = 0;
        }
        if (more)
            compose_team(&out, record.team.team, record.team.size, &record.team.range);
        head.records += more;
        head.bytes = (uint32_t)(out.next - simulated->payload);
    }
    trace_cursor_free(cursor);
}

/* The file of a PE of the recorded run; NULL: it cannot be read, and that is the problem. */
static struct trace_file *recorded(struct simulated_trace *simulated, int pe)
{
    return simulated->problem ? NULL
                              : trace_open(sim_run_path(simulated->run, pe), &simulated->problem);
}

static void begin_file(struct simulated_trace *simulated, int pe)
{
    struct file *file = &simulated->files[pe];
    struct trace_file *from = recorded(simulated, pe);
    if (!from)
        return;
    struct format_head head;
    unsigned char *bytes = memory_allocate(DESCRIPTION_BYTES);
    struct output out = {bytes + sizeof head, bytes + DESCRIPTION_BYTES - FORMAT_ENDING_BYTES,
                         false};
    describe(simulated, from, sim_run_program(simulated->run, pe), &out);
    head = compose_head(bytes + sizeof head, (uint32_t)(out.next - bytes - sizeof head));
    memcpy(bytes, &head, sizeof head);
    memset(out.next, 0, FORMAT_ENDING_BYTES);
    file->ending = (int64_t)(sizeof head + head.description_bytes);
    file->end = file->ending + FORMAT_ENDING_BYTES;
    write_at(simulated, pe, "w", bytes, (size_t)file->end, 0);
    copy_teams(simulated, pe, from);
    free(bytes);
    trace_close(from);
}

const char *simulated_end(struct simulated_trace *simulated, const int64_t *times, size_t stride)
{
    for (int pe = 0; pe < simulated->run->pes; pe++) {
        const int64_t time = *(const int64_t *)((const char *)times + (size_t)pe * stride);
        unsigned char bytes[FORMAT_ENDING_BYTES];
        struct file *file = &simulated->files[pe];
        struct trace_file *from = recorded(simulated, pe);
        if (!from)
            break;
        compose_ending(bytes, &(struct trace_info){.end = trace_info(from)->end,
                                                   .events = file->all_events,
                                                   .threads = sim_run_threads(simulated->run, pe),
                                                   .finish = {true, time, time, .bound = 0},
                                                   .realtime = trace_info(from)->realtime});
        trace_close(from);
        write_at(simulated, pe, "r+", bytes, sizeof bytes, file->ending);
    }
    return simulated->problem;
}

/* ---- Writing the calls ---- */

static void know_routines(struct simulated_trace *simulated, const struct program *program)
{
    struct encoder *encoder = &simulated->encoder;
    if (simulated->program == program)
        return;
    simulated->program = program;
    simulated->kinds =
        memory_resize_array(simulated->kinds, program->count, sizeof *simulated->kinds);
    for (size_t i = 0; i < program->count; i++)
        simulated->kinds[i] = trace_series_kind(&program->routines[i]);
    free(encoder->latest);
    encoder->latest = memory_zeroed(program->count, sizeof *encoder->latest);
    encoder->kinds = simulated->kinds;
    encoder->routines = program->count;
}

static void begin_block(struct simulated_trace *simulated, int thread)
{
    const struct file *file = &simulated->files[thread];
    struct encoder *encoder = &simulated->encoder;
    encoder->done = 0;
    encoder->time = file->time;
    encoder->phase = file->phase;
    encoder_begin(encoder, simulated->payload);
}

static void end_block(struct simulated_trace *simulated, int thread)
{
    struct file *file = &simulated->files[thread];
    const struct encoder *encoder = &simulated->encoder;
    struct block_head head = compose_events_head(0, encoder, encoder->done);
    head.first = file->events;
    file->events += head.records;
    simulated->files[sim_run_pe(simulated->run, thread)].all_events += head.records;
    file->time = encoder->time;
    file->phase = encoder->phase;
    if (head.records > 0)
        append_block(simulated, thread, &head, simulated->payload);
}

static void write_call(struct simulated_trace *simulated, int thread, struct trace_entry *entry,
                       int64_t start, int64_t end)
{
    entry->start = (uint64_t)start;
    entry->end = (uint64_t)end;
    const struct trace_entry *behind = entry_after(entry);
    if (encode_entries(&simulated->encoder, entry, behind, PAYLOAD_BYTES) == behind)
        return;
    end_block(simulated, thread);
    begin_block(simulated, thread);
    encode_entries(&simulated->encoder, entry, behind, PAYLOAD_BYTES);
}

/* A call, or several equal fetches, one after the other; or, of fetches that waited, the first one
 * and the one that found what they waited for. */
static void write_calls(struct simulated_trace *simulated, int thread, struct trace_entry *entry,
                        const struct call_note *noted)
{
    int64_t start = noted->start;
    if (noted->waited >= 0) {
        int64_t there = start + noted->waited, takes = noted->end - there;
        if (noted->waited >= takes)
            write_call(simulated, thread, entry, start, start + takes);
        write_call(simulated, thread, entry, there, noted->end);
        return;
    }
    for (uint64_t left = noted->calls; left > 0; left--) {
        int64_t end = start + (noted->end - start) / (int64_t)left;
        write_call(simulated, thread, entry, start, end);
        start = end;
    }
}

void simulated_flush(struct simulated_trace *simulated, int thread)
{
    struct file *file = &simulated->files[thread];
    int pe = sim_run_pe(simulated->run, thread);
    if (file->count == 0)
        return;
    if (simulated->files[pe].end == 0)
        begin_file(simulated, pe);
    if (thread >= simulated->run->pes && file->events == 0)
        file->time = file->noted[0].start; /* the thread begins with its first call */
    know_routines(simulated, sim_run_program(simulated->run, pe));
    begin_block(simulated, thread);
    for (size_t i = 0; i < file->count; i++) {
        const struct call_note *noted = &file->noted[i];
        if (noted->calls) /* places of entries are multiples of 8 bytes */
            write_calls(simulated, thread, (void *)(file->entries + noted->entry), noted);
    }
    end_block(simulated, thread);
    file->count = file->bytes = 0;
}
