/*
 * Replays all calls in the order of time. A call begins: it gets a number, and what it does with
 * memory meets earlier accesses. It ends: its PE learns what it has waited for.
 */
#include "trace/check/races.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "trace/check/order.h"
#include "trace/check/races_report.h"
#include "trace/explain/explain.h"
#include "trace/read/reader.h"

#define MOST_BYTES (UINT64_C(1) << 46)   /* of an access */
#define MOST_ELEMENTS (INT64_C(1) << 20) /* of a strided one */
#define MOST_FLAGS (INT64_C(1) << 12)    /* that one call waits for */
#define SHADOW_LEAST ((size_t)1 << 16)   /* what shadows may hold before it is looked through */
#define SHADOW_MOST ((size_t)1 << 22)
#define UNKNOWN_CLOCKS 1e-6 /* seconds: error bound where none is known */

/* The latest changes of a flag by atomics, one of each PE and context. */
struct changes {
    struct change {
        uint32_t completion, number;
    } * of;
    size_t count, room;
};

/* A collective of a set of PEs, in which they learn of one another. */
struct meet {
    struct order_clock clock; /* what those know that have come */
    int64_t size, arrived, left;
    uint64_t elements; /* of all that have come */
};

struct lock {
    struct order_clock clock;
    bool held;
};

/* A thread. */
struct thread {
    bool meets; /* it is in a collective of this set: */
    size_t set;
    uint64_t meet; /* its number */
    bool again;    /* its call has been put off */
};

struct races {
    struct reader *reader;
    int pes;
    double slack; /* seconds by which clocks may differ */
    struct kinds kinds;
    struct thread **threads; /* by file */
    struct order *order;
    struct shadow **shadows; /* by PE */
    size_t most_shadow;      /* when to look through them */
    struct flags flags;
    struct changes *changes; /* by number of the flag */
    size_t change_room;
    struct turns *meets; /* by set */
    size_t meet_room;
    struct table locks; /* by place: struct lock */
    struct race_report report;
    uint64_t forgotten; /* how often the shadows were too large */
    bool unknown_team, too_long;
};

/* A call, and the access of it that is looked at. */
struct deed {
    struct races *races;
    struct source *source;
    const struct trace_event *event;
    const struct routine_kind *kind;
    struct thread *thread;
    int pe;
    uint32_t number, context; /* context: component of its context */
    double time;
    int owner;                    /* of the memory that it accesses just now, */
    const struct access *present; /* by this access; */
    struct access before;         /* the earlier one that was asked for last, */
    bool ordered;                 /* and the answer: mostly all bytes have the same one */
};

static int64_t value(const struct deed *call, enum trace_field field, int64_t otherwise)
{
    return event_value(call->event, field, otherwise);
}

/* ---- Accesses ---- */

static bool is_ordered(void *context, const struct access *before)
{
    struct deed *call = context;
    struct order *order = call->races->order;
    if (call->before.number == before->number && call->before.completion == before->completion &&
        call->before.flag == before->flag && call->before.does == before->does)
        return call->ordered;
    call->before = *before;
    call->ordered = order_complete(order, call->pe, before, call->owner) ||
                    (call->present->does & ACCESS_REMOTE && before->completion == call->context &&
                     order_fenced(order, before));
    return call->ordered;
}

static void found_race(void *context, const struct access *before, uint64_t begin, uint64_t end)
{
    const struct deed *call = context;
    struct races *races = call->races;
    struct order *order = races->order;
    int first_pe = order_pe(order, before->completion);
    bool pending = !order_is_program(order, before->completion), same = first_pe == call->pe;
    struct race race = {
        .first = *before,
        .second = *call->present,
        .first_pe = first_pe,
        .second_pe = call->pe,
        .owner = call->owner,
        .context = pending ? order_context_number(order, before->completion) : 0,
        .pending = pending,
        .lack = same ? before->does & call->present->does & ACCESS_REMOTE ? LACK_FENCE : LACK_QUIET
                : pending && order_past(order, call->pe, before) ? LACK_COMPLETION
                                                                 : LACK_SYNCHRONIZATION,
        .begin = begin,
        .end = end,
    };
    struct access *both[] = {&race.first, &race.second};
    for (size_t i = 0; i < 2; i++)
        if (both[i]->site)
            both[i]->site = (uint32_t)sites_find(&races->reader->sites, both[i]->site)->same;
    races_report_add(&races->report, &race);
}

