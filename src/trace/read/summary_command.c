/* The command summary: collects in one pass what summary_out.c shows. */
#define _GNU_SOURCE
#include "trace/read/summary.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"

/* What routines of the class synchronization wait for, by a part of their names; the first match
 * counts. */
static const struct {
    const char *part;
    enum waiting waiting;
} synchronizations[] = {
    {"wait", WAITING_POINT},       {"test", WAITING_POINT}, {"quiet", WAITING_COMPLETION},
    {"fence", WAITING_COMPLETION}, {"", WAITING_BARRIERS},
};

static int waiting_of(const struct trace_routine *routine, uint32_t flags)
{
    if (routine->class == TRACE_LOCK)
        return WAITING_LOCKS;
    if (routine->class == TRACE_COLLECTIVE)
        return WAITING_COLLECTIVES;
    if (routine->class != TRACE_SYNCHRONIZATION)
        return flags & TRACE_IMPLICIT_BARRIER ? WAITING_MEMORY : -1;
    size_t i = 0;
    while (!strstr(routine->name, synchronizations[i].part))
        i++;
    return (int)synchronizations[i].waiting;
}

/* Classes whose calls move data. */
static bool is_message(enum trace_class class)
{
    return class == TRACE_PUT || class == TRACE_GET || class == TRACE_NONBLOCKING ||
           class == TRACE_ATOMIC || class == TRACE_COLLECTIVE;
}

static size_t size_of(uint64_t bytes)
{
    size_t size = 0;
    for (; bytes; bytes >>= 1)
        size++;
    return size;
}

/* Calls of a routine that are added at once: one event, or a row of a profile. */
struct calls {
    struct total total;
    int64_t peer;
    uint32_t phase, flags;
    double burst;
};

static struct summary_phase *phase_of(struct summary *summary, uint32_t phase)
{
    struct summary_phase *found =
        table_value(&summary->phases, &phase, sizeof phase, sizeof *found);
    found->phase = phase;
    if (!found->counters && summary->counter_count)
        found->counters = memory_zeroed(summary->counter_count, sizeof(double));
    return found;
}

/* ---- Results: times by routine and size ---- */

static void add_to_group(struct summary *summary, size_t routine, uint64_t bytes, int pe,
                         double seconds)
{
    size_t key[2] = {routine, size_of(bytes)};
    struct summary_group *group = table_value(&summary->groups, key, sizeof key, sizeof *group);
    size_t pes = trace_summary_pes(summary);
    if (group->times.count == 0) {
        group->routine = key[0];
        group->size = key[1];
        group->least = bytes;
        group->sums = memory_zeroed(pes, sizeof *group->sums);
        group->counts = memory_zeroed(pes, sizeof *group->counts);
    }
    group->bytes += bytes;
    group->least = bytes < group->least ? bytes : group->least;
    group->most = bytes > group->most ? bytes : group->most;
    distribution_add(&group->times, seconds);
    if (pe >= 0 && (size_t)pe < pes) {
        group->sums[pe] += seconds;
        group->counts[pe]++;
    }
}

/* ---- Pairs: in memory are those of the PE that is being read, and the best ones of all ---- */

static void add_to_pair(struct summary *summary, int pe, enum transfer transfer,
                        const struct calls *calls)
{
    struct summary_pair *pair =
        table_value(&summary->pairs, &calls->peer, sizeof calls->peer, sizeof *pair);
    pair->pe = pe;
    pair->peer = calls->peer;
    pair->calls += calls->total.calls;
    pair->seconds += calls->total.seconds;
    if (transfer & TRANSFER_TO_PEER)
        pair->to += calls->total.bytes;
    if (transfer & TRANSFER_FROM_PEER)
        pair->from += calls->total.bytes;
}

static bool has_more(const struct summary_pair *a, const struct summary_pair *b)
{
    uint64_t of_a = a->to + a->from, of_b = b->to + b->from;
    return of_a > of_b || (of_a == of_b && a->calls > b->calls);
}

static void keep_best(struct summary *summary, const struct summary_pair *pair)
{
    size_t i = summary->best_count;
    if (i < SUMMARY_PAIRS)
        summary->best_count++;
    else if (!has_more(pair, &summary->best[--i]))
        return;
    for (; i > 0 && has_more(pair, &summary->best[i - 1]); i--)
        summary->best[i] = summary->best[i - 1];
    summary->best[i] = *pair;
}

