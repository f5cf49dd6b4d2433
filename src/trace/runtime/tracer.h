/*
 * The state of the tracer, and what each file of this folder offers to the others, in the order in
 * which they may use each other. A run of the application has one of each. Functions marked "in
 * signal handlers" allocate nothing and take no locks; the others may be called on any thread where
 * nothing else is said.
 */
#ifndef SKAMPI_TRACE_RUNTIME_TRACER_H
#define SKAMPI_TRACE_RUNTIME_TRACER_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "trace/encode.h"
#include "trace/format.h"
#include "trace/recording.h"
#include "trace/runtime/runtime.h"

#pragma GCC visibility push(hidden)

/* Why events are not recorded now. */
enum {
    OFF_PHASE = 1,   /* --phase leaves this one out */
    OFF_CONTROL = 2, /* shmem_pcontrol(0) */
    OFF_LIMIT = 4,   /* --limit; from here on events count as dropped */
    OFF_FAILED = 8,  /* writing failed */
    OFF_ENDED = 16   /* the trace is ended, or this is a child that was forked */
};

struct tracer_thread;

struct tracer {
    struct recording recording;
    atomic_int off;
    pid_t pid; /* 0: the library has not started */
    int pe;
    bool traced;                           /* recording has started on this PE */
    struct tracer_thread *_Atomic threads; /* the latest first */
    atomic_uint thread_count;
    atomic_uint_fast64_t unrecorded; /* calls of threads whose state found no memory */
    int64_t loaded;                  /* ticks: when this library was loaded */
    struct trace_info info;          /* of the run, as far as it is known */
    char clock_text[128];
};
extern struct tracer tracer;

/* ---- Which calls are recorded ---- */

/* What the tracer does about a routine. */
enum plan {
    PLAN_IGNORE, /* nothing */
    PLAN_GUARD,  /* no event for the call, nor for calls inside it */
    PLAN_RECORD
};

/* Decides for all routines by tracer.recording. Call it once. False if there is no memory. */
bool plan_routines(void);
extern uint8_t *tracer_plans;                /* enum plan by routine */
extern struct trace_series_kind *plan_kinds; /* by routine */

/* Begins to record, unless there is one of these reasons (OFF_...) not to. */
void tracer_begin(int reasons);

/* Add (tracer_stop) or remove (tracer_go_on) reasons not to record. Return the earlier reasons.
 * Async-signal-safe. */
int tracer_stop(int reasons);
void tracer_go_on(int reasons);

/* ---- Messages, and one thread at a time ---- */

/* One line on standard error: "shmemtrace: PE 3: ...". Not in signal handlers. */
__attribute__((format(printf, 1, 2))) void tracer_say(const char *format, ...);

/* Protects a thread while it writes, or changes what tracer_save() reads: signals and cancellation
 * are blocked, and errno is restored afterwards. */
struct tracer_hold {
    sigset_t signals;
    int cancel, error;
};
void tracer_hold(struct tracer_hold *);
void tracer_release(const struct tracer_hold *);

/* Waits until no other thread writes, saves, or frees what others save. A handler that interrupts
 * the thread with the lock may take it again. False if the trace has ended, so nothing may be
 * written. In signal handlers. */
bool tracer_lock(void);
void tracer_unlock(void);

/*
 * ---- file.c ----
 *
 * The file of a PE (format.h). It is made once; then blocks are written at its end. Any thread,
 * under the lock of state.h.
 */

#define BLOCK_BYTES (64 * 1024) /* of a block's payload */

/* A block on its way into the file; its payload follows the head directly. */
struct buffer {
    struct block_head head;
    unsigned char payload[BLOCK_BYTES];
};

/* Makes the file of a job's trace, writes the description, and only then replaces the file of an
 * earlier trace. Returns NULL, or what is wrong and what to do, which the caller frees. *wrong: the
 * name is wrong; otherwise there is no room. */
char *file_create(int job, const unsigned char *description, size_t bytes, bool *wrong);
/* Writes a block at the file's end, under the lock; its head is filled in but for magic and
 * checksum. False: not written, and recording is off from now on. */
bool file_write_block(struct buffer *block);
/* Appends a block without moving the file's end: at *end, which is moved. False: there is no room.
 * In signal handlers. */
bool file_write_at(off_t *end, const struct block_head *head, const void *payload);
/* Records other than events, appended in blocks as file_write_at() does. Small, since handlers of
 * signals may have little stack. */
struct file_records {
    struct block_head head;
    off_t *end;
    uint64_t calls, lost; /* calls that this block's records tell of; calls of blocks that could not
                             be written */
    struct output output;
    unsigned char bytes[2048];
};
void file_begin_records(struct file_records *, enum block_kind, uint32_t thread, off_t *end);
/* Where to put the next record, which has at most `most` bytes and tells of `calls` calls. */
struct output *file_next_record(struct file_records *, size_t most, uint64_t calls);
/* Returns how many calls are lost for want of room. */
uint64_t file_end_records(struct file_records *);
/* Adds records that give() makes to the file, unless recording has failed. Not in signal handlers.
 */
void file_append(enum block_kind, uint32_t thread,
                 void (*give)(struct file_records *, const void *context), const void *context);
