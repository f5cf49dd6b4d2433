#include "trace/runtime.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "comm/comm.h"
#include "trace/encode.h"
#include "trace/runtime_internal.h"
#include "trace/shmemtrace.h"

/* Small enough to stay in the processor's cache until it is encoded. */
#define STREAM_JOURNAL_BYTES (16 * 1024)
#define RING_JOURNAL_BYTES (64 * 1024)
#define HUGE_PAGE_BYTES (2 * 1024 * 1024)
#define NO_MEMORY "out of memory; run without the tracer"

struct trace_run trace_run;
struct tracer tracer = {.off = OFF_ENDED};
bool trace_results;
int trace_pes;
__thread struct trace_thread *trace_this_thread __attribute__((tls_model("initial-exec")));

/* Encodes what is not encoded yet when the program ends, perhaps of a signal. */
static struct saver {
    struct encoder encoder;
    unsigned char payload[BLOCK_BYTES];
    atomic_int thread; /* that is saving; 0: none */
} * saver;

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

/* ---- Whether to record ---- */

/* What is done about a routine. */
enum plan {
    PLAN_IGNORE, /* nothing */
    PLAN_GUARD,  /* no event, but what it calls inside is not an event either */
    PLAN_RECORD
};
static uint8_t *plans;                /* by routine */
static bool *quick_some, *quick_none; /* by routine, see struct trace_run */

