/* Which set of PEs a collective call belongs to: active sets, and teams as the file of its PE lists
 * them. */
#include "trace/read/reader.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"

#define TEAMS_SHOWN 64 /* by trace_source_print_teams() */

/* ---- Teams of a PE ---- */

static void add_team(struct source *source, int64_t team, const struct pe_range *ranges,
                     size_t count)
{
    struct sets *sets = &source->reader->sets;
    struct source_teams *all = &source->teams;
    size_t members = table_number(&sets->members, ranges, count * sizeof *ranges);
    struct trace_set set = sets_with(sets, 0, members);
    memory_append(all->teams, all->count,
                  (struct source_team){.team = team,
                                       .member = set_member(&set, source->info->pe),
                                       .members = members});
}

static int compare_teams(const void *a, const void *b)
{
    const struct source_team *x = a, *y = b;
    return ORDER(x->team, y->team);
}

/* Sets the order of teams: the created ones with the same members have 1, 2, 3, ... */
static void order_teams(struct source_teams *all)
{
    struct table seen = {0};
    int64_t *counts = memory_zeroed(all->count, sizeof *counts);
    SORT(all->teams, all->count, compare_teams);
    for (size_t i = 0; i < all->count; i++) {
        struct source_team *team = &all->teams[i];
        team->order = team->team;
        if (team->team <= 0)
            continue;
        team->order = ++counts[table_number(&seen, &team->members, sizeof team->members)];
    }
    table_free(&seen);
    free(counts);
}

/* Reads them when they are first needed. Teams of which pieces are missing are left out. */
static const struct source_teams *teams_of(struct source *source)
{
    struct trace_record record;
    struct trace_team first = {0};
    struct pe_range *ranges = NULL;
    size_t count = 0, room = 0;
    int64_t next = -1; /* index of the member that comes next; -1: a team's first */
    if (source->teams.read)
        return &source->teams;
    source->teams.read = true;
    while (trace_source_record(source, BLOCK_TEAMS, &record)) {
        struct trace_team piece = record.team;
        if (piece.range.index == 0) {
            first = piece;
            count = 0;
            next = 0;
        }
        if (piece.range.index != next || piece.team != first.team || piece.size != first.size) {
            next = -1;
            continue;
        }
        if (piece.range.count == 1)
            piece.range.stride = 1;
        memory_push(ranges, count, &room, piece.range);
        next += piece.range.count;
        if (next == piece.size)
            add_team(source, piece.team, ranges, count);
    }
    free(ranges);
    order_teams(&source->teams);
    return &source->teams;
}

void trace_source_print_teams(struct source *source, FILE *out)
{
    const struct source_teams *all = teams_of(source);
    size_t shown = 0;
    for (size_t i = 0; i < all->count; i++) {
        const struct source_team *team = &all->teams[i];
        struct trace_set set = sets_with(&source->reader->sets, 0, team->members);
        if (team->team == 0)
            continue;
        if (shown++ == TEAMS_SHOWN) {
            fputs("# ...\n", out);
            break;
        }
        fprintf(out, "# team %" PRId64 "%s: %s\n", team->team,
                team->team == TRACE_TEAM_SHARED ? " (SHMEM_TEAM_SHARED)" : "", set_name(&set));
    }
}

/* ---- Calls ---- */

static bool set_is_possible(int64_t start, int64_t stride, int64_t size, int pes)
{
    return start >= 0 && stride > 0 && size > 0 && size <= pes && start < pes &&
           (size == 1 || stride <= (pes - 1 - start) / (size - 1));
}

static enum set_kind active_set(const struct source *source, int64_t start, int64_t stride,
                                int64_t size, struct set_call *call)
{
    struct sets *sets = &source->reader->sets;
    if (!set_is_possible(start, stride, size, source->info->pes))
        return SET_IMPOSSIBLE;
    call->set = sets_active(sets, start, stride, size);
    struct trace_set set = set_of(sets, call->set);
    call->member = set_member(&set, source->info->pe);
    return SET_KNOWN;
}

static enum set_kind team_set(struct source *source, int64_t number, struct set_call *call)
{
    const struct source_team key = {.team = number};
    if (number == 0)
        return active_set(source, 0, 1, source->info->pes, call);
    const struct source_teams *all = teams_of(source);
    const struct source_team *team =
        all->count ? bsearch(&key, all->teams, all->count, sizeof key, compare_teams) : NULL;
    if (!team)
        return SET_UNKNOWN;
    call->set = sets_number(&source->reader->sets, team->order, team->members);
    call->member = team->member;
    return SET_KNOWN;
}

enum set_kind trace_source_set(struct source *source, const struct trace_event *event,
                               struct set_call *call)
{
    const struct trace_routine *routine = trace_source_routine(source, event);
    int64_t start = event_value(event, TRACE_SET_START, 0),
            stride = event_value(event, TRACE_SET_STRIDE, 1);
    /* Creating a team is collective over its parent. The set that the call names may be a part of
     * that. */
    if (routine->class == TRACE_CONTEXT && strstr(routine->name, "team_split"))
        return team_set(source, event_value(event, TRACE_VALUE, 0), call);
    if (routine->class == TRACE_CONTEXT && strstr(routine->name, "team_destroy"))
        return team_set(source, start, call);
    bool together = routine->class == TRACE_COLLECTIVE || routine->class == TRACE_SYNCHRONIZATION;
    if (together && event_has(event, TRACE_SET_SIZE))
        return stride == 0 ? team_set(source, start, call)
                           : active_set(source, start, stride, event->values[TRACE_SET_SIZE], call);
    return event->flags & TRACE_IMPLICIT_BARRIER ? active_set(source, 0, 1, source->info->pes, call)
                                                 : SET_NONE;
}
