/* What calls do, as far as shmemsim's table of routines does not say it. */
#include <string.h>

#include "trace/explain/explain.h"

#define FETCH_MOST_BYTES 8

uint64_t fetch_bytes(const struct routine_kind *kind, const struct trace_event *event)
{
    if (!(kind->flags & OP_BLOCKING))
        return 0;
    uint64_t bytes = (uint64_t)event_value(event, TRACE_BYTES, kind->element_bytes);
    bool get = kind->kind == OP_GET && bytes <= FETCH_MOST_BYTES;
    bool compares = event_has(event, TRACE_CONDITION); /* compare_swap, as a lock of one's own */
    bool atomic = kind->kind == OP_ATOMIC && (kind->read_only || compares);
    return get ? bytes : atomic ? kind->element_bytes : 0;
}

int64_t fetch_place(const struct routine_kind *kind, const struct trace_event *event)
{
    return event_value(event, kind->kind == OP_GET ? TRACE_SOURCE : TRACE_TARGET, 0);
}

bool test_failed(const struct routine_kind *kind, const struct trace_event *event)
{
    if (!kind->test)
        return false;
    if (kind->kind == OP_LOCK)
        return event_value(event, TRACE_RESULT, 0) != 0;
    return event_value(event, TRACE_RESULT, 1) == (kind->any ? -1 : 0);
}

bool call_polls(const struct routine_kind *kind, const struct trace_event *event)
{
    return kind->test ? test_failed(kind, event) : fetch_bytes(kind, event) > 0;
}

struct line *explain_line(const struct explain *explain, const struct source *source,
                          const struct trace_event *event)
{
    uint32_t number = explain->first_line[source->index] + event->thread;
    if (number >= explain->line_count)
        return NULL;
    struct line *line = &explain->lines[number];
    return line->pe == source->info->pe && line->thread == event->thread ? line : NULL;
}
