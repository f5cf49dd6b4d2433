/*
 * Writes traces for tests of what reads them, from a scenario on standard input: one file a "pe",
 * in the folder that is its argument. Times are in nanoseconds. Lines:
 *
 *   pe PE PES THREADS          begins a file
 *   date TEXT | command TEXT | host TEXT   of all later files; \xHH in it is that byte
 *   selection TEXT             likewise: options that left calls out
 *   version N                  of the format, of all later files
 *   cost BETWEEN INSIDE   likewise: what the tracer adds, ns
 *   beginning TIME             likewise: what times of all PEs count from
 *   dropped N                  of this file
 *   clock OFFSET               this PE's clock is ahead by so much
 *   event THREAD ROUTINE START DURATION [flags=N] [phase=N] [FIELD=N]...
 *   apart BYTES                likewise: between what PEs use in bulk; 0: all use the same bytes
 *   bulk THREAD COUNT          so many puts, gets and quiets, 1 us apart
 *   barriers THREAD COUNT      likewise
 *   counters PHASE START END N what a counter has counted
 *   profile ROUTINE PEER CALLS BYTES TIME LONGEST
 *   team NUMBER SIZE INDEX FIRST STRIDE COUNT   some of its members
 *   end REASON                 the file's ending; without it, the program was killed
 *
 * Or, for tests and the bench of shmemsim, large traces of a known pattern:
 *
 *     trace_writer FOLDER PATTERN PES ROUNDS [BYTES]
 *
 * All bursts are 1 us, and calls take 100 ns. Patterns:
 *
 *   mix      each round: put to the next PE, get from the one before, put to one farther away,
 *            quiet; every fourth round a barrier
 *   ring     each round: wait for the PE before (except PE 0 in the first), put 8 bytes to the next
 *   atomics  each round: fetching add on PE 0
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/stub/encode_event.h"

#define THREADS 16
#define BIT(field) (UINT32_C(1) << (field))
#define TRANSFER                                                                                   \
    (BIT(TRACE_PEER) | BIT(TRACE_ELEMENTS) | BIT(TRACE_BYTES) | BIT(TRACE_TARGET) |                \
     BIT(TRACE_SOURCE))
#define SET (BIT(TRACE_SET_START) | BIT(TRACE_SET_STRIDE) | BIT(TRACE_SET_SIZE))

static const struct trace_routine routines[] = {
    {"shmem_init", TRACE_SETUP, TRACE_SIGNED, 0, 0},
    {"shmem_finalize", TRACE_SETUP, TRACE_SIGNED, 0, 0},
    {"shmem_malloc", TRACE_MEMORY, TRACE_SIGNED, 0, BIT(TRACE_BYTES) | BIT(TRACE_TARGET)},
    {"shmem_long_put", TRACE_PUT, TRACE_SIGNED, 8, TRANSFER},
    {"shmem_putmem_signal", TRACE_PUT, TRACE_UNSIGNED, 1,
     TRANSFER | BIT(TRACE_VALUE) | BIT(TRACE_OPTIONS) | BIT(TRACE_SIGNAL)},
    {"shmem_double_iget", TRACE_GET, TRACE_DOUBLE, 8,
     TRANSFER | BIT(TRACE_TARGET_STRIDE) | BIT(TRACE_SOURCE_STRIDE)},
    {"shmem_ctx_int_put_nbi", TRACE_NONBLOCKING, TRACE_SIGNED, 4, TRANSFER | BIT(TRACE_CONTEXT_ID)},
    {"shmem_int_get_nbi", TRACE_NONBLOCKING, TRACE_SIGNED, 4, TRANSFER},
    {"shmem_ctx_quiet", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, BIT(TRACE_CONTEXT_ID)},
    {"shmem_ctx_destroy", TRACE_CONTEXT, TRACE_SIGNED, 0, BIT(TRACE_CONTEXT_ID)},
    {"shmem_quiet", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, 0},
    {"shmem_float_atomic_swap", TRACE_ATOMIC, TRACE_FLOAT, 4,
     BIT(TRACE_PEER) | BIT(TRACE_TARGET) | BIT(TRACE_VALUE) | BIT(TRACE_RESULT)},
    {"shmem_ulong_atomic_set", TRACE_ATOMIC, TRACE_UNSIGNED, 8,
     BIT(TRACE_PEER) | BIT(TRACE_TARGET) | BIT(TRACE_VALUE)},
    {"shmem_broadcast64", TRACE_COLLECTIVE, TRACE_SIGNED, 8,
     BIT(TRACE_ELEMENTS) | BIT(TRACE_BYTES) | BIT(TRACE_TARGET) | BIT(TRACE_SOURCE) | SET |
         BIT(TRACE_ROOT)},
    {"shmem_collect64", TRACE_COLLECTIVE, TRACE_SIGNED, 8,
     BIT(TRACE_ELEMENTS) | BIT(TRACE_BYTES) | BIT(TRACE_TARGET) | BIT(TRACE_SOURCE) | SET},
    {"shmem_barrier_all", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, SET},
    {"shmem_barrier", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, SET},
    {"shmem_team_sync", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, SET},
    {"shmem_team_split_strided", TRACE_CONTEXT, TRACE_SIGNED, 0,
     SET | BIT(TRACE_VALUE) | BIT(TRACE_RESULT)},
    {"shmem_set_lock", TRACE_LOCK, TRACE_SIGNED, 8, BIT(TRACE_TARGET)},
    {"shmem_clear_lock", TRACE_LOCK, TRACE_SIGNED, 8, BIT(TRACE_TARGET)},
    {"shmem_long_wait_until", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 8,
     BIT(TRACE_TARGET) | BIT(TRACE_COMPARISON) | BIT(TRACE_VALUE)},
    {"shmem_putmem", TRACE_PUT, TRACE_SIGNED, 1, TRANSFER | BIT(TRACE_VALUE)},
    {"shmem_int_iput", TRACE_PUT, TRACE_SIGNED, 4,
     TRANSFER | BIT(TRACE_TARGET_STRIDE) | BIT(TRACE_SOURCE_STRIDE) | BIT(TRACE_VALUE)},
    {"shmem_double_iget", TRACE_GET, TRACE_DOUBLE, 8,
     TRANSFER | BIT(TRACE_TARGET_STRIDE) | BIT(TRACE_SOURCE_STRIDE)},
    {"shmem_double_put", TRACE_PUT, TRACE_DOUBLE, 8, TRANSFER | BIT(TRACE_VALUE)},
    {"shmem_int_wait_until", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 4,
     BIT(TRACE_TARGET) | BIT(TRACE_COMPARISON) | BIT(TRACE_VALUE)},
    {"shmem_getmem", TRACE_GET, TRACE_SIGNED, 1, TRANSFER},
    {"shmem_putmem_nbi", TRACE_NONBLOCKING, TRACE_SIGNED, 1, TRANSFER},
    {"shmem_ctx_putmem_nbi", TRACE_NONBLOCKING, TRACE_SIGNED, 1, TRANSFER | BIT(TRACE_CONTEXT_ID)},
    {"shmem_long_p", TRACE_PUT, TRACE_SIGNED, 8,
     BIT(TRACE_PEER) | BIT(TRACE_TARGET) | BIT(TRACE_VALUE)},
    {"shmem_ptr", TRACE_QUERY, TRACE_SIGNED, 1, BIT(TRACE_PEER) | BIT(TRACE_TARGET)},
    {"shmem_fence", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, 0},
    {"shmem_long_test", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 8,
     BIT(TRACE_TARGET) | BIT(TRACE_COMPARISON) | BIT(TRACE_VALUE) | BIT(TRACE_RESULT)},
    {"shmem_test_lock", TRACE_LOCK, TRACE_SIGNED, 8, BIT(TRACE_TARGET) | BIT(TRACE_RESULT)},
    {"shmem_long_atomic_fetch_add", TRACE_ATOMIC, TRACE_SIGNED, 8,
     BIT(TRACE_PEER) | BIT(TRACE_TARGET) | BIT(TRACE_VALUE) | BIT(TRACE_RESULT)},
    {"shmem_long_atomic_fetch", TRACE_ATOMIC, TRACE_SIGNED, 8,
     BIT(TRACE_PEER) | BIT(TRACE_TARGET) | BIT(TRACE_RESULT)},
    {"shmem_broadcastmem", TRACE_COLLECTIVE, TRACE_SIGNED, 1,
     BIT(TRACE_ELEMENTS) | BIT(TRACE_BYTES) | BIT(TRACE_TARGET) | BIT(TRACE_SOURCE) | SET |
         BIT(TRACE_ROOT)},
    {"shmem_fcollect64", TRACE_COLLECTIVE, TRACE_SIGNED, 8,
     BIT(TRACE_ELEMENTS) | BIT(TRACE_BYTES) | BIT(TRACE_TARGET) | BIT(TRACE_SOURCE) | SET},
    {"shmem_alltoall64", TRACE_COLLECTIVE, TRACE_SIGNED, 8,
     BIT(TRACE_ELEMENTS) | BIT(TRACE_BYTES) | BIT(TRACE_TARGET) | BIT(TRACE_SOURCE) | SET},
    {"shmem_long_sum_to_all", TRACE_COLLECTIVE, TRACE_SIGNED, 8,
     BIT(TRACE_ELEMENTS) | BIT(TRACE_BYTES) | BIT(TRACE_TARGET) | BIT(TRACE_SOURCE) | SET},
};
#define ROUTINES (sizeof routines / sizeof *routines)

static const char *const field_names[TRACE_FIELDS] = {
    "peer",          "elements",  "bytes",     "target",     "source",   "target_stride",
    "source_stride", "context",   "set_start", "set_stride", "set_size", "root",
    "comparison",    "condition", "value",     "result",     "options",  "signal",
};

/* One thread: the block that is being filled. */
struct thread {
    struct encoder encoder;
    unsigned char payload[BLOCK_MOST_BYTES];
    uint64_t first;
    int64_t base;
    uint32_t phase;
};

