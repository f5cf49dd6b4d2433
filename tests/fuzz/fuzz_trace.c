/*
 * The target of trace fuzzing: bytes are the file of a PE, or a pack of several. They are read as
 * they are, and once more with their checksums put right, so that what lies behind them is reached.
 * Everything that can be asked of the reader is asked, every event is printed in all formats.
 *
 * Besides, the program
 *     --seeds FOLDER            writes small traces with all that a trace can hold
 *     --repair FOLDER FILE...   copies them to the folder, a trace, with right checksums
 *     --command WORD...         is the command shmemtrace
 */
#define _GNU_SOURCE
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/checksum.h"
#include "support/stub/encode_event.h"
#include "trace/read/event_out.h"
#include "trace/read/pack.h"
#include "trace/read/read.h"

#define THREADS_READ 3 /* cursors of single threads that are tried */
#define EVENTS_A_VISIT 20
#define RECORDS_A_BYTE 1 /* nothing in a file is smaller */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
int shmemtrace_main(int argc, char **argv); /* of src/trace/command/main.c */

static FILE *nowhere;

/* What must not be, whatever the input. */
static void require(bool right, const char *what)
{
    if (right)
        return;
    fprintf(stderr, "fuzz_trace: %s\n", what);
    abort();
}

static void *must(void *memory)
{
    require(memory, "out of memory");
    return memory;
}

/* ---- Reading ---- */

static void print_event(struct trace_file *file, const struct trace_event *event)
{
    require(event->routine < trace_info(file)->routines, "the routine is none of the file's");
    require(trace_routine(file, event->routine), "the routine is unknown");
    trace_seconds(file, event->start);
    event_text(nowhere, file, event, event->site ? "site" : NULL);
    event_csv(nowhere, file, event, event->site ? "site" : NULL);
    event_json(nowhere, file, event, event->site ? "site" : NULL);
}

/* Events of a thread; returns what trace_next said at the end. */
static int read_events(struct trace_file *file, int thread, size_t most)
{
    struct trace_cursor *cursor = trace_events(file, thread);
    struct trace_event event;
    size_t count = 0;
    int more;
    while ((more = trace_next(cursor, &event)) > 0) {
        require(++count <= most, "more events than bytes");
        require(thread < 0 || event.thread == (uint32_t)thread, "an event of another thread");
        print_event(file, &event);
    }
    require((more < 0) == (trace_problem(cursor) && *trace_problem(cursor) != '\0'),
            "damage without a text, or a text without damage");
    trace_cursor_free(cursor);
    return more;
}

/* Events of a thread, some at each visit. */
static void visit_events(const struct trace_file *file, const char *path, int thread, size_t most)
{
    const struct trace_info *info = trace_info(file);
    struct trace_cursor *cursor = trace_visitor(info->routines);
    struct trace_visit visit = {path, trace_routine(file, 0), info->routines, thread,
                                info->threads};
    struct trace_mark mark = {.block = trace_blocks(file)};
    struct raw_event event;
    size_t count = 0;
    for (int more = 1; more > 0;) {
        require(!trace_visit(cursor, &visit, &mark), "a file that was open cannot be visited");
        for (int i = 0; i < EVENTS_A_VISIT && (more = trace_next_raw(cursor, &event)) > 0; i++)
            require(++count <= most && event.series->routine < info->routines,
                    "more events than bytes, or a routine that is none of the file's");
        trace_leave(cursor, &mark);
    }
    trace_forget(&mark);
    trace_cursor_free(cursor);
}

static void read_phases(struct trace_file *file, size_t most)
{
    struct trace_cursor *cursor = trace_events(file, -1);
    struct trace_phase phase;
    int64_t sum = 0;
    size_t count = 0;
    while (trace_next_phase(cursor, &phase) > 0) {
        require(++count <= most, "more phases than bytes");
        for (size_t i = 0; i < trace_info(file)->counters; i++)
            sum ^= phase.counters[i];
    }
    fprintf(nowhere, "%jd\n", (intmax_t)sum);
    trace_cursor_free(cursor);
}

