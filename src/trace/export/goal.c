/* A schedule in GOAL, the language of LogGOPSim and ATLAHS: what each PE computes, which messages
 * it sends and receives, and which of these require which (Hoefler, Siebert, Lumsdaine: Group
 * Operation Assembly Language, 2009). One-sided calls become messages. Their target receives and
 * answers on a CPU of its own, behind those of its threads, so that it need not call anything. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/explain/explain.h"
#include "trace/export/export.h"
#include "trace/read/pack.h"
#include "trace/read/reader.h"

#define CHUNK 16384 /* bytes of a PE's schedule that are kept in memory: there may be many PEs */
#define NO_ROOM "no temporary file can be used; make room in /tmp"
#define HASH UINT64_C(0x9e3779b97f4a7c15)
#define CONTROL_BYTES 1 /* of a message that carries no data */

/* A message's tag is 8 times a number, plus its kind: each PE numbers what it sends unasked, an
 * answer has the number of its request, and a collective that of its set. */
enum kind { PUT, REQUEST, ANSWER, CONTROL, CONTROL_ANSWER, COLLECTIVE };

/* Labels of the operations after which the next one may start. */
struct labels {
    uint64_t of[8];
    size_t count;
};

struct thread {
    struct pe *pe;
    int number;
    struct labels after;
    bool begun, polls;
};

/* What a PE has asked of a peer in a context since the last quiet: labels, or 0. */
struct open_operation {
    uint64_t received; /* at the peer: its last put */
    uint64_t answer;
};

/* A part of a PE's schedule in the spool, a file, so that memory does not grow with the schedule.
 * Each chunk says where the PE's next one is, which has its place in the file already. */
struct chunk {
    uint64_t next;
    char text[CHUNK];
};

struct pe {
    struct goal *goal;
    int number, thread_count;
    struct thread *threads;
    uint64_t labels, messages;
    struct text text; /* the end of its schedule, which is in no chunk yet */
    uint64_t chunks, next_chunk;
    struct table open; /* by context and peer: struct open_operation */
};

struct goal {
    struct reader *reader;
    int pes;
    struct pe *pe;
    struct kinds kinds;
    struct flags flags;
    uint64_t **calls; /* by set and member: a hash of its collectives */
    size_t set_room;
    FILE *spool;
    uint64_t places; /* in the spool, the first ones for the first chunk of each PE */
    uint64_t pointers, waits, own, collects; /* that the schedule does not show */
};

/* ---- Operations ---- */

/* Adds an operation to a PE's schedule, and returns its label. */
static uint64_t operation(struct pe *pe, int cpu, const struct labels *after, const char *format,
                          ...)
{
    char text[1024];
    va_list arguments;
    uint64_t label = ++pe->labels;
    int length = sprintf(text, "l%" PRIu64 ": ", label);
    va_start(arguments, format);
    length += vsprintf(text + length, format, arguments);
    va_end(arguments);
    length += sprintf(text + length, " cpu %d\n", cpu);
    for (size_t i = 0; i < after->count; i++)
        length +=
            sprintf(text + length, "l%" PRIu64 " requires l%" PRIu64 "\n", label, after->of[i]);
    text_append_bytes(&pe->text, text, (size_t)length);
    while (pe->text.length >= CHUNK) {
        struct goal *goal = pe->goal;
        struct chunk chunk = {.next = goal->places++};
        memcpy(chunk.text, pe->text.data, CHUNK);
        if (pwrite(fileno(goal->spool), &chunk, sizeof chunk,
                   (off_t)(pe->next_chunk * sizeof chunk)) != sizeof chunk)
            reader_fail(goal->reader, 1, NO_ROOM);
        pe->chunks++;
        pe->next_chunk = chunk.next;
        pe->text.length -= CHUNK;
        memmove(pe->text.data, pe->text.data + CHUNK, pe->text.length);
    }
    return label;
}

