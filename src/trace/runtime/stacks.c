/* Walks stacks, and numbers those that it has seen. */
#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "trace/runtime/tracer.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unwind.h>

#define STACKS 65536 /* calls with further ones have their innermost address alone */
#define SLOTS (2 * STACKS)
#define RECENT 64 /* of a thread */

struct stack {
    uint64_t depth;
    uint64_t addresses[TRACE_DEPTH_MOST]; /* the innermost first */
};

static struct {
    struct stack *stacks;
    uint32_t *slots; /* a hash table: number of a stack + 1, 0: free */
    uint32_t count;  /* stacks up to there are complete */
} table;

unsigned trace_depth = 1;

bool stacks_keep(unsigned depth)
{
    size_t bytes = STACKS * sizeof *table.stacks + SLOTS * sizeof *table.slots;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    table.stacks = memory;
    table.slots = (uint32_t *)(void *)(table.stacks + STACKS);
    trace_depth = depth;
    return true;
}

/* Numbers of stacks are smaller than any address of code. */
const uint64_t *stacks_find(const uint64_t *caller, size_t *depth)
{
    *depth = 1;
    if (*caller >= __atomic_load_n(&table.count, __ATOMIC_ACQUIRE))
        return caller;
    *depth = table.stacks[*caller].depth;
    return table.stacks[*caller].addresses;
}

static uint64_t number_stack(const struct stack *stack)
{
    struct tracer_hold hold;
    tracer_hold(&hold);
    (void)tracer_lock();
    /* The slot that has the stack, or is free for it. */
    uint64_t sum = stack->depth;
    for (size_t i = 0; i < stack->depth; i++)
        sum = (sum ^ stack->addresses[i]) * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = (size_t)(sum >> 32) % SLOTS;
    for (uint32_t number; (number = table.slots[at]) != 0; at = (at + 1) % SLOTS) {
        const struct stack *other = &table.stacks[number - 1];
        if (other->depth == stack->depth && memcmp(other->addresses, stack->addresses,
                                                   stack->depth * sizeof *stack->addresses) == 0)
            break;
    }
    uint32_t *slot = &table.slots[at];
    if (*slot == 0 && table.count < STACKS) {
        table.stacks[table.count] = *stack;
        *slot = table.count + 1;
        __atomic_store_n(&table.count, table.count + 1, __ATOMIC_RELEASE);
    }
    uint64_t number = *slot ? *slot - 1 : stack->addresses[0];
    tracer_unlock();
    tracer_release(&hold);
    return number;
}

/* A stack that was walked, and where in memory its addresses are. A call from the same place with
 * the same frame has the same stack, if the same addresses are still there. */
struct walk {
    uint64_t caller;
    uintptr_t frame;
    uint64_t number;
    bool checkable; /* each address was found in memory */
    struct stack stack;
    const uint64_t *places[TRACE_DEPTH_MOST]; /* of all but the innermost address */
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *data)
{
    struct walk *walk = data;
    struct stack *stack = &walk->stack;
    uint64_t address = _Unwind_GetIP(context);
    if (stack->depth == 0 && address != walk->caller)
        return _URC_NO_REASON; /* of the tracer */
    if (address == 0)
        return _URC_END_OF_STACK;
    /* Calls leave the return address below the caller's frame on most machines. */
    const uint64_t *place = (const uint64_t *)(uintptr_t)_Unwind_GetCFA(context) - 1;
    if (stack->depth > 0)
        walk->checkable = walk->checkable && (uintptr_t)place > walk->frame && *place == address;
    walk->places[stack->depth] = place;
    stack->addresses[stack->depth++] = address;
    return stack->depth == trace_depth ? _URC_END_OF_STACK : _URC_NO_REASON;
}

static bool is_unchanged(const struct walk *walk)
{
    for (size_t i = 1; i < walk->stack.depth; i++)
        if (*walk->places[i] != walk->stack.addresses[i])
            return false;
    return walk->checkable;
}

static __thread struct walk *recent __attribute__((tls_model("initial-exec")));

void stacks_leave(void)
{
    free(recent);
    recent = NULL;
}

uint64_t trace_stack(const void *caller, const void *frame)
{
    if (!recent)
        recent = calloc(RECENT, sizeof *recent);
    const uint64_t address = (uint64_t)(uintptr_t)caller;
    const uintptr_t at = (uintptr_t)frame;
    if (!recent)
        return address;
    struct walk *walk = &recent[((address ^ at) * UINT64_C(0x9e3779b97f4a7c15)) >> 58];
    if (walk->caller == address && walk->frame == at && is_unchanged(walk))
        return walk->number;
    walk->caller = address;
    walk->frame = at;
    walk->checkable = true;
    walk->stack.depth = 0;
    _Unwind_Backtrace(add_frame, walk);
    if (walk->stack.depth == 0) {
        walk->checkable = false;
        return address; /* there are no unwind tables */
    }
    walk->number = number_stack(&walk->stack);
    return walk->number;
}
