/* Encodes journals that are not encoded yet, and ends the file. */
#include "trace/runtime/tracer.h"

#include <stdlib.h>
#include <unistd.h>

#include "trace/format.h"

/* Memory for encoding what is not encoded yet when the program ends, perhaps by a signal. Encodes a
 * copy, since other threads go on writing. */
static struct saver {
    struct encoder encoder;
    unsigned char payload[BLOCK_BYTES];
    struct journal *copy; /* as large as one of a ring */
} * saver;

bool save_prepare(void)
{
    struct saver *made = calloc(1, sizeof *made);
    if (made)
        made->copy = malloc(sizeof *made->copy + RING_JOURNAL_BYTES);
    bool good = made && made->copy && journal_allocate_encoder(&made->encoder);
    saver = good ? made : NULL;
    return good;
}

/* The end of a journal's entries; NULL: it has none. */
static const void *journal_end(const struct tracer_thread *thread, size_t at)
{
    const struct journal *journal = thread->journals[at];
    const void *end = atomic_load(&journal->end);
    if (!end && at == thread->current) {
        end = __atomic_load_n(&thread->common.next, __ATOMIC_ACQUIRE);
        if (end >= (const void *)thread->aside &&
            end <= (const void *)(thread->aside + sizeof thread->aside / sizeof *thread->aside))
            end = thread->next_kept;
    }
    /* The thread may have turned the ring in between. */
    const char *entries = (const char *)journal->entries;
    return (const char *)end > entries && (const char *)end <= entries + journal_bytes() ? end
                                                                                         : NULL;
}

/* Copies a journal to the saver's. Returns the end of the copy. */
static const void *copy_journal(const struct tracer_thread *thread, size_t at)
{
    const struct journal *journal = thread->journals[at];
    struct journal *copy = saver->copy;
    for (int attempt = 0; attempt < 10; attempt++) {
        uint64_t first = atomic_load(&journal->first);
        const char *end = journal_end(thread, at);
        size_t bytes = end ? (size_t)(end - (const char *)journal->entries) : 0;
        memcpy(copy->entries, journal->entries, bytes);
        copy->base = journal->base;
        copy->first = first;
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load(&journal->first) == first)
            return (const char *)copy->entries + bytes;
    }
    return copy->entries;
}

/* Appends calls that no block has yet, and moves `from` beyond them. Returns how many it has
 * written. */
static uint64_t save_calls(const struct tracer_thread *thread, struct position *from,
                           const void *to, off_t *end, bool *open)
{
    struct encoder *encoder = &saver->encoder;
    uint64_t written = 0;
    encoder->done = from->index << ENCODER_BYTES_BITS;
    encoder->time = from->time;
    encoder->phase = 0;
    while (*open && (const void *)from->entry < to) {
        encoder_begin(encoder, saver->payload);
        from->entry = encode_entries(encoder, from->entry, to, BLOCK_BYTES);
        from->index = encoder_total(encoder);
        struct block_head head = compose_events_head(thread->number, encoder, encoder->done);
        *open = file_write_at(end, &head, saver->payload);
        written += *open ? head.records : 0;
    }
    return written;
}

/* Appends the blocks of a ring. keep: they stay in the file, and leave the ring. */
static void save_slots(struct tracer_thread *thread, bool open, bool keep, off_t *end)
{
    thread->unsaved = 0;
    for (size_t i = 0; i < thread->slots_used; i++) {
        const struct buffer *slot = journal_slot(thread, i);
        open = open && file_write_at(end, &slot->head, slot->payload);
        thread->unsaved += open ? 0 : slot->head.records;
    }
    if (!keep)
        return;
    thread->lost += thread->unsaved;
    thread->unsaved = 0;
    thread->slots_used = 0;
}

/* Whether the file has all calls of a journal: they are before the index, where the next begins. */
static bool is_saved(const struct tracer_thread *thread, size_t at, uint64_t before)
{
    size_t next = (at + 1) % thread->journal_count;
    return at != thread->current && next < thread->opened &&
           atomic_load(&thread->journals[at]->first) <= before &&
           atomic_load(&thread->journals[next]->first) <= before;
}

/* Appends the thread's calls, and adds what became of them to `kept`. keep: what is in the file now
 * stays there. */