static const char *folder;
static char command[256] = "./app -n 4", selection[256] = "", date[256] = "2026-01-31T12:00:00Z",
            host[256] = "node";
static FILE *file;
static int pe, pes, threads;
static uint64_t events, dropped, profiles;
static uint32_t version = FORMAT_VERSION;
static double cost_between, cost_inside;
static long ending;
static int64_t clock_offset, beginning, apart;
static bool opened;
static struct thread *thread;
static struct trace_series_kind kinds[ROUTINES];

static void fail(const char *text)
{
    fprintf(stderr, "trace_writer: %s\n", text);
    exit(1);
}

static void put(const void *data, size_t bytes)
{
    if (fwrite(data, 1, bytes, file) != bytes)
        fail("cannot write");
}

static void block(int kind, uint32_t number, uint32_t records, uint64_t first, int64_t base,
                  uint32_t phase, const void *payload, size_t bytes)
{
    struct block_head head = {.bytes = (uint32_t)bytes,
                              .kind = (uint16_t)kind,
                              .thread = number,
                              .records = records,
                              .first = first,
                              .base = base,
                              .phase = phase};
    compose_block_head(&head, payload);
    put(&head, sizeof head);
    put(payload, bytes);
}

/* ---- Files ---- */

/* Once the first line that needs it is there, since those before it say what is in it. */
static void open_file(void)
{
    static unsigned char description[65536];
    static const unsigned char no_ending[FORMAT_ENDING_BYTES];
    struct output out = {description, description + sizeof description, false};
    char path[4096], name[32];
    if (opened)
        return;
    opened = true;
    snprintf(name, sizeof name, FORMAT_NAME, pe);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "w");
    if (!file)
        fail("cannot create a file");
    static const char *const objects[] = {"private", "heap", "static", "lib \"a,b\".so"};
    compose_description(&out,
                        &(struct trace_info){.pe = pe,
                                             .pes = pes,
                                             .host = host,
                                             .command = command,
                                             .library = "OpenSHMEM 1.4",
                                             .date = date,
                                             .profile = profiles,
                                             .clock = "made",
                                             .ticks_per_second = 1e9,
                                             .beginning = beginning,
                                             .start = {true, clock_offset, 0, 1, 1e-7},
                                             .counters = 1,
                                             .counter_names = (const char *const[]){"PAPI_TOT_CYC"},
                                             .objects = sizeof objects / sizeof *objects,
                                             .object_names = objects,
                                             .routines = ROUTINES,
                                             .routine = routines,
                                             .selection = selection,
                                             .cost_between = 1e-9 * cost_between,
                                             .cost_inside = 1e-9 * cost_inside});
    if (version < FORMAT_WITH_COST)
        out.next -= 2 * sizeof(double);
    struct format_head head = compose_head(description, (uint32_t)(out.next - description));
    head.version = version;
    head.checksum = format_head_checksum(&head, description);
    put(&head, sizeof head);
    put(description, head.description_bytes);
    ending = ftell(file);
    put(no_ending, sizeof no_ending);
    for (int i = 0; i < threads; i++) {
        struct thread *t = &thread[i];
        memset(t->encoder.latest, 0, ROUTINES * sizeof *t->encoder.latest);
        t->encoder.time = t->base = clock_offset;
        t->encoder.phase = t->phase = 0;
        t->first = 0;
        encoder_begin(&t->encoder, t->payload);
    }
}