static void read_profiles(struct trace_file *file, size_t most)
{
    struct trace_cursor *cursor = trace_events(file, -1);
    struct trace_profile profile;
    size_t count = 0;
    while (trace_next_profile(cursor, &profile) > 0) {
        require(++count <= most, "more profiles than bytes");
        require(trace_routine(file, profile.routine), "the profile's routine is unknown");
    }
    trace_cursor_free(cursor);
}

static void read_teams(struct trace_file *file, size_t most)
{
    struct trace_cursor *cursor = trace_events(file, -1);
    int pes = trace_info(file)->pes;
    struct trace_team team;
    size_t count = 0;
    while (trace_next_team(cursor, &team) > 0) {
        require(++count <= most, "more teams than bytes");
        for (int64_t i = team.range.index; i <= team.range.index + team.range.count; i++) {
            int64_t pe = pe_ranges_member(&team.range, 1, i);
            require(pe >= -1 && pe < pes, "a member is none of the PEs");
            require((pe < 0) == (i == team.range.index + team.range.count), "a member is missing");
            if (team.range.count > 1000 && i == team.range.index + 1)
                i = team.range.index + team.range.count - 1;
        }
    }
    trace_cursor_free(cursor);
}

static void read_info(const struct trace_file *file)
{
    const struct trace_info *info = trace_info(file);
    event_text_header(nowhere, info);
    for (size_t i = 0; i < info->routines; i++)
        fputs(trace_routine(file, (uint32_t)i)->name, nowhere);
    for (size_t i = 0; i < info->objects; i++)
        fputs(info->object_names[i], nowhere);
    for (size_t i = 0; i < info->counters; i++)
        fputs(info->counter_names[i], nowhere);
    require(!trace_routine(file, (uint32_t)info->routines), "a routine behind the last");
}

/* Returns "refused", "damaged" or "whole". */
static const char *read_file(const char *path, size_t size)
{
    char *error = NULL;
    struct trace_file *file = trace_open(path, &error);
    if (!file) {
        require(error && *error, "refused without a reason");
        free(error);
        return "refused";
    }
    read_info(file);
    size_t most = size * RECORDS_A_BYTE;
    int end = read_events(file, -1, most);
    for (int thread = 0; thread < THREADS_READ && thread < trace_info(file)->threads; thread++) {
        read_events(file, thread, most);
        visit_events(file, path, thread, most);
    }
    read_phases(file, most);
    read_profiles(file, most);
    read_teams(file, most);
    trace_close(file);
    return end < 0 ? "damaged" : "whole";
}

/* A pack, or what is none. */
static const char *read_any(const char *path, size_t size)
{
    char *error = NULL, **files = NULL;
    long count = pack_files(path, &files, &error);
    if (count == PACK_NONE)
        return read_file(path, size);
    require((count < 0) == (error && *error),
            "a pack is refused without a reason, or read with one");
    const char *outcome = count < 0 ? "refused" : "whole";
    for (long i = 0; i < count; i++) {
        if (strcmp(read_file(files[i], size), "whole") != 0)
            outcome = "damaged";
        free(files[i]);
    }
    free(files);
    free(error);
    return outcome;
}

