/* Journals of a thread: they hold calls as they were written down, until these become blocks of the
 * file. */
#ifndef SKAMPI_TRACE_RUNTIME_JOURNAL_H
#define SKAMPI_TRACE_RUNTIME_JOURNAL_H

#include "trace/encode.h"
#include "trace/runtime/file.h"

#pragma GCC visibility push(hidden)

/* Small enough to stay in the processor's cache until it is encoded. */
#define STREAM_JOURNAL_BYTES (32 * 1024)
#define RING_JOURNAL_BYTES (64 * 1024)
/* A larger ring holds encoded blocks: its memory would cost more time than it saves. */
#define RAW_RING_MOST_BYTES (UINT64_C(16) << 20)

/* Calls as they were written down, one after the other. */
struct journal {
    _Atomic uint64_t first;  /* index of its first call */
    int64_t base;            /* end of the call before */
    const void *_Atomic end; /* of a journal of the ring that is full, else NULL */
    uint64_t entries[];
};

struct profile;

struct tracer_thread {
    struct trace_thread common; /* the first member: inline code knows nothing else */
    uint32_t number;
    struct tracer_thread *next; /* the one that began before it */
    /* A ring of calls as they were written down: all. Otherwise one, which is encoded when it is
     * full. */
    struct journal **journals;
    size_t journal_count;
    size_t opened; /* number of journals used so far; the others were never touched */
    atomic_size_t current;
    /* Whether the current call is written to `aside`, since it is not recorded. Meanwhile next and
     * enough are kept here. */
    atomic_bool is_aside;
    struct trace_entry *next_kept;
    const void *enough_kept;
    uint64_t aside[ENTRY_MOST_BYTES / sizeof(uint64_t)];
    _Atomic uint64_t refused; /* calls that were not recorded for want of room */
    struct encoder encoder;
    struct buffer *buffer; /* the block that is being filled */
    /* A ring of blocks: slots_used blocks before the one that is being filled. */
    struct buffer *slots;
    size_t slot_count, slots_used;
    uint64_t unsaved;        /* events of slots that the save under way could not write */
    uint64_t lost;           /* events of blocks that could not be written, or were overwritten */
    uint64_t overwritten;    /* in the ring, before what of it is in the file for good */
    struct profile *profile; /* --summary */
};

/* --ring, of calls that are encoded at the end. */
bool journal_is_raw_ring(void);
/* --ring, of blocks. */
bool journal_is_block_ring(void);
size_t journal_bytes(void);
struct journal *journal_current(const struct tracer_thread *);

/* A place in a journal: the entry there, and what was before it. */
struct position {
    const struct trace_entry *entry;
    uint64_t index; /* calls before */
    int64_t time;   /* end of the last one */
};

/* The call with that index, or the journal's end. What cannot be is taken for the end. In signal
 * handlers. */
struct position journal_find(const struct journal *, const void *end, uint64_t index);

/* Makes the thread write into this journal from now on. base: end of the call before (ticks). */
void journal_open(struct tracer_thread *, struct journal *, int64_t base);
/* The ring's oldest journal is used again. */
void journal_turn(struct tracer_thread *, int64_t base);
/* Encodes all entries, and writes the blocks that they fill. */
void journal_encode(struct tracer_thread *);
/* Writes the block that is being filled, or keeps it in the ring, and begins another. */
void journal_write_block(struct tracer_thread *);

/* The i-th of the blocks in the ring, the oldest first. */
struct buffer *journal_slot(const struct tracer_thread *, size_t i);

/* False: out of memory. */
bool journal_allocate_encoder(struct encoder *);
void journal_free_encoder(struct encoder *);

#pragma GCC visibility pop

#endif
