/* Makes threads' journals, fills, turns and encodes them; begins and ends calls that need more than
 * being written down, and takes leave of threads that end. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, MADV_POPULATE_WRITE */
#include "trace/runtime/tracer.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/format.h"

/* ---- Journals ---- */

bool journal_is_raw_ring(void)
{
    return tracer.recording.ring > 0 && tracer.recording.ring <= RAW_RING_MOST_BYTES;
}

bool journal_is_block_ring(void)
{
    return tracer.recording.ring > RAW_RING_MOST_BYTES;
}

size_t journal_bytes(void)
{
    return journal_is_raw_ring() ? RING_JOURNAL_BYTES : STREAM_JOURNAL_BYTES;
}

struct journal *journal_current(const struct tracer_thread *thread)
{
    return thread->journals[thread->current];
}

static struct trace_entry *journal_entries(const struct journal *journal)
{
    return (struct trace_entry *)(uintptr_t)journal->entries;
}

struct position journal_find(const struct journal *journal, const void *end, uint64_t index)
{
    struct position at = {journal_entries(journal), atomic_load(&journal->first), journal->base};
    while ((const void *)at.entry < end && at.index < index) {
        bool call = at.entry->of != ENTRY_SKIP;
        if (call && (entry_routine(at.entry->of) >= trace_routine_count ||
                     entry_values(at.entry->of) > TRACE_FIELDS))
            break;
        at.index += call;
        at.time = (int64_t)at.entry->end;
        at.entry = entry_after(at.entry);
    }
    return at;
}

/* Makes the thread write into this journal from now on. base: end of the call before (ticks). A
 * thread that copies entries meanwhile sees by `first` that they have changed. */
static void journal_open(struct tracer_thread *thread, struct journal *journal, int64_t base)
{
    __atomic_store_n(&thread->common.next, journal_entries(journal), __ATOMIC_RELEASE);
    thread->common.enough = (const char *)journal->entries + journal_bytes() - ENTRY_MOST_BYTES;
    journal->base = base;
    atomic_store(&journal->first, thread->common.calls);
}

/* Has the kernel supply pages before they are used: one by one they cost several times as much.
 * Older kernels cannot do that. */
static void touch(const void *memory, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)memory + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)memory + bytes + page - 1) / page * page;
    madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
#else
    (void)memory;
    (void)bytes;
#endif
}

struct buffer *journal_slot(const struct tracer_thread *thread, size_t i)
{
    size_t current = (size_t)(thread->buffer - thread->slots);
    return &thread->slots[(current + thread->slot_count - thread->slots_used + i) %
                          thread->slot_count];
}

/* Writes the block that is being filled, or keeps it in the ring, and begins another. */
static void journal_write_block(struct tracer_thread *thread)
{
    struct encoder *encoder = &thread->encoder;
    bool good = tracer_lock();
    thread->buffer->head = compose_events_head(thread->number, encoder, encoder->done);
    if (thread->slots) {
        /* Leaves the block where it is, and goes on to the next one; if the ring is full, that is
         * the oldest. */
        size_t next = (size_t)(thread->buffer - thread->slots + 1) % thread->slot_count;
        struct buffer *slot = &thread->slots[next];
        if (thread->slots_used + 1 < thread->slot_count) {
            thread->slots_used++;
            if (slot->head.bytes == 0)
                touch(slot, sizeof *slot);
        } else {
            thread->lost += slot->head.records;
            thread->overwritten += slot->head.records;
        }
        thread->buffer = slot;
    } else if (!good || !file_write_block(thread->buffer))
        thread->lost += encoder_events(encoder);
    encoder_begin(encoder, thread->buffer->payload);
    tracer_unlock();
}

/* Encodes all entries, and writes the blocks that they fill. */
static void journal_encode(struct tracer_thread *thread)
{
    modules_write();
    struct journal *journal = journal_current(thread);
    const struct trace_entry *entry = journal_entries(journal);
    for (;;) {
        entry = encode_entries(&thread->encoder, entry, thread->common.next, BLOCK_BYTES);
        if (entry >= thread->common.next)
            break;
        journal_write_block(thread);
    }
    journal_open(thread, journal, thread->encoder.time);
}

bool journal_allocate_encoder(struct encoder *encoder)
{
    encoder->routines = trace_routine_count;
    encoder->kinds = plan_kinds;
    encoder->heap = places_heap();
    encoder->find_range = places_range;
    encoder->sites = tracer.recording.callsites > 0;
    encoder->find_stack = tracer.recording.callsites > 1 ? stacks_find : NULL;
    encoder->latest = calloc(trace_routine_count, sizeof *encoder->latest);
    encoder->series = calloc(SERIES_MOST, sizeof *encoder->series);
    return encoder->latest && encoder->series;
}

