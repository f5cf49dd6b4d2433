/*
 * A queue of numbered events whose times can change. The earliest event comes first, among equal
 * times the one with the smallest number. Each number is in the agenda at most once.
 */
#ifndef SKAMPI_SIM_AGENDA_H
#define SKAMPI_SIM_AGENDA_H

#include <stddef.h>
#include <stdint.h>

struct agenda {
    struct planned {
        int64_t time;
        uint32_t number;
    } * heap;
    uint32_t *places; /* by number: 1 + place in the heap, or 0 if it is not in the heap */
    size_t count, room;
};

/* Makes room for all numbers below `numbers`. */
void agenda_grow(struct agenda *, size_t numbers);
void agenda_free(struct agenda *);
/* Sets the time of an event, which may be in the agenda already. O(log n). */
void agenda_set(struct agenda *, uint32_t number, int64_t time);
/* Removes the first event and returns its number. The agenda must not be empty. */
uint32_t agenda_take(struct agenda *);

/* Time of the first event; INT64_MAX if the agenda is empty. */
static inline int64_t agenda_next(const struct agenda *agenda)
{
    return agenda->count ? agenda->heap[0].time : INT64_MAX;
}

#endif