static void go_on_after(struct thread *thread, uint64_t label)
{
    thread->after = (struct labels){{label}, 1};
}

/* The thread's next operation requires this one, too. */
static void also_after(struct thread *thread, uint64_t label)
{
    struct labels *after = &thread->after;
    if (after->count == sizeof after->of / sizeof *after->of)
        go_on_after(thread, operation(thread->pe, thread->number, after, "calc 0"));
    if (label)
        after->of[after->count++] = label;
}

/* way: "send" or "recv". */
static uint64_t message(struct pe *pe, int cpu, const struct labels *after, const char *way,
                        int64_t peer, int64_t bytes, uint64_t tag)
{
    return operation(pe, cpu, after, "%s %" PRId64 "b %s %" PRId64 " tag %" PRIu64, way, bytes,
                     *way == 's' ? "to" : "from", peer, tag);
}

/* A message that the thread sends before it goes on. Returns the label at the peer. */
static uint64_t tell(struct thread *thread, struct pe *peer, int64_t bytes, uint64_t tag)
{
    static const struct labels nothing = {.count = 0};
    go_on_after(thread, message(thread->pe, thread->number, &thread->after, "send", peer->number,
                                bytes, tag));
    return message(peer, peer->thread_count, &nothing, "recv", thread->pe->number, bytes, tag);
}

/* A message that the peer answers, when it has also received `before`. Returns the answer's label,
 * which the thread need not wait for. */
static uint64_t ask(struct thread *thread, struct pe *peer, enum kind kind, int64_t bytes,
                    int64_t answer, uint64_t before)
{
    struct pe *pe = thread->pe;
    uint64_t tag = pe->messages++ * 8 + kind;
    struct labels both = {{tell(thread, peer, bytes, tag), before}, before ? 2 : 1};
    message(peer, peer->thread_count, &both, "send", pe->number, answer, tag + 1);
    return message(pe, thread->number, &thread->after, "recv", peer->number, answer, tag + 1);
}

/* ---- Calls ---- */

/* Returns the label at the peer; 0: there is no message. */
static uint64_t transfer(struct thread *thread, const struct routine_kind *kind,
                         const struct trace_event *event, int64_t number)
{
    struct pe *pe = thread->pe, *peer = &pe->goal->pe[number];
    const int64_t key[2] = {event_value(event, TRACE_CONTEXT_ID, 0), number};
    int64_t bytes = event_value(event, TRACE_BYTES, 0);
    if (peer == pe) {
        pe->goal->own++;
        return 0;
    }
    struct open_operation *open = table_value(&pe->open, key, sizeof key, sizeof *open);
    if (kind->kind == OP_PUT || (kind->kind == OP_ATOMIC && !(kind->flags & OP_FETCHING))) {
        bytes += event_has(event, TRACE_SIGNAL) ? (int64_t)sizeof(uint64_t) : 0;
        return open->received = tell(thread, peer, bytes, pe->messages++ * 8 + PUT);
    }
    uint64_t answer =
        ask(thread, peer, REQUEST, kind->kind == OP_GET ? CONTROL_BYTES : bytes, bytes, 0);
    if (kind->flags & OP_BLOCKING)
        go_on_after(thread, answer);
    else
        open->answer = answer;
    return peer->labels - 1; /* received, and then answered */
}

/* What is open in a context is complete at each peer before the thread goes on. */
static void quiet(struct thread *thread, int64_t context)
{
    struct pe *pe = thread->pe;
    bool others = false;
    for (int waits = 0; waits < 2; waits++)
        for (size_t i = 0; i < pe->open.count; i++) {
            const int64_t *key = table_key(&pe->open, i);
            struct open_operation *open = (struct open_operation *)pe->open.values + i;
            if (key[0] != context) {
                others = others || open->received || open->answer;
            } else if (waits) {
                also_after(thread, open->received);
                also_after(thread, open->answer);
                *open = (struct open_operation){0};
            } else if (open->received) { /* from now on the answer's label */
                open->received = ask(thread, &pe->goal->pe[key[1]], CONTROL, CONTROL_BYTES,
                                     CONTROL_BYTES, open->received);
            }
        }
    if (!others)
        table_clear(&pe->open);
}