static struct access access_of(const struct deed *call, bool pending, uint8_t does)
{
    return (struct access){
        .completion = pending ? call->context : (uint32_t)call->pe,
        .number = call->number,
        .site = (uint32_t)trace_source_site(call->source, call->event),
        .time = call->time,
        .routine = call->kind->number,
        .does = does,
    };
}

/* Elements of a place, one every `stride` elements. */
struct region {
    int64_t place, elements, stride;
    uint64_t element_bytes;
};

/* 1 + the number of the first flag that has one of these bytes; 0: nobody waits for them. */
static uint32_t flag_number(const struct races *races, int64_t pe, int64_t place, uint64_t bytes)
{
    size_t number = SIZE_MAX;
    return flag_list_next(&races->flags.list, pe, (uint64_t)place, bytes, &number)
               ? (uint32_t)number + 1
               : 0;
}

static void access_bytes(struct deed *call, uint64_t begin, uint64_t end,
                         const struct access *access)
{
    const struct shadow_caller caller = {is_ordered, found_race, call};
    shadow_access(call->races->shadows[call->owner], begin, end, access, &caller);
}

/* Bytes that flags have are accesses of their own: whoever sees the flag knows of them. */
static void access_flags(struct deed *call, uint64_t begin, uint64_t end,
                         const struct access *access)
{
    const struct flag_list *flags = &call->races->flags.list;
    size_t number = SIZE_MAX;
    while (begin < end && flag_list_next(flags, call->owner, begin, end - begin, &number)) {
        const struct flag_place *flag = &flags->of[number];
        uint64_t until = flag->place + flag->bytes < end ? flag->place + flag->bytes : end;
        struct access seen = *access;
        seen.flag = (uint32_t)number + 1;
        if (begin < flag->place) {
            access_bytes(call, begin, flag->place, access);
            begin = flag->place;
        }
        if (begin < until) {
            access_bytes(call, begin, until, &seen);
            begin = until;
        }
    }
    if (begin < end)
        access_bytes(call, begin, end, access);
}

static void access_region(struct deed *call, int64_t owner, struct region region,
                          const struct access *access)
{
    if (owner < 0 || owner >= call->races->pes || region.elements <= 0 ||
        TRACE_OBJECT(region.place) == TRACE_PRIVATE || region.element_bytes == 0 ||
        (uint64_t)region.elements > MOST_BYTES / region.element_bytes)
        return;
    if (region.elements == 1 || region.stride == 0)
        region.stride = 1;
    const int64_t most_stride = (int64_t)MOST_BYTES / region.elements;
    bool dense = region.stride == 1;
    if (!dense && (region.elements > MOST_ELEMENTS || region.stride > most_stride ||
                   region.stride < -most_stride))
        return;
    call->owner = (int)owner;
    call->present = access;
    call->before.number = 0;
    uint64_t bytes = (dense ? (uint64_t)region.elements : 1) * region.element_bytes,
             step = (uint64_t)region.stride * region.element_bytes, begin = (uint64_t)region.place,
             last = dense ? begin : begin + (uint64_t)(region.elements - 1) * step,
             lowest = begin < last ? begin : last,
             all = (begin < last ? last : begin) + bytes - lowest;
    bool flags =
        access->does & ACCESS_REMOTE && flag_number(call->races, owner, (int64_t)lowest, all);
    for (int64_t i = 0; i < (dense ? 1 : region.elements); i++, begin += step)
        if (flags)
            access_flags(call, begin, begin + bytes, access);
        else
            access_bytes(call, begin, begin + bytes, access);
}

static struct region region_of(const struct deed *call, enum trace_field place,
                               enum trace_field stride)
{
    return (struct region){.place = value(call, place, 0),
                           .elements = value(call, TRACE_ELEMENTS, 1),
                           .stride = value(call, stride, 1),
                           .element_bytes = call->kind->element_bytes};
}

