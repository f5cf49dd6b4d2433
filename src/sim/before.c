/* Finds the order of the threads of a PE, and matches waits with the writes that ended them. */
#include "sim/before.h"

#include <stdlib.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "trace/read/flag.h"

#define NO_THREAD UINT32_MAX
#define SATISFYING_MOST 64 /* writes that are looked at for one that satisfies the comparison */

/* ---- Threads ---- */

/* A collective call. */
struct call {
    uint32_t pe, set, thread, ordinal;
    int64_t start;
};

/* The first call of an additional thread, and when the latest call of its PE's first thread ended
 * that ended before it. */
struct begin {
    bool known, anchored;
    int64_t start, end;
    int64_t last; /* when its last call ended */
};

struct finding {
    struct run *run;
    struct call *calls;
    size_t count, room;
    struct begin *begins;       /* by additional thread */
    struct extra_thread *extra; /* also */
    const struct streams *streams;
    int64_t before; /* when the previous call of a first thread ended */
};

/* Notes a join: if the last call of a thread ended while the first thread computed, the first one
 * has probably waited for it. */
static void note_joins(struct finding *finding, const struct observation *seen, int extra, int end)
{
    int64_t last = finding->before;
    for (int i = extra; i < end && seen->ordinal > 0; i++) {
        const struct begin *begin = &finding->begins[i];
        if (!begin->known || finding->extra[i].join != NO_JOIN || begin->last <= finding->before ||
            begin->last > seen->start)
            continue;
        finding->extra[i].join = seen->ordinal;
        last = begin->last > last ? begin->last : last;
    }
    double burst = (double)ticks_between(last, seen->start) * finding->streams->ps_per_tick;
    for (int i = extra; i < end; i++)
        if (finding->extra[i].join == seen->ordinal)
            finding->extra[i].burst = burst >= 1e18 ? INT64_MAX
                                      : burst > 0   ? (int64_t)(burst + 0.5)
                                                    : 0;
    finding->before = seen->end;
}

static void observe_threads(void *context, const struct observation *seen)
{
    struct finding *finding = context;
    const struct run *run = finding->run;
    const int pe = sim_run_pe(run, seen->thread), extra = sim_run_thread(run, pe, 1) - run->pes,
              end = extra + sim_run_threads(run, pe) - 1;
    if (seen->op->kind == OP_TOGETHER) {
        memory_push(finding->calls, finding->count, &finding->room,
                    (struct call){(uint32_t)pe, seen->op->peer, (uint32_t)seen->thread,
                                  seen->ordinal, seen->start});
    }
    if (seen->thread >= run->pes) {
        struct begin *begin = &finding->begins[seen->thread - run->pes];
        if (!begin->known)
            *begin = (struct begin){.known = true, .start = seen->start};
        begin->last = seen->end;
        return;
    }
    for (int i = extra; i < end; i++) {
        struct begin *begin = &finding->begins[i];
        if (begin->known && (seen->end <= begin->start || !begin->anchored)) {
            begin->anchored = true;
            begin->end = seen->end;
            finding->extra[i].fork = seen->ordinal;
        }
    }
    note_joins(finding, seen, extra, end);
}

static int compare_times(const void *a, const void *b)
{
    const struct call *x = a, *y = b;
    return ORDER(x->pe, y->pe)           ?: ORDER(x->set, y->set) ?: ORDER(x->start, y->start)
           ?: ORDER(x->thread, y->thread) ?: ORDER(x->ordinal, y->ordinal);
}

uint32_t *sim_thread_order_next(struct thread_order *order, uint32_t pe, uint32_t set)
{
    const uint32_t key[] = {pe, set};
    size_t number = table_number(&order->sets, key, sizeof key);
    return memory_element(order->next, number, &order->room);
}

bool sim_thread_order_find(struct thread_order *order, struct streams *streams)
{
    struct run *run = streams->run;
    size_t extra = (size_t)(run->thread_count - run->pes);
    struct finding finding = {.run = run, .streams = streams};
    finding.begins = memory_zeroed(extra, sizeof *finding.begins);
    order->extra = finding.extra = memory_zeroed(extra, sizeof *finding.extra);
    for (size_t i = 0; i < extra; i++)
        finding.extra[i].join = NO_JOIN;
    streams->observe = observe_threads;
    streams->observe_all = true;
    streams->context = &finding;
    /* Read threads backwards, so that additional threads are known before the first thread. */
    for (int thread = run->thread_count; thread-- > 0 && !streams->error;) {
        finding.before = INT64_MIN;
        while (sim_run_threads(run, sim_run_pe(run, thread)) > 1 && stream_fill(streams, thread))
            ;
    }
    streams->observe = NULL;
    streams->observe_all = false;
    bool good = !streams->error;
    streams_rewind(streams);
    for (size_t i = 0; i < extra; i++) {
        const struct begin *begin = &finding.begins[i];
        int64_t burst = ticks_between(begin->end, begin->start);
        finding.extra[i].first_burst = begin->anchored && burst > 0 ? burst : 0;
    }
    order->turns = memory_zeroed(finding.count + 1, sizeof *order->turns);
    SORT(finding.calls, finding.count, compare_times);
    for (size_t i = finding.count; i-- > 0;) {
        const struct call *call = &finding.calls[i];
        order->turns[i] = call->thread;
        *sim_thread_order_next(order, call->pe, call->set) = (uint32_t)i;
    }
    free(finding.calls);
    free(finding.begins);
    return good;
}

