/*
 * Changes the phase, and counts in each by PAPI, which is loaded only when asked for, so that the
 * tracer runs where it is not installed.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "trace/runtime/tracer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "trace/encode.h"
#include "trace/runtime/shmemtrace.h"

#define STRETCH_MOST_BYTES ((3 + RECORDING_COUNTERS) * 2 * NUMBER_MOST_BYTES)

struct stretch {
    uint32_t phase, thread;
    int64_t start, end; /* ticks */
    long long counts[RECORDING_COUNTERS];
};

static struct {
    size_t count;
    char *names[RECORDING_COUNTERS];
    int set; /* of PAPI */
    int (*read)(int set, long long *counts);
    pthread_t thread;
    bool open;
    struct stretch current; /* counts: at its beginning */
} counters;

static void open_stretch(uint32_t thread, uint32_t phase)
{
    counters.current.phase = phase;
    counters.current.thread = thread;
    counters.current.start = (int64_t)trace_now();
    counters.open = counters.read(counters.set, counters.current.counts) == 0;
}

static void write_stretch(struct file_records *records, const void *context)
{
    const struct stretch *stretch = context;
    struct output *output = file_next_record(records, STRETCH_MOST_BYTES, 0);
    give_number(output, stretch->phase);
    give_signed(output, stretch->start);
    give_signed(output, stretch->end);
    for (size_t i = 0; i < counters.count; i++)
        give_signed(output, stretch->counts[i]);
}

static void close_stretch(void)
{
    struct stretch now = counters.current;
    if (counters.read(counters.set, now.counts) != 0)
        return;
    now.end = (int64_t)trace_now();
    for (size_t i = 0; i < counters.count; i++)
        now.counts[i] -= counters.current.counts[i];
    file_append(BLOCK_PHASES, now.thread, write_stretch, &now);
}

static void count_phase(uint32_t thread, uint32_t phase)
{
    if (counters.count == 0 || !pthread_equal(pthread_self(), counters.thread))
        return;
    if (counters.open)
        close_stretch();
    open_stretch(thread, phase);
}

static void set_phase(uint32_t phase)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (atomic_load(&tracer.off) & OFF_ENDED || phase == trace_run.phase)
        return;
    count_phase(thread ? thread->number : 0, phase);
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

/* Levels of shmem_pcontrol: 0 is off, 1 and 2 are on. Higher ones are a library's own; the tracer
 * takes them for phases. */
void trace_control(int level)
{
    if (level <= 0)
        tracer_stop(OFF_CONTROL);
    else
        tracer_go_on(OFF_CONTROL);
    if (level > 2)
        set_phase((uint32_t)level);
}

void phases_end(void)
{
    if (counters.open && pthread_equal(pthread_self(), counters.thread))
        close_stretch();
    counters.open = false;
}

#if TRACE_PAPI
#include <papi.h>

static struct {
    int (*library_init)(int version);
    int (*create_eventset)(int *set);
    int (*name_to_code)(const char *name, int *code);
    int (*add_event)(int set, int code);
    int (*start)(int set);
    char *(*strerror)(int problem);
} papi;

static bool find_functions(void)
{
    char name[64];
    void *library = NULL;
    snprintf(name, sizeof name, "libpapi.so.%d.%d", (int)PAPI_VERSION_MAJOR(PAPI_VERSION),
             (int)PAPI_VERSION_MINOR(PAPI_VERSION));
    const struct {
        const char *name;
        void *function; /* where it goes */
    } wanted[] = {
        {"PAPI_library_init", &papi.library_init},
        {"PAPI_create_eventset", &papi.create_eventset},
        {"PAPI_event_name_to_code", &papi.name_to_code},
        {"PAPI_add_event", &papi.add_event},
        {"PAPI_start", &papi.start},
        {"PAPI_strerror", &papi.strerror},
        {"PAPI_read", &counters.read},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        /* The program may have it already. */
        void *symbol = dlsym(RTLD_DEFAULT, wanted[i].name);
        if (!symbol && !library)
            library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (!symbol && library)
            symbol = dlsym(library, wanted[i].name);
        if (!symbol)
            return false;
        memcpy(wanted[i].function, &symbol, sizeof symbol); /* ISO C has no cast between these */
    }
    return true;
}

char *phases_count(const char *names)
{
    if (!find_functions())
        return text_format("SHMEMTRACE_HW: PAPI's library is not here: install it, or do without");
    if (papi.library_init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT)
        return text_format("SHMEMTRACE_HW: PAPI cannot be started here");
    counters.set = PAPI_NULL;
    int status = papi.create_eventset(&counters.set);
    char *list = memory_text(names), *rest = list;
    for (char *name; status == PAPI_OK && (name = strsep(&rest, ","));) {
        int code = 0;
        status = papi.name_to_code(name, &code);
        if (status == PAPI_OK)
            status = papi.add_event(counters.set, code);
        if (status != PAPI_OK) {
            char *problem =
                text_format("SHMEMTRACE_HW=%s: %s cannot be counted here: %s; papi_avail "
                            "lists what can",
                            names, name, papi.strerror(status));
            free(list);
            return problem;
        }
        counters.names[counters.count++] = memory_text(name);
    }
    free(list);
    if (status == PAPI_OK)
        status = papi.start(counters.set);
    if (status != PAPI_OK)
        return text_format("SHMEMTRACE_HW=%s: these cannot be counted together: %s", names,
                           papi.strerror(status));
    counters.thread = pthread_self();
    tracer.info.counters = counters.count;
    tracer.info.counter_names = (const char *const *)counters.names;
    open_stretch(0, 0);
    return NULL;
}
#else
char *phases_count(const char *names)
{
    (void)names;
    return memory_text("SHMEMTRACE_HW: this tracer was built without PAPI");
}
#endif
