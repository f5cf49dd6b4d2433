/* Finds and numbers handles of contexts and teams. */
#include "trace/runtime/tracer.h"

#include <stdint.h>

#include "trace/runtime/runtime.h"

size_t handles_find(struct handles *table, const void *handle)
{
    size_t i = atomic_load(&table->count);
    if (i > HANDLES) /* another thread is just adding one for which there is no room */
        i = HANDLES;
    while (i > 0 && atomic_load(&table->handles[i - 1]) != handle)
        i--;
    return i;
}

size_t handles_enter(struct handles *table, const void *handle)
{
    size_t found = handles_find(table, handle);
    if (found)
        return found;
    found = 1 + atomic_fetch_add(&table->count, 1);
    if (found > HANDLES) {
        atomic_store(&table->count, HANDLES);
        return 0;
    }
    atomic_store(&table->handles[found - 1], handle);
    return found;
}

/* ---- Their numbers in events ---- */

static struct {
    struct handles handles;
    _Atomic int64_t numbers[HANDLES];
    atomic_int_fast64_t next;
} tables[TRACE_HANDLES];

int64_t trace_handle_number(enum trace_handle kind, const void *handle)
{
    size_t found = handles_find(&tables[kind].handles, handle);
    return found ? atomic_load(&tables[kind].numbers[found - 1]) : -1;
}

void trace_handle_add(enum trace_handle kind, const void *handle)
{
    int64_t number = 1 + atomic_fetch_add(&tables[kind].next, 1);
    size_t found = handles_enter(&tables[kind].handles, handle);
    if (found)
        atomic_store(&tables[kind].numbers[found - 1], number);
}