static const char *read_bytes(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor = memfd_create("trace", 0);
    require(descriptor >= 0 && write(descriptor, data, size) == (ssize_t)size, "no memory file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    const char *outcome = read_any(path, size);
    close(descriptor);
    return outcome;
}

/* ---- Checksums put right ---- */

static void repair_head(uint8_t *data, size_t size)
{
    struct format_head head;
    memcpy(&head, data, sizeof head);
    memcpy(head.magic, FORMAT_MAGIC, sizeof head.magic);
    if (head.version < FORMAT_OLDEST || head.version > FORMAT_VERSION)
        head.version = FORMAT_WITH_COST - 1; /* as of older findings, which do not tell theirs */
    if (head.description_bytes > size - sizeof head)
        head.description_bytes = (uint32_t)(size - sizeof head);
    head.checksum =
        checksum(checksum(0, &head.version, 8), data + sizeof head, head.description_bytes);
    memcpy(data, &head, sizeof head);
}

static size_t repair_block(uint8_t *data, size_t size)
{
    struct block_head head;
    size_t before = offsetof(struct block_head, bytes);
    memcpy(&head, data, sizeof head);
    head.magic = BLOCK_MAGIC;
    if (head.bytes > size - sizeof head)
        head.bytes = (uint32_t)(size - sizeof head);
    memcpy(data, &head, sizeof head);
    head.checksum = checksum(0, data + before, sizeof head - before + head.bytes);
    memcpy(data, &head, sizeof head);
    return sizeof head + head.bytes;
}

static void repair(uint8_t *data, size_t size)
{
    struct format_head head;
    if (size < sizeof head)
        return;
    repair_head(data, size);
    memcpy(&head, data, sizeof head);
    size_t at = sizeof head + head.description_bytes;
    if (size - at < FORMAT_ENDING_BYTES)
        return;
    uint8_t *ending = data + at;
    uint32_t sum = checksum(0, ending + sizeof sum, FORMAT_ENDING_BYTES - sizeof sum);
    if (ending[sizeof sum])
        memcpy(ending, &sum, sizeof sum);
    at += FORMAT_ENDING_BYTES;
    while (size - at >= sizeof(struct block_head))
        at += repair_block(data + at, size - at);
}

static bool is_pack(const uint8_t *data, size_t size)
{
    return size >= sizeof(struct pack_head) && memcmp(data, PACK_MAGIC, strlen(PACK_MAGIC)) == 0;
}

/* Files follow each other up to the end; their numbers stay as they are. */
static void repair_pack(uint8_t *data, size_t size)
{
    struct pack_head head;
    struct pack_entry entry;
    memcpy(&head, data, sizeof head);
    head.version = PACK_VERSION;
    head.bytes = size;
    if (head.files > (size - sizeof head) / sizeof entry)
        head.files = (uint32_t)((size - sizeof head) / sizeof entry);
    pack_seal_head(&head);
    memcpy(data, &head, sizeof head);
    size_t next = sizeof head + head.files * sizeof entry;
    for (uint32_t i = 0; i < head.files; i++) {
        uint8_t *place = data + sizeof head + i * sizeof entry;
        memcpy(&entry, place, sizeof entry);
        entry.at = next;
        if (entry.bytes > size - next || i + 1 == head.files)
            entry.bytes = size - next;
        pack_seal_entry(&entry);
        memcpy(place, &entry, sizeof entry);
        repair(data + next, entry.bytes);
        next += entry.bytes;
    }
}

static uint8_t *repaired(const uint8_t *data, size_t size)
{
    uint8_t *copy = must(malloc(size + 1));
    memcpy(copy, data, size);
    if (is_pack(data, size))
        repair_pack(copy, size);
    else
        repair(copy, size);
    return copy;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!nowhere)
        nowhere = must(fopen("/dev/null", "w"));
    const char *outcome = read_bytes(data, size);
    uint8_t *copy = repaired(data, size);
    const char *second = read_bytes(copy, size);
    free(copy);
    if (getenv("FUZZ_OUTCOME"))
        fprintf(stderr, "outcome: %s, repaired: %s\n", outcome, second);
    return 0;
}

/* ---- Seeds ---- */

#define SEED_BYTES (64 * 1024)
#define COUNTERS 2
#define PES 2

#define PUT                                                                                        \
    (1 << TRACE_PEER | 1 << TRACE_ELEMENTS | 1 << TRACE_BYTES | 1 << TRACE_TARGET |                \
     1 << TRACE_SOURCE)
