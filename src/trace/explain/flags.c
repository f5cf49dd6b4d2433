/* Finds writes as shmemsim does (src/sim/waits.c), while the trace is read in the order of time. */
#include "trace/explain/flags.h"

#include <stdlib.h>

#include "base/memory.h"

#define WRITES 16 /* to a flag that are kept */
#define MOST_BYTES (UINT64_C(1) << 47)

struct flag {
    int64_t pe;
    uint64_t place, bytes;
    struct write *writes; /* a ring */
    size_t count, room;
};

struct flags {
    struct flag *of;
    size_t count, room;
    uint64_t longest;
};

#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))

static int compare_flags(const void *a, const void *b)
{
    const struct flag *x = a, *y = b;
    int order = ORDER(x->pe, y->pe);
    if (order == 0)
        order = ORDER(x->place, y->place);
    return order ? order : ORDER(x->bytes, y->bytes);
}

void flags_add(struct flags **all, int64_t pe, int64_t place, uint64_t bytes)
{
    if (!*all)
        *all = memory_zeroed(1, sizeof **all);
    struct flags *flags = *all;
    const struct flag flag = {.pe = pe, .place = (uint64_t)place, .bytes = bytes};
    if (bytes == 0 || bytes > MOST_BYTES ||
        (flags->count && compare_flags(&flags->of[flags->count - 1], &flag) == 0))
        return;
    if (flags->count == flags->room) { /* most waits are for the same few places */
        flags_sort(flags);
        if (2 * flags->count >= flags->room) {
            flags->room = 2 * flags->room + 256;
            flags->of = memory_resize_array(flags->of, flags->room, sizeof *flags->of);
        }
    }
    flags->of[flags->count++] = flag;
    if (bytes > flags->longest)
        flags->longest = bytes;
}

void flags_sort(struct flags *flags)
{
    size_t kept = 0;
    if (!flags || flags->count == 0)
        return;
    qsort(flags->of, flags->count, sizeof *flags->of, compare_flags);
    for (size_t i = 0; i < flags->count; i++)
        if (kept == 0 || compare_flags(&flags->of[kept - 1], &flags->of[i]) != 0)
            flags->of[kept++] = flags->of[i];
    flags->count = kept;
}

/* The first flag at or behind a place of a PE. */
static size_t flag_from(const struct flags *flags, int64_t pe, uint64_t place)
{
    const struct flag key = {.pe = pe, .place = place};
    size_t low = 0, high = flags->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (compare_flags(&flags->of[middle], &key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The flag from that index on that the bytes overlap. */
static struct flag *next_flag(const struct flags *flags, size_t *i, int64_t pe, uint64_t place,
                              uint64_t bytes)
{
    for (; *i < flags->count; ++*i) {
        struct flag *flag = &flags->of[*i];
        if (flag->pe != pe || flag->place >= place + bytes)
            return NULL;
        if (flag->place + flag->bytes > place) {
            ++*i;
            return flag;
        }
    }
    return NULL;
}

static size_t overlapping_from(const struct flags *flags, int64_t pe, uint64_t place)
{
    return flag_from(flags, pe, place > flags->longest ? place - flags->longest : 0);
}

bool flags_have(const struct flags *flags, int64_t pe, int64_t place, uint64_t bytes)
{
    if (!flags || place == 0 || bytes == 0 || bytes > MOST_BYTES)
        return false;
    size_t i = overlapping_from(flags, pe, (uint64_t)place);
    return next_flag(flags, &i, pe, (uint64_t)place, bytes);
}

/* ---- Writes ---- */

static struct flag_change change_of(const struct routine_kind *kind,
                                    const struct trace_event *event)
{
    uint64_t element = kind->element_bytes,
             elements = (uint64_t)event_value(event, TRACE_ELEMENTS, 1),
             stride = (uint64_t)event_value(event, TRACE_TARGET_STRIDE, 1),
             bytes = (uint64_t)event_value(event, TRACE_BYTES, (int64_t)element);
    bool strided = stride > 1 && stride < MOST_BYTES && elements > 0 && elements < MOST_BYTES &&
                   element * stride < MOST_BYTES / elements;
    if (event_has(event, TRACE_COMPARISON) && elements > 0 && elements < MOST_BYTES)
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
    if (change->place == 0 || change->bytes == 0 || change->bytes > MOST_BYTES)
        return;
    size_t i = overlapping_from(flags, pe, change->place);
    for (struct flag *flag; (flag = next_flag(flags, &i, pe, change->place, change->bytes));) {
        if (flag->count == flag->room && flag->room < WRITES) {
            flag->room = flag->room ? WRITES : 2;
            flag->writes = memory_resize_array(flag->writes, flag->room, sizeof *flag->writes);
        }
        struct write *kept = &flag->writes[flag->count++ % flag->room];
        *kept = *write;
        kept->valued = kept->valued && flag_value(change, flag->place, flag->bytes, &kept->value);
    }
}

void flags_write(struct flags *flags, const struct routine_kind *kind,
                 const struct trace_event *event, const struct write *write)
{
    int64_t pe = event_value(event, TRACE_PEER, -1);
    if (!flags || !(kind->kind == OP_PUT || (kind->kind == OP_ATOMIC && !kind->read_only)))
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

static const struct write *find_in(const struct flag *flag, const struct condition *condition)
{
    const struct write *last = NULL, *found = NULL;
    size_t kept = flag->count < flag->room ? flag->count : flag->room;
    for (size_t i = flag->count; i-- > flag->count - kept;) {
        const struct write *write = &flag->writes[i % flag->room];
        if (write->time >= condition->to)
            continue;
        if (write->time < condition->from)
            break;
        last = last ? last : write;
        bool ends = !write->valued || flag_satisfies(&condition->flag, write->value);
        if (found && !(ends && write->valued && found->valued &&
                       flag_goes_on(&condition->flag, write->value, found->value)))
            break;
        if (ends)
            found = write;
    }
    return found ? found : last;
}

const struct write *flags_find(const struct flags *flags, const struct condition *condition)
{
    const struct write *found = NULL;
    uint64_t place = (uint64_t)condition->place;
    if (!flags)
        return NULL;
    for (size_t i = flag_from(flags, condition->pe, place); i < flags->count; i++) {
        const struct flag *flag = &flags->of[i];
        if (flag->pe != condition->pe || flag->place != place)
            break;
        if (flag->bytes == condition->flag.bytes)
            return find_in(flag, condition);
    }
    return found;
}

void flags_free(struct flags *flags)
{
    for (size_t i = 0; flags && i < flags->count; i++)
        free(flags->of[i].writes);
    if (flags)
        free(flags->of);
    free(flags);
}
