/* Collectives: who came last. */
#include "trace/explain/step.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "trace/read/reader.h"

#define MOST_OPEN 1024 /* collectives by which PEs of a set may be apart */

struct arrival {
    uint32_t line, phase;
    struct call call;
    double start, end, ideal;
};

struct meeting {
    struct arrival *arrivals;
    size_t count;
};

struct meetings {
    struct turns turns;
    bool given_up; /* members are missing */
};

static int compare_arrivals(const void *a, const void *b)
{
    const struct arrival *x = a, *y = b;
    return ORDER(x->start, y->start) ?: ORDER(x->line, y->line);
}

/* The last one that came before this one left. */
static size_t last_before(const struct meeting *meeting, const struct arrival *arrival)
{
    size_t last = meeting->count - 1;
    while (last > 0 && meeting->arrivals[last].start > arrival->end)
        last--;
    return last;
}

static void met(struct step *step, struct meeting *meeting)
{
    struct explain *explain = step->explain;
    bool collective = source_routine(step->source, step->event)->class == TRACE_COLLECTIVE;
    enum cause cause = collective ? CAUSE_COLLECTIVE : CAUSE_BARRIER;
    double ideal = 0, time = meeting->arrivals[0].start;
    qsort(meeting->arrivals, meeting->count, sizeof *meeting->arrivals, compare_arrivals);
    for (size_t i = 0; i < meeting->count; i++) {
        const struct arrival *arrival = &meeting->arrivals[i],
                             *last = &meeting->arrivals[last_before(meeting, arrival)];
        ideal = arrival->ideal > ideal ? arrival->ideal : ideal;
        time = arrival->start;
        if (last->line == arrival->line || last->start <= arrival->start)
            continue;
        step_add(step,
                 (struct wait){.line = arrival->line,
                               .by = last->line,
                               .call = arrival->call,
                               .by_call = last->call,
                               .cause = cause,
                               .phase = arrival->phase,
                               .from = arrival->start,
                               .until = last->start},
                 false);
    }
    bool all = (int64_t)meeting->count == explain->pes;
    for (size_t i = 0; i < meeting->count; i++) {
        const struct arrival *arrival = &meeting->arrivals[i];
        struct line *line = &explain->lines[arrival->line];
        all = all && arrival->end >= time;
        if (arrival->end >= time)
            step_ideal(shares_of(explain, line, arrival->phase), line, ideal);
    }
    for (size_t i = 0; i + 1 < meeting->count && !all; i++)
        lines_met(explain, meeting->arrivals[i].line, meeting->arrivals[meeting->count - 1].line,
                  time);
    if (all)
        explain->all_met = time;
}

static struct meeting *meeting_at(const struct meetings *set, uint64_t number)
{
    return turns_at(&set->turns, number, sizeof(struct meeting));
}

static void give_up(struct meetings *set)
{
    for (uint64_t i = set->turns.first; i < set->turns.last; i++)
        free(meeting_at(set, i)->arrivals);
    turns_free(&set->turns);
    *set = (struct meetings){.given_up = true};
}

void meet_start(struct step *step)
{
    struct explain *explain = step->explain;
    struct set_call call;
    if (source_set(step->source, step->event, &call) != SET_KNOWN || call.member < 0)
        return;
    struct trace_set members = set_of(&explain->reader->sets, call.set);
    if (members.size > explain->line_count)
        return; /* some are not in the trace */
    memory_extend(explain->meetings, call.set, &explain->meeting_room);
    struct meetings *set = &explain->meetings[call.set];
    if (set->given_up)
        return;
    struct turns *turns = &set->turns;
    struct meeting *meeting =
        meeting_at(set, turns_take(turns, members.size, call.member, sizeof *meeting));
    if (turns->last - turns->first > MOST_OPEN) {
        give_up(set);
        return;
    }
    if (!meeting->arrivals)
        meeting->arrivals = memory_zeroed((size_t)members.size, sizeof *meeting->arrivals);
    meeting->arrivals[meeting->count++] =
        (struct arrival){step->number, step->event->phase, step->line->call,
                         step->start,  step->end,          step->line->ideal};
    if (meeting->count == (size_t)members.size)
        met(step, meeting);
    while (turns->first < turns->last &&
           meeting_at(set, turns->first)->count == (size_t)members.size)
        free(meeting_at(set, turns->first++)->arrivals);
}

void meetings_free(struct explain *explain)
{
    for (size_t i = 0; i < explain->meeting_room; i++)
        give_up(&explain->meetings[i]);
    free(explain->meetings);
}
