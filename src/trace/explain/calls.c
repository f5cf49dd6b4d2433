/* What routines and calls do, as far as shmemsim's table of routines does not say it, where calls
 * are made from, and which writes end waits. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/explain/explain.h"

#define FETCH_MOST_BYTES 8

/* ---- Routines ---- */

const struct routine_kind *kinds_find(struct kinds *kinds, struct source *source,
                                      const struct trace_event *event)
{
    size_t number = trace_source_number(source, event);
    struct routine_kind **kind = memory_element(kinds->of, number, &kinds->room);
    if (!*kind) {
        *kind = memory_zeroed(1, sizeof **kind);
        routine_kinds(trace_source_routine(source, event), 1, source->info->format,
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
    size_t site = trace_source_site(source, event);
    uint16_t routine = kinds_find(&explain->kinds, source, event)->number;
    /* By site, and those without one by their routine. */
    size_t place = site ? 2 * site + 1 : 2 * (size_t)routine;
    struct spot_cached *cached =
        memory_element(explain->spot_cache, place, &explain->spot_cache_room);
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

/* ---- Flags: the latest writes to each place that is waited for ---- */

#define WRITES 16 /* to a flag that are kept */
struct ring {
    struct write *writes; /* the latest */
    size_t count, room;
};

void flags_sort(struct flags *flags, size_t pes)
{
    flag_list_sort(&flags->list, pes);
    flags->rings = memory_zeroed(flags->list.count, sizeof *flags->rings);
}

static struct flag_change change_of(const struct routine_kind *kind,
                                    const struct trace_event *event)
{
    uint64_t element = kind->element_bytes,
             elements = (uint64_t)event_value(event, TRACE_ELEMENTS, 1),
             stride = (uint64_t)event_value(event, TRACE_TARGET_STRIDE, 1),
             bytes = (uint64_t)event_value(event, TRACE_BYTES, (int64_t)element);
    bool strided = stride > 1 && stride < FLAG_MOST_BYTES && elements > 0 &&
                   elements < FLAG_MOST_BYTES && element * stride < FLAG_MOST_BYTES / elements;
    if (event_has(event, TRACE_COMPARISON) && elements > 0 && elements < FLAG_MOST_BYTES)
        bytes = elements * element;
    struct flag_change change = {.place = (uint64_t)event_value(event, TRACE_TARGET, 0)};
    change.bytes = strided ? ((elements - 1) * stride + 1) * element : bytes;
    change.element = strided ? element : bytes;
    change.step = strided ? element * stride : bytes;
    return change;
}

static void write_changes(struct flags *flags, int64_t pe, const struct flag_change *change,
                          const struct write *write)
{
    for (size_t i = SIZE_MAX; flag_list_next(&flags->list, pe, change->place, change->bytes, &i);) {
        const struct flag_place *flag = &flags->list.of[i];
        struct ring *ring = &flags->rings[i];
        if (ring->count == ring->room && ring->room < WRITES) {
            ring->room = ring->room ? WRITES : 2;
            ring->writes = memory_resize_array(ring->writes, ring->room, sizeof *ring->writes);
        }
        struct write *kept = &ring->writes[ring->count++ % ring->room];
        *kept = *write;
        kept->valued = kept->valued && flag_value(change, flag->place, flag->bytes, &kept->value);
    }
}

void flags_write(struct flags *flags, const struct routine_kind *kind,
                 const struct trace_event *event, const struct write *write)
{
    int64_t pe = event_value(event, TRACE_PEER, -1);
    if (flags->list.count == 0 ||
        !(kind->kind == OP_PUT || (kind->kind == OP_ATOMIC && !kind->read_only)))
        return;
    struct write made = *write;
    made.value = (uint64_t)event_value(event, TRACE_VALUE, 0);
    made.valued = kind->sets && event_has(event, TRACE_VALUE);
    struct flag_change change = change_of(kind, event);
    write_changes(flags, pe, &change, &made);
    if (!event_has(event, TRACE_SIGNAL))
        return;
    const uint64_t word = sizeof(uint64_t);
    change = (struct flag_change){(uint64_t)event->values[TRACE_SIGNAL], word, word, word};
    made.value = (uint64_t)event_value(event, TRACE_VALUE, 0);
    made.valued = kind->sets_signal && event_value(event, TRACE_OPTIONS, -1) == TRACE_SIGNAL_SET;
    write_changes(flags, pe, &change, &made);
}

struct condition flags_condition(const struct routine_kind *kind, int pe,
                                 const struct trace_event *event)
{
    const struct flag_change change = change_of(kind, event);
    bool valued =
        kind->integer && event_has(event, TRACE_VALUE) && change.bytes == kind->element_bytes;
    return (struct condition){
        .pe = pe,
        .place = (int64_t)change.place,
        .flag = {.bytes = change.bytes,
                 .comparison = valued ? (int)event_value(event, TRACE_COMPARISON, -1) : -1,
                 .is_signed = kind->is_signed,
                 .value = event_value(event, TRACE_VALUE, 0)},
    };
}

void flags_wait(struct flags *flags, const struct routine_kind *kind, int pe,
                const struct trace_event *event)
{
    if (kind->kind != OP_WAIT)
        return;
    const struct flag_change change = change_of(kind, event);
    flag_list_add(&flags->list, pe, change.place, change.bytes);
}

const struct write *flags_find(const struct flags *flags, const struct condition *condition)
{
    struct flag_search search = {.condition = &condition->flag};
    size_t number = flag_list_find(&flags->list, condition->pe, (uint64_t)condition->place,
                                   condition->flag.bytes);
    if (number == SIZE_MAX)
        return NULL;
    const struct ring *ring = &flags->rings[number];
    size_t kept = ring->count < ring->room ? ring->count : ring->room;
    for (size_t i = ring->count; i-- > ring->count - kept;) {
        const struct write *write = &ring->writes[i % ring->room];
        if (write->time >= condition->to)
            continue;
        if (write->time < condition->from ||
            !flag_search(&search, write, write->valued, write->value))
            break;
    }
    return flag_search_result(&search);
}

void flags_free(struct flags *flags)
{
    for (size_t i = 0; flags->rings && i < flags->list.count; i++)
        free(flags->rings[i].writes);
    free(flags->rings);
    flag_list_free(&flags->list);
}
