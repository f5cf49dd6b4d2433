/*
 * Makes operations of events. A polling loop becomes one operation that waits, since its number of
 * calls only says how long the traced machine took. A loop of tests may ask for several variables
 * in turn.
 */
#include "sim/streams.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

#define MOST_BURST 4e17 /* ps: 4.6 days */
#define FETCHES_KEPT 2  /* equal fetches in a row that are kept; only more of them are a loop */
#define FETCH_MOST_BYTES 8
#define MOST_PLACES 16 /* most variables for which a loop of tests asks in turn */

enum poll_kind { POLL_NONE, POLL_TEST, POLL_LOCK, POLL_FETCH };

/* Calls that are held back, since the next call decides whether they are a loop. */
struct poll {
    enum poll_kind kind;
    uint32_t calls; /* all; of fetches those that were kept, too */
    struct op op;   /* the first of them that is held back */
    int64_t bursts; /* of the calls after the first one that is held back */
    uint64_t places[MOST_PLACES];
    uint32_t place_count; /* 1, but of a loop of tests */
    uint32_t peer;
    int64_t start, end; /* ticks: of the first, of the last */
};

/* ---- Values of events ---- */

struct call {
    int thread, pe;
    const struct routine_kind *kind;
    const struct raw_event *raw;
};

static inline int64_t value_of(const struct call *call, enum trace_field field, int64_t otherwise)
{
    unsigned index = call->kind->index[field];
    return index < call->raw->series->values ? call->raw->series->last[index] : otherwise;
}

static inline bool has_value(const struct call *call, enum trace_field field)
{
    return call->kind->index[field] < call->raw->series->values;
}

static bool fail(struct streams *streams, const struct call *call, const char *what)
{
    if (!streams->error)
        streams->error = text_format("%s: event %llu, %s: %s", sim_run_path(streams->run, call->pe),
                                     (unsigned long long)streams->of[call->thread].read,
                                     sim_run_routine(streams->run, call->kind->number), what);
    return false;
}

static inline uint64_t moved_bytes(const struct call *call)
{
    uint64_t bytes = (uint64_t)value_of(call, TRACE_BYTES, call->kind->element_bytes);
    return bytes < OP_MOST_BYTES ? bytes : OP_MOST_BYTES;
}

/* What a call reads or waits for, or a lock. */
static inline uint64_t place_of(const struct call *call, enum op_kind kind)
{
    return (uint64_t)value_of(call, kind == OP_GET ? TRACE_SOURCE : TRACE_TARGET, 0);
}

static inline uint16_t context_of(const struct call *call)
{
    int64_t context = value_of(call, TRACE_CONTEXT_ID, 0);
    return context >= 0 && context < OP_NO_CONTEXT ? (uint16_t)context : OP_NO_CONTEXT;
}

/* From the first to the last byte of the target. */
static uint64_t extent(const struct call *call)
{
    uint64_t element = call->kind->element_bytes,
             elements = (uint64_t)value_of(call, TRACE_ELEMENTS, 1),
             stride = (uint64_t)value_of(call, TRACE_TARGET_STRIDE, 1);
    if (has_value(call, TRACE_BYTES) && !has_value(call, TRACE_TARGET_STRIDE))
        return moved_bytes(call);
    if (elements == 0 || stride > OP_MOST_BYTES || elements > OP_MOST_BYTES ||
        element * stride > OP_MOST_BYTES / elements)
        return elements == 0 ? 0 : moved_bytes(call);
    return ((elements - 1) * stride + 1) * element;
}

/* ---- Adding ---- */

static inline void add(struct streams *streams, int thread, struct op op)
{
    struct stream *stream = &streams->of[thread];
    if (__builtin_expect(streams->ends != NULL, 0))
        streams->ends[&stream->ops[stream->count] - streams->windows] = NOT_RECORDED;
    stream->ops[stream->count++] = op;
    stream->made++;
}

