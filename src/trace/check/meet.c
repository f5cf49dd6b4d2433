#include "trace/check/meet.h"

#include <stdlib.h>

#include "base/memory.h"

struct meet *meet_arrive(struct meets *set, struct order *order, int64_t size, int64_t member,
                         int pe, uint64_t elements)
{
    if (!set->calls)
        set->calls = memory_zeroed((size_t)size, sizeof *set->calls);
    uint64_t number = set->calls[member]++;
    struct meet **link = &set->open;
    for (uint64_t i = set->first; i < number && *link; i++)
        link = &(*link)->next;
    if (!*link) {
        *link = memory_zeroed(1, sizeof **link);
        (*link)->size = size;
    }
    struct meet *meet = *link;
    meet->arrived++;
    meet->elements += elements;
    order_tell(order, pe, &meet->clock);
    return meet;
}

void meet_leave(struct meets *set, struct order *order, struct meet *meet, int pe)
{
    order_learn(order, pe, &meet->clock);
    meet->left++;
    while (set->open && set->open->left == set->open->size) {
        struct meet *over = set->open;
        set->open = over->next;
        set->first++;
        free(over->clock.of);
        free(over);
    }
}

void meets_free(struct meets *set)
{
    while (set->open) {
        struct meet *next = set->open->next;
        free(set->open->clock.of);
        free(set->open);
        set->open = next;
    }
    free(set->calls);
}
