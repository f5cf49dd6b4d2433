#include "trace/runtime.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "comm/comm.h"
#include "trace/encode_inline.h"
#include "trace/runtime_internal.h"
#include "trace/shmemtrace.h"

/* Peers whose events with one call site are compared with their own last ones; with more, several
 * share one. */
#define PEERS_APART 64

struct trace_run trace_run;
struct tracer tracer = {.off = OFF_ENDED};
bool trace_results;
int trace_pes;
__thread struct trace_thread *trace_this_thread __attribute__((tls_model("initial-exec")));

static pthread_key_t thread_key; /* so that threads that end are noticed */

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

/* ---- Blocks ---- */

static struct buffer *buffer_of(const struct tracer_thread *thread)
{
    return thread->buffers[thread->current];
}

static struct block_head head_of(const struct tracer_thread *thread, uint64_t done)
{
    return (struct block_head){.kind = BLOCK_EVENTS,
                               .bytes = (uint32_t)done,
                               .thread = thread->number,
                               .records = (uint32_t)(done >> 32),
                               .first = thread->first,
                               .base = thread->base,
                               .phase = thread->phase};
}

static void begin_block(struct tracer_thread *thread)
{
    thread->base = thread->encoder.time;
    thread->phase = thread->encoder.phase;
    encoder_begin(&thread->encoder, buffer_of(thread)->payload);
}

static void write_block(struct tracer_thread *thread)
{
    uint64_t done = thread->encoder.done;
    buffer_of(thread)->head = head_of(thread, done);
    if (!file_write_block(buffer_of(thread), &thread->writing))
        thread->lost += done >> 32;
    thread->first += done >> 32;
    thread->encoder.done = 0;
    thread->writing = -1;
}

/* The oldest block of the ring gives way. At any moment a block is either sealed or being filled.
 */
static void turn_ring(struct tracer_thread *thread)
{
    uint64_t done = thread->encoder.done;
    size_t next = (thread->current + 1) % thread->buffer_count;
    if (!thread->buffers[next])
        thread->buffers[next] = malloc(sizeof *thread->buffers[next]);
    if (!thread->buffers[next]) {
        next = thread->current; /* no memory: the ring is as small as that */
        thread->lost += done >> 32;
    } else {
        buffer_of(thread)->head = head_of(thread, done);
        thread->sealed[thread->current] = true;
    }
    thread->first += done >> 32;
    thread->encoder.done = 0;
    if (next != thread->current && thread->sealed[next]) {
        thread->lost += thread->buffers[next]->head.records;
        thread->sealed[next] = false;
    }
    thread->current = next;
}

static void end_block(struct tracer_thread *thread)
{
    if (tracer.settings.ring)
        turn_ring(thread);
    else
        write_block(thread);
    begin_block(thread);
}

/* ---- Threads ---- */

static void free_thread_buffers(struct tracer_thread *thread)
{
    for (size_t i = 0; thread->buffers && i < thread->buffer_count; i++)
        free(thread->buffers[i]);
    free(thread->buffers);
    free(thread->sealed);
    free(thread->encoder.latest);
    free(thread->encoder.series);
    thread->buffers = NULL;
}

/* Streaming, what a thread leaves behind is written; in a ring it stays until the end. */
static void thread_ends(void *data)
{
    struct tracer_thread *thread = data;
    trace_this_thread = NULL;
    thread->common.inside = true;
    if (tracer.settings.ring || tracer.settings.summary || atomic_load(&tracer.off) & OFF_ENDED)
        return;
    if (thread->encoder.done)
        write_block(thread);
}

static struct series_kind *kinds; /* by routine */

