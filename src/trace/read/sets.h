/*
 * Sets of PEs that make collective calls together: active sets, and teams. Those of all files of a
 * trace are numbered, so that calls of different PEs can be matched. Each PE numbers its teams in
 * the order in which they are created; the n-th team of the same members is the same on all of
 * them, since creating teams is collective, too.
 */
#ifndef SKAMPI_TRACE_READ_SETS_H
#define SKAMPI_TRACE_READ_SETS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/table.h"
#include "trace/event.h"
#include "trace/pe_ranges.h"

struct reader;
struct source;

struct sets {
    struct table members; /* by their ranges */
    struct table sets;    /* by order and members */
};

struct trace_set {
    int64_t order; /* 0: an active set, or the team of all PEs; n: the n-th team of these members;
                      or TRACE_TEAM_SHARED */
    int64_t size;
    const struct pe_range *ranges; /* valid until there is another set */
    size_t range_count;
};

void sets_free(struct sets *);
struct trace_set set_of(const struct sets *, size_t number);
/* A PE's number in the set, -1 when it is not in it. */
int64_t set_member(const struct trace_set *, int64_t pe);
static inline int64_t set_pe(const struct trace_set *set, int64_t member)
{
    return pe_ranges_member(set->ranges, set->range_count, member);
}
/* In one static text. */
const char *set_name(const struct trace_set *);

/* The number of the active set (or the world) with these PEs, which there must be. */
size_t sets_active(struct sets *, int64_t start, int64_t stride, int64_t size);

/* What a call is collective over. */
enum set_kind {
    SET_NONE,      /* nothing: it is not collective */
    SET_KNOWN,     /* the set, in which the file's PE is member, or -1 */
    SET_UNKNOWN,   /* a team whose members the trace does not tell */
    SET_IMPOSSIBLE /* an active set of PEs that there are not */
};
struct set_call {
    size_t set;
    int64_t member;
};
enum set_kind source_set(struct source *, const struct trace_event *, struct set_call *);

/* A line a team that the PE has created, or that there was: "# team 1: PEs 0, step 2, 2 of them".
 */
void source_print_teams(struct source *, FILE *out);

/* What source_set keeps for a source. */
struct source_teams {
    bool read;
    size_t count;
    struct source_team {
        int64_t team, order;
        int64_t member; /* the PE's number in it */
        size_t members; /* number of the table */
    } * teams;          /* sorted by team */
};

#endif
