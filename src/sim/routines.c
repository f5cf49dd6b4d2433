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

/* What a routine is, by its class and a part of its name: the first row that fits. */
static const struct meaning {
    enum trace_class class;
    const char *part;
    enum op_kind kind;
    uint8_t flags;
    enum { FIRST_CALL = 1, LAST_CALL = 2, CONTROL = 4, TEST = 8, OF_SET = 16 } also;
} meanings[] = {
    {TRACE_PUT, "", OP_PUT, OP_BLOCKING, 0},
    {TRACE_GET, "", OP_GET, OP_BLOCKING, 0},
    {TRACE_NONBLOCKING, "_get", OP_GET, 0, 0},
    {TRACE_NONBLOCKING, "", OP_PUT, 0, 0},
    {TRACE_ATOMIC, "_nbi", OP_ATOMIC, 0, 0},
    {TRACE_ATOMIC, "", OP_ATOMIC, OP_BLOCKING, 0},
    {TRACE_COLLECTIVE, "broadcast", OP_TOGETHER, COLLECTIVE_BROADCAST *OP_COLLECTIVE, 0},
    {TRACE_COLLECTIVE, "alltoall", OP_TOGETHER, COLLECTIVE_ALLTOALL *OP_COLLECTIVE, 0},
    {TRACE_COLLECTIVE, "fcollect", OP_TOGETHER, COLLECTIVE_FCOLLECT *OP_COLLECTIVE, 0},
    {TRACE_COLLECTIVE, "collect", OP_TOGETHER, COLLECTIVE_COLLECT *OP_COLLECTIVE, 0},
    {TRACE_COLLECTIVE, "", OP_TOGETHER, COLLECTIVE_REDUCE *OP_COLLECTIVE, 0},
    {TRACE_SYNCHRONIZATION, "quiet", OP_QUIET, 0, 0},
    {TRACE_SYNCHRONIZATION, "fence", OP_FENCE, 0, 0},
    {TRACE_SYNCHRONIZATION, "barrier", OP_TOGETHER, OP_QUIETS, OF_SET},
    {TRACE_SYNCHRONIZATION, "", OP_TOGETHER, 0, OF_SET},
    {TRACE_SYNCHRONIZATION, "_test", OP_WAIT, 0, TEST},
    {TRACE_SYNCHRONIZATION, "wait", OP_WAIT, 0, 0},
    {TRACE_CONTEXT, "team_split", OP_TOGETHER, 0, 0},
    {TRACE_CONTEXT, "team_destroy", OP_TOGETHER, 0, 0},
    {TRACE_CONTEXT, "ctx_destroy", OP_QUIET, 0, 0},
    {TRACE_LOCK, "clear", OP_UNLOCK, 0, 0},
    {TRACE_LOCK, "test", OP_LOCK, 0, TEST},
    {TRACE_LOCK, "", OP_LOCK, 0, 0},
    {TRACE_SETUP, "init", OP_START, 0, FIRST_CALL},
    {TRACE_SETUP, "start_pes", OP_START, 0, FIRST_CALL},
    {TRACE_SETUP, "finalize", OP_LOCAL, OP_LAST, LAST_CALL},
    {TRACE_SETUP, "exit", OP_LOCAL, 0, LAST_CALL},
    {TRACE_SETUP, "pcontrol", OP_LOCAL, 0, CONTROL},
};

static void find_kind(const struct trace_routine *routine, struct routine_kind *kind)
{
    static const struct meaning local = {.kind = OP_LOCAL};
    const struct meaning *found = &local;
    const char *name = routine->name;
    for (size_t i = sizeof meanings / sizeof *meanings; i-- > 0;)
        if (meanings[i].class == routine->class && has(name, meanings[i].part) &&
            (!(meanings[i].also & OF_SET) || routine->fields >> TRACE_SET_SIZE & 1))
            found = &meanings[i];
    kind->kind = found->kind;
    kind->flags = found->flags;
    kind->collective = found->flags / OP_COLLECTIVE;
    kind->start = found->also & FIRST_CALL;
    kind->end = found->also & LAST_CALL;
    kind->control = found->also & CONTROL;
    kind->test = found->also & TEST;
    kind->any = kind->kind == OP_WAIT && kind->test && (has(name, "_any") || has(name, "_some"));
    kind->read_only = kind->kind == OP_ATOMIC && ends_with(name, "_fetch");
    if (kind->kind == OP_ATOMIC &&
        (has(name, "fetch") || has(name, "swap") || has(name, "finc") || has(name, "fadd")))
        kind->flags |= OP_FETCHING;
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
        kind->number = (uint16_t)table_text(names, routine->name);
    }
}