static bool allocate_buffers(struct tracer_thread *thread)
{
    thread->buffer_count = tracer.settings.ring ? tracer.settings.ring / BLOCK_BYTES : 1;
    thread->buffers = calloc(thread->buffer_count, sizeof *thread->buffers);
    thread->sealed = calloc(thread->buffer_count, sizeof *thread->sealed);
    thread->encoder.routines = trace_routine_count;
    thread->encoder.kinds = kinds;
    thread->encoder.latest = calloc(trace_routine_count, sizeof *thread->encoder.latest);
    thread->encoder.series = calloc(SERIES_MOST, sizeof *thread->encoder.series);
    if (thread->buffers)
        thread->buffers[0] = malloc(sizeof *thread->buffers[0]);
    if (thread->buffers && thread->buffers[0] && thread->sealed && thread->encoder.latest &&
        thread->encoder.series)
        return true;
    free_thread_buffers(thread);
    return false;
}

struct trace_thread *trace_thread_first(void)
{
    if (atomic_load(&tracer.off) & OFF_ENDED)
        return NULL;
    struct tracer_thread *thread = calloc(1, sizeof *thread);
    if (thread && tracer.settings.summary)
        thread->profile = profile_create();
    if (!thread || (tracer.settings.summary ? !thread->profile : !allocate_buffers(thread))) {
        free(thread);
        return NULL;
    }
    thread->writing = -1;
    thread->encoder.time = (int64_t)trace_now();
    thread->encoder.phase = tracer.phase;
    if (!tracer.settings.summary)
        begin_block(thread);
    thread->number = atomic_fetch_add(&tracer.thread_count, 1);
    thread->next = atomic_load(&tracer.threads);
    while (!atomic_compare_exchange_weak(&tracer.threads, &thread->next, thread))
        ;
    pthread_setspecific(thread_key, thread);
    trace_this_thread = &thread->common;
    return trace_this_thread;
}

/* ---- Events ---- */

static inline uint64_t bytes_of(const struct trace_routine *routine, const int64_t *values)
{
    uint32_t before = routine->fields & ((1u << TRACE_BYTES) - 1);
    if (routine->fields >> TRACE_BYTES & 1)
        return (uint64_t)values[__builtin_popcount(before)];
    return routine->class <= TRACE_ATOMIC ? routine->element_bytes : 0;
}

__attribute__((noinline)) static void keep_elsewhere(struct tracer_thread *thread, unsigned routine,
                                                     const struct trace_call *call, int off)
{
    const struct trace_plan *plan = &trace_run.plans[routine];
    if (off & (OFF_LIMIT | OFF_FAILED))
        thread->refused++;
    else if (!off)
        profile_add(thread->profile, routine, tracer.phase, plan->keyed ? call->values[0] : -1,
                    bytes_of(&trace_routines[routine], call->values),
                    (int64_t)(call->end - call->start));
}

__attribute__((always_inline)) static inline void keep(struct trace_thread *common,
                                                       unsigned routine, unsigned flags,
                                                       const struct trace_call *call, unsigned n)
{
    struct tracer_thread *thread = (struct tracer_thread *)common;
    const struct trace_plan *plan = &trace_run.plans[routine];
    int off = atomic_load_explicit(&tracer.off, memory_order_relaxed);
    if (__builtin_expect(plan->what == TRACE_RECORD, 1)) {
        if (__builtin_expect(off | (thread->profile != NULL), 0)) {
            keep_elsewhere(thread, routine, call, off);
        } else {
            uint64_t key = (uint64_t)(uintptr_t)call->caller << 16 ^ routine << 6;
            if (n > 0)
                key ^= (uint64_t)call->values[0] & plan->keyed;
            encode_inline(&thread->encoder, key, routine, call->start, call->end,
                          atomic_load_explicit(&tracer.phase, memory_order_relaxed), flags, n,
                          call->values);
            if (__builtin_expect(encoder_bytes(&thread->encoder) > BLOCK_BYTES - EVENT_MOST_BYTES,
                                 0))
                end_block(thread);
        }
    }
    common->inside = false;
}

void trace_keep_3(struct trace_thread *thread, unsigned routine, unsigned flags,
                  const struct trace_call *call)
{
    keep(thread, routine, flags, call, 3);
}