/* ---- Flags ---- */

static void add_change(struct changes *changes, const struct access *access)
{
    size_t i = 0;
    while (i < changes->count && changes->of[i].completion != access->completion)
        i++;
    if (i == changes->count) {
        memory_extend(changes->of, i, &changes->room);
        changes->count++;
    }
    changes->of[i] = (struct change){access->completion, access->number};
}

static void add_changes(struct deed *call, int64_t pe, const struct region *region,
                        const struct access *access)
{
    struct races *races = call->races;
    for (size_t number = SIZE_MAX; flag_list_next(&races->flags.list, pe, (uint64_t)region->place,
                                                  region->element_bytes, &number);) {
        order_keep(races->order, call->pe);
        add_change(memory_element(races->changes, number, &races->change_room), access);
    }
}

/* The call writes bytes that others may wait for. */
static void note_write(struct deed *call, const struct access *access)
{
    const struct write write = {
        .line = access->completion, .call = {.ordinal = access->number}, .time = call->time};
    order_keep(call->races->order, call->pe);
    flags_write(&call->races->flags, call->kind, call->event, &write);
}

/* The PE sees a flag, by the end of a call: its last write, and all changes. False: it knew of all
 * of them. */
static bool see_flag(struct deed *call, const struct condition *condition)
{
    struct races *races = call->races;
    uint32_t flag = flag_number(races, condition->pe, condition->place, condition->flag.bytes);
    if (!flag)
        return false;
    int owner = (int)condition->pe;
    bool news = false;
    const struct write *write = flags_find(&races->flags, condition);
    if (write)
        news = order_see(races->order, call->pe, write->line, write->call.ordinal, flag, owner);
    const struct changes *changes = memory_element(races->changes, flag - 1, &races->change_room);
    for (size_t i = 0; i < changes->count; i++)
        news |= order_see(races->order, call->pe, changes->of[i].completion, changes->of[i].number,
                          flag, owner);
    return news;
}

/* What a wait is for: one variable, or several. */
struct wait_subject {
    int64_t pe, place, count;
    struct condition first; /* of each the same, but for its place */
};

static struct wait_subject waited_of(const struct routine_kind *kind, int pe,
                                     const struct trace_event *event)
{
    struct wait_subject waited = {.pe = pe,
                                  .place = event_value(event, TRACE_TARGET, 0),
                                  .count = event_value(event, TRACE_ELEMENTS, 1),
                                  .first = flags_condition(kind, pe, event)};
    if (waited.count != 1)
        waited.first.flag.comparison = -1;
    if (waited.count < 0 || waited.count > MOST_FLAGS)
        waited.count = waited.count < 0 ? 0 : MOST_FLAGS;
    waited.first.flag.bytes = kind->element_bytes;
    return waited;
}

static bool is_wait(const struct routine_kind *kind, const struct trace_routine *routine)
{
    const uint32_t fetches = 1u << TRACE_TARGET | 1u << TRACE_RESULT; /* signal_fetch */
    return kind->kind == OP_WAIT || (routine->class == TRACE_SYNCHRONIZATION &&
                                     kind->kind == OP_LOCAL && (kind->fields & fetches) == fetches);
}

static bool is_fetch(const struct routine_kind *kind)
{
    return kind->kind == OP_ATOMIC && kind->flags & OP_FETCHING;
}

/* False: there is nothing new. What ended the wait may begin after it by clocks that differ. */
static bool see_waited(struct deed *call)
{
    struct wait_subject waited = waited_of(call->kind, call->pe, call->event);
    int64_t first = 0, last = waited.count, found = value(call, TRACE_RESULT, -1);
    bool news = false, any = strstr(trace_source_routine(call->source, call->event)->name, "_any");
    if (any && found >= 0 && found < last) {
        first = found;
        last = found + 1;
    }
    waited.first.from = -INFINITY;
    waited.first.to =
        trace_seconds(call->source->file, event_end(call->event)) + call->races->slack;
    for (int64_t i = first; i < last; i++) {
        struct condition condition = waited.first;
        condition.place = (int64_t)((uint64_t)waited.place + (uint64_t)i * condition.flag.bytes);
        news |= see_flag(call, &condition);
    }
    return news;
}

