/* Reads windows of operations from the files of PEs. */
#include "sim/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "sim/translate.h"
#include "trace/read/pack.h"

#define LEAST_WINDOW 64
#define MOST_WINDOW 1024

void streams_open(struct streams *streams, struct run *run, const double *speed,
                  size_t window_bytes)
{
    size_t lines = (size_t)run->lines;
    size_t window = window_bytes / lines / sizeof(struct op);
    *streams = (struct streams){.run = run};
    streams->of = memory_zeroed(lines, sizeof *streams->of);
    bool other = false;
    for (int i = 0; i < run->pes; i++)
        other = other || speed[i] != 1;
    if (other) {
        streams->speed = memory_zeroed((size_t)run->pes, sizeof *streams->speed);
        memcpy(streams->speed, speed, (size_t)run->pes * sizeof *streams->speed);
    }
    streams->window = window < LEAST_WINDOW  ? LEAST_WINDOW
                      : window > MOST_WINDOW ? MOST_WINDOW
                                             : (uint32_t)window;
    streams->windows = memory_large(lines * streams->window, sizeof *streams->windows);
    streams->decoder.series = memory_zeroed(SERIES_MOST, sizeof *streams->decoder.series);
    streams->decoder.latest = memory_zeroed(run->most_routines, sizeof *streams->decoder.latest);
    streams_rewind(streams);
}

static void release(struct stream *stream)
{
    free(stream->saved);
    free(stream->poll);
}

void streams_rewind(struct streams *streams)
{
    for (int i = 0; i < streams->run->lines; i++) {
        release(&streams->of[i]);
        streams->of[i] = (struct stream){.ops = streams->windows + (size_t)i * streams->window,
                                         .block = streams->run->blocks[run_pe(streams->run, i)]};
    }
    streams->events = streams->blocks_read = streams->loops = streams->polls = 0;
    streams->taken_off = 0;
    cycles_rewind(&streams->cycles, (size_t)streams->run->lines);
}

void streams_close(struct streams *streams)
{
    for (int i = 0; i < streams->run->lines; i++)
        release(&streams->of[i]);
    free(streams->of);
    free(streams->windows);
    cycles_free(&streams->cycles, (size_t)streams->run->lines);
    free(streams->speed);
    free(streams->decoder.series);
    free(streams->decoder.latest);
    free(streams->error);
}

/* ---- What is kept of an unfinished block ---- */

struct block_rest {
    uint32_t position, left; /* in the payload; records; of an unfinished block alone */
    uint32_t room, bytes, phase;
    int64_t time;
    unsigned char data[];
};

/* Records that are left of a block. */
static uint32_t left_of(const struct stream *stream)
{
    return stream->saved ? stream->saved->left : 0;
}

/* Fields of a series before its values. */
#define SERIES_HEAD offsetof(struct series, last)

static size_t used_series(const struct decoder *decoder)
{
    size_t used = 0;
    while (used < SERIES_MOST && decoder->series[used].values <= TRACE_FIELDS)
        used++;
    return used;
}

static void save(struct streams *streams, struct stream *stream)
{
    const struct decoder *decoder = &streams->decoder;
    size_t used = used_series(decoder), bytes = 0;
    for (size_t i = 0; i < used; i++)
        bytes += SERIES_HEAD + decoder->series[i].values * sizeof(int64_t);
    if (!stream->saved || stream->saved->room < bytes) {
        stream->saved = memory_resize(stream->saved, sizeof *stream->saved + bytes);
        stream->saved->room = (uint32_t)bytes;
    }
    unsigned char *to = stream->saved->data;
    for (size_t i = 0; i < used; i++) {
        struct series *series = &decoder->series[i];
        size_t size = SERIES_HEAD + series->values * sizeof(int64_t);
        /* The decoder does not use the key: here it says that the series is the latest one. */
        series->key = decoder->latest[series->routine] == i + 1;
        memcpy(to, series, size);
        to += size;
    }
    stream->saved->bytes = (uint32_t)bytes;
    stream->saved->phase = decoder->phase;
    stream->saved->time = decoder->time;
}

static void restore(struct streams *streams, const struct stream *stream)
{
    struct decoder *decoder = &streams->decoder;
    const unsigned char *from = stream->saved->data, *end = from + stream->saved->bytes;
    for (size_t i = 0; from < end; i++) {
        struct series *series = &decoder->series[i];
        memcpy(series, from, SERIES_HEAD);
        memcpy(series->last, from + SERIES_HEAD, series->values * sizeof(int64_t));
        from += SERIES_HEAD + series->values * sizeof(int64_t);
        if (series->key)
            decoder->latest[series->routine] = (uint16_t)(i + 1);
    }
}

/* ---- Files ---- */

static bool damaged(struct streams *streams, int line, const char *how)
{
    streams->damaged = true;
    if (!streams->error)
        streams->error = text_format("%s: damaged at byte %" PRId64 ": %s; record it again",
                                     run_path(streams->run, run_pe(streams->run, line)),
                                     streams->of[line].block, how);
    return false;
}

