/*
 * Members of a team, in the order of their numbers there, as ranges of PEs of the world: one range
 * where they are at a constant distance, else as few as a single pass finds. Shared by the tracer
 * and the readers.
 */
#ifndef SKAMPI_TRACE_PE_RANGES_H
#define SKAMPI_TRACE_PE_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct pe_range {
    int64_t index; /* of its first member in the team */
    int64_t first, stride, count;
};

/* The PE of a member, -1 when there is none; ranges are in the order of their indices and without
 * gaps. O(log ranges). */
static inline int64_t pe_ranges_member(const struct pe_range *ranges, size_t count, int64_t index)
{
    size_t low = 0,
           high = count; /* those before low begin at or below the index, from high above */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].index <= index)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || index - ranges[low - 1].index >= ranges[low - 1].count)
        return -1;
    return ranges[low - 1].first + (index - ranges[low - 1].index) * ranges[low - 1].stride;
}

static inline int64_t pe_ranges_size(const struct pe_range *ranges, size_t count)
{
    return count ? ranges[count - 1].index + ranges[count - 1].count : 0;
}

#endif
