/*
 * Events whose times can change: which of some numbered things happens next. The earliest first; at
 * the same time the one with the smaller number. Each is in it at most once.
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
    uint32_t *places; /* by number: 1 + where it is in the heap; 0: it is not */
    size_t count, room;
};

/* Numbers below that may be in it. */
void agenda_grow(struct agenda *, size_t numbers);
void agenda_free(struct agenda *);
/* It happens then, whether it has been planned before or not. O(log n). */
void agenda_set(struct agenda *, uint32_t number, int64_t time);
/* The first one, which is taken out. There must be one. */
uint32_t agenda_take(struct agenda *);

/* When the first one happens; INT64_MAX: there is none. */
static inline int64_t agenda_next(const struct agenda *agenda)
{
    return agenda->count ? agenda->heap[0].time : INT64_MAX;
}

#endif
