/* Numbers sets of PEs, and names them. */
#include "trace/read/sets.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define NAMED_PES 8 /* of a set that is not regular, by set_name() */

struct set_key {
    int64_t order;
    uint64_t members;
};

void sets_free(struct sets *sets)
{
    table_free(&sets->members);
    table_free(&sets->sets);
}

/* Keys of one table have a multiple of a range's size, so they are aligned. */
struct trace_set sets_with(const struct sets *sets, int64_t order, size_t members)
{
    const struct pe_range *ranges = table_key(&sets->members, members);
    size_t count = sets->members.entries[members].size / sizeof *ranges;
    return (struct trace_set){order, pe_ranges_size(ranges, count), ranges, count};
}

struct trace_set set_of(const struct sets *sets, size_t number)
{
    struct set_key key;
    memcpy(&key, table_key(&sets->sets, number), sizeof key);
    return sets_with(sets, key.order, (size_t)key.members);
}

int64_t set_member(const struct trace_set *set, int64_t pe)
{
    for (size_t i = 0; i < set->range_count; i++) {
        const struct pe_range *range = &set->ranges[i];
        int64_t distance = pe - range->first;
        if (distance % range->stride == 0 && distance / range->stride >= 0 &&
            distance / range->stride < range->count)
            return range->index + distance / range->stride;
    }
    return -1;
}

const char *set_name(const struct trace_set *set)
{
    static char text[256];
    size_t length = 0;
    if (set->order == TRACE_TEAM_SHARED)
        length = (size_t)snprintf(text, sizeof text, "SHMEM_TEAM_SHARED of ");
    else if (set->order == 1)
        length = (size_t)snprintf(text, sizeof text, "team of ");
    else if (set->order != 0)
        length = (size_t)snprintf(text, sizeof text, "team no. %" PRId64 " of ", set->order);
    if (set->range_count == 1) {
        snprintf(text + length, sizeof text - length,
                 "PEs %" PRId64 ", step %" PRId64 ", %" PRId64 " of them", set->ranges->first,
                 set->ranges->stride, set->size);
        return text;
    }
    length += (size_t)snprintf(text + length, sizeof text - length, "PEs");
    for (int64_t i = 0; i < set->size && i < NAMED_PES; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, " %" PRId64, set_pe(set, i));
    snprintf(text + length, sizeof text - length, "%s, %" PRId64 " of them",
             set->size > NAMED_PES ? " ..." : "", set->size);
    return text;
}

size_t sets_number(struct sets *sets, int64_t order, size_t members)
{
    const struct set_key key = {order, members};
    return table_number(&sets->sets, &key, sizeof key);
}

size_t sets_active(struct sets *sets, int64_t start, int64_t stride, int64_t size)
{
    const struct pe_range range = {0, start, size == 1 ? 1 : stride, size};
    return sets_number(sets, 0, table_number(&sets->members, &range, sizeof range));
}

/* ---- Turns ---- */

uint64_t turns_take(struct turns *turns, int64_t members, int64_t member, size_t bytes)
{
    if (!turns->calls)
        turns->calls = memory_zeroed((size_t)members, sizeof *turns->calls);
    uint64_t number = turns->calls[member]++;
    if (number < turns->last)
        return number;
    if (turns->last - turns->first == turns->room) {
        struct turns wider = *turns;
        wider.room = turns->room ? 2 * turns->room : 8;
        wider.ring = memory_zeroed(wider.room, bytes);
        for (uint64_t i = turns->first; i < turns->last; i++)
            memcpy(turns_at(&wider, i, bytes), turns_at(turns, i, bytes), bytes);
        free(turns->ring);
        *turns = wider;
    }
    memset(turns_at(turns, turns->last++, bytes), 0, bytes);
    return number;
}

void turns_free(struct turns *turns)
{
    free(turns->calls);
    free(turns->ring);
}
