/*
 * State that the parts of the tracer's runtime share. A run of the application has one of each.
 * Functions marked "in signal handlers" allocate nothing and take no locks.
 */
#ifndef SKAMPI_TRACE_RUNTIME_STATE_H
#define SKAMPI_TRACE_RUNTIME_STATE_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/types.h>

#include "trace/encode.h"
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
    struct clock_fix start, end;
    int64_t realtime;        /* ns since 1970, UTC, at start.local; 0: not known */
    int64_t beginning;       /* global time from which all PEs count */
    double ticks_per_second; /* of global time */
    /* Time that the tracer adds to a call: to the time since the call before (between), and to the
     * time of the call (inside). */
    double cost_between_ns, cost_inside_ns;
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
enum plan plan_of(unsigned routine);
extern struct series_kind *plan_kinds; /* by routine */

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

#pragma GCC visibility pop

#endif
