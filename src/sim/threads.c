/* Finds the order of the threads of a PE. */
#include "sim/before.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"

/* A collective call. */
struct call {
    uint32_t pe, set, thread, ordinal;
    int64_t start;
    uint32_t turn;
};

/* The first call of an extra thread, and the latest call of its PE's first thread that ended
 * before it. */
struct begin {
    bool known, anchored, joined;
    int64_t start, end;
    int64_t last; /* when its last call ended */
    uint32_t ordinal;
};

struct finding {
    struct run *run;
    struct call *calls;
    size_t count, room;
    struct begin *begins; /* by extra thread */
    struct thread_event *joins;
    size_t join_count;
    const struct streams *streams;
    int64_t before; /* when the previous call of a first thread ended */
};

static void note_call(struct finding *finding, const struct observation *seen)
{
    memory_extend(finding->calls, finding->count, &finding->room);
    finding->calls[finding->count++] =
        (struct call){.pe = (uint32_t)run_pe(finding->run, seen->thread),
                      .set = seen->op->peer,
                      .thread = (uint32_t)seen->thread,
                      .ordinal = seen->ordinal,
                      .start = seen->start};
}

/* Notes a join: if the last call of a thread ended while the first thread computed, the first one
 * has probably waited for it. */
static void note_joins(struct finding *finding, const struct observation *seen)
{
    const struct run *run = finding->run;
    size_t first = finding->join_count;
    int64_t last = finding->before;
    for (int i = 1; i < run_threads(run, seen->thread); i++) {
        int thread = run_thread(run, seen->thread, i);
        struct begin *begin = &finding->begins[thread - run->pes];
        if (!begin->known || begin->joined || begin->last <= finding->before ||
            begin->last > seen->start || seen->ordinal == 0)
            continue;
        begin->joined = true;
        last = begin->last > last ? begin->last : last;
        finding->joins[finding->join_count++] =
            (struct thread_event){(uint32_t)seen->thread, seen->ordinal, (uint32_t)thread, 0};
    }
    double burst = (double)ticks_between(last, seen->start) * finding->streams->ps_per_tick;
    for (size_t i = first; i < finding->join_count; i++)
        finding->joins[i].burst = burst >= 1e18 ? INT64_MAX
                                  : burst > 0   ? (int64_t)(burst + 0.5)
                                                : 0;
    finding->before = seen->end;
}

static void note_begin(struct finding *finding, const struct observation *seen)
{
    const struct run *run = finding->run;
    if (seen->thread >= run->pes) {
        struct begin *begin = &finding->begins[seen->thread - run->pes];
        if (!begin->known)
            *begin = (struct begin){.known = true, .start = seen->start};
        begin->last = seen->end;
        return;
    }
    for (int i = 1; i < run_threads(run, seen->thread); i++) {
        struct begin *begin = &finding->begins[run_thread(run, seen->thread, i) - run->pes];
        if (begin->known && (seen->end <= begin->start || !begin->anchored)) {
            begin->anchored = true;
            begin->end = seen->end;
            begin->ordinal = seen->ordinal;
        }
    }
    note_joins(finding, seen);
}

static void observe(void *context, const struct observation *seen)
{
    struct finding *finding = context;
    note_begin(finding, seen);
    if (seen->op->kind == OP_TOGETHER)
        note_call(finding, seen);
}

static int compare_times(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    return ORDER(x->pe, y->pe)           ?: ORDER(x->set, y->set) ?: ORDER(x->start, y->start)
           ?: ORDER(x->thread, y->thread) ?: ORDER(x->ordinal, y->ordinal);
}

static int compare_threads(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    return ORDER(x->thread, y->thread) ?: ORDER(x->ordinal, y->ordinal);
}

static void order_calls(struct thread_order *order, struct finding *finding)
{
    struct call *calls = finding->calls;
    order->turns = memory_zeroed(finding->count, sizeof *order->turns);
    order->first_turn = memory_zeroed((size_t)finding->run->thread_count + 1, sizeof(uint32_t));
    if (finding->count)
        qsort(calls, finding->count, sizeof *calls, compare_times);
    for (size_t i = 1; i < finding->count; i++)
        if (calls[i].pe == calls[i - 1].pe && calls[i].set == calls[i - 1].set)
            calls[i].turn = calls[i - 1].turn + 1;
    if (finding->count)
        qsort(calls, finding->count, sizeof *calls, compare_threads);
    for (size_t i = 0; i < finding->count; i++) {
        order->turns[i] = calls[i].turn;
        order->first_turn[calls[i].thread + 1]++;
    }
    counts_to_firsts(order->first_turn, (size_t)finding->run->thread_count);
}

static int compare_events(const void *a, const void *b)
{
    const struct thread_event *x = a, *y = b;
    return ORDER(x->pe, y->pe) ?: ORDER(x->ordinal, y->ordinal) ?: ORDER(x->thread, y->thread);
}

/* Sorts forks or joins. Returns where those of each PE begin. */
static uint32_t *sort_events(struct thread_event *events, size_t count, int pes)
{
    uint32_t *first = memory_zeroed((size_t)pes + 1, sizeof *first);
    if (count)
        qsort(events, count, sizeof *events, compare_events);
    for (size_t i = 0; i < count; i++)
        first[events[i].pe + 1]++;
    counts_to_firsts(first, (size_t)pes);
    return first;
}

static void list_forks(struct thread_order *order, const struct finding *finding)
{
    const struct run *run = finding->run;
    size_t extra = (size_t)(run->thread_count - run->pes);
    order->forks = memory_zeroed(extra, sizeof *order->forks);
    order->first_burst = memory_zeroed(extra, sizeof *order->first_burst);
    for (size_t i = 0; i < extra; i++) {
        const struct begin *begin = &finding->begins[i];
        int64_t burst = ticks_between(begin->end, begin->start);
        order->forks[i] = (struct thread_event){run->extra_pe[i], begin->ordinal,
                                                (uint32_t)run->pes + (uint32_t)i, 0};
        order->first_burst[i] = begin->anchored && burst > 0 ? burst : 0;
    }
    order->first_fork = sort_events(order->forks, extra, run->pes);
}

bool thread_order_find(struct thread_order *order, struct streams *streams)
{
    struct run *run = streams->run;
    size_t extra = (size_t)(run->thread_count - run->pes);
    struct finding finding = {.run = run, .streams = streams};
    finding.begins = memory_zeroed(extra, sizeof *finding.begins);
    finding.joins = memory_zeroed(extra, sizeof *finding.joins);
    streams->observe = observe;
    streams->observe_all = true;
    streams->context = &finding;
    /* Read threads backwards, so that additional threads are known before the first thread. */
    for (int thread = run->thread_count; thread-- > 0 && !streams->error;) {
        finding.before = INT64_MIN;
        while (run_threads(run, run_pe(run, thread)) > 1 && stream_fill(streams, thread))
            ;
    }
    streams->observe = NULL;
    streams->observe_all = false;
    bool good = !streams->error;
    streams_rewind(streams);
    if (good) {
        order_calls(order, &finding);
        list_forks(order, &finding);
    }
    order->joins = finding.joins;
    order->first_join = sort_events(order->joins, finding.join_count, run->pes);
    free(finding.calls);
    free(finding.begins);
    return good;
}

void thread_order_free(struct thread_order *order)
{
    free(order->forks);
    free(order->first_fork);
    free(order->joins);
    free(order->first_join);
    free(order->first_burst);
    free(order->turns);
    free(order->first_turn);
}
