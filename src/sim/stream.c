/* Reads windows of operations from the files of PEs. */
#include "sim/stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/memory.h"
#include "base/text.h"
#include "sim/translate.h"
#include "trace/read/pack.h"

#define LEAST_WINDOW 64
#define MOST_WINDOW 1024

void streams_open(struct streams *streams, struct run *run, const double *speed,
                  size_t window_bytes)
{
    size_t pes = (size_t)run->pes, window = window_bytes / pes / sizeof(struct op);
    *streams = (struct streams){.run = run};
    streams->of = memory_zeroed(pes, sizeof *streams->of);
    streams->ps_per_tick = memory_zeroed(pes, sizeof *streams->ps_per_tick);
    streams->cost = memory_zeroed(pes, sizeof *streams->cost);
    for (int i = 0; i < run->pes; i++) {
        streams->ps_per_tick[i] = run->ps_per_tick[i] / speed[i];
        streams->cost[i] = (int64_t)(run->cost_ps[i] / speed[i] + 0.5);
    }
    streams->window = window < LEAST_WINDOW  ? LEAST_WINDOW
                      : window > MOST_WINDOW ? MOST_WINDOW
                                             : (uint32_t)window;
    streams->decoder.series = memory_zeroed(SERIES_MOST, sizeof *streams->decoder.series);
    streams->decoder.latest = memory_zeroed(run->most_routines, sizeof *streams->decoder.latest);
    streams_rewind(streams);
}

static void release(struct stream *stream)
{
    free(stream->ops);
    free(stream->saved);
    free(stream->poll);
}

void streams_rewind(struct streams *streams)
{
    for (int i = 0; i < streams->run->pes; i++) {
        release(&streams->of[i]);
        streams->of[i] = (struct stream){.block = streams->run->blocks[i]};
    }
    streams->events = streams->blocks_read = streams->loops = streams->polls = 0;
    streams->taken_off = 0;
}

void streams_close(struct streams *streams)
{
    for (int i = 0; i < streams->run->pes; i++)
        release(&streams->of[i]);
    free(streams->of);
    free(streams->ps_per_tick);
    free(streams->cost);
    free(streams->decoder.series);
    free(streams->decoder.latest);
    free(streams->error);
}

/* ---- What is kept of an unfinished block ---- */

struct saved {
    uint32_t room, bytes, phase;
    int64_t time;
    unsigned char data[];
};

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

static bool damaged(struct streams *streams, int pe, const char *how)
{
    streams->damaged = true;
    if (!streams->error)
        streams->error = text_format("%s: damaged at byte %" PRId64 ": %s; record it again",
                                     streams->run->paths[pe], streams->of[pe].block, how);
    return false;
}

/* The block that begins there, with what is behind its head; checked when it is begun. */
static bool find_block(struct streams *streams, int pe, const struct trace_map *map,
                       struct block_head *head)
{
    struct stream *stream = &streams->of[pe];
    int64_t rest = map->size - stream->block;
    if (rest < (int64_t)sizeof *head)
        return damaged(streams, pe, "the file ends within the head of a block");
    memcpy(head, map->data + stream->block, sizeof *head);
    if (head->magic != BLOCK_MAGIC || head->bytes > BLOCK_MOST_BYTES || head->records > head->bytes)
        return damaged(streams, pe, "no block begins there");
    if (rest < (int64_t)sizeof *head + head->bytes)
        return damaged(streams, pe, "the file ends within a block");
    if (stream->left > 0)
        return (stream->left <= head->records && stream->position <= head->bytes) ||
               damaged(streams, pe, "the file has changed");
    size_t before = offsetof(struct block_head, bytes);
    if (checksum(0, map->data + stream->block + before, sizeof *head - before + head->bytes) !=
        head->checksum)
        return damaged(streams, pe, "the checksum of a block is wrong");
    if (head->kind == BLOCK_EVENTS && head->thread != 0)
        return damaged(streams, pe, "a block of a thread that is not there");
    return true;
}

/* Decodes until the window or the block ends. */
static bool decode(struct streams *streams, int pe, const unsigned char *payload,
                   const struct block_head *head)
{
    struct stream *stream = &streams->of[pe];
    struct decoder *decoder = &streams->decoder;
    const struct program *program = run_program(streams->run, pe);
    bool resumed = stream->left > 0;
    uint32_t at = resumed ? stream->position : 0;
    struct raw_event raw;
    decoder->routines = program->routines;
    decoder->routine_count = program->count;
    decoder_begin(decoder, payload + at, head->bytes - at,
                  resumed ? stream->saved->time : head->base,
                  resumed ? stream->saved->phase : head->phase);
    if (resumed)
        restore(streams, stream);
    else
        stream->left = head->records;
    uint32_t left = stream->left;
    while (left > 0 && stream->count + TRANSLATE_MOST <= streams->window) {
        const char *problem = decode_raw(decoder, &raw);
        if (__builtin_expect(problem != NULL, 0))
            return damaged(streams, pe, problem);
        if (__builtin_expect(!translate(streams, pe, &raw), 0))
            return false;
        left--;
    }
    streams->events += stream->left - left;
    stream->left = left;
    stream->position = (uint32_t)(decoder->input.next - payload);
    if (left > 0)
        save(streams, stream);
    else
        stream->block += (int64_t)sizeof *head + head->bytes;
    return true;
}

static bool end_of_file(struct streams *streams, int pe)
{
    struct stream *stream = &streams->of[pe];
    uint64_t events = streams->run->events[pe];
    stream->finished = true;
    translate_end(streams, pe);
    free(stream->saved);
    stream->saved = NULL;
    if (stream->read >= events)
        return true;
    streams->damaged = true;
    streams->error = text_format("%s: truncated: %" PRIu64 " events were recorded, %" PRIu64
                                 " are there; record it again",
                                 streams->run->paths[pe], events, stream->read);
    return false;
}

bool stream_fill(struct streams *streams, int pe)
{
    struct stream *stream = &streams->of[pe];
    struct block_head head;
    struct trace_map map;
    if (streams->simulated && !streams->observe)
        simulated_flush(streams->simulated, pe);
    stream->next = stream->count = 0;
    if (stream->finished || streams->error)
        return false;
    streams->error = trace_map(streams->run->paths[pe], &map);
    if (streams->error)
        return false;
    if (!stream->ops)
        stream->ops = memory_allocate(streams->window * sizeof *stream->ops);
    bool good = true;
    while (good && stream->count + TRANSLATE_MOST <= streams->window) {
        if (stream->block == map.size) {
            good = end_of_file(streams, pe);
            break;
        }
        good = find_block(streams, pe, &map, &head);
        if (good && head.kind == BLOCK_EVENTS && head.records > 0) {
            good = decode(streams, pe, map.data + stream->block + sizeof head, &head);
            streams->blocks_read++;
        } else if (good) {
            stream->block += (int64_t)sizeof head + head.bytes;
        }
    }
    trace_unmap(&map);
    if (stream->finished && stream->count == 0) {
        free(stream->ops);
        stream->ops = NULL;
    }
    return good && stream->count > 0;
}