static int by_peer(const void *a, const void *b)
{
    const struct summary_pair *x = a, *y = b;
    return ORDER(x->peer, y->peer);
}

static void end_row(struct summary *summary)
{
    size_t count = summary->pairs.count;
    struct summary_pair *pairs = summary->pairs.values;
    SORT(pairs, count, by_peer);
    for (size_t i = 0; i < count; i++) {
        if (summary->take_pair)
            summary->take_pair(summary->context, &pairs[i]);
        else if (summary->json)
            trace_summary_json_pair(summary, &pairs[i]);
        summary->pair_count++;
        keep_best(summary, &pairs[i]);
    }
    table_clear(&summary->pairs);
}

/* ---- Reading ---- */

static void add_to_row(struct summary_row *row, size_t routine, size_t site, enum trace_class class,
                       const struct total *total)
{
    row->routine = routine;
    row->site = site;
    row->class = class;
    total_add(&row->total, total);
}

static void add_calls(struct summary *summary, struct summary_pe *pe, size_t number,
                      const struct trace_routine *routine, const struct calls *calls)
{
    add_to_row(memory_element(summary->routines, number, &summary->routine_room), number, 0,
               routine->class, &calls->total);
    struct summary_phase *phase = phase_of(summary, calls->phase);
    total_add(&phase->total, &calls->total);
    phase->outside += calls->burst;
    pe->of[QUANTITY_CALLS] += (double)calls->total.calls;
    pe->of[QUANTITY_INSIDE] += calls->total.seconds;
    pe->of[QUANTITY_OUTSIDE] += calls->burst;
    int waiting = waiting_of(routine, calls->flags);
    if (waiting >= 0) {
        pe->of[QUANTITY_WAITING] += calls->total.seconds;
        summary->waiting[waiting] += calls->total.seconds;
    }
    if (is_message(routine->class))
        pe->of[QUANTITY_BYTES] += (double)calls->total.bytes;
    if (calls->peer >= 0)
        add_to_pair(summary, pe->pe, trace_transfer(routine), calls);
}

static void add_event(struct summary *summary, struct source *source, struct summary_pe *pe,
                      const struct trace_event *event)
{
    const struct trace_routine *routine = trace_source_routine(source, event);
    int64_t bytes = event_value(event, TRACE_BYTES, 0);
    double seconds = (double)event->duration * source->seconds_per_tick;
    const struct calls one = {
        .total = {1, bytes > 0 ? (uint64_t)bytes : 0, seconds, seconds},
        .peer = event_value(event, TRACE_PEER, -1),
        .phase = event->phase,
        .flags = event->flags,
        .burst = (double)event->burst * source->seconds_per_tick,
    };
    summary->pointers += event_gives_pointer(source, event);
    size_t number = trace_source_number(source, event);
    add_calls(summary, pe, number, routine, &one);
    size_t site = trace_source_site(source, event);
    if (site) {
        const size_t key[2] = {sites_find(&summary->reader->sites, site)->same, number};
        struct summary_row *row = table_value(&summary->sites, key, sizeof key, sizeof *row);
        add_to_row(row, number, key[0], routine->class, &one.total);
    }
    distribution_add(&summary->bursts, one.burst);
    if (is_message(routine->class))
        total_add(&summary->sizes[size_of(one.total.bytes)][routine->class], &one.total);
    if (summary->grouped)
        add_to_group(summary, number, routine->class == TRACE_MEMORY ? 0 : one.total.bytes, pe->pe,
                     seconds);
}

static void read_events(struct summary *summary, struct source *source, struct summary_pe *pe)
{
    struct trace_event event;
    int64_t first = 0, last = 0;
    for (bool begun = false; trace_source_event(source, -1, &event); begun = true) {
        add_event(summary, source, pe, &event);
        if (summary->take_event)
            summary->take_event(summary->context, source, &event);
        int64_t end = event_end(&event);
        first = begun && first < event.start ? first : event.start;
        last = begun && last > end ? last : end;
    }
    if (pe->of[QUANTITY_CALLS] == 0)
        return;
    double start = trace_seconds(source->file, first), end = trace_seconds(source->file, last);
    pe->elapsed = end - start;
    bool alone = summary->events == 0;
    summary->first = alone || start < summary->first ? start : summary->first;
    summary->last = alone || end > summary->last ? end : summary->last;
    summary->events += (uint64_t)pe->of[QUANTITY_CALLS];
}