/* ---- Calls that move data ---- */

static void begin_put(struct deed *call)
{
    int64_t peer = value(call, TRACE_PEER, -1);
    struct access access = access_of(call, !(call->kind->flags & OP_BLOCKING), 0);
    if (event_has(call->event, TRACE_SOURCE))
        access_region(call, call->pe, region_of(call, TRACE_SOURCE, TRACE_SOURCE_STRIDE), &access);
    access = access_of(call, true, ACCESS_WRITES | ACCESS_REMOTE);
    struct region signal = {value(call, TRACE_SIGNAL, 0), 1, 1, sizeof(uint64_t)};
    bool signals = event_has(call->event, TRACE_SIGNAL);
    access.flag = signals ? flag_number(call->races, peer, signal.place, signal.element_bytes) : 0;
    access_region(call, peer, region_of(call, TRACE_TARGET, TRACE_TARGET_STRIDE), &access);
    note_write(call, &access);
    if (!signals)
        return;
    access.does |= ACCESS_ATOMIC;
    access_region(call, peer, signal, &access);
    if (!(call->kind->sets_signal && value(call, TRACE_OPTIONS, -1) == TRACE_SIGNAL_SET))
        add_changes(call, peer, &signal, &access);
}

static void begin_get(struct deed *call)
{
    bool pending = !(call->kind->flags & OP_BLOCKING);
    struct access access = access_of(call, pending, 0);
    access_region(call, value(call, TRACE_PEER, -1),
                  region_of(call, TRACE_SOURCE, TRACE_SOURCE_STRIDE), &access);
    access.does = ACCESS_WRITES;
    if (event_has(call->event, TRACE_TARGET))
        access_region(call, call->pe, region_of(call, TRACE_TARGET, TRACE_TARGET_STRIDE), &access);
}

static void begin_atomic(struct deed *call)
{
    const struct routine_kind *kind = call->kind;
    int64_t peer = value(call, TRACE_PEER, -1);
    bool fetches = kind->flags & OP_FETCHING;
    const struct region region = {value(call, TRACE_TARGET, 0), 1, 1, kind->element_bytes};
    const struct access access =
        access_of(call, !(kind->flags & OP_BLOCKING && fetches),
                  kind->read_only ? ACCESS_ATOMIC : ACCESS_ATOMIC | ACCESS_WRITES | ACCESS_REMOTE);
    access_region(call, peer, region, &access);
    if (kind->read_only)
        return;
    if (kind->sets)
        note_write(call, &access);
    if (!kind->sets || fetches)
        add_changes(call, peer, &region, &access);
}

/* ---- Collectives ---- */

/* What a collective reads and writes of its PE's memory; `elements`: of all PEs. */
static void access_collective(struct deed *call, const struct set_call *set, int64_t size,
                              bool ended, uint64_t elements)
{
    const struct routine_kind *kind = call->kind;
    bool root = set->member == value(call, TRACE_ROOT, -1),
         team = value(call, TRACE_SET_STRIDE, 1) == 0, collects = false, reads = true,
         writes = true;
    struct region source = region_of(call, TRACE_SOURCE, TRACE_SOURCE_STRIDE),
                  target = region_of(call, TRACE_TARGET, TRACE_TARGET_STRIDE);
    if (kind->collective == COLLECTIVE_BROADCAST) {
        reads = root;
        writes = !root || team;
    } else if (kind->collective == COLLECTIVE_COLLECT) {
        collects = true;
        target.elements = (int64_t)elements;
    } else if (kind->collective == COLLECTIVE_ALLTOALL && source.elements < MOST_ELEMENTS) {
        source.elements *= size;
        target.elements *= size;
    }
    struct access access = access_of(call, false, 0);
    if (reads && !ended)
        access_region(call, call->pe, source, &access);
    access.does = ACCESS_WRITES;
    if (writes && ended == collects)
        access_region(call, call->pe, target, &access);
}

