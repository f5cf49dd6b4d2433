/*
 * Measures the tracer's own cost: records calls that do nothing, as wrappers do, into memory that
 * is thrown away. What is between two readings of the clock is inside of calls; all else is between
 * them. Encoding and writing are not in it: their time is in no burst.
 */
#include "trace/runtime/cost.h"

#include <stdlib.h>

#include "trace/runtime/state.h"

#define VALUES 5  /* as many as of a put */
#define CALLS 256 /* a round; what they leave fits into the cache, as a journal does */
#define ROUNDS 15
#define PATIENCE_NS 400000 /* where reading the clock is slow, there are fewer rounds */
#define ENTRY_BYTES (sizeof(struct trace_entry) + VALUES * sizeof(int64_t))

/* As a wrapper of a put in which the routine takes no time. */
__attribute__((noinline)) static void record(int64_t peer, int64_t elements, int64_t bytes,
                                             const void *target, const void *source)
{
    struct trace_thread *const thread = trace_begin(0);
    if (__builtin_expect(!thread, 0))
        return;
    struct trace_entry *const entry = trace_entry(thread, 0, VALUES, 0);
    entry->values[0] = peer;
    entry->values[1] = elements;
    entry->values[2] = bytes;
    entry->values[3] = (int64_t)(uintptr_t)target;
    entry->values[4] = (int64_t)(uintptr_t)source;
    entry->start = trace_now();
    entry->end = trace_now();
    trace_end(thread, entry, VALUES);
}

struct round {
    double all, inside; /* ticks of a call */
};

static struct round measure(struct trace_thread *thread, struct trace_entry *entries)
{
    uint64_t inside = 0;
    thread->next = entries;
    uint64_t begin = trace_now();
    for (int64_t i = 0; i < CALLS; i++)
        record(i & 1, 1, 8, thread, entries);
    uint64_t end = trace_now();
    const struct trace_entry *entry = entries;
    for (int i = 0; i < CALLS; i++, entry = entry_behind(entry))
        inside += entry->end - entry->start;
    return (struct round){(double)(end - begin) / CALLS, (double)inside / CALLS};
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare);
    return values[count / 2];
}

void cost_measure(void)
{
    static const bool recorded[] = {true};
    struct trace_entry *entries = malloc(CALLS * ENTRY_BYTES);
    if (!entries)
        return;
    /* No other thread has one yet, so nobody else asks what is recorded. */
    struct trace_thread thread = {.enough = (const char *)entries + CALLS * ENTRY_BYTES};
    const bool *quick = atomic_load(&trace_run.quick);
    double ns_per_tick = 1e9 / tracer.ticks_per_second, all[ROUNDS], inside[ROUNDS];
    size_t rounds = 0;
    struct tracer_hold hold;
    tracer_hold(&hold);
    trace_this_thread = &thread;
    atomic_store(&trace_run.quick, recorded);
    uint64_t begin = trace_now();
    while (rounds < ROUNDS &&
           (rounds < 3 || (double)(trace_now() - begin) * ns_per_tick < PATIENCE_NS)) {
        struct round round = measure(&thread, entries);
        all[rounds] = round.all;
        inside[rounds++] = round.inside;
    }
    atomic_store(&trace_run.quick, quick);
    trace_this_thread = NULL;
    tracer_release(&hold);
    free(entries);
    tracer.cost_inside_ns = median(inside, rounds) * ns_per_tick;
    double between = median(all, rounds) * ns_per_tick - tracer.cost_inside_ns;
    tracer.cost_between_ns = between > 0 ? between : 0;
}
