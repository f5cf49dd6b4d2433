/* Numbers contexts and teams, and keeps who is in a team, and in that of a context. */
#include "trace/runtime/teams.h"

#include <stdlib.h>
#include <string.h>

#include "trace/runtime/tracer.h"

struct members {
    const struct members *next; /* the next in `known` */
    size_t ranges;
    struct pe_range range[];
};

bool trace_team_contexts;

/*
 * ---- Handles of the library, in order of creation ----
 *
 * Tables never forget a handle: the library may use it again for another object, which then has its
 * entry. Any thread, without locks.
 */

static struct {
    atomic_size_t count;
    _Atomic(const void *) handles[HANDLES];
    _Atomic int64_t numbers[HANDLES];
    _Atomic(const struct members *)
        members[HANDLES]; /* of contexts; NULL: numbers are the world's */
    atomic_int_fast64_t next;
} tables[TRACE_HANDLES];

/* 1 + the index of a handle's entry; 0: it has none. */
static size_t find(enum trace_handle kind, const void *handle)
{
    size_t i = atomic_load(&tables[kind].count);
    if (i > HANDLES) /* another thread is just adding one for which there is no room */
        i = HANDLES;
    while (i > 0 && atomic_load(&tables[kind].handles[i - 1]) != handle)
        i--;
    return i;
}

int64_t trace_handle_number(enum trace_handle kind, const void *handle)
{
    size_t found = find(kind, handle);
    return found ? atomic_load(&tables[kind].numbers[found - 1]) : -1;
}

void trace_handle_add(enum trace_handle kind, const void *handle)
{
    int64_t number = 1 + atomic_fetch_add(&tables[kind].next, 1);
    size_t found = find(kind, handle);
    if (!found)
        found = 1 + atomic_fetch_add(&tables[kind].count, 1);
    if (found > HANDLES) {
        atomic_store(&tables[kind].count, HANDLES);
        return;
    }
    atomic_store(&tables[kind].numbers[found - 1], number);
    atomic_store(&tables[kind].handles[found - 1], handle);
}

/* ---- Members ---- */

static bool continues(struct pe_range *range, int64_t pe)
{
    if (range->count == 1 && pe != range->first)
        range->stride = pe - range->first;
    if (pe == range->first || pe != range->first + range->count * range->stride)
        return false;
    range->count++;
    return true;
}

/* The members of a team, which the caller frees. NULL: there is no memory, or the library does not
 * tell them. */
static struct members *find_members(const void *team, const struct trace_team_calls *calls)
{
    size_t room = 1;
    int size = calls->size(team);
    struct members *members = malloc(sizeof *members + room * sizeof *members->range);
    if (members)
        members->ranges = 0;
    for (int i = 0; members && i < size; i++) {
        int pe = calls->member(team, i);
        if (pe < 0 || pe >= trace_pes) {
            free(members);
            return NULL;
        }
        if (members->ranges > 0 && continues(&members->range[members->ranges - 1], pe))
            continue;
        if (members->ranges == room) {
            room *= 2;
            struct members *more = realloc(members, sizeof *members + room * sizeof *more->range);
            if (!more)
                free(members);
            members = more;
        }
        if (members)
            members->range[members->ranges++] = (struct pe_range){i, pe, 1, 1};
    }
    return members;
}

struct team {
    int64_t number;
    const struct members *members;
};

static void write_members(struct file_records *records, const void *context)
{
    const struct team *team = context;
    const struct members *members = team->members;
    for (size_t i = 0; i < members->ranges; i++)
        compose_team(file_next_record(records, TEAM_MOST_BYTES, 0), team->number,
                     pe_ranges_size(members->range, members->ranges), &members->range[i]);
}

void trace_team_add(int64_t number, const void *team, const struct trace_team_calls *calls)
{
    if (atomic_load(&tracer.off) & OFF_ENDED)
        return;
    struct members *members = find_members(team, calls);
    if (members)
        file_append(BLOCK_TEAMS, ((const struct tracer_thread *)trace_this_thread)->number,
                    write_members, &(struct team){number, members});
    else
        tracer_say("the members of a team are not recorded: out of memory, or the library does not "
                   "tell them");
    free(members);
}

/* ---- Contexts ---- */

/* Members of the teams of all contexts. They are never freed, since another thread may be looking
 * at them; their number is that of teams with different members. */
static _Atomic(const struct members *) known;

static const struct members *keep_members(struct members *members)
{
    static const struct members unknown;
    if (!members)
        return &unknown;
    const struct members *before = atomic_load(&known);
    for (const struct members *other = before; other; other = other->next)
        if (members->ranges == other->ranges &&
            memcmp(members->range, other->range, members->ranges * sizeof *members->range) == 0) {
            free(members);
            return other;
        }
    do
        members->next = before;
    while (!atomic_compare_exchange_weak(&known, &before, members));
    return members;
}

void trace_context_add(const void *context, const void *team, const struct trace_team_calls *calls)
{
    size_t found = team || trace_team_contexts ? find(TRACE_CONTEXT_HANDLE, context) : 0;
    if (!found)
        return;
    atomic_store(&tables[TRACE_CONTEXT_HANDLE].members[found - 1],
                 team ? keep_members(find_members(team, calls)) : NULL);
    trace_team_contexts = trace_team_contexts || team;
}

int64_t trace_context_peer(const void *context, int pe)
{
    size_t found = find(TRACE_CONTEXT_HANDLE, context);
    const struct members *members =
        found ? atomic_load(&tables[TRACE_CONTEXT_HANDLE].members[found - 1]) : NULL;
    return members ? pe_ranges_member(members->range, members->ranges, pe) : pe;
}
