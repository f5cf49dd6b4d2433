/*
 * The tracer inside the application: between the wrappers that src/trace/generate writes and what
 * keeps the events. Called by wrappers only, on any thread of any PE; nothing here fails visibly:
 * an event that cannot be kept is counted as dropped.
 *
 * A wrapper of an ordinary routine:
 *
 *     uint64_t start;
 *     struct trace_thread *thread = trace_begin(ROUTINE, &start);
 *     ... result = pshmem_NAME(...);
 *     if (thread)
 *         trace_end(thread, ROUTINE, start, trace_now(), flags, n, (const int64_t[]){...});
 *
 * Hooks of the setup routines, in the order of calls:
 *
 *     starting    start = trace_now(), real routine, end = trace_now(),
 *                 thread = trace_started(ROUTINE), trace_end if there is a thread
 *     finishing   trace_finishing(), begin, real routine, end, trace_finished()
 *     exiting     begin, end, trace_exiting(status), real routine
 *     created     begin, real routine, trace_handle_add(), end
 *     control     begin, real routine, end, trace_control(level)
 */
#ifndef SKAMPI_TRACE_RUNTIME_H
#define SKAMPI_TRACE_RUNTIME_H

#include <shmem.h>
#include <stddef.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "trace/event.h"

/* What is in one library need not be looked up. */
#pragma GCC visibility push(hidden)

/* The table that generate writes; a routine's number is its index. */
extern const struct trace_routine trace_routines[];
extern const unsigned trace_routine_count;
extern const unsigned char trace_routine_on[]; /* 1: recorded unless options say otherwise */

/* What is done about a routine. */
enum {
    TRACE_IGNORE, /* nothing */
    TRACE_GUARD,  /* no event, but what it calls inside is not an event either */
    TRACE_RECORD
};

/* How a routine is kept: as few bytes as possible, since every call reads it. */
struct trace_plan {
    uint8_t what;
    uint8_t keyed; /* bits of the first value, the peer, that tell series apart; 0: it is no peer */
};

/* Set once, before the first event. */
struct trace_run {
    struct trace_plan *plans; /* by routine */
    uintptr_t heap;           /* symmetric heap: where it begins, */
    size_t heap_bytes;        /* 0: not known yet */
    bool clock_gettime;       /* read instead of the processor's counter */
};
extern struct trace_run trace_run;
extern bool trace_results; /* results of fetching atomics are kept */
extern int trace_pes;

/* A thread of the application. The first member is all that inline code knows. */
struct trace_thread {
    bool inside; /* of a routine that is being recorded, or of the tracer */
};

/* NULL until the thread's first call. */
extern __thread struct trace_thread *trace_this_thread __attribute__((tls_model("initial-exec")));

/* The thread's state, made at its first call; NULL when nothing is (or can be) recorded. */
struct trace_thread *trace_thread_first(void);

/* An event on its way to be kept. caller tells call sites apart, so that each is compared with its
 * own last call. */
struct trace_call {
    uint64_t start, end;
    const int64_t *values;
    const void *caller;
};

/* Out of line: keeps the event; the first ones for the usual numbers of values. */
void trace_keep_3(struct trace_thread *, unsigned routine, unsigned flags,
                  const struct trace_call *);
void trace_keep_4(struct trace_thread *, unsigned routine, unsigned flags,
                  const struct trace_call *);
void trace_keep_5(struct trace_thread *, unsigned routine, unsigned flags,
                  const struct trace_call *);
void trace_keep(struct trace_thread *, unsigned routine, unsigned flags, const struct trace_call *,
                unsigned n);

/* Nanoseconds of CLOCK_MONOTONIC. */
__attribute__((cold)) uint64_t trace_now_slowly(void);

__attribute__((always_inline)) static inline uint64_t trace_now(void)
{
    if (__builtin_expect(trace_run.clock_gettime, 0))
        return trace_now_slowly();
#if defined(__x86_64__)
    return __rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
#else
    return trace_now_slowly();
#endif
}

/* Begin of a wrapper. NULL: not recorded (nested, after the end, switched off, routine excluded).
 * Sets the depth guard, reads the clock. */
__attribute__((always_inline)) static inline struct trace_thread *trace_begin(unsigned routine,
                                                                              uint64_t *start)
{
    struct trace_thread *thread = trace_this_thread;
    if (__builtin_expect(!thread, 0)) {
        thread = trace_thread_first();
        if (!thread)
            return NULL;
    }
    if (thread->inside || trace_run.plans[routine].what == TRACE_IGNORE)
        return NULL;
    thread->inside = true;
    *start = trace_now();
    return thread;
}

/* End: the clock as read directly behind the real routine. Values in ascending order of the
 * routine's fields, without the result (the last one) where it is not kept; n is a constant where
 * it is inlined.
 */
__attribute__((always_inline)) static inline void trace_end(struct trace_thread *thread,
                                                            unsigned routine, uint64_t start,
                                                            uint64_t end, unsigned flags,
                                                            unsigned n, const int64_t *values)
{
    const struct trace_call call = {start, end, values, __builtin_return_address(0)};
    switch (n) {
    case 3:
        trace_keep_3(thread, routine, flags, &call);
        break;
    case 4:
        trace_keep_4(thread, routine, flags, &call);
        break;
    case 5:
        trace_keep_5(thread, routine, flags, &call);
        break;
    default:
        trace_keep(thread, routine, flags, &call, n);
    }
}

/* Place of an address, see event.h. */
int64_t trace_place_elsewhere(uintptr_t address);

static inline int64_t trace_place(const volatile void *address)
{
    uintptr_t distance = (uintptr_t)address - trace_run.heap;
    if (__builtin_expect(distance < trace_run.heap_bytes, 1))
        return (int64_t)((uint64_t)TRACE_HEAP << TRACE_OBJECT_SHIFT | distance);
    return trace_place_elsewhere((uintptr_t)address);
}

/* Small numbers of handles, in order of creation: 0 the default context, the team of all PEs; -1:
 * unknown. A handle may be used again for another context or team: the latest counts. */
enum trace_handle { TRACE_CONTEXT_HANDLE, TRACE_TEAM_HANDLE, TRACE_HANDLES };
int64_t trace_handle_number(enum trace_handle kind, const void *handle);
void trace_handle_add(enum trace_handle kind, const void *handle);

/* Hooks, see above. All PEs call those of starting and finishing. */
struct trace_thread *trace_started(unsigned routine);
void trace_finishing(void);
void trace_finished(void);
void trace_exiting(int status);
void trace_control(int level); /* of shmem_pcontrol */

#pragma GCC visibility pop

#endif