/* A member of a set in a collective. */
struct member {
    struct thread *thread;
    struct trace_set set;
    int64_t index;
    uint64_t tag;
};

/* Sends to one member and receives from another one at the same time; -1: does not. */
static void exchange(const struct member *self, int64_t to, int64_t from, int64_t bytes)
{
    struct thread *thread = self->thread;
    const struct labels before = thread->after;
    const int64_t members[] = {to, from};
    thread->after.count = 0;
    for (int i = 0; i < 2; i++)
        if (members[i] >= 0)
            also_after(thread, message(thread->pe, thread->number, &before, i ? "recv" : "send",
                                       set_pe(&self->set, members[i]), bytes, self->tag));
}

/* A binomial tree. */
static void broadcast(const struct member *self, int64_t root, int64_t bytes)
{
    int64_t size = self->set.size, place = (self->index - root + size) % size, below = 1;
    while (below < size && !(place & below))
        below *= 2;
    if (place > 0)
        exchange(self, -1, (self->index - below + size) % size, bytes);
    while ((below /= 2) > 0)
        if (place + below < size)
            exchange(self, (self->index + below) % size, -1, bytes);
}

/* Each member sends to that which is 1, 2, 4, ... further: so many parts, or of alltoall those
 * parts whose way has this bit. */
static void disseminate(const struct member *self, enum collective collective, int64_t bytes)
{
    int64_t size = self->set.size;
    for (int64_t far = 1; far < size; far *= 2) {
        int64_t parts = 1, rest = size % (2 * far) - far;
        if (collective == COLLECTIVE_COLLECT)
            parts = far < size - far ? far : size - far;
        if (collective == COLLECTIVE_ALLTOALL)
            parts = size / (2 * far) * far + (rest > 0 ? rest : 0);
        exchange(self, (self->index + far) % size, (self->index - far + size) % size,
                 parts * bytes);
    }
}

static void collective(struct thread *thread, struct source *source,
                       const struct routine_kind *kind, const struct trace_event *event)
{
    struct goal *goal = thread->pe->goal;
    const struct trace_routine *routine = trace_source_routine(source, event);
    struct set_call call = {0, -1};
    enum set_kind set = trace_source_set(source, event, &call);
    if (set == SET_NONE)
        return;
    if (set != SET_KNOWN || call.member < 0)
        reader_fail(goal->reader, 1, "PE %d: %s: the PEs of its set are not known",
                    thread->pe->number, routine->name);
    if (kind->flags & OP_QUIETS || event->flags & TRACE_IMPLICIT_BARRIER)
        quiet(thread, 0);
    const struct member self = {thread, set_of(&goal->reader->sets, call.set), call.member,
                                call.set * 8 + COLLECTIVE};
    bool data = routine->class == TRACE_COLLECTIVE;
    bool apart = data && kind->collective == COLLECTIVE_COLLECT && !strstr(routine->name, "fcoll");
    int64_t bytes = data && !apart ? event_value(event, TRACE_BYTES, 0) : CONTROL_BYTES,
            root = event_value(event, TRACE_ROOT, 0);
    goal->collects += apart;
    uint64_t **members = memory_element(goal->calls, call.set, &goal->set_room);
    if (!*members)
        *members = memory_zeroed((size_t)self.set.size, sizeof **members);
    uint64_t *calls = &(*members)[call.member];
    *calls = (*calls ^ (uint64_t)bytes << 20 ^ (uint64_t)root << 4 ^ kind->number) * HASH + 1;
    if (data && kind->collective == COLLECTIVE_BROADCAST)
        broadcast(&self, root, bytes);
    else
        disseminate(&self, data ? kind->collective : COLLECTIVE_REDUCE, bytes);
}

