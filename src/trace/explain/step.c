#include "trace/explain/step.h"

#include <math.h>

#include "base/memory.h"
#include "trace/explain/past.h"

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
    memory_extend(line->shares, number, &line->share_room);
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