/* Notes when the call ended that became the operation that was added last (ticks). */
static void note_end(struct streams *streams, int thread, int64_t ticks)
{
    const struct stream *stream = &streams->of[thread];
    if (__builtin_expect(!streams->ends, 1))
        return;
    struct recorded_times *recorded = &streams->recorded[thread];
    double since = (double)(int64_t)((uint64_t)ticks - (uint64_t)recorded->begin);
    int64_t end = recorded->begin_time +
                  llround(fmin(fmax(since * recorded->ps_per_tick, -MOST_BURST), MOST_BURST));
    streams->ends[&stream->ops[stream->count - 1] - streams->windows] = end;
    recorded->end = end > recorded->end ? end : recorded->end;
}

static inline int64_t end_of(const struct raw_event *raw)
{
    return (int64_t)((uint64_t)raw->start + (uint64_t)raw->duration);
}

/* What is noted of the calls, when the simulated run is wanted as a trace. */
static inline struct simulated_trace *simulated_of(const struct streams *streams)
{
    return streams->observe ? NULL : streams->simulated;
}

static void add_held(struct streams *streams, int thread, struct op op, uint64_t calls)
{
    add(streams, thread, op);
    if (simulated_of(streams))
        simulated_held(streams->simulated, thread, streams->of[thread].count - 1, calls);
}

/* Tells of the operation that was added last. */
static void show(struct streams *streams, const struct call *call, int64_t start)
{
    const struct stream *stream = &streams->of[call->thread];
    const struct op *op = &stream->ops[stream->count - 1];
    const struct routine_kind *kind = call->kind;
    uint64_t stride = (uint64_t)value_of(call, TRACE_TARGET_STRIDE, 1);
    const bool strided = stride > 1 && stride < OP_MOST_BYTES, value = has_value(call, TRACE_VALUE);
    const uint64_t bytes = extent(call), element = strided ? kind->element_bytes : bytes;
    const bool compares = value && kind->integer && /* of several variables the value is not one */
                          bytes == kind->element_bytes;
    struct observation seen = {
        .thread = call->thread,
        .peer = op->kind == OP_WAIT ? call->pe : (int)op->peer,
        .ordinal = stream->made - 1,
        .op = op,
        .change = {(uint64_t)value_of(call, TRACE_TARGET, 0), bytes, element,
                   strided ? element * stride : bytes},
        .condition = {.bytes = bytes,
                      .comparison = compares ? (int)value_of(call, TRACE_COMPARISON, -1) : -1,
                      .is_signed = kind->is_signed,
                      .value = value_of(call, TRACE_VALUE, 0)},
        .valued = value && kind->sets && stride > 0 && stride < OP_MOST_BYTES,
        .signal = (uint64_t)value_of(call, TRACE_SIGNAL, 0),
        .signal_valued = kind->sets_signal && value_of(call, TRACE_OPTIONS, -1) == TRACE_SIGNAL_SET,
        .start = start,
        .end = end_of(call->raw),
    };
    streams->observe(streams->context, &seen);
}

/* Tells of a fetch that may wait for a write, of these bytes. seen has what else is known. */
static void show_fetch(struct streams *streams, struct observation seen, uint64_t place,
                       uint64_t bytes)
{
    seen.change = (struct flag_change){.place = place, .bytes = bytes};
    seen.condition = (struct flag_condition){.bytes = bytes, .comparison = -1};
    streams->observe(streams->context, &seen);
}

/* ---- Polling loops ---- */

/* The loop ended without success: its calls take their time, and wait for nothing. */
static void release_poll(struct streams *streams, int thread)
{
    struct poll *poll = streams->of[thread].poll;
    enum poll_kind kind = poll->kind;
    uint32_t held = poll->calls;
    struct op op = poll->op;
    poll->kind = POLL_NONE;
    if (kind == POLL_FETCH && held <= FETCHES_KEPT)
        return;
    if (kind == POLL_FETCH) {
        struct op rest = op;
        op.kind = OP_FETCHES;
        op.place = held - FETCHES_KEPT;
        add_held(streams, thread, op, op.place);
        if (streams->observe)
            show_fetch(streams,
                       (struct observation){.thread = thread,
                                            .peer = (int)poll->peer,
                                            .ordinal = streams->of[thread].made - 1,
                                            .op = &op,
                                            .start = poll->start,
                                            .end = poll->end},
                       poll->places[0], op.bytes);
        rest.kind = OP_REST;
        rest.burst = poll->bursts;
        add(streams, thread, rest);
    } else {
        op.kind = kind == POLL_LOCK ? OP_TRY_LOCK : OP_LOCAL;
        op.burst += poll->bursts;
        add_held(streams, thread, op, 1);
    }
    note_end(streams, thread, poll->end);
}