off_t file_end(void);
/* Moves the file's end to `end`, so that what was appended stays. In signal handlers. */
void file_keep(off_t end);
/* Blocks could not be appended: says once why, and how many events are lost of how many, unless
 * recording had stopped before. In signal handlers. */
void file_report_lost(uint64_t lost, uint64_t events);
/* Writes how the program ended; last: cuts off what follows `end`. In signal handlers. */
void file_write_ending(const struct trace_info *, off_t end, bool last);

/* Makes a folder, and the folders that lead to it, unless they exist. */
bool file_make_folder(const char *path);
/* "FILE: what: remedy", to be freed. */
char *file_problem(const char *what, const char *remedy);

/*
 * ---- clocks.c ----
 *
 * Clocks of the PEs: synchronized when the library has started and before it ends.
 */

/* Reads the clock first. Call it as early as possible. */
void trace_clocks_loaded(void);
/* Learns the rate of the clock, and its relation to that of PE 0. Collective over all PEs, while
 * comm is attached; or without: every PE for itself. */
void trace_clocks_start(void);
void trace_clocks_start_alone(void);
/* Collective over all PEs. */
void trace_clocks_finish(void);
/* Measures what recording costs the application (tracer.info), in less than a millisecond. The
 * costs stay 0 if there is no memory for it. Call it when the clock is chosen, on the thread that
 * starts the library, before any call is recorded. */
void trace_clocks_measure_cost(void);

/*
 * ---- modules.c ----
 *
 * The load map: which program and libraries are where in memory, so that readers can say where a
 * return address lies. Any thread, but not in signal handlers, and not under the tracer's lock:
 * libraries are loaded under the dynamic linker's.
 */

/* Writes into the file what was loaded since the last time. Quick if nothing was. */
void modules_write(void);

/*
 * ---- places.c ----
 *
 * Finds what addresses lie in: the symmetric heap, variables of the program or of a library, or
 * neither.
 */

/* Finds the objects that places lie in, and names them in tracer.info; collective over all PEs. */
void places_find(void);
struct range places_heap(void); /* it has no bytes if it is not known */
/* The range in which an address lies. */
struct range places_range(uintptr_t address);

/*
 * ---- stacks.c ----
 *
 * Stacks of return addresses (--callsites above 1). Each stack that was seen has a number, which
 * entries keep instead of a return address.
 */

/* Keeps stacks of this many addresses from now on. False: out of memory. */
bool stacks_keep(unsigned depth);

/* Frees what a thread that ends has remembered. */
void stacks_leave(void);

/* For struct encoder: the addresses that a caller of an entry stands for. In signal handlers. */
const uint64_t *stacks_find(const uint64_t *caller, size_t *depth);

/*
 * ---- thread.c, first part ----
 *
 * Journals of a thread: they hold calls as they were written down, until these become blocks of
 * the file.
 */

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

/* The i-th of the blocks in the ring, the oldest first. */
struct buffer *journal_slot(const struct tracer_thread *, size_t i);

/* False: out of memory. */
bool journal_allocate_encoder(struct encoder *);

/* ---- profile.c: --summary: calls, bytes and time by routine, phase and peer. One thread adds.
 * ---- */

struct profile *profile_create(void);
/* False: there is no memory for one more routine, phase or peer. */
bool profile_add(struct profile *, unsigned routine, uint32_t phase, int64_t peer, uint64_t bytes,
                 int64_t ticks);
/* Appends blocks with everything that was added, as file_write_at() does, and adds the number of
 * calls to *calls. Returns how many of these calls found no room in the file. In signal handlers.
 */
uint64_t profile_write(const struct profile *, uint32_t thread, off_t *end, uint64_t *calls);

/*
 * ---- phases.c ----
 *
 * Phases of the application, and --hw: what hardware counters count in each stretch of a phase, on
 * the thread that started the library.
 */

/* Starts the counters, and names them in tracer.info. NULL, or why they cannot be had (to be
 * freed).
 */
char *phases_count(const char *names);
/* Writes what was counted since the last change of phase. No more is counted. */
void phases_end(void);

/*
 * ---- thread.c, second part ----
 *
 * Threads of the application, and what a thread does about a call besides writing it down. The
 * state of a thread is made at its first call, and kept until the trace has ended.
 */

/* Begins to notice the end of threads. */
void thread_watch(void);

/* Time until then is charged to nothing: the next burst starts there. */
void thread_skip_to(struct tracer_thread *, int64_t time);

/* The call that this thread is inside of, if any, will not return. In signal handlers. */
void tracer_leave_call(void);

/* ---- save.c: Writes what is not in the file yet when the program ends, however it ends. ---- */

/* Allocates what saving needs. False: out of memory. */
bool save_prepare(void);

enum save {
    SAVE_FOR_NOW,
    SAVE_TO_KEEP, /* events of rings stay in the file, too */
    SAVE_LAST     /* nothing follows, and failures are reported */
};
/* Writes the events that threads have not written, and how the program ended. May be called
 * repeatedly; each call overwrites what the one before wrote. In signal handlers. */
void tracer_save(const char *reason, enum save);

/* ---- end.c: Ways of ending other than shmem_finalize. ---- */

/* Begins to notice all ways of ending. */
void ending_watch(void);

#pragma GCC visibility pop

#endif
