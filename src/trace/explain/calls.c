/* What routines and calls do, as far as shmemsim's table of routines does not say it, and where
 * calls are made from. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/explain/explain.h"

#define FETCH_MOST_BYTES 8

/* ---- Routines ---- */

const struct routine_kind *kinds_find(struct kinds *kinds, struct source *source,
                                      const struct trace_event *event)
{
    size_t number = source_number(source, event);
    memory_extend(kinds->of, number, &kinds->room);
    struct routine_kind **kind = &kinds->of[number];
    if (!*kind) {
        *kind = memory_zeroed(1, sizeof **kind);
        routine_kinds(source_routine(source, event), 1, source->info->format,
                      &source->reader->routines, *kind);
    }
    return *kind;
}

void kinds_free(struct kinds *kinds)
{
    for (size_t i = 0; i < kinds->room; i++)
        free(kinds->of[i]);
    free(kinds->of);
}

/* ---- Calls ---- */

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

/* ---- Spots: a routine and a call site ---- */

struct spot_key {
    size_t routine, site; /* site: the first one with this text, or 0 */
};

static struct spot_key key_of(const struct explain *explain, uint32_t spot)
{
    struct spot_key key = {0};
    if (spot < explain->spots.count)
        memcpy(&key, table_key(&explain->spots, spot), sizeof key);
    return key;
}

uint32_t spot_of(struct explain *explain, struct source *source, const struct trace_event *event)
{
    size_t site = source_site(source, event);
    uint16_t routine = kinds_find(&explain->kinds, source, event)->number;
    /* By site, and those without one by their routine. */
    size_t place = site ? 2 * site + 1 : 2 * (size_t)routine;
    memory_extend(explain->spot_cache, place, &explain->spot_cache_room);
    struct spot_cached *cached = &explain->spot_cache[place];
    if (cached->routine == routine + 1u)
        return cached->spot;
    const struct spot_key key = {routine, sites_find(&explain->reader->sites, site)->same};
    cached->routine = routine + 1u;
    cached->spot = (uint32_t)table_number(&explain->spots, &key, sizeof key);
    return cached->spot;
}

const char *spot_site(const struct explain *explain, uint32_t spot)
{
    size_t site = key_of(explain, spot).site;
    return site ? sites_text(&explain->reader->sites, site) : NULL;
}

const char *spot_routine(const struct explain *explain, uint32_t spot)
{
    return spot < explain->spots.count
               ? table_key(&explain->reader->routines, key_of(explain, spot).routine)
               : "the start";
}