static enum poll_kind poll_kind(const struct call *call, const struct op *op)
{
    if (op->kind == OP_WAIT)
        return call->kind->test ? POLL_TEST : POLL_NONE;
    if (op->kind == OP_LOCK)
        return POLL_LOCK;
    bool small = op->kind == OP_GET && op->bytes <= FETCH_MOST_BYTES && op->flags & OP_BLOCKING;
    bool fetch = op->kind == OP_ATOMIC && call->kind->read_only && op->flags & OP_BLOCKING;
    return small || fetch ? POLL_FETCH : POLL_NONE;
}

static bool fails(const struct call *call, enum poll_kind kind)
{
    if (!call->kind->test)
        return false;
    if (kind == POLL_LOCK)
        return value_of(call, TRACE_RESULT, 0) != 0;
    return value_of(call, TRACE_RESULT, 1) == (call->kind->any ? -1 : 0);
}

static bool has_place(const struct poll *poll, uint64_t place)
{
    for (uint32_t i = 0; i < poll->place_count; i++)
        if (poll->places[i] == place)
            return true;
    return false;
}

/* Whether the call continues the loop. A failed test may ask for another variable; a test that
 * succeeds must ask for one of the earlier variables. */
static bool goes_on(const struct poll *poll, enum poll_kind kind, uint64_t place,
                    const struct op *op, bool failed)
{
    const bool known = has_place(poll, place);
    return poll->kind == kind &&
           (kind == POLL_TEST ? known || (failed && poll->place_count < MOST_PLACES)
                              : known && poll->peer == op->peer && poll->op.bytes == op->bytes);
}

/* True: the operation is held back. Else it may have become one with those before it. */
static bool poll(struct streams *streams, const struct call *call, struct op *op)
{
    struct stream *stream = &streams->of[call->thread];
    enum poll_kind kind = poll_kind(call, op);
    struct poll *poll = stream->poll;
    if (kind == POLL_NONE && (!poll || poll->kind == POLL_NONE))
        return false;
    uint64_t place = place_of(call, op->kind);
    bool failed = kind == POLL_FETCH || fails(call, kind);
    bool same = poll && goes_on(poll, kind, place, op, failed);
    if (poll && poll->kind != POLL_NONE && !same)
        release_poll(streams, call->thread);
    if (kind == POLL_NONE || (!failed && !same))
        return false;
    if (!poll)
        poll = stream->poll = memory_zeroed(1, sizeof *poll);
    if (!failed) { /* it has come */
        op->burst = poll->op.burst;
        streams->loops++;
        streams->polls += poll->calls;
        poll->kind = POLL_NONE;
        return false;
    }
    if (!same)
        *poll = (struct poll){.kind = kind,
                              .places = {place},
                              .place_count = 1,
                              .peer = op->peer,
                              .op = *op,
                              .start = call->raw->start};
    else if (kind == POLL_FETCH && poll->calls == FETCHES_KEPT)
        poll->op = *op, poll->start = call->raw->start;
    else
        poll->bursts += op->burst;
    if (!has_place(poll, place))
        poll->places[poll->place_count++] = place;
    if (poll->bursts > (int64_t)MOST_BURST)
        poll->bursts = (int64_t)MOST_BURST;
    uint32_t kept = kind == POLL_FETCH ? FETCHES_KEPT : 0;
    poll->calls++;
    poll->end = end_of(call->raw);
    if (poll->calls <= kept) {
        poll->bursts = 0;
        return false;
    }
    if (poll->calls == kept + 1 && simulated_of(streams))
        simulated_hold(streams->simulated, call->thread, call->raw);
    return true;
}

static void end_poll(struct streams *streams, int thread)
{
    if (streams->of[thread].poll && streams->of[thread].poll->kind != POLL_NONE)
        release_poll(streams, thread);
}

/* ---- Loops of several calls a turn ---- */