static void flush(int number)
{
    struct thread *t = &thread[number];
    uint32_t records = encoder_events(&t->encoder);
    if (records == 0)
        return;
    block(BLOCK_EVENTS, (uint32_t)number, records, t->first, t->base, t->phase, t->payload,
          encoder_bytes(&t->encoder));
    t->first += records;
    t->base = t->encoder.time;
    t->phase = t->encoder.phase;
    encoder_begin(&t->encoder, t->payload);
}

static void close_file(const char *reason)
{
    if (!opened)
        return;
    for (int i = 0; i < threads; i++)
        flush(i);
    if (reason) {
        unsigned char bytes[FORMAT_ENDING_BYTES];
        compose_ending(bytes, &(struct trace_info){.end = reason,
                                                   .events = events,
                                                   .dropped = dropped,
                                                   .threads = threads,
                                                   .finish.bound = 1e-7});
        if (fseek(file, ending, SEEK_SET))
            fail("cannot seek");
        put(bytes, sizeof bytes);
    }
    if (fclose(file))
        fail("cannot write");
    opened = false;
}

/* ---- Events ---- */

static unsigned find_routine(const char *name)
{
    for (unsigned i = 0; i < ROUTINES; i++)
        if (strcmp(routines[i].name, name) == 0)
            return i;
    fail(name);
    return 0;
}

