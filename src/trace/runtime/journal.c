/* Fills, turns and encodes journals. */
#define _GNU_SOURCE /* MADV_POPULATE_WRITE */
#include "trace/runtime/tracer.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace/format.h"

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

/* A thread that copies entries meanwhile sees by `first` that they have changed. */
void journal_open(struct tracer_thread *thread, struct journal *journal, int64_t base)
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

void journal_turn(struct tracer_thread *thread, int64_t base)
{
    size_t next = (thread->current + 1) % thread->journal_count;
    if (next == thread->opened) {
        touch(thread->journals[next], sizeof(struct journal) + RING_JOURNAL_BYTES);
        thread->opened++;
    }
    atomic_store(&journal_current(thread)->end, thread->common.next);
    atomic_store(&thread->journals[next]->end, NULL);
    journal_open(thread, thread->journals[next], base);
    thread->current = next;
}

/* ---- Blocks ---- */

struct buffer *journal_slot(const struct tracer_thread *thread, size_t i)
{
    size_t current = (size_t)(thread->buffer - thread->slots);
    return &thread->slots[(current + thread->slot_count - thread->slots_used + i) %
                          thread->slot_count];
}

void journal_write_block(struct tracer_thread *thread)
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

void journal_encode(struct tracer_thread *thread)
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

/* ---- Encoders ---- */

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

void journal_free_encoder(struct encoder *encoder)
{
    free(encoder->latest);
    free(encoder->series);
}
