/*
 * PEs whose next operations must be executed in the order of time. The earliest comes first, among
 * equal times the smallest number. Each PE is in the queue at most once.
 */
#ifndef SKAMPI_SIM_QUEUE_H
#define SKAMPI_SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory.h"

struct queue {
    struct queued {
        int64_t time;
        uint32_t pe;
    } * heap; /* four children each: half as deep as with two, and one line of the cache */
    size_t count, room;
};

static inline void queue_free(struct queue *queue)
{
    free(queue->heap);
}

static inline bool queued_before(const struct queued *a, const struct queued *b)
{
    return a->time < b->time || (a->time == b->time && a->pe < b->pe);
}

static inline void queue_add(struct queue *queue, int64_t time, uint32_t pe)
{
    if (__builtin_expect(queue->count == queue->room, 0)) {
        queue->room += queue->room / 4 + 256;
        queue->heap = memory_resize_array(queue->heap, queue->room, sizeof *queue->heap);
    }
    const struct queued added = {time, pe};
    size_t i = queue->count++;
    while (i > 0 && queued_before(&added, &queue->heap[(i - 1) / 4])) {
        queue->heap[i] = queue->heap[(i - 1) / 4];
        i = (i - 1) / 4;
    }
    queue->heap[i] = added;
}

/* Removes the first PE. The queue must not be empty. */
static inline uint32_t queue_take(struct queue *queue)
{
    uint32_t first = queue->heap[0].pe;
    const struct queued moved = queue->heap[--queue->count];
    for (size_t i = 0;;) {
        size_t child = 4 * i + 1, least = child;
        if (child >= queue->count) {
            queue->heap[i] = moved;
            return first;
        }
        size_t end = child + 4 < queue->count ? child + 4 : queue->count;
        while (++child < end)
            if (queued_before(&queue->heap[child], &queue->heap[least]))
                least = child;
        if (!queued_before(&queue->heap[least], &moved)) {
            queue->heap[i] = moved;
            return first;
        }
        queue->heap[i] = queue->heap[least];
        i = least;
    }
}

#endif
