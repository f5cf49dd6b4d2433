/* The beginning and the end of a trace: hooks of the routines that start and end the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "comm/comm.h"
#include "trace/runtime/calls.h"
#include "trace/runtime/clocks.h"
#include "trace/runtime/cost.h"
#include "trace/runtime/counters.h"
#include "trace/runtime/describe.h"
#include "trace/runtime/end.h"
#include "trace/runtime/places.h"
#include "trace/runtime/plan.h"
#include "trace/runtime/save.h"

#define NO_MEMORY "out of memory; run without the tracer"

/* ---- Beginning ---- */

__attribute__((constructor)) static void loaded(void)
{
    clocks_loaded();
}

/* NULL, or what is wrong, to be freed. */
static char *prepare(void)
{
    char problem[512], word[128];
    bool good = recording_from_environment(&tracer.recording, problem, sizeof problem);
    const char *const lists[] = {"SHMEMTRACE_ONLY", tracer.recording.only, "SHMEMTRACE_EXCLUDE",
                                 tracer.recording.exclude};
    for (size_t i = 0; good && i < 4; i += 2)
        if (recording_unknown_name(lists[i + 1], trace_routines, trace_routine_count, word,
                                   sizeof word)) {
            good = false;
            snprintf(problem, sizeof problem,
                     "%s: there is no class or routine %s in this library; give put, get, "
                     "nonblocking, atomic, ..., or names such as barrier_all or long_*",
                     lists[i], word);
        }
    if (!good)
        return strdup(problem);
    trace_results = tracer.recording.results;
    trace_values = tracer.recording.values;
    return plan_routines() ? NULL : strdup(NO_MEMORY);
}

/* One PE says what is wrong, and the job ends. */
static void give_up(const char *problem, bool speaks)
{
    if (speaks) {
        tracer_say("%s", problem);
        file_refused();
    }
    shmem_global_exit(2);
    _exit(2);
}

/* One PE's problem is everybody's: returns false when a PE has one, and *speaks on the first of
 * those. */
static bool start_together(const char *problem, bool *speaks)
{
    *speaks = problem;
    if (!comm_attach()) {
        clocks_start_alone();
        return !problem;
    }
    int64_t first = problem ? -tracer.pe : INT64_MIN;
    comm_allreduce_int(comm_world(), COMM_MAX, &first, 1);
    *speaks = problem && first == -tracer.pe;
    if (first == INT64_MIN) {
        file_agree();
        clocks_start();
    }
    comm_detach();
    return first == INT64_MIN;
}

/* NULL, or what is wrong, to be freed. */
static char *create_file(void)
{
    size_t size;
    unsigned char *description = save_prepare() ? describe_run(&size) : (size = 0, NULL);
    if (!description)
        return size ? file_problem("the description does not fit", "load fewer libraries")
                    : strdup(NO_MEMORY);
    char *problem = file_create(description, size);
    free(description);
    return problem;
}

struct trace_thread *trace_started(unsigned routine)
{
    if (tracer.pid)
        return NULL;
    bool speaks;
    comm_steady(); /* programs need not end the library by shmem_finalize */
    tracer.pid = getpid();
    tracer.pe = shmem_my_pe();
    trace_pes = shmem_n_pes();
    char *problem = prepare();
    if (!problem && tracer.recording.counters)
        problem = counters_begin(tracer.recording.counters);
    if (!start_together(problem, &speaks))
        give_up(problem ? problem : "", speaks);
    places_find();
    cost_measure();
    problem = create_file();
    if (problem)
        give_up(problem, true);
    thread_watch();
    ending_watch();
    tracer_begin(recording_wants_phase(&tracer.recording, 0) ? 0 : OFF_PHASE);
    /* The first event is the library's start, before all this. */
    struct trace_thread *thread = trace_begin_otherwise(routine);
    struct tracer_thread *own = (struct tracer_thread *)thread;
    if (thread && !own->profile)
        own->encoder.time = own->encoder.base = own->journals[0]->base = tracer.loaded;
    return thread;
}

/* ---- End ---- */

/* The library may not survive its own end. */
void trace_finishing(void)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (atomic_load(&tracer.off) & OFF_ENDED)
        return;
    tracer_leave_call(); /* a handler of a signal may end the program */
    if (thread)
        thread->common.inside = true;
    int64_t begin = (int64_t)trace_now();
    clocks_finish();
    comm_steady(); /* what was loaded since */
    if (thread && !thread->profile) {
        struct position last =
            journal_find(journal_current(thread), thread->common.next, UINT64_MAX);
        calls_skip_to(thread, last.time + ((int64_t)trace_now() - begin));
    }
    if (thread)
        thread->common.inside = false;
    counters_end();
    tracer_save_to_keep("finalize");
}

void trace_finished(void)
{
    tracer_save("finalize", true);
}

void trace_exiting(int status)
{
    (void)status;
    counters_end();
    tracer_save("global_exit", true);
}