/* Of another thread, whose line checks it. */
static bool is_others(const struct streams *streams, int line, const struct block_head *head)
{
    return head->kind == BLOCK_EVENTS && head->thread != (uint32_t)run_thread(streams->run, line);
}

/* The block that begins there, with what is behind its head; checked when it is begun. */
static bool find_block(struct streams *streams, int line, const struct trace_map *map,
                       struct block_head *head)
{
    struct stream *stream = &streams->of[line];
    int64_t rest = map->size - stream->block;
    if (rest >= (int64_t)sizeof *head)
        memcpy(head, map->data + stream->block, sizeof *head);
    const char *problem = format_block_problem(head, rest, NULL);
    if (problem)
        return damaged(streams, line, problem);
    int pe = run_pe(streams->run, line);
    if (head->kind == BLOCK_EVENTS && head->thread >= (uint32_t)run_threads(streams->run, pe))
        return damaged(streams, line, "a block of a thread that is not there");
    if (is_others(streams, line, head))
        return true;
    if (left_of(stream) > 0)
        return (left_of(stream) <= head->records && stream->saved->position <= head->bytes) ||
               damaged(streams, line, "the file has changed");
    problem = format_block_problem(head, rest, map->data + stream->block + sizeof *head);
    return !problem || damaged(streams, line, problem);
}

/* Decodes until the window or the block ends. */
static bool decode(struct streams *streams, int line, const unsigned char *payload,
                   const struct block_head *head)
{
    struct stream *stream = &streams->of[line];
    struct decoder *decoder = &streams->decoder;
    const struct program *program = run_program(streams->run, run_pe(streams->run, line));
    uint32_t before = left_of(stream), left = before ? before : head->records, all = left;
    bool resumed = before > 0;
    uint32_t at = resumed ? stream->saved->position : 0;
    struct raw_event raw;
    decoder->routines = program->routines;
    decoder->routine_count = program->count;
    decoder_begin(decoder, payload + at, head->bytes - at,
                  resumed ? stream->saved->time : head->base,
                  resumed ? stream->saved->phase : head->phase);
    if (resumed)
        restore(streams, stream);
    while (left > 0 && stream->count + TRANSLATE_MOST <= streams->window) {
        const char *problem = decode_raw(decoder, &raw);
        if (__builtin_expect(problem != NULL, 0))
            return damaged(streams, line, problem);
        if (__builtin_expect(!translate(streams, line, &raw), 0))
            return false;
        left--;
    }
    streams->events += all - left;
    if (left > 0)
        save(streams, stream);
    else
        stream->block += (int64_t)sizeof *head + head->bytes;
    if (stream->saved) {
        stream->saved->left = left;
        stream->saved->position = (uint32_t)(decoder->input.next - payload);
    }
    return true;
}

/* Whether all lines of a PE are read: only then it is known how many events there are. */
static bool count_events(const struct streams *streams, int pe, uint64_t *events)
{
    *events = 0;
    for (int i = 0; i < run_threads(streams->run, pe); i++) {
        const struct stream *stream = &streams->of[run_line(streams->run, pe, i)];
        if (!stream->finished)
            return false;
        *events += stream->read;
    }
    return true;
}

static bool end_of_file(struct streams *streams, int line)
{
    struct stream *stream = &streams->of[line];
    int pe = run_pe(streams->run, line);
    uint64_t events = streams->run->events[pe], read;
    stream->finished = true;
    translate_end(streams, line);
    free(stream->saved);
    stream->saved = NULL;
    if (!count_events(streams, pe, &read) || read >= events)
        return true;
    streams->damaged = true;
    streams->error = text_format("%s: truncated: %" PRIu64 " events were recorded, %" PRIu64
                                 " are there; record it again",
                                 run_path(streams->run, pe), events, read);
    return false;
}

bool stream_fill(struct streams *streams, int line)
{
    struct stream *stream = &streams->of[line];
    struct block_head head;
    struct trace_map map;
    if (streams->simulated && !streams->observe)
        simulated_flush(streams->simulated, line);
    stream->next = stream->count = 0;
    if (stream->finished || streams->error || streams->cycles.noticed)
        return false;
    int pe = run_pe(streams->run, line);
    double speed = streams->speed ? streams->speed[pe] : 1;
    streams->ps_per_tick = streams->run->ps_per_tick[pe] / speed;
    streams->cost = (int64_t)(streams->run->cost_ps[pe] / speed + 0.5);
    streams->error = trace_map(run_path(streams->run, pe), &map);
    if (streams->error)
        return false;
    bool good = true;
    while (good && stream->count + TRANSLATE_MOST <= streams->window) {
        if (stream->block == map.size) {
            good = end_of_file(streams, line);
            break;
        }
        good = find_block(streams, line, &map, &head);
        if (good && head.kind == BLOCK_EVENTS && head.records > 0 &&
            !is_others(streams, line, &head)) {
            good = decode(streams, line, map.data + stream->block + sizeof head, &head);
            streams->blocks_read++;
        } else if (good) {
            stream->block += (int64_t)sizeof head + head.bytes;
        }
    }
    trace_unmap(&map);
    return good && stream->count > 0 && !streams->cycles.noticed;
}
