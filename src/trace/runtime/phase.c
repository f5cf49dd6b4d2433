/* Phases of the application, and shmem_pcontrol. */
#include "trace/runtime/counters.h"
#include "trace/runtime/plan.h"
#include "trace/runtime/shmemtrace.h"
#include "trace/runtime/thread.h"

static void set_phase(uint32_t phase)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (atomic_load(&tracer.off) & OFF_ENDED || phase == trace_run.phase)
        return;
    counters_phase(thread ? thread->number : 0, phase);
    trace_run.phase = phase;
    if (recording_wants_phase(&tracer.recording, phase))
        tracer_go_on(OFF_PHASE);
    else
        tracer_stop(OFF_PHASE);
}

__attribute__((visibility("default"))) void shmemtrace_phase(int phase)
{
    set_phase((uint32_t)phase);
}

/* Levels of shmem_pcontrol: 0 off, 1 and 2 on, what is above is a library's own: a phase. */
void trace_control(int level)
{
    if (level <= 0)
        tracer_stop(OFF_CONTROL);
    else
        tracer_go_on(OFF_CONTROL);
    if (level > 2)
        set_phase((uint32_t)level);
}
