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
 *         trace_end(thread, ROUTINE, start, flags, n, (const int64_t[]){...});
 *
 * Hooks of the setup routines, in the order of calls:
 *
 *     started     begin, real routine, end, trace_started()
 *     finishing   trace_finishing(), begin, real routine, end, trace_finished()
 *     exiting     trace_exiting(ROUTINE, status), real routine
 *     context     begin, real routine, trace_context_created(ctx), end
 *     no context  begin, number = trace_context(ctx), real routine, end,
 * trace_context_destroyed(ctx) phase       begin, real routine, end, trace_phase_set(level)
 */
#ifndef SKAMPI_TRACE_RUNTIME_H
#define SKAMPI_TRACE_RUNTIME_H

#include <shmem.h>
#include <stddef.h>
#include <time.h>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "trace/event.h"

/* The table that generate writes; a routine's number is its index. */
extern const struct trace_routine trace_routines[];
extern const unsigned trace_routine_count;

/* What is done about a routine. */
enum {
    TRACE_IGNORE, /* nothing */
    TRACE_GUARD,  /* no event, but what it calls inside is not an event either */
    TRACE_RECORD
};

/* How a routine is kept: as few bytes as possible, since every call reads it. */
struct trace_plan {
    uint8_t what;
    uint8_t keyed; /* 0xff: its first value is the peer; else 0 */
    uint8_t shift; /* places are multiples of 1 << shift */
};

/* Set once, before the first event. */
struct trace_run {
    struct trace_plan *plans; /* by routine */
    uintptr_t heap;           /* symmetric heap: where it begins, */
    size_t heap_bytes;        /* 0: not known yet */
    bool clock_gettime;       /* read instead of the processor's counter */
    bool results;             /* results of fetching atomics are kept */
};
extern struct trace_run trace_run;

/* A thread of the application. The first member is all that inline code knows. */
struct trace_thread {
    bool inside; /* of a routine that is being recorded, or of the tracer */
};

/* NULL until the thread's first call. */
extern __thread struct trace_thread *trace_this_thread __attribute__((tls_model("initial-exec")));

/* The thread's state, made at its first call; NULL when nothing is (or can be) recorded. */
struct trace_thread *trace_thread_first(void);

/* Out of line: keeps the event. caller tells call sites apart, so that each is compared with its
 * own last call. */
void trace_keep(struct trace_thread *thread, unsigned routine, uint64_t start, uint64_t end,
                unsigned flags, unsigned n, const int64_t *values, const void *caller);

static inline uint64_t trace_now(void)
{
#if defined(__x86_64__)
    if (!trace_run.clock_gettime)
        return __rdtsc();
#elif defined(__aarch64__)
    if (!trace_run.clock_gettime) {
        uint64_t ticks;
        __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
        return ticks;
    }
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
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

/* End. Values in ascending order of the routine's fields, without the result (the last one) where
 * it is not kept; n is a constant where it is inlined. */
__attribute__((always_inline)) static inline void trace_end(struct trace_thread *thread,
                                                            unsigned routine, uint64_t start,
                                                            unsigned flags, unsigned n,
                                                            const int64_t *values)
{
    uint64_t end = trace_now();
    trace_keep(thread, routine, start, end, flags, n, values, __builtin_return_address(0));
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

/* Small number of a context: 0 the default one, then in order of creation; -1: unknown. */
int64_t trace_context_number(const void *context);
int64_t trace_context_add(const void *context);
void trace_context_remove(const void *context);

#ifdef SHMEM_CTX_DEFAULT
static inline int64_t trace_context(shmem_ctx_t context)
{
    return context == SHMEM_CTX_DEFAULT ? 0 : trace_context_number((const void *)context);
}

static inline int64_t trace_context_created(shmem_ctx_t context)
{
    return trace_context_add((const void *)context);
}

static inline void trace_context_destroyed(shmem_ctx_t context)
{
    trace_context_remove((const void *)context);
}
#endif

/* Hooks, see above. All PEs call those of starting and finishing. */
void trace_started(void);
void trace_finishing(void);
void trace_finished(void);
void trace_exiting(unsigned routine, int status);
void trace_phase_set(int phase);

#endif