#define SET (1 << TRACE_SET_START | 1 << TRACE_SET_STRIDE | 1 << TRACE_SET_SIZE)

static const struct trace_routine routines[] = {
    {"shmem_init", TRACE_SETUP, TRACE_SIGNED, 0, 0},
    {"shmem_long_put", TRACE_PUT, TRACE_SIGNED, 8, PUT},
    {"shmem_int_iput", TRACE_PUT, TRACE_SIGNED, 4,
     PUT | 1 << TRACE_TARGET_STRIDE | 1 << TRACE_SOURCE_STRIDE},
    {"shmem_ctx_getmem_nbi", TRACE_NONBLOCKING, TRACE_SIGNED, 1, PUT | 1 << TRACE_CONTEXT_ID},
    {"shmem_double_p", TRACE_PUT, TRACE_DOUBLE, 8,
     1 << TRACE_PEER | 1 << TRACE_TARGET | 1 << TRACE_VALUE},
    {"shmem_float_atomic_swap", TRACE_ATOMIC, TRACE_FLOAT, 4,
     1 << TRACE_PEER | 1 << TRACE_TARGET | 1 << TRACE_VALUE | 1 << TRACE_RESULT},
    {"shmem_ulong_atomic_compare_swap", TRACE_ATOMIC, TRACE_UNSIGNED, 8,
     1 << TRACE_PEER | 1 << TRACE_TARGET | 1 << TRACE_CONDITION | 1 << TRACE_VALUE},
    {"shmem_broadcast64", TRACE_COLLECTIVE, TRACE_SIGNED, 8,
     (PUT & ~(1 << TRACE_PEER)) | SET | 1 << TRACE_ROOT},
    {"shmem_long_wait_until", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 8,
     1 << TRACE_TARGET | 1 << TRACE_COMPARISON | 1 << TRACE_VALUE},
    {"shmem_barrier_all", TRACE_SYNCHRONIZATION, TRACE_SIGNED, 0, SET},
    {"shmem_malloc", TRACE_MEMORY, TRACE_SIGNED, 0, 1 << TRACE_BYTES | 1 << TRACE_TARGET},
    {"shmem_ctx_create", TRACE_CONTEXT, TRACE_SIGNED, 0,
     1 << TRACE_CONTEXT_ID | 1 << TRACE_OPTIONS},
    {"shmem_set_lock", TRACE_LOCK, TRACE_SIGNED, 8, 1 << TRACE_TARGET},
    {"shmem_finalize", TRACE_SETUP, TRACE_SIGNED, 0, 0},
};
#define ROUTINES (sizeof routines / sizeof *routines)

/* Texts and numbers are in the order of docs/trace-format.md. */
static void give_description(struct output *output, unsigned pe, unsigned pes, bool profile)
{
    static const char *const texts[] = {"host", "program --size 3", "OpenSHMEM 1.4", "0.1.0",
                                        "2020-01-01T00:00:00Z"};
    static const char *const objects[] = {"private", "heap", "static", "libm.so.6"};
    static const char *const counters[COUNTERS] = {"PAPI_TOT_CYC", "PAPI_TOT_INS"};
    give_number(output, pe);
    give_number(output, pes);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        give_text(output, texts[i]);
    give_number(output, profile);
    give_text(output, "offset and drift");
    give_real(output, 2.6e9);
    give_signed(output, 1000);
    give_number(output, 1);
    give_signed(output, 900);
    give_signed(output, 1000);
    give_real(output, 1.00001);
    give_real(output, 1e-7);
    give_number(output, COUNTERS);
    for (size_t i = 0; i < COUNTERS; i++)
        give_text(output, counters[i]);
    give_number(output, sizeof objects / sizeof *objects);
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        give_text(output, objects[i]);
    give_number(output, ROUTINES);
    for (size_t i = 0; i < ROUTINES; i++) {
        give_text(output, routines[i].name);
        give_number(output, (uint64_t)routines[i].class);
        give_number(output, (uint64_t)routines[i].type);
        give_number(output, routines[i].element_bytes);
        give_number(output, routines[i].fields);
    }
    give_text(output, "--only put");
    give_real(output, 12.5);
    give_real(output, 8);
}