static void event_begins(struct thread *thread, const struct merge_event *next,
                         const struct routine_kind *kind)
{
    const struct trace_event *event = next->event;
    const struct trace_info *info = next->source->info;
    struct goal *goal = thread->pe->goal;
    int64_t peer = event_value(event, TRACE_PEER, -1);
    double seconds = (double)event->burst / info->ticks_per_second - info->cost_between;
    if (!thread->begun) /* with the run */
        seconds = next->seconds;
    thread->begun = true;
    /* What a loop computes between two tests is waiting. */
    if (seconds >= 1e-9 && seconds < 1e9 && !(kind->test && thread->polls))
        go_on_after(thread, operation(thread->pe, thread->number, &thread->after, "calc %.0f",
                                      1e9 * seconds));
    goal->pointers += event_gives_pointer(next->source, event);
    if (kind->kind == OP_QUIET || kind->kind == OP_UNLOCK)
        quiet(thread, event_value(event, TRACE_CONTEXT_ID, 0));
    bool moves = kind->kind == OP_PUT || kind->kind == OP_GET || kind->kind == OP_ATOMIC;
    if (!moves) {
        collective(thread, next->source, kind, event);
    } else if (peer >= 0 && peer < goal->pes) {
        uint64_t received = transfer(thread, kind, event, peer);
        flags_write(&goal->flags, kind, event,
                    &(struct write){.time = next->seconds, .call.ordinal = (uint32_t)received});
    }
}

static void event_ends(struct thread *thread, const struct merge_event *next,
                       const struct routine_kind *kind)
{
    struct goal *goal = thread->pe->goal;
    thread->polls = test_failed(kind, next->event);
    if (thread->polls)
        return;
    if (kind->kind == OP_WAIT) {
        struct condition condition = flags_condition(kind, thread->pe->number, next->event);
        condition.from = -INFINITY;
        condition.to = next->seconds;
        const struct write *write = flags_find(&goal->flags, &condition);
        goal->waits += !write;
        also_after(thread, write ? write->call.ordinal : 0);
    }
    if (kind->kind == OP_LOCK && thread->pe->number != 0) /* libraries keep locks on PE 0 */
        go_on_after(thread, ask(thread, goal->pe, CONTROL, CONTROL_BYTES, CONTROL_BYTES, 0));
}

/* ---- The run ---- */

/* Looks at a file: which PE and threads it has, and what they wait for. */
static void look_at(struct goal *goal, struct source *source)
{
    const struct trace_info *info = source->info;
    if (info->dropped > 0)
        reader_fail(goal->reader, 2,
                    "%s: %" PRIu64 " calls are missing, with which messages have no other end; "
                    "record all of them",
                    source->path, info->dropped);
    struct pe *pe = &goal->pe[info->pe];
    pe->thread_count = info->threads > 0 ? info->threads : 1;
    pe->threads = memory_zeroed((size_t)pe->thread_count, sizeof *pe->threads);
    for (int i = 0; i < pe->thread_count; i++)
        pe->threads[i] = (struct thread){.pe = pe, .number = i};
    struct trace_cursor *cursor = trace_events(source->file, -1);
    for (struct trace_event event; trace_next(cursor, &event) > 0;)
        flags_wait(&goal->flags, kinds_find(&goal->kinds, source, &event), info->pe, &event);
    trace_cursor_free(cursor);
}

static void look_around(struct goal *goal)
{
    struct reader *reader = goal->reader;
    goal->pes = reader->run->pes;
    goal->pe = memory_zeroed((size_t)goal->pes, sizeof *goal->pe);
    for (struct source *source = NULL; (source = reader_next(reader, source));)
        look_at(goal, source);
    reader_status(reader);
    for (int i = 0; i < goal->pes; i++) {
        if (!reader->has_pe[i])
            reader_fail(reader, 2, "PE %d has no file: a schedule needs all PEs", i);
        goal->pe[i].goal = goal;
        goal->pe[i].number = i;
        goal->pe[i].next_chunk = goal->places++;
    }
    flags_sort(&goal->flags, (size_t)goal->pes);
}