/* Whether the call is collective, over which set. */
static bool set_of_call(struct deed *call, struct set_call *set, int64_t *size)
{
    enum set_kind kind = trace_source_set(call->source, call->event, set);
    if (kind == SET_UNKNOWN && !(call->event->flags & TRACE_FAILED))
        call->races->unknown_team = true;
    if (kind != SET_KNOWN || set->member < 0)
        return false;
    *size = set_of(&call->races->reader->sets, set->set).size;
    return true;
}

static struct meet *meet_at(const struct turns *meets, uint64_t number)
{
    return turns_at(meets, number, sizeof(struct meet));
}

static void begin_together(struct deed *call)
{
    struct races *races = call->races;
    struct set_call set;
    int64_t size;
    if (call->kind->flags & OP_QUIETS || call->event->flags & TRACE_IMPLICIT_BARRIER)
        order_quiet(races->order, call->pe, 0);
    if (!set_of_call(call, &set, &size))
        return;
    if (trace_source_routine(call->source, call->event)->class == TRACE_COLLECTIVE)
        access_collective(call, &set, size, false, 0);
    memory_extend(races->meets, set.set, &races->meet_room);
    call->thread->set = set.set;
    call->thread->meets = true;
    struct turns *meets = &races->meets[set.set];
    call->thread->meet = turns_take(meets, size, set.member, sizeof(struct meet));
    struct meet *meet = meet_at(meets, call->thread->meet);
    meet->size = size;
    meet->arrived++;
    meet->elements += (uint64_t)value(call, TRACE_ELEMENTS, 0);
    order_tell(races->order, call->pe, &meet->clock);
}

static bool end_together(struct deed *call)
{
    struct races *races = call->races;
    struct turns *meets = &races->meets[call->thread->set];
    struct meet *meet = meet_at(meets, call->thread->meet);
    struct set_call set;
    int64_t size;
    if (meet->arrived < meet->size && !call->thread->again)
        return false;
    uint64_t elements = meet->elements;
    call->thread->meets = false;
    order_learn(races->order, call->pe, &meet->clock);
    meet->left++;
    while (meets->first < meets->last &&
           meet_at(meets, meets->first)->left == meet_at(meets, meets->first)->size)
        free(meet_at(meets, meets->first++)->clock.of);
    if (call->kind->collective == COLLECTIVE_COLLECT &&
        trace_source_routine(call->source, call->event)->class == TRACE_COLLECTIVE &&
        set_of_call(call, &set, &size))
        access_collective(call, &set, size, true, elements);
    return true;
}

/* ---- Locks ---- */

static struct lock *lock_of(struct deed *call)
{
    int64_t place = value(call, TRACE_TARGET, 0);
    return table_value(&call->races->locks, &place, sizeof place, sizeof(struct lock));
}

/* clear_lock completes what was stored in the critical region. */
static void begin_unlock(struct deed *call)
{
    struct lock *lock = lock_of(call);
    order_quiet_all(call->races->order, call->pe);
    order_tell(call->races->order, call->pe, &lock->clock);
    lock->held = false;
}

static bool end_lock(struct deed *call)
{
    struct lock *lock = lock_of(call);
    if (lock->held && !call->thread->again)
        return false;
    order_learn(call->races->order, call->pe, &lock->clock);
    lock->held = true;
    return true;
}

/* ---- Calls ---- */