static void add(int number, unsigned routine, int64_t start, int64_t duration, unsigned flags,
                uint32_t phase, const int64_t values[TRACE_FIELDS])
{
    struct thread *t = &thread[number];
    int64_t packed[TRACE_FIELDS];
    unsigned n = 0;
    open_file();
    if (encoder_bytes(&t->encoder) + EVENT_MOST_BYTES > BLOCK_MOST_BYTES)
        flush(number);
    for (int field = 0; field < TRACE_FIELDS; field++)
        if (routines[routine].fields >> field & 1)
            packed[n++] = values[field];
    if ((routines[routine].fields & BIT(TRACE_RESULT) && values[TRACE_RESULT] == INT64_MIN) ||
        (trace_puts_value(&routines[routine]) && values[TRACE_VALUE] == INT64_MIN))
        n--; /* not kept */
    start += clock_offset;
    encode_event(&t->encoder, (uint64_t)routine << 32 | (uint32_t)values[TRACE_PEER] << 1, routine,
                 (uint64_t)start, (uint64_t)(start + duration), phase, flags, n, packed);
    events++;
}

static void event_line(char *rest)
{
    int64_t values[TRACE_FIELDS] = {[TRACE_RESULT] = INT64_MIN};
    char name[64];
    int number, used;
    bool valued = false;
    long long start, duration;
    unsigned flags = 0;
    uint32_t phase = 0;
    if (sscanf(rest, "%d %63s %lld %lld%n", &number, name, &start, &duration, &used) != 4)
        fail(rest);
    for (char *word = strtok(rest + used, " \n"); word; word = strtok(NULL, " \n")) {
        char *equals = strchr(word, '=');
        if (!equals)
            fail(word);
        *equals = '\0';
        long long value = strtoll(equals + 1, NULL, 0);
        bool known = true;
        if (strcmp(word, "flags") == 0) {
            flags = (unsigned)value;
        } else if (strcmp(word, "phase") == 0) {
            phase = (uint32_t)value;
        } else {
            known = false;
            valued = valued || strcmp(word, "value") == 0;
            for (int field = 0; field < TRACE_FIELDS; field++)
                if (strcmp(word, field_names[field]) == 0) {
                    values[field] = value;
                    known = true;
                }
        }
        if (!known)
            fail(word);
    }
    unsigned routine = find_routine(name);
    if (!valued && trace_puts_value(&routines[routine]))
        values[TRACE_VALUE] = INT64_MIN;
    add(number, routine, start, duration, flags, phase, values);
}