static void give_ending(struct output *output, uint64_t events)
{
    struct output ending = {output->next + sizeof(uint32_t), output->next + FORMAT_ENDING_BYTES,
                            false};
    memset(output->next, 0, FORMAT_ENDING_BYTES);
    give_text(&ending, "finalize");
    give_number(&ending, events);
    give_number(&ending, 0); /* dropped */
    give_number(&ending, 2); /* threads */
    give_number(&ending, 1);
    give_signed(&ending, 1000000);
    give_signed(&ending, 1000100);
    give_real(&ending, 1e-7);
    output->next += FORMAT_ENDING_BYTES;
}

static void give_block(struct output *output, struct block_head head, const unsigned char *payload)
{
    head.magic = BLOCK_MAGIC;
    memcpy(output->next, &head, sizeof head);
    memcpy(output->next + sizeof head, payload, head.bytes);
    output->next += sizeof head + head.bytes;
}

/* As good as random, but the same each time; by turns sets that there are: all PEs, team 1. */
static int64_t seed_value(enum trace_field field, unsigned event, uint64_t *random)
{
    unsigned round = event / ROUTINES;
    if (round % 2 && field == TRACE_SET_START)
        return round % 4 == 3;
    if (round % 2 && field == TRACE_SET_STRIDE)
        return round % 4 == 1;
    if (round % 2 && field == TRACE_SET_SIZE)
        return PES;
    *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return event % 3 ? (int64_t)(*random >> 60) : (int64_t)(*random >> (*random >> 58));
}

static struct block_head encode_events(unsigned char *payload, uint32_t thread, unsigned rounds)
{
    static struct series_kind kinds[ROUTINES];
    static uint16_t latest[ROUTINES];
    struct encoder encoder = {.kinds = kinds, .latest = latest, .routines = ROUTINES, .time = 2000};
    encoder.series = must(calloc(SERIES_MOST, sizeof *encoder.series));
    for (size_t i = 0; i < ROUTINES; i++)
        kinds[i] = series_kind(&routines[i]);
    encoder_begin(&encoder, payload);
    uint64_t time = 2000, random = 1 + thread;
    for (unsigned i = 0; i < rounds * ROUTINES; i++) {
        unsigned routine = i % ROUTINES;
        unsigned count = 0;
        int64_t values[TRACE_FIELDS];
        for (enum trace_field field = 0; field < TRACE_FIELDS; field++)
            if (routines[routine].fields >> field & 1)
                values[count++] = seed_value(field, i, &random);
        encode_event(&encoder, routine + (i / 40) * 100, routine, time, time + 40 + (random >> 59),
                     i / 50, i % 7 == 0, count, values);
        time += 100 + (random >> 57);
    }
    free(encoder.series);
    return (struct block_head){.kind = BLOCK_EVENTS,
                               .thread = thread,
                               .records = encoder_events(&encoder),
                               .bytes = encoder_bytes(&encoder),
                               .base = 2000};
}

static struct block_head encode_numbers(unsigned char *payload, enum block_kind kind,
                                        unsigned records, unsigned numbers)
{
    struct output output = {payload, payload + BLOCK_MOST_BYTES, false};
    for (unsigned i = 0; i < records * numbers; i++)
        give_number(&output, 1 + i % numbers);
    return (struct block_head){
        .kind = (uint16_t)kind, .records = records, .bytes = (uint32_t)(output.next - payload)};
}

/* Team 1 is all PEs, team 2 the last of them. */
static struct block_head encode_teams(unsigned char *payload)
{
    struct output output = {payload, payload + BLOCK_MOST_BYTES, false};
    for (unsigned team = 1; team <= 2; team++) {
        unsigned size = team == 1 ? PES : 1;
        give_signed(&output, team);
        give_number(&output, size);
        give_number(&output, 0);
        give_number(&output, PES - size);
        give_signed(&output, 1);
        give_number(&output, size);
    }
    return (struct block_head){
        .kind = BLOCK_TEAMS, .records = 2, .bytes = (uint32_t)(output.next - payload)};
}