/* Reads a trace without events, which has sums, but neither bursts nor starts. */
static void read_profile(struct summary *summary, struct source *source, struct summary_pe *pe)
{
    struct trace_record record;
    summary->profile = true;
    while (trace_source_record(source, BLOCK_PROFILE, &record)) {
        const struct trace_profile *row = &record.profile;
        struct trace_event event = {.routine = row->routine};
        if (!source->wanted[row->routine] || !reader_wants_thread(source->reader, record.thread))
            continue;
        const struct calls calls = {
            .total = {row->calls, row->bytes, (double)row->ticks * source->seconds_per_tick,
                      (double)row->max_ticks * source->seconds_per_tick},
            .peer = row->peer,
            .phase = row->phase,
        };
        add_calls(summary, pe, trace_source_number(source, &event),
                  trace_source_routine(source, &event), &calls);
    }
    summary->events += (uint64_t)pe->of[QUANTITY_CALLS];
}

static void read_counters(struct summary *summary, struct source *source)
{
    const struct trace_info *info = source->info;
    if (info->counters == 0 || info->counters != summary->counter_count)
        return;
    struct trace_record record;
    while (trace_source_record(source, BLOCK_PHASES, &record)) {
        const struct trace_phase *stretch = &record.phase;
        if (!reader_wants_thread(source->reader, record.thread))
            continue;
        struct summary_phase *phase = phase_of(summary, stretch->phase);
        phase->counted +=
            (double)ticks_between(stretch->start, stretch->end) * source->seconds_per_tick;
        for (size_t i = 0; i < summary->counter_count; i++)
            phase->counters[i] += (double)stretch->counters[i];
    }
}

void trace_summary_release(struct summary *summary)
{
    free(summary->routines);
    free(summary->per_pe);
    struct summary_phase *phases = summary->phases.values;
    for (size_t i = 0; i < summary->phases.count; i++)
        free(phases[i].counters);
    struct summary_group *groups = summary->groups.values;
    for (size_t i = 0; i < summary->groups.count; i++) {
        free(groups[i].sums);
        free(groups[i].counts);
    }
    struct table *tables[] = {&summary->sites, &summary->phases, &summary->pairs, &summary->groups};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        table_free(tables[i]);
}

int trace_summary_collect(struct summary *summary)
{
    struct reader *reader = summary->reader;
    for (struct source *source = NULL; (source = reader_next(reader, source));) {
        if (summary->pe_count == 0) {
            summary->counter_count = summary->reader->run->counters;
            if (summary->json)
                trace_summary_json_begin(summary);
        }
        memory_append(summary->per_pe, summary->pe_count,
                      (struct summary_pe){.pe = source->info->pe});
        struct summary_pe *pe = &summary->per_pe[summary->pe_count - 1];
        summary->dropped += source->info->dropped;
        summary->start_alone += source->info->start_alone;
        summary->incomplete += !source->info->complete;
        summary->cost_between += source->info->cost_between;
        summary->cost_inside += source->info->cost_inside;
        if (source->info->profile)
            read_profile(summary, source, pe);
        else
            read_events(summary, source, pe);
        read_counters(summary, source);
        end_row(summary);
    }
    return reader_status(reader);
}

static int summarize(struct reader *reader)
{
    bool json = reader_given(reader, "json"), results = reader_given(reader, "results");
    if (json && results)
        reader_fail(reader, 2, "--json and --results are mutually exclusive");
    struct summary *summary = memory_zeroed(1, sizeof *summary);
    reader_open_output(reader);
    *summary =
        (struct summary){.reader = reader, .out = reader->out, .json = json, .grouped = results};
    int status = trace_summary_collect(summary);
    if (json)
        trace_summary_json_end(summary);
    else if (results)
        trace_summary_results(summary);
    else
        trace_summary_as_text(summary);
    trace_summary_release(summary);
    free(summary);
    return status;
}

static const struct manual_option options[] = {
    {.name = "json", .help = "one JSON object with everything, all pairs of PEs included"},
    {.name = "results", .help = "times by routine and size, for skampi plot, report and compare"},
    {0},
};

const struct reader_command trace_summary_command = {
    .name = "summary",
    .summary =
        "Sums up calls, bytes and times by routine, call site, pair of PEs, size, PE and phase.",
    .options = options,
    .filters = true,
    .output = true,
    .profiles = true,
    .notes = "Inside is the time in calls, outside the time between them (CPU bursts). Waiting is "
             "the\ntime in synchronization, locks and collectives, and in barriers inside other "
             "routines.\n\n",
    .run = summarize,
};