static void bulk(int number, long count)
{
    unsigned kind[3] = {find_routine("shmem_long_put"), find_routine("shmem_double_iget"),
                        find_routine("shmem_quiet")};
    open_file();
    int64_t start = thread[number].encoder.time - clock_offset,
            puts = (INT64_C(1) << 48) + pe * apart, gets = puts + pes * apart;
    for (long i = 0; i < count; i++) {
        int64_t elements = 1 << i % 12;
        int64_t values[TRACE_FIELDS] = {
            [TRACE_PEER] = (pe + 1 + i / 1000 % 3) % pes,
            [TRACE_ELEMENTS] = elements,
            [TRACE_BYTES] = 8 * elements,
            [TRACE_TARGET] = i % 3 == 0 ? puts + i % 4096 * 8 : 0,
            [TRACE_SOURCE] = i % 3 == 1 ? gets + i % 4096 * 8 : 0,
            [TRACE_TARGET_STRIDE] = 1,
            [TRACE_SOURCE_STRIDE] = 2,
        };
        add(number, kind[i % 3], start + 1000 * i + 1, 100 + i % 97, 0, 0, values);
    }
}

static void barriers(int number, long count)
{
    unsigned routine = find_routine("shmem_barrier_all");
    const int64_t values[TRACE_FIELDS] = {[TRACE_SET_STRIDE] = 1, [TRACE_SET_SIZE] = pes};
    open_file();
    int64_t start = thread[number].encoder.time - clock_offset;
    for (long i = 0; i < count; i++)
        add(number, routine, start + 1000 * i + 1, 100, 0, 0, values);
}

/* ---- Patterns ---- */

#define HEAP (INT64_C(1) << 48)
#define BURST 1000
#define DURATION 100

/* An event so long after the last one of the PE. */
static void next(unsigned routine, int64_t burst, unsigned flags,
                 const int64_t values[TRACE_FIELDS])
{
    open_file();
    add(0, routine, thread->encoder.time - clock_offset + burst, DURATION, flags, 0, values);
}

static void transfer(unsigned routine, bool puts, int64_t peer, int64_t bytes)
{
    const int64_t values[TRACE_FIELDS] = {[TRACE_PEER] = peer,
                                          [TRACE_ELEMENTS] = bytes,
                                          [TRACE_BYTES] = bytes,
                                          [TRACE_TARGET] = puts ? HEAP + 64 : 0,
                                          [TRACE_SOURCE] = puts ? 0 : HEAP + 64,
                                          [TRACE_VALUE] = INT64_MIN};
    next(routine, BURST, 0, values);
}