void trace_keep_4(struct trace_thread *thread, unsigned routine, unsigned flags,
                  const struct trace_call *call)
{
    keep(thread, routine, flags, call, 4);
}

void trace_keep_5(struct trace_thread *thread, unsigned routine, unsigned flags,
                  const struct trace_call *call)
{
    keep(thread, routine, flags, call, 5);
}

void trace_keep(struct trace_thread *thread, unsigned routine, unsigned flags,
                const struct trace_call *call, unsigned n)
{
    keep(thread, routine, flags, call, n);
    struct tracer_thread *own = (struct tracer_thread *)thread;
    if (__builtin_expect(own->beginning, 0)) {
        own->beginning = false;
        if (!own->profile)
            encoder_skip(&own->encoder, (int64_t)trace_now());
    }
}

/* ---- Phases ---- */

static void set_phase(uint32_t phase)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (atomic_load(&tracer.off) & OFF_ENDED || phase == tracer.phase)
        return;
    counters_phase(thread ? thread->number : 0, phase);
    tracer.phase = phase;
    if (settings_wants_phase(&tracer.settings, phase))
        atomic_fetch_and(&tracer.off, ~OFF_PHASE);
    else
        atomic_fetch_or(&tracer.off, OFF_PHASE);
}

__attribute__((visibility("default"))) void shmemtrace_phase(int phase)
{
    set_phase((uint32_t)phase);
}

/* Levels of shmem_pcontrol: 0 off, 1 and 2 on, what is above is a library's own: a phase. */
void trace_control(int level)
{
    if (level <= 0)
        atomic_fetch_or(&tracer.off, OFF_CONTROL);
    else
        atomic_fetch_and(&tracer.off, ~OFF_CONTROL);
    if (level > 2)
        set_phase((uint32_t)level);
}

/* ---- Beginning ---- */

__attribute__((constructor)) static void loaded(void)
{
    clocks_loaded();
}

static int plan_of(const struct trace_routine *routine, bool usual)
{
    const struct settings *settings = &tracer.settings;
    bool query = routine->class == TRACE_QUERY;
    bool wanted = settings->only ? settings_names(settings->only, routine)
                                 : usual || (query && settings->queries);
    if (wanted && !settings_names(settings->exclude, routine))
        return TRACE_RECORD;
    return query ? TRACE_IGNORE : TRACE_GUARD;
}

static bool plan_routines(void)
{
    trace_run.plans = calloc(trace_routine_count, sizeof *trace_run.plans);
    kinds = calloc(trace_routine_count, sizeof *kinds);
    if (!trace_run.plans || !kinds)
        return false;
    for (unsigned i = 0; i < trace_routine_count; i++) {
        kinds[i] = series_kind(&trace_routines[i]);
        trace_run.plans[i] =
            (struct trace_plan){(uint8_t)plan_of(&trace_routines[i], trace_routine_on[i]),
                                trace_routines[i].fields >> TRACE_PEER & 1 ? PEERS_APART - 1 : 0};
    }
    return true;
}

/* NULL, or what is wrong, to be freed. */
static char *prepare(void)
{
    char problem[512], word[128];
    bool good = settings_from_environment(&tracer.settings, problem, sizeof problem);
    const char *const lists[] = {"SHMEMTRACE_ONLY", tracer.settings.only, "SHMEMTRACE_EXCLUDE",
                                 tracer.settings.exclude};
    for (size_t i = 0; good && i < 4; i += 2)
        if (settings_unknown_name(lists[i + 1], trace_routines, trace_routine_count, word,
                                  sizeof word)) {
            good = false;
            snprintf(problem, sizeof problem,
                     "%s: there is no class or routine %s in this library; give put, get, "
                     "nonblocking, atomic, ..., or names such as barrier_all or long_*",
                     lists[i], word);
        }
    if (!good)
        return strdup(problem);
    trace_results = tracer.settings.results;
    return plan_routines() ? NULL : strdup("out of memory; run without the tracer");
}