/* Signal handlers and other threads may change tracer.off at the same time. */
static void choose_quick(void)
{
    bool never = tracer.settings.summary || trace_run.clock_gettime;
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

/* ---- Journals ---- */

static size_t journal_bytes(void)
{
    return tracer.settings.ring ? RING_JOURNAL_BYTES : STREAM_JOURNAL_BYTES;
}

static struct journal *current_journal(const struct tracer_thread *thread)
{
    return thread->journals[thread->current];
}

static struct trace_entry *first_entry(const struct journal *journal)
{
    return (struct trace_entry *)(uintptr_t)journal->entries;
}

/* A place in a journal: the entry there, and what was before it. */
struct position {
    const struct trace_entry *entry;
    uint64_t index; /* calls before */
    int64_t time;   /* end of the last one */
};

/* The call with that index, or the journal's end. Another thread may be writing: what cannot be is
 * taken for the end. */
static struct position find_call(const struct journal *journal, const void *end, uint64_t index)
{
    struct position at = {first_entry(journal), journal->first, journal->base};
    while ((const void *)at.entry < end && at.index < index) {
        bool call = at.entry->of != ENTRY_SKIP;
        if (call && (entry_routine(at.entry->of) >= trace_routine_count ||
                     entry_values(at.entry->of) > TRACE_FIELDS))
            break;
        at.index += call;
        at.time = (int64_t)at.entry->end;
        at.entry = entry_behind(at.entry);
    }
    return at;
}

/* From here on the thread writes into this journal, which follows what ended at base. */
static void open_journal(struct tracer_thread *thread, struct journal *journal, int64_t base)
{
    __atomic_store_n(&thread->common.next, first_entry(journal), __ATOMIC_RELEASE);
    atomic_signal_fence(memory_order_seq_cst);
    journal->first = thread->common.calls;
    journal->base = base;
    thread->common.enough = (const char *)journal->entries + journal_bytes() - ENTRY_MOST_BYTES;
}

/* The oldest journal of the ring gives way. At any moment one is being filled or none. */
static void turn_ring(struct tracer_thread *thread, int64_t base)
{
    size_t next = (thread->current + 1) % thread->journal_count;
    current_journal(thread)->end = thread->common.next;
    atomic_signal_fence(memory_order_seq_cst);
    thread->journals[next]->end = NULL;
    open_journal(thread, thread->journals[next], base);
    atomic_signal_fence(memory_order_seq_cst);
    thread->current = next;
}

/* ---- Blocks ---- */

static struct block_head head_of(uint32_t thread, const struct encoder *encoder)
{
    return (struct block_head){.kind = BLOCK_EVENTS,
                               .bytes = encoder_bytes(encoder),
                               .thread = thread,
                               .records = encoder_events(encoder),
                               .first = encoder->first,
                               .base = encoder->base,
                               .phase = encoder->base_phase};
}

static void write_block(struct tracer_thread *thread)
{
    struct encoder *encoder = &thread->encoder;
    thread->buffer->head = head_of(thread->number, encoder);
    if (!file_write_block(thread->buffer, &thread->writing))
        thread->lost += encoder_events(encoder);
    encoder_begin(encoder, thread->buffer->payload);
    thread->writing = -1;
}

static void encode_journal(struct tracer_thread *thread)
{
    struct journal *journal = current_journal(thread);
    const struct trace_entry *entry = first_entry(journal);
    for (;;) {
        entry = encode_entries(&thread->encoder, entry, thread->common.next, BLOCK_BYTES);
        if (entry == thread->common.next)
            break;
        write_block(thread);
    }
    open_journal(thread, journal, thread->encoder.time);
}

/* ---- Threads ---- */

static struct series_kind *kinds; /* by routine */

static bool allocate_encoder(struct encoder *encoder)
{
    encoder->routines = trace_routine_count;
    encoder->kinds = kinds;
    encoder->heap = places_heap();
    encoder->find_range = places_range;
    encoder->latest = calloc(trace_routine_count, sizeof *encoder->latest);
    encoder->series = calloc(SERIES_MOST, sizeof *encoder->series);
    return encoder->latest && encoder->series;
}

static void free_encoder(struct encoder *encoder)
{
    free(encoder->latest);
    free(encoder->series);
}

/* All journals in one piece that is there before the first call, so that no call waits for memory.
 * NULL: there is not so much. */
static char *allocate_touched(size_t bytes)
{
    size_t whole = (bytes + HUGE_PAGE_BYTES - 1) / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
    char *memory = aligned_alloc(HUGE_PAGE_BYTES, whole);
    if (!memory)
        return NULL;
    madvise(memory, whole, MADV_HUGEPAGE);
    return memset(memory, 0, bytes);
}

static bool allocate_journals(struct tracer_thread *thread)
{
    bool ring = tracer.settings.ring > 0;
    size_t count = ring ? tracer.settings.ring / RING_JOURNAL_BYTES : 1;
    size_t each = sizeof(struct journal) + journal_bytes();
    char *memory = ring ? allocate_touched(count * each) : calloc(count, each);
    thread->journals = calloc(count, sizeof(struct journal *));
    bool good = memory && thread->journals;
    if (!ring) {
        thread->buffer = malloc(sizeof *thread->buffer);
        good = allocate_encoder(&thread->encoder) && thread->buffer && good;
    }
    if (!good) {
        free(memory);
        free(thread->journals);
        free(thread->buffer);
        free_encoder(&thread->encoder);
        return false;
    }
    thread->journal_count = count;
    for (size_t i = 0; i < count; i++)
        thread->journals[i] = (struct journal *)(void *)(memory + i * each);
    return true;
}

/* Streaming, what a thread leaves behind is written; in a ring it stays until the end. */
static void thread_ends(void *data)
{
    struct tracer_thread *thread = data;
    trace_this_thread = NULL;
    if (tracer.settings.ring || tracer.settings.summary || atomic_load(&tracer.off) & OFF_ENDED)
        return;
    encode_journal(thread);
    if (encoder_bytes(&thread->encoder))
        write_block(thread);
    thread->journal_count = 0;
    atomic_signal_fence(memory_order_seq_cst);
    free(thread->journals[0]);
    free(thread->journals);
    free(thread->buffer);
    free_encoder(&thread->encoder);
}

/* The thread's state, made at its first call; NULL when nothing is (or can be) recorded. */
static struct trace_thread *first_call(void)
{
    struct tracer_thread *thread = calloc(1, sizeof *thread);
    if (thread && tracer.settings.summary)
        thread->profile = profile_create();
    if (!thread || (tracer.settings.summary ? !thread->profile : !allocate_journals(thread))) {
        static atomic_flag said = ATOMIC_FLAG_INIT;
        if (!atomic_flag_test_and_set(&said))
            tracer_say("out of memory for what a thread calls, which is not recorded");
        free(thread);
        return NULL;
    }
    thread->writing = -1;
    if (thread->journals)
        open_journal(thread, thread->journals[0], (int64_t)trace_now());
    if (thread->buffer) {
        thread->encoder.time = thread->journals[0]->base;
        thread->encoder.phase = trace_run.phase;
        encoder_begin(&thread->encoder, thread->buffer->payload);
    }
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

static void leave_aside(struct tracer_thread *thread)
{
    thread->common.next = thread->next_kept;
    thread->common.enough = thread->enough_kept;
    atomic_signal_fence(memory_order_seq_cst);
    thread->is_aside = false;
}

void tracer_leave_call(void)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (!thread || tracer.pid != getpid())
        return;
    if (thread->is_aside)
        leave_aside(thread);
    thread->common.inside = false;
}

struct trace_thread *trace_begin_otherwise(unsigned routine)
{
    struct trace_thread *thread = trace_this_thread;
    int off = atomic_load(&tracer.off);
    if (off & OFF_ENDED || (thread && thread->inside) || plans[routine] == PLAN_IGNORE)
        return NULL;
    if (!thread)
        thread = first_call();
    if (!thread)
        return NULL;
    thread->inside = true;
    if (off || tracer.settings.summary || plans[routine] != PLAN_RECORD) {
        struct tracer_thread *own = (struct tracer_thread *)thread;
        own->next_kept = thread->next;
        own->enough_kept = thread->enough;
        own->is_aside = true;
        atomic_signal_fence(memory_order_seq_cst);
        thread->next = (struct trace_entry *)own->aside;
        thread->enough = own->aside;
    }
    return thread;
}

/* What is done instead of recording. */
static void end_aside(struct tracer_thread *thread, const struct trace_entry *entry)
{
    unsigned routine = entry_routine(entry->of);
    int off = atomic_load(&tracer.off);
    thread->common.calls--;
    leave_aside(thread);
    if (plans[routine] != PLAN_RECORD)
        return;
    if (off & (OFF_LIMIT | OFF_FAILED))
        thread->refused++;
    else if (!off && thread->profile)
        profile_add(thread->profile, routine, entry->phase,
                    kinds[routine].keyed ? entry->values[0] : -1,
                    bytes_of(&trace_routines[routine], entry->values),
                    (int64_t)(entry->end - entry->start));
}

void trace_end_otherwise(struct trace_thread *thread, const struct trace_entry *entry)
{
    struct tracer_thread *own = (struct tracer_thread *)thread;
    if (own->is_aside)
        end_aside(own, entry);
    else if (tracer.settings.ring)
        turn_ring(own, (int64_t)entry->end);
    else
        encode_journal(own);
}

/* The next burst counts from then. */
static void skip_to(struct tracer_thread *thread, int64_t time)
{
    struct trace_entry *entry = thread->common.next;
    if (thread->profile)
        return;
    *entry = (struct trace_entry){.of = ENTRY_SKIP, .end = (uint64_t)time};
    thread->common.calls--; /* is none */
    trace_end(&thread->common, entry, 0);
}

/* ---- Phases ---- */

static void set_phase(uint32_t phase)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (atomic_load(&tracer.off) & OFF_ENDED || phase == trace_run.phase)
        return;
    counters_phase(thread ? thread->number : 0, phase);
    trace_run.phase = phase;
    if (settings_wants_phase(&tracer.settings, phase))
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

/* ---- Beginning ---- */

__attribute__((constructor)) static void loaded(void)
{
    clocks_loaded();
}

static enum plan plan_of(const struct trace_routine *routine, bool usual)
{
    const struct settings *settings = &tracer.settings;
    bool query = routine->class == TRACE_QUERY;
    bool wanted = settings->only ? settings_names(settings->only, routine)
                                 : usual || (query && settings->queries);
    if (wanted && !settings_names(settings->exclude, routine))
        return PLAN_RECORD;
    return query ? PLAN_IGNORE : PLAN_GUARD;
}

static bool plan_routines(void)
{
    plans = calloc(trace_routine_count, sizeof *plans);
    quick_some = calloc(trace_routine_count, sizeof *quick_some);
    quick_none = calloc(trace_routine_count, sizeof *quick_none);
    kinds = calloc(trace_routine_count, sizeof *kinds);
    if (!plans || !quick_some || !quick_none || !kinds)
        return false;
    for (unsigned i = 0; i < trace_routine_count; i++) {
        plans[i] = (uint8_t)plan_of(&trace_routines[i], trace_routine_on[i]);
        quick_some[i] = plans[i] == PLAN_RECORD;
        kinds[i] = series_kind(&trace_routines[i]);
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
    return plan_routines() ? NULL : strdup(NO_MEMORY);
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
    saver = calloc(1, sizeof *saver);
    problem = saver && allocate_encoder(&saver->encoder) ? file_create() : strdup(NO_MEMORY);
    if (problem)
        give_up(problem, true);
    pthread_key_create(&thread_key, thread_ends);
    ending_watch();
    atomic_store(&tracer.off, settings_wants_phase(&tracer.settings, 0) ? 0 : OFF_PHASE);
    choose_quick();
    /* The first event is the library's start, before all this. */
    struct trace_thread *thread = trace_begin_otherwise(routine);
    struct tracer_thread *own = (struct tracer_thread *)thread;
    if (thread && !own->profile)
        own->encoder.time = own->encoder.base = own->journals[0]->base = tracer.loaded;
    return thread;
}

void trace_begun(struct trace_thread *thread)
{
    skip_to((struct tracer_thread *)thread, (int64_t)trace_now());
}

/* ---- End ---- */

/* Writes down calls that no block has yet, as file_write_at does. Returns how many are in the file
 * now. */
static uint64_t save_calls(const struct tracer_thread *thread, struct position from, const void *to,
                           off_t *end)
{
    struct encoder *encoder = &saver->encoder;
    uint64_t written = 0;
    encoder->done = from.index << ENCODER_BYTES_BITS;
    encoder->time = from.time;
    encoder->phase = 0;
    while ((const void *)from.entry < to) {
        encoder_begin(encoder, saver->payload);
        from.entry = encode_entries(encoder, from.entry, to, BLOCK_BYTES);
        struct block_head head = head_of(thread->number, encoder);
        written += file_write_at(end, &head, saver->payload) ? head.records : 0;
    }
    return written;
}

/* Returns how many events are in the file now that were not, and adds those that are not to
 * *missing. */
static uint64_t save_thread(const struct tracer_thread *thread, bool open, off_t *end,
                            uint64_t *missing)
{
    const struct encoder *encoder = &thread->encoder;
    uint64_t saved = encoder->first - thread->lost, calls = encoder_total(encoder);
    if (open && encoder_bytes(encoder)) {
        /* Interrupted while writing it: the same again. */
        off_t there = thread->writing;
        struct block_head head = head_of(thread->number, encoder);
        if (file_write_at(there >= 0 ? &there : end, &head, encoder->payload))
            saved += head.records;
    }
    const void *next = thread->is_aside ? thread->next_kept : thread->common.next;
    for (size_t i = 1; i <= thread->journal_count; i++) {
        size_t at = (thread->current + i) % thread->journal_count;
        const struct journal *journal = thread->journals[at];
        const void *to = at == thread->current && !journal->end ? next : journal->end;
        if (!to)
            continue;
        struct position last = find_call(journal, to, UINT64_MAX);
        if (open)
            saved +=
                save_calls(thread, find_call(journal, to, encoder_total(encoder)), last.entry, end);
        calls = last.index;
    }
    *missing += calls - saved + thread->refused;
    return saved;
}

/* Whoever comes while another thread saves waits for it, but not forever. Who interrupts their own
 * saving begins it again, unless the program goes on afterwards. */
static bool may_save(bool last)
{
    const struct timespec moment = {.tv_nsec = 1000000};
    int self = (int)syscall(SYS_gettid), other = 0;
    for (int turn = 0; turn < 10000; turn++) {
        other = 0;
        if (atomic_compare_exchange_strong(&saver->thread, &other, self) || other == self)
            break;
        nanosleep(&moment, NULL);
    }
    if (other == self)
        return last;
    if (!(atomic_load(&tracer.off) & OFF_ENDED))
        return true;
    if (!other)
        atomic_store(&saver->thread, 0);
    return false;
}

void tracer_save(const char *reason, bool last)
{
    if (!saver || tracer.pid != getpid() || !may_save(last))
        return;
    int off = last ? tracer_stop(OFF_ENDED) : atomic_load(&tracer.off);
    off_t end = file_end();
    uint64_t events = 0, dropped = 0;
    for (const struct tracer_thread *thread = tracer.threads; thread; thread = thread->next) {
        if (thread->profile) {
            dropped += thread->refused;
            profile_write(thread->profile, thread->number, &end);
        } else {
            events += save_thread(thread, !(off & (OFF_FAILED | OFF_LIMIT)), &end, &dropped);
        }
    }
    counters_write(&end);
    file_write_ending(reason, events, dropped, end, last);
    atomic_store(&saver->thread, 0);
}

/* The library may not survive its own end. */
void trace_finishing(void)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (atomic_load(&tracer.off) & OFF_ENDED)
        return;
    if (thread)
        thread->common.inside = true;
    int64_t begin = (int64_t)trace_now();
    clocks_finish();
    comm_steady();
    if (thread && !thread->profile) {
        struct position last = find_call(current_journal(thread), thread->common.next, UINT64_MAX);
        skip_to(thread, last.time + ((int64_t)trace_now() - begin));
    }
    if (thread)
        thread->common.inside = false;
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
