/* What writes make of flags, and which waits that ends. */
#include "trace/read/flag.h"

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
    if (condition->is_signed)
        return (a > b) - (a < b);
    return ((uint64_t)a > (uint64_t)b) - ((uint64_t)a < (uint64_t)b);
}

bool flag_satisfies(const struct flag_condition *condition, uint64_t value)
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

bool flag_goes_on(const struct flag_condition *condition, uint64_t value, uint64_t next)
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
