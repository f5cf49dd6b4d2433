/*
 * Members of a team, in the order of their numbers, as ranges of PEs of the world: one range if
 * their distance is constant, else as few ranges as a single pass finds. Shared by the tracer and
 * the readers.
 */
#ifndef SKAMPI_TRACE_PE_RANGES_H
#define SKAMPI_TRACE_PE_RANGES_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

struct pe_range {
    int64_t index; /* of its first member in the team */
    int64_t first, stride, count;
};

static inline int pe_range_compare(const void *key, const void *element)
{
    const int64_t *index = (const int64_t *)key;
    const struct pe_range *range = (const struct pe_range *)element;
    if (*index < range->index)
        return -1;
    return *index - range->index >= range->count;
}

/* The PE of a member, -1 when there is none; ranges are in the order of their indices and without
 * gaps. O(log ranges). */
static inline int64_t pe_ranges_member(const struct pe_range *ranges, size_t count, int64_t index)
{
    const struct pe_range *range =
        count ? bsearch(&index, ranges, count, sizeof *ranges, pe_range_compare) : NULL;
    return range ? range->first + (index - range->index) * range->stride : -1;
}

static inline int64_t pe_ranges_size(const struct pe_range *ranges, size_t count)
{
    return count ? ranges[count - 1].index + ranges[count - 1].count : 0;
}

#endif
