/* The second pass: what each line does, in the order of time. */
#include "trace/explain/follow.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "trace/explain/iterations.h"
#include "trace/explain/past.h"
#include "trace/read/merge.h"

void step_add(const struct step *step, struct wait wait, bool meanwhile)
{
    uint32_t number = wait_add(step->explain, wait, meanwhile);
    struct line *line = &step->explain->lines[wait.line];
    if (number == 0)
        return;
    if (line->call_waits++ == 0)
        line->first_wait = number;
}

struct shares *shares_of(struct explain *explain, struct line *line, uint32_t phase)
{
    size_t number = table_number(&explain->phases, &phase, sizeof phase);
    line->shares = reader_extend(line->shares, &line->share_room, number, sizeof *line->shares);
    return &line->shares[number];
}

void step_push(const struct step *step, double from, double to, struct call call)
{
    const struct explain *explain = step->explain;
    struct line *line = step->line;
    const activity_t calls = activity(false, call.spot, step->event->phase);
    double *seconds = &line->spent[call.spot].seconds;
    for (uint32_t i = 0; i <= line->call_waits; i++) {
        bool last = i == line->call_waits;
        const struct wait *wait = last ? NULL : &explain->waits[line->first_wait - 1 + i];
        double until = last ? to : fmin(wait->from, to);
        past_push(explain, line, (struct segment){from, until, calls, 0, call.ordinal});
        *seconds += explain_within(explain, from, until);
        if (last)
            break;
        from = fmax(from, wait->from);
        until = fmin(wait->until, to);
        past_push(explain, line,
                  (struct segment){from, until, calls, line->first_wait + i, call.ordinal});
        from = fmax(from, until);
    }
    line->call_waits = 0;
}

/* What the line computed before the call. */
static void burst(struct step *step, double since)
{
    struct line *line = step->line;
    double useful = explain_within(step->explain, since, step->start);
    bool loops = poll_goes_on(step);
    struct shares *shares = shares_of(step->explain, line, step->event->phase);
    shares->useful += useful;
    line->ideal += useful;
    shares->ideal += useful;
    if (loops)
        poll_burst(step, useful);
    else
        past_push(step->explain, line,
                  (struct segment){.start = since,
                                   .end = step->start,
                                   .ordinal = line->call.ordinal,
                                   .activity =
                                       activity(true, line->call.spot, step->event->phase)});
}

static void begin(struct step *step)
{
    struct explain *explain = step->explain;
    struct line *line = step->line;
    uint32_t spot = spot_of(explain, step->source, step->event);
    if (line->started)
        burst(step, line->ended);
    line->started = true;
    line->begun = step->start;
    line->spent = reader_extend(line->spent, &line->spent_room, spot, sizeof *line->spent);
    line->call = (struct call){spot, ++line->spent[spot].calls};
    line->call_waits = 0;
    if (step->number == 0 && !call_polls(step->kind, step->event))
        iterations_note(explain->iterations, spot, step->start);
    if (explain->pe[line->pe].inside++ == 0)
        targets_enter(explain, line->pe, step->start);
    lock_start(step);
    wait_start(step);
    target_start(step);
    meet_start(step);
}

static void end(struct step *step)
{
    struct explain *explain = step->explain;
    struct line *line = step->line;
    if (--explain->pe[line->pe].inside == 0)
        targets_leave(explain, line->pe, step->end);
    target_end(step);
    bool loops = poll_end(step);
    if (step->kind->kind == OP_WAIT && !step->kind->test)
        wait_for(step, flags_condition(step->kind, line->pe, step->event), step->start);
    if (step->kind->kind == OP_LOCK && !step->kind->test)
        lock_got(step, step->start);
    if (!loops)
        step_push(step, step->start, step->end, line->call);
    if (step->kind->kind == OP_QUIET && line->past.last)
        line->quiet = line->past.last;
    shares_of(step->explain, step->line, step->event->phase)->elapsed += explain_within(explain, line->ended, step->end);
    line->ended = step->end;
    line->over = line->over || step->kind->end;
}

void follow(struct explain *explain)
{
    struct merge *merge = merge_open(explain->reader, true);
    struct merge_event next;
    explain->all_met = -INFINITY;
    while (merge_next(merge, &next)) {
        struct line *line = explain_line(explain, next.source, next.event);
        if (!line || line->over)
            continue;
        struct step step = {
            .explain = explain,
            .source = next.source,
            .event = next.event,
            .kind = explain_kind(explain, next.source, next.event),
            .number = (uint32_t)(line - explain->lines),
            .line = line,
            .start = next.end ? line->begun : next.seconds,
            .end = next.end ? next.seconds
                            : trace_seconds(next.source->file, event_end(next.event)),
        };
        if (next.end)
            end(&step);
        else
            begin(&step);
        explain->events += next.end;
    }
    merge_close(merge);
}
