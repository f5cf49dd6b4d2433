/* Finds the order of the threads of a PE. */
#include "sim/threads.h"

#include <stdlib.h>

#include "base/memory.h"
#include "sim/stream.h"

/* A collective call. */
struct call {
    uint32_t pe, set, line, ordinal;
    int64_t start;
    uint32_t turn;
};

/* The first call of a further thread, and the latest of the PE's first one that ended before it. */
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
    struct begin *begins; /* by line behind those of PEs */
    struct join *joins;
    size_t join_count;
    const struct streams *streams;
    int64_t before; /* when the previous call of a first line ended */
};

static void note_call(struct finding *finding, const struct observation *seen)
{
    if (finding->count == finding->room) {
        finding->room = 2 * finding->room + 256;
        finding->calls = memory_resize_array(finding->calls, finding->room, sizeof *finding->calls);
    }
    finding->calls[finding->count++] =
        (struct call){.pe = (uint32_t)run_pe(finding->run, seen->line),
                      .set = seen->op->peer,
                      .line = (uint32_t)seen->line,
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
    for (int thread = 1; thread < run_threads(run, seen->line); thread++) {
        int line = run_line(run, seen->line, thread);
        struct begin *begin = &finding->begins[line - run->pes];
        if (!begin->known || begin->joined || begin->last <= finding->before ||
            begin->last > seen->start || seen->ordinal == 0)
            continue;
        begin->joined = true;
        last = begin->last > last ? begin->last : last;
        finding->joins[finding->join_count++] =
            (struct join){(uint32_t)seen->line, seen->ordinal, (uint32_t)line, 0};
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
    if (seen->line >= run->pes) {
        struct begin *begin = &finding->begins[seen->line - run->pes];
        if (!begin->known)
            *begin = (struct begin){.known = true, .start = seen->start};
        begin->last = seen->end;
        return;
    }
    for (int thread = 1; thread < run_threads(run, seen->line); thread++) {
        struct begin *begin = &finding->begins[run_line(run, seen->line, thread) - run->pes];
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

#define ORDER(x, y) (((x) > (y)) - ((x) < (y)))

static int compare_times(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    int order = ORDER(x->pe, y->pe);
    if (order == 0)
        order = ORDER(x->set, y->set);
    if (order == 0)
        order = ORDER(x->start, y->start);
    if (order == 0)
        order = ORDER(x->line, y->line);
    return order ? order : ORDER(x->ordinal, y->ordinal);
}

static int compare_lines(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    int order = ORDER(x->line, y->line);
    return order ? order : ORDER(x->ordinal, y->ordinal);
}

static void order_calls(struct threads *threads, struct finding *finding)
{
    struct call *calls = finding->calls;
    threads->turns = memory_zeroed(finding->count, sizeof *threads->turns);
    threads->first_turn = memory_zeroed((size_t)finding->run->lines + 1, sizeof(uint32_t));
    if (finding->count)
        qsort(calls, finding->count, sizeof *calls, compare_times);
    for (size_t i = 1; i < finding->count; i++)
        if (calls[i].pe == calls[i - 1].pe && calls[i].set == calls[i - 1].set)
            calls[i].turn = calls[i - 1].turn + 1;
    if (finding->count)
        qsort(calls, finding->count, sizeof *calls, compare_lines);
    for (size_t i = 0; i < finding->count; i++) {
        threads->turns[i] = calls[i].turn;
        threads->first_turn[calls[i].line + 1]++;
    }
    for (int line = 0; line < finding->run->lines; line++)
        threads->first_turn[line + 1] += threads->first_turn[line];
}

static int compare_joins(const void *a, const void *b)
{
    const struct join *x = a, *y = b;
    int order = ORDER(x->pe, y->pe);
    return order ? order : ORDER(x->ordinal, y->ordinal);
}

static void list_joins(struct threads *threads, struct finding *finding)
{
    int pes = finding->run->pes;
    threads->joins = finding->joins;
    threads->first_join = memory_zeroed((size_t)pes + 1, sizeof *threads->first_join);
    if (finding->join_count)
        qsort(threads->joins, finding->join_count, sizeof *threads->joins, compare_joins);
    for (size_t i = 0; i < finding->join_count; i++)
        threads->first_join[threads->joins[i].pe + 1]++;
    for (int pe = 0; pe < pes; pe++)
        threads->first_join[pe + 1] += threads->first_join[pe];
}

static int compare_forks(const void *a, const void *b)
{
    const struct fork *x = a, *y = b;
    int order = ORDER(x->pe, y->pe);
    if (order == 0)
        order = ORDER(x->ordinal, y->ordinal);
    return order ? order : ORDER(x->line, y->line);
}

static void list_forks(struct threads *threads, const struct finding *finding)
{
    const struct run *run = finding->run;
    size_t further = (size_t)(run->lines - run->pes);
    threads->forks = memory_zeroed(further, sizeof *threads->forks);
    threads->first_burst = memory_zeroed(further, sizeof *threads->first_burst);
    threads->first_fork = memory_zeroed((size_t)run->pes + 1, sizeof *threads->first_fork);
    for (size_t i = 0; i < further; i++) {
        const struct begin *begin = &finding->begins[i];
        int64_t burst = ticks_between(begin->end, begin->start);
        threads->forks[i] =
            (struct fork){run->pe_of[i], begin->ordinal, (uint32_t)run->pes + (uint32_t)i};
        threads->first_burst[i] = begin->anchored && burst > 0 ? burst : 0;
        threads->first_fork[run->pe_of[i] + 1]++;
    }
    qsort(threads->forks, further, sizeof *threads->forks, compare_forks);
    for (int pe = 0; pe < run->pes; pe++)
        threads->first_fork[pe + 1] += threads->first_fork[pe];
}

bool threads_find(struct threads *threads, struct streams *streams)
{
    struct run *run = streams->run;
    size_t further = (size_t)(run->lines - run->pes);
    struct finding finding = {.run = run, .streams = streams};
    finding.begins = memory_zeroed(further, sizeof *finding.begins);
    finding.joins = memory_zeroed(further, sizeof *finding.joins);
    streams->observe = observe;
    streams->observe_all = true;
    streams->context = &finding;
    /* Read lines backwards, so that additional threads are known before the first thread. */
    for (int line = run->lines; line-- > 0 && !streams->error;) {
        finding.before = INT64_MIN;
        while (run_threads(run, run_pe(run, line)) > 1 && stream_fill(streams, line))
            ;
    }
    streams->observe = NULL;
    streams->observe_all = false;
    bool good = !streams->error;
    streams_rewind(streams);
    if (good) {
        order_calls(threads, &finding);
        list_forks(threads, &finding);
    }
    list_joins(threads, &finding);
    free(finding.calls);
    free(finding.begins);
    return good;
}

void threads_free(struct threads *threads)
{
    free(threads->forks);
    free(threads->first_fork);
    free(threads->joins);
    free(threads->first_join);
    free(threads->first_burst);
    free(threads->turns);
    free(threads->first_turn);
}
