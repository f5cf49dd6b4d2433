#include "trace/runtime/runtime.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
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
#include "trace/runtime/internal.h"
#include "trace/runtime/shmemtrace.h"

/* Small enough to stay in the processor's cache until it is encoded. */
#define STREAM_JOURNAL_BYTES (32 * 1024)
#define RING_JOURNAL_BYTES (64 * 1024)
#define NO_MEMORY "out of memory; run without the tracer"

struct trace_run trace_run;
struct tracer tracer = {.off = OFF_ENDED};
bool trace_results;
int trace_pes;
__thread struct trace_thread *trace_this_thread __attribute__((tls_model("initial-exec")));

/* Encodes what is not encoded yet when the program ends, perhaps of a signal: from a copy, since
 * other threads go on writing. */
static struct saver {
    struct encoder encoder;
    unsigned char payload[BLOCK_BYTES];
    struct journal *copy; /* as large as one of a ring */
} * saver;

static atomic_uint_fast64_t unrecorded; /* calls of threads that there was no memory for */

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

/* The call with that index, or the journal's end. What cannot be is taken for the end. */
static struct position find_call(const struct journal *journal, const void *end, uint64_t index)
{
    struct position at = {first_entry(journal), atomic_load(&journal->first), journal->base};
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

/* From here on the thread writes into this journal, which follows what ended at base. Who copies
 * its entries meanwhile sees by first that they are no longer the same. */
static void open_journal(struct tracer_thread *thread, struct journal *journal, int64_t base)
{
    __atomic_store_n(&thread->common.next, first_entry(journal), __ATOMIC_RELEASE);
    thread->common.enough = (const char *)journal->entries + journal_bytes() - ENTRY_MOST_BYTES;
    journal->base = base;
    atomic_store(&journal->first, thread->common.calls);
}

/* The pages of a journal that is used for the first time, all at once: one by one they cost several
 * times as much. Older kernels do not know how. */
static void touch(struct journal *journal)
{
#ifdef MADV_POPULATE_WRITE
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t begin = ((uintptr_t)journal + page - 1) / page * page;
    uintptr_t end = ((uintptr_t)journal->entries + RING_JOURNAL_BYTES + page - 1) / page * page;
    madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
#else
    (void)journal;
#endif
}

/* The oldest journal of the ring gives way. */
static void turn_ring(struct tracer_thread *thread, int64_t base)
{
    size_t next = (thread->current + 1) % thread->journal_count;
    if (next == thread->opened) {
        touch(thread->journals[next]);
        thread->opened++;
    }
    atomic_store(&current_journal(thread)->end, thread->common.next);
    atomic_store(&thread->journals[next]->end, NULL);
    open_journal(thread, thread->journals[next], base);
    thread->current = next;
}

/* ---- Blocks ---- */

/* done: of the encoder, read once. */
static struct block_head head_of(uint32_t thread, const struct encoder *encoder, uint64_t done)
{
    return (struct block_head){
        .kind = BLOCK_EVENTS,
        .bytes = (uint32_t)done & ((UINT32_C(1) << ENCODER_BYTES_BITS) - 1),
        .thread = thread,
        .records = (uint32_t)((done >> ENCODER_BYTES_BITS) - encoder->first),
        .first = encoder->first,
        .base = encoder->base,
        .phase = encoder->base_phase,
    };
}

static void write_block(struct tracer_thread *thread)
{
    struct encoder *encoder = &thread->encoder;
    bool good = tracer_lock();
    thread->buffer->head = head_of(thread->number, encoder, encoder->done);
    if (!good || !file_write_block(thread->buffer))
        thread->lost += encoder_events(encoder);
    encoder_begin(encoder, thread->buffer->payload);
    tracer_unlock();
}

static void encode_journal(struct tracer_thread *thread)
{
    struct journal *journal = current_journal(thread);
    const struct trace_entry *entry = first_entry(journal);
    for (;;) {
        entry = encode_entries(&thread->encoder, entry, thread->common.next, BLOCK_BYTES);
        if (entry >= thread->common.next)
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

/* A ring costs what is written into it, not what it might hold: pages come when they are used.
 * NULL: there is no room for them. */
static char *reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static bool allocate_journals(struct tracer_thread *thread)
{
    bool ring = tracer.settings.ring > 0;
    size_t count = ring ? tracer.settings.ring / RING_JOURNAL_BYTES : 1;
    size_t each = sizeof(struct journal) + journal_bytes();
    char *memory = ring ? reserve(count * each) : calloc(count, each);
    thread->journals = calloc(count, sizeof(struct journal *));
    bool good = memory && thread->journals;
    if (!ring) {
        thread->buffer = malloc(sizeof *thread->buffer);
        good = allocate_encoder(&thread->encoder) && thread->buffer && good;
    }
    if (!good) {
        if (ring && memory)
            munmap(memory, count * each);
        else
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

static void leave_aside(struct tracer_thread *thread)
{
    thread->common.next = thread->next_kept;
    thread->common.enough = thread->enough_kept;
    atomic_store(&thread->is_aside, false);
}

/* Streaming, what a thread leaves behind is written; in a ring it stays until the end. */
static void thread_ends(void *data)
{
    struct tracer_thread *thread = data;
    struct tracer_hold hold;
    trace_this_thread = NULL;
    if (tracer.settings.ring || tracer.settings.summary || atomic_load(&tracer.off) & OFF_ENDED)
        return;
    tracer_hold(&hold);
    if (thread->is_aside)
        leave_aside(thread); /* cancelled there */
    encode_journal(thread);
    if (encoder_bytes(&thread->encoder))
        write_block(thread);
    /* Whoever saves must not find what is given back. */
    tracer_lock();
    thread->journal_count = 0;
    free(thread->journals[0]);
    free(thread->journals);
    free(thread->buffer);
    free_encoder(&thread->encoder);
    tracer_unlock();
    tracer_release(&hold);
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
        atomic_fetch_add(&unrecorded, 1);
        free(thread);
        return NULL;
    }
    if (thread->journals) {
        thread->opened = 1;
        open_journal(thread, thread->journals[0], (int64_t)trace_now());
    }
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

void tracer_leave_call(void)
{
    struct tracer_thread *thread = (struct tracer_thread *)trace_this_thread;
    if (!thread || tracer.pid != getpid())
        return;
    if (thread->is_aside)
        leave_aside(thread);
    if (thread->journals)
        thread->common.calls =
            find_call(current_journal(thread), thread->common.next, UINT64_MAX).index;
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
        atomic_store(&own->is_aside, true);
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
    if (off & (OFF_PHASE | OFF_CONTROL))
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
    if (own->is_aside) {
        end_aside(own, entry);
        return;
    }
    if (atomic_load(&tracer.off) & OFF_ENDED)
        return; /* this was the last call */
    struct tracer_hold hold;
    tracer_hold(&hold);
    if (tracer.settings.ring)
        turn_ring(own, (int64_t)entry->end);
    else
        encode_journal(own);
    tracer_release(&hold);
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
    if (speaks) {
        tracer_say("%s", problem);
        file_refused();
    }
    shmem_global_exit(2);
    _exit(2);
}

static bool allocate_saver(void)
{
    saver = calloc(1, sizeof *saver);
    if (saver)
        saver->copy = malloc(sizeof *saver->copy + RING_JOURNAL_BYTES);
    return saver && saver->copy && allocate_encoder(&saver->encoder);
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
    if (!problem && tracer.settings.counters)
        problem = counters_begin(tracer.settings.counters);
    if (!clocks_start(problem, &speaks))
        give_up(problem ? problem : "", speaks);
    places_find();
    problem = allocate_saver() ? file_create() : strdup(NO_MEMORY);
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

/* Where a journal ends; NULL: nothing is in it. */
static const void *journal_end(const struct tracer_thread *thread, size_t at)
{
    const struct journal *journal = thread->journals[at];
    const void *end = atomic_load(&journal->end);
    if (!end && at == thread->current) {
        end = __atomic_load_n(&thread->common.next, __ATOMIC_ACQUIRE);
        if (end >= (const void *)thread->aside &&
            end <= (const void *)(thread->aside + sizeof thread->aside / sizeof *thread->aside))
            end = thread->next_kept;
    }
    /* The thread may have turned the ring in between. */
    const char *entries = (const char *)journal->entries;
    return (const char *)end > entries && (const char *)end <= entries + journal_bytes() ? end
                                                                                         : NULL;
}

/* To the saver's journal. Returns where it ends there. */
static const void *copy_journal(const struct tracer_thread *thread, size_t at)
{
    const struct journal *journal = thread->journals[at];
    struct journal *copy = saver->copy;
    for (int attempt = 0; attempt < 10; attempt++) {
        uint64_t first = atomic_load(&journal->first);
        const char *end = journal_end(thread, at);
        size_t bytes = end ? (size_t)(end - (const char *)journal->entries) : 0;
        memcpy(copy->entries, journal->entries, bytes);
        copy->base = journal->base;
        copy->first = first;
        atomic_thread_fence(memory_order_acquire);
        if (atomic_load(&journal->first) == first)
            return (const char *)copy->entries + bytes;
    }
    return copy->entries;
}

/* Writes calls from one on that no block has yet, as file_write_at does, and goes there. Returns
 * how many are in the file now. */
static uint64_t save_calls(const struct tracer_thread *thread, struct position *from,
                           const void *to, off_t *end, bool *open)
{
    struct encoder *encoder = &saver->encoder;
    uint64_t written = 0;
    encoder->done = from->index << ENCODER_BYTES_BITS;
    encoder->time = from->time;
    encoder->phase = 0;
    while (*open && (const void *)from->entry < to) {
        encoder_begin(encoder, saver->payload);
        from->entry = encode_entries(encoder, from->entry, to, BLOCK_BYTES);
        from->index = encoder_total(encoder);
        struct block_head head = head_of(thread->number, encoder, encoder->done);
        *open = file_write_at(end, &head, saver->payload);
        written += *open ? head.records : 0;
    }
    return written;
}

/* Adds what became of the thread's calls. keep: what is in the file now stays there. */
static void save_thread(struct tracer_thread *thread, bool open, bool keep, off_t *end,
                        struct kept *kept)
{
    struct encoder *encoder = &thread->encoder;
    const bool ring = thread->journal_count > 1;
    /* This thread writes no calls now, so its ring need not be copied. */
    const bool own = ring && &thread->common == trace_this_thread;
    const void *copied = NULL;
    uint64_t done;
    /* What is encoded meanwhile is not in its journal any more when that is emptied. */
    do {
        done = __atomic_load_n(&encoder->done, __ATOMIC_ACQUIRE);
        if (thread->journal_count == 1)
            copied = copy_journal(thread, 0);
    } while (thread->journal_count == 1 && saver->copy->first > done >> ENCODER_BYTES_BITS);
    const uint64_t before = done >> ENCODER_BYTES_BITS;
    uint64_t saved = encoder->first - thread->lost, seen = 0, overwritten = thread->overwritten;
    struct block_head head = head_of(thread->number, encoder, done);
    if (open && head.bytes > 0) {
        open = file_write_at(end, &head, encoder->payload);
        saved += open ? head.records : 0;
    }
    const size_t current = thread->current;
    for (size_t i = 1; i <= thread->journal_count; i++) {
        size_t at = (current + i) % thread->journal_count;
        if (at >= thread->opened)
            continue;
        const struct journal *journal = saver->copy;
        if (own) {
            journal = thread->journals[at];
            copied = journal_end(thread, at);
            copied = copied ? copied : journal->entries;
        } else if (ring) {
            copied = copy_journal(thread, at);
        }
        if (ring && journal->first < seen)
            continue; /* the ring has turned meanwhile */
        if (seen == 0 && journal->first > before)
            overwritten += journal->first - before;
        struct position from = find_call(journal, copied, before), last = {copied, 0, 0};
        if (!own)
            last = find_call(journal, copied, UINT64_MAX);
        saved += save_calls(thread, &from, last.entry, end, &open);
        last = open ? from : find_call(journal, copied, UINT64_MAX);
        seen = last.index > seen ? last.index : seen;
    }
    const uint64_t calls = seen > before ? seen : before;
    const uint64_t missing = calls - saved;
    kept->events += saved;
    kept->dropped += missing + thread->refused;
    kept->lost += (missing > overwritten ? missing - overwritten : 0) + thread->refused;
    if (keep && ring) {
        encoder->first = calls;
        encoder->done = calls << ENCODER_BYTES_BITS;
        thread->lost = missing;
        thread->overwritten = overwritten;
    }
}

enum save { SAVE_FOR_NOW, SAVE_TO_KEEP, SAVE_LAST };

static void save(const char *reason, enum save mode)
{
    struct tracer_hold hold;
    if (!saver || tracer.pid != getpid())
        return;
    tracer_hold(&hold);
    if (tracer_lock()) {
        bool last = mode == SAVE_LAST;
        int off = last ? tracer_stop(OFF_ENDED) : atomic_load(&tracer.off);
        off_t end = file_end();
        struct kept kept = {.dropped = unrecorded, .lost = unrecorded};
        for (struct tracer_thread *thread = tracer.threads; thread; thread = thread->next)
            if (!thread->profile)
                save_thread(thread, !(off & (OFF_FAILED | OFF_LIMIT)), mode == SAVE_TO_KEEP, &end,
                            &kept);
        if (mode == SAVE_TO_KEEP && tracer.settings.ring)
            file_keep(end);
        uint64_t calls = kept.events + kept.lost;
        for (const struct tracer_thread *thread = tracer.threads; thread; thread = thread->next)
            if (thread->profile) {
                uint64_t lost = profile_write(thread->profile, thread->number, &end, &calls);
                kept.dropped += lost + thread->refused;
                kept.lost += lost + thread->refused;
            }
        counters_write(&end);
        file_write_ending(reason, &kept, end, last);
        if (last)
            file_report_lost(kept.lost, calls);
    }
    tracer_unlock();
    tracer_release(&hold);
}

void tracer_save(const char *reason, bool last)
{
    save(reason, last ? SAVE_LAST : SAVE_FOR_NOW);
}

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
        struct position last = find_call(current_journal(thread), thread->common.next, UINT64_MAX);
        skip_to(thread, last.time + ((int64_t)trace_now() - begin));
    }
    if (thread)
        thread->common.inside = false;
    counters_end();
    save("finalize", SAVE_TO_KEEP);
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
