/* The command check: whether a trace is complete, and fits together across PEs. */
#define _GNU_SOURCE
#include "trace/check/check.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/numbers.h"
#include "base/text.h"
#include "trace/check/races.h"

#define MOST_FINDINGS 100      /* findings that are printed; further ones are only counted */
#define MOST_OUTSTANDING 65536 /* collective calls by which PEs of a set may be apart */

/* What calls of a collective operation have in common on all PEs. */
static const struct {
    const char *name;
    enum trace_field field;
} parameters[] = {
    {"elements", TRACE_ELEMENTS}, {"bytes", TRACE_BYTES},       {"root", TRACE_ROOT},
    {"start", TRACE_SET_START},   {"stride", TRACE_SET_STRIDE}, {"size", TRACE_SET_SIZE},
    {"range", TRACE_OPTIONS},
};
#define PARAMETERS (sizeof parameters / sizeof *parameters)

/* The first call of a collective operation that some PEs of the set have not made yet. */
struct operation {
    size_t routine;
    uint32_t given; /* bits of parameters */
    int64_t values[PARAMETERS];
    int pe; /* the PE that came first */
    size_t site;
    int64_t arrived;
};

struct set {
    struct turns turns; /* operations between the slowest member and the fastest */
    bool given_up;      /* something did not match; what follows would not either */
};

struct thread {
    bool begun;
    int64_t end; /* ticks */
    uint64_t index;
};

/* A PE: its threads, and the locks that it holds. */
struct pe {
    struct thread *threads;
    int thread_count;
    struct table locks; /* by place: bool, whether it is held */
    bool interrupted;   /* the PE of this number (not the file's) was ended by a signal, perhaps
                           inside a call */
};

struct check {
    struct reader *reader;
    /* What the files so far have in common: */
    bool *there; /* by PE; NULL: there was no file yet */
    int run_pes;
    bool one_run; /* its beginning is known: that of all of its PEs */
    int64_t beginning;
    uint64_t findings, events, dropped;
    uint64_t pointers;  /* calls that gave a pointer to memory of another PE */
    size_t start_alone; /* PEs whose clocks were synchronized only at the start */
    struct pe *pes;     /* by index of the file */
    struct set *sets;   /* by number of the reader */
    size_t set_room, set_count;
    bool matching; /* collective calls can be matched: all PEs of one run are there, and no event is
                      missing */
    bool unknown;  /* the members of a team are not known, so calls of teams are not matched */
};