static void follow_events(struct goal *goal)
{
    struct merge *merge = merge_open(goal->reader, true);
    for (struct merge_event next; merge_next(merge, &next);) {
        const struct pe *pe = &goal->pe[next.source->info->pe];
        const struct routine_kind *kind = kinds_find(&goal->kinds, next.source, next.event);
        if (next.event->thread >= (uint32_t)pe->thread_count)
            continue; /* it began when the files had been looked at */
        (next.end ? event_ends : event_begins)(&pe->threads[next.event->thread], &next, kind);
    }
    merge_close(merge);
    for (size_t i = 0; i < goal->reader->sets.sets.count && i < goal->set_room; i++) {
        const struct trace_set set = set_of(&goal->reader->sets, i);
        for (int64_t j = 1; goal->calls[i] && j < set.size; j++)
            if (goal->calls[i][0] != goal->calls[i][j])
                reader_fail(goal->reader, 1,
                            "%s: PE %" PRId64 " and PE %" PRId64 " make other collective calls, so "
                            "that one would wait for ever; shmemtrace check says which",
                            set_name(&set), set_pe(&set, 0), set_pe(&set, j));
    }
}

/* Writes a PE's schedule, and frees what is kept of the PE. */
static void write_pe(struct pe *pe, FILE *out)
{
    struct chunk chunk = {.next = (uint64_t)pe->number};
    fprintf(out, "\nrank %d {\n", pe->number);
    for (uint64_t i = 0; i < pe->chunks; i++) {
        if (place_read(fileno(pe->goal->spool), &chunk, sizeof chunk,
                       (int64_t)(chunk.next * sizeof chunk)) != sizeof chunk)
            reader_fail(pe->goal->reader, 1, NO_ROOM);
        fwrite(chunk.text, 1, CHUNK, out);
    }
    fwrite(pe->text.data, 1, pe->text.length, out);
    fputs("}\n", out);
    free(pe->threads);
    text_release(&pe->text);
    table_free(&pe->open);
}

void export_goal(struct reader *reader, const char *path)
{
    struct goal goal = {.reader = reader, .spool = tmpfile()};
    if (reader->pe_ranges || reader->thread_ranges || reader->only || reader->windowed)
        reader_fail(reader, 2,
                    "--goal takes the whole run, since messages need both ends: leave "
                    "out --pe, --thread, --only, --from and --to");
    if (!goal.spool)
        reader_fail(reader, 1, NO_ROOM);
    look_around(&goal);
    follow_events(&goal);
    FILE *out = reader_create(reader, path);
    fprintf(out, "num_ranks %d\n", goal.pes);
    for (int i = 0; i < goal.pes; i++)
        write_pe(&goal.pe[i], out);
    reader_close_written(reader, out, path);
    const struct {
        uint64_t count;
        const char *what;
    } missing[] = {
        {goal.own, "puts, gets and atomics of a PE on itself"},
        {goal.waits, "waits for what no call in the trace writes"},
        {goal.collects, "calls of shmem_collect, of which only the synchronization is there"},
        {goal.pointers, "pointers of shmem_ptr, through which data may move"}};
    reader_say(
        reader,
        "messages stand for one-sided calls; progress, contention at targets and who waits for "
        "a lock are not in the schedule");
    for (size_t i = 0; i < sizeof missing / sizeof *missing; i++)
        if (missing[i].count > 0)
            reader_say(reader, "not in the schedule: %" PRIu64 " %s", missing[i].count,
                       missing[i].what);
    for (size_t i = 0; i < goal.set_room; i++)
        free(goal.calls[i]);
    free(goal.calls);
    free(goal.pe);
    kinds_free(&goal.kinds);
    flags_free(&goal.flags);
    fclose(goal.spool);
}
