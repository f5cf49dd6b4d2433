/*
 * The tracer inside the application: between the wrappers that src/trace/wrappers/generate writes
 * and what keeps the events. Called by wrappers only, on any thread of any PE; nothing here fails
 * visibly: an event that cannot be kept is counted as dropped.
 *
 * A wrapper of an ordinary routine has two bodies: one for calls that are recorded, by the
 * processor's counter, and one for all others, so that the first has nothing to keep but thread and
 * entry while the routine runs. All that can be is done before that.
 *
 *     struct trace_thread *thread = trace_begin(ROUTINE);    or trace_begin_otherwise()
 *     if (!thread)
 *         go to the other body, or just call the routine
 *     struct trace_entry *entry = trace_entry(thread, ROUTINE, n, flags);    or ..._otherwise(...)
 *     entry->values[...] = ...;
 *     entry->start = trace_counter();                        or trace_now()
 *     ... result = pshmem_NAME(...);
 *     entry->end = trace_counter();
 *     entry->values[...] = ... result ...;
 *     trace_flag(entry, ... result ...);
 *     trace_end(thread, entry, n);
 *
 * Values are those of the routine's fields in ascending order, without the last one where it is not
 * kept: a result, or what a put writes. The latter needs the other body, so that calls by the first
 * are as quick as without. Places are addresses here. Hooks of the setup routines, in the order of
 * calls:
 *
 *     starting    start = trace_now(), real routine, end = trace_now(),
 *                 thread = trace_started(ROUTINE), trace_entry ... trace_end, trace_begun(thread)
 *     finishing   trace_finishing(), trace_begin ... trace_end, trace_finished()
 *     exiting     trace_begin ... trace_end, trace_exiting(status), real routine
 *     created     real routine, end, trace_handle_add() and the like, trace_end
 *     control     trace_begin ... trace_end, trace_control(level)
 */
#ifndef SKAMPI_TRACE_RUNTIME_RUNTIME_H
#define SKAMPI_TRACE_RUNTIME_RUNTIME_H

#include <shmem.h>
#include <stdatomic.h>
#include <stddef.h>

#include "trace/entry.h"

/* Calls inside one library need no lookup by the dynamic linker. */
#pragma GCC visibility push(hidden)

/* The table that generate writes; a routine's number is its index. */
extern const struct trace_routine trace_routines[];
extern const unsigned trace_routine_count;
extern const unsigned char trace_routine_on[]; /* 1: recorded unless options say otherwise */

struct trace_run {
    const bool *_Atomic quick; /* by routine: calls are recorded, by the processor's counter */
    atomic_uint phase;
    bool clock_gettime; /* read instead of the counter */
};
extern struct trace_run trace_run;
extern bool trace_results; /* results of fetching atomics are kept */
extern bool trace_values;  /* what small puts write is kept */
extern int trace_pes;

/* A thread of the application, as far as inline code knows it. */
struct trace_thread {
    bool inside;              /* the thread is inside a recorded routine, or inside the tracer */
    struct trace_entry *next; /* place of the next entry */
    const void *enough;       /* beyond this, there is no room, or other work is pending */
    uint64_t calls;           /* number of entries so far */
};

/* NULL until the thread's first call. */
extern __thread struct trace_thread *trace_this_thread __attribute__((tls_model("initial-exec")));

/* Makes room, or does other pending work. Called when next is beyond enough. */
void trace_end_otherwise(struct trace_thread *, const struct trace_entry *);

/* Nanoseconds of CLOCK_MONOTONIC. */
__attribute__((cold)) uint64_t trace_now_slowly(void);

/* The processor's counter, where there is one. */
__attribute__((always_inline)) static inline uint64_t trace_counter(void)
{
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t ticks;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
#else
    return trace_now_slowly();
#endif
}

static inline uint64_t trace_now(void)
{
    return trace_run.clock_gettime ? trace_now_slowly() : trace_counter();
}

/* Begins a wrapper, and sets the depth guard. NULL if this is not an ordinary call to record; then
 * see trace_begin_otherwise(). */
__attribute__((always_inline)) static inline struct trace_thread *trace_begin(unsigned routine)
{
    struct trace_thread *thread = trace_this_thread;
    if (__builtin_expect(!thread || thread->inside, 0) ||
        __builtin_expect(!atomic_load_explicit(&trace_run.quick, memory_order_relaxed)[routine], 0))
        return NULL;
    thread->inside = true;
    return thread;
}

/* Begins a wrapper for any call. NULL if the call is not recorded (it is nested, before the start
 * or after the end, or its routine is left out). */
struct trace_thread *trace_begin_otherwise(unsigned routine);

__attribute__((always_inline)) static inline struct trace_entry *
trace_entry(struct trace_thread *thread, unsigned routine, unsigned n, unsigned flags)
{
    struct trace_entry *entry = thread->next;
    entry->of = entry_of(routine, n, flags);
    entry->phase = atomic_load_explicit(&trace_run.phase, memory_order_relaxed);
    entry->caller = (uint64_t)(uintptr_t)__builtin_return_address(0);
    return entry;
}

/* Return addresses that are kept of each call; 0: none. */
extern unsigned trace_depth;
/* The number of the stack above a wrapper, which its entry keeps as the caller. */
uint64_t trace_stack(const void *caller, const void *frame);

/* Of the other body. */
__attribute__((always_inline)) static inline struct trace_entry *
trace_entry_otherwise(struct trace_thread *thread, unsigned routine, unsigned n, unsigned flags)
{
    struct trace_entry *entry = trace_entry(thread, routine, n, flags);
    if (trace_depth > 1)
        entry->caller = trace_stack(__builtin_return_address(0), __builtin_frame_address(0));
    return entry;
}

static inline void trace_flag(struct trace_entry *entry, unsigned flags)
{
    entry->of |= entry_of(0, 0, flags);
}

/* Stores the entry before `next`, so that it is complete when another thread or a handler sees
 * `next`. */
__attribute__((always_inline)) static inline void trace_end(struct trace_thread *thread,
                                                            struct trace_entry *entry, unsigned n)
{
    void *next = entry->values + n;
    thread->calls++;
    __atomic_store_n(&thread->next, next, __ATOMIC_RELEASE);
    if (__builtin_expect(next > thread->enough, 0))
        trace_end_otherwise(thread, entry);
    thread->inside = false;
}

/* Small numbers of handles, in order of creation: 0 the default context, the team of all PEs; -1:
 * unknown. A handle may be used again for another context or team: the latest counts. */
enum trace_handle { TRACE_CONTEXT_HANDLE, TRACE_TEAM_HANDLE, TRACE_HANDLES };
int64_t trace_handle_number(enum trace_handle kind, const void *handle);
void trace_handle_add(enum trace_handle kind, const void *handle);

/* Hooks, see above. All PEs call those of starting and finishing. */
struct trace_thread *trace_started(unsigned routine);
void trace_begun(struct trace_thread *); /* time until here is charged to nothing */
/* The event of a new team is kept: the time since its end was the tracer's. */
void trace_team_kept(struct trace_thread *);
void trace_finishing(void);
void trace_finished(void);
void trace_exiting(int status);
void trace_control(int level); /* of shmem_pcontrol */

#pragma GCC visibility pop

#endif
