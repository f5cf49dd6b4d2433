/* The tracer's state, and who may change it. */
#define _GNU_SOURCE /* SYS_gettid */
#include "trace/runtime/state.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
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