void sim_thread_order_free(struct thread_order *order)
{
    free(order->extra);
    free(order->turns);
    free(order->next);
    table_free(&order->sets);
}

/* ---- Waits ---- */

struct write {
    uint32_t flag, thread, ordinal;
    bool valued;
    double time;
    uint64_t value; /* the bytes of the flag, the first one lowest */
};

struct wait {
    uint32_t thread, ordinal, flag;
    struct cycle *cycle; /* as in struct observation */
    struct flag_condition condition;
    double from, to; /* when the write must have been made */
};

struct matching {
    struct streams *streams;
    struct trace_file *file; /* of the PE that is read */
    struct flag_list flags;
    struct write *writes;
    struct wait *waits;
    size_t write_count, write_room, wait_count, wait_room;
    bool seen; /* somebody waits */
};

static bool waits_for(const struct observation *seen)
{
    return seen->op->kind == OP_WAIT || seen->op->kind == OP_FETCHES || seen->op->kind == OP_CYCLE;
}

static void observe_flag(void *context, const struct observation *seen)
{
    struct matching *matching = context;
    matching->seen = matching->seen || waits_for(seen);
    if (waits_for(seen))
        flag_list_add(&matching->flags, seen->peer, seen->change.place, seen->change.bytes);
}

/* ---- Writes and waits ---- */

static void add_writes(struct matching *matching, const struct observation *seen,
                       const struct flag_change *change, bool valued)
{
    for (size_t i = SIZE_MAX;
         flag_list_next(&matching->flags, seen->peer, change->place, change->bytes, &i);) {
        const struct flag_place *flag = &matching->flags.of[i];
        struct write write = {
            .flag = (uint32_t)i,
            .thread = (uint32_t)seen->thread,
            .ordinal = seen->ordinal,
            .time = trace_seconds(matching->file, seen->start),
            .value = (uint64_t)seen->condition.value,
        };
        write.valued = valued && flag_value(change, flag->place, flag->bytes, &write.value);
        memory_push(matching->writes, matching->write_count, &matching->write_room, write);
    }
}

static void observe_all(void *context, const struct observation *seen)
{
    struct matching *matching = context;
    const struct flag_change *what = &seen->change;
    const uint64_t word = sizeof(uint64_t);
    if (!waits_for(seen)) {
        add_writes(matching, seen, what, seen->valued);
        add_writes(matching, seen, &(struct flag_change){seen->signal, word, word, word},
                   seen->signal_valued);
        return;
    }
    size_t flag = flag_list_find(&matching->flags, seen->peer, what->place, what->bytes);
    const struct wait wait = {
        .thread = (uint32_t)seen->thread,
        .ordinal = seen->ordinal,
        .flag = (uint32_t)flag, /* UINT32_MAX: none */
        .cycle = seen->cycle,
        .condition = seen->condition,
        .from = seen->op->kind != OP_WAIT ? trace_seconds(matching->file, seen->start) : -1e300,
        .to = trace_seconds(matching->file, seen->end),
    };
    memory_push(matching->waits, matching->wait_count, &matching->wait_room, wait);
}

static bool read_all(struct matching *matching, void (*observe)(void *, const struct observation *))
{
    struct streams *streams = matching->streams;
    char *error = NULL;
    streams->observe = observe;
    streams->context = matching;
    for (int thread = 0; thread < streams->run->thread_count && !streams->error; thread++) {
        matching->file =
            trace_open(sim_run_path(streams->run, sim_run_pe(streams->run, thread)), &error);
        if (!matching->file) {
            streams->error = error;
            break;
        }
        while (stream_fill(streams, thread))
            ;
        trace_close(matching->file);
    }
    streams->observe = NULL;
    bool good = !streams->error;
    streams_rewind(streams);
    return good;
}

/* ---- Matching ---- */

static int compare_writes(const void *a, const void *b)
{
    const struct write *x = a, *y = b;
    return ORDER(x->flag, y->flag)         ?: ORDER(x->time, y->time)
           ?: ORDER(x->thread, y->thread) ?: ORDER(x->ordinal, y->ordinal);
}

