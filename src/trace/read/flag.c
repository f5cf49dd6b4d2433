/* What writes make of flags, and which waits that ends. */
#include "trace/read/flag.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "trace/event.h"

bool flag_value(const struct flag_change *change, uint64_t place, uint64_t bytes, uint64_t *value)
{
    if (place < change->place || bytes > sizeof *value || change->step == 0)
        return false;
    uint64_t offset = place - change->place, index = offset / change->step,
             within = offset % change->step, first = index * change->element + within;
    if (within + bytes > change->element || first + bytes > sizeof *value)
        return false;
    *value = *value >> 8 * first & (UINT64_MAX >> 8 * (sizeof *value - bytes));
    return true;
}

/* As events keep values. */
static int64_t number_of(const struct flag_condition *condition, uint64_t value)
{
    uint64_t bytes = condition->bytes < sizeof value ? condition->bytes : sizeof value;
    unsigned shift = 8 * (unsigned)(sizeof value - bytes);
    return condition->is_signed ? (int64_t)(value << shift) >> shift : (int64_t)value;
}

static int compare(const struct flag_condition *condition, int64_t a, int64_t b)
{
    return condition->is_signed ? ORDER(a, b) : ORDER((uint64_t)a, (uint64_t)b);
}

/* Whether a flag with these bytes, the first one lowest, ends the wait. */
static bool satisfies(const struct flag_condition *condition, uint64_t value)
{
    int order = compare(condition, number_of(condition, value), condition->value);
    switch (condition->comparison) {
    case TRACE_EQUAL:
        return order == 0;
    case TRACE_NOT_EQUAL:
        return order != 0;
    case TRACE_GREATER:
        return order > 0;
    case TRACE_LESS_EQUAL:
        return order <= 0;
    case TRACE_LESS:
        return order < 0;
    case TRACE_GREATER_EQUAL:
        return order >= 0;
    default:
        return true;
    }
}

/* Whether from one write to the next one values go on in the direction that the wait is for, as
 * those of counters do. What is set to the same value again may have been reset by its owner, which
 * a trace does not show. */
static bool goes_on(const struct flag_condition *condition, uint64_t value, uint64_t next)
{
    int order = compare(condition, number_of(condition, next), number_of(condition, value));
    switch (condition->comparison) {
    case TRACE_GREATER:
    case TRACE_GREATER_EQUAL:
        return order > 0;
    case TRACE_LESS:
    case TRACE_LESS_EQUAL:
        return order < 0;
    default:
        return false;
    }
}

bool flag_search(struct flag_search *search, const void *write, bool valued, uint64_t value)
{
    bool ends = !valued || satisfies(search->condition, value);
    search->last = search->last ? search->last : write;
    if (search->found &&
        !(ends && valued && search->valued && goes_on(search->condition, value, search->value)))
        return false;
    if (ends) {
        search->found = write;
        search->valued = valued;
        search->value = value;
    }
    return true;
}

const void *flag_search_result(const struct flag_search *search)
{
    return search->found ? search->found : search->last;
}

/* ---- All flags ---- */

static int compare_places(const void *a, const void *b)
{
    const struct flag_place *x = a, *y = b;
    return ORDER(x->pe, y->pe) ?: ORDER(x->place, y->place) ?: ORDER(x->bytes, y->bytes);
}

static void keep_each_once(struct flag_list *list)
{
    size_t kept = 0;
    SORT(list->of, list->count, compare_places);
    for (size_t i = 0; i < list->count; i++)
        if (kept == 0 || compare_places(&list->of[kept - 1], &list->of[i]) != 0)
            list->of[kept++] = list->of[i];
    list->count = kept;
}

void flag_list_add(struct flag_list *list, int64_t pe, uint64_t place, uint64_t bytes)
{
    const struct flag_place flag = {(uint32_t)pe, place, bytes};
    if (bytes == 0 || bytes > FLAG_MOST_BYTES || pe < 0 || pe > INT32_MAX ||
        (list->count && compare_places(&list->of[list->count - 1], &flag) == 0))
        return;
    if (list->count == list->room) { /* most waits are for the same few places */
        keep_each_once(list);
        if (2 * list->count >= list->room)
            memory_extend(list->of, list->room, &list->room);
    }
    list->of[list->count++] = flag;
    list->longest = bytes > list->longest ? bytes : list->longest;
}

void flag_list_sort(struct flag_list *list, size_t pes)
{
    keep_each_once(list);
    while (list->count && list->of[list->count - 1].pe >= pes)
        list->count--;
    list->pes = pes;
    list->first = memory_zeroed(pes + 1, sizeof *list->first);
    for (size_t i = 0; i < list->count; i++)
        list->first[list->of[i].pe + 1]++;
    for (size_t pe = 0; pe < pes; pe++)
        list->first[pe + 1] += list->first[pe];
}

/* The first flag of a PE at or behind a place, which may be none. */
static size_t flag_from(const struct flag_list *list, size_t pe, uint64_t place)
{
    size_t low = list->first[pe], high = list->first[pe + 1];
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (list->of[middle].place < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool has_pe(const struct flag_list *list, int64_t pe)
{
    return pe >= 0 && (uint64_t)pe < list->pes && list->first[pe] < list->first[pe + 1];
}

size_t flag_list_find(const struct flag_list *list, int64_t pe, uint64_t place, uint64_t bytes)
{
    if (!has_pe(list, pe))
        return SIZE_MAX;
    for (size_t i = flag_from(list, (size_t)pe, place);
         i < list->first[pe + 1] && list->of[i].place == place; i++)
        if (list->of[i].bytes == bytes)
            return i;
    return SIZE_MAX;
}

bool flag_list_next(const struct flag_list *list, int64_t pe, uint64_t place, uint64_t bytes,
                    size_t *number)
{
    if (place == 0 || bytes == 0 || bytes > FLAG_MOST_BYTES || !has_pe(list, pe))
        return false;
    size_t i = *number + 1;
    if (*number == SIZE_MAX)
        i = flag_from(list, (size_t)pe, place > list->longest ? place - list->longest : 0);
    for (; i < list->first[pe + 1] && list->of[i].place < place + bytes; i++)
        if (list->of[i].place + list->of[i].bytes > place) {
            *number = i;
            return true;
        }
    return false;
}

void flag_list_free(struct flag_list *list)
{
    free(list->of);
    free(list->first);
}
