/*
 * Sets of PEs that make collective calls together: active sets, and teams. The sets of all files of
 * a trace are numbered, so that calls of different PEs can be matched. Each PE numbers its teams in
 * the order of their creation. The n-th team with certain members is one team on all of them, since
 * creating teams is collective, too.
 */
#ifndef SKAMPI_TRACE_READ_SETS_H
#define SKAMPI_TRACE_READ_SETS_H

#include <stddef.h>
#include <stdint.h>

#include "base/table.h"
#include "trace/event.h"

struct sets {
    struct table members; /* by their ranges */
    struct table sets;    /* by order and members */
};

struct trace_set {
    int64_t order; /* n for the n-th team with these members; 0 for an active set or the team of all
                      PEs; or TRACE_TEAM_SHARED */
    int64_t size;
    const struct pe_range *ranges; /* valid until another set is added */
    size_t range_count;
};

void sets_free(struct sets *);
struct trace_set set_of(const struct sets *, size_t number);
/* A PE's number in the set, or -1. */
int64_t set_member(const struct trace_set *, int64_t pe);
static inline int64_t set_pe(const struct trace_set *set, int64_t member)
{
    return pe_ranges_member(set->ranges, set->range_count, member);
}
/* The name of a set, in a static buffer. */
const char *set_name(const struct trace_set *);

/* The number of the order-th set whose members have that number in sets->members; and that set. */
size_t sets_number(struct sets *, int64_t order, size_t members);
struct trace_set sets_with(const struct sets *, int64_t order, size_t members);

/* The number of the active set (or the world) with these PEs, all of which must exist. */
size_t sets_active(struct sets *, int64_t start, int64_t stride, int64_t size);

/* The collective operations of a set, in their order: the n-th call of each member is the n-th
 * operation. Of those that are open something is kept, of which only the caller knows what it is;
 * it begins with zeros. */
struct turns {
    uint64_t *calls;      /* by member: how many it has made */
    uint64_t first, last; /* open operations: [first, last); the caller moves `first` */
    char *ring;
    size_t room;
};
/* The number of the operation that the member calls now. bytes: that are kept of an operation. */
uint64_t turns_take(struct turns *, int64_t members, int64_t member, size_t bytes);
/* What is kept of an open operation; valid until the next turns_take(). */
static inline void *turns_at(const struct turns *turns, uint64_t number, size_t bytes)
{
    return turns->ring + (number & (turns->room - 1)) * bytes;
}
void turns_free(struct turns *);

#endif