static size_t make_seed(uint8_t *data, unsigned pe, unsigned pes, bool profile, unsigned rounds)
{
    static unsigned char payload[BLOCK_MOST_BYTES + EVENT_MOST_BYTES];
    struct output output = {data + sizeof(struct format_head), data + SEED_BYTES, false};
    give_description(&output, pe, pes, profile);
    struct format_head head = {.version = FORMAT_VERSION,
                               .description_bytes =
                                   (uint32_t)(output.next - data - (ptrdiff_t)sizeof head)};
    memcpy(data, &head, sizeof head);
    give_ending(&output, 2 * rounds * ROUTINES);
    for (uint32_t thread = 0; thread < 2 && !profile; thread++) {
        struct block_head block = encode_events(payload, thread, rounds);
        give_block(&output, block, payload);
    }
    struct block_head block = profile ? encode_numbers(payload, BLOCK_PROFILE, 3, 7)
                                      : encode_numbers(payload, BLOCK_PHASES, 2, 3 + COUNTERS);
    give_block(&output, block, payload);
    block = encode_teams(payload);
    give_block(&output, block, payload);
    repair(data, (size_t)(output.next - data));
    return (size_t)(output.next - data);
}

static void write_file(const char *folder, const char *name, const uint8_t *data, size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = must(fopen(path, "wb"));
    require(fwrite(data, 1, size, file) == size && fclose(file) == 0, "a file cannot be written");
}

/* Of all PEs. */
static size_t make_pack(uint8_t *data)
{
    struct pack_head head = {.magic = PACK_MAGIC, .files = PES};
    size_t size = sizeof head + PES * sizeof(struct pack_entry);
    memcpy(data, &head, sizeof head);
    for (uint32_t pe = 0; pe < PES; pe++) {
        struct pack_entry entry = {.number = pe,
                                   .bytes = make_seed(data + size, pe, PES, false, 3)};
        memcpy(data + sizeof head + pe * sizeof entry, &entry, sizeof entry);
        size += entry.bytes;
    }
    repair_pack(data, size);
    return size;
}

static void write_seeds(const char *folder)
{
    static uint8_t data[(PES + 1) * SEED_BYTES];
    write_file(folder, "events", data, make_seed(data, 1, PES, false, 3));
    write_file(folder, "events-0", data, make_seed(data, 0, PES, false, 12));
    write_file(folder, "events-1", data, make_seed(data, 1, PES, false, 12));
    write_file(folder, "events-of-other-run", data, make_seed(data, 1, 20 * PES, false, 4));
    write_file(folder, "profile", data, make_seed(data, 1, PES, true, 1));
    write_file(folder, "pack", data, make_pack(data));
}

static void repair_files(const char *folder, char **paths)
{
    for (int pe = 0; paths[pe]; pe++) {
        FILE *file = must(fopen(paths[pe], "rb"));
        uint8_t *data = must(malloc(SEED_BYTES));
        size_t size = fread(data, 1, SEED_BYTES, file);
        char name[64];
        fclose(file);
        repair(data, size);
        snprintf(name, sizeof name, FORMAT_NAME, pe);
        write_file(folder, name, data, size);
        free(data);
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    char **word = *argv + 1;
    if (*argc == 3 && strcmp(*word, "--seeds") == 0)
        write_seeds(word[1]);
    else if (*argc >= 3 && strcmp(*word, "--repair") == 0)
        repair_files(word[1], word + 2);
    else if (*argc >= 2 && strcmp(*word, "--command") == 0)
        exit(shmemtrace_main(*argc - 1, word));
    else
        return 0;
    exit(0);
}