static void begin(struct deed *call)
{
    struct order *order = call->races->order;
    int64_t context = value(call, TRACE_CONTEXT_ID, 0);
    bool failed = call->event->flags & TRACE_FAILED;
    enum trace_class class = trace_source_routine(call->source, call->event)->class;
    static void (*const moves[])(struct deed *) = {
        [OP_PUT] = begin_put, [OP_GET] = begin_get, [OP_ATOMIC] = begin_atomic};
    switch (call->kind->kind) {
    case OP_PUT:
    case OP_GET:
    case OP_ATOMIC:
        if (!failed)
            moves[call->kind->kind](call);
        break;
    case OP_QUIET:
        if (class == TRACE_CONTEXT)
            order_end_context(order, call->pe, context);
        else
            order_quiet(order, call->pe, context);
        break;
    case OP_FENCE:
        order_fence(order, call->pe, context);
        break;
    case OP_UNLOCK:
        begin_unlock(call);
        break;
    default:
        /* On all PEs at once; until something else is there. */
        if (class == TRACE_MEMORY && event_has(call->event, TRACE_TARGET) &&
            value(call, TRACE_BYTES, 0) > 0 && call->source->index == 0)
            races_report_allocation(
                &call->races->report,
                (struct allocation){(uint64_t)value(call, TRACE_TARGET, 0),
                                    (uint64_t)value(call, TRACE_BYTES, 0),
                                    (uint32_t)trace_source_site(call->source, call->event)});
        begin_together(call);
    }
}

/* False: what it has waited for may not be there yet. */
static bool end(struct deed *call)
{
    const struct trace_routine *routine = trace_source_routine(call->source, call->event);
    if (call->thread->meets)
        return end_together(call);
    if (call->kind->kind == OP_LOCK && !(call->kind->test && value(call, TRACE_RESULT, 1) != 0))
        return end_lock(call);
    if (is_wait(call->kind, routine))
        return test_failed(call->kind, call->event) || see_waited(call);
    if (is_fetch(call->kind) && !(call->event->flags & TRACE_FAILED)) {
        const struct condition condition = {
            .pe = value(call, TRACE_PEER, -1),
            .place = value(call, TRACE_TARGET, 0),
            .flag = {.bytes = call->kind->element_bytes, .comparison = -1},
            .from = -INFINITY,
            .to = INFINITY,
        };
        see_flag(call, &condition);
    }
    return true;
}

/* ---- What is kept ---- */

static bool is_known_to_all(void *context, const struct access *access)
{
    const struct races *races = context;
    return order_everywhere(races->order, access);
}

static size_t shadows_size(const struct races *races)
{
    size_t size = 0;
    for (int pe = 0; pe < races->pes; pe++)
        size += shadow_size(races->shadows[pe]);
    return size;
}

/* Looks through the shadows when they have doubled. */
static void keep_small(struct races *races)
{
    const struct shadow_caller caller = {.ordered = is_known_to_all, .context = races};
    if (shadows_size(races) < races->most_shadow)
        return;
    order_least(races->order);
    for (int pe = 0; pe < races->pes; pe++)
        shadow_forget(races->shadows[pe], &caller);
    size_t size = shadows_size(races);
    if (size > SHADOW_MOST / 2) {
        for (int pe = 0; pe < races->pes; pe++) {
            shadow_free(races->shadows[pe]);
            races->shadows[pe] = shadow_new();
        }
        races->forgotten++;
        size = 0;
    }
    races->most_shadow = size > SHADOW_LEAST / 2 ? 2 * size : SHADOW_LEAST;
}

/* ---- Passes ---- */

static void add_flags(struct races *races, const struct routine_kind *kind, struct source *source,
                      const struct trace_event *event)
{
    if (is_fetch(kind)) {
        flag_list_add(&races->flags.list, event_value(event, TRACE_PEER, -1),
                      (uint64_t)event_value(event, TRACE_TARGET, 0), kind->element_bytes);
    } else if (is_wait(kind, trace_source_routine(source, event))) {
        struct wait_subject waited = waited_of(kind, source->info->pe, event);
        for (int64_t i = 0; i < waited.count; i++)
            flag_list_add(&races->flags.list, waited.pe,
                          (uint64_t)waited.place + (uint64_t)i * kind->element_bytes,
                          kind->element_bytes);
    }
}

/* The first pass: what PEs wait for and fetch. */
static void find_flags(struct races *races)
{
    struct reader *reader = races->reader;
    double bound = 0;
    for (struct source *source = NULL; (source = reader_next(reader, source));) {
        const struct trace_info *info = source->info;
        races->pes = info->pes > races->pes ? info->pes : races->pes;
        bound = fmax(bound, isfinite(info->clock_bound) ? info->clock_bound : UNKNOWN_CLOCKS);
        races->threads[source->index] = memory_zeroed((size_t)info->threads, sizeof(struct thread));
        for (int thread = 0; thread < info->threads; thread++) {
            struct trace_event event;
            while (trace_source_event(source, thread, &event))
                add_flags(races, kinds_find(&races->kinds, source, &event), source, &event);
        }
    }
    flags_sort(&races->flags, (size_t)races->pes);
    races->slack = 2 * bound;
}