static enum turn_call turn_call(const struct call *call, const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_WAIT:
    case OP_LOCK:
        if (!call->kind->test)
            return TURN_EFFECT;
        if (op->kind == OP_LOCK)
            return fails(call, POLL_LOCK) ? TURN_MISSED : TURN_CAME;
        return fails(call, POLL_TEST) ? TURN_FAILED : TURN_CAME;
    case OP_GET:
        return op->bytes <= FETCH_MOST_BYTES ? TURN_FETCH : TURN_EFFECT;
    case OP_ATOMIC:
        return call->kind->read_only ? TURN_FETCH : TURN_EFFECT;
    case OP_QUIET:
    case OP_FENCE:
        return TURN_FREE;
    case OP_LOCAL:
        return call->kind->end || call->kind->control ? TURN_EFFECT : TURN_FREE;
    default:
        return TURN_EFFECT;
    }
}

/* A hash of a call without its result and times. */
static uint64_t what_of(const struct call *call)
{
    const struct series *series = call->raw->series;
    const uint16_t head[2] = {series->routine, series->flags};
    uint64_t hash = hash_bytes(HASH_EMPTY, head, sizeof head);
    for (unsigned i = 0; i < series->values; i++)
        if (i != call->kind->index[TRACE_RESULT])
            hash = hash_bytes(hash, &series->last[i], sizeof series->last[i]);
    return hash;
}

/* What a fetch reads may be what ends the loop. */
static void show_end(struct streams *streams, const struct call *call, const struct op *op,
                     struct cycle *cycle)
{
    static const struct op waits = {.kind = OP_CYCLE};
    show_fetch(streams,
               (struct observation){.thread = call->thread,
                                    .peer = (int)op->peer,
                                    .ordinal = cycle ? cycle->ordinal : 0,
                                    .op = &waits,
                                    .cycle = cycle,
                                    .start = cycle ? cycle->from : call->raw->start,
                                    .end = end_of(call->raw)},
               place_of(call, op->kind), op->bytes);
}

/* Before loops are known. */
static void watch(struct streams *streams, const struct call *call, const struct op *op)
{
    enum turn_call turn = turn_call(call, op);
    uint32_t thread = (uint32_t)call->thread;
    if (!cycles_concern(&streams->cycles, turn))
        return;
    uint64_t what = turn == TURN_EFFECT ? 0 : what_of(call);
    bool third = cycles_see(&streams->cycles, thread, streams->of[thread].read - 1, turn, what);
    if (third && streams->observe && !streams->observe_all)
        show_end(streams, call, op, NULL);
}

/* True: the event is left out, since it belongs to a loop. */
static bool leave_out(struct streams *streams, const struct call *call, struct op *op)
{
    struct stream *stream = &streams->of[call->thread];
    const struct cycles *cycles = &streams->cycles;
    struct cycle *cycle = &cycles->found[stream->cycle];
    uint64_t number = stream->read - 1;
    if (stream->cycle == cycles->count || cycle->thread != (uint32_t)call->thread ||
        number < cycle->first)
        return false;
    uint32_t at = (uint32_t)(number - cycle->first);
    if (at == 0) {
        end_poll(streams, call->thread);
        cycle->from = (int64_t)((uint64_t)call->raw->start - (uint64_t)call->raw->burst);
    }
    if (at < cycle->left_out)
        return true;
    if (at == cycle->left_out) {
        streams->loops++;
        streams->polls += cycle->left_out;
        op->burst = 0; /* between turns */
    }
    if (at == cycle->left_out && cycle->turn > 0) {
        add(streams, call->thread, (struct op){.kind = OP_CYCLE, .routine = op->routine});
        cycle->ordinal = stream->made - 1;
    }
    if (cycle->turn > 0 && streams->observe && !streams->observe_all &&
        turn_call(call, op) == TURN_FETCH)
        show_end(streams, call, op, cycle);
    if (at + 1 >= cycle->left_out + cycle->turn)
        stream->cycle++;
    return false;
}

void translate_end(struct streams *streams, int thread)
{
    end_poll(streams, thread);
    if (!streams->cycles.known && streams->cycles.watch.count > 0)
        cycles_see(&streams->cycles, (uint32_t)thread, streams->of[thread].read, TURN_EFFECT, 0);
}

/* ---- Kinds ---- */

