/* A heap that knows where each thing is in it. */
#include "sim/agenda.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void agenda_grow(struct agenda *agenda, size_t numbers)
{
    if (numbers <= agenda->room)
        return;
    agenda->heap = memory_resize_array(agenda->heap, numbers, sizeof *agenda->heap);
    agenda->places = memory_resize_array(agenda->places, numbers, sizeof *agenda->places);
    memset(agenda->places + agenda->room, 0, (numbers - agenda->room) * sizeof *agenda->places);
    agenda->room = numbers;
}

void agenda_free(struct agenda *agenda)
{
    free(agenda->heap);
    free(agenda->places);
}

static bool before(const struct planned *a, const struct planned *b)
{
    return a->time < b->time || (a->time == b->time && a->number < b->number);
}

static void put(struct agenda *agenda, size_t place, struct planned planned)
{
    agenda->heap[place] = planned;
    agenda->places[planned.number] = (uint32_t)place + 1;
}

static void rise(struct agenda *agenda, size_t place, struct planned planned)
{
    while (place > 0 && before(&planned, &agenda->heap[(place - 1) / 2])) {
        put(agenda, place, agenda->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(agenda, place, planned);
}

static void sink(struct agenda *agenda, size_t place, struct planned planned)
{
    for (;;) {
        size_t child = 2 * place + 1;
        if (child + 1 < agenda->count && before(&agenda->heap[child + 1], &agenda->heap[child]))
            child++;
        if (child >= agenda->count || !before(&agenda->heap[child], &planned))
            break;
        put(agenda, place, agenda->heap[child]);
        place = child;
    }
    put(agenda, place, planned);
}

void agenda_set(struct agenda *agenda, uint32_t number, int64_t time)
{
    const struct planned planned = {time, number};
    size_t place = agenda->places[number];
    if (place == 0)
        rise(agenda, agenda->count++, planned);
    else if (before(&planned, &agenda->heap[place - 1]))
        rise(agenda, place - 1, planned);
    else
        sink(agenda, place - 1, planned);
}

uint32_t agenda_take(struct agenda *agenda)
{
    uint32_t first = agenda->heap[0].number;
    const struct planned last = agenda->heap[--agenda->count];
    agenda->places[first] = 0;
    if (agenda->count)
        sink(agenda, 0, last);
    return first;
}
