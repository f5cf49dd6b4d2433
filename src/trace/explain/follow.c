/* The second pass: what each line does, in the order of time. */
#include <math.h>

#include "base/memory.h"
#include "trace/explain/step.h"
#include "trace/read/reader.h"

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
        past_push(
            step->explain, line,
            (struct segment){.start = since,
                             .end = step->start,
                             .ordinal = line->call.ordinal,
                             .activity = activity(true, line->call.spot, step->event->phase)});
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
    memory_extend(line->spent, spot, &line->spent_room);
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
    if (step->kind->kind == OP_QUIET)
        line->quiet = loops || !(step->end > step->start) ? 0 : line->past.last;
    shares_of(step->explain, step->line, step->event->phase)->elapsed +=
        explain_within(explain, line->ended, step->end);
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
            .kind = kinds_find(&explain->kinds, next.source, next.event),
            .number = (uint32_t)(line - explain->lines),
            .line = line,
            .start = next.end ? line->begun : next.seconds,
            .end =
                next.end ? next.seconds : trace_seconds(next.source->file, event_end(next.event)),
        };
        if (next.end)
            end(&step);
        else
            begin(&step);
        explain->events += next.end;
    }
    merge_close(merge);
}