static void save_thread(struct tracer_thread *thread, bool open, bool keep, off_t *end,
                        struct trace_info *kept)
{
    struct encoder *encoder = &thread->encoder;
    const bool ring = thread->journal_count > 1;
    /* This thread writes no calls now, so its ring need not be copied. */
    const bool own = ring && &thread->common == trace_this_thread;
    const void *copied = NULL;
    uint64_t done;
    /* If the thread encodes calls meanwhile, they leave its journal: copy it again. */
    do {
        done = __atomic_load_n(&encoder->done, __ATOMIC_ACQUIRE);
        if (thread->journal_count == 1)
            copied = copy_journal(thread, 0);
    } while (thread->journal_count == 1 && saver->copy->first > done >> ENCODER_BYTES_BITS);
    const uint64_t before = done >> ENCODER_BYTES_BITS;
    uint64_t saved = encoder->first - thread->lost - thread->unsaved, seen = 0,
             overwritten = thread->overwritten;
    struct block_head head = compose_events_head(thread->number, encoder, done);
    if (open && head.bytes > 0) {
        open = file_write_at(end, &head, encoder->payload);
        saved += open ? head.records : 0;
    }
    const size_t current = thread->current;
    for (size_t i = 1; i <= thread->journal_count; i++) {
        size_t at = (current + i) % thread->journal_count;
        if (at >= thread->opened || is_saved(thread, at, before))
            continue;
        const struct journal *journal = saver->copy;
        if (own) {
            journal = thread->journals[at];
            copied = journal_end(thread, at);
            copied = copied ? copied : journal->entries;
        } else if (ring) {
            copied = copy_journal(thread, at);
        }
        if (ring && journal->first < seen)
            continue; /* the ring has turned meanwhile */
        if (seen == 0 && journal->first > before)
            overwritten += journal->first - before;
        struct position from = journal_find(journal, copied, before), last = {copied, 0, 0};
        if (!own)
            last = journal_find(journal, copied, UINT64_MAX);
        saved += save_calls(thread, &from, last.entry, end, &open);
        last = open ? from : journal_find(journal, copied, UINT64_MAX);
        seen = last.index > seen ? last.index : seen;
    }
    const uint64_t calls = seen > before ? seen : before;
    const uint64_t missing = calls - saved;
    kept->events += saved;
    kept->dropped += missing + thread->refused;
    kept->lost += (missing > overwritten ? missing - overwritten : 0) + thread->refused;
    if (keep && ring) {
        encoder->first = calls;
        encoder->done = calls << ENCODER_BYTES_BITS;
        thread->lost = missing;
        thread->overwritten = overwritten;
    }
}

void tracer_save(const char *reason, enum save mode)
{
    struct tracer_hold hold;
    if (!saver || tracer.pid != getpid())
        return;
    tracer_hold(&hold);
    if (tracer_lock()) {
        bool last = mode == SAVE_LAST;
        int off = last ? tracer_stop(OFF_ENDED) : atomic_load(&tracer.off);
        off_t end = file_end();
        struct trace_info kept = {.end = reason,
                                  .dropped = tracer.unrecorded,
                                  .lost = tracer.unrecorded,
                                  .threads = (int)tracer.thread_count,
                                  .finish = tracer.info.finish,
                                  .realtime = tracer.info.realtime};
        const bool keep = mode == SAVE_TO_KEEP;
        const bool open = !(off & (OFF_FAILED | OFF_LIMIT));
        for (struct tracer_thread *thread = tracer.threads; thread; thread = thread->next)
            save_slots(thread, open, keep, &end);
        if (keep && journal_is_block_ring())
            file_keep(end);
        for (struct tracer_thread *thread = tracer.threads; thread; thread = thread->next)
            if (!thread->profile)
                save_thread(thread, open, keep, &end, &kept);
        if (keep && journal_is_raw_ring())
            file_keep(end);
        uint64_t calls = kept.events + kept.lost;
        for (const struct tracer_thread *thread = tracer.threads; thread; thread = thread->next)
            if (thread->profile) {
                uint64_t lost = profile_write(thread->profile, thread->number, &end, &calls);
                kept.dropped += lost + thread->refused;
                kept.lost += lost + thread->refused;
            }
        file_write_ending(&kept, end, last);
        if (last)
            file_report_lost(kept.lost, calls);
    }
    tracer_unlock();
    tracer_release(&hold);
}