static bool to_peer(struct streams *streams, const struct call *call, struct op *op)
{
    int64_t peer = value_of(call, TRACE_PEER, -1);
    if (peer < 0 || peer >= streams->run->pes)
        return fail(streams, call, "calls a PE that is not there; shmemtrace check tells more");
    op->peer = (uint32_t)peer;
    op->bytes = moved_bytes(call);
    if (has_value(call, TRACE_TARGET_STRIDE))
        op->place = (uint64_t)value_of(call, TRACE_ELEMENTS, 1);
    op->context = context_of(call);
    return true;
}

static bool together(struct streams *streams, const struct call *call, struct op *op)
{
    struct trace_event event = {.routine = call->raw->series->routine,
                                .flags = call->raw->series->flags};
    int64_t start = value_of(call, TRACE_SET_START, 0),
            stride = value_of(call, TRACE_SET_STRIDE, 1), size = value_of(call, TRACE_SET_SIZE, 0);
    op->bytes = call->kind->collective == COLLECTIVE_BARRIER ? 0 : moved_bytes(call);
    if (call->raw->series->flags & TRACE_IMPLICIT_BARRIER) {
        op->kind = OP_TOGETHER;
        op->flags = OP_QUIETS | (call->kind->flags & OP_LAST);
        op->bytes = 0;
        op->peer = 0;
        return true;
    }
    if (start == 0 && size == streams->run->pes && stride == 1 && !has_value(call, TRACE_VALUE)) {
        op->peer = 0; /* all PEs */
        return true;
    }
    for (unsigned field = 0; field < TRACE_FIELDS; field++)
        if (has_value(call, (enum trace_field)field)) {
            event.values[field] = value_of(call, (enum trace_field)field, 0);
            event.fields |= UINT32_C(1) << field;
        }
    int64_t set = sim_run_set(streams->run, call->pe, &event);
    if (set == -1 &&
        sim_run_program(streams->run, call->pe)->routines[event.routine].class == TRACE_CONTEXT) {
        op->kind = OP_LOCAL; /* of a team that the PE is not in */
        return true;
    }
    if (set == -1)
        return fail(streams, call,
                    "the members of its team are not in the trace; record it again "
                    "with this version of shmemtrace");
    if (set < 0)
        return fail(streams, call,
                    "the PE is not in the set, or that cannot be; shmemtrace check tells more");
    op->peer = (uint32_t)set;
    return true;
}

static bool complete(struct streams *streams, const struct call *call, struct op *op)
{
    if (call->raw->series->flags & TRACE_IMPLICIT_BARRIER)
        return together(streams, call, op);
    switch ((enum op_kind)op->kind) {
    case OP_PUT:
    case OP_GET:
    case OP_ATOMIC:
        if (call->raw->series->flags & TRACE_FAILED) {
            op->kind = OP_LOCAL;
            return true;
        }
        return to_peer(streams, call, op);
    case OP_QUIET:
    case OP_FENCE:
        op->context = context_of(call);
        return true;
    case OP_TOGETHER:
        return together(streams, call, op);
    case OP_LOCK:
    case OP_UNLOCK:
        op->place = place_of(call, op->kind);
        op->bytes = sizeof(long);
        return true;
    default:
        if (call->kind->control && value_of(call, TRACE_OPTIONS, 1) == 0)
            return fail(streams, call,
                        "switches recording off, so calls are missing; record a run "
                        "without it");
        return true;
    }
}

/* The time that the application computed before a call, without that of the tracer (ps). */
static inline int64_t burst_of(struct streams *streams, int64_t ticks)
{
    double exact = (double)(uint64_t)ticks * streams->ps_per_tick;
    int64_t burst = exact < MOST_BURST ? (int64_t)(exact + 0.5) : (int64_t)MOST_BURST;
    int64_t cost = streams->cost < burst ? streams->cost : burst;
    streams->taken_off += cost;
    return burst - cost;
}

/* An extra thread begins where the first thread of its PE was then. */
static bool begin_thread(struct streams *streams, const struct call *call, struct op *op)
{
    struct stream *stream = &streams->of[call->thread];
    stream->started = true;
    if (call->thread >= streams->run->pes) {
        if (streams->extra)
            op->burst =
                burst_of(streams, streams->extra[call->thread - streams->run->pes].first_burst);
        return true;
    }
    return call->kind->start ||
           fail(streams, call,
                "the trace does not begin with the start of the library: recorded with --only, "
                "--exclude or --phase? Record it without them");
}

