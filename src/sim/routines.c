/* What the routines of a trace mean for the replay: found from their classes, fields and names. */
#include <string.h>

#include "sim/op.h"
#include "trace/format.h"

static bool has(const char *name, const char *part)
{
    return strstr(name, part) != NULL;
}

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), part = strlen(end);
    return length >= part && strcmp(name + length - part, end) == 0;
}

static enum collective collective_of(const char *name)
{
    if (has(name, "broadcast"))
        return COLLECTIVE_BROADCAST;
    if (has(name, "alltoall"))
        return COLLECTIVE_ALLTOALL;
    if (has(name, "collect"))
        return COLLECTIVE_COLLECT;
    return COLLECTIVE_REDUCE;
}

static void synchronization_kind(const char *name, uint32_t fields, struct routine_kind *kind)
{
    if (has(name, "quiet")) {
        kind->kind = OP_QUIET;
    } else if (has(name, "fence")) {
        kind->kind = OP_FENCE;
    } else if (fields >> TRACE_SET_SIZE & 1) {
        kind->kind = OP_TOGETHER;
        kind->flags = has(name, "barrier") ? OP_QUIETS : 0;
    } else if (has(name, "_test")) {
        kind->kind = OP_WAIT;
        kind->test = true;
        kind->any = has(name, "_any") || has(name, "_some");
    } else if (has(name, "wait")) {
        kind->kind = OP_WAIT;
    }
}

static void atomic_kind(const char *name, struct routine_kind *kind)
{
    bool fetching =
        has(name, "fetch") || has(name, "swap") || has(name, "finc") || has(name, "fadd");
    kind->kind = OP_ATOMIC;
    kind->flags = (has(name, "_nbi") ? 0 : OP_BLOCKING) | (fetching ? OP_FETCHING : 0);
    kind->read_only = ends_with(name, "_fetch");
}

static void find_kind(const struct trace_routine *routine, struct routine_kind *kind)
{
    const char *name = routine->name;
    switch (routine->class) {
    case TRACE_PUT:
    case TRACE_GET:
        kind->kind = routine->class == TRACE_PUT ? OP_PUT : OP_GET;
        kind->flags = OP_BLOCKING;
        break;
    case TRACE_NONBLOCKING:
        kind->kind = has(name, "_get") ? OP_GET : OP_PUT;
        break;
    case TRACE_ATOMIC:
        atomic_kind(name, kind);
        break;
    case TRACE_COLLECTIVE:
        kind->kind = OP_TOGETHER;
        kind->collective = collective_of(name);
        kind->flags = (uint8_t)(kind->collective * OP_COLLECTIVE);
        break;
    case TRACE_SYNCHRONIZATION:
        synchronization_kind(name, routine->fields, kind);
        break;
    case TRACE_CONTEXT:
        kind->kind = has(name, "team_split") || has(name, "team_destroy") ? OP_TOGETHER
                     : has(name, "ctx_destroy")                           ? OP_QUIET
                                                                          : OP_LOCAL;
        break;
    case TRACE_LOCK:
        kind->kind = has(name, "clear") ? OP_UNLOCK : OP_LOCK;
        kind->test = has(name, "test");
        break;
    case TRACE_SETUP:
        kind->start = has(name, "init") || has(name, "start_pes");
        kind->end = has(name, "finalize") || has(name, "exit");
        kind->control = has(name, "pcontrol");
        kind->kind = kind->start ? OP_START : OP_LOCAL;
        kind->flags = has(name, "finalize") ? OP_LAST : 0;
        break;
    default:
        break;
    }
}

/* Whatever was there before, its value is there afterwards. */
static bool writes_value(const struct trace_routine *routine, const struct routine_kind *kind)
{
    const char *name = routine->name;
    if (!(routine->fields >> TRACE_VALUE & 1))
        return false;
    if (kind->kind == OP_PUT)
        return !(routine->fields >> TRACE_SOURCE & 1);
    bool swaps = has(name, "swap") && !has(name, "compare_swap") && !has(name, "cswap");
    return kind->kind == OP_ATOMIC && (swaps || ends_with(name, "_set"));
}

void routine_kinds(const struct trace_routine *routines, size_t count, int format,
                   struct table *names, struct routine_kind *kinds)
{
    for (size_t i = 0; i < count; i++) {
        const struct trace_routine *routine = &routines[i];
        struct routine_kind *kind = &kinds[i];
        unsigned next = 0;
        memset(kind, 0, sizeof *kind);
        find_kind(routine, kind);
        for (unsigned field = 0; field < TRACE_FIELDS; field++)
            kind->index[field] = (uint8_t)(routine->fields >> field & 1 ? next++ : TRACE_FIELDS);
        kind->integer = routine->type == TRACE_SIGNED || routine->type == TRACE_UNSIGNED;
        kind->is_signed = routine->type == TRACE_SIGNED;
        kind->sets = trace_puts_value(routine) || (kind->integer && writes_value(routine, kind));
        kind->sets_signal = format >= FORMAT_WITH_COST && routine->fields >> TRACE_SIGNAL & 1 &&
                            routine->fields >> TRACE_VALUE & 1;
        kind->fields = routine->fields;
        kind->element_bytes = routine->element_bytes;
        kind->number = (uint16_t)table_number(names, routine->name, strlen(routine->name) + 1);
    }
}
