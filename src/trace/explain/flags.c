/* Finds the writes that end waits, while the trace is read in the order of time. */
#include "trace/explain/explain.h"

#include <stdlib.h>

#include "base/memory.h"

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

/* ---- Writes ---- */

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

/* ---- Finding ---- */

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
