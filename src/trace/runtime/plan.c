/* Decides which calls are recorded. */
#include "trace/runtime/plan.h"

#include <stdlib.h>

struct series_kind *plan_kinds;
static uint8_t *plans;                /* by routine */
static bool *quick_some, *quick_none; /* by routine, see struct trace_run */

/* Signal handlers and other threads may change tracer.off at the same time. */
static void choose_quick(void)
{
    bool never = tracer.recording.summary || trace_run.clock_gettime;
    int off;
    do {
        off = atomic_load(&tracer.off);
        atomic_store(&trace_run.quick, off || never ? quick_none : quick_some);
    } while (off != atomic_load(&tracer.off));
}

int tracer_stop(int reasons)
{
    int before = atomic_fetch_or(&tracer.off, reasons);
    choose_quick();
    return before;
}

void tracer_go_on(int reasons)
{
    atomic_fetch_and(&tracer.off, ~reasons);
    choose_quick();
}

void tracer_begin(int reasons)
{
    atomic_store(&tracer.off, reasons);
    choose_quick();
}

static enum plan choose_plan(const struct trace_routine *routine, bool usual)
{
    const struct recording *recording = &tracer.recording;
    bool query = routine->class == TRACE_QUERY;
    bool wanted = recording->only ? trace_list_names(recording->only, routine)
                                  : usual || (query && recording->queries);
    if (wanted && !trace_list_names(recording->exclude, routine))
        return PLAN_RECORD;
    return query ? PLAN_IGNORE : PLAN_GUARD;
}

bool plan_routines(void)
{
    plans = calloc(trace_routine_count, sizeof *plans);
    quick_some = calloc(trace_routine_count, sizeof *quick_some);
    quick_none = calloc(trace_routine_count, sizeof *quick_none);
    plan_kinds = calloc(trace_routine_count, sizeof *plan_kinds);
    if (!plans || !quick_some || !quick_none || !plan_kinds)
        return false;
    for (unsigned i = 0; i < trace_routine_count; i++) {
        plans[i] = (uint8_t)choose_plan(&trace_routines[i], trace_routine_on[i]);
        quick_some[i] =
            plans[i] == PLAN_RECORD && !(trace_values && trace_puts_value(&trace_routines[i]));
        plan_kinds[i] = series_kind(&trace_routines[i]);
    }
    return true;
}

enum plan plan_of(unsigned routine)
{
    return (enum plan)plans[routine];
}
