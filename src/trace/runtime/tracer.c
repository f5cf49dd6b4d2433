/* The tracer's state, who may change it, and which calls are recorded. */
#define _GNU_SOURCE /* SYS_gettid */
#include "trace/runtime/tracer.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct trace_run trace_run;
struct tracer tracer = {.off = OFF_ENDED};
bool trace_results;
bool trace_values;
int trace_pes;
__thread struct trace_thread *trace_this_thread __attribute__((tls_model("initial-exec")));

uint64_t trace_now_slowly(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void tracer_say(const char *format, ...)
{
    char text[4600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "shmemtrace: PE %d: %s\n", tracer.pe, text);
}

/* ---- Which calls are recorded ---- */

struct trace_series_kind *plan_kinds;
uint8_t *tracer_plans;
static bool *quick_some, *quick_none; /* by routine, see struct trace_run */

/* Signal handlers and other threads may change tracer.off at the same time. */
static void choose_quick(void)
{
    bool never =
        tracer.recording.summary || trace_run.clock_gettime || tracer.recording.callsites > 1;
    int off;
    do {
        off = atomic_load(&tracer.off);
        atomic_store(&trace_run.quick, off || never ? quick_none : quick_some);
    } while (off != atomic_load(&tracer.off));
}

int tracer_stop(int reasons)
{
    int before = atomic_fetch_or(&tracer.off, reasons);
    choose_quick();
    return before;
}

void tracer_go_on(int reasons)
{
    atomic_fetch_and(&tracer.off, ~reasons);
    choose_quick();
}

void tracer_begin(int reasons)
{
    atomic_store(&tracer.off, reasons);
    choose_quick();
}

static enum plan choose_plan(const struct trace_routine *routine, bool usual)
{
    const struct recording *recording = &tracer.recording;
    bool query = routine->class == TRACE_QUERY;
    bool wanted = recording->only ? trace_list_names(recording->only, routine)
                                  : usual || (query && recording->queries);
    if (wanted && !trace_list_names(recording->exclude, routine))
        return PLAN_RECORD;
    return query ? PLAN_IGNORE : PLAN_GUARD;
}

bool plan_routines(void)
{
    tracer_plans = calloc(trace_routine_count, sizeof *tracer_plans);
    quick_some = calloc(trace_routine_count, sizeof *quick_some);
    quick_none = calloc(trace_routine_count, sizeof *quick_none);
    plan_kinds = calloc(trace_routine_count, sizeof *plan_kinds);
    if (!tracer_plans || !quick_some || !quick_none || !plan_kinds)
        return false;
    for (unsigned i = 0; i < trace_routine_count; i++) {
        tracer_plans[i] = (uint8_t)choose_plan(&trace_routines[i], trace_routine_on[i]);
        quick_some[i] = tracer_plans[i] == PLAN_RECORD &&
                        !(trace_values && trace_puts_value(&trace_routines[i]));
        plan_kinds[i] = trace_series_kind(&trace_routines[i]);
    }
    return true;
}

/* ---- One at a time ---- */

void tracer_hold(struct tracer_hold *hold)
{
    sigset_t all;
    hold->error = errno;
    sigfillset(&all);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &hold->cancel);
    pthread_sigmask(SIG_BLOCK, &all, &hold->signals);
}

void tracer_release(const struct tracer_hold *hold)
{
    pthread_sigmask(SIG_SETMASK, &hold->signals, NULL);
    pthread_setcancelstate(hold->cancel, NULL);
    errno = hold->error;
}

static atomic_int writer; /* the thread's number in the system; 0: none */

bool tracer_lock(void)
{
    const struct timespec moment = {.tv_nsec = 20000};
    int self = (int)syscall(SYS_gettid), other = 0;
    while (!atomic_compare_exchange_strong(&writer, &other, self) && other != self) {
        bool gone = syscall(SYS_tgkill, tracer.pid, other, 0) != 0 && errno == ESRCH;
        if (gone && atomic_compare_exchange_strong(&writer, &other, self))
            break;
        nanosleep(&moment, NULL);
        other = 0;
    }
    return !(atomic_load(&tracer.off) & OFF_ENDED);
}

void tracer_unlock(void)
{
    atomic_store(&writer, 0);
}