static bool replay_event(struct races *races, struct merge *merge, const struct merge_event *next)
{
    struct source *source = next->source;
    struct deed call = {
        .races = races,
        .source = source,
        .event = next->event,
        .kind = kinds_find(&races->kinds, source, next->event),
        .pe = source->info->pe,
        .time = next->seconds,
    };
    if (next->event->thread >= (uint32_t)source->info->threads)
        return true;
    call.thread = &races->threads[source->index][next->event->thread];
    if (!next->end) {
        call.number = order_step(races->order, call.pe);
        call.context = order_context(races->order, call.pe, value(&call, TRACE_CONTEXT_ID, 0));
        begin(&call);
        return call.number > 0;
    }
    call.number = order_now(races->order, call.pe);
    if (!end(&call) && !call.thread->again) {
        call.thread->again = true;
        merge_again(merge, next->seconds + races->slack);
        return true;
    }
    call.thread->again = false;
    return true;
}

static void release(struct races *races)
{
    size_t files = races->reader->count;
    kinds_free(&races->kinds);
    for (size_t i = 0; i < files; i++)
        free(races->threads[i]);
    free(races->threads);
    for (int pe = 0; races->shadows && pe < races->pes; pe++)
        shadow_free(races->shadows[pe]);
    free(races->shadows);
    if (races->order)
        order_free(races->order);
    for (size_t i = 0; i < races->change_room; i++)
        free(races->changes[i].of);
    free(races->changes);
    for (size_t i = 0; i < races->meet_room; i++) {
        struct turns *meets = &races->meets[i];
        for (uint64_t k = meets->first; k < meets->last; k++)
            free(meet_at(meets, k)->clock.of);
        turns_free(meets);
    }
    free(races->meets);
    for (size_t i = 0; i < races->locks.count; i++)
        free(((struct lock *)races->locks.values)[i].clock.of);
    table_free(&races->locks);
    flags_free(&races->flags);
    races_report_free(&races->report);
}

static void tell(const struct races *races, void (*tell_race)(void *, const char *), void *context)
{
    struct reader *reader = races->reader;
    races_report_tell(&races->report, reader, tell_race, context);
    if (races->unknown_team)
        reader_say(reader, "the members of a team are not in the trace, so races are looked for "
                           "only before its first collective");
    if (races->too_long)
        reader_say(reader, "a PE makes too many calls: races are looked for among its first %u",
                   UINT32_MAX);
    if (races->forgotten)
        reader_say(reader,
                   "accesses were forgotten %" PRIu64 " times for want of memory, so races with "
                   "them are not found",
                   races->forgotten);
    if (races->report.more)
        reader_say(reader, "%" PRIu64 " further races are not shown", races->report.more);
}

void races_find(struct reader *reader, void (*tell_race)(void *, const char *), void *context)
{
    struct races races = {
        .reader = reader,
    };
    races.threads = memory_zeroed(reader->count, sizeof *races.threads);
    find_flags(&races);
    /* The second pass. */
    struct merge *merge = merge_open(races.reader, true);
    struct merge_event next;
    uint64_t events = 0;
    races.order = order_new(races.pes);
    races.shadows = memory_zeroed((size_t)races.pes, sizeof *races.shadows);
    for (int pe = 0; pe < races.pes; pe++)
        races.shadows[pe] = shadow_new();
    races.most_shadow = SHADOW_LEAST;
    while (!races.unknown_team && merge_next(merge, &next)) {
        if (!replay_event(&races, merge, &next)) {
            races.too_long = true;
            break;
        }
        if (++events % 1024 == 0)
            keep_small(&races);
    }
    merge_close(merge);
    tell(&races, tell_race, context);
    release(&races);
}
