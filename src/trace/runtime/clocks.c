/* Chooses the clock of the recorder, relates it to that of PE 0, and measures what recording costs.
 */
#include "trace/runtime/tracer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "clock/sync.h"
#include "clock/timer.h"
#include "comm/comm.h"

/* Applications wait for this: drift is known better from start and end than from longer fits. */
#define PATIENCE 100
#define FIT_POINTS 10
#define FIT_EXCHANGES 10
#define SPREAD 0.1 /* s */
#define LONG_SPREAD 0.2

/* True where trace_counter() has no instruction. */
#if defined(__x86_64__) || defined(__aarch64__)
#define COUNTER_UNREADABLE false
#else
#define COUNTER_UNREADABLE true
#endif

static bool one_clock; /* of all PEs, as seen at the start */

void trace_clocks_loaded(void)
{
    const char *recorder = getenv("SHMEMTRACE_RECORDER");
    timer_calibration_begin();
    /* Known before the first reading; whether the text is right is seen later. */
    trace_run.clock_gettime = timer_find("tsc")->unusable() || COUNTER_UNREADABLE ||
                              (recorder && strcmp(recorder, "clock_gettime") == 0);
    tracer.loaded = (int64_t)trace_now();
}

static struct clock_fix fix_now(double bound)
{
    int64_t far = INT64_C(1) << 40; /* ticks, which are some minutes */
    struct clock_fix fix = {.known = true, .local = timer_now(), .bound = bound};
    fix.global = sync_to_global(fix.local);
    fix.rate = (double)(sync_to_global(fix.local + far) - fix.global) / (double)far;
    return fix;
}

static struct sync_report synchronize(enum clock_sync algorithm)
{
    struct clock_rules rules = {algorithm,     PATIENCE, FIT_POINTS,
                                FIT_EXCHANGES, SPREAD,   LONG_SPREAD};
    struct sync_report report;
    sync_synchronize(&rules, &report);
    return report;
}

static void tell_clocks(const struct sync_report *report)
{
    static const char *const names[] = {"default", "none", "linear", "ring", "tree", "hca"};
    const char *timer = timer_in_use->name;
    if (report->shared)
        snprintf(tracer.clock_text, sizeof tracer.clock_text, "%s, one clock of all PEs", timer);
    else
        snprintf(tracer.clock_text, sizeof tracer.clock_text,
                 "%s, synchronized at start (%s) and end (tree)", timer, names[report->algorithm]);
}

static struct timer *choose_timer(void)
{
    return timer_find(trace_run.clock_gettime ? "clock_gettime" : "tsc");
}

void trace_clocks_start_alone(void)
{
    struct timer *timer = choose_timer();
    timer->ticks_per_second = timer_calibrate(timer);
    timer_select(timer->name);
    tracer.info.ticks_per_second = timer->ticks_per_second;
    tracer.info.beginning = tracer.loaded;
    tracer.info.start = (struct clock_fix){.rate = 1, .bound = NAN};
    snprintf(tracer.clock_text, sizeof tracer.clock_text,
             "%s, not synchronized: no room in the symmetric heap", timer->name);
}

void trace_clocks_start(void)
{
    struct timer *timer = choose_timer();
    /* One rate for the PEs of a node: rates that each has measured would look like drift. */
    const struct pe_group *node = comm_own_node();
    double rate = 0;
    comm_enter(node);
    if (pe_group_rank_of(node, comm_pe()) == 0)
        rate = timer_calibrate(timer);
    comm_broadcast(node, &rate, sizeof rate);
    comm_enter(comm_world());
    timer->ticks_per_second = rate;
    timer_select(timer->name);
    struct sync_report report = synchronize(CLOCK_SYNC_DEFAULT);
    one_clock = report.shared;
    tracer.info.start = fix_now(report.bound);
    struct timespec date;
    if (clock_gettime(CLOCK_REALTIME, &date) == 0)
        tracer.info.realtime = (int64_t)date.tv_sec * 1000000000 + date.tv_nsec;
    tracer.info.ticks_per_second = 1 / sync_seconds(1);
    tracer.info.beginning = sync_to_global(tracer.loaded);
    comm_allreduce_int(comm_world(), COMM_MIN, &tracer.info.beginning, 1);
    tell_clocks(&report);
}

void trace_clocks_finish(void)
{
    if (!tracer.info.start.known || !comm_attach())
        return;
    struct sync_report report = synchronize(one_clock ? CLOCK_SYNC_DEFAULT : CLOCK_SYNC_TREE);
    tracer.info.finish = fix_now(report.bound);
    comm_detach();
}

/*
 * ---- The tracer's own cost ----
 *
 * Records calls that do nothing, as wrappers do, into memory that is thrown away. What is between
 * two readings of the clock is inside of calls; all else is between them. Encoding and writing are
 * not in it: their time is in no burst.
 */

#define VALUES 5  /* as many as of a put */
#define CALLS 256 /* calls of a round; their entries fit into the cache, as a journal does */
#define ROUNDS 15
#define COST_PATIENCE 400e-6 /* s: where reading the clock is slow, there are fewer rounds */
#define ENTRY_BYTES (sizeof(struct trace_entry) + VALUES * sizeof(int64_t))

/* Does what the wrapper of a put does, around a routine that takes no time. */
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
    for (int i = 0; i < CALLS; i++, entry = entry_after(entry))
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

void trace_clocks_measure_cost(void)
{
    static const bool recorded[] = {true};
    struct trace_entry *entries = malloc(CALLS * ENTRY_BYTES);
    if (!entries)
        return;
    /* No other thread has one yet, so nobody else asks what is recorded. */
    struct trace_thread thread = {.enough = (const char *)entries + CALLS * ENTRY_BYTES};
    const bool *quick = atomic_load(&trace_run.quick);
    double seconds_per_tick = 1 / tracer.info.ticks_per_second, all[ROUNDS], inside[ROUNDS];
    size_t rounds = 0;
    struct tracer_hold hold;
    tracer_hold(&hold);
    trace_this_thread = &thread;
    atomic_store(&trace_run.quick, recorded);
    uint64_t begin = trace_now();
    while (rounds < ROUNDS &&
           (rounds < 3 || (double)(trace_now() - begin) * seconds_per_tick < COST_PATIENCE)) {
        struct round round = measure(&thread, entries);
        all[rounds] = round.all;
        inside[rounds++] = round.inside;
    }
    atomic_store(&trace_run.quick, quick);
    trace_this_thread = NULL;
    tracer_release(&hold);
    free(entries);
    double within = median(inside, rounds) * seconds_per_tick;
    tracer.info.cost_inside = within;
    tracer.info.cost_between = fmax(0, median(all, rounds) * seconds_per_tick - within);
}
