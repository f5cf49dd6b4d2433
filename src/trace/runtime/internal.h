/*
 * What the parts of the tracer's runtime share. A run of the application has one of everything
 * here. Functions marked "in signal handlers" allocate nothing and take no locks.
 */
#ifndef SKAMPI_TRACE_RUNTIME_INTERNAL_H
#define SKAMPI_TRACE_RUNTIME_INTERNAL_H

#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>

#include "trace/encode.h"
#include "trace/format.h"
#include "trace/runtime/runtime.h"
#include "trace/settings.h"

#pragma GCC visibility push(hidden)

#define BLOCK_BYTES (64 * 1024) /* of a block's payload */

/* Why events are not recorded now. */
enum {
    OFF_PHASE = 1,   /* --phase leaves this one out */
    OFF_CONTROL = 2, /* shmem_pcontrol(0) */
    OFF_LIMIT = 4,   /* --limit; from here on events count as dropped */
    OFF_FAILED = 8,  /* writing failed */
    OFF_ENDED = 16   /* the trace is ended, or this is a child that was forked */
};

/* A block on its way into the file; payload is directly behind. */
struct buffer {
    struct block_head head;
    unsigned char payload[BLOCK_BYTES];
};

/* Calls as they were written down, one after the other. */
struct journal {
    _Atomic uint64_t first;  /* index of its first call */
    int64_t base;            /* end of the call before */
    const void *_Atomic end; /* of a journal of the ring that is full, else NULL */
    uint64_t entries[];
};

/* Local and global time, in ticks of this PE's clock and of PE 0's, at one moment. */
struct clock_fix {
    bool known;
    int64_t local, global;
    double rate;  /* global ticks to a local one */
    double bound; /* s */
};

struct profile;

struct tracer_thread {
    struct trace_thread common; /* first: inline code knows it alone */
    uint32_t number;
    struct tracer_thread *next; /* the one that began before it */
    /* Streaming: one, which is encoded when it is full. Ring: all. */
    struct journal **journals;
    size_t journal_count;
    size_t opened; /* of them, so far: what lies behind was never touched */
    atomic_size_t current;
    /* Of a routine that is not recorded; then next and enough are kept here. */
    atomic_bool is_aside;
    struct trace_entry *next_kept;
    const void *enough_kept;
    uint64_t aside[ENTRY_MOST_BYTES / sizeof(uint64_t)];
    _Atomic uint64_t refused; /* calls that were not recorded for want of room */
    /* Streaming: the block that is being filled. */
    struct encoder encoder;
    struct buffer *buffer;
    uint64_t lost;           /* events of blocks that could not be written, or were overwritten */
    uint64_t overwritten;    /* in the ring, before what of it is in the file for good */
    struct profile *profile; /* --summary */
};

struct tracer {
    struct settings settings;
    atomic_int off;
    pid_t pid;
    int pe;
    struct tracer_thread *_Atomic threads; /* the latest first */
    atomic_uint thread_count;
    int64_t loaded; /* ticks: when this library was loaded */
    struct clock_fix start, end;
    int64_t realtime;        /* ns since 1970, UTC, at start.local; 0: not known */
    int64_t beginning;       /* global time that all PEs count from */
    double ticks_per_second; /* of global time */
    char clock_text[128];
};
extern struct tracer tracer;

/* One line on standard error: "shmemtrace: PE 3: ...". Not in signal handlers. */
__attribute__((format(printf, 1, 2))) void tracer_say(const char *format, ...);

/* While a thread changes what tracer_save reads, or writes: no signal comes in between, nobody
 * cancels it, and the application does not see its errno. */
struct tracer_hold {
    sigset_t signals;
    int cancel, error;
};
void tracer_hold(struct tracer_hold *);
void tracer_release(const struct tracer_hold *);

/* One thread at a time writes, saves, or gives up what others save; others wait. May be used again
 * by who interrupts their own writing. False: what is written from now on is for nobody, the trace
 * has ended. In signal handlers. */
bool tracer_lock(void);
void tracer_unlock(void);

/* Reasons to record, or not to, come and go. Returns those not to that there were before. In signal
 * handlers. */
int tracer_stop(int reasons);
void tracer_go_on(int reasons);

/* The call that this thread is inside of, if any, will not come back. In signal handlers. */
void tracer_leave_call(void);

/* Writes what threads have not written, and how it ended; more than once, if need be: what came
 * before is overwritten. last: nothing follows, and what could not be written is reported. In
 * signal handlers. */
void tracer_save(const char *reason, bool last);

/* ---- runtime_file.c ---- */

/* Which of the jobs of one command this is: that it has a folder of its own. Collective over all
 * PEs. */
void file_agree(void);
/* There will be no file, and why was said: the command need not say it. */
void file_refused(void);
/* Makes the folder and the file, and writes what does not change. NULL, or what is wrong and what
 * to do, to be freed. */
char *file_create(void);
/* Writes a block at the file's end, under the lock; its head is filled in but for magic and
 * checksum. False: not written, and recording is off from now on. */
bool file_write_block(struct buffer *block);
/* Appends a block without moving the file's end: at *end, which is moved. False: there is no room.
 * In signal handlers. */
bool file_write_at(off_t *end, const struct block_head *head, const void *payload);
off_t file_end(void);
/* What was appended so far stays. In signal handlers. */
void file_keep(off_t end);
/* Blocks could not be appended: says once why, and how many events are lost of how many, unless
 * recording had stopped before. In signal handlers. */
void file_report_lost(uint64_t lost, uint64_t events);
/* What became of the calls that were to be recorded. */
struct kept {
    uint64_t events;  /* in the file */
    uint64_t dropped; /* not in it */
    uint64_t lost;    /* of these: not because the ring was full */
};
/* Says how it ended; last: cuts off what lies behind end. In signal handlers. */
void file_write_ending(const char *reason, const struct kept *kept, off_t end, bool last);

/* ---- runtime_clocks.c: collective over all PEs ---- */

/* As early as possible. */
void clocks_loaded(void);
/* Learns the rate of the clock, and how it is to that of PE 0. problem: of this PE, or NULL;
 * returns false when a PE has one, and *speaks on the first of those. */
bool clocks_start(const char *problem, bool *speaks);
void clocks_finish(void);

/* ---- runtime_places.c ---- */

/* Finds the objects that places lie in; collective over all PEs. */
void places_find(void);
struct range places_heap(void); /* no bytes: not known */
/* What an address lies in. */
struct range places_range(uintptr_t address);
size_t places_objects(void);
const char *places_object_name(size_t object);

/* ---- runtime_end.c ---- */

/* From now on all ways of ending are noticed. */
void ending_watch(void);

/* ---- runtime_profile.c ---- */

struct profile *profile_create(void);
void profile_add(struct profile *, unsigned routine, uint32_t phase, int64_t peer, uint64_t bytes,
                 int64_t ticks);
/* Appends blocks with all that was added, as file_write_at does, and adds the calls to *calls.
 * Returns how many of these are not in the blocks for want of room. In signal handlers. */
uint64_t profile_write(const struct profile *, uint32_t thread, off_t *end, uint64_t *calls);

/* ---- runtime_counters.c ---- */

/* NULL, or why hardware counters cannot be had (to be freed). */
char *counters_begin(const char *names);
size_t counters_kept(void);
const char *counters_kept_name(size_t i);
/* The application's phase begins or ends on this thread. */
void counters_phase(uint32_t thread, uint32_t phase);
/* No more is counted. */
void counters_end(void);
/* Appends the blocks of what was counted, as file_write_at does. In signal handlers. */
void counters_write(off_t *end);

#pragma GCC visibility pop

#endif