/* A burst is as long as recorded, with the tracer's work between calls, which others may have
 * waited for. */
static void begin_recorded(struct streams *streams, const struct call *call, struct op *op)
{
    struct recorded_times *recorded = &streams->recorded[call->thread];
    uint64_t first = call->thread < streams->run->pes ? 2 : 1;
    if (call->kind->end) { /* before which the tracer works, too */
        recorded->last += call->raw->burst;
        return;
    }
    if (streams->of[call->thread].read > first)
        op->burst = burst_of(streams, call->raw->start - recorded->last);
    recorded->last = end_of(call->raw);
}

/* Whether an event can neither be a part of a polling loop nor wait, while waits are looked for. */
static inline bool is_plain(const struct streams *streams, const struct call *call)
{
    if (call->raw->series->flags & TRACE_FAILED)
        return false;
    switch (call->kind->kind) {
    case OP_PUT:
    case OP_TOGETHER:
    case OP_UNLOCK:
        return true;
    case OP_GET:
        return moved_bytes(call) > FETCH_MOST_BYTES;
    case OP_QUIET:
    case OP_FENCE:
        return !cycles_concern(&streams->cycles, TURN_FREE);
    default:
        return false;
    }
}

bool translate(struct streams *streams, int thread, const struct raw_event *raw)
{
    struct stream *stream = &streams->of[thread];
    int pe = sim_run_pe(streams->run, thread);
    const struct call call = {thread, pe,
                              &sim_run_program(streams->run, pe)->kinds[raw->series->routine], raw};
    if (__builtin_expect(streams->recorded != NULL, 0) && stream->read == 1 && thread == pe)
        streams->recorded[thread].begin = raw->start - raw->burst;
    if (streams->observe_waits && stream->started && is_plain(streams, &call)) {
        /* It only ends loops. */
        end_poll(streams, thread);
        if (cycles_concern(&streams->cycles, TURN_EFFECT))
            cycles_see(&streams->cycles, (uint32_t)thread, stream->read, TURN_EFFECT, 0);
        stream->read++;
        return true;
    }
    int64_t before = streams->taken_off;
    struct op op = {.burst = burst_of(streams, raw->burst),
                    .routine = call.kind->number,
                    .kind = (uint8_t)call.kind->kind,
                    .flags = call.kind->flags};
    stream->read++;
    if (__builtin_expect(raw->series->flags & TRACE_POINTER, 0)) {
        const int pair[] = {pe, (int)value_of(&call, TRACE_PEER, pe)};
        if (pair[1] != pe && pair[1] >= 0 && pair[1] < streams->run->pes)
            table_number(&streams->pointed, pair, sizeof pair);
    }
    if (__builtin_expect(!stream->started, 0)) {
        streams->taken_off = before; /* time begins later */
        if (!begin_thread(streams, &call, &op))
            return false;
    }
    if (__builtin_expect(streams->ends != NULL, 0))
        begin_recorded(streams, &call, &op);
    if (__builtin_expect(!complete(streams, &call, &op), 0))
        return false;
    if (!streams->cycles.known)
        watch(streams, &call, &op);
    else if (streams->cycles.count && leave_out(streams, &call, &op))
        return true;
    if (poll(streams, &call, &op))
        return true;
    add(streams, thread, op);
    if (__builtin_expect(streams->ends != NULL, 0)) {
        note_end(streams, thread, streams->recorded[thread].last);
        if (call.kind->end)
            streams->ends[&stream->ops[stream->count - 1] - streams->windows] = NOT_RECORDED;
    }
    if (simulated_of(streams))
        simulated_call(streams->simulated, thread, stream->count - 1, raw);
    const bool writes = op.kind == OP_PUT || (op.kind == OP_ATOMIC && !call.kind->read_only);
    if (streams->observe &&
        (op.kind == OP_WAIT || streams->observe_all || (!streams->observe_waits && writes)))
        show(streams, &call, raw->start);
    return true;
}
