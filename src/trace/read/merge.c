/* Merges the threads of a trace by a heap of their next events. */
#include "trace/read/reader.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* One thread of one PE. */
struct stream {
    struct source *source;
    struct trace_cursor *cursor;
    struct trace_event event, following;
    double key;
    size_t place;   /* decides between events at the same time */
    bool end, more; /* more: `following` is an event */
};

struct merge {
    const struct reader *reader;
    struct source **sources;
    struct stream *streams;
    struct stream **heap; /* the earliest first */
    size_t source_count, stream_count, heap_size;
    bool ends, given; /* ends: each event comes twice; given: merge_next() has returned the first of
                         the heap */
};

static bool before(const struct stream *a, const struct stream *b)
{
    return a->key < b->key || (a->key == b->key && a->place < b->place);
}

static void sink(struct merge *merge, size_t i)
{
    for (;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < merge->heap_size; child++)
            if (before(merge->heap[child], merge->heap[least]))
                least = child;
        if (least == i)
            return;
        struct stream *moved = merge->heap[i];
        merge->heap[i] = merge->heap[least];
        merge->heap[least] = moved;
        i = least;
    }
}

/* Moves on to the next event, or to the end of this one. */
static bool advance(const struct merge *merge, struct stream *stream)
{
    struct source *source = stream->source;
    if (merge->ends && !stream->end) {
        stream->end = true;
        stream->key = trace_seconds(source->file, event_end(&stream->event));
        return true;
    }
    if (!stream->more)
        return false;
    stream->end = false;
    stream->event = stream->following;
    stream->more = trace_source_next(source, stream->cursor, &stream->following);
    stream->key = trace_seconds(source->file, stream->event.start);
    return true;
}

struct merge *merge_open(struct reader *reader, bool ends)
{
    struct merge *merge = memory_zeroed(1, sizeof *merge);
    *merge = (struct merge){.reader = reader, .ends = ends};
    merge->sources = memory_zeroed(reader->count, sizeof *merge->sources);
    for (size_t i = 0; i < reader->count; i++) {
        struct source *source = reader_source(reader, i);
        if (!source)
            continue;
        merge->sources[merge->source_count++] = source;
        for (int thread = 0; thread < source->info->threads; thread++)
            merge->stream_count += reader_wants_thread(reader, thread);
    }
    merge->streams = memory_zeroed(merge->stream_count, sizeof *merge->streams);
    merge->heap = memory_zeroed(merge->stream_count, sizeof *merge->heap);
    struct stream *stream = merge->streams;
    for (size_t i = 0; i < merge->source_count; i++) {
        struct source *source = merge->sources[i];
        for (int thread = 0; thread < source->info->threads; thread++) {
            if (!reader_wants_thread(reader, thread))
                continue;
            *stream = (struct stream){.source = source,
                                      .cursor = trace_events(source->file, thread),
                                      .place = (size_t)(stream - merge->streams),
                                      .end = true};
            stream->more = trace_source_next(source, stream->cursor, &stream->following);
            if (advance(merge, stream))
                merge->heap[merge->heap_size++] = stream;
            stream++;
        }
    }
    for (size_t i = merge->heap_size; i-- > 0;)
        sink(merge, i);
    return merge;
}

bool merge_next(struct merge *merge, struct merge_event *next)
{
    if (merge->given) {
        if (!advance(merge, merge->heap[0]))
            merge->heap[0] = merge->heap[--merge->heap_size];
        sink(merge, 0);
    }
    merge->given = merge->heap_size > 0;
    if (!merge->given)
        return false;
    const struct stream *first = merge->heap[0];
    *next = (struct merge_event){
        .source = first->source,
        .event = &first->event,
        .following = first->more ? &first->following : NULL,
        .seconds = first->key,
        .end = first->end,
    };
    return true;
}

void merge_again(struct merge *merge, double seconds)
{
    merge->heap[0]->key = seconds;
    merge->given = false;
    sink(merge, 0);
}

void merge_close(struct merge *merge)
{
    for (size_t i = 0; i < merge->stream_count; i++)
        trace_cursor_free(merge->streams[i].cursor);
    for (size_t i = 0; i < merge->source_count; i++) {
        if (merge->heap_size == 0 && merge->reader->thread_ranges == 0)
            trace_source_ended(merge->sources[i]);
        trace_source_close(merge->sources[i]);
    }
    free(merge->sources);
    free(merge->streams);
    free(merge->heap);
    free(merge);
}