/* One PE says what is wrong, and the job ends. */
static void give_up(const char *problem, bool speaks)
{
    if (speaks)
        tracer_say("%s", problem);
    shmem_global_exit(2);
    _exit(2);
}

struct trace_thread *trace_started(unsigned routine)
{
    (void)routine;
    if (tracer.pid)
        return NULL;
    bool speaks;
    tracer.pid = getpid();
    tracer.pe = shmem_my_pe();
    trace_pes = shmem_n_pes();
    char *problem = prepare();
    if (!problem && tracer.settings.counters)
        problem = counters_begin(tracer.settings.counters);
    if (!clocks_start(problem, &speaks))
        give_up(problem ? problem : "", speaks);
    places_find();
    problem = file_create();
    if (problem)
        give_up(problem, true);
    pthread_key_create(&thread_key, thread_ends);
    ending_watch();
    int off = settings_wants_phase(&tracer.settings, 0) ? 0 : OFF_PHASE;
    atomic_store(&tracer.off, off);
    struct trace_thread *thread = trace_thread_first();
    if (thread) {
        /* The first event is the library's start, before all this. */
        struct tracer_thread *own = (struct tracer_thread *)thread;
        own->encoder.time = own->base = tracer.loaded;
        own->beginning = true;
        thread->inside = true;
    }
    return thread;
}

/* ---- End ---- */

/* Returns how many events there was no room for. */
static uint64_t save_thread(const struct tracer_thread *thread, off_t *end)
{
    uint64_t missing = 0;
    for (size_t i = 1; i <= thread->buffer_count; i++) {
        size_t at = (thread->current + i) % thread->buffer_count;
        const struct buffer *buffer = thread->buffers[at];
        uint64_t done = thread->encoder.done;
        if (thread->sealed[at]) {
            missing +=
                file_write_at(end, &buffer->head, buffer->payload) ? 0 : buffer->head.records;
        } else if (at == thread->current && done) {
            struct block_head head = head_of(thread, done);
            /* Interrupted while writing it: the same again. */
            off_t there = thread->writing;
            missing +=
                file_write_at(there >= 0 ? &there : end, &head, buffer->payload) ? 0 : head.records;
        }
    }
    return missing;
}

void tracer_save(const char *reason, bool last)
{
    int off = atomic_load(&tracer.off);
    if (off & OFF_ENDED || tracer.pid != getpid())
        return;
    if (last)
        atomic_fetch_or(&tracer.off, OFF_ENDED);
    off_t end = file_end();
    uint64_t events = 0, dropped = 0;
    for (const struct tracer_thread *thread = tracer.threads; thread; thread = thread->next) {
        dropped += thread->lost + thread->refused;
        if (thread->profile) {
            profile_write(thread->profile, thread->number, &end);
            continue;
        }
        uint64_t waiting = thread->encoder.done >> 32;
        bool open = !(off & (OFF_FAILED | OFF_LIMIT));
        events += thread->first - thread->lost + (open ? waiting : 0);
        dropped += open ? 0 : waiting;
        uint64_t missing = open && thread->buffers ? save_thread(thread, &end) : 0;
        events -= missing;
        dropped += missing;
    }
    counters_write(&end);
    file_write_ending(reason, events, dropped, end, last);
}

/* The library may not survive its own end. */
void trace_finishing(void)
{
    struct trace_thread *thread = trace_this_thread;
    if (atomic_load(&tracer.off) & OFF_ENDED)
        return;
    if (thread)
        thread->inside = true;
    int64_t begin = (int64_t)trace_now();
    clocks_finish();
    comm_steady();
    if (thread) {
        struct tracer_thread *own = (struct tracer_thread *)thread;
        if (!own->profile)
            encoder_skip(&own->encoder, own->encoder.time + ((int64_t)trace_now() - begin));
        thread->inside = false;
    }
    counters_end();
    tracer_save("finalize", false);
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