static void journal_free_encoder(struct encoder *encoder)
{
    free(encoder->latest);
    free(encoder->series);
}

/* ---- Threads ---- */

static pthread_key_t key; /* so that threads that end are noticed */

/* Reserves memory for a ring. It costs only what is written into it, since the kernel supplies
 * pages when they are used. NULL: there is no room. */
static char *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Allocates the journals: of a ring of calls, all; otherwise one. */
static char *allocate_journals(struct tracer_thread *thread)
{
    bool ring = journal_is_raw_ring();
    size_t count = ring ? tracer.recording.ring / RING_JOURNAL_BYTES : 1;
    size_t each = sizeof(struct journal) + journal_bytes();
    thread->journals = calloc(count, sizeof(struct journal *));
    char *memory = !thread->journals ? NULL : ring ? reserve(count * each) : calloc(count, each);
    thread->journal_count = memory ? count : 0;
    for (size_t i = 0; i < thread->journal_count; i++)
        thread->journals[i] = (struct journal *)(void *)(memory + i * each);
    return memory;
}

/* Allocates the encoder, and the block that it fills: of a ring, all blocks. */
static bool allocate_blocks(struct tracer_thread *thread)
{
    if (!journal_is_block_ring()) {
        thread->buffer = malloc(sizeof *thread->buffer);
    } else {
        thread->slot_count = tracer.recording.ring / sizeof *thread->slots;
        thread->slots =
            (struct buffer *)(void *)reserve(thread->slot_count * sizeof *thread->slots);
        thread->buffer = thread->slots;
    }
    return journal_allocate_encoder(&thread->encoder) && thread->buffer;
}

static bool allocate(struct tracer_thread *thread)
{
    char *memory = allocate_journals(thread);
    if (memory && (journal_is_raw_ring() || allocate_blocks(thread)))
        return true;
    if (!journal_is_raw_ring())
        free(memory);
    if (thread->slots)
        munmap(thread->slots, thread->slot_count * sizeof *thread->slots);
    else
        free(thread->buffer);
    free(thread->journals);
    journal_free_encoder(&thread->encoder);
    return false;
}

/* Until leave_aside(), the thread's call is not written into its journal. */
static void go_aside(struct tracer_thread *thread)
{
    thread->next_kept = thread->common.next;
    thread->enough_kept = thread->common.enough;
    atomic_store(&thread->is_aside, true);
    thread->common.next = (struct trace_entry *)thread->aside;
    thread->common.enough = thread->aside;
}

static void leave_aside(struct tracer_thread *thread)
{
    thread->common.next = thread->next_kept;
    thread->common.enough = thread->enough_kept;
    atomic_store(&thread->is_aside, false);
}

/* Writes the rest of a thread's calls when it ends. In a ring they stay until the program ends. */
static void thread_ends(void *data)
{
    struct tracer_thread *thread = data;
    struct tracer_hold hold;
    trace_this_thread = NULL;
    stacks_leave();
    if (tracer.recording.ring || tracer.recording.summary || atomic_load(&tracer.off) & OFF_ENDED)
        return;
    tracer_hold(&hold);
    if (thread->is_aside)
        leave_aside(thread); /* cancelled there */
    journal_encode(thread);
    if (encoder_bytes(&thread->encoder))
        journal_write_block(thread);
    /* A thread that saves must not find memory that is freed. */
    tracer_lock();
    thread->journal_count = 0;
    free(thread->journals[0]);
    free(thread->journals);
    free(thread->buffer);
    journal_free_encoder(&thread->encoder);
    tracer_unlock();
    tracer_release(&hold);
}

/* The thread's state; NULL if there is no memory for it. */
static struct trace_thread *create(void)
{
    struct tracer_thread *thread = calloc(1, sizeof *thread);
    if (thread && tracer.recording.summary)
        thread->profile = profile_create();
    if (!thread || (tracer.recording.summary ? !thread->profile : !allocate(thread))) {
        static atomic_flag said = ATOMIC_FLAG_INIT;
        if (!atomic_flag_test_and_set(&said))
            tracer_say("out of memory for what a thread calls, which is not recorded");
        atomic_fetch_add(&tracer.unrecorded, 1);
        free(thread);
        return NULL;
    }
    if (thread->journals) {
        thread->opened = 1;
        journal_open(thread, thread->journals[0], (int64_t)trace_now());
    }
    if (thread->buffer) {
        thread->encoder.time = thread->journals[0]->base;
        thread->encoder.phase = trace_run.phase;
        encoder_begin(&thread->encoder, thread->buffer->payload);
    }
    thread->number = atomic_fetch_add(&tracer.thread_count, 1);
    thread->next = atomic_load(&tracer.threads);
    while (!atomic_compare_exchange_weak(&tracer.threads, &thread->next, thread))
        ;
    pthread_setspecific(key, thread);
    trace_this_thread = &thread->common;
    return trace_this_thread;
}