/* NULL: there is none. */
static const struct write *find_write(const struct matching *matching, const struct wait *wait)
{
    const struct write *writes = matching->writes;
    struct flag_search search = {.condition = &wait->condition};
    if (wait->flag == UINT32_MAX)
        return NULL;
    size_t low = 0, high = matching->write_count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (writes[middle].flag < wait->flag ||
            (writes[middle].flag == wait->flag && writes[middle].time < wait->to))
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low, tried = 0; i-- > 0 && tried < SATISFYING_MOST; tried++) {
        const struct write *write = &writes[i];
        if (write->flag != wait->flag || write->time < wait->from ||
            !flag_search(&search, write, write->valued, write->value))
            break;
    }
    return flag_search_result(&search);
}

/* While slots are made, the waiter is the number of a need. */
static int compare_slots(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    return ORDER(x->writer, y->writer)    ?: ORDER(x->ordinal, y->ordinal)
           ?: ORDER(x->waiter, y->waiter);
}

/* The last of the writes to the variables of an operation, which may fetch several; NULL: there is
 * none. *next: its first wait; then the first one of the next operation. */
static const struct write *find_last(const struct matching *matching, size_t *next)
{
    const struct wait *first = &matching->waits[*next], *wait = first;
    const struct write *last = NULL;
    for (; *next < matching->wait_count && wait->thread == first->thread &&
           wait->ordinal == first->ordinal;
         wait++, ++*next) {
        const struct write *write = find_write(matching, wait);
        if (write && (!last || write->time > last->time))
            last = write;
    }
    return last;
}

/* Waits are in the order of threads and ordinals, as they were read. */
static void match(struct waits *waits, struct matching *matching)
{
    const size_t threads = (size_t)matching->streams->run->thread_count;
    struct slot *all = memory_zeroed(matching->wait_count + 1, sizeof *all);
    uint32_t count = 0, needs = 0, slots = 0;
    waits->needs = memory_zeroed(matching->wait_count + 1, sizeof *waits->needs);
    for (size_t i = 0; i < matching->wait_count;) {
        const struct wait *wait = &matching->waits[i];
        const struct write *write = find_last(matching, &i);
        waits->needs[needs] = (struct need){wait->thread, wait->ordinal, NO_SLOT};
        if (write)
            all[count++] = (struct slot){
                .arrival = -1, .writer = write->thread, .ordinal = write->ordinal, .waiter = needs};
        else if (wait->from < -1e299)
            waits->alone++;
        needs++;
    }
    SORT(all, count, compare_slots);
    for (uint32_t i = 0; i < count; i++) { /* a slot for all who wait for the same write */
        const struct slot one = all[i];
        if (slots == 0 || one.writer != all[slots - 1].writer ||
            one.ordinal != all[slots - 1].ordinal)
            all[slots++] =
                (struct slot){.arrival = -1, .writer = one.writer, .ordinal = one.ordinal};
        waits->needs[one.waiter].slot = slots - 1;
    }
    waits->slots = memory_resize_array(all, (size_t)slots + 1, sizeof *all);
    waits->slots[slots].writer = waits->needs[needs].thread = NO_THREAD;
    waits->next = memory_zeroed(threads, sizeof *waits->next);
    for (size_t i = 0; i < threads; i++)
        waits->next[i] = (struct next_waits){slots, needs};
    while (slots-- > 0)
        waits->next[waits->slots[slots].writer].write = slots;
    while (needs-- > 0)
        waits->next[waits->needs[needs].thread].wait = needs;
}

/* Reads again until only those loops that fetch are left that a write has ended: without others,
 * operations have other ordinals. */
static bool read_writes(struct matching *matching)
{
    bool again;
    do {
        matching->write_count = matching->wait_count = 0;
        if (!read_all(matching, observe_all))
            return false;
        SORT(matching->writes, matching->write_count, compare_writes);
        for (size_t i = 0; i < matching->wait_count; i++)
            if (matching->waits[i].cycle && find_write(matching, &matching->waits[i]))
                matching->waits[i].cycle->written = true;
        again = cycles_keep_written(&matching->streams->cycles);
        streams_rewind(matching->streams);
    } while (again);
    return true;
}

bool waits_match(struct waits *waits, struct streams *streams)
{
    struct matching matching = {.streams = streams};
    streams->observe_waits = true;
    bool good = read_all(&matching, observe_flag);
    streams->observe_waits = false;
    streams->cycles.known = true;
    streams_rewind(streams);
    if (good && matching.seen) {
        flag_list_sort(&matching.flags, (size_t)streams->run->pes);
        good = read_writes(&matching);
    }
    if (good && (matching.wait_count >= UINT32_MAX || matching.write_count >= UINT32_MAX)) {
        streams->error = text_format("the trace has more than %u waits, or writes to what they "
                                     "wait for",
                                     UINT32_MAX);
        good = false;
    }
    if (good && matching.seen)
        match(waits, &matching);
    flag_list_free(&matching.flags);
    free(matching.writes);
    free(matching.waits);
    return good;
}

void waits_free(struct waits *waits)
{
    free(waits->slots);
    free(waits->needs);
    free(waits->next);
}