static void mix(long rounds, int64_t bytes)
{
    const int64_t all[TRACE_FIELDS] = {[TRACE_SET_STRIDE] = 1, [TRACE_SET_SIZE] = pes};
    unsigned put_ = find_routine("shmem_putmem"), get = find_routine("shmem_getmem"),
             quiet = find_routine("shmem_quiet"), barrier = find_routine("shmem_barrier_all");
    for (long i = 0; i < rounds; i++) {
        transfer(put_, true, (pe + 1) % pes, bytes);
        transfer(get, false, (pe + pes - 1) % pes, bytes);
        transfer(put_, true, (pe + 1 + i * 7 % 61) % pes, bytes);
        next(quiet, BURST, 0, all);
        if (i % 4 == 3)
            next(barrier, BURST, 0, all);
    }
}

/* Times of the trace follow the message: the wait of a PE ends after the write for it has begun. */
static void ring(long rounds)
{
    unsigned flag = find_routine("shmem_long_p"), wait = find_routine("shmem_long_wait_until");
    for (long i = 0; i < rounds; i++) {
        int64_t values[TRACE_FIELDS] = {[TRACE_PEER] = (pe + 1) % pes,
                                        [TRACE_TARGET] = HEAP + 8,
                                        [TRACE_COMPARISON] = 5,
                                        [TRACE_VALUE] = i + (pe > 0)};
        int64_t start = ((i * pes + pe + 1) * 10 + 1) * BURST - thread->encoder.time;
        if (pe > 0 || i > 0) {
            next(wait, start, 0, values);
            start = BURST;
        }
        values[TRACE_VALUE] = i + 1 + (pe == pes - 1);
        next(flag, start, 0, values);
    }
}

static void atomics(long rounds)
{
    const int64_t values[TRACE_FIELDS] = {
        [TRACE_TARGET] = HEAP + 8, [TRACE_VALUE] = 1, [TRACE_RESULT] = INT64_MIN};
    unsigned routine = find_routine("shmem_long_atomic_fetch_add");
    for (long i = 0; i < rounds; i++)
        next(routine, BURST, 0, values);
}

/* All PEs finalize at the same time, or after their last call. */
static void pattern(const char *name, long rounds, int64_t bytes)
{
    static const int64_t none[TRACE_FIELDS];
    int64_t last = BURST;
    next(find_routine("shmem_init"), BURST, 0, none);
    if (strcmp(name, "mix") == 0) {
        mix(rounds, bytes);
    } else if (strcmp(name, "ring") == 0) {
        ring(rounds);
        last = ((rounds + 1) * pes * 10 + 1) * BURST - thread->encoder.time;
    } else if (strcmp(name, "atomics") == 0) {
        atomics(rounds);
    } else {
        fail("there are mix, ring and atomics");
    }
    next(find_routine("shmem_finalize"), last, TRACE_IMPLICIT_BARRIER, none);
    close_file("finalize");
}

/* ---- Lines ---- */

/* A record of numbers: those at signs[i] == 's' may be negative. */
static void record(int kind, const char *signs, const long long *numbers)
{
    unsigned char payload[128];
    struct output out = {payload, payload + sizeof payload, false};
    open_file();
    for (size_t i = 0; signs[i]; i++)
        if (signs[i] == 's')
            give_signed(&out, numbers[i]);
        else
            give_number(&out, (uint64_t)numbers[i]);
    block(kind, 0, 1, 0, 0, 0, payload, (size_t)(out.next - payload));
}

/* Whether the line is that command; rest: what is behind it. */
static bool is(char *line, const char *name, char **rest)
{
    size_t length = strlen(name);
    *rest = line + length;
    return strncmp(line, name, length) == 0 && (line[length] == ' ' || line[length] == '\n');
}