void thread_watch(void)
{
    pthread_key_create(&key, thread_ends);
}

void tracer_leave_call(void)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (!thread || tracer.pid != getpid())
        return;
    if (thread->is_aside)
        leave_aside(thread);
    if (thread->journals)
        thread->common.calls =
            journal_find(journal_current(thread), thread->common.next, UINT64_MAX).index;
    thread->common.inside = false;
}

/* ---- Calls ---- */

static inline uint64_t bytes_of(const struct trace_routine *routine, const int64_t *values)
{
    uint32_t before = routine->fields & ((1u << TRACE_BYTES) - 1);
    if (routine->fields >> TRACE_BYTES & 1)
        return (uint64_t)values[__builtin_popcount(before)];
    return routine->class <= TRACE_ATOMIC ? routine->element_bytes : 0;
}

struct trace_thread *trace_begin_otherwise(unsigned routine)
{
    struct trace_thread *thread = trace_this_thread;
    int off = atomic_load(&tracer.off);
    if (off & OFF_ENDED || (thread && thread->inside) || tracer_plans[routine] == PLAN_IGNORE)
        return NULL;
    if (!thread)
        thread = create();
    if (!thread)
        return NULL;
    thread->inside = true;
    if (off || tracer.recording.summary || tracer_plans[routine] != PLAN_RECORD)
        go_aside((struct tracer_thread *)thread);
    return thread;
}

/* Does what replaces recording: nothing, or adding to the profile. */
static void end_aside(struct tracer_thread *thread, const struct trace_entry *entry)
{
    unsigned routine = entry_routine(entry->of);
    int off = atomic_load(&tracer.off);
    thread->common.calls--;
    leave_aside(thread);
    if (tracer_plans[routine] != PLAN_RECORD)
        return;
    if (off & (OFF_PHASE | OFF_CONTROL))
        return;
    bool kept = !(off & (OFF_LIMIT | OFF_FAILED));
    if (!off && thread->profile)
        kept = profile_add(thread->profile, routine, entry->phase,
                           plan_kinds[routine].keyed ? entry->values[0] : -1,
                           bytes_of(&trace_routines[routine], entry->values),
                           (int64_t)(entry->end - entry->start));
    if (!kept)
        thread->refused++;
}

void trace_end_otherwise(struct trace_thread *thread, const struct trace_entry *entry)
{
    struct tracer_thread *own = (struct tracer_thread *)thread;
    if (own->is_aside) {
        end_aside(own, entry);
        return;
    }
    if (atomic_load(&tracer.off) & OFF_ENDED)
        return; /* this was the last call */
    struct tracer_hold hold;
    tracer_hold(&hold);
    if (journal_is_raw_ring()) {
        /* The ring's oldest journal is used again. */
        size_t next = (own->current + 1) % own->journal_count;
        if (next == own->opened) {
            touch(own->journals[next], sizeof(struct journal) + RING_JOURNAL_BYTES);
            own->opened++;
        }
        atomic_store(&journal_current(own)->end, own->common.next);
        atomic_store(&own->journals[next]->end, NULL);
        journal_open(own, own->journals[next], (int64_t)entry->end);
        own->current = next;
    } else {
        journal_encode(own);
        thread_skip_to(own, (int64_t)trace_now()); /* the application did not compute meanwhile */
    }
    tracer_release(&hold);
}

void thread_skip_to(struct tracer_thread *thread, int64_t time)
{
    struct trace_entry *entry = thread->common.next;
    if (thread->profile)
        return;
    *entry = (struct trace_entry){.of = ENTRY_SKIP, .end = (uint64_t)time};
    thread->common.calls--; /* it is no call */
    trace_end(&thread->common, entry, 0);
}

void trace_begun(struct trace_thread *thread)
{
    thread_skip_to((struct tracer_thread *)thread, (int64_t)trace_now());
}

void trace_team_kept(struct trace_thread *thread)
{
    if (!atomic_load(&tracer.off))
        trace_begun(thread);
}
