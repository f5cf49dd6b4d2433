/*
 * The events to come, each with a number and a time, which may change. The earliest comes first,
 * among equal times the smallest number. Each number is in the queue at most once.
 */
#ifndef SKAMPI_SIM_QUEUE_H
#define SKAMPI_SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct queue {
    struct queued {
        int64_t time;
        uint32_t number;
    } * heap;         /* four children each: half as deep as with two, and one line of the cache */
    uint32_t *places; /* by number: 1 + its place in the heap, or 0 */
    size_t count, room, numbers;
};

static inline void queue_free(struct queue *queue)
{
    free(queue->heap);
    free(queue->places);
}

static inline bool queued_before(const struct queued *a, const struct queued *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

/* Makes room for all numbers below `numbers`. */
static inline void queue_grow(struct queue *queue, size_t numbers)
{
    if (numbers <= queue->numbers)
        return;
    queue->places = memory_resize_array(queue->places, numbers, sizeof *queue->places);
    memset(queue->places + queue->numbers, 0, (numbers - queue->numbers) * sizeof *queue->places);
    queue->numbers = numbers;
}

static inline void queue_put(struct queue *queue, size_t place, struct queued queued)
{
    queue->heap[place] = queued;
    queue->places[queued.number] = (uint32_t)place + 1;
}

/* An event moves to the front, from a place that is free, until it is after what is before it. */
static inline void queue_rise(struct queue *queue, size_t place, struct queued queued)
{
    for (; place > 0 && queued_before(&queued, &queue->heap[(place - 1) / 4]);
         place = (place - 1) / 4)
        queue_put(queue, place, queue->heap[(place - 1) / 4]);
    queue_put(queue, place, queued);
}

static inline void queue_sink(struct queue *queue, size_t place, struct queued queued)
{
    for (size_t child; (child = 4 * place + 1) < queue->count;) {
        size_t least = child, end = child + 4 < queue->count ? child + 4 : queue->count;
        while (++child < end)
            if (queued_before(&queue->heap[child], &queue->heap[least]))
                least = child;
        if (!queued_before(&queue->heap[least], &queued))
            break;
        queue_put(queue, place, queue->heap[least]);
        place = least;
    }
    queue_put(queue, place, queued);
}

/* Sets the time of an event, which may be in the queue already. There must be room for its number.
 */
static inline void queue_set(struct queue *queue, uint32_t number, int64_t time)
{
    const struct queued queued = {time, number};
    size_t place = queue->places[number];
    if (place) {
        if (queued_before(&queued, &queue->heap[place - 1]))
            queue_rise(queue, place - 1, queued);
        else
            queue_sink(queue, place - 1, queued);
        return;
    }
    if (__builtin_expect(queue->count == queue->room, 0)) {
        queue->room += queue->room / 4 + 256;
        queue->heap = memory_resize_array(queue->heap, queue->room, sizeof *queue->heap);
    }
    queue_rise(queue, queue->count++, queued);
}

/* Time of the first event; INT64_MAX if there is none. */
static inline int64_t queue_next(const struct queue *queue)
{
    return queue->count ? queue->heap[0].time : INT64_MAX;
}

/* Removes the first event. The queue must not be empty. */
static inline struct queued queue_take(struct queue *queue)
{
    const struct queued first = queue->heap[0], last = queue->heap[--queue->count];
    queue->places[first.number] = 0;
    if (queue->count)
        queue_sink(queue, 0, last);
    return first;
}

#endif