static void read_text(const char *rest, char text[static 256])
{
    char *to = text;
    unsigned byte;
    sscanf(rest, " %255[^\n]", text);
    for (const char *from = text; *from; from++)
        if (sscanf(from, "\\x%2x", &byte) == 1) {
            *to++ = (char)byte;
            from += 3;
        } else {
            *to++ = *from;
        }
    *to = '\0';
}

int main(int argc, char **argv)
{
    char line[1024], *rest, name[64];
    long long n[8];
    int number;
    long count;
    folder = argc > 1 ? argv[1] : ".";
    thread = calloc(THREADS, sizeof *thread);
    for (size_t i = 0; i < ROUTINES; i++)
        kinds[i] = trace_series_kind(&routines[i]);
    for (int i = 0; i < THREADS; i++) {
        thread[i].encoder.routines = ROUTINES;
        thread[i].encoder.kinds = kinds;
        thread[i].encoder.latest = calloc(ROUTINES, sizeof *thread[i].encoder.latest);
        thread[i].encoder.series = calloc(SERIES_MOST, sizeof *thread[i].encoder.series);
    }
    if (argc > 4) {
        pes = atoi(argv[3]);
        threads = 1;
        for (pe = 0; pe < pes; pe++, events = 0)
            pattern(argv[2], atol(argv[4]), argc > 5 ? atoll(argv[5]) : 1024);
        return 0;
    }
    while (fgets(line, sizeof line, stdin)) {
        if (is(line, "pe", &rest)) {
            close_file(NULL);
            if (sscanf(rest, "%d %d %d", &pe, &pes, &threads) != 3 || threads > THREADS)
                fail(line);
            events = dropped = profiles = 0;
            clock_offset = 0;
        } else if (is(line, "command", &rest)) {
            read_text(rest, command);
        } else if (is(line, "date", &rest)) {
            read_text(rest, date);
        } else if (is(line, "selection", &rest)) {
            read_text(rest, selection);
        } else if (is(line, "host", &rest)) {
            read_text(rest, host);
        } else if (is(line, "version", &rest)) {
            version = (uint32_t)strtoul(rest, NULL, 0);
        } else if (is(line, "cost", &rest)) {
            if (sscanf(rest, "%lf %lf", &cost_between, &cost_inside) != 2)
                fail(line);
        } else if (is(line, "dropped", &rest)) {
            dropped = strtoull(rest, NULL, 0);
        } else if (is(line, "beginning", &rest)) {
            beginning = strtoll(rest, NULL, 0);
        } else if (is(line, "clock", &rest)) {
            clock_offset = strtoll(rest, NULL, 0);
        } else if (is(line, "apart", &rest)) {
            apart = strtoll(rest, NULL, 0);
        } else if (is(line, "event", &rest)) {
            event_line(rest);
        } else if (is(line, "bulk", &rest) && sscanf(rest, "%d %ld", &number, &count) == 2) {
            bulk(number, count);
        } else if (is(line, "barriers", &rest) && sscanf(rest, "%d %ld", &number, &count) == 2) {
            barriers(number, count);
        } else if (is(line, "counters", &rest) &&
                   sscanf(rest, "%lld %lld %lld %lld", n, n + 1, n + 2, n + 3) == 4) {
            record(BLOCK_PHASES, "usss", n);
        } else if (is(line, "profile", &rest) && sscanf(rest, "%63s %lld %lld %lld %lld %lld", name,
                                                        n + 2, n + 3, n + 4, n + 5, n + 6) == 6) {
            profiles = 1;
            n[0] = find_routine(name);
            n[1] = 0;
            record(BLOCK_PROFILE, "uusuuss", n);
        } else if (is(line, "team", &rest) && sscanf(rest, "%lld %lld %lld %lld %lld %lld", n,
                                                     n + 1, n + 2, n + 3, n + 4, n + 5) == 6) {
            record(BLOCK_TEAMS, "suuusu", n);
        } else if (is(line, "end", &rest)) {
            sscanf(rest, " %63[^\n]", name);
            open_file();
            close_file(name);
        } else {
            fail(line);
        }
    }
    close_file(NULL);
    return 0;
}
