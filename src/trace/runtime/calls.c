/* Begins and ends calls that need more than being written down. */
#include "trace/runtime/calls.h"

#include "trace/runtime/plan.h"
#include "trace/runtime/profile.h"

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
    if (off & OFF_ENDED || (thread && thread->inside) || plan_of(routine) == PLAN_IGNORE)
        return NULL;
    if (!thread)
        thread = thread_create();
    if (!thread)
        return NULL;
    thread->inside = true;
    if (off || tracer.recording.summary || plan_of(routine) != PLAN_RECORD) {
        thread_go_aside((struct tracer_thread *)thread);
    }
    return thread;
}

/* What is done instead of recording. */
static void end_aside(struct tracer_thread *thread, const struct trace_entry *entry)
{
    unsigned routine = entry_routine(entry->of);
    int off = atomic_load(&tracer.off);
    thread->common.calls--;
    thread_leave_aside(thread);
    if (plan_of(routine) != PLAN_RECORD)
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
        journal_turn(own, (int64_t)entry->end);
    } else {
        journal_encode(own);
        calls_skip_to(own, (int64_t)trace_now()); /* the application did not compute meanwhile */
    }
    tracer_release(&hold);
}

void calls_skip_to(struct tracer_thread *thread, int64_t time)
{
    struct trace_entry *entry = thread->common.next;
    if (thread->profile)
        return;
    *entry = (struct trace_entry){.of = ENTRY_SKIP, .end = (uint64_t)time};
    thread->common.calls--; /* is none */
    trace_end(&thread->common, entry, 0);
}

void trace_begun(struct trace_thread *thread)
{
    calls_skip_to((struct tracer_thread *)thread, (int64_t)trace_now());
}

void trace_team_kept(struct trace_thread *thread)
{
    if (!atomic_load(&tracer.off))
        trace_begun(thread);
}