static void finding(struct check *check, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void finding(struct check *check, const char *format, ...)
{
    check->findings++;
    if (check->findings > MOST_FINDINGS)
        return;
    va_list arguments;
    va_start(arguments, format);
    char *text = text_format_with(format, arguments);
    va_end(arguments);
    text_print(check->reader->out, "%s\n", text);
    free(text);
    if (check->findings == MOST_FINDINGS)
        fputs("(further findings are only counted)\n", check->reader->out);
    reader_check_written(check->reader, check->reader->out, check->reader->out_name);
}

/* The place of an event, for findings. In a static buffer. */
static const char *where(struct source *source, const struct trace_event *event)
{
    static char text[512];
    const char *site = trace_source_site_text(source, event);
    snprintf(text, sizeof text, "PE %d, thread %" PRIu32 ", event %" PRIu64 " (%.100s%s%.250s)",
             source->info->pe, event->thread, event->index,
             trace_source_routine(source, event)->name, site ? " at " : "", site ? site : "");
    return text;
}

/* ---- Each file by itself ---- */

/* Events, or the calls of a profile. */
static uint64_t recorded_calls(struct source *source)
{
    struct trace_record record;
    uint64_t calls = source->info->profile ? 0 : source->info->events;
    while (source->info->profile && trace_source_record(source, BLOCK_PROFILE, &record))
        calls += record.profile.calls;
    return calls;
}

/* Whether a file belongs to the others. */
static void check_member(struct check *check, const struct source *source)
{
    const struct trace_info *info = source->info;
    if (!check->there) {
        check->there = memory_zeroed((size_t)info->pes, sizeof(bool));
        check->run_pes = info->pes;
        check->one_run = info->start.known;
        check->beginning = info->beginning;
    }
    if (info->pes != check->run_pes)
        finding(check, "%s: belongs to a run on %d PEs, other files to one on %d", source->path,
                info->pes, check->run_pes);
    else if (check->one_run && info->start.known && info->beginning != check->beginning)
        finding(check, "%s: is of another run: %s", source->path, info->command);
    else if (check->there[info->pe])
        finding(check, "%s: a second file of PE %d", source->path, info->pe);
    else
        check->there[info->pe] = true;
}

/* What a file lacks. */
static void check_whole(struct check *check, struct source *source)
{
    const struct trace_info *info = source->info;
    if (!info->complete)
        finding(check, "%s: did not end properly%s%s", source->path, *info->end ? ": " : "",
                info->end);
    if (info->lost)
        finding(check,
                "%s: %" PRIu64 " of %" PRIu64 " events were lost for want of room (--limit, a "
                "full disk, or no memory)",
                source->path, info->lost, info->lost + recorded_calls(source));
    check->start_alone += info->start_alone;
    check->dropped += info->dropped;
    if (info->dropped) {
        reader_say(check->reader,
                   "%s: %" PRIu64 " events were not kept, so collectives are not matched",
                   source->path, info->dropped);
        check->matching = false;
    }
    /* Checks whether blocks other than events can be read. */
    static const enum block_kind kinds[] = {BLOCK_PHASES, BLOCK_PROFILE, BLOCK_TEAMS,
                                            BLOCK_MODULES};
    struct trace_record record;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        while (trace_source_record(source, kinds[i], &record))
            ;
}

static void check_files(struct check *check)
{
    struct reader *reader = check->reader;
    check->matching = true;
    for (size_t i = 0; i < reader->count; i++) {
        struct source *source = reader_source(reader, i);
        if (!source) {
            check->findings++; /* it was reported when it was opened */
            continue;
        }
        const struct trace_info *info = source->info;
        check->pes[i].thread_count = info->threads;
        check->pes[i].threads = memory_zeroed((size_t)info->threads, sizeof *check->pes[i].threads);
        check_member(check, source);
        if ((size_t)info->pe < reader->count)
            check->pes[info->pe].interrupted = strncmp(info->end, "signal", 6) == 0;
        check_whole(check, source);
        trace_source_close(source);
    }
    for (int pe = 0; pe < check->run_pes && reader_wants_run(reader); pe++)
        if (!check->there[pe])
            finding(check, "%s: no file of PE %d", reader->path, pe);
    if (!reader_wants_run(reader) && check->run_pes > 1) {
        reader_say(reader, "one PE of %d, so collectives are not matched", check->run_pes);
        check->matching = false;
    }
    /* Only the files of one run, each PE's once, have a PE for every member of a set. */
    if (check->findings)
        check->matching = false;
}

/* ---- Each event by itself, and after the one before it of its thread ---- */

static void check_order(struct check *check, struct source *source, struct thread *thread,
                        const struct trace_event *event)
{
    if (event->duration < 0)
        finding(check, "%s: lasts %" PRId64 " ticks", where(source, event), event->duration);
    if (thread->begun && event->index != thread->index + 1)
        finding(check, "%s: comes after event %" PRIu64, where(source, event), thread->index);
    int64_t since = ticks_between(thread->end, event->start);
    if (thread->begun && event->start < thread->end)
        finding(check, "%s: begins %.0f ns before the call before it ends", where(source, event),
                -1e9 * (double)since * source->seconds_per_tick);
    /* The burst may be shorter than that by the tracer's own time, as for its clocks after
     * shmem_init. */
    else if (thread->begun && (event->burst < 0 || event->burst > since))
        finding(check,
                "%s: %" PRId64 " ticks since the call before it by its burst, %" PRId64
                " by its start",
                where(source, event), event->burst, since);
    *thread = (struct thread){true, event_end(event), event->index};
}

static void check_parameters(struct check *check, struct source *source,
                             const struct trace_event *event)
{
    const struct trace_routine *routine = trace_source_routine(source, event);
    int pes = source->info->pes;
    if (event_has(event, TRACE_PEER) &&
        (event->values[TRACE_PEER] < 0 || event->values[TRACE_PEER] >= pes))
        finding(check, "%s: peer %" PRId64 " of %d PEs", where(source, event),
                event->values[TRACE_PEER], pes);
    enum transfer transfer = trace_transfer(routine);
    if (transfer != TRANSFER_NONE && event_has(event, TRACE_BYTES) &&
        event_has(event, TRACE_ELEMENTS) && routine->element_bytes > 0 &&
        (uint64_t)event->values[TRACE_BYTES] !=
            (uint64_t)event->values[TRACE_ELEMENTS] * routine->element_bytes)
        finding(check, "%s: %" PRId64 " bytes, but %" PRId64 " elements of %u",
                where(source, event), event->values[TRACE_BYTES], event->values[TRACE_ELEMENTS],
                routine->element_bytes);
    /* The symmetric side of a transfer. */
    enum trace_field field = transfer == TRANSFER_FROM_PEER ? TRACE_SOURCE : TRACE_TARGET;
    bool moves = event_value(event, TRACE_BYTES, 1) > 0 && !(event->flags & TRACE_FAILED);
    if (transfer != TRANSFER_NONE && moves && event_has(event, field) &&
        TRACE_OBJECT(event->values[field]) == TRACE_PRIVATE)
        finding(check, "%s: its %s is not symmetric", where(source, event),
                field == TRACE_SOURCE ? "source" : "target");
    if (event_has(event, TRACE_SIGNAL) &&
        TRACE_OBJECT(event->values[TRACE_SIGNAL]) == TRACE_PRIVATE)
        finding(check, "%s: its signal is not symmetric", where(source, event));
}

/* ---- Locks ---- */

static void check_lock(struct check *check, struct source *source, struct pe *pe,
                       const struct trace_event *event)
{
    const char *name = trace_source_routine(source, event)->name;
    if (!event_has(event, TRACE_TARGET) || source->info->threads > 1)
        return; /* threads may hand a lock over */
    bool *held =
        table_value(&pe->locks, &event->values[TRACE_TARGET], sizeof(int64_t), sizeof *held);
    if (strstr(name, "clear")) {
        if (!*held)
            finding(check, "%s: clears a lock that it does not hold", where(source, event));
        *held = false;
    } else if (strstr(name, "test")) {
        /* 0: got it. Without the result nothing is known. */
        if (event_value(event, TRACE_RESULT, 1) == 0)
            *held = true;
    } else {
        if (*held)
            finding(check, "%s: sets a lock that it holds already", where(source, event));
        *held = true;
    }
}

/* ---- Collective operations across PEs ---- */

static struct operation operation_of(struct source *source, const struct trace_event *event)
{
    const struct trace_routine *routine = trace_source_routine(source, event);
    /* In shmem_collect each PE may give another number of elements. */
    bool sized = routine->class != TRACE_COLLECTIVE || strstr(routine->name, "fcollect") ||
                 !strstr(routine->name, "collect");
    /* Sets are compared in team splits only. Other calls were matched by their sets, and each PE
     * has numbers of its own for teams. */
    bool split = strstr(routine->name, "team_split");
    struct operation operation = {.routine = trace_source_number(source, event),
                                  .pe = source->info->pe};
    for (size_t i = 0; i < PARAMETERS; i++) {
        enum trace_field field = parameters[i].field;
        bool size = field == TRACE_ELEMENTS || field == TRACE_BYTES;
        bool compared = size ? sized : field == TRACE_ROOT || split;
        if (!compared || !event_has(event, field))
            continue;
        operation.given |= 1u << i;
        operation.values[i] = event->values[field];
    }
    operation.site = trace_source_site(source, event);
    return operation;
}

static bool same_operation(const struct operation *a, const struct operation *b)
{
    return a->routine == b->routine && a->given == b->given &&
           memcmp(a->values, b->values, sizeof a->values) == 0;
}

static const char *describe(struct check *check, const struct operation *operation)
{
    static char texts[2][600];
    static unsigned turn;
    char *text = texts[turn++ % 2];
    int length = snprintf(text, sizeof texts[0], "%.100s(",
                          (const char *)table_key(&check->reader->routines, operation->routine));
    const char *comma = "";
    for (size_t i = 0; i < PARAMETERS; i++)
        if (operation->given >> i & 1) {
            length += snprintf(text + length, sizeof texts[0] - (size_t)length, "%s%s=%" PRId64,
                               comma, parameters[i].name, operation->values[i]);
            comma = ", ";
        }
    const char *at = operation->site ? " at " : "";
    snprintf(text + length, sizeof texts[0] - (size_t)length, ")%s%.250s", at,
             *at ? sites_text(&check->reader->sites, operation->site) : "");
    return text;
}

static struct operation *operation_at(const struct set *set, uint64_t number)
{
    return turns_at(&set->turns, number, sizeof(struct operation));
}

/* Reports that PEs of the set have not called its first open operation. A PE that a signal ended is
 * left out: its trace lacks the call that it was in, and what it would have called later. */
static void tell_missing(struct check *check, size_t number)
{
    const struct set *set = &check->sets[number];
    const struct trace_set members = set_of(&check->reader->sets, number);
    const struct operation *operation = operation_at(set, set->turns.first);
    int64_t missing = 0, example = -1;
    for (int64_t i = 0; i < members.size; i++) {
        int64_t pe = set_pe(&members, i);
        if (set->turns.calls[i] <= set->turns.first && !check->pes[pe].interrupted) {
            missing++;
            example = example < 0 ? pe : example;
        }
    }
    if (missing == 0)
        return;
    finding(check,
            "%s: collective %" PRIu64 ", %s, was not called by %" PRId64
            " of them, such as PE %" PRId64,
            set_name(&members), set->turns.first, describe(check, operation), missing, example);
}

static void match_operation(struct check *check, struct source *source, size_t number,
                            int64_t member, const struct trace_event *event)
{
    const struct trace_set members = set_of(&check->reader->sets, number);
    struct set *set = memory_element(check->sets, number, &check->set_room);
    struct turns *turns = &set->turns;
    if (set->given_up)
        return;
    check->set_count += !turns->calls;
    struct operation operation = operation_of(source, event);
    uint64_t turn = turns_take(turns, members.size, member, sizeof operation);
    struct operation *wanted = operation_at(set, turn);
    if (wanted->arrived == 0)
        *wanted = operation;
    if (!same_operation(wanted, &operation)) {
        finding(check, "%s: collective %" PRIu64 " is %s on PE %d, but %s on PE %d",
                set_name(&members), turn, describe(check, wanted), wanted->pe,
                describe(check, &operation), operation.pe);
        set->given_up = true;
        return;
    }
    wanted->arrived++;
    while (turns->first < turns->last && operation_at(set, turns->first)->arrived == members.size)
        turns->first++;
    if (turns->last - turns->first > MOST_OUTSTANDING) {
        tell_missing(check, number);
        set->given_up = true;
    }
}

static void check_collective(struct check *check, struct source *source,
                             const struct trace_event *event)
{
    struct set_call call;
    switch (trace_source_set(source, event, &call)) {
    case SET_NONE:
        return;
    case SET_UNKNOWN:
        /* A call that failed may name a team that does not exist. */
        if (!check->unknown && !(event->flags & TRACE_FAILED)) {
            reader_say(check->reader,
                       "%s: the members of a team are not in the trace (%s), so collectives of "
                       "teams are not matched",
                       source->path, where(source, event));
            check->unknown = true;
        }
        return;
    case SET_IMPOSSIBLE:
        finding(check,
                "%s: PEs %" PRId64 ", step %" PRId64 ", %" PRId64 " of them, but there are %d",
                where(source, event), event->values[TRACE_SET_START],
                event->values[TRACE_SET_STRIDE], event->values[TRACE_SET_SIZE], source->info->pes);
        return;
    case SET_KNOWN:
        break;
    }
    const struct trace_set set = set_of(&check->reader->sets, call.set);
    if (call.member < 0) {
        finding(check, "%s: the PE is not in the set: %s", where(source, event), set_name(&set));
        return;
    }
    int64_t root = event_value(event, TRACE_ROOT, -1);
    if (root >= set.size) {
        finding(check, "%s: root %" PRId64 " of a set of %" PRId64 " PEs", where(source, event),
                root, set.size);
        return;
    }
    if (check->matching)
        match_operation(check, source, call.set, call.member, event);
}

static void check_ends(struct check *check)
{
    for (size_t i = 0; i < check->set_room; i++) {
        const struct set *set = &check->sets[i];
        if (set->given_up || set->turns.first == set->turns.last ||
            (check->unknown && set_of(&check->reader->sets, i).order != 0))
            continue;
        tell_missing(check, i);
    }
}

/* ---- Races ---- */

static void tell_race(void *context, const char *text)
{
    finding(context, "%s", text);
}

static void check_races(struct check *check)
{
    struct reader *reader = check->reader;
    const char *selected = reader->run->selection;
    /* Calls that were left out may order others. */
    if (strstr(selected, "--only") || strstr(selected, "--exclude") || strstr(selected, "--phase"))
        reader_say(reader, "calls were left out (%s), so races are not looked for", selected);
    else if (!check->matching || check->findings)
        reader_say(reader, "races are looked for only in complete traces without other findings");
    else
        races_find(reader, tell_race, check);
}

/* ---- All of it ---- */

static void check_free(struct check *check)
{
    for (size_t i = 0; i < check->reader->count; i++) {
        free(check->pes[i].threads);
        table_free(&check->pes[i].locks);
    }
    free(check->pes);
    free(check->there);
    for (size_t i = 0; i < check->set_room; i++)
        turns_free(&check->sets[i].turns);
    free(check->sets);
}

static int check_run(struct reader *reader)
{
    struct check check = {.reader = reader, .pes = memory_zeroed(reader->count, sizeof(struct pe))};
    check_files(&check);
    reader_status(reader);
    struct merge *merge = merge_open(reader, false);
    struct merge_event next;
    while (merge_next(merge, &next)) {
        struct pe *pe = &check.pes[next.source->index];
        check.events++;
        if (next.event->thread >= (uint32_t)pe->thread_count)
            continue; /* the program is still running */
        check_order(&check, next.source, &pe->threads[next.event->thread], next.event);
        check_parameters(&check, next.source, next.event);
        if (trace_source_routine(next.source, next.event)->class == TRACE_LOCK)
            check_lock(&check, next.source, pe, next.event);
        check_collective(&check, next.source, next.event);
        check.pointers += event_gives_pointer(next.source, next.event);
    }
    merge_close(merge);
    if (reader->status)
        check.findings++; /* the damage was reported */
    else
        check_ends(&check);
    if (reader_given(reader, "races"))
        check_races(&check);
    reader_tell_gaps(reader, check.pointers, check.start_alone);
    fprintf(reader->out, "PEs: %zu, events: %" PRIu64 ", sets of PEs with collective calls: %zu; ",
            reader->count, check.events, check.set_count);
    if (check.findings)
        fprintf(reader->out, "%" PRIu64 " finding%s\n", check.findings,
                numbers_plural(check.findings));
    else
        fprintf(reader->out, "all well%s\n", check.dropped ? " with what was kept" : "");
    bool good = check.findings == 0;
    check_free(&check);
    return good ? 0 : 1;
}

static const struct manual_option options[] = {
    {.name = "races", .help = "also find accesses to the same bytes that nothing orders"},
    {0},
};

const struct reader_command trace_check_command = {
    .name = "check",
    .summary = "Checks that a trace is complete and its collective calls match across PEs.",
    .options = options,
    .profiles = true,
    .findings = true,
    .notes =
        "It checks: checksums and structure; order, bursts and nesting of each thread's calls;\n"
        "PEs, sizes and symmetric addresses; locks; and that all PEs of a set make the same\n"
        "collective calls, barriers among them, with the same sizes in the same order.\n"
        "With --races it looks for two accesses to the same bytes, one of them a write, that no\n"
        "quiet, fence, barrier, signal, wait or lock orders: accesses by the library alone.\n\n",
    .run = check_run,
};
